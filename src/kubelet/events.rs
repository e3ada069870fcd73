//! The events that a kubelet writes about a pod, in the words of v1.36.

use super::reason::Happening;
use super::runtime::PodRuntime;
use super::status::{image_bytes, pod_and_uid, pull_error};
use crate::apiserver::EventDraft;
use crate::objects::*;
use std::rc::Rc;

/// Name under which a kubelet's events appear.
pub const COMPONENT: &str = "kubelet";

/// An event of a node's kubelet about one of its pods.
pub fn about_pod(pod: &Pod, type_: &'static str, reason: &'static str, message: String) -> EventDraft {
    let host = pod.spec.node_name.clone();
    EventDraft { host, ..EventDraft::about(Kind::Pod, &pod.metadata, type_, reason, message, COMPONENT) }
}

/// An event of a kubelet about its node.
pub fn about_node(node: &Node, type_: &'static str, reason: &'static str, message: String) -> EventDraft {
    let host = node.metadata.name.clone();
    EventDraft { host, ..EventDraft::about(Kind::Node, &node.metadata, type_, reason, message, COMPONENT) }
}

/// What one happening makes the kubelet tell.
///
/// Follows kubernetes pkg/kubelet/{events/event.go,images/image_manager.go,kuberuntime}, v1.36.
pub fn events(pod: &Pod, runtime: &PodRuntime, happening: &Happening) -> Vec<EventDraft> {
    let of = |container: &str, type_, reason, message| EventDraft {
        field_path: field_path(pod, container),
        ..about_pod(pod, type_, reason, message)
    };
    match happening {
        Happening::Admitted { starts_in_ms: Some(_), .. } => {
            let mut pulled = Vec::new();
            for container in containers(pod).filter(|c| was_pulled(runtime, &c.image)) {
                let message = format!("Pulling image \"{}\"", container.image);
                pulled.push(of(&container.name, NORMAL, "Pulling", message));
            }
            pulled
        }
        Happening::Started { container, restarts } => {
            let image = image_of(pod, container);
            let pulled = match *restarts == 0 && was_pulled(runtime, image) {
                true => pulled(runtime, image),
                false => present(image),
            };
            vec![
                of(container, NORMAL, "Pulled", pulled),
                of(container, NORMAL, "Created", "Container created".into()),
                of(container, NORMAL, "Started", "Container started".into()),
            ]
        }
        Happening::MountFailed { volume, missing, .. } => {
            let message = format!("MountVolume.SetUp failed for volume \"{volume}\" : {}", missing.of_volume());
            vec![about_pod(pod, WARNING, "FailedMount", message)]
        }
        Happening::ConfigError { container, error } => vec![
            of(container, NORMAL, "Pulled", present(image_of(pod, container))),
            of(container, WARNING, "Failed", format!("Error: {error}")),
        ],
        Happening::BackOff { container, .. } => {
            let message = format!("Back-off restarting failed container {container} in pod {}", pod_and_uid(pod));
            vec![of(container, WARNING, "BackOff", message)]
        }
        Happening::PullFailed { container, image, .. } => vec![
            of(container, NORMAL, "Pulling", format!("Pulling image \"{image}\"")),
            of(container, WARNING, "Failed", format!("Failed to pull image \"{image}\": {}", pull_error(image))),
            of(container, WARNING, "Failed", "Error: ErrImagePull".into()),
        ],
        Happening::PullBackOff { container, image, .. } => vec![
            of(container, NORMAL, "BackOff", format!("Back-off pulling image \"{image}\"")),
            of(container, WARNING, "Failed", "Error: ImagePullBackOff".into()),
        ],
        Happening::Stopping { .. } => running(pod).map(|name| stopping(pod, name)).collect(),
        Happening::Evicted(eviction) => {
            let mut told = vec![about_pod(pod, WARNING, "Evicted", super::eviction::message(pod, eviction))];
            told.extend(running(pod).map(|name| stopping(pod, name)));
            told
        }
        Happening::Refused(refusal) => {
            let reason = refusal.event_reason();
            vec![about_pod(pod, WARNING, reason, refusal.message())]
        }
        Happening::SandboxChanged => {
            let message = "Pod sandbox changed, it will be killed and re-created.".into();
            vec![about_pod(pod, NORMAL, "SandboxChanged", message)]
        }
        _ => Vec::new(),
    }
}

/// What is told of an image that was pulled.
fn pulled(runtime: &PodRuntime, image: &str) -> String {
    let took = go_duration(runtime.behaviour.start_after_ms);
    let size = image_bytes(image);
    format!("Successfully pulled image \"{image}\" in {took} ({took} including waiting). Image size: {size} bytes.")
}

/// What is told of an image that was there.
fn present(image: &str) -> String {
    format!("Container image \"{image}\" already present on machine and can be accessed by the pod")
}

fn was_pulled(runtime: &PodRuntime, image: &str) -> bool {
    runtime.pulled.iter().any(|pulled| **pulled == *image)
}

fn stopping(pod: &Pod, container: &str) -> EventDraft {
    EventDraft {
        field_path: field_path(pod, container),
        ..about_pod(pod, NORMAL, "Killing", format!("Stopping container {container}"))
    }
}

/// Names of the containers that run, by the status last reported.
fn running(pod: &Pod) -> impl Iterator<Item = &str> {
    let statuses = pod.status.init_container_statuses.iter().chain(pod.status.container_statuses.iter());
    statuses.filter(|status| status.state.running.is_some()).map(|status| status.name.as_str())
}

fn containers(pod: &Pod) -> impl Iterator<Item = &Container> {
    pod.spec.init_containers.iter().chain(pod.spec.containers.iter())
}

fn image_of<'a>(pod: &'a Pod, container: &str) -> &'a str {
    containers(pod).find(|c| c.name == container).map_or("", |c| c.image.as_str())
}

fn field_path(pod: &Pod, container: &str) -> Rc<str> {
    let list =
        if pod.spec.init_containers.iter().any(|c| c.name == container) { "initContainers" } else { "containers" };
    format!("spec.{list}{{{container}}}").into()
}

/// A short duration as Go prints it, in whole milliseconds: `600ms`, `1.5s`.
fn go_duration(ms: u64) -> String {
    if ms < 1000 {
        return format!("{ms}ms");
    }
    let fraction = format!("{:03}", ms % 1000);
    match fraction.trim_end_matches('0') {
        "" => format!("{}s", ms / 1000),
        fraction => format!("{}.{fraction}s", ms / 1000),
    }
}
