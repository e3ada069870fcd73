//! Clusters and plans in words.
//!
//! A cluster is `node: pod, pod | node !taint: | …`. A pod is `new` (current template) or `old`, then any of `ready`
//! (since a minute, or since `ready=5` seconds), `failed`, `succeeded`, `leaving` (a deletion was asked for),
//! `unbound`, `age=60` (seconds), `generation` (old hash, current template generation). A node is followed by
//! `!NoSchedule`, `!NoExecute` or `gone`.

use super::super::*;
use crate::objects::*;
use serde_json::json;
use std::rc::Rc;

pub const NOW: Time = Time(1_780_000_000);
pub const OLD_HASH: &str = "old";

/// A rolling update with these budgets (numbers, or texts for percentages).
pub fn rolling(max_unavailable: impl Into<serde_json::Value>, max_surge: impl Into<serde_json::Value>) -> DaemonSet {
    daemonset(json!({
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": max_unavailable.into(), "maxSurge": max_surge.into()},
    }))
}

pub fn on_delete() -> DaemonSet {
    daemonset(json!({"type": "OnDelete"}))
}

fn daemonset(strategy: serde_json::Value) -> DaemonSet {
    decode(json!({
        "metadata": {"name": "agent", "namespace": "default", "uid": "agent-uid", "generation": 2,
            "annotations": {"deprecated.daemonset.template.generation": "2", "team": "observability"}},
        "spec": {
            "selector": {"matchLabels": {"app": "agent"}},
            "template": {
                "metadata": {"labels": {"app": "agent"}},
                "spec": {"containers": [{"name": "agent", "image": "agent:v2"}]},
            },
            "updateStrategy": strategy,
        },
        "status": {"currentNumberScheduled": 0, "observedGeneration": 2},
    }))
    .unwrap()
}

/// The DaemonSet with minReadySeconds.
pub fn with_min_ready(mut daemonset: DaemonSet, seconds: i32) -> DaemonSet {
    daemonset.spec.min_ready_seconds = seconds;
    daemonset
}

#[derive(Clone, Default)]
pub struct Scene {
    pub nodes: Vec<Rc<Node>>,
    pub pods: Vec<Rc<Pod>>,
    pub revisions: Vec<Rc<ControllerRevision>>,
    pub backoff: Backoff,
}

/// Reads a cluster. The pods are the DaemonSet's, and its current revision exists.
pub fn scene(daemonset: &DaemonSet, text: &str) -> Scene {
    let mut scene = Scene::default();
    for place in text.split('|').map(str::trim).filter(|place| !place.is_empty()) {
        let (head, pods) = place.split_once(':').unwrap_or((place, ""));
        let mut words = head.split_whitespace();
        let name = words.next().unwrap();
        let mut node = Node { metadata: ObjectMeta { name: name.into(), ..Default::default() }, ..Default::default() };
        let mut is_there = true;
        for word in words {
            match word.strip_prefix('!') {
                Some(effect) => Rc::make_mut(&mut node.spec.taints).push(Taint::new("dedicated", effect)),
                None => is_there = word != "gone",
            }
        }
        if is_there {
            scene.nodes.push(Rc::new(node));
        }
        for pod in pods.split(',').map(str::trim).filter(|pod| !pod.is_empty()) {
            let number = scene.pods.len();
            scene.pods.push(Rc::new(read_pod(daemonset, name, number, pod)));
        }
    }
    let (history, _) = construct_history(daemonset, &[], &[], &|_| None);
    scene.revisions.push(history.current.unwrap().revision);
    scene
}

