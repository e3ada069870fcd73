//! Preemption: which pods of lower priority would have to go so that a pod fits.
//!
//! Follows kubernetes pkg/scheduler/framework/preemption and plugins/defaultpreemption, v1.36. Kubernetes starts at a
//! random node and draws among equal nodes; here the nodes come in natural order of their names.

use super::cycle::{ClusterState, Cycle};
use super::framework::{Code, Diagnosis, FilterReason, code_of};
use super::node_info::{NodeInfo, occupants};
use crate::objects::*;
use crate::order::{Collect, Order};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Reason of the DisruptionTarget condition of a victim.
pub const CONDITION_REASON: &str = "PreemptionByScheduler";
/// Type of the condition that says why a pod is being taken away.
pub const DISRUPTION_TARGET: &str = "DisruptionTarget";
/// Nodes on which preemption is tried at least, if there are as many.
const MIN_CANDIDATES: usize = 100;

/// What came of the search.
#[derive(Clone, Debug, PartialEq)]
pub enum PreemptionOutcome {
    /// Room will be made on a node.
    Nominated(Preemption),
    /// The pod may not preempt (any more).
    Ineligible(Ineligible),
    /// Nowhere would it help. The nodes on which it was tried, each with why it failed; on all others no removal of
    /// pods could help.
    NoCandidates(BTreeMap<Rc<str>, DryRunFailure>),
}

/// Room that is made on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Preemption {
    /// The node.
    pub node: Rc<str>,
    /// The pods that must go, most important first; at least one. Some may be terminating already.
    pub victims: Vec<Rc<Pod>>,
    /// Number of victims that a PodDisruptionBudget would have protected.
    pub budget_violations: usize,
    /// Number of nodes where it would have been possible.
    pub candidates: usize,
}

/// Why a pod may not preempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ineligible {
    /// `preemptionPolicy: Never`.
    NeverPreempts,
    /// Its victims on the nominated node are still terminating.
    VictimsTerminating,
}

/// Why preemption does not help on a node.
#[derive(Clone, Debug, PartialEq)]
pub enum DryRunFailure {
    /// No pod there has a lower priority.
    NoVictims,
    /// Without all pods of lower priority the node would still be refused.
    StillRefused(Vec<FilterReason>),
}

/// Looks for the node where preemption does the least harm.
pub fn preempt<'a>(cycle: &Cycle<'a>, state: &ClusterState, diagnosis: &Diagnosis) -> PreemptionOutcome {
    if let Some(reason) = ineligible(cycle, diagnosis) {
        return PreemptionOutcome::Ineligible(reason);
    }
    let curable = diagnosis.failures.iter().filter(|(_, reasons)| code_of(reasons) == Code::Unschedulable);
    let mut nodes: Vec<&Rc<Node>> = curable.filter_map(|(name, _)| cycle.store.node_named(name)).collect();
    nodes.order_by(|a, b| natural_cmp(a.name(), b.name()));

    let wanted = (nodes.len() / 10).max(MIN_CANDIDATES);
    // Where many nodes are in question, one pass over the pods is cheaper than trying each node in vain.
    let in_vain = nodes.len() > MIN_CANDIDATES && !anyone_is_lower(cycle);
    if in_vain {
        let failures = nodes.into_iter().map(|node| (node.name().clone(), DryRunFailure::NoVictims)).collect_map();
        return PreemptionOutcome::NoCandidates(failures);
    }
    let mut failures = BTreeMap::new();
    let mut candidates: Vec<Preemption> = Vec::new();
    for node in nodes {
        match select_victims(cycle, state.clone(), node) {
            Ok((victims, budget_violations)) => {
                candidates.push(Preemption { node: node.name().clone(), victims, budget_violations, candidates: 0 });
                if candidates.len() >= wanted && candidates.iter().any(|c| c.budget_violations == 0) {
                    break;
                }
            }
            Err(failure) => {
                failures.insert(node.name().clone(), failure);
            }
        }
    }
    let count = candidates.len();
    match candidates.into_iter().min_by_key(harm) {
        Some(best) => PreemptionOutcome::Nominated(Preemption { candidates: count, ..best }),
        None => PreemptionOutcome::NoCandidates(failures),
    }
}

/// Whether some pod that holds room has a lower priority.
fn anyone_is_lower(cycle: &Cycle<'_>) -> bool {
    let priority = cycle.pod.priority();
    cycle.store.pods().values().any(|other| other.priority() < priority && other.occupies_node())
}

