//! What the scheduler wants written after a look at a pod, and why.

use super::framework::{Diagnosis, FilterReason, Plugin, PreFilterReason};
use super::message::{self, event_message};
use super::plugins::scheduling_gates;
use super::preemption::{CONDITION_REASON, DISRUPTION_TARGET, Ineligible, Preemption, PreemptionOutcome};
use super::schedule::{DEFAULT_SCHEDULER, Decision, Placement, SkipReason, Unschedulable, schedule_one};
use crate::apiserver::{Delete, EventDraft, Store, Write};
use crate::objects::*;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Type of the condition that says whether a pod has a node.
pub const POD_SCHEDULED: &str = "PodScheduled";

/// The scheduler's wishes. It has written nothing: the simulation carries the writes out, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerPlan {
    /// Requests to the API server.
    pub writes: Vec<Write>,
    /// What was decided and why.
    pub reason: SchedulerReason,
}

/// What the scheduler decided, with the facts. Small, whatever the size of the cluster: it is kept with every step.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerReason {
    /// The pod goes to a node.
    Bound(Placement),
    /// No node takes the pod.
    Unschedulable(Failure),
    /// The cluster has no node.
    NoNodes,
    /// Gates keep the pod from being looked at.
    Gated {
        /// Names of the gates.
        gates: Vec<String>,
    },
    /// It is not this scheduler's business.
    Skipped(SkipReason),
    /// The pod is gone.
    PodGone,
}

/// Why no node takes a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Kubernetes' own sentence.
    pub message: String,
    /// Number of nodes in the cluster.
    pub total_nodes: usize,
    /// Set when the search ended before any node was looked at.
    pub pre_filter: Option<PreFilterReason>,
    /// How many nodes gave which reason, with one example each.
    pub tallies: Vec<Tally>,
    /// Number of nodes that were not looked at, because the pod is pinned to others.
    pub not_examined: usize,
    /// Every plugin that said no anywhere.
    pub plugins: BTreeSet<Plugin>,
    /// What preemption came to.
    pub preemption: PreemptionFacts,
}

/// How many nodes gave the same reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Kubernetes' own words, which make reasons the same.
    pub message: String,
    /// Number of nodes.
    pub nodes: usize,
    /// One of these nodes: the first by natural order.
    pub example: Rc<str>,
    /// The reason there, with its facts.
    pub reason: FilterReason,
}

/// What preemption came to.
#[derive(Clone, Debug, PartialEq)]
pub enum PreemptionFacts {
    /// Room is made on a node.
    Nominated {
        /// The node.
        node: Rc<str>,
        /// The pods that go, most important first, each with its priority.
        victims: Vec<(ObjectKey, i32)>,
        /// Number of victims that a PodDisruptionBudget would have protected.
        budget_violations: usize,
    },
    /// The pod may not preempt.
    Ineligible(Ineligible),
    /// It would help nowhere.
    NoCandidates {
        /// Number of nodes on which it was tried.
        tried: usize,
    },
}

/// Looks at the pod and says what to write: the binding; or the condition, the event and, where preemption helps, the
/// nomination and the victims' end.
///
/// `now` is the time that conditions are stamped with.
pub fn plan(store: &Store, key: &ObjectKey, now: Time) -> SchedulerPlan {
    let Some(pod) = store.pod(key) else {
        return SchedulerPlan { writes: Vec::new(), reason: SchedulerReason::PodGone };
    };
    match schedule_one(store, pod) {
        Decision::Bound(placement) => {
            let writes = bind(pod, &placement);
            SchedulerPlan { writes, reason: SchedulerReason::Bound(placement) }
        }
        Decision::Unschedulable(failure) => {
            let writes = give_up(store, pod, &failure, now);
            SchedulerPlan { writes, reason: SchedulerReason::Unschedulable(Failure::new(&failure)) }
        }
        Decision::NoNodes => {
            let mut writes = Vec::new();
            report_failure(&mut writes, pod, message::NO_NODES, None, now);
            SchedulerPlan { writes, reason: SchedulerReason::NoNodes }
        }
        Decision::Gated { gates } => {
            let writes = report_gates(pod, now).into_iter().collect();
            SchedulerPlan { writes, reason: SchedulerReason::Gated { gates } }
        }
        Decision::Skip(reason) => SchedulerPlan { writes: Vec::new(), reason: SchedulerReason::Skipped(reason) },
    }
}

