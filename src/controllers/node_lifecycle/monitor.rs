//! The monitor's round over all nodes, and the pass that taints those that wait.

use super::taints::swap;
use super::zones::{self, ZoneCounts};
use super::*;
use crate::apiserver::Write;

/// Milliseconds between two passes that taint waiting nodes.
const TAINTING_PERIOD_MS: u64 = 100;

/// Conditions whose state is unknown when the kubelet is silent.
const KUBELET_CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

fn not_ready_taint() -> Taint {
    Taint::new(TAINT_NOT_READY, NO_EXECUTE)
}

fn unreachable_taint() -> Taint {
    Taint::new(TAINT_UNREACHABLE, NO_EXECUTE)
}

/// One round.
///
/// Follows kubernetes pkg/controller/nodelifecycle monitorNodeHealth, v1.36. That the taint queue sees a state that
/// this very round found out is how v1.36.2 behaves.
pub fn round(
    store: &Store,
    state: &NodeLifecycleState,
    silent_since_ms: &dyn Fn(&str) -> Option<u64>,
    now: Now,
) -> NodeLifecyclePlan {
    let mut plan = Plan::idle(state.clone());
    // Each node is written at most once, with all that the round wants of it.
    let mut nodes: Vec<Rc<Node>> = store.nodes().values().cloned().collect();
    classify(store, &mut nodes, &mut plan, now);
    let mut counts = ZoneCounts::new();
    let mut next_ms = None;
    for node in &mut nodes {
        let observed = node.condition("Ready").map(|c| c.status.clone());
        let due_ms = look_at_silence(store, node, silent_since_ms(node.name()), &mut plan, now);
        next_ms = [next_ms, due_ms].into_iter().flatten().min();
        let current = node.condition("Ready").map(|c| c.status.clone());
        zones::count(&mut counts, node, current.as_deref() == Some("True"));
        if let Some(current) = &current {
            process_taint_based_eviction(node, current, &mut plan, now);
        }
        if observed.as_deref() == Some("True") && current.as_deref() != Some("True") {
            mark_pods_not_ready(store, node, &mut plan, now);
        }
    }
    if zones::handle_disruption(&mut plan, &counts, now) {
        for node in &mut nodes {
            mark_as_reachable(node, &mut plan, now);
        }
    }
    write_changed(store, nodes, &mut plan);
    ask_for_tainting(&mut plan, now);
    plan.timers.extend(next_ms.map(|at_ms| Timer::new(at_ms, monitor_key())));
    plan
}

/// Nodes that came and went.
fn classify(store: &Store, nodes: &mut [Rc<Node>], plan: &mut NodeLifecyclePlan, now: Now) {
    for node in nodes {
        if !plan.state.known.contains_key(node.name()) {
            let name = node.name().clone();
            let message = format!("Node {name} event: Registered Node {name} in Controller");
            let event = about_node(&name, &node.metadata.uid, "RegisteredNode", message);
            plan.writes.push(Write::Event(event));
            plan.reason.push(NodeDecision::Registered { node: name });
            plan.state.know(node, now.ms);
            mark_as_reachable(node, plan, now);
        } else if plan
            .state
            .known
            .get(node.name())
            .is_some_and(|k| k.uid != node.metadata.uid || k.zone != zones::zone_of(node))
        {
            let since_ms = plan.state.known.get(node.name()).map_or(now.ms, |known| known.since_ms);
            plan.state.know(node, since_ms);
        }
    }
    let gone: Vec<(Rc<str>, Known)> = plan
        .state
        .known
        .iter()
        .filter(|(name, _)| store.node_named(name).is_none())
        .map(|(name, known)| (name.clone(), known.clone()))
        .collect();
    for (name, known) in gone {
        let message = format!("Node {name} event: Removing Node {name} from Controller");
        plan.writes.push(Write::Event(about_node(&name, &known.uid, "RemovingNode", message)));
        plan.state.known.remove_mut(&name);
        plan.state.edit_zone(&known.zone, |zone| zone.unmark(&name));
        plan.reason.push(NodeDecision::Removed { node: name });
    }
}

