//! Objects of the playground as manifests that another cluster takes.

use crate::objects::*;
use crate::order::Collect;
use serde_json::Value;

/// Members of `metadata` that the API server writes.
const SERVER_METADATA: [&str; 7] =
    ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp"];

/// What a person would have written: without status and without what the API server fills in.
pub(super) fn as_manifest(tree: &Value) -> Value {
    let mut tree = tree.clone();
    if let Some(members) = tree.as_object_mut() {
        members.remove("status");
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            for member in SERVER_METADATA {
                metadata.remove(member);
            }
        }
    }
    without_nothing(tree)
}

/// Without nulls, empty objects and empty lists.
fn without_nothing(tree: Value) -> Value {
    match tree {
        Value::Object(members) => {
            let kept = members.into_iter().map(|(key, value)| (key, without_nothing(value)));
            let is_nothing = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            Value::Object(kept.filter(|(_, value)| !is_nothing(value)).collect_object())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nothing).collect()),
        other => other,
    }
}

fn text<'v>(tree: &'v Value, pointer: &str) -> &'v str {
    tree.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// Name of an object.
pub(super) fn name(tree: &Value) -> &str {
    text(tree, "/metadata/name")
}

/// Kind of an object.
pub(super) fn kind(tree: &Value) -> &str {
    text(tree, "/kind")
}

/// Whether a person has to make the object on another cluster: not a node, nothing that a controller or the cluster
/// itself makes.
pub(super) fn is_a_persons(tree: &Value) -> bool {
    let owned = tree.pointer("/metadata/ownerReferences").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    let own = match kind(tree) {
        "Node" | "Event" | "ControllerRevision" | "Lease" | "Endpoints" | "EndpointSlice" => true,
        "Namespace" => ["default", "kube-system", "kube-public", "kube-node-lease"].contains(&name(tree)),
        "PriorityClass" => name(tree).starts_with("system-"),
        "ServiceAccount" => name(tree) == "default",
        "ConfigMap" => name(tree) == "kube-root-ca.crt",
        _ => false,
    };
    !owned && !own
}

/// Labels of a node that a kubelet does not set itself.
pub(super) fn own_labels(tree: &Value) -> Vec<(String, String)> {
    let usual =
        ["kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type"];
    let labels = tree.pointer("/metadata/labels").and_then(Value::as_object);
    labels
        .into_iter()
        .flatten()
        .filter(|(key, _)| !usual.contains(&key.as_str()) && !key.starts_with("beta.kubernetes.io/"))
        .filter(|(key, _)| !key.starts_with("node-role.kubernetes.io/"))
        .map(|(key, value)| (key.clone(), value.as_str().unwrap_or("").to_owned()))
        .collect()
}

/// Taints of a node that no controller and no installer sets itself, as `kubectl taint` takes them.
pub(super) fn own_taints(tree: &Value) -> Vec<String> {
    let taints = tree.pointer("/spec/taints").and_then(Value::as_array);
    let own = |key: &str| key.starts_with("node-role.kubernetes.io/") || key.starts_with("node.kubernetes.io/");
    taints
        .into_iter()
        .flatten()
        .filter(|taint| !own(text(taint, "/key")))
        .map(|taint| match (text(taint, "/key"), text(taint, "/value"), text(taint, "/effect")) {
            (key, "", effect) => format!("{key}:{effect}"),
            (key, value, effect) => format!("{key}={value}:{effect}"),
        })
        .collect()
}

/// Whether a node is one of the control plane.
pub(super) fn is_control_plane(tree: &Value) -> bool {
    tree.pointer("/metadata/labels").and_then(|labels| labels.get(CONTROL_PLANE_ROLE)).is_some()
}

/// Label that marks a node of the control plane.
const CONTROL_PLANE_ROLE: &str = "node-role.kubernetes.io/control-plane";

/// A live object as JSON, without empty members.
pub(super) fn tree_of(object: &Object) -> Value {
    without_nothing(encode(&object.to_value()))
}
