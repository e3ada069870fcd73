//! `rollout.jsonl`: a whole rollout, round by round.

use super::cases::{part, time};
use super::choice::{expect_names, expect_value};
use super::daemonset::*;
use super::expect_eq;
use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

pub fn check(case: &Value) -> Result<(), String> {
    follow(case)?;
    if case["expect"]["countsStableAcrossRuns"] == true { run_freely(case) } else { Ok(()) }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kubelet {
    round_seconds: i64,
    ready_after_rounds: usize,
    #[serde(default)]
    ready_after_rounds_per_node: BTreeMap<String, usize>,
    #[serde(default)]
    never_ready: Vec<PodAt>,
}

/// A pod as recordings name it; `revision` is the number of its template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct PodAt {
    node: String,
    revision: u32,
}

impl PodAt {
    fn text(&self) -> String {
        format!("{}@{}", self.node, self.revision)
    }
}

struct RunningPod {
    pod: Rc<Pod>,
    at: PodAt,
    created_in: usize,
}

struct Cluster {
    start: Time,
    daemonset: DaemonSet,
    templates: BTreeMap<u32, Rc<PodTemplateSpec>>,
    nodes: Vec<Rc<Node>>,
    pods: Vec<RunningPod>,
    revisions: Vec<Rc<ControllerRevision>>,
    kubelet: Kubelet,
    changes: Vec<Value>,
    revision: u32,
    named: usize,
}

impl Cluster {
    fn new(case: &Value) -> Self {
        let templates: BTreeMap<u32, Rc<PodTemplateSpec>> = part(case, "templates");
        let daemonset: DaemonSet = part(case, "daemonset");
        let changes = case["changes"].as_array().cloned().unwrap_or_default();
        let mut cluster = Self {
            start: time(case, "start"),
            revisions: vec![revision_of(&daemonset, &controller_revision_hash(&daemonset.spec.template, None), 1)],
            daemonset,
            templates,
            nodes: part(case, "nodes"),
            pods: Vec::new(),
            kubelet: part(case, "kubelet"),
            changes,
            revision: 1,
            named: 0,
        };
        let an_hour_ago = cluster.start.plus_seconds(-3600);
        let eligible = |node: &&Rc<Node>| evaluate(&cluster.daemonset, node).eligibility.should_run;
        let names: Vec<String> = cluster.nodes.iter().filter(eligible).map(|node| node.name().to_string()).collect();
        for node in names {
            cluster.create(PodAt { node, revision: 1 }, an_hour_ago, 0);
        }
        for running in &mut cluster.pods {
            make_ready(Rc::make_mut(&mut running.pod), an_hour_ago);
        }
        cluster
    }

    fn hash(&self, revision: u32) -> String {
        controller_revision_hash(&self.templates[&revision], None)
    }

    fn now(&self, round: usize) -> Time {
        self.start.plus_seconds(self.kubelet.round_seconds * i64::try_from(round).expect("a small number"))
    }

    fn create(&mut self, at: PodAt, now: Time, round: usize) {
        self.named += 1;
        let mut from = self.daemonset.clone();
        from.spec.template = self.templates[&at.revision].clone();
        let mut pod = created_pod(&from, &self.hash(at.revision), &at.node, &format!("pod-{:05}", self.named), now);
        run_on(&mut pod, &at.node);
        self.pods.push(RunningPod { pod: Rc::new(pod), at, created_in: round });
    }

    fn change(&mut self, round: usize) {
        let now: Vec<Value> = self.changes.iter().filter(|change| change["round"] == round).cloned().collect();
        for change in now {
            let named = change["nodeName"].as_str().unwrap_or_default();
            match change["type"].as_str().expect("a type") {
                "setTemplate" => {
                    self.revision = change["revision"].as_u64().and_then(|n| n.try_into().ok()).expect("a revision");
                    self.daemonset.spec.template = self.templates[&self.revision].clone();
                    self.daemonset.metadata.generation += 1;
                }
                "addNode" => self.nodes.push(part(&change, "node")),
                "removeNode" => {
                    self.nodes.retain(|node| **node.name() != *named);
                    self.pods.retain(|running| running.at.node != named);
                }
                "deletePod" => self.pods.retain(|running| running.at.node != named),
                "setTaints" => self.change_node(named, |node| node.spec.taints = part(&change, "taints")),
                "setLabels" => self.change_node(named, |node| node.metadata.labels = part(&change, "labels")),
                other => panic!("unknown change {other}"),
            }
        }
    }

