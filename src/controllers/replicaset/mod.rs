//! The ReplicaSet controller: as many pods as wanted, wherever they fit.
//!
//! [`plan`] is one reconcile and only says what it wants; [`carry_out`] does it, because events and retries depend on
//! what the API server answers.
//!
//! Follows kubernetes pkg/controller/replicaset/replica_set.go, v1.36. Expectations are absent: a snapshot shows all of
//! the controller's own writes.

mod claim;
mod rank;
mod status;

pub use claim::{Relation, controller_reference, relation};
pub use rank::{VictimReason, rank_for_deletion};

use crate::apiserver::{Change, Delete, EventDraft, Now, Plan, Status, Store, Timer, Write};
use crate::objects::*;
use crate::order::Order;
use rpds::RedBlackTreeMap;
use serde::Serialize;
use std::rc::Rc;

/// Name under which the controller's events appear.
pub const COMPONENT: &str = "replicaset-controller";
/// How many pods one reconcile creates or deletes at most.
pub const BURST_REPLICAS: usize = 500;

/// What a reconcile wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicaSetPlan {
    /// The ReplicaSet as it was found.
    pub set: Rc<ReplicaSet>,
    /// Pods that get or lose the ReplicaSet as their owner.
    pub claims: Vec<Write>,
    /// Pods to create: all alike.
    pub creates: usize,
    /// Pods to delete.
    pub deletes: Vec<(Rc<Pod>, VictimReason)>,
    /// The status to write if all goes well, unless it is the present one.
    pub status: ReplicaSetStatus,
    /// The same as data.
    pub reason: ReplicaSetReason,
    /// When a ready pod becomes available, in virtual milliseconds.
    pub timers: Vec<Timer>,
}

/// What was decided and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaSetReason {
    /// Pods wanted.
    pub wanted: i32,
    /// Pods there are: neither finished nor terminating.
    pub active: usize,
    /// Orphans that match the selector and are taken in.
    pub adopted: Vec<ObjectKey>,
    /// Pods that match the selector no more and are let go.
    pub released: Vec<ObjectKey>,
    /// Names of the pods that were created.
    pub created: Vec<Rc<str>>,
    /// Pods that were deleted, with what made each of them the one to go.
    pub deleted: Vec<(ObjectKey, VictimReason)>,
    /// More are wanted than one reconcile may create or delete.
    pub held_by_burst: usize,
    /// Refusals of the API server.
    pub errors: Vec<String>,
    /// Whether the status was written.
    pub status_written: bool,
}

impl ReplicaSetReason {
    /// Whether nothing was decided.
    pub fn is_idle(&self) -> bool {
        self.adopted.is_empty()
            && self.released.is_empty()
            && self.created.is_empty()
            && self.deleted.is_empty()
            && self.errors.is_empty()
            && !self.status_written
    }
}

/// What the controller remembers: failures in a row, by ReplicaSet. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicaSetState {
    failures: RedBlackTreeMap<ObjectKey, u32>,
}

/// One reconcile of a ReplicaSet. `None`: it is gone.
pub fn plan(store: &Store, key: &ObjectKey, now: Now) -> Option<ReplicaSetPlan> {
    let set = store.replica_set(key)?;
    let mut plan = ReplicaSetPlan { set: set.clone(), ..ReplicaSetPlan::default() };
    let active = claim::claim_pods(store, set, &mut plan);
    let wanted = set.spec.replicas.unwrap_or(1);
    let active_count = active.len();
    (plan.reason.wanted, plan.reason.active) = (wanted, active_count);
    if !set.metadata.is_terminating() {
        manage_replicas(store, set, &active, usize::try_from(wanted).unwrap_or(0), now, &mut plan);
    }
    plan.status = status::status(set, &active, now);
    let waits = |pod: &&Rc<Pod>| pod.is_ready() && !pod.is_available(set.spec.min_ready_seconds, now.time);
    let due = active.iter().filter(waits).filter_map(|pod| {
        let ready_since = pod.ready_since()?;
        let left = ready_since.plus_seconds(set.spec.min_ready_seconds.into()).seconds_since(now.time);
        Some(now.plus_ms(u64::try_from(left).unwrap_or(0).saturating_mul(1000)))
    });
    plan.timers.extend(due.min().map(|at_ms| Timer::new(at_ms, key.clone())));
    Some(plan)
}

/// Follows kubernetes manageReplicas, v1.36.
fn manage_replicas(
    store: &Store,
    set: &ReplicaSet,
    active: &[Rc<Pod>],
    wanted: usize,
    now: Now,
    plan: &mut ReplicaSetPlan,
) {
    let count = active.len();
    if count < wanted {
        let missing = wanted - count;
        plan.creates = missing.min(BURST_REPLICAS);
        plan.reason.held_by_burst = missing - plan.creates;
    } else if count > wanted {
        let surplus = count - wanted;
        let going = surplus.min(BURST_REPLICAS);
        plan.deletes = rank::victims(store, set, active, going, now);
        plan.reason.held_by_burst = surplus - going;
    }
}

/// The pod that the ReplicaSet creates; the API server makes its name.
pub fn new_pod(set: &ReplicaSet) -> Pod {
    let template = &set.spec.template;
    let mut pod = Pod::default();
    pod.metadata.namespace = set.metadata.namespace.clone();
    pod.metadata.generate_name = format!("{}-", set.metadata.name);
    pod.metadata.labels = template.metadata.labels.clone();
    pod.metadata.annotations = template.metadata.annotations.clone();
    pod.metadata.finalizers = template.metadata.finalizers.clone();
    pod.metadata.owner_references = Rc::new(vec![controller_reference(Kind::ReplicaSet, &set.metadata)]);
    pod.spec = Rc::new(template.spec.clone());
    pod
}

