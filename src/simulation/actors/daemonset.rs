//! The DaemonSet controller in the step loop.

use super::super::agenda::{Due, Turn};
use super::super::step::{Reason, Subject};
use super::super::world::World;
use crate::apiserver::{Change, Delete, EventDraft, Propagation, Status, Write};
use crate::controllers::daemonset::{
    Backoff, COMPONENT, Claim, CreateFailure, DeleteFailure, PhasePlan, PhaseResults, PlannedEvent, RevisionChange,
    SyncInput, SyncOutcome, SyncPlan, carry_out, on_results, pod_for_node, pod_template, sync, triggers,
};
use crate::objects::*;
use crate::order::Order;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Held-back nodes that a step remembers; the rest of a large cluster waits for the same reasons.
const HELD_KEPT: usize = 64;

/// What the controller remembers between reconciles.
#[derive(Clone, Debug, Default)]
pub struct DaemonSetState {
    backoff: Backoff,
    /// Failures in a row, by DaemonSet.
    failures: RedBlackTreeMap<ObjectKey, u32>,
}

/// One reconcile: what was planned, and how it went.
#[derive(Clone, Debug, PartialEq)]
pub struct DaemonSetSync {
    /// The plan with its reasons. Of what was held back, the first few.
    pub plan: SyncPlan,
    /// How many pods were held back in all.
    pub held: usize,
    /// What came of it.
    pub outcome: SyncOutcome,
}

/// Reconciles one DaemonSet.
#[inline(never)]
pub fn turn(world: &mut World, key: &ObjectKey, number: usize) -> Option<(Subject, Reason)> {
    let daemonset = Rc::clone(world.store().daemon_set(key)?);
    let plan = plan(world, &daemonset);
    let mut outcome = SyncOutcome::default();
    if plan.error.is_some() || !plan.writes_nothing() {
        outcome = commit(world, &daemonset, &plan);
    }
    world.actors.daemon_sets.backoff = plan.backoff.clone();
    enqueue_later(world, key, &plan, &outcome, number);
    let held = plan.manage.held.len() + plan.rolling_update.as_ref().map_or(0, |phase| phase.held.len());
    let reason = Reason::DaemonSet(Rc::new(DaemonSetSync { plan: trimmed(plan), held, outcome }));
    Some((Subject { kind: Kind::DaemonSet, key: key.clone() }, reason))
}

fn plan(world: &World, daemonset: &DaemonSet) -> SyncPlan {
    let store = world.store();
    let namespace = &*daemonset.metadata.namespace;
    let nodes: Vec<Rc<Node>> = store.nodes().values().cloned().collect();
    let mut pods: Vec<Rc<Pod>> = store.pods_controlled_by(&daemonset.metadata.uid).cloned().collect();
    pods.extend(store.pods_controlled_by("").filter(|pod| *pod.metadata.namespace == *namespace).cloned());
    let revisions: Vec<Rc<ControllerRevision>> =
        crate::apiserver::Store::in_namespace(store.controller_revisions(), namespace).cloned().collect();
    let revision_named =
        |name: &str| store.controller_revision(&ObjectKey::new(daemonset.metadata.namespace.clone(), name)).cloned();
    sync(&SyncInput {
        now_ms: world.epoch_ms(),
        daemonset,
        nodes: &nodes,
        pods: &pods,
        revisions: &revisions,
        backoff: &world.actors.daemon_sets.backoff,
        earlier_writes_awaited: false,
        revision_named: &revision_named,
    })
}

/// Carries the plan out in the controller's order.
fn commit(world: &mut World, daemonset: &DaemonSet, plan: &SyncPlan) -> SyncOutcome {
    commit_revisions(world, daemonset, plan);
    for claim in &plan.claims {
        let pod = match claim {
            Claim::Adopt(pod) => with_owner(pod, daemonset),
            Claim::Release(pod) => without_owner(pod, daemonset),
        };
        // A pod that is gone by now needs no owner.
        let _ = world.api.commit(Write::Update(pod.into()));
    }
    let manage = commit_phase(world, daemonset, &plan.manage, &plan.history.hash);
    let rolling_update = match &plan.rolling_update {
        Some(phase) => commit_phase(world, daemonset, phase, &plan.history.hash),
        None => PhaseResults::default(),
    };
    let outcome = on_results(plan, manage, rolling_update);
    if outcome.clean_up_history {
        for revision in &plan.history_deletions {
            delete_revision(world, revision);
        }
    }
    for event in &outcome.events {
        tell(world, daemonset, event);
    }
    if let Some(status) = plan.status.as_ref().filter(|status| status.written) {
        let mut updated = daemonset.clone();
        updated.status = status.status.clone();
        let _ = world.api.commit(Write::UpdateStatus(updated.into()));
    }
    outcome
}

