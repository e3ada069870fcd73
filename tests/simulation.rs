//! Whole stories: a scenario in, its steps out.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::objects::ObjectKey;
use daemonset_playground::simulation::*;
use std::collections::BTreeMap;

/// Opens a scenario and runs it until nothing is due.
fn played(text: &str) -> Session {
    let mut session = Session::new(Scenario::parse(text).unwrap());
    assert_eq!(session.run_to_quiet(10_000), Progress::Quiet);
    session
}

fn transcript(session: &Session) -> String {
    session.steps().map(|step| transcript_line(step) + "\n").collect()
}

/// Compares with the file beside the scenario. `UPDATE_TRANSCRIPTS=1` writes it; read it before you commit it.
fn expect_transcript(name: &str, session: &Session) {
    let path = format!("{}/tests/scenarios/{name}.transcript", env!("CARGO_MANIFEST_DIR"));
    let got = transcript(session);
    #[allow(clippy::disallowed_methods, reason = "tests may be told to rewrite their data")]
    if std::env::var("UPDATE_TRANSCRIPTS").is_ok() {
        std::fs::write(&path, &got).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(got, wanted, "{name}");
}

#[test]
fn one_pod_on_every_node() {
    expect_transcript("one_pod_per_node", &played(include_str!("scenarios/one_pod_per_node.yaml")));
}

#[test]
fn going_back_and_forth_is_exact() {
    let mut session = played(include_str!("scenarios/one_pod_per_node.yaml"));
    let end = session.len();
    let all = |session: &Session| session.world().store().all();
    let states: Vec<_> = (0..=end)
        .map(|position| {
            session.seek(position);
            all(&session)
        })
        .collect();
    while session.back() {
        assert_eq!(all(&session), states[session.position()]);
    }
    while session.step() {
        assert_eq!(all(&session), states[session.position()]);
    }
    assert_eq!(session.position(), end);
}

#[test]
fn acting_in_the_past_leaves_the_old_line_as_a_branch() {
    let mut session = played(include_str!("scenarios/one_pod_per_node.yaml"));
    let before = transcript(&session);
    session.seek(4);
    session.run("sim add-node late", &Default::default());
    session.run_to_quiet(1000);
    assert_eq!(session.branches().len(), 1);
    assert_eq!(session.fork_of(&session.branches()[0]), 4);
    assert!(transcript(&session).contains("on late Running Ready"));

    assert!(session.switch_branch(0));
    assert_eq!(transcript(&session), before);
    assert!(session.switch_branch(0));
    assert!(transcript(&session).contains("on late Running Ready"));
}

#[test]
fn a_saved_scenario_makes_the_same_steps_again() {
    let mut session = played(include_str!("scenarios/one_pod_per_node.yaml"));
    session.run("sim add-node gpu --count 2 --template gpu", &Default::default());
    session.step();
    session.run("sim condition gpu1 Ready False", &Default::default());
    session.run_to_quiet(1000);
    let saved = session.scenario().to_yaml();
    let mut replayed = Session::new(Scenario::parse(&saved).unwrap());
    replayed.run_to_quiet(1000);
    assert_eq!(transcript(&replayed), transcript(&session));
    assert_eq!(replayed.world().store().all(), session.world().store().all());
    assert_eq!(replayed.scenario().to_yaml(), saved);
}

#[test]
fn a_crash_loop_counts_as_quiet_and_its_retries_are_there_to_step_to() {
    let mut session =
        Session::new(Scenario::parse("behaviours:\n- match: {image: broken}\n  outcome: {type: Crash}\n").unwrap());
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: broken}\nspec: {containers: [{name: c, image: broken:v1}]}\n";
    let files = std::collections::BTreeMap::from([("pod.yaml".to_owned(), pod.to_owned())]);
    session.run("sim add-node worker1", &files);
    session.run("kubectl apply -f pod.yaml", &files);
    assert_eq!(session.run_to_quiet(1000), Progress::Quiet);
    let pod = session.world().store().pods().values().next().expect("the pod").clone();
    let state = &pod.status.container_statuses[0].state;
    assert_eq!(state.waiting.as_ref().map(|w| w.reason.as_str()), Some("CrashLoopBackOff"));
    assert!(session.step(), "the next start is due later");
}

