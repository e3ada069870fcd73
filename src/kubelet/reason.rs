//! What a kubelet did and why, as data.

use super::config::MissingConfig;
use crate::objects::Quantity;
use serde::Serialize;
use std::rc::Rc;

/// What happened in one turn of a kubelet, in order. Empty: nothing.
pub type KubeletReason = Vec<Happening>;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "happening", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Happening {
    /// The kubelet took the pod in and makes its containers ready to start.
    Admitted {
        /// Place of the behaviour rule that holds for it.
        rule: Option<usize>,
        /// Milliseconds until the first container starts; `None`: it never does.
        starts_in_ms: Option<u64>,
    },
    /// The kubelet found the pod running already.
    Found,
    /// The kubelet refused the pod, which has failed by that.
    Refused(Refusal),
    /// A container started.
    Started {
        /// Its name.
        container: String,
        /// How often it was restarted before.
        restarts: i32,
    },
    /// A container's readiness probe holds.
    Ready {
        /// Its name.
        container: String,
    },
    /// A container ended.
    Ended {
        /// Its name.
        container: String,
        /// Exit code; 137 for a kill.
        exit_code: i32,
        /// Why it ended.
        because: EndReason,
    },
    /// A container will be restarted, after a pause.
    BackOff {
        /// Its name.
        container: String,
        /// Length of the pause in milliseconds, counted from the container's end.
        delay_ms: u64,
        /// How often it was restarted before.
        restarts: i32,
    },
    /// An image could not be pulled.
    PullFailed {
        /// Name of the container.
        container: String,
        /// The image.
        image: String,
        /// How many attempts failed.
        attempts: u32,
    },
    /// The kubelet waits before it tries the image again.
    PullBackOff {
        /// Name of the container.
        container: String,
        /// The image.
        image: String,
        /// Length of the pause in milliseconds, counted from the failed attempt.
        delay_ms: u64,
    },
    /// A volume could not be mounted, because something that it is made of is missing.
    MountFailed {
        /// Name of the volume.
        volume: String,
        /// What is missing.
        missing: MissingConfig,
        /// Milliseconds until the next attempt.
        retry_ms: u64,
    },
    /// A container could not be made, because its environment lacks something.
    ConfigError {
        /// Its name.
        container: String,
        /// The kubelet's words.
        error: String,
    },
    /// A container wants more CPU than it may use and is slowed down.
    Throttled {
        /// Its name.
        container: String,
        /// What it wants.
        wanted: Quantity,
        /// What it gets.
        limit: Quantity,
    },
    /// A container wants no more CPU than it may use again.
    NotThrottled {
        /// Its name.
        container: String,
    },
    /// All containers have ended and none is restarted.
    Finished {
        /// Whether all ended well.
        succeeded: bool,
    },
    /// The kubelet evicted the pod.
    Evicted(Eviction),
    /// The kubelet was told to end the pod and sends the signal to stop.
    Stopping {
        /// Seconds the pod may take.
        grace_seconds: i64,
        /// Milliseconds it will take.
        gone_in_ms: u64,
    },
    /// The pod's containers have ended; the kubelet lets the API server forget the pod.
    Removed {
        /// Whether it had to be killed, because it did not stop within the grace period.
        killed: bool,
    },
    /// After a reboot, the pod's containers are started anew.
    SandboxChanged,
    /// The kubelet said something about its node.
    Reported {
        /// The conditions that changed: type and status.
        conditions: Vec<(String, String)>,
    },
    /// The kubelet shows a static pod to the API server.
    MirrorCreated {
        /// Name of the mirror pod.
        pod: Rc<str>,
    },
}

/// Why a container ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "because", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EndReason {
    /// Its process ended.
    Exited,
    /// It used more memory than it may.
    OomKilled {
        /// What it used.
        used: Quantity,
        /// What it may use.
        limit: Quantity,
    },
    /// It was stopped with its pod.
    Killed,
    /// The machine went off.
    MachineOff,
}

/// Why a kubelet refuses a pod.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "refusal", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// The node has not enough of a resource. Amounts in thousandths for cpu, else in units.
    OutOf {
        /// The resource.
        resource: String,
        /// What the pod asks for.
        requested: i64,
        /// What the other pods ask for.
        used: i64,
        /// What there is.
        capacity: i64,
    },
    /// The node's labels do not fit.
    NodeAffinity,
    /// A host port is taken.
    NodePorts,
    /// A NoExecute taint is not tolerated.
    TaintToleration,
    /// The node is under pressure.
    Pressure {
        /// Its pressure conditions.
        conditions: Vec<String>,
    },
}

impl Refusal {
    /// The pod's `status.reason`.
    pub fn reason(&self) -> String {
        match self {
            Self::OutOf { resource, .. } => format!("OutOf{resource}"),
            _ => self.event_reason().into(),
        }
    }

    /// The reason of the event: that of the status, where it is a known word.
    pub fn event_reason(&self) -> &'static str {
        match self {
            Self::OutOf { resource, .. } => match resource.as_str() {
                "cpu" => "OutOfcpu",
                "memory" => "OutOfmemory",
                "ephemeral-storage" => "OutOfephemeral-storage",
                "pods" => "OutOfpods",
                _ => "OutOfResource",
            },
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::TaintToleration => "TaintToleration",
            Self::Pressure { .. } => "Evicted",
        }
    }

    /// The sentence of the event.
    ///
    /// Follows kubernetes pkg/kubelet/lifecycle/predicate.go and eviction/eviction_manager.go Admit, v1.36.
    pub fn message(&self) -> String {
        match self {
            Self::OutOf { resource, requested, used, capacity } => format!(
                "Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, capacity: {capacity}"
            ),
            Self::NodeAffinity => {
                "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector".into()
            }
            Self::NodePorts => {
                "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports".into()
            }
            Self::TaintToleration => "Predicate TaintToleration failed: node(s) had untolerated taint(s)".into(),
            Self::Pressure { conditions } => format!("The node had condition: [{}]. ", conditions.join(" ")),
        }
    }
}

/// Who was evicted and why that pod.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Eviction {
    /// The resource the node is low on.
    pub resource: String,
    /// What must be left.
    pub threshold: Quantity,
    /// What is left.
    pub available: Quantity,
    /// What the pod uses.
    pub usage: Quantity,
    /// What it asks for.
    pub request: Quantity,
    /// Its priority.
    pub priority: i32,
    /// How many pods were ranked behind it.
    pub spared: usize,
}
