//! An agent of the node without toleration for the control plane: those nodes are without it.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::tolerates_everything::CONTROL_PLANE;
use super::{Level, Nature};
use crate::objects::{NO_SCHEDULE, Taint, Toleration, encode};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    let taint = Taint::new(CONTROL_PLANE, NO_SCHEDULE);
    // Who chooses nodes has thought about it.
    let chooses = !spec.node_name.is_empty()
        || spec.node_selector.iter().any(|(key, value)| !is_platform(key) || value == "windows")
        || spec.affinity.as_ref().is_some_and(|affinity| affinity.required_node_selector().is_some());
    let mut nodes = subject.nodes().peekable();
    let has_none = nodes.peek().is_some() && !nodes.any(|node| node.spec.taints.iter().any(|t| t.matches(&taint)));
    if chooses || has_none || subject.nature == Nature::Plain || subject.tolerates(&taint) {
        return;
    }
    let level = if subject.is_critical() { Level::Warning } else { Level::Advice };
    report.add(
        Found::new(level, format!("{POD}.tolerations"))
            .fact("taint", &taint)
            .append(format!("{POD}.tolerations"), encode(&Toleration::exists(CONTROL_PLANE, NO_SCHEDULE))),
    );
}

fn is_platform(key: &str) -> bool {
    matches!(key, "kubernetes.io/os" | "kubernetes.io/arch" | "beta.kubernetes.io/os" | "beta.kubernetes.io/arch")
}
