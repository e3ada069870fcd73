//! How long a rollout takes, and how many nodes are without the agent meanwhile.
//!
//! Two ways to know. [`Rollout`] lets the engine do it: a new template on a copy of the cluster, step by step, in slices;
//! it sees dead nodes, full nodes and images that never get ready. [`forecast`] answers at once for any number of nodes: a
//! rollout on equal nodes is a number of equal waves, whose times come from the engine too, from clusters of a few nodes.
//! `tests/insight_forecast.rs` holds the one against the other.

use super::trial::{Trial, manifest_of};
use crate::apiserver::Change;
use crate::controllers::daemonset::{Rules, max_surge, max_unavailable};
use crate::kubelet::Behaviours;
use crate::objects::*;
use crate::order::Collect;
use crate::simulation::{Scenario, World};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::rc::Rc;

/// From so many waves on, every wave takes as long as the one before.
const MEASURED_WAVES: usize = 4;
/// Most steps of a cluster of a few nodes.
const MODEL_STEPS: usize = 100_000;

/// The budget of a rolling update. At most one of both is above 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Strategy {
    /// How many nodes may be without an available pod.
    pub max_unavailable: IntOrString,
    /// How many nodes may have two pods.
    pub max_surge: IntOrString,
}

impl Strategy {
    /// Old pods go first.
    pub fn unavailable(max: IntOrString) -> Self {
        Self { max_unavailable: max, max_surge: IntOrString::Int(0) }
    }

    /// New pods come first.
    pub fn surge(max: IntOrString) -> Self {
        Self { max_unavailable: IntOrString::Int(0), max_surge: max }
    }

    /// The budget of a DaemonSet; `None` for OnDelete, which has none.
    pub fn of(daemonset: &DaemonSet) -> Option<Self> {
        let strategy = &daemonset.spec.update_strategy;
        if strategy.type_ == ON_DELETE {
            return None;
        }
        let budget = strategy.rolling_update.as_ref();
        Some(Self {
            max_unavailable: budget.and_then(|b| b.max_unavailable.clone()).unwrap_or(IntOrString::Int(1)),
            max_surge: budget.and_then(|b| b.max_surge.clone()).unwrap_or(IntOrString::Int(0)),
        })
    }

    /// The budgets that people choose between.
    pub fn usual() -> Vec<Self> {
        let (one, percent) = (IntOrString::Int(1), |text: &str| IntOrString::String(text.into()));
        vec![
            Self::unavailable(one.clone()),
            Self::unavailable(percent("10%")),
            Self::unavailable(percent("25%")),
            Self::surge(one),
            Self::surge(percent("10%")),
        ]
    }

    /// Whether new pods come before old ones go.
    pub fn surges(&self, nodes: usize) -> bool {
        self.scaled(&self.max_surge, nodes) > 0
    }

    /// How many nodes are rolled at the same time; 1 where both budgets come to 0, as the controller does.
    pub fn at_once(&self, nodes: usize) -> usize {
        self.scaled(&self.max_surge, nodes).max(self.scaled(&self.max_unavailable, nodes)).max(1).min(nodes)
    }

    fn scaled(&self, budget: &IntOrString, nodes: usize) -> usize {
        let scaled = budget.scaled_up(i64::try_from(nodes).unwrap_or(i64::MAX)).unwrap_or(0);
        usize::try_from(scaled).unwrap_or(0)
    }

    fn as_patch(&self) -> serde_json::Value {
        let budget = json!({"maxUnavailable": self.max_unavailable, "maxSurge": self.max_surge});
        json!({"type": ROLLING_UPDATE, "rollingUpdate": budget})
    }
}

/// What is to be expected of a rollout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// The budget.
    pub strategy: Strategy,
    /// Nodes that run the agent.
    pub nodes: usize,
    /// Nodes that are rolled at the same time.
    pub at_once: usize,
    /// How many such groups, one after the other.
    pub waves: usize,
    /// From the change of the template to the last available pod, in virtual milliseconds; absent: it never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Nodes without a ready pod at the worst moment.
    pub uncovered: usize,
    /// Most pods beyond one for each node.
    pub extra_pods: usize,
}

