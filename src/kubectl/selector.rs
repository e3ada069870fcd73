//! Label selectors (`-l`) and field selectors (`--field-selector`).

use crate::apiserver::validation::names;
use crate::objects::{LabelSelectorRequirement, NodeSelectorRequirement};
use crate::order::Order;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What `-l` asks for: all of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: &'static str,
    values: Vec<String>,
}

impl Selector {
    /// Whether the labels satisfy it.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|r| {
            let value = labels.get(&r.key).map(String::as_str);
            match r.operator {
                "Gt" | "Lt" => NodeSelectorRequirement {
                    key: r.key.clone(),
                    operator: r.operator.into(),
                    values: r.values.clone(),
                    ..NodeSelectorRequirement::default()
                }
                .matches(value),
                operator => LabelSelectorRequirement {
                    key: r.key.clone(),
                    operator: operator.into(),
                    values: r.values.clone(),
                    ..LabelSelectorRequirement::default()
                }
                .matches(value),
            }
        })
    }

    /// Reads a selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, joined by commas.
    ///
    /// Follows kubernetes apimachinery pkg/labels Parse, v1.36.
    ///
    /// # Errors
    /// The parser's own words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: lex(text), at: 0 };
        parser.selector().map(|requirements| Self { requirements })
    }

    /// The same as the `LabelSelector` of an object.
    pub(crate) fn to_label_selector(&self) -> Value {
        let (mut labels, mut expressions) = (Map::new(), Vec::new());
        for Requirement { key, operator, values } in &self.requirements {
            match (*operator, values.as_slice()) {
                ("In", [value]) => drop(labels.insert(key.clone(), value.as_str().into())),
                (operator, []) => expressions.push(json!({"key": key, "operator": operator})),
                (operator, values) => expressions.push(json!({"key": key, "operator": operator, "values": values})),
            }
        }
        let mut selector = Map::new();
        if !labels.is_empty() {
            selector.insert("matchLabels".into(), labels.into());
        }
        if !expressions.is_empty() {
            selector.insert("matchExpressions".into(), expressions.into());
        }
        selector.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
    End,
}

fn lex(text: &str) -> Vec<Token> {
    const SIGNS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", "<", ">"];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Token::Sign(sign));
            rest = rest.get(sign.len()..).unwrap_or("").trim_start();
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=!(),<>".contains(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens.push(Token::Word(word.into()));
        rest = tail.trim_start();
    }
    tokens
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        if self.peek() == Token::End {
            return Ok(requirements);
        }
        loop {
            match self.peek() {
                Token::Word(_) | Token::Sign("!") => {
                    requirements.push(self.requirement().map_err(|why| format!("unable to parse requirement: {why}"))?)
                }
                token => return Err(format!("found '{}', expected: !, identifier, or 'end of string'", shown(&token))),
            }
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Sign(",") => match self.peek() {
                    Token::Word(_) | Token::Sign("!") => {}
                    token => return Err(format!("found '{}', expected: identifier after ','", shown(&token))),
                },
                token => return Err(format!("found '{}', expected: ',' or 'end of string'", shown(&token))),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.peek() == Token::Sign("!");
        if absent {
            self.next();
        }
        let key = match self.next() {
            Token::Word(word) => word,
            token => return Err(format!("found '{}', expected: identifier", shown(&token))),
        };
        check_key(&key)?;
        let make = |operator, values| Requirement { key: key.clone(), operator, values };
        if absent {
            return Ok(make("DoesNotExist", Vec::new()));
        }
        let operator = match self.peek() {
            Token::End | Token::Sign(",") => return Ok(make("Exists", Vec::new())),
            Token::Sign("=" | "==") => "In",
            Token::Sign("!=") => "NotIn",
            Token::Sign(">") => "Gt",
            Token::Sign("<") => "Lt",
            Token::Word(word) if word == "in" || word == "notin" => {
                self.next();
                let values = self.set()?;
                return Ok(make(if word == "in" { "In" } else { "NotIn" }, values));
            }
            token => {
                let operators = "in, notin, =, ==, !=, gt, lt";
                return Err(format!("found '{}', expected: {operators}", shown(&token)));
            }
        };
        self.next();
        let value = match self.peek() {
            Token::End | Token::Sign(",") => String::new(),
            Token::Word(word) => {
                self.next();
                word
            }
            token => return Err(format!("found '{}', expected: identifier", shown(&token))),
        };
        check_value(&key, &value)?;
        if matches!(operator, "Gt" | "Lt") && value.parse::<i64>().is_err() {
            let why = "for 'Gt', 'Lt' operators, the value must be an integer";
            return Err(format!("values[0][{key}]: Invalid value: {value:?}: {why}"));
        }
        Ok(make(operator, vec![value]))
    }

    /// `(a,b)`; an empty place counts as an empty value.
    fn set(&mut self) -> Result<Vec<String>, String> {
        match self.next() {
            Token::Sign("(") => {}
            token => return Err(format!("found '{}' expected: '('", shown(&token))),
        }
        let mut values = Vec::new();
        let mut expects_value = true;
        loop {
            match self.next() {
                Token::Word(word) => {
                    values.push(word);
                    expects_value = false;
                }
                Token::Sign(",") => {
                    if expects_value {
                        values.push(String::new());
                    }
                    expects_value = true;
                }
                Token::Sign(")") => {
                    if expects_value {
                        values.push(String::new());
                    }
                    values.order();
                    values.dedup();
                    return Ok(values);
                }
                token => return Err(format!("found '{}', expected: ',', or ')'", shown(&token))),
            }
        }
    }
}

