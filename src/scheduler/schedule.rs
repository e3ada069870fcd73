//! One scheduling cycle of one pod: where it goes, or why nowhere.
//!
//! Follows kubernetes pkg/scheduler/schedule_one.go, v1.36. Intentional deviations: every node is examined, where
//! Kubernetes stops at a sample in clusters of more than 100 nodes; among nodes with equal points the first by natural
//! order of the names is taken, where Kubernetes draws.

use super::cycle::{ClusterState, Cycle};
use super::framework::{Code, Diagnosis, FilterReason, Plugin, code_of};
use super::message;
use super::node_info::NodeInfo;
use super::plugins::scheduling_gates;
use super::preemption::{PreemptionOutcome, preempt};
use super::score::{NodeScore, score_nodes};
use crate::apiserver::Store;
use crate::objects::*;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The scheduler that pods name unless they say otherwise.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";
/// How many of the best nodes a decision keeps with their points.
pub const KEPT_SCORES: usize = 10;

/// What one look at a pod comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It goes to a node.
    Bound(Placement),
    /// It stays pending.
    Unschedulable(Box<Unschedulable>),
    /// It stays pending, since the cluster has no node.
    NoNodes,
    /// Gates keep it from being looked at.
    Gated {
        /// Names of the gates.
        gates: Vec<String>,
    },
    /// It is not this scheduler's business.
    Skip(SkipReason),
}

/// Where a pod goes and why there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The node.
    pub node: Rc<str>,
    /// Nodes that passed the filters; 1 when the nominated node did, for then no other was looked at.
    pub feasible: usize,
    /// Nodes that were looked at.
    pub evaluated: usize,
    /// Room had been made for the pod on this node.
    pub nominated: bool,
    /// The best nodes with their points, the chosen one first, at most [`KEPT_SCORES`]; empty when there was no choice.
    pub scores: Vec<NodeScore>,
}

/// Why a pod stays pending, and what can be done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unschedulable {
    /// Node by node.
    pub diagnosis: Diagnosis,
    /// What preemption came to.
    pub preemption: PreemptionOutcome,
    /// Kubernetes' own sentence.
    pub message: String,
}

/// Why a pod is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It has a node.
    AlreadyBound,
    /// Another scheduler places it.
    OtherScheduler,
    /// It is being deleted.
    Terminating,
    /// It is over.
    Finished,
}

/// One filter's verdict on one node; no reasons: no objection.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The filter.
    pub plugin: Plugin,
    /// Why it refuses the node.
    pub reasons: Vec<FilterReason>,
}

/// Whether the scheduler has to place the pod, and if not, why.
pub fn skip_reason(pod: &Pod) -> Option<SkipReason> {
    let name = pod.spec.scheduler_name.as_str();
    if pod.is_bound() {
        Some(SkipReason::AlreadyBound)
    } else if pod.is_finished() {
        Some(SkipReason::Finished)
    } else if !name.is_empty() && name != DEFAULT_SCHEDULER {
        Some(SkipReason::OtherScheduler)
    } else if pod.is_terminating() {
        Some(SkipReason::Terminating)
    } else {
        None
    }
}

/// Looks at the pod once. Writes nothing.
///
/// The cost of a pod that is pinned to nodes by name grows with the pods on these nodes, not with the cluster (unless it
/// has rules about pods elsewhere).
pub fn schedule_one(store: &Store, pod: &Pod) -> Decision {
    if let Some(reason) = skip_reason(pod) {
        return Decision::Skip(reason);
    }
    let gates = scheduling_gates::pre_enqueue(pod);
    if !gates.is_empty() {
        return Decision::Gated { gates };
    }
    if store.nodes().is_empty() {
        return Decision::NoNodes;
    }
    let cycle = Cycle::new(store, pod);
    let state = cycle.cluster_state();
    let mut diagnosis = Diagnosis { total_nodes: store.nodes().size(), ..Diagnosis::default() };
    match find_nodes(&cycle, &state, &mut diagnosis) {
        Found::Nominated(node) => {
            Decision::Bound(Placement { node, feasible: 1, evaluated: 1, nominated: true, scores: Vec::new() })
        }
        Found::Feasible(feasible) => match choose(&cycle, &feasible, &diagnosis) {
            Some(placement) => Decision::Bound(placement),
            None => {
                let preemption = preempt(&cycle, &state, &diagnosis);
                let message = message::failed_scheduling(&diagnosis, &preemption);
                Decision::Unschedulable(Box::new(Unschedulable { diagnosis, preemption, message }))
            }
        },
    }
}

