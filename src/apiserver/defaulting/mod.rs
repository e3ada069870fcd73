//! The defaults that the API server fills in when it reads an object.
//!
//! Follows kubernetes pkg/apis/{core,apps,scheduling}/v1/defaults.go and the conversions between stored and internal
//! types that show in what is stored, v1.36. Plain defaults are in `defaults.txt` (type, field, value); the rest is
//! here.
mod image;

pub use image::default_pull_policy;

use super::admission::{container_amounts, is_pod_level};
use super::schema::Tree;
use super::schema::value::{object_at, set_default};
use super::schema::{Kind, field_of};
use super::validation::allows_overcommit;
use crate::objects::Quantity;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

type Object = Map<String, Value>;

/// Plain defaults: type, field, value; sorted by type.
fn defaults() -> &'static [(&'static str, &'static str, Value)] {
    static TABLE: OnceLock<Vec<(&'static str, &'static str, Value)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let read = |line: &'static str| {
            let mut words = line.splitn(3, ' ');
            let (name, field, value) = (words.next()?, words.next()?, words.next()?);
            Some((name, field, serde_json::from_str(value).ok()?))
        };
        include_str!("defaults.txt").lines().filter_map(read).collect()
    })
}

/// Fills in every default of an object that has passed [`check`](super::schema::check). Kinds without a schema are left
/// alone. Applying it twice changes nothing.
pub fn default(kind: &str, tree: &mut Value) {
    if let Value::Object(object) = tree {
        default_struct(kind, object);
        if kind == "Pod" {
            default_pod(object);
        }
    }
}

/// Fills in the defaults of a pod template alone (what `PodTemplateSpec` means inside a DaemonSet).
pub fn default_template(template: &mut Value) {
    default("PodTemplateSpec", template);
}

fn default_struct(type_name: &str, object: &mut Object) {
    let table = defaults();
    let first = table.partition_point(|row| row.0 < type_name);
    for (_, field, value) in table.iter().skip(first).take_while(|row| row.0 == type_name) {
        set_default(object, field, value.clone());
    }
    special_defaults(type_name, object);
    for (name, value) in object.iter_mut() {
        if let Some(field) = field_of(type_name, name) {
            default_value(&field.kind, value);
        }
    }
}

fn default_value(kind: &Kind, value: &mut Value) {
    match (kind, value) {
        (Kind::Struct(name), Value::Object(object)) => default_struct(name, object),
        (Kind::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| default_value(item, value)),
        (Kind::Map(item), Value::Object(map)) if **item == Kind::Quantity => map.values_mut().for_each(round_to_milli),
        (Kind::Map(item), Value::Object(map)) => map.values_mut().for_each(|value| default_value(item, value)),
        _ => {}
    }
}

/// Amounts in resource lists are kept in thousandths, rounded away from zero.
fn round_to_milli(amount: &mut Value) {
    const MILLI: i128 = 1_000_000;
    let Some(quantity) = amount.as_str().and_then(|text| Quantity::parse(text).ok()) else { return };
    let nano = quantity.nano_value();
    if nano % MILLI != 0
        && let Ok(milli) = i64::try_from(nano / MILLI)
    {
        *amount = json!(Quantity::from_milli(milli.saturating_add(if nano < 0 { -1 } else { 1 })).to_string());
    }
}

/// Defaults that depend on other fields.
fn special_defaults(type_name: &str, object: &mut Object) {
    match type_name {
        "Container" | "EphemeralContainer" => default_pull_policy_of(object, "image", "imagePullPolicy"),
        "ImageVolumeSource" => default_pull_policy_of(object, "reference", "pullPolicy"),
        "DaemonSetUpdateStrategy" => default_rolling_update(object, json!(1), json!(0)),
        "DeploymentStrategy" => default_rolling_update(object, json!("25%"), json!("25%")),
        "StatefulSetUpdateStrategy" if text(object, "type") == "RollingUpdate" => {
            if let Some(rolling) = object_at(object, "rollingUpdate") {
                set_default(rolling, "partition", 0);
            }
        }
        "Volume" if object.keys().all(|key| key == "name") => {
            object.insert("emptyDir".into(), json!({}));
        }
        "PodSpec" => mirror_service_account(object),
        "NodeSpec" => mirror_pod_cidr(object),
        "NodeStatus" => {
            if let Some(capacity) = object.get("capacity").cloned() {
                set_default(object, "allocatable", capacity);
            }
        }
        "Namespace" => label_namespace(object),
        "JobSpec" if !object.contains_key("completions") && object.get("parallelism") == Some(&json!(1)) => {
            object.insert("completions".into(), json!(1));
        }
        "ServicePort" => {
            if let Some(port) = object.get("port").cloned() {
                set_default(object, "targetPort", port);
            }
        }
        "LimitRangeItem" => default_limits(object),
        "Secret" => encode_texts(object),
        _ => {}
    }
}

