//! Which pod is looked at next, and which pods wait for a change.
//!
//! Follows kubernetes pkg/scheduler/backend/queue and plugins/queuesort, v1.36. There is no back-off: Kubernetes takes
//! pods out of back-off as soon as nothing else is to be done, and here nothing else ever takes time.

use super::framework::Plugin;
use super::plan::SchedulerReason;
use super::plugins::{node_affinity, scheduling_gates};
use super::requeue::{ClusterEvent, may_help};
use super::schedule::skip_reason;
use crate::apiserver::{Change, Store};
use crate::objects::*;
use crate::order::Order;
use rpds::RedBlackTreeMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Place in the queue: higher priority first, then who has waited longer. The serial number, drawn on each entry, stands
/// for the time of the entry; it is finer than any clock.
type Place = (Reverse<i32>, u64);

/// A set that costs nothing to copy.
type Keys = RedBlackTreeMap<ObjectKey, ()>;

/// A pod that no node takes.
#[derive(Debug)]
struct Waiting {
    /// What refused it; empty when there was no node.
    plugins: BTreeSet<Plugin>,
    /// The only nodes whose changes concern it; `None`: all.
    nodes: Option<Vec<Rc<str>>>,
}

/// The pods that the scheduler has to place. Part of the simulation's state; cloning is cheap.
///
/// The loop is: [`Self::pop`], plan, [`Self::finish`], commit, [`Self::observe`] for every change.
#[derive(Clone, Debug, Default)]
pub struct SchedulingQueue {
    active: RedBlackTreeMap<Place, ObjectKey>,
    places: RedBlackTreeMap<ObjectKey, Place>,
    waiting: RedBlackTreeMap<ObjectKey, Rc<Waiting>>,
    /// The waiting pods, by the nodes that concern them.
    waiting_for_node: RedBlackTreeMap<Rc<str>, Keys>,
    /// The waiting pods that every change may concern.
    waiting_for_any: Keys,
    entries: u64,
}

impl SchedulingQueue {
    /// A queue with all pods of the store that have to be placed, the oldest first.
    pub fn from_store(store: &Store) -> Self {
        let mut pending: Vec<&Rc<Pod>> = store.pods().values().filter(|pod| is_ready(pod)).collect();
        pending.order_by(|a, b| {
            let (a, b) = (&a.metadata, &b.metadata);
            a.creation_timestamp.cmp(&b.creation_timestamp).then_with(|| natural_cmp(&a.name, &b.name))
        });
        let mut queue = Self::default();
        pending.into_iter().for_each(|pod| queue.activate(pod));
        queue
    }

    /// The pod that is looked at next.
    pub fn next(&self) -> Option<&ObjectKey> {
        self.active.first().map(|(_, key)| key)
    }

    /// Takes out the pod that is looked at next.
    pub fn pop(&mut self) -> Option<ObjectKey> {
        let key = self.next()?.clone();
        self.deactivate(&key);
        Some(key)
    }

    /// Number of pods that are to be looked at.
    pub fn len(&self) -> usize {
        self.active.size()
    }

    /// Whether no pod is to be looked at.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Number of pods that no node took and that wait for a change.
    pub fn waiting(&self) -> usize {
        self.waiting.size()
    }

    /// Tells what came of a look at a pod, before its writes are carried out: a pod that no node took waits.
    pub fn finish(&mut self, pod: &Pod, reason: &SchedulerReason) {
        let key = pod.metadata.key();
        self.forget(&key);
        match reason {
            SchedulerReason::Unschedulable(failure) => self.wait(pod, failure.plugins.clone()),
            SchedulerReason::NoNodes => self.wait(pod, BTreeSet::new()),
            _ => {}
        }
    }

    /// Takes note of a change that was written: a new pod comes into the queue, one that is placed or gone leaves it,
    /// and pods that wait come back if the change may help them.
    pub fn observe(&mut self, store: &Store, change: &Change) {
        match (&change.before, &change.after) {
            (before @ (Some(Object::Pod(_)) | None), Some(Object::Pod(after))) => {
                let before = before.as_ref().and_then(as_pod);
                self.observe_own(before, after);
                ClusterEvent::of_pod(before, Some(after)).for_each(|event| self.wake(store, event));
            }
            (Some(Object::Pod(before)), None) => {
                self.forget(&before.metadata.key());
                ClusterEvent::of_pod(Some(before), None).for_each(|event| self.wake(store, event));
            }
            (Some(Object::Node(before)), Some(Object::Node(after))) => {
                ClusterEvent::of_node(Some(before), Some(after)).into_iter().for_each(|event| self.wake(store, event));
            }
            (None, Some(Object::Node(after))) => {
                ClusterEvent::of_node(None, Some(after)).into_iter().for_each(|event| self.wake(store, event))
            }
            (Some(Object::Node(before)), None) => {
                ClusterEvent::of_node(Some(before), None).into_iter().for_each(|event| self.wake(store, event))
            }
            (None, Some(Object::Unstructured(object))) if object.kind == "PersistentVolumeClaim" => {
                self.wake(store, ClusterEvent::ClaimAdded { namespace: &object.metadata.namespace });
            }
            _ => {}
        }
    }