enum Found<'a> {
    Nominated(Rc<str>),
    Feasible(Vec<NodeInfo<'a>>),
}

/// The nodes that pass all filters. The nominated node is tried first and, if it passes, alone.
fn find_nodes<'a>(cycle: &Cycle<'a>, state: &ClusterState, diagnosis: &mut Diagnosis) -> Found<'a> {
    if let Some(reason) = cycle.pre_filter() {
        diagnosis.plugins.insert(reason.plugin());
        diagnosis.pre_filter = Some(reason);
        return Found::Feasible(Vec::new());
    }
    if cycle.pinned.is_some() {
        diagnosis.plugins.insert(Plugin::NodeAffinity);
    }
    let nominated = cycle.pod.status.nominated_node_name.as_str();
    if let Some(node) = cycle.store.node_named(nominated) {
        match cycle.filter(state, node) {
            Ok(_) => return Found::Nominated(node.name().clone()),
            Err(reasons) => diagnosis.record(node.name(), reasons),
        }
    }
    let mut feasible = Vec::new();
    let mut examine = |node: &'a Rc<Node>| match cycle.filter(state, node) {
        Ok(info) => feasible.push(info),
        Err(reasons) => diagnosis.record(node.name(), reasons),
    };
    match &cycle.pinned {
        Some(names) => {
            names.iter().filter_map(|name| cycle.store.node_named(name)).for_each(&mut examine);
            // The list of plugins was made before these nodes were examined, but after the nominated one.
            diagnosis.narrowed_by = narrowing_plugins(nominated, diagnosis);
        }
        None => cycle.store.nodes().values().for_each(&mut examine),
    }
    Found::Feasible(feasible)
}

fn narrowing_plugins(nominated: &str, diagnosis: &Diagnosis) -> BTreeSet<Plugin> {
    let of_nominated = diagnosis.failures.get(nominated).into_iter().flatten().map(FilterReason::plugin);
    of_nominated.chain([Plugin::NodeAffinity]).collect()
}

/// The best of the nodes; `None` if there is none.
fn choose(cycle: &Cycle<'_>, feasible: &[NodeInfo<'_>], diagnosis: &Diagnosis) -> Option<Placement> {
    let scores = if feasible.len() > 1 { score_nodes(cycle, feasible, KEPT_SCORES) } else { Vec::new() };
    let node = match scores.first() {
        Some(best) => best.node.clone(),
        None => feasible.first()?.node.name().clone(),
    };
    let evaluated = feasible.len().saturating_add(diagnosis.failures.len());
    Some(Placement { node, feasible: feasible.len(), evaluated, nominated: false, scores })
}

/// Every filter's verdict on the node, in their order, those without objection included: for explanations, so later
/// filters are asked even where an earlier one has refused. A pod that is bound is asked about as if it were not.
/// `None`: there is no such node.
pub fn check_node(store: &Store, pod: &Pod, node: &str) -> Option<Vec<Check>> {
    let node = store.node_named(node)?;
    let cycle = Cycle::new(store, pod);
    let state = cycle.cluster_state();
    let info = NodeInfo::new(store, node, pod);
    let ask = |plugin| Check { plugin, reasons: cycle.ask(plugin, &state, &info) };
    Some(Plugin::FILTERS.into_iter().map(ask).collect())
}

