//! Carries out what the application asks of the browser.

use crate::app::effect::Effect;
use crate::app::exchange::{ExchangeMsg, HEAD, PIECE, is_dump};
use crate::app::insight::InsightMsg;
use crate::app::lesson::{self, LESSON_KEY, LessonMsg, RECORDS_KEY, lesson_in_link};
use crate::app::message::{Msg, SideTab, Theme};
use crate::app::model::Model;
use crate::app::persist::STORAGE_KEY;
use crate::app::text::Language;
use crate::permalink::holds_state;
use crate::ui::dom;
use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, File, HtmlAnchorElement, HtmlInputElement, Storage, Window};
use yew::Callback;

#[wasm_bindgen(module = "/www/lesson.js")]
extern "C" {
    async fn load(path: &str) -> JsValue;
    fn emit(name: &str, detail: &str);
}

#[wasm_bindgen(module = "/www/ready.js")]
extern "C" {
    /// Whether the whole program is there, so that nothing has to be waited for.
    #[wasm_bindgen(js_name = isReady)]
    pub fn is_ready() -> bool;
    #[wasm_bindgen(js_name = whenReady)]
    async fn ready();
}

/// Calls back when [`is_ready`].
pub fn when_ready(then: impl FnOnce() + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        ready().await;
        then();
    });
}

#[wasm_bindgen(module = "/www/recover.js")]
extern "C" {
    fn recover(reason: &str);
    fn watch();
}

#[wasm_bindgen(module = "/www/offline.js")]
extern "C" {
    #[wasm_bindgen(js_name = workOffline)]
    fn register_offline(on_update: &JsValue);
    #[wasm_bindgen(js_name = useUpdate)]
    fn use_update();
}

#[wasm_bindgen(module = "/www/picture.js")]
extern "C" {
    #[wasm_bindgen(js_name = savePng, catch)]
    async fn save_png(svg: &str, name: &str) -> Result<(), JsValue>;
}

/// Keeps the site for visits without a network, and tells when another version of it is ready.
pub fn work_offline(send: Callback<Msg>) {
    let told: Closure<dyn FnMut()> = Closure::new(move || send.emit(Msg::UpdateReady));
    register_offline(&told.into_js_value());
}

/// Shows the recovery page when the program panics or is stopped by the browser.
pub fn install_recovery() {
    watch();
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        recover(&panic.to_string());
    }));
}

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// The link to a state in the page's address, which is taken out of it: a reload goes on with what became of it.
pub fn take_link() -> Option<String> {
    let window = window()?;
    let hash = window.location().hash().ok()?;
    if !holds_state(&hash) {
        return None;
    }
    let history = window.history().ok()?;
    history.replace_state_with_url(&JsValue::NULL, "", Some(&address())).ok();
    Some(hash)
}

/// The page's address without its hash.
pub fn address() -> String {
    let address = window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    address.split('#').next().unwrap_or_default().to_owned()
}

/// Whether the application has the page for itself: the page names the application's script, which no other page does.
pub fn is_own_page() -> bool {
    document().is_some_and(|document| document.get_element_by_id("playground-js").is_some())
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten()
}

/// What was kept under a key.
pub fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Keeps a text; `None` forgets it. Returns false where the browser refuses (no room, no permission).
pub fn store(key: &str, text: Option<&str>) -> bool {
    let Some(storage) = storage() else { return false };
    match text {
        Some(text) => storage.set_item(key, text).is_ok(),
        None => storage.remove_item(key).is_ok(),
    }
}

/// Marks that a start is under way, so that the next one knows if this one never came to its end.
pub fn starting_key() -> String {
    format!("{STORAGE_KEY}.starting")
}

/// The first of the browser's languages that the page has.
pub fn browser_language() -> Language {
    let languages = window().map(|window| window.navigator().languages());
    let tags = languages.into_iter().flatten().filter_map(|tag| tag.as_string());
    tags.into_iter().find_map(|tag| Language::from_tag(&tag)).unwrap_or_default()
}

/// Real time in milliseconds, for measuring how long something took.
pub fn now_ms() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Real time of the day in milliseconds, for telling how long a lesson took.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Milliseconds since 1970.
pub fn clock_ms() -> u64 {
    js_sys::Date::now().max(0.0) as u64
}

/// Brings back the open lesson, or begins the one in the address.
pub fn start_lessons(model: &mut Model) {
    model.lessons.now_ms = clock_ms();
    let session = model.session.clone();
    model.lessons.restore(&session, stored(LESSON_KEY).as_deref(), stored(RECORDS_KEY).as_deref());
    if model.lessons.active.is_some() {
        model.tab = SideTab::Lesson;
    }
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    if let Some(source) = lesson_in_link(&hash) {
        for effect in lesson::begin(model, &source) {
            if let Effect::Keep(key, text) = effect {
                store(key, text.as_deref());
            }
        }
        // A reload goes on with the lesson instead of beginning it again.
        if let Some(location) = window().map(|window| window.location()) {
            location.set_hash("").ok();
        }
    }
}

