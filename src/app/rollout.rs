//! The rollout of one DaemonSet over all steps, for the chart. Each step costs only what it changed.

use crate::apiserver::Store;
use crate::app::view::{Chart, Mark, MarkKind, Sample};
use crate::controllers::daemonset::eligibility::Rules;
use crate::kubelet::{EndReason, Happening};
use crate::objects::*;
use crate::simulation::{Actor, Reason, Session, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How the chart counts a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    NewAvailable,
    OldAvailable,
    Unavailable,
    Pending,
}

/// The chart under construction.
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    chart: Rc<Chart>,
    /// The steps that the chart shows, to notice when the line of time has become another.
    steps: Vec<Rc<Step>>,
    state: State,
}

/// Where the nodes stand after the last step that was looked at.
#[derive(Clone, Debug, Default)]
struct State {
    /// What the steps up to there have left, without events.
    store: Store,
    /// Virtual time of the start.
    start: Time,
    nodes: BTreeMap<Rc<str>, Class>,
    /// Nodes with a pod that is ready and not available: time alone can change them.
    unsettled: BTreeSet<Rc<str>>,
    counts: Sample,
}

impl Rollout {
    /// The chart of this DaemonSet for the present line of time.
    pub fn update(&mut self, session: &Session, set: Option<&ObjectKey>, colour: u8) -> Rc<Chart> {
        let same_set = self.chart.set.as_ref() == set && !self.chart.times.is_empty();
        let known = if same_set { self.common(session) } else { 0 };
        if same_set && known == self.steps.len() && known == session.len() && self.chart.colour == colour {
            return Rc::clone(&self.chart);
        }
        if !same_set || known < self.steps.len() {
            self.go_back(session, set, known, same_set);
        }
        let chart = Rc::make_mut(&mut self.chart);
        chart.colour = colour;
        for number in self.steps.len() + 1..=session.len() {
            let Some(step) = session.step_number(number) else { break };
            self.state.follow(step, set);
            chart.times.push(step.at_ms);
            chart.samples.push(self.state.counts);
            chart.marks.extend(mark_of(step));
            self.steps.push(Rc::clone(step));
        }
        Rc::clone(&self.chart)
    }

    /// How many of the steps are still those of the session.
    fn common(&self, session: &Session) -> usize {
        let is_same =
            |count: usize| match (count.checked_sub(1).and_then(|i| self.steps.get(i)), session.step_number(count)) {
                (Some(ours), Some(theirs)) => Rc::ptr_eq(ours, theirs),
                _ => count == 0,
            };
        let mut count = self.steps.len().min(session.len());
        while !is_same(count) {
            count -= 1;
        }
        count
    }

    /// Forgets the steps after `count`.
    fn go_back(&mut self, session: &Session, set: Option<&ObjectKey>, count: usize, keep: bool) {
        let world = session.world_at(count);
        self.state = State::read(world.store().clone(), world.start(), world.now(), set);
        let chart = Rc::make_mut(&mut self.chart);
        self.steps.truncate(count);
        if keep {
            chart.times.truncate(count + 1);
            chart.samples.truncate(count + 1);
            chart.marks.retain(|mark| mark.step <= count);
        } else {
            *chart = Chart { set: set.cloned(), times: vec![0], samples: vec![self.state.counts], ..Chart::default() };
        }
    }
}

impl State {
    /// All nodes of a world.
    fn read(store: Store, start: Time, now: Time, set: Option<&ObjectKey>) -> Self {
        let mut state = Self { store, start, ..Self::default() };
        let store = state.store.clone();
        let Some(view) = set.and_then(|key| SetView::of(&store, now, key)) else { return state };
        for node in store.nodes().values() {
            state.look(&view, node.name());
        }
        state.counts.floor = view.floor(state.counts.desired());
        state
    }

    /// The world after one more step.
    fn follow(&mut self, step: &Step, set: Option<&ObjectKey>) {
        for change in step.changes.iter() {
            match (&change.after, &change.before) {
                (Some(Object::Event(_)), _) => {}
                (Some(after), _) => drop(self.store.put(after.clone())),
                (None, Some(before)) => {
                    if let Some(kind) = before.kind() {
                        self.store.remove(kind, &before.key());
                    }
                }
                (None, None) => {}
            }
        }
        let Some(key) = set else { return };
        let now = self.start.plus_seconds(i64::try_from(step.at_ms / 1000).unwrap_or(i64::MAX));
        let mut nodes: BTreeSet<Rc<str>> = std::mem::take(&mut self.unsettled);
        for change in step.changes.iter() {
            match change.object() {
                // A new template or revision changes what "new" means for every pod.
                Some(Object::DaemonSet(object)) if object.metadata.key() == *key && changes_spec(change) => {
                    *self = Self::read(std::mem::take(&mut self.store), self.start, now, set);
                    return;
                }
                Some(Object::ControllerRevision(_)) => {
                    *self = Self::read(std::mem::take(&mut self.store), self.start, now, set);
                    return;
                }
                _ => nodes.extend(nodes_of(change)),
            }
        }
        let store = self.store.clone();
        let Some(view) = SetView::of(&store, now, key) else { return };
        for node in nodes {
            self.look(&view, &node);
        }
        self.counts.floor = view.floor(self.counts.desired());
    }

    fn look(&mut self, view: &SetView<'_>, node: &Rc<str>) {
        let before = self.nodes.remove(node);
        let (after, unsettled) = view.class_of(node);
        if let Some(class) = before {
            *self.count(class) -= 1;
        }
        if let Some(class) = after {
            *self.count(class) += 1;
            self.nodes.insert(node.clone(), class);
        }
        if unsettled {
            self.unsettled.insert(node.clone());
        } else {
            self.unsettled.remove(node);
        }
    }

