//! What DaemonSets take of the cluster: what a pod asks for, times the nodes that should run one.
//!
//! Amounts are the scheduler's: thousandths of a CPU and bytes, as the scheduler counts a pod (init containers where they
//! need more, sidecars, the runtime class's overhead). Only eligible nodes count, as in DESIRED.

use crate::apiserver::Store;
use crate::controllers::daemonset::Rules;
use crate::objects::*;
use crate::order::Order;
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Hours in a month, as cloud price lists count them.
pub const HOURS_PER_MONTH: f64 = 730.0;
/// Bytes in a GiB.
const GIB: f64 = 1_073_741_824.0;

/// CPU and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    /// Thousandths of a CPU.
    pub milli_cpu: i64,
    /// Bytes.
    pub memory: i64,
}

impl Amount {
    /// So many times as much; saturates.
    #[must_use]
    pub fn times(self, n: usize) -> Self {
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        Self { milli_cpu: self.milli_cpu.saturating_mul(n), memory: self.memory.saturating_mul(n) }
    }

    /// The sum; saturates.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            milli_cpu: self.milli_cpu.saturating_add(other.milli_cpu),
            memory: self.memory.saturating_add(other.memory),
        }
    }

    /// What is more than `other`, which may be negative; saturates.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            milli_cpu: self.milli_cpu.saturating_sub(other.milli_cpu),
            memory: self.memory.saturating_sub(other.memory),
        }
    }

    fn of_requests(requests: &Requests) -> Self {
        Self { milli_cpu: requests.milli_cpu, memory: requests.memory }
    }

    /// Whether another amount has room in this one.
    pub fn holds(self, other: Self) -> bool {
        self.milli_cpu >= other.milli_cpu && self.memory >= other.memory
    }
}

/// A part of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// From 0 to 1, or more when there is too little.
    pub cpu: f64,
    /// The same of memory.
    pub memory: f64,
}

impl Share {
    /// How much of `all` an amount is; 0 of nothing.
    #[allow(clippy::cast_precision_loss, reason = "a share is for reading")]
    pub fn of(amount: Amount, all: Amount) -> Self {
        let part = |part: i64, all: i64| if all > 0 { part as f64 / all as f64 } else { 0.0 };
        Self { cpu: part(amount.milli_cpu, all.milli_cpu), memory: part(amount.memory, all.memory) }
    }

    /// The larger of both.
    pub fn most(self) -> f64 {
        self.cpu.max(self.memory)
    }
}

/// What CPU and memory cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prices {
    /// Of one CPU for one hour.
    pub cpu_hour: f64,
    /// Of one GiB of memory for one hour.
    pub gib_hour: f64,
}

impl Prices {
    /// What an amount costs in a month.
    #[allow(clippy::cast_precision_loss, reason = "money is for reading")]
    pub fn month(self, amount: Amount) -> f64 {
        let hour = amount.milli_cpu as f64 / 1000.0 * self.cpu_hour + amount.memory as f64 / GIB * self.gib_hour;
        hour * HOURS_PER_MONTH
    }
}

/// How a container counts for what its pod asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PartKind {
    /// It runs as long as the pod does: all of these add up.
    Container,
    /// An init container that keeps running, which adds up as well.
    Sidecar,
    /// It runs before the others: it counts only where it needs more than all of them.
    Init,
    /// What the runtime class costs on top.
    RuntimeClass,
}

/// What one container asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// How it counts.
    pub kind: PartKind,
    /// Name of the container, or of the runtime class.
    pub name: String,
    /// What it asks for.
    pub requests: Amount,
}

/// A group of nodes with the same value of a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// The label's value; absent: the nodes without that label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its nodes.
    pub nodes: usize,
    /// Those that should run a pod.
    pub eligible: usize,
    /// What the pods ask for there.
    pub total: Amount,
    /// What its nodes have to give, eligible or not.
    pub allocatable: Amount,
    /// The pods' part of it.
    pub share: Share,
}

