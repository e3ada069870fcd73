//! `-o kyaml`: YAML in flow style, every text in quotes.
//!
//! Follows the KYAML proposal (kubernetes/enhancements 5295).

use crate::kubectl::gojson;
use serde_json::Value;

/// A document.
pub(crate) fn to_kyaml(tree: &Value) -> String {
    let mut out = String::from("---\n");
    write(tree, 0, &mut out);
    out.push('\n');
    out
}

fn write(tree: &Value, level: usize, out: &mut String) {
    let indent = |level: usize| "  ".repeat(level);
    match tree {
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            out.push_str("{\n");
            for (key, value) in members {
                *out += &format!("{}{}: ", indent(level + 1), name(key));
                write(value, level + 1, out);
                out.push_str(",\n");
            }
            *out += &format!("{}}}", indent(level));
        }
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        // The brackets of lists and of what they hold stand together.
        Value::Array(items) if items.iter().all(|item| item.is_object() || item.is_array()) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(item, level, out);
            }
            out.push(']');
        }
        Value::Array(items) => {
            out.push_str("[\n");
            for item in items {
                out.push_str(&indent(level + 1));
                write(item, level + 1, out);
                out.push_str(",\n");
            }
            *out += &format!("{}]", indent(level));
        }
        other => out.push_str(&gojson::compact(other)),
    }
}

/// A key, in quotes where YAML could take it for something else than a text.
fn name(key: &str) -> String {
    let ordinary = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let begins = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && key.chars().all(ordinary) && !words.contains(&key.to_ascii_lowercase().as_str()) {
        return key.to_owned();
    }
    gojson::compact(&Value::String(key.to_owned()))
}
