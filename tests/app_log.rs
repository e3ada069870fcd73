//! Every change that the page makes is a command of its log, and the log makes the same steps again.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::app::command;
use daemonset_playground::app::effect::Effect;
use daemonset_playground::app::exchange::{ExchangeMsg, ExportKind, Sheet};
use daemonset_playground::app::message::{Msg, Running};
use daemonset_playground::app::model::Model;
use daemonset_playground::app::persist::Settings;
use daemonset_playground::app::text::Language;
use daemonset_playground::app::update::update;
use daemonset_playground::objects::*;
use daemonset_playground::simulation::{Actor, Reason, Scenario, Session};

fn page() -> Model {
    Model::new(Settings::default(), Language::En)
}

/// Sends a message and plays the browser's part until nothing is asked of it any more.
fn send(model: &mut Model, message: Msg) {
    let mut todo = update(model, message);
    while let Some(effect) = todo.pop() {
        todo.extend(match effect {
            Effect::NextSlice { .. } => update(model, Msg::Slice { took_ms: 4, drawn_ms: 1 }),
            Effect::TickLater(_) => update(model, Msg::PlayTick),
            Effect::NextImportSlice => update(model, Msg::Exchange(ExchangeMsg::Slice { took_ms: 4 })),
            _ => Vec::new(),
        });
    }
}

fn typed(model: &mut Model, line: &str) -> String {
    send(model, Msg::RunTyped(line.into()));
    let entry = model.terminal.last().expect("an entry").clone();
    format!("{}{}", entry.stdout, entry.stderr)
}

/// Opens the saved scenario again and compares every step, byte for byte.
#[track_caller]
fn replays(model: &Model) {
    let saved = model.session.scenario().to_yaml();
    let mut again = Session::new(Scenario::parse(&saved).expect("a scenario"));
    while again.position() < model.session.len() && again.step() {}
    assert_eq!(again.len(), model.session.len());
    for (again, before) in again.steps().zip(model.session.steps()) {
        assert!(format!("{again:?}") == format!("{before:?}"), "step {}", before.number);
    }
}

#[test]
fn whatever_is_clicked_is_in_the_log_and_replays() {
    let mut model = page();
    let set = ObjectKey::new("default", "node-exporter");
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    let label = command::ChipText::parse("zone=a").unwrap();
    let taint = command::ChipText::parse("maint:NoExecute").unwrap();
    let clicks = [
        command::add_chip("worker1", &label),
        command::add_chip("worker2", &taint),
        command::cordon("worker3", true),
        command::cordon("worker3", false),
        command::drain("worker3"),
        command::power("worker1", false),
        command::power("worker1", true),
        command::add_nodes("gpu", "gpu", 2),
        command::set_image(&set, "node-exporter", "prom/node-exporter:v1.9.0"),
        command::restart(&set),
        command::undo(&set),
        command::history(&set),
        command::describe_node("worker1"),
        command::delete_node("gpu2"),
    ];
    for (index, line) in clicks.iter().enumerate() {
        send(&mut model, Msg::Run(line.clone()));
        assert_eq!(model.terminal.last().map(|entry| entry.line.clone()).as_ref(), Some(line));
        for _ in 0..index {
            send(&mut model, Msg::Step);
        }
    }
    let pod = model.session.world().store().pods().keys().next().cloned().expect("a pod");
    send(&mut model, Msg::Run(command::delete_pod(&pod)));
    send(&mut model, Msg::StepOver);
    let (id, text) = model.files.shown().map(|file| (file.id, file.text.replace(":v1.8.2", ":v2"))).unwrap();
    send(&mut model, Msg::Edit(id, text.into()));
    send(&mut model, Msg::Apply);
    send(&mut model, Msg::TogglePlay);
    // Back, and another future.
    send(&mut model, Msg::Back);
    send(&mut model, Msg::Back);
    send(&mut model, Msg::Run(command::delete_daemon_set(&set)));
    send(&mut model, Msg::RunToQuiet);
    replays(&model);

    let world = |model: &Model, at: usize| model.session.world_at(at).store().all();
    for step in model.session.steps().filter(|step| step.actor == Actor::Person) {
        let told = matches!(step.reason, Reason::Command(_) | Reason::CommandWent(_));
        assert!(told || world(&model, step.number) == world(&model, step.number - 1), "step {}", step.number);
    }
}

