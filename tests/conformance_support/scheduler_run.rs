//! Lets the scheduler work on a small cluster behind the API server, with as much of a kubelet as that takes.

use daemonset_playground::apiserver::{ApiServer, Delete, Store, Write};
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::{self, SchedulerReason};
use serde_json::Value;
use std::collections::BTreeSet;

/// What happened to a pending pod, and to others because of it.
#[derive(Default)]
pub struct Outcome {
    /// `reason object message`, the pending pod's uid replaced by `<uid>`.
    pub events: Vec<String>,
    /// The node where room was made.
    pub nominated: Option<String>,
    /// The pods that had to go.
    pub victims: BTreeSet<String>,
}

/// A cluster without nodes.
pub fn cluster() -> ApiServer {
    ApiServer::new(1, Time(0))
}

/// Creates an object as a client would.
pub fn create(server: &mut ApiServer, object: Object) -> Object {
    server.commit(Write::Create(object)).unwrap_or_else(|status| panic!("{status}"))
}

/// The pod of this key.
pub fn pod<'a>(store: &'a Store, key: &ObjectKey) -> &'a Pod {
    store.pod(key).expect("the pod is there")
}

/// Lets the scheduler work until the pod is bound or nothing changes any more; victims leave in between.
pub fn play(server: &mut ApiServer, key: &ObjectKey) -> Outcome {
    let mut outcome = Outcome::default();
    for second in 0..20 {
        server.set_now(Time(second));
        let plan = scheduler::plan(server.store(), key, server.now());
        let uid = pod(server.store(), key).metadata.uid.clone();
        let mut leaving = Vec::new();
        for write in plan.writes {
            match &write {
                Write::Delete(delete) => {
                    outcome.victims.insert(delete.key.name.to_string());
                    leaving.push(delete.key.clone());
                }
                Write::Event(event) => {
                    let message = event.message.replace(&*uid, "<uid>");
                    outcome.events.push(format!("{} {} {message}", event.reason, event.key.name));
                }
                _ => {}
            }
            server.commit(write).unwrap_or_else(|status| panic!("{status}"));
        }
        let nominated = &pod(server.store(), key).status.nominated_node_name;
        if !nominated.is_empty() {
            outcome.nominated = Some(nominated.clone());
        }
        if !matches!(plan.reason, SchedulerReason::Unschedulable(_)) || leaving.is_empty() {
            break;
        }
        for victim in leaving {
            let gone = Delete::pod_now(pod(server.store(), &victim));
            server.commit(Write::Delete(gone)).unwrap_or_else(|status| panic!("{status}"));
        }
    }
    outcome
}

/// Any object of a recording.
pub fn object(tree: &Value) -> Object {
    Object::from_value(tree.clone()).unwrap_or_else(|error| panic!("{error}"))
}

/// The items of a member that is a list, or may be missing.
pub fn array<'a>(tree: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    tree[member].as_array().into_iter().flatten()
}

/// The cluster of a case, and the key of the pending pod.
pub fn cluster_of(inputs: &Value) -> (ApiServer, ObjectKey) {
    let mut server = cluster();
    for member in ["nodes", "priorityClasses", "podDisruptionBudgets", "runtimeClasses", "pods"] {
        array(inputs, member).for_each(|tree| drop(create(&mut server, object(tree))));
    }
    let key = create(&mut server, object(&inputs["pending"])).key();
    (server, key)
}