    /// What a pod's change means for its own place.
    fn observe_own(&mut self, before: Option<&Pod>, after: &Pod) {
        let key = after.metadata.key();
        if !is_ready(after) {
            self.forget(&key);
        } else if let Some((Reverse(priority), _)) = self.places.get(&key) {
            if *priority != after.priority() {
                self.activate(after);
            }
        } else if self.waiting.contains_key(&key) {
            let changed = before.is_none_or(|b| b.spec != after.spec || b.metadata.labels != after.metadata.labels);
            if changed {
                self.activate(after);
            }
        } else if before.is_none_or(|before| !is_ready(before)) {
            self.activate(after);
        }
    }

    /// Brings back the waiting pods that the event may help, in the order of their names.
    fn wake(&mut self, store: &Store, event: ClusterEvent<'_>) {
        if self.waiting.is_empty() {
            return;
        }
        let of_node = event.node().and_then(|node| self.waiting_for_node.get(node));
        let concerned = of_node.into_iter().chain([&self.waiting_for_any]).flat_map(|keys| keys.keys());
        let mut helped: Vec<&Rc<Pod>> = concerned
            .filter(|key| self.waiting.get(*key).is_some_and(|waiting| helps(store, key, waiting, event)))
            .filter_map(|key| store.pod(key))
            .collect();
        helped.order_by(|a, b| natural_cmp(&a.metadata.name, &b.metadata.name));
        helped.into_iter().for_each(|pod| self.activate(pod));
    }

    fn activate(&mut self, pod: &Pod) {
        let key = pod.metadata.key();
        self.forget(&key);
        let place = (Reverse(pod.priority()), self.entries);
        self.entries = self.entries.saturating_add(1);
        self.active.insert_mut(place, key.clone());
        self.places.insert_mut(key, place);
    }

    fn deactivate(&mut self, key: &ObjectKey) {
        if let Some(place) = self.places.get(key).copied() {
            self.active.remove_mut(&place);
            self.places.remove_mut(key);
        }
    }

    fn wait(&mut self, pod: &Pod, plugins: BTreeSet<Plugin>) {
        let key = pod.metadata.key();
        // Rules about pods elsewhere look beyond the node that the pod is pinned to.
        let beyond = [Plugin::PodTopologySpread, Plugin::InterPodAffinity, Plugin::VolumeBinding];
        let nodes = match node_affinity::pinned_names(pod) {
            Some(names) if !beyond.iter().any(|plugin| plugins.contains(plugin)) => {
                Some(names.into_iter().map(Rc::from).collect::<Vec<Rc<str>>>())
            }
            _ => None,
        };
        match &nodes {
            None => self.waiting_for_any.insert_mut(key.clone(), ()),
            Some(nodes) => {
                for node in nodes {
                    let mut keys = self.waiting_for_node.get(node).cloned().unwrap_or_default();
                    keys.insert_mut(key.clone(), ());
                    self.waiting_for_node.insert_mut(node.clone(), keys);
                }
            }
        }
        self.waiting.insert_mut(key, Rc::new(Waiting { plugins, nodes }));
    }

    /// Takes the pod out, wherever it is.
    fn forget(&mut self, key: &ObjectKey) {
        self.deactivate(key);
        let Some(waiting) = self.waiting.get(key).cloned() else { return };
        self.waiting.remove_mut(key);
        self.waiting_for_any.remove_mut(key);
        for node in waiting.nodes.iter().flatten() {
            let mut keys = self.waiting_for_node.get(node).cloned().unwrap_or_default();
            keys.remove_mut(key);
            if keys.is_empty() {
                self.waiting_for_node.remove_mut(node);
            } else {
                self.waiting_for_node.insert_mut(node.clone(), keys);
            }
        }
    }
}

