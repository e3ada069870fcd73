//! How far a DaemonSet has come, from statuses as kubelets write them.

use super::*;
use serde_json::{Value, json};

const NOW: Time = Time(1000);

fn pod(hash: &str, node: &str, more: Value) -> Value {
    let mut tree = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "default", "name": format!("agent-{hash}-{node}"),
            "labels": {CONTROLLER_REVISION_HASH: hash},
            "ownerReferences": [{"kind": "DaemonSet", "name": "agent", "uid": "agent", "controller": true}]},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "example/agent:v2"}]},
        "status": {"phase": "Running"},
    });
    for (key, value) in more.as_object().unwrap() {
        tree[key] = value.clone();
    }
    tree
}

fn ready(seconds: i64) -> Value {
    json!({"status": {"phase": "Running", "conditions": [
        {"type": "Ready", "status": "True", "lastTransitionTime": Time(seconds).to_string()}]}})
}

fn container(state: Value, last: Value, restarts: i32) -> Value {
    json!({"status": {"phase": "Running", "containerStatuses": [
        {"name": "main", "state": state, "lastState": last, "restartCount": restarts, "image": "example/agent:v2"}]}})
}

fn waiting(reason: &str) -> Value {
    container(json!({"waiting": {"reason": reason}}), json!({}), 0)
}

fn trouble(more: Value) -> Option<Trouble> {
    let pod: Pod = decode(pod("h2", "a", more)).unwrap();
    Trouble::of(&pod, None, 10, NOW)
}

/// Nodes a, b and c, and a DaemonSet whose newest revision is `h2`.
fn standing(strategy: Value, pods: &[Value]) -> Standing {
    let mut store = Store::default();
    let mut trees: Vec<Value> = ["a", "b", "c"]
        .map(|name| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
        })
        .into();
    for (number, hash) in [(1, "h1"), (2, "h2")] {
        trees.push(json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": number, "metadata": {
            "namespace": "default", "name": hash, "labels": {CONTROLLER_REVISION_HASH: hash},
            "ownerReferences": [{"kind": "DaemonSet", "name": "agent", "uid": "agent", "controller": true}]}}));
    }
    trees.extend(pods.iter().cloned());
    for tree in trees {
        store.put(Object::from_value(tree).unwrap());
    }
    let set = json!({
        "metadata": {"namespace": "default", "name": "agent", "uid": "agent"},
        "spec": {"updateStrategy": strategy},
    });
    Standing::of(&store, &decode(set).unwrap(), NOW)
}

fn rolling(unavailable: Value, surge: Value) -> Value {
    json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}})
}

#[test]
fn a_pod_is_fine_only_when_it_is_available() {
    assert_eq!(trouble(ready(990)), None);
    assert_eq!(trouble(ready(991)), Some(Trouble::TooYoung));
    assert_eq!(trouble(waiting("ContainerCreating")), Some(Trouble::Creating));
    assert_eq!(trouble(json!({})), Some(Trouble::Creating), "the kubelet has not said anything yet");
    assert_eq!(trouble(container(json!({"running": {}}), json!({}), 0)), Some(Trouble::NotReady));
    assert_eq!(trouble(json!({"spec": {}})), Some(Trouble::Unscheduled));
    let failed = json!({"status": {"phase": "Failed", "reason": "OutOfcpu"}});
    assert_eq!(trouble(failed), Some(Trouble::Failed { reason: "OutOfcpu".into() }));
}

#[test]
fn a_container_that_does_not_start_names_the_kubelets_reason() {
    let image = Trouble::Image { image: "example/agent:v2".into(), reason: "ImagePullBackOff".into() };
    assert_eq!(trouble(waiting("ImagePullBackOff")), Some(image));
    let refused = Trouble::Refused { container: "main".into(), reason: "CreateContainerConfigError".into() };
    assert_eq!(trouble(waiting("CreateContainerConfigError")), Some(refused));
}

#[test]
fn a_crash_is_remembered_while_the_container_runs_again() {
    let ended = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
    let crash = |restarts| {
        Some(Trouble::Crash { container: "main".into(), exit_code: 137, reason: "OOMKilled".into(), restarts })
    };
    assert_eq!(trouble(container(ended.clone(), json!({}), 0)), crash(0));
    assert_eq!(trouble(container(json!({"running": {}}), ended.clone(), 2)), crash(2));
    assert_eq!(trouble(container(json!({"waiting": {"reason": "CrashLoopBackOff"}}), ended, 3)), crash(3));
}

#[test]
fn a_node_that_does_not_report_is_the_trouble_itself() {
    let pod: Pod = decode(pod("h2", "a", json!({}))).unwrap();
    let node = json!({"metadata": {"name": "a"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}});
    let node: Node = decode(node).unwrap();
    assert_eq!(Trouble::of(&pod, Some(&node), 0, NOW), Some(Trouble::NodeUnwell));
    assert!(!Trouble::NodeUnwell.is_of_template());
}

#[test]
fn the_others_wait_while_one_new_pod_uses_the_budget_up() {
    let stuck = container(json!({"running": {}}), json!({}), 0);
    let pods = [pod("h2", "a", stuck.clone()), pod("h1", "b", ready(0)), pod("h1", "c", ready(0))];
    let found = standing(rolling(json!(1), json!(0)), &pods);
    assert_eq!((found.desired, found.up_to_date, found.available), (3, 1, 2));
    assert_eq!(found.held, Held::Unavailable { used: 1, most: 1 });
    assert_eq!(found.waiting, ["b".into(), "c".into()]);
    assert_eq!((&*found.faults[0].node, &found.faults[0].trouble), ("a", &Trouble::NotReady));
    assert!(found.blames_template() && !found.is_done() && !found.waits_for_person());
    // Two may be unavailable: the second has a place, so nothing holds it.
    assert_eq!(standing(rolling(json!("50%"), json!(0)), &pods).held, Held::Coming);
}

#[test]
fn with_surge_the_new_pods_beside_old_ones_use_the_budget_up() {
    let stuck = container(json!({"running": {}}), json!({}), 0);
    let pods = ["a", "b", "c"].map(|node| pod("h1", node, ready(0)));
    let pods: Vec<Value> = pods.into_iter().chain([pod("h2", "a", stuck)]).collect();
    let found = standing(rolling(json!(0), json!(1)), &pods);
    assert_eq!(found.held, Held::Surge { used: 1, most: 1 });
    assert_eq!((found.up_to_date, found.available, found.waiting.len()), (1, 3, 2));
    assert!(!found.is_done());
}

#[test]
fn old_pods_under_on_delete_are_no_trouble_but_wait_for_a_person() {
    let pods = [pod("h1", "a", ready(0)), pod("h1", "b", ready(0)), pod("h2", "c", ready(0))];
    let found = standing(json!({"type": "OnDelete"}), &pods);
    assert!(found.waits_for_person() && !found.is_done() && !found.blames_template());
    assert_eq!(found.waiting, ["a".into(), "b".into()]);
}

#[test]
fn all_new_and_available_is_done() {
    let pods = ["a", "b", "c"].map(|node| pod("h2", node, ready(0)));
    let found = standing(rolling(json!(1), json!(0)), &pods);
    assert!(found.is_done() && found.faults.is_empty() && found.waiting.is_empty());
    let two = standing(rolling(json!(1), json!(0)), &pods[..2]);
    assert_eq!((&*two.faults[0].node, &two.faults[0].trouble), ("c", &Trouble::Missing));
}