fn text<'a>(object: &'a Object, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or("")
}

fn default_pull_policy_of(object: &mut Object, image: &str, policy: &str) {
    let default = default_pull_policy(text(object, image));
    set_default(object, policy, default);
}

/// The rolling update parameters: their defaults with `type: RollingUpdate`. Elsewhere a block that was written keeps
/// its values and what it leaves out reads 0, because the internal type has no pointers.
fn default_rolling_update(strategy: &mut Object, unavailable: Value, surge: Value) {
    let rolls = text(strategy, "type") == "RollingUpdate";
    if !rolls && !strategy.contains_key("rollingUpdate") {
        return;
    }
    if let Some(rolling) = object_at(strategy, "rollingUpdate") {
        set_default(rolling, "maxUnavailable", if rolls { unavailable } else { json!(0) });
        set_default(rolling, "maxSurge", if rolls { surge } else { json!(0) });
    }
}

/// `serviceAccount` is the old name of `serviceAccountName`; both are stored.
fn mirror_service_account(spec: &mut Object) {
    if text(spec, "serviceAccountName").is_empty() {
        if let Some(old) = spec.get("serviceAccount").cloned() {
            spec.insert("serviceAccountName".into(), old);
        }
    } else if let Some(name) = spec.get("serviceAccountName").cloned() {
        spec.insert("serviceAccount".into(), name);
    }
}

/// `podCIDR` is the first of `podCIDRs`; when they disagree, `podCIDR` wins.
fn mirror_pod_cidr(spec: &mut Object) {
    let first = spec.get("podCIDRs").and_then(|list| list.get(0)).cloned();
    match (spec.get("podCIDR").cloned(), first) {
        (Some(one), first) if first.as_ref() != Some(&one) => {
            spec.insert("podCIDRs".into(), json!([one]));
        }
        (None, Some(first)) => {
            spec.insert("podCIDR".into(), first);
        }
        _ => {}
    }
}

fn label_namespace(namespace: &mut Object) {
    let name = namespace.get("metadata").and_then(|m| m.get("name")).cloned();
    if let (Some(name), Some(metadata)) = (name, object_at(namespace, "metadata"))
        && let Some(labels) = object_at(metadata, "labels")
    {
        labels.insert("kubernetes.io/metadata.name".into(), name);
    }
}

/// What was written as text is stored as data: `stringData` is only ever written, never read.
fn encode_texts(secret: &mut Object) {
    let Some(Value::Object(texts)) = secret.remove("stringData") else { return };
    if let Some(data) = object_at(secret, "data") {
        data.extend(texts.into_iter().map(|(key, text)| (key, encode_base64(text.as_str().unwrap_or("")).into())));
    }
}

fn encode_base64(text: &str) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4_usize {
            let index = usize::try_from(bits >> (18 - 6 * at) & 63).unwrap_or(0);
            let sign = SIGNS.get(index).filter(|_| at <= chunk.len()).map_or('=', |sign| char::from(*sign));
            out.push(sign);
        }
    }
    out
}

/// Default limit from the maximum, default request from the default limit, then from the minimum.
fn default_limits(item: &mut Object) {
    if text(item, "type") != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let Some(source) = item.get(from).and_then(Value::as_object).cloned() else { continue };
        if let Some(target) = object_at(item, to) {
            for (resource, amount) in source {
                set_default(target, &resource, amount);
            }
        }
    }
}