#[test]
fn a_far_away_log_entry_does_not_hang() {
    let text = "behaviours:\n- outcome: {type: Crash}\nlog:\n- run: sim add-node w\n- {step: 99999999, run: kubectl get nodes}\n";
    assert!(Session::new(Scenario::parse(text).unwrap()).len() < 50);
    let text = "log:\n- {at: 99999h, run: sim add-node w}\n";
    let session = Session::new(Scenario::parse(text).unwrap());
    assert_eq!(session.world().now_ms(), 99_999 * 3_600_000);
}

/// A pod of a Deployment-less manifest with what it takes from ConfigMaps and Secrets.
fn pod_that_needs(what: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: needy\nspec:\n  nodeName: worker1\n  containers:\n  - name: main\n    image: main:v1\n{what}"
    )
}

fn told_of(session: &Session, reason: &str) -> Vec<String> {
    let events = session.world().store().events().values();
    events.filter(|event| event.reason == reason).map(|event| event.message.clone()).collect()
}

#[test]
fn a_pod_waits_for_a_config_map_that_it_mounts_and_starts_once_it_is_there() {
    let text = pod_that_needs(
        "    volumeMounts:\n    - name: config\n      mountPath: /etc/app\n  volumes:\n  - name: config\n    configMap:\n      name: app-config\n",
    );
    let files = BTreeMap::from([("needy.yaml".to_owned(), text)]);
    let mut session = Session::new(Scenario::default());
    for line in ["sim add-node worker1", "kubectl apply -f needy.yaml"] {
        session.run(line, &files);
        assert_eq!(session.run_to_quiet(1_000), Progress::Quiet, "what only repeats is no hindrance");
    }
    session.run("sim wait 5m", &files);
    while session.world().waiting().is_some() && session.step() {}
    let key = ObjectKey::new("default", "needy");
    let state = |session: &Session| {
        let pod = session.world().store().pod(&key).unwrap().clone();
        let waiting = pod.status.container_statuses.first().and_then(|c| c.state.waiting.clone());
        (pod.status.phase.clone(), waiting.map(|waiting| waiting.reason))
    };
    assert_eq!(state(&session), ("Pending".to_owned(), Some("ContainerCreating".to_owned())));
    assert_eq!(
        told_of(&session, "FailedMount"),
        ["MountVolume.SetUp failed for volume \"config\" : configmap \"app-config\" not found"]
    );
    session.run("kubectl create configmap app-config --from-literal=a=b", &files);
    assert_eq!(session.run_to_quiet(1_000), Progress::Quiet);
    assert_eq!(state(&session), ("Running".to_owned(), None));
}

#[test]
fn a_container_whose_environment_lacks_a_secret_cannot_be_made() {
    let variable = "    env:\n    - name: TOKEN\n      valueFrom:\n        secretKeyRef:\n          name: app\n          key: token\n";
    let secret =
        |entry: &str| format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\nstringData:\n  {entry}: x\n");
    let files = BTreeMap::from([
        ("needy.yaml".to_owned(), pod_that_needs(variable)),
        ("other.yaml".to_owned(), secret("other")),
        ("token.yaml".to_owned(), secret("token")),
    ]);
    let mut session = Session::new(Scenario::default());
    let key = ObjectKey::new("default", "needy");
    let waiting = |session: &Session| {
        let pod = session.world().store().pod(&key).unwrap().clone();
        let waiting = pod.status.container_statuses.first().and_then(|c| c.state.waiting.clone());
        waiting.map(|waiting| format!("{}: {}", waiting.reason, waiting.message))
    };
    for line in ["sim add-node worker1", "kubectl apply -f needy.yaml"] {
        session.run(line, &files);
        assert_eq!(session.run_to_quiet(1_000), Progress::Quiet);
    }
    assert_eq!(waiting(&session).as_deref(), Some("CreateContainerConfigError: secret \"app\" not found"));
    assert_eq!(told_of(&session, "Failed"), ["Error: secret \"app\" not found"]);
    assert_eq!(session.run("kubectl apply -f other.yaml", &files).exit_code, Some(0));
    session.run_to_quiet(1_000);
    assert_eq!(
        waiting(&session).as_deref(),
        Some("CreateContainerConfigError: couldn't find key token in Secret default/app")
    );
    session.run("kubectl apply -f token.yaml", &files);
    assert_eq!(session.run_to_quiet(1_000), Progress::Quiet);
    assert_eq!(waiting(&session), None);
}

