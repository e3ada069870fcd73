//! The garbage collector: what an owner leaves behind.
//!
//! A work item is an owner, by kind, name and uid ([`owner_key`]), whether it is still there or not: its dependents are
//! deleted with it, before it (foreground) or let go (orphan).
//!
//! Follows kubernetes pkg/controller/garbagecollector/garbagecollector.go, v1.36. All dependents of an owner are one
//! turn. Left out: dependents of kinds that the simulation does not act on.

use crate::apiserver::{
    Change, Delete, FOREGROUND_DELETION, Now, ORPHAN_DEPENDENTS, Plan, Propagation, Store, Timer, Write, schema,
};
use crate::objects::*;
use serde::Serialize;
use std::rc::Rc;

/// What the collector wants. It remembers nothing.
pub type GarbageCollectorPlan = Plan<GarbageCollectorReason, ()>;

/// What was decided about an owner's dependents, in order. Empty: nothing.
pub type GarbageCollectorReason = Vec<GarbageDecision>;

/// An object that somebody owns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dependent {
    /// Its kind.
    pub kind: Kind,
    /// Its key.
    pub key: ObjectKey,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum GarbageDecision {
    /// All owners are gone, so the object goes.
    OwnerGone {
        /// The object.
        dependent: Dependent,
    },
    /// The owner waits for its dependents to go first.
    BeforeOwner {
        /// The object.
        dependent: Dependent,
    },
    /// The owner is deleted and lets the object go.
    Orphaned {
        /// The object.
        dependent: Dependent,
    },
    /// One owner is gone, but another one is there: the object only loses the reference.
    OtherOwnerLeft {
        /// The object.
        dependent: Dependent,
    },
    /// Nothing holds the owner any more.
    OwnerReleased {
        /// The finalizer that is taken off.
        finalizer: &'static str,
    },
}

/// The work item of an owner.
pub fn owner_key(namespace: &Rc<str>, kind: &str, name: &str, uid: &str) -> ObjectKey {
    ObjectKey::new(namespace.clone(), format!("{kind}/{name}/{uid}"))
}

fn key_of(object: &Object) -> ObjectKey {
    let metadata = object.metadata();
    owner_key(&metadata.namespace, object.kind_name(), &metadata.name, &metadata.uid)
}

/// One turn of an owner.
pub fn plan(store: &Store, key: &ObjectKey, _now: Now) -> GarbageCollectorPlan {
    let mut parts = key.name.splitn(3, '/');
    let (Some(kind), Some(name), Some(uid)) = (parts.next(), parts.next(), parts.next()) else {
        return Plan::idle(());
    };
    let mut plan = Plan::idle(());
    match find_owner(store, &key.namespace, kind, name, uid) {
        Some(owner) if !owner.metadata().is_terminating() => {}
        Some(owner) => {
            let waits_for = |finalizer: &str| owner.metadata().finalizers.iter().any(|f| f == finalizer);
            if waits_for(ORPHAN_DEPENDENTS) {
                orphan(store, &owner, &mut plan);
            } else if waits_for(FOREGROUND_DELETION) {
                delete_before(store, &owner, &mut plan);
            }
        }
        None => delete_after(store, &key.namespace, uid, &mut plan),
    }
    plan
}

/// Takes the owner off its dependents, then lets it go.
fn orphan(store: &Store, owner: &Object, plan: &mut GarbageCollectorPlan) {
    let metadata = owner.metadata();
    for object in dependents(store, &metadata.namespace, &metadata.uid) {
        plan.reason.extend(dependent(&object).map(|dependent| GarbageDecision::Orphaned { dependent }));
        plan.writes.push(Write::Update(without_owners(object, |owner| owner.uid == metadata.uid)));
    }
    release(owner, ORPHAN_DEPENDENTS, plan);
}

