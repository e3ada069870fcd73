//! The search for the smallest changes: by number of edits, each state tried on the scheduler itself.

use super::alternatives::{past_filter, past_pre_filter};
use super::apply::{Scene, apply};
use super::edit::PlacementEdit;
use super::{examined, pins};
use crate::apiserver::Store;
use crate::objects::*;
use crate::order::Order;
use crate::scheduler::cycle::Cycle;
use crate::scheduler::node_info::NodeInfo;
use crate::scheduler::{
    DEFAULT_SCHEDULER, Decision, FilterReason, Plugin, PreFilterReason, PreemptionOutcome, Unschedulable, schedule_one,
};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// How many states are tried for one node.
const MOST_STATES: usize = 400;
/// How many edits a change has at most.
const MOST_EDITS: usize = 12;
/// How many changes are suggested.
const MOST_CHANGES: usize = 12;
/// How many nodes are looked into.
const MOST_NODES: usize = 24;

/// Filters that one deletion of a pod can satisfy together.
const OF_PODS: [Plugin; 4] =
    [Plugin::NodePorts, Plugin::NodeResourcesFit, Plugin::PodTopologySpread, Plugin::InterPodAffinity];

/// Edits after which the pod gets a node.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementChange {
    /// To be made in this order; none can be left out.
    pub edits: Vec<PlacementEdit>,
}

impl PlacementChange {
    /// How many things change.
    pub fn size(&self) -> usize {
        self.edits.len()
    }

    /// Small before large, harmless before far-reaching.
    fn rank(&self) -> (usize, usize) {
        (self.size(), self.edits.iter().map(PlacementEdit::reach).sum())
    }
}

/// What keeps the pod from one node, or from all.
enum Refusal {
    Gate(String),
    OtherScheduler,
    Itself(PreFilterReason),
    Node(Vec<FilterReason>),
}

/// The smallest changes after which the pod gets a node.
pub fn changes(store: &Store, pod: &Rc<Pod>) -> Vec<PlacementChange> {
    let scene = Scene { store: store.clone(), pod: Rc::clone(pod) };
    let mut candidates: Vec<Vec<PlacementEdit>> = Vec::new();
    for node in promising(&scene) {
        candidates.extend(in_breadth(&scene, &node));
    }
    candidates.extend(with_a_new_node(&scene));
    let mut found: Vec<PlacementChange> = Vec::new();
    for edits in candidates {
        let change = PlacementChange { edits };
        if !found.contains(&change) && is_smallest(&scene, &change.edits) {
            found.push(change);
        }
    }
    found.order_by_key(PlacementChange::rank);
    found.truncate(MOST_CHANGES);
    found
}

/// Whether the pod gets a node after the edits, or room is made for it.
fn places(scene: &Scene, edits: &[PlacementEdit]) -> bool {
    let scene = apply(edits, scene);
    match schedule_one(&scene.store, &scene.pod) {
        Decision::Bound(_) => true,
        Decision::Unschedulable(failure) => {
            matches!(*failure, Unschedulable { preemption: PreemptionOutcome::Nominated(_), .. })
        }
        _ => false,
    }
}

fn is_smallest(scene: &Scene, edits: &[PlacementEdit]) -> bool {
    let without = |index: usize| {
        let mut fewer = edits.to_vec();
        fewer.remove(index);
        fewer
    };
    !edits.is_empty() && places(scene, edits) && (0..edits.len()).all(|index| !places(scene, &without(index)))
}

/// The nodes that need the fewest edits at least: one for each filter of the node itself that says no, one for all that
/// look at pods.
fn promising(scene: &Scene) -> Vec<Rc<str>> {
    let (store, pod) = (&scene.store, &scene.pod);
    let cycle = Cycle::new(store, pod);
    let state = cycle.cluster_state();
    let mut ranked: Vec<(usize, usize, &Rc<str>)> = examined(store, pod)
        .into_iter()
        .map(|node| {
            let info = NodeInfo::new(store, node, pod);
            let refuse: BTreeSet<Plugin> = Plugin::FILTERS
                .into_iter()
                .filter(|plugin| !cycle.ask(*plugin, &state, &info).is_empty())
                .map(|plugin| if OF_PODS.contains(&plugin) { Plugin::NodePorts } else { plugin })
                .collect();
            let taints = node.spec.taints.iter().filter(|taint| {
                taint.effect != PREFER_NO_SCHEDULE && !pod.spec.tolerations.iter().any(|t| t.tolerates(taint))
            });
            (refuse.len(), taints.count(), node.name())
        })
        .collect();
    ranked.order_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| natural_cmp(a.2, b.2)));
    ranked.into_iter().take(MOST_NODES).map(|(_, _, name)| name.clone()).collect()
}