/// Carries a plan out: claims, creations in batches of 1, 2, 4… of which a failed one skips the rest, or deletions,
/// events, and the status. Returns the actor's answer in the form of the others, its writes already done.
///
/// Follows kubernetes pkg/controller/replicaset slowStartBatch and pkg/controller RealPodControl, v1.36.
pub fn carry_out(
    mut plan: ReplicaSetPlan,
    state: &ReplicaSetState,
    now: Now,
    commit: &mut dyn FnMut(Write) -> Result<Object, Status>,
) -> Plan<ReplicaSetReason, ReplicaSetState> {
    let set = plan.set.clone();
    for claim in std::mem::take(&mut plan.claims) {
        // A pod that is gone by now needs no owner.
        let _ = commit(claim);
    }
    let about = |type_, reason, message| {
        Write::Event(EventDraft::about(Kind::ReplicaSet, &set.metadata, type_, reason, message, COMPONENT))
    };
    let (mut events, mut left, mut batch) = (Vec::new(), plan.creates, 1);
    while left > 0 && plan.reason.errors.is_empty() {
        let size = left.min(batch);
        for _ in 0..size {
            match commit(Write::Create(new_pod(&set).into())) {
                Ok(created) => {
                    let name = created.metadata().name.clone();
                    events.push(about(NORMAL, "SuccessfulCreate", format!("Created pod: {name}")));
                    plan.reason.created.push(name);
                }
                // Everything in that namespace goes anyway.
                Err(status) if status.message.ends_with("because it is being terminated") => {}
                Err(status) => {
                    events.push(about(WARNING, "FailedCreate", format!("Error creating: {}", status.message)));
                    plan.reason.errors.push(status.message);
                }
            }
        }
        left -= size;
        batch = batch.saturating_mul(2);
    }
    for (pod, because) in std::mem::take(&mut plan.deletes) {
        match commit(Write::Delete(Delete::pod(&pod))) {
            Ok(_) => {
                events.push(about(NORMAL, "SuccessfulDelete", format!("Deleted pod: {}", pod.metadata.name)));
                plan.reason.deleted.push((pod.metadata.key(), because));
            }
            Err(status) if status.reason == "NotFound" => {}
            Err(status) => {
                events.push(about(WARNING, "FailedDelete", format!("Error deleting: {}", status.message)));
                plan.reason.errors.push(status.message);
            }
        }
    }
    for event in events {
        let _ = commit(event);
    }
    let failed = plan.reason.errors.first().map(|message| (plan.creates > 0, message.as_str()));
    status::set_failure(&mut plan.status, failed, now);
    if plan.status != set.status {
        let mut updated = (*set).clone();
        updated.status = plan.status;
        plan.reason.status_written = commit(Write::UpdateStatus(updated.into())).is_ok();
    }
    let mut answer = Plan { reason: plan.reason, timers: plan.timers, ..Plan::idle(state.clone()) };
    retry_later(&set.metadata.key(), &mut answer, now);
    answer
}

/// A reconcile that failed comes again, ever later.
fn retry_later(key: &ObjectKey, answer: &mut Plan<ReplicaSetReason, ReplicaSetState>, now: Now) {
    let failures = &mut answer.state.failures;
    if answer.reason.errors.is_empty() {
        if failures.contains_key(key) {
            failures.remove_mut(key);
        }
        return;
    }
    let earlier = failures.get(key).copied().unwrap_or(0);
    failures.insert_mut(key.clone(), earlier.saturating_add(1));
    let delay_ms = u64::try_from(super::daemonset::triggers::retry_delay_ms(earlier)).unwrap_or(0);
    // A retry that has failed for long tells nothing new.
    let timer = Timer { at_ms: now.plus_ms(delay_ms), key: key.clone(), background: earlier > 10 };
    answer.timers.push(timer);
}

/// Which ReplicaSets a write concerns: itself, the controller of a pod before and after, or for an orphan all whose
/// selector it matches.
pub fn on_change(change: &Change, store: &Store, now: Now) -> Vec<Timer> {
    let mut keys: Vec<ObjectKey> = Vec::new();
    match (&change.before, &change.after) {
        (_, Some(Object::ReplicaSet(set))) | (Some(Object::ReplicaSet(set)), None) => keys.push(set.metadata.key()),
        (before @ (None | Some(Object::Pod(_))), after @ Some(Object::Pod(_)))
        | (before @ Some(Object::Pod(_)), after @ None) => {
            for object in [before, after].into_iter().flatten() {
                keys.extend(owner_of(object.metadata()));
            }
            if let Some(Object::Pod(pod)) = after
                && pod.metadata.controller().is_none()
                && !pod.is_terminating()
                && changed_hands(before.as_ref(), pod)
            {
                let sets = Store::in_namespace(store.replica_sets(), &pod.metadata.namespace);
                let matching =
                    sets.filter(|set| !set.spec.selector.is_empty() && set.spec.selector.matches(&pod.metadata.labels));
                keys.extend(matching.map(|set| set.metadata.key()));
            }
        }
        _ => {}
    }
    keys.order();
    keys.dedup();
    keys.into_iter().map(|key| Timer::new(now.ms, key)).collect()
}

fn owner_of(metadata: &ObjectMeta) -> Option<ObjectKey> {
    let owner = metadata.controller().filter(|owner| owner.kind == "ReplicaSet")?;
    Some(ObjectKey::new(metadata.namespace.clone(), owner.name.clone()))
}

/// Whether an orphan is new, has other labels or has just lost its controller.
fn changed_hands(before: Option<&Object>, pod: &Pod) -> bool {
    before.is_none_or(|before| {
        let old = before.metadata();
        old.labels != pod.metadata.labels || old.controller().is_some()
    })
}
