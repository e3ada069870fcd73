//! Every message that the page knows, one by one: those that change the cluster leave a command in the log, the others
//! leave the cluster alone, and whatever happened, the log makes the same steps again.
//!
//! The lists are exhaustive matches: a new message does not compile before it has said what it does, and fails before it
//! has an example.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::apiserver::Store;
use daemonset_playground::app::command;
use daemonset_playground::app::effect::Effect;
use daemonset_playground::app::exchange::{ExchangeMsg, ExportKind};
use daemonset_playground::app::export::Export;
use daemonset_playground::app::insight::{Field, InsightMsg, Section};
use daemonset_playground::app::lesson::{Fetch, LessonMsg};
use daemonset_playground::app::message::*;
use daemonset_playground::app::model::Model;
use daemonset_playground::app::persist::Settings;
use daemonset_playground::app::share::ShareAs;
use daemonset_playground::app::text::Language;
use daemonset_playground::app::update::update;
use daemonset_playground::objects::*;
use daemonset_playground::simulation::{Reason, Scenario, Session, Step};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a message may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It runs commands: the log grows by them, and nothing else changes the cluster.
    Commands,
    /// It makes steps, or goes to another position or line of time. The actors may act, the person does not.
    Moves,
    /// It goes on with another session.
    Replaces,
    /// It changes what is looked at.
    Looks,
}
use Does::*;

macro_rules! messages {
    ($does:ident $names:ident $type:ident: $($variant:ident => $kind:ident;)*) => {
        const $names: &[&str] = &[$(stringify!($variant)),*];

        fn $does(message: &$type) -> (&'static str, Does) {
            match message {
                // The same pattern fits all kinds of variants.
                $($type::$variant { .. } => (stringify!($variant), $kind),)*
            }
        }
    };
}

messages! { app ALL Msg:
    Step => Moves;
    StepOver => Moves;
    RunToQuiet => Moves;
    Back => Moves;
    Seek => Moves;
    TogglePlay => Moves;
    SetSpeed => Looks;
    Stop => Looks;
    Slice => Moves;
    PlayTick => Moves;
    SwitchBranch => Moves;
    Compare => Looks;
    Edit => Looks;
    OpenFile => Looks;
    NewFile => Looks;
    CloseFile => Looks;
    RenameFile => Looks;
    ReopenFile => Looks;
    Import => Replaces;
    ToggleReview => Looks;
    Apply => Commands;
    ApplyFile => Commands;
    Fix => Looks;
    Write => Looks;
    GoTo => Looks;
    Mark => Looks;
    Check => Looks;
    CheckSlice => Looks;
    EditorReady => Looks;
    Run => Commands;
    RunTyped => Commands;
    CompleteCommand => Looks;
    SetImage => Commands;
    Hint => Looks;
    ToggleTerminal => Looks;
    Exchange => Looks;
    Interrupt => Commands;
    ClearTerminal => Looks;
    ChooseSet => Looks;
    Inspect => Looks;
    CloseInspector => Looks;
    ShowCounter => Looks;
    Filter => Looks;
    GroupBy => Looks;
    ShowTable => Looks;
    ShowPane => Looks;
    Insight => Looks;
    ShowTab => Looks;
    Ask => Looks;
    LookAtLine => Looks;
    ToggleStep => Looks;
    FilterStory => Looks;
    EarlierSteps => Looks;
    SetTheme => Looks;
    SystemDark => Looks;
    SetLanguage => Looks;
    Copy => Looks;
    MeasureLink => Looks;
    Share => Looks;
    OpenLink => Replaces;
    Export => Looks;
    Print => Looks;
    UpdateReady => Looks;
    UseUpdate => Looks;
    PickFile => Looks;
    NewSession => Replaces;
    RestoreSession => Replaces;
    CloseNotice => Looks;
    Lesson => Looks;
}

