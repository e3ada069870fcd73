//! The columns of each kind.
//!
//! Follows kubernetes pkg/printers/internalversion/printers.go, v1.36.

use super::other::other_cells;
use super::pod::pod_status;
use super::table::Table;
use super::workloads::{containers_and_images, node_selector, or_none};
use crate::apiserver::ApiServer;
use crate::apiserver::schema::Resource;
use crate::kubectl::age::age;
use crate::objects::*;
use serde_json::Value;

/// Heads of a kind's columns; `*` marks those of `-o wide`.
fn heads(resource: &Resource) -> &'static str {
    match (resource.group, resource.kind) {
        ("", "Pod") => "NAME|READY|STATUS|RESTARTS|AGE|*IP|*NODE|*NOMINATED NODE|*READINESS GATES",
        ("", "Node") => {
            "NAME|STATUS|ROLES|AGE|VERSION|*INTERNAL-IP|*EXTERNAL-IP|*OS-IMAGE|*KERNEL-VERSION|*CONTAINER-RUNTIME"
        }
        ("", "Namespace") => "NAME|STATUS|AGE",
        ("", "Event") => "LAST SEEN|TYPE|REASON|OBJECT|*SUBOBJECT|*SOURCE|MESSAGE|*FIRST SEEN|*COUNT|*NAME",
        ("", "Service") => "NAME|TYPE|CLUSTER-IP|EXTERNAL-IP|PORT(S)|AGE|*SELECTOR",
        ("", "ConfigMap") => "NAME|DATA|AGE",
        ("", "Endpoints") => "NAME|ENDPOINTS|AGE",
        ("", "ComponentStatus") => "NAME|STATUS|MESSAGE|ERROR",
        ("", "Secret") => "NAME|TYPE|DATA|AGE",
        ("", "ResourceQuota") => "NAME|REQUEST|LIMIT|AGE",
        ("", "LimitRange") => "NAME|CREATED AT",
        ("apps", "DaemonSet") => {
            "NAME|DESIRED|CURRENT|READY|UP-TO-DATE|AVAILABLE|NODE SELECTOR|AGE|*CONTAINERS|*IMAGES|*SELECTOR"
        }
        ("apps", "Deployment") => "NAME|READY|UP-TO-DATE|AVAILABLE|AGE|*CONTAINERS|*IMAGES|*SELECTOR",
        ("apps", "ReplicaSet") => "NAME|DESIRED|CURRENT|READY|AGE|*CONTAINERS|*IMAGES|*SELECTOR",
        ("apps", "StatefulSet") => "NAME|READY|AGE|*CONTAINERS|*IMAGES",
        ("apps", "ControllerRevision") => "NAME|CONTROLLER|REVISION|AGE",
        ("", "ReplicationController") => "NAME|DESIRED|CURRENT|READY|AGE|*CONTAINERS|*IMAGES|*SELECTOR",
        ("", "PersistentVolume") => {
            "NAME|CAPACITY|ACCESS MODES|RECLAIM POLICY|STATUS|CLAIM|STORAGECLASS|VOLUMEATTRIBUTESCLASS|REASON|AGE|*VOLUMEMODE"
        }
        ("", "PersistentVolumeClaim") => {
            "NAME|STATUS|VOLUME|CAPACITY|ACCESS MODES|STORAGECLASS|VOLUMEATTRIBUTESCLASS|AGE|*VOLUMEMODE"
        }
        ("autoscaling", "HorizontalPodAutoscaler") => "NAME|REFERENCE|TARGETS|MINPODS|MAXPODS|REPLICAS|AGE",
        ("batch", "CronJob") => "NAME|SCHEDULE|TIMEZONE|SUSPEND|ACTIVE|LAST SCHEDULE|AGE|*CONTAINERS|*IMAGES|*SELECTOR",
        ("batch", "Job") => "NAME|STATUS|COMPLETIONS|DURATION|AGE|*CONTAINERS|*IMAGES|*SELECTOR",
        ("coordination.k8s.io", "Lease") => "NAME|HOLDER|AGE",
        ("node.k8s.io", "RuntimeClass") => "NAME|HANDLER|AGE",
        ("policy", "PodDisruptionBudget") => "NAME|MIN AVAILABLE|MAX UNAVAILABLE|ALLOWED DISRUPTIONS|AGE",
        ("scheduling.k8s.io", "PriorityClass") => "NAME|VALUE|GLOBAL-DEFAULT|AGE|PREEMPTIONPOLICY",
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => "NAME|CREATED AT",
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            "NAME|ROLE|AGE|*USERS|*GROUPS|*SERVICEACCOUNTS"
        }
        ("storage.k8s.io", "StorageClass") => {
            "NAME|PROVISIONER|RECLAIMPOLICY|VOLUMEBINDINGMODE|ALLOWVOLUMEEXPANSION|AGE"
        }
        ("networking.k8s.io", "Ingress") => "NAME|CLASS|HOSTS|ADDRESS|PORTS|AGE",
        ("networking.k8s.io", "NetworkPolicy") => "NAME|POD-SELECTOR|AGE",
        _ => "NAME|AGE",
    }
}

