//! What all kubelets remember, persistent, so that every step can keep it.

use super::behaviour::Behaviours;
use super::runtime::PodRuntime;
use crate::apiserver::{Now, Store, Timer};
use crate::objects::*;
use crate::order::{Collect, Order};
use rpds::{RedBlackTreeMap, RedBlackTreeSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why a kubelet says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Down {
    /// The machine is off: its containers are gone.
    PoweredOff,
    /// The kubelet does not run or cannot reach the API server: its containers go on.
    Silent,
}

/// What the kubelet of one node remembers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeRuntime {
    /// Counted from 1; the second last part of its pods' addresses unless the node has a range.
    pub number: u32,
    /// Addresses given out.
    pub addresses: u32,
    /// Since when and why it says nothing.
    pub down: Option<(u64, Down)>,
    /// Conditions that it reports instead of the healthy ones, by type.
    pub reported: BTreeMap<String, NodeCondition>,
    /// What the machine uses beside its pods, by resource.
    pub besides: Amounts,
    /// For each resource under pressure, when it was last short.
    pub short_ms: BTreeMap<String, u64>,
    /// When it last evicted a pod.
    pub evicted_ms: Option<u64>,
    /// Images that are on the node.
    pub images: RedBlackTreeSet<Rc<str>>,
    /// Pods that it runs by itself, from files.
    pub static_pods: Rc<Vec<Rc<Pod>>>,
}

/// The memory of all kubelets. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KubeletState {
    /// How pods behave.
    pub behaviours: Behaviours,
    pods: RedBlackTreeMap<ObjectKey, Rc<PodRuntime>>,
    nodes: RedBlackTreeMap<Rc<str>, Rc<NodeRuntime>>,
}

impl KubeletState {
    /// The kubelets of a cluster that is there already. Nodes are numbered in natural order of their names.
    pub fn new(store: &Store, behaviours: Behaviours) -> Self {
        let mut state = Self { behaviours, ..Self::default() };
        let mut nodes: Vec<&Rc<Node>> = store.nodes().values().collect();
        nodes.order_by(|a, b| natural_cmp(a.name(), b.name()));
        for node in nodes {
            state.register(node);
            // Of a kubelet that the node controller has heard nothing from, nothing is to be heard.
            let unknown = |c: &NodeCondition| c.type_ == "Ready" && c.status == "Unknown";
            if node.status.conditions.iter().any(unknown) {
                state.edit_node(node.name(), |runtime| runtime.down = Some((0, Down::Silent)));
            }
        }
        state
    }

    /// What the kubelet of a node remembers, if it has been seen.
    pub fn node(&self, name: &str) -> Option<&NodeRuntime> {
        self.nodes.get(name).map(|node| &**node)
    }

    /// What the kubelet knows of a pod.
    pub fn pod(&self, key: &ObjectKey) -> Option<&Rc<PodRuntime>> {
        self.pods.get(key)
    }

    /// Whether the kubelet of this node says nothing, and why.
    pub fn down(&self, node: &str) -> Option<Down> {
        self.nodes.get(node)?.down.map(|(_, how)| how)
    }

    /// Since when, in virtual milliseconds, the kubelet of this node has been silent; `None`: it beats. This is what
    /// the node lifecycle controller looks at in place of leases.
    pub fn silent_since_ms(&self, node: &str) -> Option<u64> {
        self.nodes.get(node)?.down.map(|(since_ms, _)| since_ms)
    }

    /// Nodes whose kubelet is silent, with the virtual millisecond of their last sign of life.
    pub fn silent_nodes(&self) -> impl Iterator<Item = (&Rc<str>, u64)> {
        self.nodes.iter().filter_map(|(name, node)| node.down.map(|(since_ms, _)| (name, since_ms)))
    }

    /// Numbers a node that has not been seen, and believes what it says of itself.
    pub(super) fn register(&mut self, node: &Node) {
        if self.nodes.contains_key(node.name()) {
            return;
        }
        let number = u32::try_from(self.nodes.size()).unwrap_or(u32::MAX).saturating_add(1);
        let healthy =
            |c: &&NodeCondition| super::node::healthy_condition(&c.type_).is_none_or(|h| h.status != c.status);
        let reported =
            node.status.conditions.iter().filter(healthy).map(|c| (c.type_.clone(), c.clone())).collect_map();
        let runtime = NodeRuntime { number, reported, ..NodeRuntime::default() };
        self.nodes.insert_mut(node.name().clone(), Rc::new(runtime));
    }

