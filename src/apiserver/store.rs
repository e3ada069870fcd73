//! The store: all objects, persistent (structure-sharing), so that a snapshot for every step costs only what the
//! step changed.

use crate::objects::*;
use rpds::RedBlackTreeMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects of one kind by namespace and name. Cloning is cheap.
pub type Table<T> = RedBlackTreeMap<ObjectKey, Rc<T>>;

/// Pod keys grouped by something (a node name, an owner's uid).
type Index = RedBlackTreeMap<Rc<str>, RedBlackTreeMap<ObjectKey, ()>>;

/// Everything the API server remembers. Cloning is cheap; clones share what they have in common.
///
/// Invariant: the indexes list exactly the pods of `pods`, under the node each is bound or pinned to (all others in a
/// group of their own) and under the uid of its controller; unbound pods also under the node they are nominated to, and pods with affinity to other pods in
/// one group, those with required anti-affinity in another. `usage_by_node` is the sum over the pods that occupy each node; a node without any has no entry.
#[derive(Clone, Debug, Default)]
pub struct Store {
    namespaces: Table<Namespace>,
    nodes: Table<Node>,
    pods: Table<Pod>,
    daemon_sets: Table<DaemonSet>,
    deployments: Table<Deployment>,
    replica_sets: Table<ReplicaSet>,
    controller_revisions: Table<ControllerRevision>,
    priority_classes: Table<PriorityClass>,
    pod_disruption_budgets: Table<PodDisruptionBudget>,
    runtime_classes: Table<RuntimeClass>,
    events: Table<Event>,
    /// By API version, kind, namespace and name.
    unstructured: RedBlackTreeMap<(Rc<str>, Rc<str>, ObjectKey), Rc<Unstructured>>,
    pods_by_node: Index,
    pods_by_controller: Index,
    pods_by_nominated_node: Index,
    pods_by_affinity: Index,
    pods_with_anti_affinity: Index,
    usage_by_node: RedBlackTreeMap<Rc<str>, Rc<NodeUsage>>,
}

/// From one in so many pods on, a group's pods are found by walking over all of them.
const WALK_FROM_SHARE: usize = 8;

/// The group of the pods that are on no node and pinned to none; no node can have this name.
const NO_NODE: &str = "/";

/// The one group of an index that only says yes or no.
const YES: &str = "";

macro_rules! tables {
    ($($kind:ident, $field:ident, $one:ident;)*) => {
        impl Store {
            $(
                #[doc = concat!("All objects of kind ", stringify!($kind), ", by namespace and name.")]
                pub fn $field(&self) -> &Table<$kind> {
                    &self.$field
                }

                #[doc = concat!("One object of kind ", stringify!($kind), ".")]
                pub fn $one(&self, key: &ObjectKey) -> Option<&Rc<$kind>> {
                    self.$field.get(key)
                }
            )*

            /// One object of a typed kind.
            pub fn get(&self, kind: Kind, key: &ObjectKey) -> Option<Object> {
                match kind {
                    $(Kind::$kind => self.$field.get(key).cloned().map(Object::$kind),)*
                }
            }

            /// All objects of a typed kind, by namespace and name.
            pub fn list(&self, kind: Kind) -> Vec<Object> {
                match kind {
                    $(Kind::$kind => self.$field.values().cloned().map(Object::$kind).collect(),)*
                }
            }

            /// Number of objects of a typed kind.
            pub fn count(&self, kind: Kind) -> usize {
                match kind {
                    $(Kind::$kind => self.$field.size(),)*
                }
            }

            /// Puts an object in, in place of one with the same key. Returns the one that was there.
            pub fn put(&mut self, object: Object) -> Option<Object> {
                let key = object.key();
                match object {
                    Object::Pod(pod) => self.put_pod(key, pod).map(Object::Pod),
                    Object::Unstructured(object) => self.put_unstructured(key, object).map(Object::Unstructured),
                    $(Object::$kind(object) => {
                        let before = self.$field.get(&key).cloned();
                        self.$field.insert_mut(key, object);
                        before.map(Object::$kind)
                    })*
                }
            }

            /// Takes an object out and returns it.
            pub fn remove(&mut self, kind: Kind, key: &ObjectKey) -> Option<Object> {
                match kind {
                    Kind::Pod => self.remove_pod(key).map(Object::Pod),
                    $(Kind::$kind => {
                        let before = self.$field.get(key).cloned()?;
                        self.$field.remove_mut(key);
                        Some(Object::$kind(before))
                    })*
                }
            }
        }
    };
}