messages! { exchange ALL_EXCHANGE ExchangeMsg:
    Export => Looks;
    Download => Looks;
    Copy => Looks;
    Import => Looks;
    Pasted => Replaces;
    Begin => Looks;
    Piece => Looks;
    Slice => Looks;
    Close => Looks;
    Try => Commands;
}

messages! { insight ALL_INSIGHT InsightMsg:
    Show => Looks;
    Subject => Looks;
    Type => Looks;
    GroupBy => Looks;
    Surge => Looks;
    PlayRollout => Looks;
    PlayChange => Looks;
    Compare => Looks;
    Slice => Looks;
    Stop => Looks;
}

messages! { lesson ALL_LESSON LessonMsg:
    OpenCatalogue => Looks;
    CloseCatalogue => Looks;
    Fetched => Replaces;
    Open => Looks;
    OpenScenario => Looks;
    Page => Looks;
    Answer => Looks;
    Hint => Looks;
    Reset => Replaces;
    Leave => Looks;
    Present => Looks;
    Notes => Looks;
    Template => Looks;
    Preview => Replaces;
    Prove => Looks;
    SaveFile => Looks;
    Share => Looks;
}

/// The name and the kind of a message, with those of the part of the page that it belongs to.
fn does(message: &Msg) -> (String, Does) {
    let (name, kind) = match message {
        Msg::Exchange(inner) => exchange(inner),
        Msg::Insight(inner) => insight(inner),
        Msg::Lesson(inner) => lesson(inner),
        other => {
            let (name, kind) = app(other);
            return (name.into(), kind);
        }
    };
    (format!("{}::{name}", app(message).0), kind)
}

const LESSON: &str = include_str!("../www/lessons/one-pod-per-node.md");
const GALLERY: &str = include_str!("../www/gallery/crash-loop.yaml");

fn set() -> ObjectKey {
    ObjectKey::new("default", "node-exporter")
}

/// A page with a past, a future, a branch and a file that differs from what was applied.
fn page() -> Model {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, Msg::Step);
    send(&mut model, Msg::RunToQuiet);
    send(&mut model, Msg::Run(command::cordon("worker1", true)));
    send(&mut model, Msg::Back);
    send(&mut model, Msg::Run(command::set_image(&set(), "node-exporter", "prom/node-exporter:v1.9.1")));
    for _ in 0..4 {
        send(&mut model, Msg::Step);
    }
    assert!(!model.session.branches().is_empty() && !model.session.is_quiet());
    model
}

/// Sends a message and plays the browser's part until nothing is asked of it any more.
fn send(model: &mut Model, message: Msg) {
    let mut todo = update(model, message);
    // A watch lets time pass for ever.
    for _ in 0..200 {
        let Some(effect) = todo.pop() else { return };
        todo.extend(match effect {
            Effect::NextSlice { .. } => update(model, Msg::Slice { took_ms: 4, drawn_ms: 1 }),
            Effect::TickLater(_) => update(model, Msg::PlayTick),
            Effect::NextImportSlice => update(model, Msg::Exchange(ExchangeMsg::Slice { took_ms: 4 })),
            Effect::InsightSlice => update(model, Msg::Insight(InsightMsg::Slice { took_ms: 4 })),
            Effect::NextCheck => update(model, Msg::CheckSlice),
            _ => Vec::new(),
        });
    }
}

