//! `backoff.jsonl`: when failed pods are deleted, and when the delete is held back.

use super::cases::texts;
use super::daemonset::*;
use super::expect_eq;
use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

pub fn check(case: &Value) -> Result<(), String> {
    let mut daemonset: DaemonSet = decode(json!({
        "metadata": {"name": "agent", "namespace": "default", "uid": "uid", "generation": 1},
        "spec": {
            "selector": {"matchLabels": {"app": "agent"}},
            "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": []}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
        },
    }))
    .expect("a DaemonSet");
    let node = |name: String| Rc::new(Node { metadata: meta(&name), ..Default::default() });
    let nodes: Vec<Rc<Node>> = texts(&case["nodes"]).into_iter().map(node).collect();
    let revision = revision_of(&daemonset, "h", 1);
    let mut backoff = Backoff::default();
    for (number, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let at_ms = step["atSeconds"].as_i64().expect("atSeconds") * 1000;
        let generation = step["observedGeneration"].as_i64().expect("observedGeneration");
        daemonset.metadata.generation = generation;
        daemonset.status.observed_generation = generation;
        let failed = texts(&step["failedPods"]);
        let pod = |node: &Rc<Node>| {
            let name = node.name();
            let mut pod = created_pod(&daemonset, "h", name, &format!("pod-{number}-{name}"), Time(0));
            run_on(&mut pod, name);
            make_ready(&mut pod, Time(0));
            if failed.iter().any(|failed| **failed == **name) {
                pod.status.phase = FAILED.into();
            }
            Rc::new(pod)
        };
        let pods: Vec<Rc<Pod>> = nodes.iter().map(pod).collect();
        let plan = run_sync(at_ms, &daemonset, &nodes, &pods, std::slice::from_ref(&revision), &backoff);

        let mut by_node: BTreeMap<String, u64> = BTreeMap::new();
        for deletion in plan.deletes() {
            *by_node.entry(deletion.node.to_string()).or_default() += 1;
        }
        let mut requeues: Vec<i64> = plan.requeues.iter().map(|requeue| requeue.after_ms / 1000).collect();
        requeues.sort_unstable();
        let key = |node: &Rc<Node>| BackoffKey {
            daemonset: daemonset.metadata.uid.clone(),
            observed_generation: generation,
            node: node.name().clone(),
        };
        let memory: BTreeMap<&str, i64> =
            nodes.iter().map(|node| (&**node.name(), plan.backoff.current_ms(&key(node)) / 1000)).collect();
        let actual = json!({
            "deleteCount": plan.deletes().count(),
            "deletesByNode": by_node,
            "requeueAfterSeconds": requeues,
            "backoffSecondsAfter": memory,
        });
        expect_eq(&format!("step {number}"), &actual, &step["expect"])?;
        backoff = plan.backoff;
    }
    Ok(())
}

fn meta(name: &str) -> ObjectMeta {
    ObjectMeta { name: name.into(), ..Default::default() }
}
