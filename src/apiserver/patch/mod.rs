//! Patches: strategic merge, JSON merge, JSON patch, and the three-way patch of `kubectl apply`.
//!
//! All of them work on JSON trees; what a strategic patch must know of the fields comes from the schema table.

mod json;
mod strategic;
mod three_way;

pub use json::{json_merge, json_patch};
pub use strategic::strategic_merge;
pub use three_way::{create_merge_patch, create_two_way, three_way};

use super::schema::{PatchStrategy, field_of};
use crate::order::Order;
use serde_json::{Map, Value};

/// How a patch is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// Lists are merged by the keys of their items.
    Strategic,
    /// RFC 7386: lists are replaced.
    Merge,
    /// RFC 6902: a list of operations.
    Json,
}

/// Why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// It is not a patch of its kind; the API server's words.
    Malformed(String),
    /// It does not fit the object (a path that is not there, a test that fails).
    DoesNotFit,
}

impl std::fmt::Display for PatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(why) => f.write_str(why),
            Self::DoesNotFit => f.write_str("the patch does not fit the object"),
        }
    }
}

impl std::error::Error for PatchError {}

/// What a strategic patch must know of a field.
#[derive(Clone, Copy, Default)]
struct FieldPatch {
    /// Type of what the field holds, lists and maps looked through.
    type_name: &'static str,
    /// Lists merged by this key, or as a set when it is empty.
    merge_key: Option<&'static str>,
    /// Keys that the patch does not name are dropped.
    retain_keys: bool,
}

fn field_patch(type_name: &str, field: &str) -> FieldPatch {
    let Some(field) = field_of(type_name, field) else { return FieldPatch::default() };
    let PatchStrategy { merge_key, retain_keys, .. } = field.patch;
    FieldPatch { type_name: field.kind.struct_name().unwrap_or(""), merge_key, retain_keys }
}

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// The items of a list in the order of another list: those that it names follow it, the others keep their places
/// relative to `server` as well as they can.
///
/// Follows kubernetes apimachinery pkg/util/strategicpatch normalizeElementOrder, v1.36.
fn reorder(items: Vec<Value>, order: &[Value], server: &[Value], key: &str) -> Vec<Value> {
    let position = |list: &[Value], item: &Value| list.iter().position(|other| same(other, item, key));
    let (mut named, mut others): (Vec<Value>, Vec<Value>) =
        items.into_iter().partition(|item| position(order, item).is_some());
    named.order_by_key(|item| position(order, item));
    others.order_by_key(|item| position(server, item));
    let (mut left, mut right) = (others.into_iter().peekable(), named.into_iter().peekable());
    let mut merged = Vec::new();
    loop {
        let takes_left = match (left.peek(), right.peek()) {
            (None, None) => return merged,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(l), Some(r)) => match (position(server, l), position(server, r)) {
                (Some(l), Some(r)) => l < r,
                _ => false,
            },
        };
        merged.extend(if takes_left { left.next() } else { right.next() });
    }
}

/// Whether two items of a merged list are the same one: equal keys or, for scalars, equal values.
fn same(a: &Value, b: &Value, key: &str) -> bool {
    if key.is_empty() { a == b } else { a.get(key).is_some_and(|value| b.get(key) == Some(value)) }
}

fn is_object(value: &Value) -> bool {
    matches!(value, Value::Object(_))
}

type Object = Map<String, Value>;
