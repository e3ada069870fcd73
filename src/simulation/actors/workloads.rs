//! Deployments, ReplicaSets and what their owners leave behind, in the step loop; and namespaces that go.

use super::super::agenda::{Due, Turn};
use super::super::step::{Reason, Subject};
use super::super::world::World;
use super::plans;
use crate::apiserver::{Change, Delete, Propagation, Write};
use crate::controllers::{deployment, garbage_collector, replicaset};
use crate::objects::{Kind, Object, ObjectKey};
use std::rc::Rc;

/// Reconciles a Deployment.
#[inline(never)]
pub fn deployment_turn(world: &mut World, key: &ObjectKey, number: usize) -> (Option<Subject>, Reason) {
    let plan = deployment::plan(world.store(), key, world.moment());
    let (reason, ()) = plans::carry_out(world, plan, number, Turn::Deployment);
    (Some(Subject { kind: Kind::Deployment, key: key.clone() }), Reason::Deployment(Rc::new(reason)))
}

/// Reconciles a ReplicaSet.
#[inline(never)]
pub fn replicaset_turn(world: &mut World, key: &ObjectKey, number: usize) -> Option<(Option<Subject>, Reason)> {
    let now = world.moment();
    let plan = replicaset::plan(world.store(), key, now)?;
    let World { api, actors, .. } = world;
    let done = replicaset::carry_out(plan, &actors.replica_sets, now, &mut |write| api.commit(write));
    actors.replica_sets = done.state;
    plans::add_timers(world, done.timers, Some(number), Turn::ReplicaSet);
    let subject = Subject { kind: Kind::ReplicaSet, key: key.clone() };
    Some((Some(subject), Reason::ReplicaSet(Rc::new(done.reason))))
}

/// The garbage collector looks at what an owner left behind.
#[inline(never)]
pub fn garbage_collector_turn(world: &mut World, key: &ObjectKey, number: usize) -> (Option<Subject>, Reason) {
    let plan = garbage_collector::plan(world.store(), key, world.moment());
    let (reason, ()) = plans::carry_out(world, plan, number, Turn::GarbageCollector);
    (None, Reason::GarbageCollector(Rc::new(reason)))
}

/// The namespace controller deletes what is in a namespace that goes, and lets the namespace go when it is empty.
///
/// Follows kubernetes pkg/controller/namespace/deletion, v1.36.
#[inline(never)]
pub fn namespace_turn(world: &mut World, key: &ObjectKey, number: usize) -> Option<(Option<Subject>, Reason)> {
    let namespace = world.store().namespace(key).filter(|namespace| namespace.metadata.is_terminating())?.clone();
    let inside: Vec<Object> =
        world.store().all().into_iter().filter(|object| *object.metadata().namespace == *key.name).collect();
    let mut deleted = 0;
    for object in &inside {
        let Some(kind) = object.kind() else {
            world.api.remove_unstructured(object);
            deleted += 1;
            continue;
        };
        if object.metadata().is_terminating() {
            continue;
        }
        deleted += 1;
        let _ = world.api.commit(Write::Delete(Delete {
            kind,
            key: object.key(),
            uid: None,
            grace_period_seconds: None,
            propagation: Propagation::Background,
        }));
    }
    let left = inside.len().saturating_sub(deleted);
    if inside.is_empty() {
        let mut gone = (*namespace).clone();
        gone.metadata.finalizers.clear();
        gone.metadata.deletion_grace_period_seconds = None;
        let _ = world.api.commit(Write::Update(gone.into()));
    } else {
        world.agenda.add(Due::new(world.now_ms.saturating_add(1000), Turn::Namespace(key.clone()), Some(number)));
    }
    let subject = Subject { kind: Kind::Namespace, key: key.clone() };
    Some((Some(subject), Reason::Namespace { deleted, left }))
}

/// What these controllers hear.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    let now = world.moment();
    let timers = replicaset::on_change(change, world.store(), now);
    plans::add_timers(world, timers, number, Turn::ReplicaSet);
    let timers = deployment::on_change(change, world.store(), now);
    plans::add_timers(world, timers, number, Turn::Deployment);
    let timers = garbage_collector::on_change(change, world.store(), now);
    plans::add_timers(world, timers, number, Turn::GarbageCollector);
    if let Some(Object::Namespace(namespace)) = &change.after
        && namespace.metadata.is_terminating()
    {
        world.agenda.add(Due::new(world.now_ms, Turn::Namespace(namespace.metadata.key()), number));
    }
}
