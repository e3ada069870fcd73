//! What holds of the DaemonSet controller in every cluster: random clusters are run round by round, each round one
//! reconcile and one turn of a kubelet that starts, readies and ends pods after random delays.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

const START: i64 = 1_780_000_000;
const ROUND_SECONDS: i64 = 5;

#[derive(Clone, Debug)]
struct Setup {
    strategy: Value,
    min_ready_seconds: i32,
    nodes: Vec<NodeSetup>,
}

#[derive(Clone, Debug)]
struct NodeSetup {
    /// `None`, NoSchedule or NoExecute.
    taint: Option<&'static str>,
    /// At the start: old pods and new pods, and whether each is ready.
    pods: Vec<(bool, bool)>,
    /// Rounds until a new pod is ready, and until a deleted one is gone.
    delays: (usize, usize),
}

struct Cluster {
    daemonset: DaemonSet,
    nodes: Vec<Rc<Node>>,
    pods: Vec<Rc<Pod>>,
    revisions: Vec<Rc<ControllerRevision>>,
    backoff: Backoff,
    /// Round in which a pod started or began to terminate.
    since: BTreeMap<String, usize>,
    delays: BTreeMap<String, (usize, usize)>,
    round: usize,
    named: usize,
}

impl Cluster {
    fn new(setup: &Setup) -> Self {
        let daemonset: DaemonSet = decode(json!({
            "metadata": {"name": "agent", "namespace": "default", "uid": "uid", "generation": 2},
            "spec": {
                "selector": {"matchLabels": {"app": "agent"}},
                "template": {
                    "metadata": {"labels": {"app": "agent"}},
                    "spec": {"containers": [{"name": "agent", "image": "agent:v2"}]},
                },
                "updateStrategy": setup.strategy,
                "minReadySeconds": setup.min_ready_seconds,
            },
        }))
        .expect("a DaemonSet");
        let mut cluster = Self {
            daemonset,
            nodes: Vec::new(),
            pods: Vec::new(),
            revisions: Vec::new(),
            backoff: Backoff::default(),
            since: BTreeMap::new(),
            delays: BTreeMap::new(),
            round: 0,
            named: 0,
        };
        for (index, node) in setup.nodes.iter().enumerate() {
            let name = format!("node-{index}");
            let taints: Vec<Taint> = node.taint.iter().map(|effect| Taint::new("dedicated", effect)).collect();
            cluster.delays.insert(name.clone(), node.delays);
            cluster.nodes.push(Rc::new(Node {
                metadata: ObjectMeta { name: name.clone().into(), ..Default::default() },
                spec: NodeSpec { taints: Rc::new(taints), ..Default::default() },
                ..Default::default()
            }));
            for (is_old, is_ready) in &node.pods {
                let hash = if *is_old { "old".to_owned() } else { cluster.hash() };
                cluster.create(&name, &hash, START - 3600);
                if *is_ready {
                    make_ready(Rc::make_mut(cluster.pods.last_mut().expect("a pod")), START - 3000);
                }
            }
        }
        cluster
    }

    fn hash(&self) -> String {
        controller_revision_hash(&self.daemonset.spec.template, None)
    }

    fn now(&self) -> i64 {
        START + ROUND_SECONDS * i64::try_from(self.round).expect("a small number")
    }

    fn create(&mut self, node: &str, hash: &str, created: i64) {
        self.named += 1;
        let mut pod = pod_for_node(&self.daemonset, &pod_template(&self.daemonset.spec.template, None, hash), node);
        pod.metadata.name = format!("agent-{:04}", self.named).into();
        pod.metadata.creation_timestamp = Some(Time(created));
        Rc::make_mut(&mut pod.spec).node_name = node.into();
        pod.status.phase = RUNNING.into();
        self.since.insert(pod.metadata.name.to_string(), self.round);
        self.pods.push(Rc::new(pod));
    }

    fn plan(&self) -> SyncPlan {
        sync(&SyncInput {
            now_ms: self.now() * 1000,
            daemonset: &self.daemonset,
            nodes: &self.nodes,
            pods: &self.pods,
            revisions: &self.revisions,
            backoff: &self.backoff,
            earlier_writes_awaited: false,
            revision_named: &|_| None,
        })
    }

    fn apply(&mut self, plan: &SyncPlan) {
        for change in &plan.history.changes {
            if let RevisionChange::Create(revision) = change {
                self.revisions.push(revision.clone());
            }
        }
        for deletion in plan.deletes() {
            for pod in self.pods.iter_mut().filter(|pod| pod.metadata.name == deletion.pod.metadata.name) {
                self.since.insert(pod.metadata.name.to_string(), self.round);
                Rc::make_mut(pod).metadata.deletion_timestamp = Some(Time(START));
            }
        }
        let (hash, now) = (self.hash(), self.now());
        for node in plan.creates().map(|creation| creation.node.clone()).collect::<Vec<_>>() {
            self.create(&node, &hash, now);
        }
        self.daemonset.status = plan.status.clone().expect("a status").status;
        self.backoff = plan.backoff.clone();
    }

