//! A small world: an API server, an agenda and the actors of this package's world, driven on virtual time. What changes
//! is told line by line, so that a test reads as a timeline.

use daemonset_playground::apiserver::*;
use daemonset_playground::controllers::node_lifecycle::{self, NodeLifecycleState};
use daemonset_playground::controllers::pod_gc::{self, PodGcState};
use daemonset_playground::controllers::replicaset::{self, ReplicaSetState};
use daemonset_playground::controllers::taint_eviction::{self, TaintEvictionState};
use daemonset_playground::controllers::{deployment, garbage_collector};
use daemonset_playground::kubelet::{self, Behaviours, Down, KubeletState};
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

pub const EPOCH: Time = Time(1_780_000_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    Kubelet,
    Scheduler,
    NodeLifecycle,
    TaintEviction,
    PodGc,
    ReplicaSet,
    Deployment,
    GarbageCollector,
}

pub struct World {
    pub server: ApiServer,
    pub ms: u64,
    pub kubelets: KubeletState,
    pub node_lifecycle: NodeLifecycleState,
    pub taint_eviction: TaintEvictionState,
    pub pod_gc: PodGcState,
    pub replica_sets: ReplicaSetState,
    agenda: BTreeSet<(u64, Actor, ObjectKey)>,
    /// Timers that only repeat what has happened before.
    background: BTreeSet<(u64, Actor, ObjectKey)>,
    pub lines: Vec<String>,
    pub turns: usize,
}

impl World {
    /// Nodes worker1…, ready, known to everybody.
    pub fn new(workers: u32) -> Self {
        let mut server = ApiServer::new(7, EPOCH);
        for number in 1..=workers {
            server.restore(NodeTemplate::Recorded.node(&format!("worker{number}"), number, EPOCH).into());
        }
        server.take_changes();
        let kubelets = KubeletState::new(server.store(), Behaviours::default());
        let node_lifecycle = NodeLifecycleState::new(server.store());
        Self {
            server,
            ms: 0,
            kubelets,
            node_lifecycle,
            taint_eviction: TaintEvictionState::default(),
            pod_gc: PodGcState::default(),
            replica_sets: ReplicaSetState::default(),
            agenda: BTreeSet::new(),
            background: BTreeSet::new(),
            lines: Vec::new(),
            turns: 0,
        }
    }

    pub fn behaviours(mut self, rules: Value) -> Self {
        self.kubelets = self.kubelets.with_behaviours(serde_json::from_value(rules).unwrap());
        self
    }

    pub fn now(&self) -> Now {
        Now::at(EPOCH, self.ms)
    }

    pub fn store(&self) -> &Store {
        self.server.store()
    }

    pub fn pod(&self, name: &str) -> Rc<Pod> {
        self.store().pod(&key(name)).unwrap_or_else(|| panic!("no pod {name}")).clone()
    }

    pub fn node(&self, name: &str) -> Rc<Node> {
        self.store().node_named(name).unwrap_or_else(|| panic!("no node {name}")).clone()
    }

    /// A person's request.
    pub fn commit(&mut self, write: Write) -> Object {
        self.server.set_now(self.now().time);
        let object = self.server.commit(write).unwrap();
        self.changed();
        object
    }

    pub fn create(&mut self, tree: Value) -> Object {
        self.commit(Write::Create(Object::from_value(tree).unwrap()))
    }

    /// A plain pod with one container `main`, bound to a node.
    pub fn create_pod(&mut self, name: &str, image: &str, node: &str) {
        self.create(pod(name, image, node));
    }

    pub fn delete_pod(&mut self, name: &str) {
        let delete = Delete::pod(&self.pod(name));
        self.commit(Write::Delete(delete));
    }

    pub fn delete_pod_now(&mut self, name: &str) {
        let delete = Delete::pod_now(&self.pod(name));
        self.commit(Write::Delete(delete));
    }

    pub fn stop_kubelet(&mut self, node: &str, how: Down) {
        self.kubelets = self.kubelets.stop(node, how, self.now());
        self.enqueue(Actor::NodeLifecycle, node_lifecycle::on_silence(self.now()));
    }

