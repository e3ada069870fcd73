//! The DaemonSet over the cluster: its name, strategy and actions, and the five counters.

use crate::app::command;
use crate::app::message::{Counter, Msg};
use crate::app::phrase::fill;
use crate::app::text::Words;
use crate::app::view::{CounterView, SetHead, Strategy};
use crate::objects::ObjectKey;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::menu::{Menu, menu_item};
use crate::ui::pod_tile::colour_class;
use std::rc::Rc;
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`SetHeader`].
#[derive(Clone, PartialEq, Properties)]
pub struct SetHeaderProps {
    /// All DaemonSets: key and colour.
    pub sets: Rc<Vec<(ObjectKey, u8)>>,
    /// The one that is looked at.
    pub head: Option<Rc<SetHead>>,
    /// The counter whose pods are shown.
    pub shown: Option<Counter>,
}

/// The DaemonSet that is looked at.
#[component]
pub fn SetHeader(props: &SetHeaderProps) -> Html {
    let env = use_env();
    let words = env.words();
    let image_open = use_state_eq(|| false);
    let Some(head) = &props.head else {
        return html! {
            <header class="set-head none">
                <p class="quiet">{ words.no_set }</p>
            </header>
        };
    };
    let toggle_image = {
        let image_open = image_open.clone();
        Callback::from(move |_: MouseEvent| image_open.set(!*image_open))
    };
    let close_image = {
        let image_open = image_open.clone();
        Callback::from(move |()| image_open.set(false))
    };
    html! {
        <header class={classes!("set-head", colour_class(Some(head.colour)))}>
            <div class="set-title">
                if props.sets.len() > 1 {
                    <div class="set-list" role="group" aria-label={words.daemon_sets}>
                        { for props.sets.iter().map(|(key, colour)| {
                            let chosen = *key == head.key;
                            html! {
                                <button type="button" class={classes!("set-choice", colour_class(Some(*colour)))} aria-pressed={chosen.to_string()}
                                    onclick={env.on(Msg::ChooseSet(key.clone()))}><span class="swatch" />{ &*key.name }</button>
                            }
                        }) }
                    </div>
                } else {
                    <span class="swatch" />
                    <h2 class="cut">{ &*head.key.name }</h2>
                }
                <span class="small quiet cut set-facts">{ facts(words, head) }</span>
                if head.terminating { <span class="badge warning">{ words.state_terminating }</span> }
                <span class="push" />
                <button type="button" class="button tiny" aria-expanded={image_open.to_string()} onclick={toggle_image}>{ words.set_image }</button>
                { set_menu(&env, head) }
            </div>
            if *image_open { <ImageForm head={head.clone()} on_close={close_image} /> }
            <div class="counters" role="group" aria-label={words.counters}>
                { for head.counters.iter().map(|counter| html! {
                    <CounterButton key={words.counter(counter.counter)} counter={counter.clone()} desired={head.counters.first().map_or(0, |c| c.value)}
                        shown={props.shown == Some(counter.counter)} />
                }) }
            </div>
        </header>
    }
}

fn facts(words: &Words, head: &SetHead) -> String {
    let strategy = match &head.strategy {
        Strategy::RollingUpdate { unavailable, surge } => match surge.as_str() {
            "0" | "0%" => format!("RollingUpdate · maxUnavailable {unavailable}"),
            _ => format!("RollingUpdate · maxSurge {surge} · maxUnavailable {unavailable}"),
        },
        Strategy::OnDelete => "OnDelete".to_string(),
    };
    let mut parts = vec![head.key.namespace.to_string(), strategy];
    parts.retain(|part| part != "default");
    if head.min_ready_seconds > 0 {
        parts.push(format!("minReadySeconds {}", head.min_ready_seconds));
    }
    if head.revision > 0 {
        parts.push(fill(words.revision, &[("n", &head.revision.to_string())]));
    }
    parts.join(" · ")
}

