//! The state of everything at one moment, and how one turn changes it.

use super::actors::{self, Actors};
use super::agenda::{Agenda, Due, Turn};
use super::cycle::Shape;
use super::scenario::{Machine, Scenario};
use super::sim_command;
use super::step::{Actor, CommandRun, Reason, Subject};
use crate::apiserver::{ApiServer, Change, Now, Store};
use crate::kubectl::{self, CommandOutput, Context, Effect};
use crate::kubelet::Behaviours;
use crate::objects::*;
use crate::order::Collect;
use rpds::RedBlackTreeMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most idle looks in a row (an actor looks and finds nothing to do) before the simulation stops looking.
const MAX_IDLE_LOOKS: usize = 100_000;

/// Everything that the future depends on. Cloning is cheap: a clone is a snapshot.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) api: ApiServer,
    pub(super) start: Time,
    pub(super) now_ms: u64,
    pub(super) agenda: Agenda,
    pub(super) actors: Actors,
    pub(super) waiting: Option<Rc<Waiting>>,
    /// Commands that wait in other terminals: what clicks stand for.
    pub(super) beside: Vec<Rc<Waiting>>,
    /// Namespace of the current kubectl context; empty: `default`.
    namespace: Rc<str>,
    /// Files that command lines wrote (`> FILE`).
    written: RedBlackTreeMap<Rc<str>, Rc<str>>,
    shape: Shape,
}

/// A command that has not ended yet.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The line as typed.
    pub line: String,
    /// The step in which it was given.
    pub step: usize,
    /// What it waits for.
    pub what: WaitingFor,
}

/// What a command waits for.
#[derive(Clone, Debug)]
pub enum WaitingFor {
    /// For virtual time, in milliseconds since the start.
    Time(u64),
    /// For what kubectl waits for.
    Kubectl(kubectl::Waiting),
}

/// What a turn did, before it has a number.
#[derive(Clone, Debug)]
pub struct Turned {
    /// Virtual time, in milliseconds since the start.
    pub at_ms: u64,
    /// Who acted.
    pub actor: Actor,
    /// What it is about.
    pub subject: Option<Subject>,
    /// Why, and what was decided.
    pub reason: Reason,
    /// The step that made the turn due.
    pub cause: Option<usize>,
    /// What it wrote.
    pub changes: Rc<[Change]>,
}

