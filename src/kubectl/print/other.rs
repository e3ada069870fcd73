//! Cells of the kinds that nothing acts on here.
//!
//! Follows kubernetes pkg/printers/internalversion/printers.go, v1.36.

use super::table::format_labels;
use super::workloads::or_none;
use crate::objects::{Unstructured, decode};
use serde_json::Value;
use std::collections::BTreeMap;

/// The cells of an object, as many as its kind has columns.
pub(crate) fn other_cells(object: &Unstructured, name: String, since: String) -> Vec<String> {
    let at = |path: &str| at(object, path);
    let text = |path: &str| at(path).map_or_else(String::new, crate::kubectl::go_print);
    let or = |path: &str, default: &str| at(path).map_or_else(|| default.to_owned(), crate::kubectl::go_print);
    let size = |fields: &[&str]| {
        let lengths = fields.iter().filter_map(|field| object.body.get(*field)).filter_map(Value::as_object);
        lengths.map(serde_json::Map::len).sum::<usize>().to_string()
    };
    let created = || object.metadata.creation_timestamp.map_or_else(|| "<unknown>".into(), |time| time.to_string());
    let modes = |path: &str| {
        let short = |mode: &Value| match mode.as_str() {
            Some("ReadWriteOnce") => "RWO",
            Some("ReadOnlyMany") => "ROX",
            Some("ReadWriteMany") => "RWX",
            Some("ReadWriteOncePod") => "RWOP",
            _ => "",
        };
        at(path).and_then(Value::as_array).map(|modes| modes.iter().map(short).collect::<Vec<_>>().join(","))
    };
    match object.kind.as_str() {
        "ConfigMap" => vec![name, size(&["data", "binaryData"]), since],
        "Secret" => vec![name, or("type", "Opaque"), size(&["data"]), since],
        "Service" => service(object, name, since),
        "Endpoints" => vec![name, endpoints(object), since],
        "ComponentStatus" => {
            let first = object.body.get("conditions").and_then(|conditions| conditions.get(0));
            let told = |member: &str| first.and_then(|first| first.get(member)).and_then(Value::as_str).unwrap_or("");
            let status = if told("status") == "True" { "Healthy" } else { "Unhealthy" };
            vec![name, status.into(), told("message").into(), String::new()]
        }
        "Lease" => vec![name, text("spec/holderIdentity"), since],
        "LimitRange" | "Role" | "ClusterRole" => vec![name, created()],
        "RoleBinding" | "ClusterRoleBinding" => {
            let subjects = |kind: &str| {
                let all = at("subjects").and_then(Value::as_array).into_iter().flatten();
                let of =
                    |subject: &Value, field: &str| subject.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
                let named = all.filter(|subject| of(subject, "kind") == kind).map(|subject| match kind {
                    "ServiceAccount" => format!("{}/{}", of(subject, "namespace"), of(subject, "name")),
                    _ => of(subject, "name"),
                });
                named.collect::<Vec<_>>().join(", ")
            };
            let role = format!("{}/{}", text("roleRef/kind"), text("roleRef/name"));
            vec![name, role, since, subjects("User"), subjects("Group"), subjects("ServiceAccount")]
        }
        "ResourceQuota" => vec![name, quota(object, "requests"), quota(object, "limits"), since],
        "StatefulSet" => {
            let ready = format!("{}/{}", or("status/readyReplicas", "0"), or("spec/replicas", "1"));
            let (containers, images) = containers(object, "spec/template/spec/containers");
            vec![name, ready, since, containers, images]
        }
        "ReplicationController" => {
            let (containers, images) = containers(object, "spec/template/spec/containers");
            let (wanted, present) = (or("spec/replicas", "1"), or("status/replicas", "0"));
            vec![
                name,
                wanted,
                present,
                or("status/readyReplicas", "0"),
                since,
                containers,
                images,
                labels(at("spec/selector")),
            ]
        }
        "NetworkPolicy" => vec![name, labels(at("spec/podSelector/matchLabels")), since],
        "Job" => {
            let (containers, images) = containers(object, "spec/template/spec/containers");
            let suspended = at("spec/suspend") == Some(&Value::Bool(true));
            let done = format!("{}/{}", or("status/succeeded", "0"), or("spec/completions", "1"));
            let status = if suspended { "Suspended" } else { "Running" };
            let selector = labels(at("spec/selector/matchLabels"));
            vec![name, status.into(), done, String::new(), since, containers, images, selector]
        }
        "CronJob" => {
            let (containers, images) = containers(object, "spec/jobTemplate/spec/template/spec/containers");
            let suspended = if at("spec/suspend") == Some(&Value::Bool(true)) { "True" } else { "False" };
            let active = at("status/active").and_then(Value::as_array).map_or(0, Vec::len).to_string();
            let (schedule, zone) = (text("spec/schedule"), or("spec/timeZone", "<none>"));
            let (last, selector) = ("<none>".to_owned(), "<none>".to_owned());
            vec![name, schedule, zone, suspended.into(), active, last, since, containers, images, selector]
        }
        "HorizontalPodAutoscaler" => {
            let target = format!("{}/{}", text("spec/scaleTargetRef/kind"), text("spec/scaleTargetRef/name"));
            let metrics = at("spec/metrics").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let metrics: Vec<String> = metrics
                .iter()
                .filter_map(|metric| metric.get("resource"))
                .map(|metric| {
                    let wanted = metric.pointer("/target/averageUtilization").and_then(Value::as_i64).unwrap_or(0);
                    format!("{}: <unknown>/{wanted}%", metric.get("name").and_then(Value::as_str).unwrap_or(""))
                })
                .collect();
            let (least, most) = (or("spec/minReplicas", "<unset>"), text("spec/maxReplicas"));
            vec![name, target, or_none(&metrics.join(", ")), least, most, or("status/currentReplicas", "0"), since]
        }
        "PersistentVolume" => {
            let claim = match (text("spec/claimRef/namespace"), text("spec/claimRef/name")) {
                (_, claim) if claim.is_empty() => String::new(),
                (namespace, claim) => format!("{namespace}/{claim}"),
            };
            vec![
                name,
                text("spec/capacity/storage"),
                modes("spec/accessModes").unwrap_or_default(),
                or("spec/persistentVolumeReclaimPolicy", "Retain"),
                or("status/phase", "Pending"),
                claim,
                text("spec/storageClassName"),
                or("spec/volumeAttributesClassName", "<unset>"),
                text("status/reason"),
                since,
                or("spec/volumeMode", "Filesystem"),
            ]
        }
        "PersistentVolumeClaim" => vec![
            name,
            or("status/phase", "Pending"),
            text("spec/volumeName"),
            text("status/capacity/storage"),
            modes("status/accessModes").unwrap_or_default(),
            text("spec/storageClassName"),
            or("spec/volumeAttributesClassName", "<unset>"),
            since,
            or("spec/volumeMode", "Filesystem"),
        ],
        "StorageClass" => {
            let default = object.metadata.annotation("storageclass.kubernetes.io/is-default-class") == Some("true");
            vec![
                if default { format!("{name} (default)") } else { name },
                text("provisioner"),
                or("reclaimPolicy", "Delete"),
                or("volumeBindingMode", "Immediate"),
                or("allowVolumeExpansion", "false"),
                since,
            ]
        }
        "Ingress" => {
            let rules = at("spec/rules").and_then(Value::as_array).into_iter().flatten();
            let hosts: Vec<&str> = rules.filter_map(|rule| rule.get("host").and_then(Value::as_str)).collect();
            let hosts = if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") };
            let ports = if at("spec/tls").is_some() { "80, 443" } else { "80" };
            vec![name, or("spec/ingressClassName", "<none>"), hosts, String::new(), ports.into(), since]
        }
        _ => vec![name, since],
    }
}

