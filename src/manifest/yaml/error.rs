//! Why the reader gave up, and how kubectl words it.

use super::input::Mark;
use std::borrow::Cow;

/// Which stage gave up: the line that is printed depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Reader,
    Scanner,
    Parser,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub kind: ErrorKind,
    pub problem: Cow<'static, str>,
    /// Where it was noticed.
    pub mark: Mark,
    /// What was being read, and where that began.
    pub context: Option<(&'static str, Mark)>,
}

impl YamlError {
    /// The line as go-yaml counts: from 1 for what the scanner noticed, one less for what the parser noticed, and none
    /// at all on the first line (then the line at which the construct began, if that is not the first one either).
    pub fn go_line(&self) -> Option<u32> {
        if self.kind == ErrorKind::Reader {
            return None;
        }
        if self.mark.line > 0 {
            let shift = u32::from(self.kind == ErrorKind::Scanner);
            return Some(self.mark.line.saturating_add(shift));
        }
        self.context.map(|(_, mark)| mark.line).filter(|line| *line > 0)
    }

    /// The text that go-yaml gives.
    pub fn go_text(&self) -> String {
        match self.go_line() {
            Some(line) => format!("yaml: line {line}: {}", self.problem),
            None => format!("yaml: {}", self.problem),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, YamlError>;
