//! NoSchedule taints and old labels that follow at once from the rest of a node.

use super::{NodeDecision, NodeLifecyclePlan, NodeLifecycleState};
use crate::apiserver::{Now, Plan, Store, Write};
use crate::objects::*;
use std::rc::Rc;

/// Condition type, its status, and the key of the taint that follows.
const CONDITION_TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", TAINT_NOT_READY),
    ("Ready", "Unknown", TAINT_UNREACHABLE),
    ("MemoryPressure", "True", TAINT_MEMORY_PRESSURE),
    ("DiskPressure", "True", TAINT_DISK_PRESSURE),
    ("NetworkUnavailable", "True", TAINT_NETWORK_UNAVAILABLE),
    ("PIDPressure", "True", TAINT_PID_PRESSURE),
];

/// Stable labels and the old ones that repeat them.
const REPEATED_LABELS: [(&str, &str); 2] =
    [("kubernetes.io/os", "beta.kubernetes.io/os"), ("kubernetes.io/arch", "beta.kubernetes.io/arch")];

/// Keys of the NoSchedule taints that the node's conditions and its cordon ask for.
pub fn wanted_no_schedule_taints(node: &Node) -> Vec<&'static str> {
    let mut keys = Vec::new();
    for condition in node.status.conditions.iter() {
        let taint =
            CONDITION_TAINTS.iter().find(|(type_, status, _)| *type_ == condition.type_ && *status == condition.status);
        keys.extend(taint.map(|(.., key)| *key));
    }
    if node.spec.unschedulable {
        keys.push(TAINT_UNSCHEDULABLE);
    }
    keys
}

/// Whether the controller keeps NoSchedule taints of this key in step.
fn is_kept(key: &str) -> bool {
    key == TAINT_UNSCHEDULABLE || CONDITION_TAINTS.iter().any(|(.., kept)| *kept == key)
}

/// Taints to add and to remove.
fn difference(node: &Node) -> (Vec<Taint>, Vec<Taint>) {
    let wanted = wanted_no_schedule_taints(node);
    let present = || node.spec.taints.iter().filter(|taint| taint.effect == NO_SCHEDULE && is_kept(&taint.key));
    let missing = wanted.iter().filter(|key| !present().any(|taint| taint.key == **key));
    let missing = missing.map(|key| Taint::new(key, NO_SCHEDULE)).collect();
    (missing, present().filter(|taint| !wanted.contains(&taint.key.as_str())).cloned().collect())
}

/// The node as it should be: `None` when it is.
///
/// Follows kubernetes pkg/controller/nodelifecycle doNoScheduleTaintingPass and reconcileNodeLabels, v1.36.
pub fn node_update(node: &Node, now: Now) -> Option<(Node, Vec<NodeDecision>)> {
    let mut decisions = Vec::new();
    let mut updated = node.clone();
    let (added, removed) = difference(node);
    if !(added.is_empty() && removed.is_empty()) {
        let text = |taints: &[Taint]| taints.iter().map(Taint::to_string).collect();
        let name = node.name().clone();
        decisions.push(NodeDecision::TaintsFollow { node: name, added: text(&added), removed: text(&removed) });
        swap(&mut updated, added, &removed, now);
    }
    let labels = missing_labels(node);
    if !labels.is_empty() {
        Rc::make_mut(&mut updated.metadata.labels).extend(labels);
        decisions.push(NodeDecision::LabelsFollow { node: node.name().clone() });
    }
    (!decisions.is_empty()).then_some((updated, decisions))
}

fn missing_labels(node: &Node) -> Vec<(String, String)> {
    let labels = REPEATED_LABELS.iter().filter_map(|(stable, old)| {
        let value = node.metadata.label(stable)?;
        (node.metadata.label(old) != Some(value)).then(|| ((*old).to_owned(), value.to_owned()))
    });
    labels.collect()
}

/// Whether [`node_update`] would change the node.
pub fn needs_turn(node: &Node) -> bool {
    let (added, removed) = difference(node);
    !(added.is_empty() && removed.is_empty() && missing_labels(node).is_empty())
}

/// Adds taints (their time is now) at the end and takes others off.
///
/// Follows kubernetes pkg/controller/util/node SwapNodeControllerTaint, v1.36.
pub fn swap(node: &mut Node, added: Vec<Taint>, removed: &[Taint], now: Now) {
    let taints = Rc::make_mut(&mut node.spec.taints);
    taints.retain(|taint| !removed.iter().any(|gone| gone.matches(taint)));
    for taint in added {
        let taint = Taint { time_added: Some(now.time), ..taint };
        match taints.iter_mut().find(|present| present.matches(&taint)) {
            Some(present) => *present = taint,
            None => taints.push(taint),
        }
    }
}

/// The turn of a node.
pub fn plan(store: &Store, name: &str, state: &NodeLifecycleState, now: Now) -> NodeLifecyclePlan {
    match store.node_named(name).and_then(|node| node_update(node, now)) {
        Some((node, reason)) => Plan { writes: vec![Write::Update(node.into())], reason, ..Plan::idle(state.clone()) },
        None => Plan::idle(state.clone()),
    }
}
