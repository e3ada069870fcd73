//! The conditions of a Deployment.

use super::budget::replicas;
use crate::apiserver::Now;
use crate::objects::*;

/// Type: the rollout goes on or is done.
pub const PROGRESSING: &str = "Progressing";
/// Type: enough pods are available.
pub const AVAILABLE: &str = "Available";
/// Type: pods cannot be created or deleted.
pub const REPLICA_FAILURE: &str = "ReplicaFailure";

/// Reason: all pods are of the new ReplicaSet and available.
pub const NEW_REPLICA_SET_AVAILABLE: &str = "NewReplicaSetAvailable";
/// Reason: some pods have changed.
pub const REPLICA_SET_UPDATED: &str = "ReplicaSetUpdated";
/// Reason: a ReplicaSet was made for the template.
pub const NEW_REPLICA_SET_CREATED: &str = "NewReplicaSetCreated";
/// Reason: there was one already.
pub const FOUND_NEW_REPLICA_SET: &str = "FoundNewReplicaSet";
/// Reason: nothing has changed for too long.
pub const PROGRESS_DEADLINE_EXCEEDED: &str = "ProgressDeadlineExceeded";
/// Reason: somebody paused the Deployment.
pub const DEPLOYMENT_PAUSED: &str = "DeploymentPaused";
/// Reason: it was paused and is not any more.
pub const DEPLOYMENT_RESUMED: &str = "DeploymentResumed";

/// A condition that begins now.
pub fn condition(type_: &str, status: &str, reason: &str, message: String, now: Now) -> WorkloadCondition {
    WorkloadCondition {
        type_: type_.into(),
        status: status.into(),
        reason: reason.into(),
        message,
        last_update_time: Some(now.time),
        last_transition_time: Some(now.time),
        ..WorkloadCondition::default()
    }
}

/// The condition of this type.
pub fn get<'a>(status: &'a DeploymentStatus, type_: &str) -> Option<&'a WorkloadCondition> {
    status.conditions.iter().find(|condition| condition.type_ == type_)
}

/// Takes a condition off.
pub fn remove(status: &mut DeploymentStatus, type_: &str) {
    status.conditions.retain(|condition| condition.type_ != type_);
}

/// Sets a condition. One with the same status and reason stays as it is.
///
/// Follows kubernetes pkg/controller/deployment/util SetDeploymentCondition, v1.36.
pub fn set(status: &mut DeploymentStatus, mut condition: WorkloadCondition) {
    if let Some(present) = get(status, &condition.type_) {
        if present.status == condition.status && present.reason == condition.reason {
            return;
        }
        if present.status == condition.status {
            condition.last_transition_time = present.last_transition_time;
        }
    }
    remove(status, &condition.type_);
    status.conditions.push(condition);
}

/// The deadline for progress in seconds; `None`: there is none.
pub fn progress_deadline(deployment: &Deployment) -> Option<i64> {
    deployment.spec.progress_deadline_seconds.filter(|seconds| *seconds != i32::MAX).map(i64::from)
}

/// Whether all pods are new and available.
///
/// Follows kubernetes pkg/controller/deployment/util DeploymentComplete, v1.36.
pub fn is_complete(deployment: &Deployment, status: &DeploymentStatus) -> bool {
    let wanted = replicas(deployment);
    status.updated_replicas == wanted
        && status.replicas == wanted
        && status.available_replicas == wanted
        && status.observed_generation >= deployment.metadata.generation
}

/// Whether something has moved since the status was last written.
///
/// Follows kubernetes pkg/controller/deployment/util DeploymentProgressing, v1.36.
pub fn is_progressing(old: &DeploymentStatus, new: &DeploymentStatus) -> bool {
    let left = |status: &DeploymentStatus| status.replicas - status.updated_replicas;
    new.updated_replicas > old.updated_replicas
        || left(new) < left(old)
        || new.ready_replicas > old.ready_replicas
        || new.available_replicas > old.available_replicas
}

/// Whether nothing has moved for longer than the deadline.
///
/// Follows kubernetes pkg/controller/deployment/util DeploymentTimedOut, v1.36.
pub fn is_timed_out(deployment: &Deployment, status: &DeploymentStatus, now: Now) -> bool {
    let (Some(deadline), Some(progressing)) = (progress_deadline(deployment), get(status, PROGRESSING)) else {
        return false;
    };
    match progressing.reason.as_str() {
        NEW_REPLICA_SET_AVAILABLE => false,
        PROGRESS_DEADLINE_EXCEEDED => true,
        _ => progressing.last_update_time.is_some_and(|from| from.plus_seconds(deadline) < now.time),
    }
}
