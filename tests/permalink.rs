//! Links hold a session exactly, old ones open for ever, and damaged ones say so.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::app::files::Files;
use daemonset_playground::app::insight::{Field, InsightMsg, Section};
use daemonset_playground::app::message::{Counter, Inspect, Msg, Question, SideTab};
use daemonset_playground::app::model::{Model, first_scenario};
use daemonset_playground::app::persist::Settings;
use daemonset_playground::app::share;
use daemonset_playground::app::text::Language;
use daemonset_playground::app::update::update;
use daemonset_playground::lessons::{Lesson, play};
use daemonset_playground::objects::{Object, ObjectKey};
use daemonset_playground::permalink::{LinkError, MAX_LINK, SharedState, SharedTab, pack, unpack};
use daemonset_playground::simulation::{Scenario, Session, transcript_line};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_in(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() && !path.ends_with("node_modules") {
            files_in(&path, extensions, found);
        } else if extensions.contains(&extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn files_of(folders: &[&str], extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        files_in(&root().join(folder), extensions, &mut found);
    }
    found
}

/// Texts between two lines, the second of which ends one.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| rest.split_once(to).map(|(inside, _)| inside)).collect()
}

/// All scenarios of the repository by where they stand: files, and what stands inside of documentation and pages.
/// Manifests are none: a scenario has no `kind`.
fn scenarios() -> Vec<(String, Scenario)> {
    let mut texts = Vec::new();
    for path in files_of(&["www", "tests", "docs", "npm", "examples", "benches"], &["yaml", "yml", "md", "html"]) {
        let text = fs::read_to_string(&path).unwrap();
        let inside = match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => between(&text, "```yaml\n", "```"),
            Some("html") => {
                let (script, code) = ("<script type=\"text/yaml\">", "<code class=\"language-yaml\">");
                [between(&text, script, "</script>"), between(&text, code, "</code>")].concat()
            }
            _ => vec![&*text],
        };
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        texts.extend(inside.into_iter().map(|text| (name.clone(), text.to_owned())));
    }
    let parsed = texts.into_iter().filter_map(|(name, text)| Some((name, Scenario::parse(&text).ok()?)));
    parsed.filter(|(_, scenario)| *scenario != Scenario::default()).collect()
}

/// All lessons of the repository.
fn lessons() -> Vec<Lesson> {
    let texts = files_of(&["www/lessons"], &["md"]).into_iter().map(|path| fs::read_to_string(path).unwrap());
    texts.map(|text| Lesson::parse(&text).unwrap()).collect()
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
    for (place, least) in [("tests/scenarios/", 1), ("www/gallery/", 40), ("www/embed/", 4), ("docs/", 1), ("npm/", 1)]
    {
        let found = all.iter().filter(|(name, _)| name.starts_with(place)).count();
        assert!(found >= least, "{found} scenarios in {place}");
    }
    for (name, scenario) in all {
        println!("{name}");
        let mut session = Session::new(scenario);
        expect_round_trip(&session);
        session.run_to_quiet(2_000);
        expect_round_trip(&session);
        session.seek(session.len() / 2);
        expect_round_trip(&session);
    }
}

#[test]
fn every_lesson_comes_back_from_its_link_at_its_start_and_solved() {
    let all = lessons();
    assert!(all.len() > 20, "{} lessons", all.len());
    for lesson in all {
        println!("{}", lesson.id);
        let mut start = Session::new(lesson.scenario.clone());
        expect_round_trip(&start);
        start.run_to_quiet(20_000);
        expect_round_trip(&start);
        let (mut solved, _) = play(&lesson);
        expect_round_trip(&solved);
        solved.seek(solved.len() / 2);
        expect_round_trip(&solved);
    }
}