fn set_menu(env: &Env, head: &SetHead) -> Html {
    let words = env.words();
    let entry = |text: &str, class: &'static str, line: String| {
        menu_item(None, text, "", class, env.on(Msg::Run(line.clone())), env.on(Msg::Hint(Some(line))))
    };
    html! {
        <Menu name={fill(words.actions_of, &[("node", &head.key.name)])} face={icon(Icon::More)} class={classes!("button", "plain", "icon", "tiny")}>
            { entry(words.restart, "", command::restart(&head.key)) }
            if head.can_undo { { entry(words.undo_rollout, "", command::undo(&head.key)) } }
            { entry(words.history, "", command::history(&head.key)) }
            <hr />
            { entry(words.delete_set, "danger", command::delete_daemon_set(&head.key)) }
        </Menu>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CounterButtonProps {
    counter: CounterView,
    desired: i64,
    shown: bool,
}

/// A counter. Hovering, focusing or pressing it shows which pods it counts.
#[component]
fn CounterButton(props: &CounterButtonProps) -> Html {
    let env = use_env();
    let words = env.words();
    let CounterView { counter, value, nodes, missing, .. } = &props.counter;
    let short = *value < props.desired;
    let list = |nodes: &[Rc<str>]| {
        let names: Vec<&str> = nodes.iter().take(6).map(|node| &**node).collect();
        let more = nodes.len().saturating_sub(6);
        if more > 0 { format!("{} +{more}", names.join(", ")) } else { names.join(", ") }
    };
    let id = format!("counter-{counter:?}");
    let share = if props.desired > 0 { (value * 100 / props.desired).clamp(0, 100) } else { 100 };
    html! {
        <div class="counter-place">
            <button type="button" class={classes!("counter", short.then_some("short"))} aria-pressed={props.shown.to_string()} aria-describedby={id.clone()}
                onmouseenter={env.on(Msg::ShowCounter(Some(*counter)))} onmouseleave={env.on(Msg::ShowCounter(None))}
                onfocus={env.on(Msg::ShowCounter(Some(*counter)))} onblur={env.on(Msg::ShowCounter(None))}>
                <span class="counter-value">{ value }</span>
                <span class="counter-name small">{ words.counter(*counter) }</span>
                <svg class="counter-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                    <rect class="bar-free" width="100" height="3" />
                    <rect class="bar-daemon" width={share.to_string()} height="3" />
                </svg>
            </button>
            <div class="counter-tip" role="tooltip" {id}>
                <p>{ words.counter_meaning(*counter) }</p>
                if !nodes.is_empty() { <p class="small"><b>{ words.counted }</b>{ " " }{ list(nodes) }</p> }
                if !missing.is_empty() { <p class="small"><b>{ words.not_counted }</b>{ " " }{ list(missing) }</p> }
                if i64::try_from(nodes.len()).ok() != Some(*value) { <p class="small quiet">{ words.counter_lags }</p> }
            </div>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ImageFormProps {
    head: Rc<SetHead>,
    on_close: Callback<()>,
}

/// Another image for a container, as `kubectl set image`.
#[component]
fn ImageForm(props: &ImageFormProps) -> Html {
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
    let submit = {
        let (send, line, close, image) = (env.send.clone(), line.clone(), props.on_close.clone(), image.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if !image.trim().is_empty() {
                send.emit(Msg::Run(line.clone()));
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
    let escape = {
        let close = props.on_close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                close.emit(())
            }
        })
    };
    let close = {
        let close = props.on_close.clone();
        Callback::from(move |_: MouseEvent| close.emit(()))
    };
    html! {
        <form class="image-form" onsubmit={submit} onkeydown={escape}>
            if props.head.containers.len() > 1 {
                <select class="field" aria-label={words.container} onchange={chosen}>
                    { for props.head.containers.iter().map(|(name, _)| html! { <option value={name.clone()} selected={*name == *container}>{ name }</option> }) }
                </select>
            }
            <input ref={input} class="field mono" value={(*image).clone()} aria-label={fill(words.image_of, &[("container", &container)])}
                autocomplete="off" autocapitalize="off" spellcheck="false" oninput={typed} />
            <button type="submit" class="button primary" onmouseenter={env.on(Msg::Hint(Some(line)))} onmouseleave={env.on(Msg::Hint(None))}>{ words.set }</button>
            <button type="button" class="button plain icon" aria-label={words.cancel} onclick={close}>{ icon(Icon::Close) }</button>
        </form>
    }
}
