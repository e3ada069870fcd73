//! What DaemonSets take of a cluster, to the last byte.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::insight::overhead::*;
use daemonset_playground::objects::{ObjectKey, Quantity};
use daemonset_playground::simulation::{Progress, Scenario, Session};
use std::collections::BTreeMap;

const MI: i64 = 1 << 20;
const GI: i64 = 1 << 30;

fn daemon_set(name: &str, spec: &str) -> String {
    let indented: String = spec.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: {name}\nspec:\n  selector:\n    matchLabels:\n      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n    spec:\n{indented}---\n"
    )
}

fn container(name: &str, cpu: &str, memory: &str) -> String {
    format!(
        "- name: {name}\n  image: {name}:1\n  resources:\n    requests:\n      cpu: {cpu}\n      memory: {memory}\n"
    )
}

fn cluster(commands: &[&str], manifest: &str) -> Session {
    let mut session = Session::new(Scenario::default());
    for command in commands {
        let run = session.run(command, &BTreeMap::new());
        assert_eq!(run.exit_code, Some(0), "{}", run.stderr);
    }
    let run = session.run("kubectl apply -f a.yaml", &BTreeMap::from([("a.yaml".into(), manifest.to_owned())]));
    assert_eq!(run.stderr, "");
    while session.run_to_quiet(100_000) == Progress::More {}
    session
}

fn of(session: &Session, name: &str, label: Option<&str>) -> Overhead {
    let store = session.world().store();
    overhead(store.daemon_set(&ObjectKey::new("default", name)).unwrap(), store, label)
}

#[test]
fn a_tenth_of_a_cpu_on_two_hundred_nodes_is_twenty_cpus_and_25_gibibytes() {
    let manifest = daemon_set("agent", &format!("containers:\n{}", container("agent", "100m", "128Mi")));
    let session = cluster(&["sim add-node node --count 200"], &manifest);
    let agent = of(&session, "agent", None);
    assert_eq!((agent.nodes, agent.eligible), (200, 200));
    assert_eq!(agent.per_pod, Amount { milli_cpu: 100, memory: 128 * MI });
    assert_eq!(agent.total, Amount { milli_cpu: 20_000, memory: 25 * GI });
    assert_eq!(agent.per_pod.times(200), agent.total);
    // The guide's 50Mi too much on 200 nodes: about 10Gi wasted.
    assert_eq!(Quantity::from_bytes(50 * MI * 200).to_string(), "10000Mi");
}

#[test]
fn containers_add_up_and_only_eligible_nodes_count() {
    let containers =
        format!("containers:\n{}{}", container("exporter", "102m", "180Mi"), container("proxy", "10m", "20Mi"));
    let session = cluster(
        &["sim add-node node --count 50", "sim add-node cp --template control-plane"],
        &daemon_set("agent", &containers),
    );
    let agent = of(&session, "agent", None);
    assert_eq!((agent.nodes, agent.eligible), (51, 50));
    assert_eq!(agent.per_pod, Amount { milli_cpu: 112, memory: 200 * MI });
    assert_eq!(agent.total, Amount { milli_cpu: 5600, memory: 10_000 * MI });
}

#[test]
fn init_containers_sidecars_and_the_runtime_class_count_as_the_scheduler_counts_them() {
    let spec = format!(
        "runtimeClassName: sandboxed\ninitContainers:\n{}{}  restartPolicy: Always\ncontainers:\n{}",
        container("setup", "500m", "10Mi"),
        container("proxy", "50m", "20Mi"),
        container("agent", "100m", "100Mi"),
    );
    let class = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: sandboxed\nhandler: sandboxed\noverhead:\n  podFixed:\n    cpu: 30m\n    memory: 40Mi\n---\n";
    let session = cluster(&["sim add-node node --count 2"], &format!("{class}{}", daemon_set("agent", &spec)));
    let agent = of(&session, "agent", None);
    // cpu: the init container alone needs more than agent and proxy together; memory: those two.
    assert_eq!(agent.per_pod, Amount { milli_cpu: 530, memory: 160 * MI });
    let kinds: Vec<(PartKind, &str, i64)> =
        agent.parts.iter().map(|part| (part.kind, part.name.as_str(), part.requests.milli_cpu)).collect();
    assert_eq!(
        kinds,
        [
            (PartKind::Container, "agent", 100),
            (PartKind::Init, "setup", 500),
            (PartKind::Sidecar, "proxy", 50),
            (PartKind::RuntimeClass, "sandboxed", 30),
        ]
    );
    // It is what the scheduler really set aside.
    let used = session.world().store().usage_of("node1").unwrap();
    assert_eq!((used.requested.milli_cpu, used.requested.memory), (530, 160 * MI));
}

