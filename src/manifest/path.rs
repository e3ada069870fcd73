//! Field paths: as segments, and in Kubernetes' own notation.

use serde::Serialize;
use std::fmt;

/// One step into a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum PathSegment {
    /// An entry of a mapping.
    Key(String),
    /// An item of a list, from 0.
    Index(usize),
}

impl From<&str> for PathSegment {
    fn from(key: &str) -> Self {
        PathSegment::Key(key.to_owned())
    }
}

impl From<String> for PathSegment {
    fn from(key: String) -> Self {
        PathSegment::Key(key)
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> Self {
        PathSegment::Index(index)
    }
}

/// Reads the notation of Kubernetes' messages: `spec.template.spec.containers[0].image`,
/// `metadata.labels[foo.bar/x]`, `items[3]`. A bracket with digits is an index here; [`Document::locate`](
/// super::Document::locate) also takes it as a key where the value is a mapping. Never fails: an unclosed bracket
/// reaches to the end.
pub fn parse_path(path: &str) -> Vec<PathSegment> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (name, after) = split_bracket(inner);
            segments.push(match name.parse() {
                Ok(index) if name.bytes().all(|byte| byte.is_ascii_digit()) => PathSegment::Index(index),
                _ => PathSegment::Key(unquote(name).to_owned()),
            });
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if !name.is_empty() {
                segments.push(PathSegment::Key(name.to_owned()));
            }
            rest = after.strip_prefix('.').unwrap_or(after);
        }
    }
    segments
}

/// What stands in the bracket, and what follows it. Keys may hold brackets only when these are balanced.
fn split_bracket(inner: &str) -> (&str, &str) {
    let mut depth = 0usize;
    for (at, character) in inner.char_indices() {
        match character {
            '[' => depth = depth.saturating_add(1),
            ']' if depth == 0 => {
                let (name, after) = inner.split_at(at);
                return (name, after.strip_prefix(']').unwrap_or(after));
            }
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (inner, "")
}

fn unquote(name: &str) -> &str {
    name.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(name)
}

/// A path in Kubernetes' notation; keys that hold dots, slashes or brackets go into brackets.
pub struct DisplayPath<'a>(pub &'a [PathSegment]);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for segment in self.0 {
            match segment {
                PathSegment::Index(index) => write!(f, "[{index}]")?,
                PathSegment::Key(key) if key.contains(['.', '/', '[', ']']) || key.is_empty() => write!(f, "[{key}]")?,
                PathSegment::Key(key) if first => write!(f, "{key}")?,
                PathSegment::Key(key) => write!(f, ".{key}")?,
            }
            first = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_kubernetes_notation() {
        for (text, expected) in [
            ("", vec![]),
            ("spec.replicas", vec!["spec".into(), "replicas".into()]),
            (
                "spec.template.spec.containers[0].image",
                vec![
                    "spec".into(),
                    "template".into(),
                    "spec".into(),
                    "containers".into(),
                    0usize.into(),
                    "image".into(),
                ],
            ),
            ("metadata.labels[foo.bar/x]", vec!["metadata".into(), "labels".into(), "foo.bar/x".into()]),
            ("items[10].metadata", vec!["items".into(), 10usize.into(), "metadata".into()]),
        ] {
            let segments: Vec<PathSegment> = expected;
            assert_eq!(parse_path(text), segments, "{text}");
            assert_eq!(DisplayPath(&segments).to_string(), text);
        }
        assert_eq!(parse_path("a[b"), vec!["a".into(), PathSegment::from("b")]);
        assert_eq!(parse_path("limits[\"a.b\"]"), vec!["limits".into(), PathSegment::from("a.b")]);
    }
}
