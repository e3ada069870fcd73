//! What each message does to the state. The only place that changes it.

use crate::app::command;
use crate::app::effect::Effect;
use crate::app::files::Files;
use crate::app::message::{Inspect, Msg, Pane, Running, StoryTab};
use crate::app::model::{FIRST_FILE, Model, Notice, NoticeAction, STORY_PAGE};
use crate::app::persist::Saved;
use crate::app::phrase::fill;
use crate::app::view::EditorMark;
use crate::simulation::{Progress, Scenario, Session};
use std::rc::Rc;

/// Takes a message and says what the browser has to do.
pub fn update(model: &mut Model, message: Msg) -> Vec<Effect> {
    match message {
        Msg::Step => step(model),
        Msg::StepOver => step_over(model),
        Msg::RunToQuiet => run_to_quiet(model),
        Msg::Back => seek(model, model.session.position().saturating_sub(1)),
        Msg::Seek(position) => seek(model, position),
        Msg::TogglePlay if model.running == Running::Playing => stop(model),
        Msg::TogglePlay => play(model),
        Msg::SetSpeed(speed) => {
            model.settings.speed = speed;
            vec![Effect::Save]
        }
        Msg::Stop => stop(model),
        Msg::Slice { took_ms } => slice(model, took_ms),
        Msg::PlayTick => play_tick(model),
        Msg::SwitchBranch(index) => {
            model.running = Running::No;
            model.session.switch_branch(index);
            moved(model)
        }
        Msg::Edit(..)
        | Msg::OpenFile(_)
        | Msg::NewFile
        | Msg::CloseFile(_)
        | Msg::RenameFile(..)
        | Msg::ReopenFile
        | Msg::Import { .. }
        | Msg::ToggleReview
        | Msg::Apply
        | Msg::Fix(_)
        | Msg::Write { .. }
        | Msg::GoTo(_)
        | Msg::Mark(_)
        | Msg::Check
        | Msg::EditorReady => manifest(model, message),
        Msg::Run(line) => run(model, &line),
        Msg::RunTyped(line) => {
            model.terminal_open = true;
            run(model, &line)
        }
        Msg::CompleteCommand { line, cursor } => {
            model.complete_command(&line, cursor);
            if let Some(completed) = model.completed.as_ref().filter(|completed| !completed.choices.is_empty()) {
                model.announcement = completed.choices.join(", ").into();
            }
            Vec::new()
        }
        Msg::Hint(hint) => {
            model.hint = hint.map(Rc::from);
            Vec::new()
        }
        Msg::ToggleTerminal => {
            model.terminal_open = !model.terminal_open;
            if model.terminal_open { vec![Effect::Focus("command")] } else { Vec::new() }
        }
        Msg::ClearTerminal => {
            model.terminal = Rc::default();
            Vec::new()
        }
        Msg::NewSession => new_session(model),
        Msg::RestoreSession => restore_session(model),
        Msg::DownloadScenario => {
            let text = model.session.scenario().to_yaml();
            vec![Effect::Download { name: "scenario.yaml".into(), text }]
        }
        Msg::DownloadScript => {
            vec![Effect::Download { name: "session.sh".into(), text: script(&model.session.scenario()) }]
        }
        Msg::PickFile => vec![Effect::PickFile],
        Msg::Copy(text) => {
            model.announcement = model.words().copied.into();
            vec![Effect::Copy(text)]
        }
        Msg::SetTheme(theme) => {
            model.settings.theme = theme;
            vec![Effect::Theme(theme), Effect::Save]
        }
        Msg::SetLanguage(language) => {
            model.settings.language = Some(language);
            model.refresh();
            model.recheck();
            vec![Effect::Language(language), Effect::Save]
        }
        _ => look(model, message),
    }
}

