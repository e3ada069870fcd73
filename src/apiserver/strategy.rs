//! What the API server sets itself before it validates and stores an object: status, generation, template generation.
//!
//! Follows the strategies in kubernetes pkg/registry/{apps,core,policy,scheduling}, PrepareForCreate and
//! PrepareForUpdate, v1.36.
use super::admission::qos_class;
use super::schema::Tree;
use super::schema::value::{object_at, objects_of, set_default};
use serde_json::{Map, Value, json};

/// The annotation in which a DaemonSet's template generation is stored.
pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Kinds whose status only the status subresource may set.
const STATUS_APART: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Namespace",
    "Pod",
    "PodDisruptionBudget",
    "ReplicaSet",
    "ResourceQuota",
    "Service",
    "StatefulSet",
];
/// Kinds that count the changes of their spec.
const COUNTED: &[&str] =
    &["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "PodDisruptionBudget", "ReplicaSet", "StatefulSet"];

/// Why a new object cannot be read although its schema is right: the conversion error for the answer
/// [`undecodable`](super::validation::undecodable).
pub fn conversion_error(kind: &str, tree: &Value) -> Option<String> {
    let text = (kind == "DaemonSet").then(|| Tree(tree).at("metadata").at("annotations").at(TEMPLATE_GENERATION))?;
    if !text.exists() || text.text().parse::<i64>().is_ok() {
        return None;
    }
    Some(format!("strconv.ParseInt: parsing {}: invalid syntax", super::validation::quote(text.text())))
}

/// Prepares a new object. The caller sets name, uid, creation time and resource version.
pub fn prepare_for_create(kind: &str, new: &mut Value) {
    let Some(object) = new.as_object_mut() else { return };
    if STATUS_APART.contains(&kind) {
        object.remove("status");
    }
    if let Some(meta) = object_at(object, "metadata") {
        for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
            meta.remove(field);
        }
        if COUNTED.contains(&kind) || matches!(kind, "PriorityClass" | "RuntimeClass") {
            meta.insert("generation".into(), json!(1));
        }
    }
    match kind {
        "DaemonSet" => {
            let written = template_generation(object).unwrap_or(0);
            set_template_generation(object, written.max(1));
        }
        "Pod" => prepare_pod(object),
        "Namespace" => prepare_namespace(object),
        "Node" => drop_node_config(object, Tree(&Value::Null)),
        _ => {}
    }
    if let Some(spec) = pod_spec_of(kind, object) {
        drop_disabled(spec);
    }
    if kind == "Pod" {
        merge_label_keys(new, false);
    }
}

/// The pod spec in an object, its own or that of its template.
fn pod_spec_of<'a>(kind: &str, object: &'a mut Map<String, Value>) -> Option<&'a mut Map<String, Value>> {
    let spec = object.get_mut("spec")?;
    let pod = match kind {
        "Pod" => spec,
        _ => spec.get_mut("template")?.get_mut("spec")?,
    };
    pod.as_object_mut()
}

/// Takes off the fields of features that are off by default.
///
/// Follows kubernetes pkg/api/pod/util.go dropDisabledFields, v1.36: GenericWorkload, ClusterTrustBundleProjection,
/// PodCertificateRequest, ContainerStopSignals.
fn drop_disabled(spec: &mut Map<String, Value>) {
    spec.remove("schedulingGroup");
    for volume in objects_of(spec, "volumes") {
        if let Some(projected) = volume.get_mut("projected").and_then(Value::as_object_mut) {
            for source in objects_of(projected, "sources") {
                source.remove("clusterTrustBundle");
                source.remove("podCertificate");
            }
        }
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in objects_of(spec, list) {
            let Some(hooks) = container.get_mut("lifecycle").and_then(Value::as_object_mut) else { continue };
            if hooks.remove("stopSignal").is_some() && hooks.is_empty() {
                container.remove("lifecycle");
            }
        }
    }
}

/// Nodes have no source of configuration any more; one that is there from before stays.
fn drop_node_config(node: &mut Map<String, Value>, old: Tree<'_>) {
    if !old.at("spec").has("configSource")
        && let Some(spec) = node.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.remove("configSource");
    }
}