#[test]
fn a_typed_command_that_waits_lets_time_pass_until_it_is_done() {
    let mut model = page();
    send(&mut model, Msg::Step);
    let said = typed(&mut model, "kubectl rollout status ds/node-exporter");
    assert!(said.ends_with("daemon set \"node-exporter\" successfully rolled out\n"), "{said}");
    assert_eq!(said.matches("Waiting for daemon set").count(), said.lines().count() - 1, "{said}");
    assert_eq!(model.running, Running::No);
    replays(&model);
}

#[test]
fn ctrl_c_ends_a_watch_and_the_log_knows() {
    let mut model = page();
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    let said = typed(&mut model, "kubectl get pods -w");
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(model.session.world().waiting().is_some());
    send(&mut model, Msg::Interrupt);
    assert!(model.session.world().waiting().is_none());
    assert!(model.terminal.last().is_some_and(|entry| entry.stdout.ends_with("^C\n") && !entry.waiting));
    let before = model.session.len();
    send(&mut model, Msg::Interrupt);
    assert_eq!(model.session.len(), before, "nothing waits any more");
    typed(&mut model, "kubectl delete pod -l app=node-exporter --wait=false");
    send(&mut model, Msg::RunToQuiet);
    assert_eq!(model.terminal.last().unwrap().line, "kubectl delete pod -l app=node-exporter --wait=false");
    replays(&model);
}

#[test]
fn a_line_that_is_typed_while_a_command_waits_runs_when_that_has_ended() {
    let mut model = page();
    send(&mut model, Msg::Step);
    // Playing would let time pass between the two lines: here the person is faster.
    update(&mut model, Msg::RunTyped("kubectl rollout status ds/node-exporter".into()));
    update(&mut model, Msg::RunTyped("kubectl get ds node-exporter --no-headers".into()));
    update(&mut model, Msg::RunTyped("sim wait 5s\n# a comment\nkubectl get nodes -o name | wc -l".into()));
    assert_eq!(model.terminal.last().unwrap().line, "kubectl rollout status ds/node-exporter");
    assert_eq!(model.typed_ahead.len(), 3);
    send(&mut model, Msg::PlayTick);
    let lines: Vec<&str> = model.terminal.iter().map(|entry| entry.line.as_str()).collect();
    assert_eq!(
        lines[1..],
        [
            "kubectl rollout status ds/node-exporter",
            "kubectl get ds node-exporter --no-headers",
            "sim wait 5s",
            "kubectl get nodes -o name | wc -l"
        ]
    );
    assert!(model.typed_ahead.is_empty() && model.running == Running::No);
    let said = |at: usize| model.terminal[at].stdout.as_str();
    assert!(said(1).ends_with("successfully rolled out\n"), "{}", said(1));
    assert!(said(2).starts_with("node-exporter   3     3     3     3     3 "), "{}", said(2));
    assert_eq!(said(4), "4\n");
    replays(&model);
}

#[test]
fn ctrl_c_lets_the_typed_lines_run_and_a_click_does_not_cut_a_watch() {
    let mut model = page();
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    send(&mut model, Msg::RunTyped("kubectl get nodes -w".into()));
    assert_eq!(model.running, Running::No, "nothing is due");
    update(&mut model, Msg::RunTyped("kubectl get ns -o name | head -n 1".into()));
    // Clicks are commands of another terminal; one of them waits, too.
    let watches = |model: &Model| model.session.world().waiting().map(|waiting| waiting.line.clone());
    send(&mut model, Msg::Run(command::cordon("worker1", true)));
    let pod = model.session.world().store().pods().keys().next().cloned().expect("a pod");
    send(&mut model, Msg::Run(command::delete_pod(&pod)));
    // Each click wakes the watch up.
    send(&mut model, Msg::Run(command::cordon("worker2", true)));
    assert_eq!(watches(&model).as_deref(), Some("kubectl get nodes -w"));
    let entry =
        |model: &Model, line: &str| (**model.terminal.iter().find(|entry| entry.line == line).expect(line)).clone();
    let watched = entry(&model, "kubectl get nodes -w");
    assert!(
        watched.waiting && watched.stdout.contains("worker1         Ready,SchedulingDisabled"),
        "{}",
        watched.stdout
    );
    assert!(watched.stdout.contains("worker2         Ready,SchedulingDisabled"), "{}", watched.stdout);
    let deleted = entry(&model, &command::delete_pod(&pod));
    assert!(!deleted.waiting, "{deleted:?}");
    assert_eq!(deleted.stdout, format!("pod \"{}\" deleted from default namespace\n", pod.name));
    assert_eq!(model.typed_ahead.len(), 1);
    send(&mut model, Msg::Interrupt);
    assert!(entry(&model, "kubectl get nodes -w").stdout.ends_with("^C\n"));
    assert_eq!(model.terminal.last().unwrap().stdout, "namespace/default\n");
    assert!(watches(&model).is_none() && model.typed_ahead.is_empty());
    replays(&model);
}

