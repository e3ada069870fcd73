//! The kubelets: pod phases over virtual time, driven by behaviours that are data.
//!
//! A work item is a pod (its key) or, with an empty namespace, a node. [`plan`] looks at one of them and says what to
//! write; [`on_change`] says which to look at after a write.

mod admission;
mod backoff;
mod behaviour;
mod config;
mod container;
mod events;
mod eviction;
mod node;
mod reason;
mod runtime;
mod state;
mod status;

pub use backoff::{BackOff, INITIAL_BACKOFF_MS, MAX_BACKOFF_MS};
pub use behaviour::*;
pub use config::MissingConfig;
pub use container::{Activity, ContainerRuntime, Exit};
pub use events::COMPONENT;
pub use eviction::usage as pod_usage;
pub use node::report;
pub use reason::{EndReason, Eviction, Happening, KubeletReason, Refusal};
pub use runtime::{PodRuntime, Stopping, Verdict};
pub use state::{Down, KubeletState, NodeRuntime};

use crate::apiserver::{Change, Delete, Now, Plan, Store, Timer, Write};
use crate::objects::*;
use std::rc::Rc;

/// What a kubelet wants.
pub type KubeletPlan = Plan<KubeletReason, KubeletState>;

/// Whether a kubelet stands behind a node object: it has reported the Ready condition. A node that somebody only wrote
/// down has none.
pub fn has_kubelet(node: &Node) -> bool {
    node.condition("Ready").is_some()
}

/// One turn of a kubelet: of a pod, or of a node when the key has no namespace.
///
/// Takes the memory and gives it back in the plan: memory that nobody else holds is changed in place.
pub fn plan(store: &Store, key: &ObjectKey, mut state: KubeletState, now: Now) -> KubeletPlan {
    if key.namespace.is_empty() {
        return node::plan(store, &key.name, state, now);
    }
    let Some(pod) = store.pod(key).filter(|pod| pod.is_bound()) else {
        state.forget_pod(key);
        return Plan::idle(state);
    };
    if state.down(&pod.spec.node_name).is_some() {
        return Plan::idle(state);
    }
    let runtime = state.pod(key).filter(|runtime| runtime.uid == pod.metadata.uid).map(|runtime| (**runtime).clone());
    match runtime {
        Some(runtime) => go_on(store, pod, runtime, Vec::new(), state, now),
        None => take_in(store, pod, state, now),
    }
}

/// What to look at after a write: pods that were bound, told to end or removed, nodes that came.
pub fn on_change(change: &Change, state: &KubeletState, now: Now) -> Vec<Timer> {
    match (&change.before, &change.after) {
        (before, Some(Object::Pod(pod))) if pod.is_bound() => {
            let before = match before {
                Some(Object::Pod(before)) => Some(before),
                _ => None,
            };
            let bound = before.is_none_or(|b| !b.is_bound() || b.metadata.uid != pod.metadata.uid);
            let told = pod.metadata.deletion_timestamp != before.and_then(|b| b.metadata.deletion_timestamp);
            if bound || told { vec![Timer::new(now.ms, pod.metadata.key())] } else { Vec::new() }
        }
        (Some(Object::Pod(pod)), None) => {
            let mut timers = Vec::new();
            if state.pod(&pod.metadata.key()).is_some() {
                timers.push(Timer::new(now.ms, pod.metadata.key()));
            }
            if pod.is_mirror() {
                timers.push(Timer::new(now.ms, ObjectKey::cluster(pod.spec.node_name.clone())));
            }
            timers
        }
        (_, Some(Object::Unstructured(object))) if matches!(object.kind.as_str(), "ConfigMap" | "Secret") => {
            state.retries_in(&object.metadata.namespace)
        }
        (None, Some(Object::Node(node))) => vec![Timer::new(now.ms, ObjectKey::cluster(node.name().clone()))],
        _ => Vec::new(),
    }
}

/// A pod that the kubelet sees for the first time.
fn take_in(store: &Store, pod: &Rc<Pod>, mut next: KubeletState, now: Now) -> KubeletPlan {
    let name = &pod.spec.node_name;
    let Some(node) = store.node_named(name).filter(|node| has_kubelet(node)) else {
        return Plan::idle(next);
    };
    next.register(node);
    let (rule, behaviour) = next.behaviours.choose(pod, name);
    let ip = match (pod.spec.host_network, pod.status.pod_ip.is_empty()) {
        (true, _) => internal_ip(node).to_owned(),
        (false, true) => next.next_address(node),
        (false, false) => pod.status.pod_ip.clone(),
    };
    let mut runtime = PodRuntime::new(pod, rule, behaviour, ip, now);
    let mut happened = Vec::new();
    if pod.is_finished() {
        // Another kubelet's time, or an initial state: nothing to do for it.
        return go_on_finished(pod, runtime, next);
    } else if pod.status.phase == RUNNING && !pod.is_terminating() {
        runtime.found_running(pod, now);
        happened.push(Happening::Found);
    } else if !pod.is_terminating() {
        let admitted = |other: &&Pod| {
            let known = next.pod(&other.metadata.key()).filter(|r| r.uid == other.metadata.uid);
            other.is_bound() && known.is_some_and(|r| !r.is_over()) && other.metadata.uid != pod.metadata.uid
        };
        let others: Vec<&Pod> = store.pods_on(name).map(|other| &**other).filter(admitted).collect();
        let admitted = if runtime.behaviour.may_refuse { admission::admit(pod, node, &others) } else { Ok(()) };
        match admitted {
            Ok(()) => happened.push(Happening::Admitted { rule, starts_in_ms: runtime.starts_in_ms(pod, now) }),
            Err(refusal) => {
                runtime.verdict = Some(Verdict::Refused(refusal.clone()));
                happened.push(Happening::Refused(refusal));
            }
        }
    }
    if !runtime.is_over() {
        runtime.pulled = fetch_images(pod, &mut next);
    }
    go_on(store, pod, runtime, happened, next, now)
}