/// Deletes the dependents; once those that block are gone, lets the owner go.
fn delete_before(store: &Store, owner: &Object, plan: &mut GarbageCollectorPlan) {
    let metadata = owner.metadata();
    let mut blocked = false;
    for object in dependents(store, &metadata.namespace, &metadata.uid) {
        let references = object.metadata().owner_references.iter();
        blocked |= references.filter(|o| o.uid == metadata.uid).any(|o| o.block_owner_deletion == Some(true));
        if object.metadata().is_terminating() {
            continue;
        }
        let Some(dependent) = dependent(&object) else { continue };
        let owns =
            may_own(&object) && !dependents(store, &object.metadata().namespace, &object.metadata().uid).is_empty();
        let propagation = if owns { Propagation::Foreground } else { Propagation::Background };
        plan.writes.push(delete(&dependent, &object, propagation));
        plan.reason.push(GarbageDecision::BeforeOwner { dependent });
    }
    if !blocked {
        release(owner, FOREGROUND_DELETION, plan);
    }
}

/// Deletes what an owner that is gone has left behind, unless somebody else owns it, too.
fn delete_after(store: &Store, namespace: &Rc<str>, uid: &str, plan: &mut GarbageCollectorPlan) {
    for object in dependents(store, namespace, uid) {
        let Some(dependent) = dependent(&object) else { continue };
        let is_there = |owner: &OwnerReference| exists(store, &object.metadata().namespace, owner);
        if object.metadata().owner_references.iter().any(is_there) {
            plan.reason.push(GarbageDecision::OtherOwnerLeft { dependent });
            plan.writes.push(Write::Update(without_owners(object.clone(), |owner| !is_there(owner))));
        } else if !object.metadata().is_terminating() {
            plan.writes.push(delete(&dependent, &object, Propagation::Background));
            plan.reason.push(GarbageDecision::OwnerGone { dependent });
        }
    }
}

fn dependent(object: &Object) -> Option<Dependent> {
    Some(Dependent { kind: object.kind()?, key: object.key() })
}

fn delete(dependent: &Dependent, object: &Object, propagation: Propagation) -> Write {
    Write::Delete(Delete {
        kind: dependent.kind,
        key: dependent.key.clone(),
        uid: Some(object.metadata().uid.clone()),
        grace_period_seconds: None,
        propagation,
    })
}

fn release(owner: &Object, finalizer: &'static str, plan: &mut GarbageCollectorPlan) {
    let mut released = owner.clone();
    released.metadata_mut().finalizers.retain(|f| f != finalizer);
    plan.writes.push(Write::Update(released));
    plan.reason.push(GarbageDecision::OwnerReleased { finalizer });
}

fn without_owners(mut object: Object, goes: impl Fn(&OwnerReference) -> bool) -> Object {
    Rc::make_mut(&mut object.metadata_mut().owner_references).retain(|owner| !goes(owner));
    object
}

/// The object that a work item stands for, if it is still the same.
fn find_owner(store: &Store, namespace: &Rc<str>, kind: &str, name: &str, uid: &str) -> Option<Object> {
    let key = ObjectKey::new(namespace.clone(), name);
    let typed = Kind::ALL.into_iter().find(|k| k.name() == kind).and_then(|kind| store.get(kind, &key));
    let found = typed.or_else(|| {
        let mut others = store.all_unstructured();
        others.find(|o| o.kind == kind && o.metadata.key() == key).cloned().map(Object::Unstructured)
    });
    found.filter(|object| *object.metadata().uid == *uid)
}

/// Whether the owner of a reference is there. Owners live in the same namespace or in none. Of a kind that the API server
/// does not know nobody can say that the owner is gone.
fn exists(store: &Store, namespace: &Rc<str>, owner: &OwnerReference) -> bool {
    if schema::resource_of(&owner.api_version, &owner.kind).is_none() {
        return true;
    }
    let found = match Kind::from_manifest(&owner.api_version, &owner.kind) {
        Some(kind) => {
            let namespace = if kind.is_namespaced() { namespace.clone() } else { "".into() };
            store.get(kind, &ObjectKey::new(namespace, owner.name.clone()))
        }
        None => [namespace.clone(), "".into()].into_iter().find_map(|namespace| {
            let key = ObjectKey::new(namespace, owner.name.clone());
            store.unstructured(&owner.api_version, &owner.kind, &key).cloned().map(Object::Unstructured)
        }),
    };
    found.is_some_and(|object| object.metadata().uid == owner.uid)
}