/// The table of some objects of one resource.
pub(crate) fn table_of(api: &ApiServer, resource: &Resource, objects: Vec<Object>) -> Table {
    let columns = heads(resource)
        .split('|')
        .map(|head| head.strip_prefix('*').map_or((head, false), |head| (head, true)))
        .collect();
    let now = api.now();
    Table { columns, rows: objects.into_iter().map(|object| (cells(&object, now), object)).collect() }
}

/// The table that kubectl makes by itself, without the server's columns (`--server-print=false`).
pub(crate) fn plain_table(api: &ApiServer, objects: Vec<Object>) -> Table {
    let now = api.now();
    let row = |object: Object| {
        let metadata = object.metadata();
        (vec![metadata.name.to_string(), age(metadata.creation_timestamp, now)], object)
    };
    Table { columns: vec![("NAME", false), ("AGE", false)], rows: objects.into_iter().map(row).collect() }
}

fn cells(object: &Object, now: Time) -> Vec<String> {
    let metadata = object.metadata();
    let name = metadata.name.to_string();
    let since = age(metadata.creation_timestamp, now);
    match object {
        Object::Pod(pod) => pod_cells(pod, name, since, now),
        Object::Node(node) => node_cells(node, name, since),
        Object::Namespace(namespace) => vec![name, namespace.status.phase.clone(), since],
        Object::Event(event) => event_cells(event, name, now),
        Object::DaemonSet(set) => {
            let (containers, images) = containers_and_images(&set.spec.template.spec);
            let status = &set.status;
            vec![
                name,
                status.desired_number_scheduled.to_string(),
                status.current_number_scheduled.to_string(),
                status.number_ready.to_string(),
                status.updated_number_scheduled.to_string(),
                status.number_available.to_string(),
                node_selector(&set.spec.template.spec),
                since,
                containers,
                images,
                set.spec.selector.to_string(),
            ]
        }
        Object::Deployment(deployment) => {
            let (containers, images) = containers_and_images(&deployment.spec.template.spec);
            let status = &deployment.status;
            vec![
                name,
                format!("{}/{}", status.ready_replicas, deployment.spec.replicas.unwrap_or(1)),
                status.updated_replicas.to_string(),
                status.available_replicas.to_string(),
                since,
                containers,
                images,
                deployment.spec.selector.to_string(),
            ]
        }
        Object::ReplicaSet(set) => {
            let (containers, images) = containers_and_images(&set.spec.template.spec);
            vec![
                name,
                set.spec.replicas.unwrap_or(1).to_string(),
                set.status.replicas.to_string(),
                set.status.ready_replicas.to_string(),
                since,
                containers,
                images,
                set.spec.selector.to_string(),
            ]
        }
        Object::ControllerRevision(revision) => {
            let controller = metadata.controller().map_or_else(
                || "<none>".into(),
                |owner| {
                    let kind = owner.kind.to_lowercase();
                    match owner.api_version.split_once('/') {
                        Some((group, _)) => format!("{kind}.{group}/{}", owner.name),
                        None => format!("{kind}/{}", owner.name),
                    }
                },
            );
            vec![name, controller, revision.revision.to_string(), since]
        }
        Object::PriorityClass(class) => vec![
            name,
            class.value.to_string(),
            class.global_default.to_string(),
            since,
            class.preemption_policy.clone().unwrap_or_else(|| "PreemptLowerPriority".into()),
        ],
        Object::PodDisruptionBudget(budget) => {
            let shown = |value: &Option<IntOrString>| value.as_ref().map_or_else(|| "N/A".into(), ToString::to_string);
            vec![
                name,
                shown(&budget.spec.min_available),
                shown(&budget.spec.max_unavailable),
                budget.status.disruptions_allowed.to_string(),
                since,
            ]
        }
        Object::RuntimeClass(class) => vec![name, class.handler.clone(), since],
        Object::Unstructured(other) => other_cells(other, name, since),
    }
}