fn bind(pod: &Pod, placement: &Placement) -> Vec<Write> {
    let (key, node) = (pod.metadata.key(), placement.node.clone());
    let message = format!("Successfully assigned {key} to {node}");
    vec![Write::Bind { pod: key, node }, event(&pod.metadata, NORMAL, "Scheduled", message)]
}

fn give_up(store: &Store, pod: &Rc<Pod>, failure: &Unschedulable, now: Time) -> Vec<Write> {
    let mut writes = Vec::new();
    let nomination = match &failure.preemption {
        PreemptionOutcome::Nominated(preemption) => Some(&*preemption.node),
        PreemptionOutcome::NoCandidates(_) => Some(""),
        PreemptionOutcome::Ineligible(_) => None,
    };
    report_failure(&mut writes, pod, &failure.message, nomination, now);
    if let PreemptionOutcome::Nominated(preemption) = &failure.preemption {
        clear_nominations(&mut writes, store, pod, &preemption.node);
        for victim in preemption.victims.iter().filter(|victim| !victim.is_terminating()) {
            evict(&mut writes, pod, victim, preemption, now);
        }
    }
    writes
}

/// The event and the condition of a pod that stays pending. `nomination`: what becomes of the nominated node, if that
/// changes. The status is written only where something in it changes.
fn report_failure(writes: &mut Vec<Write>, pod: &Rc<Pod>, message: &str, nomination: Option<&str>, now: Time) {
    writes.push(event(&pod.metadata, WARNING, "FailedScheduling", event_message(message)));
    let mut changed = Pod::clone(pod);
    let mut differs =
        changed.status.set_condition(condition(pod, POD_SCHEDULED, "False", "Unschedulable", message, now));
    if let Some(node) = nomination
        && changed.status.nominated_node_name != node
    {
        changed.status.nominated_node_name = node.to_owned();
        differs = true;
    }
    if differs {
        writes.push(Write::UpdateStatus(changed.into()));
    }
}

/// The condition of a gated pod. The API server sets it when the pod is created; this makes up for it elsewhere.
fn report_gates(pod: &Pod, now: Time) -> Option<Write> {
    let mut changed = pod.clone();
    let (reason, message) = (scheduling_gates::CONDITION_REASON, scheduling_gates::CONDITION_MESSAGE);
    let differs = changed.status.set_condition(condition(pod, POD_SCHEDULED, "False", reason, message, now));
    differs.then(|| Write::UpdateStatus(changed.into()))
}

/// Pods of lower priority that were about to come to the node must look again.
fn clear_nominations(writes: &mut Vec<Write>, store: &Store, pod: &Pod, node: &str) {
    for other in store.pods_nominated_to(node).filter(|other| other.priority() < pod.priority()) {
        let mut changed = Pod::clone(other);
        changed.status.nominated_node_name.clear();
        writes.push(Write::UpdateStatus(changed.into()));
    }
}

/// The victim learns why, is deleted with its own grace period, and an event tells of it.
fn evict(writes: &mut Vec<Write>, pod: &Pod, victim: &Pod, preemption: &Preemption, now: Time) {
    let scheduler = pod.spec.scheduler_name.as_str();
    let scheduler = if scheduler.is_empty() { DEFAULT_SCHEDULER } else { scheduler };
    let why = format!("{scheduler}: preempting to accommodate a higher priority pod");
    let mut changed = victim.clone();
    if changed.status.set_condition(condition(victim, DISRUPTION_TARGET, "True", CONDITION_REASON, &why, now)) {
        writes.push(Write::UpdateStatus(changed.into()));
    }
    writes.push(Write::Delete(Delete::pod(victim)));
    let message = format!("Preempted by pod {} on node {}", pod.metadata.uid, preemption.node);
    writes.push(event(&victim.metadata, NORMAL, "Preempted", message));
}

fn condition(pod: &Pod, type_: &str, status: &str, reason: &str, message: &str, now: Time) -> PodCondition {
    PodCondition {
        type_: type_.into(),
        status: status.into(),
        reason: reason.into(),
        message: message.into(),
        last_transition_time: Some(now),
        observed_generation: pod.metadata.generation,
        ..PodCondition::default()
    }
}

fn event(about: &ObjectMeta, type_: &'static str, reason: &'static str, message: String) -> Write {
    Write::Event(EventDraft::about(Kind::Pod, about, type_, reason, message, DEFAULT_SCHEDULER))
}