/// Defaults of pods that templates do not get.
fn default_pod(pod: &mut Object) {
    let Some(spec) = object_at(pod, "spec") else { return };
    set_default(spec, "enableServiceLinks", true);
    let host_network = spec.get("hostNetwork") == Some(&Value::Bool(true));
    for list in ["containers", "initContainers"] {
        for container in super::schema::value::objects_of(spec, list) {
            if host_network {
                for port in super::schema::value::objects_of(container, "ports") {
                    if let Some(number) = port.get("containerPort").cloned() {
                        set_default(port, "hostPort", number);
                    }
                }
            }
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) {
                requests_from_limits(resources);
            }
        }
    }
    default_pod_level(spec);
}

/// What is limited and not requested is requested up to the limit.
fn requests_from_limits(resources: &mut Object) {
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    if let Some(requests) = object_at(resources, "requests") {
        for (resource, amount) in limits {
            set_default(requests, &resource, amount);
        }
    }
}

/// Resources of the pod as a whole, where they are written at all: what they leave out follows from the containers.
fn default_pod_level(spec: &mut Object) {
    let written = Value::Object(spec.clone());
    let tree = Tree(&written);
    if tree.at("resources").len("limits") + tree.at("resources").len("requests") == 0 {
        return;
    }
    let of_containers = |side: &str| container_amounts(tree, side).into_iter().filter(|(name, _)| is_pod_level(name));
    let Some(resources) = object_at(spec, "resources") else { return };
    let mut fill = |side: &str, name: &str, amount: Value| {
        if let Some(list) = object_at(resources, side) {
            set_default(list, name, amount);
        }
    };
    // Huge pages: the limit is what the containers' limits sum up to, unless a request is written.
    let mut limited = tree.at("resources").len("limits") > 0;
    for (name, amount) in of_containers("limits").filter(|(name, _)| !allows_overcommit(name)) {
        if !tree.at("resources").at("requests").has(&name) {
            let limit = tree.at("resources").at("limits").at(&name);
            let amount = if limit.exists() { limit.0.clone() } else { json!(amount.to_string()) };
            fill("limits", &name, amount.clone());
            fill("requests", &name, amount);
            limited = true;
        }
    }
    if limited {
        for (name, amount) in of_containers("requests").filter(|(name, _)| allows_overcommit(name)) {
            fill("requests", &name, json!(amount.to_string()));
        }
        let limits = tree.at("resources").map("limits").filter(|(name, _)| is_pod_level(name));
        for (name, amount) in limits {
            fill("requests", name, amount.0.clone());
        }
    } else {
        let every_limit = |name: &str| {
            let mut all = tree.list("containers").chain(tree.list("initContainers"));
            all.all(|container| container.at("resources").at("limits").has(name))
        };
        for (name, amount) in of_containers("limits").filter(|(name, _)| allows_overcommit(name) && every_limit(name)) {
            fill("limits", &name, json!(amount.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaulted(kind: &str, mut tree: Value) -> Value {
        default(kind, &mut tree);
        let once = tree.clone();
        default(kind, &mut tree);
        assert_eq!(tree, once, "defaulting twice changes nothing");
        tree
    }

    #[test]
    fn every_plain_default_names_a_field() {
        assert!(defaults().is_sorted_by_key(|row| row.0));
        assert_eq!(defaults().len(), include_str!("defaults.txt").lines().count());
        for (name, field, _) in defaults() {
            assert!(field_of(name, field).is_some(), "{name}.{field}");
        }
    }

    #[test]
    fn an_empty_daemonset_gets_the_defaults_of_its_template() {
        let got = defaulted("DaemonSet", json!({}));
        assert_eq!(
            got,
            json!({"spec": {
                "revisionHistoryLimit": 10,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
                "template": {"metadata": {}, "spec": {"dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
                    "schedulerName": "default-scheduler", "securityContext": {},
                    "terminationGracePeriodSeconds": 30}},
            }})
        );
    }

    #[test]
    fn on_delete_keeps_a_rolling_block_without_defaults() {
        let got = defaulted(
            "DaemonSet",
            json!({"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"maxSurge": 2}}}}),
        );
        assert_eq!(
            got["spec"]["updateStrategy"],
            json!({"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 2}})
        );
    }

    #[test]
    fn pods_get_host_ports_and_requests_but_templates_do_not() {
        let spec = json!({"hostNetwork": true, "containers": [{"name": "a", "image": "b:1",
            "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}}}]});
        let pod = defaulted("Pod", json!({"spec": spec.clone()}));
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["ports"][0], json!({"containerPort": 80, "hostPort": 80, "protocol": "TCP"}));
        assert_eq!(container["resources"], json!({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}));
        assert_eq!(pod["spec"]["enableServiceLinks"], true);
        let set = defaulted("DaemonSet", json!({"spec": {"template": {"spec": spec}}}));
        let container = &set["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["ports"][0], json!({"containerPort": 80, "protocol": "TCP"}));
        assert_eq!(container["resources"], json!({"limits": {"cpu": "1"}}));
    }

    #[test]
    fn resources_of_the_whole_pod_follow_from_its_containers() {
        let pod = |resources: Value| {
            let container =
                json!({"name": "a", "image": "b:1", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}});
            let tree = json!({"spec": {"containers": [container.clone(), container], "resources": resources}});
            defaulted("Pod", tree)["spec"]["resources"].clone()
        };
        assert_eq!(
            pod(json!({"limits": {"cpu": "4", "memory": "1Gi"}})),
            json!({"limits": {"cpu": "4", "memory": "1Gi"}, "requests": {"cpu": "2", "memory": "1Gi"}})
        );
        assert_eq!(pod(json!({"requests": {"cpu": "3"}})), json!({"limits": {"cpu": "4"}, "requests": {"cpu": "3"}}));
    }

    #[test]
    fn texts_of_secrets_become_data() {
        let got =
            defaulted("Secret", json!({"data": {"a": "eA=="}, "stringData": {"a": "", "b": "hell", "c": "hello!"}}));
        assert_eq!(got, json!({"type": "Opaque", "data": {"a": "", "b": "aGVsbA==", "c": "aGVsbG8h"}}));
    }

    #[test]
    fn amounts_are_kept_in_thousandths() {
        let node = defaulted("Node", json!({"status": {"capacity": {"cpu": "100u", "memory": "-1500u", "pods": "1"}}}));
        assert_eq!(node["status"]["capacity"], json!({"cpu": "1m", "memory": "-2m", "pods": "1"}));
    }

    #[test]
    fn volumes_probes_and_references_get_theirs() {
        let got = defaulted(
            "PodTemplateSpec",
            json!({"spec": {
                "serviceAccountName": "sa",
                "volumes": [{"name": "a"}, {"name": "b", "hostPath": {"path": "/p"}},
                    {"name": "c", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}],
                "containers": [{
                    "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                        {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
                    "livenessProbe": {"httpGet": {"port": 80}},
                }],
            }}),
        );
        let spec = &got["spec"];
        assert_eq!(spec["serviceAccount"], "sa");
        assert_eq!(
            spec["volumes"],
            json!([{"name": "a", "emptyDir": {}}, {"name": "b", "hostPath": {"path": "/p", "type": ""}},
                {"name": "c", "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}}])
        );
        let container = &spec["containers"][0];
        assert_eq!(container["env"][0]["valueFrom"]["fieldRef"]["apiVersion"], "v1");
        assert_eq!(container["env"][1]["valueFrom"]["resourceFieldRef"]["divisor"], "0");
        assert_eq!(
            container["livenessProbe"],
            json!({"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10,
                "successThreshold": 1, "failureThreshold": 3})
        );
    }

    #[test]
    fn nodes_and_namespaces_get_theirs() {
        let node = defaulted("Node", json!({"spec": {"podCIDR": "10.0.0.0/24"}, "status": {"capacity": {"cpu": "4"}}}));
        assert_eq!(node["spec"]["podCIDRs"], json!(["10.0.0.0/24"]));
        assert_eq!(node["status"]["allocatable"], json!({"cpu": "4"}));
        let namespace = defaulted("Namespace", json!({"metadata": {"name": "a"}}));
        assert_eq!(namespace["metadata"]["labels"], json!({"kubernetes.io/metadata.name": "a"}));
    }
}