/// Messages that only change what is looked at.
fn look(model: &mut Model, message: Msg) -> Vec<Effect> {
    match message {
        Msg::ChooseSet(key) => model.chosen = Some(key),
        Msg::Inspect(what) => {
            model.mark = None;
            model.inspect = Some(what);
        }
        Msg::CloseInspector => {
            model.mark = None;
            let closed = model.inspect.take();
            model.refresh();
            return match closed {
                Some(Inspect::Node(node) | Inspect::Verdict { node, .. }) => vec![Effect::FocusNode(node.to_string())],
                _ => Vec::new(),
            };
        }
        Msg::ShowCounter(counter) => {
            model.counter = counter;
            return Vec::new();
        }
        Msg::Filter(text) => {
            model.filter = text.into();
            return Vec::new();
        }
        Msg::GroupBy(label) => model.group = label.map(Rc::from),
        Msg::ShowPane(pane) => {
            model.pane = pane;
            model.inspect = None;
            model.terminal_open = pane == Pane::Terminal;
        }
        Msg::ShowStory(tab) => model.story_tab = tab,
        Msg::ToggleStep(number) => model.open_step = if model.open_step == Some(number) { None } else { Some(number) },
        Msg::EarlierSteps => model.story_before = model.story_before.saturating_add(STORY_PAGE),
        Msg::SystemDark(dark) => {
            model.system_dark = dark;
            return Vec::new();
        }
        Msg::CloseNotice => model.notice = None,
        _ => {}
    }
    model.refresh();
    Vec::new()
}

/// Messages about the files and the editor.
fn manifest(model: &mut Model, message: Msg) -> Vec<Effect> {
    match message {
        Msg::Edit(id, text) => {
            model.files.edit(id, text);
            model.mark = None;
            return vec![Effect::CheckLater, Effect::Save];
        }
        Msg::OpenFile(id) => model.files.show(id),
        Msg::NewFile => {
            model.files.add("manifest.yaml", "");
        }
        Msg::CloseFile(id) => {
            let name = model.files.get(id).map(|file| file.name.to_string()).unwrap_or_default();
            model.files.close(id);
            let text = fill(model.words().file_closed, &[("file", &name)]);
            offer(model, text, NoticeAction::ReopenFile);
        }
        Msg::ReopenFile => {
            model.files.reopen();
            model.notice = None;
        }
        Msg::RenameFile(id, name) => model.files.rename(id, &name),
        Msg::Import { name, text } => return import(model, &name, &text),
        Msg::ToggleReview => {
            model.review_open = !model.review_open;
            return Vec::new();
        }
        Msg::Apply => return apply(model),
        Msg::Fix(index) => {
            if let Some(text) = model.check.fixes.get(index).cloned() {
                model.files.edit(model.files.shown_id(), text);
            }
        }
        Msg::Write { file, name, text } => {
            match file {
                Some(id) => {
                    model.files.edit(id, text);
                    model.files.show(id);
                }
                None => {
                    model.files.add(&name, &text);
                }
            }
            model.review_open = true;
            model.pane = Pane::Manifest;
        }
        Msg::GoTo(at) => {
            let wish = model.go_to.map_or(0, |(_, wish)| wish.wrapping_add(1));
            model.go_to = Some((at, wish));
            model.pane = Pane::Manifest;
            return Vec::new();
        }
        Msg::Mark(range) => {
            model.mark = range.map(|(from, to, passed)| EditorMark { from, to, passed });
            return Vec::new();
        }
        _ => {}
    }
    model.recheck();
    vec![Effect::Save]
}

/// After the position or the line of time has changed.
fn moved(model: &mut Model) -> Vec<Effect> {
    model.refresh();
    model.announcement = model.views.telling.to_string().into();
    vec![Effect::Save, Effect::CheckLater]
}

/// What a first press of a transport button does: applies the manifest. Returns whether it did, or told why not.
fn begin(model: &mut Model) -> bool {
    if !model.step_applies() {
        return false;
    }
    model.recheck();
    match model.check.problems.iter().find(|problem| problem.error).cloned() {
        Some(problem) => {
            let line = fill(model.words().line, &[("n", &problem.line.to_string())]);
            tell(model, format!("{line}: {}", problem.message), true);
        }
        None => {
            run_apply(model);
        }
    }
    true
}

