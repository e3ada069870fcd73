//! What the API server's admission plugins change and refuse, with its default configuration.
//!
//! Follows kubernetes plugin/pkg/admission and the plugins in k8s.io/apiserver, v1.36. A request passes
//! [`mutate`], then strategy and validation, then [`validate`].

mod limits;
mod pod_defaults;
pub mod pod_security;
mod quota;
mod requests;

pub use limits::{apply_limit_range, limit_range_faults};
pub use pod_defaults::{
    HIGHEST_USER_PRIORITY, PriorityClassInfo, RuntimeClassInfo, SYSTEM_PRIORITY_CLASSES, ServiceAccountInfo,
    runtime_class,
};
pub use quota::{QuotaState, pod_usage, quota_applies};
pub use requests::{container_amounts, is_pod_level, qos_class};

use super::schema::{Resource, Tree};
use super::{Status, StatusCause};
use serde_json::{Value, json};

/// Whether a namespace takes new objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceState {
    /// It does.
    Active,
    /// It is being deleted.
    Terminating,
}

/// What admission looks up in the cluster.
pub trait AdmissionView {
    /// The state of a namespace; `None` when there is none of that name.
    fn namespace(&self, name: &str) -> Option<NamespaceState>;
    /// A priority class (the two system classes always exist).
    fn priority_class(&self, name: &str) -> Option<PriorityClassInfo>;
    /// The priority class marked as global default; of several the one with the lowest value.
    fn default_priority_class(&self) -> Option<PriorityClassInfo>;
    /// A service account.
    fn service_account(&self, namespace: &str, name: &str) -> Option<ServiceAccountInfo>;
    /// A runtime class.
    fn runtime_class(&self, name: &str) -> Option<RuntimeClassInfo>;
    /// The specs of the limit ranges of a namespace, by name.
    fn limit_ranges(&self, namespace: &str) -> Vec<Value>;
    /// The resource quotas of a namespace with what is used of each, by name.
    fn resource_quotas(&self, namespace: &str) -> Vec<QuotaState>;
    /// The labels of a namespace, as a JSON object.
    fn namespace_labels(&self, _namespace: &str) -> Value {
        Value::Null
    }
}

/// Namespaces that cannot be deleted.
pub const IMMORTAL_NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Admission of a new object, first half: may refuse it, and fills in what the cluster decides. `suffix` is the random
/// part of the name of the volume with the service account's token (five characters).
pub fn mutate(view: &dyn AdmissionView, resource: &Resource, new: &mut Value, suffix: &str) -> Result<(), Status> {
    namespace_takes(view, resource, new)?;
    match resource.kind {
        "Pod" => {
            let namespace = Tree(new).at("metadata").str("namespace").to_owned();
            for range in view.limit_ranges(&namespace) {
                apply_limit_range(&range, new);
            }
            let refuse = |message: String, new: &Value| {
                Status::forbidden(&resource.qualified_plural(), request_name(new), &message)
            };
            pod_defaults::service_account(view, &namespace, new, suffix).map_err(|m| refuse(m, new))?;
            pod_defaults::priority(view, new).map_err(|m| refuse(m, new))?;
            pod_defaults::tolerations(new);
            pod_defaults::runtime_class(view, new).map_err(|m| refuse(m, new))
        }
        "Node" => {
            not_ready_taint(new);
            Ok(())
        }
        "PriorityClass" => only_default_class(view, resource, new),
        _ => Ok(()),
    }
}

/// Admission of an object that replaces another: what a pod got when it was made stays, and may be left out.
pub fn admit_update(view: &dyn AdmissionView, resource: &Resource, new: &mut Value, old: &Value) -> Result<(), Status> {
    match resource.kind {
        "Pod" => {
            for field in ["priority", "preemptionPolicy"] {
                let before = Tree(old).at("spec").at(field);
                if let Some(spec) = pod_defaults::spec_of(new).filter(|spec| !spec.contains_key(field))
                    && before.exists()
                {
                    spec.insert(field.into(), before.0.clone());
                }
            }
            pod_defaults::tolerations(new);
            Ok(())
        }
        "PriorityClass" => only_default_class(view, resource, new),
        _ => Ok(()),
    }
}