fn helps(store: &Store, key: &ObjectKey, waiting: &Waiting, event: ClusterEvent<'_>) -> bool {
    let Some(pod) = store.pod(key) else { return false };
    if waiting.plugins.is_empty() {
        return matches!(event, ClusterEvent::NodeAdded(_));
    }
    waiting.plugins.iter().any(|plugin| may_help(store, pod, *plugin, event))
}

/// Whether the pod belongs into the queue.
fn is_ready(pod: &Pod) -> bool {
    skip_reason(pod).is_none() && scheduling_gates::pre_enqueue(pod).is_empty()
}

fn as_pod(object: &Object) -> Option<&Pod> {
    match object {
        Object::Pod(pod) => Some(pod),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::plan::plan;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    /// A store and its queue, changed together.
    #[derive(Default)]
    struct World {
        store: Store,
        queue: SchedulingQueue,
    }

    impl World {
        fn put(&mut self, object: Object) {
            let before = self.store.put(object.clone());
            self.queue.observe(&self.store, &Change { before, after: Some(object) });
        }

        fn remove(&mut self, kind: Kind, key: &ObjectKey) {
            let before = self.store.remove(kind, key);
            self.queue.observe(&self.store, &Change { before, after: None });
        }

        fn remove_pod(&mut self, name: &str) {
            self.remove(Kind::Pod, &ObjectKey::new("default", name));
        }

        /// Looks at every pod in the queue, without carrying anything out; the names in their order.
        fn look(&mut self) -> Vec<String> {
            let mut names = Vec::new();
            while let Some(key) = self.queue.pop() {
                names.push(key.name.to_string());
                let plan = plan(&self.store, &key, Time(0));
                let pod = self.store.pod(&key).cloned().unwrap();
                self.queue.finish(&pod, &plan.reason);
            }
            names
        }
    }

    /// A world in which these pods have been found not to fit.
    fn stuck(objects: Vec<Object>) -> World {
        let mut world = World::default();
        objects.into_iter().for_each(|object| world.put(object));
        world.look();
        assert!(world.queue.is_empty() && world.queue.waiting() > 0);
        world
    }

    fn full(node: &str) -> Object {
        pod("full", json!({"nodeName": node, "requests": {"cpu": "4"}}))
    }

    fn pinned(name: &str, node: &str) -> Object {
        let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
        pod(
            name,
            json!({"requests": {"cpu": "1"}, "affinity": {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [field]}]},
            }}}),
        )
    }

    #[test]
    fn higher_priority_goes_first_then_who_came_first() {
        let mut world = World::default();
        for (name, priority) in [("b", 0), ("a", 0), ("urgent", 5), ("low", -1)] {
            world.put(pod(name, json!({"priority": priority})));
        }
        assert_eq!(world.look(), ["urgent", "b", "a", "low"]);
    }

    #[test]
    fn only_pods_that_have_to_be_placed_come_in() {
        let mut world = World::default();
        world.put(pod("gated", json!({"schedulingGates": [{"name": "a.io/x"}]})));
        world.put(pod("bound", json!({"nodeName": "n1"})));
        world.put(pod("other", json!({"schedulerName": "mine"})));
        world.put(pod("gone", json!({})));
        world.remove_pod("gone");
        assert!(world.queue.is_empty());
        world.put(pod("gated", json!({})));
        assert_eq!(world.look(), ["gated"]);
    }

    #[test]
    fn a_queue_made_from_a_store_has_the_oldest_first() {
        let at = |name: &str, second: i64| pod(name, json!({"creationTimestamp": Time(second).to_string()}));
        let store = store(vec![at("p10", 1), at("p9", 1), at("first", 0), pod("bound", json!({"nodeName": "n"}))]);
        let mut world = World { queue: SchedulingQueue::from_store(&store), store };
        assert_eq!(world.look(), ["first", "p9", "p10"]);
    }

    #[test]
    fn room_on_the_node_brings_the_pod_back() {
        let mut world = stuck(vec![node("n1", json!({})), full("n1"), pod("p", json!({"requests": {"cpu": "1"}}))]);
        world.put(pod("elsewhere", json!({"nodeName": "n2"})));
        world.remove_pod("elsewhere");
        assert_eq!(world.look(), Vec::<String>::new());
        let Object::Pod(leaving) = full("n1") else { panic!() };
        let mut finished = Pod::clone(&leaving);
        finished.status.phase = "Succeeded".into();
        world.put(finished.into());
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn changes_on_other_nodes_do_not_wake_a_pinned_pod() {
        let mut world = stuck(vec![
            node("n1", json!({})),
            node("n2", json!({})),
            full("n1"),
            pod("other", json!({"nodeName": "n2", "requests": {"cpu": "4"}})),
            pinned("ds-1", "n1"),
        ]);
        world.remove_pod("other");
        world.put(node("n3", json!({})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.remove_pod("full");
        assert_eq!(world.look(), ["ds-1"]);
    }

    #[test]
    fn a_nodes_change_must_concern_what_refused_the_pod() {
        let taint = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
        let tainted = |extra: Value| {
            let mut tree = taint.clone();
            merge(&mut tree, extra);
            node("n1", tree)
        };
        let mut world = stuck(vec![tainted(json!({})), pod("p", json!({}))]);
        world.put(tainted(json!({"labels": {"a": "b"}, "allocatable": {"cpu": "64"}})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(node("n1", json!({})));
        assert_eq!(world.look(), ["p"]);

        let mut world = stuck(vec![node("n1", json!({})), pod("p", json!({"nodeSelector": {"a": "b"}}))]);
        world.put(node("n1", json!({"labels": {"a": "c"}})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(node("n1", json!({"labels": {"a": "b"}})));
        assert_eq!(world.look(), ["p"]);

        let mut world = stuck(vec![node("n1", json!({"unschedulable": true})), pod("p", json!({}))]);
        world.put(node("n1", json!({})));
        assert_eq!(world.look(), ["p"]);

        let mut world = stuck(vec![node("n1", json!({})), pod("p", json!({"requests": {"cpu": "5"}}))]);
        world.put(node("n1", json!({"allocatable": {"memory": "64Gi"}})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(node("n1", json!({"allocatable": {"cpu": "5"}})));
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn a_new_node_that_would_do_helps() {
        let mut world = stuck(vec![pod("p", json!({"requests": {"cpu": "1"}}))]);
        world.put(node("n1", json!({"allocatable": {"cpu": "500m"}})));
        assert_eq!(world.look(), ["p"], "the first node of all is always looked at");
        world.put(node("n2", json!({"allocatable": {"cpu": "500m"}})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(node("n3", json!({})));
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn a_freed_port_helps_only_who_wants_it() {
        let with_port = |name: &str, port: i64, node: &str| {
            let containers = json!([{"name": "c", "ports": [{"containerPort": 1, "hostPort": port}]}]);
            pod(name, json!({"nodeName": node, "containers": containers}))
        };
        let mut world = stuck(vec![
            node("n1", json!({})),
            with_port("holder", 80, "n1"),
            with_port("other", 81, "n1"),
            with_port("p", 80, ""),
        ]);
        world.remove_pod("other");
        assert_eq!(world.look(), Vec::<String>::new());
        world.remove_pod("holder");
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn pods_elsewhere_wake_who_has_rules_about_them() {
        let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "cache"}}});
        let wants = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}});
        let mut world = stuck(vec![node("n1", json!({"labels": {"zone": "a"}})), pod("p", wants)]);
        world.put(pod("other", json!({"nodeName": "n1"})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(pod("cache", json!({"nodeName": "n1", "labels": {"app": "cache"}})));
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn a_pods_own_change_brings_it_back_but_its_status_does_not() {
        let mut world = stuck(vec![node("n1", json!({})), pod("p", json!({"requests": {"cpu": "5"}}))]);
        let condition = json!([{"type": "PodScheduled", "status": "False"}]);
        world.put(pod("p", json!({"requests": {"cpu": "5"}, "conditions": condition})));
        assert_eq!(world.look(), Vec::<String>::new());
        world.put(pod("p", json!({"requests": {"cpu": "4"}})));
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn a_withdrawn_nomination_frees_its_room() {
        let promised = json!({"priority": 1, "nominatedNodeName": "n1", "requests": {"cpu": "4"}});
        let mut world = World::default();
        world.put(node("n1", json!({})));
        world.put(pod("first", promised));
        world.put(pod("p", json!({"requests": {"cpu": "1"}})));
        world.queue.pop();
        assert_eq!(world.look(), ["p"]);
        world.remove_pod("first");
        assert_eq!(world.look(), ["p"]);
    }

    #[test]
    fn a_claim_brings_back_who_mounts_it() {
        let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]);
        let mut world = stuck(vec![node("n1", json!({})), pod("p", json!({"volumes": volumes}))]);
        let claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
        });
        world.put(Object::from_value(claim).unwrap());
        assert_eq!(world.look(), ["p"]);
    }
}