fn step(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    if !begin(model) && !model.session.step() {
        model.announcement = model.words().nothing_due.into();
        return Vec::new();
    }
    follow_commands(model);
    moved(model)
}

fn step_over(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    if begin(model) && model.notice.is_some() {
        return Vec::new();
    }
    if let Progress::Loop(cycle) = model.session.step_over(2000) {
        tell_loop(model, cycle.period_ms);
    }
    follow_commands(model);
    moved(model)
}

fn run_to_quiet(model: &mut Model) -> Vec<Effect> {
    if begin(model) && model.notice.is_some() {
        return Vec::new();
    }
    model.running = Running::ToQuiet;
    model.budget = 32;
    slice(model, 8)
}

/// The length of a slice of a run, in milliseconds.
const SLICE_MS: u32 = 8;

/// Runs on for about [`SLICE_MS`]. `took_ms` is how long the slice before took.
fn slice(model: &mut Model, took_ms: u32) -> Vec<Effect> {
    if model.running != Running::ToQuiet {
        return Vec::new();
    }
    let wanted = model.budget.saturating_mul(SLICE_MS as usize) / (took_ms.max(1) as usize);
    // Not more than twice as many at once: a single step can be a thousand times as long as another.
    model.budget = wanted.clamp(1, model.budget.saturating_mul(2)).min(5000);
    let progress = model.session.run_to_quiet(model.budget);
    follow_commands(model);
    match progress {
        Progress::More => {
            model.refresh();
            vec![Effect::NextSlice]
        }
        Progress::Loop(cycle) => {
            model.running = Running::No;
            tell_loop(model, cycle.period_ms);
            moved(model)
        }
        Progress::Quiet | Progress::WaveOver | Progress::Reached => {
            model.running = Running::No;
            moved(model)
        }
    }
}

fn play(model: &mut Model) -> Vec<Effect> {
    if begin(model) && model.notice.is_some() {
        return Vec::new();
    }
    model.running = Running::Playing;
    let mut effects = moved(model);
    effects.push(Effect::TickLater(model.settings.speed.pause_ms()));
    effects
}

fn play_tick(model: &mut Model) -> Vec<Effect> {
    if model.running != Running::Playing {
        return Vec::new();
    }
    if !model.session.step() {
        model.running = Running::No;
        return moved(model);
    }
    follow_commands(model);
    let mut effects = moved(model);
    effects.push(Effect::TickLater(model.settings.speed.pause_ms()));
    effects
}

fn stop(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    moved(model)
}

fn seek(model: &mut Model, position: usize) -> Vec<Effect> {
    model.running = Running::No;
    if position == model.session.position() {
        return Vec::new();
    }
    model.session.seek(position);
    moved(model)
}

/// Runs a command line and shows it.
fn run(model: &mut Model, line: &str) -> Vec<Effect> {
    model.running = Running::No;
    model.completed = None;
    model.hint = None;
    let files = model.files.by_name();
    let run = model.session.run(line, &files);
    model.log(&run);
    let mut effects = moved(model);
    let said = run.stdout.lines().chain(run.stderr.lines()).next().unwrap_or("");
    model.announcement = said.into();
    model.recheck();
    if line.contains("apply") {
        note_applied(model, line, run.exit_code == Some(0));
    }
    effects.retain(|effect| *effect != Effect::CheckLater);
    effects
}

/// A typed `kubectl apply -f NAME` also means that the tab is applied.
fn note_applied(model: &mut Model, line: &str, done: bool) {
    let named: Vec<u32> = model
        .files
        .list()
        .iter()
        .filter(|file| line.split_whitespace().any(|word| word == &*file.name))
        .map(|file| file.id)
        .collect();
    for id in named.into_iter().filter(|_| done) {
        model.files.applied(id);
    }
}

