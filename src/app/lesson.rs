//! Lessons and gallery in the page: what is offered, which lesson is open, how far the learner has come.

use crate::app::effect::Effect;
use crate::app::files::Files;
use crate::app::message::{Msg, Pane, Running, SideTab};
use crate::app::model::{Model, Notice};
use crate::app::persist::Saved;
use crate::app::text::Language;
use crate::lessons::{Both, Flaw, Lesson, LessonError, Level, Progress, Report, prove};
use crate::permalink;
use crate::simulation::{Scenario, Session};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where the open lesson is kept.
pub const LESSON_KEY: &str = "daemonset-playground.lesson";
/// Where it is kept which lessons were completed.
pub const RECORDS_KEY: &str = "daemonset-playground.lessons";
/// What stands before a lesson in the hash of an address.
pub const LINK_PARAMETER: &str = "lesson=";
/// Name of the file in which a teacher begins.
pub const TEMPLATE_NAME: &str = "lesson.md";

/// A static file beside the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The list of lessons.
    Lessons,
    /// The list of gallery scenarios.
    Gallery,
    /// A lesson.
    Lesson(String),
    /// A scenario of the gallery.
    Scenario(String),
    /// The template of a lesson.
    Template,
}

impl Fetch {
    /// Where it is, from the folder of the page; lessons are there as plain text (`scripts/finish-dist.mjs`).
    pub fn path(&self) -> String {
        match self {
            Self::Lessons => "lessons/index.json".into(),
            Self::Gallery => "gallery/index.json".into(),
            Self::Lesson(id) => format!("lessons/{id}.txt"),
            Self::Scenario(id) => format!("gallery/{id}.yaml"),
            Self::Template => "lessons/template/lesson.txt".into(),
        }
    }
}

/// What can happen to lessons.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonMsg {
    /// Show what there is.
    OpenCatalogue,
    /// Hide it.
    CloseCatalogue,
    /// A file has come, or could not be had.
    Fetched(Fetch, Option<Rc<str>>),
    /// Begin a lesson.
    Open(String),
    /// Open a scenario of the gallery.
    OpenScenario(String),
    /// Show a page of the lesson: 0 is the introduction.
    Page(usize),
    /// Answer a question.
    Answer(String, usize),
    /// Reveal the next hint.
    Hint,
    /// Go back to the start of a task, from 0.
    Reset(usize),
    /// Close the lesson; the cluster stays.
    Leave,
    /// Large type for a room, or not.
    Present(bool),
    /// Show or hide the presenter's notes.
    Notes,
    /// Begin to write a lesson.
    Template,
    /// Try the lesson in the shown file.
    Preview,
    /// Play the solutions of the lesson in the shown file.
    Prove,
    /// Offer the shown file.
    SaveFile,
    /// Put a link to the lesson in the shown file on the clipboard.
    Share(Rc<str>),
}

/// An entry of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Name of its file.
    pub id: String,
    /// Title.
    pub title: Both,
    /// One sentence.
    pub text: Both,
    /// Of a lesson: `beginner`…; of a scenario: its group.
    pub group: String,
    /// Of a lesson: how long it takes.
    pub minutes: u64,
}

/// What became of a lesson that was completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Points reached.
    pub score: u32,
    /// Points that could be reached.
    pub max: u32,
}

/// The open lesson.
#[derive(Clone, Debug)]
pub struct Active {
    /// The lesson.
    pub lesson: Rc<Lesson>,
    /// Its file.
    pub source: Rc<str>,
    /// How far the learner has come.
    pub progress: Progress,
    /// The page that is shown: 0 is the introduction, the last one the conclusion.
    pub page: usize,
}

/// What is wrong with the lesson that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// It cannot be read.
    pub errors: Vec<LessonError>,
    /// It can be read, but its solutions do not fit its tasks. `None`: not looked at yet.
    pub flaws: Option<Vec<Flaw>>,
}

/// Everything about lessons.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The lessons, once they are loaded.
    pub lessons: Rc<Vec<Entry>>,
    /// The gallery, once it is loaded.
    pub gallery: Rc<Vec<Entry>>,
    /// Whether the lists are shown.
    pub catalogue_open: bool,
    /// A list could not be loaded.
    pub failed: bool,
    /// The open lesson.
    pub active: Option<Active>,
    /// What is wrong with the one that is being written.
    pub draft: Option<Draft>,
    /// Lessons that were completed.
    pub records: BTreeMap<String, Record>,
    /// Large type for a room.
    pub presenting: bool,
    /// The presenter's notes are shown.
    pub notes: bool,
    /// Real time of the present message, in milliseconds.
    pub now_ms: u64,
}