#[allow(unreachable_patterns)] // Pods have an arm of their own, before the table's.
mod accessors {
    use super::*;
    tables! {
        Namespace, namespaces, namespace;
        Node, nodes, node;
        Pod, pods, pod;
        DaemonSet, daemon_sets, daemon_set;
        Deployment, deployments, deployment;
        ReplicaSet, replica_sets, replica_set;
        ControllerRevision, controller_revisions, controller_revision;
        PriorityClass, priority_classes, priority_class;
        PodDisruptionBudget, pod_disruption_budgets, pod_disruption_budget;
        RuntimeClass, runtime_classes, runtime_class;
        Event, events, event;
    }
}

impl Store {
    /// The node of this name.
    pub fn node_named(&self, name: &str) -> Option<&Rc<Node>> {
        self.nodes.get(&ObjectKey::cluster(name))
    }

    /// The pods that are bound to the node of this name or, not bound yet, pinned to it; by namespace and name.
    pub fn pods_on(&self, node: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.indexed(&self.pods_by_node, node)
    }

    /// The pods that are neither bound nor pinned to one node, by namespace and name.
    pub fn pods_without_node(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.indexed(&self.pods_by_node, NO_NODE)
    }

    /// The pods whose controller has this uid, by namespace and name. The empty uid stands for pods that nobody
    /// manages.
    pub fn pods_controlled_by(&self, uid: &str) -> impl Iterator<Item = &Rc<Pod>> {
        let keys = self.pods_by_controller.get(uid);
        // Of a large part of all pods, one walk over both lists is faster than a search for each.
        let many = keys.is_some_and(|keys| keys.size().saturating_mul(WALK_FROM_SHARE) >= self.pods.size());
        let walked = keys.filter(|_| many).map(|keys| Together { keys: keys.keys(), pods: self.pods.iter() });
        let searched = keys.filter(|_| !many).into_iter().flat_map(|keys| keys.keys());
        walked.into_iter().flatten().chain(searched.filter_map(|key| self.pods.get(key)))
    }

    /// The unbound pods for which preemption is making room on the node of this name, by namespace and name.
    pub fn pods_nominated_to(&self, node: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.indexed(&self.pods_by_nominated_node, node)
    }

    /// The pods with affinity or anti-affinity to other pods, required or preferred, by namespace and name.
    pub fn pods_with_pod_affinity(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.indexed(&self.pods_by_affinity, YES)
    }

    /// The pods with required anti-affinity to other pods, by namespace and name.
    pub fn pods_with_required_anti_affinity(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.indexed(&self.pods_with_anti_affinity, YES)
    }

    /// What the pods that occupy the node of this name take together; `None`: there are none.
    pub fn usage_of(&self, node: &str) -> Option<&NodeUsage> {
        self.usage_by_node.get(node).map(|usage| &**usage)
    }

    fn indexed<'a>(&'a self, index: &'a Index, group: &str) -> impl Iterator<Item = &'a Rc<Pod>> {
        index.get(group).into_iter().flat_map(|keys| keys.keys()).filter_map(|key| self.pods.get(key))
    }

