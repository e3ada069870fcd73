//! The editor: CodeMirror once it is loaded, a plain text field until then.

use crate::app::complete::{hover, offers};
use crate::app::message::{FileId, Msg};
use crate::app::view::{EditorMark, EditorNote};
use crate::js_api::border;
use crate::ui::env::use_env;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

#[wasm_bindgen(module = "/www/editor/loader.js")]
extern "C" {
    #[wasm_bindgen(js_name = loadEditor, catch)]
    async fn load_editor(plain: Option<HtmlElement>) -> Result<JsValue, JsValue>;
    /// Lets the browser draw once, if it draws at all.
    async fn drawn();
}

#[wasm_bindgen(module = "/www/recover.js")]
extern "C" {
    fn register(file: FileId, name: &str, editor: &Editor);
    fn unregister(file: FileId);
}

#[wasm_bindgen]
extern "C" {
    /// The editor's module; see `www/editor/editor.js`.
    type EditorModule;
    #[wasm_bindgen(method, js_name = createEditor, catch)]
    fn create_editor(this: &EditorModule, parent: &HtmlElement, options: &JsValue) -> Result<Editor, JsValue>;

    /// One editor.
    #[derive(Clone)]
    type Editor;
    #[wasm_bindgen(method, js_name = getText)]
    fn get_text(this: &Editor) -> String;
    #[wasm_bindgen(method, js_name = setText)]
    fn set_text(this: &Editor, text: &str);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    fn set_diagnostics(this: &Editor, diagnostics: &JsValue);
    #[wasm_bindgen(method, js_name = highlightRange)]
    fn highlight_range(this: &Editor, from: u32, to: u32, kind: &str);
    #[wasm_bindgen(method, js_name = clearHighlights)]
    fn clear_highlights(this: &Editor);
    #[wasm_bindgen(method)]
    fn reveal(this: &Editor, from: u32, to: u32);
    #[wasm_bindgen(method, js_name = goTo)]
    fn go_to(this: &Editor, position: u32);
    #[wasm_bindgen(method)]
    fn focus(this: &Editor);
    #[wasm_bindgen(method, js_name = setLabel)]
    fn set_label(this: &Editor, label: &str);
    #[wasm_bindgen(method, js_name = setTheme)]
    fn set_theme(this: &Editor, theme: &str);
    #[wasm_bindgen(method)]
    fn destroy(this: &Editor);
}

/// Properties of [`EditorView`].
#[derive(Clone, PartialEq, Properties)]
pub struct EditorProps {
    /// The file.
    pub file: FileId,
    /// Its name, for the editor's accessible name.
    pub name: AttrValue,
    /// Its text.
    pub text: Rc<str>,
    /// What there is to say about it.
    pub notes: Rc<Vec<EditorNote>>,
    /// What is marked.
    pub mark: Option<EditorMark>,
    /// Where to put the caret, with a number that changes with each wish.
    pub go_to: Option<(u32, u32)>,
    /// Lines that a click has written: the file, their range, and a number that changes with each click.
    pub reveal: Option<(FileId, u32, u32, u32)>,
    /// Whether the page is dark.
    pub dark: bool,
}

struct Mounted {
    file: FileId,
    editor: Editor,
    // Kept alive as long as the editor calls them.
    _callbacks: Vec<Closure<dyn FnMut(JsValue)>>,
    _questions: Vec<Closure<dyn FnMut(JsValue, JsValue) -> JsValue>>,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unregister(self.file);
        self.editor.destroy();
    }
}