/// Timers and listeners that are under way.
#[derive(Default)]
pub struct Browser {
    /// The element of somebody else's page on which the application stands; `None`: the page is its own.
    place: Option<Element>,
    frame: Option<AnimationFrame>,
    slice: Option<Timeout>,
    tick: Option<Timeout>,
    trial: Option<Timeout>,
    check: Option<Timeout>,
    save: Option<Timeout>,
    listeners: Vec<EventListener>,
}

/// Milliseconds without typing after which the text is looked at.
const CHECK_AFTER: u32 = 250;
/// Milliseconds after which a change is kept, with those that came meanwhile.
const SAVE_AFTER: u32 = 400;

impl Browser {
    /// For an application that has the page for itself, or stands on an element of another.
    pub fn on(place: Option<Element>) -> Self {
        Self { place, ..Self::default() }
    }

    /// The element that carries the application's colours and language.
    fn root(&self) -> Option<Element> {
        self.place.clone().or_else(|| document()?.document_element())
    }

    /// Keeps a text, unless the page belongs to somebody else.
    fn keep(&self, key: &str, text: &str) {
        if self.place.is_none() {
            store(key, Some(text));
        }
    }

    /// Colours of the page.
    pub fn show_theme(&self, theme: Theme) {
        if let Some(root) = self.root() {
            root.set_attribute("data-theme", theme.name()).ok();
        }
    }

    /// To be called when the timer of [`Effect::Save`] has rung: the next change sets it anew.
    pub fn save_is_due(&mut self) {
        self.save = None;
    }

    /// Listens to what the application must know. `save` is called when the page goes away, or into the background,
    /// where a phone may end it without another word; it must have saved when it returns.
    pub fn listen(&mut self, send: &Callback<Msg>, save: impl Fn() + 'static) {
        let Some(window) = window() else { return };
        if let Ok(Some(query)) = window.match_media("(prefers-color-scheme: dark)") {
            send.emit(Msg::SystemDark(query.matches()));
            let (send, asked) = (send.clone(), query.clone());
            self.listeners
                .push(EventListener::new(&query, "change", move |_| send.emit(Msg::SystemDark(asked.matches()))));
        }
        if self.place.is_none() {
            let send = send.clone();
            self.listeners.push(EventListener::new(&window, "hashchange", move |_| {
                if let Some(link) = take_link() {
                    send.emit(Msg::OpenLink(link));
                }
            }));
            let save = Rc::new(save);
            let at_end = Rc::clone(&save);
            self.listeners.push(EventListener::new(&window, "pagehide", move |_| at_end()));
            if let Some(document) = document() {
                let seen = document.clone();
                self.listeners.push(EventListener::new(&document, "visibilitychange", move |_| {
                    if seen.hidden() {
                        save();
                    }
                }));
            }
        }
    }

    /// Carries an effect out. `took_ms` is how long the message before took.
    pub fn run(&mut self, effect: Effect, send: &Callback<Msg>, save: &Callback<()>, took_ms: u32) {
        match effect {
            // One timer for all changes until it rings: whoever goes on without a pause is saved, too.
            Effect::Save if self.place.is_some() || self.save.is_some() => {}
            Effect::Save => {
                let save = save.clone();
                self.save = Some(Timeout::new(SAVE_AFTER, move || save.emit(())));
            }
            Effect::CheckLater => {
                let send = send.clone();
                self.check = Some(Timeout::new(CHECK_AFTER, move || send.emit(Msg::Check)));
            }
            Effect::NextCheck => {
                let send = send.clone();
                self.check = Some(Timeout::new(0, move || send.emit(Msg::CheckSlice)));
            }
            Effect::NextSlice { draw: true } => {
                let (send, before) = (send.clone(), now_ms());
                // The frame after the next begins when the page has been drawn.
                self.frame = Some(request_animation_frame(move |_| {
                    dom::later(0, move || {
                        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Milliseconds of a frame.
                        let drawn_ms = (now_ms() - before).max(1.0) as u32;
                        send.emit(Msg::Slice { took_ms, drawn_ms });
                    });
                }));
            }
            Effect::NextSlice { draw: false } => {
                let send = send.clone();
                self.slice = Some(Timeout::new(0, move || send.emit(Msg::Slice { took_ms, drawn_ms: 0 })));
            }
            Effect::InsightSlice => {
                let send = send.clone();
                let message = Msg::Insight(InsightMsg::Slice { took_ms });
                self.trial = Some(Timeout::new(0, move || send.emit(message)));
            }
            Effect::TickLater(ms) => {
                let send = send.clone();
                self.tick = Some(Timeout::new(ms, move || send.emit(Msg::PlayTick)));
            }
            Effect::Copy(text) => {
                if let Some(window) = window() {
                    // A refusal is told by the browser itself.
                    let _ = window.navigator().clipboard().write_text(&text);
                }
            }
            Effect::Download { name, text } => {
                download(&name, &text);
            }
            Effect::DownloadPng { name, svg } => {
                wasm_bindgen_futures::spawn_local(async move {
                    // A browser that cannot draw it saves nothing; the SVG is there for that.
                    let _ = save_png(&svg, &name).await;
                });
            }
            Effect::Print => {
                if let Some(window) = window() {
                    window.print().ok();
                }
            }
            Effect::UseUpdate => use_update(),
            Effect::ReadPiece => READING.with(|reading| {
                if let Ok(mut reading) = reading.try_borrow_mut()
                    && let Some((file, at)) = reading.as_mut()
                {
                    read_piece(file, *at, send.clone());
                    #[allow(clippy::cast_precision_loss)] // A megabyte.
                    let piece = PIECE as f64;
                    *at += piece;
                }
            }),
            Effect::NextImportSlice => {
                let send = send.clone();
                self.slice = Some(Timeout::new(0, move || {
                    send.emit(Msg::Exchange(ExchangeMsg::Slice { took_ms }));
                }));
            }
            Effect::PickFile => pick_file(send.clone()),
            Effect::Theme(theme) => {
                self.show_theme(theme);
                self.keep(&format!("{STORAGE_KEY}.theme"), theme.name());
            }
            Effect::Language(language) => {
                if let Some(root) = self.root() {
                    root.set_attribute("lang", language.tag()).ok();
                }
                self.keep(&format!("{STORAGE_KEY}.language"), language.tag());
            }
            Effect::Fetch(what) => {
                let send = send.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    let text = load(&what.path()).await.as_string().map(Rc::from);
                    send.emit(Msg::Lesson(LessonMsg::Fetched(what, text)));
                });
            }
            Effect::Keep(..) if self.place.is_some() => {}
            Effect::Keep(key, text) => {
                // What cannot be kept is lost with the page; the session itself says so already.
                store(key, text.as_deref());
            }
            Effect::Emit { name, detail } => emit(name, &detail),
            Effect::Focus(id) => dom::focus_later(self.place.clone(), id.to_string()),
            Effect::FocusNode(node) => dom::focus_later(self.place.clone(), format!("node-{node}")),
        }
    }
}

