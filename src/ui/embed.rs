//! The application inside somebody else's page: mounted on an element of it, and told apart from the page by everything
//! that belongs to the page alone (its title, its hash, its storage, its shortcuts).

use crate::app::files::Files;
use crate::app::lesson;
use crate::app::message::{Msg, Pane, Theme};
use crate::app::model::{FIRST_FILE, Model, first_scenario};
use crate::app::persist::Settings;
use crate::app::phrase::fill;
use crate::app::share;
use crate::app::text::Language;
use crate::js_api::Playground;
use crate::js_api::border::{give, take};
use crate::lessons::{Expectation, Item, Lesson, LessonError, Scene};
use crate::permalink::SharedState;
use crate::simulation::{Scenario, Session};
use crate::ui::browser;
use crate::ui::root::{App, Heard};
use crate::ui::stage::Stage;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;
use web_sys::Element;
use yew::html::Scope;

/// A part of the application that a page can show or leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The bar at the top with its menus.
    Bar,
    /// The editor.
    Manifests,
    /// The nodes and the DaemonSets.
    Cluster,
    /// Steps, events and the other panels.
    Story,
    /// The buttons, and the chart.
    Transport,
    /// The command line.
    Terminal,
}

impl Part {
    /// All of them, as a page of its own shows them.
    pub const ALL: [Self; 6] =
        [Self::Bar, Self::Manifests, Self::Cluster, Self::Story, Self::Transport, Self::Terminal];

    /// Its name in the attribute `view`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bar => "bar",
            Self::Manifests => "manifests",
            Self::Cluster => "cluster",
            Self::Story => "story",
            Self::Transport => "transport",
            Self::Terminal => "terminal",
        }
    }

    /// The parts of a list of names; `all` means all, unknown names are left out. Without any, cluster and transport.
    pub fn list(text: &str) -> Vec<Self> {
        let names: Vec<&str> = text.split([',', ' ']).map(str::trim).collect();
        let chosen = |part: &Self| names.iter().any(|name| *name == part.name() || *name == "all");
        let parts: Vec<Self> = Self::ALL.into_iter().filter(chosen).collect();
        if parts.is_empty() { vec![Self::Cluster, Self::Transport] } else { parts }
    }
}

/// What a page asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    scenario: Option<String>,
    permalink: Option<String>,
    /// A number of steps, or `end`.
    step: Option<String>,
    view: Option<String>,
    theme: Option<String>,
    lang: Option<String>,
}

/// Where and how the application is embedded.
pub struct Embed {
    /// The element on which it stands.
    pub place: Element,
    /// The parts that are shown.
    pub parts: Vec<Part>,
    start: RefCell<Option<Model>>,
    on_event: Option<js_sys::Function>,
    goals: Vec<Item>,
    told: RefCell<Told>,
    line: RefCell<Line>,
}

/// The way to the application.
enum Line {
    /// It does not stand yet; what it will hear.
    Waiting(Vec<Heard>),
    /// It stands.
    Open(Scope<App>),
    /// It was taken off the page.
    Closed,
}

/// What the page has been told last.
#[derive(Default)]
struct Told {
    position: Option<(usize, usize)>,
    reached: Vec<bool>,
    /// The open lesson, and how many of its tasks are done.
    tasks: Option<(String, usize)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepEvent {
    position: usize,
    length: usize,
    quiet: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalEvent<'a> {
    index: usize,
    reached: usize,
    of: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// The lesson, where the goal is one of its tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<&'a str>,
}

impl Embed {
    /// The state to begin with; given once.
    pub fn take_start(&self) -> Option<Model> {
        self.start.borrow_mut().take()
    }

    /// The application stands: it hears what was sent before.
    pub fn stands(&self, application: &Scope<App>) {
        let before = self.line.replace(Line::Open(application.clone()));
        if let Line::Waiting(heard) = before {
            heard.into_iter().for_each(|heard| application.send_message(heard));
        }
    }

    fn send(&self, heard: Heard) {
        match &mut *self.line.borrow_mut() {
            Line::Waiting(waiting) => waiting.push(heard),
            Line::Open(application) => application.send_message(heard),
            Line::Closed => {}
        }
    }

    /// The names of the parts, for the styles.
    pub fn names(&self) -> String {
        self.parts.iter().map(|part| part.name()).collect::<Vec<_>>().join(" ")
    }

    /// Tells the page what has changed: the position, and the goals that are reached: the scenario's `expect`, and the
    /// tasks of the open lesson.
    pub fn tell(&self, model: &Model) {
        let mut told = self.told.borrow_mut();
        self.tell_position(model, &mut told);
        self.tell_tasks(model, &mut told);
    }

