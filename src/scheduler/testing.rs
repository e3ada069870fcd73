//! Short ways to say what a test's cluster looks like.

use crate::apiserver::Store;
use crate::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

/// Puts `extra` into `tree`, maps member by member.
pub fn merge(tree: &mut Value, extra: Value) {
    match (tree, extra) {
        (Value::Object(tree), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(tree.entry(key).or_insert(Value::Null), value);
            }
        }
        (tree, extra) => *tree = extra,
    }
}

/// A store with these objects.
pub fn store(objects: impl IntoIterator<Item = Object>) -> Store {
    let mut store = Store::default();
    for object in objects {
        store.put(object);
    }
    store
}

/// A node with 4 CPU, 8Gi and room for 110 pods. `extra` may have `labels`, `taints`, `unschedulable`, `allocatable`.
pub fn node(name: &str, mut extra: Value) -> Object {
    let mut allocatable = json!({"cpu": "4", "memory": "8Gi", "pods": "110"});
    merge(&mut allocatable, extra["allocatable"].take().as_object().cloned().unwrap_or_default().into());
    let tree = json!({
        "metadata": {"name": name, "labels": extra["labels"]},
        "spec": {"taints": extra["taints"], "unschedulable": extra["unschedulable"]},
        "status": {"allocatable": allocatable},
    });
    Object::Node(decode(tree).unwrap())
}

/// A pod of namespace `default`. `extra` may have members of its metadata (`labels`, `namespace`…), `phase`,
/// `nominatedNodeName`, `requests` of its one container, and members of its spec.
pub fn pod(name: &str, mut extra: Value) -> Object {
    let mut metadata = json!({"name": name, "namespace": "default", "uid": format!("uid-{name}")});
    for member in ["labels", "namespace", "deletionTimestamp", "creationTimestamp", "ownerReferences"] {
        if let Some(value) = extra.as_object_mut().and_then(|map| map.remove(member)) {
            metadata[member] = value;
        }
    }
    let mut status = json!({"phase": extra["phase"].as_str().unwrap_or("Pending")});
    for member in ["nominatedNodeName", "startTime", "conditions"] {
        status[member] = extra[member].take();
    }
    let container = json!({"name": "c", "image": "i", "resources": {"requests": extra["requests"].take()}});
    let mut spec = json!({"schedulerName": "default-scheduler", "containers": [container]});
    if let Some(map) = extra.as_object_mut() {
        map.remove("phase");
    }
    merge(&mut spec, extra);
    Object::Pod(decode(json!({"metadata": metadata, "spec": spec, "status": status})).unwrap())
}

/// The pod of an object that is one.
pub fn typed_pod(object: Object) -> Rc<Pod> {
    match object {
        Object::Pod(pod) => pod,
        other => panic!("{other:?} is no pod"),
    }
}
