//! What the families about the DaemonSet controller share.

use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

/// A reconcile with nothing outstanding.
pub fn run_sync(
    now_ms: i64,
    daemonset: &DaemonSet,
    nodes: &[Rc<Node>],
    pods: &[Rc<Pod>],
    revisions: &[Rc<ControllerRevision>],
    backoff: &Backoff,
) -> SyncPlan {
    sync(&SyncInput {
        now_ms,
        daemonset,
        nodes,
        pods,
        revisions,
        backoff,
        earlier_writes_awaited: false,
        revision_named: &|name| revisions.iter().find(|revision| *revision.metadata.name == *name).cloned(),
    })
}

/// The seven counters, as recordings write them.
pub fn counters(status: &DaemonSetStatus) -> Value {
    json!({
        "desiredNumberScheduled": status.desired_number_scheduled,
        "currentNumberScheduled": status.current_number_scheduled,
        "numberMisscheduled": status.number_misscheduled,
        "numberReady": status.number_ready,
        "updatedNumberScheduled": status.updated_number_scheduled,
        "numberAvailable": status.number_available,
        "numberUnavailable": status.number_unavailable,
    })
}

/// The ControllerRevision of the DaemonSet's template, with this hash.
pub fn revision_of(daemonset: &DaemonSet, hash: &str, number: i64) -> Rc<ControllerRevision> {
    let mut labels = daemonset.spec.template.metadata.labels.clone();
    Rc::make_mut(&mut labels).insert(CONTROLLER_REVISION_HASH.into(), hash.into());
    Rc::new(ControllerRevision {
        metadata: ObjectMeta {
            name: format!("{}-{hash}", daemonset.metadata.name).into(),
            namespace: daemonset.metadata.namespace.clone(),
            labels,
            owner_references: Rc::new(vec![controller_reference(daemonset)]),
            ..Default::default()
        },
        data: Rc::new(revision_data(&daemonset.spec.template)),
        revision: number,
        ..Default::default()
    })
}

/// The pod that the controller creates on a node, as the API server stores it.
pub fn created_pod(daemonset: &DaemonSet, hash: &str, node: &str, name: &str, now: Time) -> Pod {
    let generation = daemonset.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION);
    let mut pod = pod_for_node(daemonset, &pod_template(&daemonset.spec.template, generation, hash), node);
    pod.metadata.name = name.into();
    pod.metadata.uid = name.into();
    pod.metadata.creation_timestamp = Some(now);
    pod.status.phase = PENDING.into();
    pod
}

/// Binds a pod to a node and lets it run, not ready yet.
pub fn run_on(pod: &mut Pod, node: &str) {
    Rc::make_mut(&mut pod.spec).node_name = node.into();
    pod.status.phase = RUNNING.into();
}

/// Makes a pod ready.
pub fn make_ready(pod: &mut Pod, since: Time) {
    pod.status.set_condition(PodCondition {
        type_: "Ready".into(),
        status: "True".into(),
        last_transition_time: Some(since),
        ..Default::default()
    });
}

/// Carries out what a reconcile does to ControllerRevisions.
pub fn apply_history(revisions: &mut Vec<Rc<ControllerRevision>>, plan: &SyncPlan) {
    for change in &plan.history.changes {
        match change {
            RevisionChange::Create(revision) => revisions.push(revision.clone()),
            RevisionChange::Renumber { revision, to } => {
                for present in revisions.iter_mut().filter(|present| present.metadata.name == revision.metadata.name) {
                    Rc::make_mut(present).revision = *to;
                }
            }
            other => panic!("no recording leads to {other:?}"),
        }
    }
    revisions
        .retain(|revision| !plan.history_deletions.iter().any(|gone| gone.metadata.name == revision.metadata.name));
}
