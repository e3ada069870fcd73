//! What can be wrong with a lesson file, as data: the page chooses the words.

use super::lesson::Both;
use crate::manifest::Fact;

/// One fault and the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonError {
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file does not begin with `---` and the lesson's data.
    NoFrontMatter,
    /// The front matter or a fence never ends.
    NeverEnds,
    /// The YAML reader gave up.
    Yaml(Box<Fact>),
    /// A member that is not known here; `meant` is the nearest known one.
    UnknownMember {
        /// As written.
        name: String,
        /// The nearest known name.
        meant: Option<&'static str>,
        /// All known names.
        known: &'static [&'static str],
    },
    /// A member that must be there is missing.
    Missing(&'static str),
    /// A text in one of the two languages is missing.
    MissingLanguage(Language),
    /// The value is not what is wanted here.
    Wanted {
        /// What is wanted.
        what: Wanted,
        /// What stands there.
        found: String,
    },
    /// A check says nothing about what it checks.
    NoCheck(&'static [&'static str]),
    /// A level-2 heading that is none of the lesson's parts.
    UnknownHeading(String),
    /// A level-3 heading that names no language.
    UnknownLanguage(String),
    /// A word behind a fence's language that means nothing.
    UnknownFence(String),
    /// A part that belongs into a task stands outside of one.
    OutsideTask(String),
    /// Text before the first heading of a language.
    TextWithoutLanguage,
    /// Two parts with one name.
    Twice(String),
    /// A task that nothing can complete: neither a check nor a question.
    NothingToDo(String),
    /// A line of a solution that is no command.
    BadScript(String),
    /// The solution answers a question that is not there, or a choice that it does not have.
    NoSuchAnswer(String),
    /// A scenario that cannot be opened.
    Scenario(String),
    /// A lesson without tasks.
    NoTasks,
}

/// A language of lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    En,
    /// French.
    Fr,
}

impl Language {
    /// The language's text.
    pub fn of(self, both: &Both) -> &str {
        match self {
            Self::En => &both.en,
            Self::Fr => &both.fr,
        }
    }
}

/// What a place wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A text; quotes help where YAML reads something else.
    Text,
    /// A mapping.
    Mapping,
    /// A list.
    List,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A number, or a comparison such as `">=2"`.
    Amount,
    /// Texts in both languages: `{en: …, fr: …}`.
    BothLanguages,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `KIND/NAME`.
    KindAndName,
    /// A kind that kubectl knows.
    Kind,
    /// A label selector.
    Selector,
    /// A JSONPath template.
    JsonPath,
    /// A duration.
    Duration,
}