#[test]
fn pools_follow_a_label_and_shares_the_allocatable() {
    let session = cluster(
        &[
            "sim add-node big --count 2 --label pool=big --resource cpu=16 --resource memory=64Gi",
            "sim add-node small --count 3 --label pool=small --resource cpu=1 --resource memory=2Gi",
            "sim add-node other --resource cpu=4 --resource memory=8Gi",
            "sim add-node kept --label pool=small --resource cpu=1 --resource memory=2Gi --taint keep=out:NoSchedule",
        ],
        &daemon_set("agent", &format!("containers:\n{}", container("agent", "100m", "512Mi"))),
    );
    let agent = of(&session, "agent", Some("pool"));
    let pools: Vec<_> =
        agent.pools.iter().map(|p| (p.value.as_deref(), p.nodes, p.eligible, p.total.milli_cpu, p.share)).collect();
    assert_eq!(
        pools,
        [
            (None, 1, 1, 100, Share { cpu: 0.025, memory: 0.0625 }),
            (Some("big"), 2, 2, 200, Share { cpu: 0.00625, memory: 0.0078125 }),
            (Some("small"), 4, 3, 300, Share { cpu: 0.075, memory: 0.1875 }),
        ]
    );
    assert_eq!(agent.allocatable, Amount { milli_cpu: 39_000, memory: 142 * GI });
    let heaviest = agent.heaviest.unwrap();
    assert_eq!((&*heaviest.node, heaviest.share), ("small1", Share { cpu: 0.1, memory: 0.25 }));
}

#[test]
fn money_is_hours_times_price() {
    let prices = Prices { cpu_hour: 0.04, gib_hour: 0.005 };
    let month = prices.month(Amount { milli_cpu: 20_000, memory: 25 * GI });
    assert!((month - 730.0 * (20.0 * 0.04 + 25.0 * 0.005)).abs() < 1e-9, "{month}");
    assert_eq!(Prices::default().month(Amount { milli_cpu: 5, memory: 5 }), 0.0);
}

#[test]
fn what_a_planned_node_would_have_to_carry() {
    let agents: String = [("d1", "100m", true), ("d2", "50m", true), ("d3", "30m", true), ("d4", "500m", false)]
        .map(|(name, cpu, tolerates)| {
            let tolerations = if tolerates { "tolerations:\n- operator: Exists\n" } else { "" };
            daemon_set(name, &format!("{tolerations}containers:\n{}", container(name, cpu, "0")))
        })
        .concat();
    let command = "sim add-node new --taint team=x:NoSchedule --resource cpu=1 --resource memory=2Gi --resource pods=8";
    let session = cluster(&[command], &agents);
    let store = session.world().store();
    let carried = node_overhead(store, store.node_named("new").unwrap());
    assert_eq!((carried.total.milli_cpu, carried.pods), (180, 3));
    assert_eq!((carried.left.milli_cpu, carried.pods_left), (820, 5));
}

#[test]
fn other_requests_are_weighed_against_what_is_free() {
    let filler = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: filler\nspec:\n  nodeName: node2\n  containers:\n  - name: f\n    image: f:1\n    resources:\n      requests:\n        cpu: 1500m\n---\n";
    let manifest = daemon_set("agent", &format!("containers:\n{}", container("agent", "100m", "128Mi")));
    let session = cluster(
        &["sim add-node node --count 3 --resource cpu=2 --resource memory=4Gi"],
        &format!("{manifest}{filler}"),
    );
    let store = session.world().store();
    let set = store.daemon_set(&ObjectKey::new("default", "agent")).unwrap();
    let change = requests_change(set, store, Amount { milli_cpu: 500, memory: 64 * MI });
    assert_eq!(change.before, Amount { milli_cpu: 100, memory: 128 * MI });
    assert_eq!(change.total, Amount { milli_cpu: 1200, memory: -192 * MI });
    assert_eq!(change.no_room.len(), 0, "2000m hold 1500m and 500m");
    let change = requests_change(set, store, Amount { milli_cpu: 501, memory: 64 * MI });
    assert_eq!(change.no_room.iter().map(|node| &**node).collect::<Vec<_>>(), ["node2"]);
}

#[test]
fn the_fleet_lists_the_heaviest_first() {
    let manifest = daemon_set("light", &format!("containers:\n{}", container("a", "10m", "10Mi")))
        + &daemon_set("heavy", &format!("containers:\n{}", container("a", "300m", "10Mi")));
    let session = cluster(&["sim add-node node --count 2"], &manifest);
    let names: Vec<String> =
        fleet(session.world().store(), None).iter().map(|one| one.daemonset.name.to_string()).collect();
    assert_eq!(names, ["heavy", "light"]);
}
