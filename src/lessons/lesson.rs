//! What a lesson is, once it is read.

use super::check::{Check, Item};
use crate::simulation::Scenario;

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Both {
    /// English.
    pub en: String,
    /// French.
    pub fr: String,
}

/// How much a lesson takes for granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Knows what a pod is.
    #[default]
    Beginner,
    /// Knows what a DaemonSet is.
    Intermediate,
    /// Runs DaemonSets.
    Advanced,
}

impl Level {
    /// All of them, easiest first.
    pub const ALL: [Self; 3] = [Self::Beginner, Self::Intermediate, Self::Advanced];

    /// The word in a lesson file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
        }
    }
}

/// What is said in one language: a title and Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// Titles.
    pub title: Both,
    /// Markdown, in both languages.
    pub text: Both,
    /// For the person who presents the lesson, in Markdown; may be empty.
    pub notes: Both,
}

/// A lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Name in addresses and records.
    pub id: String,
    /// Title.
    pub title: Both,
    /// What one learns, in one sentence.
    pub summary: Both,
    /// How much it takes for granted.
    pub level: Level,
    /// How long it takes.
    pub minutes: u64,
    /// The cluster at the start, and what has been done to it already. Run it to quiet before the first task.
    pub scenario: Scenario,
    /// What is told first.
    pub introduction: Speech,
    /// In order.
    pub tasks: Vec<Task>,
    /// What one saw.
    pub conclusion: Speech,
}

/// Something to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Name within the lesson.
    pub id: String,
    /// What is to be done.
    pub speech: Speech,
    /// All of these must hold at one moment.
    pub checks: Vec<Item>,
    /// Asked before the outcome is seen; or, without checks, asked about what is seen.
    pub questions: Vec<Question>,
    /// From a nudge to the command.
    pub hints: Vec<Both>,
    /// The author's way, which the tests play.
    pub solution: Vec<ScriptLine>,
}

/// A question. The engine knows the answer: it is the choice whose check holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Name within the task.
    pub id: String,
    /// The question.
    pub ask: Both,
    /// What can be answered.
    pub choices: Vec<Choice>,
    /// Why it is so; shown with the answer. May be empty.
    pub because: Both,
}

/// An answer that can be given.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The answer.
    pub say: Both,
    /// Whether it is right.
    pub holds: Check,
}

/// A line of a solution, and the line of the file it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptLine {
    /// A kubectl or `sim` command.
    Run(String),
    /// Run until nothing is due.
    Quiet,
    /// Run for some virtual milliseconds.
    For(u64),
    /// Make some steps.
    Steps(usize),
    /// Choose an answer, counted from 1.
    Answer {
        /// The question.
        question: String,
        /// The choice.
        choice: usize,
    },
    /// Put a text into a file of the editor.
    Write {
        /// Name of the file.
        file: String,
        /// Its text.
        text: String,
    },
}

impl Lesson {
    /// The task of this name.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Most points that can be reached.
    pub fn max_score(&self) -> u32 {
        self.tasks.iter().map(Task::max_score).sum()
    }
}