/// A field by its names, joined by slashes.
fn at<'o>(object: &'o Unstructured, path: &str) -> Option<&'o Value> {
    let mut parts = path.split('/');
    let first = object.body.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part)).filter(|value| !value.is_null())
}

/// Names and images of the containers that stand there.
fn containers(object: &Unstructured, path: &str) -> (String, String) {
    let list = at(object, path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let join = |field: &str| {
        list.iter().map(|item| item.get(field).and_then(Value::as_str).unwrap_or("")).collect::<Vec<_>>().join(",")
    };
    (join("name"), join("image"))
}

/// A map of labels, or `<none>`.
fn labels(map: Option<&Value>) -> String {
    let map: BTreeMap<String, String> = map.and_then(|map| decode(map.clone()).ok()).unwrap_or_default();
    format_labels(&map)
}

fn service(object: &Unstructured, name: String, since: String) -> Vec<String> {
    let ports = at(object, "spec/ports").and_then(Value::as_array);
    let shown: Vec<String> = ports
        .into_iter()
        .flatten()
        .map(|port| {
            let number = port.get("port").and_then(Value::as_i64).unwrap_or(0);
            let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
            match port.get("nodePort").and_then(Value::as_i64) {
                Some(node_port) if node_port > 0 => format!("{number}:{node_port}/{protocol}"),
                _ => format!("{number}/{protocol}"),
            }
        })
        .collect();
    let text = |path: &str| at(object, path).and_then(Value::as_str).unwrap_or("");
    let kind = match text("spec/type") {
        "" => "ClusterIP",
        kind => kind,
    };
    let external = match kind {
        "LoadBalancer" => "<pending>".to_owned(),
        "ExternalName" => text("spec/externalName").to_owned(),
        _ => "<none>".to_owned(),
    };
    let address = or_none(text("spec/clusterIP"));
    let selector = labels(at(object, "spec/selector"));
    vec![name, kind.into(), address, external, or_none(&shown.join(",")), since, selector]
}

/// `pods: 0/10, requests.cpu: 0/4`; limits apart.
fn quota(object: &Unstructured, part: &str) -> String {
    let of = |list: &str| at(object, list).and_then(Value::as_object);
    let Some(hard) = of("status/hard").or_else(|| of("spec/hard")) else { return String::new() };
    let shown: Vec<String> = hard
        .iter()
        .filter(|(name, _)| name.starts_with("limits.") == (part == "limits"))
        .map(|(name, wanted)| {
            let used = of("status/used").and_then(|used| used.get(name));
            let used = used.map_or_else(|| "0".into(), crate::kubectl::go_print);
            format!("{name}: {used}/{}", crate::kubectl::go_print(wanted))
        })
        .collect();
    shown.join(", ")
}

/// `10.0.0.1:80,10.0.0.2:80 + 3 more...`
pub(crate) fn some_of(all: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = all.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(",");
    match all.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{shown} + {more} more..."),
        _ => shown,
    }
}

fn endpoints(object: &Unstructured) -> String {
    let list = |tree: &Value, member: &str| tree.get(member).and_then(Value::as_array).cloned().unwrap_or_default();
    let subsets = object.body.get("subsets").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut all = Vec::new();
    for subset in &subsets {
        for port in list(subset, "ports") {
            let port = port.get("port").map(crate::kubectl::go_print).unwrap_or_default();
            let ip = |address: &Value| address.get("ip").map(crate::kubectl::go_print).unwrap_or_default();
            all.extend(list(subset, "addresses").iter().map(|address| format!("{}:{port}", ip(address))));
        }
    }
    or_none(&some_of(&all)).to_owned()
}
