//! What is said where a rollout stands still, in whole runs.

use crate::app::command;
use crate::app::effect::Effect;
use crate::app::message::{Fate, Msg, Question};
use crate::app::model::Model;
use crate::app::persist::Settings;
use crate::app::text::Language;
use crate::app::update::update;
use crate::app::view::{CheckMark, Stage, StandingKind, StandingView, VerdictView};
use crate::objects::ObjectKey;
use std::rc::Rc;

fn send(model: &mut Model, message: Msg) {
    let mut effects = update(model, message);
    while effects.iter().any(|effect| matches!(effect, Effect::NextSlice { .. })) {
        effects = update(model, Msg::Slice { took_ms: 1, drawn_ms: 0 });
    }
}

fn key() -> ObjectKey {
    ObjectKey::new("default", "node-exporter")
}

/// The first cluster with its DaemonSet, and then another image.
fn after_image(fate: Fate, first: &[&str]) -> Model {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, Msg::RunToQuiet);
    for line in first {
        send(&mut model, Msg::Run((*line).into()));
        send(&mut model, Msg::RunToQuiet);
    }
    assert_eq!(model.views.standing, None, "all is well");
    let image = "prom/node-exporter:v2";
    let line = format!("kubectl set image daemonset/node-exporter node-exporter={image}");
    send(&mut model, Msg::SetImage { line, image: image.into(), fate });
    send(&mut model, Msg::RunToQuiet);
    model
}

fn standing(model: &Model) -> StandingView {
    model.views.standing.as_deref().cloned().expect("something stands still")
}

fn ask(model: &mut Model, node: &str) -> VerdictView {
    send(model, Msg::Ask(Question { set: key(), node: node.into() }));
    model.views.why.as_deref().cloned().unwrap()
}

#[test]
fn a_rollout_that_never_gets_ready_is_stuck_and_says_on_which_node_and_who_waits() {
    let mut model = after_image(Fate::NeverReady, &[]);
    let found = standing(&model);
    assert_eq!((found.kind, found.headline.as_str()), (StandingKind::Stuck, "Stuck: 1 of 3 up to date"));
    let detail = found.detail.to_string();
    assert!(detail.contains("on worker1 runs, but never gets ready."), "{detail}");
    assert!(detail.ends_with("2 nodes wait: the budget is used up (1 of 1 unavailable)."), "{detail}");
    assert!(model.announcement.starts_with("Stuck: 1 of 3 up to date. "), "{}", model.announcement);
    assert_eq!(found.question, Some(Question { set: key(), node: "worker1".into() }));
    // It is told once: moving on to nothing does not tell it again.
    send(&mut model, Msg::ChooseSet(key()));
    send(&mut model, Msg::SetLanguage(Language::Fr));
    assert_eq!(standing(&model).headline, "Bloqué : 1 sur 3 à jour");
    // In the past nothing stands still, and at the end it does again.
    send(&mut model, Msg::Back);
    assert_eq!(model.views.standing, None);
    send(&mut model, Msg::Step);
    assert!(model.views.standing.is_some());
    let undo = standing(&model).undo.expect("there is a revision to go back to");
    assert_eq!(undo, command::undo(&key()));
    send(&mut model, Msg::Run(undo));
    assert_eq!(model.views.standing, None, "a command was given");
    send(&mut model, Msg::RunToQuiet);
    assert_eq!(model.views.standing, None, "all three are available");
}

#[test]
fn an_image_that_cannot_be_pulled_names_the_cause_and_goes_when_it_is_undone() {
    let mut model = after_image(Fate::CannotPull, &[]);
    let found = standing(&model);
    assert_eq!(found.kind, StandingKind::Stuck);
    let detail = found.detail.to_string();
    assert!(detail.starts_with("worker1 cannot pull the image prom/node-exporter:v2 ("), "{detail}");
    assert!(detail.contains("tries again, each time after a longer wait"), "{detail}");
    assert_eq!(model.notice, None, "nothing lies over the page");
    send(&mut model, Msg::Run(found.undo.unwrap()));
    assert_eq!(model.views.standing, None);
    send(&mut model, Msg::RunToQuiet);
    assert!(model.views.standing.is_none() && model.notice.is_none());
    assert!(model.session.is_quiet());
}