/// Declares a node's state unknown when its kubelet has been silent for too long. Returns the round in which it would
/// be, while it is not.
///
/// Follows kubernetes pkg/controller/nodelifecycle tryUpdateNodeHealth, v1.36.
fn look_at_silence(
    store: &Store,
    node: &mut Rc<Node>,
    silent_since_ms: Option<u64>,
    plan: &mut NodeLifecyclePlan,
    now: Now,
) -> Option<u64> {
    let ready = node.condition("Ready").map(|c| c.status.clone());
    let (since_ms, grace_ms) = match (&ready, silent_since_ms) {
        (Some(status), _) if status == "Unknown" => return None,
        (Some(_), None) => return None,
        (Some(_), Some(since_ms)) => {
            // The controller notes a sign of life in the round that follows it.
            let noted_ms = round_at_or_after_ms(since_ms).max(plan.state.heard_until_ms);
            (noted_ms, NODE_MONITOR_GRACE_PERIOD_MS)
        }
        // Nobody has ever reported for this node.
        (None, _) => (plan.state.known.get(node.name())?.since_ms, NODE_STARTUP_GRACE_PERIOD_MS),
    };
    let due_ms = round_at_or_after_ms(since_ms.saturating_add(grace_ms));
    if now.ms < due_ms {
        return Some(due_ms);
    }
    let conditions = Rc::make_mut(&mut Rc::make_mut(node).status.conditions);
    for type_ in KUBELET_CONDITIONS {
        let condition = |reason: &str, message: &str| NodeCondition {
            type_: type_.into(),
            status: "Unknown".into(),
            reason: reason.into(),
            message: message.into(),
            last_transition_time: Some(now.time),
            ..NodeCondition::default()
        };
        match conditions.iter_mut().find(|c| c.type_ == type_) {
            Some(present) if present.status == "Unknown" => {}
            Some(present) => {
                let last_heartbeat_time = present.last_heartbeat_time;
                let unknown = condition("NodeStatusUnknown", "Kubelet stopped posting node status.");
                *present = NodeCondition { last_heartbeat_time, ..unknown };
            }
            None => conditions.push(condition("NodeStatusNeverUpdated", "Kubelet never posted node status.")),
        }
    }
    let ready_pods = bound_pods(store, node).filter(|pod| pod.is_ready()).count();
    let (node, pods) = (node.name().clone(), if ready.as_deref() == Some("True") { ready_pods } else { 0 });
    let since_ms = silent_since_ms.unwrap_or(since_ms);
    plan.reason.push(NodeDecision::Silent { node, since_ms, grace_ms, pods });
    None
}

fn bound_pods<'a>(store: &'a Store, node: &Node) -> impl Iterator<Item = &'a Rc<Pod>> {
    store.pods_on(node.name()).filter(|pod| pod.is_bound())
}

/// Follows kubernetes pkg/controller/nodelifecycle processTaintBaseEviction, v1.36.
fn process_taint_based_eviction(node: &mut Rc<Node>, ready: &str, plan: &mut NodeLifecyclePlan, now: Now) {
    let (wanted, other) = match ready {
        "True" => return mark_as_reachable(node, plan, now),
        "False" => (not_ready_taint(), unreachable_taint()),
        _ => (unreachable_taint(), not_ready_taint()),
    };
    if node.spec.taints.iter().any(|taint| taint.matches(&other)) {
        // Only the kind of trouble has changed: no need to wait.
        let taint = wanted.to_string();
        swap(Rc::make_mut(node), vec![wanted], &[other], now);
        plan.reason.push(NodeDecision::Tainted { node: node.name().clone(), taint });
        return;
    }
    let zone = zones::zone_of(node);
    if !plan.state.zones.get(&zone).is_some_and(|zone| zone.marked.contains(node.name())) {
        plan.state.edit_zone(&zone, |zone| zone.mark(node.name()));
        plan.reason.push(NodeDecision::Queued { node: node.name().clone(), zone });
    }
}

/// Follows kubernetes pkg/controller/nodelifecycle markNodeAsReachable, v1.36.
fn mark_as_reachable(node: &mut Rc<Node>, plan: &mut NodeLifecyclePlan, now: Now) {
    let zone = zones::zone_of(node);
    if plan.state.zones.get(&zone).is_some_and(|zone| zone.marked.contains(node.name())) {
        plan.state.edit_zone(&zone, |zone| zone.unmark(node.name()));
    }
    let taints = [unreachable_taint(), not_ready_taint()];
    if node.spec.taints.iter().any(|present| taints.iter().any(|taint| taint.matches(present))) {
        swap(Rc::make_mut(node), Vec::new(), &taints, now);
        plan.reason.push(NodeDecision::Reachable { node: node.name().clone() });
    }
}

