//! The taint eviction controller: deletes pods from nodes with NoExecute taints that they do not tolerate, or not for
//! long.
//!
//! A work item is a pod.
//!
//! Follows kubernetes pkg/controller/tainteviction/taint_eviction.go, v1.36.

use crate::apiserver::{Change, Delete, EventDraft, Now, Plan, Store, Timer, Write};
use crate::objects::*;
use rpds::RedBlackTreeMap;
use serde::Serialize;
use std::rc::Rc;

/// Name under which the controller's events appear.
pub const COMPONENT: &str = "taint-eviction-controller";

/// What the controller wants.
pub type TaintEvictionPlan = Plan<TaintEvictionReason, TaintEvictionState>;

/// What was decided about a pod and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TaintEvictionReason {
    /// Nothing.
    #[default]
    Nothing,
    /// A taint is not tolerated at all: the pod is deleted now.
    NotTolerated {
        /// The first such taint, as kubectl prints it.
        taint: String,
        /// The node.
        node: Rc<str>,
    },
    /// The taints are tolerated for a while, which begins now.
    Scheduled {
        /// The taints, as kubectl prints them.
        taints: Vec<String>,
        /// The node.
        node: Rc<str>,
        /// How long: the smallest tolerationSeconds of those that cover a taint.
        toleration_seconds: i64,
    },
    /// The time is over: the pod is deleted.
    TimeOver {
        /// The node.
        node: Rc<str>,
        /// How long the pod was tolerated, in milliseconds.
        tolerated_ms: u64,
    },
    /// What the pod could not bear is gone, or it bears everything now: it stays.
    Cancelled {
        /// The node.
        node: Rc<str>,
    },
}

/// What is to happen to a pod.
#[derive(Clone, Debug, PartialEq)]
enum Work {
    /// It is deleted at a time.
    Waiting { created_ms: u64, at_ms: u64 },
    /// It has been told to go, when the node had these taints.
    Done(Rc<Vec<Taint>>),
}

/// What the controller remembers: pods that will be or have been deleted. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaintEvictionState {
    /// With the uid of the pod: a new one may have the same name.
    pods: RedBlackTreeMap<ObjectKey, (Rc<str>, Work)>,
}

impl TaintEvictionState {
    /// When a pod will be deleted, in virtual milliseconds, if it will.
    pub fn evicts_at_ms(&self, pod: &ObjectKey) -> Option<u64> {
        match self.pods.get(pod)?.1 {
            Work::Waiting { at_ms, .. } => Some(at_ms),
            Work::Done(_) => None,
        }
    }

    fn work(&self, pod: &Pod) -> Option<Work> {
        let (uid, work) = self.pods.get(&pod.metadata.key())?;
        (*uid == pod.metadata.uid).then(|| work.clone())
    }

    fn with(&self, pod: &Pod, work: Work) -> Self {
        Self { pods: self.pods.insert(pod.metadata.key(), (pod.metadata.uid.clone(), work)) }
    }

    fn without(&self, pod: &ObjectKey) -> Self {
        if self.pods.contains_key(pod) { Self { pods: self.pods.remove(pod) } } else { self.clone() }
    }
}

/// The node's NoExecute taints.
pub fn no_execute_taints(node: &Node) -> impl Iterator<Item = &Taint> {
    no_execute(&node.spec.taints)
}

fn no_execute(taints: &[Taint]) -> impl Iterator<Item = &Taint> {
    taints.iter().filter(|taint| taint.effect == NO_EXECUTE)
}

/// How long a pod bears all of the taints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerated<'a> {
    /// This one not at all.
    Not(&'a Taint),
    /// For so many seconds; never negative.
    Seconds(i64),
    /// For ever.
    Forever,
}

/// How long a pod with these tolerations bears these taints. For each taint the first toleration that covers it
/// counts; of those the smallest number of seconds, where 0 and less mean at once.
///
/// Follows kubernetes pkg/controller/tainteviction getMinTolerationTime and GetMatchingTolerations, v1.36.
pub fn tolerated<'a>(taints: impl Iterator<Item = &'a Taint>, tolerations: &[Toleration]) -> Tolerated<'a> {
    let mut least = None;
    for taint in taints {
        let Some(used) = tolerations.iter().find(|toleration| toleration.tolerates(taint)) else {
            return Tolerated::Not(taint);
        };
        if let Some(seconds) = used.toleration_seconds {
            least = Some(least.map_or(seconds, |least: i64| least.min(seconds)));
        }
    }
    least.map_or(Tolerated::Forever, |seconds| Tolerated::Seconds(seconds.max(0)))
}

