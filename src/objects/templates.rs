//! Nodes as they come: constructors with capacity, labels, taints and conditions like real ones.

use super::*;
use crate::order::Collect;
use serde_json::json;

/// A kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeTemplate {
    /// Runs the control plane; its taint keeps ordinary pods off.
    ControlPlane,
    /// A plain machine of a small cluster.
    Worker,
    /// A machine of a cloud's general-purpose pool.
    General,
    /// A big one.
    Large,
    /// With four GPUs and the taint that keeps others off them.
    Gpu,
    /// Runs Windows.
    Windows,
    /// Cheap, and can be taken away at any time.
    Spot,
    /// With an ARM processor.
    Arm64,
    /// Small, far away.
    Edge,
    /// No machine at all: pods that are sent here run in a serverless service.
    VirtualKubelet,
    /// The machine of the recorded clusters: 4 CPUs, 8Gi.
    Recorded,
}

/// What makes a template.
struct Shape {
    instance_type: &'static str,
    cpu_milli: i64,
    memory_kib: i64,
    storage_kib: i64,
    pods: i64,
    /// CPU and memory that the system keeps for itself.
    reserved: (i64, i64),
    arch: &'static str,
    labels: &'static [(&'static str, &'static str)],
    taints: &'static [(&'static str, &'static str)],
}

const MIB: i64 = 1024;
const GIB: i64 = 1024 * 1024;

impl NodeTemplate {
    /// All templates, in the order in which a person is offered them.
    pub const ALL: [Self; 11] = [
        Self::Worker,
        Self::ControlPlane,
        Self::General,
        Self::Large,
        Self::Gpu,
        Self::Windows,
        Self::Spot,
        Self::Arm64,
        Self::Edge,
        Self::VirtualKubelet,
        Self::Recorded,
    ];

