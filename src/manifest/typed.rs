//! A text to a value of the program: YAML or JSON is read into a tree, and the type is made of the tree.
//! Types are only ever made of trees, so that their readers are compiled for one kind of input.

use super::compose::{ComposeError, Composed, compose};
use super::decode::decode_by;
use super::document::{Document, Format};
use super::explain::{Broken, explain};
use super::failure::Failure;
use super::limits::Limits;
use super::path::PathSegment;
use super::position::{LineIndex, Position};
use super::scalar::Schema;
use crate::order::Collect;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Why a text is no value of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedError {
    /// What is wrong.
    pub message: String,
    /// Where, if it can be told.
    pub place: Option<Position>,
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            Some(place) => write!(f, " at line {} column {}", place.line, place.column),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TypedError {}

/// Reads a value from a text of one YAML or JSON document; a text without content is `null`.
///
/// # Errors
/// Where the text cannot be read, holds more than one document, or is not of the type.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, TypedError> {
    let mut made = None;
    check(text, &mut |tree| match serde_json::from_value(tree) {
        Ok(value) => {
            made = Some(value);
            None
        }
        Err(error) => Some(error.to_string()),
    })?;
    made.ok_or_else(|| TypedError { message: String::new(), place: None })
}

/// What [`from_text`] does, whatever the type; `make` says what is wrong with a tree.
fn check(text: &str, make: &mut dyn FnMut(Value) -> Option<String>) -> Result<(), TypedError> {
    let limits = Limits::for_dump();
    let lines = Arc::new(LineIndex::new(text));
    let position = |offset| lines.span(offset, offset).start;
    let failed = |failure: Failure| {
        let place = Some(position(failure.start));
        TypedError { message: failure.fact.to_string(), place }
    };
    let composed = compose(text, 0, text.len(), &limits).map_err(|error| match error {
        ComposeError::Other(failure) => failed(*failure),
        ComposeError::Yaml(error) => {
            failed(explain(Broken { text, start: 0, end: text.len(), limits: &limits, fixes: false }, &error))
        }
    })?;
    if let Some(second) = composed.ignored_from {
        return Err(TypedError { message: "there is more than one document".into(), place: Some(position(second)) });
    }
    let Composed { tree, root: Some(root), .. } = composed else {
        return make(Value::Null).map_or(Ok(()), |message| Err(TypedError { message, place: None }));
    };
    let value = decode_by(&tree, root, &limits, Schema::Core).map_err(|(failure, _)| failed(*failure))?.value;
    let Some(message) = make(value.clone()) else { return Ok(()) };
    let path = culprit(&value, &mut |tree| make(tree).as_ref() == Some(&message));
    let mut document = Document::new(0, lines.span(0, text.len()), Format::Yaml, Arc::clone(&lines));
    document.set_content(value, tree, root);
    let place = document.locate(&path).map(|place| place.key.unwrap_or(place.value).start);
    Err(TypedError { message, place })
}

/// Where in a tree the fault is: the innermost part that has it even when nothing stands beside it.
fn culprit(tree: &Value, faulty: &mut dyn FnMut(Value) -> bool) -> Vec<PathSegment> {
    let around = |segment: &PathSegment, inner: Value| match segment {
        PathSegment::Key(key) => Value::Object([(key.clone(), inner)].into_iter().collect_object()),
        PathSegment::Index(_) => Value::Array(vec![inner]),
    };
    let mut parts: Vec<(PathSegment, &Value)> = match tree {
        Value::Object(members) => members.iter().map(|(key, value)| (key.as_str().into(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (PathSegment::Index(index), value)).collect()
        }
        _ => Vec::new(),
    };
    let empty = if tree.is_object() { Value::Object(Default::default()) } else { Value::Array(Vec::new()) };
    if parts.is_empty() || faulty(empty) {
        return Vec::new();
    }
    let found = parts.iter().position(|(segment, value)| faulty(around(segment, (*value).clone())));
    let Some((segment, value)) = found.map(|index| parts.swap_remove(index)) else { return Vec::new() };
    let mut path = culprit(value, &mut |inner| faulty(around(&segment, inner)));
    path.insert(0, segment);
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Item {
        name: String,
        #[serde(default)]
        count: u32,
    }

    fn fault(text: &str) -> (String, Option<(usize, usize)>) {
        let error = from_text::<BTreeMap<String, Vec<Item>>>(text).unwrap_err();
        (error.message, error.place.map(|place| (place.line, place.column)))
    }

    #[test]
    fn yaml_and_json_are_read_alike() {
        let item = Item { name: "a".into(), count: 2 };
        assert_eq!(from_text::<Item>("name: a\ncount: 2\n"), Ok(item));
        assert_eq!(from_text::<Item>(r#"{"name": "a", "count": 2}"#).unwrap().count, 2);
        assert_eq!(from_text::<Vec<Item>>("[{name: a}]").unwrap().len(), 1);
        assert_eq!(from_text::<Vec<Item>>("[]"), Ok(Vec::new()));
        assert_eq!(from_text::<Option<Item>>("# nothing\n"), Ok(None));
    }

    #[test]
    fn words_and_numbers_are_what_yaml_1_2_takes_them_for() {
        let text = "[n, Off, y, true, 007, 1_000, 7, 0x10, 0.5, 1e3, ~, 18446744073709551615]";
        let expected = serde_json::json!([
            "n",
            "Off",
            "y",
            true,
            "007",
            "1_000",
            7,
            16,
            0.5,
            1000,
            null,
            18_446_744_073_709_551_615_u64
        ]);
        assert_eq!(from_text::<Value>(text), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_found_in_the_text() {
        let wrong_type = "a:\n- name: x\n- name: y\n  count: many\nb: []\n";
        assert_eq!(fault(wrong_type), ("invalid type: string \"many\", expected u32".into(), Some((4, 3))));
        assert_eq!(fault("a:\n- name: x\n- count: 1\n"), ("missing field `name`".into(), Some((3, 3))));
        let (message, place) = fault("a:\n- name: x\n  nam: y\n");
        assert!(message.starts_with("unknown field `nam`"), "{message}");
        assert_eq!(place, Some((3, 3)));
        assert_eq!(fault("a: [\n").1, Some((2, 1)));
        assert_eq!(fault("a: []\n---\nb: []\n"), ("there is more than one document".into(), Some((2, 1))));
        let error = from_text::<Item>("name: a\ncount: -1\n").unwrap_err();
        assert!(error.to_string().ends_with("at line 2 column 1"), "{error}");
    }
}
