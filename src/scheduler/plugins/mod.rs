//! The plugins of the default profile, one file each: `NAME`, the reason it gives with its facts, Kubernetes' own
//! message, and the function that decides.

pub mod inter_pod_affinity;
pub mod inter_pod_affinity_score;
pub mod node_affinity;
pub mod node_name;
pub mod node_ports;
pub mod node_resources_balanced_allocation;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod pod_topology_spread;
pub mod pod_topology_spread_score;
pub mod scheduling_gates;
pub mod taint_toleration;
pub mod volume_binding;
