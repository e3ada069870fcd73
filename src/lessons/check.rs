//! What can be asked about the state of a cluster and about how it got there.

use super::lesson::Both;
use super::scene::{count_objects, matching_pods, object_test_holds, script_words};
use crate::objects::{DaemonSet, Object, ObjectKey};
use crate::simulation::{CommandRun, Reason, Session, World};
use std::rc::Rc;

/// A check of a task, with a text of its own where the page's would not do.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What must hold.
    pub check: Check,
    /// What the learner reads.
    pub say: Option<Both>,
}

/// A question to the engine that is answered by yes or no.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// The counters of a DaemonSet, once its controller has seen its last change.
    DaemonSet {
        /// The DaemonSet.
        key: ObjectKey,
        /// What each must be; all of them.
        counters: Vec<(Counter, Amount)>,
    },
    /// Which pods there are.
    Pods(PodTest),
    /// A field of an object, or whether it is there.
    Object(ObjectTest),
    /// How many objects of a kind there are.
    Objects {
        /// API version.
        api_version: String,
        /// Kind.
        kind: String,
        /// Namespace; `*` for all.
        namespace: String,
        /// Label selector, as after `-l`.
        selector: String,
        /// How many there must be.
        count: Amount,
    },
    /// An event that was recorded since the task began.
    Event {
        /// `FailedScheduling`…
        reason: String,
        /// Kind and the beginning of the name of what it is about.
        about: Option<(String, String)>,
        /// A part of its message.
        says: Option<String>,
    },
    /// A command that was given since the task began.
    Command {
        /// Its first words; flags may stand between them.
        words: String,
        /// How it ended.
        exit: Option<i32>,
        /// A part of what it printed.
        prints: Option<String>,
    },
    /// Held after every step since the task began.
    Always(Box<Check>),
    /// Held after some step since the task began.
    Once(Box<Check>),
    /// Does not hold.
    Not(Box<Check>),
    /// All of them hold.
    All(Vec<Check>),
    /// Nothing is due but retries that repeat what was seen.
    Quiet,
}

/// A counter of a DaemonSet's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Eligible nodes.
    Desired,
    /// Eligible nodes with a pod.
    Current,
    /// Eligible nodes with a ready pod.
    Ready,
    /// Eligible nodes with a pod of the newest revision.
    UpToDate,
    /// Eligible nodes with an available pod.
    Available,
    /// Eligible nodes without one.
    Unavailable,
    /// Nodes with a pod that should not be there.
    Misscheduled,
}

impl Counter {
    /// All of them, kubectl's first.
    pub const ALL: [Self; 7] = [
        Self::Desired,
        Self::Current,
        Self::Ready,
        Self::UpToDate,
        Self::Available,
        Self::Unavailable,
        Self::Misscheduled,
    ];
    /// Their names in lesson files, in the same order.
    pub const NAMES: [&'static str; 7] =
        ["desired", "current", "ready", "upToDate", "available", "unavailable", "misscheduled"];

    /// The counter's value.
    pub fn of(self, set: &DaemonSet) -> i64 {
        let status = &set.status;
        i64::from(match self {
            Self::Desired => status.desired_number_scheduled,
            Self::Current => status.current_number_scheduled,
            Self::Ready => status.number_ready,
            Self::UpToDate => status.updated_number_scheduled,
            Self::Available => status.number_available,
            Self::Unavailable => status.number_unavailable,
            Self::Misscheduled => status.number_misscheduled,
        })
    }
}

/// A number, or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Exactly.
    Is(i64),
    /// So much or more.
    AtLeast(i64),
    /// So much or less.
    AtMost(i64),
}

impl Amount {
    /// Reads `3`, `>=3`, `<=3`, `>3` or `<3`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |rest: &str| rest.trim().parse::<i64>().ok();
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(">=") {
            number(rest).map(Self::AtLeast)
        } else if let Some(rest) = text.strip_prefix("<=") {
            number(rest).map(Self::AtMost)
        } else if let Some(rest) = text.strip_prefix('>') {
            number(rest)?.checked_add(1).map(Self::AtLeast)
        } else if let Some(rest) = text.strip_prefix('<') {
            number(rest)?.checked_sub(1).map(Self::AtMost)
        } else {
            number(text).map(Self::Is)
        }
    }

    /// Whether a number fits.
    pub fn fits(self, number: i64) -> bool {
        match self {
            Self::Is(wanted) => number == wanted,
            Self::AtLeast(least) => number >= least,
            Self::AtMost(most) => number <= most,
        }
    }
}

/// State of a pod, as a lesson speaks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodState {
    /// Ready and not on its way out.
    #[default]
    Ready,
    /// Whatever its state.
    Any,
    /// Not on its way out.
    Live,
    /// Phase Pending, not on its way out.
    Pending,
    /// Phase Pending and without a node.
    Unscheduled,
    /// Phase Running but not ready, and not on its way out.
    NotReady,
    /// On its way out.
    Terminating,
    /// Phase Failed.
    Failed,
}

impl PodState {
    /// All of them, in the order of [`PodState::NAMES`].
    pub const ALL: [Self; 8] = [
        Self::Ready,
        Self::Any,
        Self::Live,
        Self::Pending,
        Self::Unscheduled,
        Self::NotReady,
        Self::Terminating,
        Self::Failed,
    ];
    /// Their names in lesson files.
    pub const NAMES: [&'static str; 8] =
        ["ready", "any", "live", "pending", "unscheduled", "notReady", "terminating", "failed"];
}

/// Pods by label, state and what they are; and how many there must be, or where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTest {
    /// Label selector, as after `-l`.
    pub selector: String,
    /// Namespace; `*` for all.
    pub namespace: String,
    /// In which state.
    pub state: PodState,
    /// An image contains this.
    pub image: Option<String>,
    /// One of these is the reason of a waiting or terminated container, or of the pod: `OOMKilled`,
    /// `CrashLoopBackOff`, `Evicted`… Empty: whatever it is.
    pub reasons: Vec<String>,
    /// What a JSONPath finds in each of them.
    pub path: Option<(String, String)>,
    /// How many there must be.
    pub count: Option<Amount>,
    /// The nodes that have one, exactly.
    pub nodes: Option<Vec<String>>,
    /// Nodes that have one, among others.
    pub covers: Vec<String>,
    /// Nodes that have none.
    pub without: Vec<String>,
}

