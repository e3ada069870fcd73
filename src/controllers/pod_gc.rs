//! Pod garbage collection: pods whose node is gone, pods that were never bound and are to go, too many finished ones.
//!
//! There is one work item: the round over all pods, every 20 seconds, asked for only while there is something to find.
//!
//! Follows kubernetes pkg/controller/podgc/gc_controller.go, v1.36.

use crate::apiserver::{Change, Delete, Now, Plan, Store, Timer, Write};
use crate::objects::*;
use crate::order::Order;
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Milliseconds between two rounds.
pub const GC_CHECK_PERIOD_MS: u64 = 20_000;
/// Milliseconds for which a node must be missing before its pods go.
pub const QUARANTINE_MS: u64 = 40_000;
/// Finished pods that are kept.
pub const TERMINATED_POD_THRESHOLD: usize = 12_500;
/// Taint by which a person says that a node is off for good.
const TAINT_OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// What the controller wants.
pub type PodGcPlan = Plan<PodGcReason, PodGcState>;

/// What was decided in a round, in order. Empty: nothing.
pub type PodGcReason = Vec<PodGcDecision>;

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PodGcDecision {
    /// Pods are bound to a node that does not exist: if it stays away for the quarantine, they go.
    NodeMissing {
        /// The node.
        node: Rc<str>,
        /// How many pods it has.
        pods: usize,
        /// How long it must stay away.
        quarantine_ms: u64,
    },
    /// A pod goes because its node is gone.
    NodeGone {
        /// The pod.
        pod: ObjectKey,
        /// The node.
        node: Rc<str>,
    },
    /// A terminating pod goes because its node is out of service.
    OutOfService {
        /// The pod.
        pod: ObjectKey,
        /// The node.
        node: Rc<str>,
    },
    /// A pod that was never bound has been told to go.
    NeverBound {
        /// The pod.
        pod: ObjectKey,
    },
    /// There are more finished pods than are kept, and this is one of the oldest.
    TooManyFinished {
        /// The pod.
        pod: ObjectKey,
        /// How many there were.
        finished: usize,
        /// How many are kept.
        threshold: usize,
    },
}

/// What the controller remembers: since when nodes have been missing, in virtual milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodGcState {
    missing_since_ms: BTreeMap<Rc<str>, u64>,
}

/// The one work item.
pub fn round_key() -> ObjectKey {
    ObjectKey::cluster("pod-gc")
}

/// The first round after a moment.
fn next_round_ms(ms: u64) -> u64 {
    (ms / GC_CHECK_PERIOD_MS).saturating_add(1).saturating_mul(GC_CHECK_PERIOD_MS)
}

/// One round.
pub fn plan(store: &Store, state: &PodGcState, now: Now) -> PodGcPlan {
    let mut plan = Plan::idle(state.clone());
    collect_finished(store, &mut plan);
    collect_out_of_service(store, &mut plan);
    collect_orphaned(store, &mut plan, now);
    for pod in store.pods().values().filter(|pod| pod.is_terminating() && !pod.is_bound()) {
        plan.reason.push(PodGcDecision::NeverBound { pod: pod.metadata.key() });
        fail_and_delete(pod, None, &mut plan);
    }
    if !plan.state.missing_since_ms.is_empty() {
        plan.timers.push(Timer::new(next_round_ms(now.ms), round_key()));
    }
    plan
}

/// Follows kubernetes gcTerminated, v1.36: the evicted ones first, then the oldest.
fn collect_finished(store: &Store, plan: &mut PodGcPlan) {
    let mut finished: Vec<&Rc<Pod>> = store.pods().values().filter(|pod| pod.is_finished()).collect();
    let surplus = finished.len().saturating_sub(TERMINATED_POD_THRESHOLD);
    if surplus == 0 {
        return;
    }
    let evicted = |pod: &Pod| pod.status.phase == FAILED && pod.status.reason == "Evicted";
    finished.order_by_key(|pod| (!evicted(pod), pod.metadata.creation_timestamp, pod.metadata.key()));
    let count = finished.len();
    for pod in finished.into_iter().take(surplus) {
        let pod_key = pod.metadata.key();
        let (finished, threshold) = (count, TERMINATED_POD_THRESHOLD);
        plan.reason.push(PodGcDecision::TooManyFinished { pod: pod_key, finished, threshold });
        plan.writes.push(Write::Delete(Delete::pod_now(pod)));
    }
}

