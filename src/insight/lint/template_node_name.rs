//! `nodeName` in the template: one node has the pod, and the scheduler is passed by.

use super::report::{Found, Report};
use super::subject::{POD, Subject};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let node = &subject.spec().node_name;
    if !node.is_empty() {
        let path = format!("{POD}.nodeName");
        report.add(Found::warning(path.clone()).fact("node", node).remove(path));
    }
}
