//! A finding before its byte offsets are turned into positions.

use super::diagnostic::{Code, Diagnostic, Fact, Remedy, Severity, TextEdit};
use super::limits::LimitKind;
use super::path::PathSegment;
use super::position::LineIndex;

/// What ended the reading of a document.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub code: Code,
    pub fact: Fact,
    pub kubectl_text: Option<String>,
    pub start: usize,
    pub end: usize,
    pub remedy: Remedy,
    pub fix: Option<Vec<TextEdit>>,
}

impl Failure {
    pub fn limit(limit: LimitKind, allowed: usize, start: usize, end: usize) -> Box<Self> {
        Box::new(Failure {
            code: Code::LimitReached,
            fact: Fact::LimitReached { limit, allowed },
            kubectl_text: None,
            start,
            end,
            remedy: Remedy::UseLessText { limit },
            fix: None,
        })
    }

    pub fn into_diagnostic(
        self,
        lines: &LineIndex,
        document: Option<usize>,
        path: Option<Vec<PathSegment>>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: self.code,
            fact: self.fact,
            kubectl_text: self.kubectl_text,
            span: lines.span(self.start, self.end),
            document,
            path,
            remedy: self.remedy,
            fix: self.fix,
        }
    }
}