/// What is kept of the open lesson.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    source: String,
    progress: Progress,
    #[serde(default)]
    page: usize,
}

impl Lessons {
    /// What another session takes over: everything but the open lesson.
    pub fn carried(&mut self) -> Self {
        Self { active: None, draft: None, ..std::mem::take(self) }
    }

    /// Brings back what was kept, where the session is still that of the lesson.
    pub fn restore(&mut self, session: &Session, lesson: Option<&str>, records: Option<&str>) {
        self.records = records.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let Some(kept) = lesson.and_then(|text| serde_json::from_str::<Kept>(text).ok()) else { return };
        let Ok(lesson) = Lesson::parse(&kept.source) else { return };
        let opened = Scenario { log: Vec::new(), ..lesson.scenario.clone() };
        let far_enough = kept.progress.tasks.iter().all(|task| task.since <= session.len());
        if kept.progress.fits(&lesson) && far_enough && *session.opened() == opened {
            let page = kept.page.min(lesson.tasks.len().saturating_add(1));
            self.active =
                Some(Active { lesson: Rc::new(lesson), source: kept.source.into(), progress: kept.progress, page });
        }
    }
}

impl Active {
    fn keep(&self) -> Effect {
        let kept = Kept { source: self.source.to_string(), progress: self.progress.clone(), page: self.page };
        Effect::Keep(LESSON_KEY, serde_json::to_string(&kept).ok())
    }

    /// The task whose page is shown, from 0.
    pub fn task(&self) -> Option<usize> {
        self.page.checked_sub(1).filter(|task| *task < self.lesson.tasks.len())
    }

    /// Number of the last page.
    pub fn last_page(&self) -> usize {
        self.lesson.tasks.len().saturating_add(1)
    }
}

/// Takes a message about lessons.
pub fn update(model: &mut Model, message: LessonMsg) -> Vec<Effect> {
    match message {
        LessonMsg::OpenCatalogue => {
            model.lessons.catalogue_open = true;
            model.lessons.failed = false;
            let mut effects = Vec::new();
            if model.lessons.lessons.is_empty() {
                effects.push(Effect::Fetch(Fetch::Lessons));
            }
            if model.lessons.gallery.is_empty() {
                effects.push(Effect::Fetch(Fetch::Gallery));
            }
            effects
        }
        LessonMsg::CloseCatalogue => {
            model.lessons.catalogue_open = false;
            Vec::new()
        }
        LessonMsg::Open(id) => vec![Effect::Fetch(Fetch::Lesson(id))],
        LessonMsg::OpenScenario(id) => vec![Effect::Fetch(Fetch::Scenario(id))],
        LessonMsg::Template => vec![Effect::Fetch(Fetch::Template)],
        LessonMsg::Fetched(what, text) => fetched(model, what, text),
        LessonMsg::Page(page) => {
            let Some(active) = &mut model.lessons.active else { return Vec::new() };
            active.page = page.min(active.last_page());
            vec![active.keep(), Effect::Focus("lesson-title")]
        }
        LessonMsg::Answer(question, choice) => {
            let Some(active) = &mut model.lessons.active else { return Vec::new() };
            let lesson = Rc::clone(&active.lesson);
            active.progress.answer(&lesson, &question, choice);
            vec![active.keep()]
        }
        LessonMsg::Hint => {
            let Some(active) = &mut model.lessons.active else { return Vec::new() };
            let lesson = Rc::clone(&active.lesson);
            active.progress.reveal_hint(&lesson);
            vec![active.keep()]
        }
        LessonMsg::Reset(task) => reset(model, task),
        LessonMsg::Leave => {
            model.lessons.active = None;
            model.lessons.presenting = false;
            vec![Effect::Keep(LESSON_KEY, None)]
        }
        LessonMsg::Present(on) => {
            model.lessons.presenting = on;
            model.tab = SideTab::Lesson;
            vec![Effect::Focus("lesson-title")]
        }
        LessonMsg::Notes => {
            model.lessons.notes = !model.lessons.notes;
            Vec::new()
        }
        LessonMsg::Preview => preview(model),
        LessonMsg::SaveFile => {
            let file = model.files.shown();
            file.map(|file| Effect::Download { name: file.name.to_string(), text: file.text.to_string() })
                .into_iter()
                .collect()
        }
        LessonMsg::Prove => {
            let draft = model.lessons.draft.get_or_insert_default();
            (draft.errors, draft.flaws) = match Lesson::parse(model.files.shown().map_or("", |file| &file.text)) {
                Ok(lesson) => (Vec::new(), Some(prove(&lesson))),
                Err(errors) => (errors, None),
            };
            Vec::new()
        }
        LessonMsg::Share(page) => {
            let source = match (&model.lessons.active, model.files.shown()) {
                (_, Some(file)) if is_lesson_file(&file.name) => Rc::clone(&file.text),
                (Some(active), _) => Rc::clone(&active.source),
                _ => return Vec::new(),
            };
            let address = page.split('#').next().unwrap_or("");
            model.announcement = model.words().copied.into();
            vec![Effect::Copy(format!("{address}#{LINK_PARAMETER}{}", permalink::pack(&source)))]
        }
    }
}