    fn tell_position(&self, model: &Model, told: &mut Told) {
        let session = &model.session;
        let now = (session.position(), session.len());
        if told.position == Some(now) {
            return;
        }
        let first = told.position.replace(now).is_none();
        if !first {
            self.emit("step", &StepEvent { position: now.0, length: now.1, quiet: session.is_quiet() });
        }
        if self.goals.is_empty() {
            return;
        }
        let scene = Scene::now(session, 0);
        let holds: Vec<bool> = self.goals.iter().map(|goal| goal.check.holds(scene)).collect();
        let reached = holds.iter().filter(|holds| **holds).count();
        for (index, goal) in self.goals.iter().enumerate() {
            let before = told.reached.get(index).copied().unwrap_or_default();
            if !before && holds.get(index).copied().unwrap_or_default() {
                let text = goal.say.as_ref().map(|say| say.in_language(model.language()));
                self.emit("goal", &GoalEvent { index, reached, of: holds.len(), text, lesson: None });
            }
        }
        told.reached = holds;
    }

    /// A task that is done is a goal that is reached. One that was reset is reached again.
    fn tell_tasks(&self, model: &Model, told: &mut Told) {
        let active = model.lessons.active.as_ref();
        let now = active.map(|active| (active.lesson.id.clone(), active.progress.current));
        if told.tasks == now {
            return;
        }
        let before = std::mem::replace(&mut told.tasks, now);
        let Some(active) = active else { return };
        let lesson = &active.lesson;
        // Tasks that were done when the lesson was opened are no news.
        let known = before.filter(|(id, _)| *id == lesson.id).map_or(active.progress.current, |(_, done)| done);
        for (index, task) in lesson.tasks.iter().enumerate().take(active.progress.current).skip(known) {
            let text = Some(task.speech.title.in_language(model.language()));
            let (reached, of, lesson) = (index.saturating_add(1), lesson.tasks.len(), Some(&*lesson.id));
            self.emit("goal", &GoalEvent { index, reached, of, text, lesson });
        }
    }

    /// Tells the page something that is written as JSON.
    pub fn tell_json(&self, name: &str, detail: &str) {
        if let (Some(on_event), Ok(detail)) = (&self.on_event, js_sys::JSON::parse(detail)) {
            let _ = on_event.call2(&JsValue::NULL, &name.into(), &detail);
        }
    }

    fn emit<T: Serialize>(&self, name: &str, detail: &T) {
        if let (Some(on_event), Ok(detail)) = (&self.on_event, give(detail)) {
            // What a listener throws is the page's own affair.
            let _ = on_event.call2(&JsValue::NULL, &name.into(), &detail);
        }
    }
}

/// The application on an element of a page.
#[wasm_bindgen]
pub struct Mounted {
    standing: Option<(Rc<Embed>, Stage)>,
}

/// Puts the application on an element. `options`: `scenario` (its text, or that of a lesson) or `permalink`, `step`, `view`,
/// `theme`, `lang`; `on_event(name, detail)` is called with `step`, `goal`, `lesson:progress` and `lesson:complete`.
///
/// # Errors
/// Where the scenario, the lesson or the link cannot be read.
#[wasm_bindgen]
pub fn mount(element: Element, options: JsValue, on_event: Option<js_sys::Function>) -> Result<Mounted, JsError> {
    let options: Options = take(&options, "options")?.unwrap_or_default();
    let language = options.lang.as_deref().and_then(Language::from_tag);
    let theme = Theme::ALL.into_iter().find(|theme| Some(theme.name()) == options.theme.as_deref()).unwrap_or_default();
    let settings = Settings { theme, language, ..Settings::default() };
    let (mut model, usual_view) = open(&options, settings).map_err(|error| JsError::new(&error))?;
    let goals = Expectation::of(model.session.opened()).map(|expected| expected.checks).unwrap_or_default();
    let parts = Part::list(options.view.as_deref().filter(|view| !view.is_empty()).unwrap_or(&usual_view));
    model.pane = match parts.iter().find(|part| matches!(part, Part::Cluster | Part::Manifests | Part::Story)) {
        Some(Part::Manifests) if !parts.contains(&Part::Cluster) => Pane::Manifest,
        Some(Part::Story) => Pane::Story,
        _ => Pane::Cluster,
    };
    element.set_attribute("lang", model.language().tag()).ok();
    element.set_attribute("data-theme", theme.name()).ok();
    let embed = Rc::new(Embed {
        place: element.clone(),
        parts,
        start: RefCell::new(Some(model)),
        on_event,
        goals,
        told: RefCell::default(),
        line: RefCell::new(Line::Waiting(Vec::new())),
    });
    let stage = Stage::set(&element, Rc::clone(&embed)).ok_or_else(|| JsError::new("there is no page to stand on"))?;
    Ok(Mounted { standing: Some((embed, stage)) })
}

/// The state to begin with, and the parts that are shown where the page names none.
fn open(options: &Options, settings: Settings) -> Result<(Model, String), String> {
    let browser_language = browser::browser_language();
    let step = options.step.as_deref();
    if let Some(link) = &options.permalink {
        let state = SharedState::parse(link).map_err(|error| error.to_string())?;
        let mut model = share::shown(&state, settings, browser_language);
        go_to(&mut model, step);
        return Ok((model, state.view.get("view").cloned().unwrap_or_default()));
    }
    let (session, files) = match options.scenario.as_deref() {
        None => (Session::new(first_scenario()), vec![(FIRST_FILE.0.to_owned(), FIRST_FILE.1.to_owned())]),
        Some(text) => match Scenario::parse(text) {
            Ok(scenario) => {
                let files = scenario.files.clone().into_iter().collect();
                (Session::new(scenario), files)
            }
            // No scenario begins like that and is one file: a lesson does.
            Err(_) if text.starts_with("---") => {
                Lesson::parse(text).map_err(|errors| told(&errors, settings.language.unwrap_or(browser_language)))?;
                let mut model =
                    Model::with(Session::new(Scenario::default()), open_files(Vec::new()), settings, browser_language);
                lesson::begin(&mut model, text);
                return Ok((model, "story,cluster,transport".to_owned()));
            }
            Err(error) => return Err(error.to_string()),
        },
    };
    let mut model = Model::with(session, open_files(files), settings, browser_language);
    go_to(&mut model, step);
    Ok((model, String::new()))
}

/// The faults of a lesson's file, one on each line.
fn told(errors: &[LessonError], language: Language) -> String {
    let words = language.words();
    let line = |error: &LessonError| fill(words.line, &[("n", &error.line.to_string())]);
    let lines =
        errors.iter().map(|error| format!("{}: {}", line(error), language.lesson_words().lesson_error(words, error)));
    lines.collect::<Vec<_>>().join("\n")
}

fn go_to(model: &mut Model, step: Option<&str>) {
    let session = &mut model.session;
    match step.map(str::trim) {
        Some("end") => {
            session.run_to_quiet(10_000);
        }
        Some(number) => {
            let wanted = number.parse::<usize>().unwrap_or(0).min(10_000);
            if wanted > session.len() {
                session.seek(usize::MAX);
                while session.len() < wanted && session.step() {}
            }
            session.seek(wanted);
        }
        None => return,
    }
    model.refresh();
}

/// The tabs, all of whose texts have been applied as far as anyone knows.
fn open_files(texts: Vec<(String, String)>) -> Files {
    let mut texts = texts.into_iter();
    let Some((name, text)) = texts.next() else { return Files::new("manifest.yaml", "") };
    let mut files = Files::new(&name, &text);
    let first = files.shown_id();
    for (name, text) in texts {
        files.add(&name, &text);
    }
    files.show(first);
    files
}

#[wasm_bindgen]
impl Mounted {
    /// Calls a function with a `Playground` that stands for the session on the page; what it does is shown. The promise
    /// gives what the function returns.
    pub fn call(&self, function: js_sys::Function) -> js_sys::Promise {
        let mut function = Some(function);
        js_sys::Promise::new(&mut |resolve, reject| match (&self.standing, function.take()) {
            (Some((embed, _)), Some(function)) => embed.send(Heard::Call { function, resolve, reject }),
            _ => {
                let gone = JsValue::from(JsError::new("the playground was removed from the page"));
                reject.call1(&JsValue::NULL, &gone).ok();
            }
        })
    }

