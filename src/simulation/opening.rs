//! A world that is put together bit by bit, so that a cluster of thousands of nodes does not freeze the page.

use super::scenario::Scenario;
use super::world::World;
use crate::apiserver::Change;
use crate::objects::*;
use crate::order::Order;

/// A world under construction: first the objects, then the actors' memory, then what the informers are shown, and last
/// the looks of all actors that find nothing to do.
#[derive(Clone, Debug)]
pub struct Opening {
    scenario: Scenario,
    world: World,
    objects: std::vec::IntoIter<Object>,
    told: Option<std::vec::IntoIter<Change>>,
    total: usize,
    done: usize,
}

impl Opening {
    /// Begins with a scenario (its own list of objects is left aside) and the objects as they stand.
    pub fn new(scenario: Scenario, mut objects: Vec<Object>) -> Self {
        let world = World::empty(&scenario);
        // What every cluster has is there already.
        objects.retain(|object| object.kind().is_none_or(|kind| world.store().get(kind, &object.key()).is_none()));
        // In the store's order, so that the same world comes of the scenario that is saved from it.
        let rank =
            |object: &Object| Kind::ALL.iter().position(|kind| Some(*kind) == object.kind()).unwrap_or(usize::MAX);
        let other = |object: &Object| match object {
            Object::Unstructured(other) => (other.api_version.clone(), other.kind.clone()),
            _ => Default::default(),
        };
        objects.order_by_cached_key(|object| (rank(object), other(object), object.key()));
        let total = objects.len().saturating_mul(2).saturating_add(1);
        Self { scenario, world, objects: objects.into_iter(), told: None, total, done: 0 }
    }

    /// How far it is: done, and all there is to do.
    pub fn progress(&self) -> (usize, usize) {
        (self.done, self.total)
    }

    /// Does up to `budget` of the work. Returns whether all is done.
    pub fn go_on(&mut self, budget: usize) -> bool {
        let Some(told) = &mut self.told else {
            for _ in 0..budget {
                match self.objects.next() {
                    Some(object) => self.world.api.restore(object),
                    None => {
                        self.wake_actors();
                        break;
                    }
                }
                self.done = self.done.saturating_add(1);
            }
            return false;
        };
        let changes: Vec<Change> = told.by_ref().take(budget).collect();
        if changes.is_empty() {
            let now = self.world.now_ms();
            return self.world.pass_some_idle_turns(now, 1, budget);
        }
        self.done = self.done.saturating_add(changes.len());
        self.world.tell_all(&changes, None);
        false
    }

    fn wake_actors(&mut self) {
        let world = &mut self.world;
        world.wake_actors(&self.scenario);
        self.told = Some(world.api.take_changes().into_iter());
        self.done = self.done.saturating_add(1);
    }

    /// The scenario and its world.
    pub fn finish(self) -> (Scenario, World) {
        (self.scenario, self.world)
    }
}