fn shown(token: &Token) -> &str {
    match token {
        Token::Word(word) => word,
        Token::Sign(sign) => sign,
        Token::End => "",
    }
}

fn check_key(key: &str) -> Result<(), String> {
    refuse("key", key, &names::qualified_name(key))
}

fn check_value(key: &str, value: &str) -> Result<(), String> {
    refuse(&format!("values[0][{key}]"), value, &names::label_value(value))
}

fn refuse(field: &str, text: &str, faults: &[String]) -> Result<(), String> {
    if faults.is_empty() { Ok(()) } else { Err(format!("{field}: Invalid value: {text:?}: {}", faults.join("; "))) }
}

/// What `--field-selector` asks for: all of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    /// Path, whether it must be equal, value.
    pub terms: Vec<(String, bool, String)>,
}

impl FieldSelector {
    /// Reads `a=b`, `a==b`, `a!=b`, joined by commas.
    ///
    /// # Errors
    /// The parser's own words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let term = if let Some((field, value)) = part.split_once("!=") {
                (field, false, value)
            } else if let Some((field, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (field, true, value)
            } else {
                let why = "can't understand";
                return Err(format!("invalid selector: '{text}'; {why} '{part}'"));
            };
            terms.push((term.0.into(), term.1, term.2.into()));
        }
        Ok(Self { terms })
    }

    /// Whether an object whose fields `value_of` gives satisfies it.
    pub fn matches(&self, value_of: impl Fn(&str) -> String) -> bool {
        self.terms.iter().all(|(field, equal, value)| (value_of(field) == *value) == *equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        Selector::parse(selector).unwrap().matches(&labels)
    }

    #[test]
    fn every_operator_selects() {
        let labels = [("app", "web"), ("n", "5")];
        for yes in [
            "",
            "app",
            "app=web",
            "app==web",
            "app!=db",
            "x!=y",
            "!x",
            "app in (db, web)",
            "x notin (y)",
            "n>4",
            "n<6,app",
        ] {
            assert!(holds(yes, &labels), "{yes}");
        }
        for no in ["x", "app=db", "app!=web", "!app", "app in (db)", "app notin (web)", "n>5", "app,x"] {
            assert!(!holds(no, &labels), "{no}");
        }
    }

    #[test]
    fn faults_are_worded_as_the_api_server_does() {
        for (text, why) in [
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a=b=c", "found '=', expected: ',' or 'end of string'"),
            (",", "found ',', expected: !, identifier, or 'end of string'"),
            ("a,", "found '', expected: identifier after ','"),
        ] {
            assert_eq!(Selector::parse(text).unwrap_err(), why, "{text}");
        }
    }

    #[test]
    fn fields_are_compared() {
        let selector = FieldSelector::parse("a.b=1,c!=2").unwrap();
        assert!(selector.matches(|field| if field == "a.b" { "1".into() } else { "3".into() }));
        assert!(!selector.matches(|_| "2".into()));
    }
}
