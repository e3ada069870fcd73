//! JSONPath templates, as kubectl has them.
//!
//! Follows kubernetes client-go util/jsonpath, v1.36.

mod parser;

use crate::kubectl::error::{CliError, Result};
use crate::kubectl::gojson;
use crate::objects::Quantity;
use parser::Parser;
use serde_json::Value;

/// A parsed template.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Path(Vec<Node>),
    Range(Vec<Node>, Vec<Part>),
}

#[derive(Clone, Debug)]
enum Node {
    Root,
    Field(String),
    /// From, to, step; a single index has no end and no step.
    Slice(Option<i64>, Option<i64>, Option<i64>),
    Index(i64),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
    Filter(Box<Operand>, String, Box<Operand>),
    Literal(Value),
}

#[derive(Clone, Debug)]
enum Operand {
    Path(Vec<Node>),
    Literal(Value),
}

/// Nesting that nobody writes by hand.
const MAX_DEPTH: usize = 32;

impl JsonPath {
    /// Reads a template: text with `{…}`.
    ///
    /// # Errors
    /// The parser's own words.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser { rest: text, depth: 0, open_range: false };
        let parts =
            parser.parts(false).map_err(|why| CliError::message(format!("error parsing jsonpath {text}, {why}")))?;
        Ok(Self { text: text.into(), parts })
    }

    /// Reads the path of a column or of `--sort-by`: braces and the first dot may be left out.
    ///
    /// # Errors
    /// The parser's own words.
    pub fn parse_relaxed(text: &str) -> Result<Self> {
        let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
        let inner = inner.strip_prefix('.').unwrap_or(inner);
        if inner.is_empty() || inner.contains(['{', '}']) {
            return Err(CliError::message(
                "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
            ));
        }
        Self::parse(&format!("{{.{inner}}}"))
    }

    /// The template as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Everything that the paths of the template find.
    ///
    /// # Errors
    /// An index beyond the end of a list.
    pub fn find_all<'v>(&'v self, root: &'v Value) -> Result<Vec<&'v Value>> {
        let mut found = Vec::new();
        for part in &self.parts {
            if let Part::Path(nodes) = part {
                found.extend(evaluate(nodes, vec![root], root).map_err(|why| self.failed(&why, root))?);
            }
        }
        Ok(found)
    }

    /// The text that the template makes of a value.
    ///
    /// # Errors
    /// An index beyond the end of a list.
    pub fn print(&self, root: &Value) -> Result<String> {
        let mut out = String::new();
        print_parts(&self.parts, root, root, &mut out).map_err(|why| self.failed(&why, root))?;
        Ok(out)
    }

    fn failed(&self, why: &str, root: &Value) -> CliError {
        CliError::message(format!(
            "error executing jsonpath {:?}: Error executing template: {why}. Printing more information for debugging the \
             template:\n\ttemplate was:\n\t\t{}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n\n",
            self.text,
            self.text,
            gojson::go_syntax(root)
        ))
    }
}

fn print_parts(parts: &[Part], here: &Value, root: &Value, out: &mut String) -> std::result::Result<(), String> {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Path(nodes) => {
                let found = evaluate(nodes, vec![here], root)?;
                let texts: Vec<String> = found.into_iter().map(shown).collect();
                out.push_str(&texts.join(" "));
            }
            Part::Range(nodes, body) => {
                for item in evaluate(nodes, vec![here], root)? {
                    print_parts(body, item, root, out)?;
                }
            }
        }
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) => gojson::compact(value),
        Value::Null => "null".into(),
        other => gojson::go_print(other),
    }
}

fn evaluate<'v>(
    nodes: &'v [Node],
    start: Vec<&'v Value>,
    root: &'v Value,
) -> std::result::Result<Vec<&'v Value>, String> {
    let mut values = start;
    for node in nodes {
        let mut next: Vec<&'v Value> = Vec::new();
        match node {
            Node::Root => next.push(root),
            Node::Literal(value) => next.push(value),
            Node::Field(name) => next.extend(values.iter().filter_map(|value| value.as_object()?.get(name))),
            Node::Index(index) => {
                for items in values.iter().filter_map(|value| value.as_array()) {
                    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                    let at = if *index < 0 { length.saturating_add(*index) } else { *index };
                    let item = usize::try_from(at).ok().and_then(|at| items.get(at));
                    let problem = || format!("array index out of bounds: index {at}, length {length}");
                    next.push(item.ok_or_else(problem)?);
                }
            }
            Node::Slice(from, to, step) => {
                for items in values.iter().filter_map(|value| value.as_array()) {
                    next.extend(slice(items, *from, *to, *step)?);
                }
            }
            Node::Wildcard => {
                for value in values {
                    match value {
                        Value::Array(items) => next.extend(items),
                        Value::Object(map) => next.extend(map.values()),
                        _ => {}
                    }
                }
            }
            Node::Recursive => values.into_iter().for_each(|value| descend(value, &mut next)),
            Node::Union(paths) => {
                for path in paths {
                    next.extend(evaluate(path, values.clone(), root)?);
                }
            }
            Node::Filter(left, operator, right) => {
                for items in values.iter().filter_map(|value| value.as_array()) {
                    for item in items {
                        if holds(item, left, operator, right, root)? {
                            next.push(item);
                        }
                    }
                }
            }
        }
        values = next;
    }
    Ok(values)
}

