//! The rollouts that are measured, natively and in the browser.

use daemonset_playground::controllers::daemonset::{controller_revision_hash, pod_for_node, pod_template};
use daemonset_playground::objects::*;
use daemonset_playground::simulation::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A DaemonSet; NAME is its name.
const MANIFEST: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: NAME\nspec:\n  selector:\n    matchLabels:\n      app: NAME\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 10%\n  template:\n    metadata:\n      labels:\n        app: NAME\n    spec:\n      containers:\n      - name: agent\n        image: agent:v1\n        resources:\n          requests:\n            cpu: 100m\n            memory: 64Mi\n";

/// Runs until nothing is due.
pub fn settle(session: &mut Session) {
    while session.run_to_quiet(100_000) == Progress::More {}
}

/// The manifest of a DaemonSet of this name.
pub fn manifest(name: &str) -> String {
    MANIFEST.replace("NAME", name)
}

/// The files that the commands read.
pub fn files(names: &[&str]) -> BTreeMap<String, String> {
    names.iter().map(|name| (format!("{name}.yaml"), manifest(name))).collect()
}

/// So many nodes that are ready.
pub fn nodes(count: usize) -> Session {
    let mut session = Session::new(Scenario::default());
    session.run(&format!("sim add-node worker --count {count}"), &BTreeMap::new());
    settle(&mut session);
    session
}

/// A session in which DaemonSets of these names run on so many nodes already: as opened from the dump of a cluster.
pub fn running(count: usize, names: &[&str]) -> Session {
    let scenario = Scenario::default();
    let since = scenario.start.plus_seconds(-3600);
    let nodes: Vec<Node> =
        (1..).take(count).map(|number| NodeTemplate::Worker.node(&format!("worker{number}"), number, since)).collect();
    let mut objects: Vec<Object> = nodes.iter().cloned().map(Object::from).collect();
    for name in names {
        let daemonset = daemonset(name, since);
        let hash = controller_revision_hash(&daemonset.spec.template, None);
        let template = pod_template(&daemonset.spec.template, Some("1"), &hash);
        for (index, node) in nodes.iter().enumerate() {
            let mut pod = pod_for_node(&daemonset, &template, node.name());
            pod.metadata.name = format!("{name}-{index:05}").into();
            pod.metadata.creation_timestamp = Some(since);
            Rc::make_mut(&mut pod.spec).node_name = node.name().clone();
            pod.status.phase = RUNNING.into();
            for type_ in ["PodScheduled", "Initialized", "ContainersReady", "Ready"] {
                pod.status.conditions.push(PodCondition {
                    type_: type_.into(),
                    status: "True".into(),
                    last_transition_time: Some(since),
                    ..PodCondition::default()
                });
            }
            objects.push(pod.into());
        }
        objects.push(daemonset.into());
    }
    let mut opening = Opening::new(scenario, objects);
    while !opening.go_on(10_000) {}
    let (scenario, world) = opening.finish();
    let mut session = Session::adopt(scenario, world);
    settle(&mut session);
    session
}

fn daemonset(name: &str, since: Time) -> DaemonSet {
    let labels = json!({"app": name});
    decode(json!({
        "metadata": {
            "name": name, "namespace": "default", "uid": name, "generation": 1, "creationTimestamp": since.to_string(),
            "annotations": {"deprecated.daemonset.template.generation": "1"},
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%", "maxSurge": 0}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [{
                        "name": "agent", "image": "agent:v1",
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                    }],
                    "restartPolicy": "Always", "schedulerName": "default-scheduler",
                    "terminationGracePeriodSeconds": 30,
                },
            },
        },
    }))
    .expect("a DaemonSet")
}

/// So many steps of the rollout of one of the DaemonSets; fewer when it ends before.
pub fn roll(session: &mut Session, name: &str, steps: usize) {
    let end = session.len() + steps;
    session.run(&format!("kubectl set image ds/{name} agent=agent:v2"), &BTreeMap::new());
    while session.len() < end && session.run_to_quiet(end - session.len()) == Progress::More {}
}
