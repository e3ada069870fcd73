//! The DaemonSet controller of Kubernetes v1.36 (default feature gates), as functions that compute a plan.
//!
//! [`sync`](sync()) is one reconcile: it reads a snapshot and answers with a [`SyncPlan`]. Whoever called it carries the
//! plan out and tells the outcome to [`on_results`]. What calls for a reconcile is in [`triggers`].
//!
//! Where Kubernetes leaves an order open (it walks Go maps), this controller takes node names in natural order: node-2
//! before node-10. That is the only intended deviation.

mod backoff;
mod claim;
pub mod eligibility;
mod history;
mod manage;
mod plan;
mod podspec;
mod results;
mod rolling_update;
mod status;
mod sync;
pub mod triggers;
mod view;

pub use backoff::{Backoff, BackoffKey, MAX_BACKOFF_MS, MIN_BACKOFF_MS};
pub use claim::{Claim, PodClaims, RevisionClaims, claim_pods, claim_revisions};
pub use eligibility::{Eligibility, Rules, Verdict, evaluate};
pub use history::{
    CurrentRevision, HistoryPlan, RevisionChange, clean_up_history, construct_history, controller_revision_hash,
    restore_template, revision_data,
};
pub use manage::manage;
pub use plan::*;
pub use podspec::{
    TolerationOrigin, automatic_tolerations, controller_reference, effective_tolerations, pin_to_node, pod_for_node,
    pod_template,
};
pub use results::{CreateFailure, DeleteFailure, PhaseResults, SyncOutcome, carry_out, on_results};
pub use rolling_update::rolling_update;
pub use status::{NodeCounted, StatusPlan, count, counted_nodes, status_plan};
pub use sync::{SyncInput, sync};
pub use view::{NodeView, PodView, View, allows_surge, max_surge, max_unavailable};

/// Name under which the controller's events appear.
pub const COMPONENT: &str = "daemonset-controller";
/// How many pods one phase creates at most, and how many it deletes at most.
pub const BURST_REPLICAS: usize = 250;
/// Size of the first batch of creations; each following one is twice as large.
pub const SLOW_START_INITIAL_BATCH_SIZE: usize = 1;

#[cfg(test)]
mod tests;
