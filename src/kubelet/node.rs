//! What a kubelet does for its node: conditions, node-pressure eviction, static pods.

use super::eviction::{self, Candidate, MONITORING_PERIOD_MS, TRANSITION_PERIOD_MS};
use super::reason::{Happening, KubeletReason};
use super::state::KubeletState;
use super::{KubeletPlan, events, has_kubelet, status};
use crate::apiserver::{Now, Plan, Store, Timer, Write};
use crate::objects::*;
use std::rc::Rc;

/// Resources whose shortage makes a kubelet evict pods, with the condition that tells of it.
const SIGNALS: [(&str, &str); 2] = [(MEMORY, "MemoryPressure"), (EPHEMERAL_STORAGE, "DiskPressure")];

/// What an unhealthy kubelet says where nobody gave other words: type, reason, message.
const UNHEALTHY: [(&str, &str, &str); 4] = [
    ("MemoryPressure", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
    ("DiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure"),
    ("PIDPressure", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
    ("Ready", "KubeletNotReady", "container runtime is down"),
];

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> NodeCondition {
    NodeCondition {
        type_: type_.into(),
        status: status.into(),
        reason: reason.into(),
        message: message.into(),
        ..NodeCondition::default()
    }
}

/// What a healthy kubelet says of a condition type; `None` for types that are not its own.
pub fn healthy_condition(type_: &str) -> Option<NodeCondition> {
    healthy_conditions().into_iter().find(|condition| condition.type_ == type_)
}

/// Fills in reason and message where a condition has none.
fn in_words(mut said: NodeCondition) -> NodeCondition {
    if said.reason.is_empty() {
        let healthy = healthy_condition(&said.type_).filter(|h| h.status == said.status);
        let unhealthy = UNHEALTHY.iter().find(|(type_, ..)| *type_ == said.type_);
        let (reason, message) = match (healthy, unhealthy) {
            (Some(h), _) => (h.reason, h.message),
            (None, Some((_, reason, message))) => ((*reason).into(), (*message).into()),
            (None, None) => (format!("Kubelet{}", said.type_), String::new()),
        };
        said.reason = reason;
        if said.message.is_empty() {
            said.message = message;
        }
    }
    said
}

/// The kubelet of a node says something about the node, now and until it says otherwise: a person's `sim` command.
/// It gets through even where the kubelet is otherwise silent.
pub fn report(store: &Store, state: &KubeletState, node: &str, said: NodeCondition, now: Now) -> KubeletPlan {
    let mut state = state.clone();
    let said = in_words(said);
    let healthy = healthy_condition(&said.type_).is_some_and(|h| h.status == said.status && h.reason == said.reason);
    state.edit_node(node, |runtime| match healthy {
        true => runtime.reported.remove(&said.type_),
        false => runtime.reported.insert(said.type_.clone(), said.clone()),
    });
    let mut plan = Plan::idle(state);
    if let Some(node) = store.node_named(node) {
        write_conditions(node, vec![said], now, &mut plan);
    }
    plan
}

/// One look of a kubelet at its node.
pub fn plan(store: &Store, name: &str, mut next: KubeletState, now: Now) -> KubeletPlan {
    let Some(node) = store.node_named(name).filter(|node| has_kubelet(node)) else {
        return Plan::idle(next);
    };
    next.register(node);
    if next.down(name).is_some() {
        return Plan::idle(next);
    }
    let mut plan = Plan::idle(next);
    watch_resources(store, node, now, &mut plan);
    let reported = plan.state.node(name).map(|runtime| runtime.reported.clone()).unwrap_or_default();
    let mut said = healthy_conditions();
    for (type_, other) in reported {
        // Conditions of other types are told by others (a network plugin); the kubelet leaves them.
        if let Some(own) = said.iter_mut().find(|c| c.type_ == type_) {
            *own = other;
        }
    }
    write_conditions(node, said, now, &mut plan);
    show_static_pods(store, node, &mut plan);
    plan
}

/// Writes conditions that differ from those stored.
///
/// Follows kubernetes pkg/kubelet/nodestatus/setters.go, v1.36.
fn write_conditions(node: &Node, said: Vec<NodeCondition>, now: Now, plan: &mut KubeletPlan) {
    let mut conditions = (*node.status.conditions).clone();
    let mut changed = Vec::new();
    for mut new in said {
        new.last_heartbeat_time = Some(now.time);
        new.last_transition_time = Some(now.time);
        match conditions.iter_mut().find(|c| c.type_ == new.type_) {
            Some(old) if (&old.status, &old.reason, &old.message) == (&new.status, &new.reason, &new.message) => {}
            Some(old) => {
                if old.status == new.status {
                    new.last_transition_time = old.last_transition_time;
                }
                changed.push((new.type_.clone(), new.status.clone()));
                *old = new;
            }
            // That a condition which nobody has told of is as it should be is no news.
            None if healthy_condition(&new.type_).is_some_and(|healthy| healthy.status == new.status) => {}
            None => {
                changed.push((new.type_.clone(), new.status.clone()));
                conditions.push(new);
            }
        }
    }
    if changed.is_empty() {
        return;
    }
    let mut reported = node.clone();
    reported.status.conditions = Rc::new(conditions);
    plan.writes.push(Write::UpdateStatus(reported.into()));
    for (type_, status) in &changed {
        if let Some(reason) = told_as(type_, status) {
            let message = format!("Node {} status is now: {reason}", node.name());
            plan.writes.push(Write::Event(events::about_node(node, NORMAL, reason, message)));
        }
    }
    plan.reason.push(Happening::Reported { conditions: changed });
}

/// The event that tells of a condition.
fn told_as(type_: &str, status: &str) -> Option<&'static str> {
    Some(match (type_, status) {
        ("Ready", "True") => "NodeReady",
        ("Ready", _) => "NodeNotReady",
        ("MemoryPressure", "True") => "NodeHasInsufficientMemory",
        ("MemoryPressure", _) => "NodeHasSufficientMemory",
        ("DiskPressure", "True") => "NodeHasDiskPressure",
        ("DiskPressure", _) => "NodeHasNoDiskPressure",
        ("PIDPressure", "True") => "NodeHasInsufficientPID",
        ("PIDPressure", _) => "NodeHasSufficientPID",
        _ => return None,
    })
}

/// Looks at what is left of memory and disk; evicts one pod where it is too little, and tells of the pressure.
///
/// Follows kubernetes pkg/kubelet/eviction/eviction_manager.go synchronize, v1.36, with hard thresholds only.
fn watch_resources(store: &Store, node: &Node, now: Now, plan: &mut KubeletPlan) {
    let name = node.name().clone();
    for (resource, type_) in SIGNALS {
        let Some((candidates, used)) = measure(store, node, resource, &plan.state, now) else { continue };
        let capacity = node.status.capacity.get(resource).copied().unwrap_or_default();
        let available = Quantity::from_bytes(capacity.value().saturating_sub(used.value()).max(0));
        let threshold = eviction::threshold(node, resource);
        if available < threshold {
            let evicted_ms = plan.state.edit_node(&name, |runtime| {
                runtime.short_ms.insert(resource.into(), now.ms);
                runtime.reported.insert(type_.into(), in_words(condition(type_, "True", "", "")));
                runtime.evicted_ms
            });
            let due_ms = evicted_ms.map_or(now.ms, |last| last.saturating_add(MONITORING_PERIOD_MS));
            if due_ms <= now.ms {
                evict_first(candidates, resource, (threshold, available), now, plan);
            }
            let again_ms = if due_ms <= now.ms { now.plus_ms(MONITORING_PERIOD_MS) } else { due_ms };
            // With nobody left to evict, looking again changes nothing by itself.
            let background = plan.reason.is_empty() && due_ms <= now.ms;
            plan.timers.push(Timer { at_ms: again_ms, key: ObjectKey::cluster(name.clone()), background });
        } else if let Some(last_ms) = plan.state.node(&name).and_then(|r| r.short_ms.get(resource).copied()) {
            let over_ms = last_ms.saturating_add(TRANSITION_PERIOD_MS);
            if over_ms <= now.ms {
                plan.state.edit_node(&name, |runtime| {
                    runtime.short_ms.remove(resource);
                    runtime.reported.remove(type_);
                });
            } else {
                plan.timers.push(Timer::new(over_ms, ObjectKey::cluster(name.clone())));
            }
        }
    }
}

/// The pods that use a resource and how much is used in all. `None`: nothing is known of it.
fn measure<'a>(
    store: &'a Store,
    node: &Node,
    resource: &str,
    state: &KubeletState,
    now: Now,
) -> Option<(Vec<Candidate<'a>>, Quantity)> {
    let runtime = state.node(node.name());
    let besides = runtime.and_then(|runtime| runtime.besides.get(resource).copied());
    // What has been short is looked at further, also when those that used it are gone: else the pressure never ends.
    let mut known = besides.is_some() || runtime.is_some_and(|runtime| runtime.short_ms.contains_key(resource));
    let mut used = besides.unwrap_or_default();
    let mut candidates = Vec::new();
    for pod in store.pods_on(node.name()).filter(|pod| pod.is_bound()) {
        let Some(runtime) = state.pod(&pod.metadata.key()).filter(|r| !r.is_over() && r.uid == pod.metadata.uid) else {
            continue;
        };
        known |= !runtime.behaviour.uses.samples(resource).is_empty();
        let usage = eviction::usage(pod, runtime, resource, now);
        used = used.plus(usage);
        let request = pod.spec.effective_requests().get(resource).copied().unwrap_or_default();
        if runtime.stopping.is_none() {
            candidates.push(Candidate { pod, usage, request });
        }
    }
    known.then_some((candidates, used))
}

