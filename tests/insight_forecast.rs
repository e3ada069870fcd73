//! Rollouts foretold, and held against the engine that really makes them.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::insight::forecast::{Forecast, Rollout, RolloutResult, Strategy, forecast};
use daemonset_playground::objects::{IntOrString, ObjectKey};
use daemonset_playground::simulation::{Progress, Scenario, Session};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const MANIFEST: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  selector:\n    matchLabels:\n      app: agent\n  MORE\n  template:\n    metadata:\n      labels:\n        app: agent\n    spec:\n      containers:\n      - name: agent\n        image: agent:v1\n        PORTS\n";

fn session(nodes: usize, more: &str, ports: &str, behaviour: &Value) -> Session {
    let behaviours = serde_json::from_value(json!([behaviour])).unwrap();
    let mut session = Session::new(Scenario { behaviours, ..Scenario::default() });
    session.run(&format!("sim add-node node --count {nodes}"), &BTreeMap::new());
    let text = MANIFEST.replace("MORE", more).replace("PORTS", ports);
    let run = session.run("kubectl apply -f agent.yaml", &BTreeMap::from([("agent.yaml".into(), text)]));
    assert_eq!(run.stderr, "");
    while session.run_to_quiet(100_000) == Progress::More {}
    session
}

fn key() -> ObjectKey {
    ObjectKey::new("default", "agent")
}

fn percent(text: &str) -> IntOrString {
    IntOrString::String(text.into())
}

fn foretold(session: &Session, nodes: usize, strategy: &Strategy) -> Forecast {
    let world = session.world();
    let set = world.store().daemon_set(&key()).unwrap();
    forecast(set, world.behaviours(), nodes, std::slice::from_ref(strategy)).remove(0)
}

fn played(session: &Session, strategy: &Strategy) -> RolloutResult {
    let mut rollout = Rollout::new(session.world(), &key(), Some(strategy)).unwrap();
    rollout.advance(1_000_000).expect("an end")
}

#[test]
fn what_is_foretold_is_what_the_engine_does() {
    let behaviours = [
        json!({}),
        json!({"startAfterMs": 1300, "readyAfterMs": 2450, "terminateAfterMs": 700}),
        json!({"startAfterMs": 0, "readyAfterMs": 0, "terminateAfterMs": 0}),
        json!({"startAfterMs": 4000, "readyAfterMs": 61_250, "terminateAfterMs": 29_999}),
    ];
    let strategies = [
        Strategy::unavailable(IntOrString::Int(1)),
        Strategy::unavailable(percent("10%")),
        Strategy::unavailable(percent("25%")),
        Strategy::unavailable(percent("100%")),
        Strategy::surge(IntOrString::Int(1)),
        Strategy::surge(percent("10%")),
        Strategy::surge(IntOrString::Int(7)),
    ];
    let mut held = 0;
    for behaviour in &behaviours {
        for min_ready in ["", "minReadySeconds: 5"] {
            for nodes in [1, 12] {
                let session = session(nodes, min_ready, "", behaviour);
                for strategy in &strategies {
                    let (told, did) = (foretold(&session, nodes, strategy), played(&session, strategy));
                    let what = format!("{behaviour} {min_ready} {nodes} nodes {strategy:?}");
                    assert_eq!((did.nodes, did.updated, did.uncovered_before), (nodes, nodes, 0), "{what}");
                    assert_eq!(told.duration_ms, did.duration_ms, "{what}");
                    assert_eq!((told.uncovered, told.extra_pods), (did.uncovered, did.extra_pods), "{what}");
                    held += 1;
                }
            }
        }
    }
    assert_eq!(held, 4 * 2 * 2 * 7);
}

#[test]
fn more_pods_than_one_pass_handles_take_no_longer() {
    let session = session(520, "", "", &json!({}));
    let strategy = Strategy::unavailable(percent("100%"));
    let (told, did) = (foretold(&session, 520, &strategy), played(&session, &strategy));
    assert_eq!((told.duration_ms, told.uncovered), (did.duration_ms, did.uncovered));
}

