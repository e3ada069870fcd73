//! `realmanifests.jsonl`, the scheduler's part: which of a DaemonSet's pods are bound, and what the pending ones say.

use super::scheduler_run::*;
use daemonset_playground::apiserver::Store;
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::POD_SCHEDULED;
use serde_json::{Value, json};

/// The DaemonSet's pods as the recording shows them go where they went, or wait with the recorded message.
pub fn check(case: &Value) -> Result<(), String> {
    let mut store = Store::default();
    array(&case["inputs"], "nodes").for_each(|tree| drop(store.put(short_node(tree))));
    let documents = serde_yaml::Deserializer::from_str(case["inputs"]["manifest"].as_str().unwrap());
    let documents = documents.map(|document| <Value as serde::Deserialize>::deserialize(document).unwrap());
    let daemon_set = documents.into_iter().find(|document| document["kind"] == "DaemonSet").unwrap();
    let template = &daemon_set["spec"]["template"];
    for (index, recorded) in array(&case["expect"], "pods").enumerate() {
        let mut tree = json!({"metadata": template["metadata"], "spec": template["spec"]});
        tree["metadata"]["name"] = json!(format!("ds-{index}"));
        tree["metadata"]["namespace"] = json!("default");
        tree["spec"]["tolerations"] = recorded["tolerations"].clone();
        tree["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({"nodeSelectorTerms": recorded["nodeSelectorTerms"]});
        let mut pod: Pod = decode(tree).unwrap();
        admit(&store, &mut pod);
        let key = pod.metadata.key();
        store.put(pod.into());
        let outcome = play(&mut store, &key);
        let pod = store.pod(&key).unwrap();
        if pod.spec.node_name != recorded["node"].as_str().unwrap_or("").into() {
            return Err(format!("{} is on {:?}: {:?}", recorded["targetNode"], pod.spec.node_name, outcome.events));
        }
        let message = pod.status.condition(POD_SCHEDULED).map_or("", |condition| &condition.message);
        if message != recorded["unschedulable"].as_str().unwrap_or("") {
            return Err(format!("{} says {message:?}", recorded["targetNode"]));
        }
    }
    Ok(())
}

/// A node of the short form of `realmanifests.jsonl`.
fn short_node(tree: &Value) -> Object {
    let name = tree["name"].as_str().unwrap();
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
    });
    let mut allocatable = json!({"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    let put = |into: &mut Value, from: &Value| {
        for (key, value) in from.as_object().into_iter().flatten() {
            into[key] = value.clone();
        }
    };
    put(&mut labels, &tree["labels"]);
    put(&mut allocatable, &tree["ext"]);
    for (short, long) in [("cpu", "cpu"), ("mem", "memory"), ("pods", "pods")] {
        if let Some(amount) = tree.get(short) {
            allocatable[long] = json!(amount.as_str().map_or_else(|| amount.to_string(), str::to_owned));
        }
    }
    let mut taints: Vec<Value> = array(tree, "taints").cloned().collect();
    if tree["unschedulable"] == true {
        taints.push(json!({"key": TAINT_UNSCHEDULABLE, "effect": NO_SCHEDULE}));
    }
    if tree["ready"] == false {
        taints.extend([NO_SCHEDULE, NO_EXECUTE].map(|effect| json!({"key": TAINT_NOT_READY, "effect": effect})));
    }
    decoded(&json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints, "unschedulable": tree["unschedulable"]},
        "status": {"allocatable": allocatable},
    }))
}