fn only_default_class(view: &dyn AdmissionView, resource: &Resource, new: &Value) -> Result<(), Status> {
    let name = Tree(new).at("metadata").str("name");
    match view.default_priority_class() {
        Some(other) if Tree(new).flag("globalDefault") && other.name != name => {
            let detail =
                format!("PriorityClass {} is already marked as default. Only one default can exist", other.name);
            Err(Status::forbidden(&resource.qualified_plural(), name, &detail))
        }
        _ => Ok(()),
    }
}

/// Admission of a new object, second half: limits, pod security and quotas. The object has its name by now.
pub fn validate(view: &dyn AdmissionView, resource: &Resource, new: &Value) -> Result<(), Status> {
    let tree = Tree(new);
    let namespace = tree.at("metadata").str("namespace");
    let refuse =
        |detail: &str| Err(Status::forbidden(&resource.qualified_plural(), tree.at("metadata").str("name"), detail));
    if resource.kind == "Pod" {
        for range in view.limit_ranges(namespace) {
            let faults = limit_range_faults(&range, new);
            match faults.as_slice() {
                [] => {}
                [one] => return refuse(one),
                many => return refuse(&format!("[{}]", many.join(", "))),
            }
        }
        if let Some(message) = pod_security::refusal(Tree(&view.namespace_labels(namespace)), new) {
            return refuse(&message);
        }
    }
    match quota::exceeded(view.resource_quotas(namespace), resource, new) {
        Some(message) => refuse(&message),
        None => Ok(()),
    }
}

/// What admission warns about when an object is created or, unless it is a pod, changed.
pub fn warning(view: &dyn AdmissionView, resource: &Resource, new: &Value) -> Option<String> {
    let labels = view.namespace_labels(Tree(new).at("metadata").str("namespace"));
    pod_security::warning(Tree(&labels), resource.kind, new)
}

