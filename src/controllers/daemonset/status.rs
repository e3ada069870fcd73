//! The seven counters.

use super::plan::{Requeue, RequeueReason};
use super::view::{NodeView, PodView, View};
use crate::objects::*;
use std::rc::Rc;

/// The counters after a reconcile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusPlan {
    /// The whole status as it should be stored.
    pub status: DaemonSetStatus,
    /// Whether it has to be written: nothing is when all counters and the observed generation already agree.
    pub written: bool,
    /// A later look, when some pods are ready and not yet available.
    pub requeue: Option<Requeue>,
}

/// Counts. Of the pods of an eligible node only the preferred one is judged: during a surge that is usually the old
/// one. Terminating and failed ones count as scheduled.
///
/// Follows kubernetes pkg/controller/daemon updateDaemonSetStatus, v1.36.
pub fn count(view: &View) -> DaemonSetStatus {
    let mut status = DaemonSetStatus::default();
    for node in &view.nodes {
        match (node.eligibility.should_run, view.pods_on(node).first()) {
            (false, None) => {}
            (false, Some(_)) => status.number_misscheduled += 1,
            (true, None) => status.desired_number_scheduled += 1,
            (true, Some(pod)) => {
                status.desired_number_scheduled += 1;
                status.current_number_scheduled += 1;
                status.number_ready += i32::from(pod.ready);
                status.number_available += i32::from(pod.available);
                status.updated_number_scheduled += i32::from(pod.updated);
            }
        }
    }
    status.number_unavailable = status.desired_number_scheduled.saturating_sub(status.number_available);
    status
}

/// The status to store. `observe` is false when the reconcile did not act on this generation.
///
/// Follows kubernetes pkg/controller/daemon storeDaemonSetStatus, v1.36.
pub fn status_plan(view: &View, observe: bool) -> StatusPlan {
    let stored = &view.daemonset.status;
    let counted = count(view);
    let status = DaemonSetStatus {
        observed_generation: stored.observed_generation,
        collision_count: stored.collision_count,
        conditions: stored.conditions.clone(),
        other: stored.other.clone(),
        ..counted
    };
    let generation = view.daemonset.metadata.generation;
    let written = status != *stored || stored.observed_generation < generation;
    let min_ready_seconds = view.daemonset.spec.min_ready_seconds;
    let requeue = (min_ready_seconds > 0 && status.number_ready != status.number_available).then(|| Requeue {
        after_ms: i64::from(min_ready_seconds).saturating_mul(1_000),
        reason: RequeueReason::ReadyNotAvailable { ready: status.number_ready, available: status.number_available },
    });
    let mut plan = StatusPlan { status, written, requeue };
    if observe && written {
        plan.status.observed_generation = generation;
    }
    plan
}

/// How one node came into the counters.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCounted {
    /// The node.
    pub node: Rc<str>,
    /// Counted as desired.
    pub desired: bool,
    /// The pod that was judged, where the node is eligible; where it is not, the first of those that make the node
    /// misscheduled.
    pub pod: Option<Rc<Pod>>,
    /// Counted as ready.
    pub ready: bool,
    /// Counted as available.
    pub available: bool,
    /// Counted as up to date.
    pub updated: bool,
    /// Further pods of the node, which no counter sees.
    pub unseen: Vec<Rc<Pod>>,
}

/// Every node that a counter counted, and which of its pods was judged: what stands behind the numbers of [`count`].
pub fn counted_nodes(view: &View) -> Vec<NodeCounted> {
    let of_node = |node: &NodeView| {
        let pods = view.pods_on(node);
        let desired = node.eligibility.should_run;
        let judged: Option<&PodView> = pods.first().filter(|_| desired);
        (desired || !pods.is_empty()).then(|| NodeCounted {
            node: node.node.name().clone(),
            desired,
            pod: pods.first().map(|pod| pod.pod.clone()),
            ready: judged.is_some_and(|pod| pod.ready),
            available: judged.is_some_and(|pod| pod.available),
            updated: judged.is_some_and(|pod| pod.updated),
            unseen: pods.iter().skip(1).map(|pod| pod.pod.clone()).collect(),
        })
    };
    view.nodes.iter().filter_map(of_node).collect()
}