fn run_apply(model: &mut Model) -> bool {
    let Some(file) = model.files.shown() else { return false };
    let (id, line) = (file.id, command::apply(&file.name));
    let files = model.files.by_name();
    let run = model.session.run(&line, &files);
    model.log(&run);
    let done = run.exit_code == Some(0);
    if done {
        model.files.applied(id);
    }
    done
}

fn apply(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    model.recheck();
    if model.files.shown().is_none_or(|file| file.text.trim().is_empty()) {
        return Vec::new();
    }
    let done = run_apply(model);
    model.review_open = false;
    let effects = moved(model);
    let printed = model.terminal.last().map(|entry| entry.first_line().to_string()).unwrap_or_default();
    model.announcement = printed.clone().into();
    if !done {
        tell(model, printed, true);
    } else {
        model.notice = None;
    }
    model.recheck();
    effects
}

/// What waiting commands printed meanwhile goes to the terminal.
fn follow_commands(model: &mut Model) {
    use crate::simulation::Reason;
    let Some(step) = model.session.step_number(model.session.position()) else { return };
    if let Reason::CommandWent(run) = &step.reason {
        let run = Rc::clone(run);
        if !run.stdout.is_empty() || !run.stderr.is_empty() {
            model.log(&run);
        }
    }
}

fn tell(model: &mut Model, text: String, trouble: bool) {
    model.announcement = text.as_str().into();
    model.notice = Some(Notice { text, trouble, action: None });
}

fn offer(model: &mut Model, text: String, action: NoticeAction) {
    model.announcement = text.as_str().into();
    model.notice = Some(Notice { text, trouble: false, action: Some(action) });
}

fn tell_loop(model: &mut Model, period_ms: u64) {
    let period = crate::app::text::time(model.language(), i64::try_from(period_ms).unwrap_or(i64::MAX));
    let text = fill(model.words().loop_found, &[("time", &period)]);
    tell(model, text, true);
}

/// Opens what was dropped or chosen.
fn import(model: &mut Model, name: &str, text: &str) -> Vec<Effect> {
    let name = if name.is_empty() { "pasted.yaml" } else { name };
    match Scenario::parse(text) {
        // A manifest is no scenario: its apiVersion and kind are members that a scenario does not have.
        Ok(scenario) if !text.trim().is_empty() => {
            let before = model.saved();
            let files = scenario.files.iter().map(|(name, text)| (name.clone(), text.clone())).collect::<Vec<_>>();
            if let Some(((first, text), rest)) = files.split_first() {
                model.files = Files::new(first, text);
                for (name, text) in rest {
                    model.files.add(name, text);
                }
            }
            start_session(model, Session::new(scenario), before);
        }
        _ => {
            model.files.add(name, text);
            model.pane = Pane::Manifest;
            model.recheck();
        }
    }
    vec![Effect::Save]
}

/// Goes on with another session. The one before can be brought back.
fn start_session(model: &mut Model, session: Session, before: Saved) {
    let kept = (model.settings, model.browser_language, model.system_dark, model.pane);
    let mut fresh = Model::with(session, model.files.clone(), kept.0, kept.1);
    fresh.system_dark = kept.2;
    fresh.pane = kept.3;
    fresh.story_tab = StoryTab::Steps;
    *model = fresh;
    if before.steps > 0 {
        model.replaced = Some(before);
        offer(model, model.words().session_replaced.to_string(), NoticeAction::RestoreSession);
    }
}

fn restore_session(model: &mut Model) -> Vec<Effect> {
    if let Some(before) = model.replaced.take() {
        let kept = (model.browser_language, model.system_dark, model.pane);
        *model = Model::restore(&before, kept.0);
        (model.system_dark, model.pane) = (kept.1, kept.2);
    }
    vec![Effect::Save]
}

