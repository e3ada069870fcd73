//! The node lifecycle controller: silent kubelets, taints that follow from conditions, the pace of evictions.
//!
//! Work items: a node (its taints and labels follow at once from what it says of itself), the monitor's round over all
//! nodes every five seconds ([`monitor_key`]), and the pass that taints one waiting node with NoExecute at a time
//! ([`tainting_key`]). A round is only asked for while it has something to find out, so that a healthy cluster rests.
//!
//! Follows kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36.

mod monitor;
mod taints;
mod zones;

pub use taints::{node_update, wanted_no_schedule_taints};
pub use zones::{Zone, ZoneState};

use crate::apiserver::{Change, EventDraft, Now, Plan, Store, Timer};
use crate::objects::*;
use rpds::RedBlackTreeMap;
use serde::Serialize;
use std::rc::Rc;

/// Name under which the controller's events appear.
pub const COMPONENT: &str = "node-controller";
/// Milliseconds between two rounds of the monitor.
pub const NODE_MONITOR_PERIOD_MS: u64 = 5_000;
/// Milliseconds without a sign of life after which a node's state is unknown.
pub const NODE_MONITOR_GRACE_PERIOD_MS: u64 = 50_000;
/// The same for a node whose kubelet has never reported.
pub const NODE_STARTUP_GRACE_PERIOD_MS: u64 = 60_000;

/// Namespace of the keys that stand for no node.
const ROUNDS: &str = "node-lifecycle";

/// Work item: the monitor's round over all nodes.
pub fn monitor_key() -> ObjectKey {
    ObjectKey::new(ROUNDS, "monitor")
}

/// Work item: the pass that taints a waiting node with NoExecute.
pub fn tainting_key() -> ObjectKey {
    ObjectKey::new(ROUNDS, "taint")
}

/// The first round after a moment.
pub fn next_round_ms(ms: u64) -> u64 {
    (ms / NODE_MONITOR_PERIOD_MS).saturating_add(1).saturating_mul(NODE_MONITOR_PERIOD_MS)
}

/// The round that notices what happened at a moment.
fn round_at_or_after_ms(ms: u64) -> u64 {
    if ms.is_multiple_of(NODE_MONITOR_PERIOD_MS) { ms } else { next_round_ms(ms) }
}

/// What was decided in one turn, in order. Empty: nothing.
pub type NodeLifecycleReason = Vec<NodeDecision>;

/// What the controller wants.
pub type NodeLifecyclePlan = Plan<NodeLifecycleReason, NodeLifecycleState>;

/// One decision about a node or a zone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeDecision {
    /// The node's NoSchedule taints follow from its conditions and from the cordon.
    TaintsFollow {
        /// The node.
        node: Rc<str>,
        /// Taints that came, as kubectl prints them.
        added: Vec<String>,
        /// Taints that went.
        removed: Vec<String>,
    },
    /// The old labels for system and architecture were set to what the stable ones say.
    LabelsFollow {
        /// The node.
        node: Rc<str>,
    },
    /// A node was seen for the first time.
    Registered {
        /// The node.
        node: Rc<str>,
    },
    /// A node is gone.
    Removed {
        /// The node.
        node: Rc<str>,
    },
    /// The kubelet has been silent for too long: the node's state is unknown.
    Silent {
        /// The node.
        node: Rc<str>,
        /// Last sign of life, in virtual milliseconds.
        since_ms: u64,
        /// How long the controller waited after that.
        grace_ms: u64,
        /// Pods that count as not ready from now on.
        pods: usize,
    },
    /// The node is not ready and waits for its NoExecute taint, which comes at the zone's pace.
    Queued {
        /// The node.
        node: Rc<str>,
        /// Its zone.
        zone: Rc<str>,
    },
    /// The node got a NoExecute taint: its pods are evicted unless they tolerate it.
    Tainted {
        /// The node.
        node: Rc<str>,
        /// The taint, as kubectl prints it.
        taint: String,
    },
    /// The node is ready again and loses its NoExecute taints.
    Reachable {
        /// The node.
        node: Rc<str>,
    },
    /// A zone's state changed, and with it the pace of evictions there.
    ZoneChanged {
        /// The zone.
        zone: Rc<str>,
        /// Its state now.
        state: ZoneState,
        /// Nodes that are not ready.
        not_ready: usize,
        /// All nodes of the zone.
        nodes: usize,
    },
    /// No node anywhere is ready: the fault is more likely the control plane's own. No more evictions, and the
    /// NoExecute taints go.
    AllDisrupted,
    /// Some node is ready again: evictions are possible again.
    DisruptionOver,
}

