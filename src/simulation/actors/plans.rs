//! Committing the plans of actors that answer with [`Plan`].

use super::super::agenda::{Due, Turn};
use super::super::world::World;
use crate::apiserver::{Plan, Status, Timer, Write};
use crate::objects::ObjectKey;

/// Puts timers on the agenda.
pub fn add_timers(world: &mut World, timers: Vec<Timer>, cause: Option<usize>, turn: fn(ObjectKey) -> Turn) {
    for timer in timers {
        let due = Due { at_ms: timer.at_ms, turn: turn(timer.key), cause, background: timer.background };
        world.agenda.add(due);
    }
}

/// Carries a plan's writes out in order. Refusals are collected, not fatal: the actor looks again when something
/// changes, as a real one does.
pub fn commit(world: &mut World, writes: Vec<Write>) -> Vec<Status> {
    writes.into_iter().filter_map(|write| world.api.commit(write).err()).collect()
}

/// Carries a plan out and returns its reason and the actor's new memory.
pub fn carry_out<R, S>(world: &mut World, plan: Plan<R, S>, number: usize, turn: fn(ObjectKey) -> Turn) -> (R, S) {
    commit(world, plan.writes);
    add_timers(world, plan.timers, Some(number), turn);
    (plan.reason, plan.state)
}