/// What is to be expected of a rollout of the DaemonSet on `nodes` equal, healthy nodes with room, for each strategy. How
/// long pods take to start, to get ready and to go comes from the behaviours that match them.
pub fn forecast(
    daemonset: &DaemonSet,
    behaviours: &Behaviours,
    nodes: usize,
    strategies: &[Strategy],
) -> Vec<Forecast> {
    let mut times: [Option<WaveTimes>; 2] = [None, None];
    let one = |strategy: &Strategy| {
        let surges = strategy.surges(nodes);
        let [in_place, surging] = &mut times;
        let slot = if surges { surging } else { in_place };
        let wave = slot.get_or_insert_with(|| WaveTimes::measure(daemonset, behaviours, surges));
        let at_once = strategy.at_once(nodes);
        let waves = nodes.checked_div(at_once).map_or(0, |_| nodes.div_ceil(at_once));
        let duration_ms = wave.after(waves);
        Forecast {
            strategy: strategy.clone(),
            nodes,
            at_once,
            waves,
            duration_ms,
            uncovered: if surges { 0 } else { at_once },
            extra_pods: if surges { at_once } else { 0 },
        }
    };
    strategies.iter().map(one).collect()
}

/// When the first waves of a rollout are over.
struct WaveTimes {
    /// After 1, 2… waves, in milliseconds since the change; `None` where the rollout does not end.
    ends: Vec<Option<u64>>,
}

impl WaveTimes {
    fn measure(daemonset: &DaemonSet, behaviours: &Behaviours, surges: bool) -> Self {
        let one = IntOrString::Int(1);
        let strategy = if surges { Strategy::surge(one) } else { Strategy::unavailable(one) };
        let end = |nodes: usize| {
            let world = model(daemonset, behaviours, nodes);
            let mut rollout = Rollout::new(&world, &daemonset.metadata.key(), Some(&strategy)).ok()?;
            rollout.advance(MODEL_STEPS)?.duration_ms
        };
        Self { ends: (1..=MEASURED_WAVES).map(end).collect() }
    }

    /// When that many waves are over.
    fn after(&self, waves: usize) -> Option<u64> {
        let Some(index) = waves.checked_sub(1) else { return Some(0) };
        if let Some(end) = self.ends.get(index) {
            return *end;
        }
        let [.., before, last] = self.ends.as_slice() else { return None };
        let (before, last) = ((*before)?, (*last)?);
        let more = u64::try_from(waves.saturating_sub(self.ends.len())).unwrap_or(u64::MAX);
        Some(last.saturating_add(last.saturating_sub(before).saturating_mul(more)))
    }
}

/// A cluster of equal nodes that run the DaemonSet, with room for everything. What decides where pods go is left out; what
/// decides how they live, and whether two of them can be on a node, stays.
fn model(daemonset: &DaemonSet, behaviours: &Behaviours, nodes: usize) -> World {
    let mut set = daemonset.clone();
    let spec = &mut Rc::make_mut(&mut set.spec.template).spec;
    spec.node_name = "".into();
    spec.node_selector = StringMap::default();
    spec.priority_class_name.clear();
    spec.service_account_name.clear();
    spec.runtime_class_name = None;
    spec.volumes = Rc::default();
    if let Some(affinity) = &mut spec.affinity {
        Rc::make_mut(affinity).node_affinity = None;
    }
    for containers in [&mut spec.containers, &mut spec.init_containers] {
        for container in Rc::make_mut(containers) {
            // What the model has not got would hold the pods back.
            for field in ["volumeMounts", "volumeDevices", "env", "envFrom"] {
                container.other.remove(field);
            }
            // Requests could fill a node; limits stay, since they decide who is killed.
            if let Some(resources) = &mut container.resources {
                resources.requests =
                    resources.limits.keys().map(|name| (name.clone(), Quantity::default())).collect_map().into();
                Rc::make_mut(&mut resources.limits).retain(|name, _| name == MEMORY || name == CPU);
            }
        }
    }
    let scenario = Scenario { behaviours: behaviours.clone(), ..Scenario::default() };
    let node = |number: u32| {
        Object::from(NodeTemplate::Recorded.node(&format!("node-{number}"), number, scenario.start)).to_value()
    };
    let mut objects: Vec<_> = (1..=u32::try_from(nodes).unwrap_or(u32::MAX)).map(node).collect();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": set.metadata.namespace}});
    objects.push(namespace);
    let mut trial = Trial::new(World::new(&Scenario { objects, ..scenario }));
    if trial.apply(&[manifest_of(&set)]).is_ok() {
        trial.settle(MODEL_STEPS);
    }
    trial.world().clone()
}

