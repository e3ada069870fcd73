//! No selection by operating system: a Linux image on a Windows node never starts, and the rollout never ends.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::Level;
use crate::objects::PodSpec;
use serde_json::json;

const OS: &str = "kubernetes.io/os";
const OLD_OS: &str = "beta.kubernetes.io/os";

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    if chooses_os(spec) {
        return;
    }
    let wanted = likely_os(spec);
    let is_other = |os: Option<&str>| os.is_some_and(|os| os != wanted);
    let mut nodes = subject.nodes().peekable();
    let is_known = nodes.peek().is_some();
    let mixed = nodes.any(|node| is_other(node.metadata.label(OS)));
    if is_known && !mixed {
        return;
    }
    let hit = subject.eligible().iter().filter(|node| is_other(node.metadata.label(OS))).count();
    let level = if hit > 0 { Level::Warning } else { Level::Advice };
    report.add(
        Found::new(level, format!("{POD}.nodeSelector"))
            .fact("os", wanted)
            .fact("nodes", hit)
            .set(format!("{POD}.nodeSelector[{OS}]"), json!(wanted)),
    );
}

/// Whether the pod says on which operating system it wants to run.
pub fn chooses_os(spec: &PodSpec) -> bool {
    let required = spec.affinity.as_ref().and_then(|affinity| affinity.required_node_selector());
    let terms = required.iter().flat_map(|selector| &selector.node_selector_terms);
    let mut expressions = terms.flat_map(|term| &term.match_expressions);
    spec.node_selector.contains_key(OS)
        || spec.node_selector.contains_key(OLD_OS)
        || expressions.any(|expression| expression.key == OS || expression.key == OLD_OS)
        || !spec.node_name.is_empty()
}

/// The system that the images are for, as far as their names tell: Linux, unless they speak of Windows.
pub fn likely_os(spec: &PodSpec) -> &'static str {
    let mut images = spec.init_containers.iter().chain(spec.containers.iter()).map(|container| &*container.image);
    if images.any(|image| image.contains("windows") || image.contains("nanoserver")) { "windows" } else { "linux" }
}
