//! The same pods as a DaemonSet and as a Deployment, both run by the engine on copies of the cluster: who covers every
//! node, and who follows when one more comes.

use super::trial::{Trial, manifest_of};
use crate::controllers::daemonset::Rules;
use crate::objects::*;
use crate::order::Order;
use crate::simulation::World;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Name of the node that joins: `new-node`, or with a number where that is taken.
fn numbered(number: usize) -> String {
    if number < 2 { "new-node".into() } else { format!("new-node-{number}") }
}

/// How many pods a node has of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedNode {
    /// The node.
    pub node: Rc<str>,
    /// It joined at the end.
    pub is_new: bool,
    /// It should run a pod of the DaemonSet.
    pub eligible: bool,
    /// Pods of the DaemonSet.
    pub daemonset: usize,
    /// Pods of the Deployment.
    pub deployment: usize,
}

/// How one of them covers the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Pods on nodes, before the new node came.
    pub pods: usize,
    /// Pods that found no node.
    pub pending: usize,
    /// Eligible nodes with a pod, before the new node came.
    pub covered: usize,
    /// Nodes with more than one.
    pub crowded: usize,
    /// The new node got a pod.
    pub follows: bool,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Replicas of the Deployment.
    pub replicas: usize,
    /// Nodes that should run the DaemonSet's pod, without the new one.
    pub eligible: usize,
    /// How the DaemonSet does.
    pub daemonset: Coverage,
    /// How the Deployment does.
    pub deployment: Coverage,
    /// All nodes, in natural order, the new one last.
    pub nodes: Vec<ComparedNode>,
}

/// A comparison, made in slices.
#[derive(Clone, Debug)]
pub struct Compare {
    set: Rc<DaemonSet>,
    replicas: usize,
    eligible: Vec<Rc<str>>,
    /// The node that joins, and the command that plugs it in.
    new_node: (Rc<str>, String),
    lanes: [Lane; 2],
}

#[derive(Clone, Debug)]
struct Lane {
    trial: Trial,
    stage: Stage,
    manifest: Value,
    counts: Counts,
    /// Counted before the new node came.
    before: Counts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The DaemonSet that is there goes.
    Clearing,
    /// The pods come.
    Starting,
    /// The new node has joined.
    Following,
    /// Nothing is left to do.
    Done,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    by_node: BTreeMap<Rc<str>, usize>,
    pending: usize,
}

impl Compare {
    /// Begins a comparison on copies of the world. The DaemonSet need not be there; if it is, it makes room first.
    /// `replicas` is the Deployment's, as many as eligible nodes when not given.
    ///
    /// # Errors
    /// What kubectl printed when one of both was refused.
    pub fn new(world: &World, daemonset: &Rc<DaemonSet>, replicas: Option<usize>) -> Result<Self, String> {
        let store = world.store();
        let rules = Rules::of(daemonset);
        let nodes = || store.nodes().values().filter(|node| rules.eligibility(node).should_run);
        let mut eligible: Vec<Rc<str>> = nodes().map(|node| Rc::clone(&node.metadata.name)).collect();
        eligible.order_by(|a, b| natural_cmp(a, b));
        let replicas = replicas.unwrap_or(eligible.len());
        // The new node is one that the DaemonSet is meant for, if there is any.
        let likeness = nodes().next().or_else(|| store.nodes().values().next());
        let free = |number: &usize| store.node_named(&numbered(*number)).is_none();
        let name = numbered((1..).find(free).unwrap_or(0));
        let new_node = (Rc::from(name.as_str()), join(&name, likeness.map(|node| &**node)));
        let mut trial = Trial::new(world.clone());
        let key = daemonset.metadata.key();
        if store.daemon_set(&key).is_some() {
            trial.run(&format!("kubectl delete daemonset {} -n {}", key.name, key.namespace), &BTreeMap::new())?;
        }
        let set = Rc::clone(daemonset);
        let lane = |manifest: Value| Lane {
            trial: trial.clone(),
            stage: Stage::Clearing,
            manifest,
            counts: Counts::default(),
            before: Counts::default(),
        };
        let lanes = [lane(manifest_of(&set)), lane(deployment_of(&set, replicas))];
        Ok(Self { set, replicas, eligible, new_node, lanes })
    }

