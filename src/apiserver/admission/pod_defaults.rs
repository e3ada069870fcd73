//! What admission fills into pods: service account, priority, tolerations, runtime class.
//!
//! Follows kubernetes plugin/pkg/admission/{serviceaccount,priority,defaulttolerationseconds,runtimeclass}, v1.36.
use super::AdmissionView;
use crate::apiserver::schema::Tree;
use crate::apiserver::schema::value::{object_at, objects_of, set_default};
use serde_json::{Map, Value, json};

/// The highest priority that a class made by a person may have.
pub const HIGHEST_USER_PRIORITY: i64 = 1_000_000_000;
/// The priority classes that always exist.
pub const SYSTEM_PRIORITY_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// A priority class as admission needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityClassInfo {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// Whether its pods may preempt others.
    pub preempts: bool,
}

impl PriorityClassInfo {
    /// One of the two classes that always exist.
    pub fn system(name: &str) -> Option<Self> {
        let (name, value) = SYSTEM_PRIORITY_CLASSES.iter().find(|(known, _)| *known == name)?;
        Some(Self { name: (*name).into(), value: *value, preempts: true })
    }
}

/// A service account as admission needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceAccountInfo {
    /// `automountServiceAccountToken`.
    pub automount: Option<bool>,
    /// Names of its `imagePullSecrets`.
    pub image_pull_secrets: Vec<String>,
}

/// A runtime class as admission needs it (parts of its JSON, `Null` where absent).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimeClassInfo {
    /// `overhead.podFixed`.
    pub overhead: Value,
    /// `scheduling.nodeSelector`.
    pub node_selector: Value,
    /// `scheduling.tolerations`.
    pub tolerations: Value,
}

/// The spec of a pod.
pub fn spec_of(pod: &mut Value) -> Option<&mut Map<String, Value>> {
    object_at(pod.as_object_mut()?, "spec")
}

/// Sets the service account, and mounts its token into every container that does not mount one itself.
pub fn service_account(view: &dyn AdmissionView, namespace: &str, pod: &mut Value, suffix: &str) -> Result<(), String> {
    let written = Tree(pod).at("spec").str("serviceAccountName").to_owned();
    let name = if written.is_empty() { "default".to_owned() } else { written };
    let Some(account) = view.service_account(namespace, &name) else {
        return Err(format!("error looking up service account {namespace}/{name}: serviceaccount {name:?} not found"));
    };
    let own_choice = Tree(pod).at("spec").at("automountServiceAccountToken").0.as_bool();
    let mounts = own_choice.or(account.automount).unwrap_or(true);
    let Some(spec) = spec_of(pod) else { return Ok(()) };
    spec.insert("serviceAccountName".into(), json!(name));
    spec.insert("serviceAccount".into(), json!(name));
    if mounts {
        mount_token(spec, suffix);
    }
    if !account.image_pull_secrets.is_empty() && !spec.contains_key("imagePullSecrets") {
        let secrets: Vec<Value> = account.image_pull_secrets.iter().map(|name| json!({ "name": name })).collect();
        spec.insert("imagePullSecrets".into(), Value::Array(secrets));
    }
    Ok(())
}

fn mount_token(spec: &mut Map<String, Value>, suffix: &str) {
    let has_name = |volume: &Value| Tree(volume).str("name").starts_with("kube-api-access-");
    let existing = spec.get("volumes").and_then(Value::as_array).and_then(|list| list.iter().find(|v| has_name(v)));
    let known = existing.map(|volume| Tree(volume).str("name").to_owned());
    let name = known.clone().unwrap_or_else(|| format!("kube-api-access-{suffix}"));
    let mut needed = false;
    for list in ["initContainers", "containers"] {
        for container in objects_of(spec, list) {
            set_default(container, "volumeMounts", json!([]));
            let Some(mounts) = container.get_mut("volumeMounts").and_then(Value::as_array_mut) else { continue };
            if mounts.iter().any(|mount| Tree(mount).str("mountPath") == TOKEN_PATH) {
                continue;
            }
            mounts.push(json!({"name": name, "readOnly": true, "mountPath": TOKEN_PATH}));
            needed = true;
        }
    }
    if needed && known.is_none() {
        set_default(spec, "volumes", json!([]));
        if let Some(volumes) = spec.get_mut("volumes").and_then(Value::as_array_mut) {
            volumes.push(json!({"name": name, "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [{"path": "namespace",
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
            ]}}));
        }
    }
}

