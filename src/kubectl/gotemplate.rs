//! Go templates (`-o go-template`): fields, `range`, `if`, `with`, variables, and the usual functions.
//!
//! Follows Go's text/template as kubectl uses it; numbers are floating point, as JSON gives them.

mod parser;

use super::error::{CliError, Result};
use super::gojson;
use serde_json::Value;

/// A parsed template.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
enum Node {
    Text(String),
    Print(Pipe),
    Set(String, Pipe),
    If(Pipe, Vec<Node>, Vec<Node>),
    With(Pipe, Vec<Node>, Vec<Node>),
    /// Names of the variables for index and value.
    Range(Vec<String>, Pipe, Vec<Node>, Vec<Node>),
}

/// Commands; each gets what the one before gives as its last argument.
#[derive(Clone, Debug)]
struct Pipe(Vec<Vec<Term>>);

#[derive(Clone, Debug)]
enum Term {
    /// `.a.b`, `$x.a`
    Path(Option<String>, Vec<String>),
    Word(String),
    Literal(Value),
    Group(Pipe, Vec<String>),
}

const MAX_DEPTH: usize = 40;
/// Output that no terminal wants.
const MAX_OUTPUT: usize = 4 << 20;

type Parsed<T> = std::result::Result<T, String>;

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// In kubectl's words.
    pub fn parse(text: &str) -> Result<Self> {
        let failed =
            |why: String| CliError::message(format!("error parsing template {text}, template: output:1: {why}"));
        Ok(Self { nodes: parser::parse(text).map_err(failed)? })
    }

    /// The text that the template makes of a value.
    ///
    /// # Errors
    /// A function that does not fit its arguments.
    pub fn print(&self, root: &Value) -> Result<String> {
        let mut run = Run { root, out: String::new(), variables: vec![("$".into(), root.clone())] };
        run.nodes(&self.nodes, root)
            .map_err(|why| CliError::message(format!("error executing template: template: output:1: {why}")))?;
        Ok(run.out)
    }
}

/// `None`: there is no such value.
type Found = Option<Value>;

struct Run<'v> {
    root: &'v Value,
    out: String,
    variables: Vec<(String, Value)>,
}

impl Run<'_> {
    fn nodes(&mut self, nodes: &[Node], dot: &Value) -> Parsed<()> {
        let scope = self.variables.len();
        for node in nodes {
            if self.out.len() > MAX_OUTPUT {
                return Err("the output is too long".into());
            }
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Print(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    self.out.push_str(&value.map_or_else(|| "<no value>".into(), |value| shown(&value)));
                }
                Node::Set(name, pipe) => {
                    let value = self.pipe(pipe, dot)?.unwrap_or(Value::Null);
                    self.variables.push((name.clone(), value));
                }
                Node::If(pipe, then, otherwise) => {
                    let value = self.pipe(pipe, dot)?;
                    self.nodes(if truth(value.as_ref()) { then } else { otherwise }, dot)?;
                }
                Node::With(pipe, then, otherwise) => {
                    let value = self.pipe(pipe, dot)?;
                    match value.filter(|value| truth(Some(value))) {
                        Some(value) => self.nodes(then, &value)?,
                        None => self.nodes(otherwise, dot)?,
                    }
                }
                Node::Range(names, pipe, body, otherwise) => {
                    let items: Vec<(Value, Value)> = match self.pipe(pipe, dot)? {
                        Some(Value::Array(items)) => {
                            items.into_iter().enumerate().map(|(at, item)| (Value::from(at), item)).collect()
                        }
                        Some(Value::Object(map)) => map.into_iter().map(|(key, value)| (key.into(), value)).collect(),
                        None | Some(Value::Null) => Vec::new(),
                        Some(other) => return Err(format!("range can't iterate over {}", shown(&other))),
                    };
                    if items.is_empty() {
                        self.nodes(otherwise, dot)?;
                    }
                    for (key, item) in items {
                        let depth = self.variables.len();
                        match names.as_slice() {
                            [value] => self.variables.push((value.clone(), item.clone())),
                            [index, value] => {
                                self.variables.push((index.clone(), key));
                                self.variables.push((value.clone(), item.clone()));
                            }
                            _ => {}
                        }
                        self.nodes(body, &item)?;
                        self.variables.truncate(depth);
                    }
                }
            }
        }
        self.variables.truncate(scope.max(1));
        Ok(())
    }

    fn pipe(&self, pipe: &Pipe, dot: &Value) -> Parsed<Found> {
        let mut given: Option<Found> = None;
        for command in &pipe.0 {
            given = Some(self.command(command, dot, given)?);
        }
        Ok(given.flatten())
    }

    fn command(&self, terms: &[Term], dot: &Value, piped: Option<Found>) -> Parsed<Found> {
        let Some((first, rest)) = terms.split_first() else { return Ok(None) };
        if let Term::Word(function) = first {
            let mut arguments: Vec<Found> = rest.iter().map(|term| self.term(term, dot)).collect::<Parsed<_>>()?;
            arguments.extend(piped);
            return call(function, &arguments);
        }
        if !rest.is_empty() {
            return Err("can't give argument to non-function".into());
        }
        self.term(first, dot)
    }

    fn term(&self, term: &Term, dot: &Value) -> Parsed<Found> {
        let (start, path) = match term {
            Term::Literal(value) => return Ok(Some(value.clone())),
            Term::Word(function) => return call(function, &[]),
            Term::Path(None, path) => (Some(dot.clone()), path),
            Term::Path(Some(name), path) => {
                let variable = self.variables.iter().rev().find(|(known, _)| known == name);
                let value =
                    variable.map(|(_, value)| value.clone()).or_else(|| (name == "$").then(|| self.root.clone()));
                (Some(value.ok_or_else(|| format!("undefined variable {name:?}"))?), path)
            }
            Term::Group(pipe, path) => (self.pipe(pipe, dot)?, path),
        };
        let mut value = start;
        for field in path {
            value = match value {
                Some(Value::Object(mut map)) => map.remove(field),
                None | Some(Value::Null) => None,
                Some(other) => {
                    let kind = if other.is_string() { "string" } else { "interface {}" };
                    return Err(format!("can't evaluate field {field} in type {kind}"));
                }
            };
        }
        Ok(value)
    }
}