fn read_pod(daemonset: &DaemonSet, node: &str, number: usize, text: &str) -> Pod {
    let current = controller_revision_hash(&daemonset.spec.template, None);
    let has = |word: &str| text.split_whitespace().any(|candidate| candidate == word);
    let seconds = |key: &str| {
        text.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse::<i64>().ok())
    };
    let is_new = has("new");
    assert!(is_new || has("old"), "{text} is neither old nor new");
    let generation = if is_new || has("generation") { "2" } else { "1" };
    let hash = if is_new { &current } else { OLD_HASH };
    let template = pod_template(&daemonset.spec.template, Some(generation), hash);
    let mut pod = pod_for_node(daemonset, &template, node);
    pod.metadata.name = format!("{node}-{}{number}", if is_new { "new" } else { "old" }).into();
    pod.metadata.uid = pod.metadata.name.clone();
    pod.metadata.creation_timestamp = Some(NOW.plus_seconds(-seconds("age").unwrap_or(120)));
    if !has("unbound") {
        Rc::make_mut(&mut pod.spec).node_name = node.into();
    }
    pod.status.phase = match () {
        () if has("failed") => FAILED,
        () if has("succeeded") => SUCCEEDED,
        () if has("unbound") => PENDING,
        () => RUNNING,
    }
    .into();
    if let Some(since) = seconds("ready").or(has("ready").then_some(60)) {
        pod.status.set_condition(PodCondition {
            type_: "Ready".into(),
            status: "True".into(),
            last_transition_time: Some(NOW.plus_seconds(-since)),
            ..Default::default()
        });
    }
    if has("leaving") {
        pod.metadata.deletion_timestamp = Some(NOW.plus_seconds(30));
    }
    pod
}

impl Scene {
    pub fn sync(&self, daemonset: &DaemonSet) -> SyncPlan {
        self.sync_at(daemonset, NOW.0 * 1000)
    }

    pub fn sync_at(&self, daemonset: &DaemonSet, now_ms: i64) -> SyncPlan {
        sync(&self.input(daemonset, now_ms))
    }

    pub fn input<'a>(&'a self, daemonset: &'a DaemonSet, now_ms: i64) -> SyncInput<'a> {
        SyncInput {
            now_ms,
            daemonset,
            nodes: &self.nodes,
            pods: &self.pods,
            revisions: &self.revisions,
            backoff: &self.backoff,
            earlier_writes_awaited: false,
            revision_named: &|_| None,
        }
    }
}

/// The first word of a reason.
fn word(reason: impl std::fmt::Debug) -> String {
    let text = format!("{reason:?}");
    text.split([' ', '{', '(']).next().unwrap().to_owned()
}

fn kind_of(pod: &Pod) -> &'static str {
    if pod.metadata.label(CONTROLLER_REVISION_HASH) == Some(OLD_HASH) { "old" } else { "new" }
}

/// What a plan does, in words: `create NODE REASON`, `delete NODE old REASON`.
pub fn actions(plan: &SyncPlan) -> Vec<String> {
    let creates = plan.creates().map(|creation| format!("create {} {}", creation.node, word(creation.reason)));
    let deletes = plan
        .deletes()
        .map(|deletion| format!("delete {} {} {}", deletion.node, kind_of(&deletion.pod), word(deletion.reason)));
    creates.chain(deletes).collect()
}

/// What a plan holds back: `hold NODE old REASON`.
pub fn held(plan: &SyncPlan) -> Vec<String> {
    let phases = std::iter::once(&plan.manage).chain(&plan.rolling_update);
    let line = |held: &Held| match &held.pod {
        Some(pod) => format!("hold {} {} {}", held.node, kind_of(pod), word(held.reason)),
        None => format!("hold {} {}", held.node, word(held.reason)),
    };
    phases.flat_map(|phase| &phase.held).map(line).collect()
}

/// One line, one reconcile: what it does.
#[track_caller]
pub fn expect_sync(daemonset: &DaemonSet, cluster: &str, expected: &[&str]) {
    let plan = scene(daemonset, cluster).sync(daemonset);
    assert_eq!(actions(&plan), expected, "{cluster}");
}

/// One line, one reconcile: what it does, and what it holds back.
#[track_caller]
pub fn expect_sync_and_held(daemonset: &DaemonSet, cluster: &str, expected: &[&str], expected_held: &[&str]) {
    let plan = scene(daemonset, cluster).sync(daemonset);
    assert_eq!(actions(&plan), expected, "{cluster}");
    assert_eq!(held(&plan), expected_held, "{cluster}");
}
