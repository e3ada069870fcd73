//! The words of the insight panels: the manifest check, overhead, forecast, comparison.

mod en;
mod fr;
mod panel;

pub use panel::InsightWords;

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

    /// The texts of the insight panel.
    pub fn insight(&self) -> &'static InsightWords {
        match self.language() {
            Language::En => &panel::EN,
            Language::Fr => &panel::FR,
        }
    }

    /// A stretch of virtual time.
    pub fn time_of(&self, ms: u64) -> String {
        super::time(self.language(), i64::try_from(ms).unwrap_or(i64::MAX))
    }

    /// A number with at most two decimals, as the language writes it.
    pub fn decimal(&self, number: f64) -> String {
        let text = format!("{number:.2}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        self.decimal_mark(text)
    }

    /// An amount of money: no decimals, or two.
    pub fn money(&self, amount: f64) -> String {
        let text = format!("{amount:.2}");
        self.decimal_mark(text.strip_suffix(".00").unwrap_or(&text))
    }

    /// A number as it was typed, with the language's decimal mark.
    pub fn decimal_mark(&self, number: &str) -> String {
        match self.language() {
            Language::En => number.replace(',', "."),
            Language::Fr => number.replace('.', ","),
        }
    }

    /// A part of a whole in percent.
    pub fn percent(&self, part: f64) -> String {
        let percent = part * 100.0;
        let text = if percent >= 10.0 { format!("{percent:.0}") } else { self.decimal(percent) };
        match self.language() {
            Language::En => format!("{text}%"),
            Language::Fr => format!("{text}\u{a0}%"),
        }
    }

    /// Thousandths of a CPU: `100m CPU`, `5.6 CPU`.
    #[allow(clippy::cast_precision_loss, reason = "for reading")]
    pub fn cpu(&self, milli: i64) -> String {
        if milli != 0 && milli.unsigned_abs() < 1000 {
            format!("{milli}m CPU")
        } else {
            format!("{} CPU", self.decimal(milli as f64 / 1000.0))
        }
    }

    /// Bytes in the largest binary unit: `128 Mi`, `25 Gi`.
    #[allow(clippy::cast_precision_loss, reason = "for reading")]
    pub fn memory(&self, bytes: i64) -> String {
        let units = [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
        match units.iter().find(|(_, shift)| bytes.unsigned_abs() >= 1 << shift) {
            Some((unit, shift)) => format!("{}\u{a0}{unit}", self.decimal(bytes as f64 / (1u64 << shift) as f64)),
            None if bytes == 0 => "0".to_owned(),
            None => format!("{bytes}\u{a0}B"),
        }
    }

    fn rule_words(&self, rule: Rule) -> RuleWords {
        match self.language() {
            Language::En => en::rule_words(rule),
            Language::Fr => fr::rule_words(rule),
        }
    }

    /// The language of the table.
    pub(super) fn language(&self) -> Language {
        if std::ptr::eq(self, Language::Fr.words()) { Language::Fr } else { Language::En }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_people_write_them() {
        let (en, fr) = (Language::En.words(), Language::Fr.words());
        assert_eq!(
            (en.cpu(20_000), en.cpu(100), en.cpu(5_600), en.cpu(0)),
            ("20 CPU".into(), "100m CPU".into(), "5.6 CPU".into(), "0 CPU".into())
        );
        assert_eq!((en.cpu(-1200), fr.cpu(5_600)), ("-1.2 CPU".into(), "5,6 CPU".into()));
        assert_eq!((en.memory(25 << 30), en.memory(128 << 20)), ("25\u{a0}Gi".into(), "128\u{a0}Mi".into()));
        assert_eq!((en.memory(10_000 << 20), fr.memory(10_000 << 20)), ("9.77\u{a0}Gi".into(), "9,77\u{a0}Gi".into()));
        assert_eq!(
            (en.percent(0.05), en.percent(0.0625), fr.percent(0.25)),
            ("5%".into(), "6.25%".into(), "25\u{a0}%".into())
        );
    }
}
