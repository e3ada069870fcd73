use crate::harness::*;
use daemonset_playground::kubelet::*;
use daemonset_playground::objects::*;
use serde_json::json;

#[test]
fn a_bound_pod_starts_after_one_second_gets_ready_two_later_and_goes_one_after_it_is_told_to() {
    let mut world = World::new(1);
    world.create_pod("a", "nginx:1.27", "worker1");
    world.run_to(10.0);
    world.delete_pod("a");
    world.run_to(20.0);
    assert_eq!(
        world.since(0.0),
        [
            "0.0 a created",
            "0.0 a on worker1",
            "0.0 a containers ContainerCreating",
            "1.0 a Running",
            "1.0 a containers running",
            "3.0 a containers ready",
            "3.0 a ready True",
            "10.0 a deletion-requested 30",
            "11.0 a removed",
        ]
    );
    assert_eq!(
        world.about(&[" event "]),
        [
            "0.0 a event Pulling: Pulling image \"nginx:1.27\"",
            "1.0 a event Pulled: Successfully pulled image \"nginx:1.27\" in 1s (1s including waiting). Image size: 63649659 bytes.",
            "1.0 a event Created: Container created",
            "1.0 a event Started: Container started",
            "10.0 a event Killing: Stopping container main",
        ]
    );
    assert!(world.is_quiet());
}

#[test]
fn the_status_of_a_ready_pod_is_that_of_a_real_kubelet() {
    let mut world = World::new(3);
    world.create_pod("a", "prom/node-exporter:v1.8.1", "worker2");
    world.run_to_quiet();
    let pod = world.pod("a");
    let conditions: Vec<_> = pod.status.conditions.iter().map(|c| (c.type_.as_str(), c.status.as_str())).collect();
    assert_eq!(
        conditions,
        [
            ("PodReadyToStartContainers", "True"),
            ("Initialized", "True"),
            ("Ready", "True"),
            ("ContainersReady", "True"),
            ("PodScheduled", "True"),
        ]
    );
    assert_eq!((pod.status.pod_ip.as_str(), pod.status.host_ip.as_str()), ("10.244.2.2", "192.168.1.12"));
    assert_eq!(encode(&pod.status.pod_ips), json!([{"ip": "10.244.2.2"}]));
    assert_eq!((pod.status.qos_class.as_str(), pod.status.start_time), ("BestEffort", Some(EPOCH)));
    assert_eq!(pod.ready_since(), Some(EPOCH.plus_seconds(3)));
    let status = &pod.status.container_statuses[0];
    assert_eq!((status.ready, status.started, status.restart_count), (true, Some(true), 0));
    assert_eq!(status.state.running.as_ref().unwrap().started_at, Some(EPOCH.plus_seconds(1)));
    assert!(status.image_id.starts_with("prom/node-exporter@sha256:"), "{}", status.image_id);
}

#[test]
fn a_second_pod_of_the_same_image_finds_it_on_the_node() {
    let mut world = World::new(1);
    world.create_pod("a", "nginx:1.27", "worker1");
    world.run_to_quiet();
    world.create_pod("b", "nginx:1.27", "worker1");
    world.run_to_quiet();
    assert_eq!(
        world.about(&["b event Pull"]),
        [
            "4.0 b event Pulled: Container image \"nginx:1.27\" already present on machine and can be accessed by the pod"
        ]
    );
    assert_eq!(world.pod("b").status.pod_ip, "10.244.1.3");
}

#[test]
fn a_crashing_container_restarts_at_once_and_then_after_pauses_that_double() {
    let mut world =
        World::new(1).behaviours(json!([{"match": {"image": "bad"}, "outcome": {"type": "Crash", "afterMs": 500}}]));
    world.create_pod("a", "bad:1", "worker1");
    world.run_to(80.0);
    let told: Vec<&str> = world.about(&["a containers", "BackOff: Back-off"]);
    let uid = world.pod("a").metadata.uid.clone();
    let backoff = format!("a event BackOff: Back-off restarting failed container main in pod a_default({uid})");
    assert_eq!(
        told,
        [
            "0.0 a containers ContainerCreating".to_owned(),
            "1.0 a containers running".into(),
            "1.5 a containers Error:1".into(),
            "2.5 a containers running/1".into(),
            "3.0 a containers Error:1/1".into(),
            "4.0 a containers CrashLoopBackOff/1".into(),
            format!("4.0 {backoff}"),
            "13.0 a containers running/2".into(),
            "13.5 a containers Error:1/2".into(),
            "14.5 a containers CrashLoopBackOff/2".into(),
            format!("14.5 {backoff} (x2)"),
            "33.5 a containers running/3".into(),
            "34.0 a containers Error:1/3".into(),
            "35.0 a containers CrashLoopBackOff/3".into(),
            format!("35.0 {backoff} (x3)"),
            "74.0 a containers running/4".into(),
            "74.5 a containers Error:1/4".into(),
            "75.5 a containers CrashLoopBackOff/4".into(),
            format!("75.5 {backoff} (x4)"),
        ]
    );
    let pod = world.pod("a");
    let waiting = pod.status.container_statuses[0].state.waiting.clone().unwrap();
    assert_eq!(waiting.message, format!("back-off 1m20s restarting failed container=main pod=a_default({uid})"));
    let last = pod.status.container_statuses[0].last_state.terminated.clone().unwrap();
    assert_eq!((last.exit_code, last.reason.as_str(), last.finished_at), (1, "Error", Some(EPOCH.plus_seconds(74))));
    assert_eq!((pod.status.phase.as_str(), pod.is_ready()), (RUNNING, false));
}

