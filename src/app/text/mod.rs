//! The words of the interface, one table for each language. A word that a table lacks does not compile; a fact that a
//! translation forgets fails a test. Kubernetes' own words (kinds, fields, reasons, kubectl's output) are not translated.

#[macro_use]
mod pairs;

mod edits;
mod en;
mod exchange;
mod facts;
mod fr;
mod insight;
mod kubelet;
mod lesson;
mod manifest;
mod placement;
mod remedies;
mod standing;
mod story;
mod verdict;
mod words;

pub use words::Words;

pub use edits::EditWords;
pub use exchange::{ExchangeWords, exchange_words};
pub use insight::{InsightWords, LintWords};

pub use lesson::LessonWords;
use serde::{Deserialize, Serialize};
pub use standing::{StandingWords, embed};

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
}

impl Language {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::En, Self::Fr];

    /// The tag for the `lang` attribute.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
        }
    }

    /// The language's name in itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Fr => "Français",
        }
    }

    /// The language that a browser asks for, such as `fr-CH`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// The language's table.
    pub const fn words(self) -> &'static Words {
        match self {
            Self::En => &en::WORDS,
            Self::Fr => &fr::WORDS,
        }
    }
}

/// A count with its noun: the singular for 1 (and, in French, for 0). Both texts hold `{n}`.
pub fn count(language: Language, n: usize, one: &str, many: &str) -> String {
    let singular = match language {
        Language::En => n == 1,
        Language::Fr => n <= 1,
    };
    super::phrase::fill(if singular { one } else { many }, &[("n", &n.to_string())])
}

/// A virtual time since the start, for the eye: `0.0 s`, `21.5 s`, `3 min 5 s`, `2 h 10 min`.
pub fn time(language: Language, ms: i64) -> String {
    let ms = ms.max(0);
    let seconds = ms / 1000;
    if seconds < 60 {
        let point = match language {
            Language::En => '.',
            Language::Fr => ',',
        };
        return format!("{seconds}{point}{} s", ms / 100 % 10);
    }
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::phrase::placeholders;

    #[test]
    fn both_languages_use_the_same_facts() {
        for ((name, english), (_, french)) in en::WORDS.all().into_iter().zip(fr::WORDS.all()) {
            let sorted = |text| {
                let mut names = placeholders(text);
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(english), sorted(french), "{name}: {english:?} / {french:?}");
            assert!(!english.is_empty() && !french.is_empty(), "{name}");
        }
    }

    #[test]
    fn counts_take_the_right_number() {
        assert_eq!(count(Language::En, 0, "{n} node", "{n} nodes"), "0 nodes");
        assert_eq!(count(Language::Fr, 0, "{n} nœud", "{n} nœuds"), "0 nœud");
        assert_eq!(count(Language::En, 1, "{n} node", "{n} nodes"), "1 node");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(time(Language::En, 21_540), "21.5 s");
        assert_eq!(time(Language::Fr, 900), "0,9 s");
        assert_eq!(time(Language::En, 185_000), "3 min 5 s");
        assert_eq!(time(Language::En, 7_800_000), "2 h 10 min");
    }

    #[test]
    fn a_browser_language_is_recognised() {
        assert_eq!(Language::from_tag("fr-CH"), Some(Language::Fr));
        assert_eq!(Language::from_tag("EN"), Some(Language::En));
        assert_eq!(Language::from_tag("de"), None);
    }
}