/// Sets the priority that the class stands for.
pub fn priority(view: &dyn AdmissionView, pod: &mut Value) -> Result<(), String> {
    let spec = Tree(pod).at("spec");
    let named = spec.str("priorityClassName");
    let class = if named.is_empty() {
        view.default_priority_class()
    } else {
        let class = view.priority_class(named).or_else(|| PriorityClassInfo::system(named));
        Some(class.ok_or_else(|| format!("no PriorityClass with name {named} was found"))?)
    };
    let value = class.as_ref().map_or(0, |class| class.value);
    let policy = if class.as_ref().is_none_or(|class| class.preempts) { "PreemptLowerPriority" } else { "Never" };
    if let Some(written) = spec.opt_int("priority").filter(|written| *written != value) {
        return Err(format!(
            "the integer value of priority ({written}) must not be provided in pod spec; priority admission controller \
             computed {value} from the given PriorityClass name"
        ));
    }
    if spec.has("preemptionPolicy") && spec.str("preemptionPolicy") != policy {
        return Err(format!(
            "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission controller \
             computed {policy} from the given PriorityClass name",
            spec.str("preemptionPolicy")
        ));
    }
    if let Some(spec) = spec_of(pod) {
        if let Some(class) = class {
            spec.insert("priorityClassName".into(), json!(class.name));
        }
        spec.insert("priority".into(), json!(value));
        spec.insert("preemptionPolicy".into(), json!(policy));
    }
    Ok(())
}

/// Every pod stands a lost or unready node for five minutes, unless it says otherwise.
pub fn tolerations(pod: &mut Value) {
    const KEYS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
    let tolerates = |key: &str| {
        Tree(pod).at("spec").list("tolerations").any(|toleration| {
            let about = toleration.str("key").is_empty() || toleration.str("key") == key;
            about && matches!(toleration.str("effect"), "" | "NoExecute")
        })
    };
    let missing: Vec<&str> = KEYS.into_iter().filter(|key| !tolerates(key)).collect();
    let Some(spec) = spec_of(pod).filter(|_| !missing.is_empty()) else { return };
    set_default(spec, "tolerations", json!([]));
    if let Some(list) = spec.get_mut("tolerations").and_then(Value::as_array_mut) {
        for key in missing {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// Sets what the runtime class brings: overhead, node selector, tolerations.
pub fn runtime_class(view: &dyn AdmissionView, pod: &mut Value) -> Result<(), String> {
    let spec = Tree(pod).at("spec");
    if !spec.has("runtimeClassName") {
        return if spec.len("overhead") > 0 {
            Err("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".into())
        } else {
            Ok(())
        };
    }
    let name = spec.str("runtimeClassName");
    let Some(class) = view.runtime_class(name) else {
        return Err(format!("pod rejected: RuntimeClass {name:?} not found"));
    };
    let written = spec.at("overhead").0;
    if !class.overhead.is_null() && !written.is_null() && *written != class.overhead {
        return Err("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead".into());
    }
    if class.overhead.is_null() && !written.is_null() {
        return Err("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".into());
    }
    for (key, value) in Tree(&class.node_selector).entries() {
        let own = spec.at("nodeSelector").at(key);
        if own.exists() && own.text() != value.text() {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {}; pod.spec.nodeSelector[{key}] = {}",
                value.text(),
                own.text()
            ));
        }
    }
    let Some(spec) = spec_of(pod) else { return Ok(()) };
    if !class.overhead.is_null() {
        spec.insert("overhead".into(), class.overhead);
    }
    if let (Value::Object(labels), Some(selector)) = (class.node_selector, object_at(spec, "nodeSelector")) {
        selector.extend(labels);
    }
    if spec.get("nodeSelector").and_then(Value::as_object).is_some_and(Map::is_empty) {
        spec.remove("nodeSelector");
    }
    if let Value::Array(more) = class.tolerations {
        set_default(spec, "tolerations", json!([]));
        if let Some(list) = spec.get_mut("tolerations").and_then(Value::as_array_mut) {
            for toleration in more {
                if !list.contains(&toleration) {
                    list.push(toleration);
                }
            }
        }
    }
    Ok(())
}
