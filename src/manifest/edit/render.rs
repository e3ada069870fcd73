//! New values as text, in the notation of what stands around them.

use super::super::emit::to_yaml;
use super::super::source::quoted;
use serde_json::Value;

/// In which notation a new value has to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// YAML, where indentation counts; how far lists are indented under their key (0 or 2, the document's habit).
    Block {
        list_offset: usize,
    },
    /// YAML inside brackets.
    Flow,
    Json,
}

/// A value on one line.
pub(super) fn inline(value: &Value, notation: Notation) -> String {
    match (value, notation) {
        (_, Notation::Json) => value.to_string(),
        (Value::Array(items), _) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, Notation::Flow)).collect();
            format!("[{}]", items.join(", "))
        }
        (Value::Object(entries), _) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key_text(key, Notation::Flow), inline(value, Notation::Flow)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        (Value::String(text), _) => string_text(text, notation),
        _ => to_yaml(value).trim_end().to_owned(),
    }
}

/// A key.
pub(super) fn key_text(key: &str, notation: Notation) -> String {
    if notation == Notation::Json {
        return Value::from(key).to_string();
    }
    if key.is_empty() || key == "<<" { quoted(key) } else { string_text(key, notation) }
}

fn string_text(text: &str, notation: Notation) -> String {
    let written = to_yaml(&Value::from(text));
    let written = written.trim_end_matches('\n');
    let breaks_flow = notation == Notation::Flow && text.contains(['[', ']', '{', '}', ',', '?', ':', '#']);
    let is_quoted = written.starts_with(['"', '\'']);
    if written.contains('\n') || (breaks_flow && !is_quoted) { quoted(text) } else { written.to_owned() }
}

/// The lines of a collection that is not empty, each with its indentation but the first, for a mapping or list that
/// begins at `column`.
pub(super) fn block(value: &Value, column: usize, list_offset: usize) -> Vec<String> {
    let mut lines = Vec::new();
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = key_text(key, Notation::Block { list_offset });
                match nested_column(value, column, list_offset) {
                    Some(nested) => {
                        lines.push(format!("{}{key}:", " ".repeat(column)));
                        lines.extend(block(value, nested, list_offset));
                    }
                    None => {
                        let value = inline(value, Notation::Block { list_offset });
                        lines.push(format!("{}{key}: {value}", " ".repeat(column)));
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                lines.extend(list_item(item, column, list_offset));
            }
        }
        _ => lines.push(format!("{}{}", " ".repeat(column), inline(value, Notation::Block { list_offset }))),
    }
    lines
}

/// The lines of a list item whose dash stands at `column`.
pub(super) fn list_item(item: &Value, column: usize, list_offset: usize) -> Vec<String> {
    let indent = " ".repeat(column);
    if !is_block(item) {
        return vec![format!("{indent}- {}", inline(item, Notation::Block { list_offset }))];
    }
    let inner = column.saturating_add(2);
    let mut lines = block(item, inner, list_offset);
    if let Some(first) = lines.first_mut() {
        *first = format!("{indent}- {}", first.get(inner..).unwrap_or(""));
    }
    lines
}

/// Whether a value takes lines of its own.
pub(super) fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(entries) => !entries.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// The column of a collection under a key at `column`; None for what stays on the key's line.
pub(super) fn nested_column(value: &Value, column: usize, list_offset: usize) -> Option<usize> {
    match value {
        Value::Object(entries) if !entries.is_empty() => Some(column.saturating_add(2)),
        Value::Array(items) if !items.is_empty() => Some(column.saturating_add(list_offset)),
        _ => None,
    }
}