/// Examples: what comes before, and the message.
fn examples() -> Vec<(Vec<Msg>, Msg)> {
    let model = page();
    let file = model.files.shown().expect("a file");
    let (id, changed) = (file.id, Rc::<str>::from(file.text.replace("v1.8.2", "v2")));
    let pod = model.session.world().store().pods().keys().next().cloned().expect("a pod");
    let session = model.session.scenario().to_yaml();
    let link = {
        let Some(Effect::Copy(link)) =
            update(&mut page(), Msg::Share(ShareAs::Link, "https://x.example/".into())).pop()
        else {
            panic!("no link")
        };
        link.split_once('#').map(|(_, hash)| format!("#{hash}")).expect("a hash")
    };
    let dump: Rc<str> = {
        let mut model = page();
        send(&mut model, Msg::RunTyped("kubectl get nodes,daemonsets,pods -A -o yaml".into()));
        model.terminal.last().expect("an entry").stdout.as_str().into()
    };
    let came = |what: Fetch, text: &str| Msg::Lesson(LessonMsg::Fetched(what, Some(text.into())));
    let begun = || came(Fetch::Lesson("one-pod-per-node".into()), LESSON);
    let watch = || Msg::RunTyped("kubectl get pods -w".into());
    let draft = || Msg::Write { file: None, name: "mine.md".into(), from: "".into(), text: LESSON.into() };
    let alone = |message: Msg| (Vec::new(), message);
    let exchange = |message: ExchangeMsg| (Vec::new(), Msg::Exchange(message));
    let insight = |message: InsightMsg| (vec![Msg::ShowTab(SideTab::Insight)], Msg::Insight(message));
    let taught = |message: LessonMsg| (vec![begun()], Msg::Lesson(message));
    let mut all: Vec<(Vec<Msg>, Msg)> = vec![
        alone(Msg::Step),
        (vec![Msg::Back, Msg::Back], Msg::Step),
        alone(Msg::StepOver),
        alone(Msg::RunToQuiet),
        alone(Msg::Back),
        alone(Msg::Seek(3)),
        alone(Msg::TogglePlay),
        alone(Msg::SetSpeed(Speed::Fast)),
        alone(Msg::Stop),
        alone(Msg::Slice { took_ms: 4, drawn_ms: 4 }),
        alone(Msg::PlayTick),
        alone(Msg::SwitchBranch(0)),
        alone(Msg::Compare(Some(0))),
        alone(Msg::Edit(id, changed.clone())),
        alone(Msg::OpenFile(id)),
        alone(Msg::NewFile),
        alone(Msg::CloseFile(id)),
        alone(Msg::RenameFile(id, "other.yaml".into())),
        (vec![Msg::CloseFile(id)], Msg::ReopenFile),
        alone(Msg::Import { name: "s.yaml".into(), text: session }),
        alone(Msg::ToggleReview),
        (vec![Msg::Edit(id, changed.clone())], Msg::Apply),
        (vec![watch(), Msg::Edit(id, changed.clone())], Msg::Apply),
        (vec![Msg::Edit(id, changed.clone())], Msg::ApplyFile(id)),
        (vec![Msg::Edit(id, changed.replace("spec:", "spek:").into()), Msg::Check], Msg::Fix(0)),
        alone(Msg::Write { file: Some(id), name: String::new(), from: file.text.clone(), text: changed }),
        alone(Msg::GoTo(3)),
        alone(Msg::Mark(Some(Marked { range: Some((0, 3, true)), chip: None }))),
        alone(Msg::Check),
        alone(Msg::CheckSlice),
        alone(Msg::EditorReady),
        alone(Msg::RunTyped(
            "kubectl rollout restart ds/node-exporter && kubectl rollout status ds/node-exporter".into(),
        )),
        alone(Msg::RunTyped(
            "sim power-off worker1\nkubectl get nodes | grep -c Ready\nkubectl label node worker2 a=b".into(),
        )),
        alone(Msg::RunTyped(
            "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: x}\nEOF".into(),
        )),
        alone(Msg::RunTyped("kubectl gett pods".into())),
        (vec![watch()], Msg::RunTyped("kubectl get ns".into())),
        alone(Msg::CompleteCommand { line: "kubectl get no".into(), cursor: 14 }),
        alone(Msg::Hint(Some("kubectl get nodes".into()))),
        alone(Msg::ToggleTerminal),
        (vec![watch()], Msg::Interrupt),
        alone(Msg::ClearTerminal),
        alone(Msg::ChooseSet(set())),
        alone(Msg::Inspect(Inspect::Pod(pod.clone()))),
        (vec![Msg::Inspect(Inspect::Node("worker1".into()))], Msg::CloseInspector),
        alone(Msg::ShowCounter(Some(Counter::Ready))),
        alone(Msg::Filter("worker".into())),
        alone(Msg::GroupBy(Some("kubernetes.io/os".into()))),
        alone(Msg::ShowTable(true)),
        alone(Msg::ShowPane(Pane::Story)),
        alone(Msg::ShowTab(SideTab::Events)),
        alone(Msg::Ask(Question { set: set(), node: "worker1".into() })),
        alone(Msg::LookAtLine(3)),
        alone(Msg::ToggleStep(2)),
        alone(Msg::FilterStory("worker1".into())),
        alone(Msg::EarlierSteps),
        alone(Msg::SetTheme(Theme::Dark)),
        alone(Msg::SystemDark(true)),
        alone(Msg::SetLanguage(Language::Fr)),
        alone(Msg::Copy("text".into())),
        alone(Msg::MeasureLink("https://x.example/".into())),
        alone(Msg::Share(ShareAs::Element, "https://x.example/".into())),
        alone(Msg::OpenLink(link)),
        alone(Msg::Export(Export::Scenario)),
        alone(Msg::Print),
        alone(Msg::UpdateReady),
        alone(Msg::UseUpdate),
        alone(Msg::PickFile),
        alone(Msg::NewSession),
        (vec![Msg::NewSession], Msg::RestoreSession),
        alone(Msg::CloseNotice),
        exchange(ExchangeMsg::Export(ExportKind::Kwok)),
        (vec![Msg::Exchange(ExchangeMsg::Export(ExportKind::Script))], Msg::Exchange(ExchangeMsg::Download)),
        (vec![Msg::Exchange(ExchangeMsg::Export(ExportKind::Script))], Msg::Exchange(ExchangeMsg::Copy)),
        exchange(ExchangeMsg::Import),
        exchange(ExchangeMsg::Pasted(dump.clone())),
        exchange(ExchangeMsg::Begin { name: "c.yaml".into(), size: dump.len() }),
        (
            vec![Msg::Exchange(ExchangeMsg::Begin { name: "c.yaml".into(), size: dump.len() })],
            Msg::Exchange(ExchangeMsg::Piece(dump.as_bytes()[..100].into())),
        ),
        exchange(ExchangeMsg::Slice { took_ms: 4 }),
        exchange(ExchangeMsg::Close),
        exchange(ExchangeMsg::Try(command::restart(&set()))),
        insight(InsightMsg::Show(Section::Rollout)),
        insight(InsightMsg::Subject(set())),
        insight(InsightMsg::Type(Field::Nodes, "50".into())),
        insight(InsightMsg::GroupBy(Some("kubernetes.io/os".into()))),
        insight(InsightMsg::Surge(true)),
        insight(InsightMsg::PlayRollout(None)),
        insight(InsightMsg::PlayChange),
        insight(InsightMsg::Compare),
        insight(InsightMsg::Slice { took_ms: 4 }),
        insight(InsightMsg::Stop),
        alone(Msg::Lesson(LessonMsg::OpenCatalogue)),
        alone(Msg::Lesson(LessonMsg::CloseCatalogue)),
        alone(begun()),
        alone(came(Fetch::Scenario("crash-loop".into()), GALLERY)),
        alone(Msg::Lesson(LessonMsg::Open("one-pod-per-node".into()))),
        alone(Msg::Lesson(LessonMsg::OpenScenario("crash-loop".into()))),
        taught(LessonMsg::Page(1)),
        taught(LessonMsg::Answer("q".into(), 0)),
        taught(LessonMsg::Hint),
        taught(LessonMsg::Reset(0)),
        taught(LessonMsg::Leave),
        taught(LessonMsg::Present(true)),
        taught(LessonMsg::Notes),
        alone(Msg::Lesson(LessonMsg::Template)),
        (vec![draft()], Msg::Lesson(LessonMsg::Preview)),
        (vec![draft()], Msg::Lesson(LessonMsg::Prove)),
        (vec![draft()], Msg::Lesson(LessonMsg::SaveFile)),
        (vec![draft()], Msg::Lesson(LessonMsg::Share("https://x.example/".into()))),
    ];
    for fate in Fate::ALL {
        let line = command::set_image(&set(), "node-exporter", "prom/node-exporter:v3");
        all.push(alone(Msg::SetImage { line, image: "prom/node-exporter:v3".into(), fate }));
    }
    all.extend(clicks(&pod).into_iter().map(|(_, line)| alone(Msg::Run(line))));
    // Beside a command of the terminal that waits, and in the past.
    all.extend(clicks(&pod).into_iter().map(|(_, line)| (vec![watch()], Msg::Run(line))));
    all.extend(clicks(&pod).into_iter().map(|(_, line)| (vec![Msg::Back, Msg::Back], Msg::Run(line))));
    all
}