fn evict_first(
    candidates: Vec<Candidate<'_>>,
    resource: &str,
    (threshold, available): (Quantity, Quantity),
    now: Now,
    plan: &mut KubeletPlan,
) {
    let ranked = eviction::rank(candidates);
    let Some(pod) = ranked.first().map(|c| c.pod) else { return };
    let Some(eviction) = eviction::first(&ranked, resource, threshold, available) else { return };
    let key = pod.metadata.key();
    let Some(mut runtime) = plan.state.pod(&key).map(|runtime| (**runtime).clone()) else { return };
    let mut happened: KubeletReason = Vec::new();
    runtime.evict(pod, eviction, now, &mut happened);
    let mut reported = pod.clone();
    reported.status = status::pod_status(pod, &runtime, &pod.status.host_ip, now);
    plan.writes.push(Write::UpdateStatus(reported.into()));
    for happening in &happened {
        let told = events::events(pod, &runtime, happening);
        plan.writes.extend(told.into_iter().map(Write::Event));
    }
    plan.reason.append(&mut happened);
    plan.state.set_pod(key, runtime);
    plan.state.edit_node(&pod.spec.node_name, |runtime| runtime.evicted_ms = Some(now.ms));
}

/// Creates the mirror pods that are missing.
///
/// Follows kubernetes pkg/kubelet/pod/mirror_client.go, v1.36.
fn show_static_pods(store: &Store, node: &Node, plan: &mut KubeletPlan) {
    let pods = plan.state.node(node.name()).map(|runtime| runtime.static_pods.clone()).unwrap_or_default();
    for pod in pods.iter() {
        let name: Rc<str> = format!("{}-{}", pod.metadata.name, node.name()).into();
        let namespace =
            if pod.metadata.namespace.is_empty() { "default".into() } else { pod.metadata.namespace.clone() };
        if store.pod(&ObjectKey::new(namespace.clone(), name.clone())).is_some() {
            continue;
        }
        let mut mirror = (**pod).clone();
        mirror.metadata.name = name.clone();
        mirror.metadata.namespace = namespace;
        let annotations = Rc::make_mut(&mut mirror.metadata.annotations);
        for (key, value) in [("config.hash", "0"), ("config.mirror", "0"), ("config.source", "file")] {
            annotations.entry(format!("kubernetes.io/{key}")).or_insert_with(|| value.into());
        }
        mirror.metadata.owner_references = Rc::new(vec![OwnerReference {
            api_version: "v1".into(),
            kind: "Node".into(),
            name: node.name().clone(),
            uid: node.metadata.uid.clone(),
            controller: Some(true),
            ..OwnerReference::default()
        }]);
        let spec = Rc::make_mut(&mut mirror.spec);
        spec.node_name = node.name().clone();
        let every = Toleration { operator: "Exists".into(), effect: NO_EXECUTE.into(), ..Toleration::default() };
        if !spec.tolerations.contains(&every) {
            Rc::make_mut(&mut spec.tolerations).push(every);
        }
        plan.writes.push(Write::Create(mirror.into()));
        plan.reason.push(Happening::MirrorCreated { pod: name });
    }
}
