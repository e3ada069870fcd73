//! Old pods are replaced, within the budget.

use super::manage::{first_in_natural_order, limit_to_burst};
use super::plan::*;
use super::view::{PodView, View, max_surge, max_unavailable};
use crate::objects::Pod;
use std::rc::Rc;

/// Looks at every node that should run a pod and at every node, even a vanished one, that holds pods.
///
/// Follows kubernetes pkg/controller/daemon/update.go rollingUpdate, v1.36.
pub fn rolling_update(view: &View) -> (Result<PhasePlan, SyncError>, RollingUpdateFacts) {
    let (Some(surge), Some(unavailable)) =
        (max_surge(view.daemonset, view.desired), max_unavailable(view.daemonset, view.desired))
    else {
        return (Err(SyncError::BadBudget), RollingUpdateFacts::default());
    };
    let both_were_zero = view.desired > 0 && surge == 0 && unavailable == 0;
    let facts = RollingUpdateFacts {
        desired: view.desired,
        max_unavailable: if both_were_zero { 1 } else { unavailable },
        max_surge: surge,
        both_were_zero,
        ..Default::default()
    };
    if surge == 0 {
        let (phase, facts) = without_surge(view, facts);
        (Ok(phase), facts)
    } else {
        with_surge(view, facts)
    }
}

/// The live pods of a node, as the rolling update sees them.
#[derive(Clone, Copy)]
struct OldAndNew<'a, 'b> {
    old: Option<&'b PodView<'a>>,
    new: Option<&'b PodView<'a>>,
}

/// `None`: two or more live old or two or more live new pods, which `manage` has to clear up.
///
/// Failed and succeeded pods count as live here until they are being deleted.
///
/// Follows kubernetes pkg/controller/daemon/update.go findUpdatedPodsOnNode, v1.36.
fn old_and_new<'a, 'b>(pods: &'b [PodView<'a>]) -> Option<OldAndNew<'a, 'b>> {
    let mut found = OldAndNew { old: None, new: None };
    for pod in pods.iter().filter(|pod| !pod.terminating) {
        let place = if pod.updated { &mut found.new } else { &mut found.old };
        if place.replace(pod).is_some() {
            return None;
        }
    }
    Some(found)
}

/// A node, or the name of a vanished one, with the pods that are on it or pinned to it.
struct Place<'a, 'b> {
    name: Rc<str>,
    /// `None`: there is no such node.
    should_run: Option<bool>,
    pods: &'b [PodView<'a>],
}

fn places<'a, 'b>(view: &'b View<'a>) -> impl Iterator<Item = Place<'a, 'b>> {
    let nodes = view.nodes.iter().map(|node| Place {
        name: node.node.name().clone(),
        should_run: Some(node.eligibility.should_run),
        pods: view.pods_on(node),
    });
    let vanished = view.vanished.iter().map(|node| Place {
        name: Rc::from(node.name),
        should_run: None,
        pods: view.pods_of_vanished(node),
    });
    nodes.chain(vanished).filter(|place| place.should_run == Some(true) || !place.pods.is_empty())
}

struct Candidate {
    node: Rc<str>,
    pod: Rc<Pod>,
}

impl Candidate {
    fn new(place: &Place, pod: &PodView) -> Self {
        Self { node: place.name.clone(), pod: pod.pod.clone() }
    }

    fn delete(self, reason: DeleteReason) -> Deletion {
        Deletion { pod: self.pod, node: self.node, reason }
    }

    fn hold(self, reason: HeldReason) -> Held {
        Held { node: self.node, pod: Some(self.pod), reason }
    }
}

/// Deletes just enough old pods to stay within `maxUnavailable`; `manage` creates their successors.
///
/// Assumptions: `manage` leaves at most one pod on a node, creates missing ones and sees to failed ones.
/// Invariants: an old pod that is available goes only while fewer nodes than `maxUnavailable` lack an available pod; an
/// old pod that is not available goes at once, since that makes nothing worse.
fn without_surge(view: &View, mut facts: RollingUpdateFacts) -> (PhasePlan, RollingUpdateFacts) {
    let mut deletes = Vec::new();
    let mut candidates = Vec::new();
    let mut held = Vec::new();
    for place in places(view) {
        let Some(pods) = old_and_new(place.pods) else {
            facts.unavailable += 1;
            held.push(Held { node: place.name, pod: None, reason: HeldReason::DuplicatesOnNode });
            continue;
        };
        match pods {
            // One pod too few or too many: either way the node is not as it should be.
            OldAndNew { old: None, new: None } | OldAndNew { old: Some(_), new: Some(_) } => facts.unavailable += 1,
            OldAndNew { old: None, new: Some(new) } => {
                if !new.available {
                    facts.unavailable += 1;
                    held.push(Candidate::new(&place, new).hold(HeldReason::WaitsForAvailable { ready: new.ready }));
                }
            }
            OldAndNew { old: Some(old), new: None } if old.available => candidates.push(Candidate::new(&place, old)),
            OldAndNew { old: Some(old), new: None } => {
                facts.unavailable += 1;
                deletes.push(Candidate::new(&place, old).delete(DeleteReason::OldUnavailable));
            }
        }
    }
    facts.replaced_anyway = deletes.len();
    facts.candidates = candidates.len();
    facts.allowed = room(facts.max_unavailable, facts.unavailable).min(candidates.len());
    let (chosen, later) = first_in_natural_order(candidates, facts.allowed, |candidate| &candidate.node);
    let (unavailable, max_unavailable) = (facts.unavailable, facts.max_unavailable);
    let reason = DeleteReason::OldWithinBudget { unavailable, max_unavailable };
    deletes.extend(chosen.into_iter().map(|candidate| candidate.delete(reason)));
    let taken = unavailable.saturating_add(as_i64(facts.allowed));
    let reason = HeldReason::UnavailableBudget { unavailable: taken, max_unavailable };
    held.extend(later.into_iter().map(|candidate| candidate.hold(reason)));
    (limit_to_burst(Vec::new(), deletes, held), facts)
}

