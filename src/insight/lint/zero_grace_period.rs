//! No time to end: the process is killed at once, and what it holds in memory is lost.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::Level;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.spec().termination_grace_period_seconds == Some(0) {
        let path = format!("{POD}.terminationGracePeriodSeconds");
        report.add(Found::new(subject.fine_if_critical(Level::Warning), path.clone()).remove(path));
    }
}