/// Admission of a deletion: three namespaces are immortal.
pub fn admit_delete(resource: &Resource, name: &str) -> Result<(), Status> {
    if resource.kind == "Namespace" && IMMORTAL_NAMESPACES.contains(&name) {
        return Err(Status::forbidden(&resource.qualified_plural(), name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// The name that refusals show: a generated name is not known yet.
fn request_name(new: &Value) -> &str {
    let meta = Tree(new).at("metadata");
    if meta.str("name").is_empty() { meta.str("generateName") } else { meta.str("name") }
}

/// New objects need a namespace that exists and is not being deleted.
pub fn namespace_takes(view: &dyn AdmissionView, resource: &Resource, new: &Value) -> Result<(), Status> {
    if !resource.is_namespaced() {
        return Ok(());
    }
    let namespace = Tree(new).at("metadata").str("namespace");
    match view.namespace(namespace) {
        Some(NamespaceState::Active) => Ok(()),
        Some(NamespaceState::Terminating) => {
            let detail =
                format!("unable to create new content in namespace {namespace} because it is being terminated");
            let mut status = Status::forbidden(&resource.qualified_plural(), request_name(new), &detail);
            status.causes = vec![StatusCause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {namespace} is being terminated"),
                field: "metadata.namespace".into(),
            }];
            Err(status)
        }
        None => Err(Status::not_found("namespaces", namespace)),
    }
}

/// A new node is not ready until its conditions say otherwise.
fn not_ready_taint(node: &mut Value) {
    const KEY: &str = "node.kubernetes.io/not-ready";
    let Some(object) = node.as_object_mut() else { return };
    let Some(spec) = super::schema::value::object_at(object, "spec") else { return };
    super::schema::value::set_default(spec, "taints", json!([]));
    if let Some(taints) = spec.get_mut("taints").and_then(Value::as_array_mut) {
        let is_there = |taint: &Value| Tree(taint).str("key") == KEY && Tree(taint).str("effect") == "NoSchedule";
        if !taints.iter().any(is_there) {
            taints.push(json!({"key": KEY, "effect": "NoSchedule"}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apiserver::schema::resource_of;
    use crate::apiserver::{defaulting, strategy};
    use crate::objects::Quantity;
    use std::collections::BTreeMap;

    #[derive(Default)]
    struct View {
        limits: Vec<Value>,
        quotas: Vec<QuotaState>,
        default_class: Option<PriorityClassInfo>,
    }

    impl AdmissionView for View {
        fn namespace(&self, name: &str) -> Option<NamespaceState> {
            match name {
                "default" => Some(NamespaceState::Active),
                "going" => Some(NamespaceState::Terminating),
                _ => None,
            }
        }
        fn priority_class(&self, name: &str) -> Option<PriorityClassInfo> {
            let class = |value| PriorityClassInfo { name: name.into(), value, preempts: false };
            (name == "high").then(|| class(100))
        }
        fn default_priority_class(&self) -> Option<PriorityClassInfo> {
            self.default_class.clone()
        }
        fn service_account(&self, _: &str, name: &str) -> Option<ServiceAccountInfo> {
            (name == "default").then(ServiceAccountInfo::default)
        }
        fn runtime_class(&self, name: &str) -> Option<RuntimeClassInfo> {
            (name == "vm").then(|| RuntimeClassInfo {
                overhead: json!({"cpu": "250m"}),
                node_selector: json!({"vm": "yes"}),
                ..RuntimeClassInfo::default()
            })
        }
        fn limit_ranges(&self, _: &str) -> Vec<Value> {
            self.limits.clone()
        }
        fn resource_quotas(&self, _: &str) -> Vec<QuotaState> {
            self.quotas.clone()
        }
    }

    fn admit(view: &View, namespace: &str, spec: Value) -> Result<Value, String> {
        let pods = resource_of("v1", "Pod").unwrap();
        let mut pod = json!({"metadata": {"generateName": "a-", "namespace": namespace}, "spec": spec});
        defaulting::default("Pod", &mut pod);
        mutate(view, pods, &mut pod, "abcde").map_err(|status| status.message)?;
        pod["metadata"]["name"] = json!("a-1");
        strategy::prepare_for_create("Pod", &mut pod);
        validate(view, pods, &pod).map_err(|status| status.message)?;
        Ok(pod["spec"].clone())
    }

    fn spec(more: Value) -> Value {
        let mut spec = json!({"containers": [{"name": "c", "image": "i:1"}]});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        spec
    }

    #[test]
    fn a_plain_pod_gets_what_the_recordings_show() {
        let pod = admit(&View::default(), "default", spec(json!({}))).unwrap();
        assert_eq!((&pod["priority"], &pod["preemptionPolicy"]), (&json!(0), &json!("PreemptLowerPriority")));
        assert_eq!(pod["serviceAccountName"], "default");
        assert_eq!(pod["volumes"][0]["name"], "kube-api-access-abcde");
        assert_eq!(pod["containers"][0]["volumeMounts"][0]["readOnly"], true);
        assert_eq!(pod["tolerations"][1]["tolerationSeconds"], 300);
        let own = json!({"automountServiceAccountToken": false, "tolerations": [{"operator": "Exists"}]});
        let pod = admit(&View::default(), "default", spec(own)).unwrap();
        assert_eq!(pod["tolerations"], json!([{"operator": "Exists"}]));
        assert!(pod.get("volumes").is_none());
    }

    #[test]
    fn pods_are_refused_in_kubernetes_words() {
        let refused = |namespace: &str, more: Value| admit(&View::default(), namespace, spec(more)).unwrap_err();
        assert_eq!(refused("ghost", json!({})), "namespaces \"ghost\" not found");
        assert_eq!(
            refused("going", json!({})),
            "pods \"a-\" is forbidden: unable to create new content in namespace going because it is being terminated"
        );
        assert_eq!(
            refused("default", json!({"serviceAccountName": "speaker"})),
            "pods \"a-\" is forbidden: error looking up service account default/speaker: serviceaccount \"speaker\" not found"
        );
        assert_eq!(
            refused("default", json!({"priorityClassName": "low"})),
            "pods \"a-\" is forbidden: no PriorityClass with name low was found"
        );
        assert!(refused("default", json!({"priority": 5})).contains("computed 0 from the given PriorityClass name"));
        assert!(refused("default", json!({"runtimeClassName": "x"})).contains("RuntimeClass \"x\" not found"));
    }

    #[test]
    fn classes_set_priority_and_overhead() {
        let more = json!({"priorityClassName": "high", "runtimeClassName": "vm"});
        let pod = admit(&View::default(), "default", spec(more)).unwrap();
        assert_eq!((&pod["priority"], &pod["preemptionPolicy"]), (&json!(100), &json!("Never")));
        assert_eq!((&pod["overhead"], &pod["nodeSelector"]), (&json!({"cpu": "250m"}), &json!({"vm": "yes"})));
        let default_class = Some(PriorityClassInfo { name: "usual".into(), value: 7, preempts: true });
        let pod = admit(&View { default_class, ..View::default() }, "default", spec(json!({}))).unwrap();
        assert_eq!((&pod["priority"], &pod["priorityClassName"]), (&json!(7), &json!("usual")));
        let critical = json!({"priorityClassName": "system-node-critical"});
        assert_eq!(admit(&View::default(), "default", spec(critical)).unwrap()["priority"], 2_000_001_000);
    }

    #[test]
    fn limit_ranges_fill_and_bound() {
        let limits = vec![json!({"limits": [{"type": "Container", "default": {"cpu": "500m"},
            "defaultRequest": {"cpu": "100m"}, "max": {"cpu": "1"}, "min": {"cpu": "50m"}}]})];
        let view = View { limits, ..View::default() };
        let pod = admit(&view, "default", spec(json!({}))).unwrap();
        assert_eq!(pod["containers"][0]["resources"], json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "100m"}}));
        let big = json!({"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "2"}}}]});
        assert_eq!(
            admit(&view, "default", big).unwrap_err(),
            "pods \"a-1\" is forbidden: maximum cpu usage per Container is 1, but limit is 2"
        );
    }

    #[test]
    fn quotas_count_pods_and_amounts() {
        let quota = |hard: Value, used: &[(&str, i64)]| QuotaState {
            name: "quota".into(),
            spec: json!({ "hard": hard }),
            used: used.iter().map(|(k, v)| ((*k).to_owned(), Quantity::from_units(*v))).collect::<BTreeMap<_, _>>(),
        };
        let view = |quota| View { quotas: vec![quota], ..View::default() };
        assert_eq!(
            admit(&view(quota(json!({"pods": "0"}), &[])), "default", spec(json!({}))).unwrap_err(),
            "pods \"a-1\" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=0, limited: pods=0"
        );
        assert!(admit(&view(quota(json!({"pods": "2"}), &[("pods", 1)])), "default", spec(json!({}))).is_ok());
        assert_eq!(
            admit(&view(quota(json!({"requests.cpu": "1"}), &[])), "default", spec(json!({}))).unwrap_err(),
            "pods \"a-1\" is forbidden: failed quota: quota: must specify requests.cpu for: c"
        );
        let asks = json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]});
        assert_eq!(
            admit(&view(quota(json!({"requests.cpu": "1"}), &[])), "default", asks).unwrap_err(),
            "pods \"a-1\" is forbidden: exceeded quota: quota, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1"
        );
    }
}