    pub fn start_kubelet(&mut self, node: &str) {
        let (state, timers) = self.kubelets.start(self.server.store(), node, self.now());
        self.kubelets = state;
        self.enqueue(Actor::Kubelet, timers);
    }

    pub fn kubelet_reports(&mut self, node: &str, type_: &str, status: &str) {
        let said = NodeCondition { type_: type_.into(), status: status.into(), ..NodeCondition::default() };
        let plan = kubelet::report(self.server.store(), &self.kubelets, node, said, self.now());
        self.kubelets = plan.state;
        self.carry_out(plan.writes);
    }

    pub fn edit_node(&mut self, name: &str, edit: impl FnOnce(&mut Node)) {
        let mut node = (*self.node(name)).clone();
        edit(&mut node);
        self.commit(Write::Update(node.into()));
    }

    /// `kubectl taint`: `key=value:Effect`, `key:Effect`, or either with `-` to take it off.
    pub fn taint(&mut self, node: &str, text: &str) {
        self.edit_node(node, |node| {
            let taints = Rc::make_mut(&mut node.spec.taints);
            let (keyed, effect) = text.trim_end_matches('-').split_once(':').unwrap();
            let (key, value) = keyed.split_once('=').unwrap_or((keyed, ""));
            let taint = Taint { value: value.into(), ..Taint::new(key, effect) };
            taints.retain(|present| !present.matches(&taint));
            if !text.ends_with('-') {
                taints.push(taint);
            }
        });
    }

    pub fn cordon(&mut self, node: &str, on: bool) {
        self.edit_node(node, |node| node.spec.unschedulable = on);
    }

    /// A machine joins: its kubelet registers it, and admission adds the not-ready taint.
    pub fn add_node(&mut self, name: &str, number: u32, ready: bool) {
        let mut node = NodeTemplate::Recorded.node(name, number, self.now().time).registering();
        if !ready {
            let not_ready = node.condition("Ready").unwrap().clone();
            node = node.with_condition(NodeCondition {
                status: "False".into(),
                reason: "KubeletNotReady".into(),
                message: "container runtime network not ready".into(),
                ..not_ready
            });
        }
        self.commit(Write::Create(node.into()));
    }

    pub fn delete_node(&mut self, name: &str) {
        let node = self.node(name);
        self.commit(Write::Delete(Delete {
            kind: Kind::Node,
            key: ObjectKey::cluster(name),
            uid: Some(node.metadata.uid.clone()),
            grace_period_seconds: None,
            propagation: Propagation::Background,
        }));
    }

    pub fn look(&mut self, actor: Actor, key: ObjectKey) {
        self.agenda.insert((self.ms, actor, key));
    }

    /// Lets time pass up to a second.
    pub fn run_to(&mut self, second: f64) {
        let end = (second * 1000.0).round() as u64;
        while self.next_ms().is_some_and(|at| at <= end) {
            self.turn();
        }
        self.ms = end;
    }

    /// Lets everything happen that is due but for endless repetitions.
    pub fn run_to_quiet(&mut self) {
        for _ in 0..10_000 {
            if self.agenda.iter().all(|entry| self.background.contains(entry)) {
                return;
            }
            self.turn();
        }
        panic!("the world does not come to rest:\n{}", self.lines.join("\n"));
    }

    pub fn is_quiet(&self) -> bool {
        self.agenda.is_empty()
    }

    fn next_ms(&self) -> Option<u64> {
        self.agenda.first().map(|(at, ..)| *at)
    }

