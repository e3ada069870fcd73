//! What rules note, and where in the text it is.

use super::{Rule, Subject};
use crate::insight::edited::{difference, edited};
use crate::insight::explain::{ManifestEdit, ManifestOperation};
use crate::manifest::{Object, Span, TextEdit, parse_path};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Fixes are tried out on the text, which takes time: not for larger ones.
const LARGEST_FIXED_TEXT: usize = 256 << 10;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// It will hurt, or already does.
    Warning,
    /// Worth a thought; there are good reasons for either way.
    Advice,
    /// It looks dangerous, and is right for an agent such as this one.
    Fine,
}

/// One thing that a rule found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How serious it is.
    pub level: Level,
    /// The DaemonSet: `namespace/name`.
    pub object: String,
    /// The field, in Kubernetes' notation: `spec.template.spec.tolerations[0]`.
    pub path: String,
    /// Where that is in the text: on one line.
    pub span: Span,
    /// What the rule saw, by name; the words of the interface have a place for each.
    #[serde(serialize_with = "as_map")]
    pub facts: Vec<(&'static str, String)>,
    /// The one right change of the text, where there is one. Comments and order stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<TextEdit>,
}

fn as_map<S: Serializer>(facts: &[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(facts.len()))?;
    for (name, fact) in facts {
        map.serialize_entry(name, fact)?;
    }
    map.end()
}

/// What a rule notes.
pub(super) struct Found {
    level: Level,
    path: String,
    facts: Vec<(&'static str, String)>,
    fix: Vec<ManifestEdit>,
}

impl Found {
    /// A finding at a field.
    pub fn new(level: Level, path: impl Into<String>) -> Self {
        Self { level, path: path.into(), facts: Vec::new(), fix: Vec::new() }
    }

    /// A finding that is a warning.
    pub fn warning(path: impl Into<String>) -> Self {
        Self::new(Level::Warning, path)
    }

    /// A finding that is advice.
    pub fn advice(path: impl Into<String>) -> Self {
        Self::new(Level::Advice, path)
    }

    /// With a fact.
    pub fn fact(mut self, name: &'static str, fact: impl ToString) -> Self {
        self.facts.push((name, fact.to_string()));
        self
    }

    /// With a field that gets a value, missing parents included.
    pub fn set(self, path: impl Into<String>, value: Value) -> Self {
        self.change(path, ManifestOperation::Set(value))
    }

    /// With an item at the end of a list, which may be missing.
    pub fn append(self, path: impl Into<String>, value: Value) -> Self {
        self.change(path, ManifestOperation::Append(value))
    }

    /// With a field or item that goes.
    pub fn remove(self, path: impl Into<String>) -> Self {
        self.change(path, ManifestOperation::Remove)
    }

    fn change(mut self, path: impl Into<String>, operation: ManifestOperation) -> Self {
        self.fix.push(ManifestEdit { path: path.into(), operation });
        self
    }

    /// The finding in the text.
    pub fn place(self, rule: Rule, text: &str, object: &Object<'_>, subject: &Subject<'_>) -> Finding {
        let location = object.locate(&parse_path(&self.path));
        let span = location.map(|location| match location.key {
            // What begins below its key is best named by the key.
            Some(key) if location.value.start.line != key.start.line => key,
            _ => first_line(text, location.span()),
        });
        let fix = (!self.fix.is_empty() && self.level != Level::Fine && text.len() <= LARGEST_FIXED_TEXT)
            .then(|| fixed(text, object, &self.fix))
            .flatten();
        Finding {
            rule,
            level: self.level,
            object: subject.key().to_string(),
            path: self.path,
            span: span.unwrap_or_default(),
            facts: self.facts,
            fix,
        }
    }
}

/// The edit that makes a change, tried out on the object's document alone: a text may have hundreds.
fn fixed(text: &str, object: &Object<'_>, changes: &[ManifestEdit]) -> Option<TextEdit> {
    let range = object.document.span.range();
    let chunk = text.get(range.clone())?;
    let mut edit = difference(chunk, &edited(chunk, 0, &object.path, changes)?);
    edit.start = edit.start.saturating_add(range.start);
    edit.end = edit.end.saturating_add(range.start);
    Some(edit)
}

/// The part of a stretch that is on its first line.
fn first_line(text: &str, mut span: Span) -> Span {
    if span.start.line != span.end.line {
        let line = text.get(span.start.offset..).and_then(|rest| rest.lines().next()).unwrap_or("");
        span.end.offset = span.start.offset.saturating_add(line.len());
        span.end.utf16 = span.start.utf16.saturating_add(line.encode_utf16().count());
        span.end.line = span.start.line;
        span.end.column = span.start.column.saturating_add(line.chars().count());
    }
    span
}

/// Everything that the rules noted about one object.
#[derive(Default)]
pub(super) struct Report {
    /// The rule that is looking.
    pub rule: Option<Rule>,
    /// What was found, in the order of the rules.
    pub found: Vec<(Rule, Found)>,
}

impl Report {
    /// Notes a finding of the present rule.
    pub fn add(&mut self, found: Found) {
        self.found.extend(self.rule.map(|rule| (rule, found)));
    }
}
