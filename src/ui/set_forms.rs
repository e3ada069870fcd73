//! Small forms over the nodes: another image, another strategy. Each is a command.

use crate::app::command;
use crate::app::message::{Fate, Msg};
use crate::app::phrase::fill;
use crate::app::view::{SetHead, Strategy};
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of the forms.
#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    /// The DaemonSet.
    pub head: Rc<SetHead>,
    /// The form is done.
    pub on_close: Callback<()>,
}

/// Closes the form on Escape.
fn on_escape(close: &Callback<()>) -> Callback<KeyboardEvent> {
    let close = close.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            close.emit(());
        }
    })
}

fn value_of(event: &Event) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}

/// How a DaemonSet replaces its pods, as `kubectl patch`.
#[component]
pub fn StrategyForm(props: &FormProps) -> Html {
    let env = use_env();
    let words = env.words();
    let head = &props.head;
    let (unavailable, surge) = match &head.strategy {
        Strategy::RollingUpdate { unavailable, surge } => (unavailable.clone(), surge.clone()),
        Strategy::OnDelete => ("1".to_string(), "0".to_string()),
    };
    let rolling = use_state_eq(|| head.strategy != Strategy::OnDelete);
    let unavailable = use_state_eq(|| unavailable);
    let surge = use_state_eq(|| surge);
    let min_ready = use_state_eq(|| head.min_ready_seconds);
    let line = command::set_strategy(&head.key, rolling.then_some((unavailable.as_str(), surge.as_str())), *min_ready);
    let choose = {
        let rolling = rolling.clone();
        Callback::from(move |event: Event| rolling.set(value_of(&event) == "RollingUpdate"))
    };
    // Kubernetes takes one of the two budgets; the other one has to be 0.
    let typed = |place: &UseStateHandle<String>, other: &UseStateHandle<String>| {
        let (place, other) = (place.clone(), other.clone());
        Callback::from(move |event: InputEvent| {
            let text = value_of(&event);
            if text.chars().any(|digit| ('1'..='9').contains(&digit)) {
                other.set("0".to_string());
            }
            place.set(text);
        })
    };
    let has_surge = surge.chars().any(|digit| ('1'..='9').contains(&digit));
    let without_gap = {
        let (unavailable, surge) = (unavailable.clone(), surge.clone());
        Callback::from(move |_: MouseEvent| {
            surge.set("1".to_string());
            unavailable.set("0".to_string());
        })
    };
    let typed_seconds = {
        let min_ready = min_ready.clone();
        Callback::from(move |event: InputEvent| min_ready.set(value_of(&event).parse().unwrap_or(0).max(0)))
    };
    let submit = {
        let (send, line, close) = (env.send.clone(), line.clone(), props.on_close.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            send.emit(Msg::Run(line.clone()));
            close.emit(());
        })
    };
    let close = props.on_close.reform(|_: MouseEvent| ());
    html! {
        <form class="set-form" onsubmit={submit} onkeydown={on_escape(&props.on_close)}>
            <label class="stack">{ "updateStrategy" }
                <select class="field" onchange={choose}>
                    <option value="RollingUpdate" selected={*rolling}>{ "RollingUpdate" }</option>
                    <option value="OnDelete" selected={!*rolling}>{ "OnDelete" }</option>
                </select>
            </label>
            if *rolling {
                <label class="stack">{ "maxUnavailable" }
                    <input class="field short" value={(*unavailable).clone()} autocomplete="off" oninput={typed(&unavailable, &surge)} /></label>
                <label class="stack">{ "maxSurge" }
                    <input class="field short" value={(*surge).clone()} autocomplete="off" oninput={typed(&surge, &unavailable)} /></label>
            }
            <label class="stack">{ "minReadySeconds" }
                <input class="field short" type="number" min="0" value={min_ready.to_string()} oninput={typed_seconds} /></label>
            <button type="submit" class="button primary">{ words.set }</button>
            <button type="button" class="button plain icon" aria-label={words.cancel} onclick={close}>{ icon(Icon::Close) }</button>
            if *rolling {
                if has_surge { <p class="small quiet" role="status">{ env.edits().no_gap_why }</p> }
                else { <button type="button" class="button tiny" onclick={without_gap}>{ env.edits().no_gap }</button> }
            }
            <code class="small quiet">{ line }</code>
        </form>
    }
}

/// Another image for a container, as `kubectl set image`.
#[component]
pub fn ImageForm(props: &FormProps) -> Html {
    let env = use_env();
    let words = env.words();
    let first = props.head.containers.first().cloned().unwrap_or_default();
    let container = use_state_eq(|| first.0.clone());
    let image = use_state_eq(|| first.1.clone());
    let input = use_node_ref();
    {
        let input = input.clone();
        use_effect_with((), move |()| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.focus().ok();
                let value = input.value();
                let tag = value.rfind(':').map_or(value.len(), |at| at + 1);
                let (from, to) = (u32::try_from(tag).unwrap_or(0), u32::try_from(value.len()).unwrap_or(0));
                input.set_selection_range(from, to).ok();
            }
        });
    }
    let line = command::set_image(&props.head.key, &container, image.trim());
    let fate = use_state_eq(|| Fate::Runs);
    let choose_fate = {
        let fate = fate.clone();
        Callback::from(move |event: Event| {
            let at: usize = value_of(&event).parse().unwrap_or(0);
            fate.set(Fate::ALL.get(at).copied().unwrap_or_default());
        })
    };
    let submit = {
        let (send, line, close, image) = (env.send.clone(), line.clone(), props.on_close.clone(), image.clone());
        let fate = *fate;
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if !image.trim().is_empty() {
                send.emit(Msg::SetImage { line: line.clone(), image: image.trim().to_string(), fate });
                close.emit(());
            }
        })
    };
    let typed = {
        let (image, send, container, key) =
            (image.clone(), env.send.clone(), container.clone(), props.head.key.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            send.emit(Msg::Hint(Some(command::set_image(&key, &container, text.trim()))));
            image.set(text);
        })
    };
    let chosen = {
        let (container, image, head) = (container.clone(), image.clone(), props.head.clone());
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlInputElement>().value();
            if let Some((_, of)) = head.containers.iter().find(|(n, _)| *n == name) {
                image.set(of.clone());
            }
            container.set(name);
        })
    };
    let close = props.on_close.reform(|_: MouseEvent| ());
    html! {
        <form class="set-form" onsubmit={submit} onkeydown={on_escape(&props.on_close)}>
            if props.head.containers.len() > 1 {
                <select class="field" aria-label={words.container} onchange={chosen}>
                    { for props.head.containers.iter().map(|(name, _)| html! { <option value={name.clone()} selected={*name == *container}>{ name }</option> }) }
                </select>
            }
            <input ref={input} class="field mono" value={(*image).clone()} aria-label={fill(words.image_of, &[("container", &container)])}
                autocomplete="off" autocapitalize="off" spellcheck="false" oninput={typed} />
            <label class="stack">{ words.fate }
                <select class="field" onchange={choose_fate}>
                    { for Fate::ALL.into_iter().enumerate().map(|(index, one)| html! {
                        <option value={index.to_string()} selected={one == *fate}>{ words.fate(one) }</option>
                    }) }
                </select>
            </label>
            <button type="submit" class="button primary" onmouseenter={env.on(Msg::Hint(Some(line)))} onmouseleave={env.on(Msg::Hint(None))}>{ words.set }</button>
            <button type="button" class="button plain icon" aria-label={words.cancel} onclick={close}>{ icon(Icon::Close) }</button>
            <p class="small quiet">{ env.edits().tags }</p>
        </form>
    }
}