    /// The template's name in commands and scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ControlPlane => "control-plane",
            Self::Worker => "worker",
            Self::General => "general",
            Self::Large => "large",
            Self::Gpu => "gpu",
            Self::Windows => "windows",
            Self::Spot => "spot",
            Self::Arm64 => "arm64",
            Self::Edge => "edge",
            Self::VirtualKubelet => "virtual-kubelet",
            Self::Recorded => "recorded",
        }
    }

    /// The template of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    const fn shape(self) -> Shape {
        let worker = Shape {
            instance_type: "",
            cpu_milli: 4000,
            memory_kib: 8 * GIB - 200 * MIB,
            storage_kib: 60 * GIB,
            pods: 110,
            reserved: (100, 600 * MIB),
            arch: "amd64",
            labels: &[],
            taints: &[],
        };
        match self {
            Self::Worker => worker,
            Self::ControlPlane => Shape {
                labels: &[
                    ("node-role.kubernetes.io/control-plane", ""),
                    ("node.kubernetes.io/exclude-from-external-load-balancers", ""),
                ],
                taints: &[("node-role.kubernetes.io/control-plane", "")],
                ..worker
            },
            Self::General => Shape {
                instance_type: "general-4",
                memory_kib: 16 * GIB - 400 * MIB,
                storage_kib: 80 * GIB,
                reserved: (80, 1300 * MIB),
                ..worker
            },
            Self::Large => Shape {
                instance_type: "general-16",
                cpu_milli: 16_000,
                memory_kib: 64 * GIB - 1500 * MIB,
                storage_kib: 200 * GIB,
                reserved: (110, 3000 * MIB),
                ..worker
            },
            Self::Gpu => Shape {
                instance_type: "gpu-4x",
                cpu_milli: 32_000,
                memory_kib: 128 * GIB - 3000 * MIB,
                storage_kib: 400 * GIB,
                reserved: (150, 5000 * MIB),
                labels: &[("nvidia.com/gpu.present", "true"), ("nvidia.com/gpu.count", "4")],
                taints: &[("nvidia.com/gpu", "present")],
                ..worker
            },
            Self::Windows => Shape {
                instance_type: "general-4",
                memory_kib: 16 * GIB - 100 * MIB,
                storage_kib: 120 * GIB,
                reserved: (500, 2200 * MIB),
                labels: &[("node.kubernetes.io/windows-build", "10.0.20348")],
                taints: &[("os", "windows")],
                ..worker
            },
            Self::Spot => Shape {
                instance_type: "general-4",
                memory_kib: 16 * GIB - 400 * MIB,
                storage_kib: 80 * GIB,
                reserved: (80, 1300 * MIB),
                labels: &[("karpenter.sh/capacity-type", "spot")],
                taints: &[("spot", "true")],
                ..worker
            },
            Self::Arm64 => Shape { instance_type: "arm-4", arch: "arm64", ..worker },
            Self::Edge => Shape {
                instance_type: "edge-2",
                cpu_milli: 2000,
                memory_kib: 2 * GIB - 100 * MIB,
                storage_kib: 16 * GIB,
                pods: 30,
                reserved: (100, 300 * MIB),
                arch: "arm64",
                labels: &[("node-role.kubernetes.io/edge", "")],
                ..worker
            },
            Self::VirtualKubelet => Shape {
                cpu_milli: 800_000,
                memory_kib: 4000 * GIB,
                storage_kib: 4000 * GIB,
                pods: 800,
                reserved: (0, 0),
                labels: &[("type", "virtual-kubelet"), ("kubernetes.io/role", "agent")],
                taints: &[("virtual-kubelet.io/provider", "serverless")],
                ..worker
            },
            Self::Recorded => Shape { memory_kib: 8 * GIB, storage_kib: 100 * GIB, reserved: (0, 0), ..worker },
        }
    }

    const fn operating_system(self) -> &'static str {
        if matches!(self, Self::Windows) { "windows" } else { "linux" }
    }

    /// A ready node of this kind. `number` counts the cluster's nodes from 1; addresses follow from it.
    pub fn node(self, name: &str, number: u32, now: Time) -> Node {
        let shape = self.shape();
        let mut node = Node::default();
        node.metadata.name = name.into();
        node.metadata.annotations = string_map([("node.alpha.kubernetes.io/ttl", "0")]);
        node.metadata.labels = Rc::new(labels(self, &shape, name, number));
        let taint = |(key, value): &(&str, &str)| Taint { value: (*value).into(), ..Taint::new(key, NO_SCHEDULE) };
        node.spec.taints = Rc::new(shape.taints.iter().map(taint).collect());
        if self != Self::Recorded {
            node.spec.pod_cidr = format!("{}.0/24", pod_network(number));
            node.spec.other.insert("podCIDRs", json!([node.spec.pod_cidr]));
        }
        let mut capacity: Amounts = [
            (CPU.to_owned(), Quantity::from_milli(shape.cpu_milli)),
            (MEMORY.to_owned(), Quantity::from_bytes(shape.memory_kib * 1024)),
            (EPHEMERAL_STORAGE.to_owned(), Quantity::from_bytes(shape.storage_kib * 1024)),
            (PODS.to_owned(), Quantity::from_units(shape.pods)),
        ]
        .into_iter()
        .collect_map();
        if self == Self::Gpu {
            capacity.insert("nvidia.com/gpu".into(), Quantity::from_units(4));
        }
        let mut allocatable = capacity.clone();
        allocatable.insert(CPU.into(), Quantity::from_milli(shape.cpu_milli - shape.reserved.0));
        allocatable.insert(MEMORY.into(), Quantity::from_bytes((shape.memory_kib - shape.reserved.1) * 1024));
        if shape.reserved.0 > 0 {
            // A tenth of the disk is what the kubelet never gives away.
            allocatable.insert(EPHEMERAL_STORAGE.into(), Quantity::from_bytes(shape.storage_kib * 1024 / 10 * 9));
        }
        node.status.capacity = Rc::new(capacity);
        node.status.allocatable = Rc::new(allocatable);
        node.status.conditions = Rc::new(
            healthy_conditions()
                .into_iter()
                .map(|c| NodeCondition { last_heartbeat_time: Some(now), last_transition_time: Some(now), ..c })
                .collect(),
        );
        let address =
            |type_: &str, address: String| NodeAddress { type_: type_.into(), address, ..NodeAddress::default() };
        node.status.addresses =
            Rc::new(vec![address("InternalIP", node_address(number)), address("Hostname", name.to_owned())]);
        node.status.other.insert("daemonEndpoints", json!({"kubeletEndpoint": {"Port": 10250}}));
        node.status.other.insert("nodeInfo", node_info(self, shape.arch, number));
        node
    }
}

