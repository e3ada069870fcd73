//! The status that a kubelet reports for a pod.

use super::container::{Activity, ContainerRuntime, Exit};
use super::runtime::{PodRuntime, Verdict};
use crate::apiserver::Now;
use crate::objects::*;
use std::rc::Rc;

/// Conditions that the kubelet owns, in the order in which it writes them.
const OWN_CONDITIONS: [&str; 5] =
    ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/// The status of a pod as its kubelet sees it now. What others have said of the pod stays.
///
/// Follows kubernetes pkg/kubelet/kubelet_pods.go generateAPIPodStatus and pkg/kubelet/status/generate.go, v1.36.
pub fn pod_status(pod: &Pod, runtime: &PodRuntime, host_ip: &str, now: Now) -> PodStatus {
    let mut status = pod.status.clone();
    if status.qos_class.is_empty() {
        status.qos_class = qos_class(&pod.spec).into();
    }
    if let Some(Verdict::Refused(refusal)) = &runtime.verdict {
        status.phase = FAILED.into();
        status.reason = refusal.reason();
        status.message = format!("Pod was rejected: {}", refusal.message());
        status.start_time.get_or_insert(now.time);
        return status;
    }
    status.phase = phase(pod, runtime).into();
    if let Some(Verdict::Evicted(_, message)) = &runtime.verdict {
        status.reason = "Evicted".into();
        status.message = message.clone();
    }
    if pod.metadata.generation > 0 {
        status.observed_generation = pod.metadata.generation;
    }
    status.start_time.get_or_insert(runtime.admitted.time);
    set_addresses(&mut status, runtime, host_ip);
    let initialized = runtime.is_initialized(pod);
    let init = pod.spec.init_containers.iter().zip(&runtime.init);
    status.init_container_statuses = Rc::new(
        init.map(|(container, r)| {
            container_status(pod, container, r, true, container.is_sidecar() || r.has_completed())
        })
        .collect(),
    );
    let blocked = !initialized && !pod.spec.init_containers.is_empty();
    let main = pod.spec.containers.iter().zip(&runtime.containers);
    status.container_statuses = Rc::new(main.map(|(c, r)| container_status(pod, c, r, blocked, true)).collect());
    set_conditions(&mut status, pod, runtime, now);
    status
}

/// Follows kubernetes pkg/kubelet/kubelet_pods.go getPhase, v1.36.
fn phase(pod: &Pod, runtime: &PodRuntime) -> &'static str {
    match &runtime.verdict {
        Some(Verdict::Refused(_) | Verdict::Evicted(..)) => return FAILED,
        Some(Verdict::Finished(succeeded)) => return if *succeeded { SUCCEEDED } else { FAILED },
        None => {}
    }
    let never_ran = |c: &ContainerRuntime| !c.is_running() && c.last.is_none();
    if !runtime.is_initialized(pod) || runtime.containers.iter().any(never_ran) { PENDING } else { RUNNING }
}

fn set_addresses(status: &mut PodStatus, runtime: &PodRuntime, host_ip: &str) {
    if !host_ip.is_empty() {
        status.host_ip = host_ip.into();
        status.host_ips = vec![address(host_ip)];
    }
    if runtime.sandbox && !runtime.ip.is_empty() {
        status.pod_ip = runtime.ip.clone();
        status.pod_ips = vec![address(&runtime.ip)];
    } else if !runtime.sandbox {
        status.pod_ip.clear();
        status.pod_ips.clear();
    }
}

fn address(ip: &str) -> PodIp {
    PodIp { ip: ip.into(), ..PodIp::default() }
}

fn container_status(
    pod: &Pod,
    container: &Container,
    runtime: &ContainerRuntime,
    initializing: bool,
    restartable_or_done: bool,
) -> ContainerStatus {
    let state = state(pod, container, runtime, initializing);
    let ended_before = matches!(runtime.activity, Activity::Exited { .. } | Activity::Done);
    let last_state = match &runtime.last {
        Some(exit) if !ended_before => terminated(container, runtime, exit),
        _ => ContainerState::default(),
    };
    let is_init = pod.spec.init_containers.iter().any(|c| std::ptr::eq(c, container));
    let ready = if is_init && !container.is_sidecar() { runtime.has_completed() } else { runtime.is_ready() };
    let ran = runtime.is_running() || runtime.last.is_some();
    let mut status = ContainerStatus {
        name: container.name.clone(),
        state,
        last_state,
        ready: ready && restartable_or_done,
        restart_count: runtime.restarts,
        image: container.image.clone(),
        image_id: if ran { image_id(&container.image) } else { String::new() },
        started: Some(runtime.is_running()),
        ..ContainerStatus::default()
    };
    if ran {
        status.container_id = container_id(pod, container, runtime.restarts);
    }
    status
}

