//! What a learning platform is told, as data: the page sends it out.

use super::lesson::Lesson;
use super::progress::Progress;
use serde_json::{Value, json};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// A task is done.
    Progress,
    /// The lesson is complete.
    Complete,
}

/// What a learning platform is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What happened.
    pub kind: ReportKind,
    /// The lesson.
    pub lesson: String,
    /// Its title in English.
    pub title: String,
    /// Tasks that are done.
    pub done: usize,
    /// All tasks.
    pub tasks: usize,
    /// Points reached.
    pub score: u32,
    /// Points that can be reached.
    pub max: u32,
    /// Hints that were revealed.
    pub hints: usize,
    /// Real time spent, in milliseconds.
    pub duration_ms: u64,
}

impl Report {
    /// How a learner stands.
    pub fn new(lesson: &Lesson, progress: &Progress, kind: ReportKind) -> Self {
        Self {
            kind,
            lesson: lesson.id.clone(),
            title: lesson.title.en.clone(),
            done: progress.current,
            tasks: lesson.tasks.len(),
            score: progress.score(lesson),
            max: lesson.max_score(),
            hints: progress.hints(),
            duration_ms: progress.spent_ms,
        }
    }

    /// Name of the event: `lesson:progress` or `lesson:complete`.
    pub const fn name(&self) -> &'static str {
        match self.kind {
            ReportKind::Progress => "lesson:progress",
            ReportKind::Complete => "lesson:complete",
        }
    }

    /// What the event carries.
    pub fn detail(&self) -> Value {
        json!({
            "lesson": self.lesson,
            "title": self.title,
            "done": self.done,
            "tasks": self.tasks,
            "score": self.score,
            "max": self.max,
            "hints": self.hints,
            "durationMs": self.duration_ms,
            "statement": self.statement(),
        })
    }

    /// An xAPI statement without its actor, which only the platform knows.
    pub fn statement(&self) -> Value {
        let (verb, word) = match self.kind {
            ReportKind::Progress => ("http://adlnet.gov/expapi/verbs/progressed", "progressed"),
            ReportKind::Complete => ("http://adlnet.gov/expapi/verbs/completed", "completed"),
        };
        let scaled = f64::from(self.score) / f64::from(self.max.max(1));
        json!({
            "verb": {"id": verb, "display": {"en": word}},
            "object": {
                "objectType": "Activity",
                "id": format!("urn:daemonset-playground:lesson:{}", self.lesson),
                "definition": {
                    "type": "http://adlnet.gov/expapi/activities/lesson",
                    "name": {"en": self.title},
                },
            },
            "result": {
                "score": {"raw": self.score, "min": 0, "max": self.max, "scaled": scaled},
                "completion": self.kind == ReportKind::Complete,
                "duration": iso_duration(self.duration_ms),
            },
        })
    }
}

/// Milliseconds as ISO 8601 writes durations: `PT1M30.5S`.
fn iso_duration(ms: u64) -> String {
    let (minutes, rest) = (ms / 60_000, ms % 60_000);
    let (seconds, hundredths) = (rest / 1000, rest % 1000 / 10);
    let fraction = if hundredths == 0 { String::new() } else { format!(".{hundredths:02}") };
    let minutes = if minutes == 0 { String::new() } else { format!("{minutes}M") };
    format!("PT{minutes}{seconds}{fraction}S")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_iso_8601() {
        assert_eq!(iso_duration(0), "PT0S");
        assert_eq!(iso_duration(61_500), "PT1M1.50S");
        assert_eq!(iso_duration(3_600_000), "PT60M0S");
    }
}
