//! Which change makes a pending pod worth another look: one rule for each plugin that refused it.
//!
//! Follows the queueing hints of kubernetes pkg/scheduler/framework/plugins, v1.36. Intentional deviation: a change
//! that concerns only nodes the pod cannot go to anyway does not count, where Kubernetes looks again and fails again.

use super::framework::Plugin;
use super::node_info::occupies;
use super::plugins::inter_pod_affinity::matches_term;
use super::plugins::node_ports::host_ports;
use super::plugins::*;
use super::requests::{allocatable, pod_requests};
use crate::apiserver::Store;
use crate::objects::*;
use std::rc::Rc;

/// A change of the cluster, as far as the scheduler cares.
#[derive(Clone, Copy, Debug)]
pub enum ClusterEvent<'a> {
    /// A node joined.
    NodeAdded(&'a Node),
    /// A node changed.
    NodeUpdated {
        /// As it was.
        before: &'a Node,
        /// As it is.
        after: &'a Node,
    },
    /// A node left.
    NodeDeleted(&'a Node),
    /// A pod has been bound, or another one's labels have changed.
    PodThere(&'a Pod),
    /// A pod no longer holds anything of its node (or of the node that it was nominated to).
    PodLeft {
        /// The pod.
        pod: &'a Pod,
        /// The node's name.
        node: &'a str,
    },
    /// A claim was created.
    ClaimAdded {
        /// Its namespace.
        namespace: &'a str,
    },
}

impl<'a> ClusterEvent<'a> {
    /// What the change of a pod means for other pods; `None`: nothing.
    pub fn of_pod(before: Option<&'a Pod>, after: Option<&'a Pod>) -> Option<Self> {
        let was = before.filter(|pod| occupies(pod));
        let is = after.filter(|pod| occupies(pod));
        match (was, is) {
            (Some(pod), None) => Some(Self::PodLeft { pod, node: &pod.spec.node_name }),
            (None, Some(pod)) => Some(Self::PodThere(pod)),
            (Some(before), Some(after)) if before.metadata.labels != after.metadata.labels => {
                Some(Self::PodThere(after))
            }
            (Some(_), Some(_)) => None,
            (None, None) => {
                let before = before?;
                let node = before.status.nominated_node_name.as_str();
                let still = after.is_some_and(|after| after.status.nominated_node_name == node);
                (!before.is_bound() && !node.is_empty() && !still).then_some(Self::PodLeft { pod: before, node })
            }
        }
    }

    /// What the change of a node means; `None`: nothing that the scheduler reads has changed.
    pub fn of_node(before: Option<&'a Node>, after: Option<&'a Node>) -> Option<Self> {
        match (before, after) {
            (None, Some(after)) => Some(Self::NodeAdded(after)),
            (Some(before), None) => Some(Self::NodeDeleted(before)),
            (Some(before), Some(after)) => {
                let same = before.metadata.labels == after.metadata.labels
                    && before.spec.taints == after.spec.taints
                    && before.spec.unschedulable == after.spec.unschedulable
                    && before.status.allocatable == after.status.allocatable;
                (!same).then_some(Self::NodeUpdated { before, after })
            }
            (None, None) => None,
        }
    }

    /// The one node that the change is about.
    pub fn node(&self) -> Option<&'a str> {
        match *self {
            Self::NodeAdded(node) | Self::NodeUpdated { after: node, .. } | Self::NodeDeleted(node) => {
                Some(node.name())
            }
            Self::PodThere(pod) => Some(&pod.spec.node_name),
            Self::PodLeft { node, .. } => Some(node),
            Self::ClaimAdded { .. } => None,
        }
    }
}

/// Whether the plugin, which refused the pod, might think otherwise after the change.
pub fn may_help(store: &Store, pod: &Pod, plugin: Plugin, event: ClusterEvent<'_>) -> bool {
    match event {
        ClusterEvent::NodeAdded(node) => node_may_help(pod, plugin, None, node),
        ClusterEvent::NodeUpdated { before, after } => node_may_help(pod, plugin, Some(before), after),
        ClusterEvent::NodeDeleted(_) => plugin == Plugin::PodTopologySpread,
        ClusterEvent::PodThere(other) => arrival_may_help(store, pod, plugin, other),
        ClusterEvent::PodLeft { pod: other, node } => {
            let reachable = store.node_named(node).is_some_and(|node| node_itself_accepts(pod, node));
            departure_may_help(store, pod, plugin, other, reachable)
        }
        ClusterEvent::ClaimAdded { namespace } => {
            plugin == Plugin::VolumeBinding && *namespace == *pod.metadata.namespace
        }
    }
}

fn node_may_help(pod: &Pod, plugin: Plugin, before: Option<&Node>, after: &Node) -> bool {
    let turned = |accepts: &dyn Fn(&Node) -> bool| accepts(after) && before.is_none_or(|before| !accepts(before));
    match plugin {
        Plugin::NodeUnschedulable => turned(&|node| node_unschedulable::filter(pod, node).is_ok()),
        Plugin::TaintToleration => turned(&|node| taint_toleration::filter(pod, node).is_ok()),
        Plugin::NodeAffinity => turned(&|node| node_affinity::matches(pod, node)),
        Plugin::NodeResourcesFit => has_room(pod, before, after),
        Plugin::NodeName | Plugin::NodePorts => before.is_none(),
        Plugin::PodTopologySpread => before.is_none_or(|before| {
            before.metadata.labels != after.metadata.labels || before.spec.taints != after.spec.taints
        }),
        Plugin::InterPodAffinity => before.is_none_or(|before| before.metadata.labels != after.metadata.labels),
        Plugin::SchedulingGates | Plugin::VolumeBinding => false,
    }
}

/// The node, empty, would have room, and it has grown in something that the pod asks for.
fn has_room(pod: &Pod, before: Option<&Node>, after: &Node) -> bool {
    let (requests, now) = (pod_requests(pod), allocatable(after));
    let enough = now.pods > 0 && requests.iter().all(|(name, amount)| amount <= now.resources.get(name));
    let grown = before.map(allocatable).is_none_or(|before| {
        now.pods > before.pods || requests.iter().any(|(name, _)| now.resources.get(name) > before.resources.get(name))
    });
    enough && grown
}

/// Whether nothing about the node itself keeps the pod away.
fn node_itself_accepts(pod: &Pod, node: &Rc<Node>) -> bool {
    node_unschedulable::filter(pod, node).is_ok()
        && taint_toleration::filter(pod, node).is_ok()
        && node_affinity::matches(pod, node)
}

fn arrival_may_help(store: &Store, pod: &Pod, plugin: Plugin, other: &Pod) -> bool {
    match plugin {
        Plugin::PodTopologySpread => pod.metadata.namespace == other.metadata.namespace,
        Plugin::InterPodAffinity => {
            let terms = pod.spec.affinity.as_ref().map_or(&[][..], |affinity| affinity.required_pod_affinity());
            terms.iter().any(|term| matches_term(store, term, pod, other))
        }
        _ => false,
    }
}

fn departure_may_help(store: &Store, pod: &Pod, plugin: Plugin, other: &Pod, reachable: bool) -> bool {
    match plugin {
        Plugin::NodeResourcesFit => reachable,
        Plugin::NodePorts => {
            let freed = host_ports(other);
            reachable && host_ports(pod).iter().any(|port| freed.iter().any(|other| port.conflicts_with(other)))
        }
        Plugin::PodTopologySpread => pod.metadata.namespace == other.metadata.namespace,
        Plugin::InterPodAffinity => {
            let anti =
                |pod: &Pod| pod.spec.affinity.as_ref().map(|affinity| affinity.required_anti_affinity().to_vec());
            let own = anti(pod).unwrap_or_default();
            own.iter().any(|term| matches_term(store, term, pod, other))
                || anti(other).unwrap_or_default().iter().any(|term| matches_term(store, term, other, pod))
        }
        _ => false,
    }
}