/// What every function of `app::command` makes, by its name.
fn clicks(pod: &ObjectKey) -> Vec<(&'static str, String)> {
    use daemonset_playground::app::view::{LabelChip, TaintChip};
    let chip = |text: &str| command::ChipText::parse(text).expect(text);
    let label = LabelChip { key: "kubernetes.io/os".into(), value: "linux".into(), usual: true };
    let taint =
        TaintChip { key: CONTROL_PLANE.into(), value: String::new(), effect: NO_SCHEDULE.into(), automatic: false };
    let mut all = vec![
        ("apply", command::apply("node-exporter.yaml")),
        ("add_chip", command::add_chip("worker1", &chip("zone=a"))),
        ("add_chip", command::add_chip("worker2", &chip("maint:NoExecute"))),
        ("remove_label", command::remove_label("worker1", &label)),
        ("remove_taint", command::remove_taint("control-plane", &taint)),
        ("cordon", command::cordon("worker3", true)),
        ("cordon", command::cordon("worker1", false)),
        ("drain", command::drain("worker3")),
        ("delete_node", command::delete_node("worker2")),
        ("power", command::power("worker1", false)),
        ("power", command::power("worker1", true)),
        ("add_nodes", command::add_nodes("gpu", "gpu", 2)),
        ("add_nodes_named", command::add_nodes_named(&["worker1"], "worker", 1)),
        ("delete_pod", command::delete_pod(pod)),
        ("describe_pod", command::describe_pod(pod)),
        ("describe_node", command::describe_node("worker1")),
        ("delete_daemon_set", command::delete_daemon_set(&set())),
        ("set_image", command::set_image(&set(), "node-exporter", "prom/node-exporter:v9")),
        ("set_strategy", command::set_strategy(&set(), Some(("2", "0")), 5)),
        ("set_strategy", command::set_strategy(&set(), None, 0)),
        ("restart", command::restart(&set())),
        ("undo", command::undo(&set())),
        ("history", command::history(&set())),
    ];
    let changed = [
        ("change_label", command::change_label("worker1", &label, &chip("kubernetes.io/os=windows"))),
        ("change_label", command::change_label("worker1", &label, &chip("os=linux"))),
        ("change_label", command::change_label("worker1", &label, &chip("os:NoSchedule"))),
        ("change_taint", command::change_taint("control-plane", &taint, &chip("a:NoExecute"))),
        ("change_taint", command::change_taint("control-plane", &taint, &chip("a=b"))),
        ("fate", command::fate(&Default::default(), "prom/node-exporter:v1.9.1", Fate::Crashes)),
    ];
    all.extend(changed.into_iter().map(|(name, line)| (name, line.expect(name))));
    all
}