/// The node on which the pod weighs most.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeaviestNode {
    /// The node.
    pub node: Rc<str>,
    /// The pod's part of what the node has to give.
    pub share: Share,
}

/// What one DaemonSet takes of the cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overhead {
    /// The DaemonSet.
    pub daemonset: ObjectKey,
    /// What each pod asks for.
    pub per_pod: Amount,
    /// What that is made of.
    pub parts: Vec<Part>,
    /// Nodes of the cluster.
    pub nodes: usize,
    /// Nodes that should run a pod.
    pub eligible: usize,
    /// What all pods ask for.
    pub total: Amount,
    /// What the eligible nodes have to give.
    pub allocatable: Amount,
    /// The pods' part of it.
    pub share: Share,
    /// Groups of nodes by the chosen label, by its values; empty when no label was chosen.
    pub pools: Vec<Pool>,
    /// Where it weighs most; absent without eligible nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaviest: Option<HeaviestNode>,
}

/// What a DaemonSet takes of the nodes of a cluster. `label` groups the nodes into pools.
pub fn overhead(daemonset: &DaemonSet, store: &Store, label: Option<&str>) -> Overhead {
    let (per_pod, parts) = per_pod(daemonset, store);
    let rules = Rules::of(daemonset);
    let mut all = Overhead {
        daemonset: daemonset.metadata.key(),
        per_pod,
        parts,
        nodes: store.nodes().size(),
        eligible: 0,
        total: Amount::default(),
        allocatable: Amount::default(),
        share: Share::default(),
        pools: Vec::new(),
        heaviest: None,
    };
    let mut pools: BTreeMap<Option<&str>, (usize, usize, Amount)> = BTreeMap::new();
    for node in store.nodes().values() {
        let has = Amount::of_requests(&allocatable(node).resources);
        let pool = pools.entry(label.and_then(|label| node.metadata.label(label))).or_default();
        pool.0 += 1;
        pool.2 = pool.2.plus(has);
        if rules.eligibility(node).should_run {
            pool.1 += 1;
            all.eligible += 1;
            all.allocatable = all.allocatable.plus(has);
            let share = Share::of(per_pod, has);
            if all.heaviest.as_ref().is_none_or(|heaviest| share.most() > heaviest.share.most()) {
                all.heaviest = Some(HeaviestNode { node: Rc::clone(&node.metadata.name), share });
            }
        }
    }
    all.total = per_pod.times(all.eligible);
    all.share = Share::of(all.total, all.allocatable);
    if label.is_some() {
        let pool = |(value, (nodes, eligible, allocatable)): (Option<&str>, (usize, usize, Amount))| Pool {
            value: value.map(str::to_owned),
            nodes,
            eligible,
            total: per_pod.times(eligible),
            allocatable,
            share: Share::of(per_pod.times(eligible), allocatable),
        };
        all.pools = pools.into_iter().map(pool).collect();
    }
    all
}

/// What a pod of the DaemonSet asks for, and what that is made of.
fn per_pod(daemonset: &DaemonSet, store: &Store) -> (Amount, Vec<Part>) {
    let mut spec = daemonset.spec.template.spec.clone();
    let class = spec.runtime_class_name.clone();
    let class = class.and_then(|name| store.runtime_class(&ObjectKey::cluster(name)));
    if let Some(overhead) = class.and_then(|class| class.overhead.as_ref()).filter(|_| spec.overhead.is_empty()) {
        spec.overhead = overhead.pod_fixed.clone();
    }
    let alone = |container: &Container| {
        let spec = PodSpec { containers: Rc::new(vec![container.clone()]), ..PodSpec::default() };
        Amount::of_requests(&spec_requests(&spec))
    };
    let part =
        |kind: PartKind, container: &Container| Part { kind, name: container.name.clone(), requests: alone(container) };
    let kind = |container: &Container| if container.is_sidecar() { PartKind::Sidecar } else { PartKind::Init };
    let mut parts: Vec<Part> = spec.containers.iter().map(|c| part(PartKind::Container, c)).collect();
    parts.extend(spec.init_containers.iter().map(|container| part(kind(container), container)));
    if !spec.overhead.is_empty() {
        let only = PodSpec { overhead: spec.overhead.clone(), ..PodSpec::default() };
        parts.push(Part {
            kind: PartKind::RuntimeClass,
            name: spec.runtime_class_name.clone().unwrap_or_default(),
            requests: Amount::of_requests(&spec_requests(&only)),
        });
    }
    (Amount::of_requests(&spec_requests(&spec)), parts)
}

