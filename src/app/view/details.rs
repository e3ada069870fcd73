use super::{NodeCard, PodTile};
use crate::app::diff::Line;
use crate::app::message::{Msg, Question};
use crate::app::phrase::Phrase;
use std::rc::Rc;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckMark {
    /// It lets the pod through.
    Passed,
    /// It keeps the pod off.
    Failed,
    /// It was not reached, or does not matter.
    Skipped,
}

/// Who makes a check, in the order in which they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The DaemonSet controller, before it creates the pod.
    Controller,
    /// The scheduler, before it binds the pod.
    Scheduler,
    /// The kubelet, once the pod is bound.
    Kubelet,
}

/// A place of the manifest: its line, and its range in UTF-16 units.
pub type Place16 = (usize, u32, u32);

/// A row of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRow {
    /// How it came out.
    pub mark: CheckMark,
    /// What was looked at.
    pub what: Phrase,
    /// What was found.
    pub found: Phrase,
    /// The line of the manifest that it looked at, with the range of the text (in UTF-16 units).
    pub line: Option<Place16>,
    /// The field of the node that it looked at: its path, and the key of the label or taint.
    pub field: Option<(String, Rc<str>)>,
    /// Who checks it.
    pub stage: Stage,
    /// It belongs to the row above.
    pub nested: bool,
}

/// A change that flips a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What it does, in a few words.
    pub text: String,
    /// What it reaches, and what to know before.
    pub remark: String,
    /// What is done: an edit of the manifest or a command.
    pub message: Msg,
    /// The command, or the lines that are added to the manifest.
    pub lines: Vec<Line>,
}

/// Why there is a pod, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictView {
    /// What is asked.
    pub question: Question,
    /// The question.
    pub title: String,
    /// The answer in one sentence.
    pub answer: Phrase,
    /// Whether a pod should be there, and nothing is wrong with the one that is.
    pub passed: bool,
    /// What ends the trouble, or the waiting, of the pod that is there.
    pub way_out: Vec<Fix>,
    /// What to know before changing anything.
    pub notes: Vec<Phrase>,
    /// What the changes below lead to.
    pub fixes_title: &'static str,
    /// Whether the first of them is what the person is most likely to want.
    pub urgent: bool,
    /// All checks.
    pub rows: Vec<CheckRow>,
    /// The smallest changes, the smallest first.
    pub fixes: Vec<Fix>,
}

/// Why a pod waits, or who ended it.
#[derive(Clone, Debug, PartialEq)]
pub struct PodWhy {
    /// The question.
    pub title: String,
    /// The answer in one sentence.
    pub answer: Phrase,
    /// What the changes below lead to.
    pub fixes_title: &'static str,
    /// Node by node, which filter says no.
    pub rows: Vec<CheckRow>,
    /// The smallest changes, the smallest first.
    pub fixes: Vec<Fix>,
}

/// Facts of a pod, name and value.
#[derive(Clone, Debug, PartialEq)]
pub struct PodDetail {
    /// Its tile.
    pub tile: PodTile,
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// What can be done: text, command, and whether it is destructive.
    pub actions: Vec<(&'static str, String, bool)>,
    /// Why it is pending, node by node; or who ended it.
    pub why: Option<Box<PodWhy>>,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// A node: its card, and facts.
    Node(Rc<NodeCard>, Vec<(&'static str, String)>),
    /// A pod.
    Pod(PodDetail),
    /// It is not there (any more); who ended it, if it was a pod.
    Gone(String, Option<Phrase>),
}