/// After every message: looks whether the present task is done.
pub fn after(model: &mut Model) -> Vec<Effect> {
    let now_ms = model.lessons.now_ms;
    let Some(active) = &mut model.lessons.active else { return Vec::new() };
    let before = (active.progress.current, active.progress.tasks.len());
    let lesson = Rc::clone(&active.lesson);
    let files = &model.files;
    let reports = active.progress.look(&lesson, &model.session, || files.by_name(), now_ms);
    if reports.is_empty() && before == (active.progress.current, active.progress.tasks.len()) {
        return Vec::new();
    }
    let mut effects = vec![active.keep()];
    let words = model.settings.language.unwrap_or(model.browser_language).lesson_words();
    if let Some(report) = reports.last() {
        model.announcement = if report.done == report.tasks { words.lesson_done } else { words.task_done }.into();
    }
    for report in &reports {
        if report.done == report.tasks {
            let record = Record { score: report.score, max: report.max };
            model.lessons.records.insert(report.lesson.clone(), record);
            effects.push(Effect::Keep(RECORDS_KEY, serde_json::to_string(&model.lessons.records).ok()));
        }
        effects.push(emit(report));
    }
    effects
}

fn emit(report: &Report) -> Effect {
    Effect::Emit { name: report.name(), detail: report.detail().to_string() }
}

/// Whether a file of the editor is a lesson.
pub fn is_lesson_file(name: &str) -> bool {
    name.ends_with(".md")
}

/// The lesson in the hash of an address, if there is one that can be read.
pub fn lesson_in_link(hash: &str) -> Option<String> {
    let word = hash.trim_start_matches('#').split('&').find_map(|part| part.strip_prefix(LINK_PARAMETER))?;
    permalink::unpack(word).ok()
}

/// Begins a lesson in place of the present session, which can be brought back.
pub fn begin(model: &mut Model, source: &str) -> Vec<Effect> {
    let lesson = match Lesson::parse(source) {
        Ok(lesson) => lesson,
        Err(errors) => {
            model.files.add(TEMPLATE_NAME, source);
            model.lessons.draft = Some(Draft { errors, flaws: None });
            (model.tab, model.pane) = (SideTab::Lesson, Pane::Story);
            return Vec::new();
        }
    };
    let before = model.saved();
    let mut session = Session::new(lesson.scenario.clone());
    session.run_to_quiet(SETUP_BUDGET);
    let files = files_of(&lesson.scenario).unwrap_or_else(|| model.files.clone());
    open(model, session, files, before);
    let progress = Progress::begin(&lesson, &model.session, &model.files.by_name(), model.lessons.now_ms);
    let active = Active { lesson: Rc::new(lesson), source: source.into(), progress, page: 0 };
    let effects = vec![active.keep(), Effect::Save, Effect::Focus("lesson-title")];
    model.lessons.active = Some(active);
    (model.tab, model.pane) = (SideTab::Lesson, Pane::Story);
    effects
}

/// Most steps until a lesson's cluster has come to rest.
const SETUP_BUDGET: usize = 20_000;

/// The editor's tabs of a scenario; what its commands have applied already counts as applied.
fn files_of(scenario: &Scenario) -> Option<Files> {
    let mut files = scenario.files.iter();
    let (name, text) = files.next()?;
    let mut tabs = Files::new(name, text);
    for (name, text) in files {
        tabs.add(name, text);
    }
    let applied = |name: &str| {
        let used = |line: &str| line.contains("apply") && line.split_whitespace().any(|word| word == name);
        scenario.log.iter().any(|entry| used(&entry.run))
    };
    let ids: Vec<u32> = tabs.list().iter().filter(|file| applied(&file.name)).map(|file| file.id).collect();
    ids.into_iter().for_each(|id| tabs.applied(id));
    let first = tabs.list().first().map(|file| file.id);
    first.into_iter().for_each(|id| tabs.show(id));
    Some(tabs)
}

fn open(model: &mut Model, session: Session, files: Files, before: Saved) {
    model.running = Running::No;
    model.files = files;
    model.lessons.catalogue_open = false;
    crate::app::update::start_session(model, session, Some(before));
}