fn download(name: &str, text: &str) -> Option<()> {
    let parts = js_sys::Array::of1(&text.into());
    let blob = web_sys::Blob::new_with_str_sequence(&parts).ok()?;
    let address = web_sys::Url::create_object_url_with_blob(&blob).ok()?;
    let link: HtmlAnchorElement = document()?.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    web_sys::Url::revoke_object_url(&address).ok()
}

fn pick_file(send: Callback<Msg>) {
    let input = document().and_then(|document| document.create_element("input").ok());
    let Some(input) = input.and_then(|input: Element| input.dyn_into::<HtmlInputElement>().ok()) else { return };
    input.set_type("file");
    input.set_accept(".yaml,.yml,.json,.txt");
    let chosen = input.clone();
    let on_change = Closure::once_into_js(move || {
        if let Some(file) = chosen.files().and_then(|files| files.get(0)) {
            read_file(file, send);
        }
    });
    input.set_onchange(Some(on_change.unchecked_ref()));
    input.click();
}

thread_local! {
    /// The dump that is being imported, and how much of it has been fetched.
    static READING: RefCell<Option<(File, f64)>> = const { RefCell::new(None) };
}

/// Fetches a piece of a file and sends it; past the end, an empty one.
fn read_piece(file: &File, at: f64, send: Callback<Msg>) {
    #[allow(clippy::cast_precision_loss)] // A megabyte.
    let piece = file.slice_with_f64_and_f64(at, at + PIECE as f64);
    wasm_bindgen_futures::spawn_local(async move {
        let Ok(piece) = piece else { return };
        let bytes = wasm_bindgen_futures::JsFuture::from(piece.array_buffer()).await;
        let bytes = bytes.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec()).unwrap_or_default();
        send.emit(Msg::Exchange(ExchangeMsg::Piece(bytes.into())));
    });
}

/// Reads a file's text and sends it. The dump of a cluster is only announced; its pieces are fetched one by one.
pub fn read_file(file: File, send: Callback<Msg>) {
    wasm_bindgen_futures::spawn_local(async move {
        let name = file.name();
        #[allow(clippy::cast_precision_loss)] // Some kilobytes.
        let head = file.slice_with_f64_and_f64(0.0, HEAD as f64).ok();
        if let Some(head) = head
            && let Ok(text) = wasm_bindgen_futures::JsFuture::from(head.text()).await
            && text.as_string().is_some_and(|text| is_dump(&text))
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The size of a file.
            let size = file.size() as usize;
            READING.with(|reading| reading.replace(Some((file, 0.0))));
            return send.emit(Msg::Exchange(ExchangeMsg::Begin { name, size }));
        }
        if let Ok(text) = wasm_bindgen_futures::JsFuture::from(file.text()).await
            && let Some(text) = text.as_string()
        {
            send.emit(Msg::Import { name, text });
        }
    });
}
