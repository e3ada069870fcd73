//! Runs the scheduler on a small store, with as much of an API server and a kubelet as that takes.

use daemonset_playground::apiserver::{Store, Write};
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::{self, POD_SCHEDULED, SchedulerReason};
use serde_json::Value;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the API server's admission does to a pod, as far as the scheduler sees it.
pub fn admit(store: &Store, pod: &mut Pod) {
    let spec = Rc::make_mut(&mut pod.spec);
    let class = |name: &str| store.priority_class(&ObjectKey::cluster(name)).map(|class| class.value);
    spec.priority = Some(match spec.priority_class_name.as_str() {
        "" => store.priority_classes().values().find(|class| class.global_default).map_or(0, |class| class.value),
        "system-node-critical" => SYSTEM_NODE_CRITICAL,
        "system-cluster-critical" => SYSTEM_CLUSTER_CRITICAL,
        name => class(name).unwrap_or(0),
    });
    let policy = store.priority_class(&ObjectKey::cluster(spec.priority_class_name.as_str()));
    if let Some(policy) = policy.and_then(|class| class.preemption_policy.clone()) {
        spec.preemption_policy.get_or_insert(policy);
    }
    if spec.scheduler_name.is_empty() {
        spec.scheduler_name = "default-scheduler".into();
    }
    let runtime = spec.runtime_class_name.as_deref().and_then(|name| store.runtime_class(&ObjectKey::cluster(name)));
    if let Some(overhead) = runtime.and_then(|class| class.overhead.as_ref()) {
        spec.overhead = overhead.pod_fixed.clone();
    }
    for key in [TAINT_NOT_READY, TAINT_UNREACHABLE] {
        let taint = Taint::new(key, NO_EXECUTE);
        if !spec.tolerations.iter().any(|toleration| toleration.tolerates(&taint)) {
            let added = Toleration { toleration_seconds: Some(300), ..Toleration::exists(key, NO_EXECUTE) };
            Rc::make_mut(&mut spec.tolerations).push(added);
        }
    }
    pod.metadata.uid = format!("uid-of-{}", pod.metadata.name).into();
}

pub fn decoded(tree: &Value) -> Object {
    Object::from_value(tree.clone()).unwrap()
}

pub fn array<'a>(tree: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    tree[member].as_array().into_iter().flatten()
}

/// What happened to the pending pod and its victims.
#[derive(Default)]
pub struct Outcome {
    /// `reason object message`.
    pub events: Vec<String>,
    pub nominated: Option<String>,
    pub victims: BTreeSet<String>,
}

/// Lets the scheduler work until the pod is bound or nothing changes any more; victims leave one after the other.
pub fn play(store: &mut Store, key: &ObjectKey) -> Outcome {
    let mut outcome = Outcome::default();
    for round in 0..20 {
        let plan = scheduler::plan(store, key, Time(round));
        let mut terminating = Vec::new();
        for write in plan.writes {
            match write {
                Write::Bind { pod, node } => {
                    let mut bound = Pod::clone(store.pod(&pod).unwrap());
                    Rc::make_mut(&mut bound.spec).node_name = node;
                    bound.status.set_condition(PodCondition {
                        type_: POD_SCHEDULED.into(),
                        status: "True".into(),
                        ..PodCondition::default()
                    });
                    store.put(bound.into());
                }
                Write::UpdateStatus(object) => drop(store.put(object)),
                Write::Delete(delete) => {
                    let mut pod = Pod::clone(store.pod(&delete.key).unwrap());
                    outcome.victims.insert(pod.metadata.name.to_string());
                    pod.metadata.deletion_timestamp = Some(Time(round));
                    store.put(pod.into());
                    terminating.push(delete.key);
                }
                Write::Event(event) => {
                    let message = event.message.replace(&format!("uid-of-{}", key.name), "<uid>");
                    outcome.events.push(format!("{} {} {message}", event.reason, event.key.name));
                }
                other => panic!("{other:?}"),
            }
        }
        let pod = store.pod(key).unwrap();
        if !pod.status.nominated_node_name.is_empty() {
            outcome.nominated = Some(pod.status.nominated_node_name.clone());
        }
        if !matches!(plan.reason, SchedulerReason::Unschedulable(_)) || terminating.is_empty() {
            break;
        }
        for victim in terminating {
            store.remove(Kind::Pod, &victim);
        }
    }
    outcome
}