/// The turn of a pod.
pub fn plan(store: &Store, key: &ObjectKey, state: &TaintEvictionState, now: Now) -> TaintEvictionPlan {
    let Some(pod) = store.pod(key).filter(|pod| pod.is_bound()) else {
        let next = state.without(key);
        return match state.pods.get(key) {
            // It went by other means before its time was over.
            Some((_, Work::Waiting { .. })) => Plan { writes: vec![cancelled(key)], ..Plan::idle(next) },
            _ => Plan::idle(next),
        };
    };
    let work = state.work(pod);
    // A node that is gone leaves things as they are: pod garbage collection takes its pods.
    let Some(node) = store.node_named(&pod.spec.node_name) else { return time_over(pod, &Rc::default(), state, now) };
    let (name, taints_now) = (node.name().clone(), &node.spec.taints);
    if no_execute_taints(node).next().is_none() {
        return cancel(pod, state);
    }
    match tolerated(no_execute_taints(node), &pod.spec.tolerations) {
        Tolerated::Forever => cancel(pod, state),
        // The worker that fired stays known, so the same pod is told again only for other taints that it does not bear.
        Tolerated::Seconds(_) if matches!(work, Some(Work::Done(_))) => Plan::idle(state.clone()),
        Tolerated::Not(_) if matches!(&work, Some(Work::Done(told)) if no_execute_taints(node).eq(no_execute(told))) => {
            Plan::idle(state.clone())
        }
        Tolerated::Not(taint) => {
            let reason = TaintEvictionReason::NotTolerated { taint: taint.to_string(), node: name };
            evict(pod, taints_now, state, reason, now)
        }
        Tolerated::Seconds(seconds) => {
            // What was set earlier counts, even if another taint would give less time now.
            if let Some(Work::Waiting { created_ms, .. }) = work
                && created_ms < now.ms
            {
                return time_over(pod, taints_now, state, now);
            }
            let wait_ms = u64::try_from(seconds).unwrap_or(0).saturating_mul(1000);
            let taints = no_execute_taints(node).map(Taint::to_string).collect();
            let reason = TaintEvictionReason::Scheduled { taints, node: name, toleration_seconds: seconds };
            if wait_ms == 0 {
                return evict(pod, taints_now, state, reason, now);
            }
            if work.is_some() {
                return Plan::idle(state.clone());
            }
            let at_ms = now.plus_ms(wait_ms);
            let state = state.with(pod, Work::Waiting { created_ms: now.ms, at_ms });
            Plan { reason, timers: vec![Timer::new(at_ms, key.clone())], ..Plan::idle(state) }
        }
    }
}

/// Deletes the pod if its time is over.
fn time_over(pod: &Rc<Pod>, taints: &Rc<Vec<Taint>>, state: &TaintEvictionState, now: Now) -> TaintEvictionPlan {
    match state.work(pod) {
        Some(Work::Waiting { created_ms, at_ms }) if at_ms <= now.ms => {
            let tolerated_ms = now.ms.saturating_sub(created_ms);
            let reason = TaintEvictionReason::TimeOver { node: pod.spec.node_name.clone(), tolerated_ms };
            evict(pod, taints, state, reason, now)
        }
        Some(Work::Waiting { at_ms, .. }) => {
            let timers = vec![Timer::new(at_ms, pod.metadata.key())];
            Plan { timers, ..Plan::idle(state.clone()) }
        }
        _ => Plan::idle(state.clone()),
    }
}

/// The controller names the pod without its uid, so that `kubectl describe pod` does not find the event.
fn event(pod: &ObjectKey, message: String) -> Write {
    let metadata = ObjectMeta { namespace: pod.namespace.clone(), name: pod.name.clone(), ..ObjectMeta::default() };
    Write::Event(EventDraft::about(Kind::Pod, &metadata, NORMAL, "TaintManagerEviction", message, COMPONENT))
}

fn cancelled(pod: &ObjectKey) -> Write {
    event(pod, format!("Cancelling deletion of Pod {pod}"))
}

