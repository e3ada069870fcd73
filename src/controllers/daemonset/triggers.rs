//! Which changes of objects call for a reconcile of a DaemonSet.
//!
//! Follows the event handlers of kubernetes pkg/controller/daemon NewDaemonSetsController, v1.36.

use super::eligibility::Rules;
use crate::objects::*;

/// Changes of a DaemonSet itself (created, changed in whatever way, even only its status, or deleted) always do.
pub const fn should_enqueue_daemonset_change() -> bool {
    true
}

/// Whether a change of a node matters at all: only labels and taints are looked at.
pub fn is_node_update(old: &Node, new: &Node) -> bool {
    old.metadata.labels != new.metadata.labels || old.spec.taints != new.spec.taints
}

/// A node joined or changed (see [`is_node_update`]). Only what calls for action or for another number of misscheduled
/// nodes counts: a NoSchedule taint under a running pod does not, nor does a node that comes back under its pod.
///
/// `has_pod`: a pod that names the DaemonSet as its controller is bound to the node. The stored `numberMisscheduled`
/// counts.
///
/// Follows kubernetes pkg/controller/daemon syncNodeUpdate, v1.36.
pub fn should_enqueue_node(daemonset: &DaemonSet, node: &Node, has_pod: bool) -> bool {
    let eligibility = Rules::of(daemonset).eligibility(node);
    if has_pod {
        !eligibility.should_continue_running || daemonset.status.number_misscheduled > 0
    } else {
        eligibility.should_run
    }
}

/// A node left: never. The DaemonSet learns of it at its next reconcile, for another reason.
pub const fn should_enqueue_node_delete() -> bool {
    false
}

/// A ControllerRevision came, changed or went: its controller looks at it, but for the one that it just made; an orphan
/// that is new, or whose labels or owner changed, is looked at by every DaemonSet whose selector it matches.
///
/// Follows kubernetes pkg/controller/daemon addHistory, updateHistory and deleteHistory, v1.36.
pub fn should_enqueue_revision(
    daemonset: &DaemonSet,
    old: Option<&ControllerRevision>,
    new: Option<&ControllerRevision>,
) -> bool {
    if old.is_none_or(|old| daemonset.metadata.namespace != old.metadata.namespace)
        && new.is_none_or(|new| daemonset.metadata.namespace != new.metadata.namespace)
    {
        return false;
    }
    let is_ours = |revision: &ControllerRevision| revision.metadata.is_controlled_by(&daemonset.metadata.uid);
    let selector = &daemonset.spec.selector;
    let selected = |revision: &ControllerRevision| !selector.is_empty() && selector.matches(&revision.metadata.labels);
    match (old, new) {
        (None, None) => false,
        (Some(old), None) => is_ours(old),
        (None, Some(new)) => new.metadata.controller().is_none() && selected(new),
        (Some(old), Some(new)) => {
            let owner_changed = old.metadata.controller() != new.metadata.controller();
            let lost = owner_changed && is_ours(old);
            let changed = owner_changed || old.metadata.labels != new.metadata.labels;
            lost || is_ours(new) || new.metadata.controller().is_none() && changed && selected(new)
        }
    }
}

/// What a pod's change means to a DaemonSet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodTrigger {
    /// A reconcile now.
    pub now: bool,
    /// Another one after so many milliseconds.
    pub after_ms: Option<i64>,
}

impl PodTrigger {
    const NOW: Self = Self { now: true, after_ms: None };
    const NOTHING: Self = Self { now: false, after_ms: None };

    const fn now_if(condition: bool) -> Self {
        if condition { Self::NOW } else { Self::NOTHING }
    }
}

/// A pod appeared: its own controller looks at it; an orphan is looked at by every DaemonSet whose selector it matches.
pub fn pod_added(daemonset: &DaemonSet, pod: &Pod) -> PodTrigger {
    match pod.metadata.controller() {
        Some(_) => PodTrigger::now_if(is_controller(daemonset, pod)),
        None => PodTrigger::now_if(!pod.is_terminating() && is_selected(daemonset, pod)),
    }
}

/// A pod changed: its controller, and the one it had before, look at it, and once more a second after minReadySeconds
/// when it became ready; an orphan whose labels or owner changed is looked at by every DaemonSet whose selector it
/// matches.
pub fn pod_updated(daemonset: &DaemonSet, old: &Pod, new: &Pod) -> PodTrigger {
    if !old.metadata.resource_version.is_empty() && old.metadata.resource_version == new.metadata.resource_version {
        return PodTrigger::NOTHING;
    }
    if new.is_terminating() {
        return pod_deleted(daemonset, new);
    }
    let owner_changed = old.metadata.controller() != new.metadata.controller();
    if new.metadata.controller().is_some() {
        let ours = is_controller(daemonset, new);
        let min_ready = i64::from(daemonset.spec.min_ready_seconds);
        let after_ms = (ours && min_ready > 0 && !old.is_ready() && new.is_ready())
            .then(|| min_ready.saturating_add(1).saturating_mul(1_000));
        return PodTrigger { now: ours || (owner_changed && is_controller(daemonset, old)), after_ms };
    }
    let lost = owner_changed && is_controller(daemonset, old);
    let changed = owner_changed || old.metadata.labels != new.metadata.labels;
    PodTrigger::now_if(lost || (changed && is_selected(daemonset, new)))
}

/// A pod is gone or began to terminate: its controller looks.
pub fn pod_deleted(daemonset: &DaemonSet, pod: &Pod) -> PodTrigger {
    PodTrigger::now_if(is_controller(daemonset, pod))
}

fn is_controller(daemonset: &DaemonSet, pod: &Pod) -> bool {
    pod.metadata.namespace == daemonset.metadata.namespace && pod.metadata.is_controlled_by(&daemonset.metadata.uid)
}

fn is_selected(daemonset: &DaemonSet, pod: &Pod) -> bool {
    let selector = &daemonset.spec.selector;
    pod.metadata.namespace == daemonset.metadata.namespace
        && !selector.is_empty()
        && selector.matches(&pod.metadata.labels)
}

/// When a failed reconcile is tried again: 5 ms after the first failure in a row, doubled with each further one, up to
/// 1000 s. In milliseconds.
///
/// Follows kubernetes client-go util/workqueue DefaultControllerRateLimiter, v1.36.
pub fn retry_delay_ms(earlier_failures: u32) -> i64 {
    5_i64.checked_shl(earlier_failures.min(32)).unwrap_or(i64::MAX).min(1_000_000)
}