#[test]
fn a_crash_loop_says_crash_wherever_the_run_stops() {
    let mut model = after_image(Fate::Crashes, &[]);
    let detail = standing(&model).detail.to_string();
    assert!(detail.starts_with("node-exporter crashes on worker1: Error, exit code 1, "), "{detail}");
    let line = |model: &Model| {
        let card = model.views.cards.iter().find(|card| *card.name == *"worker1").unwrap();
        model.words().pod_line(&card.places[0].pods[0]).to_string()
    };
    for _ in 0..12 {
        let told = line(&model);
        assert!(told.contains("Crash") || told.contains("crashed") || told.contains("Error"), "{told}");
        assert!(told.contains("restart") || told.contains("Error"), "{told}");
        send(&mut model, Msg::Step);
    }
}

#[test]
fn old_pods_under_on_delete_are_the_persons_turn() {
    let patch = command::set_strategy(&key(), None, 0);
    let mut model = after_image(Fate::Runs, &[&patch]);
    let found = standing(&model);
    assert_eq!((found.kind, found.headline.as_str()), (StandingKind::YourTurn, "Your turn: 0 of 3 up to date"));
    assert_eq!(found.detail.to_string(), "3 nodes wait: with OnDelete an old pod stays until you delete it.");
    assert_eq!(found.undo, None);
    let why = ask(&mut model, "worker1");
    assert_eq!(why.title, "Why is the old version still on worker1?");
    let Msg::Run(line) = &why.way_out[0].message else { panic!("{why:?}") };
    assert!(line.starts_with("kubectl delete pod node-exporter-"), "{line}");
    send(&mut model, Msg::Run(line.clone()));
    send(&mut model, Msg::RunToQuiet);
    assert_eq!(standing(&model).headline, "Your turn: 1 of 3 up to date");
}

#[test]
fn a_pod_that_finds_no_place_says_what_the_scheduler_objects() {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, Msg::RunToQuiet);
    let line = "kubectl set resources daemonset/node-exporter --requests=cpu=64";
    send(&mut model, Msg::Run(line.into()));
    send(&mut model, Msg::RunToQuiet);
    let found = standing(&model);
    assert_eq!(found.headline, "Stuck: 1 of 3 up to date");
    let detail = found.detail.to_string();
    assert!(detail.contains("finds no place on worker1: cpu: 64 asked for"), "{detail}");
    assert!(found.undo.is_some());
    let why = ask(&mut model, "worker1");
    assert_eq!(why.title, "Why is this pod pending?");
    assert!(!why.passed && why.urgent);
}

#[test]
fn the_panel_of_reasons_asks_what_fits_the_pod() {
    let mut model = after_image(Fate::NeverReady, &[]);
    let unready = ask(&mut model, "worker1");
    assert_eq!(unready.title, "Why is this pod not ready?");
    assert!(!unready.passed, "no green tick over a red cross");
    assert!(unready.answer.to_string().contains("never gets ready"), "{}", unready.answer);
    assert!(matches!(&unready.way_out[0].message, Msg::Run(line) if line.starts_with("kubectl rollout undo")));
    assert!(!unready.urgent);
    let kubelet = unready.rows.iter().find(|row| row.stage == Stage::Kubelet).unwrap();
    assert_eq!((kubelet.mark, kubelet.found.to_string().as_str()), (CheckMark::Failed, "running, not ready"));

    let old = ask(&mut model, "worker2");
    assert_eq!(old.title, "Why is the old version still on worker2?");
    let expected = "It waits its turn: the budget is used up (1 of 1 unavailable), by worker1.";
    assert_eq!((old.answer.to_string().as_str(), old.passed), (expected, false));
    let Msg::Ask(Question { node, .. }) = &old.way_out[0].message else { panic!("{old:?}") };
    assert_eq!(*node, Rc::from("worker1"));

    let absent = ask(&mut model, "control-plane");
    assert_eq!(absent.answer.to_string(), "node-exporter places no pod here.");
    assert!(absent.urgent && absent.way_out.is_empty());
}

#[test]
fn a_pod_that_is_well_offers_nothing_urgent() {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, Msg::RunToQuiet);
    let why = ask(&mut model, "worker1");
    assert_eq!((why.title.as_str(), why.passed, why.urgent), ("Why is there a pod on worker1?", true, false));
    assert!(why.way_out.is_empty() && !why.fixes.is_empty());
}

#[test]
fn a_rollout_under_way_can_be_undone_at_the_top() {
    let mut model = after_image(Fate::NeverReady, &[]);
    let head = |model: &Model| model.views.head.as_deref().map(|head| (head.can_undo, head.rolling)).unwrap();
    assert_eq!(head(&model), (true, true));
    send(&mut model, Msg::Run(command::undo(&key())));
    send(&mut model, Msg::RunToQuiet);
    assert_eq!(head(&model), (true, false));
}
