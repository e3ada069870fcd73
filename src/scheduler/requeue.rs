//! Which change makes a pending pod worth another look: one rule for each plugin that refused it.
//!
//! Follows the queueing hints of kubernetes pkg/scheduler/framework/plugins, v1.36. Intentional deviation: a change
//! that concerns only nodes the pod cannot go to anyway does not count, where Kubernetes looks again and fails again.

use super::framework::Plugin;
use super::plugins::inter_pod_affinity::matches_term;
use super::plugins::node_ports::host_ports;
use super::plugins::*;
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
    /// A pod has been bound.
    PodThere(&'a Pod),
    /// The labels of a bound pod have changed.
    PodRelabelled {
        /// As it was.
        before: &'a Pod,
        /// As it is.
        after: &'a Pod,
    },
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
    /// What the change of a pod means for other pods: at most two events. A bound pod whose spec has changed (a resize)
    /// counts as one that left and another that came.
    pub fn of_pod(before: Option<&'a Pod>, after: Option<&'a Pod>) -> impl Iterator<Item = Self> + use<'a> {
        let was = before.filter(|pod| pod.occupies_node());
        let is = after.filter(|pod| pod.occupies_node());
        let left = |pod: &'a Pod| Self::PodLeft { pod, node: &pod.spec.node_name };
        let events = match (was, is) {
            (Some(before), Some(after)) => {
                if !Rc::ptr_eq(&before.spec, &after.spec) && before.spec != after.spec {
                    [Some(left(before)), Some(Self::PodThere(after))]
                } else if before.metadata.labels != after.metadata.labels {
                    [Some(Self::PodRelabelled { before, after }), None]
                } else {
                    [None, None]
                }
            }
            (was, is) => {
                let nomination = before.filter(|_| was.is_none()).and_then(|pod| withdrawn_nomination(pod, after));
                [was.map(left).or(nomination), is.map(Self::PodThere)]
            }
        };
        events.into_iter().flatten()
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
            Self::PodThere(pod) | Self::PodRelabelled { after: pod, .. } => Some(&pod.spec.node_name),
            Self::PodLeft { node, .. } => Some(node),
            Self::ClaimAdded { .. } => None,
        }
    }
}

/// The room that was promised to an unbound pod and no longer is, unless the pod has taken it.
fn withdrawn_nomination<'a>(before: &'a Pod, after: Option<&Pod>) -> Option<ClusterEvent<'a>> {
    let node = before.status.nominated_node_name.as_str();
    let kept = after.is_some_and(|after| {
        let taken = after.is_bound() && &*after.spec.node_name == node;
        taken || (!after.is_bound() && after.status.nominated_node_name == node)
    });
    (!before.is_bound() && !node.is_empty() && !kept).then_some(ClusterEvent::PodLeft { pod: before, node })
}

/// Whether the plugin, which refused the pod, might think otherwise after the change.
pub fn may_help(store: &Store, pod: &Pod, plugin: Plugin, event: ClusterEvent<'_>) -> bool {
    match event {
        ClusterEvent::NodeAdded(node) => node_may_help(pod, plugin, None, node),
        ClusterEvent::NodeUpdated { before, after } => node_may_help(pod, plugin, Some(before), after),
        // Its pods count nowhere any more, even before they are gone.
        ClusterEvent::NodeDeleted(_) => matches!(plugin, Plugin::PodTopologySpread | Plugin::InterPodAffinity),
        ClusterEvent::PodThere(other) => arrival_may_help(store, pod, plugin, other),
        ClusterEvent::PodRelabelled { before, after } => {
            arrival_may_help(store, pod, plugin, after) || departure_may_help(store, pod, plugin, before, false)
        }
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
            let matches = |terms: &[PodAffinityTerm], owner: &Pod, meant: &Pod| {
                terms.iter().any(|term| matches_term(store, term, owner, meant))
            };
            // With the last pod that it had to be with gone, the pod may be the first of its group.
            let own = pod.spec.affinity.as_ref().is_some_and(|own| {
                matches(own.required_anti_affinity(), pod, other) || matches(own.required_pod_affinity(), pod, other)
            });
            own || other.spec.affinity.as_ref().is_some_and(|own| matches(own.required_anti_affinity(), other, pod))
        }
        _ => false,
    }
}
