use crate::app::diff::Line;
use crate::app::message::FileId;
use std::rc::Rc;

/// A file as a tab.
#[derive(Clone, Debug, PartialEq)]
pub struct FileTab {
    /// The file.
    pub id: FileId,
    /// Its name.
    pub name: Rc<str>,
    /// Its text.
    pub text: Rc<str>,
    /// It differs from what was applied last.
    pub edited: bool,
    /// What there is to say about it.
    pub notes: Rc<Vec<EditorNote>>,
}

/// What is wrong with the shown file, one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Place in the text, in UTF-16 units.
    pub at: u32,
    /// It keeps the manifest from being applied.
    pub error: bool,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: Option<String>,
    /// There is one right change: its number.
    pub fix: Option<usize>,
}

/// What Apply would do with one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The object is new.
    Created,
    /// It changes; with the number of the revision that it makes, if it makes one.
    Configured(Option<i64>),
    /// Nothing changes.
    Unchanged,
}

/// What Apply would do with one object, and the fields that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedObject {
    /// Kind and name.
    pub name: String,
    /// What becomes of it.
    pub outcome: Outcome,
    /// The fields that differ.
    pub lines: Vec<Line>,
}

/// What Apply would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// In the order of the text.
    pub objects: Vec<ReviewedObject>,
}

/// Something to say about a place of the text; offsets in UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EditorNote {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
    /// One-click changes.
    pub fixes: Vec<EditorFix>,
}

/// A one-click change.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EditorFix {
    /// What the button says.
    pub label: String,
    /// Handed back when it is chosen.
    pub id: String,
}

/// A range of the text that something else on the page speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditorMark {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Whether what it stands for holds.
    pub passed: bool,
}