fn pod_cells(pod: &Pod, name: String, since: String, now: Time) -> Vec<String> {
    let state = pod_status(pod, now);
    let gates = pod.spec.other.get("readinessGates").and_then(Value::as_array);
    let gates = match gates.filter(|gates| !gates.is_empty()) {
        None => "<none>".to_owned(),
        Some(gates) => {
            let met = gates
                .iter()
                .filter_map(|gate| gate.get("conditionType").and_then(Value::as_str))
                .filter(|type_| pod.status.condition(type_).is_some_and(|c| c.status == "True"))
                .count();
            format!("{met}/{}", gates.len())
        }
    };
    vec![
        name,
        format!("{}/{}", state.ready, state.containers),
        state.status,
        state.restarts,
        since,
        or_none(&pod.status.pod_ip),
        or_none(&pod.spec.node_name),
        or_none(&pod.status.nominated_node_name),
        gates,
    ]
}

/// `Ready`, `NotReady` or `Unknown`, and whether the node is cordoned.
fn node_cells(node: &Node, name: String, since: String) -> Vec<String> {
    let mut status = match node.condition("Ready") {
        None => "Unknown".to_owned(),
        Some(condition) if condition.status == "True" => "Ready".into(),
        Some(_) => "NotReady".into(),
    };
    if node.spec.unschedulable {
        status.push_str(",SchedulingDisabled");
    }
    let roles = node.roles().join(",");
    let address = |type_: &str| {
        let found = node.status.addresses.iter().find(|address| address.type_ == type_);
        found.map_or_else(|| "<none>".into(), |address| address.address.clone())
    };
    let info = |field: &str| {
        let value = node.status.other.get("nodeInfo").and_then(|info| info.get(field)).and_then(Value::as_str);
        value.unwrap_or("").to_owned()
    };
    let or_unknown = |text: String| if text.is_empty() { "<unknown>".to_owned() } else { text };
    let kernel = match (info("kernelVersion"), info("architecture")) {
        (kernel, _) if kernel.is_empty() => "<unknown>".to_owned(),
        (kernel, architecture) if architecture.is_empty() => kernel,
        (kernel, architecture) => format!("{kernel} ({architecture})"),
    };
    vec![
        name,
        status,
        if roles.is_empty() { "<none>".into() } else { roles },
        since,
        info("kubeletVersion"),
        address("InternalIP"),
        address("ExternalIP"),
        or_unknown(info("osImage")),
        kernel,
        or_unknown(info("containerRuntimeVersion")),
    ]
}

fn event_cells(event: &Event, name: String, now: Time) -> Vec<String> {
    let first = event.first_timestamp.or(event.metadata.creation_timestamp);
    let last = event.last_timestamp.or(first);
    let object = &event.involved_object;
    let target = if object.name.is_empty() {
        object.kind.to_lowercase()
    } else {
        format!("{}/{}", object.kind.to_lowercase(), object.name)
    };
    let component =
        if event.source.component.is_empty() { &event.reporting_component } else { &event.source.component };
    let source = match event.source.host.as_str() {
        // The scheduler's events carry its instance.
        "" if component == "default-scheduler" => "default-scheduler, default-scheduler-control-plane".to_owned(),
        "" => component.clone(),
        host => format!("{component}, {host}"),
    };
    vec![
        age(last, now),
        event.type_.clone(),
        event.reason.clone(),
        target,
        object.field_path.clone(),
        source,
        event.message.trim().to_owned(),
        age(first, now),
        event.count.max(1).to_string(),
        name,
    ]
}
