//! What a step is: one turn of one actor, with its reason, its cause and what it changed.

use super::actors::DaemonSetSync;
use crate::apiserver::Change;
use crate::controllers::deployment::DeploymentReason;
use crate::controllers::garbage_collector::GarbageCollectorReason;
use crate::controllers::node_lifecycle::NodeLifecycleReason;
use crate::controllers::pod_gc::PodGcReason;
use crate::controllers::replicaset::ReplicaSetReason;
use crate::controllers::taint_eviction::TaintEvictionReason;
use crate::kubectl::Effect;
use crate::kubelet::{Happening, KubeletReason};
use crate::objects::{Kind, ObjectKey};
use crate::scheduler::SchedulerReason;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// A person, with a kubectl or `sim` command.
    Person,
    /// The DaemonSet controller.
    DaemonSetController,
    /// The scheduler.
    Scheduler,
    /// The kubelet of a node.
    Kubelet,
    /// The node lifecycle controller.
    NodeLifecycleController,
    /// The taint eviction controller.
    TaintEvictionController,
    /// Pod garbage collection.
    PodGarbageCollector,
    /// The ReplicaSet controller.
    ReplicaSetController,
    /// The Deployment controller.
    DeploymentController,
    /// The garbage collector of objects whose owner is gone.
    GarbageCollector,
    /// The namespace controller.
    NamespaceController,
}

impl Actor {
    /// All actors.
    pub const ALL: [Self; 11] = [
        Self::Person,
        Self::DaemonSetController,
        Self::Scheduler,
        Self::Kubelet,
        Self::NodeLifecycleController,
        Self::TaintEvictionController,
        Self::PodGarbageCollector,
        Self::ReplicaSetController,
        Self::DeploymentController,
        Self::GarbageCollector,
        Self::NamespaceController,
    ];
}

/// The object that a step is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its kind.
    pub kind: Kind,
    /// Its key.
    pub key: ObjectKey,
}

/// A command line and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRun {
    /// The line as typed.
    pub line: String,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// `None` while the command still waits.
    pub exit_code: Option<i32>,
    /// The files that the line names, as they were.
    pub files: BTreeMap<String, String>,
    /// What happened outside the cluster: a file to open, another namespace.
    pub effects: Vec<Effect>,
    /// It was given beside a command that waits, as in a second terminal.
    pub beside: bool,
}

/// Why a step happened and what was decided, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A person ran a command.
    Command(Rc<CommandRun>),
    /// A command that waits printed more, or ended.
    CommandWent(Rc<CommandRun>),
    /// The DaemonSet controller reconciled.
    DaemonSet(Rc<DaemonSetSync>),
    /// The scheduler placed a pod, or found no place.
    Scheduler(Rc<SchedulerReason>),
    /// What the node lifecycle controller decided.
    NodeLifecycle(Rc<NodeLifecycleReason>),
    /// What the taint eviction controller decided about a pod.
    TaintEviction(Rc<TaintEvictionReason>),
    /// The Deployment controller reconciled.
    Deployment(Rc<DeploymentReason>),
    /// The ReplicaSet controller reconciled.
    ReplicaSet(Rc<ReplicaSetReason>),
    /// What became of the dependents of an owner.
    GarbageCollector(Rc<GarbageCollectorReason>),
    /// A namespace that goes is emptied.
    Namespace {
        /// Objects that were deleted.
        deleted: usize,
        /// Objects that are on their way out.
        left: usize,
    },
    /// What pod garbage collection decided.
    PodGc(Rc<PodGcReason>),
    /// What happened to a pod on its node, or to the node.
    Kubelet(Rc<KubeletReason>),
}

impl Reason {
    /// Whether the step is told though it changed no object.
    pub fn is_told_without_changes(&self) -> bool {
        match self {
            Self::Command(_) | Self::CommandWent(_) => true,
            Self::DaemonSet(sync) => sync.outcome.error.is_some(),
            Self::Scheduler(_)
            | Self::Deployment(_)
            | Self::ReplicaSet(_)
            | Self::GarbageCollector(_)
            | Self::Namespace { .. } => false,
            Self::NodeLifecycle(decisions) => !decisions.is_empty(),
            Self::TaintEviction(reason) => **reason != TaintEvictionReason::Nothing,
            Self::PodGc(decisions) => !decisions.is_empty(),
            Self::Kubelet(happenings) => !happenings.is_empty() && **happenings != [Happening::Found],
        }
    }
}

/// One turn of one actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Counted from 1 on its line.
    pub number: usize,
    /// Virtual time, in milliseconds since the start.
    pub at_ms: u64,
    /// How far the clock jumped since the step before, because nothing was due.
    pub waited_ms: u64,
    /// Who acted.
    pub actor: Actor,
    /// What it is about.
    pub subject: Option<Subject>,
    /// Why, and what was decided.
    pub reason: Reason,
    /// The step that made this one due.
    pub cause: Option<usize>,
    /// What it wrote, in order.
    pub changes: Rc<[Change]>,
}
