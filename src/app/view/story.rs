use crate::app::diff::Line;
use crate::app::phrase::{Part, Phrase};
use std::rc::Rc;

/// A step in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryEntry {
    /// Number of the step, from 1.
    pub number: usize,
    /// Virtual time in milliseconds since the start.
    pub at_ms: u64,
    /// How far the clock jumped before it.
    pub waited_ms: u64,
    /// What happened.
    pub text: Phrase,
    /// Why; may be empty.
    pub because: Phrase,
    /// The command line, when a person gave one.
    pub command: Option<String>,
    /// The command failed, or the step tells of trouble.
    pub trouble: bool,
    /// The step that made this one due.
    pub cause: Option<usize>,
    /// How many objects it changed.
    pub changes: usize,
}

impl StoryEntry {
    /// Whether two steps tell the same of different things: the same words but for names and numbers.
    pub fn is_like(&self, other: &Self) -> bool {
        let kind = |part: &Part| match part {
            Part::Plain(text) => text.chars().filter(|c| !c.is_ascii_digit()).collect(),
            Part::Strong(_) => String::from("\u{1}"),
            Part::Code(_) => String::from("\u{2}"),
        };
        !self.trouble
            && !other.trouble
            && self.command.is_none()
            && other.command.is_none()
            && self.text.0.len() == other.text.0.len()
            && self.text.0.iter().zip(&other.text.0).all(|(a, b)| kind(a) == kind(b))
    }
}

/// What a step did to one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDiff {
    /// Kind and name.
    pub name: String,
    /// The object is new.
    pub created: bool,
    /// The object is gone.
    pub deleted: bool,
    /// The fields that differ.
    pub lines: Vec<Line>,
}

/// A step with what it changed and what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenStep {
    /// Number of the step.
    pub number: usize,
    /// What it changed.
    pub diffs: Vec<ObjectDiff>,
    /// The steps that led to it, the nearest first.
    pub causes: Vec<(usize, Phrase)>,
}

/// An event as `kubectl get events` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Name of the event, which is unique.
    pub name: Rc<str>,
    /// Virtual time of the last telling, in milliseconds since the start.
    pub at_ms: i64,
    /// It tells of trouble.
    pub warning: bool,
    /// One word.
    pub reason: String,
    /// Kind and name of what it is about.
    pub object: String,
    /// A sentence.
    pub message: String,
    /// How often it was told.
    pub count: i32,
}

/// The part of the story that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoryPart {
    /// Entries, oldest first.
    pub entries: Vec<Rc<StoryEntry>>,
    /// Steps before the first entry.
    pub earlier: usize,
    /// Steps after the last entry.
    pub later: usize,
}
