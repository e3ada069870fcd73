use crate::harness::*;
use daemonset_playground::apiserver::Write;
use daemonset_playground::kubelet::Down;
use daemonset_playground::objects::*;
use serde_json::{Value, json};

/// A plain pod that bears lost nodes for a while.
fn patient(name: &str, node: &str, seconds: i64) -> Value {
    let mut tree = pod(name, "nginx:1.27", node);
    tree["spec"]["tolerations"] = json!([
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds},
        {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds},
    ]);
    tree
}

/// A pod that bears lost nodes for ever, as a DaemonSet's does.
fn daemon(name: &str, node: &str) -> Value {
    let mut tree = patient(name, node, 0);
    for toleration in tree["spec"]["tolerations"].as_array_mut().unwrap() {
        toleration.as_object_mut().unwrap().remove("tolerationSeconds");
    }
    tree
}

#[test]
fn a_silent_node_is_unknown_after_fifty_seconds_and_its_plain_pods_are_evicted() {
    let mut world = World::new(3);
    world.create(daemon("daemon", "worker2"));
    world.create(patient("web", "worker2", 8));
    world.run_to(8.0);
    world.clear();
    world.stop_kubelet("worker2", Down::Silent);
    world.run_to(95.0);
    world.start_kubelet("worker2");
    world.run_to(120.0);
    assert_eq!(
        world.since(0.0),
        [
            "60.0 worker2 MemoryPressure Unknown (NodeStatusUnknown)",
            "60.0 worker2 DiskPressure Unknown (NodeStatusUnknown)",
            "60.0 worker2 PIDPressure Unknown (NodeStatusUnknown)",
            "60.0 worker2 Ready Unknown (NodeStatusUnknown)",
            "60.0 daemon ready False",
            "60.0 web ready False",
            "60.0 worker2 taints [node.kubernetes.io/unreachable:NoSchedule]",
            "60.1 worker2 taints [node.kubernetes.io/unreachable:NoExecute node.kubernetes.io/unreachable:NoSchedule]",
            "68.1 web DisruptionTarget DeletionByTaintManager",
            "68.1 web deletion-requested 30",
            "95.0 worker2 MemoryPressure False (KubeletHasSufficientMemory)",
            "95.0 worker2 DiskPressure False (KubeletHasNoDiskPressure)",
            "95.0 worker2 PIDPressure False (KubeletHasSufficientPID)",
            "95.0 worker2 Ready True (KubeletReady)",
            "95.0 daemon ready True",
            "95.0 worker2 taints [node.kubernetes.io/unreachable:NoExecute]",
            "96.0 web removed",
            "100.0 worker2 taints []",
        ]
    );
    assert_eq!(
        world.about(&["event Node", "event Taint"]),
        [
            "60.0 worker2 event NodeNotReady: Node worker2 status is now: NodeNotReady",
            "60.0 daemon event NodeNotReady: Node is not ready",
            "60.0 web event NodeNotReady: Node is not ready",
            "68.1 web event TaintManagerEviction: Marking for deletion Pod default/web",
            "95.0 worker2 event NodeHasSufficientMemory: Node worker2 status is now: NodeHasSufficientMemory",
            "95.0 worker2 event NodeHasNoDiskPressure: Node worker2 status is now: NodeHasNoDiskPressure",
            "95.0 worker2 event NodeHasSufficientPID: Node worker2 status is now: NodeHasSufficientPID",
            "95.0 worker2 event NodeReady: Node worker2 status is now: NodeReady",
        ]
    );
    let unknown = world.node("worker2");
    assert!(unknown.is_ready() && world.is_quiet());
}

#[test]
fn a_healthy_cluster_rests() {
    let mut world = World::new(3);
    world.create(daemon("daemon", "worker2"));
    world.run_to(3600.0);
    assert!(world.is_quiet());
    assert!(world.turns < 10, "{} turns", world.turns);
}

