//! What a reconcile wants to do, and why. Reasons are data; the words for them are the interface's.

use super::history::HistoryPlan;
use super::status::StatusPlan;
use super::{Backoff, Claim, SLOW_START_INITIAL_BATCH_SIZE};
use crate::objects::*;
use serde::Serialize;
use std::ops::Range;
use std::rc::Rc;

/// Why a pod is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "reason")]
pub enum CreateReason {
    /// The node should run a pod and has none.
    NodeHasNoPod,
    /// With surge: the node's pods are all terminating, failed or succeeded, and need not be waited for.
    #[serde(rename_all = "camelCase")]
    NoLivePodAndSurgeAllowed {
        /// How many of its pods are still there.
        remaining: usize,
    },
    /// Surge: the old pod is available, and the budget allows a new one beside it.
    #[serde(rename_all = "camelCase")]
    SurgeBegins {
        /// Nodes that surge already.
        surging: i64,
        /// Nodes that may.
        max_surge: i64,
    },
    /// Surge: the old pod is not available, so its successor does not wait for the budget.
    SurgeOverUnavailable,
}

/// Why a pod is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "reason")]
pub enum DeleteReason {
    /// The node may not keep a pod (see [`super::evaluate`] for the checks).
    NotEligible,
    /// The pod failed; the controller makes room for another try.
    #[serde(rename_all = "camelCase")]
    Failed {
        /// How long the next failure on this node will wait, in milliseconds.
        backoff_ms: i64,
    },
    /// The pod ended, which a daemon does not.
    Succeeded,
    /// Another pod of the DaemonSet is on the node.
    #[serde(rename_all = "camelCase")]
    Duplicate {
        /// Why the other one is kept.
        kept: KeptBecause,
    },
    /// Surge: the new pod is available.
    SurgeReplaced,
    /// Surge: both are there, and the old pod is not ready.
    SurgeOldNotReady,
    /// The pod was never bound, and the node it is pinned to is gone.
    UnboundAndNodeGone,
    /// Rolling update: the pod is old and not available anyway, so it costs no budget.
    OldUnavailable,
    /// Rolling update: the pod is old, and the budget allows it to go.
    #[serde(rename_all = "camelCase")]
    OldWithinBudget {
        /// Nodes without an available pod already.
        unavailable: i64,
        /// Nodes that may be.
        max_unavailable: i64,
    },
    /// Surge: the pod is old and not available, and the node should not run one any more.
    OldUnavailableAndNotEligible,
    /// Surge: the pod is old, its node should not run one any more, and enough others are available.
    #[serde(rename_all = "camelCase")]
    OldNotEligibleAndReplacedElsewhere {
        /// Nodes with an available pod.
        available: usize,
        /// Nodes that should run one.
        desired: usize,
    },
}

/// What makes one of several pods of a node the one that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeptBecause {
    /// It is bound to the node; this one is not.
    Bound,
    /// It is older.
    Older,
    /// It is as old, and its name comes first.
    NameFirst,
}

/// Why something is not done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "reason")]
pub enum HeldReason {
    /// A pod that is being deleted is still there: the node gets its new one when that is gone.
    TerminatingPodBlocks,
    /// A failed or succeeded pod is still there, in this very reconcile deleted or held back.
    FinishedPodBlocks,
    /// A failed pod stays until the back-off is over.
    #[serde(rename_all = "camelCase")]
    BackOff {
        /// When it is over, in milliseconds.
        until_ms: i64,
        /// The length of the back-off, which is also when the controller looks again.
        backoff_ms: i64,
    },
    /// More are due than one pass may create or delete.
    #[serde(rename_all = "camelCase")]
    Burst {
        /// How many one pass may.
        limit: usize,
    },
    /// An untolerated NoSchedule taint: the pod stays, but counts as misscheduled.
    MayOnlyContinue,
    /// The pod is old, and as many nodes as may be are without an available one.
    #[serde(rename_all = "camelCase")]
    UnavailableBudget {
        /// Nodes without an available pod, with those this pass takes.
        unavailable: i64,
        /// Nodes that may be.
        max_unavailable: i64,
    },
    /// The pod is old, and as many nodes surge as may.
    #[serde(rename_all = "camelCase")]
    SurgeBudget {
        /// Nodes that surge, with those this pass takes.
        surging: i64,
        /// Nodes that may.
        max_surge: i64,
    },
    /// Surge: the old pod stays until the new one is available.
    #[serde(rename_all = "camelCase")]
    NewPodNotAvailable {
        /// The new pod is ready, and only minReadySeconds is not over.
        ready: bool,
    },
    /// Surge: the pod is old and its node should not run one, but it is needed until others are available.
    #[serde(rename_all = "camelCase")]
    NotEligibleButNeeded {
        /// Nodes with an available pod.
        available: usize,
        /// Nodes that should run one.
        desired: usize,
    },
    /// Several old or several new pods are on the node; `manage` clears that up first.
    DuplicatesOnNode,
    /// The new pod is not available yet and counts against the budget.
    #[serde(rename_all = "camelCase")]
    WaitsForAvailable {
        /// It is ready, and only minReadySeconds is not over.
        ready: bool,
    },
}

