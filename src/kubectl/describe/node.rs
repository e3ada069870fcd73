use super::Writer;
use crate::apiserver::ApiServer;
use crate::kubectl::age::{age, long_time};
use crate::objects::*;
use crate::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

type Amounts = BTreeMap<String, Quantity>;

/// A node with what runs on it.
pub(super) fn describe(w: &mut Writer, api: &ApiServer, node: &Node) {
    let metadata = &node.metadata;
    let roles = node.roles().join(",");
    w.pair(0, "Name", &metadata.name);
    w.pair(0, "Roles", super::or_none(&roles));
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
    w.pair(0, "CreationTimestamp", long_time(metadata.creation_timestamp.unwrap_or_default()));
    let mut taints: Vec<&Taint> = node.spec.taints.iter().collect();
    taints.order_by_key(|taint| (taint.effect.clone(), taint.key.clone()));
    w.lines("", "Taints", &taints.iter().map(ToString::to_string).collect::<Vec<_>>());
    w.pair(0, "Unschedulable", node.spec.unschedulable);
    lease(w, api, node);
    if !node.status.conditions.is_empty() {
        w.line(0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
        w.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
        for c in node.status.conditions.iter() {
            let (heartbeat, transition) = (
                long_time(c.last_heartbeat_time.unwrap_or_default()),
                long_time(c.last_transition_time.unwrap_or_default()),
            );
            let line =
                format!("{} \t{} \t{heartbeat} \t{transition} \t{} \t{}", c.type_, c.status, c.reason, c.message);
            w.line(1, line);
        }
    }
    w.line(0, "Addresses:");
    for address in node.status.addresses.iter() {
        w.pair(1, &address.type_, &address.address);
    }
    for (title, list) in [("Capacity", &node.status.capacity), ("Allocatable", &node.status.allocatable)] {
        if !list.is_empty() {
            w.line(0, format!("{title}:"));
        }
        for (name, amount) in list.iter() {
            w.pair(1, name, amount);
        }
    }
    system_info(w, node);
    if !node.spec.pod_cidr.is_empty() {
        w.pair(0, "PodCIDR", &node.spec.pod_cidr);
    }
    for (title, field) in [("PodCIDRs", "podCIDRs"), ("ProviderID", "providerID")] {
        match node.spec.other.get(field) {
            Some(Value::String(text)) => w.pair(0, title, text),
            Some(Value::Array(items)) => {
                w.pair(0, title, items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
            }
            _ => {}
        }
    }
    pods(w, api, node);
}

/// The kubelet renews its lease as long as it is heard.
fn lease(w: &mut Writer, api: &ApiServer, node: &Node) {
    let silent = node.condition("Ready").filter(|condition| condition.status == "Unknown");
    let renewed = silent.and_then(|condition| condition.last_heartbeat_time).unwrap_or_else(|| api.now());
    w.line(0, "Lease:");
    w.pair(1, "HolderIdentity", &node.metadata.name);
    w.pair(1, "AcquireTime", "<unset>");
    w.pair(1, "RenewTime", long_time(renewed));
}

fn system_info(w: &mut Writer, node: &Node) {
    const FIELDS: [(&str, &str); 9] = [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ];
    w.line(0, "System Info:");
    let info = node.status.other.get("nodeInfo");
    for (title, field) in FIELDS {
        let value = info.and_then(|info| info.get(field)).and_then(Value::as_str).unwrap_or("");
        w.pair(1, title, value);
    }
}

fn pods(w: &mut Writer, api: &ApiServer, node: &Node) {
    let allocatable: &Amounts =
        if node.status.allocatable.is_empty() { &node.status.capacity } else { &node.status.allocatable };
    let running: Vec<Rc<Pod>> =
        api.store().pods_on(&node.metadata.name).filter(|pod| pod.is_bound() && !pod.is_finished()).cloned().collect();
    w.pair(0, "Non-terminated Pods", format!("({} in total)", running.len()));
    w.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    w.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
    for pod in &running {
        let (asked, most) = (pod_amounts(&pod.spec, false), pod_amounts(&pod.spec, true));
        let shown = |amounts: &Amounts, resource: &str| share(amounts, resource, allocatable);
        w.line(
            1,
            format!(
                "{}\t{}\t\t{}\t{}\t{}\t{}\t{}",
                pod.metadata.namespace,
                pod.metadata.name,
                shown(&asked, CPU),
                shown(&most, CPU),
                shown(&asked, MEMORY),
                shown(&most, MEMORY),
                age(pod.metadata.creation_timestamp, api.now())
            ),
        );
        add(&mut requests, &asked);
        add(&mut limits, &most);
    }
    w.line(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)");
    w.line(1, "Resource\tRequests\tLimits");
    w.line(1, "--------\t--------\t------");
    for resource in [CPU, MEMORY, EPHEMERAL_STORAGE] {
        let (asked, most) = (share(&requests, resource, allocatable), share(&limits, resource, allocatable));
        w.line(1, format!("{resource}\t{asked}\t{most}"));
    }
    for resource in allocatable.keys() {
        let is_standard = [CPU, MEMORY, EPHEMERAL_STORAGE, PODS].contains(&resource.as_str());
        if resource.starts_with("hugepages-") {
            let (asked, most) = (share(&requests, resource, allocatable), share(&limits, resource, allocatable));
            w.line(1, format!("{resource}\t{asked}\t{most}"));
        } else if !is_standard && !resource.starts_with("attachable-volumes-") {
            let amount = |list: &Amounts| list.get(resource).copied().unwrap_or_default();
            w.line(1, format!("{resource}\t{}\t{}", amount(&requests), amount(&limits)));
        }
    }
}

/// `200m (5%)`
fn share(amounts: &Amounts, resource: &str, allocatable: &Amounts) -> String {
    let amount = amounts.get(resource).copied().unwrap_or_default();
    let whole = allocatable.get(resource).map_or(0, |whole| whole.nano_value());
    let percent = if whole <= 0 { 0 } else { amount.nano_value().saturating_mul(100) / whole };
    format!("{amount} ({percent}%)")
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let total = sum.entry(resource.clone()).or_default();
        *total = total.plus(*amount);
    }
}

fn raise(sum: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let total = sum.entry(resource.clone()).or_default();
        if *total < *amount {
            *total = *amount;
        }
    }
}

