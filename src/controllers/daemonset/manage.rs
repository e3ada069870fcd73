//! Missing pods are created, excess and misplaced ones deleted.

use super::plan::*;
use super::view::{NodeView, PodView, View, allows_surge};
use super::{BURST_REPLICAS, Backoff, BackoffKey};
use crate::objects::*;
use crate::order::smallest;
use std::rc::Rc;

/// What `manage` wants to do.
pub struct Managed {
    /// The pods.
    pub phase: PhasePlan,
    /// What was counted.
    pub facts: ManageFacts,
    /// About failed and ended pods.
    pub events: Vec<PlannedEvent>,
    /// For failed pods that are held back.
    pub requeues: Vec<Requeue>,
    /// The failed-pod memory afterwards.
    pub backoff: Backoff,
}

/// Compares nodes and pods. `now_ms` is the clock in milliseconds, which the back-off needs.
///
/// Creation on eligible nodes knows no budget: `maxUnavailable` only limits what is deleted by a rolling update.
///
/// Follows kubernetes pkg/controller/daemon manage, podsShouldBeOnNode and getUnscheduledPodsWithoutNode, v1.36.
pub fn manage(view: &View, now_ms: i64, backoff: &Backoff) -> Managed {
    let mut turn = Turn {
        view,
        now_ms,
        surge: allows_surge(view.daemonset),
        creates: Vec::new(),
        deletes: Vec::new(),
        held: Vec::new(),
        events: Vec::new(),
        requeues: Vec::new(),
        backoff: backoff.clone(),
    };
    for node in &view.nodes {
        turn.look_at(node);
    }
    // Bound pods of vanished nodes are left to pod garbage collection, which does not see unbound ones.
    for vanished in &view.vanished {
        for pod in view.pods_of_vanished(vanished).iter().filter(|pod| !pod.pod.is_bound()) {
            turn.delete(pod.pod, &Rc::from(vanished.name), DeleteReason::UnboundAndNodeGone);
        }
    }
    let facts = ManageFacts { nodes: view.nodes.len(), desired: view.desired, allows_surge: turn.surge };
    let phase = limit_to_burst(turn.creates, turn.deletes, turn.held);
    Managed { phase, facts, events: turn.events, requeues: turn.requeues, backoff: turn.backoff }
}

struct Turn<'a, 'b> {
    view: &'b View<'a>,
    now_ms: i64,
    surge: bool,
    creates: Vec<Creation>,
    deletes: Vec<Deletion>,
    held: Vec<Held>,
    events: Vec<PlannedEvent>,
    requeues: Vec<Requeue>,
    backoff: Backoff,
}