/// The first cluster again. The files stay; the first one comes back if it was closed or changed.
fn new_session(model: &mut Model) -> Vec<Effect> {
    let before = model.saved();
    let mut files = model.files.clone();
    let pristine = |files: &Files| files.list().iter().find(|file| *file.text == *FIRST_FILE.1).map(|file| file.id);
    match pristine(&files) {
        Some(id) => files.show(id),
        None => {
            files.add(FIRST_FILE.0, FIRST_FILE.1);
        }
    }
    files.forget_applied();
    model.files = files;
    start_session(model, Session::new(crate::app::model::first_scenario()), before);
    vec![Effect::Save]
}

/// The commands as a shell script. `sim` commands have no counterpart and stay as comments.
fn script(scenario: &Scenario) -> String {
    let mut text = String::from("#!/bin/sh\nset -e\n");
    for entry in &scenario.log {
        for (name, content) in &entry.files {
            let name = command::quote(name);
            text += &format!("cat > {name} <<'EOF'\n{}\nEOF\n", content.trim_end_matches('\n'));
        }
        let is_sim = entry.run.trim_start().starts_with("sim ");
        text += &format!("{}{}\n", if is_sim { "# " } else { "" }, entry.run);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::message::Counter;
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::view::PodState;

    /// A control plane and two workers with a DaemonSet that nobody has reconciled yet.
    const SCENARIO: &str = r#"
objects:
- {apiVersion: v1, kind: Namespace, metadata: {name: default}}
- apiVersion: v1
  kind: Node
  metadata: {name: cp, labels: {node-role.kubernetes.io/control-plane: ""}}
  spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}
  status: &status {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
- {apiVersion: v1, kind: Node, metadata: {name: worker1}, status: *status}
- {apiVersion: v1, kind: Node, metadata: {name: worker2}, status: *status}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent, namespace: default, uid: u1, generation: 1}
  spec:
    selector: {matchLabels: {app: agent}}
    updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}
    template:
      metadata: {labels: {app: agent}}
      spec: {containers: [{name: agent, image: "example/agent:v1"}]}