#[test]
fn a_node_that_says_it_is_not_ready_is_tainted_at_once_and_its_pods_are_not_marked() {
    let mut world = World::new(3);
    world.create(patient("web", "worker1", 8));
    world.run_to(6.0);
    world.clear();
    world.kubelet_reports("worker1", "Ready", "False");
    world.run_to(30.0);
    world.kubelet_reports("worker1", "Ready", "True");
    world.run_to(60.0);
    assert_eq!(
        world.since(0.0),
        [
            "6.0 worker1 Ready False (KubeletNotReady)",
            "6.0 worker1 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "10.1 worker1 taints [node.kubernetes.io/not-ready:NoExecute node.kubernetes.io/not-ready:NoSchedule]",
            "18.1 web DisruptionTarget DeletionByTaintManager",
            "18.1 web deletion-requested 30",
            "19.1 web removed",
            "30.0 worker1 Ready True (KubeletReady)",
            "30.0 worker1 taints [node.kubernetes.io/not-ready:NoExecute]",
            "35.0 worker1 taints []",
        ]
    );
}

#[test]
fn a_node_that_recovers_in_time_keeps_its_pods() {
    let mut world = World::new(3);
    world.create(patient("web", "worker1", 30));
    world.run_to(6.0);
    world.clear();
    world.kubelet_reports("worker1", "Ready", "False");
    world.run_to(14.0);
    world.kubelet_reports("worker1", "Ready", "True");
    world.run_to(100.0);
    assert_eq!(
        world.about(&["event Taint", "taints"]),
        [
            "6.0 worker1 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "10.1 worker1 taints [node.kubernetes.io/not-ready:NoExecute node.kubernetes.io/not-ready:NoSchedule]",
            "14.0 worker1 taints [node.kubernetes.io/not-ready:NoExecute]",
            "15.0 worker1 taints []",
            "15.0 web event TaintManagerEviction: Cancelling deletion of Pod default/web",
        ]
    );
    assert!(world.pod("web").is_ready() && world.is_quiet());
}

#[test]
fn when_no_node_is_ready_nobody_is_evicted() {
    let mut world = World::new(2);
    world.create(patient("web", "worker1", 8));
    world.run_to(6.0);
    world.clear();
    world.kubelet_reports("worker1", "Ready", "False");
    world.kubelet_reports("worker2", "Ready", "False");
    world.run_to(45.0);
    assert_eq!(
        world.about(&["taints", "web"]),
        [
            "6.0 worker1 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "6.0 worker2 taints [node.kubernetes.io/not-ready:NoSchedule]",
        ]
    );
    // As soon as one is back, the other one is no longer beyond suspicion.
    world.kubelet_reports("worker2", "Ready", "True");
    world.run_to(70.0);
    assert_eq!(
        world.about(&["NoExecute", "web deletion"]),
        [
            "50.1 worker1 taints [node.kubernetes.io/not-ready:NoExecute node.kubernetes.io/not-ready:NoSchedule]",
            "58.1 web deletion-requested 30",
        ]
    );
}

#[test]
fn no_execute_taints_of_a_cluster_that_goes_down_one_by_one_are_taken_back() {
    let mut world = World::new(2);
    world.create(patient("web", "worker1", 300));
    world.run_to(6.0);
    world.kubelet_reports("worker1", "Ready", "False");
    world.run_to(21.0);
    world.clear();
    world.kubelet_reports("worker2", "Ready", "False");
    world.run_to(400.0);
    assert_eq!(
        world.about(&["worker1 taints", "web"]),
        [
            "25.0 worker1 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "25.0 web event TaintManagerEviction: Cancelling deletion of Pod default/web",
        ]
    );
}

#[test]
fn of_several_dead_nodes_one_is_evicted_every_ten_seconds() {
    let mut world = World::new(20);
    world.run_to(5.0);
    for node in ["worker18", "worker19", "worker20"] {
        world.stop_kubelet(node, Down::PoweredOff);
    }
    world.run_to(200.0);
    let evicted: Vec<&str> =
        world.about(&["NoExecute"]).iter().map(|line| line.split(" taints").next().unwrap()).collect();
    assert_eq!(evicted, ["55.1 worker18", "65.1 worker19", "75.1 worker20"]);
}

