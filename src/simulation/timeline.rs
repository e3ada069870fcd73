//! Going back and forth: all steps, a snapshot now and then, and branches for what was done otherwise.
//!
//! A run depends on nothing but the world, so the states between two snapshots need not be kept: they are made again,
//! exactly, from the snapshot before. A snapshot that is not kept costs no memory, and the steps that nobody holds a
//! snapshot of change the world in place, which is what makes them fast.

use super::step::{Reason, Step};
use super::world::{Turned, World};
use crate::order::Collect;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Steps from one snapshot to the next: at most so many are made again for a jump.
pub const SNAPSHOT_INTERVAL: usize = 64;

/// Steps with the worlds that were kept.
///
/// Invariant: `kept` holds the start (position 0) and every state that no actor's turn led to (the end of a command,
/// the clock moved on by hand), so that any other state is that of the nearest one before it and some turns.
#[derive(Clone, Debug)]
struct Line {
    steps: Vec<Rc<Step>>,
    kept: BTreeMap<usize, World>,
}

impl Line {
    /// The world after the first `position` steps.
    fn world_at(&self, position: usize) -> Option<World> {
        let (&from, world) = self.kept.range(..=position).next_back()?;
        let mut world = world.clone();
        for number in from.saturating_add(1)..=position {
            // What was made once is made again.
            world.take_turn(number)?;
        }
        Some(world)
    }
}

/// A line of steps that was left by acting in the past. It shares its first steps with other lines.
#[derive(Clone, Debug)]
pub struct Branch {
    line: Line,
}

impl Branch {
    /// Number of steps from the start.
    pub fn len(&self) -> usize {
        self.line.steps.len()
    }

    /// Whether the line has no step.
    pub fn is_empty(&self) -> bool {
        self.line.steps.is_empty()
    }

    /// Its steps, from the start.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Rc<Step>> + ExactSizeIterator {
        self.line.steps.iter()
    }
}

/// All steps of the present line, the world at a position in it, and the branches that were left.
///
/// Invariant: `position <= len()`; position 0 is the start, before any step; `present` is the world there. `visited` is
/// a world of the present line that somebody has just looked at, with its position.
#[derive(Clone, Debug)]
pub struct Timeline {
    line: Line,
    position: usize,
    present: World,
    visited: RefCell<Option<(usize, World)>>,
    branches: Vec<Branch>,
}

impl Timeline {
    /// A timeline without steps.
    pub fn new(start: World) -> Self {
        let line = Line { steps: Vec::new(), kept: [(0, start.clone())].into_iter().collect_map() };
        Self { line, position: 0, present: start, visited: RefCell::default(), branches: Vec::new() }
    }

    /// The world at the present position.
    pub fn world(&self) -> &World {
        &self.present
    }

    /// The world after the first `position` steps; past the end, the last one. At most [`SNAPSHOT_INTERVAL`] steps are
    /// made again; for one position after the other, one step each.
    pub fn world_at(&self, position: usize) -> World {
        let position = position.min(self.len());
        if position == self.position {
            return self.present.clone();
        }
        let visited = self.visited.take().filter(|(at, _)| {
            // No world of its own stands between: every state up to there is that of the one before and a turn.
            self.line.kept.range(..=position).next_back().is_none_or(|(kept, _)| kept <= at) && *at <= position
        });
        let world = match visited {
            Some((at, mut world)) => (at.saturating_add(1)..=position)
                .try_for_each(|number| world.take_turn(number).map(drop))
                .map(|()| world),
            None => self.line.world_at(position),
        };
        let world = world.unwrap_or_else(|| self.present.clone());
        self.visited.replace(Some((position, world.clone())));
        world
    }

    /// Number of steps before the present position.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of steps of the present line.
    pub fn len(&self) -> usize {
        self.line.steps.len()
    }

