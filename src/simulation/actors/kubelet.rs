//! The kubelets in the step loop.

use super::super::agenda::Turn;
use super::super::step::{Reason, Subject};
use super::super::world::World;
use super::plans;
use crate::apiserver::Change;
use crate::kubelet;
use crate::objects::{Kind, ObjectKey};
use std::rc::Rc;

/// A kubelet looks at a pod or, when the key has no namespace, at its node.
#[inline(never)]
pub fn turn(world: &mut World, key: &ObjectKey, number: usize) -> Option<(Subject, Reason)> {
    let memory = std::mem::take(&mut world.actors.kubelets);
    let plan = kubelet::plan(world.store(), key, memory, world.moment());
    let (reason, state) = plans::carry_out(world, plan, number, Turn::Kubelet);
    world.actors.kubelets = state;
    let kind = if key.namespace.is_empty() { Kind::Node } else { Kind::Pod };
    let subject = Subject { kind, key: key.clone() };
    Some((subject, Reason::Kubelet(Rc::new(reason))))
}

/// What the kubelets hear.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    let timers = kubelet::on_change(change, &world.actors.kubelets, world.moment());
    plans::add_timers(world, timers, number, Turn::Kubelet);
}