#[test]
fn most_of_a_small_zone_not_ready_stops_evictions_there() {
    let mut world = World::new(4);
    world.create(patient("web", "worker1", 5));
    world.run_to(6.0);
    for node in ["worker1", "worker2", "worker3"] {
        world.kubelet_reports(node, "Ready", "False");
    }
    world.run_to(100.0);
    assert_eq!(world.about(&["NoExecute", "web deletion"]), Vec::<&str>::new());
    world.kubelet_reports("worker3", "Ready", "True");
    world.run_to(140.0);
    let tainted: Vec<&str> =
        world.about(&["NoExecute"]).iter().map(|line| line.split(" taints").next().unwrap()).collect();
    assert_eq!(tainted, ["105.1 worker1", "115.1 worker2"]);
}

#[test]
fn pressures_and_cordons_are_no_schedule_taints() {
    let mut world = World::new(1);
    world.run_to(5.0);
    for condition in ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"] {
        world.kubelet_reports("worker1", condition, "True");
    }
    world.cordon("worker1", true);
    world.run_to(6.0);
    let taints: Vec<String> = world.node("worker1").spec.taints.iter().map(Taint::to_string).collect();
    assert_eq!(
        taints,
        [
            "node.kubernetes.io/memory-pressure:NoSchedule",
            "node.kubernetes.io/disk-pressure:NoSchedule",
            "node.kubernetes.io/pid-pressure:NoSchedule",
            "node.kubernetes.io/network-unavailable:NoSchedule",
            "node.kubernetes.io/unschedulable:NoSchedule",
        ]
    );
    assert!(world.node("worker1").spec.taints.iter().all(|taint| taint.time_added.is_some()));
    for condition in ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"] {
        world.kubelet_reports("worker1", condition, "False");
    }
    world.cordon("worker1", false);
    world.run_to(7.0);
    assert_eq!(*world.node("worker1").spec.taints, []);
}

#[test]
fn a_taint_of_a_person_stays() {
    let mut world = World::new(1);
    world.taint("worker1", "dedicated=db:NoSchedule");
    world.taint("worker1", "node.kubernetes.io/unschedulable:NoSchedule");
    world.run_to(10.0);
    let taints: Vec<String> = world.node("worker1").spec.taints.iter().map(Taint::to_string).collect();
    assert_eq!(taints, ["dedicated=db:NoSchedule"], "the node controller takes back a cordon taint without cordon");
}

#[test]
fn a_node_that_joins_loses_the_not_ready_taint_and_is_registered_by_the_next_round() {
    let mut world = World::new(1);
    world.run_to(5.2);
    world.add_node("worker2", 2, true);
    world.run_to(20.0);
    assert_eq!(
        world.about(&["worker2 created", "worker2 taints", "worker2 event"]),
        [
            "5.2 worker2 created",
            "5.2 worker2 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "5.2 worker2 taints []",
            "10.0 worker2 event RegisteredNode: Node worker2 event: Registered Node worker2 in Controller",
        ]
    );
    world.delete_node("worker2");
    world.run_to(30.0);
    assert_eq!(
        world.about(&["RemovingNode"]),
        ["25.0 worker2 event RemovingNode: Node worker2 event: Removing Node worker2 from Controller"]
    );
    assert!(world.is_quiet());
}

#[test]
fn a_node_that_joins_not_ready_is_tainted_with_no_execute_by_the_next_round() {
    let mut world = World::new(1);
    world.run_to(5.2);
    world.add_node("worker2", 2, false);
    world.run_to(14.0);
    world.kubelet_reports("worker2", "Ready", "True");
    world.run_to(20.0);
    assert_eq!(
        world.about(&["worker2 taints", "Registered"]),
        [
            "5.2 worker2 taints [node.kubernetes.io/not-ready:NoSchedule]",
            "10.0 worker2 event RegisteredNode: Node worker2 event: Registered Node worker2 in Controller",
            "10.1 worker2 taints [node.kubernetes.io/not-ready:NoExecute node.kubernetes.io/not-ready:NoSchedule]",
            "14.0 worker2 taints [node.kubernetes.io/not-ready:NoExecute]",
            "15.0 worker2 taints []",
        ]
    );
}