impl Failure {
    /// The facts of a failed cycle, without what grows with the cluster.
    pub fn new(failure: &Unschedulable) -> Self {
        let diagnosis = &failure.diagnosis;
        let preemption = match &failure.preemption {
            PreemptionOutcome::Nominated(preemption) => PreemptionFacts::Nominated {
                node: preemption.node.clone(),
                victims: preemption.victims.iter().map(|pod| (pod.metadata.key(), pod.priority())).collect(),
                budget_violations: preemption.budget_violations,
            },
            PreemptionOutcome::Ineligible(reason) => PreemptionFacts::Ineligible(*reason),
            PreemptionOutcome::NoCandidates(failures) => PreemptionFacts::NoCandidates { tried: failures.len() },
        };
        Self {
            message: failure.message.clone(),
            total_nodes: diagnosis.total_nodes,
            pre_filter: diagnosis.pre_filter.clone(),
            tallies: tallies(diagnosis),
            not_examined: if diagnosis.narrowed_by.is_empty() { 0 } else { diagnosis.absent_nodes() },
            plugins: diagnosis.plugins.clone(),
            preemption,
        }
    }
}

/// Counts the reasons by their words, in the order of the words.
fn tallies(diagnosis: &Diagnosis) -> Vec<Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (node, reasons) in &diagnosis.failures {
        for reason in reasons {
            let message = reason.message();
            match tallies.get_mut(&message) {
                None => {
                    let (example, reason) = (node.clone(), reason.clone());
                    tallies.insert(message.clone(), Tally { message, nodes: 1, example, reason });
                }
                Some(tally) => {
                    tally.nodes = tally.nodes.saturating_add(1);
                    if natural_cmp(node, &tally.example).is_lt() {
                        (tally.example, tally.reason) = (node.clone(), reason.clone());
                    }
                }
            }
        }
    }
    tallies.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apiserver::ApiServer;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    const KEY: &str = "new";

    fn planned(objects: Vec<Object>, pending: Value) -> SchedulerPlan {
        let store = store(objects.into_iter().chain([pod(KEY, pending)]));
        plan(&store, &ObjectKey::new("default", KEY), Time(7))
    }

    /// One line for each write.
    fn told(plan: &SchedulerPlan) -> Vec<String> {
        let line = |write: &Write| match write {
            Write::Bind { pod, node } => format!("bind {pod} to {node}"),
            Write::UpdateStatus(Object::Pod(pod)) => {
                let conditions = pod.status.conditions.iter();
                let conditions: Vec<String> =
                    conditions.map(|c| format!("{}={} {}", c.type_, c.status, c.reason)).collect();
                format!("status {} [{}] {}", pod.metadata.name, conditions.join(", "), pod.status.nominated_node_name)
            }
            Write::Delete(delete) => format!("delete {}", delete.key),
            Write::Event(event) => format!("{} {} {}", event.type_, event.reason, event.message),
            other => format!("{other:?}"),
        };
        plan.writes.iter().map(|write| line(write).trim_end().to_owned()).collect()
    }

    #[test]
    fn a_pod_that_fits_is_bound() {
        let plan = planned(vec![node("n1", json!({}))], json!({}));
        assert_eq!(told(&plan), ["bind default/new to n1", "Normal Scheduled Successfully assigned default/new to n1"]);
        assert!(matches!(plan.reason, SchedulerReason::Bound(placement) if &*placement.node == "n1"));
    }

    #[test]
    fn a_pod_that_does_not_fit_says_so_once_in_its_condition_and_each_time_in_an_event() {
        let first = planned(Vec::new(), json!({}));
        let event = "Warning FailedScheduling no nodes available to schedule pods";
        assert_eq!(told(&first), [event, "status new [PodScheduled=False Unschedulable]"]);
        let condition = json!([{
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
            "message": "no nodes available to schedule pods", "lastTransitionTime": "1970-01-01T00:00:03Z",
        }]);
        assert_eq!(told(&planned(Vec::new(), json!({"conditions": condition}))), [event]);
    }

    #[test]
    fn preemption_nominates_tells_the_victim_why_and_deletes_it() {
        let victim = json!({"nodeName": "n1", "requests": {"cpu": "4"}, "phase": "Running"});
        let rival = json!({"nominatedNodeName": "n1", "priority": 1});
        let objects = vec![node("n1", json!({})), pod("victim", victim), pod("rival", rival)];
        let plan = planned(objects, json!({"priority": 9, "requests": {"cpu": "2"}}));
        assert_eq!(
            told(&plan),
            [
                "Warning FailedScheduling 0/1 nodes are available: 1 Insufficient cpu.",
                "status new [PodScheduled=False Unschedulable] n1",
                "status rival []",
                "status victim [DisruptionTarget=True PreemptionByScheduler]",
                "delete default/victim",
                "Normal Preempted Preempted by pod uid-new on node n1",
            ]
        );
        let SchedulerReason::Unschedulable(failure) = plan.reason else { panic!() };
        let victims = vec![(ObjectKey::new("default", "victim"), 0)];
        let expected = PreemptionFacts::Nominated { node: "n1".into(), victims, budget_violations: 0 };
        assert_eq!(failure.preemption, expected);
    }

    #[test]
    fn a_victim_that_is_leaving_already_is_not_told_again() {
        let leaving = json!({
            "nodeName": "n1", "requests": {"cpu": "4"}, "deletionTimestamp": "2026-01-01T00:00:00Z",
        });
        let plan =
            planned(vec![node("n1", json!({})), pod("v", leaving)], json!({"priority": 9, "requests": {"cpu": "2"}}));
        assert_eq!(told(&plan)[1..], ["status new [PodScheduled=False Unschedulable] n1"]);
    }

    #[test]
    fn a_nomination_that_no_longer_helps_is_withdrawn() {
        let full = json!({"nodeName": "n1", "priority": 9, "requests": {"cpu": "4"}});
        let plan = planned(
            vec![node("n1", json!({})), pod("p", full)],
            json!({"nominatedNodeName": "n1", "requests": {"cpu": "2"}}),
        );
        assert_eq!(told(&plan)[1..], ["status new [PodScheduled=False Unschedulable]"]);
    }

    #[test]
    fn reasons_are_counted_with_an_example_each() {
        let taint = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
        let objects = vec![
            node("n10", taint.clone()),
            node("n9", taint),
            node("n1", json!({"allocatable": {"cpu": "1", "memory": "0"}})),
        ];
        let plan = planned(objects, json!({"requests": {"cpu": "2", "memory": "1"}}));
        let SchedulerReason::Unschedulable(failure) = plan.reason else { panic!() };
        let tallies: Vec<(&str, usize, &str)> =
            failure.tallies.iter().map(|t| (t.message.as_str(), t.nodes, &*t.example)).collect();
        assert_eq!(
            tallies,
            [
                ("Insufficient cpu", 1, "n1"),
                ("Insufficient memory", 1, "n1"),
                ("node(s) had untolerated taint(s)", 2, "n9"),
            ]
        );
        assert_eq!(failure.plugins, BTreeSet::from([Plugin::TaintToleration, Plugin::NodeResourcesFit]));
    }

    #[test]
    fn a_gated_pod_gets_its_condition_once() {
        let gated = |conditions: Value| {
            planned(Vec::new(), json!({"schedulingGates": [{"name": "a.io/x"}], "conditions": conditions}))
        };
        assert_eq!(told(&gated(json!([]))), ["status new [PodScheduled=False SchedulingGated]"]);
        let Write::UpdateStatus(Object::Pod(pod)) = &gated(json!([])).writes[0] else { panic!() };
        assert_eq!(told(&gated(encode(&pod.status.conditions))), Vec::<String>::new());
    }

    #[test]
    fn the_api_server_accepts_every_write() {
        let mut server = ApiServer::new(1, Time(0));
        let victim = pod("victim", json!({"nodeName": "n1", "requests": {"cpu": "4"}, "phase": "Running"}));
        let new = pod(KEY, json!({"priority": 9, "requests": {"cpu": "2"}}));
        for object in [node("n1", json!({})), victim, new] {
            server.restore(object);
        }
        let plan = plan(server.store(), &ObjectKey::new("default", KEY), Time(7));
        for write in plan.writes {
            server.commit(write).unwrap();
        }
        let victim = server.store().pod(&ObjectKey::new("default", "victim")).unwrap();
        assert!(victim.is_terminating() && victim.status.condition(DISRUPTION_TARGET).is_some());
    }

    #[test]
    fn a_pod_that_is_gone_or_bound_wants_nothing() {
        let plan = plan(&Store::default(), &ObjectKey::new("default", KEY), Time(0));
        assert_eq!((plan.writes.len(), plan.reason), (0, SchedulerReason::PodGone));
        let bound = planned(vec![node("n1", json!({}))], json!({"nodeName": "n1"}));
        assert_eq!((bound.writes.len(), bound.reason), (0, SchedulerReason::Skipped(SkipReason::AlreadyBound)));
    }
}