fn refusal(scene: &Scene, node: &str) -> Option<Refusal> {
    let pod = &scene.pod;
    if let Some(gate) = pod.spec.scheduling_gates.first() {
        return Some(Refusal::Gate(gate.name.clone()));
    }
    let scheduler = pod.spec.scheduler_name.as_str();
    if !scheduler.is_empty() && scheduler != DEFAULT_SCHEDULER {
        return Some(Refusal::OtherScheduler);
    }
    let cycle = Cycle::new(&scene.store, pod);
    if let Some(reason) = cycle.pre_filter() {
        return Some(Refusal::Itself(reason));
    }
    let node = scene.store.node_named(node)?;
    cycle.filter(&cycle.cluster_state(), node).err().map(Refusal::Node)
}

fn alternatives(scene: &Scene, node: &str, refusal: &Refusal) -> Vec<PlacementEdit> {
    match refusal {
        Refusal::Gate(name) => {
            let pod = scene.pod.metadata.key();
            vec![PlacementEdit::RemoveGate { pod, index: 0, name: name.clone() }]
        }
        Refusal::OtherScheduler => vec![PlacementEdit::RemoveSchedulerName],
        Refusal::Itself(reason) => past_pre_filter(scene, reason),
        Refusal::Node(reasons) => {
            scene.store.node_named(node).map(|node| past_filter(scene, node, reasons)).unwrap_or_default()
        }
    }
}

/// All changes for one node by number of edits, as far as [`MOST_STATES`] reach: each edit gets past what comes first,
/// or a part of it, so no smaller change of the same edits is missed.
fn in_breadth(scene: &Scene, node: &str) -> Vec<Vec<PlacementEdit>> {
    let mut found: Vec<Vec<PlacementEdit>> = Vec::new();
    let mut queue: VecDeque<(Vec<PlacementEdit>, Scene)> = VecDeque::from([(Vec::new(), scene.clone())]);
    let mut states = 0_usize;
    while let Some((edits, scene)) = queue.pop_front() {
        let smallest = found.iter().map(Vec::len).min().unwrap_or(MOST_EDITS);
        if edits.len() > smallest {
            break;
        }
        let Some(refusal) = refusal(&scene, node) else { continue };
        for edit in alternatives(&scene, node, &refusal) {
            states = states.saturating_add(1);
            if states > MOST_STATES {
                return found;
            }
            let next = apply(std::slice::from_ref(&edit), &scene);
            let important = matches!(edit, PlacementEdit::SetPriorityClass { .. });
            let mut edits = edits.clone();
            edits.push(edit);
            if refusal_is_over(&next, node, important) {
                found.push(edits);
            } else {
                queue.push_back((edits, next));
            }
        }
    }
    found
}

fn refusal_is_over(scene: &Scene, node: &str, important: bool) -> bool {
    refusal(scene, node).is_none() || (important && places(scene, &[]))
}

/// A new machine that takes the pod as it is: the first template that does, or the one that a pinned pod waits for.
fn with_a_new_node(scene: &Scene) -> Vec<Vec<PlacementEdit>> {
    let (store, pod) = (&scene.store, &scene.pod);
    let name = match pins(pod) {
        Some(names) => names.into_iter().find(|name| store.node_named(name).is_none()),
        None => (1..).map(|n: usize| format!("worker{n}")).find(|name| store.node_named(name).is_none()),
    };
    let Some(name) = name else { return Vec::new() };
    let templates = NodeTemplate::ALL.into_iter().filter(|template| {
        !matches!(template, NodeTemplate::ControlPlane | NodeTemplate::VirtualKubelet | NodeTemplate::Recorded)
    });
    let add = |template| vec![PlacementEdit::AddNode { name: name.clone(), template }];
    let alone = templates.clone().map(add).find(|edits| places(scene, edits));
    if let Some(edits) = alone {
        return vec![edits];
    }
    // With a change of the pod besides.
    templates
        .take(1)
        .flat_map(|template| {
            let first = add(template);
            let with_node = apply(&first, scene);
            in_breadth(&with_node, &name)
                .into_iter()
                .map(move |more| [first.clone(), more].concat())
                .collect::<Vec<_>>()
        })
        .collect()
}