/// A node as the controller knows it.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    uid: Rc<str>,
    zone: Rc<str>,
    since_ms: u64,
}

/// What the controller remembers. Cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLifecycleState {
    known: RedBlackTreeMap<Rc<str>, Known>,
    zones: RedBlackTreeMap<Rc<str>, Rc<Zone>>,
    /// Rounds before this one count every kubelet as heard of, after a disruption of all zones.
    heard_until_ms: u64,
}

impl NodeLifecycleState {
    /// A controller that knows the nodes of a cluster which has been there for long.
    pub fn new(store: &Store) -> Self {
        let mut state = Self::default();
        for node in store.nodes().values() {
            state.know(node, 0);
        }
        zones::settle(store, &mut state);
        state
    }

    /// The zones with their state and what waits in them.
    pub fn zones(&self) -> impl Iterator<Item = (&Rc<str>, &Zone)> {
        self.zones.iter().map(|(name, zone)| (name, &**zone))
    }

    fn know(&mut self, node: &Node, since_ms: u64) {
        let known = Known { uid: node.metadata.uid.clone(), zone: zones::zone_of(node), since_ms };
        if !self.zones.contains_key(&known.zone) {
            self.zones.insert_mut(known.zone.clone(), Rc::new(Zone::default()));
        }
        self.known.insert_mut(node.name().clone(), known);
    }

    fn edit_zone(&mut self, name: &Rc<str>, edit: impl FnOnce(&mut Zone)) {
        let mut zone = self.zones.get(name).cloned().unwrap_or_default();
        edit(Rc::make_mut(&mut zone));
        self.zones.insert_mut(name.clone(), zone);
    }
}

/// One turn: of a node, of the monitor, or of the tainting pass. `silent_since_ms` tells since when the kubelet of a
/// node has been silent; `None`: it beats.
pub fn plan(
    store: &Store,
    key: &ObjectKey,
    state: &NodeLifecycleState,
    silent_since_ms: &dyn Fn(&str) -> Option<u64>,
    now: Now,
) -> NodeLifecyclePlan {
    if key.namespace.is_empty() {
        return taints::plan(store, &key.name, state, now);
    }
    if *key == tainting_key() {
        return monitor::taint_waiting(store, state, now);
    }
    monitor::round(store, state, silent_since_ms, now)
}

/// What to look at after a write: a node whose taints or labels do not follow from the rest of it, and the monitor's
/// next round where the change matters to it.
pub fn on_change(change: &Change, now: Now) -> Vec<Timer> {
    let round = || Timer::new(next_round_ms(now.ms), monitor_key());
    let (before, after) = match (&change.before, &change.after) {
        (None, Some(Object::Node(after))) => (None, after),
        (Some(Object::Node(before)), Some(Object::Node(after))) => (Some(before), after),
        (Some(Object::Node(_)), None) => return vec![round()],
        _ => return Vec::new(),
    };
    let mut timers = Vec::new();
    if taints::needs_turn(after) {
        timers.push(Timer::new(now.ms, ObjectKey::cluster(after.name().clone())));
    }
    let ready = |node: &Node| node.condition("Ready").map(|c| c.status.clone());
    let seen = before.is_some_and(|before| ready(before) == ready(after) && before.metadata.uid == after.metadata.uid);
    if !seen {
        timers.push(round());
    }
    timers
}

/// What to look at after the kubelet of a node has fallen silent.
pub fn on_silence(now: Now) -> Vec<Timer> {
    vec![Timer::new(round_at_or_after_ms(now.ms), monitor_key())]
}

/// An event about a node.
fn about_node(name: &Rc<str>, uid: &Rc<str>, reason: &'static str, message: String) -> EventDraft {
    EventDraft {
        kind: Kind::Node,
        key: ObjectKey::cluster(name.clone()),
        uid: uid.clone(),
        type_: NORMAL,
        reason,
        message,
        component: COMPONENT,
        host: "".into(),
        field_path: "".into(),
    }
}
