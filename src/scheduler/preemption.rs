//! Preemption: which pods of lower priority would have to go so that a pod fits.
//!
//! Follows kubernetes pkg/scheduler/framework/preemption and plugins/defaultpreemption, v1.36. Kubernetes starts at a
//! random node and draws among equal nodes; here the nodes come in natural order of their names.

use super::cycle::{ClusterState, Cycle};
use super::framework::{Code, Diagnosis, FilterReason, code_of};
use super::node_info::{NodeInfo, occupants};
use crate::objects::*;
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
    nodes.sort_by(|a, b| natural_cmp(a.name(), b.name()));

    let wanted = (nodes.len() / 10).max(MIN_CANDIDATES);
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
    let mut potential: Vec<&Rc<Pod>> =
        info.pods.iter().copied().filter(|other| other.priority() < cycle.pod.priority()).collect();
    if potential.is_empty() {
        return Err(DryRunFailure::NoVictims);
    }
    for other in &potential {
        info.remove(other);
        state.update(cycle, other, node, -1);
    }
    cycle.filter_info(&state, &info).map_err(DryRunFailure::StillRefused)?;
    potential.sort_by_key(|pod| importance(pod));
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
    victims.sort_by_key(|pod| importance(pod));
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
