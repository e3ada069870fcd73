use super::{Writer, containers, controlled_by, volumes};
use crate::kubectl::age::{age, long_time};
use crate::kubectl::print::served;
use crate::objects::*;
use serde_json::Value;
use std::rc::Rc;

/// A pod, as the API server serves it: with the token volume.
pub(super) fn describe(w: &mut Writer, pod: &Rc<Pod>, now: Time) {
    let tree = served(&Object::Pod(Rc::clone(pod)));
    let pod: Pod = decode(tree).unwrap_or_else(|_| (**pod).clone());
    let (metadata, spec, status) = (&pod.metadata, &pod.spec, &pod.status);
    w.pair(0, "Name", &metadata.name);
    w.pair(0, "Namespace", &metadata.namespace);
    if let Some(priority) = spec.priority {
        w.pair(0, "Priority", priority);
    }
    if !spec.priority_class_name.is_empty() {
        w.pair(0, "Priority Class Name", &spec.priority_class_name);
    }
    if let Some(class) = spec.runtime_class_name.as_ref().filter(|class| !class.is_empty()) {
        w.pair(0, "Runtime Class Name", class);
    }
    if !spec.service_account_name.is_empty() {
        w.pair(0, "Service Account", &spec.service_account_name);
    }
    if pod.is_bound() {
        w.pair(0, "Node", format!("{}/{}", spec.node_name, status.host_ip));
    } else {
        w.pair(0, "Node", "<none>");
    }
    if let Some(start) = status.start_time {
        w.pair(0, "Start Time", long_time(start));
    }
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
    match metadata.deletion_timestamp {
        Some(due) if !pod.is_finished() => {
            w.pair(0, "Status", format!("Terminating (lasts {})", age(Some(due), now)));
            let grace = metadata.deletion_grace_period_seconds.unwrap_or(0);
            w.pair(0, "Termination Grace Period", format!("{grace}s"));
        }
        _ => w.pair(0, "Status", &status.phase),
    }
    for (title, text) in [("Reason", &status.reason), ("Message", &status.message)] {
        if !text.is_empty() {
            w.pair(0, title, text);
        }
    }
    if let Some(context) = spec.other.get("securityContext") {
        containers::seccomp_profile(w, context, 0);
    }
    w.pair(0, "IP", &status.pod_ip);
    addresses(w, status);
    if let Some(owner) = controlled_by(metadata) {
        w.pair(0, "Controlled By", owner);
    }
    if !status.nominated_node_name.is_empty() {
        w.pair(0, "NominatedNodeName", &status.nominated_node_name);
    }
    if let Some(resources) = &spec.resources {
        w.line(0, "Resources:");
        containers::resources(w, Some(resources), 1);
    }
    if !spec.init_containers.is_empty() {
        let statuses = Some((&pod, status.init_container_statuses.as_slice()));
        containers::containers(w, "Init Containers", &spec.init_containers, statuses, "");
    }
    let statuses = Some((&pod, status.container_statuses.as_slice()));
    containers::containers(w, "Containers", &spec.containers, statuses, "");
    readiness_gates(w, &pod);
    if !status.conditions.is_empty() {
        w.line(0, "Conditions:\n  Type\tStatus");
        for condition in &status.conditions {
            w.line(1, format!("{} \t{} ", condition.type_, condition.status));
        }
    }
    volumes::describe(w, &spec.volumes, "");
    let qos = if status.qos_class.is_empty() { qos_class(spec) } else { &status.qos_class };
    w.pair(0, "QoS Class", qos);
    w.labels("", "Node-Selectors", &spec.node_selector);
    w.tolerations("", &spec.tolerations);
    containers::topology_spread(w, &spec.topology_spread_constraints, "");
}

fn addresses(w: &mut Writer, status: &PodStatus) {
    let mut addresses: Vec<&str> = status.pod_ips.iter().map(|address| address.ip.as_str()).collect();
    if addresses.is_empty() && !status.pod_ip.is_empty() {
        addresses.push(&status.pod_ip);
    }
    if addresses.is_empty() {
        w.line(0, "IPs:\t<none>");
        return;
    }
    w.line(0, "IPs:");
    for address in addresses {
        w.pair(1, "IP", address);
    }
}

fn readiness_gates(w: &mut Writer, pod: &Pod) {
    let gates = pod.spec.other.get("readinessGates").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if gates.is_empty() {
        return;
    }
    w.line(0, "Readiness Gates:\n  Type\tStatus");
    for type_ in gates.iter().filter_map(|gate| gate.get("conditionType")).filter_map(Value::as_str) {
        let status = pod.status.condition(type_).map_or("<none>", |condition| &condition.status);
        w.line(1, format!("{type_} \t{status} "));
    }
}
