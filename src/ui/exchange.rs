//! What lies over the page for an export or an import.

use crate::app::exchange::{DUMP_COMMAND, ExchangeMsg, ExportKind, ReportView, SheetView};
use crate::app::message::Msg;
use crate::app::text::{ExchangeWords, exchange_words};
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use web_sys::{HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`ExchangeSheet`].
#[derive(Clone, PartialEq, Properties)]
pub struct ExchangeSheetProps {
    /// What is shown.
    pub view: SheetView,
}

/// An export, an import, or what came of it.
#[component]
pub fn ExchangeSheet(props: &ExchangeSheetProps) -> Html {
    let env = use_env();
    let words = exchange_words(env.language);
    let close = env.words().close;
    let shut = |env: &Env| env.on::<MouseEvent>(Msg::Exchange(ExchangeMsg::Close));
    let keys = {
        let send = env.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                send.emit(Msg::Exchange(ExchangeMsg::Close));
            }
        })
    };
    let (title, body) = match &props.view {
        SheetView::Export(kind, text) => (words.export, export(&env, words, *kind, text)),
        SheetView::Import { trouble } => (words.import, html! { <Import trouble={trouble.clone()} /> }),
        SheetView::Loading { text, done, total } => (words.import, loading(&env, words, text, *done, *total)),
        SheetView::Report(report) => (words.arrived, report_body(&env, words, report)),
    };
    html! {
        <div class="veil" onkeydown={keys}>
            <section class="sheet" id="sheet" role="dialog" aria-modal="true" aria-labelledby="sheet-title" tabindex="-1">
                <div class="sheet-head">
                    <h2 id="sheet-title">{ title.trim_end_matches('…') }</h2>
                    <button type="button" class="button plain icon" aria-label={close} title={close} onclick={shut(&env)}>{ icon(Icon::Close) }</button>
                </div>
                { body }
            </section>
        </div>
    }
}

fn export(env: &Env, words: &ExchangeWords, chosen: ExportKind, text: &Rc<str>) -> Html {
    let choice = |(kind, (name, about)): (ExportKind, (&'static str, &'static str))| {
        let on = env.on::<Event>(Msg::Exchange(ExchangeMsg::Export(kind)));
        html! {
            <label class="choice">
                <input type="radio" name="export" checked={kind == chosen} onchange={on} />
                <span><strong>{ name }</strong><span class="quiet">{ about }</span></span>
            </label>
        }
    };
    html! {
        <>
            <fieldset class="choices"><legend class="unseen">{ words.which }</legend>
                { for ExportKind::ALL.into_iter().zip(words.kinds).map(choice) }
            </fieldset>
            <pre class="sheet-text mono" tabindex="0" role="region" aria-label={words.preview}>{ &**text }</pre>
            <div class="sheet-foot">
                <button type="button" class="button" onclick={env.on(Msg::Exchange(ExchangeMsg::Copy))}>{ icon(Icon::Copy) }{ words.copy }</button>
                <button type="button" class="button primary" onclick={env.on(Msg::Exchange(ExchangeMsg::Download))}>{ icon(Icon::Download) }{ words.download }</button>
            </div>
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ImportProps {
    trouble: Option<String>,
}

#[component]
fn Import(props: &ImportProps) -> Html {
    let env = use_env();
    let words = exchange_words(env.language);
    let field = use_node_ref();
    let open = {
        let (field, send) = (field.clone(), env.send.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                send.emit(Msg::Exchange(ExchangeMsg::Pasted(field.value().into())));
            }
        })
    };
    let copy = env.words().copy_command;
    html! {
        <>
            if let Some(trouble) = &props.trouble { <p class="trouble-line" role="alert">{ icon(Icon::Warning) }{ trouble }</p> }
            <p>{ words.how }</p>
            <p class="command-line mono"><code>{ DUMP_COMMAND }</code>
                <button type="button" class="button plain tiny icon" aria-label={copy} title={copy} onclick={env.on(Msg::Copy(DUMP_COMMAND.into()))}>{ icon(Icon::Copy) }</button></p>
            <p class="quiet">{ words.private }</p>
            <label class="field-label" for="dump">{ words.paste }</label>
            <textarea id="dump" ref={field} class="sheet-text mono" spellcheck="false" autocomplete="off" />
            <div class="sheet-foot">
                <button type="button" class="button" onclick={env.on(Msg::PickFile)}>{ icon(Icon::Upload) }{ words.choose }</button>
                <button type="button" class="button primary" onclick={open}>{ words.open }</button>
            </div>
        </>
    }
}

fn loading(env: &Env, words: &ExchangeWords, text: &str, done: usize, total: usize) -> Html {
    html! {
        <>
            <p id="import-progress">{ text }</p>
            <progress max={total.to_string()} value={done.to_string()} aria-labelledby="import-progress" />
            <div class="sheet-foot">
                <button type="button" class="button" onclick={env.on(Msg::Exchange(ExchangeMsg::Close))}>{ words.cancel }</button>
            </div>
        </>
    }
}

fn report_body(env: &Env, words: &ExchangeWords, report: &ReportView) -> Html {
    let attempt = |(text, command): &(String, String)| {
        html! {
            <li>
                <span>{ text }<code class="mono">{ command }</code></span>
                <button type="button" class="button tiny" aria-label={format!("{}: {text}", words.run)} onclick={env.on(Msg::Exchange(ExchangeMsg::Try(command.clone())))}>{ words.run }</button>
            </li>
        }
    };
    html! {
        <>
            <div class="sheet-scroll" tabindex="0" role="region" aria-label={words.arrived}>
                <h3>{ words.came }</h3>
                <ul class="came">{ for report.came.iter().map(|(kind, n)| html! { <li><strong>{ n.to_string() }</strong>{ " " }{ kind }</li> }) }</ul>
                <h3>{ words.ignored }</h3>
                if report.ignored.is_empty() { <p>{ words.nothing_ignored }</p> } else { <ul>{ for report.ignored.iter().map(|line| html! { <li>{ line }</li> }) }</ul> }
                <h3>{ words.notes }</h3>
                <ul>{ for report.notes.iter().map(|line| html! { <li>{ line }</li> }) }</ul>
                if !report.attempts.is_empty() {
                    <h3>{ words.attempt }</h3>
                    <ul class="attempts">{ for report.attempts.iter().map(attempt) }</ul>
                }
            </div>
            <div class="sheet-foot">
                <button type="button" class="button primary" onclick={env.on(Msg::Exchange(ExchangeMsg::Close))}>{ words.begin }</button>
            </div>
        </>
    }
}
