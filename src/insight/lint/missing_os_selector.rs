//! No selection by operating system: a Linux image on a Windows node never starts, and the rollout never ends.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::Level;
use serde_json::json;

const OS: &str = "kubernetes.io/os";
const OLD_OS: &str = "beta.kubernetes.io/os";

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    let required = spec.affinity.as_ref().and_then(|affinity| affinity.required_node_selector());
    let mut expressions = required.iter().flat_map(|selector| &selector.node_selector_terms).flat_map(|t| &t.match_expressions);
    let chosen = spec.node_selector.contains_key(OS)
        || spec.node_selector.contains_key(OLD_OS)
        || expressions.any(|expression| expression.key == OS || expression.key == OLD_OS)
        || !spec.node_name.is_empty();
    if chosen {
        return;
    }
    let images = || spec.init_containers.iter().chain(spec.containers.iter()).map(|container| container.image.as_str());
    let is_windows = images().any(|image| image.contains("windows") || image.contains("nanoserver"));
    let wanted = if is_windows { "windows" } else { "linux" };
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