fn labels(template: NodeTemplate, shape: &Shape, name: &str, number: u32) -> BTreeMap<String, String> {
    let os = template.operating_system();
    let mut labels: BTreeMap<String, String> = [
        ("beta.kubernetes.io/arch", shape.arch),
        ("beta.kubernetes.io/os", os),
        ("kubernetes.io/arch", shape.arch),
        ("kubernetes.io/hostname", name),
        ("kubernetes.io/os", os),
    ]
    .into_iter()
    .chain(shape.labels.iter().copied())
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .collect_map();
    if !shape.instance_type.is_empty() {
        let zone = ["a", "b", "c"].get(number as usize % 3).copied().unwrap_or("a");
        labels.insert("node.kubernetes.io/instance-type".into(), shape.instance_type.into());
        labels.insert("topology.kubernetes.io/region".into(), "region-1".into());
        labels.insert("topology.kubernetes.io/zone".into(), format!("region-1{zone}"));
    }
    labels
}

fn node_info(template: NodeTemplate, arch: &str, number: u32) -> Value {
    let (os_image, kernel, runtime, kubelet) = match template {
        NodeTemplate::Windows => ("Windows Server 2022 Datacenter", "10.0.20348.3207", "containerd://2.2.1", "v1.36.2"),
        NodeTemplate::VirtualKubelet => ("", "", "", "v1.36.2"),
        _ => ("Debian GNU/Linux 13 (trixie)", "6.12.48", "containerd://2.2.1", "v1.36.2"),
    };
    json!({
        "architecture": arch,
        "bootID": format!("{number:08x}-1111-1111-1111-{number:012x}"),
        "containerRuntimeVersion": runtime,
        "kernelVersion": kernel,
        "kubeProxyVersion": "",
        "kubeletVersion": kubelet,
        "machineID": format!("{:032x}", u64::from(number) * 1_234_567),
        "operatingSystem": template.operating_system(),
        "osImage": os_image,
        "systemUUID": format!("{number:08x}-0000-0000-0000-{number:012x}"),
    })
}

/// The address of the cluster's node with this number.
pub fn node_address(number: u32) -> String {
    let host = number.saturating_add(10);
    format!("192.168.{}.{}", 1 + host / 256 % 255, host % 256)
}

/// The first three parts of the addresses of the pods on the node with this number.
pub fn pod_network(number: u32) -> String {
    match number / 256 {
        0 => format!("10.244.{number}"),
        block => format!("10.{}.{}", block % 244, number % 256),
    }
}

/// What a kubelet says of a healthy node: type, status, reason, message, in its order.
const HEALTHY: [(&str, &str, &str, &str); 4] = [
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
];

/// All conditions of a healthy node, in a kubelet's order, without times.
pub fn healthy_conditions() -> Vec<NodeCondition> {
    let condition = |(type_, status, reason, message): &(&str, &str, &str, &str)| NodeCondition {
        type_: (*type_).into(),
        status: (*status).into(),
        reason: (*reason).into(),
        message: (*message).into(),
        ..NodeCondition::default()
    };
    HEALTHY.iter().map(condition).collect()
}

/// Changes to a node made from a template.
impl Node {
    /// The node with one more label, or another value for it.
    #[must_use]
    pub fn with_label(mut self, key: &str, value: &str) -> Self {
        Rc::make_mut(&mut self.metadata.labels).insert(key.into(), value.into());
        self
    }

    /// The node with one more taint, or another value for it.
    #[must_use]
    pub fn with_taint(mut self, taint: Taint) -> Self {
        let taints = Rc::make_mut(&mut self.spec.taints);
        taints.retain(|present| !present.matches(&taint));
        taints.push(taint);
        self
    }