fn slice(
    items: &[Value],
    from: Option<i64>,
    to: Option<i64>,
    step: Option<i64>,
) -> std::result::Result<Vec<&Value>, String> {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let absolute = |index: i64| if index < 0 { length.saturating_add(index) } else { index };
    let (from, to, step) = (absolute(from.unwrap_or(0)), absolute(to.unwrap_or(length)).min(length), step.unwrap_or(1));
    if from == to {
        return Ok(Vec::new());
    }
    if from < 0 || from >= length.max(1) {
        return Err(format!("array index out of bounds: index {from}, length {length}"));
    }
    if to < from {
        return Err(format!("starting index {from} is greater than ending index {to}"));
    }
    if step < 1 {
        return Err("step must be > 0".into());
    }
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    let range = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
    Ok(items.get(range).unwrap_or_default().iter().step_by(step).collect())
}

/// The value and all below it that have anything below.
fn descend<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            found.push(value);
            map.values().for_each(|value| descend(value, found));
        }
        Value::Array(items) if !items.is_empty() => {
            found.push(value);
            items.iter().for_each(|value| descend(value, found));
        }
        _ => {}
    }
}

fn holds(
    item: &Value,
    left: &Operand,
    operator: &str,
    right: &Operand,
    root: &Value,
) -> std::result::Result<bool, String> {
    let value_of = |operand: &Operand| -> std::result::Result<Vec<Value>, String> {
        match operand {
            Operand::Literal(value) => Ok(vec![value.clone()]),
            Operand::Path(nodes) => Ok(evaluate(nodes, vec![item], root)?.into_iter().cloned().collect()),
        }
    };
    let left = value_of(left)?;
    if operator.is_empty() {
        return Ok(!left.is_empty());
    }
    let right = value_of(right)?;
    let (Some(left), Some(right)) = (left.first(), right.first()) else { return Ok(false) };
    let order = match (left, right) {
        (Value::Number(a), Value::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => return Ok(operator == "!="),
    };
    Ok(match operator {
        "==" => order.is_some_and(std::cmp::Ordering::is_eq),
        "!=" => order.is_none_or(std::cmp::Ordering::is_ne),
        "<" => order.is_some_and(std::cmp::Ordering::is_lt),
        ">" => order.is_some_and(std::cmp::Ordering::is_gt),
        "<=" => order.is_some_and(std::cmp::Ordering::is_le),
        _ => order.is_some_and(std::cmp::Ordering::is_ge),
    })
}

/// How `--sort-by` compares two values: numbers as numbers, texts as quantities where both are some, else naturally.
pub(crate) fn compare(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(std::cmp::Ordering::Equal)
        }
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => match (Quantity::parse(a), Quantity::parse(b)) {
            (Ok(a), Ok(b)) => a.nano_value().cmp(&b.nano_value()),
            _ => crate::objects::natural_cmp(a, b),
        },
        _ => std::cmp::Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn print(template: &str) -> String {
        let value = json!({
            "kind": "List",
            "items": [
                {"metadata": {"name": "a", "labels": {"app.io/x": "1"}}, "n": 1, "t": [{"k": "x", "v": 5}, {"k": "y", "v": 6}]},
                {"metadata": {"name": "b"}, "n": 2, "t": []},
            ],
        });
        match JsonPath::parse(template).and_then(|path| path.print(&value)) {
            Ok(text) => text,
            Err(error) => error.render().0,
        }
    }

    #[test]
    fn templates_print_what_they_find() {
        for (template, text) in [
            ("{.kind}", "List"),
            ("{$.kind}-{.nope}.", "List-."),
            ("{.items[*].metadata.name}", "a b"),
            ("{.items[-1:].metadata.name}", "b"),
            ("{.items[0]['metadata']['name']}", "a"),
            ("{.items[0].metadata.labels.app\\.io/x}", "1"),
            ("{.items[?(@.n>1)].metadata.name}", "b"),
            ("{.items[*].t[?(@.k==\"y\")].v}", "6"),
            ("{.items[?(@.metadata.labels)].n}", "1"),
            ("{..name}", "a b"),
            ("{.items[0].t[0]}", "{\"k\":\"x\",\"v\":5}"),
            ("{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}", "a\t1\nb\t2\n"),
            ("{range .items[*]}{range .t[*]}{.k}{end};{end}", "xy;;"),
            ("{.items[0]['n','t']}", "1 [{\"k\":\"x\",\"v\":5},{\"k\":\"y\",\"v\":6}]"),
            ("{.items[0,1].n}", "1 2"),
            ("{.items[0].metadata.*}", "{\"app.io/x\":\"1\"} a"),
        ] {
            assert_eq!(print(template), text, "{template}");
        }
    }

    #[test]
    fn faults_are_kubectls() {
        assert_eq!(print("{.items"), "error: error parsing jsonpath {.items, unclosed action\n");
        assert!(print("{.items[7]}").starts_with(
            "error: error executing jsonpath \"{.items[7]}\": Error executing template: array index out of bounds: index 7, length 2."
        ));
        assert!(JsonPath::parse_relaxed("{}").is_err());
        assert!(JsonPath::parse_relaxed(".metadata.name").is_ok());
    }
}
