use super::{ObjectMeta, ResourceList, Taint, Time, api_struct};
use crate::order::Order;
use std::rc::Rc;

api_struct! {
    /// A machine of the cluster.
    pub struct Node {
        /// Name and labels.
        pub metadata: ObjectMeta,
        /// Taints, cordon.
        pub spec: NodeSpec,
        /// Capacity and conditions.
        pub status: NodeStatus,
    }

    /// What is wanted of a node.
    pub struct NodeSpec {
        /// Keep pods off.
        pub taints: Rc<Vec<Taint>>,
        /// Cordoned. The DaemonSet controller never reads it: only the taint that follows from it counts.
        pub unschedulable: bool,
        /// Range of pod addresses.
        #[serde(rename = "podCIDR")]
        pub pod_cidr: String,
    }

    /// What a node is.
    pub struct NodeStatus {
        /// All there is.
        pub capacity: ResourceList,
        /// What pods may use.
        pub allocatable: ResourceList,
        /// Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable.
        pub conditions: Rc<Vec<NodeCondition>>,
        /// Addresses of the node.
        pub addresses: Rc<Vec<NodeAddress>>,
    }

    /// One statement about a node.
    pub struct NodeCondition {
        /// `Ready`, `MemoryPressure`…
        #[serde(rename = "type")]
        pub type_: String,
        /// `True`, `False` or `Unknown`.
        pub status: String,
        /// One word.
        pub reason: String,
        /// A sentence.
        pub message: String,
        /// When the kubelet last said so.
        pub last_heartbeat_time: Option<Time>,
        /// When the status last changed.
        pub last_transition_time: Option<Time>,
    }

    /// One address of a node.
    pub struct NodeAddress {
        /// `InternalIP`, `Hostname`…
        #[serde(rename = "type")]
        pub type_: String,
        /// The address.
        pub address: String,
    }
}

impl Node {
    /// The node's name.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }

    /// The condition of this type.
    pub fn condition(&self, type_: &str) -> Option<&NodeCondition> {
        self.status.conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Whether the Ready condition is True.
    pub fn is_ready(&self) -> bool {
        self.condition("Ready").is_some_and(|c| c.status == "True")
    }

    /// Role names from `node-role.kubernetes.io/…` labels, in order.
    pub fn roles(&self) -> Vec<&str> {
        let mut roles: Vec<&str> = self
            .metadata
            .labels
            .iter()
            .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
                Some(role) => Some(role).filter(|role| !role.is_empty()),
                None => (key == "kubernetes.io/role" && !value.is_empty()).then_some(value.as_str()),
            })
            .collect();
        roles.order();
        roles.dedup();
        roles
    }
}
