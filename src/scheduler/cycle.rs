//! One look at one pod: what is computed once for all nodes, and the filters on one node.

use super::framework::{FilterReason, Plugin, PreFilterReason};
use super::node_info::{NodeInfo, is_same};
use super::plugins::inter_pod_affinity::InterPodState;
use super::plugins::node_ports::HostPort;
use super::plugins::pod_topology_spread::SpreadState;
use super::plugins::*;
use crate::apiserver::Store;
use crate::objects::*;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The pod with what is the same for every node.
#[derive(Clone, Debug)]
pub struct Cycle<'a> {
    /// All objects.
    pub store: &'a Store,
    /// The pod.
    pub pod: &'a Pod,
    /// What it asks for.
    pub requests: Requests,
    /// The node ports it asks for.
    pub ports: Vec<HostPort>,
    /// The only nodes that can match, by name, if the pod says so.
    pub pinned: Option<BTreeSet<&'a str>>,
}

/// What the filters know of pods on other nodes. Changes while pods are moved in thought.
#[derive(Clone, Debug)]
pub struct ClusterState {
    spread: Option<SpreadState>,
    inter_pod: Option<InterPodState>,
}

impl<'a> Cycle<'a> {
    /// Prepares to look at the pod.
    pub fn new(store: &'a Store, pod: &'a Pod) -> Self {
        let (requests, ports) = (pod_requests(pod), node_ports::host_ports(pod));
        Self { store, pod, requests, ports, pinned: node_affinity::pinned_names(pod) }
    }

    /// What keeps the pod off every node, whatever the node.
    ///
    /// Follows kubernetes pkg/scheduler/framework/runtime RunPreFilterPlugins, v1.36.
    pub fn pre_filter(&self) -> Option<PreFilterReason> {
        if self.pinned.as_ref().is_some_and(BTreeSet::is_empty) {
            return Some(PreFilterReason::NodeAffinityConflict);
        }
        volume_binding::missing_claim(self.store, self.pod).map(|claim| PreFilterReason::ClaimNotFound { claim })
    }

    /// How the pods of the cluster lie, as far as the pod's rules need it.
    pub fn cluster_state(&self) -> ClusterState {
        ClusterState {
            spread: SpreadState::new(self.store, self.pod),
            inter_pod: InterPodState::new(self.store, self.pod),
        }
    }

    /// The reasons of the first filter that refuses the node, empty if none does: for the pods that are there and,
    /// first, also for those of at least the same priority that are about to come.
    ///
    /// Follows kubernetes pkg/scheduler/framework/runtime RunFilterPluginsWithNominatedPods, v1.36.
    pub fn filter(&self, state: &ClusterState, node: &'a Rc<Node>) -> Result<NodeInfo<'a>, Vec<FilterReason>> {
        self.filter_by_node(node).map_err(|reason| vec![reason])?;
        let info = NodeInfo::new(self.store, node, self.pod);
        self.filter_by_pods_and_nominated(state, &info)?;
        Ok(info)
    }

    /// As [`Self::filter`], on a node whose pods were moved in thought.
    pub fn filter_info(&self, state: &ClusterState, info: &NodeInfo<'a>) -> Result<(), Vec<FilterReason>> {
        self.filter_by_node(info.node).map_err(|reason| vec![reason])?;
        self.filter_by_pods_and_nominated(state, info)
    }

    fn filter_by_pods_and_nominated(&self, state: &ClusterState, info: &NodeInfo<'a>) -> Result<(), Vec<FilterReason>> {
        let mut nominated = self.nominated_pods(info.node.name()).peekable();
        if nominated.peek().is_some() {
            let (mut state, mut info) = (state.clone(), info.clone());
            for other in nominated {
                info.add(other);
                state.update(self, other, info.node, 1);
            }
            self.filter_by_pods(&state, &info)?;
        }
        self.filter_by_pods(state, info)
    }

    /// Pods that are about to come to the node and before which this one must step back.
    fn nominated_pods(&self, node: &str) -> impl Iterator<Item = &'a Rc<Pod>> {
        let pod = self.pod;
        self.store
            .pods_nominated_to(node)
            .filter(move |other| other.priority() >= pod.priority() && !other.is_finished() && !is_same(other, pod))
    }

    /// The filters that look at the node alone.
    fn filter_by_node(&self, node: &Node) -> Result<(), FilterReason> {
        node_unschedulable::filter(self.pod, node).map_err(FilterReason::NodeUnschedulable)?;
        node_name::filter(self.pod, node).map_err(FilterReason::NodeName)?;
        taint_toleration::filter(self.pod, node).map_err(FilterReason::TaintToleration)?;
        node_affinity::filter(self.pod, node).map_err(FilterReason::NodeAffinity)
    }

    /// The filters that look at pods; they come after those that look at the node alone.
    fn filter_by_pods(&self, state: &ClusterState, info: &NodeInfo<'_>) -> Result<(), Vec<FilterReason>> {
        for plugin in [Plugin::NodePorts, Plugin::NodeResourcesFit, Plugin::PodTopologySpread, Plugin::InterPodAffinity]
        {
            let reasons = self.ask(plugin, state, info);
            if !reasons.is_empty() {
                return Err(reasons);
            }
        }
        Ok(())
    }

    /// The verdict of one filter; empty: no objection.
    pub fn ask(&self, plugin: Plugin, state: &ClusterState, info: &NodeInfo<'_>) -> Vec<FilterReason> {
        let (pod, node) = (self.pod, &**info.node);
        let one = |verdict: Result<(), FilterReason>| verdict.err().into_iter().collect();
        match plugin {
            Plugin::NodeUnschedulable => {
                one(node_unschedulable::filter(pod, node).map_err(FilterReason::NodeUnschedulable))
            }
            Plugin::NodeName => one(node_name::filter(pod, node).map_err(FilterReason::NodeName)),
            Plugin::TaintToleration => one(taint_toleration::filter(pod, node).map_err(FilterReason::TaintToleration)),
            Plugin::NodeAffinity => one(node_affinity::filter(pod, node).map_err(FilterReason::NodeAffinity)),
            Plugin::NodePorts => one(node_ports::filter(&self.ports, info).map_err(FilterReason::NodePorts)),
            Plugin::NodeResourcesFit => {
                let short = node_resources_fit::filter(&self.requests, info).err().unwrap_or_default();
                short.into_iter().map(FilterReason::NodeResourcesFit).collect()
            }
            Plugin::PodTopologySpread => {
                let verdict = state.spread.as_ref().map_or(Ok(()), |spread| spread.filter(pod, node));
                one(verdict.map_err(FilterReason::PodTopologySpread))
            }
            Plugin::InterPodAffinity => {
                let verdict = state.inter_pod.as_ref().map_or(Ok(()), |pods| pods.filter(self.store, pod, node));
                one(verdict.map_err(FilterReason::InterPodAffinity))
            }
            Plugin::SchedulingGates | Plugin::VolumeBinding => Vec::new(),
        }
    }
}

impl ClusterState {
    /// The state once `other` comes to the node (`by` 1) or leaves it (`by` -1).
    pub fn update(&mut self, cycle: &Cycle<'_>, other: &Pod, node: &Node, by: i64) {
        if let Some(spread) = &mut self.spread {
            spread.update(cycle.pod, other, node, by);
        }
        if let Some(inter_pod) = &mut self.inter_pod {
            inter_pod.update(cycle.store, cycle.pod, other, node, by);
        }
    }
}
