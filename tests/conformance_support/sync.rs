//! `sync.jsonl`: one reconcile over a given state of the cluster.

use super::cases::{part, time};
use super::choice::{expect_names, expect_value};
use super::daemonset::*;
use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

struct Case {
    now: Time,
    daemonset: DaemonSet,
    hash: String,
    nodes: Vec<Rc<Node>>,
    pods: Vec<Rc<Pod>>,
}

pub fn check(case: &Value) -> Result<(), String> {
    let input = Case {
        now: time(case, "now"),
        daemonset: part(case, "daemonset"),
        hash: case["currentHash"].as_str().expect("currentHash").into(),
        nodes: part(case, "nodes"),
        pods: part(case, "pods"),
    };
    compare("expect", &after_the_sync(&input), &case["expect"])?;
    if case["expectInstant"].is_null() {
        return Ok(());
    }
    // Names of new pods are random: against an old pod of the same second, either may come first.
    compare("expectInstant", &at_once(&input, "zz"), &case["expectInstant"])
        .or_else(|error| compare("expectInstant", &at_once(&input, "00"), &case["expectInstant"]).map_err(|_| error))
}

/// What a reconcile did.
struct Outcome {
    manage: PhasePlan,
    rolling_update: PhasePlan,
    events: Vec<PlannedEvent>,
    requeues: Vec<Requeue>,
    status: StatusPlan,
    error: bool,
}

/// The controller learns of its own writes only after the reconcile.
fn after_the_sync(case: &Case) -> Outcome {
    let revision = revision_of(&case.daemonset, &case.hash, 1);
    let now_ms = case.now.0 * 1000;
    let plan = run_sync(now_ms, &case.daemonset, &case.nodes, &case.pods, &[revision], &Backoff::default());
    assert_eq!(plan.history.hash, case.hash);
    assert!(plan.history.changes.is_empty() && plan.claims.is_empty() && plan.history_deletions.is_empty());
    Outcome {
        manage: plan.manage,
        rolling_update: plan.rolling_update.unwrap_or_default(),
        events: plan.events,
        requeues: plan.requeues,
        status: plan.status.expect("a status"),
        error: plan.error.is_some(),
    }
}

/// The controller learns of its own writes at once: the same phases, over a cluster that changes between them.
fn at_once(case: &Case, suffix: &str) -> Outcome {
    let mut pods = case.pods.clone();
    let mut number = 0;
    let mut carry_out = |pods: &mut Vec<Rc<Pod>>, phase: &PhasePlan| {
        pods.retain(|pod| !phase.deletes.iter().any(|deletion| Rc::ptr_eq(&deletion.pod, pod)));
        for creation in &phase.creates {
            number += 1;
            let name = format!("{}-{suffix}{number:04}", case.daemonset.metadata.name);
            pods.push(Rc::new(created_pod(&case.daemonset, &case.hash, &creation.node, &name, case.now)));
        }
    };
    let managed = {
        let view = View::new(&case.daemonset, case.now, &case.hash, &case.nodes, &pods);
        manage(&view, case.now.0 * 1000, &Backoff::default())
    };
    carry_out(&mut pods, &managed.phase);
    let rolled = if case.daemonset.spec.update_strategy.type_ == ROLLING_UPDATE {
        rolling_update(&View::new(&case.daemonset, case.now, &case.hash, &case.nodes, &pods)).0
    } else {
        Ok(PhasePlan::default())
    };
    let error = rolled.is_err();
    let rolled = rolled.unwrap_or_default();
    carry_out(&mut pods, &rolled);
    let status = status_plan(&View::new(&case.daemonset, case.now, &case.hash, &case.nodes, &pods), true);
    let requeues = managed.requeues.into_iter().chain(status.requeue.clone()).collect();
    Outcome { manage: managed.phase, rolling_update: rolled, events: managed.events, requeues, status, error }
}

fn compare(mode: &str, actual: &Outcome, expected: &Value) -> Result<(), String> {
    let phases = [("manage", &actual.manage), ("rollingUpdate", &actual.rolling_update)];
    for (name, phase) in phases {
        let recorded = &expected["phases"][name];
        expect_names(&format!("{mode}.{name}.create"), nodes_of(&[phase]), &recorded["create"])?;
        expect_names(&format!("{mode}.{name}.delete"), pods_of(&[phase]), &recorded["delete"])?;
    }
    let both = [&actual.manage, &actual.rolling_update];
    expect_names(&format!("{mode}.createOnNodes"), nodes_of(&both), &expected["createOnNodes"])?;
    expect_names(&format!("{mode}.deletePods"), pods_of(&both), &expected["deletePods"])?;
    let events = actual.events.iter().map(|event| event.reason.to_owned()).collect();
    expect_names(&format!("{mode}.events"), events, &expected["events"])?;
    let requeue = actual.requeues.iter().map(|requeue| requeue.after_ms / 1000).min();
    for (what, value) in [
        ("status", counters(&actual.status.status)),
        ("statusWritten", json!(actual.status.written)),
        ("observedGeneration", json!(actual.status.status.observed_generation)),
        ("requeueAfterSeconds", json!(requeue)),
        ("syncError", json!(actual.error)),
    ] {
        expect_value(&format!("{mode}.{what}"), &value, &expected[what])?;
    }
    Ok(())
}

fn nodes_of(phases: &[&PhasePlan]) -> Vec<String> {
    phases.iter().flat_map(|phase| &phase.creates).map(|creation| creation.node.to_string()).collect()
}

fn pods_of(phases: &[&PhasePlan]) -> Vec<String> {
    phases.iter().flat_map(|phase| &phase.deletes).map(|deletion| deletion.pod.metadata.name.to_string()).collect()
}