/// What a rollout really did on a copy of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutResult {
    /// Nodes that should run the agent.
    pub nodes: usize,
    /// From the change to the last available pod, in virtual milliseconds; absent: it never ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Nodes without a ready pod before the change.
    pub uncovered_before: usize,
    /// Nodes without a ready pod at the worst moment.
    pub uncovered: usize,
    /// Most pods beyond one for each node.
    pub extra_pods: usize,
    /// Nodes whose pod is the new one at the end.
    pub updated: usize,
    /// For a rollout that did not end: nodes without a ready pod when nothing went on.
    pub uncovered_after: usize,
}

/// A rollout on a copy of a cluster, made in slices.
#[derive(Clone, Debug)]
pub struct Rollout {
    trial: Trial,
    key: ObjectKey,
    started_ms: u64,
    coverage: Coverage,
    result: RolloutResult,
}

impl Rollout {
    /// Changes the template of a DaemonSet on a copy of the world, after the strategy if one is given. The world should be
    /// quiet; if it is not, what goes on there goes on here too.
    ///
    /// # Errors
    /// What kubectl printed when the change was refused.
    pub fn new(world: &World, key: &ObjectKey, strategy: Option<&Strategy>) -> Result<Self, String> {
        let mut trial = Trial::new(world.clone());
        if let Some(strategy) = strategy {
            // A merge patch, so that a budget of the other kind does not stay.
            trial.patch(key, &json!({"spec": {"updateStrategy": strategy.as_patch()}}))?;
            trial.settle(MODEL_STEPS);
        }
        let annotation = json!({"daemonset-playground/rollout": "forecast"});
        Self::begin(trial, key, |trial| {
            trial.patch(key, &json!({"spec": {"template": {"metadata": {"annotations": annotation}}}}))
        })
    }

    /// Applies a manifest on a copy of the world and follows the rollout of one of its DaemonSets.
    ///
    /// # Errors
    /// What kubectl printed when the manifest was refused.
    pub fn of_manifest(world: &World, key: &ObjectKey, text: &str) -> Result<Self, String> {
        let files = [("trial.yaml".to_owned(), text.to_owned())].into_iter().collect_map();
        Self::begin(Trial::new(world.clone()), key, |trial| trial.run("kubectl apply -f trial.yaml", &files))
    }

    fn begin(
        mut trial: Trial,
        key: &ObjectKey,
        change: impl FnOnce(&mut Trial) -> Result<Rc<[Change]>, String>,
    ) -> Result<Self, String> {
        let uncovered_before = Coverage::of(&trial, key).uncovered();
        change(&mut trial)?;
        // The change may have moved the set of eligible nodes.
        let coverage = Coverage::of(&trial, key);
        let result = RolloutResult {
            nodes: coverage.nodes.len(),
            duration_ms: None,
            uncovered_before,
            uncovered: coverage.uncovered(),
            extra_pods: 0,
            updated: 0,
            uncovered_after: 0,
        };
        let started_ms = trial.world().now_ms();
        Ok(Self { trial, key: key.clone(), started_ms, coverage, result })
    }

    /// Goes on for at most `budget` steps. `None`: it is not over yet.
    pub fn advance(&mut self, budget: usize) -> Option<RolloutResult> {
        for _ in 0..budget {
            if self.is_complete() {
                let took = self.trial.world().now_ms().saturating_sub(self.started_ms);
                return Some(self.finish(Some(took)));
            }
            let Some(changes) = self.trial.step() else { return Some(self.finish(None)) };
            if self.coverage.see(&changes) {
                self.result.uncovered = self.result.uncovered.max(self.coverage.uncovered());
                self.result.extra_pods = self.result.extra_pods.max(self.coverage.extra());
            }
        }
        None
    }

