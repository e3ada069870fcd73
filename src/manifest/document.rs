//! One document: its JSON value, and where each part of it was written.

use super::path::{PathSegment, parse_path};
use super::position::{LineIndex, Span};
use super::tree::{NodeId, NodeKind, Tree};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// In which notation a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Json,
}

/// One document of the text, in its order.
#[derive(Debug, Clone)]
pub struct Document {
    /// Position among the documents of the text, empty and broken ones counted.
    pub index: usize,
    /// All of its text, without the `---` line after it.
    pub span: Span,
    pub format: Format,
    /// Index in [`ManifestRead::diagnostics`](super::ManifestRead::diagnostics) of what kept it from being read.
    pub error: Option<usize>,
    /// kubectl never looks at it, since the `---` line behind it has text that is no comment.
    pub lost: bool,
    content: Option<Content>,
    lines: Arc<LineIndex>,
}

#[derive(Debug, Clone)]
struct Content {
    value: Value,
    tree: Arc<Tree>,
    root: NodeId,
}

/// Where a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The key, where the value is an entry of a mapping.
    pub key: Option<Span>,
    /// The value as it was written: for an alias, where its anchor is.
    pub value: Span,
    /// The `*alias` that stands in the value's place, if one does.
    pub alias: Option<Span>,
    /// How many segments of the path exist; the location is that of the last one that does.
    pub depth: usize,
    /// The whole path exists.
    pub exact: bool,
}

impl Location {
    /// What to underline: the value where the field exists, else the key of the nearest parent.
    pub fn span(&self) -> Span {
        if self.exact { self.value } else { self.key.unwrap_or(self.value) }
    }
}

/// An object to apply: a document, or an item of a list.
#[derive(Debug, Clone)]
pub struct Object<'d> {
    pub document: &'d Document,
    /// Where in the document: empty, or `items[i]`.
    pub path: Vec<PathSegment>,
    /// Items of a `NodeList` and the like get the list's apiVersion and kind when they have neither.
    pub value: Cow<'d, Value>,
}

impl Object<'_> {
    /// Where a field of this object is; see [`Document::locate`].
    pub fn locate(&self, path: &[PathSegment]) -> Option<Location> {
        let mut full = self.path.clone();
        full.extend_from_slice(path);
        self.document.locate(&full)
    }

    /// Where a field of this object is, by Kubernetes' notation; see [`Document::locate_text`].
    pub fn locate_text(&self, path: &str) -> Option<Location> {
        self.locate(&parse_path(path))
    }
}

impl Document {
    pub(crate) fn new(index: usize, span: Span, format: Format, lines: Arc<LineIndex>) -> Self {
        Document { index, span, format, error: None, lost: false, content: None, lines }
    }

    pub(crate) fn set_content(&mut self, value: Value, tree: Tree, root: NodeId) {
        self.content = Some(Content { value, tree: Arc::new(tree), root });
    }

    /// What kubectl makes of it; None if it cannot be read or holds nothing at all.
    pub fn value(&self) -> Option<&Value> {
        self.content.as_ref().map(|content| &content.value)
    }

    /// Nothing to apply: no content, comments only, or `null`. kubectl goes on without a word.
    pub fn is_empty(&self) -> bool {
        self.error.is_none() && self.value().is_none_or(Value::is_null)
    }

    /// Where a field is, or its nearest existing parent; None if the document could not be read. An index also means
    /// the key of that text where the value is a mapping, and a key that holds dots may be cut at them.
    pub fn locate(&self, path: &[PathSegment]) -> Option<Location> {
        let content = self.content.as_ref()?;
        let tree = &*content.tree;
        let mut at = content.root;
        let mut key = None;
        let mut depth = 0usize;
        while let Some(segment) = path.get(depth) {
            let Some((found_key, found, used)) = step(tree, at, segment, path.get(depth..).unwrap_or(&[])) else {
                break;
            };
            key = found_key;
            at = found;
            depth = depth.saturating_add(used);
        }
        let written = tree.resolve_alias(at);
        Some(Location {
            key: key.map(|key| self.node_span(tree, key)),
            value: self.node_span(tree, written),
            alias: (written != at).then(|| self.node_span(tree, at)),
            depth,
            exact: depth == path.len(),
        })
    }

    /// [`Document::locate`] by Kubernetes' notation: `spec.template.spec.containers[0].image`.
    pub fn locate_text(&self, path: &str) -> Option<Location> {
        self.locate(&parse_path(path))
    }

