use super::{Writer, containers, controlled_by};
use crate::apiserver::{ApiServer, Store};
use crate::kubectl::age::long_time;
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

fn or_default(value: Option<&IntOrString>, default: &str) -> String {
    value.map_or_else(|| default.into(), ToString::to_string)
}

/// `2 Running / 1 Waiting / 0 Succeeded / 0 Failed`
fn pods_status(api: &ApiServer, uid: &str) -> String {
    let (mut running, mut waiting, mut succeeded, mut failed) = (0usize, 0usize, 0usize, 0usize);
    for pod in api.store().pods_controlled_by(uid) {
        match pod.status.phase.as_str() {
            RUNNING => running += 1,
            PENDING => waiting += 1,
            SUCCEEDED => succeeded += 1,
            FAILED => failed += 1,
            _ => {}
        }
    }
    format!("{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed")
}

pub(super) fn daemon_set(w: &mut Writer, api: &ApiServer, set: &DaemonSet) {
    let (metadata, status) = (&set.metadata, &set.status);
    let selector: Vec<String> =
        set.spec.template.spec.node_selector.iter().map(|(key, value)| format!("{key}={value}")).collect();
    w.pair(0, "Name", &metadata.name);
    w.pair(0, "Namespace", &metadata.namespace);
    w.pair(0, "Selector", &set.spec.selector);
    w.pair(0, "Node-Selector", super::or_none(&selector.join(",")));
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
    w.line(0, format!("Desired Number of Nodes Scheduled: {}", status.desired_number_scheduled));
    w.line(0, format!("Current Number of Nodes Scheduled: {}", status.current_number_scheduled));
    w.line(0, format!("Number of Nodes Scheduled with Up-to-date Pods: {}", status.updated_number_scheduled));
    w.line(0, format!("Number of Nodes Scheduled with Available Pods: {}", status.number_available));
    w.line(0, format!("Number of Nodes Misscheduled: {}", status.number_misscheduled));
    w.pair(0, "Pods Status", pods_status(api, &metadata.uid));
    containers::template(w, &set.spec.template);
}

pub(super) fn deployment(w: &mut Writer, api: &ApiServer, deployment: &Deployment) {
    let (metadata, spec, status) = (&deployment.metadata, &deployment.spec, &deployment.status);
    w.pair(0, "Name", &metadata.name);
    w.pair(0, "Namespace", &metadata.namespace);
    w.pair(0, "CreationTimestamp", long_time(metadata.creation_timestamp.unwrap_or_default()));
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
    w.pair(0, "Selector", &spec.selector);
    w.pair(
        0,
        "Replicas",
        format!(
            "{} desired | {} updated | {} total | {} available | {} unavailable",
            spec.replicas.unwrap_or(1),
            status.updated_replicas,
            status.replicas,
            status.available_replicas,
            status.unavailable_replicas
        ),
    );
    w.pair(0, "StrategyType", &spec.strategy.type_);
    w.pair(0, "MinReadySeconds", spec.min_ready_seconds);
    if let Some(rolling) = &spec.strategy.rolling_update {
        let unavailable = or_default(rolling.max_unavailable.as_ref(), "25%");
        let surge = or_default(rolling.max_surge.as_ref(), "25%");
        w.pair(0, "RollingUpdateStrategy", format!("{unavailable} max unavailable, {surge} max surge"));
    }
    containers::template(w, &spec.template);
    conditions(w, &status.conditions);
    let mut sets: Vec<&Rc<ReplicaSet>> = Store::in_namespace(api.store().replica_sets(), &metadata.namespace)
        .filter(|set| set.metadata.is_controlled_by(&metadata.uid))
        .collect();
    let number = |set: &ReplicaSet| -> i64 {
        let text = set.metadata.annotation("deployment.kubernetes.io/revision");
        text.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    sets.order_by_key(|set| number(set));
    let shown = |set: &ReplicaSet| {
        let wanted = set.spec.replicas.unwrap_or(1);
        format!("{} ({}/{wanted} replicas created)", set.metadata.name, set.status.replicas)
    };
    let (newest, older) = sets.split_last().map_or((None, &[][..]), |(newest, older)| (Some(*newest), older));
    let older: Vec<String> = older.iter().map(|set| shown(set)).collect();
    w.pair(0, "OldReplicaSets", super::or_none(&older.join(", ")));
    w.pair(0, "NewReplicaSet", newest.map_or_else(|| "<none>".into(), |set| shown(set)));
}

pub(super) fn replica_set(w: &mut Writer, api: &ApiServer, set: &ReplicaSet) {
    let metadata = &set.metadata;
    w.pair(0, "Name", &metadata.name);
    w.pair(0, "Namespace", &metadata.namespace);
    w.pair(0, "Selector", &set.spec.selector);
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
    if let Some(owner) = controlled_by(metadata) {
        w.pair(0, "Controlled By", owner);
    }
    let wanted = set.spec.replicas.unwrap_or(1);
    w.pair(0, "Replicas", format!("{} current / {wanted} desired", set.status.replicas));
    w.pair(0, "Pods Status", pods_status(api, &metadata.uid));
    containers::template(w, &set.spec.template);
    conditions(w, &set.status.conditions);
}

fn conditions(w: &mut Writer, conditions: &[WorkloadCondition]) {
    if conditions.is_empty() {
        return;
    }
    w.line(0, "Conditions:\n  Type\tStatus\tReason\n  ----\t------\t------");
    for condition in conditions {
        w.line(1, format!("{} \t{}\t{}", condition.type_, condition.status, condition.reason));
    }
}
