//! Reading JSON trees without panics: what is absent reads as its zero value, as in Go.
//!
//! The readers are not inlined: they are called from hundreds of places, and the size of the wasm counts more.
use serde_json::{Map, Value};

static NULL: Value = Value::Null;
static NO_ITEMS: [Value; 0] = [];

/// A place in a JSON tree, or nothing. All readers answer the zero value where the tree has something else.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a>(pub &'a Value);

impl<'a> Tree<'a> {
    /// The member of that name.
    #[inline(never)]
    pub fn at(self, name: &str) -> Tree<'a> {
        Tree(self.0.get(name).unwrap_or(&NULL))
    }

    /// The member at the end of a chain of names.
    pub fn path(self, names: &[&str]) -> Tree<'a> {
        names.iter().fold(self, |node, name| node.at(name))
    }

    /// Whether there is a value here (a `null` is none).
    pub fn exists(self) -> bool {
        !self.0.is_null()
    }

    /// Whether the member is there.
    #[inline(never)]
    pub fn has(self, name: &str) -> bool {
        self.at(name).exists()
    }

    /// The text, or an empty one.
    pub fn text(self) -> &'a str {
        self.0.as_str().unwrap_or("")
    }

    /// The text of the member, or an empty one.
    #[inline(never)]
    pub fn str(self, name: &str) -> &'a str {
        self.at(name).text()
    }

    /// The whole number, or 0.
    pub fn number(self) -> i64 {
        self.0.as_i64().unwrap_or(0)
    }

    /// The whole number of the member, or 0.
    #[inline(never)]
    pub fn int(self, name: &str) -> i64 {
        self.at(name).number()
    }

    /// The whole number of the member when it is there.
    #[inline(never)]
    pub fn opt_int(self, name: &str) -> Option<i64> {
        self.at(name).0.as_i64()
    }

    /// Whether the member is `true`.
    #[inline(never)]
    pub fn flag(self, name: &str) -> bool {
        self.at(name).0.as_bool().unwrap_or(false)
    }

    /// The items of a list.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Tree<'a>> + ExactSizeIterator {
        self.slice().iter().map(Tree)
    }

    /// The items of the list member.
    pub fn list(self, name: &str) -> impl DoubleEndedIterator<Item = Tree<'a>> + ExactSizeIterator {
        self.at(name).items()
    }

    #[inline(never)]
    fn slice(self) -> &'a [Value] {
        self.0.as_array().map_or(&NO_ITEMS[..], Vec::as_slice)
    }

    /// Number of items of the list (or entries of the map) member.
    #[inline(never)]
    pub fn len(self, name: &str) -> usize {
        match self.at(name).0 {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        }
    }

    /// The entries of a map, sorted by key.
    pub fn entries(self) -> impl Iterator<Item = (&'a String, Tree<'a>)> {
        self.0.as_object().into_iter().flat_map(|map| map.iter().map(|(k, v)| (k, Tree(v))))
    }

    /// The entries of the map member, sorted by key.
    pub fn map(self, name: &str) -> impl Iterator<Item = (&'a String, Tree<'a>)> {
        self.at(name).entries()
    }
}

/// The object at the member, made when it is absent. `None` when something else stands there.
pub fn object_at<'a>(parent: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    let value = parent.entry(name).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// Sets the member unless it is there already.
pub fn set_default(object: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    let slot = object.entry(name).or_insert(Value::Null);
    if slot.is_null() {
        *slot = value.into();
    }
}

/// The objects of the list member.
pub fn objects_of<'a>(
    parent: &'a mut Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    parent.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}
