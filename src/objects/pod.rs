use super::{Affinity, ObjectMeta, Quantity, ResourceRequirements, StringMap, Time, Toleration, api_struct};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::rc::Rc;

api_struct! {
    /// One or more containers on one node.
    pub struct Pod {
        /// Identity and labels.
        pub metadata: ObjectMeta,
        /// What should run.
        pub spec: Rc<PodSpec>,
        /// What runs.
        pub status: PodStatus,
    }

    /// The desired state of a pod. Parts that all pods of a template share are behind `Rc`.
    pub struct PodSpec {
        /// The node the pod is bound to; empty until the scheduler (or a person) sets it.
        pub node_name: Rc<str>,
        /// Labels a node must have.
        pub node_selector: StringMap,
        /// Node and pod affinity.
        pub affinity: Option<Rc<Affinity>>,
        /// Taints the pod bears.
        pub tolerations: Rc<Vec<Toleration>>,
        /// Run in order before the containers; with `restartPolicy: Always` they are sidecars.
        pub init_containers: Rc<Vec<Container>>,
        /// The containers.
        pub containers: Rc<Vec<Container>>,
        /// Requests and limits of the pod as a whole.
        pub resources: Option<ResourceRequirements>,
        /// What the runtime class costs on top.
        pub overhead: super::ResourceList,
        /// Uses the node's network, so every container port is a host port.
        pub host_network: bool,
        /// `Always`, `OnFailure` or `Never`.
        pub restart_policy: String,
        /// Which scheduler places the pod.
        pub scheduler_name: String,
        /// Class from which admission takes the priority.
        pub priority_class_name: String,
        /// Higher goes first and may preempt lower.
        pub priority: Option<i32>,
        /// `PreemptLowerPriority` or `Never`.
        pub preemption_policy: Option<String>,
        /// Seconds between the request to terminate and the kill.
        pub termination_grace_period_seconds: Option<i64>,
        /// Spread rules.
        pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
        /// While there is one, the scheduler does not look at the pod.
        pub scheduling_gates: Vec<PodSchedulingGate>,
        /// Runtime class, which may add overhead.
        pub runtime_class_name: Option<String>,
        /// Account the pod runs under.
        pub service_account_name: String,
        /// Node volumes, config maps…
        pub volumes: Rc<Vec<Value>>,
    }

    /// One process image of a pod.
    pub struct Container {
        /// Unique in the pod.
        pub name: String,
        /// Image reference.
        pub image: String,
        /// Ports, which may ask for the node's.
        pub ports: Vec<ContainerPort>,
        /// Requests and limits.
        pub resources: Option<ResourceRequirements>,
        /// `Always` makes an init container a sidecar.
        pub restart_policy: Option<String>,
    }

    /// A port of a container.
    pub struct ContainerPort {
        /// Optional name.
        pub name: String,
        /// Port on the node; 0: none.
        pub host_port: i32,
        /// Port in the container.
        pub container_port: i32,
        /// `TCP`, `UDP` or `SCTP`.
        pub protocol: String,
        /// Address of the node to bind; empty: all.
        #[serde(rename = "hostIP")]
        pub host_ip: String,
    }

    /// Keeps pods spread over the domains of a node label.
    pub struct TopologySpreadConstraint {
        /// Largest allowed difference between domains.
        pub max_skew: i32,
        /// Node label that names the domain.
        pub topology_key: String,
        /// `DoNotSchedule` or `ScheduleAnyway`.
        pub when_unsatisfiable: String,
        /// Which pods are counted.
        pub label_selector: Option<super::LabelSelector>,
        /// Fewest domains that are counted.
        pub min_domains: Option<i32>,
        /// `Honor` (default) or `Ignore`.
        pub node_affinity_policy: Option<String>,
        /// `Honor` or `Ignore` (default).
        pub node_taints_policy: Option<String>,
        /// Label keys whose values, taken from the pod, are added to the selector.
        pub match_label_keys: Vec<String>,
    }

    /// A reason for the scheduler to wait.
    pub struct PodSchedulingGate {
        /// Name of the gate.
        pub name: String,
    }

    /// The observed state of a pod.
    pub struct PodStatus {
        /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
        pub phase: String,
        /// PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget…
        pub conditions: Vec<PodCondition>,
        /// Why the pod is in this phase, in one word (`Evicted`, `OutOfcpu`, `NodeLost`).
        pub reason: String,
        /// The same in a sentence.
        pub message: String,
        /// Where preemption is making room.
        pub nominated_node_name: String,
        /// Address of the pod.
        #[serde(rename = "podIP")]
        pub pod_ip: String,
        /// Address of its node.
        #[serde(rename = "hostIP")]
        pub host_ip: String,
        /// All addresses of the pod.
        #[serde(rename = "podIPs")]
        pub pod_ips: Vec<PodIp>,
        /// All addresses of its node.
        #[serde(rename = "hostIPs")]
        pub host_ips: Vec<PodIp>,
        /// The generation of the pod that the kubelet speaks of.
        pub observed_generation: i64,
        /// When the kubelet took the pod in.
        pub start_time: Option<Time>,
        /// Guaranteed, Burstable or BestEffort.
        pub qos_class: String,
        /// State of each container.
        pub container_statuses: Rc<Vec<ContainerStatus>>,
        /// State of each init container.
        pub init_container_statuses: Rc<Vec<ContainerStatus>>,
    }

    /// An address of a pod or of its node.
    pub struct PodIp {
        /// The address.
        pub ip: String,
    }

    /// One statement about a pod.
    pub struct PodCondition {
        /// `Ready`, `PodScheduled`…
        #[serde(rename = "type")]
        pub type_: String,
        /// `True`, `False` or `Unknown`.
        pub status: String,
        /// One word.
        pub reason: String,
        /// A sentence.
        pub message: String,
        /// When the status last changed.
        pub last_transition_time: Option<Time>,
        /// The generation of the pod that the condition speaks of.
        pub observed_generation: i64,
    }

    /// What a container is doing; exactly one member is set.
    pub struct ContainerState {
        /// Not started.
        pub waiting: Option<ContainerStateWaiting>,
        /// Started.
        pub running: Option<ContainerStateRunning>,
        /// Ended.
        pub terminated: Option<ContainerStateTerminated>,
    }

    /// Why a container has not started.
    pub struct ContainerStateWaiting {
        /// `ContainerCreating`, `CrashLoopBackOff`, `ImagePullBackOff`, `ErrImagePull`…
        pub reason: String,
        /// A sentence.
        pub message: String,
    }

    /// Since when a container runs.
    pub struct ContainerStateRunning {
        /// Start time.
        pub started_at: Option<Time>,
    }
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStateTerminated {
    /// 137 for a kill by signal 9, which is what OOMKilled is.
    pub exit_code: i32,
    /// `Completed`, `Error`, `OOMKilled`…
    #[serde(skip_serializing_if = "super::is_default")]
    pub reason: String,
    /// A sentence.
    #[serde(skip_serializing_if = "super::is_default")]
    pub message: String,
    /// When it started.
    #[serde(skip_serializing_if = "super::is_default")]
    pub started_at: Option<Time>,
    /// When it ended.
    #[serde(skip_serializing_if = "super::is_default")]
    pub finished_at: Option<Time>,
    /// Which container it was.
    #[serde(rename = "containerID", skip_serializing_if = "super::is_default")]
    pub container_id: String,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub other: super::Other,
}

/// The observed state of a container. `ready`, `restartCount`, `image` and `imageID` always show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// Name of the container.
    pub name: String,
    /// What it is doing.
    #[serde(skip_serializing_if = "super::is_default")]
    pub state: ContainerState,
    /// How its last run ended.
    #[serde(skip_serializing_if = "super::is_default")]
    pub last_state: ContainerState,
    /// Whether its readiness probe holds.
    pub ready: bool,
    /// Restarts by the kubelet.
    pub restart_count: i32,
    /// Image that runs.
    pub image: String,
    /// Digest of the image.
    #[serde(rename = "imageID")]
    pub image_id: String,
    /// Which container it is.
    #[serde(rename = "containerID", skip_serializing_if = "super::is_default")]
    pub container_id: String,
    /// Whether its startup probe has passed.
    #[serde(skip_serializing_if = "super::is_default")]
    pub started: Option<bool>,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub other: super::Other,
}