/// Prepares an object that replaces `old` (not through the status subresource).
pub fn prepare_for_update(kind: &str, new: &mut Value, old: &Value) {
    let old = Tree(old);
    let Some(object) = new.as_object_mut() else { return };
    if STATUS_APART.contains(&kind) {
        if old.has("status") {
            object.insert("status".into(), old.at("status").0.clone());
        } else {
            object.remove("status");
        }
    }
    match kind {
        "Namespace" => drop(object.insert("spec".into(), old.at("spec").0.clone())),
        "Node" => drop_node_config(object, old),
        _ => {}
    }
    // What the old object has already, it may keep.
    let spec_before = if kind == "Pod" { old.at("spec") } else { old.path(&["spec", "template", "spec"]) };
    let in_use = spec_before.0.as_object().is_some_and(|before| {
        let mut without = before.clone();
        drop_disabled(&mut without);
        without != *before
    });
    if let Some(spec) = pod_spec_of(kind, object).filter(|_| !in_use) {
        drop_disabled(spec);
    }
    let changed = Tree(object.get("spec").unwrap_or(&Value::Null)).0 != old.at("spec").0;
    let annotated = || {
        let annotations = object.get("metadata").and_then(|m| m.get("annotations")).unwrap_or(&Value::Null);
        *annotations != *old.at("metadata").at("annotations").0
    };
    let counts = COUNTED.contains(&kind) && (changed || (kind == "Deployment" && annotated()));
    let template_changed =
        Tree(object.get("spec").unwrap_or(&Value::Null)).at("template").0 != old.at("spec").at("template").0;
    let generation = old.at("metadata").int("generation");
    if let Some(meta) = object_at(object, "metadata") {
        if COUNTED.contains(&kind) || old.at("metadata").has("generation") {
            meta.insert("generation".into(), json!(generation.saturating_add(i64::from(counts))));
        } else {
            meta.remove("generation");
        }
    }
    if kind == "DaemonSet" {
        let before = old.0.as_object().and_then(template_generation).unwrap_or(0);
        set_template_generation(object, before.saturating_add(i64::from(template_changed)));
    }
}

fn template_generation(set: &Map<String, Value>) -> Option<i64> {
    set.get("metadata")?.get("annotations")?.get(TEMPLATE_GENERATION)?.as_str()?.parse().ok()
}

fn set_template_generation(set: &mut Map<String, Value>, generation: i64) {
    if let Some(meta) = object_at(set, "metadata")
        && let Some(annotations) = object_at(meta, "annotations")
    {
        annotations.insert(TEMPLATE_GENERATION.into(), json!(generation.to_string()));
    }
}

fn prepare_namespace(namespace: &mut Map<String, Value>) {
    namespace.insert("status".into(), json!({"phase": "Active"}));
    let Some(spec) = object_at(namespace, "spec") else { return };
    set_default(spec, "finalizers", json!([]));
    if let Some(finalizers) = spec.get_mut("finalizers").and_then(Value::as_array_mut)
        && !finalizers.contains(&json!("kubernetes"))
    {
        finalizers.push(json!("kubernetes"));
    }
}

fn prepare_pod(pod: &mut Map<String, Value>) {
    let mut status = json!({"phase": "Pending"});
    if let Some(spec) = pod.get("spec") {
        let spec = Tree(spec);
        if let Some(status) = status.as_object_mut() {
            status.insert("qosClass".into(), json!(qos_class(spec)));
            if spec.len("schedulingGates") > 0 {
                let message = "Scheduling is blocked due to non-empty scheduling gates";
                let condition = json!({"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
                    "message": message});
                status.insert("conditions".into(), json!([condition]));
            }
        }
    }
    pod.insert("status".into(), status);
}

/// `matchLabelKeys` and `mismatchLabelKeys` become expressions of their selectors, with the pod's own label values.
/// `once`: what is there already is not merged again.
pub fn merge_label_keys(pod: &mut Value, once: bool) {
    let labels = Tree(pod).path(&["metadata", "labels"]).0.clone();
    let labels = Tree(&labels);
    let Some(spec) = pod.get_mut("spec") else { return };
    let add = |term: &mut Value| {
        for (list, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
            let keys: Vec<String> = Tree(term).list(list).map(|k| k.text().to_owned()).collect();
            for key in keys.iter().filter(|key| labels.has(key)) {
                let expression = json!({"key": key, "operator": operator, "values": [labels.str(key)]});
                let selector = term.get_mut("labelSelector").and_then(Value::as_object_mut);
                if let Some(selector) = selector {
                    set_default(selector, "matchExpressions", json!([]));
                    if let Some(list) = selector.get_mut("matchExpressions").and_then(Value::as_array_mut)
                        && !(once && list.contains(&expression))
                    {
                        list.push(expression);
                    }
                }
            }
        }
    };
    fn items<'a>(value: &'a mut Value, path: &[&str]) -> impl Iterator<Item = &'a mut Value> {
        let found = path.iter().try_fold(value, |value, name| value.get_mut(*name));
        found.and_then(Value::as_array_mut).into_iter().flatten()
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        items(spec, &["affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"]).for_each(add);
        items(spec, &["affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution"])
            .filter_map(|term| term.get_mut("podAffinityTerm"))
            .for_each(add);
    }
    items(spec, &["topologySpreadConstraints"]).for_each(add);
}

