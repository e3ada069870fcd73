//! The states of which one reconcile is measured, natively and in the browser.

use daemonset_playground::controllers::daemonset::{
    Backoff, SyncInput, SyncPlan, controller_revision_hash, pod_for_node, pod_template, sync,
};
use daemonset_playground::objects::*;
use serde_json::json;
use std::rc::Rc;

const NOW: Time = Time(1_780_000_000);
/// Runs of which the median counts.
pub const RUNS: usize = 11;

/// What the Go controller takes for the same, median on a two-core machine under load: (1,000 nodes, 5,000 nodes).
pub const GO_MS: [(&str, f64, f64); 4] = [
    ("all missing (250 creates)", 24.0, 73.0),
    ("steady", 32.0, 203.0),
    ("mid-rollout 10 %", 36.0, 191.0),
    ("mid-surge 10 %", 43.0, 240.0),
];

/// A DaemonSet with its nodes and pods.
pub struct Cluster {
    daemonset: DaemonSet,
    nodes: Vec<Rc<Node>>,
    pods: Vec<Rc<Pod>>,
}

fn daemonset(surge: bool, image: &str) -> DaemonSet {
    let (unavailable, surge) = if surge { (json!(0), json!("10%")) } else { (json!("10%"), json!(0)) };
    let tree = json!({
        "metadata": {"name": "agent", "namespace": "default", "uid": "u", "generation": 1},
        "spec": {
            "selector": {"matchLabels": {"app": "agent"}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}},
            "template": {
                "metadata": {"labels": {"app": "agent"}},
                "spec": {
                    "nodeSelector": {"kubernetes.io/os": "linux"},
                    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                    "containers": [{"name": "agent", "image": image}],
                },
            },
        },
    });
    decode(tree).expect("a DaemonSet")
}

fn pod(daemonset: &DaemonSet, node: &str) -> Rc<Pod> {
    let hash = controller_revision_hash(&daemonset.spec.template, None);
    let mut pod = pod_for_node(daemonset, &pod_template(&daemonset.spec.template, None, &hash), node);
    pod.metadata.name = format!("agent-{node}").into();
    pod.metadata.creation_timestamp = Some(NOW.plus_seconds(-3600));
    Rc::make_mut(&mut pod.spec).node_name = node.into();
    pod.status.phase = RUNNING.into();
    pod.status.conditions.push(PodCondition {
        type_: "Ready".into(),
        status: "True".into(),
        last_transition_time: Some(NOW.plus_seconds(-3000)),
        ..PodCondition::default()
    });
    Rc::new(pod)
}

/// The state of this name with so many nodes.
pub fn cluster(shape: &str, size: usize) -> Cluster {
    let surge = shape.starts_with("mid-surge");
    let (old, new) = (daemonset(surge, "agent:v1"), daemonset(surge, "agent:v2"));
    let nodes: Vec<Rc<Node>> = (0..size)
        .map(|i| {
            let name = format!("node-{i:05}");
            let tree = json!({
                "metadata": {"name": name, "labels": json!({"kubernetes.io/os": "linux", "kubernetes.io/hostname": name, "zone": i % 3}).to_string_labels()},
                "spec": {"taints": if i % 10 == 0 { json!([{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]) } else { json!([]) }},
            });
            Rc::new(decode(tree).expect("a node"))
        })
        .collect();
    let pods = nodes.iter().enumerate().filter_map(|(i, node)| {
        let name = &*node.metadata.name;
        match shape {
            "steady" => Some(pod(&new, name)),
            s if s.starts_with("mid") => Some(pod(if i < size / 2 { &new } else { &old }, name)),
            _ => None,
        }
    });
    let pods = pods.collect();
    Cluster { daemonset: new, nodes, pods }
}

trait StringLabels {
    fn to_string_labels(self) -> serde_json::Value;
}

impl StringLabels for serde_json::Value {
    fn to_string_labels(mut self) -> serde_json::Value {
        for value in self.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
            if let Some(number) = value.as_u64() {
                *value = number.to_string().into();
            }
        }
        self
    }
}

/// One reconcile.
pub fn reconcile(cluster: &Cluster) -> SyncPlan {
    sync(&SyncInput {
        now_ms: NOW.0 * 1000,
        daemonset: &cluster.daemonset,
        nodes: &cluster.nodes,
        pods: &cluster.pods,
        revisions: &[],
        backoff: &Backoff::default(),
        earlier_writes_awaited: false,
        revision_named: &|_| None,
    })
}