    /// Readies and ends pods whose delay is over.
    fn turn_kubelet(&mut self) {
        let (round, now) = (self.round, self.now());
        let (since, delays) = (&self.since, &self.delays);
        let waited = |pod: &Pod| round - since[&*pod.metadata.name];
        self.pods.retain(|pod| !(pod.is_terminating() && waited(pod) >= delays[&*pod.spec.node_name].1));
        for pod in self.pods.iter_mut().filter(|pod| !pod.is_terminating() && !pod.is_ready()) {
            if waited(pod) >= delays[&*pod.spec.node_name].0 {
                make_ready(Rc::make_mut(pod), now);
            }
        }
    }

    fn on_node(&self, node: &Node) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods.iter().filter(|pod| *pod.spec.node_name == *node.metadata.name)
    }

    /// Eligible nodes without a live available pod.
    fn without_available(&self) -> usize {
        let now = Time(self.now());
        let available =
            |pod: &Rc<Pod>| !pod.is_terminating() && pod.is_available(self.daemonset.spec.min_ready_seconds, now);
        self.eligible().filter(|node| !self.on_node(node).any(available)).count()
    }

    fn eligible(&self) -> impl Iterator<Item = &Rc<Node>> {
        let rules = Rules::of(&self.daemonset);
        self.nodes.iter().filter(move |node| rules.eligibility(node).should_run)
    }
}

fn make_ready(pod: &mut Pod, since: i64) {
    pod.status.set_condition(PodCondition {
        type_: "Ready".into(),
        status: "True".into(),
        last_transition_time: Some(Time(since)),
        ..Default::default()
    });
}

/// What must hold of every single plan.
fn check_plan(cluster: &Cluster, plan: &SyncPlan) -> Result<(), TestCaseError> {
    prop_assert_eq!(plan, &cluster.plan(), "the same cluster gives the same plan");
    prop_assert_eq!(&plan.error, &None);
    for (node, creates) in counts(plan.creates().map(|creation| &*creation.node)) {
        prop_assert_eq!(creates, 1, "two creations for {}", node);
    }
    for (pod, deletes) in counts(plan.deletes().map(|deletion| &*deletion.pod.metadata.name)) {
        prop_assert_eq!(deletes, 1, "two deletions of {}", pod);
    }
    prop_assert!(plan.deletes().all(|deletion| !deletion.pod.is_terminating()));
    if let (Some(phase), Some(facts)) = (&plan.rolling_update, &plan.rolling_update_facts) {
        let voluntary =
            phase.deletes.iter().filter(|d| matches!(d.reason, DeleteReason::OldWithinBudget { .. })).count();
        let room = usize::try_from(facts.max_unavailable - facts.unavailable).unwrap_or(0);
        prop_assert!(voluntary <= room, "{voluntary} pods go, and there is room for {room}");
        let surges = phase.creates.iter().filter(|c| matches!(c.reason, CreateReason::SurgeBegins { .. })).count();
        let room = usize::try_from(facts.max_surge - facts.surging).unwrap_or(0);
        prop_assert!(surges <= room, "{surges} nodes begin to surge, and there is room for {room}");
    }
    Ok(())
}

fn counts<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Runs until a reconcile writes nothing and nothing is on its way; `look` sees the cluster after every round.
fn run(
    cluster: &mut Cluster,
    mut look: impl FnMut(&Cluster) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut quiet = 0;
    while quiet < 2 {
        prop_assert!(cluster.round < 400, "no rest after 400 rounds");
        let plan = cluster.plan();
        check_plan(cluster, &plan)?;
        cluster.apply(&plan);
        cluster.turn_kubelet();
        look(cluster)?;
        // A pod that became ready calls for a reconcile after minReadySeconds: the counters alone do not, since during
        // a surge they judge the old pod.
        let (min_ready, now) = (cluster.daemonset.spec.min_ready_seconds, Time(cluster.now()));
        let on_its_way = cluster.pods.iter().any(|pod| pod.is_terminating() || !pod.is_available(min_ready, now));
        quiet = if plan.writes_nothing() && plan.requeues.is_empty() && !on_its_way { quiet + 1 } else { 0 };
        cluster.round += 1;
    }
    Ok(())
}

fn budget(most: u32) -> impl Strategy<Value = Value> {
    prop_oneof![(1..=most).prop_map(|n| json!(n)), (1..=100u32).prop_map(|percent| json!(format!("{percent}%")))]
}

fn rolling() -> impl Strategy<Value = Value> {
    let unavailable = budget(5).prop_map(|n| json!({"maxUnavailable": n, "maxSurge": 0}));
    prop_oneof![unavailable, surging()].prop_map(|budget| json!({"type": "RollingUpdate", "rollingUpdate": budget}))
}

fn surging() -> impl Strategy<Value = Value> {
    budget(5).prop_map(|n| json!({"maxUnavailable": 0, "maxSurge": n}))
}

