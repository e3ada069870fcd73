//! ConfigMaps and Secrets that a pod needs and that are not there: volumes that cannot be mounted, environments that
//! cannot be made.
//!
//! Follows kubernetes pkg/volume/{configmap,secret,projected}, pkg/kubelet/kubelet_pods.go makeEnvironmentVariables and
//! pkg/util/goroutinemap/exponentialbackoff, v1.36.

use super::container::Activity;
use super::reason::{Happening, KubeletReason};
use super::runtime::PodRuntime;
use crate::apiserver::{Now, Store};
use crate::objects::*;
use serde::Serialize;
use serde_json::Value;

/// Pause after the first failed attempt to mount, in milliseconds; it doubles.
const FIRST_MOUNT_RETRY_MS: u64 = 500;
/// Longest pause between attempts to mount.
const LAST_MOUNT_RETRY_MS: u64 = 122_000;
/// Pause between attempts to make a container whose environment is incomplete.
const CONFIG_RETRY_MS: u64 = 10_000;
/// In every namespace without anybody's doing; the store does not keep it.
const ROOT_CA: &str = "kube-root-ca.crt";

/// An object, or a part of one, that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingConfig {
    /// `ConfigMap` or `Secret`.
    pub kind: &'static str,
    /// Its namespace and name.
    pub key: ObjectKey,
    /// The entry that the object lacks; `None`: the object itself is missing.
    pub entry: Option<String>,
}

impl MissingConfig {
    /// The kubelet's words where a container's environment needs it.
    pub fn of_environment(&self) -> String {
        match &self.entry {
            None => self.not_found(),
            Some(entry) => format!("couldn't find key {entry} in {} {}", self.kind, self.key),
        }
    }

    /// The kubelet's words where a volume needs it.
    pub fn of_volume(&self) -> String {
        match (&self.entry, self.kind) {
            (None, _) => self.not_found(),
            (Some(entry), "Secret") => format!("references non-existent secret key: {entry}"),
            (Some(entry), _) => format!("configmap references non-existent config key: {entry}"),
        }
    }

    fn not_found(&self) -> String {
        format!("{} \"{}\" not found", self.kind.to_lowercase(), self.key.name)
    }
}

/// Whether the object has the entries that are wanted of it; what is optional is never missing.
fn look(
    store: &Store,
    namespace: &str,
    kind: &'static str,
    reference: &Value,
    name_field: &str,
    entries: &[&str],
) -> Option<MissingConfig> {
    let name = reference.get(name_field)?.as_str()?;
    if reference.get("optional") == Some(&Value::Bool(true)) || (kind == "ConfigMap" && name == ROOT_CA) {
        return None;
    }
    let key = ObjectKey::new(namespace, name);
    let Some(object) = store.unstructured("v1", kind, &key) else {
        return Some(MissingConfig { kind, key, entry: None });
    };
    let holds = |entry: &str| {
        ["data", "binaryData"].iter().any(|field| object.body.get(*field).is_some_and(|d| d.get(entry).is_some()))
    };
    let lacking = entries.iter().find(|entry| !holds(entry))?;
    Some(MissingConfig { kind, key, entry: Some((*lacking).to_owned()) })
}

/// The keys that a volume's `items` pick.
fn items(source: &Value) -> Vec<&str> {
    let items = source.get("items").and_then(Value::as_array);
    items.into_iter().flatten().filter_map(|item| item.get("key")?.as_str()).collect()
}

/// The first volume of the pod that cannot be mounted.
fn missing_mount(store: &Store, pod: &Pod) -> Option<(String, MissingConfig)> {
    let namespace = &*pod.metadata.namespace;
    let look_at = |source: &Value| {
        let config = source.get("configMap").and_then(|s| look(store, namespace, "ConfigMap", s, "name", &items(s)));
        let named = |s: &Value| if s.get("secretName").is_some() { "secretName" } else { "name" };
        config.or_else(|| source.get("secret").and_then(|s| look(store, namespace, "Secret", s, named(s), &items(s))))
    };
    pod.spec.volumes.iter().find_map(|volume| {
        let projected = volume.get("projected").and_then(|p| p.get("sources")).and_then(Value::as_array);
        let missing = look_at(volume).or_else(|| projected.into_iter().flatten().find_map(look_at))?;
        let name = volume.get("name").and_then(Value::as_str).unwrap_or_default();
        Some((name.to_owned(), missing))
    })
}

/// The first thing that a container's environment lacks.
fn missing_environment(store: &Store, pod: &Pod, container: &Container) -> Option<MissingConfig> {
    let namespace = &*pod.metadata.namespace;
    let list = |field: &str| container.other.get(field).and_then(Value::as_array).into_iter().flatten();
    let whole = list("envFrom").find_map(|from| {
        let config = from.get("configMapRef").and_then(|r| look(store, namespace, "ConfigMap", r, "name", &[]));
        config.or_else(|| from.get("secretRef").and_then(|r| look(store, namespace, "Secret", r, "name", &[])))
    });
    whole.or_else(|| {
        list("env").filter_map(|variable| variable.get("valueFrom")).find_map(|from| {
            let one = |field: &str, kind| {
                let reference = from.get(field)?;
                let entry = reference.get("key").and_then(Value::as_str)?;
                look(store, namespace, kind, reference, "name", &[entry])
            };
            one("configMapKeyRef", "ConfigMap").or_else(|| one("secretKeyRef", "Secret"))
        })
    })
}

/// Keeps containers that are due to start from it as long as something is missing that they need.
pub fn hold(store: &Store, pod: &Pod, runtime: &mut PodRuntime, now: Now, happened: &mut KubeletReason) {
    let due = |activity: &Activity| matches!(activity, Activity::Waiting { until_ms: Some(at) } if *at <= now.ms);
    let all = || runtime.init.iter().chain(&runtime.containers);
    if runtime.is_over() || runtime.stopping.is_some() || !all().any(|c| due(&c.activity)) {
        return;
    }
    if !runtime.sandbox {
        if let Some((volume, missing)) = missing_mount(store, pod) {
            let delay_ms =
                runtime.mount_retry_ms.map_or(FIRST_MOUNT_RETRY_MS, |last| (last * 2).min(LAST_MOUNT_RETRY_MS));
            runtime.mount_retry_ms = Some(delay_ms);
            for container in runtime.init.iter_mut().chain(&mut runtime.containers).filter(|c| due(&c.activity)) {
                container.activity = Activity::Waiting { until_ms: Some(now.plus_ms(delay_ms)) };
            }
            happened.push(Happening::MountFailed { volume, missing, retry_ms: delay_ms });
            return;
        }
        runtime.mount_retry_ms = None;
    }
    let init = runtime.init.iter_mut().zip(pod.spec.init_containers.iter());
    let main = runtime.containers.iter_mut().zip(pod.spec.containers.iter());
    for (state, container) in init.chain(main).filter(|(state, _)| due(&state.activity)) {
        state.config_error = missing_environment(store, pod, container).map(|missing| missing.of_environment());
        if let Some(error) = &state.config_error {
            state.activity = Activity::Waiting { until_ms: Some(now.plus_ms(CONFIG_RETRY_MS)) };
            runtime.sandbox = true;
            happened.push(Happening::ConfigError { container: container.name.clone(), error: error.clone() });
        }
    }
}