#[test]
fn a_node_that_somebody_only_wrote_down_is_unknown_after_a_minute() {
    let mut world = World::new(1);
    world.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "manual"}}));
    world.create_pod("p", "nginx", "manual");
    world.run_to(120.0);
    assert_eq!(
        world.about(&["manual Ready", "manual taints", "p "]),
        [
            "0.0 p created",
            "0.0 p on manual",
            "65.0 manual Ready Unknown (NodeStatusNeverUpdated)",
            "65.0 manual taints [node.kubernetes.io/unreachable:NoSchedule]",
            "65.1 manual taints [node.kubernetes.io/unreachable:NoExecute node.kubernetes.io/unreachable:NoSchedule]",
        ]
    );
}

#[test]
fn old_labels_repeat_what_the_stable_ones_say() {
    let mut world = World::new(1);
    world.edit_node("worker1", |node| *node = node.clone().with_label("kubernetes.io/os", "windows"));
    world.run_to(1.0);
    assert_eq!(world.node("worker1").metadata.label("beta.kubernetes.io/os"), Some("windows"));
}

#[test]
fn a_no_execute_taint_evicts_what_does_not_tolerate_it() {
    let mut world = World::new(3);
    world.create_pod("plain", "nginx", "worker1");
    let mut tolerant = pod("tolerant", "nginx", "worker1");
    tolerant["spec"]["tolerations"] = json!([{"key": "maint", "operator": "Exists"}]);
    world.create(tolerant);
    world.run_to(5.0);
    world.clear();
    world.taint("worker1", "maint=yes:NoExecute");
    world.run_to(15.0);
    assert_eq!(
        world.about(&["plain", "tolerant"]),
        [
            "5.0 plain event TaintManagerEviction: Marking for deletion Pod default/plain",
            "5.0 plain DisruptionTarget DeletionByTaintManager",
            "5.0 plain deletion-requested 30",
            "5.0 plain event Killing: Stopping container main",
            "6.0 plain removed",
        ]
    );
    let condition = |world: &World| world.pod("tolerant").status.condition("DisruptionTarget").cloned();
    assert_eq!(condition(&world), None);
}

#[test]
fn a_pod_that_goes_before_its_time_is_told_of_once_more() {
    let mut world = World::new(1);
    world.create(patient("web", "worker1", 60));
    world.run_to(5.0);
    world.taint("worker1", "node.kubernetes.io/unreachable=:NoExecute");
    world.run_to(7.0);
    world.clear();
    world.delete_pod_now("web");
    world.run_to(100.0);
    assert_eq!(
        world.about(&["web"]),
        ["7.0 web removed", "7.0 web event TaintManagerEviction: Cancelling deletion of Pod default/web"]
    );
}