#[test]
fn three_hundred_nodes_one_by_one_and_ten_percent_at_once() {
    let session = session(3, "", "", &json!({}));
    // One wave is a second to go, one to start, two to get ready.
    let told = foretold(&session, 300, &Strategy::unavailable(IntOrString::Int(1)));
    assert_eq!((told.waves, told.duration_ms, told.uncovered), (300, Some(300 * 4000), 1));
    let told = foretold(&session, 300, &Strategy::unavailable(percent("10%")));
    assert_eq!((told.waves, told.duration_ms, told.uncovered), (10, Some(10 * 4000), 30));
    let told = foretold(&session, 300, &Strategy::surge(percent("10%")));
    assert_eq!((told.waves, told.duration_ms.is_some(), told.uncovered, told.extra_pods), (10, true, 0, 30));
}

#[test]
fn what_decides_where_pods_go_does_not_decide_how_long_a_rollout_takes() {
    let more = "volumeMounts:\n        - name: logs\n          mountPath: /logs\n        resources:\n          requests:\n            cpu: 3\n            memory: 1Gi\n          limits:\n            memory: 2Gi\n      volumes:\n      - name: logs\n        hostPath:\n          path: /var/log\n      nodeSelector:\n        kubernetes.io/os: linux\n      priorityClassName: system-node-critical";
    let session = session(3, "", more, &json!({}));
    let told = foretold(&session, 30, &Strategy::surge(IntOrString::Int(3)));
    let did = played(&session, &Strategy::unavailable(IntOrString::Int(1)));
    assert_eq!((told.waves, told.duration_ms.is_some()), (10, true));
    assert_eq!(foretold(&session, 3, &Strategy::unavailable(IntOrString::Int(1))).duration_ms, did.duration_ms);
}

#[test]
fn no_nodes_no_time() {
    let session = session(3, "", "", &json!({}));
    let told = foretold(&session, 0, &Strategy::unavailable(IntOrString::Int(1)));
    assert_eq!((told.waves, told.duration_ms, told.uncovered), (0, Some(0), 0));
}

#[test]
fn a_rollout_that_never_ends_is_told_as_that() {
    let ports = "ports:\n        - containerPort: 9100\n          hostPort: 9100";
    let session = session(4, "", ports, &json!({}));
    let surge = Strategy::surge(IntOrString::Int(1));
    assert_eq!(foretold(&session, 100, &surge).duration_ms, None);
    let did = played(&session, &surge);
    assert_eq!((did.duration_ms, did.updated, did.uncovered, did.uncovered_after), (None, 0, 0, 0));
    assert!(foretold(&session, 100, &Strategy::unavailable(IntOrString::Int(1))).duration_ms.is_some());
}

#[test]
fn a_bad_image_stops_at_the_budget() {
    let mut session = session(10, "", "", &json!({"match": {"image": "agent:v1"}}));
    session.run(
        r#"sim behaviour '[{"match": {"image": "agent:v2"}, "outcome": {"type": "NeverReady"}}]'"#,
        &BTreeMap::new(),
    );
    let text = MANIFEST
        .replace("MORE", "updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 3")
        .replace("PORTS", "")
        .replace("v1\n        \n", "v2\n");
    let mut rollout = Rollout::of_manifest(session.world(), &key(), &text).unwrap();
    let did = rollout.advance(100_000).unwrap();
    assert_eq!((did.duration_ms, did.uncovered, did.uncovered_after, did.updated), (None, 3, 3, 3));
}

#[test]
fn dead_nodes_eat_the_budget() {
    // With this toleration a lost node stays eligible.
    let mut session = session(5, "", "\n      tolerations:\n      - operator: Exists", &json!({}));
    session.run("sim power-off node2", &BTreeMap::new());
    while session.run_to_quiet(100_000) == Progress::More {}
    let did = played(&session, &Strategy::unavailable(IntOrString::Int(1)));
    assert_eq!((did.duration_ms, did.uncovered_before, did.uncovered), (None, 1, 1));
    let did = played(&session, &Strategy::unavailable(IntOrString::Int(2)));
    assert_eq!((did.duration_ms, did.updated), (None, 4));
}

#[test]
fn a_trial_leaves_the_session_as_it_is() {
    let session = session(3, "", "", &json!({}));
    let before = session.world().store().all();
    played(&session, &Strategy::surge(IntOrString::Int(1)));
    assert_eq!(session.world().store().all(), before);
}
