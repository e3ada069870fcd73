//! One reconcile of one DaemonSet.

use super::claim::claim_pods;
use super::history::{clean_up_history, construct_history};
use super::manage::{Managed, manage};
use super::plan::*;
use super::rolling_update::rolling_update;
use super::status::status_plan;
use super::view::View;
use super::{Backoff, COMPONENT};
use crate::objects::*;
use std::rc::Rc;

/// What a reconcile looks at.
pub struct SyncInput<'a> {
    /// The controller's clock in milliseconds since 1970-01-01T00:00:00Z. Back-off counts milliseconds, everything else
    /// whole seconds.
    pub now_ms: i64,
    /// The DaemonSet, with the status that is stored.
    pub daemonset: &'a DaemonSet,
    /// All nodes. Fastest when sorted by name.
    pub nodes: &'a [Rc<Node>],
    /// All pods of the namespace that match the selector or are controlled by the DaemonSet; others do no harm.
    pub pods: &'a [Rc<Pod>],
    /// All ControllerRevisions of the namespace that match the selector or are controlled by the DaemonSet; others do
    /// no harm.
    pub revisions: &'a [Rc<ControllerRevision>],
    /// The failed-pod memory.
    pub backoff: &'a Backoff,
    /// Whether creations or deletions of an earlier reconcile are not visible yet. Never in a simulation that commits a
    /// whole plan before the next turn.
    pub earlier_writes_awaited: bool,
    /// Finds any ControllerRevision of the namespace by name, whoever owns it.
    pub revision_named: &'a dyn Fn(&str) -> Option<Rc<ControllerRevision>>,
}

/// Compares what is with what should be, and says what to do and why.
///
/// The plan sees the cluster as it is now throughout: pods that `manage` creates or deletes are neither in the rolling
/// update (which is left out when `manage` acts at all) nor in the counters. So it is in a real cluster, where the
/// controller learns of its own writes only after the reconcile.
///
/// Follows kubernetes pkg/controller/daemon syncDaemonSet and updateDaemonSet, v1.36.
pub fn sync(input: &SyncInput) -> SyncPlan {
    let daemonset = input.daemonset;
    let mut plan = SyncPlan { backoff: input.backoff.clone(), ..Default::default() };
    if daemonset.spec.selector.is_empty() {
        plan.stopped = Some(SyncStopped::SelectingAll);
        let message = "This daemon set is selecting all pods. A non-empty selector is required.".into();
        plan.events.push(PlannedEvent { type_: WARNING, reason: SELECTING_ALL, message });
        return plan;
    }
    if daemonset.metadata.is_terminating() {
        plan.stopped = Some(SyncStopped::BeingDeleted);
        return plan;
    }

    let pods = claim_pods(daemonset, input.pods);
    let (history, found) = construct_history(daemonset, input.revisions, &pods.claimed, input.revision_named);
    plan.history = history;
    if let Err(error) = found {
        plan.error = Some(error);
        return plan;
    }
    plan.claims = pods.claims;
    let now = Time(input.now_ms.div_euclid(1_000));
    let hash = plan.history.hash.clone();
    let view = View::new(daemonset, now, &hash, input.nodes, pods.claimed.iter().copied());

    if input.earlier_writes_awaited {
        plan.stopped = Some(SyncStopped::EarlierWritesAwaited);
        return finish(plan, &view, false);
    }

    let Managed { phase, facts, events, requeues, backoff } = manage(&view, input.now_ms, input.backoff);
    let manage_acts = !phase.is_empty();
    plan.manage = phase;
    plan.manage_facts = facts;
    plan.events = events;
    plan.requeues = requeues;
    plan.backoff = backoff;

    if manage_acts {
        plan.rolling_update_skipped = Some(RollingUpdateSkipped::ManageActed);
    } else if daemonset.spec.update_strategy.type_ == ROLLING_UPDATE {
        let (phase, facts) = rolling_update(&view);
        plan.rolling_update_facts = Some(facts);
        match phase {
            Ok(phase) => plan.rolling_update = Some(phase),
            Err(error) => plan.error = Some(error),
        }
    } else {
        plan.rolling_update_skipped = Some(RollingUpdateSkipped::OnDelete);
    }

    if plan.error.is_none() {
        plan.history_deletions = clean_up_history(daemonset, &plan.history.old, &pods.claimed);
    }
    finish(plan, &view, true)
}

fn finish(mut plan: SyncPlan, view: &View, observe: bool) -> SyncPlan {
    let status = status_plan(view, observe);
    plan.requeues.extend(status.requeue.clone());
    plan.status = Some(status);
    plan
}

impl PlannedEvent {
    /// The event as an API object about the DaemonSet, without a name: the store gives one.
    pub fn about(&self, daemonset: &DaemonSet, now: Time) -> Event {
        Event {
            metadata: ObjectMeta { namespace: daemonset.metadata.namespace.clone(), ..Default::default() },
            involved_object: ObjectReference {
                kind: Kind::DaemonSet.name().into(),
                namespace: daemonset.metadata.namespace.clone(),
                name: daemonset.metadata.name.clone(),
                uid: daemonset.metadata.uid.clone(),
                api_version: Kind::DaemonSet.api_version().into(),
                resource_version: daemonset.metadata.resource_version.clone(),
                ..Default::default()
            },
            reason: self.reason.into(),
            message: self.message.clone(),
            type_: self.type_.into(),
            source: EventSource { component: COMPONENT.into(), ..Default::default() },
            count: 1,
            first_timestamp: Some(now),
            last_timestamp: Some(now),
            ..Default::default()
        }
    }
}