fn truth(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".into(),
        Value::Number(number) => number.as_f64().map_or_else(String::new, go_float),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let members: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{}", shown(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        other => gojson::go_print(other),
    }
}

/// A number as Go's `%v`: with an exponent from 1e21 on for whole JSON numbers, and below 1e-4.
fn go_float(number: f64) -> String {
    let magnitude = number.abs();
    if number == 0.0 || (1e-4..1e21).contains(&magnitude) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

fn call(function: &str, arguments: &[Found]) -> Parsed<Found> {
    let value = |at: usize| arguments.get(at).cloned().flatten();
    let text = |at: usize| value(at).map_or_else(String::new, |value| shown(&value));
    let wrong = || format!("wrong number of args for {function}: want at least 1 got {}", arguments.len());
    let order = || -> Parsed<std::cmp::Ordering> {
        match (value(0), value(1)) {
            (Some(Value::Number(a)), Some(Value::Number(b))) => a
                .as_f64()
                .zip(b.as_f64())
                .and_then(|(a, b)| a.partial_cmp(&b))
                .ok_or_else(|| "incompatible types for comparison".into()),
            (Some(Value::String(a)), Some(Value::String(b))) => Ok(a.cmp(&b)),
            _ => Err(format!("error calling {function}: incompatible types for comparison")),
        }
    };
    let equal = |a: &Found, b: &Found| match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    };
    let first = arguments.first();
    Ok(Some(match function {
        "and" => {
            arguments.iter().find(|a| !truth(a.as_ref())).or(arguments.last()).cloned().flatten().unwrap_or(Value::Null)
        }
        "or" => {
            arguments.iter().find(|a| truth(a.as_ref())).or(arguments.last()).cloned().flatten().unwrap_or(Value::Null)
        }
        "not" => Value::Bool(!truth(first.ok_or_else(wrong)?.as_ref())),
        "eq" => {
            let first = first.ok_or_else(wrong)?;
            Value::Bool(arguments.iter().skip(1).any(|other| equal(first, other)))
        }
        "ne" => Value::Bool(!equal(&value(0), &value(1))),
        "lt" => Value::Bool(order()?.is_lt()),
        "le" => Value::Bool(order()?.is_le()),
        "gt" => Value::Bool(order()?.is_gt()),
        "ge" => Value::Bool(order()?.is_ge()),
        "len" => match value(0) {
            Some(Value::Array(items)) => items.len().into(),
            Some(Value::Object(map)) => map.len().into(),
            Some(Value::String(text)) => text.len().into(),
            _ => return Err("error calling len: len of nil pointer".into()),
        },
        "index" | "exists" => {
            let mut found = value(0);
            for at in 1..arguments.len() {
                found = match (found, value(at)) {
                    (Some(Value::Array(items)), Some(Value::Number(index))) => {
                        let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                        let item = index.and_then(|index| items.get(index).cloned());
                        if item.is_none() && function == "index" {
                            return Err("error calling index: reflect: slice index out of range".into());
                        }
                        item
                    }
                    (Some(Value::Object(map)), Some(Value::String(key))) => map.get(&key).cloned(),
                    _ if function == "exists" => None,
                    _ => return Err("error calling index: index of untyped nil".into()),
                };
            }
            if function == "exists" {
                return Ok(Some(Value::Bool(found.is_some())));
            }
            return Ok(found);
        }
        "slice" => match value(0) {
            Some(Value::String(text)) => {
                let bound = |at: usize, default: usize| {
                    value(at).and_then(|v| v.as_u64()).and_then(|n| usize::try_from(n).ok()).unwrap_or(default)
                };
                text.get(bound(1, 0)..bound(2, text.len())).unwrap_or("").into()
            }
            _ => return Err("error calling slice: can't slice item".into()),
        },
        "print" => (0..arguments.len()).map(text).collect::<Vec<_>>().join(" ").into(),
        "println" => ((0..arguments.len()).map(text).collect::<Vec<_>>().join(" ") + "\n").into(),
        "printf" => printf(arguments).into(),
        "base64decode" => return Err("base64decode is not in this playground".into()),
        _ => text(0).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;").into(),
    }))
}