/// A pod that had ended before this kubelet first saw it: it stays as it is until it is deleted.
fn go_on_finished(pod: &Rc<Pod>, mut runtime: PodRuntime, mut state: KubeletState) -> KubeletPlan {
    runtime.verdict = Some(Verdict::Finished(pod.status.phase == SUCCEEDED));
    if !pod.is_terminating() {
        state.set_pod(pod.metadata.key(), runtime);
        return Plan::idle(state);
    }
    let happened = vec![Happening::Removed { killed: false }];
    Plan { writes: vec![Write::Delete(Delete::pod_now(pod))], reason: happened, ..Plan::idle(state) }
}

/// Notes the images that the pod brings to its node; returns those that were not there.
fn fetch_images(pod: &Pod, state: &mut KubeletState) -> Vec<Rc<str>> {
    let node = pod.spec.node_name.clone();
    state.edit_node(&node, |node| {
        let mut fresh = Vec::new();
        for container in pod.spec.init_containers.iter().chain(pod.spec.containers.iter()) {
            let image: Rc<str> = container.image.as_str().into();
            let always = container.other.get("imagePullPolicy").is_some_and(|policy| policy == "Always");
            if always || !node.images.contains(&image) {
                node.images.insert_mut(image.clone());
                fresh.push(image);
            }
        }
        fresh
    })
}

fn internal_ip(node: &Node) -> &str {
    node.status.addresses.iter().find(|a| a.type_ == "InternalIP").map_or("", |a| &a.address)
}

/// Lets the pod go on up to now, reports its status, and says when it goes on next.
fn go_on(
    store: &Store,
    pod: &Rc<Pod>,
    mut runtime: PodRuntime,
    mut happened: KubeletReason,
    mut state: KubeletState,
    now: Now,
) -> KubeletPlan {
    let key = pod.metadata.key();
    let node = pod.spec.node_name.clone();
    if pod.is_terminating() {
        runtime.stop(pod.metadata.deletion_grace_period_seconds.unwrap_or(0), now, &mut happened);
    }
    if let Some(stopping) = runtime.stopping.filter(|stopping| stopping.gone_ms <= now.ms) {
        happened.push(Happening::Removed { killed: stopping.killed });
        let mut writes = told(pod, &runtime, &happened);
        writes.push(Write::Delete(Delete::pod_now(pod)));
        state.forget_pod(&key);
        let mut timers = Vec::new();
        look_at_node(&runtime, &node, now, &mut timers);
        return Plan { writes, reason: happened, timers, state };
    }
    if std::mem::take(&mut runtime.sandbox_changed) {
        happened.push(Happening::SandboxChanged);
    }
    if runtime.behaviour.may_refuse {
        config::hold(store, pod, &mut runtime, now, &mut happened);
    }
    happened.append(&mut runtime.advance(pod, now));
    let mut writes = Vec::new();
    // What somebody else has reported of a pod that was there already stands until something happens to it.
    if runtime.stopping.is_none() && happened != [Happening::Found] {
        let host_ip = store.node_named(&node).map_or("", |node| internal_ip(node));
        let status = status::pod_status(pod, &runtime, host_ip, now);
        if status != pod.status {
            let (metadata, spec, other) = (pod.metadata.clone(), Rc::clone(&pod.spec), pod.other.clone());
            writes.push(Write::UpdateStatus(Pod { metadata, spec, status, other }.into()));
        }
    }
    writes.append(&mut told(pod, &runtime, &happened));
    let mut timers = Vec::new();
    if let Some(at_ms) = runtime.stopping.map(|s| s.gone_ms).or_else(|| runtime.next_ms(pod))
        && at_ms < u64::MAX
    {
        timers.push(Timer { at_ms, key: key.clone(), background: runtime.only_repeats() });
    }
    look_at_node(&runtime, &node, now, &mut timers);
    state.set_pod(key, runtime);
    Plan { writes, reason: happened, timers, state }
}

/// When the usage of a pod is known, its kubelet looks at what is left on the node after every change.
fn look_at_node(runtime: &PodRuntime, node: &Rc<str>, now: Now, timers: &mut Vec<Timer>) {
    if !runtime.behaviour.uses.memory.is_empty() || !runtime.behaviour.uses.ephemeral_storage.is_empty() {
        timers.push(Timer::new(now.ms, ObjectKey::cluster(node.clone())));
    }
}

fn told(pod: &Pod, runtime: &PodRuntime, happened: &[Happening]) -> Vec<Write> {
    let events = happened.iter().flat_map(|happening| events::events(pod, runtime, happening));
    events.map(Write::Event).collect()
}
