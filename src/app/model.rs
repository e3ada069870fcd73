//! All state of the interface.

use crate::app::check::{Check, Checking};
use crate::app::exchange::Exchange;
use crate::app::files::Files;
use crate::app::lesson::{Lessons, is_lesson_file};
use crate::app::message::{Counter, FileId, Inspect, Pane, Question, Running, SideTab};
use crate::app::persist::{Saved, Settings};
use crate::app::share::Shared;
use crate::app::text::{Language, Words};
use crate::app::view::{Completed, EditorMark, TerminalEntry};
use crate::app::views::Views;
use crate::kubectl::{Context, complete};
use crate::objects::{NodeTemplate, Object, ObjectKey, encode};
use crate::simulation::{CommandRun, Scenario, Session};
use serde_json::Value;
use std::rc::Rc;

/// The manifest that a first visit shows.
pub const FIRST_FILE: (&str, &str) = ("node-exporter.yaml", include_str!("../../www/examples/node-exporter.yaml"));

/// Steps of the story that are shown before one asks for more.
pub const STORY_PAGE: usize = 120;

/// Everything that the page shows, and what it is made from.
#[derive(Clone, Debug)]
pub struct Model {
    /// The cluster and its steps.
    pub session: Session,
    /// The manifests.
    pub files: Files,
    /// What a person chose once.
    pub settings: Settings,
    /// The browser's language, used until one is chosen.
    pub browser_language: Language,
    /// Whether the system asks for dark colours.
    pub system_dark: bool,
    /// Part of the page that is shown on a narrow screen.
    pub pane: Pane,
    /// The panel beside the cluster.
    pub tab: SideTab,
    /// What was asked last; the panel of reasons answers it.
    pub question: Option<Question>,
    /// The line of the shown file that the person looks at; 0: none.
    pub line: usize,
    /// The panel of details.
    pub inspect: Option<Inspect>,
    /// The DaemonSet that is looked at.
    pub chosen: Option<ObjectKey>,
    /// The counter whose pods are shown.
    pub counter: Option<Counter>,
    /// Text of the filter box.
    pub filter: Rc<str>,
    /// Label by whose values the nodes are grouped.
    pub group: Option<Rc<str>>,
    /// The nodes are shown as a table.
    pub as_table: bool,
    /// The branch that is shown beside the present line.
    pub compare: Option<usize>,
    /// The last loop that was found: the position, and the virtual milliseconds of a round.
    pub looped: Option<(usize, u64)>,
    /// The command under the pointer.
    pub hint: Option<Rc<str>>,
    /// Whether the review of what Apply changes is open.
    pub review_open: bool,
    /// Whether the terminal's drawer is open.
    pub terminal_open: bool,
    /// What runs by itself.
    pub running: Running,
    /// How a run is cut into slices.
    pub pace: Pace,
    /// All commands of this visit and what they printed.
    pub terminal: Rc<Vec<Rc<TerminalEntry>>>,
    /// Lines that were typed while a command waits; they run when it has ended.
    pub typed_ahead: Rc<Vec<String>>,
    /// The session that was replaced last, to be brought back.
    pub replaced: Option<Saved>,
    /// How long the link of the session is, while the menu that offers it is open.
    pub shared: Option<Shared>,
    /// Export and import.
    pub exchange: Exchange,
    /// Steps are played because a typed command waits.
    pub plays_for_command: bool,
    /// The last step whose output the terminal has.
    pub told: usize,
    /// The command line, completed.
    pub completed: Option<Rc<Completed>>,
    /// Something to tell that belongs to no part of the page.
    pub notice: Option<Notice>,
    /// What assistive technology is told.
    pub announcement: Rc<str>,
    /// The step whose changes are shown.
    pub open_step: Option<usize>,
    /// How many steps of the story before the present one are shown.
    pub story_before: usize,
    /// Only the steps that speak of this are shown; empty: all.
    pub story_filter: Rc<str>,
    /// What there is to say about the shown file.
    pub check: Check,
    /// The next look at it, while it is under way.
    pub checking: Option<Checking>,
    /// A range of the shown file that something else speaks of.
    pub mark: Option<EditorMark>,
    /// A label or taint that something else speaks of: node and key.
    pub chip: Option<(Rc<str>, Rc<str>)>,
    /// Lines of a file that a click has written: the file, their range, and a number that makes each click another.
    pub reveal: Option<(FileId, u32, u32, u32)>,
    /// Where the caret should go, and a number that makes each wish another.
    pub go_to: Option<(u32, u32)>,
    /// What the panel of insight is asked.
    pub insight: crate::app::insight::State,
    /// Lessons and gallery.
    pub lessons: Lessons,
    /// What is shown, computed from the above.
    pub views: Views,
}

/// How a run is cut into slices, so that the page stays alive and most of the time goes into the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Steps in the next slice.
    pub steps: usize,
    /// Milliseconds of the run since the page was drawn last.
    pub run_ms: u32,
    /// Milliseconds that drawing took then.
    pub drawing_ms: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { steps: 32, run_ms: 0, drawing_ms: 0 }
    }
}