/// What a pod asks for (or may use): its containers together or, if more, what its start needs; with overhead.
///
/// Follows kubernetes component-helpers resource PodRequests and PodLimits, v1.36.
fn pod_amounts(spec: &PodSpec, limits: bool) -> Amounts {
    let of = |container: &Container| -> Amounts {
        let resources = container.resources.as_ref();
        resources.map_or_else(Amounts::new, |r| (*if limits { &r.limits } else { &r.requests }).as_ref().clone())
    };
    let mut total = Amounts::new();
    spec.containers.iter().for_each(|container| add(&mut total, &of(container)));
    let (mut sidecars, mut starting) = (Amounts::new(), Amounts::new());
    for container in spec.init_containers.iter() {
        let mut needs = of(container);
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut total, &needs);
            add(&mut sidecars, &needs);
            needs = sidecars.clone();
        } else {
            add(&mut needs, &sidecars);
        }
        raise(&mut starting, &needs);
    }
    raise(&mut total, &starting);
    if let Some(pod) = &spec.resources {
        let list: &Amounts = if limits { &pod.limits } else { &pod.requests };
        for (resource, amount) in list {
            total.insert(resource.clone(), *amount);
        }
    }
    for (resource, amount) in spec.overhead.iter() {
        // Overhead raises a limit only where there is one.
        if !limits || total.contains_key(resource) {
            let sum = total.entry(resource.clone()).or_default();
            *sum = sum.plus(*amount);
        }
    }
    total
}