/// Pod phase before all containers have started.
pub const PENDING: &str = "Pending";
/// Pod phase once a container has started.
pub const RUNNING: &str = "Running";
/// Pod phase when all containers ended well and none restarts.
pub const SUCCEEDED: &str = "Succeeded";
/// Pod phase when a container failed and none restarts, or the kubelet gave the pod up.
pub const FAILED: &str = "Failed";

impl PodStatus {
    /// The condition of this type.
    pub fn condition(&self, type_: &str) -> Option<&PodCondition> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Sets a condition; the transition time changes only when the status does. Returns whether anything changed.
    pub fn set_condition(&mut self, mut condition: PodCondition) -> bool {
        let Some(present) = self.conditions.iter_mut().find(|c| c.type_ == condition.type_) else {
            self.conditions.push(condition);
            return true;
        };
        if present.status == condition.status {
            condition.last_transition_time = present.last_transition_time;
        }
        let changed = *present != condition;
        *present = condition;
        changed
    }
}

impl Pod {
    /// Whether the pod is bound to a node.
    pub fn is_bound(&self) -> bool {
        !self.spec.node_name.is_empty()
    }

    /// Whether the Ready condition is True.
    pub fn is_ready(&self) -> bool {
        self.ready_since().is_some() || self.status.condition("Ready").is_some_and(|c| c.status == "True")
    }