impl Pace {
    /// The length of a slice, in milliseconds.
    const SLICE_MS: u32 = 8;

    /// Takes into account how long the last slice and drawing its outcome took. Returns whether the next slice's
    /// outcome is to be drawn: several times a second as long as drawing is quick, else after three times as much
    /// running as drawing takes.
    pub fn next(&mut self, took_ms: u32, drawn_ms: u32) -> bool {
        let wanted = self.steps.saturating_mul(Self::SLICE_MS as usize) / (took_ms.max(1) as usize);
        // Not more than twice as many at once: a single step can be a thousand times as long as another.
        self.steps = wanted.clamp(1, self.steps.saturating_mul(2)).min(5000);
        if drawn_ms > 0 {
            (self.run_ms, self.drawing_ms) = (0, drawn_ms);
        }
        self.run_ms = self.run_ms.saturating_add(took_ms.max(1));
        self.run_ms >= self.drawing_ms.saturating_mul(3).max(48)
    }
}

/// Something to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The text.
    pub text: String,
    /// Whether it is about trouble.
    pub trouble: bool,
    /// What can be done about it.
    pub action: Option<NoticeAction>,
}

/// What a notice offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeAction {
    /// Bring the closed file back.
    ReopenFile,
    /// Bring the session back that was replaced.
    RestoreSession,
    /// Load the other version of the site.
    UseUpdate,
}

/// The cluster of a first visit: a control plane with its taint, and three workers.
pub fn first_scenario() -> Scenario {
    let names = [("control-plane", NodeTemplate::ControlPlane)]
        .into_iter()
        .chain(["worker1", "worker2", "worker3"].map(|name| (name, NodeTemplate::Worker)));
    let start = Scenario::default().start;
    let node = |(number, (name, template)): (u32, (&str, NodeTemplate))| {
        let object = Object::from(template.node(name, number, start));
        let mut tree = encode(&object.to_value());
        if let Some(map) = tree.as_object_mut() {
            map.retain(|_, value| *value != Value::Null);
        }
        tree
    };
    Scenario { objects: (1..).zip(names).map(node).collect(), ..Scenario::default() }
}

impl Model {
    /// The page of a first visit.
    pub fn new(settings: Settings, browser_language: Language) -> Self {
        let files = Files::new(FIRST_FILE.0, FIRST_FILE.1);
        Self::with(Session::new(first_scenario()), files, settings, browser_language)
    }

    /// The page as it was left. Files are always kept; a scenario that cannot be read is replaced by the first one.
    pub fn restore(saved: &Saved, browser_language: Language) -> Self {
        let files = saved.files().unwrap_or_else(|| Files::new(FIRST_FILE.0, FIRST_FILE.1));
        let Ok(scenario) = Scenario::parse(&saved.scenario) else {
            return Self::with(Session::new(first_scenario()), files, saved.settings, browser_language);
        };
        let mut session = Session::new(scenario);
        while session.position() < saved.steps && session.step() {}
        session.seek(saved.position);
        Self::with(session, files, saved.settings, browser_language)
    }

    /// A session with files. What there is to say about them is left to [`Self::recheck`], so that the page can be drawn
    /// first.
    pub fn with(session: Session, files: Files, settings: Settings, browser_language: Language) -> Self {
        Self::with_views(session, files, settings, browser_language, Views::default())
    }

    /// The same, with views that were prepared for this session.
    pub fn with_views(
        session: Session,
        files: Files,
        settings: Settings,
        browser_language: Language,
        views: Views,
    ) -> Self {
        let mut model = Self {
            session,
            files,
            settings,
            browser_language,
            system_dark: false,
            pane: Pane::default(),
            tab: SideTab::default(),
            question: None,
            line: 0,
            inspect: None,
            chosen: None,
            counter: None,
            filter: "".into(),
            group: None,
            as_table: false,
            compare: None,
            looped: None,
            hint: None,
            review_open: false,
            terminal_open: false,
            running: Running::No,
            pace: Pace::default(),
            terminal: Rc::default(),
            typed_ahead: Rc::default(),
            replaced: None,
            shared: None,
            exchange: Exchange::default(),
            plays_for_command: false,
            told: 0,
            completed: None,
            notice: None,
            announcement: "".into(),
            open_step: None,
            story_before: STORY_PAGE,
            story_filter: "".into(),
            check: Check::default(),
            checking: None,
            mark: None,
            chip: None,
            go_to: None,
            reveal: None,
            insight: crate::app::insight::State::new(settings.prices),
            lessons: Lessons::default(),
            views,
        };
        model.refresh();
        model
    }

    /// The language of the page.
    pub fn language(&self) -> Language {
        self.settings.language.unwrap_or(self.browser_language)
    }

