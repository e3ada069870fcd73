//! What becomes of a plan when the API server answers.

use super::plan::*;
use crate::objects::*;
use std::rc::Rc;

/// Why the API server did not create a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateFailure {
    /// The namespace is being deleted: neither an event nor an error.
    NamespaceTerminating,
    /// Anything else, in the server's words.
    Refused(String),
}

/// Why the API server did not delete a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteFailure {
    /// It is gone already, which is as well.
    NotFound,
    /// Anything else, in the server's words.
    Refused(String),
}

/// What the API server answered to one phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseResults {
    /// About each pod, in order.
    pub events: Vec<PlannedEvent>,
    /// The texts of refusals, in order.
    pub errors: Vec<String>,
    /// Creations that were never attempted, because an earlier batch failed.
    pub skipped: usize,
    /// Creations whose pods the controller waits to see.
    pub creates_awaited: usize,
    /// Deletions that the controller waits to see.
    pub deletes_awaited: usize,
}

/// Carries one phase out: creations in batches, then deletions. `create` answers with the name of the new pod.
///
/// Follows kubernetes pkg/controller/daemon syncNodes and pkg/controller RealPodControl, v1.36.
pub fn carry_out(
    phase: &PhasePlan,
    mut create: impl FnMut(&Creation) -> Result<Rc<str>, CreateFailure>,
    mut delete: impl FnMut(&Deletion) -> Result<(), DeleteFailure>,
) -> PhaseResults {
    let mut results = PhaseResults::default();
    for batch in phase.batches() {
        let errors = results.errors.len();
        let end = batch.end;
        for creation in phase.creates.get(batch).unwrap_or_default() {
            match create(creation) {
                Ok(name) => {
                    results.creates_awaited += 1;
                    results.event(NORMAL, SUCCESSFUL_CREATE, format!("Created pod: {name}"));
                }
                // Still awaited: the controller does not look again before its patience ends.
                Err(CreateFailure::NamespaceTerminating) => results.creates_awaited += 1,
                Err(CreateFailure::Refused(message)) => {
                    results.event(WARNING, FAILED_CREATE, format!("Error creating: {message}"));
                    results.errors.push(message);
                }
            }
        }
        if results.errors.len() > errors {
            results.skipped = phase.creates.len().saturating_sub(end);
            break;
        }
    }
    for deletion in &phase.deletes {
        match delete(deletion) {
            Ok(()) => {
                results.deletes_awaited += 1;
                let name = &deletion.pod.metadata.name;
                results.event(NORMAL, SUCCESSFUL_DELETE, format!("Deleted pod: {name}"));
            }
            Err(DeleteFailure::NotFound) => {}
            Err(DeleteFailure::Refused(message)) => {
                results.event(WARNING, FAILED_DELETE, format!("Error deleting: {message}"));
                results.errors.push(format!("unable to delete pods: {message}"));
            }
        }
    }
    results
}

impl PhaseResults {
    fn event(&mut self, type_: &'static str, reason: &'static str, message: String) {
        self.events.push(PlannedEvent { type_, reason, message });
    }
}

/// How a reconcile ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncOutcome {
    /// All events about the DaemonSet, in order.
    pub events: Vec<PlannedEvent>,
    /// Whether the history clean-up of the plan takes place: an error before it leaves it out. The status is written
    /// in any case.
    pub clean_up_history: bool,
    /// Why the reconcile failed, if it did: it is tried again after a growing delay.
    pub error: Option<SyncError>,
    /// Creations whose pods the controller waits to see before it acts again.
    pub creates_awaited: usize,
    /// Deletions that the controller waits to see before it acts again.
    pub deletes_awaited: usize,
}

/// How the reconcile of this plan ended, given what [`carry_out`] answered for `manage` and for the rolling update (of
/// which at most one writes something).
pub fn on_results(plan: &SyncPlan, manage: PhaseResults, rolling_update: PhaseResults) -> SyncOutcome {
    let refusals: Vec<String> = manage.errors.into_iter().chain(rolling_update.errors).collect();
    let writes = (!refusals.is_empty()).then_some(SyncError::Writes { messages: refusals });
    let error = plan.error.clone().or(writes);
    SyncOutcome {
        events: plan.events.iter().cloned().chain(manage.events).chain(rolling_update.events).collect(),
        clean_up_history: error.is_none(),
        error,
        creates_awaited: manage.creates_awaited.saturating_add(rolling_update.creates_awaited),
        deletes_awaited: manage.deletes_awaited.saturating_add(rolling_update.deletes_awaited),
    }
}