"#;

    fn model() -> Model {
        let session = Session::new(Scenario::parse(SCENARIO).unwrap());
        Model::with(session, Files::new("notes.yaml", ""), Settings::default(), Language::En)
    }

    fn send(model: &mut Model, messages: impl IntoIterator<Item = Msg>) {
        for message in messages {
            let mut effects = update(model, message);
            // The browser's part: go on with a run until it ends.
            while effects.contains(&Effect::NextSlice) {
                effects = update(model, Msg::Slice { took_ms: 1 });
            }
        }
    }

    fn states(model: &Model) -> Vec<(String, Vec<PodState>)> {
        let of = |card: &crate::app::view::NodeCard| card.places[0].pods.iter().map(|pod| pod.state).collect();
        model.views.cards.iter().map(|card| (card.name.to_string(), of(card))).collect()
    }

    #[test]
    fn a_run_ends_quiet_with_a_pod_on_each_worker() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet]);
        assert_eq!(model.running, Running::No);
        let available = vec![PodState::Available];
        assert_eq!(
            states(&model),
            [
                ("cp".to_string(), vec![]),
                ("worker1".to_string(), available.clone()),
                ("worker2".to_string(), available)
            ]
        );
        let counters = &model.views.head.as_ref().unwrap().counters;
        assert_eq!(counters.iter().map(|counter| counter.value).collect::<Vec<_>>(), [2, 2, 2, 2, 2]);
        assert_eq!(model.views.chart.samples.last().unwrap().new_available, 2);
        assert_eq!(model.views.chart.samples.last().unwrap().floor, 1);
        assert!(!model.can_step());
    }

    #[test]
    fn back_to_the_start_and_forward_again_is_the_same() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet]);
        let (end, states_at_end, chart) = (model.session.position(), states(&model), model.views.chart.clone());
        send(&mut model, std::iter::repeat_n(Msg::Back, end));
        assert_eq!(model.session.position(), 0);
        assert!(states(&model).iter().all(|(_, pods)| pods.is_empty()));
        send(&mut model, std::iter::repeat_n(Msg::Step, end));
        assert_eq!((model.session.position(), states(&model)), (end, states_at_end));
        assert_eq!(model.views.chart, chart);
    }

    #[test]
    fn what_is_shown_after_single_steps_is_what_a_fresh_look_shows() {
        let mut model = model();
        while model.can_step() {
            send(&mut model, [Msg::Step]);
            let mut fresh = Model { views: Default::default(), ..model.clone() };
            fresh.refresh();
            assert_eq!(fresh.views.cards, model.views.cards, "after step {}", model.session.position());
            assert_eq!(fresh.views.chart, model.views.chart);
            assert_eq!(fresh.views.story, model.views.story);
            assert_eq!(fresh.views.head, model.views.head);
        }
    }

    #[test]
    fn acting_in_the_past_keeps_the_old_future_as_a_branch() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet, Msg::Seek(3), Msg::Run("sim add-node worker3".into()), Msg::RunToQuiet]);
        assert_eq!(model.views.branches.len(), 1);
        assert_eq!(model.views.cards.len(), 4);
        send(&mut model, [Msg::SwitchBranch(0)]);
        assert_eq!(model.views.cards.len(), 3);
        assert_eq!(model.views.chart.times.len(), model.session.len() + 1);
    }

    #[test]
    fn each_command_is_shown_with_what_it_printed() {
        let mut model = model();
        send(&mut model, [Msg::Hint(Some("sim add-node x".into())), Msg::Run("sim add-node worker3".into())]);
        let entry = model.terminal.last().unwrap();
        assert_eq!(
            (entry.line.as_str(), entry.first_line(), entry.failed),
            ("sim add-node worker3", "node/worker3 joined", false)
        );
        assert_eq!(model.hint, None);
        send(&mut model, [Msg::RunTyped("sim fly".into())]);
        assert!(model.terminal.last().unwrap().failed && model.terminal_open);
    }

    #[test]
    fn a_command_line_is_completed_from_the_cluster() {
        let mut model = model();
        let mut complete = |line: &str| {
            send(&mut model, [Msg::CompleteCommand { line: line.into(), cursor: line.len() }]);
            let completed = model.completed.clone().unwrap();
            (completed.line.clone(), completed.choices.clone())
        };
        assert_eq!(complete("kubectl cord"), ("kubectl cordon ".to_string(), vec![]));
        assert_eq!(
            complete("kubectl cordon wo"),
            ("kubectl cordon worker".into(), vec!["worker1".into(), "worker2".into()])
        );
        assert_eq!(complete("nonsense x"), ("nonsense x".into(), vec![]));
    }

    #[test]
    fn a_visit_goes_on_where_it_was_left() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet, Msg::Run("sim add-node worker3".into()), Msg::RunToQuiet]);
        send(&mut model, [Msg::Edit(0, "kind: x".into()), Msg::NewFile, Msg::Seek(5)]);
        let saved = Saved::parse(&model.saved().to_text()).unwrap();
        let back = Model::restore(&saved, Language::En);
        assert_eq!((back.session.position(), back.session.len()), (5, model.session.len()));
        assert_eq!(states(&back), states(&model));
        assert_eq!(&*back.files.list()[0].text, "kind: x");
        assert_eq!(back.files.list().len(), 2);
    }

    #[test]
    fn an_unreadable_session_keeps_the_files() {
        let mut model = model();
        send(&mut model, [Msg::Edit(0, "precious: text".into())]);
        let saved = Saved { scenario: "nonsense: [".into(), ..model.saved() };
        let back = Model::restore(&saved, Language::Fr);
        assert_eq!(&*back.files.list()[0].text, "precious: text");
        assert_eq!(back.views.cards.len(), 4);
    }

    #[test]
    fn the_first_step_applies_the_manifest_also_after_nodes_were_added() {
        let mut model = Model::new(Settings::default(), Language::En);
        send(&mut model, [Msg::Run("sim add-node worker4".into()), Msg::Step]);
        assert_eq!(model.terminal.last().unwrap().line, "kubectl apply -f node-exporter.yaml");
        assert!(!model.step_applies());
        send(&mut model, [Msg::RunToQuiet]);
        assert_eq!(states(&model).iter().filter(|(_, pods)| pods == &[PodState::Available]).count(), 4);
    }

    #[test]
    fn a_first_step_with_a_broken_manifest_says_why_and_does_nothing() {
        let mut model = Model::new(Settings::default(), Language::En);
        send(&mut model, [Msg::Edit(0, "kind: [".into()), Msg::RunToQuiet]);
        assert!(model.notice.as_ref().is_some_and(|notice| notice.trouble && notice.text.starts_with("line 1: ")));
        assert_eq!((model.session.len(), model.running), (0, Running::No));
    }

    #[test]
    fn playing_ends_by_itself_and_can_be_stopped() {
        let mut model = model();
        let effects = update(&mut model, Msg::TogglePlay);
        assert!(effects.iter().any(|effect| matches!(effect, Effect::TickLater(200))));
        send(&mut model, [Msg::PlayTick, Msg::TogglePlay, Msg::PlayTick]);
        assert_eq!((model.session.position(), model.running), (1, Running::No));
        update(&mut model, Msg::TogglePlay);
        let mut ticks = 0;
        while model.running == Running::Playing {
            update(&mut model, Msg::PlayTick);
            ticks += 1;
        }
        assert!(ticks > 5 && !model.can_step());
    }

    #[test]
    fn a_broken_manifest_is_told_at_its_line_and_repaired_with_one_click() {
        let mut model = model();
        let text = "apiVersion: v1\nkind: Node\nmetadata:\n\tname: a\n";
        send(&mut model, [Msg::Edit(0, text.into()), Msg::Check]);
        let problem = &model.check.problems[0];
        assert_eq!((problem.line, problem.error), (4, true));
        assert!(problem.message.contains("tab"), "{}", problem.message);
        assert!(model.check.review.is_none());
        let fix = problem.fix.unwrap();
        send(&mut model, [Msg::Fix(fix)]);
        assert_eq!(&*model.files.shown().unwrap().text, "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n");
    }

    #[test]
    fn a_counter_names_its_pods_and_the_story_has_every_step() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet, Msg::ShowCounter(Some(Counter::Ready))]);
        let head = model.views.head.clone().unwrap();
        let ready = head.counters.iter().find(|counter| counter.counter == Counter::Ready).unwrap();
        assert_eq!(ready.pods.len(), 2);
        let numbers: Vec<usize> = model.views.story.entries.iter().map(|entry| entry.number).collect();
        assert_eq!(numbers, (1..=model.session.len()).collect::<Vec<_>>());
        let texts: Vec<String> = model.views.story.entries.iter().map(|entry| entry.text.to_string()).collect();
        assert!(
            texts.iter().any(|text| text == "DaemonSet controller recorded revision 1 and created 2 pods"),
            "{texts:#?}"
        );
    }

    #[test]
    fn a_replaced_session_can_be_brought_back() {
        let mut model = model();
        send(&mut model, [Msg::RunToQuiet, Msg::NewSession]);
        assert_eq!((model.views.cards.len(), model.session.len()), (4, 0));
        assert_eq!(model.notice.as_ref().unwrap().action, Some(NoticeAction::RestoreSession));
        send(&mut model, [Msg::RestoreSession]);
        assert_eq!(model.views.cards.len(), 3);
        assert!(model.session.len() > 5 && model.notice.is_none());
    }

    #[test]
    fn files_open_as_scenario_or_as_manifest() {
        let mut model = model();
        send(&mut model, [Msg::Import { name: "x.yaml".into(), text: "kind: Pod\napiVersion: v1\n".into() }]);
        assert_eq!(&*model.files.shown().unwrap().name, "x.yaml");
        send(&mut model, [Msg::Import { name: "s.yaml".into(), text: SCENARIO.into() }]);
        assert_eq!((model.views.cards.len(), model.session.len()), (3, 0));
    }
}