#[test]
fn edit_opens_a_tab_and_applying_it_saves() {
    let mut model = page();
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    typed(&mut model, "kubectl edit ds node-exporter");
    let file = model.files.shown().cloned().expect("a tab");
    assert_eq!(&*file.name, "daemonset-node-exporter.yaml");
    send(&mut model, Msg::Edit(file.id, file.text.replace(":v1.8.2", ":v3").into()));
    // A controller writes a status meanwhile.
    typed(&mut model, "kubectl label node worker1 a=b && kubectl delete pod -l app=node-exporter --wait=false");
    send(&mut model, Msg::RunToQuiet);
    send(&mut model, Msg::Apply);
    let entry = model.terminal.last().unwrap();
    assert_eq!(entry.line, "kubectl replace -f daemonset-node-exporter.yaml");
    assert_eq!((entry.stdout.as_str(), entry.stderr.as_str()), ("daemonset.apps/node-exporter replaced\n", ""));
    let image = typed(&mut model, "kubectl get ds node-exporter -o jsonpath={.spec.template.spec.containers[0].image}");
    assert_eq!(image, "prom/node-exporter:v3");
    replays(&model);
}

#[test]
fn exports_are_shown_saved_and_copied() {
    let mut model = page();
    send(&mut model, Msg::Step);
    for kind in ExportKind::ALL {
        update(&mut model, Msg::Exchange(ExchangeMsg::Export(kind)));
        let Some(Sheet::Export(_, text)) = model.exchange.sheet.clone() else { panic!("{kind:?}") };
        assert!(text.contains("kubectl apply -f node-exporter.yaml"), "{kind:?}: {text}");
        let saved = update(&mut model, Msg::Exchange(ExchangeMsg::Download));
        assert_eq!(saved, [Effect::Download { name: kind.file().into(), text: text.to_string() }]);
        assert_eq!(update(&mut model, Msg::Exchange(ExchangeMsg::Copy)), [Effect::Copy(text.to_string())]);
    }
    send(&mut model, Msg::Exchange(ExchangeMsg::Close));
    assert!(model.exchange.sheet.is_none());
}

#[test]
fn a_pasted_dump_becomes_the_cluster_and_can_be_brought_back() {
    let mut model = page();
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    let dump = typed(&mut model, "kubectl get nodes,daemonsets,deployments,pods,priorityclasses -A -o yaml");
    let pods = model.session.world().store().pods().clone();
    send(&mut model, Msg::Import { name: "cluster.yaml".into(), text: dump });
    let Some(Sheet::Report(report)) = model.exchange.sheet.clone() else { panic!("{:?}", model.exchange.sheet) };
    assert_eq!((report.acted_on.get("Node"), report.acted_on.get("Pod")), (Some(&4), Some(&3)));
    assert_eq!(model.session.world().store().pods().size(), pods.size());
    assert!(model.session.is_empty() && model.replaced.is_some());
    send(&mut model, Msg::Exchange(ExchangeMsg::Try(command::restart(&ObjectKey::new("default", "node-exporter")))));
    send(&mut model, Msg::RunToQuiet);
    assert!(model.session.world().store().pods().keys().all(|key| pods.get(key).is_none()), "all pods are new");
    replays(&model);
    send(&mut model, Msg::Import { name: "x.json".into(), text: "{\"items\": [ {\"uid\": \"u".into() });
    assert!(matches!(model.exchange.sheet, Some(Sheet::Import(Some(_)))), "{:?}", model.exchange.sheet);
}
