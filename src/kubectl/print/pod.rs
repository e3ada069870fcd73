//! How a pod is doing, in one word.

use crate::kubectl::age::human_duration;
use crate::objects::*;
use serde_json::{Value, json};

/// READY, STATUS and RESTARTS.
pub(crate) struct PodState {
    pub ready: usize,
    pub containers: usize,
    pub status: String,
    pub restarts: String,
}

/// What `get pods` says about a pod.
///
/// Follows kubernetes pkg/printers/internalversion printPod, v1.36.
pub(crate) fn pod_status(pod: &Pod, now: Time) -> PodState {
    let status = &pod.status;
    let mut reason = if status.reason.is_empty() { status.phase.clone() } else { status.reason.clone() };
    if status.condition("PodScheduled").is_some_and(|condition| condition.reason == "SchedulingGated") {
        reason = "SchedulingGated".into();
    }
    let sidecar = |name: &str| {
        pod.spec.init_containers.iter().any(|c| c.name == name && c.restart_policy.as_deref() == Some("Always"))
    };
    let sidecars = pod.spec.init_containers.iter().filter(|c| c.restart_policy.as_deref() == Some("Always")).count();
    let containers = pod.spec.containers.len().saturating_add(sidecars);
    let (mut restarts, mut sidecar_restarts) = (0i64, 0i64);
    let (mut last_restart, mut last_sidecar_restart): (Option<Time>, Option<Time>) = (None, None);
    let ended = |status: &ContainerStatus| status.last_state.terminated.as_ref().and_then(|t| t.finished_at);
    let mut ready = 0usize;
    let mut initializing = false;
    for (index, container) in status.init_container_statuses.iter().enumerate() {
        restarts += i64::from(container.restart_count);
        last_restart = last_restart.max(ended(container));
        let is_sidecar = sidecar(&container.name);
        if is_sidecar {
            sidecar_restarts += i64::from(container.restart_count);
            last_sidecar_restart = last_sidecar_restart.max(ended(container));
        }
        let (terminated, waiting) = (&container.state.terminated, &container.state.waiting);
        if terminated.as_ref().is_some_and(|t| t.exit_code == 0) {
            continue;
        }
        if is_sidecar && container.started == Some(true) {
            ready += usize::from(container.ready);
            continue;
        }
        reason = match (terminated, waiting) {
            (Some(terminated), _) => format!("Init:{}", ending(terminated)),
            (None, Some(waiting)) if !waiting.reason.is_empty() && waiting.reason != "PodInitializing" => {
                format!("Init:{}", waiting.reason)
            }
            _ => format!("Init:{index}/{}", pod.spec.init_containers.len()),
        };
        initializing = true;
        break;
    }
    let initialized = status.condition("Initialized").is_some_and(|condition| condition.status == "True");
    if !initializing || initialized {
        (restarts, last_restart) = (sidecar_restarts, last_sidecar_restart);
        let mut running = false;
        for container in status.container_statuses.iter().rev() {
            restarts += i64::from(container.restart_count);
            last_restart = last_restart.max(ended(container));
            let state = &container.state;
            if let Some(waiting) = state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
                reason.clone_from(&waiting.reason);
            } else if let Some(terminated) = &state.terminated {
                reason = ending(terminated);
            } else if container.ready && state.running.is_some() {
                running = true;
                ready += 1;
            }
        }
        if reason == "Completed" && running {
            reason = if pod.is_ready() { "Running".into() } else { "NotReady".into() };
        }
    }
    if pod.is_terminating() {
        if status.reason == "NodeLost" {
            reason = "Unknown".into();
        } else if !pod.is_finished() {
            reason = "Terminating".into();
        }
    }
    let restarts = match last_restart {
        Some(time) if restarts != 0 => format!("{restarts} ({} ago)", human_duration(now.seconds_since(time))),
        _ => restarts.to_string(),
    };
    PodState { ready, containers, status: reason, restarts }
}

fn ending(terminated: &ContainerStateTerminated) -> String {
    let signal = terminated.other.get("signal").and_then(Value::as_i64).unwrap_or(0);
    match (terminated.reason.is_empty(), signal) {
        (false, _) => terminated.reason.clone(),
        (true, 0) => format!("ExitCode:{}", terminated.exit_code),
        (true, signal) => format!("Signal:{signal}"),
    }
}

const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Name of the volume with the pod's token; its end follows from the pod's uid.
pub(crate) fn token_volume(pod: &Pod) -> String {
    let hash = pod
        .metadata
        .uid
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("kube-api-access-{}", crate::apiserver::safe_encode(hash, 5))
}

/// Whether admission gives the pod's containers a token.
pub(crate) fn has_token(pod: &Pod) -> bool {
    pod.spec.other.get("automountServiceAccountToken") != Some(&Value::Bool(false)) && !pod.is_mirror()
}

/// What the ServiceAccount admission adds to every pod. The store leaves it out for the pods that controllers make, since
/// it would make each pod's containers differ from its template's.
///
/// Follows kubernetes plugin/pkg/admission/serviceaccount, v1.36.
pub(crate) fn add_service_account_volume(object: &Object, tree: &mut Value) {
    let Object::Pod(pod) = object else { return };
    let Some(spec) = tree.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("enableServiceLinks").or_insert(Value::Bool(true));
    if !has_token(pod) {
        return;
    }
    let name_of = |volume: &Value| volume.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
    let volumes = spec.get("volumes").and_then(Value::as_array).into_iter().flatten();
    let present = volumes.map(name_of).find(|name| name.starts_with("kube-api-access-"));
    let is_stored = present.is_some();
    let name = present.unwrap_or_else(|| token_volume(pod));
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(container) = container.as_object_mut() else { continue };
            let mounts = container.entry("volumeMounts").or_insert_with(|| json!([]));
            let Some(mounts) = mounts.as_array_mut() else { continue };
            if mounts.iter().all(|mount| mount.get("mountPath").and_then(Value::as_str) != Some(TOKEN_PATH)) {
                mounts.push(json!({"mountPath": TOKEN_PATH, "name": name, "readOnly": true}));
            }
        }
    }
    if is_stored {
        return;
    }
    let volumes = spec.entry("volumes").or_insert_with(|| json!([]));
    if let Some(volumes) = volumes.as_array_mut() {
        volumes.push(json!({"name": name, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
            {"downwardAPI": {"items": [
                {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
            ]}},
        ]}}));
    }
}