const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";

#[test]
fn there_is_an_example_of_every_message_and_of_every_click() {
    let shown: BTreeSet<String> = examples().iter().map(|(_, message)| does(message).0).collect();
    let inner =
        |part: &'static str, names: &'static [&'static str]| names.iter().map(move |name| format!("{part}::{name}"));
    let outer = ALL.iter().filter(|name| !["Exchange", "Insight", "Lesson"].contains(name)).map(ToString::to_string);
    let all: BTreeSet<String> = outer
        .chain(inner("Exchange", ALL_EXCHANGE))
        .chain(inner("Insight", ALL_INSIGHT))
        .chain(inner("Lesson", ALL_LESSON))
        .collect();
    assert_eq!(shown, all);

    let clicked: BTreeSet<&str> = clicks(&set()).into_iter().map(|(name, _)| name).collect();
    let source = include_str!("../src/app/command.rs");
    let made = source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split_once('(')).map(|(name, _)| name);
    assert_eq!(clicked, made.collect());
}

#[test]
fn only_commands_change_the_cluster_and_the_log_makes_the_same_steps_again() {
    let start = page();
    for (before, message) in examples() {
        let mut model = start.clone();
        before.into_iter().for_each(|message| send(&mut model, message));
        let (name, kind) = does(&message);
        let (position, steps) = (model.session.position(), line_of(&model));
        let world = model.session.world().store().clone();
        let text = format!("{message:?}").chars().take(200).collect::<String>();
        // The message alone, so that no step hides what it does.
        if matches!(kind, Commands | Looks) {
            update(&mut model, message.clone());
            let made = line_of(&model);
            if kind == Looks {
                assert_eq!((model.session.position(), made.len()), (position, steps.len()), "{text}");
                assert!(same(&world, model.session.world().store()), "{text} changes the cluster");
            } else {
                let at = made.iter().zip(&steps).take_while(|(a, b)| Rc::ptr_eq(a, b)).count();
                let new = &made[at..];
                let all_commands = new.iter().all(|step| matches!(step.reason, Reason::Command(_)));
                assert!(all_commands && (!new.is_empty() || !model.typed_ahead.is_empty()), "{text}: {new:?}");
                for step in new {
                    let Reason::Command(run) = &step.reason else { continue };
                    let shown = model.terminal.iter().any(|entry| entry.line == run.line) || run.line == "# ^C";
                    assert!(shown, "{text}: {} does not appear", run.line);
                }
            }
        } else {
            send(&mut model, message);
        }
        if kind == Moves {
            let persons = |steps: &[Rc<Step>]| -> Vec<String> {
                let command = |step: &Rc<Step>| match &step.reason {
                    Reason::Command(run) => Some(run.line.clone()),
                    _ => None,
                };
                steps.iter().filter_map(command).collect()
            };
            if name != "SwitchBranch" {
                assert_eq!(persons(&line_of(&model)), persons(&steps), "{text}");
            }
        }
        replays(&model, &text);
        send(&mut model, Msg::RunToQuiet);
        replays(&model, &text);
    }
}

fn line_of(model: &Model) -> Vec<Rc<Step>> {
    model.session.steps().cloned().collect()
}

fn same(a: &Store, b: &Store) -> bool {
    a.all() == b.all()
}

/// Opens the saved scenario again and compares every step, byte for byte, and what has become of the cluster.
#[track_caller]
fn replays(model: &Model, after: &str) {
    let saved = model.session.scenario().to_yaml();
    let mut again = Session::new(Scenario::parse(&saved).expect("a scenario"));
    while again.position() < model.session.len() && again.step() {}
    assert_eq!(again.len(), model.session.len(), "after {after}");
    for (again, before) in again.steps().zip(model.session.steps()) {
        assert!(format!("{again:?}") == format!("{before:?}"), "after {after}: step {}", before.number);
    }
    let end = model.session.world_at(model.session.len());
    assert!(same(again.world().store(), end.store()), "after {after}");
}
