//! The controllers that look after nodes, in the step loop: node lifecycle, taint eviction, pod garbage collection.

use super::super::agenda::Turn;
use super::super::step::{Reason, Subject};
use super::super::world::World;
use super::plans;
use crate::apiserver::Change;
use crate::controllers::{node_lifecycle, pod_gc, taint_eviction};
use crate::objects::{Kind, ObjectKey};
use std::rc::Rc;

/// The node lifecycle controller looks at a node, at all of them, or taints the next one.
#[inline(never)]
pub fn node_lifecycle_turn(world: &mut World, key: &ObjectKey, number: usize) -> (Option<Subject>, Reason) {
    let silent_since = |node: &str| world.actors.kubelets.silent_since_ms(node);
    let state = &world.actors.node_lifecycle;
    let plan = node_lifecycle::plan(world.store(), key, state, &silent_since, world.moment());
    let (reason, state) = plans::carry_out(world, plan, number, Turn::NodeLifecycle);
    world.actors.node_lifecycle = state;
    let subject = key.namespace.is_empty().then(|| Subject { kind: Kind::Node, key: key.clone() });
    (subject, Reason::NodeLifecycle(Rc::new(reason)))
}

/// The taint eviction controller looks at a pod.
#[inline(never)]
pub fn taint_eviction_turn(world: &mut World, key: &ObjectKey, number: usize) -> (Option<Subject>, Reason) {
    let plan = taint_eviction::plan(world.store(), key, &world.actors.taint_eviction, world.moment());
    let (reason, state) = plans::carry_out(world, plan, number, Turn::TaintEviction);
    world.actors.taint_eviction = state;
    (Some(Subject { kind: Kind::Pod, key: key.clone() }), Reason::TaintEviction(Rc::new(reason)))
}

/// Pod garbage collection makes its round.
#[inline(never)]
pub fn pod_gc_turn(world: &mut World, number: usize) -> (Option<Subject>, Reason) {
    let plan = pod_gc::plan(world.store(), &world.actors.pod_gc, world.moment());
    let (reason, state) = plans::carry_out(world, plan, number, |_| Turn::PodGc);
    world.actors.pod_gc = state;
    (None, Reason::PodGc(Rc::new(reason)))
}

/// What these controllers hear.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    let now = world.moment();
    plans::add_timers(world, node_lifecycle::on_change(change, now), number, Turn::NodeLifecycle);
    let timers = taint_eviction::on_change(change, world.store(), &world.actors.taint_eviction, now);
    plans::add_timers(world, timers, number, Turn::TaintEviction);
    let timers = pod_gc::on_change(change, world.store(), now);
    plans::add_timers(world, timers, number, |_| Turn::PodGc);
}

/// A kubelet has fallen silent: the monitor's rounds begin.
pub fn on_silence(world: &mut World) {
    let timers = node_lifecycle::on_silence(world.moment());
    plans::add_timers(world, timers, None, Turn::NodeLifecycle);
}
