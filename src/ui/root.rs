//! The application: holds the state, draws the page, carries effects out.

use crate::app::draft::unapplied;
use crate::app::effect::Effect;
use crate::app::lesson;
use crate::app::message::{Msg, Running};
use crate::app::model::{Model, Notice, NoticeAction};
use crate::app::persist::{STORAGE_KEY, Saved, Settings};
use crate::app::update::update;
use crate::app::view::FileTab;
use crate::simulation::{Reason, Session};
use crate::ui::browser::{self, Browser};
use crate::ui::cluster::Cluster;
use crate::ui::embed::{self, Embed, Part};
use crate::ui::env::Env;
use crate::ui::exchange::ExchangeSheet;
use crate::ui::gallery::{Catalogue, CatalogueProps};
use crate::ui::icons::{Icon, icon};
use crate::ui::inspector::Inspector;
use crate::ui::manifest::Manifests;
use crate::ui::panels::panels;
use crate::ui::terminal::Terminal;
use crate::ui::top_bar::{PaneBar, TopBar};
use crate::ui::transport::Transport;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{DragEvent, KeyboardEvent};
use yew::prelude::*;

/// What the root hears.
pub enum Heard {
    /// A message for the application.
    App(Msg),
    /// Keep the state now.
    SaveNow,
    /// A function of the page around wants to work on the session.
    Call {
        /// Takes a `Playground`.
        function: js_sys::Function,
        /// Gets what it returns.
        resolve: js_sys::Function,
        /// Gets what it throws.
        reject: js_sys::Function,
    },
}

/// Properties of [`App`].
#[derive(Clone, Default, Properties)]
pub struct AppProps {
    /// Where and how it is embedded; `None`: it has the page for itself.
    #[prop_or_default]
    pub embed: Option<Rc<Embed>>,
}

