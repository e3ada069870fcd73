//! Command lines: typed ones, which wait for each other, and clicked ones, which run beside them.

use super::*;

/// Ctrl+C: the command that waits ends. It is a line of the log, too, so that a replay ends it at the same moment.
pub(super) fn interrupt(model: &mut Model) -> Vec<Effect> {
    let at_end = model.session.position() == model.session.len();
    if model.session.world().waiting().is_none() || !at_end {
        return Vec::new();
    }
    let waiting = model.session.world().waiting().map(|waiting| waiting.line.clone());
    let entries = Rc::make_mut(&mut model.terminal).iter_mut().rev();
    if let Some(entry) = entries.into_iter().find(|entry| entry.waiting && Some(&entry.line) == waiting.as_ref()) {
        let entry = Rc::make_mut(entry);
        entry.stdout += "^C\n";
        (entry.waiting, entry.failed) = (false, true);
    }
    let run = model.session.run(INTERRUPT, &Default::default());
    model.told = model.session.position();
    model.announcement = run.line.as_str().into();
    (model.running, model.plays_for_command) = (Running::No, false);
    let mut effects = moved(model);
    effects.extend(run_typed(model));
    effects
}

/// Whether a command of the terminal has not ended yet.
fn waits(model: &Model) -> bool {
    model.session.position() == model.session.len() && model.session.world().waiting().is_some()
}

/// Runs what was typed, as far as nothing waits: a terminal keeps its input until the command before has ended.
pub(super) fn run_typed(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    while !waits(model) && !model.typed_ahead.is_empty() {
        let line = Rc::make_mut(&mut model.typed_ahead).remove(0);
        // In the past, what waited then goes on beside it.
        let beside = model.session.world().waiting().is_some();
        effects = run(model, &line, beside);
    }
    // A command that waits lets time pass.
    if !effects.is_empty() && waits(model) {
        model.plays_for_command = true;
        model.running = Running::Playing;
        effects.push(Effect::TickLater(model.settings.speed.pause_ms()));
    }
    effects
}

/// Runs what a click stands for, beside a command of the terminal that waits: that one goes on.
pub(super) fn clicked(model: &mut Model, line: &str) -> Vec<Effect> {
    let plays = model.plays_for_command;
    let mut effects = run(model, line, true);
    effects.extend(play_on(model, plays));
    effects
}

/// Lets time pass on for a command that waits, if it `plays`: when nothing was due any more, playing had stopped.
fn play_on(model: &mut Model, plays: bool) -> Option<Effect> {
    let goes_on = plays && waits(model);
    if goes_on {
        (model.running, model.plays_for_command) = (Running::Playing, true);
    }
    goes_on.then(|| Effect::TickLater(model.settings.speed.pause_ms()))
}

/// The line that stands for Ctrl+C in the log: a comment, which does nothing but take the place of what waits.
const INTERRUPT: &str = "# ^C";

/// Runs a command line and shows it; `beside`: a command that waits goes on.
fn run(model: &mut Model, line: &str, beside: bool) -> Vec<Effect> {
    model.running = Running::No;
    model.completed = None;
    model.hint = None;
    leave_loop(model);
    let files = model.files.by_name();
    let run = if beside { model.session.run_beside(line, &files) } else { model.session.run(line, &files) };
    model.told = model.session.position();
    model.plays_for_command = false;
    model.log(&run);
    open_edited(model, &run);
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

/// A command in the past leaves the line on which a later loop was found.
fn leave_loop(model: &mut Model) {
    model.looped = model.looped.filter(|(at, _)| *at <= model.session.position());
}

/// `kubectl edit` opens the object as a tab. Applying that tab saves it, see [`save_line`].
fn open_edited(model: &mut Model, run: &CommandRun) {
    for effect in &run.effects {
        let crate::kubectl::Effect::Edit { file, text } = effect else { continue };
        // The version would refuse the change as soon as a controller writes a status.
        let kept = text.lines().filter(|line| !line.starts_with("  resourceVersion: "));
        let text: String = kept.map(|line| format!("{line}\n")).collect();
        model.files.add(file, &text);
        model.pane = Pane::Manifest;
    }
}

/// What Apply runs for a tab: `kubectl replace` for what `kubectl edit` opened.
fn save_line(name: &str, text: &str) -> String {
    let apply = command::apply(name);
    if text.starts_with("# Please edit the object below") { apply.replacen(" apply ", " replace ", 1) } else { apply }
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

pub(super) fn run_apply(model: &mut Model) -> bool {
    let Some(file) = model.files.shown() else { return false };
    let (id, line) = (file.id, save_line(&file.name, &file.text));
    leave_loop(model);
    let files = model.files.by_name();
    let run = model.session.run_beside(&line, &files);
    model.told = model.session.position();
    model.log(&run);
    let done = run.exit_code == Some(0);
    if done {
        model.files.applied(id);
    }
    done
}

pub(super) fn apply(model: &mut Model) -> Vec<Effect> {
    model.running = Running::No;
    model.recheck();
    if model.files.shown().is_none_or(|file| file.text.trim().is_empty()) {
        return Vec::new();
    }
    // A lesson is tried where a manifest is applied.
    if model.files.shown().is_some_and(|file| lesson::is_lesson_file(&file.name)) {
        model.tab = SideTab::Lesson;
        return lesson::update(model, lesson::LessonMsg::Preview);
    }
    let plays = model.plays_for_command;
    let done = run_apply(model);
    model.review_open = false;
    let mut effects = moved(model);
    effects.extend(play_on(model, plays));
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

/// What waiting commands printed meanwhile goes to the terminal; where the last one has ended, what was typed runs.
pub(super) fn follow_commands(model: &mut Model) -> Vec<Effect> {
    use crate::simulation::Reason;
    let position = model.session.position();
    let waited = model.terminal.iter().any(|entry| entry.waiting);
    for number in model.told.saturating_add(1)..=position {
        let Some(step) = model.session.step_number(number) else { continue };
        if let Reason::CommandWent(run) = &step.reason {
            let run = Rc::clone(run);
            if waited || !run.stdout.is_empty() || !run.stderr.is_empty() {
                model.log(&run);
            }
        }
    }
    model.told = model.told.max(position);
    if model.plays_for_command && model.session.world().waiting().is_none() {
        model.plays_for_command = false;
        if model.running == Running::Playing {
            model.running = Running::No;
        }
    }
    run_typed(model)
}