    /// Goes on for at most `budget` steps. `Ok(None)`: it is not over yet.
    ///
    /// # Errors
    /// What kubectl printed when one of both was refused.
    pub fn advance(&mut self, budget: usize) -> Result<Option<Comparison>, String> {
        let namespace = Rc::clone(&self.set.metadata.namespace);
        for index in [0, 1] {
            let is_set = index == 0;
            let Some(lane) = self.lanes.get_mut(index) else { continue };
            while lane.stage != Stage::Done {
                if !lane.trial.settle(budget) {
                    return Ok(None);
                }
                lane.stage = match lane.stage {
                    Stage::Clearing => {
                        let namespace =
                            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
                        lane.trial.apply(&[namespace, lane.manifest.clone()])?;
                        Stage::Starting
                    }
                    Stage::Starting => {
                        lane.before = lane.count(&self.set, is_set);
                        lane.trial.run(&self.new_node.1, &BTreeMap::new())?;
                        Stage::Following
                    }
                    Stage::Following | Stage::Done => {
                        lane.counts = lane.count(&self.set, is_set);
                        Stage::Done
                    }
                };
            }
        }
        Ok(Some(self.result()))
    }

    fn result(&self) -> Comparison {
        let [set, deployment] = &self.lanes;
        let on = |lane: &Lane, node: &str| lane.counts.by_node.get(node).copied().unwrap_or(0);
        let mut names: Vec<Rc<str>> =
            set.trial.world().store().nodes().values().map(|node| Rc::clone(&node.metadata.name)).collect();
        let new_node = &self.new_node.0;
        names.order_by(|a, b| (a == new_node).cmp(&(b == new_node)).then_with(|| natural_cmp(a, b)));
        let rules = Rules::of(&self.set);
        let store = set.trial.world().store();
        let node = |name: Rc<str>| ComparedNode {
            is_new: name == *new_node,
            eligible: store.node_named(&name).is_some_and(|node| rules.eligibility(node).should_run),
            daemonset: on(set, &name),
            deployment: on(deployment, &name),
            node: name,
        };
        Comparison {
            replicas: self.replicas,
            eligible: self.eligible.len(),
            daemonset: self.coverage(set),
            deployment: self.coverage(deployment),
            nodes: names.into_iter().map(node).collect(),
        }
    }

    fn coverage(&self, lane: &Lane) -> Coverage {
        let before = &lane.before.by_node;
        Coverage {
            pods: before.values().sum(),
            pending: lane.before.pending,
            covered: self.eligible.iter().filter(|node| before.contains_key(*node)).count(),
            crowded: before.values().filter(|pods| **pods > 1).count(),
            follows: lane.counts.by_node.contains_key(&self.new_node.0),
        }
    }
}

impl Lane {
    /// The pods of the DaemonSet, or of the Deployment.
    fn count(&self, set: &DaemonSet, is_set: bool) -> Counts {
        let mut counts = Counts::default();
        let kind = if is_set { "DaemonSet" } else { "ReplicaSet" };
        let selector = &set.spec.selector;
        let mine = |pod: &Pod| {
            pod.metadata.namespace == set.metadata.namespace
                && selector.matches(&pod.metadata.labels)
                && pod.metadata.controller().is_some_and(|owner| owner.kind == kind)
        };
        for pod in self.trial.world().store().pods().values().filter(|pod| mine(pod) && !pod.is_finished()) {
            if pod.is_bound() {
                *counts.by_node.entry(Rc::clone(&pod.spec.node_name)).or_default() += 1;
            } else {
                counts.pending += 1;
            }
        }
        counts
    }
}

/// The command that plugs in a node like another one.
fn join(name: &str, likeness: Option<&Node>) -> String {
    let mut line = format!("sim add-node {name}");
    let Some(likeness) = likeness else { return line };
    let labels = likeness.metadata.labels.iter().filter(|(key, _)| *key != "kubernetes.io/hostname");
    labels.for_each(|(key, value)| line.push_str(&format!(" --label {key}={value}")));
    // Taints that follow from the node's state are its own affair.
    let taints = likeness.spec.taints.iter().filter(|taint| !taint.key.starts_with("node.kubernetes.io/"));
    taints.for_each(|taint| line.push_str(&format!(" --taint {taint}")));
    let resources = likeness.status.allocatable.iter();
    resources.for_each(|(name, amount)| line.push_str(&format!(" --resource {name}={amount}")));
    line
}