fn fetched(model: &mut Model, what: Fetch, text: Option<Rc<str>>) -> Vec<Effect> {
    let Some(text) = text else {
        let words = model.language().lesson_words();
        model.lessons.failed = true;
        model.notice = Some(Notice { text: words.not_loaded.into(), trouble: true, action: None });
        return Vec::new();
    };
    match what {
        Fetch::Lessons => model.lessons.lessons = Rc::new(entries(&text, "lessons")),
        Fetch::Gallery => model.lessons.gallery = Rc::new(entries(&text, "scenarios")),
        Fetch::Lesson(_) => return begin(model, &text),
        Fetch::Scenario(id) => {
            let Ok(scenario) = Scenario::parse(&text) else {
                return fetched(model, Fetch::Scenario(id), None);
            };
            let before = model.saved();
            let about = scenario.about.get(model.language().tag()).cloned();
            let files = files_of(&scenario).unwrap_or_else(|| model.files.clone());
            open(model, Session::new(scenario), files, before);
            (model.pane, model.tab) = (Pane::Cluster, SideTab::Story);
            if let Some(about) = about {
                let action = model.notice.as_ref().and_then(|notice| notice.action);
                let text = format!("{}: {}", about.title, about.text);
                model.announcement = text.as_str().into();
                model.notice = Some(Notice { text, trouble: false, action });
            }
            return vec![Effect::Save];
        }
        Fetch::Template => {
            model.files.add(TEMPLATE_NAME, &text);
            model.lessons.catalogue_open = false;
            model.lessons.draft = Some(Draft::default());
            (model.tab, model.pane) = (SideTab::Lesson, Pane::Manifest);
            model.recheck();
            return vec![Effect::Save];
        }
    }
    Vec::new()
}

/// Tries the lesson in the shown file; its text stays open in the editor.
fn preview(model: &mut Model) -> Vec<Effect> {
    let Some(file) = model.files.shown().filter(|file| is_lesson_file(&file.name)) else { return Vec::new() };
    let (name, text) = (file.name.to_string(), Rc::clone(&file.text));
    let effects = match Lesson::parse(&text) {
        Ok(_) => begin(model, &text),
        Err(errors) => {
            model.lessons.draft = Some(Draft { errors, flaws: None });
            return Vec::new();
        }
    };
    let shown = model.files.shown_id();
    model.files.add(&name, &text);
    model.files.show(shown);
    effects
}

/// Goes back to the start of a task: cluster and files are as they were.
fn reset(model: &mut Model, task: usize) -> Vec<Effect> {
    let Some(active) = &mut model.lessons.active else { return Vec::new() };
    let Some((position, files)) = active.progress.reset_to(task) else { return Vec::new() };
    active.page = task.saturating_add(1);
    let keep = active.keep();
    for (name, text) in files {
        match model.files.named(&name).map(|file| file.id) {
            Some(id) => model.files.edit(id, text.into()),
            None => {
                model.files.add(&name, &text);
            }
        }
    }
    model.running = Running::No;
    model.session.seek(position);
    model.refresh();
    model.recheck();
    vec![keep, Effect::Save, Effect::Focus("lesson-title")]
}

/// Reads a list; entries that are not as they should be are left out.
fn entries(text: &str, member: &str) -> Vec<Entry> {
    let tree: Value = serde_json::from_str(text).unwrap_or_default();
    let text_at =
        |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let both = |entry: &Value, en: &str, fr: &str| Both { en: text_at(entry, en), fr: text_at(entry, fr) };
    let listed = tree.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = listed.iter().map(|entry| {
        let is_lesson = entry.get("level").is_some();
        let (title, text) = if is_lesson {
            (both(entry, "/title/en", "/title/fr"), both(entry, "/summary/en", "/summary/fr"))
        } else {
            (both(entry, "/en/title", "/fr/title"), both(entry, "/en/text", "/fr/text"))
        };
        Entry {
            id: text_at(entry, "/id"),
            title,
            text,
            group: text_at(entry, if is_lesson { "/level" } else { "/group" }),
            minutes: entry.get("minutes").and_then(Value::as_u64).unwrap_or(0),
        }
    });
    read.filter(|entry| !entry.id.is_empty()).collect()
}

impl Both {
    /// The text in a language of the page.
    pub fn in_language(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Fr => &self.fr,
        }
    }
}

/// Name of a level in the lists.
pub fn level_named(name: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| level.name() == name)
}

impl From<LessonMsg> for Msg {
    fn from(message: LessonMsg) -> Self {
        Self::Lesson(message)
    }
}

#[cfg(test)]
#[path = "lesson_tests.rs"]
mod tests;