/// What all DaemonSets of the cluster take, the largest first (by their part of the eligible nodes).
pub fn fleet(store: &Store, label: Option<&str>) -> Vec<Overhead> {
    let mut all: Vec<Overhead> = store.daemon_sets().values().map(|set| overhead(set, store, label)).collect();
    all.order_by(|a, b| b.share.most().total_cmp(&a.share.most()));
    all
}

/// What DaemonSets take of one node, present or planned.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeOverhead {
    /// What their pods ask for.
    pub total: Amount,
    /// How many pods.
    pub pods: usize,
    /// What is left for others; never below 0.
    pub left: Amount,
    /// How many more pods may be there.
    pub pods_left: i64,
}

/// What the DaemonSets of the cluster would take of a node: what an autoscaler asks before it adds one.
pub fn node_overhead(store: &Store, node: &Node) -> NodeOverhead {
    let sets = store.daemon_sets().values().filter(|set| Rules::of(set).eligibility(node).should_run);
    let (mut total, mut pods) = (Amount::default(), 0);
    for set in sets {
        total = total.plus(per_pod(set, store).0);
        pods += 1;
    }
    let has = allocatable(node);
    let left = Amount::of_requests(&has.resources).minus(total);
    NodeOverhead {
        total,
        pods,
        left: Amount { milli_cpu: left.milli_cpu.max(0), memory: left.memory.max(0) },
        pods_left: has.pods.saturating_sub(i64::try_from(pods).unwrap_or(i64::MAX)).max(0),
    }
}

/// What other requests would do to the fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestsChange {
    /// What a pod asks for now.
    pub before: Amount,
    /// What it would ask for.
    pub after: Amount,
    /// The difference over all eligible nodes; negative where less is asked for.
    pub total: Amount,
    /// Eligible nodes on which the new pod has no room beside the other pods that are there now.
    pub no_room: Vec<Rc<str>>,
}

/// What it would do if each pod of the DaemonSet asked for `after`.
pub fn requests_change(daemonset: &DaemonSet, store: &Store, after: Amount) -> RequestsChange {
    let before = per_pod(daemonset, store).0;
    let rules = Rules::of(daemonset);
    let uid = &daemonset.metadata.uid;
    let mut eligible = 0;
    let mut no_room = Vec::new();
    for node in store.nodes().values().filter(|node| rules.eligibility(node).should_run) {
        eligible += 1;
        let used = store.usage_of(&node.metadata.name).map_or(Amount::default(), |u| Amount::of_requests(&u.requested));
        let own = store
            .pods_on(&node.metadata.name)
            .filter(|pod| pod.occupies_node() && pod.metadata.is_controlled_by(uid))
            .fold(Amount::default(), |sum, pod| sum.plus(Amount::of_requests(&pod_requests(pod))));
        let free = Amount::of_requests(&allocatable(node).resources).minus(used.minus(own));
        if !free.holds(after) {
            no_room.push(Rc::clone(&node.metadata.name));
        }
    }
    no_room.order_by(|a, b| natural_cmp(a, b));
    RequestsChange { before, after, total: after.minus(before).times(eligible), no_room }
}