fn commit_revisions(world: &mut World, daemonset: &DaemonSet, plan: &SyncPlan) {
    for change in &plan.history.changes {
        let write = match change {
            RevisionChange::Adopt(revision) => {
                let mut adopted = (**revision).clone();
                Rc::make_mut(&mut adopted.metadata.owner_references)
                    .push(crate::controllers::daemonset::controller_reference(daemonset));
                Write::Update(adopted.into())
            }
            RevisionChange::Release(revision) => {
                let mut released = (**revision).clone();
                Rc::make_mut(&mut released.metadata.owner_references).retain(|o| o.uid != daemonset.metadata.uid);
                Write::Update(released.into())
            }
            RevisionChange::AddHashLabel(revision) => {
                let mut labelled = (**revision).clone();
                let hash = labelled.metadata.name.to_string();
                Rc::make_mut(&mut labelled.metadata.labels).insert(CONTROLLER_REVISION_HASH.into(), hash);
                Write::Update(labelled.into())
            }
            RevisionChange::Create(revision) => Write::Create(Rc::clone(revision).into()),
            RevisionChange::Renumber { revision, to } => {
                let mut renumbered = (**revision).clone();
                renumbered.revision = *to;
                Write::Update(renumbered.into())
            }
            RevisionChange::RelabelPod { pod, hash } => {
                let mut labelled = (**pod).clone();
                Rc::make_mut(&mut labelled.metadata.labels).insert(CONTROLLER_REVISION_HASH.into(), hash.clone());
                Write::Update(labelled.into())
            }
            RevisionChange::DeleteDuplicate(revision) => {
                delete_revision(world, revision);
                continue;
            }
            RevisionChange::RaiseCollisionCount(count) => {
                let mut raised = daemonset.clone();
                raised.status.collision_count = Some(*count);
                Write::UpdateStatus(raised.into())
            }
        };
        // Nobody else writes between plan and commit, so these cannot conflict.
        let _ = world.api.commit(write);
    }
}

fn delete_revision(world: &mut World, revision: &ControllerRevision) {
    let _ = world.api.commit(Write::Delete(Delete {
        kind: Kind::ControllerRevision,
        key: revision.metadata.key(),
        uid: Some(revision.metadata.uid.clone()),
        grace_period_seconds: None,
        propagation: Propagation::Background,
    }));
}

fn commit_phase(world: &mut World, daemonset: &DaemonSet, phase: &PhasePlan, hash: &str) -> PhaseResults {
    let generation = daemonset.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION);
    let template = pod_template(&daemonset.spec.template, generation, hash);
    let api = std::cell::RefCell::new(&mut world.api);
    carry_out(
        phase,
        |creation| {
            let pod = pod_for_node(daemonset, &template, &creation.node);
            match api.borrow_mut().commit(Write::Create(pod.into())) {
                Ok(created) => Ok(created.metadata().name.clone()),
                Err(status) if is_namespace_terminating(&status) => Err(CreateFailure::NamespaceTerminating),
                Err(status) => Err(CreateFailure::Refused(status.message)),
            }
        },
        |deletion| match api.borrow_mut().commit(Write::Delete(Delete::pod(&deletion.pod))) {
            Ok(_) => Ok(()),
            Err(status) if status.reason == "NotFound" => Err(DeleteFailure::NotFound),
            Err(status) => Err(DeleteFailure::Refused(status.message)),
        },
    )
}

fn is_namespace_terminating(status: &Status) -> bool {
    status.reason == "Forbidden" && status.message.ends_with("because it is being terminated")
}

fn with_owner(pod: &Pod, daemonset: &DaemonSet) -> Pod {
    let mut adopted = pod.clone();
    Rc::make_mut(&mut adopted.metadata.owner_references)
        .push(crate::controllers::daemonset::controller_reference(daemonset));
    adopted
}

fn without_owner(pod: &Pod, daemonset: &DaemonSet) -> Pod {
    let mut released = pod.clone();
    Rc::make_mut(&mut released.metadata.owner_references).retain(|owner| owner.uid != daemonset.metadata.uid);
    released
}

fn tell(world: &mut World, daemonset: &DaemonSet, event: &PlannedEvent) {
    let message = event.message.clone();
    let draft = EventDraft::about(Kind::DaemonSet, &daemonset.metadata, event.type_, event.reason, message, COMPONENT);
    let _ = world.api.commit(Write::Event(draft));
}

fn enqueue_later(world: &mut World, key: &ObjectKey, plan: &SyncPlan, outcome: &SyncOutcome, number: usize) {
    let mut delays: Vec<(i64, bool)> = plan.requeue_after_ms().into_iter().map(|delay| (delay, false)).collect();
    if outcome.error.is_some() {
        let earlier = world.actors.daemon_sets.failures.get(key).copied().unwrap_or(0);
        world.actors.daemon_sets.failures.insert_mut(key.clone(), earlier.saturating_add(1));
        delays.push((triggers::retry_delay_ms(earlier), earlier >= FAILURES_UNTIL_NOTHING_NEW));
    } else {
        world.actors.daemon_sets.failures.remove_mut(key);
    }
    for (delay, background) in delays {
        let at_ms = world.now_ms.saturating_add(u64::try_from(delay).unwrap_or(0));
        let due = Due::new(at_ms, Turn::DaemonSet(key.clone()), Some(number));
        world.agenda.add(Due { background, ..due });
    }
}

