//! The DaemonSet over the cluster: its name, strategy and actions, and the five counters.

use crate::app::command;
use crate::app::insight::{InsightMsg, Section};
use crate::app::message::{Counter, Msg, Pane, SideTab};
use crate::app::phrase::fill;
use crate::app::text::Words;
use crate::app::view::{CounterView, SetHead, Strategy};
use crate::objects::ObjectKey;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::menu::{Menu, menu_item};
use crate::ui::pod_tile::colour_class;
use crate::ui::set_forms::{ImageForm, StrategyForm};
use std::rc::Rc;
use web_sys::PointerEvent;
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

/// What can be opened below the name.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Image,
    Strategy,
}

/// The DaemonSet that is looked at.
#[component]
pub fn SetHeader(props: &SetHeaderProps) -> Html {
    let env = use_env();
    let words = env.words();
    let form = use_state_eq(|| None::<Form>);
    let still = use_state_eq(|| false);
    let pointer = use_mut_ref(|| (0, 0));
    let Some(head) = &props.head else {
        // As high as it will be, so that nothing jumps when the DaemonSet comes.
        return html! {
            <header class="set-head none">
                <div class="set-title"><span class="swatch" /><p class="quiet">{ words.no_set }</p></div>
                <div class="counters" aria-hidden="true">
                    { for Counter::ALL.into_iter().map(|counter| html! {
                        <div class="counter-place"><div class="counter"><span class="counter-value">{ "–" }</span><span class="counter-name small">{ words.counter(counter) }</span></div></div>
                    }) }
                </div>
            </header>
        };
    };
    let toggle = |which: Form| {
        let form = form.clone();
        Callback::from(move |_: MouseEvent| form.set(Some(which).filter(|which| *form != Some(*which))))
    };
    let close = {
        let (form, still) = (form.clone(), still.clone());
        Callback::from(move |()| {
            form.set(None);
            still.set(true);
        })
    };
    // Where the pointer rests, and whether it has moved since a form has closed.
    let moved = {
        let (still, pointer) = (still.clone(), pointer.clone());
        Callback::from(move |event: PointerEvent| {
            let place = (event.screen_x(), event.screen_y());
            if pointer.replace(place) != place {
                still.set(false);
            }
        })
    };
    let opener = |which: Form, text: &str| {
        html! {
            <button type="button" class="button tiny" aria-expanded={(*form == Some(which)).to_string()} onclick={toggle(which)}>{ text }</button>
        }
    };
    html! {
        <header class={classes!("set-head", still.then_some("still"), colour_class(Some(head.colour)))} onpointermove={moved}>
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
                <span class="small quiet cut set-facts" title={facts(words, head)}>{ facts(words, head) }</span>
                if head.terminating { <span class="badge warning">{ words.state_terminating }</span> }
                <span class="push" />
                if head.can_undo && head.rolling { { undo_button(&env, head) } }
                { opener(Form::Image, words.set_image) }
                { opener(Form::Strategy, words.strategy) }
                { set_menu(&env, head) }
            </div>
            { match *form {
                Some(Form::Image) => html! { <ImageForm head={head.clone()} on_close={close} /> },
                Some(Form::Strategy) => html! { <StrategyForm head={head.clone()} on_close={close} /> },
                None => Html::default(),
            } }
            <div class="counters" role="group" aria-label={words.counters}>
                { for head.counters.iter().map(|counter| html! {
                    <CounterButton key={words.counter(counter.counter)} counter={counter.clone()} desired={head.counters.first().map_or(0, |c| c.value)}
                        shown={props.shown == Some(counter.counter)} />
                }) }
            </div>
        </header>
    }
}

/// The way back while a template is rolled out, in sight.
fn undo_button(env: &Env, head: &SetHead) -> Html {
    let words = env.words();
    let line = command::undo(&head.key);
    html! {
        <button type="button" class="button tiny set-undo" title={words.undo_rollout} onclick={env.on(Msg::Run(line.clone()))} onmouseenter={env.on(Msg::Hint(Some(line.clone())))} onfocus={env.on(Msg::Hint(Some(line.clone())))}
            onmouseleave={env.on(Msg::Hint(None))} onblur={env.on(Msg::Hint(None))}>{ icon(Icon::Undo) }<span>{ words.standing().undo }</span></button>
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
    let costs = {
        let (send, key) = (env.send.clone(), head.key.clone());
        Callback::from(move |_: MouseEvent| {
            send.emit(Msg::Insight(InsightMsg::Subject(key.clone())));
            send.emit(Msg::Insight(InsightMsg::Show(Section::Cost)));
            // On a narrow screen it is another part of the page.
            send.emit(Msg::ShowPane(Pane::Story));
            send.emit(Msg::ShowTab(SideTab::Insight));
        })
    };
    html! {
        <Menu name={fill(words.actions_of, &[("node", &head.key.name)])} face={icon(Icon::More)} class={classes!("button", "plain", "icon", "tiny")}>
            { entry(words.restart, "", command::restart(&head.key)) }
            if head.can_undo { { entry(words.undo_rollout, "", command::undo(&head.key)) } }
            { entry(words.history, "", command::history(&head.key)) }
            { menu_item(None, words.insight().cost_title, "", "", costs, Callback::noop()) }
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
    let share = if props.desired > 0 { (value * 100 / props.desired).clamp(0, 100) } else { 0 };
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
