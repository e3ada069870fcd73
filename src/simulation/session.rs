//! A person's session: commands, stepping, time travel. The one face that the page, the JS API and the tests use.

use super::cycle::{Cycle, CycleDetector};
use super::duration::{format_duration, parse_duration};
use super::scenario::{LogEntry, Scenario};
use super::step::{Actor, CommandRun, Reason, Step};
use super::timeline::{Branch, Timeline};
use super::world::{Turned, World};
use crate::objects::{Object, encode};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most steps that opening a scenario makes, so that a log with a far-away entry cannot hang the page.
pub const MAX_REPLAYED_STEPS: usize = 200_000;

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is due any more.
    Quiet,
    /// The wave is over: the next thing due is a controller's turn (see [`Session::step_over`]).
    WaveOver,
    /// The budget is used up; call again to go on.
    More,
    /// The run goes round in circles.
    Loop(Cycle),
    /// The wanted time is reached.
    Reached,
}

/// Everything that a page needs: the world at the present position, all steps, all branches, the log.
#[derive(Clone, Debug)]
pub struct Session {
    /// The scenario as it was opened, without its log.
    opened: Scenario,
    /// Whether the scenario's objects are those of the world at the start, which are too many to be kept twice.
    objects_in_world: bool,
    timeline: Timeline,
    detector: CycleDetector,
    /// The step that comes after the end of the present line, computed when somebody asks.
    next: OnceCell<Option<Box<(Turned, World)>>>,
}

impl Session {
    /// Opens a scenario and replays its log. Commands of the log that fail are part of the story, not an error.
    pub fn new(scenario: Scenario) -> Self {
        let mut session = Self {
            timeline: Timeline::new(World::new(&scenario)),
            opened: Scenario { log: Vec::new(), ..scenario.clone() },
            objects_in_world: false,
            detector: CycleDetector::default(),
            next: OnceCell::new(),
        };
        let mut files = scenario.files.clone();
        for entry in &scenario.log {
            files.extend(entry.files.clone());
            session.replay(entry, &files);
        }
        session
    }

    /// Goes on from a world that was put together from the objects of a real cluster.
    pub fn adopt(scenario: Scenario, world: World) -> Self {
        Self {
            timeline: Timeline::new(world),
            opened: Scenario { log: Vec::new(), objects: Vec::new(), ..scenario },
            objects_in_world: true,
            detector: CycleDetector::default(),
            next: OnceCell::new(),
        }
    }

    /// Whether it began with the objects of a real cluster.
    pub fn is_adopted(&self) -> bool {
        self.objects_in_world
    }

    /// Objects at the start, as manifests.
    pub fn objects_at_start(&self) -> Vec<Value> {
        if !self.objects_in_world {
            return self.opened.objects.clone();
        }
        // What every cluster has is made anew.
        let usual = World::empty(&self.opened).store().all();
        let is_usual = |object: &&Object| usual.iter().any(|usual| usual.metadata().uid == object.metadata().uid);
        let objects = self.world_at(0).store().all();
        objects.iter().filter(|object| !is_usual(object)).map(|object| encode(&object.to_value())).collect()
    }

    /// Runs a command line: kubectl, `sim`, or several joined by `&&` and `;`. `files` are the editor's tabs, which
    /// `-f NAME` reads. If the present position is in the past, the old future becomes a branch.
    ///
    /// A command that waits (`rollout status`) is answered with `exit_code: None`; it ends while steps are made. One that
    /// waits already is interrupted, as by Ctrl+C.
    pub fn run(&mut self, line: &str, files: &BTreeMap<String, String>) -> Rc<CommandRun> {
        self.command(line, files, false)
    }

    /// The same in a second terminal: a command that waits goes on waiting.
    pub fn run_beside(&mut self, line: &str, files: &BTreeMap<String, String>) -> Rc<CommandRun> {
        self.command(line, files, true)
    }

    fn command(&mut self, line: &str, files: &BTreeMap<String, String>, beside: bool) -> Rc<CommandRun> {
        let mut world = self.world().clone();
        let number = self.position() + 1;
        world.pass_idle_turns(world.now_ms(), number);
        let turned = world.run_command(line, files, number, beside);
        let run = match &turned.reason {
            Reason::Command(run) => Rc::clone(run),
            _ => Rc::new(CommandRun::default()),
        };
        self.push(turned, world);
        self.detector = CycleDetector::default();
        run
    }