/// All reasons that filters have against the node; empty when none has (or there is no such node).
pub fn filter_node(store: &Store, pod: &Pod, node: &str) -> Vec<FilterReason> {
    check_node(store, pod, node).into_iter().flatten().flat_map(|check| check.reasons).collect()
}

/// Whether the pod could go to the node now. Pods that are about to come there are considered.
pub fn fits(store: &Store, pod: &Pod, node: &Rc<Node>) -> bool {
    let cycle = Cycle::new(store, pod);
    cycle.filter(&cycle.cluster_state(), node).is_ok()
}

/// Whether removing pods could make the node fit, judged by the reasons it was refused for.
pub fn is_curable(reasons: &[FilterReason]) -> bool {
    code_of(reasons) == Code::Unschedulable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::plugins::node_affinity;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    fn pinned(node: &str) -> Value {
        let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [field]}],
        }}}})
    }

    fn decide(objects: Vec<Object>, pending: Value) -> Decision {
        schedule_one(&store(objects), &typed_pod(pod("new", pending)))
    }

    fn three_nodes() -> Vec<Object> {
        ["n1", "n2", "n3"].map(|name| node(name, json!({}))).into()
    }

    fn placement(decision: Decision) -> Placement {
        match decision {
            Decision::Bound(placement) => placement,
            other => panic!("{other:?}"),
        }
    }

    fn message(decision: Decision) -> String {
        match decision {
            Decision::Unschedulable(failure) => failure.message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pods_that_are_nobodys_business_are_left_alone() {
        use SkipReason::*;
        let reason = |extra: Value| skip_reason(&typed_pod(pod("p", extra)));
        assert_eq!(reason(json!({})), None);
        assert_eq!(reason(json!({"nodeName": "n1"})), Some(AlreadyBound));
        assert_eq!(reason(json!({"phase": "Failed"})), Some(Finished));
        assert_eq!(reason(json!({"schedulerName": "mine"})), Some(OtherScheduler));
        assert_eq!(reason(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"})), Some(Terminating));
    }

    #[test]
    fn gates_and_empty_clusters_end_the_look_early() {
        let gated = json!({"schedulingGates": [{"name": "a.io/x"}]});
        assert_eq!(decide(three_nodes(), gated), Decision::Gated { gates: vec!["a.io/x".into()] });
        assert_eq!(decide(Vec::new(), json!({})), Decision::NoNodes);
    }

    #[test]
    fn a_plain_pod_takes_the_best_of_all_nodes() {
        let mut objects = three_nodes();
        objects.push(pod("p", json!({"nodeName": "n1", "requests": {"cpu": "1"}})));
        let placement = placement(decide(objects, json!({"requests": {"cpu": "3500m"}})));
        assert_eq!((&*placement.node, placement.feasible, placement.evaluated), ("n2", 2, 3));
        assert_eq!(placement.scores.len(), 2);
    }

    #[test]
    fn a_pinned_pod_looks_at_its_node_alone() {
        let placement = placement(decide(three_nodes(), pinned("n2")));
        assert_eq!((&*placement.node, placement.feasible, placement.evaluated), ("n2", 1, 1));
        let mut too_big = pinned("n2");
        merge(&mut too_big, json!({"requests": {"cpu": "5"}}));
        assert_eq!(
            message(decide(three_nodes(), too_big)),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new \
             claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        );
    }

    #[test]
    fn conflicting_pins_fail_at_once() {
        let mut pending = pinned("n1");
        let other = json!({"key": "metadata.name", "operator": "In", "values": ["n2"]});
        pending["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][0]
            ["matchFields"]
            .as_array_mut()
            .unwrap()
            .push(other);
        assert_eq!(
            message(decide(three_nodes(), pending)),
            "0/3 nodes are available: pod affinity terms conflict. no new claims to deallocate, preemption: 0/3 nodes \
             are available: 3 Preemption is not helpful for scheduling."
        );
    }

    #[test]
    fn the_nominated_node_is_tried_first() {
        let mut objects = three_nodes();
        objects.push(pod("p", json!({"nodeName": "n3", "requests": {"cpu": "3"}})));
        let placement = placement(decide(objects, json!({"nominatedNodeName": "n3", "requests": {"cpu": "1"}})));
        assert_eq!((&*placement.node, placement.nominated), ("n3", true));
        let Decision::Bound(placement) = decide(three_nodes(), json!({"nominatedNodeName": "gone"})) else { panic!() };
        assert_eq!((&*placement.node, placement.nominated), ("n1", false));
    }

    #[test]
    fn the_nominated_nodes_refusal_is_named_for_the_nodes_that_were_not_examined() {
        let condition = json!([{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]);
        let leaving = json!({
            "nodeName": "n1", "requests": {"cpu": "4"}, "conditions": condition,
            "deletionTimestamp": "2026-01-01T00:00:00Z",
        });
        let mut objects = three_nodes();
        objects.push(pod("leaving", leaving));
        let mut pending = pinned("n1");
        merge(&mut pending, json!({"nominatedNodeName": "n1", "priority": 5, "requests": {"cpu": "1"}}));
        assert_eq!(
            message(decide(objects, pending)),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity \
             NodeResourcesFit]. no new claims to deallocate, preemption: not eligible due to a terminating pod on the \
             nominated node."
        );
    }

    #[test]
    fn room_that_is_made_for_another_pod_is_taken() {
        let objects = |priority: i64| {
            let promised = json!({"nominatedNodeName": "n1", "priority": priority, "requests": {"cpu": "3"}});
            vec![node("n1", json!({})), pod("first", promised)]
        };
        let new = || json!({"priority": 5, "requests": {"cpu": "2"}});
        assert!(matches!(decide(objects(5), new()), Decision::Unschedulable(_)));
        assert!(matches!(decide(objects(4), new()), Decision::Bound(_)));
    }

    #[test]
    fn every_filter_has_its_say_in_an_explanation() {
        let tainted = node(
            "n1",
            json!({
                "unschedulable": true, "taints": [{"key": "k", "effect": "NoSchedule"}], "allocatable": {"cpu": "1"},
            }),
        );
        let store = store(vec![tainted, node("n2", json!({}))]);
        let mut pending = pinned("n2");
        merge(&mut pending, json!({"requests": {"cpu": "2"}}));
        let pod = typed_pod(pod("new", pending));
        let checks = check_node(&store, &pod, "n1").unwrap();
        let refused: Vec<&str> =
            checks.iter().filter(|check| !check.reasons.is_empty()).map(|check| check.plugin.name()).collect();
        assert_eq!(checks.len(), Plugin::FILTERS.len());
        assert_eq!(refused, ["NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit"]);
        let elsewhere = node_affinity::Reason::PinnedElsewhere { nodes: vec!["n2".into()] };
        assert_eq!(filter_node(&store, &pod, "n1")[2], FilterReason::NodeAffinity(elsewhere));
        assert_eq!(filter_node(&store, &pod, "n2"), []);
        assert_eq!(check_node(&store, &pod, "gone"), None);
    }

    #[test]
    fn a_bound_pod_is_asked_about_as_if_it_were_not() {
        let bound = pod("p", json!({"nodeName": "n1", "requests": {"cpu": "3"}}));
        let store = store(vec![node("n1", json!({})), bound.clone()]);
        assert_eq!(filter_node(&store, &typed_pod(bound), "n1"), []);
    }

    #[test]
    fn a_missing_claim_is_named() {
        let volumes = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]});
        assert_eq!(
            message(decide(three_nodes(), volumes)),
            "0/3 nodes are available: persistentvolumeclaim \"data\" not found. no new claims to deallocate, \
             preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        );
    }
}