fn state(pod: &Pod, container: &Container, runtime: &ContainerRuntime, initializing: bool) -> ContainerState {
    let waiting = |reason: &str, message: String| ContainerState {
        waiting: Some(ContainerStateWaiting { reason: reason.into(), message, ..ContainerStateWaiting::default() }),
        ..ContainerState::default()
    };
    match &runtime.activity {
        Activity::Waiting { .. } if runtime.config_error.is_some() => {
            waiting("CreateContainerConfigError", runtime.config_error.clone().unwrap_or_default())
        }
        Activity::Waiting { .. } => {
            waiting(if initializing { "PodInitializing" } else { "ContainerCreating" }, String::new())
        }
        Activity::PullFailed { .. } => waiting("ErrImagePull", pull_error(&container.image)),
        Activity::PullBackOff { .. } => {
            let image = &container.image;
            let message = format!("Back-off pulling image \"{image}\": ErrImagePull: {}", pull_error(image));
            waiting("ImagePullBackOff", message)
        }
        Activity::BackingOff { until_ms } => {
            let finished_ms = runtime.last.as_ref().map_or(0, |exit| exit.finished.ms);
            let delay_ms = match until_ms {
                &u64::MAX => super::backoff::MAX_BACKOFF_MS,
                _ => until_ms.saturating_sub(finished_ms),
            };
            let message = format!(
                "back-off {} restarting failed container={} pod={}",
                go_duration(delay_ms),
                container.name,
                pod_and_uid(pod)
            );
            waiting("CrashLoopBackOff", message)
        }
        Activity::Running { since, .. } => ContainerState {
            running: Some(ContainerStateRunning { started_at: Some(since.time), ..ContainerStateRunning::default() }),
            ..ContainerState::default()
        },
        Activity::Exited { .. } | Activity::Done => {
            runtime.last.as_ref().map_or_else(ContainerState::default, |exit| terminated(container, runtime, exit))
        }
    }
}

fn terminated(container: &Container, runtime: &ContainerRuntime, exit: &Exit) -> ContainerState {
    let mut terminated = ContainerStateTerminated {
        exit_code: exit.code,
        reason: exit.reason.into(),
        started_at: Some(exit.started.time),
        finished_at: Some(exit.finished.time),
        ..ContainerStateTerminated::default()
    };
    let id = format!(
        "containerd://{}",
        hex64(&[&container.name, &exit.started.ms.to_string(), &runtime.restarts.to_string()])
    );
    terminated.container_id = id;
    ContainerState { terminated: Some(terminated), ..ContainerState::default() }
}

fn set_conditions(status: &mut PodStatus, pod: &Pod, runtime: &PodRuntime, now: Now) {
    let over = runtime.verdict.as_ref();
    let ended_well = matches!(over, Some(Verdict::Finished(true)));
    let init = names(&pod.spec.init_containers, &runtime.init, |c, r| {
        !(r.has_completed() || c.is_sidecar() && (r.is_running() || r.restarts > 0))
    });
    let unready = names(&pod.spec.containers, &runtime.containers, |_, r| !r.is_ready());
    let ready = match over {
        Some(Verdict::Finished(true)) => ("False", "PodCompleted", String::new()),
        Some(_) => ("False", "PodFailed", String::new()),
        None if unready.is_empty() && init.is_empty() => ("True", "", String::new()),
        None => ("False", "ContainersNotReady", format!("containers with unready status: [{}]", unready.join(" "))),
    };
    let initialized = match (ended_well, init.is_empty()) {
        (true, _) => ("True", "PodCompleted", String::new()),
        (false, true) => ("True", "", String::new()),
        (false, false) => {
            ("False", "ContainersNotInitialized", format!("containers with incomplete status: [{}]", init.join(" ")))
        }
    };
    let sandbox = (if runtime.sandbox && over.is_none() { "True" } else { "False" }, "", String::new());
    let scheduled = ("True", "", String::new());
    let wanted = [sandbox, initialized, ready.clone(), ready, scheduled];
    let mut own = Vec::with_capacity(OWN_CONDITIONS.len());
    for (type_, (value, reason, message)) in OWN_CONDITIONS.into_iter().zip(wanted) {
        let present = status.condition(type_).filter(|c| c.status == value);
        own.push(PodCondition {
            type_: type_.into(),
            status: value.into(),
            reason: reason.into(),
            message,
            last_transition_time: present.and_then(|c| c.last_transition_time).or(Some(now.time)),
            observed_generation: pod.metadata.generation,
            ..PodCondition::default()
        });
    }
    status.conditions.retain(|c| !OWN_CONDITIONS.contains(&c.type_.as_str()));
    if let Some(Verdict::Evicted(_, message)) = over {
        status.set_condition(PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: "TerminationByKubelet".into(),
            message: message.clone(),
            last_transition_time: Some(now.time),
            observed_generation: pod.metadata.generation,
            ..PodCondition::default()
        });
    }
    status.conditions.extend(own);
}

