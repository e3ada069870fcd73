//! A DaemonSet and a Deployment side by side, and what a change would do.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::insight::compare::{ChangeEffect, Compare, Comparison, Coverage, effect};
use daemonset_playground::insight::trial::applied;
use daemonset_playground::objects::ObjectKey;
use daemonset_playground::simulation::{Progress, Scenario, Session};
use std::collections::BTreeMap;
use std::rc::Rc;

const MANIFEST: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  selector:\n    matchLabels:\n      app: agent\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 50%\n  template:\n    metadata:\n      labels:\n        app: agent\n    spec:\n      containers:\n      - name: agent\n        image: agent:v1\n";

/// A control plane with its taint and four workers, the DaemonSet applied.
fn cluster() -> Session {
    let mut session = Session::new(Scenario::default());
    let none = BTreeMap::new();
    session.run("sim add-node cp --template control-plane", &none);
    session.run("sim add-node w --count 4 --resource cpu=4", &none);
    apply(&mut session, MANIFEST);
    session
}

fn apply(session: &mut Session, text: &str) {
    let run = session.run("kubectl apply -f a.yaml", &BTreeMap::from([("a.yaml".into(), text.to_owned())]));
    assert_eq!(run.stderr, "");
    settle(session);
}

fn settle(session: &mut Session) {
    while session.run_to_quiet(100_000) == Progress::More {}
}

fn key() -> ObjectKey {
    ObjectKey::new("default", "agent")
}

fn compared(session: &Session, replicas: Option<usize>) -> Comparison {
    let set = session.world().store().daemon_set(&key()).unwrap();
    let mut compare = Compare::new(session.world(), set, replicas).unwrap();
    let mut slices = 0;
    loop {
        slices += 1;
        if let Some(result) = compare.advance(7).unwrap() {
            assert!(slices > 3, "it was made in slices");
            return result;
        }
    }
}

fn told(session: &Session, text: &str) -> ChangeEffect {
    let sets = applied(session.world(), text).unwrap();
    let (before, after) = &sets[0];
    effect(session.world(), before.as_deref(), after)
}

fn names(nodes: &[Rc<str>]) -> Vec<&str> {
    nodes.iter().map(|node| &**node).collect()
}

#[test]
fn a_daemon_set_covers_every_node_and_follows_a_new_one() {
    let session = cluster();
    let result = compared(&session, Some(3));
    assert_eq!((result.eligible, result.replicas), (4, 3));
    assert_eq!(result.daemonset, Coverage { pods: 4, pending: 0, covered: 4, crowded: 0, follows: true });
    let deployment = &result.deployment;
    assert_eq!((deployment.pods, deployment.pending, deployment.follows), (3, 0, false));
    assert!(deployment.covered <= 3);
    let rows: Vec<_> = result.nodes.iter().map(|n| (&*n.node, n.is_new, n.eligible, n.daemonset)).collect();
    assert_eq!(
        rows,
        [
            ("cp", false, false, 0),
            ("w1", false, true, 1),
            ("w2", false, true, 1),
            ("w3", false, true, 1),
            ("w4", false, true, 1),
            ("new-node", true, true, 1),
        ]
    );
    assert_eq!(result.nodes.iter().map(|node| node.deployment).sum::<usize>(), 3);
}

#[test]
fn more_replicas_than_nodes_crowd_them_and_still_follow_nobody() {
    let result = compared(&cluster(), Some(9));
    assert_eq!((result.deployment.pods, result.deployment.covered, result.deployment.follows), (9, 4, false));
    assert!(result.deployment.crowded >= 1);
}

#[test]
fn as_many_replicas_as_nodes_is_the_start() {
    assert_eq!(compared(&cluster(), None).replicas, 4);
}

#[test]
fn a_comparison_leaves_the_session_as_it_is() {
    let session = cluster();
    let before = session.world().store().all();
    compared(&session, Some(2));
    assert_eq!(session.world().store().all(), before);
}

#[test]
fn a_new_image_replaces_every_pod_half_of_them_at_a_time() {
    let session = cluster();
    let change = told(&session, &MANIFEST.replace("agent:v1", "agent:v2"));
    assert!(change.new_revision && !change.is_new && !change.surges);
    assert_eq!((change.desired, change.replaced, change.at_once), ([4, 4], 4, 2));
    assert_eq!((names(&change.gains), names(&change.loses), names(&change.strands)), (vec![], vec![], vec![]));
}