/// One file's editor.
#[component]
pub fn EditorView(props: &EditorProps) -> Html {
    let env = use_env();
    let words = env.words();
    let place = use_node_ref();
    let plain = use_node_ref();
    let ready = use_state_eq(|| false);
    let mounted = use_mut_ref(|| None::<Mounted>);
    // What the callbacks read; they outlive a rendering.
    let newest = use_mut_ref(|| props.text.clone());
    *newest.borrow_mut() = props.text.clone();

    {
        let (place, plain, ready, mounted, send) =
            (place.clone(), plain.clone(), ready.clone(), mounted.clone(), env.send.clone());
        let (file, dark, name, newest) = (props.file, props.dark, props.name.clone(), newest.clone());
        use_effect_with((), move |()| {
            let alive = Rc::new(std::cell::Cell::new(true));
            let still = alive.clone();
            let keep = mounted.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let Ok(module) = load_editor(plain.cast::<HtmlElement>()).await else { return };
                let Some(parent) = place.cast::<HtmlElement>().filter(|_| still.get()) else { return };
                let text = newest.borrow().to_string();
                let Some(made) = mount(&module.unchecked_into(), &parent, &text, &name, file, dark, &send) else {
                    return;
                };
                let editor = made.editor.clone();
                // It measures its lines before it is seen: nothing moves when it takes the field's place.
                drawn().await;
                if !still.get() {
                    return;
                }
                let had_focus = plain.cast::<HtmlElement>().is_some_and(|plain| is_focused(&plain));
                let caret =
                    plain.cast::<HtmlTextAreaElement>().and_then(|plain| plain.selection_start().ok().flatten());
                *mounted.borrow_mut() = Some(made);
                ready.set(true);
                if had_focus {
                    editor.go_to(caret.unwrap_or(0));
                }
                send.emit(Msg::EditorReady);
            });
            move || {
                alive.set(false);
                keep.borrow_mut().take();
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with((props.text.clone(), *ready), move |(text, _)| {
            if let Some(mounted) = mounted.borrow().as_ref()
                && mounted.editor.get_text() != **text
            {
                mounted.editor.set_text(text);
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with((props.notes.clone(), *ready), move |(notes, _)| {
            if let (Some(mounted), Ok(notes)) = (mounted.borrow().as_ref(), border::give(&**notes)) {
                mounted.editor.set_diagnostics(&notes);
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with((props.mark, *ready), move |(mark, _)| {
            if let Some(mounted) = mounted.borrow().as_ref() {
                mounted.editor.clear_highlights();
                if let Some(mark) = mark {
                    mounted.editor.highlight_range(mark.from, mark.to, if mark.passed { "passed" } else { "failed" });
                }
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with((props.go_to, *ready), move |(wish, _)| {
            if let (Some(mounted), Some((at, _))) = (mounted.borrow().as_ref(), wish) {
                mounted.editor.go_to(*at);
            }
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with((props.reveal, *ready), move |(written, _)| {
            if let (Some(mounted), Some((_, from, to, _))) = (mounted.borrow().as_ref(), written) {
                mounted.editor.reveal(*from, *to);
            }
        });
    }
    use_effect_with((props.dark, props.name.clone(), *ready), {
        let mounted = mounted.clone();
        move |(dark, name, _)| {
            if let Some(mounted) = mounted.borrow().as_ref() {
                mounted.editor.set_theme(if *dark { "dark" } else { "light" });
                mounted.editor.set_label(name);
                register(mounted.file, name, &mounted.editor);
            }
        }
    });

    let typed = {
        let (send, file) = (env.send.clone(), props.file);
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            send.emit(Msg::Edit(file, text.into()));
        })
    };
    let keys = {
        let send = env.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                send.emit(Msg::Apply);
            }
        })
    };
    html! {
        <div class="editor">
            <div class={classes!("editor-place", (!*ready).then_some("unready"))} ref={place}></div>
            if !*ready {
                <textarea ref={plain} class="editor-plain mono" aria-label={props.name.clone()} value={props.text.to_string()}
                    spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" oninput={typed} onkeydown={keys}
                    placeholder={words.editor_hint} />
            }
        </div>
    }
}

fn is_focused(element: &HtmlElement) -> bool {
    crate::ui::dom::active_near(element).is_some_and(|active| active == **element)
}

fn mount(
    module: &EditorModule,
    parent: &HtmlElement,
    text: &str,
    name: &str,
    file: FileId,
    dark: bool,
    send: &Callback<Msg>,
) -> Option<Mounted> {
    let options = js_sys::Object::new();
    let set = |key: &str, value: &JsValue| js_sys::Reflect::set(&options, &key.into(), value).is_ok();
    let callback = |run: Box<dyn FnMut(JsValue)>| Closure::wrap(run);
    let changed = {
        let send = send.clone();
        callback(Box::new(move |text: JsValue| {
            if let Some(text) = text.as_string() {
                send.emit(Msg::Edit(file, text.into()));
            }
        }))
    };
    let apply = {
        let send = send.clone();
        callback(Box::new(move |_| send.emit(Msg::Apply)))
    };
    let fix = {
        let send = send.clone();
        callback(Box::new(move |id: JsValue| {
            if let Some(index) = id.as_string().and_then(|id| id.parse().ok()) {
                send.emit(Msg::Fix(index));
            }
        }))
    };
    let looked = {
        let send = send.clone();
        callback(Box::new(move |line: JsValue| send.emit(Msg::LookAtLine(as_offset(&line).unwrap_or(0)))))
    };
    let complete = Closure::wrap(Box::new(|text: JsValue, position: JsValue| {
        let offers = match (text.as_string(), as_offset(&position)) {
            (Some(text), Some(position)) => offers(&text, position),
            _ => Vec::new(),
        };
        border::give(&offers).unwrap_or(JsValue::NULL)
    }) as Box<dyn FnMut(JsValue, JsValue) -> JsValue>);
    let tell = Closure::wrap(Box::new(|text: JsValue, position: JsValue| {
        let told = text.as_string().zip(as_offset(&position)).and_then(|(text, position)| hover(&text, position));
        told.map_or(JsValue::NULL, JsValue::from)
    }) as Box<dyn FnMut(JsValue, JsValue) -> JsValue>);
    set("complete", complete.as_ref());
    set("hover", tell.as_ref());
    set("doc", &text.into());
    set("label", &name.into());
    set("theme", &if dark { "dark" } else { "light" }.into());
    set("onChange", changed.as_ref());
    set("onApply", apply.as_ref());
    set("onFix", fix.as_ref());
    set("onLine", looked.as_ref());
    let editor = module.create_editor(parent, &options).ok()?;
    register(file, name, &editor);
    Some(Mounted { file, editor, _callbacks: vec![changed, apply, fix, looked], _questions: vec![complete, tell] })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Offsets in a text.
fn as_offset(position: &JsValue) -> Option<usize> {
    position.as_f64().map(|position| position.max(0.0) as usize)
}