/// A test of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectTest {
    /// API version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Which one.
    pub key: ObjectKey,
    /// What about it.
    pub holds: ObjectClaim,
}

/// What is claimed of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectClaim {
    /// It is there, or is not.
    Exists(bool),
    /// A JSONPath prints exactly this.
    Is(String, String),
    /// A JSONPath prints this among other things.
    Contains(String, String),
    /// A JSONPath finds nothing, or something.
    Found(String, bool),
    /// What a JSONPath prints is a number that fits.
    Number(String, Amount),
}

/// The moment that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'s> {
    /// The session.
    pub session: &'s Session,
    /// Steps that have been made.
    pub position: usize,
    /// Steps that had been made when the task began.
    pub since: usize,
}

impl<'s> Scene<'s> {
    /// The present moment of a session, in a task that began there.
    pub fn now(session: &'s Session, since: usize) -> Self {
        Self { session, position: session.position(), since }
    }

    /// The state of everything.
    pub fn world(&self) -> World {
        self.session.world_at(self.position)
    }

    fn positions(self) -> impl Iterator<Item = Self> {
        (self.since.min(self.position)..=self.position).map(move |position| Self { position, ..self })
    }

    fn steps(self) -> impl Iterator<Item = &'s Rc<crate::simulation::Step>> {
        (self.since.saturating_add(1)..=self.position).filter_map(move |number| self.session.step_number(number))
    }
}

impl Check {
    /// Whether it holds.
    pub fn holds(&self, scene: Scene<'_>) -> bool {
        match self {
            Self::DaemonSet { key, counters } => scene.world().store().daemon_set(key).is_some_and(|set| {
                set.status.observed_generation >= set.metadata.generation
                    && counters.iter().all(|(counter, amount)| amount.fits(counter.of(set)))
            }),
            Self::Pods(test) => pod_test_holds(test, &scene.world()),
            Self::Object(test) => object_test_holds(test, &scene.world()),
            Self::Objects { api_version, kind, namespace, selector, count } => {
                let found = count_objects(&scene.world(), api_version, kind, namespace, selector);
                count.fits(i64::try_from(found).unwrap_or(i64::MAX))
            }
            Self::Event { reason, about, says } => {
                let told = |object: &Object| match object {
                    Object::Event(event) => {
                        event.reason == *reason
                            && says.as_ref().is_none_or(|part| event.message.contains(part.as_str()))
                            && about.as_ref().is_none_or(|(kind, name)| {
                                event.involved_object.kind.eq_ignore_ascii_case(kind)
                                    && event.involved_object.name.starts_with(name.as_str())
                            })
                    }
                    _ => false,
                };
                let mut changes = scene.steps().flat_map(|step| step.changes.iter());
                changes.any(|change| change.after.as_ref().is_some_and(told))
            }
            Self::Command { words, exit, prints } => scene.steps().any(|step| match &step.reason {
                Reason::Command(run) | Reason::CommandWent(run) => command_holds(run, words, *exit, prints.as_deref()),
                _ => false,
            }),
            Self::Always(check) => scene.positions().all(|scene| check.holds(scene)),
            Self::Once(check) => scene.positions().any(|scene| check.holds(scene)),
            Self::Not(check) => !check.holds(scene),
            Self::All(checks) => checks.iter().all(|check| check.holds(scene)),
            Self::Quiet => scene.world().agenda().is_quiet(),
        }
    }
}

/// Whether the wanted words stand in the line in their order, and it ended and printed as wanted.
fn command_holds(run: &CommandRun, words: &str, exit: Option<i32>, prints: Option<&str>) -> bool {
    let mut line = script_words(&run.line);
    let said = script_words(words).all(|wanted| line.any(|word| same_word(word, wanted)));
    said && exit.is_none_or(|code| run.exit_code == Some(code))
        && prints.is_none_or(|part| run.stdout.contains(part) || run.stderr.contains(part))
}

/// `nodes` is as good as `node`, `ds` as good as `daemonset`.
fn same_word(word: &str, wanted: &str) -> bool {
    let resource = |text: &str| crate::apiserver::schema::resource_by_name(text).map(|found| found.kind);
    let (kind, rest) = word.split_once('/').map_or((word, ""), |(kind, rest)| (kind, rest));
    word == wanted
        || (resource(kind).is_some() && resource(kind) == resource(wanted))
        || (!rest.is_empty() && rest == wanted)
}

fn pod_test_holds(test: &PodTest, world: &World) -> bool {
    let pods = matching_pods(test, world);
    let on = |node: &String| pods.iter().any(|pod| pod.target_node() == Some(node.as_str()));
    test.count.is_none_or(|amount| amount.fits(i64::try_from(pods.len()).unwrap_or(i64::MAX)))
        && test.nodes.as_ref().is_none_or(|nodes| {
            nodes.iter().all(on)
                && pods.iter().all(|pod| pod.target_node().is_some_and(|node| nodes.iter().any(|n| n == node)))
        })
        && test.covers.iter().all(on)
        && !test.without.iter().any(on)
}
