//! What one look at one pod costs in a cluster of 5,000 nodes with five pods each.
//!
//! `cargo bench --bench scheduler`: median (fastest) of eleven runs, in milliseconds of wall time on one core.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark measures with the real clock")]

use daemonset_playground::apiserver::Store;
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::schedule_one;
use serde_json::{Value, json};
use std::time::Instant;

const RUNS: usize = 11;
const NODES: usize = 5000;
const PODS_PER_NODE: usize = 5;
const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";

fn cluster() -> Store {
    let mut store = Store::default();
    for i in 0..NODES {
        let name = format!("node-{i}");
        let labels = json!({HOSTNAME: name, ZONE: format!("zone-{}", i % 3), "kubernetes.io/os": "linux"});
        let node: Node = decode(json!({
            "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
        }))
        .expect("a node");
        store.put(node.into());
        for p in 0..PODS_PER_NODE {
            let tree = json!({"nodeName": name, "containers": containers("100m")});
            store.put(pod(&format!("pod-{i}-{p}"), &format!("app-{p}"), tree).into());
        }
    }
    store
}

fn containers(cpu: &str) -> Value {
    json!([{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}])
}

fn pod(name: &str, app: &str, spec: Value) -> Pod {
    let metadata = json!({"name": name, "namespace": "default", "labels": {"app": app}});
    decode(json!({"metadata": metadata, "spec": spec, "status": {"phase": "Running"}})).expect("a pod")
}

fn pinned() -> Value {
    let field = json!({"key": "metadata.name", "operator": "In", "values": ["node-77"]});
    json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [field]}],
    }}})
}

fn main() {
    let store = cluster();
    let group = json!({"matchLabels": {"app": "app-0"}});
    let spread = json!([{
        "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": group,
    }]);
    let anti = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": "new"}}},
    ]}});
    let cases = [
        ("DaemonSet pod, fits", json!({"containers": containers("100m"), "affinity": pinned()})),
        ("DaemonSet pod, too big", json!({"containers": containers("8"), "affinity": pinned()})),
        ("DaemonSet pod, preempts", json!({"containers": containers("4"), "affinity": pinned(), "priority": 9})),
        ("plain pod", json!({"containers": containers("100m")})),
        ("plain pod, fits nowhere", json!({"containers": containers("8")})),
        ("plain pod, preempts", json!({"containers": containers("4"), "priority": 9})),
        ("plain pod, all nodes full", json!({"containers": containers("4")})),
        (
            "plain pod, spread over zones",
            json!({"containers": containers("100m"), "topologySpreadConstraints": spread}),
        ),
        ("plain pod, one per node", json!({"containers": containers("100m"), "affinity": anti})),
    ];
    println!("{NODES} nodes, {} pods; ms, median (fastest) of {RUNS}", NODES * PODS_PER_NODE);
    for (name, spec) in cases {
        let mut tree = pod("new", "new", spec);
        tree.status.phase = PENDING.into();
        let mut times: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(schedule_one(&store, &tree));
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{name:32} {:8.3} ({:.3})", times[RUNS / 2], times[0]);
    }
}
