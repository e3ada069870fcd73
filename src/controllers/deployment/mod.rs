//! The Deployment controller: one ReplicaSet for each revision, scaled up and down against each other.
//!
//! [`plan`] is one reconcile. It works on a copy of the Deployment's ReplicaSets and writes each that it changed once.
//!
//! Follows kubernetes pkg/controller/deployment, v1.36.

mod budget;
mod conditions;
mod revision;
mod rolling;
mod scale;
mod status;
mod sync;

pub use budget::{max_surge, max_unavailable};
pub use revision::{
    DESIRED_REPLICAS_ANNOTATION, MAX_REPLICAS_ANNOTATION, REVISION_ANNOTATION, REVISION_HISTORY_ANNOTATION,
    find_new_replica_set, pod_template_hash,
};
pub use sync::plan;

use crate::apiserver::{Change, Plan, Store, Timer};
use crate::objects::*;
use crate::order::Order;
use serde::Serialize;
use std::rc::Rc;

/// Name under which the controller's events appear.
pub const COMPONENT: &str = "deployment-controller";

/// What a reconcile wants. The controller remembers nothing.
pub type DeploymentPlan = Plan<DeploymentReason, ()>;

/// What was decided in one reconcile, in order. Empty: nothing.
pub type DeploymentReason = Vec<DeploymentDecision>;

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DeploymentDecision {
    /// The selector is empty, so nothing is done.
    SelectsAll,
    /// An orphaned ReplicaSet matches the selector and is taken in.
    Adopted {
        /// The ReplicaSet.
        replica_set: Rc<str>,
    },
    /// A ReplicaSet matches the selector no more and is let go.
    Released {
        /// The ReplicaSet.
        replica_set: Rc<str>,
    },
    /// No ReplicaSet has the present template: a new one is made.
    NewReplicaSet {
        /// The ReplicaSet.
        replica_set: Rc<str>,
        /// Its revision.
        revision: i64,
    },
    /// An old ReplicaSet has the present template again and gets the next revision.
    Renumbered {
        /// The ReplicaSet.
        replica_set: Rc<str>,
        /// Its revision before.
        from: i64,
        /// Its revision now.
        to: i64,
    },
    /// A ReplicaSet of this name holds another template: the next name is tried.
    HashCollision {
        /// The name.
        replica_set: Rc<str>,
    },
    /// A ReplicaSet is scaled.
    Scaled {
        /// The ReplicaSet.
        replica_set: Rc<str>,
        /// Replicas before.
        from: i32,
        /// Replicas now.
        to: i32,
        /// Why.
        because: ScaleReason,
    },
    /// The rolling update waits: as many pods as may be are missing or too many.
    Waiting {
        /// Pods wanted.
        replicas: i32,
        /// Available pods.
        available: i32,
        /// How many may be missing.
        max_unavailable: i32,
        /// How many may be too many.
        max_surge: i32,
    },
    /// The update waits until all old pods are gone.
    OldPodsRemain,
    /// A ReplicaSet beyond the history limit goes.
    HistoryTrimmed {
        /// The ReplicaSet.
        replica_set: Rc<str>,
        /// How many old ones are kept.
        limit: i32,
    },
    /// The status was written.
    Status {
        /// Of the Progressing condition.
        progressing: String,
        /// Whether enough pods are available.
        available: bool,
    },
}

/// Why a ReplicaSet is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ScaleReason {
    /// The number of replicas was changed, and this ReplicaSet is the only active one.
    Resized,
    /// The number was changed in the middle of an update: each ReplicaSet gets its share.
    Proportional,
    /// The new one is complete, so the old ones are not needed.
    Saturated,
    /// The new one grows as far as the surge allows.
    RollingUp,
    /// The new one has more than are wanted.
    TooMany,
    /// Old pods that are not available cost nothing.
    Unhealthy,
    /// Old pods go as far as enough are available.
    RollingDown,
    /// Recreate: all old ones go first.
    Recreate,
}

/// Which Deployments a write concerns: itself, the owner of a ReplicaSet before and after, for an orphaned one all
/// that select it, and, when a pod is gone, a Deployment that waits for just that.
pub fn on_change(change: &Change, store: &Store, now: crate::apiserver::Now) -> Vec<Timer> {
    let mut keys: Vec<ObjectKey> = Vec::new();
    match (&change.before, &change.after) {
        (_, Some(Object::Deployment(d))) | (Some(Object::Deployment(d)), None) => keys.push(d.metadata.key()),
        (before @ (None | Some(Object::ReplicaSet(_))), after @ Some(Object::ReplicaSet(_)))
        | (before @ Some(Object::ReplicaSet(_)), after @ None) => {
            let objects = [before, after].into_iter().flatten();
            keys.extend(objects.filter_map(|object| owner_of(object.metadata())));
            if let Some(Object::ReplicaSet(set)) = after
                && set.metadata.controller().is_none()
            {
                let all = Store::in_namespace(store.deployments(), &set.metadata.namespace);
                let selecting =
                    all.filter(|d| !d.spec.selector.is_empty() && d.spec.selector.matches(&set.metadata.labels));
                keys.extend(selecting.map(|d| d.metadata.key()));
            }
        }
        (Some(Object::Pod(pod)), None) => keys.extend(recreating_owner(store, pod)),
        _ => {}
    }
    keys.order();
    keys.dedup();
    keys.into_iter().map(|key| Timer::new(now.ms, key)).collect()
}

fn owner_of(metadata: &ObjectMeta) -> Option<ObjectKey> {
    let owner = metadata.controller().filter(|owner| owner.kind == "Deployment")?;
    Some(ObjectKey::new(metadata.namespace.clone(), owner.name.clone()))
}

/// The Deployment with strategy Recreate whose last pod this was.
fn recreating_owner(store: &Store, pod: &Pod) -> Option<ObjectKey> {
    let owner = pod.metadata.controller().filter(|owner| owner.kind == "ReplicaSet")?;
    let set = store.replica_set(&ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone()))?;
    let key = owner_of(&set.metadata)?;
    let deployment = store.deployment(&key).filter(|d| d.spec.strategy.type_ == "Recreate")?;
    let mut sets = Store::in_namespace(store.replica_sets(), &pod.metadata.namespace);
    let some_left = sets.any(|set| {
        set.metadata.is_controlled_by(&deployment.metadata.uid)
            && store.pods_controlled_by(&set.metadata.uid).next().is_some()
    });
    (!some_left).then_some(key)
}