#[test]
fn tolerations_with_seconds_give_time_and_the_shortest_counts() {
    let mut world = World::new(1);
    let mut tree = pod("web", "nginx", "worker1");
    tree["spec"]["tolerations"] = json!([
        {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 12},
        {"key": "b", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
    ]);
    world.create(tree.clone());
    tree["metadata"]["name"] = "other".into();
    world.create(tree);
    world.run_to(5.0);
    world.taint("worker1", "a=1:NoExecute");
    world.run_to(7.0);
    // The eviction that was set first stands, although the second taint alone would give less time.
    world.taint("worker1", "b=1:NoExecute");
    world.run_to(30.0);
    assert_eq!(world.about(&["web deletion"]), ["17.0 web deletion-requested 30"]);

    let mut world = World::new(1);
    let mut tree = pod("now", "nginx", "worker1");
    tree["spec"]["tolerations"] =
        json!([{"key": "m", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -4}]);
    world.create(tree);
    world.run_to(4.0);
    world.taint("worker1", "m=1:NoExecute");
    world.run_to(5.0);
    assert_eq!(world.about(&["now deletion"]), ["4.0 now deletion-requested 30"]);
}

#[test]
fn a_pod_that_comes_to_a_tainted_node_is_evicted_too() {
    let mut world = World::new(1);
    world.taint("worker1", "m=1:NoExecute");
    let mut tree = pod("late", "nginx", "worker1");
    tree["spec"]["tolerations"] =
        json!([{"key": "m", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3}]);
    world.run_to(2.0);
    world.create(tree);
    world.run_to(10.0);
    assert_eq!(world.about(&["late deletion"]), ["5.0 late deletion-requested 30"]);
}

#[test]
fn pods_of_a_deleted_node_stay_until_garbage_collection_forty_to_sixty_seconds_later() {
    let mut world = World::new(3);
    world.create(daemon("daemon", "worker2"));
    world.create_pod("plain", "nginx", "worker2");
    world.run_to(6.0);
    world.clear();
    world.delete_node("worker2");
    world.run_to(100.0);
    assert_eq!(
        world.since(0.0),
        [
            "6.0 worker2 removed",
            "60.0 daemon Failed",
            "60.0 daemon DisruptionTarget DeletionByPodGC",
            "60.0 daemon removed",
            "60.0 plain Failed",
            "60.0 plain DisruptionTarget DeletionByPodGC",
            "60.0 plain removed",
        ]
    );
    assert!(world.is_quiet());
}

#[test]
fn pods_of_a_node_that_comes_back_in_time_stay() {
    let mut world = World::new(2);
    world.create(daemon("daemon", "worker1"));
    world.run_to(5.0);
    world.delete_node("worker1");
    world.run_to(15.0);
    world.add_node("worker1", 1, true);
    world.run_to(100.0);
    assert!(world.pod("daemon").is_ready());
    assert!(world.is_quiet());
}

#[test]
fn on_a_dead_node_a_deleted_pod_stays_terminating_until_it_is_forced_out() {
    let mut world = World::new(2);
    world.create_pod("web", "nginx", "worker1");
    world.run_to(5.0);
    world.stop_kubelet("worker1", Down::PoweredOff);
    world.delete_pod("web");
    world.run_to(500.0);
    assert!(world.pod("web").is_terminating());
    world.delete_pod_now("web");
    assert!(world.store().pod(&key("web")).is_none());
}

#[test]
fn a_terminating_pod_on_a_node_out_of_service_is_collected() {
    let mut world = World::new(2);
    world.create_pod("web", "nginx", "worker1");
    world.run_to(5.0);
    world.stop_kubelet("worker1", Down::PoweredOff);
    world.run_to(70.0);
    world.delete_pod("web");
    world.taint("worker1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
    world.run_to(100.0);
    assert_eq!(world.about(&["web removed"]), ["80.0 web removed"]);
}

#[test]
fn beyond_twelve_and_a_half_thousand_finished_pods_the_oldest_go() {
    let mut world = World::new(1);
    for index in 0..12_501 {
        let mut pod: Pod =
            decode(json!({"metadata": {"namespace": "default", "name": format!("done-{index:05}")}})).unwrap();
        pod.metadata.creation_timestamp = Some(EPOCH.plus_seconds(index));
        pod.status.phase = SUCCEEDED.into();
        world.server.restore(pod.into());
    }
    world.server.take_changes();
    let mut last = (*world.pod("done-12500")).clone();
    last.status.phase = RUNNING.into();
    world.server.restore(last.clone().into());
    last.status.phase = FAILED.into();
    world.commit(Write::UpdateStatus(last.into()));
    world.run_to(30.0);
    assert_eq!(world.about(&["removed"]), ["20.0 done-00000 removed"]);
}
