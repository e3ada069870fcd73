//! The words of the insight panels: the manifest check, overhead, forecast, comparison.

mod en;
mod fr;

use super::{Language, Words};
use crate::app::phrase::fill;
use crate::insight::lint::{Finding, Level, Rule};

/// What there is to say about a rule. `{names}` are the facts of the finding.
pub(super) struct RuleWords {
    /// What was found, in a few words.
    title: &'static str,
    /// What follows from it.
    why: &'static str,
    /// What to do.
    remedy: &'static str,
    /// Why it is right for a critical agent; empty where it never is.
    fine: &'static str,
}

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintWords {
    /// What was found, in a few words.
    pub title: String,
    /// What follows from it, or why it is right here.
    pub why: String,
    /// What to do; empty where it is right.
    pub remedy: String,
}

impl Words {
    /// A finding of the manifest check in words.
    pub fn lint_words(&self, finding: &Finding) -> LintWords {
        let words = self.rule_words(finding.rule);
        let facts: Vec<(&str, &str)> = finding.facts.iter().map(|(name, fact)| (*name, fact.as_str())).collect();
        let is_fine = finding.level == Level::Fine && !words.fine.is_empty();
        LintWords {
            title: fill(words.title, &facts),
            why: fill(if is_fine { words.fine } else { words.why }, &facts),
            remedy: if is_fine { String::new() } else { fill(words.remedy, &facts) },
        }
    }

    fn rule_words(&self, rule: Rule) -> RuleWords {
        match self.language() {
            Language::En => en::rule_words(rule),
            Language::Fr => fr::rule_words(rule),
        }
    }

    /// The language of the table.
    fn language(&self) -> Language {
        if std::ptr::eq(self, Language::Fr.words()) { Language::Fr } else { Language::En }
    }
}
