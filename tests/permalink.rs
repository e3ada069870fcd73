//! Links hold a session exactly, old ones open for ever, and damaged ones say so.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::app::model::first_scenario;
use daemonset_playground::objects::Object;
use daemonset_playground::permalink::{LinkError, MAX_LINK, SharedState, SharedTab, pack, unpack};
use daemonset_playground::simulation::{Scenario, Session, transcript_line};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            found.push(path);
        }
    }
}

/// All scenario files of the repository, by path. Manifests are none: a scenario has no `kind`.
fn scenarios() -> Vec<(PathBuf, Scenario)> {
    let mut files = Vec::new();
    for folder in ["www", "tests"] {
        yaml_files(&root().join(folder), &mut files);
    }
    files.sort();
    let parsed = files.into_iter().filter_map(|path| {
        let scenario = Scenario::parse(&fs::read_to_string(&path).unwrap()).ok()?;
        (scenario != Scenario::default()).then_some((path, scenario))
    });
    parsed.collect()
}

fn steps(session: &Session) -> Vec<String> {
    session.steps().map(|step| transcript_line(step)).collect()
}

fn objects(session: &Session) -> Vec<serde_json::Value> {
    session.world().store().all().iter().map(Object::to_value).collect()
}

#[track_caller]
fn expect_round_trip(session: &Session) {
    let state = SharedState::of(session);
    let fragment = state.to_fragment();
    let back = SharedState::parse(&fragment).unwrap();
    assert_eq!(back, state);
    let mut opened = back.session();
    assert_eq!((opened.position(), opened.len()), (session.position(), session.len()));
    assert_eq!(objects(&opened), objects(session));
    assert_eq!(steps(&opened), steps(session));
    assert_eq!(SharedState::of(&opened).to_fragment(), fragment, "the link of what a link opened is the same link");
    // And it goes on the same way.
    let mut session = session.clone();
    for session in [&mut opened, &mut session] {
        session.seek(usize::MAX);
        session.run("sim add-node one-more", &BTreeMap::new());
        session.run_to_quiet(2_000);
    }
    assert_eq!(steps(&opened), steps(&session));
}

fn first_visit() -> Session {
    let files = [("node-exporter.yaml".to_string(), include_str!("../www/examples/node-exporter.yaml").to_string())];
    let mut session = Session::new(first_scenario());
    session.run("kubectl apply -f node-exporter.yaml", &files.into());
    session.run_to_quiet(1_000);
    session
}

#[test]
fn every_scenario_of_the_repository_comes_back_from_its_link() {
    let all = scenarios();
    assert!(all.iter().any(|(path, _)| path.ends_with("one_pod_per_node.yaml")));
    for (path, scenario) in all {
        println!("{}", path.display());
        let mut session = Session::new(scenario);
        expect_round_trip(&session);
        session.run_to_quiet(2_000);
        expect_round_trip(&session);
        session.seek(session.len() / 2);
        expect_round_trip(&session);
    }
}

#[test]
fn commands_waits_and_passed_time_come_back() {
    let mut session = first_visit();
    for line in [
        "kubectl set image ds/node-exporter node-exporter=example/agent:v2 -n monitoring",
        "kubectl taint node worker1 a=b:NoExecute",
        "sim power-off worker2",
        "kubectl label node worker3 é=x",
    ] {
        session.run(line, &BTreeMap::new());
        session.run_until(session.world().now_ms() + 7_000, 1_000);
        expect_round_trip(&session);
    }
    session.run_to_quiet(1_000);
    session.run_until(session.world().now_ms() + 3_600_000, 5_000);
    expect_round_trip(&session);
    session.seek(4);
    expect_round_trip(&session);
}

#[test]
fn a_first_visit_fits_into_a_chat_message_and_thousands_of_nodes_do_not() {
    let short = SharedState::of(&first_visit()).to_fragment();
    assert!(short.len() < 500, "{} characters", short.len());

    let mut many = Scenario::parse(include_str!("scenarios/one_pod_per_node.yaml")).unwrap();
    let node = first_scenario().objects.remove(1);
    many.objects.extend((0..5_000).map(|number| {
        let mut node = node.clone();
        node["metadata"]["name"] = format!("node-{number}").into();
        node["metadata"]["uid"] = format!("{number:08x}-5e5c-4a1c-9d5e-{:012x}", number * 7_919).into();
        node["metadata"]["labels"]["kubernetes.io/hostname"] = format!("node-{number}").into();
        node
    }));
    let long = SharedState { scenario: many, ..SharedState::default() };
    let fragment = long.to_fragment();
    assert!(fragment.len() > MAX_LINK, "{} characters", fragment.len());
    // Too long to be offered, and still readable.
    assert_eq!(SharedState::parse(&fragment).unwrap(), long);
}

/// One paragraph for each old link: what it must show, and the link.
#[test]
fn links_of_all_versions_open() {
    let mut looked_at = 0;
    for version in ["v1"] {
        let text = fs::read_to_string(root().join(format!("tests/permalinks/{version}.txt"))).unwrap();
        for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
            let mut lines = paragraph.lines().filter(|line| !line.starts_with("# "));
            let (Some(told), Some(link)) = (lines.next(), lines.next()) else { continue };
            let state = SharedState::parse(link).unwrap_or_else(|error| panic!("{told}: {error}"));
            assert_eq!(summary(&state), told);
            assert_eq!(state.session().position(), state.position);
            looked_at += 1;
        }
    }
    assert!(looked_at >= 5, "only {looked_at} links");
}