/// A pod to create.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    /// The node it is for.
    pub node: Rc<str>,
    /// Why.
    pub reason: CreateReason,
}

/// A pod to delete.
#[derive(Clone, Debug, PartialEq)]
pub struct Deletion {
    /// The pod.
    pub pod: Rc<Pod>,
    /// The node it is on or pinned to.
    pub node: Rc<str>,
    /// Why.
    pub reason: DeleteReason,
}

/// Something that was considered and not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The node.
    pub node: Rc<str>,
    /// The pod, where it is about one.
    pub pod: Option<Rc<Pod>>,
    /// Why.
    pub reason: HeldReason,
}

/// What one phase does. Creations come before deletions, each list in natural order of the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhasePlan {
    /// Pods to create, at most [`super::BURST_REPLICAS`].
    pub creates: Vec<Creation>,
    /// Pods to delete, at most [`super::BURST_REPLICAS`].
    pub deletes: Vec<Deletion>,
    /// What was held back.
    pub held: Vec<Held>,
    /// How many creations were due before the burst limit.
    pub creates_due: usize,
    /// How many deletions were due before the burst limit.
    pub deletes_due: usize,
}

impl PhasePlan {
    /// Whether the phase writes nothing.
    pub fn is_empty(&self) -> bool {
        self.creates.is_empty() && self.deletes.is_empty()
    }

    /// The creations that are attempted together: 1, 2, 4, 8… When one of a batch fails, no later batch is attempted.
    pub fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let total = self.creates.len();
        let mut position = 0_usize;
        let mut size = SLOW_START_INITIAL_BATCH_SIZE;
        std::iter::from_fn(move || {
            let end = position.saturating_add(size).min(total);
            let batch = (position < end).then_some(position..end)?;
            position = end;
            size = size.saturating_mul(2);
            Some(batch)
        })
    }
}

/// What `manage` counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManageFacts {
    /// Nodes.
    pub nodes: usize,
    /// Nodes that should run a pod.
    pub desired: usize,
    /// Whether old and new pods may be on one node.
    pub allows_surge: bool,
}

/// What the rolling update counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RollingUpdateFacts {
    /// Nodes that should run a pod.
    pub desired: usize,
    /// `maxUnavailable` in nodes.
    pub max_unavailable: i64,
    /// `maxSurge` in nodes.
    pub max_surge: i64,
    /// Both budgets resolved to 0, so one node may be unavailable.
    pub both_were_zero: bool,
    /// Nodes without an available pod (not counted with surge).
    pub unavailable: i64,
    /// Nodes that surge (counted only with surge).
    pub surging: i64,
    /// Nodes with an available pod, the old one first (counted only with surge).
    pub available: usize,
    /// Old pods that are not available and are replaced whatever the budget says.
    pub replaced_anyway: usize,
    /// Old available pods that the budget is for.
    pub candidates: usize,
    /// How many of them the budget allowed.
    pub allowed: usize,
}

/// Why there was no rolling update in a reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RollingUpdateSkipped {
    /// `manage` created or deleted pods; the next reconcile goes on.
    ManageActed,
    /// The strategy is OnDelete.
    OnDelete,
}

/// Why a reconcile failed. It is tried again after a growing delay (see [`super::triggers::retry_delay_ms`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "error")]
pub enum SyncError {
    /// Surge: an old pod is on a node that is gone. Stalls the rollout until the pod is gone too.
    #[serde(rename_all = "camelCase")]
    NodeNotFound {
        /// The node.
        node: String,
        /// The pod.
        pod: String,
    },
    /// maxUnavailable or maxSurge is neither a number nor a percentage.
    BadBudget,
    /// The name of the new ControllerRevision is taken by another template.
    #[serde(rename_all = "camelCase")]
    RevisionExists {
        /// The name.
        name: String,
        /// What `status.collisionCount` is raised to.
        collision_count: i32,
    },
    /// The API server refused creations or deletions; the texts in order.
    #[serde(rename_all = "camelCase")]
    Writes {
        /// What it said.
        messages: Vec<String>,
    },
}

impl std::fmt::Display for SyncError {
    /// As the controller logs it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NodeNotFound { node, .. } => {
                write!(f, "couldn't get node for nodeName {node:?}: node {node:?} not found")
            }
            Self::BadBudget => f.write_str("couldn't get unavailable numbers: invalid value for IntOrString"),
            Self::RevisionExists { name, .. } => write!(f, "controllerrevisions.apps {name:?} already exists"),
            Self::Writes { messages } => match messages.as_slice() {
                [one] => f.write_str(one),
                many => write!(f, "[{}]", many.join(", ")),
            },
        }
    }
}