    /// Light, dark or auto.
    #[wasm_bindgen(js_name = setTheme)]
    pub fn set_theme(&self, theme: &str) {
        if let Some(theme) = Theme::ALL.into_iter().find(|known| known.name() == theme) {
            self.send(Msg::SetTheme(theme));
        }
    }

    /// `en` or `fr`.
    #[wasm_bindgen(js_name = setLanguage)]
    pub fn set_language(&self, tag: &str) {
        if let Some(language) = Language::from_tag(tag) {
            self.send(Msg::SetLanguage(language));
        }
    }

    /// Presses a button of the transport: `play`, `stop`, `step`, `stepOver`, `runToQuiet`, `back`. A run is drawn as it
    /// goes, unlike with [`Self::call`]. Returns false for another name.
    pub fn press(&self, button: &str) -> bool {
        let message = match button {
            "play" => Msg::TogglePlay,
            "stop" => Msg::Stop,
            "step" => Msg::Step,
            "stepOver" => Msg::StepOver,
            "runToQuiet" => Msg::RunToQuiet,
            "back" => Msg::Back,
            _ => return false,
        };
        self.send(message);
        true
    }

    /// Takes the application off the page and gives its memory back.
    pub fn unmount(&mut self) {
        if let Some((embed, stage)) = self.standing.take() {
            // It holds the application, which holds it.
            embed.line.replace(Line::Closed);
            stage.strike();
        }
    }
}

impl Mounted {
    fn send(&self, message: Msg) {
        if let Some((embed, _)) = &self.standing {
            embed.send(Heard::App(message));
        }
    }
}

/// Lets a function of the page work on the session, whose commands can read the editor's files. Returns the session as it
/// is afterwards.
pub fn work(model: &Model, function: &js_sys::Function) -> (Option<Session>, Result<JsValue, JsValue>) {
    let playground = JsValue::from(Playground::with_files(model.session.clone(), model.files.by_name()));
    let result = function.call1(&JsValue::NULL, &playground);
    // The function may have freed it: then nothing has changed.
    let back = <Playground as TryFromJsValue>::try_from_js_value(playground).ok();
    (back.map(Playground::into_session), result)
}