/// Tells that the node is not ready any more, and counts its pods as not ready.
///
/// Follows kubernetes pkg/controller/util/node RecordNodeStatusChange and MarkPodsNotReady, v1.36.
fn mark_pods_not_ready(store: &Store, node: &Node, plan: &mut NodeLifecyclePlan, now: Now) {
    let message = format!("Node {} status is now: NodeNotReady", node.name());
    plan.writes.push(Write::Event(about_node(node.name(), &node.metadata.uid, "NodeNotReady", message)));
    for pod in bound_pods(store, node) {
        let Some(ready) = pod.status.condition("Ready").filter(|c| c.status == "True") else { continue };
        let mut lost = (**pod).clone();
        lost.status.set_condition(PodCondition {
            status: "False".into(),
            last_transition_time: Some(now.time),
            ..ready.clone()
        });
        plan.writes.push(Write::UpdateStatus(lost.into()));
        let message = "Node is not ready".into();
        let event = EventDraft::about(Kind::Pod, &pod.metadata, WARNING, "NodeNotReady", message, COMPONENT);
        plan.writes.push(Write::Event(event));
    }
}

/// Writes the nodes that the round has changed, before what it says of their pods.
fn write_changed(store: &Store, nodes: Vec<Rc<Node>>, plan: &mut NodeLifecyclePlan) {
    let mut writes = Vec::new();
    for node in nodes {
        let Some(stored) = store.node_named(node.name()).filter(|stored| !Rc::ptr_eq(stored, &node)) else { continue };
        if node.status != stored.status {
            writes.push(Write::UpdateStatus(node.clone().into()));
        }
        if node.spec != stored.spec {
            writes.push(Write::Update(node.into()));
        }
    }
    writes.append(&mut plan.writes);
    plan.writes = writes;
}

/// Asks for the tainting pass when somebody waits and may be tainted.
fn ask_for_tainting(plan: &mut NodeLifecyclePlan, now: Now) {
    let waiting = plan.state.zones.values().filter(|zone| !zone.queue.is_empty() && zone.interval_ms.is_some());
    // The pass comes by every tenth of a second, so that what follows from the round itself comes first.
    if let Some(at_ms) = waiting.map(|zone| zone.next_ms.max(now.plus_ms(TAINTING_PERIOD_MS))).min() {
        plan.timers.push(Timer::new(at_ms, tainting_key()));
    }
}

/// Taints the first waiting node of each zone whose pace allows it.
///
/// Follows kubernetes pkg/controller/nodelifecycle doNoExecuteTaintingPass, v1.36.
pub fn taint_waiting(store: &Store, state: &NodeLifecycleState, now: Now) -> NodeLifecyclePlan {
    let mut plan: NodeLifecyclePlan = Plan::idle(state.clone());
    let due = |zone: &Zone| !zone.queue.is_empty() && zone.interval_ms.is_some() && zone.next_ms <= now.ms;
    let zones: Vec<Rc<str>> = state.zones.iter().filter(|(_, zone)| due(zone)).map(|(name, _)| name.clone()).collect();
    for name in zones {
        let mut first = None;
        plan.state.edit_zone(&name, |zone| {
            first = zone.queue.peek().cloned();
            zone.queue.dequeue_mut();
            zone.next_ms = now.plus_ms(zone.interval_ms.unwrap_or(0));
        });
        let Some(node) = first.and_then(|name| store.node_named(&name)) else { continue };
        let (wanted, other) = match node.condition("Ready").map(|c| c.status.as_str()) {
            Some("False") => (not_ready_taint(), unreachable_taint()),
            Some("Unknown") => (unreachable_taint(), not_ready_taint()),
            // It is ready again; the next round forgets it.
            _ => continue,
        };
        let (mut tainted, taint) = (Rc::clone(node), wanted.to_string());
        swap(Rc::make_mut(&mut tainted), vec![wanted], &[other], now);
        plan.writes.push(Write::Update(tainted.into()));
        plan.reason.push(NodeDecision::Tainted { node: node.name().clone(), taint });
    }
    ask_for_tainting(&mut plan, now);
    plan
}