    /// The path of the innermost value or key that covers a byte offset: what the cursor stands on.
    pub fn path_at(&self, offset: usize) -> Vec<PathSegment> {
        let mut path = Vec::new();
        let Some(content) = &self.content else {
            return path;
        };
        let tree = &*content.tree;
        let mut at = content.root;
        loop {
            let covers = |id: NodeId| {
                let (start, end) = tree.range(id);
                start <= offset && offset <= end
            };
            match tree.node(at).map(|node| &node.kind) {
                Some(NodeKind::Sequence { items, .. }) => {
                    let Some((index, item)) = items.iter().enumerate().find(|(_, item)| covers(**item)) else {
                        return path;
                    };
                    path.push(PathSegment::Index(index));
                    at = *item;
                }
                Some(NodeKind::Mapping { entries, .. }) => {
                    let entry = entries.iter().find(|(key, value)| {
                        let (start, _) = tree.range(*key);
                        let (_, end) = tree.range(*value);
                        start <= offset && offset <= end
                    });
                    let Some((key, value)) = entry else {
                        return path;
                    };
                    let Some(text) = tree.key_text(*key) else {
                        return path;
                    };
                    path.push(PathSegment::Key(text));
                    if covers(*key) {
                        return path;
                    }
                    at = *value;
                }
                _ => return path,
            }
        }
    }

    /// The objects that kubectl takes from this document: itself, or the items of a list (whatever has `items`).
    /// Nothing for an empty or broken document. Follows kubernetes
    /// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go UnstructuredJSONScheme, v1.36.
    pub fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        let value = if self.is_empty() { None } else { self.value() };
        let items = value.and_then(|value| value.get("items")).and_then(Value::as_array);
        let single = value.filter(|_| items.is_none()).map(|value| Object {
            document: self,
            path: Vec::new(),
            value: Cow::Borrowed(value),
        });
        let listed = items.into_iter().flatten().enumerate().map(move |(index, item)| Object {
            document: self,
            path: vec![PathSegment::from("items"), PathSegment::Index(index)],
            value: with_kind_of_list(value, item),
        });
        single.into_iter().chain(listed)
    }

    pub(crate) fn tree(&self) -> Option<(&Tree, NodeId)> {
        self.content.as_ref().map(|content| (&*content.tree, content.root))
    }

    fn node_span(&self, tree: &Tree, id: NodeId) -> Span {
        let (start, end) = tree.range(id);
        self.lines.span(start, end)
    }
}

/// One step down: the key's node, the value's node, and how many segments that used.
fn step(
    tree: &Tree,
    at: NodeId,
    segment: &PathSegment,
    rest: &[PathSegment],
) -> Option<(Option<NodeId>, NodeId, usize)> {
    let at = tree.resolve_alias(at);
    let is_mapping = matches!(tree.node(at)?.kind, NodeKind::Mapping { .. });
    let (key, value) = match segment {
        PathSegment::Index(index) if is_mapping => tree.entry(at, &index.to_string())?,
        PathSegment::Index(index) => return Some((None, tree.item(at, *index)?, 1)),
        PathSegment::Key(key) => match tree.entry(at, key) {
            Some(entry) => entry,
            None if is_mapping => return dotted_step(tree, at, rest),
            None => return None,
        },
    };
    Some((Some(key), value, 1))
}

/// `labels.app.kubernetes.io/name`: a key with dots that was cut at them.
fn dotted_step(tree: &Tree, at: NodeId, rest: &[PathSegment]) -> Option<(Option<NodeId>, NodeId, usize)> {
    let mut joined = String::new();
    for (used, segment) in rest.iter().enumerate() {
        let PathSegment::Key(key) = segment else {
            return None;
        };
        if used > 0 {
            joined.push('.');
        }
        joined.push_str(key);
        if used > 0
            && let Some((key, value)) = tree.entry(at, &joined)
        {
            return Some((Some(key), value, used.saturating_add(1)));
        }
    }
    None
}

fn with_kind_of_list<'d>(list: Option<&Value>, item: &'d Value) -> Cow<'d, Value> {
    let text = |value: &'d Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
    let list_text = |field: &str| list.and_then(|list| list.get(field)).and_then(Value::as_str).unwrap_or("");
    let kind = list_text("kind");
    let item_kind = kind.strip_suffix("List").unwrap_or(kind);
    let Value::Object(fields) = item else {
        return Cow::Borrowed(item);
    };
    if !text(item, "kind").is_empty() || !text(item, "apiVersion").is_empty() || item_kind.is_empty() {
        return Cow::Borrowed(item);
    }
    let mut fields = fields.clone();
    fields.insert("kind".to_owned(), Value::String(item_kind.to_owned()));
    fields.insert("apiVersion".to_owned(), Value::String(list_text("apiVersion").to_owned()));
    Cow::Owned(Value::Object(fields))
}
