//! The scheduler in the step loop: one turn is one scheduling cycle of the pod that is first in the queue.

use super::super::agenda::{Due, Turn};
use super::super::step::{Reason, Subject};
use super::super::world::World;
use super::plans;
use crate::apiserver::{Change, Store};
use crate::objects::{Kind, Object, ObjectKey};
use crate::scheduler::{self, SchedulingQueue};
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// The queue, and what brought its pods there.
#[derive(Clone, Debug, Default)]
pub struct SchedulerState {
    queue: SchedulingQueue,
    /// The step that made a pod, until the scheduler has looked at it.
    created_in: RedBlackTreeMap<ObjectKey, usize>,
    /// The last step that brought waiting pods back.
    woken_in: Option<usize>,
}

impl SchedulerState {
    /// The scheduler of a cluster that is there already.
    pub fn new(store: &Store) -> Self {
        Self { queue: SchedulingQueue::from_store(store), ..Self::default() }
    }

    /// The pods that have to be placed.
    pub fn queue(&self) -> &SchedulingQueue {
        &self.queue
    }
}

/// One scheduling cycle. Returns also the step that brought the pod into the queue.
#[inline(never)]
pub fn turn(world: &mut World, number: usize) -> Option<(Subject, Reason, Option<usize>)> {
    let key = world.actors.scheduler.queue.pop()?;
    let cause = world.actors.scheduler.created_in.get(&key).copied().or(world.actors.scheduler.woken_in);
    world.actors.scheduler.created_in.remove_mut(&key);
    let plan = scheduler::plan(world.store(), &key, world.now());
    if let Some(pod) = world.store().pod(&key).cloned() {
        world.actors.scheduler.queue.finish(&pod, &plan.reason);
    }
    plans::commit(world, plan.writes);
    look_again(world, Some(number));
    Some((Subject { kind: Kind::Pod, key }, Reason::Scheduler(Rc::new(plan.reason)), cause))
}

/// What the scheduler hears.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    let before = world.actors.scheduler.queue.len();
    let World { api, actors, .. } = world;
    actors.scheduler.queue.observe(api.store(), change);
    if actors.scheduler.queue.len() > before {
        match (change, number) {
            (Change { before: None, after: Some(Object::Pod(pod)) }, Some(number)) => {
                actors.scheduler.created_in.insert_mut(pod.metadata.key(), number);
            }
            _ => actors.scheduler.woken_in = number,
        }
    }
    look_again(world, number);
}

/// As long as the queue is not empty, the scheduler's next turn is due at once.
pub fn look_again(world: &mut World, cause: Option<usize>) {
    if !world.actors.scheduler.queue.is_empty() {
        world.agenda.add(Due::new(world.now_ms, Turn::Scheduler, cause));
    }
}