    fn change_node(&mut self, name: &str, change: impl Fn(&mut Node)) {
        for node in self.nodes.iter_mut().filter(|node| **node.name() == *name) {
            change(Rc::make_mut(node));
        }
    }

    fn sync(&mut self, round: usize) -> SyncPlan {
        let pods: Vec<Rc<Pod>> = self.pods.iter().map(|running| running.pod.clone()).collect();
        let now_ms = self.now(round).0 * 1000;
        let plan = run_sync(now_ms, &self.daemonset, &self.nodes, &pods, &self.revisions, &Backoff::default());
        apply_history(&mut self.revisions, &plan);
        self.daemonset.status = plan.status.clone().expect("a status").status;
        plan
    }

    fn name(&self, pod: &Rc<Pod>) -> PodAt {
        let running = self.pods.iter().find(|running| Rc::ptr_eq(&running.pod, pod));
        running.expect("a pod that is there").at.clone()
    }

    /// What the plan creates and deletes, as recordings name it.
    fn names(&self, plan: &SyncPlan) -> (Vec<PodAt>, Vec<PodAt>) {
        let created = |creation: &Creation| PodAt { node: creation.node.to_string(), revision: self.revision };
        (plan.creates().map(created).collect(), plan.deletes().map(|deletion| self.name(&deletion.pod)).collect())
    }

    fn run_kubelet(&mut self, round: usize, created: Vec<PodAt>, deleted: &[PodAt]) {
        let now = self.now(round);
        for gone in deleted {
            let at = self.pods.iter().position(|running| running.at == *gone).expect("a pod to delete");
            self.pods.remove(at);
        }
        for at in created {
            self.create(at, now, round);
        }
        let kubelet = &self.kubelet;
        for running in self.pods.iter_mut().filter(|running| !running.pod.is_ready()) {
            let delay = kubelet.ready_after_rounds_per_node.get(&running.at.node);
            let delay = *delay.unwrap_or(&kubelet.ready_after_rounds);
            if running.created_in + delay <= round && !kubelet.never_ready.contains(&running.at) {
                make_ready(Rc::make_mut(&mut running.pod), now);
            }
        }
    }
}

fn texts(pods: &[PodAt]) -> Vec<String> {
    pods.iter().map(PodAt::text).collect()
}

fn rounds(case: &Value) -> &[Value] {
    case["expect"]["rounds"].as_array().expect("rounds")
}

/// Compares every round, and goes on with what was recorded.
fn follow(case: &Value) -> Result<(), String> {
    let mut cluster = Cluster::new(case);
    for (round, expected) in rounds(case).iter().enumerate() {
        cluster.change(round);
        let plan = cluster.sync(round);
        let (created, deleted) = cluster.names(&plan);
        let recorded_created: Vec<PodAt> = part(expected, "create");
        let recorded_deleted: Vec<PodAt> = part(expected, "delete");
        for (what, actual, recorded) in [("create", created, &recorded_created), ("delete", deleted, &recorded_deleted)]
        {
            let exactly = json!(texts(recorded));
            let allowed = expected.get(format!("{what}Choice")).unwrap_or(&exactly);
            expect_names(&format!("round {round}, {what}"), texts(&actual), allowed)?;
            expect_eq(&format!("round {round}, number of {what}"), actual.len(), recorded.len())?;
        }
        compare_status(round, &plan, expected)?;
        cluster.run_kubelet(round, recorded_created, &recorded_deleted);
    }
    Ok(())
}

/// Goes its own way; only the counts are compared.
fn run_freely(case: &Value) -> Result<(), String> {
    let mut cluster = Cluster::new(case);
    for (round, expected) in rounds(case).iter().enumerate() {
        cluster.change(round);
        let plan = cluster.sync(round);
        let (created, deleted) = cluster.names(&plan);
        for (what, actual) in [("create", created.len()), ("delete", deleted.len())] {
            let recorded = expected[what].as_array().expect("a list").len();
            expect_eq(&format!("free run, round {round}, number of {what}"), actual, recorded)?;
        }
        compare_status(round, &plan, expected)?;
        cluster.run_kubelet(round, created, &deleted);
    }
    Ok(())
}

fn compare_status(round: usize, plan: &SyncPlan, expected: &Value) -> Result<(), String> {
    let status = plan.status.as_ref().expect("a status");
    expect_value(&format!("round {round}, status"), &counters(&status.status), &expected["status"])?;
    let requeue = json!(plan.requeue_after_ms().map(|ms| ms / 1000));
    expect_value(&format!("round {round}, requeueAfterSeconds"), &requeue, &expected["requeueAfterSeconds"])
}