    /// Makes the next step: in the past, goes to the step that was made then; at the end, lets the next actor act.
    /// Returns false when nothing is due.
    pub fn step(&mut self) -> bool {
        if self.position() < self.len() {
            self.timeline.seek(self.position() + 1);
            return true;
        }
        match self.next.take() {
            Some(Some(next)) => {
                let (turned, world) = *next;
                self.push(turned, world);
                true
            }
            // Nobody has looked ahead: the world can change in place.
            None if self.timeline.advance() => true,
            None | Some(None) => {
                self.next = OnceCell::from(None);
                false
            }
        }
    }

    /// The step that would come next: in the past, the one that came then; at the end, a forecast, which a command may
    /// still change.
    pub fn next_step(&self) -> Option<Rc<Step>> {
        match self.timeline.step(self.position() + 1) {
            Some(step) => Some(Rc::clone(step)),
            None => self.look_ahead().map(|(turned, _)| Rc::new(self.timeline.as_step(turned.clone()))),
        }
    }

    fn look_ahead(&self) -> Option<&(Turned, World)> {
        let next = self.next.get_or_init(|| {
            let mut world = self.world().clone();
            world.take_turn(self.position() + 1).map(|turned| Box::new((turned, world)))
        });
        next.as_deref()
    }

    /// Steps to the end of the present wave: until a controller is about to act again, or nothing is due. Makes at
    /// least one step and at most `budget`.
    pub fn step_over(&mut self, budget: usize) -> Progress {
        for _ in 0..budget {
            if !self.step() {
                return Progress::Quiet;
            }
            if self.is_quiet() {
                return Progress::Quiet;
            }
            if self.controller_is_next() {
                return Progress::WaveOver;
            }
        }
        Progress::More
    }

    /// Steps until nothing is due but retries that only repeat what has happened before (a crash loop's next start), at
    /// most `budget` steps.
    pub fn run_to_quiet(&mut self, budget: usize) -> Progress {
        self.run_while(budget, |session| session.position() < session.len() || !session.world().agenda().is_quiet())
    }

    /// Steps as long as the next thing is due at `until_ms` or before, at most `budget` steps.
    pub fn run_until(&mut self, until_ms: u64, budget: usize) -> Progress {
        let progress = self.run_while(budget, |session| {
            // Nothing comes before what is first on the agenda, so most looks ahead can be spared.
            let may_be = session.position() < session.len()
                || session.world().agenda().next().is_some_and(|due| due.at_ms <= until_ms);
            may_be && session.next_due_ms().is_some_and(|at| at <= until_ms)
        });
        if progress == Progress::Quiet && self.position() == self.len() {
            self.pass_time(until_ms);
            return Progress::Reached;
        }
        progress
    }

    /// Moves the clock of the last world on, without a step.
    fn pass_time(&mut self, until_ms: u64) {
        if until_ms > self.world().now_ms() {
            let mut world = self.world().clone();
            world.pass_idle_turns(until_ms, self.position() + 1);
            world.pass_time(until_ms);
            self.timeline.amend(world);
            self.next = OnceCell::new();
        }
    }

    fn run_while(&mut self, budget: usize, go_on: impl Fn(&Self) -> bool) -> Progress {
        for _ in 0..budget {
            if !go_on(self) || !self.step() {
                return Progress::Quiet;
            }
            let (number, world) = (self.position(), self.world());
            let (shape, at_ms) = (world.shape(), world.now_ms());
            if let Some(cycle) = self.detector.look(shape, number, at_ms) {
                self.detector = CycleDetector::default();
                return Progress::Loop(cycle);
            }
        }
        Progress::More
    }

    /// Goes one step back. Returns false at the start.
    pub fn back(&mut self) -> bool {
        match self.position().checked_sub(1) {
            Some(position) => {
                self.seek(position);
                true
            }
            None => false,
        }
    }