#[test]
fn a_narrower_selection_takes_pods_at_once_and_a_toleration_adds_one() {
    let mut session = cluster();
    session.run("kubectl label node w1 w2 disk=ssd", &BTreeMap::new());
    settle(&mut session);
    let narrow = MANIFEST.replace("    spec:\n", "    spec:\n      nodeSelector:\n        disk: ssd\n");
    let change = told(&session, &narrow);
    assert_eq!((names(&change.loses), change.replaced, change.desired), (vec!["w3", "w4"], 2, [4, 2]));
    let wide = MANIFEST.replace(
        "    spec:\n",
        "    spec:\n      tolerations:\n      - key: node-role.kubernetes.io/control-plane\n        operator: Exists\n",
    );
    let change = told(&session, &wide);
    assert_eq!((names(&change.gains), change.desired), (vec!["cp"], [4, 5]));
    // What was told is what happens.
    let mut after = session.clone();
    apply(&mut after, &narrow);
    let pods = after.world().store().pods().values().map(|pod| pod.spec.node_name.to_string());
    let mut on: Vec<String> = pods.collect();
    on.sort();
    assert_eq!(on, ["w1", "w2"]);
}

#[test]
fn a_lost_toleration_strands_pods() {
    let mut session = cluster();
    let tolerant = MANIFEST.replace("    spec:\n", "    spec:\n      tolerations:\n      - operator: Exists\n");
    apply(&mut session, &tolerant);
    let change = told(&session, MANIFEST);
    assert_eq!((names(&change.strands), change.desired), (vec!["cp"], [5, 4]));
}

#[test]
fn only_a_number_makes_no_revision() {
    let session = cluster();
    let change = told(&session, &MANIFEST.replace("50%", "1"));
    assert_eq!((change.new_revision, change.replaced, change.at_once), (false, 0, 0));
}

#[test]
fn a_daemon_set_that_is_not_there_gains_every_eligible_node() {
    let session = cluster();
    let change = told(&session, &MANIFEST.replace("agent", "other"));
    assert!(change.is_new);
    assert_eq!((names(&change.gains), change.desired), (vec!["w1", "w2", "w3", "w4"], [0, 4]));
}

#[test]
fn on_delete_replaces_nothing_by_itself() {
    let mut session = cluster();
    let manual = MANIFEST.replace("    rollingUpdate:\n      maxUnavailable: 50%\n", "    type: OnDelete\n");
    apply(&mut session, &manual);
    let change = told(&session, &manual.replace("agent:v1", "agent:v2"));
    assert_eq!((change.replaced, change.at_once), (4, 0));
}

#[test]
fn what_cannot_be_applied_is_told_in_kubectls_words() {
    let session = cluster();
    let error = applied(session.world(), &MANIFEST.replace("app: agent\n  update", "app: x\n  update")).unwrap_err();
    assert!(error.contains("field is immutable"), "{error}");
}

/// The faces that are not the page ask through plain functions; what they get serialises as JavaScript expects.
#[test]
fn questions_from_outside_are_answered_as_data() {
    use daemonset_playground::insight::ask;
    let session = cluster();
    let world = session.world();
    let lint = to_json(&ask::lint_text(world, MANIFEST));
    let first = &lint[0];
    assert!(first["rule"].is_string() && first["level"].is_string() && first["facts"].is_object(), "{first}");
    assert!(first["span"]["start"]["line"].is_u64());
    assert_eq!(to_json(&ask::overheads(world, None))[0]["perPod"]["milliCpu"], 0);
    let forecasts = to_json(&ask::forecasts(world, &key(), Some(10), &[]).unwrap());
    assert_eq!(forecasts[0]["strategy"]["maxUnavailable"], "50%");
    assert_eq!(
        (&forecasts[0]["waves"], &forecasts[0]["durationMs"], &forecasts[0]["uncovered"]),
        (&2.into(), &8000.into(), &5.into())
    );
    let comparison = to_json(&ask::comparison(world, &key(), Some(2)).unwrap());
    assert_eq!(
        (&comparison["daemonset"]["follows"], &comparison["deployment"]["follows"]),
        (&true.into(), &false.into())
    );
    let effects = to_json(&ask::effects(world, &MANIFEST.replace("agent:v1", "agent:v2")).unwrap());
    assert_eq!((&effects[0]["newRevision"], &effects[0]["atOnce"]), (&true.into(), &2.into()));
    assert!(ask::forecasts(world, &ObjectKey::new("default", "none"), None, &[]).is_err());
}

fn to_json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}