#[test]
fn what_the_engine_can_do_to_machines_can_be_staged_by_commands_and_in_the_scenario_file() {
    let files = BTreeMap::from([(
        "two.yaml".to_owned(),
        ["modest", "greedy"]
            .map(|name| {
                format!(
                    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  nodeName: worker1\n  containers:\n  - name: main\n    \
                     image: {name}:v1\n    resources:\n      requests:\n        memory: 200Mi\n"
                )
            })
            .join("---\n"),
    )]);
    let mut session = Session::new(Scenario::default());
    let lines = [
        "sim add-node worker1",
        "sim behaviour '[{match: {image: greedy}, uses: {memory: [{amount: 900Mi}]}}, {match: {image: modest}, uses: {memory: [{amount: 100Mi}]}}]'",
        "kubectl apply -f two.yaml",
        "sim static-pod worker1 proxy",
        "sim machine-usage worker1 memory=7Gi",
    ];
    for line in lines {
        assert_eq!(session.run(line, &files).exit_code, Some(0), "{line}");
        session.run_to_quiet(1_000);
    }
    let phase = |session: &Session, key: &ObjectKey| {
        session.world().store().pod(key).map(|pod| format!("{} {}", pod.status.phase, pod.status.reason))
    };
    let of = |name: &str| ObjectKey::new("default", name);
    assert_eq!(phase(&session, &of("greedy")).as_deref(), Some("Failed Evicted"), "over its request: first");
    assert_eq!(phase(&session, &of("modest")).as_deref(), Some("Running "));
    let mirror = ObjectKey::new("kube-system", "proxy-worker1");
    assert_eq!(phase(&session, &mirror).as_deref(), Some("Running "));
    let drained = session.run("kubectl drain worker1 --force --ignore-daemonsets --disable-eviction", &files);
    assert!(!drained.stdout.contains("proxy"), "drain leaves static pods alone: {}", drained.stdout);
    session.run("kubectl delete pod proxy-worker1 -n kube-system --wait=false", &files);
    session.run_to_quiet(1_000);
    assert_eq!(phase(&session, &mirror).as_deref(), Some("Running "), "its kubelet shows it again");
    session.run("sim static-pod worker1 proxy --remove", &files);
    session.run_to_quiet(1_000);
    assert_eq!(phase(&session, &mirror), None);

    let text = "objects:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n  status:\n    capacity: {memory: 1Gi, cpu: \"2\", pods: \"10\"}\n    \
        allocatable: {memory: 1Gi, cpu: \"2\", pods: \"10\"}\n    conditions: [{type: Ready, status: \"True\"}]\nmachines:\n  n1:\n    uses: {memory: 1000Mi}\n    \
        staticPods:\n    - metadata: {name: etcd, namespace: kube-system}\n      spec:\n        containers: [{name: etcd, image: \"etcd:v3\"}]\n";
    let scenario = Scenario::parse(text).expect("a scenario");
    assert_eq!(Scenario::parse(&scenario.to_yaml()), Ok(scenario.clone()));
    let mut session = Session::new(scenario);
    session.run_to_quiet(1_000);
    assert_eq!(phase(&session, &ObjectKey::new("kube-system", "etcd-n1")).as_deref(), Some("Running "));
    let node = session.world().store().node_named("n1").unwrap();
    assert_eq!(node.condition("MemoryPressure").map(|c| c.status.as_str()), Some("True"));
}