fn names<'a>(
    containers: &'a [Container],
    runtimes: &[ContainerRuntime],
    wanted: impl Fn(&Container, &ContainerRuntime) -> bool,
) -> Vec<&'a str> {
    containers.iter().zip(runtimes).filter(|(c, r)| wanted(c, r)).map(|(c, _)| c.name.as_str()).collect()
}

/// `name_namespace(uid)`, as the kubelet names pods in its messages.
pub fn pod_and_uid(pod: &Pod) -> String {
    format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid)
}

/// What a registry answers for an image that it does not have.
pub fn pull_error(image: &str) -> String {
    let full = full_image_name(image);
    format!(
        "rpc error: code = NotFound desc = failed to pull and unpack image \"{full}\": failed to resolve reference \"{full}\": {full}: not found"
    )
}

/// The image with its registry, as a container runtime names it.
fn full_image_name(image: &str) -> String {
    let has_tag = image.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
    let tagged = if has_tag { image.to_owned() } else { format!("{image}:latest") };
    match tagged.split_once('/') {
        None => format!("docker.io/library/{tagged}"),
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => tagged,
        Some(_) => format!("docker.io/{tagged}"),
    }
}

/// A duration as Go prints it: `10s`, `2m40s`.
fn go_duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match (seconds / 60, seconds % 60) {
        (0, s) => format!("{s}s"),
        (m, s) => format!("{m}m{s}s"),
    }
}

fn image_id(image: &str) -> String {
    let name = image.split('@').next().unwrap_or(image);
    let name = match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => name,
    };
    format!("{name}@sha256:{}", hex64(&[image]))
}

fn container_id(pod: &Pod, container: &Container, restarts: i32) -> String {
    format!("containerd://{}", hex64(&[&pod.metadata.uid, &container.name, &restarts.to_string()]))
}

/// 64 hexadecimal digits that stand for the parts. Not a digest: it only has to look like one and be the same again.
fn hex64(parts: &[&str]) -> String {
    (0u8..4)
        .map(|round| {
            let bytes = parts.iter().flat_map(|part| part.bytes().chain([0])).chain([round]);
            let hash = bytes
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            format!("{hash:016x}")
        })
        .collect()
}

/// A size for an image that stands for its name: between 3 and 150 MB.
pub fn image_bytes(image: &str) -> u64 {
    let digits: String = hex64(&[image]).chars().take(8).collect();
    3_000_000 + u64::from_str_radix(&digits, 16).unwrap_or(0) % 147_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_with_registry_and_tag() {
        assert_eq!(full_image_name("nginx"), "docker.io/library/nginx:latest");
        assert_eq!(full_image_name("prom/node-exporter:v1.8.1"), "docker.io/prom/node-exporter:v1.8.1");
        assert_eq!(full_image_name("registry.k8s.io/pause:3.10"), "registry.k8s.io/pause:3.10");
        assert!(image_id("localhost:5000/agent").starts_with("localhost:5000/agent@sha256:"));
        assert!(image_id("prom/node-exporter:v1").starts_with("prom/node-exporter@sha256:"));
    }

    #[test]
    fn durations_read_as_in_go() {
        assert_eq!([10_000, 160_000, 300_000].map(go_duration), ["10s", "2m40s", "5m0s"]);
    }
}
