//! `realmanifests.jsonl`, the scheduler's part: which of a DaemonSet's pods are bound, and what the pending ones say.

use super::expect_eq;
use super::scheduler_run::*;
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::POD_SCHEDULED;
use serde_json::{Value, json};

/// The DaemonSet's pods as the recording shows them go where they went, or wait with the recorded message.
pub fn check(case: &Value) -> Result<(), String> {
    let mut server = cluster();
    array(&case["inputs"], "nodes").for_each(|tree| drop(create(&mut server, short_node(tree))));
    let manifest = case["inputs"]["manifest"].as_str().expect("a manifest");
    let documents = serde_yaml::Deserializer::from_str(manifest);
    let mut documents = documents.map(|document| <Value as serde::Deserialize>::deserialize(document).expect("YAML"));
    let daemon_set = documents.find(|document| document["kind"] == "DaemonSet").expect("a DaemonSet");
    let template = &daemon_set["spec"]["template"];
    for (index, recorded) in array(&case["expect"], "pods").enumerate() {
        let mut tree = json!({"metadata": template["metadata"], "spec": template["spec"]});
        tree["metadata"]["name"] = json!(format!("ds-{index}"));
        tree["metadata"]["namespace"] = json!("default");
        tree["spec"]["serviceAccountName"] = Value::Null;
        tree["spec"]["tolerations"] = recorded["tolerations"].clone();
        tree["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({"nodeSelectorTerms": recorded["nodeSelectorTerms"]});
        let key = create(&mut server, Object::Pod(decode(tree).expect("a pod"))).key();
        play(&mut server, &key);
        let pod = pod(server.store(), &key);
        expect_eq("node", &*pod.spec.node_name, recorded["node"].as_str().unwrap_or(""))?;
        let message = pod.status.condition(POD_SCHEDULED).map_or("", |condition| &condition.message);
        expect_eq("message", message, recorded["unschedulable"].as_str().unwrap_or(""))?;
    }
    Ok(())
}

/// A node of the short form of `realmanifests.jsonl`.
fn short_node(tree: &Value) -> Object {
    let name = tree["name"].as_str().expect("a name");
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
    object(&json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints, "unschedulable": tree["unschedulable"]},
        "status": {"allocatable": allocatable},
    }))
}
