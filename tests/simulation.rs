//! Whole stories: a scenario in, its steps out.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::simulation::*;

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
