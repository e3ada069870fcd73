//! Labels and taints of a node: read, changed in place, added and removed, each as a kubectl command.

use crate::app::command::{self, ChipText};
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::view::{LabelChip, NodeCard, TaintChip, short_key};
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// A label or a taint.
#[derive(Clone, Debug, PartialEq)]
enum Chip {
    Label(LabelChip),
    Taint(TaintChip),
}

impl Chip {
    fn key(&self) -> &str {
        match self {
            Self::Label(label) => &label.key,
            Self::Taint(taint) => &taint.key,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Label(label) if label.value.is_empty() => label.key.clone(),
            Self::Label(label) => format!("{}={}", label.key, label.value),
            Self::Taint(taint) => taint.text(),
        }
    }

    fn remove(&self, node: &str) -> String {
        match self {
            Self::Label(label) => command::remove_label(node, label),
            Self::Taint(taint) => command::remove_taint(node, taint),
        }
    }

    fn change(&self, node: &str, to: &ChipText) -> Option<String> {
        match self {
            Self::Label(label) => command::change_label(node, label, to),
            Self::Taint(taint) => command::change_taint(node, taint, to),
        }
    }
}

/// Properties of [`Chips`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChipsProps {
    /// The node.
    pub card: Rc<NodeCard>,
    /// Whether the controls are stops of the Tab key.
    pub tab_stop: bool,
    /// Show the labels too that Kubernetes sets by itself.
    #[prop_or_default]
    pub all: bool,
    /// Key of the label or taint that something else speaks of.
    #[prop_or_default]
    pub marked: Option<Rc<str>>,
}

/// All labels and taints of a node.
#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let env = use_env();
    let words = env.words();
    let adding = use_state_eq(|| false);
    let card = &props.card;
    let shown = card.labels.iter().filter(|label| props.all || !label.usual);
    let chips = card.taints.iter().cloned().map(Chip::Taint).chain(shown.cloned().map(Chip::Label));
    let add = {
        let (adding, node, send) = (adding.clone(), card.name.clone(), env.send.clone());
        Callback::from(move |text: String| {
            adding.set(false);
            if let Some(chip) = ChipText::parse(&text) {
                send.emit(Msg::Run(command::add_chip(&node, &chip)));
            }
        })
    };
    let begin = {
        let adding = adding.clone();
        Callback::from(move |_: MouseEvent| adding.set(true))
    };
    let name = fill(words.add_chip_to, &[("node", &card.name)]);
    html! {
        <ul class="chips" aria-label={fill(words.chips_of, &[("node", &card.name)])}>
            { for chips.map(|chip| html! {
                <ChipItem key={chip.text()} node={card.name.clone()} chip={chip.clone()} tab_stop={props.tab_stop} whole={props.all} marked={props.marked.as_deref() == Some(chip.key())} />
            }) }
            <li>
                if *adding {
                    <ChipInput text="" label={name} on_done={add} />
                } else {
                    <button type="button" class="chip add" aria-label={name.clone()} title={words.add_chip_hint}
                        tabindex={(!props.tab_stop).then_some("-1")} onclick={begin}>{ icon(Icon::Add) }</button>
                }
            </li>
        </ul>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ChipItemProps {
    node: Rc<str>,
    chip: Chip,
    tab_stop: bool,
    whole: bool,
    marked: bool,
}

#[component]
fn ChipItem(props: &ChipItemProps) -> Html {
    let env = use_env();
    let words = env.words();
    let editing = use_state_eq(|| false);
    let text = props.chip.text();
    let remove = props.chip.remove(&props.node);
    let edit = {
        let editing = editing.clone();
        Callback::from(move |_: MouseEvent| editing.set(true))
    };
    let done = {
        let (editing, chip, node, send) = (editing.clone(), props.chip.clone(), props.node.clone(), env.send.clone());
        Callback::from(move |text: String| {
            editing.set(false);
            if let Some(line) = ChipText::parse(&text).and_then(|to| chip.change(&node, &to)) {
                send.emit(Msg::Run(line));
            }
        })
    };
    let tabindex = (!props.tab_stop).then_some("-1");
    let class = match &props.chip {
        Chip::Label(_) => classes!("chip", props.marked.then_some("marked")),
        Chip::Taint(taint) => {
            classes!("chip", "taint", taint.automatic.then_some("automatic"), props.marked.then_some("marked"))
        }
    };
    let (change_name, remove_name) = match &props.chip {
        Chip::Label(_) => (words.change_label, words.remove_label),
        Chip::Taint(_) => (words.change_taint, words.remove_taint),
    };
    if *editing {
        return html! { <li><ChipInput text={text.clone()} label={fill(change_name, &[("text", &text)])} on_done={done} /></li> };
    }
    html! {
        <li {class}>
            <button type="button" class="chip-text" title={text.clone()} aria-label={fill(change_name, &[("text", &text)])} {tabindex} onclick={edit}>
                { face(&props.chip, props.whole) }
            </button>
            <button type="button" class="chip-remove" aria-label={fill(remove_name, &[("text", &text)])} {tabindex}
                onmouseenter={env.on(Msg::Hint(Some(remove.clone())))} onmouseleave={env.on(Msg::Hint(None))}
                onclick={env.on(Msg::Run(remove))}>{ icon(Icon::Close) }</button>
        </li>
    }
}

/// What a chip shows: the telling end of its key (or all of it), its value, its effect.
fn face(chip: &Chip, whole: bool) -> Html {
    let (key, value, effect) = match chip {
        Chip::Label(label) => (&label.key, &label.value, ""),
        Chip::Taint(taint) => (&taint.key, &taint.value, taint.effect.as_str()),
    };
    let (shortened, short) = if whole { (false, key.as_str()) } else { short_key(key) };
    html! {
        <>
            <span class="cut">
                if shortened { <span class="chip-domain">{ "…/" }</span> }
                { short }
                if !value.is_empty() { { "=" }{ value } }
            </span>
            if !effect.is_empty() { <b>{ effect }</b> }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ChipInputProps {
    text: AttrValue,
    label: AttrValue,
    /// What was written; empty when the person gave up.
    on_done: Callback<String>,
}

/// A chip being written. Enter and leaving it take it, Escape gives it up.
#[component]
fn ChipInput(props: &ChipInputProps) -> Html {
    let env = use_env();
    let words = env.words();
    let text = use_state(|| props.text.to_string());
    let input = use_node_ref();
    {
        let input = input.clone();
        use_effect_with((), move |()| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.focus().ok();
                input.select();
            }
        });
    }
    let wrong = !text.trim().is_empty() && ChipText::parse(&text).is_none();
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let onkeydown = {
        let (text, done) = (text.clone(), props.on_done.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if !wrong => {
                event.prevent_default();
                done.emit((*text).clone());
            }
            "Escape" => {
                event.stop_propagation();
                done.emit(String::new());
            }
            _ => {}
        })
    };
    let onblur = {
        let (text, done) = (text.clone(), props.on_done.clone());
        Callback::from(move |_: FocusEvent| done.emit(if wrong { String::new() } else { (*text).clone() }))
    };
    html! {
        <span class="chip-edit">
            <input ref={input} class={classes!("field", wrong.then_some("wrong"))} value={(*text).clone()} size="26" autocomplete="off" autocapitalize="off"
                spellcheck="false" aria-label={props.label.clone()} aria-invalid={wrong.then_some("true")}
                {oninput} {onkeydown} {onblur} />
            <span class="chip-help" role="status">{ if wrong { words.chip_wrong } else { words.chip_help } }</span>
        </span>
    }
}