    /// The objects of a namespaced kind's table that are in one namespace.
    pub fn in_namespace<'a, T>(table: &'a Table<T>, namespace: &str) -> impl Iterator<Item = &'a Rc<T>> {
        let namespace: Rc<str> = namespace.into();
        table
            .range(ObjectKey::new(namespace.clone(), "")..)
            .take_while(move |(key, _)| key.namespace == namespace)
            .map(|(_, object)| object)
    }

    /// An object of a kind that the simulation does not act on.
    pub fn unstructured(&self, api_version: &str, kind: &str, key: &ObjectKey) -> Option<&Rc<Unstructured>> {
        self.unstructured.get(&(api_version.into(), kind.into(), key.clone()))
    }

    /// All objects of the kinds that the simulation does not act on, by API version, kind, namespace and name.
    pub fn all_unstructured(&self) -> impl Iterator<Item = &Rc<Unstructured>> {
        self.unstructured.values()
    }

    /// Takes out an object of a kind that the simulation does not act on.
    pub fn remove_unstructured(&mut self, api_version: &str, kind: &str, key: &ObjectKey) -> Option<Object> {
        let key = (api_version.into(), kind.into(), key.clone());
        let before = self.unstructured.get(&key).cloned()?;
        self.unstructured.remove_mut(&key);
        Some(Object::Unstructured(before))
    }

    /// Every object, typed kinds first in the order of [`Kind::ALL`], then the others.
    pub fn all(&self) -> Vec<Object> {
        let typed = Kind::ALL.into_iter().flat_map(|kind| self.list(kind));
        typed.chain(self.unstructured.values().cloned().map(Object::Unstructured)).collect()
    }

    fn put_unstructured(&mut self, key: ObjectKey, object: Rc<Unstructured>) -> Option<Rc<Unstructured>> {
        let key = (object.api_version.as_str().into(), object.kind.as_str().into(), key);
        let before = self.unstructured.get(&key).cloned();
        self.unstructured.insert_mut(key, object);
        before
    }

    fn put_pod(&mut self, key: ObjectKey, pod: Rc<Pod>) -> Option<Rc<Pod>> {
        let before = self.pods.get(&key).cloned();
        self.reindex(&key, before.as_deref(), Some(&pod));
        self.pods.insert_mut(key, pod);
        before
    }

    fn remove_pod(&mut self, key: &ObjectKey) -> Option<Rc<Pod>> {
        let before = self.pods.get(key).cloned()?;
        self.reindex(key, Some(&before), None);
        self.pods.remove_mut(key);
        Some(before)
    }

    fn reindex(&mut self, key: &ObjectKey, before: Option<&Pod>, after: Option<&Pod>) {
        let update = |index, group: fn(&Pod) -> Option<&str>| {
            move_key(index, key, before.and_then(group), after.and_then(group));
        };
        update(&mut self.pods_by_node, |pod| Some(pod.target_node().unwrap_or(NO_NODE)));
        update(&mut self.pods_by_controller, |pod| Some(pod.metadata.controller().map_or("", |owner| &*owner.uid)));
        update(&mut self.pods_by_nominated_node, |pod| {
            let node = pod.status.nominated_node_name.as_str();
            (!node.is_empty() && !pod.is_bound()).then_some(node)
        });
        update(&mut self.pods_with_anti_affinity, |pod| {
            let affinity = pod.spec.affinity.as_ref()?;
            (!affinity.required_anti_affinity().is_empty()).then_some(YES)
        });
        update(&mut self.pods_by_affinity, |pod| {
            let affinity = pod.spec.affinity.as_ref()?;
            (affinity.pod_affinity.is_some() || affinity.pod_anti_affinity.is_some()).then_some(YES)
        });
        self.count_usage(before, after);
    }

    fn count_usage(&mut self, before: Option<&Pod>, after: Option<&Pod>) {
        let (before, after) = (before.filter(|pod| pod.occupies_node()), after.filter(|pod| pod.occupies_node()));
        if before.zip(after).is_some_and(|(before, after)| Rc::ptr_eq(&before.spec, &after.spec)) {
            return;
        }
        if let Some(pod) = before
            && let Some(usage) = self.usage_by_node.get_mut(&pod.spec.node_name)
        {
            Rc::make_mut(usage).remove(pod);
            if usage.pods == 0 {
                self.usage_by_node.remove_mut(&pod.spec.node_name);
            }
        }
        if let Some(pod) = after {
            match self.usage_by_node.get_mut(&pod.spec.node_name) {
                Some(usage) => Rc::make_mut(usage).add(pod),
                None => {
                    let mut usage = NodeUsage::default();
                    usage.add(pod);
                    self.usage_by_node.insert_mut(pod.spec.node_name.clone(), Rc::new(usage));
                }
            }
        }
    }
}

/// A walk over sorted keys and all pods at once: the pods of the keys.
struct Together<K, P> {
    keys: K,
    pods: P,
}

impl<'a, K, P> Iterator for Together<K, P>
where
    K: Iterator<Item = &'a ObjectKey>,
    P: Iterator<Item = (&'a ObjectKey, &'a Rc<Pod>)>,
{
    type Item = &'a Rc<Pod>;

    fn next(&mut self) -> Option<Self::Item> {
        let wanted = self.keys.next()?;
        // The index and the table hold the same text as long as the pod was only changed.
        self.pods.by_ref().find(|(key, _)| Rc::ptr_eq(&key.name, &wanted.name) || *key == wanted).map(|(_, pod)| pod)
    }
}

fn move_key(index: &mut Index, key: &ObjectKey, from: Option<&str>, to: Option<&str>) {
    if from == to {
        return;
    }
    if let Some(group) = from
        && let Some(keys) = index.get_mut(group)
    {
        keys.remove_mut(key);
        if keys.is_empty() {
            index.remove_mut(group);
        }
    }
    if let Some(group) = to {
        match index.get_mut(group) {
            Some(keys) => keys.insert_mut(key.clone(), ()),
            None => index.insert_mut(group.into(), [(key.clone(), ())].into_iter().collect()),
        }
    }
}

/// One object before and after a write.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// `None`: the object was created.
    pub before: Option<Object>,
    /// `None`: the object is gone.
    pub after: Option<Object>,
}