/// All objects that name this uid as an owner: in one namespace or, for an owner without one, anywhere.
fn dependents(store: &Store, namespace: &Rc<str>, uid: &str) -> Vec<Object> {
    let mut found: Vec<Object> =
        store.pods_controlled_by(uid).filter(|_| !uid.is_empty()).cloned().map(Object::Pod).collect();
    let owned = |metadata: &ObjectMeta| {
        metadata.owner_references.iter().any(|owner| *owner.uid == *uid)
            && (namespace.is_empty() || metadata.namespace == *namespace)
    };
    // Pods whose controller is somebody else are in no index.
    let besides = store.pods().values().filter(|pod| {
        !pod.metadata.owner_references.is_empty() && owned(&pod.metadata) && !pod.metadata.is_controlled_by(uid)
    });
    found.extend(besides.cloned().map(Object::Pod));
    for kind in
        [Kind::ReplicaSet, Kind::ControllerRevision, Kind::DaemonSet, Kind::Deployment, Kind::PodDisruptionBudget]
    {
        found.extend(store.list(kind).into_iter().filter(|object| owned(object.metadata())));
    }
    found
}

/// Kinds that own others in practice.
fn may_own(object: &Object) -> bool {
    !matches!(object.kind(), Some(Kind::Pod | Kind::Event | Kind::ControllerRevision | Kind::PriorityClass))
}

/// Which owners a write concerns: one that is gone or waits for its dependents, one whose dependent is gone while it
/// waits, and one that was not there in the first place.
pub fn on_change(change: &Change, store: &Store, now: Now) -> Vec<Timer> {
    let mut keys = Vec::new();
    match (&change.before, &change.after) {
        (Some(before), None) => {
            if may_own(before) {
                keys.push(key_of(before));
            }
            let owners = before.metadata().owner_references.iter();
            keys.extend(owners.filter(|owner| waits(store, before, owner)).map(|owner| reference_key(before, owner)));
        }
        (before, Some(after)) => {
            let (metadata, old) = (after.metadata(), before.as_ref().map(Object::metadata));
            if metadata.is_terminating()
                && !old.is_some_and(ObjectMeta::is_terminating)
                && metadata.finalizers.iter().any(|f| f == FOREGROUND_DELETION || f == ORPHAN_DEPENDENTS)
            {
                keys.push(key_of(after));
            }
            if !old.is_some_and(|old| Rc::ptr_eq(&old.owner_references, &metadata.owner_references)) {
                let owners = metadata.owner_references.iter();
                let missing = owners.filter(|owner| !exists(store, &metadata.namespace, owner));
                keys.extend(missing.map(|owner| reference_key(after, owner)));
            }
        }
        (None, None) => {}
    }
    keys.into_iter().map(|key| Timer::new(now.ms, key)).collect()
}

/// Whether the owner waits for this dependent to go.
fn waits(store: &Store, object: &Object, owner: &OwnerReference) -> bool {
    let namespace = owner_namespace(object, owner);
    find_owner(store, &namespace, &owner.kind, &owner.name, &owner.uid)
        .is_some_and(|found| found.metadata().finalizers.iter().any(|f| f == FOREGROUND_DELETION))
}

fn owner_namespace(object: &Object, owner: &OwnerReference) -> Rc<str> {
    match Kind::from_manifest(&owner.api_version, &owner.kind) {
        Some(kind) if !kind.is_namespaced() => "".into(),
        _ => object.metadata().namespace.clone(),
    }
}

fn reference_key(object: &Object, owner: &OwnerReference) -> ObjectKey {
    owner_key(&owner_namespace(object, owner), &owner.kind, &owner.name, &owner.uid)
}
