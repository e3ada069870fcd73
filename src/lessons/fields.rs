//! Reads the YAML parts of a lesson: every value knows its line, every fault is collected, none stops the reading.

use super::fault::{Fault, LessonError, Wanted};
use super::lesson::Both;
use crate::kubectl::edit_distance;
use crate::manifest::{self, Document, Limits, PathSegment, Severity};
use serde_json::{Map, Value};

/// Faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults(pub Vec<LessonError>);

impl Faults {
    pub fn add(&mut self, line: usize, fault: Fault) {
        self.0.push(LessonError { line, fault });
    }
}

/// A YAML text inside a lesson.
pub(super) struct Yaml {
    document: Option<Document>,
    /// Lines of the file before the text.
    before: usize,
}

impl Yaml {
    /// Reads a text that begins on line `first_line` of the file.
    pub fn read(text: &str, first_line: usize, faults: &mut Faults) -> Self {
        let before = first_line.saturating_sub(1);
        let read = manifest::read(text, &Limits::default());
        for found in read.diagnostics.iter().filter(|found| found.severity == Severity::Error) {
            faults.add(before.saturating_add(found.span.start.line), Fault::Yaml(Box::new(found.fact.clone())));
        }
        Self { document: read.documents.into_iter().find(|document| document.error.is_none()), before }
    }

    /// The whole value.
    pub fn root(&self) -> Field<'_> {
        let value = self.document.as_ref().and_then(Document::value).unwrap_or(&Value::Null);
        Field { yaml: self, path: Vec::new(), value }
    }
}

/// A value and where it stands.
#[derive(Clone)]
pub(super) struct Field<'y> {
    yaml: &'y Yaml,
    path: Vec<PathSegment>,
    pub value: &'y Value,
}

impl<'y> Field<'y> {
    /// Line of the file.
    pub fn line(&self) -> usize {
        let place = self.yaml.document.as_ref().and_then(|document| document.locate(&self.path));
        let line = place.map_or(1, |place| place.key.unwrap_or(place.value).start.line);
        self.yaml.before.saturating_add(line)
    }

    pub fn fault(&self, faults: &mut Faults, fault: Fault) {
        faults.add(self.line(), fault);
    }

    fn wanted<T>(&self, faults: &mut Faults, what: Wanted) -> Option<T> {
        let found = match self.value {
            Value::Object(_) => "a mapping".to_owned(),
            Value::Array(_) => "a list".to_owned(),
            Value::String(text) => format!("{text:?}"),
            other => other.to_string(),
        };
        self.fault(faults, Fault::Wanted { what, found });
        None
    }

    fn at(&self, segment: PathSegment, value: &'y Value) -> Self {
        let mut path = self.path.clone();
        path.push(segment);
        Self { yaml: self.yaml, path, value }
    }

    /// A member of a mapping, if it is there.
    pub fn get(&self, name: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(name)?;
        Some(self.at(name.into(), value))
    }

    /// The mapping; complains of every member that is not known.
    pub fn mapping(&self, known: &'static [&'static str], faults: &mut Faults) -> Option<&'y Map<String, Value>> {
        let Some(map) = self.value.as_object() else { return self.wanted(faults, Wanted::Mapping) };
        for (name, value) in map {
            if !known.contains(&name.as_str()) {
                let fault = Fault::UnknownMember { name: name.clone(), meant: nearest(name, known), known };
                self.at(name.as_str().into(), value).fault(faults, fault);
            }
        }
        Some(map)
    }

    /// The items of a list.
    pub fn items(&self, faults: &mut Faults) -> Vec<Self> {
        match self.value {
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, value)| self.at(PathSegment::Index(index), value)).collect()
            }
            Value::Null => Vec::new(),
            _ => self.wanted(faults, Wanted::List).unwrap_or_default(),
        }
    }

    /// A text. Numbers are taken as they are written; `yes` and `no` are not, since YAML makes something else of them.
    pub fn text(&self, faults: &mut Faults) -> Option<String> {
        match self.value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => self.wanted(faults, Wanted::Text),
        }
    }

    /// A text, a number, `true` or `false`, as kubectl would print it.
    pub fn printed(&self, faults: &mut Faults) -> Option<String> {
        match self.value {
            Value::Bool(value) => Some(value.to_string()),
            _ => self.text(faults),
        }
    }

    /// Texts; a single one counts as a list of one.
    pub fn texts(&self, faults: &mut Faults) -> Vec<String> {
        match self.value {
            Value::Array(_) => self.items(faults).iter().filter_map(|item| item.text(faults)).collect(),
            _ => self.text(faults).into_iter().collect(),
        }
    }

    pub fn boolean(&self, faults: &mut Faults) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(*value),
            _ => self.wanted(faults, Wanted::Boolean),
        }
    }

    pub fn number(&self, faults: &mut Faults) -> Option<u64> {
        match self.value.as_u64() {
            Some(number) => Some(number),
            None => self.wanted(faults, Wanted::Number),
        }
    }

    /// One of these words; its index.
    pub fn one_of(&self, words: &'static [&'static str], faults: &mut Faults) -> Option<usize> {
        let found = self.value.as_str().and_then(|text| words.iter().position(|word| *word == text));
        if found.is_some() { found } else { self.wanted(faults, Wanted::OneOf(words)) }
    }

    /// The value through a reader that may refuse it.
    pub fn read<T>(&self, what: Wanted, faults: &mut Faults, reader: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = match self.value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        match text.and_then(|text| reader(&text)) {
            Some(read) => Some(read),
            None => self.wanted(faults, what),
        }
    }

    /// `{en: …, fr: …}`.
    pub fn both(&self, faults: &mut Faults) -> Option<Both> {
        if !self.value.is_object() {
            return self.wanted(faults, Wanted::BothLanguages);
        }
        self.mapping(&["en", "fr"], faults);
        let en = self.require("en", faults)?.text(faults)?;
        let fr = self.require("fr", faults)?.text(faults)?;
        Some(Both { en, fr })
    }

    /// A member that must be there.
    pub fn require(&self, name: &'static str, faults: &mut Faults) -> Option<Self> {
        let found = self.get(name);
        if found.is_none() {
            self.fault(faults, Fault::Missing(name));
        }
        found
    }
}

/// The known name that a misspelt one is nearest to, if it is near at all.
fn nearest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    let distance = |other: &str| edit_distance(&name.to_lowercase(), &other.to_lowercase());
    let best = known.iter().copied().min_by_key(|other| distance(other))?;
    (distance(best) <= 2 && distance(best) < name.chars().count()).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_the_one_that_was_meant() {
        const KNOWN: &[&str] = &["daemonset", "desired", "namespace"];
        assert_eq!(nearest("desird", KNOWN), Some("desired"));
        assert_eq!(nearest("daemonSet", KNOWN), Some("daemonset"));
        assert_eq!(nearest("colour", KNOWN), None);
        assert_eq!((edit_distance("kitten", "sitting"), edit_distance("", "ab"), edit_distance("ab", "")), (3, 2, 2));
    }

    #[test]
    fn values_know_their_line_in_the_file() {
        let mut faults = Faults::default();
        let yaml = Yaml::read("a: 1\nb:\n- x\n- {en: hello}\n", 10, &mut faults);
        let items = yaml.root().get("b").unwrap().items(&mut faults);
        assert_eq!((items[0].line(), items[1].line()), (12, 13));
        assert_eq!(items[1].both(&mut faults), None);
        assert_eq!(faults.0, [LessonError { line: 13, fault: Fault::Missing("fr") }]);
    }
}