impl Change {
    /// The object after the write or, if it is gone, before it.
    pub fn object(&self) -> Option<&Object> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// Groups pods by node name for a reader that needs all of them at once.
pub fn pods_by_node(store: &Store) -> BTreeMap<&str, Vec<&Rc<Pod>>> {
    let mut groups: BTreeMap<&str, Vec<&Rc<Pod>>> = BTreeMap::new();
    for pod in store.pods().values() {
        if let Some(node) = pod.target_node() {
            groups.entry(node).or_default().push(pod);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, node: &str, owner: &str) -> Object {
        let mut pod = Pod::default();
        pod.metadata.namespace = "default".into();
        pod.metadata.name = name.into();
        pod.metadata.owner_references =
            Rc::new(vec![OwnerReference { uid: owner.into(), controller: Some(true), ..OwnerReference::default() }]);
        pod.spec = Rc::new(PodSpec { node_name: node.into(), ..PodSpec::default() });
        pod.into()
    }

    fn names<'a>(pods: impl Iterator<Item = &'a Rc<Pod>>) -> Vec<String> {
        pods.map(|pod| pod.metadata.name.to_string()).collect()
    }

    #[test]
    fn indexes_follow_every_write_and_snapshots_do_not_change() {
        let mut store = Store::default();
        store.put(pod("a", "n1", "u1"));
        store.put(pod("b", "n1", "u2"));
        let snapshot = store.clone();
        store.put(pod("b", "n2", "u1"));
        store.remove(Kind::Pod, &ObjectKey::new("default", "a"));
        assert_eq!(names(store.pods_on("n1")), Vec::<String>::new());
        assert_eq!(names(store.pods_on("n2")), ["b"]);
        assert_eq!(names(store.pods_controlled_by("u1")), ["b"]);
        assert_eq!(names(store.pods_controlled_by("u2")), Vec::<String>::new());
        assert_eq!(names(snapshot.pods_on("n1")), ["a", "b"]);
        assert_eq!(names(snapshot.pods_controlled_by("u2")), ["b"]);
    }

    #[test]
    fn pods_are_found_by_nomination_until_they_are_bound_and_by_anti_affinity() {
        let with = |node: &str| {
            let mut pod = Pod::default();
            pod.metadata.name = "a".into();
            pod.status.nominated_node_name = "n1".into();
            let anti = PodAffinity {
                required_during_scheduling_ignored_during_execution: vec![PodAffinityTerm::default()],
                ..PodAffinity::default()
            };
            let affinity = Affinity { pod_anti_affinity: Some(anti), ..Affinity::default() };
            let affinity = Some(Rc::new(affinity));
            pod.spec = Rc::new(PodSpec { node_name: node.into(), affinity, ..PodSpec::default() });
            Object::from(pod)
        };
        let mut store = Store::default();
        store.put(with(""));
        assert_eq!(names(store.pods_nominated_to("n1")), ["a"]);
        store.put(with("n2"));
        assert_eq!(names(store.pods_nominated_to("n1")), Vec::<String>::new());
        assert_eq!(names(store.pods_with_required_anti_affinity()), ["a"]);
        assert_eq!(names(store.pods_with_pod_affinity()), ["a"]);
        store.remove(Kind::Pod, &ObjectKey::cluster("a"));
        assert_eq!(names(store.pods_with_required_anti_affinity()), Vec::<String>::new());
    }

    #[test]
    fn usage_counts_bound_pods_until_they_are_finished_or_gone() {
        let with = |name: &str, node: &str, phase: &str| {
            let mut pod = Pod::default();
            (pod.metadata.name, pod.status.phase) = (name.into(), phase.into());
            let requests = Rc::new(BTreeMap::from([(CPU.to_owned(), Quantity::from_milli(100))]));
            let resources = Some(ResourceRequirements { requests, ..ResourceRequirements::default() });
            let containers = Rc::new(vec![Container { resources, ..Container::default() }]);
            pod.spec = Rc::new(PodSpec { node_name: node.into(), containers, ..PodSpec::default() });
            Object::from(pod)
        };
        let mut store = Store::default();
        store.put(with("a", "n1", "Running"));
        store.put(with("b", "n1", ""));
        store.put(with("b", "n1", "Running"));
        store.put(with("pending", "", ""));
        let usage = |store: &Store, node: &str| store.usage_of(node).map(|u| (u.pods, u.requested.milli_cpu));
        assert_eq!(usage(&store, "n1"), Some((2, 200)));
        store.put(with("b", "n1", "Succeeded"));
        store.put(with("pending", "n2", ""));
        assert_eq!((usage(&store, "n1"), usage(&store, "n2")), (Some((1, 100)), Some((1, 100))));
        store.remove(Kind::Pod, &ObjectKey::cluster("a"));
        store.remove(Kind::Pod, &ObjectKey::cluster("b"));
        assert_eq!(usage(&store, "n1"), None);
    }

    #[test]
    fn a_namespace_is_a_range_of_the_table() {
        let mut store = Store::default();
        for (namespace, name) in [("a", "x"), ("b", "x"), ("b", "y"), ("bb", "x")] {
            let mut pod = Pod::default();
            pod.metadata.namespace = namespace.into();
            pod.metadata.name = name.into();
            store.put(pod.into());
        }
        assert_eq!(names(Store::in_namespace(store.pods(), "b")), ["x", "y"]);
    }
}