fn summary(state: &SharedState) -> String {
    let commands: Vec<&str> = state.scenario.log.iter().map(|entry| &*entry.run).collect();
    let tabs: Vec<String> = state.tabs.iter().map(|tab| format!("{} ({} bytes)", tab.name, tab.text.len())).collect();
    format!(
        "{:?}: seed {}, {} objects, {} rules, at {} of {} steps, {} ms, commands {commands:?}, tabs {tabs:?}, view {:?}",
        state.scenario.title,
        state.scenario.seed,
        state.scenario.objects.len(),
        state.scenario.behaviours.0.len(),
        state.position,
        state.steps,
        state.now_ms,
        state.view
    )
}

/// Prints the paragraphs for a new `tests/permalinks/vN.txt`: run it when a codec or format is added, never to change an
/// old file.
#[test]
#[ignore = "writes nothing and checks nothing"]
fn print_links_of_this_version() {
    let mut past = first_visit();
    past.run("kubectl set image ds/node-exporter node-exporter=example/agent:v2 -n monitoring", &BTreeMap::new());
    past.run_to_quiet(1_000);
    past.seek(9);
    let mut lost = Session::new(Scenario::parse(include_str!("scenarios/one_pod_per_node.yaml")).unwrap());
    lost.run("sim power-off worker1", &BTreeMap::new());
    lost.run_until(400_000, 1_000);
    let french = Scenario {
        title: "Un nœud, « sans » pod".into(),
        seed: 42,
        files: [("é.yaml".to_string(), "kind: DaemonSet # à finir\n".to_string())].into(),
        ..first_scenario()
    };
    let tab = |name: &str, text: &str, applied| SharedTab { name: name.into(), text: text.into(), applied };
    let states = [
        SharedState::of(&Session::new(first_scenario())),
        SharedState::of(&first_visit()),
        SharedState::of(&past),
        SharedState::of(&lost),
        SharedState {
            tabs: vec![tab("a.yaml", "kind: DaemonSet\n", true), tab("b.yaml", "# 漢字\n", false)],
            shown: 1,
            view: [("filter", "worker"), ("group", "kubernetes.io/os"), ("view", "cluster,transport")]
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .into(),
            ..SharedState::of(&Session::new(french))
        },
    ];
    for state in states {
        println!("{}\n#{}\n", summary(&state), state.to_fragment());
    }
}

#[test]
fn a_link_is_found_in_an_address_a_hash_or_alone() {
    let state = SharedState::of(&Session::new(first_scenario()));
    let fragment = state.to_fragment();
    for link in [
        fragment.clone(),
        format!("#{fragment}"),
        format!("https://example.org/play/?lang=fr#{fragment}"),
        format!("  https://example.org/#lesson=3&{fragment}\n"),
    ] {
        assert_eq!(SharedState::parse(&link).as_ref(), Ok(&state), "{link}");
    }
    for link in ["", "https://example.org/", "#cluster", "#x=s=d1:AA"] {
        assert_eq!(SharedState::parse(link), Err(LinkError::NoState), "{link}");
    }
}

#[test]
fn a_state_of_a_later_version_says_so_and_later_members_are_ignored() {
    let parse = |text: &str| SharedState::parse(&format!("#s={}", pack(text)));
    assert_eq!(parse(r#"{"scenario": {}, "mood": "good"}"#), Ok(SharedState::default()));
    let error = parse(r#"{"scenario": {"version": 7}}"#).unwrap_err();
    assert!(matches!(&error, LinkError::NotAState(message) if message.contains("version 7")), "{error}");
    let error = parse("[]").unwrap_err();
    assert!(matches!(&error, LinkError::NotAState(_)), "{error}");
}

#[test]
fn steps_that_are_never_made_do_not_hang_the_opening() {
    let state = SharedState { steps: usize::MAX, position: usize::MAX, ..SharedState::of(&first_visit()) };
    let session = state.session();
    assert!(session.is_quiet());
    assert_eq!(session.len(), first_visit().len());
}

proptest! {
    #[test]
    fn a_changed_link_never_panics(at in 0_usize..2_000, with in any::<char>(), cut in 0_usize..2_000) {
        let fragment = SharedState::of(&first_visit_once()).to_fragment();
        let mut changed: Vec<char> = fragment.chars().collect();
        let length = changed.len();
        changed[at % length] = with;
        changed.truncate(length - cut % length);
        let _ = SharedState::parse(&changed.into_iter().collect::<String>()).map_err(|error| error.to_string());
    }

    #[test]
    fn any_text_comes_back(text in ".*") {
        prop_assert_eq!(unpack(&pack(&text)), Ok(text));
    }
}

fn first_visit_once() -> Session {
    thread_local! { static ONCE: Session = first_visit(); }
    ONCE.with(Session::clone)
}