    /// When the Ready condition became True; `None` while it is not.
    pub fn ready_since(&self) -> Option<Time> {
        self.status.condition("Ready").filter(|c| c.status == "True").and_then(|c| c.last_transition_time)
    }

    /// Ready for at least `min_ready_seconds`, up to and including the last second.
    ///
    /// Follows kubernetes pkg/api/v1/pod IsPodAvailable, v1.36.
    pub fn is_available(&self, min_ready_seconds: i32, now: Time) -> bool {
        self.is_ready()
            && (min_ready_seconds == 0
                || self.ready_since().is_some_and(|t| t.plus_seconds(min_ready_seconds.into()) <= now))
    }

    /// Whether a deletion has been asked for.
    pub fn is_terminating(&self) -> bool {
        self.metadata.is_terminating()
    }

    /// Failed or Succeeded: nothing of it runs or ever will.
    pub fn is_finished(&self) -> bool {
        self.status.phase == FAILED || self.status.phase == SUCCEEDED
    }

    /// The node that a `metadata.name` matchFields term pins the pod to, as the DaemonSet controller writes it.
    ///
    /// Follows kubernetes pkg/controller/daemon/util GetTargetNodeName, v1.36.
    pub fn pinned_node(&self) -> Option<&str> {
        let terms = &self.spec.affinity.as_ref()?.required_node_selector()?.node_selector_terms;
        let mut fields = terms.iter().flat_map(|term| &term.match_fields);
        fields.find_map(|field| match field.values.as_slice() {
            [node] if field.key == "metadata.name" && field.operator == "In" => Some(node.as_str()),
            _ => None,
        })
    }

    /// The node the pod is on or, not bound yet, is pinned to.
    pub fn target_node(&self) -> Option<&str> {
        if self.is_bound() { Some(&self.spec.node_name) } else { self.pinned_node() }
    }

    /// A mirror of a static pod, which only its kubelet manages.
    pub fn is_mirror(&self) -> bool {
        self.metadata.annotations.contains_key("kubernetes.io/config.mirror")
    }

    /// The pod's priority; 0 when admission set none.
    pub fn priority(&self) -> i32 {
        self.spec.priority.unwrap_or(0)
    }
}

impl Container {
    /// What the container asks for of one resource.
    pub fn request(&self, resource: &str) -> Option<Quantity> {
        self.resources.as_ref()?.requests.get(resource).copied()
    }

    /// What the container may use of one resource.
    pub fn limit(&self, resource: &str) -> Option<Quantity> {
        self.resources.as_ref()?.limits.get(resource).copied()
    }
}

/// Quality of service: `Guaranteed` when every container's cpu and memory limits equal its requests, `BestEffort` when
/// nothing is asked for, else `Burstable`.
///
/// Follows kubernetes pkg/apis/core/v1/helper/qos ComputePodQOS, v1.36.
pub fn qos_class(spec: &PodSpec) -> &'static str {
    let of_interest = [super::CPU, super::MEMORY];
    let mut any = false;
    let mut guaranteed = true;
    let mut look = |requirements: Option<&ResourceRequirements>| {
        for resource in of_interest {
            let positive = |list: &super::ResourceList| list.get(resource).copied().filter(|q| !q.is_zero());
            let limit = requirements.and_then(|r| positive(&r.limits));
            let request = requirements.and_then(|r| positive(&r.requests));
            any |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some() && request.is_none_or(|request| Some(request) == limit);
        }
    };
    match &spec.resources {
        Some(pod_level) => look(Some(pod_level)),
        None => spec.init_containers.iter().chain(spec.containers.iter()).for_each(|c| look(c.resources.as_ref())),
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
