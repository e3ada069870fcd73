//! Who ended a pod, or told it to go, and why.

use crate::apiserver::Change;
use crate::controllers::pod_gc::PodGcDecision;
use crate::controllers::taint_eviction::TaintEvictionReason;
use crate::kubelet::{Eviction, Happening, Refusal};
use crate::objects::*;
use crate::scheduler::{PreemptionFacts, SchedulerReason};
use crate::simulation::{Actor, Reason, Step};
use std::rc::Rc;

/// The end of a pod, or the order to go.
#[derive(Clone, Debug, PartialEq)]
pub struct Fate {
    /// Number of the step in which it was decided.
    pub step: usize,
    /// Who decided.
    pub by: Actor,
    /// Why.
    pub why: Why,
    /// The pod as it was then.
    pub pod: Rc<Pod>,
}

/// Why a pod was ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// A pod of higher priority needed its room.
    Preempted {
        /// The pod that gets the room.
        by: ObjectKey,
        /// Its priority.
        priority: i32,
        /// The priority of the pod that went.
        own: i32,
        /// The node.
        node: Rc<str>,
    },
    /// A taint of its node was not tolerated, or not for longer.
    Taint {
        /// What the controller decided.
        reason: TaintEvictionReason,
    },
    /// Its node ran out of something.
    NodePressure(Eviction),
    /// Its kubelet did not take it in.
    Refused(Refusal),
    /// Pod garbage collection took it away.
    Collected(PodGcDecision),
    /// A command took it away.
    Command(String),
    /// Its controller took it away, or the owner it belonged to is gone.
    Controller,
    /// Its containers ended.
    Ended,
}

/// Who told the pod of this key to go or ended it, as far as these steps tell, the newest first. `None`: nobody did.
pub fn fate<'a>(steps: impl DoubleEndedIterator<Item = &'a Rc<Step>>, key: &ObjectKey) -> Option<Fate> {
    let mut last: Option<Fate> = None;
    for step in steps.rev() {
        for change in step.changes.iter().rev() {
            let Some((before, after)) = of_pod(change, key) else { continue };
            let Some(pod) = before else {
                // Another pod may have had the name before.
                return last;
            };
            let ends = match after {
                None => !pod.is_terminating() && !pod.is_finished(),
                Some(after) => {
                    (after.is_terminating() && !pod.is_terminating()) || (after.is_finished() && !pod.is_finished())
                }
            };
            if ends {
                last = Some(Fate { step: step.number, by: step.actor, why: why(step, key, pod), pod: Rc::clone(pod) });
            }
        }
    }
    last
}

type Sides<'a> = (Option<&'a Rc<Pod>>, Option<&'a Rc<Pod>>);

fn of_pod<'a>(change: &'a Change, key: &ObjectKey) -> Option<Sides<'a>> {
    let pod = |object: &'a Option<Object>| match object {
        Some(Object::Pod(pod)) => Some(pod),
        _ => None,
    };
    let (before, after) = (pod(&change.before), pod(&change.after));
    let same = |pod: &Rc<Pod>| pod.metadata.name == key.name && pod.metadata.namespace == key.namespace;
    before.or(after).is_some_and(same).then_some((before, after))
}

fn why(step: &Step, key: &ObjectKey, pod: &Pod) -> Why {
    match &step.reason {
        Reason::Command(run) | Reason::CommandWent(run) => Why::Command(run.line.clone()),
        Reason::Scheduler(reason) => match (&**reason, &step.subject) {
            (SchedulerReason::Unschedulable(failure), Some(subject)) => match &failure.preemption {
                PreemptionFacts::Nominated { node, .. } => Why::Preempted {
                    by: subject.key.clone(),
                    priority: priority_of(step, &subject.key),
                    own: pod.priority(),
                    node: node.clone(),
                },
                _ => Why::Controller,
            },
            _ => Why::Controller,
        },
        Reason::TaintEviction(reason) => Why::Taint { reason: (**reason).clone() },
        Reason::PodGc(decisions) => {
            let own = decisions.iter().find(|decision| match decision {
                PodGcDecision::NodeMissing { .. } => false,
                PodGcDecision::NodeGone { pod, .. }
                | PodGcDecision::OutOfService { pod, .. }
                | PodGcDecision::NeverBound { pod }
                | PodGcDecision::TooManyFinished { pod, .. } => pod == key,
            });
            own.map_or(Why::Controller, |decision| Why::Collected(decision.clone()))
        }
        Reason::Kubelet(happenings) => happenings
            .iter()
            .find_map(|happening| match happening {
                Happening::Evicted(eviction) => Some(Why::NodePressure(eviction.clone())),
                Happening::Refused(refusal) => Some(Why::Refused(refusal.clone())),
                _ => None,
            })
            .unwrap_or(Why::Ended),
        _ => Why::Controller,
    }
}

/// The priority of the pod that the step is about, as the step wrote it.
fn priority_of(step: &Step, key: &ObjectKey) -> i32 {
    let written =
        step.changes.iter().find_map(|change| of_pod(change, key).and_then(|(before, after)| after.or(before)));
    written.map_or(0, |pod| pod.priority())
}