    /// The node as it registers: it gets no pods before the node controller has seen that it is ready.
    ///
    /// Follows kubernetes plugin/pkg/admission/nodetaint, v1.36.
    #[must_use]
    pub fn registering(self) -> Self {
        self.with_taint(Taint::new(TAINT_NOT_READY, NO_SCHEDULE))
    }

    /// The node with this much of a resource, all of it for pods.
    #[must_use]
    pub fn with_resource(mut self, resource: &str, amount: Quantity) -> Self {
        Rc::make_mut(&mut self.status.capacity).insert(resource.into(), amount);
        Rc::make_mut(&mut self.status.allocatable).insert(resource.into(), amount);
        self
    }

    /// The node with another condition of this type.
    #[must_use]
    pub fn with_condition(mut self, condition: NodeCondition) -> Self {
        let conditions = Rc::make_mut(&mut self.status.conditions);
        match conditions.iter_mut().find(|present| present.type_ == condition.type_) {
            Some(present) => *present = condition,
            None => conditions.push(condition),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_a_ready_node_with_room_for_pods() {
        for template in NodeTemplate::ALL {
            assert_eq!(NodeTemplate::from_name(template.name()), Some(template));
            let node = template.node("n1", 1, Time(0));
            assert!(node.is_ready(), "{}", template.name());
            for resource in [CPU, MEMORY, EPHEMERAL_STORAGE, PODS] {
                let (capacity, allocatable) = (node.status.capacity[resource], node.status.allocatable[resource]);
                assert!(!allocatable.is_zero() && allocatable <= capacity, "{} {resource}", template.name());
            }
            assert_eq!(node.metadata.label("kubernetes.io/hostname"), Some("n1"));
        }
    }

    #[test]
    fn the_recorded_node_is_the_one_of_the_recordings() {
        let node = NodeTemplate::Recorded.node("worker3", 3, Time(0));
        let amounts: Vec<String> = node.status.allocatable.iter().map(|(name, q)| format!("{name}={q}")).collect();
        assert_eq!(amounts, ["cpu=4", "ephemeral-storage=100Gi", "memory=8Gi", "pods=110"]);
        assert_eq!(node.status.capacity, node.status.allocatable);
        assert_eq!(node.status.addresses[0].address, "192.168.1.13");
        assert_eq!(node.status.other.get("nodeInfo").unwrap()["machineID"], "00000000000000000000000000388395");
        assert!(node.spec == NodeSpec::default());
    }

    #[test]
    fn taints_and_labels_tell_what_a_node_is() {
        let taints = |template: NodeTemplate| {
            template.node("n", 1, Time(0)).spec.taints.iter().map(Taint::to_string).collect::<Vec<_>>()
        };
        assert_eq!(taints(NodeTemplate::ControlPlane), ["node-role.kubernetes.io/control-plane:NoSchedule"]);
        assert_eq!(taints(NodeTemplate::Gpu), ["nvidia.com/gpu=present:NoSchedule"]);
        assert_eq!(taints(NodeTemplate::Windows), ["os=windows:NoSchedule"]);
        assert_eq!(taints(NodeTemplate::Worker), Vec::<String>::new());
        assert_eq!(NodeTemplate::Windows.node("n", 1, Time(0)).metadata.label("kubernetes.io/os"), Some("windows"));
        assert_eq!(NodeTemplate::ControlPlane.node("n", 1, Time(0)).roles(), ["control-plane"]);
    }

    #[test]
    fn addresses_stay_apart_in_large_clusters() {
        let all: std::collections::BTreeSet<_> = (1..=5000).map(|n| (node_address(n), pod_network(n))).collect();
        let networks: std::collections::BTreeSet<_> = (1..=5000).map(pod_network).collect();
        let addresses: std::collections::BTreeSet<_> = (1..=5000).map(node_address).collect();
        assert_eq!((all.len(), networks.len(), addresses.len()), (5000, 5000, 5000));
        assert_eq!(pod_network(3), "10.244.3");
    }
}