/// Follows kubernetes gcTerminating, v1.36.
fn collect_out_of_service(store: &Store, plan: &mut PodGcPlan) {
    for node in store.nodes().values().filter(|node| is_out_of_service(node)) {
        for pod in store.pods_on(node.name()).filter(|pod| pod.is_bound() && pod.is_terminating()) {
            plan.reason.push(PodGcDecision::OutOfService { pod: pod.metadata.key(), node: node.name().clone() });
            fail_and_delete(pod, None, plan);
        }
    }
}

fn is_out_of_service(node: &Node) -> bool {
    !node.is_ready() && node.spec.taints.iter().any(|taint| taint.key == TAINT_OUT_OF_SERVICE)
}

/// Follows kubernetes gcOrphaned, v1.36.
fn collect_orphaned(store: &Store, plan: &mut PodGcPlan, now: Now) {
    let mut orphans: BTreeMap<&Rc<str>, Vec<&Rc<Pod>>> = BTreeMap::new();
    for pod in store.pods().values().filter(|pod| pod.is_bound() && store.node_named(&pod.spec.node_name).is_none()) {
        orphans.entry(&pod.spec.node_name).or_default().push(pod);
    }
    plan.state.missing_since_ms.retain(|node, _| orphans.contains_key(node));
    for (node, pods) in orphans {
        match plan.state.missing_since_ms.get(node) {
            None => {
                plan.state.missing_since_ms.insert(node.clone(), now.ms);
                let (pods, quarantine_ms) = (pods.len(), QUARANTINE_MS);
                plan.reason.push(PodGcDecision::NodeMissing { node: node.clone(), pods, quarantine_ms });
            }
            Some(since_ms) if now.ms >= since_ms.saturating_add(QUARANTINE_MS) => {
                for pod in pods {
                    plan.reason.push(PodGcDecision::NodeGone { pod: pod.metadata.key(), node: node.clone() });
                    let condition = PodCondition {
                        type_: "DisruptionTarget".into(),
                        status: "True".into(),
                        reason: "DeletionByPodGC".into(),
                        message: "PodGC: node no longer exists".into(),
                        last_transition_time: Some(now.time),
                        observed_generation: pod.metadata.generation,
                        ..PodCondition::default()
                    };
                    fail_and_delete(pod, Some(condition), plan);
                }
                plan.state.missing_since_ms.remove(node);
            }
            Some(_) => {}
        }
    }
}

/// Follows kubernetes markFailedAndDeletePodWithCondition, v1.36.
fn fail_and_delete(pod: &Rc<Pod>, condition: Option<PodCondition>, plan: &mut PodGcPlan) {
    if !pod.is_finished() {
        let mut failed = (**pod).clone();
        failed.status.phase = FAILED.into();
        if let Some(condition) = condition {
            failed.status.set_condition(condition);
        }
        plan.writes.push(Write::UpdateStatus(failed.into()));
    }
    plan.writes.push(Write::Delete(Delete::pod_now(pod)));
}

/// Whether a write gives the next round something to find.
pub fn on_change(change: &Change, store: &Store, now: Now) -> Vec<Timer> {
    let due = match (&change.before, &change.after) {
        (Some(Object::Node(node)), None) => store.pods_on(node.name()).any(|pod| pod.is_bound()),
        (_, Some(Object::Node(node))) => {
            is_out_of_service(node) && store.pods_on(node.name()).any(|pod| pod.is_bound() && pod.is_terminating())
        }
        (before, Some(Object::Pod(pod))) => match before {
            Some(Object::Pod(old)) if old.is_bound() == pod.is_bound() => {
                let told = pod.is_terminating() && !old.is_terminating();
                let finished = pod.is_finished() && !old.is_finished();
                told && lost(store, pod) || finished && store.pods().size() > TERMINATED_POD_THRESHOLD
            }
            _ => pod.is_bound() && store.node_named(&pod.spec.node_name).is_none(),
        },
        _ => false,
    };
    if due { vec![Timer::new(next_round_ms(now.ms), round_key())] } else { Vec::new() }
}

/// A terminating pod that nobody on a node will remove.
fn lost(store: &Store, pod: &Pod) -> bool {
    !pod.is_bound() || store.node_named(&pod.spec.node_name).is_none_or(|node| is_out_of_service(node))
}
