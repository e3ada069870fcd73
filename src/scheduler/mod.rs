//! The scheduler: where pods go, and why some go nowhere.
//!
//! Behaves like kube-scheduler v1.36 with its default configuration. Every function here is pure: it looks at a
//! [`Store`](crate::apiserver::Store) and says what should be written ([`plan`]); it writes nothing, reads no clock and
//! draws no random numbers.
//!
//! One look at one pod is a [`Cycle`](cycle::Cycle): pre-filters that concern the pod alone, filters on each node (one
//! file per plugin in [`plugins`], the first that refuses ends the examination of the node), points for the nodes that
//! are left ([`score`]), and preemption where none is left. [`queue`] says which pod is looked at next and which change
//! makes a pending pod worth another look.
//!
//! Left out: ImageLocality (no images are stored on nodes), everything about volumes except that a claim must exist,
//! dynamic resource allocation (only its words in the message), pod groups, extenders and other profiles, resizing of
//! running pods, back-off between attempts (Kubernetes waits only while other pods are to be looked at) and the blind
//! retry every five minutes. What Kubernetes leaves to chance is decided by natural order of the names: the node among
//! equals, and where preemption starts its search. Above 100 nodes Kubernetes examines a sample; here all are examined.

pub mod cycle;
pub mod framework;
pub mod message;
pub mod node_info;
mod plan;
pub mod plugins;
pub mod preemption;
pub mod queue;
pub mod requeue;
mod schedule;
pub mod score;
#[cfg(test)]
mod testing;

pub use framework::{Code, Diagnosis, FilterReason, Plugin, PreFilterReason};
pub use plan::{Failure, POD_SCHEDULED, PreemptionFacts, SchedulerPlan, SchedulerReason, Tally, plan};
pub use preemption::{DryRunFailure, Ineligible, Preemption, PreemptionOutcome};
pub use queue::SchedulingQueue;
pub use schedule::{
    Check, DEFAULT_SCHEDULER, Decision, KEPT_SCORES, Placement, SkipReason, Unschedulable, check_node, filter_node,
    fits, is_curable, schedule_one, skip_reason,
};
pub use score::NodeScore;
