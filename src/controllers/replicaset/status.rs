//! The counters of a ReplicaSet.

use crate::apiserver::Now;
use crate::objects::*;
use std::rc::Rc;

fn count(pods: &[Rc<Pod>], test: impl Fn(&Pod) -> bool) -> i32 {
    i32::try_from(pods.iter().filter(|pod| test(pod)).count()).unwrap_or(i32::MAX)
}

/// The status that follows from the active pods, with the conditions as they are.
///
/// Follows kubernetes pkg/controller/replicaset calculateStatus, v1.36. Left out: terminatingReplicas.
pub fn status(set: &ReplicaSet, active: &[Rc<Pod>], now: Now) -> ReplicaSetStatus {
    let template_labels = &set.spec.template.metadata.labels;
    ReplicaSetStatus {
        replicas: i32::try_from(active.len()).unwrap_or(i32::MAX),
        fully_labeled_replicas: count(active, |pod| {
            template_labels.iter().all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
        }),
        ready_replicas: count(active, Pod::is_ready),
        available_replicas: count(active, |pod| pod.is_available(set.spec.min_ready_seconds, now.time)),
        observed_generation: set.metadata.generation,
        ..set.status.clone()
    }
}

/// Sets or takes off the ReplicaFailure condition: whether a creation (else a deletion) failed, and how.
pub fn set_failure(status: &mut ReplicaSetStatus, failed: Option<(bool, &str)>, now: Now) {
    const REPLICA_FAILURE: &str = "ReplicaFailure";
    match failed {
        None => status.conditions.retain(|c| c.type_ != REPLICA_FAILURE),
        Some(_) if status.conditions.iter().any(|c| c.type_ == REPLICA_FAILURE) => {}
        Some((creating, message)) => status.conditions.push(WorkloadCondition {
            type_: REPLICA_FAILURE.into(),
            status: "True".into(),
            last_transition_time: Some(now.time),
            reason: if creating { "FailedCreate" } else { "FailedDelete" }.into(),
            message: message.into(),
            ..WorkloadCondition::default()
        }),
    }
}
