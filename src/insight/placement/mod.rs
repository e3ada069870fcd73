//! Why a pending pod has no node: the scheduler's verdict node by node, and the smallest changes after which the pod
//! gets one.
//!
//! Every suggested [`PlacementChange`] has been tried on the scheduler itself: after it the pod is placed (or room is
//! made for it), and no part of it can be left out.

mod alternatives;
mod apply;
mod edit;
mod resources;
mod search;

pub use apply::{Scene, apply, apply_to_spec};
pub use edit::{ContainerList, Owner, PlacementEdit, PodCaution, Remedy};
pub use search::PlacementChange;

use crate::apiserver::Store;
use crate::objects::*;
use crate::order::Order;
use crate::scheduler::cycle::Cycle;
use crate::scheduler::node_info::NodeInfo;
use crate::scheduler::{
    Check, DEFAULT_SCHEDULER, Decision, FilterReason, Ineligible, Plugin, PreFilterReason, PreemptionOutcome,
    schedule_one,
};
use std::rc::Rc;

/// How many nodes are told one by one.
pub const MOST_NODES: usize = 60;

/// A pending pod, as the scheduler sees it now.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// What keeps it, before or beside what nodes say.
    pub obstacle: Obstacle,
    /// Nodes in the cluster.
    pub total_nodes: usize,
    /// What each node's filters say, in natural order of the names; of a pod that is pinned to nodes, only these. At
    /// most [`MOST_NODES`].
    pub nodes: Vec<NodeVerdict>,
    /// Nodes that were looked at and are not in `nodes`.
    pub more_nodes: usize,
    /// Nodes that were not looked at, because the pod is pinned to others.
    pub not_examined: usize,
    /// The smallest changes after which the pod gets a node, the smallest first.
    pub changes: Vec<PlacementChange>,
}

/// What keeps a pod from a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// Nothing: it goes to this node as soon as it is its turn.
    None(Rc<str>),
    /// Gates: the scheduler does not look at it.
    Gated(Vec<String>),
    /// Another scheduler is to place it.
    OtherScheduler(String),
    /// There is no node at all.
    NoNodes,
    /// Something about the pod itself, whatever the node.
    Itself(PreFilterReason),
    /// The pod is pinned to nodes that do not exist.
    PinnedToNoNode(Vec<String>),
    /// No node takes it.
    Nodes,
    /// No node takes it yet: room is being made.
    MakingRoom {
        /// The node.
        node: Rc<str>,
        /// The pods that go.
        victims: Vec<ObjectKey>,
    },
}

/// What the filters say of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeVerdict {
    /// The node.
    pub node: Rc<str>,
    /// The reasons of the first filter that says no, which is all that the scheduler's own message counts.
    pub reasons: Vec<FilterReason>,
    /// Every filter's verdict, in their order.
    pub checks: Vec<Check>,
}

/// Explains a pod that has no node. `None`: it has one, is over, or is being deleted.
pub fn explain_pending(store: &Store, pod: &Rc<Pod>) -> Option<Placement> {
    if pod.is_bound() || pod.is_finished() || pod.is_terminating() {
        return None;
    }
    let obstacle = obstacle(store, pod);
    let (nodes, more_nodes, not_examined) = verdicts(store, pod);
    let settled = matches!(obstacle, Obstacle::None(_) | Obstacle::MakingRoom { .. });
    let changes = if settled { Vec::new() } else { search::changes(store, pod) };
    Some(Placement { obstacle, total_nodes: store.nodes().size(), nodes, more_nodes, not_examined, changes })
}

fn obstacle(store: &Store, pod: &Rc<Pod>) -> Obstacle {
    let name = pod.spec.scheduler_name.as_str();
    if !name.is_empty() && name != DEFAULT_SCHEDULER {
        return Obstacle::OtherScheduler(name.to_owned());
    }
    match schedule_one(store, pod) {
        Decision::Bound(placement) => Obstacle::None(placement.node),
        Decision::Gated { gates } => Obstacle::Gated(gates),
        Decision::NoNodes => Obstacle::NoNodes,
        Decision::Skip(_) => Obstacle::Nodes,
        Decision::Unschedulable(failure) => match (failure.preemption, failure.diagnosis.pre_filter) {
            (PreemptionOutcome::Nominated(preemption), _) => {
                let victims = preemption.victims.iter().map(|victim| victim.metadata.key()).collect();
                Obstacle::MakingRoom { node: preemption.node, victims }
            }
            (PreemptionOutcome::Ineligible(Ineligible::VictimsTerminating), _) => {
                let node: Rc<str> = pod.status.nominated_node_name.as_str().into();
                let leaving = store.pods_on(&node).filter(|other| other.is_terminating() && other.occupies_node());
                let victims = leaving.filter(|other| other.priority() < pod.priority());
                let victims = victims.map(|victim| victim.metadata.key()).collect();
                Obstacle::MakingRoom { node, victims }
            }
            (_, Some(reason)) => Obstacle::Itself(reason),
            _ => match pins(pod).filter(|names| names.iter().all(|name| store.node_named(name).is_none())) {
                Some(names) => Obstacle::PinnedToNoNode(names),
                None => Obstacle::Nodes,
            },
        },
    }
}

/// The only nodes that the pod may go to by name, if it says so.
pub(crate) fn pins(pod: &Pod) -> Option<Vec<String>> {
    let names = crate::scheduler::plugins::node_affinity::pinned_names(pod)?;
    (!names.is_empty()).then(|| names.into_iter().map(str::to_owned).collect())
}

/// The nodes that the scheduler looks at for this pod, in natural order of their names.
pub(crate) fn examined<'a>(store: &'a Store, pod: &Pod) -> Vec<&'a Rc<Node>> {
    let mut nodes: Vec<&Rc<Node>> = match pins(pod) {
        Some(names) => names.iter().filter_map(|name| store.node_named(name)).collect(),
        None => store.nodes().values().collect(),
    };
    nodes.order_by(|a, b| natural_cmp(a.name(), b.name()));
    nodes
}

fn verdicts(store: &Store, pod: &Pod) -> (Vec<NodeVerdict>, usize, usize) {
    let nodes = examined(store, pod);
    let cycle = Cycle::new(store, pod);
    let state = cycle.cluster_state();
    let verdict = |node: &Rc<Node>| {
        let info = NodeInfo::new(store, node, pod);
        let ask = |plugin| Check { plugin, reasons: cycle.ask(plugin, &state, &info) };
        NodeVerdict {
            node: node.name().clone(),
            reasons: cycle.filter(&state, node).err().unwrap_or_default(),
            checks: Plugin::FILTERS.into_iter().map(ask).collect(),
        }
    };
    let told: Vec<NodeVerdict> = nodes.iter().take(MOST_NODES).map(|node| verdict(node)).collect();
    let more = nodes.len().saturating_sub(told.len());
    (told, more, store.nodes().size().saturating_sub(nodes.len()))
}

#[cfg(test)]
mod tests;