    /// The texts of the page.
    pub fn words(&self) -> &'static Words {
        self.language().words()
    }

    /// Whether the page is dark.
    pub fn is_dark(&self) -> bool {
        match self.settings.theme {
            crate::app::message::Theme::Auto => self.system_dark,
            theme => theme == crate::app::message::Theme::Dark,
        }
    }

    /// Whether the next press of Step applies the manifest: nothing was ever applied, there is no DaemonSet, and the
    /// person stands at the end of the line with a manifest in the editor.
    pub fn step_applies(&self) -> bool {
        let session = &self.session;
        session.position() == session.len()
            && session.world().store().daemon_sets().is_empty()
            && self.files.list().iter().all(|file| file.applied.is_none())
            && self.files.shown().is_some_and(|file| file.is_edited() && !is_lesson_file(&file.name))
    }

    /// Whether a step can be made. A first step applies the manifest.
    pub fn can_step(&self) -> bool {
        !self.session.is_quiet() || self.step_applies()
    }

    /// Computes again what is shown.
    pub fn refresh(&mut self) {
        let mut views = std::mem::take(&mut self.views);
        views.refresh(self);
        self.chosen = views.head.as_ref().map(|head| head.key.clone()).or_else(|| self.chosen.take());
        self.views = views;
    }

    /// Looks again at the shown file.
    pub fn recheck(&mut self) {
        self.checking = None;
        let Some(file) = self.files.shown() else { return };
        self.check = Check::of(&self.session, self.words(), &file.name, &file.text);
        self.checked();
    }

    /// After the shown file was looked at.
    fn checked(&mut self) {
        if matches!(self.tab, SideTab::Insight | SideTab::Why) {
            // They speak of the shown file.
            self.refresh();
        }
    }

    /// Begins to look again at the shown file, or goes on with that: a long text is looked at in slices. Returns
    /// whether there is more to do.
    pub fn check_slice(&mut self, begins: bool) -> bool {
        /// Bytes of text in a slice; some milliseconds.
        const SLICE: usize = 6_000;
        let words = self.words();
        // The page has just been drawn, and its code is new to the browser.
        let first = self.check == Check::default();
        if begins {
            let Some(file) = self.files.shown() else { return false };
            self.checking = Some(Checking::begin(&self.session, words, &file.name, &file.text));
        }
        let Some(checking) = &mut self.checking else { return false };
        // Reading a long text is a slice of its own.
        let slice = if first { 1 } else { SLICE };
        if (begins && checking.is_long(slice)) || !checking.advance(&self.session, words, slice) {
            return true;
        }
        if let Some(checking) = self.checking.take() {
            self.check = checking.finish(words);
            self.checked();
        }
        false
    }

    /// What is to be kept for the next visit.
    pub fn saved(&self) -> Saved {
        let scenario = self.session.scenario().to_yaml();
        Saved::new(self.settings, scenario, self.session.len(), self.session.position(), &self.files)
    }

    /// Completes a command line at the cursor, as far as that is clear.
    pub fn complete_command(&mut self, line: &str, cursor: usize) {
        let world = self.session.world();
        let context =
            Context { files: self.files.by_name(), namespace: world.namespace().to_string(), ..Context::default() };
        let found = complete(world.api(), &context, line, cursor);
        let (before, after) = (line.get(..found.start).unwrap_or(""), line.get(cursor..).unwrap_or(""));
        let space = match found.candidates.as_slice() {
            [only] if only.is_whole => " ",
            _ => "",
        };
        let choices = match found.candidates.as_slice() {
            [] | [_] => Vec::new(),
            many => many.iter().map(|candidate| candidate.text.clone()).collect(),
        };
        let line = match found.candidates.is_empty() {
            true => line.to_string(),
            false => format!("{before}{}{space}{after}", found.common()),
        };
        let number = self.completed.as_ref().map_or(0, |before| before.number) + 1;
        self.completed = Some(Rc::new(Completed { line, choices, number }));
    }

    /// Notes what a command printed.
    pub fn log(&mut self, run: &CommandRun) {
        let entries = Rc::make_mut(&mut self.terminal);
        // A command that waits goes on where it was.
        let goes_on = |before: &&mut Rc<TerminalEntry>| before.waiting && before.line == run.line;
        if let Some(before) = entries.iter_mut().rev().find(goes_on) {
            let before = Rc::make_mut(before);
            before.stdout += &run.stdout;
            before.stderr += &run.stderr;
            before.failed = run.exit_code.is_some_and(|code| code != 0);
            before.waiting = run.exit_code.is_none();
            return;
        }
        entries.push(Rc::new(TerminalEntry {
            number: entries.last().map_or(1, |entry| entry.number + 1),
            line: run.line.clone(),
            stdout: run.stdout.clone(),
            stderr: run.stderr.clone(),
            failed: run.exit_code.is_some_and(|code| code != 0),
            waiting: run.exit_code.is_none(),
        }));
    }
}