/// `%s`, `%v`, `%d`, `%q`, `%t`, `%f`, with width and `-`.
fn printf(arguments: &[Found]) -> String {
    let Some(Some(Value::String(format))) = arguments.first() else { return String::new() };
    let mut rest = arguments.iter().skip(1);
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || "-+.# ".contains(*c)) {
            spec.push(c);
        }
        let verb = chars.next().unwrap_or('%');
        if verb == '%' {
            out.push('%');
            continue;
        }
        let value = match rest.next() {
            Some(Some(value)) => value.clone(),
            Some(None) => Value::Null,
            None => {
                out.push_str(&format!("%!{verb}(MISSING)"));
                continue;
            }
        };
        let text = match (verb, &value) {
            ('q', Value::String(text)) => format!("{text:?}"),
            ('d', Value::Number(number)) if number.is_f64() => format!("%!d(float64={})", shown(&value)),
            ('f', Value::Number(number)) => {
                let digits = spec.split_once('.').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(6usize).min(20);
                format!("{:.digits$}", number.as_f64().unwrap_or(0.0))
            }
            (_, Value::Null) => format!("%!{verb}(<nil>)"),
            _ => shown(&value),
        };
        let width: usize = spec
            .trim_start_matches(['-', '+', '0', '#', ' '])
            .split('.')
            .next()
            .and_then(|w| w.parse().ok())
            .unwrap_or(0);
        let zeros = spec.starts_with('0') && value.is_number();
        let padding = if zeros { "0" } else { " " }.repeat(width.min(1000).saturating_sub(text.chars().count()));
        if spec.starts_with('-') {
            out.push_str(&text);
            out.push_str(&padding);
        } else {
            out.push_str(&padding);
            out.push_str(&text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn print(template: &str) -> String {
        let value = json!({"items": [{"name": "a", "n": 2}, {"name": "b"}], "x": {"y": "z"}, "t": true});
        match Template::parse(template).and_then(|template| template.print(&value)) {
            Ok(text) => text,
            Err(error) => error.render().0,
        }
    }

    #[test]
    fn templates_print_what_they_say() {
        for (template, text) in [
            ("{{.x.y}}", "z"),
            ("{{range .items}}{{.name}}{{\"\\n\"}}{{end}}", "a\nb\n"),
            ("{{range $i, $e := .items}}{{$i}}={{$e.name}} {{end}}", "0=a 1=b "),
            ("{{range .items}}{{if .n}}{{.n}}{{else}}none{{end}},{{end}}", "2,none,"),
            ("{{with .x}}{{.y}}{{end}}{{with .nope}}no{{else}}yes{{end}}", "zyes"),
            ("{{.nope}}", "<no value>"),
            ("{{len .items}} {{index .items 1 \"name\"}}", "2 b"),
            ("{{if and .t (eq .x.y \"z\")}}ok{{end}}", "ok"),
            ("{{printf \"%-4s|%3d|%q\" .x.y 7 .x.y}}", "z   |  7|\"z\""),
            ("{{.x.y | printf \"<%s>\"}}", "<z>"),
            ("a {{- .x.y -}} b", "azb"),
            ("{{$n := .x.y}}{{$n}}{{$.t}}", "ztrue"),
            ("{{if false}}1{{else if .t}}2{{else}}3{{end}}", "2"),
            ("{{.x}}", "map[y:z]"),
        ] {
            assert_eq!(print(template), text, "{template}");
        }
        assert!(print("{{.x").contains("unclosed action"));
        assert!(print("{{range .items}}").contains("unexpected EOF"));
        assert!(print("{{nope .x}}").contains("function \"nope\" not defined"));
    }
}
