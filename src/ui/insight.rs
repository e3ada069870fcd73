//! What the DaemonSet costs, what is risky in its manifest, how long a rollout takes, what a change would do, and the same
//! as a Deployment.

mod change;
mod check;
mod compare;
mod cost;
mod rollout;

use crate::app::insight::{Field, InsightMsg, Section};
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::text::InsightWords;
use crate::app::view::{InsightBody, InsightView, TrialView};
use crate::objects::ObjectKey;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Insight`].
#[derive(Clone, PartialEq, Properties)]
pub struct InsightProps {
    /// What is shown; `None`: there is no DaemonSet.
    pub view: Option<Rc<InsightView>>,
    /// The part that was chosen.
    pub section: Section,
}

/// The panel of insight.
#[component]
pub fn Insight(props: &InsightProps) -> Html {
    let env = use_env();
    let words = env.words().insight();
    html! {
        <div class="panel insight">
            <div class="joined sections" role="group" aria-label={words.sections}>
                { for Section::ALL.iter().map(|section| html! {
                    <button type="button" class="button" aria-pressed={(*section == props.section).to_string()}
                        onclick={env.on(Msg::Insight(InsightMsg::Show(*section)))}>{ section_name(words, *section) }</button>
                }) }
            </div>
            { match &props.view {
                Some(view) => body(&env, view),
                None => html! { <div class="empty left"><p>{ words.empty }</p><p class="quiet">{ words.empty_more }</p></div> },
            } }
        </div>
    }
}

fn section_name(words: &InsightWords, section: Section) -> &'static str {
    match section {
        Section::Cost => words.section_cost,
        Section::Check => words.section_check,
        Section::Rollout => words.section_rollout,
        Section::Change => words.section_change,
        Section::Compare => words.section_compare,
    }
}

fn body(env: &Env, view: &InsightView) -> Html {
    html! {
        <>
            if view.subjects.len() > 1 && !matches!(view.body, InsightBody::Check(_) | InsightBody::Change { .. }) { { subject(env, view) } }
            { match &view.body {
                InsightBody::Cost(cost) => cost::cost(env, view, cost),
                InsightBody::Check(findings) => check::check(env, findings),
                InsightBody::Rollout(rollout) => rollout::rollout(env, view, rollout),
                InsightBody::Change { has_set, effects } => change::change(env, view, *has_set, effects),
                InsightBody::Compare => compare::compare(env, view),
            } }
        </>
    }
}

/// Which DaemonSet is asked about.
fn subject(env: &Env, view: &InsightView) -> Html {
    let words = env.words().insight();
    let (send, keys) = (env.send.clone(), view.subjects.clone());
    let chosen = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<HtmlInputElement>().value();
        if let Some((key, _)) = keys.iter().find(|(key, _)| key.to_string() == value) {
            send.emit(Msg::Insight(InsightMsg::Subject(key.clone())));
        }
    });
    let option = |(key, applied): &(ObjectKey, bool)| {
        let name = key.to_string();
        let shown = if *applied { name.clone() } else { fill(words.not_applied, &[("name", &name)]) };
        html! { <option value={name} selected={*key == view.subject}>{ shown }</option> }
    };
    html! {
        <label class="stack">{ "DaemonSet" }<select class="field" onchange={chosen}>{ for view.subjects.iter().map(option) }</select></label>
    }
}

/// Something to type, with its name above.
fn typed(env: &Env, field: Field, label: &str, value: &str, placeholder: String, mode: &'static str) -> Html {
    let send = env.send.clone();
    let input = Callback::from(move |event: InputEvent| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        send.emit(Msg::Insight(InsightMsg::Type(field, text)));
    });
    html! {
        <label class="stack">{ label }<input class="field number" type="text" inputmode={mode} autocomplete="off" spellcheck="false"
            value={value.to_owned()} {placeholder} oninput={input} /></label>
    }
}

/// A button that tries something out, and how far it is.
fn player(env: &Env, view: &InsightView, label: &str, message: InsightMsg) -> Html {
    let words = env.words().insight();
    if !view.is_applied && !matches!(message, InsightMsg::PlayChange | InsightMsg::Compare) {
        return html! { <p class="quiet small">{ words.apply_first }</p> };
    }
    match view.trial {
        TrialView::Running(done, all) => html! {
            <div class="fix-row" role="status">
                <button type="button" class="button" onclick={env.on(Msg::Insight(InsightMsg::Stop))}>{ icon(Icon::Stop) }{ words.stop }</button>
                <span class="quiet">{ if all > 0 { fill(words.running_progress, &[("done", &done.to_string()), ("all", &all.to_string())]) } else { words.running.to_owned() } }</span>
            </div>
        },
        _ => html! {
            <div class="fix-row">
                <button type="button" class="button" onclick={env.on(Msg::Insight(message))}>{ icon(Icon::Play) }{ label }</button>
            </div>
        },
    }
}

/// What a rollout on a copy did.
fn played(env: &Env, view: &InsightView) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    match &view.trial {
        TrialView::RolledOut(result, _) => {
            let facts = [
                ("nodes", result.nodes.to_string()),
                ("updated", result.updated.to_string()),
                (
                    "uncovered",
                    if result.duration_ms.is_some() { result.uncovered } else { result.uncovered_after }.to_string(),
                ),
                ("time", result.duration_ms.map(|ms| all.time_of(ms)).unwrap_or_default()),
            ];
            let facts: Vec<(&str, &str)> = facts.iter().map(|(name, fact)| (*name, fact.as_str())).collect();
            let done = result.duration_ms.is_some();
            let text = fill(if done { words.result_done } else { words.result_stuck }, &facts);
            html! { <p class={classes!("callout", if done { "good" } else { "warning" })}>{ icon(if done { Icon::Tick } else { Icon::Warning }) }<span>{ text }</span></p> }
        }
        TrialView::Refused(text) => {
            html! { <p class="callout danger">{ icon(Icon::Error) }<span>{ &**text }</span></p> }
        }
        _ => Html::default(),
    }
}

/// Some names, and how many more there are.
fn names(env: &Env, nodes: &[Rc<str>]) -> String {
    const SHOWN: usize = 5;
    let mut text = nodes.iter().take(SHOWN).map(|name| &**name).collect::<Vec<_>>().join(", ");
    if let Some(more) = nodes.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push(' ');
        text.push_str(&fill(env.words().insight().more_names, &[("n", &more.to_string())]));
    }
    text
}