impl PartialEq for AppProps {
    fn eq(&self, other: &Self) -> bool {
        match (&self.embed, &other.embed) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The page.
pub struct App {
    model: Model,
    browser: Browser,
    send: Callback<Msg>,
    save: Callback<()>,
    files: Rc<Vec<FileTab>>,
    /// The browser has refused to keep the state, and the person has been told.
    cannot_save: bool,
}

impl Component for App {
    type Message = Heard;
    type Properties = AppProps;

    fn create(ctx: &Context<Self>) -> Self {
        let send: Callback<Msg> = ctx.link().callback(Heard::App);
        let save: Callback<()> = ctx.link().callback(|()| Heard::SaveNow);
        let embed = ctx.props().embed.as_ref();
        let model = embed
            .and_then(|embed| embed.take_start())
            .or_else(|| PREPARED.with(RefCell::take))
            .unwrap_or_else(start_with_lessons);
        if let Some(embed) = embed {
            embed.stands(ctx.link());
        }
        let mut browser = Browser::on(embed.map(|embed| embed.place.clone()));
        browser.show_theme(model.settings.theme);
        browser.run(Effect::Language(model.language()), &send, &save, 0);
        // A message would come too late: while the page is drawn in slices, messages wait for the next slice.
        let scope = ctx.link().clone();
        browser.listen(&send, move || {
            if let Some(app) = scope.get_component() {
                app.keep_now();
            }
        });
        browser.run(Effect::CheckLater, &send, &save, 0);
        let files = file_tabs(&model, &Rc::default());
        Self { model, browser, send, save, files, cannot_save: false }
    }

    fn update(&mut self, ctx: &Context<Self>, heard: Heard) -> bool {
        let embed = ctx.props().embed.as_ref();
        let message = match heard {
            Heard::SaveNow => {
                self.browser.save_is_due();
                return embed.is_none() && self.keep();
            }
            // What the person does before the program is whole waits for it, in its order, and the page stays alive.
            heard if !browser::is_ready() => {
                let link = ctx.link().clone();
                browser::when_ready(move || link.send_message(heard));
                return false;
            }
            Heard::App(message) => message,
            Heard::Call { function, resolve, reject } => {
                let (session, result) = embed::work(&self.model, &function);
                let effects = session.map(|session| go_on_with(&mut self.model, session)).unwrap_or_default();
                self.carry_out(embed, effects, 0);
                if let Some(embed) = embed {
                    embed.tell(&self.model);
                }
                let _ = match result {
                    Ok(value) => resolve.call1(&JsValue::NULL, &value),
                    Err(error) => reject.call1(&JsValue::NULL, &error),
                };
                return true;
            }
        };
        if embed.is_none() {
            match &message {
                // The person has decided.
                Msg::RestoreSession | Msg::CloseNotice => {
                    browser::store(&before_link_key(), None);
                }
                Msg::OpenLink(_) if browser::stored(&before_link_key()).is_none() => {
                    browser::store(&before_link_key(), Some(&self.model.saved().to_text()));
                }
                _ => {}
            }
        }
        let before = browser::now_ms();
        self.model.lessons.now_ms = browser::clock_ms();
        let effects = update(&mut self.model, message);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Milliseconds of one message.
        let took_ms = (browser::now_ms() - before).max(0.0) as u32;
        let unseen = matches!(effects[..], [Effect::NextSlice { draw: false } | Effect::NextCheck]);
        self.carry_out(embed, effects, took_ms);
        self.files = file_tabs(&self.model, &self.files);
        if let Some(embed) = embed {
            embed.tell(&self.model);
        }
        !unseen
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if let Some(embed) = &ctx.props().embed {
            embed.tell(&self.model);
        } else if first {
            browser::store(&browser::starting_key(), None);
            browser::work_offline(self.send.clone());
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let embed = ctx.props().embed.as_ref();
        let shows = |part: Part| embed.is_none_or(|embed| embed.parts.contains(&part));
        let model = &self.model;
        let views = &model.views;
        let env = Env { language: model.language(), send: self.send.clone() };
        let words = model.words();
        let edited = self.files.iter().any(|file| file.edited);
        html! {
            <ContextProvider<Env> context={env.clone()}>
                <div class={classes!("app", model.inspect.is_some().then_some("inspecting"), model.lessons.presenting.then_some("presenting"))} data-pane={model.pane.name()} data-parts={embed.map(|embed| embed.names())}
                    onkeydown={self.keys()} ondragover={Callback::from(|event: DragEvent| event.prevent_default())} ondrop={self.drop_file()}>
                    <a class="skip" href="#cluster">{ words.skip }</a>
                    if shows(Part::Bar) { <TopBar theme={model.settings.theme} pane={model.pane} shared={model.shared} /> }
                    <main class="work">
                        if shows(Part::Manifests) { <Manifests files={self.files.clone()} shown={model.files.shown_id()} problems={model.check.problems.clone()}
                            review={model.check.review.clone()} review_open={model.review_open} mark={model.mark} go_to={model.go_to} reveal={model.reveal} dark={model.is_dark()} apply_is_next={!model.step_applies()} /> }
                        if shows(Part::Cluster) { <Cluster sets={views.sets.clone()} head={views.head.clone()} cards={views.cards.clone()} unplaced={views.unplaced.clone()} touched={views.touched.clone()}
                            inspect={model.inspect.clone()} shown={model.counter} filter={model.filter.clone()} group={model.group.clone()} marked={model.chip.clone()} as_table={model.as_table} /> }
                        if shows(Part::Story) { { panels(model, &env) } }
                        if let (Some(what), Some(detail)) = (model.inspect.clone(), views.detail.clone()) { <Inspector {what} {detail} /> }
                    </main>
                    if shows(Part::Transport) { <Transport position={model.session.position()} len={model.session.len()} now_ms={model.session.world().now_ms()}
                        can_step={model.can_step()} running={model.running} speed={model.settings.speed} chart={views.chart.clone()}
                        telling={views.telling.to_string()} branches={views.branches.clone()} compared={views.compared.clone()} looped={model.looped} standing={views.standing.clone()}
                        unapplied={unapplied(model).filter(|_| shows(Part::Manifests)).map(|file| (file.id, AttrValue::from(file.name.clone())))} /> }
                    if shows(Part::Terminal) { <Terminal entries={model.terminal.clone()} typed_ahead={model.typed_ahead.clone()} open={model.terminal_open} hint={model.hint.clone()} completed={model.completed.clone()} /> }
                    if shows(Part::Manifests) || shows(Part::Story) { <PaneBar pane={model.pane} {edited} /> }
                    if model.lessons.catalogue_open { <Catalogue ..CatalogueProps::of(&model.lessons) /> }
                    if let Some(sheet) = &model.exchange.sheet { <ExchangeSheet view={sheet.view(model)} /> }
                    if let Some(notice) = &model.notice { { notice_view(&env, notice, model) } }
                    <div class="unseen" id="announcements" role="status" aria-live="polite">{ if model.running == Running::ToQuiet { "" } else { &*model.announcement } }</div>
                </div>
            </ContextProvider<Env>>
        }
    }
}

/// Shows what became of the session outside of the application.
fn go_on_with(model: &mut Model, session: Session) -> Vec<Effect> {
    let known = model.session.len().min(session.len());
    let same = model.session.steps().zip(session.steps()).take_while(|(a, b)| Rc::ptr_eq(a, b)).count().min(known);
    let runs: Vec<_> = session.steps().skip(same).map(|step| step.reason.clone()).collect();
    model.session = session;
    for reason in runs {
        if let Reason::Command(run) = reason {
            model.log(&run);
        }
    }
    model.running = Running::No;
    model.refresh();
    model.announcement = model.views.telling.to_string().into();
    let mut effects = lesson::after(model);
    effects.push(Effect::CheckLater);
    effects
}

thread_local! {
    /// The state with which the page begins, from [`prepare`].
    static PREPARED: RefCell<Option<Model>> = const { RefCell::new(None) };
}

/// Mounts the application: it makes its state in one task of the browser and draws in the next.
pub fn begin() {
    Timeout::new(0, || {
        PREPARED.with(|prepared| prepared.replace(Some(start_with_lessons())));
        Timeout::new(0, || drop(yew::Renderer::<App>::new().render())).forget();
    })
    .forget();
}

fn start_with_lessons() -> Model {
    let mut model = start();
    browser::start_lessons(&mut model);
    model
}

/// The state as it was left, or that of a first visit.
fn start() -> Model {
    let language = browser::browser_language();
    let key = browser::starting_key();
    let crashed = browser::stored(&key).is_some();
    browser::store(&key, Some("1"));
    let saved = browser::stored(STORAGE_KEY).and_then(|text| Saved::parse(&text));
    // What a link replaced before the page was left, until the person has decided.
    let before_link = browser::stored(&before_link_key()).and_then(|text| Saved::parse(&text));
    let mut model = match saved {
        // The last start did not come to its end: the texts are kept, the cluster begins anew.
        Some(saved) if crashed => {
            let mut model = Model::restore(&Saved { scenario: "?".into(), ..saved }, language);
            model.notice = Some(Notice { text: model.words().began_anew.into(), trouble: true, action: None });
            model
        }
        Some(saved) => Model::restore(&saved, language),
        None => Model::new(Settings::default(), language),
    };
    if let Some(link) = browser::take_link() {
        let own = model.saved();
        update(&mut model, Msg::OpenLink(link));
        // An older state that a link replaced is the one that is the person's own.
        if model.replaced.is_some() && before_link.is_none() {
            browser::store(&before_link_key(), Some(&own.to_text()));
        }
    } else if let Some(before) = before_link {
        model.replaced = Some(before);
        let text = model.words().link_kept.to_owned();
        model.notice = Some(Notice { text, trouble: false, action: Some(NoticeAction::RestoreSession) });
    }
    model
}

/// Where the person's own work is kept while a link's state is shown.
fn before_link_key() -> String {
    format!("{STORAGE_KEY}.before-link")
}

/// The files as tabs; the same value as before where nothing changed.
fn file_tabs(model: &Model, before: &Rc<Vec<FileTab>>) -> Rc<Vec<FileTab>> {
    let shown = model.files.shown_id();
    let tabs: Vec<FileTab> = model
        .files
        .list()
        .iter()
        .map(|file| FileTab {
            id: file.id,
            name: file.name.clone(),
            text: file.text.clone(),
            edited: file.is_edited(),
            notes: if file.id == shown { model.check.notes.clone() } else { Rc::default() },
        })
        .collect();
    if **before == tabs { Rc::clone(before) } else { Rc::new(tabs) }
}

fn notice_view(env: &Env, notice: &Notice, model: &Model) -> Html {
    let words = model.words();
    html! {
        <div class={classes!("notice", notice.trouble.then_some("trouble"))} role="region" aria-label={words.notice}>
            { icon(if notice.trouble { Icon::Warning } else { Icon::Info }) }
            <p>{ &notice.text }</p>
            if let Some(action) = notice.action {
                <button type="button" class="button tiny" onclick={env.on(match action {
                    NoticeAction::ReopenFile => Msg::ReopenFile,
                    NoticeAction::RestoreSession => Msg::RestoreSession,
                    NoticeAction::UseUpdate => Msg::UseUpdate,
                })}>{ if action == NoticeAction::UseUpdate { words.use_update } else { words.bring_back } }</button>
            }
            <button type="button" class="button plain tiny icon" aria-label={words.close} onclick={env.on(Msg::CloseNotice)}>{ icon(Icon::Close) }</button>
        </div>
    }
}

impl App {
    /// `took_ms` is how long the message took. What is told to the page around goes by the element, if there is one.
    fn carry_out(&mut self, embed: Option<&Rc<Embed>>, effects: Vec<Effect>, took_ms: u32) {
        for effect in effects {
            match (embed, effect) {
                (Some(embed), Effect::Emit { name, detail }) => embed.tell_json(name, &detail),
                (_, effect) => self.browser.run(effect, &self.send, &self.save, took_ms),
            }
        }
    }

    /// Keeps the state for the next visit. Returns false where the browser refuses.
    fn keep_now(&self) -> bool {
        !self.model.keeps_session() || browser::store(STORAGE_KEY, Some(&self.model.saved().to_text()))
    }

    /// The same, and tells the person of a refusal, once. Returns whether the page changes.
    fn keep(&mut self) -> bool {
        if self.keep_now() || self.cannot_save {
            return false;
        }
        self.cannot_save = true;
        self.model.notice = Some(Notice { text: self.model.words().not_kept.into(), trouble: true, action: None });
        true
    }

    fn keys(&self) -> Callback<KeyboardEvent> {
        let send = self.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.default_prevented() {
                event.prevent_default();
                send.emit(Msg::Apply);
            }
        })
    }

    fn drop_file(&self) -> Callback<DragEvent> {
        let send = self.send.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            let files = event.data_transfer().and_then(|data| data.files());
            let Some(files) = files else { return };
            for index in 0..files.length() {
                if let Some(file) = files.get(index) {
                    browser::read_file(file, send.clone());
                }
            }
        })
    }
}