#[test]
fn a_crash_loop_is_only_a_repetition_and_so_the_world_comes_to_rest() {
    let mut world = World::new(1).behaviours(json!([{"outcome": {"type": "Crash"}}]));
    world.create_pod("a", "bad:1", "worker1");
    world.run_to_quiet();
    assert!(world.ms < 20_000, "{}", world.lines.join("\n"));
    assert!(!world.is_quiet(), "the next restart is still to come");
}

#[test]
fn a_container_that_crashes_twice_recovers() {
    let mut world = World::new(1).behaviours(json!([{"outcome": {"type": "Crash", "times": 2}, "readyAfterMs": 1000}]));
    world.create_pod("a", "flaky:1", "worker1");
    world.run_to(60.0);
    let pod = world.pod("a");
    assert!(pod.is_ready());
    assert_eq!(pod.status.container_statuses[0].restart_count, 2);
}

#[test]
fn memory_above_the_limit_ends_in_oom_killed_with_exit_code_137() {
    let mut world = World::new(1).behaviours(json!([{
        "match": {"image": "leaky"},
        "uses": {"memory": [{"amount": "40Mi"}, {"afterMs": 5000, "amount": "150Mi"}]},
    }]));
    let mut tree = pod("a", "leaky:1", "worker1");
    tree["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": "128Mi"}, "requests": {"memory": "64Mi"}});
    world.create(tree);
    world.run_to(7.5);
    assert_eq!(
        world.about(&["a containers", "a ready"]),
        [
            "0.0 a containers ContainerCreating",
            "1.0 a containers running",
            "3.0 a containers ready",
            "3.0 a ready True",
            "6.0 a containers OOMKilled:137",
            "6.0 a ready False",
            "7.0 a containers running/1",
        ]
    );
    let pod = world.pod("a");
    let last = pod.status.container_statuses[0].last_state.terminated.clone().unwrap();
    assert_eq!((last.exit_code, last.reason.as_str()), (137, "OOMKilled"));
}

