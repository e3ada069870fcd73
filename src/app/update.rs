//! What each message does to the state. The only place that changes it.

use crate::app::command;
use crate::app::effect::Effect;
use crate::app::export::{self, Export};
use crate::app::files::Files;
use crate::app::lesson;
use crate::app::message::{Inspect, Msg, Pane, Running, SideTab};
use crate::app::model::{FIRST_FILE, Model, Notice, NoticeAction, Pace, STORY_PAGE};
use crate::app::persist::Saved;
use crate::app::phrase::fill;
use crate::app::share;
use crate::app::view::EditorMark;
use crate::app::views::Views;
use crate::simulation::{CommandRun, Progress, Scenario, Session};
use commands::{apply, clicked, follow_commands, interrupt, run_apply, run_typed};
use std::rc::Rc;

mod commands;

/// Takes a message and says what the browser has to do.
pub fn update(model: &mut Model, message: Msg) -> Vec<Effect> {
    let mut effects = handle(model, message);
    effects.extend(lesson::after(model));
    effects
}

fn handle(model: &mut Model, message: Msg) -> Vec<Effect> {
    match message {
        Msg::Lesson(message) => lesson::update(model, message),
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
        Msg::Slice { took_ms, drawn_ms } => slice(model, took_ms, drawn_ms),
        Msg::PlayTick => play_tick(model),
        Msg::SwitchBranch(index) => {
            model.running = Running::No;
            model.session.switch_branch(index);
            (model.compare, model.looped) = (None, None);
            moved(model)
        }
        Msg::Compare(branch) => {
            model.compare = branch;
            model.refresh();
            Vec::new()
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
        | Msg::ApplyFile(_)
        | Msg::Fix(_)
        | Msg::Write { .. }
        | Msg::GoTo(_)
        | Msg::Mark(_)
        | Msg::Check
        | Msg::CheckSlice
        | Msg::EditorReady => manifest(model, message),
        Msg::Run(line) => clicked(model, &line),
        Msg::SetImage { line, image, fate } => {
            if let Some(rules) = command::fate(model.session.world().behaviours(), &image, fate) {
                clicked(model, &rules);
            }
            clicked(model, &line)
        }
        Msg::RunTyped(text) => {
            model.terminal_open = true;
            let lines = crate::kubectl::shell::lines(&text);
            Rc::make_mut(&mut model.typed_ahead).extend(lines);
            run_typed(model)
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
        Msg::Insight(message) => crate::app::insight::update(model, message),
        Msg::NewSession => new_session(model),
        Msg::RestoreSession => restore_session(model),
        Msg::Export(what) => vec![exported(model, what)],
        Msg::Print => vec![Effect::Print],
        Msg::UpdateReady => {
            offer(model, model.words().update_ready.to_string(), NoticeAction::UseUpdate);
            Vec::new()
        }
        Msg::UseUpdate => vec![Effect::Save, Effect::UseUpdate],
        Msg::Exchange(message) => crate::app::exchange::update(model, message),
        Msg::Interrupt => interrupt(model),
        Msg::PickFile => vec![Effect::PickFile],
        Msg::MeasureLink(address) => {
            model.shared = Some(share::measure(model, &address));
            Vec::new()
        }
        Msg::Share(form, address) => share::share(model, form, &address),
        Msg::OpenLink(link) => share::open(model, &link),
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
            (model.mark, model.chip) = (None, None);
            model.inspect = Some(what);
        }
        Msg::CloseInspector => {
            let closed = model.inspect.take();
            model.refresh();
            return match closed {
                Some(Inspect::Node(node)) => vec![Effect::FocusNode(node.to_string())],
                _ => Vec::new(),
            };
        }
        Msg::Ask(question) => {
            (model.mark, model.chip) = (None, None);
            model.inspect = None;
            model.question = Some(question);
            model.tab = SideTab::Why;
            // On a narrow screen the answer is another part of the page.
            model.pane = Pane::Story;
            model.refresh();
            return vec![Effect::Focus("why-title")];
        }
        Msg::LookAtLine(line) => {
            model.line = line;
            return Vec::new();
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
        Msg::ShowTable(table) => {
            model.as_table = table;
            return Vec::new();
        }
        Msg::ShowPane(pane) => {
            model.pane = pane;
            model.inspect = None;
            model.terminal_open = pane == Pane::Terminal;
        }
        Msg::ShowTab(tab) => {
            (model.mark, model.chip) = (None, None);
            model.inspect = None;
            model.tab = tab;
        }
        Msg::ToggleStep(number) => model.open_step = if model.open_step == Some(number) { None } else { Some(number) },
        Msg::FilterStory(text) => model.story_filter = text.trim().to_lowercase().into(),
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
            model.checking = None;
            return vec![Effect::CheckLater, Effect::Save];
        }
        Msg::Check | Msg::CheckSlice => {
            let more = model.check_slice(message == Msg::Check);
            return if more { vec![Effect::NextCheck] } else { Vec::new() };
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
        Msg::ApplyFile(id) => {
            model.files.show(id);
            return apply(model);
        }
        Msg::Fix(index) => {
            let fixed = model.files.shown().and_then(|file| model.check.fixed(index, &file.text));
            if let Some(text) = fixed {
                model.files.edit(model.files.shown_id(), text);
            }
        }
        Msg::Write { file, name, from, text } => {
            let is_stale = |id| model.files.get(id).is_some_and(|file| file.text != from);
            match file {
                Some(id) if is_stale(id) => {
                    // What is offered is made anew.
                    model.refresh();
                    return Vec::new();
                }
                Some(id) => {
                    model.reveal = Some(crate::app::draft::written(model, id, &from, &text));
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
        Msg::Mark(marked) => {
            let range = marked.as_ref().and_then(|marked| marked.range);
            model.mark = range.map(|(from, to, passed)| EditorMark { from, to, passed });
            model.chip = marked.and_then(|marked| marked.chip);
            return Vec::new();
        }
        _ => {}
    }
    model.recheck();
    vec![Effect::Save]
}

/// After the position or the line of time has changed.
fn moved(model: &mut Model) -> Vec<Effect> {
    let before = model.views.standing.clone();
    model.refresh();
    model.announcement = match model.views.standing.as_ref().filter(|now| Some(*now) != before.as_ref()) {
        Some(now) => format!("{}. {}", now.headline, now.detail).into(),
        None => model.views.telling.to_string().into(),
    };
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
            model.recheck();
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
    let mut effects = follow_commands(model);
    effects.extend(moved(model));
    effects
}

fn step_over(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    if begin(model) && model.notice.is_some() {
        return Vec::new();
    }
    if let Progress::Loop(cycle) = model.session.step_over(2000) {
        tell_loop(model, cycle.period_ms);
    }
    let mut effects = follow_commands(model);
    effects.extend(moved(model));
    effects
}

fn run_to_quiet(model: &mut Model) -> Vec<Effect> {
    if begin(model) && model.notice.is_some() {
        return Vec::new();
    }
    model.running = Running::ToQuiet;
    model.pace = Pace::default();
    slice(model, 8, 0)
}

/// Runs on for a slice. The arguments are how long the slice before took, and drawing its outcome.
fn slice(model: &mut Model, took_ms: u32, drawn_ms: u32) -> Vec<Effect> {
    if model.running != Running::ToQuiet {
        return Vec::new();
    }
    let draw = model.pace.next(took_ms, drawn_ms);
    let progress = model.session.run_to_quiet(model.pace.steps);
    let typed = follow_commands(model);
    if !typed.is_empty() {
        return typed;
    }
    match progress {
        Progress::More => {
            if draw {
                model.refresh();
            }
            vec![Effect::NextSlice { draw }]
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
    let mut effects = follow_commands(model);
    effects.extend(moved(model));
    if model.running == Running::Playing {
        effects.push(Effect::TickLater(model.settings.speed.pause_ms()));
    }
    effects
}

fn stop(model: &mut Model) -> Vec<Effect> {
    (model.running, model.plays_for_command) = (Running::No, false);
    moved(model)
}

fn seek(model: &mut Model, position: usize) -> Vec<Effect> {
    model.running = Running::No;
    if position == model.session.position() {
        return Vec::new();
    }
    model.session.seek(position);
    // What was typed was meant for the moment that is left.
    model.typed_ahead = Rc::default();
    moved(model)
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
    model.looped = Some((model.session.position(), period_ms));
}

/// Opens what was dropped or chosen.
fn import(model: &mut Model, name: &str, text: &str) -> Vec<Effect> {
    if crate::app::exchange::is_dump(text) {
        let pasted = crate::app::exchange::ExchangeMsg::Pasted(text.into());
        return crate::app::exchange::update(model, pasted);
    }
    let name = if name.is_empty() { "pasted.yaml" } else { name };
    let is_lesson_file = lesson::is_lesson_file(name);
    if is_lesson_file && crate::lessons::Lesson::parse(text).is_ok() {
        return lesson::begin(model, text);
    }
    let scenario = Scenario::parse(text);
    // Comments, or an empty text: no cluster, and no manifest either.
    let says_nothing = |line: &str| line.is_empty() || line.starts_with('#') || line == "---";
    let is_empty = text.lines().all(|line| says_nothing(line.trim())) || scenario == Ok(Scenario::default());
    if is_empty && !is_lesson_file {
        let text = fill(crate::app::text::exchange_words(model.language()).empty, &[("name", name)]);
        tell(model, text, true);
        return Vec::new();
    }
    match scenario {
        // A manifest is no scenario: its apiVersion and kind are members that a scenario does not have.
        Ok(scenario) if !is_lesson_file => {
            let before = model.saved();
            let files = scenario.files.iter().map(|(name, text)| (name.clone(), text.clone())).collect::<Vec<_>>();
            if let Some(((first, text), rest)) = files.split_first() {
                model.files = Files::new(first, text);
                for (name, text) in rest {
                    model.files.add(name, text);
                }
            }
            start_session(model, Session::new(scenario), Some(before));
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
pub(crate) fn start_session(model: &mut Model, session: Session, before: Option<Saved>) {
    start_prepared(model, session, Views::default(), before);
    model.recheck();
}

/// The same with prepared views; looking at the shown file again is left to the caller.
pub(crate) fn start_prepared(model: &mut Model, session: Session, views: Views, before: Option<Saved>) {
    let kept = (model.settings, model.browser_language, model.system_dark, model.pane);
    let mut fresh = Model::with_views(session, model.files.clone(), kept.0, kept.1, views);
    fresh.lessons = model.lessons.carried();
    fresh.system_dark = kept.2;
    fresh.pane = kept.3;
    *model = fresh;
    if let Some(before) = before.filter(|before| before.steps > 0) {
        model.replaced = Some(before);
        offer(model, model.words().session_replaced.to_string(), NoticeAction::RestoreSession);
    }
}

fn restore_session(model: &mut Model) -> Vec<Effect> {
    if let Some(before) = model.replaced.take() {
        let kept = (model.browser_language, model.system_dark, model.pane);
        let lessons = model.lessons.carried();
        *model = Model::restore(&before, kept.0);
        model.lessons = lessons;
        (model.system_dark, model.pane) = (kept.1, kept.2);
        model.recheck();
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
    start_session(model, Session::new(crate::app::model::first_scenario()), Some(before));
    vec![Effect::Save]
}

/// Something as a file.
fn exported(model: &Model, what: Export) -> Effect {
    let name = model.views.head.as_ref().map_or("daemonset", |head| &*head.key.name);
    let file = |name: String, text: String| Effect::Download { name, text };
    match what {
        Export::Svg => file(format!("{name}.svg"), export::picture(model)),
        Export::Png => Effect::DownloadPng { name: format!("{name}.png"), svg: export::picture(model) },
        Export::Report => file(format!("{name}.md"), export::report(model)),
        Export::Scenario => file("scenario.yaml".into(), model.session.scenario().to_yaml()),
    }
}

#[cfg(test)]
mod tests;
