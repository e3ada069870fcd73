//! No node of the cluster should run a pod: DESIRED is 0, and no event says so. On purpose, it is how a DaemonSet is
//! switched off.

use super::report::{Found, Report};
use super::subject::{POD, Subject};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let nodes = subject.nodes().count();
    if nodes > 0 && subject.eligible().is_empty() {
        let spec = subject.spec();
        let field = if spec.node_selector.is_empty() { "affinity" } else { "nodeSelector" };
        report.add(Found::advice(format!("{POD}.{field}")).fact("nodes", nodes));
    }
}