/// After so many failures in a row the next try only repeats what was seen: it goes on for ever, with longer and longer
/// pauses, and a run need not wait for it.
const FAILURES_UNTIL_NOTHING_NEW: u32 = 3;

fn trimmed(mut plan: SyncPlan) -> SyncPlan {
    plan.manage.held.truncate(HELD_KEPT);
    if let Some(phase) = &mut plan.rolling_update {
        phase.held.truncate(HELD_KEPT);
    }
    plan
}

/// The controller's informers: which DaemonSets a change makes it look at.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    match (&change.before, &change.after) {
        (_, Some(Object::DaemonSet(daemonset))) | (Some(Object::DaemonSet(daemonset)), None) => {
            enqueue(world, daemonset.metadata.key(), 0, number);
        }
        (before @ (None | Some(Object::Node(_))), Some(Object::Node(node))) => {
            if let Some(Object::Node(old)) = before
                && !triggers::is_node_update(old, node)
            {
                return;
            }
            let owners: Vec<ObjectKey> = world
                .store()
                .pods_on(node.name())
                .filter(|pod| pod.is_bound())
                .filter_map(|pod| owner_of(&pod.metadata))
                .collect();
            let looks: Vec<ObjectKey> = world
                .store()
                .daemon_sets()
                .iter()
                .filter(|(key, daemonset)| triggers::should_enqueue_node(daemonset, node, owners.contains(key)))
                .map(|(key, _)| key.clone())
                .collect();
            for key in looks {
                enqueue(world, key, 0, number);
            }
        }
        (None | Some(Object::Pod(_)), Some(Object::Pod(_))) | (Some(Object::Pod(_)), None) => {
            on_pod_change(world, change, number);
        }
        (
            before @ (None | Some(Object::ControllerRevision(_))),
            after @ (None | Some(Object::ControllerRevision(_))),
        ) => {
            let revision = |object: &Option<Object>| match object {
                Some(Object::ControllerRevision(revision)) => Some(Rc::clone(revision)),
                _ => None,
            };
            let (old, new) = (revision(before), revision(after));
            let looks: Vec<ObjectKey> = world
                .store()
                .daemon_sets()
                .iter()
                .filter(|(_, daemonset)| triggers::should_enqueue_revision(daemonset, old.as_deref(), new.as_deref()))
                .map(|(key, _)| key.clone())
                .collect();
            for key in looks {
                enqueue(world, key, 0, number);
            }
        }
        _ => {}
    }
}

/// The DaemonSet that an object names as its controller, whether that one exists (still) or not.
fn owner_of(metadata: &ObjectMeta) -> Option<ObjectKey> {
    let owner = metadata.controller().filter(|owner| owner.kind == "DaemonSet")?;
    Some(ObjectKey::new(metadata.namespace.clone(), owner.name.clone()))
}

fn on_pod_change(world: &mut World, change: &Change, number: Option<usize>) {
    let candidates = daemonsets_of(world, change);
    for daemonset in candidates {
        let trigger = match (&change.before, &change.after) {
            (None, Some(Object::Pod(pod))) => triggers::pod_added(&daemonset, pod),
            (Some(Object::Pod(old)), Some(Object::Pod(new))) => triggers::pod_updated(&daemonset, old, new),
            (Some(Object::Pod(pod)), None) => triggers::pod_deleted(&daemonset, pod),
            _ => continue,
        };
        let key = daemonset.metadata.key();
        if let Some(after_ms) = trigger.after_ms {
            enqueue(world, key.clone(), u64::try_from(after_ms).unwrap_or(0), number);
        }
        if trigger.now {
            enqueue(world, key, 0, number);
        }
    }
}

/// The DaemonSets that a pod's change can concern: its controllers before and after, or, for an orphan, all of the
/// namespace.
fn daemonsets_of(world: &World, change: &Change) -> Vec<Rc<DaemonSet>> {
    let mut found: Vec<Rc<DaemonSet>> = Vec::new();
    for object in [&change.before, &change.after].into_iter().flatten() {
        let metadata = object.metadata();
        match metadata.controller() {
            Some(owner) if owner.kind == "DaemonSet" => {
                let key = ObjectKey::new(metadata.namespace.clone(), owner.name.clone());
                found.extend(world.store().daemon_set(&key).cloned());
            }
            Some(_) => {}
            None => {
                let all = crate::apiserver::Store::in_namespace(world.store().daemon_sets(), &metadata.namespace);
                found.extend(all.cloned());
            }
        }
    }
    found.order_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    found.dedup_by(|a, b| a.metadata.name == b.metadata.name);
    found
}

fn enqueue(world: &mut World, key: ObjectKey, after_ms: u64, number: Option<usize>) {
    let at_ms = world.now_ms.saturating_add(after_ms);
    world.agenda.add(Due::new(at_ms, Turn::DaemonSet(key), number));
}
