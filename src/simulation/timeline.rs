//! Going back and forth: one snapshot for every step, branches for what was done otherwise.

use super::step::Step;
use super::world::World;
use std::rc::Rc;

/// A step and the world after it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What happened.
    pub step: Rc<Step>,
    /// The world after it.
    pub world: World,
}

/// A line of steps that was left by acting in the past. It shares its first steps with other lines.
#[derive(Clone, Debug)]
pub struct Branch {
    frames: Vec<Rc<Frame>>,
}

impl Branch {
    /// Number of steps from the start.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether the line has no step.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Its steps, from the start.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Rc<Step>> + ExactSizeIterator {
        self.frames.iter().map(|frame| &frame.step)
    }

    /// The world at its end.
    pub fn world(&self) -> Option<&World> {
        self.frames.last().map(|frame| &frame.world)
    }
}

/// All steps of the present line, the position in it, and the branches that were left.
///
/// Invariant: `position <= frames.len()`; position 0 is the start, before any step.
#[derive(Clone, Debug)]
pub struct Timeline {
    start: World,
    frames: Vec<Rc<Frame>>,
    position: usize,
    branches: Vec<Branch>,
}

impl Timeline {
    /// A timeline without steps.
    pub fn new(start: World) -> Self {
        Self { start, frames: Vec::new(), position: 0, branches: Vec::new() }
    }

    /// The world at the present position.
    pub fn world(&self) -> &World {
        self.world_at(self.position)
    }

    /// The world after the first `position` steps; past the end, the last one.
    pub fn world_at(&self, position: usize) -> &World {
        let last = position.min(self.frames.len());
        last.checked_sub(1).and_then(|index| self.frames.get(index)).map_or(&self.start, |frame| &frame.world)
    }

    /// Number of steps before the present position.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of steps of the present line.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The steps of the present line; step `n` led to position `n`, counted from 1.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Rc<Step>> + ExactSizeIterator {
        self.frames.iter().map(|frame| &frame.step)
    }

    /// Step `number`, counted from 1.
    pub fn step(&self, number: usize) -> Option<&Rc<Step>> {
        number.checked_sub(1).and_then(|index| self.frames.get(index)).map(|frame| &frame.step)
    }

    /// Goes to a position; past the end means the end. Returns where it is now.
    pub fn seek(&mut self, position: usize) -> usize {
        self.position = position.min(self.frames.len());
        self.position
    }

    /// Adds a step after the present position. If the position is in the past, the old future becomes a branch.
    pub fn push(&mut self, step: Step, world: World) {
        self.leave_future();
        self.frames.push(Rc::new(Frame { step: Rc::new(step), world }));
        self.position = self.frames.len();
    }

    /// Replaces the world at the present position, for what changes without a step (a file of the editor, an idle
    /// look of an actor).
    pub fn amend(&mut self, world: World) {
        match self.position.checked_sub(1).and_then(|index| self.frames.get_mut(index)) {
            Some(frame) => Rc::make_mut(frame).world = world,
            None => self.start = world,
        }
    }

    /// The lines that were left, oldest first.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// How many steps a branch shares with the present line.
    pub fn fork_of(&self, branch: &Branch) -> usize {
        let pairs = self.frames.iter().zip(&branch.frames);
        pairs.take_while(|(a, b)| Rc::ptr_eq(&a.step, &b.step)).count()
    }

    /// Makes a branch the present line, at its end; the line that was left becomes the branch in its place. Returns
    /// false if there is no such branch.
    pub fn switch(&mut self, index: usize) -> bool {
        let Some(branch) = self.branches.get_mut(index) else { return false };
        std::mem::swap(&mut self.frames, &mut branch.frames);
        self.position = self.frames.len();
        true
    }

    /// Forgets a branch.
    pub fn discard(&mut self, index: usize) {
        if index < self.branches.len() {
            self.branches.remove(index);
        }
    }

    fn leave_future(&mut self) {
        if self.position < self.frames.len() {
            let kept = self.frames.iter().take(self.position).cloned().collect();
            self.branches.push(Branch { frames: std::mem::replace(&mut self.frames, kept) });
        }
    }
}