impl<'a> Turn<'a, '_> {
    fn create(&mut self, node: &Rc<str>, reason: CreateReason) {
        self.creates.push(Creation { node: node.clone(), reason });
    }

    fn delete(&mut self, pod: &Rc<Pod>, node: &Rc<str>, reason: DeleteReason) {
        self.deletes.push(Deletion { pod: pod.clone(), node: node.clone(), reason });
    }

    fn hold(&mut self, node: &Rc<str>, pod: &Rc<Pod>, reason: HeldReason) {
        self.held.push(Held { node: node.clone(), pod: Some(pod.clone()), reason });
    }

    fn look_at(&mut self, node: &NodeView<'a>) {
        let view = self.view;
        let (name, pods) = (node.node.name(), view.pods_on(node));
        if pods.is_empty() {
            if node.eligibility.should_run {
                self.create(name, CreateReason::NodeHasNoPod);
            }
        } else if node.eligibility.should_continue_running {
            self.keep_in_order(node, pods);
        } else {
            for pod in pods.iter().filter(|pod| !pod.terminating) {
                self.delete(pod.pod, name, DeleteReason::NotEligible);
            }
        }
    }

    /// The node may keep a pod: failed and ended ones go, and so do more than it should have.
    fn keep_in_order(&mut self, node: &NodeView<'a>, pods: &[PodView<'a>]) {
        let name = node.node.name();
        let mut live = Vec::with_capacity(pods.len());
        for pod in pods.iter().filter(|pod| !pod.terminating) {
            match pod.pod.status.phase.as_str() {
                FAILED => self.failed(pod.pod, name),
                SUCCEEDED => {
                    self.event(NORMAL, SUCCEEDED_DAEMON_POD, "succeeded", pod.pod, name, "delete");
                    self.delete(pod.pod, name, DeleteReason::Succeeded);
                }
                _ => live.push(*pod),
            }
        }
        if live.is_empty() {
            self.without_live_pod(node, pods);
        } else if !node.eligibility.should_run {
            for pod in &live {
                self.hold(name, pod.pod, HeldReason::MayOnlyContinue);
            }
        }
        match live.split_first() {
            Some((_, [])) | None => {}
            Some((kept, excess)) if !self.surge => {
                for pod in excess {
                    self.delete(pod.pod, name, DeleteReason::Duplicate { kept: kept_because(kept.pod, pod.pod) });
                }
            }
            Some(_) => self.one_old_and_one_new(name, &live),
        }
    }

    /// Nothing lives here. Without surge, whatever is still there must be gone first.
    fn without_live_pod(&mut self, node: &NodeView<'a>, pods: &[PodView<'a>]) {
        if !node.eligibility.should_run {
            return;
        }
        let name = node.node.name();
        if self.surge {
            return self.create(name, CreateReason::NoLivePodAndSurgeAllowed { remaining: pods.len() });
        }
        match pods.iter().find(|pod| pod.terminating) {
            Some(pod) => self.hold(name, pod.pod, HeldReason::TerminatingPodBlocks),
            None => {
                if let Some(pod) = pods.first() {
                    self.hold(name, pod.pod, HeldReason::FinishedPodBlocks);
                }
            }
        }
    }

    /// Surge. The oldest new and the oldest old pod may be here together, as long as the old one is ready and the new
    /// one is not available; all others go. The hash alone tells old from new here.
    fn one_old_and_one_new(&mut self, name: &Rc<str>, live: &[PodView<'a>]) {
        let (mut new, mut old): (Option<&PodView>, Option<&PodView>) = (None, None);
        for pod in live {
            let kept = if pod.has_current_hash { &mut new } else { &mut old };
            match kept {
                Some(kept) => {
                    let kept = kept_because(kept.pod, pod.pod);
                    self.delete(pod.pod, name, DeleteReason::Duplicate { kept });
                }
                None => *kept = Some(pod),
            }
        }
        if let (Some(new), Some(old)) = (new, old) {
            if !old.ready {
                self.delete(old.pod, name, DeleteReason::SurgeOldNotReady);
            } else if new.available {
                self.delete(old.pod, name, DeleteReason::SurgeReplaced);
            } else {
                self.hold(name, old.pod, HeldReason::NewPodNotAvailable { ready: new.ready });
            }
        }
    }

    /// A failed pod goes, unless one of this node went too short a time ago: the controller and a kubelet that refuses
    /// the pod would race.
    fn failed(&mut self, pod: &Rc<Pod>, node: &Rc<str>) {
        let daemonset = self.view.daemonset;
        let key = BackoffKey {
            daemonset: daemonset.metadata.uid.clone(),
            observed_generation: daemonset.status.observed_generation,
            node: node.clone(),
        };
        if let Some(until_ms) = self.backoff.held_until_ms(&key, self.now_ms) {
            let backoff_ms = self.backoff.current_ms(&key);
            let reason = RequeueReason::FailedPodBackOff { node: node.clone() };
            self.requeues.push(Requeue { after_ms: backoff_ms, reason });
            return self.hold(node, pod, HeldReason::BackOff { until_ms, backoff_ms });
        }
        self.backoff.next(key.clone(), self.now_ms);
        self.event(WARNING, FAILED_DAEMON_POD, "failed", pod, node, "kill");
        let backoff_ms = self.backoff.current_ms(&key);
        self.delete(pod, node, DeleteReason::Failed { backoff_ms });
    }

    fn event(
        &mut self,
        type_: &'static str,
        reason: &'static str,
        what: &str,
        pod: &Pod,
        node: &str,
        verb: &'static str,
    ) {
        let message = format!("Found {what} daemon pod {} on node {node}, will try to {verb} it", pod.metadata.key());
        self.events.push(PlannedEvent { type_, reason, message });
    }
}

fn kept_because(kept: &Pod, other: &Pod) -> KeptBecause {
    if kept.is_bound() && !other.is_bound() {
        KeptBecause::Bound
    } else if kept.metadata.creation_timestamp != other.metadata.creation_timestamp {
        KeptBecause::Older
    } else {
        KeptBecause::NameFirst
    }
}

/// Cuts both lists to what one pass may write; the rest is held.
///
/// Follows kubernetes pkg/controller/daemon syncNodes, v1.36.
pub(super) fn limit_to_burst(creates: Vec<Creation>, deletes: Vec<Deletion>, mut held: Vec<Held>) -> PhasePlan {
    let (creates_due, deletes_due) = (creates.len(), deletes.len());
    let reason = HeldReason::Burst { limit: BURST_REPLICAS };
    let (creates, later) = first_in_natural_order(creates, BURST_REPLICAS, |creation| &creation.node);
    held.extend(later.into_iter().map(|creation| Held { node: creation.node, pod: None, reason }));
    let (deletes, later) = first_in_natural_order(deletes, BURST_REPLICAS, |deletion| &deletion.node);
    held.extend(later.into_iter().map(|deletion| Held { node: deletion.node, pod: Some(deletion.pod), reason }));
    PhasePlan { creates, deletes, held, creates_due, deletes_due }
}

/// The first `limit` items in natural order of their nodes (items of one node as they come), and the others as they
/// come. Kubernetes leaves this choice open.
pub(super) fn first_in_natural_order<T>(items: Vec<T>, limit: usize, node: impl Fn(&T) -> &str) -> (Vec<T>, Vec<T>) {
    let name = |place: usize| items.get(place).map(&node).unwrap_or_default();
    let first = smallest(items.len(), limit, &mut |a, b| natural_cmp(name(a), name(b)).then_with(|| a.cmp(&b)));
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let first = first.into_iter().filter_map(|place| items.get_mut(place)?.take()).collect();
    (first, items.into_iter().flatten().collect())
}