/// An event of the controller about the DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedEvent {
    /// `Normal` or `Warning`.
    pub type_: &'static str,
    /// One word, as in the constants below.
    pub reason: &'static str,
    /// The sentence that `kubectl describe` shows.
    pub message: String,
}

/// Reason of the event about a DaemonSet that selects all pods.
pub const SELECTING_ALL: &str = "SelectingAll";
/// Reason of the event about a failed pod.
pub const FAILED_DAEMON_POD: &str = "FailedDaemonPod";
/// Reason of the event about a pod that ended.
pub const SUCCEEDED_DAEMON_POD: &str = "SucceededDaemonPod";
/// Reason of the event about a pod that was created.
pub const SUCCESSFUL_CREATE: &str = "SuccessfulCreate";
/// Reason of the event about a pod that could not be created.
pub const FAILED_CREATE: &str = "FailedCreate";
/// Reason of the event about a pod that was deleted.
pub const SUCCESSFUL_DELETE: &str = "SuccessfulDelete";
/// Reason of the event about a pod that could not be deleted.
pub const FAILED_DELETE: &str = "FailedDelete";

/// A later look at the DaemonSet. Of several for one DaemonSet the workqueue keeps the earliest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requeue {
    /// In how many milliseconds.
    pub after_ms: i64,
    /// Why.
    pub reason: RequeueReason,
}

/// Why the controller looks again later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "reason")]
pub enum RequeueReason {
    /// A failed pod was held back.
    #[serde(rename_all = "camelCase")]
    FailedPodBackOff {
        /// On this node.
        node: Rc<str>,
    },
    /// Some pods are ready and not yet available.
    #[serde(rename_all = "camelCase")]
    ReadyNotAvailable {
        /// Ready ones.
        ready: i32,
        /// Available ones.
        available: i32,
    },
}

/// Why a reconcile ended before it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SyncStopped {
    /// The selector is empty; there is an event about it.
    SelectingAll,
    /// The DaemonSet is being deleted.
    BeingDeleted,
    /// Creations or deletions of an earlier reconcile are not visible yet: only the status was looked at.
    EarlierWritesAwaited,
}

/// What one reconcile wants to do.
///
/// To be carried out in this order: revisions, claims, `manage`, rolling update, history clean-up, status. When the API
/// server refuses something, [`super::on_results`] says what is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncPlan {
    /// Set when the reconcile stopped early.
    pub stopped: Option<SyncStopped>,
    /// ControllerRevisions to adopt, create, renumber, delete, and the hash of the current one.
    pub history: HistoryPlan,
    /// Pods to adopt and to release.
    pub claims: Vec<Claim>,
    /// Missing and excess pods.
    pub manage: PhasePlan,
    /// What it counted.
    pub manage_facts: ManageFacts,
    /// Replacement of old pods; `None` when it was left out or failed.
    pub rolling_update: Option<PhasePlan>,
    /// What it counted.
    pub rolling_update_facts: Option<RollingUpdateFacts>,
    /// Why it was left out.
    pub rolling_update_skipped: Option<RollingUpdateSkipped>,
    /// Old ControllerRevisions to delete.
    pub history_deletions: Vec<Rc<ControllerRevision>>,
    /// The counters; `None` when the reconcile did not get that far.
    pub status: Option<StatusPlan>,
    /// Events about failed and ended pods, in order.
    pub events: Vec<PlannedEvent>,
    /// All later looks that were asked for.
    pub requeues: Vec<Requeue>,
    /// The failed-pod memory afterwards.
    pub backoff: Backoff,
    /// Why it failed, if it did.
    pub error: Option<SyncError>,
}

impl SyncPlan {
    /// The creations of both phases.
    pub fn creates(&self) -> impl Iterator<Item = &Creation> {
        self.manage.creates.iter().chain(self.rolling_update.iter().flat_map(|phase| &phase.creates))
    }

    /// The deletions of both phases.
    pub fn deletes(&self) -> impl Iterator<Item = &Deletion> {
        self.manage.deletes.iter().chain(self.rolling_update.iter().flat_map(|phase| &phase.deletes))
    }

    /// The soonest later look, in milliseconds.
    pub fn requeue_after_ms(&self) -> Option<i64> {
        self.requeues.iter().map(|requeue| requeue.after_ms).min()
    }

    /// Whether the reconcile changes nothing in the cluster.
    pub fn writes_nothing(&self) -> bool {
        self.history.changes.is_empty()
            && self.claims.is_empty()
            && self.creates().next().is_none()
            && self.deletes().next().is_none()
            && self.history_deletions.is_empty()
            && self.events.is_empty()
            && !self.status.as_ref().is_some_and(|status| status.written)
    }
}