impl World {
    /// The world at the start of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut world = Self::empty(scenario);
        for tree in &scenario.objects {
            // What cannot be read at all was refused when the scenario was opened.
            if let Ok(object) = Object::from_value(tree.clone()) {
                world.api.restore(object);
            }
        }
        world.wake_actors(scenario);
        let changes = world.api.take_changes();
        world.tell_all(&changes, None);
        world
    }

    /// A world with the scenario's clock and behaviours, and nothing in it.
    pub(super) fn empty(scenario: &Scenario) -> Self {
        Self {
            api: ApiServer::new(scenario.seed, scenario.start),
            start: scenario.start,
            now_ms: 0,
            agenda: Agenda::default(),
            actors: Actors::new(&Store::default(), scenario.behaviours.clone()),
            waiting: None,
            beside: Vec::new(),
            namespace: "".into(),
            written: RedBlackTreeMap::new(),
            shape: Shape::default(),
        }
    }

    /// Lets the actors see for the first time what is there.
    pub(super) fn wake_actors(&mut self, scenario: &Scenario) {
        self.actors = Actors::new(self.store(), scenario.behaviours.clone());
        for (node, machine) in &scenario.machines {
            self.set_up_machine(node, machine);
        }
    }

    /// What is on a machine beside its pods at the start.
    fn set_up_machine(&mut self, node: &str, machine: &Machine) {
        let mut kubelets = self.actors.kubelets.clone();
        for (resource, amount) in &machine.uses {
            kubelets = kubelets.with_machine_usage(node, resource, *amount);
        }
        let pods: Vec<Rc<Pod>> = machine.static_pods.iter().filter_map(|tree| decode(tree.clone()).ok()).collect();
        if !pods.is_empty() {
            kubelets = kubelets.with_static_pods(node, pods);
        }
        self.actors.kubelets = kubelets;
        self.look_at_node(node);
    }

    /// All objects.
    pub fn store(&self) -> &Store {
        self.api.store()
    }

    /// The API server, to read from.
    pub fn api(&self) -> &ApiServer {
        &self.api
    }

    /// Virtual milliseconds since the start.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Virtual time as objects carry it.
    pub fn now(&self) -> Time {
        self.time_at(self.now_ms)
    }

    /// The moment as the actors see it.
    pub fn moment(&self) -> Now {
        Now::at(self.start, self.now_ms)
    }

    /// Virtual time of the start.
    pub fn start(&self) -> Time {
        self.start
    }

    /// What the cluster looks like, for finding loops.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Namespace of the current kubectl context; empty: `default`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// All turns to come.
    pub fn agenda(&self) -> &Agenda {
        &self.agenda
    }

    fn time_at(&self, ms: u64) -> Time {
        self.start.plus_seconds(i64::try_from(ms / 1000).unwrap_or(i64::MAX))
    }

    /// Moves the clock on; never back.
    pub fn pass_time(&mut self, to_ms: u64) {
        self.now_ms = self.now_ms.max(to_ms);
        self.api.set_now(self.now());
        self.agenda.set_now(self.now_ms);
    }

    /// The clock as the controllers see it: milliseconds since 1970-01-01T00:00:00Z.
    pub fn epoch_ms(&self) -> i64 {
        let now = i64::try_from(self.now_ms).unwrap_or(i64::MAX);
        self.start.0.saturating_mul(1000).saturating_add(now)
    }

    /// The command that has not ended yet.
    pub fn waiting(&self) -> Option<&Waiting> {
        self.waiting.as_deref()
    }

    /// Whether any command has not ended yet, in any terminal.
    pub fn waits(&self) -> bool {
        self.waiting.is_some() || !self.beside.is_empty()
    }

    /// How pods behave.
    pub fn behaviours(&self) -> &Behaviours {
        &self.actors.kubelets.behaviours
    }

    /// Lets the next actor act that has something to do. `number` is that of the step it will be. `None`: nothing is
    /// due any more.
    pub fn take_turn(&mut self, number: usize) -> Option<Turned> {
        for _ in 0..MAX_IDLE_LOOKS {
            let Due { at_ms, turn, cause, .. } = self.agenda.pop()?;
            self.pass_time(at_ms);
            let Some(acted) = actors::turn(self, &turn, number) else { continue };
            let changes = self.api.take_changes();
            if changes.is_empty() && !acted.reason.is_told_without_changes() {
                continue;
            }
            let cause = acted.cause.or(cause);
            return Some(self.turned(acted.actor, acted.subject, acted.reason, cause, changes, number));
        }
        None
    }

    /// Lets actors look that are due until then and find nothing to do. Such looks make no step, but a person who acts
    /// later acts after them.
    pub fn pass_idle_turns(&mut self, until_ms: u64, number: usize) {
        self.pass_some_idle_turns(until_ms, number, MAX_IDLE_LOOKS);
    }

    /// The same for at most so many of them. Returns whether there are no more.
    pub(super) fn pass_some_idle_turns(&mut self, until_ms: u64, number: usize, most: usize) -> bool {
        for _ in 0..most {
            if self.agenda.next().is_none_or(|due| due.at_ms > until_ms) {
                return true;
            }
            let mut trial = self.clone();
            let Some(Due { at_ms, turn, .. }) = trial.agenda.pop() else { return true };
            trial.pass_time(at_ms);
            let acted = actors::turn(&mut trial, &turn, number);
            let wrote = !trial.api.take_changes().is_empty();
            if acted.is_some_and(|acted| wrote || acted.reason.is_told_without_changes()) {
                return true;
            }
            *self = trial;
        }
        false
    }

    /// Runs a person's command line; `beside`: not in the place of one that waits.
    pub fn run_command(&mut self, line: &str, files: &BTreeMap<String, String>, number: usize, beside: bool) -> Turned {
        let beside = beside && self.waits();
        if !beside {
            // A new line at the prompt means that the one before was interrupted.
            self.waiting = None;
            self.agenda.remove(&Turn::Command);
            if self.waits() {
                self.agenda.add(Due::new(self.now_ms, Turn::Command, Some(number)));
            }
        }
        let (mut output, mut waits) = match sim_command::words(line) {
            Some(words) => self.run_sim(&words),
            None => self.run_kubectl(line, files),
        };
        // It may have printed, or be done, already.
        if let Some(WaitingFor::Kubectl(command)) = &mut waits {
            let poll = command.poll(&mut self.api);
            self.schedule_poll(poll.wake_at, Some(number));
            (output.stdout, output.stderr, output.effects) = (poll.new_stdout, poll.new_stderr, poll.effects);
            if let Some(exit_code) = poll.done {
                output.exit_code = exit_code;
                waits = None;
            }
        }
        let exit_code = waits.is_none().then_some(output.exit_code);
        if let Some(what) = waits {
            if let WaitingFor::Time(until) = &what {
                self.agenda.add(Due::new(*until, Turn::Command, Some(number)));
            }
            let waiting = Rc::new(Waiting { line: line.into(), step: number, what });
            if beside {
                self.beside.push(waiting);
            } else {
                self.waiting = Some(waiting);
            }
        }
        self.take_effects(&output.effects);
        let named = |name: &str| line.contains(name) || line.contains(&kubectl::shell::quote(name));
        let files = files.iter().filter(|(name, _)| named(name));
        let run = CommandRun {
            line: line.into(),
            stdout: output.stdout,
            stderr: output.stderr,
            exit_code,
            files: files.map(|(name, text)| (name.clone(), text.clone())).collect_map(),
            effects: output.effects,
            beside,
        };
        let changes = self.api.take_changes();
        self.turned(Actor::Person, None, Reason::Command(Rc::new(run)), None, changes, number)
    }

    fn turned(
        &mut self,
        actor: Actor,
        subject: Option<Subject>,
        reason: Reason,
        cause: Option<usize>,
        changes: Vec<Change>,
        number: usize,
    ) -> Turned {
        self.tell_all(&changes, Some(number));
        let changes: Rc<[Change]> = changes.into();
        Turned { at_ms: self.now_ms, actor, subject, reason, cause, changes }
    }

    /// Shows changes to the informers of all actors.
    pub(super) fn tell_all(&mut self, changes: &[Change], number: Option<usize>) {
        self.shape = self.shape.after(changes);
        for change in changes {
            actors::on_change(self, change, number);
        }
        // A waiting command sees every change, after the actors.
        let looks = |waiting: &Rc<Waiting>| matches!(waiting.what, WaitingFor::Kubectl(_));
        if !changes.is_empty() && self.waiting.iter().chain(&self.beside).any(looks) {
            self.agenda.add(Due::new(self.now_ms, Turn::Command, number));
        }
    }

    /// A waiting kubectl command looks again at this time at the latest.
    pub(super) fn schedule_poll(&mut self, at: Option<Time>, cause: Option<usize>) {
        if let Some(at) = at {
            let seconds = u64::try_from(at.seconds_since(self.start)).unwrap_or(0);
            let at_ms = seconds.saturating_mul(1000).max(self.now_ms.saturating_add(1));
            self.agenda.add(Due::new(at_ms, Turn::Command, cause));
        }
    }

    /// What a command did outside the cluster.
    pub(super) fn take_effects(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Namespace(namespace) => self.namespace = namespace.as_str().into(),
                Effect::File { name, text } => self.written.insert_mut(name.as_str().into(), text.as_str().into()),
                Effect::Edit { .. } => {}
            }
        }
    }

    fn run_kubectl(&mut self, line: &str, files: &BTreeMap<String, String>) -> (CommandOutput, Option<WaitingFor>) {
        let mut context = Context {
            files: files.clone(),
            namespace: self.namespace.to_string(),
            stdin: None,
            behaviours: self.behaviours().clone(),
        };
        context.files.extend(self.written.iter().map(|(name, text)| (name.to_string(), text.to_string())));
        match kubectl::run(&mut self.api, &context, line) {
            kubectl::Outcome::Done(output) => (output, None),
            kubectl::Outcome::Waiting(waiting) => (CommandOutput::default(), Some(WaitingFor::Kubectl(waiting))),
        }
    }
}