/// Creates new pods beside old ones, on at most `maxSurge` nodes at a time; `manage` deletes an old one when its
/// successor is available.
///
/// Assumptions: `manage` leaves at most one old and one new pod on a node, creates a pod where there is none and sees
/// to failed ones.
/// Invariants: a node whose old pod is not available gets its new one at once; of the nodes whose old pod is
/// available, at most `maxSurge` have two; an available old pod on a node that should not run one goes only when more
/// pods are available than desired.
fn with_surge(view: &View, mut facts: RollingUpdateFacts) -> (Result<PhasePlan, SyncError>, RollingUpdateFacts) {
    let mut creates = Vec::new();
    let mut deletes = Vec::new();
    let mut candidates = Vec::new();
    let mut misplaced = Vec::new();
    let mut held = Vec::new();
    for place in places(view) {
        let Some(pods) = old_and_new(place.pods) else {
            facts.surging += 1;
            held.push(Held { node: place.name, pod: None, reason: HeldReason::DuplicatesOnNode });
            continue;
        };
        facts.available += usize::from(pods.old.or(pods.new).is_some_and(|pod| pod.available));
        match (pods.old, pods.new) {
            (None, None) => {}
            (None, Some(new)) => {
                if !new.available {
                    held.push(Candidate::new(&place, new).hold(HeldReason::WaitsForAvailable { ready: new.ready }));
                }
            }
            (Some(old), Some(new)) if new.available => {
                deletes.push(Candidate::new(&place, old).delete(DeleteReason::SurgeReplaced));
            }
            // `manage` has said already what the old one waits for.
            (Some(_), Some(_)) => facts.surging += 1,
            (Some(old), None) => match (place.should_run, old.available) {
                (None, _) => {
                    let (node, pod) = (place.name.to_string(), old.pod.metadata.name.to_string());
                    return (Err(SyncError::NodeNotFound { node, pod }), facts);
                }
                (Some(true), true) => candidates.push(Candidate::new(&place, old)),
                (Some(true), false) => {
                    facts.replaced_anyway += 1;
                    creates.push(Creation { node: place.name, reason: CreateReason::SurgeOverUnavailable });
                }
                (Some(false), true) => misplaced.push(Candidate::new(&place, old)),
                (Some(false), false) => {
                    facts.replaced_anyway += 1;
                    deletes.push(Candidate::new(&place, old).delete(DeleteReason::OldUnavailableAndNotEligible));
                }
            },
        }
    }

    let (available, desired) = (facts.available, facts.desired);
    let dispensable = available.saturating_sub(desired);
    let (chosen, later) = first_in_natural_order(misplaced, dispensable, |candidate| &candidate.node);
    let reason = DeleteReason::OldNotEligibleAndReplacedElsewhere { available, desired };
    deletes.extend(chosen.into_iter().map(|candidate| candidate.delete(reason)));
    let reason = HeldReason::NotEligibleButNeeded { available, desired };
    held.extend(later.into_iter().map(|candidate| candidate.hold(reason)));

    facts.candidates = candidates.len();
    facts.allowed = room(facts.max_surge, facts.surging).min(candidates.len());
    let (chosen, later) = first_in_natural_order(candidates, facts.allowed, |candidate| &candidate.node);
    let (surging, max_surge) = (facts.surging, facts.max_surge);
    let reason = CreateReason::SurgeBegins { surging, max_surge };
    creates.extend(chosen.into_iter().map(|candidate| Creation { node: candidate.node, reason }));
    let reason = HeldReason::SurgeBudget { surging: surging.saturating_add(as_i64(facts.allowed)), max_surge };
    held.extend(later.into_iter().map(|candidate| candidate.hold(reason)));
    (Ok(limit_to_burst(creates, deletes, held)), facts)
}

/// How much of the budget is left.
fn room(budget: i64, used: i64) -> usize {
    usize::try_from(budget.saturating_sub(used)).unwrap_or(0)
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