/// A Deployment of the same template.
fn deployment_of(set: &DaemonSet, replicas: usize) -> Value {
    json!({
        "apiVersion": Kind::Deployment.api_version(),
        "kind": Kind::Deployment.name(),
        "metadata": {"name": set.metadata.name, "namespace": set.metadata.namespace},
        "spec": {"replicas": replicas, "selector": set.spec.selector, "template": set.spec.template},
    })
}

/// What a changed DaemonSet would do, told before it is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeEffect {
    /// The DaemonSet.
    pub daemonset: ObjectKey,
    /// It is not there yet.
    pub is_new: bool,
    /// The template differs, so that there is a new revision and all pods are old.
    pub new_revision: bool,
    /// Nodes that should run a pod before and after.
    pub desired: [usize; 2],
    /// Nodes that get a first pod, all at once: no budget limits that.
    pub gains: Vec<Rc<str>>,
    /// Nodes whose pod is deleted at once, without any budget, even under OnDelete.
    pub loses: Vec<Rc<str>>,
    /// Nodes that should no longer run a pod and may keep theirs: counted as misscheduled, and not replaced when a rollout
    /// takes it.
    pub strands: Vec<Rc<str>>,
    /// Nodes whose pod is replaced by the rollout.
    pub replaced: usize,
    /// How many of these at the same time; 0 under OnDelete, where somebody has to delete the pods.
    pub at_once: usize,
    /// Whether the new pod comes before the old one goes.
    pub surges: bool,
}

/// What it would do to apply `after` (with its defaults, see [`super::trial::applied`]) in the place of `before`.
pub fn effect(world: &World, before: Option<&DaemonSet>, after: &DaemonSet) -> ChangeEffect {
    let store = world.store();
    let new_revision = before.is_some_and(|before| before.spec.template != after.spec.template);
    let uid = before.map(|before| Rc::clone(&before.metadata.uid)).unwrap_or_default();
    let has_pod: std::collections::BTreeSet<&str> = store
        .pods_controlled_by(&uid)
        .filter(|pod| !uid.is_empty() && !pod.is_terminating() && !pod.is_finished())
        .filter_map(|pod| pod.target_node())
        .collect();
    let (old_rules, rules) = (before.map(Rules::of), Rules::of(after));
    let mut effect = ChangeEffect {
        daemonset: after.metadata.key(),
        is_new: before.is_none(),
        new_revision,
        desired: [0, 0],
        gains: Vec::new(),
        loses: Vec::new(),
        strands: Vec::new(),
        replaced: 0,
        at_once: 0,
        surges: false,
    };
    for node in store.nodes().values() {
        let (name, eligibility) = (&node.metadata.name, rules.eligibility(node));
        let [was, is] = &mut effect.desired;
        *was += usize::from(old_rules.as_ref().is_some_and(|rules| rules.eligibility(node).should_run));
        *is += usize::from(eligibility.should_run);
        match (has_pod.contains(&**name), eligibility.should_run, eligibility.should_continue_running) {
            (false, true, _) => effect.gains.push(Rc::clone(name)),
            (true, _, false) => effect.loses.push(Rc::clone(name)),
            (true, false, true) => effect.strands.push(Rc::clone(name)),
            (true, true, _) => effect.replaced += usize::from(new_revision),
            (false, false, _) => {}
        }
    }
    for names in [&mut effect.gains, &mut effect.loses, &mut effect.strands] {
        names.order_by(|a, b| natural_cmp(a, b));
    }
    let [_, desired] = effect.desired;
    if new_revision {
        effect.at_once = super::forecast::rolled_at_once(after, desired).min(effect.replaced);
        effect.surges = crate::controllers::daemonset::allows_surge(after);
    }
    effect
}