/// What makes one candidate worse than another, most weighty first. `min_by_key` keeps the first among equals.
fn harm(candidate: &Preemption) -> (usize, i64, i64, usize, Reverse<i64>) {
    let priority = |pod: &Rc<Pod>| i64::from(pod.priority());
    let highest = candidate.victims.iter().map(priority).max().unwrap_or(i64::MIN);
    // Shifted so that many victims of negative priority count for more than few.
    let sum = candidate.victims.iter().map(|pod| priority(pod) + (1 << 31)).fold(0, i64::saturating_add);
    let of_highest = candidate.victims.iter().filter(|pod| priority(pod) == highest);
    let earliest_start = of_highest.map(|pod| start_time(pod)).min().unwrap_or(i64::MAX);
    (candidate.budget_violations, highest, sum, candidate.victims.len(), Reverse(earliest_start))
}

fn ineligible(cycle: &Cycle<'_>, diagnosis: &Diagnosis) -> Option<Ineligible> {
    let pod = cycle.pod;
    if pod.spec.preemption_policy.as_deref() == Some("Never") {
        return Some(Ineligible::NeverPreempts);
    }
    let nominated = pod.status.nominated_node_name.as_str();
    if nominated.is_empty() {
        return None;
    }
    // Where the nominated node has become hopeless, the pod may look for another one.
    let hopeless = match diagnosis.failures.get(nominated) {
        Some(reasons) => code_of(reasons) == Code::UnschedulableAndUnresolvable,
        None => true,
    };
    let waits = |other: &Rc<Pod>| {
        let condition = other.status.condition(DISRUPTION_TARGET);
        other.priority() < pod.priority()
            && other.is_terminating()
            && condition.is_some_and(|c| c.status == "True" && c.reason == CONDITION_REASON)
    };
    let waiting = !hopeless && occupants(cycle.store, nominated).any(waits);
    waiting.then_some(Ineligible::VictimsTerminating)
}

/// The fewest and least important pods that must leave the node, and how many of them a budget protects. All pods of
/// lower priority leave in thought; then each comes back, the most important first and those under a budget before
/// the others, as long as the pod still fits.
fn select_victims<'a>(
    cycle: &Cycle<'a>,
    mut state: ClusterState,
    node: &'a Rc<Node>,
) -> Result<(Vec<Rc<Pod>>, usize), DryRunFailure> {
    let mut info = NodeInfo::new(cycle.store, node, cycle.pod);
    let mut potential: Vec<&Rc<Pod>> = info.pods().filter(|other| other.priority() < cycle.pod.priority()).collect();
    if potential.is_empty() {
        return Err(DryRunFailure::NoVictims);
    }
    for other in &potential {
        info.remove(other);
        state.update(cycle, other, node, -1);
    }
    cycle.filter_info(&state, &info).map_err(DryRunFailure::StillRefused)?;
    potential.order_by_key(|pod| importance(pod));
    let (protected, free) = split_by_budget(cycle, potential);

    let mut victims: Vec<&Rc<Pod>> = Vec::new();
    let mut violations = 0;
    let count_protected = protected.len();
    for (index, other) in protected.into_iter().chain(free).enumerate() {
        info.add(other);
        state.update(cycle, other, node, 1);
        if cycle.filter_info(&state, &info).is_err() {
            info.remove(other);
            state.update(cycle, other, node, -1);
            victims.push(other);
            violations += usize::from(index < count_protected);
        }
    }
    victims.order_by_key(|pod| importance(pod));
    Ok((victims.into_iter().map(Rc::clone).collect(), violations))
}

/// Sorts the most important first: higher priority, then earlier start. Kubernetes leaves open what comes next; here
/// the older pod and then the name decide.
fn importance(pod: &Pod) -> (Reverse<i32>, i64, Option<Time>, Rc<str>) {
    (Reverse(pod.priority()), start_time(pod), pod.metadata.creation_timestamp, pod.metadata.name.clone())
}

/// A pod that has not started counts as starting now, which is later than any other.
fn start_time(pod: &Pod) -> i64 {
    pod.status.start_time.map_or(i64::MAX, |time| time.0)
}

/// Splits off the pods that a budget would protect if those before them go too; keeps the order.
fn split_by_budget<'a>(cycle: &Cycle<'_>, pods: Vec<&'a Rc<Pod>>) -> (Vec<&'a Rc<Pod>>, Vec<&'a Rc<Pod>>) {
    let mut budgets: Vec<(&Rc<PodDisruptionBudget>, i64)> = cycle
        .store
        .pod_disruption_budgets()
        .values()
        .map(|budget| (budget, i64::from(budget.status.disruptions_allowed)))
        .collect();
    pods.into_iter().partition(|pod| {
        let mut violated = false;
        for (budget, allowed) in &mut budgets {
            if protects(budget, pod) {
                *allowed = allowed.saturating_sub(1);
                violated |= *allowed < 0;
            }
        }
        violated
    })
}

