//! An old pod may take that long to go, and its node waits for the new one meanwhile: times the number of nodes.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::Level;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(seconds) = subject.spec().termination_grace_period_seconds.filter(|seconds| *seconds > 120) else { return };
    let level = if seconds >= 600 { Level::Warning } else { Level::Advice };
    let level = if subject.surges() { Level::Advice } else { level };
    report.add(
        Found::new(level, format!("{POD}.terminationGracePeriodSeconds"))
            .fact("seconds", seconds)
            .fact("minutes", seconds / 60),
    );
}
