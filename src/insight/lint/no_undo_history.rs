//! `revisionHistoryLimit: 0`: `kubectl rollout undo` has nothing to go back to.

use super::report::{Found, Report};
use super::subject::Subject;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.set.spec.revision_history_limit == Some(0) {
        let path = "spec.revisionHistoryLimit";
        report.add(Found::warning(path).remove(path));
    }
}