/// Whether the budget is about the pod. An empty selector, and one on a pod without labels, is about nothing; a pod
/// whose eviction is already counted is not counted again.
fn protects(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    let disrupted = budget.status.other.get("disruptedPods").and_then(|pods| pods.get(&*pod.metadata.name));
    budget.metadata.namespace == pod.metadata.namespace
        && !pod.metadata.labels.is_empty()
        && budget.spec.selector.as_ref().is_some_and(|s| !s.is_empty() && s.matches(&pod.metadata.labels))
        && disrupted.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::schedule::{Decision, schedule_one};
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    fn small(name: &str) -> Object {
        node(name, json!({"allocatable": {"cpu": "1"}}))
    }

    fn victim(name: &str, node: &str, extra: Value) -> Object {
        let mut tree = json!({"nodeName": node, "priority": 10, "requests": {"cpu": "500m"}, "phase": "Running"});
        merge(&mut tree, extra);
        pod(name, tree)
    }

    fn outcome(objects: Vec<Object>, extra: Value) -> PreemptionOutcome {
        let mut tree = json!({"priority": 1000, "requests": {"cpu": "1"}});
        merge(&mut tree, extra);
        match schedule_one(&store(objects), &typed_pod(pod("new", tree))) {
            Decision::Unschedulable(failure) => failure.preemption,
            other => panic!("{other:?}"),
        }
    }

    /// `node: victims` or the first word of why not.
    fn told(objects: Vec<Object>, extra: Value) -> String {
        match outcome(objects, extra) {
            PreemptionOutcome::Nominated(preemption) => {
                let victims: Vec<&str> = preemption.victims.iter().map(|pod| &*pod.metadata.name).collect();
                format!("{}: {}", preemption.node, victims.join(" "))
            }
            other => format!("{other:?}").split(['(', ' ', '{']).next().unwrap_or("").to_owned(),
        }
    }

    #[test]
    fn only_as_many_go_as_must() {
        let objects = || vec![small("n1"), victim("a", "n1", json!({})), victim("b", "n1", json!({}))];
        assert_eq!(told(objects(), json!({})), "n1: a b");
        assert_eq!(told(objects(), json!({"requests": {"cpu": "500m"}})), "n1: b");
    }

    #[test]
    fn the_least_important_go_lowest_priority_first_then_latest_start() {
        let started = |name: &str, at: &str| victim(name, "n1", json!({"startTime": at}));
        let objects =
            vec![small("n1"), started("late", "2026-01-01T00:01:00Z"), started("early", "2026-01-01T00:00:00Z")];
        assert_eq!(told(objects, json!({"requests": {"cpu": "500m"}})), "n1: late");
        let objects = vec![
            small("n1"),
            victim("low", "n1", json!({"priority": 1, "startTime": "2026-01-01T00:00:00Z"})),
            victim("high", "n1", json!({"priority": 2, "startTime": "2026-01-01T00:01:00Z"})),
        ];
        assert_eq!(told(objects, json!({"requests": {"cpu": "500m"}})), "n1: low");
    }

    #[test]
    fn equal_and_higher_priorities_stay() {
        let same = || victim("v", "n1", json!({"priority": 1000, "requests": {"cpu": "1"}}));
        let expected = BTreeMap::from([("n1".into(), DryRunFailure::NoVictims)]);
        assert_eq!(outcome(vec![small("n1"), same()], json!({})), PreemptionOutcome::NoCandidates(expected));
    }

    #[test]
    fn on_many_nodes_nothing_else_comes_out_than_on_few() {
        let names: Vec<String> = (0..150).map(|i| format!("n{i}")).collect();
        let objects = |priority: i64| -> Vec<Object> {
            let full = |name: &String| {
                let extra = json!({"priority": priority, "requests": {"cpu": "1"}});
                [small(name), victim(&format!("on-{name}"), name, extra)]
            };
            names.iter().flat_map(full).collect()
        };
        let PreemptionOutcome::NoCandidates(failures) = outcome(objects(1000), json!({})) else { panic!() };
        assert!(failures.len() == 150 && failures.values().all(|failure| *failure == DryRunFailure::NoVictims));
        let PreemptionOutcome::Nominated(preemption) = outcome(objects(999), json!({})) else { panic!() };
        assert_eq!((&*preemption.node, preemption.candidates), ("n0", 100));
    }

    #[test]
    fn a_node_that_stays_too_full_is_no_candidate() {
        let objects = vec![
            small("n1"),
            victim("low", "n1", json!({"requests": {"cpu": "200m"}})),
            victim("equal", "n1", json!({"priority": 1000, "requests": {"cpu": "200m"}})),
        ];
        let PreemptionOutcome::NoCandidates(failures) = outcome(objects, json!({})) else { panic!() };
        let DryRunFailure::StillRefused(reasons) = &failures["n1"] else { panic!() };
        assert_eq!(reasons[0].message(), "Insufficient cpu");
    }

    #[test]
    fn the_node_with_the_least_harm_is_taken() {
        let full = |name: &str, node: &str, extra: Value| {
            let mut tree = json!({"requests": {"cpu": "1"}});
            merge(&mut tree, extra);
            victim(name, node, tree)
        };
        let nodes = || vec![small("n1"), small("n2")];
        let with = |pods: Vec<Object>| told(nodes().into_iter().chain(pods).collect(), json!({}));
        let high = || full("high", "n1", json!({"priority": 20}));
        assert_eq!(with(vec![high(), full("low", "n2", json!({}))]), "n2: low");
        let two = vec![victim("a", "n1", json!({})), victim("b", "n1", json!({})), full("c", "n2", json!({}))];
        assert_eq!(with(two), "n2: c");
        let at = |name, node, minute| full(name, node, json!({"startTime": format!("2026-01-01T00:0{minute}:00Z")}));
        assert_eq!(with(vec![at("a", "n1", 1), at("b", "n2", 2)]), "n2: b");
        assert_eq!(with(vec![full("a", "n2", json!({})), full("b", "n1", json!({}))]), "n1: b");
    }

    #[test]
    fn budgets_are_respected_where_that_is_possible() {
        let budget = |allowed: i64| {
            Object::from_value(json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": "b", "namespace": "default"},
                "spec": {"selector": {"matchLabels": {"app": "guarded"}}}, "status": {"disruptionsAllowed": allowed},
            }))
            .unwrap()
        };
        let guarded = || victim("guarded", "n1", json!({"labels": {"app": "guarded"}, "priority": 1}));
        let free = || victim("free", "n1", json!({"labels": {"app": "free"}}));
        let half = || json!({"requests": {"cpu": "500m"}});
        // The guarded pod is less important, yet it comes back first.
        assert_eq!(told(vec![small("n1"), budget(0), guarded(), free()], half()), "n1: free");
        assert_eq!(told(vec![small("n1"), budget(1), guarded(), free()], half()), "n1: guarded");
        // Where nothing else helps, the budget is no obstacle.
        let PreemptionOutcome::Nominated(preemption) = outcome(vec![small("n1"), budget(0), guarded()], json!({}))
        else {
            panic!()
        };
        assert_eq!((preemption.victims.len(), preemption.budget_violations), (1, 1));
    }

    #[test]
    fn who_never_preempts_does_not_and_who_has_preempted_waits() {
        let objects = || vec![small("n1"), victim("v", "n1", json!({}))];
        let never = json!({"preemptionPolicy": "Never"});
        assert_eq!(outcome(objects(), never), PreemptionOutcome::Ineligible(Ineligible::NeverPreempts));
        let condition = json!([{"type": DISRUPTION_TARGET, "status": "True", "reason": CONDITION_REASON}]);
        let leaving = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "conditions": condition});
        let waits = || vec![small("n1"), victim("v", "n1", leaving.clone()), victim("w", "n1", json!({}))];
        let nominated = json!({"nominatedNodeName": "n1"});
        assert_eq!(outcome(waits(), nominated), PreemptionOutcome::Ineligible(Ineligible::VictimsTerminating));
        // Without nomination it is free to make room anywhere.
        assert_eq!(told(waits(), json!({})), "n1: v w");
    }

    #[test]
    fn a_hopeless_nominated_node_is_given_up() {
        let condition = json!([{"type": DISRUPTION_TARGET, "status": "True", "reason": CONDITION_REASON}]);
        let leaving = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "conditions": condition});
        let cordoned = node("n1", json!({"unschedulable": true}));
        let objects = vec![cordoned, small("n2"), victim("v", "n1", leaving), victim("w", "n2", json!({}))];
        assert_eq!(told(objects, json!({"nominatedNodeName": "n1"})), "n2: w");
    }

    #[test]
    fn host_ports_and_anti_affinity_are_freed_too() {
        let port = json!([{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]);
        let objects = vec![small("n1"), victim("v", "n1", json!({"containers": port}))];
        assert_eq!(told(objects, json!({"containers": port})), "n1: v");

        let labelled = node("n1", json!({"labels": {"host": "n1"}}));
        let term = json!({"topologyKey": "host", "labelSelector": {"matchLabels": {"app": "x"}}});
        let anti = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}});
        let objects = vec![labelled, victim("v", "n1", json!({"labels": {"app": "x"}})), victim("w", "n1", json!({}))];
        assert_eq!(told(objects, anti), "n1: v");
    }

    #[test]
    fn what_is_promised_to_others_is_not_free() {
        let promised = pod("first", json!({"priority": 1000, "requests": {"cpu": "1"}, "nominatedNodeName": "n1"}));
        let objects = vec![small("n1"), promised, victim("v", "n1", json!({}))];
        assert_eq!(told(objects, json!({})), "NoCandidates");
    }
}