    /// How many nodes have the new pod, and of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.updated(), self.result.nodes)
    }

    /// The copy as it is now.
    pub fn world(&self) -> &World {
        self.trial.world()
    }

    fn set(&self) -> Option<&Rc<DaemonSet>> {
        self.trial.world().store().daemon_set(&self.key)
    }

    fn updated(&self) -> usize {
        self.set().map_or(0, |set| usize::try_from(set.status.updated_number_scheduled).unwrap_or(0))
    }

    /// What `kubectl rollout status` waits for.
    fn is_complete(&self) -> bool {
        self.set().is_some_and(|set| {
            let status = &set.status;
            status.observed_generation >= set.metadata.generation
                && status.updated_number_scheduled >= status.desired_number_scheduled
                && status.number_available >= status.desired_number_scheduled
        })
    }

    fn finish(&mut self, duration_ms: Option<u64>) -> RolloutResult {
        self.result.duration_ms = duration_ms;
        self.result.updated = self.updated();
        self.result.uncovered_after = self.coverage.uncovered();
        self.result.clone()
    }
}

/// Which nodes have the agent, kept up to date change by change.
#[derive(Clone, Debug, Default)]
struct Coverage {
    uid: Rc<str>,
    /// The nodes that should have a pod, with the number of their ready pods and of all their pods. Pods on their way out
    /// no longer count.
    nodes: BTreeMap<Rc<str>, (usize, usize)>,
    covered: usize,
    pods: usize,
}

impl Coverage {
    fn of(trial: &Trial, key: &ObjectKey) -> Self {
        let store = trial.world().store();
        let mut coverage = Self::default();
        let Some(set) = store.daemon_set(key) else { return coverage };
        coverage.uid = Rc::clone(&set.metadata.uid);
        let rules = Rules::of(set);
        let eligible = store.nodes().values().filter(|node| rules.eligibility(node).should_run);
        coverage.nodes = eligible.map(|node| (Rc::clone(&node.metadata.name), (0, 0))).collect_map();
        for pod in store.pods_controlled_by(&coverage.uid.clone()) {
            coverage.count(pod, true);
        }
        coverage
    }

    fn uncovered(&self) -> usize {
        self.nodes.len().saturating_sub(self.covered)
    }

    fn extra(&self) -> usize {
        self.pods.saturating_sub(self.nodes.len())
    }

    /// Whether anything changed.
    fn see(&mut self, changes: &[Change]) -> bool {
        let mut changed = false;
        for change in changes {
            for (object, more) in [(&change.before, false), (&change.after, true)] {
                if let Some(Object::Pod(pod)) = object
                    && pod.metadata.is_controlled_by(&self.uid)
                {
                    self.count(pod, more);
                    changed = true;
                }
            }
        }
        changed
    }

    fn count(&mut self, pod: &Pod, more: bool) {
        if pod.is_terminating() || pod.is_finished() {
            return;
        }
        let Some((ready, pods)) = pod.target_node().and_then(|node| self.nodes.get_mut(node)) else { return };
        let step = |n: &mut usize| *n = if more { n.saturating_add(1) } else { n.saturating_sub(1) };
        step(pods);
        step(&mut self.pods);
        if pod.is_ready() {
            let had = *ready > 0;
            step(ready);
            let has = *ready > 0;
            match (had, has) {
                (false, true) => self.covered = self.covered.saturating_add(1),
                (true, false) => self.covered = self.covered.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// The number of nodes that a DaemonSet rolls at once where it desires `nodes` pods, as the controller reads its own
/// budget; 0 for OnDelete.
pub fn rolled_at_once(daemonset: &DaemonSet, nodes: usize) -> usize {
    if daemonset.spec.update_strategy.type_ == ON_DELETE {
        return 0;
    }
    let budget = max_surge(daemonset, nodes).unwrap_or(0).max(max_unavailable(daemonset, nodes).unwrap_or(0));
    usize::try_from(budget).unwrap_or(0).max(1).min(nodes)
}