    /// Goes to the state after the first `position` steps; past the end means the end. Returns where it is now.
    pub fn seek(&mut self, position: usize) -> usize {
        self.detector = CycleDetector::default();
        self.next = OnceCell::new();
        self.timeline.seek(position)
    }

    /// Number of steps before the present position.
    pub fn position(&self) -> usize {
        self.timeline.position()
    }

    /// Number of steps of the present line.
    pub fn len(&self) -> usize {
        self.timeline.len()
    }

    /// Whether there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.timeline.is_empty()
    }

    /// The world at the present position.
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    /// The world after the first `position` steps: kept, or made again from the last one that was.
    pub fn world_at(&self, position: usize) -> World {
        self.timeline.world_at(position)
    }

    /// The steps of the present line, past and future.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Rc<Step>> + ExactSizeIterator {
        self.timeline.steps()
    }

    /// Step `number`, counted from 1.
    pub fn step_number(&self, number: usize) -> Option<&Rc<Step>> {
        self.timeline.step(number)
    }

    /// Whether there is nothing to step to.
    pub fn is_quiet(&self) -> bool {
        self.next_due_ms().is_none()
    }

    /// Virtual time of the next step, if there is one.
    pub fn next_due_ms(&self) -> Option<u64> {
        match self.timeline.step(self.position() + 1) {
            Some(step) => Some(step.at_ms),
            None => self.look_ahead().map(|(turned, _)| turned.at_ms),
        }
    }

    /// The lines that were left by acting in the past.
    pub fn branches(&self) -> &[Branch] {
        self.timeline.branches()
    }

    /// How many steps a branch shares with the present line.
    pub fn fork_of(&self, branch: &Branch) -> usize {
        self.timeline.fork_of(branch)
    }

    /// Makes a branch the present line. Returns false if there is no such branch.
    pub fn switch_branch(&mut self, index: usize) -> bool {
        self.detector = CycleDetector::default();
        self.next = OnceCell::new();
        self.timeline.switch(index)
    }

    /// Forgets a branch.
    pub fn discard_branch(&mut self, index: usize) {
        self.timeline.discard(index);
    }

    /// The scenario that leads to the end of the present line: opened again, it makes the same steps.
    pub fn scenario(&self) -> Scenario {
        let mut known = self.opened.files.clone();
        let mut log = Vec::new();
        for step in self.steps() {
            let Reason::Command(run) = &step.reason else { continue };
            let mut files = BTreeMap::new();
            for (name, text) in &run.files {
                if known.get(name) != Some(text) {
                    known.insert(name.clone(), text.clone());
                    files.insert(name.clone(), text.clone());
                }
            }
            let (step, at) = (Some(step.number - 1), Some(format_duration(step.at_ms)));
            log.push(LogEntry { step, at, run: run.line.clone(), beside: run.beside, files });
        }
        Scenario { log, objects: self.objects_at_start(), ..self.opened.clone() }
    }

    /// The scenario as it was opened, without its log.
    pub fn opened(&self) -> &Scenario {
        &self.opened
    }

    fn push(&mut self, turned: Turned, world: World) {
        self.timeline.push(turned, world);
        self.next = OnceCell::new();
    }

    fn controller_is_next(&self) -> bool {
        let actor = match self.timeline.step(self.position() + 1) {
            Some(step) => Some(step.actor),
            None => self.look_ahead().map(|(turned, _)| turned.actor),
        };
        matches!(actor, Some(Actor::DaemonSetController | Actor::Person))
    }

    fn replay(&mut self, entry: &LogEntry, files: &BTreeMap<String, String>) {
        let at_ms = entry.at.as_deref().and_then(parse_duration);
        match (entry.step, at_ms) {
            (Some(step), _) => {
                while self.position() < step.min(MAX_REPLAYED_STEPS) && self.step() {}
                self.pass_time(at_ms.unwrap_or(0));
            }
            (None, Some(at_ms)) => {
                self.run_until(at_ms, MAX_REPLAYED_STEPS.saturating_sub(self.len()));
            }
            (None, None) => {
                self.run_to_quiet(MAX_REPLAYED_STEPS.saturating_sub(self.len()));
            }
        }
        self.command(&entry.run, files, entry.beside);
    }
}