    /// Whether there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.line.steps.is_empty()
    }

    /// The steps of the present line; step `n` led to position `n`, counted from 1.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Rc<Step>> + ExactSizeIterator {
        self.line.steps.iter()
    }

    /// Step `number`, counted from 1.
    pub fn step(&self, number: usize) -> Option<&Rc<Step>> {
        number.checked_sub(1).and_then(|index| self.line.steps.get(index))
    }

    /// Goes to a position; past the end means the end. Returns where it is now.
    pub fn seek(&mut self, position: usize) -> usize {
        let position = position.min(self.len());
        if position == self.position {
            return position;
        }
        if self.position == self.len() {
            // The end is where most ways lead back to.
            self.line.kept.insert(self.position, self.present.clone());
        }
        if position == self.position.saturating_add(1) && !self.line.kept.contains_key(&position) {
            self.present.take_turn(position);
        } else if let Some(world) = self.line.world_at(position) {
            self.present = world;
        }
        self.position = position;
        position
    }

    /// Adds a step after the present position, with the world that it led to. If the position is in the past, the old
    /// future becomes a branch.
    pub fn push(&mut self, turned: Turned, world: World) {
        self.leave_future();
        let by_command = matches!(turned.reason, Reason::Command(_));
        let step = self.as_step(turned);
        self.line.steps.push(Rc::new(step));
        self.present = world;
        self.arrive(by_command);
    }

    /// At the end of the line, lets the next actor act. Returns false when nothing is due; then nothing has changed.
    pub fn advance(&mut self) -> bool {
        let now_ms = self.present.now_ms();
        let Some(turned) = self.present.take_turn(self.position.saturating_add(1)) else {
            // Looks that found nothing to do have moved the clock.
            if let Some(world) = self.line.world_at(self.position) {
                self.present = world;
            }
            return false;
        };
        let step = as_step(turned, self.position.saturating_add(1), now_ms);
        self.line.steps.push(Rc::new(step));
        self.arrive(false);
        true
    }

    /// The position is at the new end.
    fn arrive(&mut self, keep: bool) {
        self.position = self.line.steps.len();
        if keep || self.position.is_multiple_of(SNAPSHOT_INTERVAL) {
            self.line.kept.insert(self.position, self.present.clone());
        }
    }

    /// A turn as the step that would come next.
    pub fn as_step(&self, turned: Turned) -> Step {
        as_step(turned, self.position.saturating_add(1), self.present.now_ms())
    }

    /// Replaces the world at the present position, for what changes without a step (the clock, an idle look of an
    /// actor).
    pub fn amend(&mut self, world: World) {
        self.visited.take();
        self.line.kept.insert(self.position, world.clone());
        self.present = world;
    }

    /// The lines that were left, oldest first.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// How many steps a branch shares with the present line.
    pub fn fork_of(&self, branch: &Branch) -> usize {
        let pairs = self.line.steps.iter().zip(&branch.line.steps);
        pairs.take_while(|(a, b)| Rc::ptr_eq(a, b)).count()
    }

    /// Makes a branch the present line, at its end; the line that was left becomes the branch in its place. Returns
    /// false if there is no such branch.
    pub fn switch(&mut self, index: usize) -> bool {
        let Some(branch) = self.branches.get_mut(index) else { return false };
        let end = branch.line.steps.len();
        let Some(world) = branch.line.world_at(end) else { return false };
        self.visited.take();
        if self.position == self.line.steps.len() {
            self.line.kept.insert(self.position, self.present.clone());
        }
        std::mem::swap(&mut self.line, &mut branch.line);
        self.present = world;
        self.position = end;
        true
    }

    /// Forgets a branch.
    pub fn discard(&mut self, index: usize) {
        if index < self.branches.len() {
            self.branches.remove(index);
        }
    }

    fn leave_future(&mut self) {
        if self.position < self.len() {
            self.visited.take();
            let steps = self.line.steps.iter().take(self.position).cloned().collect();
            let kept = self.line.kept.range(..=self.position).map(|(at, world)| (*at, world.clone())).collect_map();
            let left = std::mem::replace(&mut self.line, Line { steps, kept });
            self.branches.push(Branch { line: left });
        }
    }
}

fn as_step(turned: Turned, number: usize, now_ms: u64) -> Step {
    Step {
        number,
        at_ms: turned.at_ms,
        waited_ms: turned.at_ms.saturating_sub(now_ms),
        actor: turned.actor,
        subject: turned.subject,
        reason: turned.reason,
        cause: turned.cause,
        changes: turned.changes,
    }
}