    fn count(&mut self, class: Class) -> &mut u32 {
        match class {
            Class::NewAvailable => &mut self.counts.new_available,
            Class::OldAvailable => &mut self.counts.old_available,
            Class::Unavailable => &mut self.counts.unavailable,
            Class::Pending => &mut self.counts.pending,
        }
    }
}

/// Whether a change of a DaemonSet is more than a new status.
fn changes_spec(change: &crate::apiserver::Change) -> bool {
    match (&change.before, &change.after) {
        (Some(Object::DaemonSet(before)), Some(Object::DaemonSet(after))) => {
            before.metadata.generation != after.metadata.generation || before.metadata.uid != after.metadata.uid
        }
        _ => true,
    }
}

/// The nodes that a change concerns.
pub fn nodes_of(change: &crate::apiserver::Change) -> impl Iterator<Item = Rc<str>> {
    let node = |object: &Option<Object>| match object {
        Some(Object::Node(node)) => Some(node.metadata.name.clone()),
        Some(Object::Pod(pod)) => pod.target_node().map(Rc::from),
        _ => None,
    };
    let (before, after) = (node(&change.before), node(&change.after));
    let second = after.clone().filter(|after| Some(after) != before.as_ref());
    before.into_iter().chain(second)
}

/// The DaemonSet in a world.
struct SetView<'a> {
    store: &'a Store,
    set: &'a DaemonSet,
    rules: Rules<'a>,
    newest: Option<&'a str>,
    now: Time,
}

impl<'a> SetView<'a> {
    fn of(store: &'a Store, now: Time, key: &ObjectKey) -> Option<Self> {
        let set = store.daemon_set(key)?;
        let own = Store::in_namespace(store.controller_revisions(), &key.namespace)
            .filter(|revision| revision.metadata.is_controlled_by(&set.metadata.uid));
        let newest = own.max_by_key(|revision| revision.revision);
        Some(Self {
            store,
            set,
            rules: Rules::of(set),
            newest: newest.and_then(|revision| revision.metadata.label(CONTROLLER_REVISION_HASH)),
            now,
        })
    }

    /// How a node counts (`None`: it is not eligible), and whether time alone can change that.
    fn class_of(&self, name: &str) -> (Option<Class>, bool) {
        let Some(node) = self.store.node_named(name) else { return (None, false) };
        if !self.rules.eligibility(node).should_run {
            return (None, false);
        }
        let (mut best, mut unsettled) = (Class::Pending, false);
        for pod in self.store.pods_on(name).filter(|pod| pod.metadata.is_controlled_by(&self.set.metadata.uid)) {
            if pod.is_finished() {
                continue;
            }
            let available = pod.is_available(self.set.spec.min_ready_seconds, self.now);
            unsettled |= pod.is_ready() && !available;
            let newest = self.newest.is_some() && pod.metadata.label(CONTROLLER_REVISION_HASH) == self.newest;
            best = match (best, available) {
                (Class::NewAvailable, _) => best,
                (_, true) if newest => Class::NewAvailable,
                (_, true) => Class::OldAvailable,
                (Class::OldAvailable, _) => best,
                _ if pod.is_bound() => Class::Unavailable,
                _ => best,
            };
        }
        (Some(best), unsettled)
    }

    /// How many nodes must stay available while the template is rolled out.
    fn floor(&self, desired: u32) -> u32 {
        let strategy = &self.set.spec.update_strategy;
        if strategy.type_ == ON_DELETE || desired == 0 {
            return 0;
        }
        let rolling = strategy.rolling_update.as_ref();
        let of = |value: Option<&IntOrString>, default: u32| match value {
            None => default,
            Some(value) => u32::try_from(value.scaled_up(i64::from(desired)).unwrap_or(0).max(0)).unwrap_or(u32::MAX),
        };
        let surge = of(rolling.and_then(|r| r.max_surge.as_ref()), 0);
        let unavailable = of(rolling.and_then(|r| r.max_unavailable.as_ref()), 1);
        // Both zero: the controller takes one, or no rollout would ever end.
        let unavailable = if surge == 0 { unavailable.max(1) } else { unavailable };
        desired.saturating_sub(unavailable)
    }
}

/// Whether what a kubelet did is a failure of the pod.
fn is_failure(happening: &Happening) -> bool {
    match happening {
        Happening::Refused(_) | Happening::Evicted(_) | Happening::PullFailed { .. } => true,
        Happening::Ended { exit_code, because, .. } => *exit_code != 0 && *because != EndReason::Killed,
        Happening::Finished { succeeded } => !succeeded,
        _ => false,
    }
}

fn mark_of(step: &Step) -> Option<Mark> {
    let kind = match &step.reason {
        Reason::Command(run) if step.actor == Actor::Person => match run.exit_code {
            Some(code) if code != 0 => MarkKind::Refused(run.line.clone()),
            _ if step.changes.is_empty() => return None,
            _ => MarkKind::Command(run.line.clone()),
        },
        Reason::DaemonSet(_) => {
            let is_pod = |object: &Option<Object>| matches!(object, Some(Object::Pod(_)));
            let pods = step.changes.iter().filter(|change| is_pod(&change.before) || is_pod(&change.after)).count();
            if pods == 0 {
                return None;
            }
            MarkKind::Wave(pods)
        }
        Reason::Kubelet(happenings) if happenings.iter().any(is_failure) => MarkKind::Failure,
        _ => return None,
    };
    Some(Mark { step: step.number, kind })
}
