//! Plugins, their reasons, and how the reasons of many nodes become one diagnosis.

use super::plugins::*;
use crate::order::Collect;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A scheduler plugin that can keep a pod from a node or from being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plugin {
    /// Keeps gated pods out of the queue.
    SchedulingGates,
    /// Cordoned nodes.
    NodeUnschedulable,
    /// `spec.nodeName`.
    NodeName,
    /// Taints.
    TaintToleration,
    /// Node selector and node affinity.
    NodeAffinity,
    /// Host ports.
    NodePorts,
    /// Resources.
    NodeResourcesFit,
    /// Claims to volumes.
    VolumeBinding,
    /// Spread over topology domains.
    PodTopologySpread,
    /// Affinity between pods.
    InterPodAffinity,
}

impl Plugin {
    /// The filters, in the order in which they run; the first that says no ends a node's examination.
    pub const FILTERS: [Self; 8] = [
        Self::NodeUnschedulable,
        Self::NodeName,
        Self::TaintToleration,
        Self::NodeAffinity,
        Self::NodePorts,
        Self::NodeResourcesFit,
        Self::PodTopologySpread,
        Self::InterPodAffinity,
    ];

    /// The plugin's name in Kubernetes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SchedulingGates => scheduling_gates::NAME,
            Self::NodeUnschedulable => node_unschedulable::NAME,
            Self::NodeName => node_name::NAME,
            Self::TaintToleration => taint_toleration::NAME,
            Self::NodeAffinity => node_affinity::NAME,
            Self::NodePorts => node_ports::NAME,
            Self::NodeResourcesFit => node_resources_fit::NAME,
            Self::VolumeBinding => volume_binding::NAME,
            Self::PodTopologySpread => pod_topology_spread::NAME,
            Self::InterPodAffinity => inter_pod_affinity::NAME,
        }
    }
}

/// Whether removing other pods could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// It could.
    Unschedulable,
    /// It could not.
    UnschedulableAndUnresolvable,
}

/// Why one plugin keeps a pod off one node, with the facts.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterReason {
    /// The node is cordoned.
    NodeUnschedulable(node_unschedulable::Reason),
    /// The pod names another node.
    NodeName(node_name::Reason),
    /// A taint is not tolerated.
    TaintToleration(taint_toleration::Reason),
    /// The node is not one that the pod asks for.
    NodeAffinity(node_affinity::Reason),
    /// A host port is taken.
    NodePorts(node_ports::Reason),
    /// Something does not suffice.
    NodeResourcesFit(node_resources_fit::Reason),
    /// The pods would be spread too unevenly.
    PodTopologySpread(pod_topology_spread::Reason),
    /// Other pods are there that should not, or are not there that should.
    InterPodAffinity(inter_pod_affinity::Reason),
}

impl FilterReason {
    /// The plugin that says so.
    pub fn plugin(&self) -> Plugin {
        match self {
            Self::NodeUnschedulable(_) => Plugin::NodeUnschedulable,
            Self::NodeName(_) => Plugin::NodeName,
            Self::TaintToleration(_) => Plugin::TaintToleration,
            Self::NodeAffinity(_) => Plugin::NodeAffinity,
            Self::NodePorts(_) => Plugin::NodePorts,
            Self::NodeResourcesFit(_) => Plugin::NodeResourcesFit,
            Self::PodTopologySpread(_) => Plugin::PodTopologySpread,
            Self::InterPodAffinity(_) => Plugin::InterPodAffinity,
        }
    }

    /// Whether removing other pods could help.
    pub fn code(&self) -> Code {
        match self {
            Self::NodePorts(_) => Code::Unschedulable,
            Self::NodeResourcesFit(reason) => reason.code(),
            Self::PodTopologySpread(reason) => reason.code(),
            Self::InterPodAffinity(reason) => reason.code(),
            _ => Code::UnschedulableAndUnresolvable,
        }
    }

    /// Kubernetes' own words, as they are counted in the FailedScheduling message.
    pub fn message(&self) -> String {
        match self {
            Self::NodeUnschedulable(_) => node_unschedulable::MESSAGE.into(),
            Self::NodeName(_) => node_name::MESSAGE.into(),
            Self::TaintToleration(_) => taint_toleration::MESSAGE.into(),
            Self::NodeAffinity(_) => node_affinity::MESSAGE.into(),
            Self::NodePorts(_) => node_ports::MESSAGE.into(),
            Self::NodeResourcesFit(reason) => reason.message(),
            Self::PodTopologySpread(reason) => reason.message().into(),
            Self::InterPodAffinity(reason) => reason.message().into(),
        }
    }
}

/// The code of a node for which a plugin gave these reasons: unresolvable if one of them is.
pub fn code_of(reasons: &[FilterReason]) -> Code {
    reasons.iter().map(FilterReason::code).max().unwrap_or(Code::Unschedulable)
}

/// Why the pod can go to no node at all, found before any node is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFilterReason {
    /// The `metadata.name` fields of every affinity term exclude each other.
    NodeAffinityConflict,
    /// A claim that the pod mounts does not exist.
    ClaimNotFound {
        /// Name of the claim, in the pod's namespace.
        claim: String,
    },
}

impl PreFilterReason {
    /// The plugin that says so.
    pub fn plugin(&self) -> Plugin {
        match self {
            Self::NodeAffinityConflict => Plugin::NodeAffinity,
            Self::ClaimNotFound { .. } => Plugin::VolumeBinding,
        }
    }

    /// Kubernetes' own words.
    pub fn message(&self) -> String {
        match self {
            Self::NodeAffinityConflict => node_affinity::CONFLICT_MESSAGE.into(),
            Self::ClaimNotFound { claim } => format!("persistentvolumeclaim \"{claim}\" not found"),
        }
    }
}

/// Why no node was found.
///
/// Nodes that were not looked at, because the pod is pinned to others by name, have no entry: the cost of a pinned pod
/// does not grow with the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Number of nodes in the cluster.
    pub total_nodes: usize,
    /// Set when the search ended before any node was looked at.
    pub pre_filter: Option<PreFilterReason>,
    /// The nodes that were looked at, each with the reasons of the first plugin that said no.
    pub failures: BTreeMap<Rc<str>, Vec<FilterReason>>,
    /// The plugins named for the nodes that were not looked at; empty when all were.
    pub narrowed_by: BTreeSet<Plugin>,
    /// Every plugin that said no anywhere: only what concerns them can change the result.
    pub plugins: BTreeSet<Plugin>,
}

impl Diagnosis {
    /// Number of nodes that were not looked at.
    pub fn absent_nodes(&self) -> usize {
        self.total_nodes.saturating_sub(self.failures.len())
    }

    /// What is said of a node that was not looked at; `None` when every node was.
    pub fn absent_message(&self) -> Option<String> {
        (!self.narrowed_by.is_empty()).then(|| {
            let names: BTreeSet<&str> = self.narrowed_by.iter().map(|plugin| plugin.name()).collect_set();
            let names: Vec<&str> = names.into_iter().collect();
            format!("node(s) didn't satisfy plugin(s) [{}]", names.join(" "))
        })
    }

    pub(super) fn record(&mut self, node: &Rc<str>, reasons: Vec<FilterReason>) {
        self.plugins.extend(reasons.iter().map(FilterReason::plugin));
        self.failures.insert(node.clone(), reasons);
    }
}