    /// Changes what the kubelet of a node remembers; a node that has not been seen gets a number.
    pub(super) fn edit_node<R>(&mut self, name: &str, edit: impl FnOnce(&mut NodeRuntime) -> R) -> R {
        let mut runtime = self.nodes.get(name).cloned().unwrap_or_else(|| {
            let number = u32::try_from(self.nodes.size()).unwrap_or(u32::MAX).saturating_add(1);
            Rc::new(NodeRuntime { number, ..NodeRuntime::default() })
        });
        let result = edit(Rc::make_mut(&mut runtime));
        self.nodes.insert_mut(name.into(), runtime);
        result
    }

    /// The next attempts of pods in a namespace that wait for a ConfigMap or a Secret.
    pub(super) fn retries_in(&self, namespace: &str) -> Vec<Timer> {
        let in_namespace =
            self.pods.iter().filter(|(key, runtime)| *key.namespace == *namespace && runtime.lacks_config());
        in_namespace.filter_map(|(key, runtime)| Some(Timer::new(runtime.next_start_ms()?, key.clone()))).collect()
    }

    pub(super) fn set_pod(&mut self, key: ObjectKey, runtime: PodRuntime) {
        self.pods.insert_mut(key, Rc::new(runtime));
    }

    pub(super) fn forget_pod(&mut self, key: &ObjectKey) {
        self.pods.remove_mut(key);
    }

    /// The next free address of a node.
    pub(super) fn next_address(&mut self, node: &Node) -> String {
        let (number, count) = self.edit_node(node.name(), |runtime| {
            runtime.addresses = runtime.addresses.saturating_add(1);
            (runtime.number, runtime.addresses)
        });
        // .0 is the network, .1 the bridge, .255 the broadcast address.
        let host = (count - 1) % 253 + 2;
        let network = node.spec.pod_cidr.split('/').next().unwrap_or_default();
        match network.rsplit_once('.') {
            Some((prefix, _)) => format!("{prefix}.{host}"),
            None => format!("{}.{host}", pod_network(number)),
        }
    }

    /// The kubelet of a node falls silent.
    #[must_use]
    pub fn stop(&self, node: &str, how: Down, now: Now) -> Self {
        let mut state = self.clone();
        state.edit_node(node, |runtime| {
            // Cutting the power of a silent node does not move its last sign of life.
            let since_ms = runtime.down.map_or(now.ms, |(since_ms, _)| since_ms);
            runtime.down = Some((since_ms, how));
        });
        state
    }

    /// The kubelet of a node is back. Returns what it looks at first: its node and its pods.
    #[must_use]
    pub fn start(&self, store: &Store, node: &str, now: Now) -> (Self, Vec<Timer>) {
        let mut state = self.clone();
        let Some((_, how)) = state.nodes.get(node).and_then(|runtime| runtime.down) else {
            return (state, Vec::new());
        };
        state.edit_node(node, |runtime| runtime.down = None);
        let mut timers = vec![Timer::new(now.ms, ObjectKey::cluster(node))];
        let powered_off = how == Down::PoweredOff;
        for pod in store.pods_on(node).filter(|pod| pod.is_bound()) {
            let key = pod.metadata.key();
            if let Some(runtime) = state.pods.get(&key) {
                let mut runtime = (**runtime).clone();
                let new_address = powered_off && !pod.spec.host_network;
                let ip = match store.node_named(node).filter(|_| new_address) {
                    Some(node) => Some(state.next_address(node)),
                    None => Some(runtime.ip.clone()),
                };
                runtime.resume(pod, powered_off, ip, now);
                state.set_pod(key.clone(), runtime);
            }
            timers.push(Timer::new(now.ms, key));
        }
        (state, timers)
    }

    /// Changes how pods behave from now on; pods that a kubelet has taken in keep the rule they had.
    #[must_use]
    pub fn with_behaviours(&self, behaviours: Behaviours) -> Self {
        Self { behaviours, ..self.clone() }
    }

    /// Sets what a machine uses beside its pods. Its kubelet looks at it when it is asked to (key: the node).
    #[must_use]
    pub fn with_machine_usage(&self, node: &str, resource: &str, amount: Quantity) -> Self {
        let mut state = self.clone();
        state.edit_node(node, |runtime| runtime.besides.insert(resource.into(), amount));
        state
    }

    /// Gives a node static pods. Its kubelet shows them to the API server when it is asked to (key: the node).
    #[must_use]
    pub fn with_static_pods(&self, node: &str, pods: Vec<Rc<Pod>>) -> Self {
        let mut state = self.clone();
        state.edit_node(node, |runtime| runtime.static_pods = Rc::new(pods));
        state
    }
}
