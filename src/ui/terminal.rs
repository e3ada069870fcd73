//! The command line: what each click stands for, and what a person types.

use crate::app::message::Msg;
use crate::app::view::{Completed, TerminalEntry};
use crate::kubectl::shell::is_unfinished;
use crate::ui::dom;
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`Terminal`].
#[derive(Clone, PartialEq, Properties)]
pub struct TerminalProps {
    /// All commands, oldest first.
    pub entries: Rc<Vec<Rc<TerminalEntry>>>,
    /// Lines that wait until the command before has ended.
    pub typed_ahead: Rc<Vec<String>>,
    /// The drawer is open.
    pub open: bool,
    /// The command that the control under the pointer stands for.
    pub hint: Option<Rc<str>>,
    /// The line, completed.
    pub completed: Option<Rc<Completed>>,
}

/// The command line with its drawer.
#[component]
pub fn Terminal(props: &TerminalProps) -> Html {
    let env = use_env();
    let words = env.words();
    let text = use_state(String::new);
    // How far back in the history the person has gone; 0: not at all.
    let back = use_state_eq(|| 0usize);
    let output = use_node_ref();
    let input = use_node_ref();
    {
        let output = output.clone();
        use_effect_with((props.entries.len(), props.open), move |_| {
            if let Some(output) = output.cast::<HtmlElement>() {
                output.set_scroll_top(output.scroll_height());
            }
        });
    }
    {
        let text = text.clone();
        use_effect_with(props.completed.clone(), move |completed| {
            if let Some(completed) = completed {
                text.set(completed.line.clone());
            }
        });
    }
    // After Escape, the Tab key leaves the line instead of completing it.
    let leaving = use_state_eq(|| false);
    let typed = {
        let (text, leaving) = (text.clone(), leaving.clone());
        Callback::from(move |event: InputEvent| {
            leaving.set(false);
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    // Lines of a command that is not finished yet: an open quote, a here-document.
    let pending = use_state(String::new);
    let submit = {
        let (text, pending, back, send) = (text.clone(), pending.clone(), back.clone(), env.send.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let whole = format!("{}{}", *pending, *text);
            text.set(String::new());
            back.set(0);
            if is_unfinished(&whole) {
                pending.set(whole + "\n");
            } else if !whole.trim().is_empty() {
                pending.set(String::new());
                send.emit(Msg::RunTyped(whole.trim().to_string()));
            }
        })
    };
    let paste = {
        let (text, pending, back, send) = (text.clone(), pending.clone(), back.clone(), env.send.clone());
        Callback::from(move |event: Event| {
            let Some(pasted) = dom::pasted(&event).filter(|pasted| pasted.contains('\n')) else { return };
            event.prevent_default();
            let whole = format!("{}{}{}", *pending, *text, pasted.replace('\r', ""));
            back.set(0);
            // Whole lines are run as one script; what comes after the last of them waits to be finished.
            let (lines, rest) = whole.rsplit_once('\n').unwrap_or(("", &whole));
            if is_unfinished(lines) {
                pending.set(format!("{lines}\n"));
            } else {
                pending.set(String::new());
                if !lines.trim().is_empty() {
                    send.emit(Msg::RunTyped(lines.trim().to_string()));
                }
            }
            text.set(rest.to_string());
        })
    };
    let keys = {
        let (text, back, entries) = (text.clone(), back.clone(), props.entries.clone());
        let (leaving, send, pending) = (leaving.clone(), env.send.clone(), pending.clone());
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "Escape" => {
                    leaving.set(true);
                    return;
                }
                "Tab" if !text.trim().is_empty() && !event.shift_key() && !*leaving => {
                    event.prevent_default();
                    let input: HtmlInputElement = event.target_unchecked_into();
                    let units = input.selection_end().ok().flatten().map_or(usize::MAX, |at| at as usize);
                    let cursor = text.char_indices().map(|(at, _)| at).nth(units).unwrap_or(text.len());
                    send.emit(Msg::CompleteCommand { line: (*text).clone(), cursor });
                    return;
                }
                "c" if event.ctrl_key() && !event.shift_key() && !dom::has_selection(&event) => {
                    event.prevent_default();
                    text.set(String::new());
                    pending.set(String::new());
                    back.set(0);
                    send.emit(Msg::Interrupt);
                    return;
                }
                "l" if event.ctrl_key() => {
                    event.prevent_default();
                    send.emit(Msg::ClearTerminal);
                    return;
                }
                "ArrowUp" => (*back + 1).min(entries.len()),
                "ArrowDown" => back.saturating_sub(1),
                _ => return,
            };
            event.prevent_default();
            back.set(to);
            let entry = to.checked_sub(1).and_then(|at| entries.iter().rev().nth(at));
            text.set(entry.map(|entry| entry.line.clone()).unwrap_or_default());
        })
    };
    let last = props.entries.last();
    let toggle_name = if props.open { words.hide_terminal } else { words.show_terminal };
    html! {
        <section class={classes!("terminal", props.open.then_some("open"))} aria-label={words.terminal}>
            if props.open {
                <div class="terminal-head">
                    <h2 class="small">{ words.terminal }</h2>
                    <span class="push" />
                    <button type="button" class="button plain tiny" onclick={env.on(Msg::ClearTerminal)}>{ words.clear }</button>
                </div>
                <div class="terminal-output mono" ref={output} tabindex="0" role="log" aria-label={words.terminal}>
                    if props.entries.is_empty() { <p class="quiet">{ words.terminal_empty }</p> }
                    { for props.entries.iter().map(|entry| html! { <Block key={entry.number} entry={entry.clone()} /> }) }
                </div>
            }
            if let Some(completed) = props.completed.as_ref().filter(|completed| !completed.choices.is_empty() && completed.line == *text) {
                <p class="choices mono quiet">{ completed.choices.iter().take(40).cloned().collect::<Vec<_>>().join("  ") }</p>
            }
            if !props.typed_ahead.is_empty() {
                <div class="pending mono" id="typed-ahead" role="status">
                    { for props.typed_ahead.iter().map(|line| html! { <pre>{ "$ " }{ line }</pre> }) }
                    <p>{ words.terminal_holds }</p>
                </div>
            }
            if !pending.is_empty() { <pre class="pending mono">{ pending.trim_end() }</pre> }
            <div class="terminal-line">
                <p class="last mono" aria-live="off">
                    if let Some(hint) = &props.hint {
                        <span class="prompt" aria-hidden="true">{ "$" }</span><span class="hint cut" title={hint.to_string()}>{ &**hint }</span>
                    } else if let Some(last) = last {
                        <span class="prompt" aria-hidden="true">{ "$" }</span>
                        <span class="line cut" id="last-command" title={last.line.clone()}>{ &last.line }</span>
                        <button type="button" class="button plain tiny icon" aria-label={words.copy_command} title={words.copy_command} onclick={env.on(Msg::Copy(last.line.clone()))}>{ icon(Icon::Copy) }</button>
                        <span class={classes!("outcome", "cut", last.failed.then_some("bad"))} title={last.first_line().to_string()}>{ last.first_line() }</span>
                    } else {
                        <span class="quiet cut" title={words.terminal_first}>{ words.terminal_first }</span>
                    }
                </p>
                <form class="type" onsubmit={submit}>
                    <label class="prompt mono" for="command" aria-hidden="true">{ if pending.is_empty() { "$" } else { ">" } }</label>
                    <input ref={input} id="command" class="mono" value={(*text).clone()} placeholder="kubectl get pods -o wide" aria-label={words.command_line} title={words.command_keys}
                        autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" oninput={typed} onkeydown={keys} onpaste={paste} />
                </form>
                <button type="button" class="button plain icon toggle" aria-label={toggle_name} title={toggle_name} aria-expanded={props.open.to_string()} onclick={env.on(Msg::ToggleTerminal)}>
                    { icon(if props.open { Icon::Chevron } else { Icon::ChevronUp }) }</button>
            </div>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct BlockProps {
    entry: Rc<TerminalEntry>,
}

#[component]
fn Block(props: &BlockProps) -> Html {
    let entry = &props.entry;
    html! {
        <div class="block">
            <p class="block-line"><span class="prompt" aria-hidden="true">{ "$ " }</span>{ &entry.line }</p>
            if !entry.stdout.is_empty() { <pre>{ &entry.stdout }</pre> }
            if !entry.stderr.is_empty() { <pre class={classes!(entry.failed.then_some("bad"))}>{ &entry.stderr }</pre> }
        </div>
    }
}
