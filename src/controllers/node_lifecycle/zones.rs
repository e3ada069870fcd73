//! Zones: how badly each is hit, and how fast its nodes may be evicted.

use super::{NodeDecision, NodeLifecyclePlan, NodeLifecycleState};
use crate::apiserver::{Now, Store};
use crate::objects::*;
use crate::order::Collect;
use rpds::{Queue, RedBlackTreeSet};
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A zone with more nodes than this is large.
const LARGE_CLUSTER_SIZE_THRESHOLD: usize = 50;
/// Milliseconds between two evicted nodes of a zone: 0.1 nodes a second.
const EVICTION_INTERVAL_MS: u64 = 10_000;
/// The same in a large zone most of whose nodes are not ready: 0.01 nodes a second.
const SECONDARY_EVICTION_INTERVAL_MS: u64 = 100_000;

/// How badly a zone is hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum ZoneState {
    /// Not yet looked at.
    #[default]
    Initial,
    /// Most nodes are ready.
    Normal,
    /// At least 55 % of the nodes, and at least three, are not ready.
    PartialDisruption,
    /// No node is ready.
    FullDisruption,
}

/// A zone and the nodes of it that wait for a NoExecute taint.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// How badly it is hit.
    pub state: ZoneState,
    /// Nodes that wait, in order.
    pub queue: Queue<Rc<str>>,
    /// Nodes that wait or got their taint since they last were ready. Nobody waits twice.
    pub marked: RedBlackTreeSet<Rc<str>>,
    /// Milliseconds between two nodes; `None`: nobody is evicted.
    pub interval_ms: Option<u64>,
    /// When the next node may be tainted.
    pub next_ms: u64,
}

impl Default for Zone {
    fn default() -> Self {
        Self {
            state: ZoneState::Initial,
            queue: Queue::new(),
            marked: RedBlackTreeSet::new(),
            interval_ms: Some(EVICTION_INTERVAL_MS),
            next_ms: 0,
        }
    }
}

impl Zone {
    /// Lets a node wait for its taint.
    pub fn mark(&mut self, node: &Rc<str>) {
        if !self.marked.contains(node) {
            self.marked.insert_mut(node.clone());
            self.queue.enqueue_mut(node.clone());
        }
    }

    /// Forgets a node.
    pub fn unmark(&mut self, node: &str) {
        self.marked.remove_mut(node);
        if self.queue.iter().any(|waiting| **waiting == *node) {
            self.queue = self.queue.iter().filter(|waiting| ***waiting != *node).cloned().collect();
        }
    }

    /// Changes the pace. What was allowed a moment ago counts against the new pace, too.
    fn set_interval(&mut self, interval_ms: Option<u64>, now: Now) {
        if self.interval_ms != interval_ms {
            let was_waiting = self.next_ms > now.ms;
            self.interval_ms = interval_ms;
            self.next_ms = match interval_ms {
                Some(interval_ms) if was_waiting => now.plus_ms(interval_ms),
                _ => now.ms.min(self.next_ms),
            };
        }
    }
}

/// Region and zone of a node.
pub fn zone_of(node: &Node) -> Rc<str> {
    let label = |stable: &str, old: &str| {
        node.metadata.label(stable).or_else(|| node.metadata.label(old)).unwrap_or_default().to_owned()
    };
    let region = label("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region");
    let zone = label("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
    if region.is_empty() && zone.is_empty() { "".into() } else { format!("{region}:{zone}").into() }
}

/// How badly a zone is hit.
///
/// Follows kubernetes pkg/controller/nodelifecycle ComputeZoneState, v1.36.
fn zone_state(ready: usize, not_ready: usize) -> ZoneState {
    let nodes = ready + not_ready;
    if ready == 0 && not_ready > 0 {
        ZoneState::FullDisruption
    } else if not_ready > 2 && not_ready * 100 >= nodes * 55 {
        ZoneState::PartialDisruption
    } else {
        ZoneState::Normal
    }
}

/// Ready and other nodes by zone, from Ready conditions.
pub type ZoneCounts = BTreeMap<Rc<str>, (usize, usize)>;

/// Counts a node unless its label keeps it out.
pub fn count(counts: &mut ZoneCounts, node: &Node, ready: bool) {
    if node.metadata.label("node.kubernetes.io/exclude-disruption").is_some() {
        return;
    }
    let entry = counts.entry(zone_of(node)).or_default();
    if ready { entry.0 += 1 } else { entry.1 += 1 }
}

fn interval(state: ZoneState, nodes: usize) -> Option<u64> {
    match state {
        ZoneState::PartialDisruption if nodes > LARGE_CLUSTER_SIZE_THRESHOLD => Some(SECONDARY_EVICTION_INTERVAL_MS),
        ZoneState::PartialDisruption => None,
        _ => Some(EVICTION_INTERVAL_MS),
    }
}

/// What the counts of a round mean for the zones. Returns whether all zones have just become fully disrupted: the
/// caller then takes the NoExecute taints off.
///
/// Follows kubernetes pkg/controller/nodelifecycle handleDisruption, v1.36.
pub fn handle_disruption(plan: &mut NodeLifecyclePlan, counts: &ZoneCounts, now: Now) -> bool {
    let new: BTreeMap<&Rc<str>, ZoneState> =
        counts.iter().map(|(zone, (ready, not_ready))| (zone, zone_state(*ready, *not_ready))).collect_map();
    let all_are = new.values().all(|state| *state == ZoneState::FullDisruption);
    let all_were = plan.state.zones.values().all(|zone| zone.state == ZoneState::FullDisruption);
    let gone: Vec<Rc<str>> = plan.state.zones.keys().filter(|zone| !counts.contains_key(*zone)).cloned().collect();
    for zone in gone {
        plan.state.zones.remove_mut(&zone);
    }
    if all_are && all_were {
        return false;
    }
    if all_are {
        for zone in counts.keys() {
            plan.state.edit_zone(zone, |zone| {
                zone.state = ZoneState::FullDisruption;
                zone.set_interval(None, now);
            });
        }
        plan.reason.push(NodeDecision::AllDisrupted);
        return true;
    }
    if all_were {
        plan.state.heard_until_ms = now.ms;
        plan.reason.push(NodeDecision::DisruptionOver);
    }
    for (zone, state) in new {
        let (ready, not_ready) = counts.get(zone).copied().unwrap_or_default();
        let nodes = ready + not_ready;
        let old = plan.state.zones.get(zone).map(|zone| zone.state);
        if old == Some(state) && !all_were {
            continue;
        }
        plan.state.edit_zone(zone, |zone| {
            zone.state = state;
            zone.set_interval(interval(state, nodes), now);
        });
        if !matches!(old, None | Some(ZoneState::Initial)) {
            plan.reason.push(NodeDecision::ZoneChanged { zone: zone.clone(), state, not_ready, nodes });
        }
    }
    false
}

/// Gives the zones of a cluster that has been there for long the state that they have.
pub fn settle(store: &Store, state: &mut NodeLifecycleState) {
    let mut counts = ZoneCounts::new();
    for node in store.nodes().values() {
        count(&mut counts, node, node.is_ready());
    }
    for (zone, (ready, not_ready)) in counts {
        let hit = zone_state(ready, not_ready);
        state.edit_zone(&zone, |zone| {
            zone.state = hit;
            zone.interval_ms = interval(hit, ready + not_ready);
        });
    }
}