#[test]
fn cpu_above_the_limit_is_throttled_and_nothing_else() {
    let mut world = World::new(1).behaviours(json!([{
        "uses": {"cpu": [{"amount": "50m"}, {"afterMs": 4000, "amount": "900m"}, {"afterMs": 9000, "amount": "100m"}]},
    }]));
    let mut tree = pod("a", "busy:1", "worker1");
    tree["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "200m"}});
    world.create(tree);
    world.run_to(4.0);
    let key = key("a");
    let turn = |world: &World, ms: u64| {
        let now = daemonset_playground::apiserver::Now::at(EPOCH, ms);
        plan(world.store(), &key, world.kubelets.clone(), now)
    };
    let throttled = turn(&world, 5000);
    let (wanted, limit) = (Quantity::from_milli(900), Quantity::from_milli(200));
    assert_eq!(throttled.reason, [Happening::Throttled { container: "main".into(), wanted, limit }]);
    assert_eq!((throttled.writes.len(), throttled.timers[0].at_ms), (0, 10_000));
    world.run_to(5.0);
    assert_eq!(turn(&world, 10_000).reason, [Happening::NotThrottled { container: "main".into() }]);
    assert!(world.pod("a").is_ready());
}

#[test]
fn an_image_that_cannot_be_pulled_is_tried_again_after_pauses_that_double() {
    let mut world = World::new(1).behaviours(json!([{"match": {"image": "nope"}, "outcome": {"type": "ImagePull"}}]));
    world.create_pod("a", "nope:v9", "worker1");
    world.run_to(32.5);
    assert_eq!(
        world.about(&["a containers"]),
        [
            "0.0 a containers ContainerCreating",
            "1.0 a containers ErrImagePull",
            "2.0 a containers ImagePullBackOff",
            "11.0 a containers ErrImagePull",
            "12.0 a containers ImagePullBackOff",
            "31.0 a containers ErrImagePull",
            "32.0 a containers ImagePullBackOff",
        ]
    );
    assert_eq!(world.pod("a").status.phase, PENDING);
    assert_eq!(
        world.about(&["1.0 a event", "2.0 a event"])[..5],
        [
            "1.0 a event Pulling: Pulling image \"nope:v9\" (x2)",
            "1.0 a event Failed: Failed to pull image \"nope:v9\": rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/nope:v9\": failed to resolve reference \"docker.io/library/nope:v9\": docker.io/library/nope:v9: not found",
            "1.0 a event Failed: Error: ErrImagePull",
            "2.0 a event BackOff: Back-off pulling image \"nope:v9\"",
            "2.0 a event Failed: Error: ImagePullBackOff",
        ]
    );
}

#[test]
fn init_containers_run_one_after_the_other_and_sidecars_beside() {
    let mut world = World::new(1);
    let mut tree = pod("a", "app:1", "worker1");
    tree["spec"]["initContainers"] = json!([
        {"name": "setup", "image": "busybox:1.36"},
        {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"},
        {"name": "late", "image": "busybox:1.36"},
    ]);
    world.create(tree);
    world.run_to_quiet();
    assert_eq!(
        world.about(&["a containers", "a ready", "a Running"]),
        [
            "0.0 a containers PodInitializing,PodInitializing,PodInitializing,PodInitializing",
            "1.0 a containers running,PodInitializing,PodInitializing,PodInitializing",
            "2.0 a containers Completed:0,running,running,PodInitializing",
            "3.0 a Running",
            "3.0 a containers Completed:0,running,Completed:0,running",
            "4.0 a containers Completed:0,ready,Completed:0,running",
            "5.0 a containers Completed:0,ready,Completed:0,ready",
            "5.0 a ready True",
        ]
    );
}

#[test]
fn only_the_container_that_the_rule_names_crashes() {
    let mut world =
        World::new(1).behaviours(json!([{"match": {"image": "bad"}, "outcome": {"type": "Crash", "afterMs": 100}}]));
    let mut tree = pod("a", "good:1", "worker1");
    tree["spec"]["containers"] = json!([{"name": "good", "image": "good:1"}, {"name": "bad", "image": "bad:1"}]);
    world.create(tree);
    world.run_to(6.0);
    assert_eq!(world.about(&["a containers"]).last(), Some(&"3.2 a containers ready,CrashLoopBackOff/1"));
    assert!(!world.pod("a").is_ready());
}

#[test]
fn jobs_end_as_their_restart_policy_says() {
    let mut world = World::new(1).behaviours(json!([
        {"match": {"image": "fails"}, "outcome": {"type": "Crash", "exitCode": 3, "afterMs": 100}},
        {"match": {"image": "works"}, "outcome": {"type": "Crash", "exitCode": 0, "afterMs": 100}},
    ]));
    for (name, image, policy) in [("a", "fails", "Never"), ("b", "works", "OnFailure"), ("c", "works", "Never")] {
        let mut tree = pod(name, image, "worker1");
        tree["spec"]["restartPolicy"] = policy.into();
        world.create(tree);
    }
    world.run_to(5.0);
    let phases: Vec<String> = ["a", "b", "c"].map(|name| world.pod(name).status.phase.clone()).into();
    assert_eq!(phases, [FAILED, SUCCEEDED, SUCCEEDED]);
    let ready = world.pod("a").status.condition("Ready").unwrap().clone();
    assert_eq!((ready.status.as_str(), ready.reason.as_str()), ("False", "PodFailed"));
}

#[test]
fn a_pod_that_ignores_the_signal_is_killed_at_the_end_of_its_grace_period() {
    let mut world = World::new(1).behaviours(json!([{"terminateAfterMs": 600_000}]));
    world.create_pod("a", "stubborn", "worker1");
    world.run_to(5.0);
    world.delete_pod("a");
    world.run_to(100.0);
    assert_eq!(world.about(&["deletion", "removed"]), ["5.0 a deletion-requested 30", "35.0 a removed"]);
}

#[test]
fn a_pod_that_no_longer_fits_fails_at_the_door() {
    let mut world = World::new(1);
    for name in ["a", "b"] {
        let mut tree = pod(name, "app:1", "worker1");
        tree["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "2500m"}});
        world.create(tree);
    }
    world.run_to_quiet();
    let refused = world.pod("b");
    assert_eq!((refused.status.phase.as_str(), refused.status.reason.as_str()), (FAILED, "OutOfcpu"));
    assert_eq!(
        refused.status.message,
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 2500, used: 2500, capacity: 4000"
    );
    assert_eq!(
        world.about(&["b event"]),
        ["0.0 b event OutOfcpu: Node didn't have enough resource: cpu, requested: 2500, used: 2500, capacity: 4000"]
    );
    assert!(world.pod("a").is_ready());
}

#[test]
fn wrong_labels_taken_ports_and_untolerated_taints_are_refused_too() {
    let mut world = World::new(1);
    let port = json!([{"containerPort": 80, "hostPort": 8080, "protocol": "TCP"}]);
    let mut first = pod("first", "app:1", "worker1");
    first["spec"]["containers"][0]["ports"] = port.clone();
    world.create(first);
    let mut second = pod("second", "app:1", "worker1");
    second["spec"]["containers"][0]["ports"] = port;
    world.create(second);
    let mut picky = pod("picky", "app:1", "worker1");
    picky["spec"]["nodeSelector"] = json!({"disk": "ssd"});
    world.create(picky);
    world.run_to_quiet();
    let reasons: Vec<String> = ["second", "picky"].map(|name| world.pod(name).status.reason.clone()).into();
    assert_eq!(reasons, ["NodePorts", "NodeAffinity"]);
}

#[test]
fn a_silent_kubelet_starts_and_removes_nothing_until_it_is_back() {
    let mut world = World::new(1);
    world.create_pod("old", "app:1", "worker1");
    world.run_to(5.0);
    world.stop_kubelet("worker1", Down::Silent);
    world.create_pod("new", "app:1", "worker1");
    world.delete_pod("old");
    world.run_to(50.0);
    assert_eq!(world.since(5.0), ["5.0 new created", "5.0 new on worker1", "5.0 old deletion-requested 30"]);
    world.start_kubelet("worker1");
    world.run_to(60.0);
    assert_eq!(
        world.since(50.0),
        [
            "50.0 new containers ContainerCreating",
            "51.0 new Running",
            "51.0 new containers running",
            "51.0 old removed",
            "53.0 new containers ready",
            "53.0 new ready True",
        ]
    );
}

#[test]
fn after_a_power_cut_the_containers_are_started_anew() {
    let mut world = World::new(1);
    world.create_pod("a", "app:1", "worker1");
    world.run_to(5.0);
    world.stop_kubelet("worker1", Down::PoweredOff);
    world.run_to(20.0);
    world.start_kubelet("worker1");
    world.run_to(30.0);
    assert_eq!(
        world.since(5.0),
        [
            "20.0 a containers Unknown:255",
            "20.0 a ready False",
            "21.0 a containers running/1",
            "23.0 a containers ready/1",
            "23.0 a ready True",
        ]
    );
    assert_eq!(world.pod("a").status.pod_ip, "10.244.1.3");
    let last = world.pod("a").status.container_statuses[0].last_state.terminated.clone().unwrap();
    assert_eq!((last.exit_code, last.reason.as_str()), (255, "Unknown"));
}

#[test]
fn a_node_out_of_memory_evicts_the_pod_that_uses_most_beyond_its_request_and_recovers_after_five_minutes() {
    let mut world = World::new(1).behaviours(json!([
        {"match": {"pod": "greedy"}, "uses": {"memory": [{"amount": "1Gi"}, {"afterMs": 9000, "amount": "6Gi"}]}},
        {"match": {"pod": "modest"}, "uses": {"memory": [{"amount": "2Gi"}]}},
    ]));
    for (name, request) in [("greedy", "1Gi"), ("modest", "2Gi")] {
        let mut tree = pod(name, "app:1", "worker1");
        tree["spec"]["containers"][0]["resources"] = json!({"requests": {"memory": request}});
        world.create(tree);
    }
    world.run_to_quiet();
    let lines = world.about(&["MemoryPressure", "Failed", "DisruptionTarget"]);
    assert_eq!(
        lines,
        [
            "10.0 greedy Failed (Evicted)",
            "10.0 greedy DisruptionTarget TerminationByKubelet",
            "10.0 worker1 MemoryPressure True (KubeletHasInsufficientMemory)",
            "310.0 worker1 MemoryPressure False (KubeletHasSufficientMemory)",
        ]
    );
    let evicted = world.pod("greedy");
    assert_eq!(
        evicted.status.message,
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0Ki. \
         Container main was using 6291456Ki, request is 1Gi, has larger consumption of memory. "
    );
    assert!(world.pod("modest").is_ready());
}

#[test]
fn a_best_effort_pod_is_not_let_in_under_memory_pressure_unless_it_tolerates_it() {
    let mut world = World::new(1);
    world.kubelet_reports("worker1", "MemoryPressure", "True");
    world.create_pod("plain", "app:1", "worker1");
    let mut daemon = pod("daemon", "app:1", "worker1");
    daemon["spec"]["tolerations"] =
        json!([{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"}]);
    world.create(daemon);
    world.run_to_quiet();
    let refused = world.pod("plain");
    assert_eq!((refused.status.phase.as_str(), refused.status.reason.as_str()), (FAILED, "Evicted"));
    assert_eq!(refused.status.message, "Pod was rejected: The node had condition: [MemoryPressure]. ");
    assert!(world.pod("daemon").is_ready());
}

#[test]
fn a_mirror_pod_comes_back_when_somebody_deletes_it() {
    let mut world = World::new(1);
    let mut proxy: Pod = decode(json!({
        "metadata": {"name": "kube-proxy", "namespace": "kube-system"},
        "spec": {"containers": [{"name": "main", "image": "kube-proxy:v1.36.2"}], "restartPolicy": "Always"},
    }))
    .unwrap();
    proxy.metadata.uid = "".into();
    world.kubelets = world.kubelets.with_static_pods("worker1", vec![proxy.into()]);
    world.look(Actor::Kubelet, ObjectKey::cluster("worker1"));
    world.run_to(10.0);
    let name = ObjectKey::new("kube-system", "kube-proxy-worker1");
    let mirror = world.store().pod(&name).unwrap().clone();
    assert!(mirror.is_mirror() && mirror.is_ready());
    assert_eq!(mirror.metadata.controller().map(|owner| owner.kind.as_str()), Some("Node"));
    world.commit(daemonset_playground::apiserver::Write::Delete(daemonset_playground::apiserver::Delete::pod(&mirror)));
    world.run_to(20.0);
    assert_eq!(world.about(&["kube-proxy-worker1 removed", "kube-proxy-worker1 created"]).len(), 3);
    assert!(world.store().pod(&name).unwrap().is_ready());
}

#[test]
fn behaviours_that_change_hold_for_pods_that_come_later() {
    let mut world = World::new(1).behaviours(json!([{"outcome": {"type": "NeverReady"}}]));
    world.create_pod("old", "app:1", "worker1");
    world.run_to(1.0);
    world.kubelets = world.kubelets.with_behaviours(Behaviours::default());
    world.create_pod("new", "app:1", "worker1");
    world.run_to(60.0);
    assert_eq!((world.pod("old").is_ready(), world.pod("new").is_ready()), (false, true));
}

#[test]
fn staged_outcomes_show_from_the_first_report_on() {
    let mut world = World::new(1).behaviours(json!([
        {"match": {"image": "loop"}, "outcome": {"type": "CrashLoop", "restarts": 3}},
        {"match": {"image": "pull"}, "outcome": {"type": "ImagePull", "backingOff": true}},
        {"match": {"image": "stuck"}, "outcome": {"type": "NeverStart"}},
        {"match": {"image": "evict"}, "outcome": {"type": "Evict", "afterMs": 500}},
        {"match": {"image": "done"}, "outcome": {"type": "Succeed"}},
        {"match": {"image": "full"}, "outcome": {"type": "OutOf", "resource": "cpu"}},
    ]));
    for image in ["loop", "pull", "stuck", "evict", "done", "full"] {
        world.create_pod(image, image, "worker1");
    }
    world.run_to_quiet();
    let of = |name: &str| {
        let pod = world.pod(name);
        let state = pod.status.container_statuses.first().map(|s| s.state.clone()).unwrap_or_default();
        let word = state.waiting.map(|w| w.reason).unwrap_or_default();
        (pod.status.phase.clone(), pod.status.reason.clone(), word)
    };
    let told = |phase: &str, reason: &str, word: &str| (phase.to_owned(), reason.to_owned(), word.to_owned());
    assert_eq!(of("loop"), told(RUNNING, "", "CrashLoopBackOff"));
    assert_eq!(world.pod("loop").status.container_statuses[0].restart_count, 3);
    assert_eq!(of("pull"), told(PENDING, "", "ImagePullBackOff"));
    assert_eq!(of("stuck"), told(PENDING, "", "ContainerCreating"));
    assert_eq!(of("evict"), told(FAILED, "Evicted", "ContainerCreating"));
    assert_eq!(of("done"), told(SUCCEEDED, "", ""));
    assert_eq!(of("full").0, FAILED);
    assert_eq!(of("full").1, "OutOfcpu");
}