/// What a person sees and has typed, as the page of another person shows it who opens the link.
#[test]
fn the_page_of_every_scenario_comes_back_with_what_is_looked_at() {
    for (name, scenario) in scenarios() {
        let mut session = Session::new(scenario.clone());
        session.run_to_quiet(2_000);
        let mut from = Model::with(session, Files::new("x.yaml", "# é\n"), Settings::default(), Language::En);
        for (file, text) in &scenario.files {
            from.files.add(file, text);
        }
        update(&mut from, Msg::Back);
        update(&mut from, Msg::Filter("worker".into()));
        update(&mut from, Msg::ShowTable(true));
        if let Some((set, _)) = from.views.sets.last().cloned() {
            update(&mut from, Msg::ChooseSet(set));
        }
        if let Some(card) = from.views.cards.last().cloned() {
            update(&mut from, Msg::Inspect(Inspect::Node(card.name.clone())));
        }
        let link = share::link(&from, "https://example.org/");
        let mut to = Model::new(Settings::default(), Language::Fr);
        update(&mut to, Msg::OpenLink(link.clone()));
        assert_eq!(share::link(&to, "https://example.org/"), link, "{name}");
        assert_eq!((to.session.position(), to.session.len()), (from.session.position(), from.session.len()), "{name}");
        assert_eq!(to.views.cards, from.views.cards, "{name}");
        assert_eq!(to.files.by_name(), from.files.by_name(), "{name}");
        assert_eq!((&to.chosen, &to.inspect, to.as_table), (&from.chosen, &from.inspect, true), "{name}");
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
    for version in ["v1", "v1-view"] {
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
    assert!(looked_at >= 9, "only {looked_at} links");
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
    for state in states.into_iter().chain(looked_at()) {
        println!("{}\n#{}\n", summary(&state), state.to_fragment());
    }
}

/// States with each of the options of `app::looked_at`.
fn looked_at() -> Vec<SharedState> {
    let set = ObjectKey::new("default", "node-exporter");
    let page = |messages: Vec<Msg>| {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Step);
        while model.session.step() {}
        model.refresh();
        for message in messages {
            update(&mut model, message);
        }
        share::state(&model)
    };
    let pod = page(Vec::new()).session().world().store().pods().keys().next().unwrap().clone();
    vec![
        page(vec![
            Msg::Filter("role=worker".into()),
            Msg::GroupBy(Some("kubernetes.io/os".into())),
            Msg::ShowTable(true),
            Msg::ShowCounter(Some(Counter::UpToDate)),
            Msg::FilterStory("worker1".into()),
            Msg::ToggleStep(3),
            Msg::ToggleTerminal,
        ]),
        page(vec![Msg::ShowTab(SideTab::Events), Msg::Inspect(Inspect::Node("worker2".into()))]),
        page(vec![
            Msg::Ask(Question { set: set.clone(), node: "control-plane".into() }),
            Msg::Inspect(Inspect::Pod(pod)),
        ]),
        page(vec![
            Msg::ShowTab(SideTab::Insight),
            Msg::Insight(InsightMsg::Show(Section::Rollout)),
            Msg::Insight(InsightMsg::Subject(set)),
            Msg::Insight(InsightMsg::Type(Field::Nodes, "200".into())),
            Msg::Insight(InsightMsg::Type(Field::Cpu, "100m".into())),
            Msg::Insight(InsightMsg::Type(Field::Memory, "64Mi".into())),
            Msg::Insight(InsightMsg::Type(Field::Budget, "10%".into())),
            Msg::Insight(InsightMsg::Type(Field::Replicas, "3".into())),
            Msg::Insight(InsightMsg::GroupBy(Some("topology.kubernetes.io/zone".into()))),
            Msg::Insight(InsightMsg::Surge(true)),
        ]),
    ]
}

/// The names and texts of the options are what old links say: they look at the same things for ever.
#[test]
fn what_old_links_look_at_is_looked_at() {
    let text = fs::read_to_string(root().join("tests/permalinks/v1-view.txt")).unwrap();
    let links: Vec<&str> = text.lines().filter(|line| line.starts_with("#s=")).collect();
    assert_eq!(links.len(), looked_at().len());
    for (link, wanted) in links.into_iter().zip(looked_at()) {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::OpenLink(link.to_owned()));
        assert!(!wanted.view.is_empty());
        assert_eq!(share::state(&model).view, wanted.view);
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