fn cancel(pod: &Pod, state: &TaintEvictionState) -> TaintEvictionPlan {
    let next = state.without(&pod.metadata.key());
    match state.work(pod) {
        Some(Work::Waiting { .. }) => {
            let reason = TaintEvictionReason::Cancelled { node: pod.spec.node_name.clone() };
            Plan { writes: vec![cancelled(&pod.metadata.key())], reason, ..Plan::idle(next) }
        }
        _ => Plan::idle(next),
    }
}

fn evict(
    pod: &Rc<Pod>,
    taints: &Rc<Vec<Taint>>,
    state: &TaintEvictionState,
    reason: TaintEvictionReason,
    now: Now,
) -> TaintEvictionPlan {
    let mut writes = Vec::new();
    // A pod that was to go later is to go now instead.
    if matches!(state.work(pod), Some(Work::Waiting { at_ms, .. }) if at_ms > now.ms) {
        writes.push(cancelled(&pod.metadata.key()));
    }
    let key = pod.metadata.key();
    writes.push(event(&key, format!("Marking for deletion Pod {key}")));
    let mut marked = (**pod).clone();
    let changed = marked.status.set_condition(PodCondition {
        type_: "DisruptionTarget".into(),
        status: "True".into(),
        reason: "DeletionByTaintManager".into(),
        message: "Taint manager: deleting due to NoExecute taint".into(),
        last_transition_time: Some(now.time),
        observed_generation: pod.metadata.generation,
        ..PodCondition::default()
    });
    if changed {
        writes.push(Write::UpdateStatus(marked.into()));
    }
    writes.push(Write::Delete(Delete::pod(pod)));
    Plan { writes, reason, ..Plan::idle(state.with(pod, Work::Done(taints.clone()))) }
}

/// What to look at after a write: the pod when it was bound, when its tolerations changed or it is gone; all pods of a
/// node whose NoExecute taints changed.
pub fn on_change(change: &Change, store: &Store, state: &TaintEvictionState, now: Now) -> Vec<Timer> {
    let timer = |pod: &Pod| Timer::new(now.ms, pod.metadata.key());
    match (&change.before, &change.after) {
        (before, Some(Object::Pod(pod))) if pod.is_bound() => {
            let seen = match before {
                Some(Object::Pod(old)) => {
                    old.spec.node_name == pod.spec.node_name && old.spec.tolerations == pod.spec.tolerations
                }
                _ => false,
            };
            let tainted = store.node_named(&pod.spec.node_name).is_some_and(|n| no_execute_taints(n).next().is_some());
            if !seen && tainted { vec![timer(pod)] } else { Vec::new() }
        }
        (Some(Object::Pod(pod)), None) if state.pods.contains_key(&pod.metadata.key()) => vec![timer(pod)],
        (before, Some(Object::Node(node))) => {
            let unchanged = match before {
                Some(Object::Node(old)) => {
                    Rc::ptr_eq(&old.spec.taints, &node.spec.taints)
                        || no_execute_taints(old).eq(no_execute_taints(node))
                }
                _ => no_execute_taints(node).next().is_none(),
            };
            if unchanged {
                return Vec::new();
            }
            store.pods_on(node.name()).filter(|pod| pod.is_bound()).map(|pod| timer(pod)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toleration(key: &str, seconds: Option<i64>) -> Toleration {
        Toleration { toleration_seconds: seconds, ..Toleration::exists(key, NO_EXECUTE) }
    }

    #[test]
    fn of_several_taints_the_shortest_toleration_counts_and_one_untolerated_taint_is_enough() {
        let taints = [Taint::new("a", NO_EXECUTE), Taint::new("b", NO_EXECUTE)];
        let both = |a, b| tolerated(taints.iter(), &[toleration("a", a), toleration("b", b)]);
        assert_eq!(both(Some(12), Some(5)), Tolerated::Seconds(5));
        assert_eq!(both(None, Some(5)), Tolerated::Seconds(5));
        assert_eq!(both(None, None), Tolerated::Forever);
        assert_eq!(both(Some(-3), None), Tolerated::Seconds(0));
        assert_eq!(tolerated(taints.iter(), &[toleration("a", None)]), Tolerated::Not(&taints[1]));
        assert_eq!(tolerated([].iter(), &[]), Tolerated::Forever);
    }

    #[test]
    fn only_the_first_toleration_that_covers_a_taint_counts() {
        let taints = [Taint::new("a", NO_EXECUTE)];
        let tolerations = [toleration("a", Some(60)), toleration("a", Some(5))];
        assert_eq!(tolerated(taints.iter(), &tolerations), Tolerated::Seconds(60));
    }
}
