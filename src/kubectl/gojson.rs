//! JSON as Go writes it: keys sorted, `<`, `>` and `&` escaped.

use serde_json::Value;
use std::fmt::Write;

/// On one line, without spaces.
pub(crate) fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None, 0);
    out
}

/// Indented by four spaces, as `-o json` prints.
pub(crate) fn indented(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Some("    "), 0);
    out
}

fn write(out: &mut String, value: &Value, indent: Option<&str>, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        if let Some(indent) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(indent, depth));
        }
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            for (index, (key, member)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                text(out, key);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(out, member, indent, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                write(out, item, indent, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        Value::String(string) => text(out, string),
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
    }
}

fn text(out: &mut String, string: &str) {
    out.push('"');
    for c in string.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                // Writing to a String never fails.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// A value as Go's `fmt` prints it: `map[a:1 b:[x y]]`.
pub(crate) fn go_print(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(string) => string.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(go_print).collect::<Vec<_>>().join(" "))
        }
        Value::Object(map) => {
            let members: Vec<String> = map.iter().map(|(key, member)| format!("{key}:{}", go_print(member))).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}

/// A value as Go's `%#v` prints it.
pub(crate) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::String(string) => format!("{string:?}"),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().map(|(key, member)| format!("{key:?}:{}", go_syntax(member))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        other => go_print(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn go_escapes_html_and_sorts_keys() {
        let value = json!({"b": [1, "a<b&c>\n"], "a": {}, "c": []});
        assert_eq!(compact(&value), r#"{"a":{},"b":[1,"a\u003cb\u0026c\u003e\n"],"c":[]}"#);
        assert_eq!(indented(&json!({"a": [true]})), "{\n    \"a\": [\n        true\n    ]\n}");
        assert_eq!(go_print(&json!([{"key": "x", "effect": null}])), "[map[effect:<nil> key:x]]");
    }
}