/// A pod that a controller made is shown with the volume of its token, which the store leaves out: whoever sends back
/// what they were shown does not mean to change it.
pub fn drop_shown_token(stored: &Value, tree: &mut Value) {
    let is_token = |item: &Value| {
        item.get("name").and_then(Value::as_str).is_some_and(|name| name.starts_with("kube-api-access-"))
    };
    let has_token =
        |tree: &Value| tree.pointer("/spec/volumes").and_then(Value::as_array).is_some_and(|v| v.iter().any(is_token));
    if has_token(stored) {
        return;
    }
    let drop_from = |map: &mut Map<String, Value>, list: &str| {
        if let Some(items) = map.get_mut(list).and_then(Value::as_array_mut) {
            items.retain(|item| !is_token(item));
            if items.is_empty() {
                map.remove(list);
            }
        }
    };
    let Some(spec) = tree.get_mut("spec").and_then(Value::as_object_mut) else { return };
    drop_from(spec, "volumes");
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        containers.filter_map(Value::as_object_mut).for_each(|container| drop_from(container, "volumeMounts"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_daemonset_starts_at_generation_one_without_status() {
        let mut set = json!({"metadata": {"name": "a", "generation": 7}, "spec": {}, "status": {"numberReady": 3}});
        prepare_for_create("DaemonSet", &mut set);
        assert_eq!(
            set,
            json!({"metadata": {"name": "a", "generation": 1, "annotations": {TEMPLATE_GENERATION: "1"}}, "spec": {}})
        );
        let mut set = json!({"metadata": {"annotations": {TEMPLATE_GENERATION: "5"}}});
        prepare_for_create("DaemonSet", &mut set);
        assert_eq!(set["metadata"]["annotations"][TEMPLATE_GENERATION], "5");
        let bad = json!({"metadata": {"annotations": {TEMPLATE_GENERATION: "x"}}});
        assert_eq!(
            conversion_error("DaemonSet", &bad).as_deref(),
            Some("strconv.ParseInt: parsing \"x\": invalid syntax")
        );
    }

    #[test]
    fn generations_rise_with_the_spec_and_the_template() {
        let old = json!({"metadata": {"generation": 2, "annotations": {TEMPLATE_GENERATION: "2"}},
            "spec": {"minReadySeconds": 1, "template": {"a": 1}}, "status": {"numberReady": 3}});
        let update = |spec: Value| {
            let mut new = json!({"metadata": {"generation": 9}, "spec": spec});
            prepare_for_update("DaemonSet", &mut new, &old);
            assert_eq!(new["status"], old["status"]);
            let meta = &new["metadata"];
            (meta["generation"].clone(), meta["annotations"][TEMPLATE_GENERATION].clone())
        };
        assert_eq!(update(json!({"minReadySeconds": 1, "template": {"a": 1}})), (json!(2), json!("2")));
        assert_eq!(update(json!({"minReadySeconds": 2, "template": {"a": 1}})), (json!(3), json!("2")));
        assert_eq!(update(json!({"minReadySeconds": 1, "template": {"a": 2}})), (json!(3), json!("3")));
    }

    #[test]
    fn pods_are_pending_and_namespaces_active() {
        let mut pod = json!({"metadata": {"labels": {"v": "1"}}, "spec": {"containers": [{"name": "a"}],
            "topologySpreadConstraints": [{"matchLabelKeys": ["v"], "labelSelector": {}}]}});
        prepare_for_create("Pod", &mut pod);
        assert_eq!(pod["status"], json!({"phase": "Pending", "qosClass": "BestEffort"}));
        assert_eq!(
            pod["spec"]["topologySpreadConstraints"][0]["labelSelector"],
            json!({"matchExpressions": [{"key": "v", "operator": "In", "values": ["1"]}]})
        );
        let mut namespace = json!({"metadata": {"name": "a"}});
        prepare_for_create("Namespace", &mut namespace);
        assert_eq!(namespace["spec"], json!({"finalizers": ["kubernetes"]}));
    }
}