fn delays() -> impl Strategy<Value = (usize, usize)> {
    (0..5usize, 0..4usize)
}

fn any_node() -> impl Strategy<Value = NodeSetup> {
    let taint = prop_oneof![4 => Just(None), 1 => Just(Some(NO_SCHEDULE)), 1 => Just(Some(NO_EXECUTE))];
    let pods = prop::collection::vec((any::<bool>(), any::<bool>()), 0..4);
    (taint, pods, delays()).prop_map(|(taint, pods, delays)| NodeSetup { taint, pods, delays })
}

fn settled_node() -> impl Strategy<Value = NodeSetup> {
    delays().prop_map(|delays| NodeSetup { taint: None, pods: vec![(true, true)], delays })
}

fn setup(
    strategy: impl Strategy<Value = Value>,
    node: impl Strategy<Value = NodeSetup>,
) -> impl Strategy<Value = Setup> {
    (strategy, prop::sample::select(vec![0, 0, 3, 20]), prop::collection::vec(node, 1..12))
        .prop_map(|(strategy, min_ready_seconds, nodes)| Setup { strategy, min_ready_seconds, nodes })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// From whatever state, the controller comes to rest, every eligible node then has exactly one pod, an available
    /// one of the current template, and no other node has a pod that may not stay.
    #[test]
    fn every_cluster_comes_to_rest(setup in setup(rolling(), any_node())) {
        let mut cluster = Cluster::new(&setup);
        run(&mut cluster, |_| Ok(()))?;
        let hash = cluster.hash();
        for node in &cluster.nodes {
            let eligibility = evaluate(&cluster.daemonset, node).eligibility;
            let pods: Vec<_> = cluster.on_node(node).collect();
            if eligibility.should_run {
                prop_assert_eq!(pods.len(), 1, "on {}", node.name());
                prop_assert_eq!(pods[0].metadata.label(CONTROLLER_REVISION_HASH), Some(&*hash));
            } else if !eligibility.should_continue_running {
                prop_assert_eq!(pods.len(), 0, "on {}", node.name());
            }
        }
        let status = &cluster.daemonset.status;
        prop_assert_eq!(status.desired_number_scheduled, status.number_available);
        prop_assert_eq!(status.desired_number_scheduled, status.updated_number_scheduled);
        prop_assert!(cluster.plan().writes_nothing(), "a reconcile at rest does nothing");
    }

    /// A rollout over a healthy cluster never takes more nodes out than `maxUnavailable`.
    #[test]
    fn a_rollout_stays_within_its_budget(
        budget in budget(5), nodes in prop::collection::vec(settled_node(), 1..12), min_ready in 0..20i32,
    ) {
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": budget, "maxSurge": 0}});
        let mut cluster = Cluster::new(&Setup { strategy, min_ready_seconds: min_ready, nodes });
        let desired = cluster.nodes.len();
        let most = usize::try_from(max_unavailable(&cluster.daemonset, desired).expect("a number")).expect("not negative");
        run(&mut cluster, |cluster| {
            let out = cluster.without_available();
            prop_assert!(out <= most, "{} nodes have no available pod, {} may", out, most);
            for node in &cluster.nodes {
                let pods = cluster.on_node(node).count();
                prop_assert!(pods <= 1, "{} has {} pods, terminating ones included", node.name(), pods);
            }
            Ok(())
        })?;
    }

    /// With surge, no node of a healthy cluster is ever without an available pod, none has more than two live ones,
    /// and at most `maxSurge` have two.
    #[test]
    fn a_surging_rollout_leaves_no_node_without_a_pod(
        budget in budget(5), nodes in prop::collection::vec(settled_node(), 1..12), min_ready in 0..20i32,
    ) {
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": budget}});
        let mut cluster = Cluster::new(&Setup { strategy, min_ready_seconds: min_ready, nodes });
        let desired = cluster.nodes.len();
        let most = usize::try_from(max_surge(&cluster.daemonset, desired).expect("a number")).expect("not negative");
        run(&mut cluster, |cluster| {
            prop_assert_eq!(cluster.without_available(), 0);
            let live = |node: &Rc<Node>| cluster.on_node(node).filter(|pod| !pod.is_terminating()).count();
            prop_assert!(cluster.nodes.iter().all(|node| live(node) <= 2));
            let surging = cluster.nodes.iter().filter(|node| live(node) == 2).count();
            prop_assert!(surging <= most, "{} nodes surge, {} may", surging, most);
            Ok(())
        })?;
    }

    /// OnDelete replaces nothing by itself, whatever the template.
    #[test]
    fn on_delete_leaves_old_pods_alone(nodes in prop::collection::vec(settled_node(), 1..12)) {
        let setup = Setup { strategy: json!({"type": "OnDelete"}), min_ready_seconds: 0, nodes };
        let plan = Cluster::new(&setup).plan();
        prop_assert_eq!((plan.creates().count(), plan.deletes().count()), (0, 0));
        prop_assert_eq!(plan.rolling_update_skipped, Some(RollingUpdateSkipped::OnDelete));
    }
}