    fn turn(&mut self) {
        let Some(entry) = self.agenda.pop_first() else { return };
        self.background.remove(&entry);
        let (at, actor, key) = entry;
        self.ms = self.ms.max(at);
        self.turns += 1;
        let now = self.now();
        let store = self.server.store();
        match actor {
            Actor::Kubelet => {
                let plan = kubelet::plan(store, &key, self.kubelets.clone(), now);
                self.kubelets = plan.state;
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
            Actor::Scheduler => self.schedule(&key),
            Actor::NodeLifecycle => {
                let silent = |node: &str| self.kubelets.silent_since_ms(node);
                let plan = node_lifecycle::plan(store, &key, &self.node_lifecycle, &silent, now);
                self.node_lifecycle = plan.state;
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
            Actor::TaintEviction => {
                let plan = taint_eviction::plan(store, &key, &self.taint_eviction, now);
                self.taint_eviction = plan.state;
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
            Actor::ReplicaSet => {
                let Some(plan) = replicaset::plan(store, &key, now) else { return };
                self.server.set_now(now.time);
                let server = &mut self.server;
                let done = replicaset::carry_out(plan, &self.replica_sets, now, &mut |write| server.commit(write));
                self.replica_sets = done.state;
                self.enqueue(actor, done.timers);
                self.changed();
            }
            Actor::Deployment => {
                let plan = deployment::plan(store, &key, now);
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
            Actor::GarbageCollector => {
                let plan = garbage_collector::plan(store, &key, now);
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
            Actor::PodGc => {
                let plan = pod_gc::plan(store, &self.pod_gc, now);
                self.pod_gc = plan.state;
                self.enqueue(actor, plan.timers);
                self.carry_out(plan.writes);
            }
        }
    }

    fn carry_out(&mut self, writes: Vec<Write>) {
        self.server.set_now(self.now().time);
        for write in writes {
            // What has gone in the meantime needs no write.
            let _ = self.server.commit(write);
        }
        self.changed();
    }

    fn enqueue(&mut self, actor: Actor, timers: Vec<Timer>) {
        for timer in timers {
            let entry = (timer.at_ms, actor, timer.key);
            if timer.background {
                self.background.insert(entry.clone());
            }
            self.agenda.insert(entry);
        }
    }

    fn changed(&mut self) {
        for change in self.server.take_changes() {
            self.lines.extend(describe(self.ms, &change));
            let now = self.now();
            let timers = kubelet::on_change(&change, &self.kubelets, now);
            self.enqueue(Actor::Kubelet, timers);
            self.enqueue(Actor::NodeLifecycle, node_lifecycle::on_change(&change, now));
            let timers = taint_eviction::on_change(&change, self.server.store(), &self.taint_eviction, now);
            self.enqueue(Actor::TaintEviction, timers);
            self.enqueue(Actor::PodGc, pod_gc::on_change(&change, self.server.store(), now));
            self.enqueue(Actor::ReplicaSet, replicaset::on_change(&change, self.server.store(), now));
            self.enqueue(Actor::Deployment, deployment::on_change(&change, self.server.store(), now));
            self.enqueue(Actor::GarbageCollector, garbage_collector::on_change(&change, self.server.store(), now));
            if let Some(Object::Pod(pod)) = &change.after
                && !pod.is_bound()
            {
                self.agenda.insert((self.ms, Actor::Scheduler, pod.metadata.key()));
            }
        }
    }

    /// Binds a pod to the node it is pinned to or, else, to the node with the fewest pods whose taints it tolerates.
    fn schedule(&mut self, key: &ObjectKey) {
        let Some(pod) = self.store().pod(key).filter(|pod| !pod.is_bound()).cloned() else { return };
        let effects = [NO_SCHEDULE, NO_EXECUTE];
        let tolerated =
            |node: &&Rc<Node>| find_untolerated_taint(&node.spec.taints, &pod.spec.tolerations, &effects).is_none();
        let fits = |node: &&Rc<Node>| pod.pinned_node().is_none_or(|pinned| pinned == &**node.name());
        let nodes = self.store().nodes().values().filter(tolerated).filter(fits);
        let best = nodes.min_by_key(|node| self.store().pods_on(node.name()).count());
        if let Some(node) = best.map(|node| node.name().clone()) {
            self.carry_out(vec![Write::Bind { pod: key.clone(), node }]);
        }
    }

    /// Lines about objects whose name contains one of the texts.
    pub fn about(&self, texts: &[&str]) -> Vec<&str> {
        let told = |line: &&String| texts.iter().any(|text| line.contains(text));
        self.lines.iter().filter(told).map(String::as_str).collect()
    }

    /// The lines from a second on that are about no event.
    pub fn since(&self, second: f64) -> Vec<&str> {
        let late = |line: &&String| line.split(' ').next().unwrap().parse::<f64>().unwrap() >= second;
        self.lines.iter().filter(late).filter(|line| !line.contains(" event ")).map(String::as_str).collect()
    }

    pub fn clear(&mut self) {
        self.lines.clear();
    }
}

pub fn key(name: &str) -> ObjectKey {
    ObjectKey::new("default", name)
}

pub fn pod(name: &str, image: &str, node: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "nodeName": node, "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "main", "image": image}],
        },
    })
}

/// What a change was, in the words of the recordings.
fn describe(ms: u64, change: &Change) -> Vec<String> {
    let t = format!("{:.1}", ms as f64 / 1000.0);
    let mut lines = Vec::new();
    let mut line = |text: String| lines.push(format!("{t} {text}"));
    match (&change.before, &change.after) {
        (before, Some(Object::Event(event))) => {
            let times = if before.is_some() { format!(" (x{})", event.count) } else { String::new() };
            line(format!("{} event {}: {}{times}", event.involved_object.name, event.reason, event.message));
        }
        (before, Some(Object::Pod(pod))) => {
            let name = &pod.metadata.name;
            let before = match before {
                Some(Object::Pod(before)) => (**before).clone(),
                _ => {
                    line(format!("{name} created"));
                    Pod::default()
                }
            };
            if pod.is_bound() && !before.is_bound() {
                line(format!("{name} on {}", pod.spec.node_name));
            }
            if pod.status.phase != before.status.phase && pod.status.phase != PENDING {
                line(format!("{name} {}{}", pod.status.phase, bracket(&pod.status.reason)));
            }
            let states = |pod: &Pod| {
                let all = pod.status.init_container_statuses.iter().chain(pod.status.container_statuses.iter());
                all.map(container_word).collect::<Vec<_>>().join(",")
            };
            if states(pod) != states(&before) && !states(pod).is_empty() {
                line(format!("{name} containers {}", states(pod)));
            }
            if pod.is_ready() != before.is_ready() {
                line(format!("{name} ready {}", if pod.is_ready() { "True" } else { "False" }));
            }
            let target = |pod: &Pod| pod.status.condition("DisruptionTarget").map(|c| c.reason.clone());
            if target(pod) != target(&before) {
                line(format!("{name} DisruptionTarget {}", target(pod).unwrap_or_default()));
            }
            if pod.is_terminating() && !before.is_terminating() {
                let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
                line(format!("{name} deletion-requested {grace}"));
            }
            let owner = |pod: &Pod| pod.metadata.controller().map_or("none".to_owned(), |o| o.name.to_string());
            if owner(pod) != owner(&before) && before != Pod::default() {
                line(format!("{name} owner {}", owner(pod)));
            }
        }
        (Some(Object::Pod(pod)), None) => line(format!("{} removed", pod.metadata.name)),
        (before, Some(Object::Node(node))) => {
            let name = node.name();
            let before = match before {
                Some(Object::Node(before)) => (**before).clone(),
                _ => {
                    line(format!("{name} created"));
                    Node::default()
                }
            };
            for condition in node.status.conditions.iter() {
                if before.condition(&condition.type_).map(|c| &c.status) != Some(&condition.status) {
                    line(format!("{name} {} {} ({})", condition.type_, condition.status, condition.reason));
                }
            }
            let taints = |node: &Node| {
                let mut texts: Vec<String> = node.spec.taints.iter().map(Taint::to_string).collect();
                texts.sort();
                texts.join(" ")
            };
            if taints(node) != taints(&before) {
                line(format!("{name} taints [{}]", taints(node)));
            }
        }
        (Some(Object::Node(node)), None) => line(format!("{} removed", node.name())),
        (before, after) => {
            let object = after.as_ref().or(before.as_ref()).unwrap();
            let what = match (before, after) {
                (None, _) => "created",
                (_, None) => "removed",
                _ => "changed",
            };
            line(format!("{}/{} {what}", object.kind_name(), object.metadata().name));
        }
    }
    lines
}

fn bracket(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

fn container_word(status: &ContainerStatus) -> String {
    let state = &status.state;
    let word = if let Some(waiting) = &state.waiting {
        waiting.reason.clone()
    } else if let Some(ended) = &state.terminated {
        format!("{}:{}", ended.reason, ended.exit_code)
    } else if state.running.is_some() {
        if status.ready { "ready".into() } else { "running".into() }
    } else {
        "-".into()
    };
    if status.restart_count > 0 { format!("{word}/{}", status.restart_count) } else { word }
}
