//! Details of what was chosen: a node, a pod, or why there is none.

use crate::app::message::{Inspect, Msg};
use crate::app::phrase::fill;
use crate::app::view::{CheckMark, CheckRow, Detail, NodeCard, PodDetail, VerdictView};
use crate::ui::chips::Chips;
use crate::ui::dom;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::node_card::capacity;
use crate::ui::phrase::sentence;
use crate::ui::pod_tile::pod_picture;
use std::rc::Rc;
use web_sys::KeyboardEvent;
use yew::prelude::*;

/// Properties of [`Inspector`].
#[derive(Clone, PartialEq, Properties)]
pub struct InspectorProps {
    /// What was chosen.
    pub what: Inspect,
    /// What there is to show.
    pub detail: Rc<Detail>,
}

/// The panel of details.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let env = use_env();
    let words = env.words();
    let heading = use_node_ref();
    {
        let heading = heading.clone();
        use_effect_with(props.what.clone(), move |_| {
            if let Some(heading) = heading.cast::<web_sys::Element>() {
                dom::focus(&heading);
            }
        });
    }
    let keys = {
        let send = env.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && !dom::is_writing(&event) {
                send.emit(Msg::CloseInspector);
            }
        })
    };
    let title = match &*props.detail {
        Detail::Node(card, _) => card.name.to_string(),
        Detail::Pod(pod) => pod.tile.key.name.to_string(),
        Detail::Verdict(verdict) => verdict.title.clone(),
        Detail::Gone(name) => name.clone(),
    };
    html! {
        <section class="inspector" aria-label={words.details} onkeydown={keys}>
            <header class="inspector-head">
                <h2 ref={heading} tabindex="-1">{ title }</h2>
                <button type="button" class="button plain icon" aria-label={words.close} title={words.close} onclick={env.on(Msg::CloseInspector)}>{ icon(Icon::Close) }</button>
            </header>
            <div class="inspector-scroll">
                { match &*props.detail {
                    Detail::Node(card, facts) => node(&env, card, facts),
                    Detail::Pod(pod) => pod_view(&env, pod),
                    Detail::Verdict(view) => verdict(&env, view),
                    Detail::Gone(_) => html! { <p class="quiet">{ words.gone }</p> },
                } }
            </div>
        </section>
    }
}

fn fact_list(facts: &[(&'static str, String)]) -> Html {
    html! {
        <dl class="facts">
            { for facts.iter().map(|(name, value)| html! { <div><dt class="small quiet">{ *name }</dt><dd>{ value }</dd></div> }) }
        </dl>
    }
}

fn node(env: &Env, card: &Rc<NodeCard>, facts: &[(&'static str, String)]) -> Html {
    let words = env.words();
    html! {
        <>
            { fact_list(facts) }
            <h3 class="small quiet">{ words.labels_and_taints }</h3>
            <Chips card={card.clone()} tab_stop={true} all={true} />
            <h3 class="small quiet">{ words.capacity }</h3>
            { capacity(words, &card.bars, card.places.first().map(|place| place.colour)) }
            <h3 class="small quiet">{ words.daemon_sets }</h3>
            <ul class="verdict-links">
                { for card.places.iter().map(|place| html! {
                    <li><button type="button" class="link" onclick={env.on(Msg::Inspect(Inspect::Verdict { set: place.set.clone(), node: card.name.clone() }))}>
                        { fill(words.verdict_of, &[("set", &place.set.name)]) }</button></li>
                }) }
            </ul>
        </>
    }
}

fn pod_view(env: &Env, pod: &PodDetail) -> Html {
    let words = env.words();
    let tile = &pod.tile;
    html! {
        <>
            <p class="pod-state">{ pod_picture(tile.colour, tile.age, tile.state) }<b>{ words.pod_state(tile.state) }</b>
                if !tile.trouble.is_empty() { <span class="badge danger">{ &*tile.trouble }</span> }</p>
            { fact_list(&pod.facts) }
            <div class="actions">
                { for pod.actions.iter().map(|(text, line, danger)| html! {
                    <button type="button" class={classes!("button", danger.then_some("danger"))} onclick={env.on(Msg::Run(line.clone()))}
                        onmouseenter={env.on(Msg::Hint(Some(line.clone())))} onmouseleave={env.on(Msg::Hint(None))}>{ *text }</button>
                }) }
            </div>
        </>
    }
}

fn verdict(env: &Env, view: &VerdictView) -> Html {
    let words = env.words();
    html! {
        <>
            <p class={classes!("callout", if view.passed { "good" } else { "warning" })}>
                { icon(if view.passed { Icon::Tick } else { Icon::Warning }) }<span>{ sentence(&view.answer) }</span></p>
            <table class="checks">
                <caption class="unseen">{ words.checks }</caption>
                <thead class="unseen"><tr><th scope="col">{ words.result }</th><th scope="col">{ words.check }</th></tr></thead>
                <tbody>
                    { for view.rows.iter().map(|row| check_row(env, row)) }
                </tbody>
            </table>
            if !view.fixes.is_empty() {
                <h3>{ view.fixes_title }</h3>
                { for view.fixes.iter().enumerate().map(|(index, fix)| html! {
                    <div class="fix">
                        { crate::ui::diff::diff_lines(&fix.text, &fix.lines) }
                        <button type="button" class={classes!("button", (index == 0).then_some("primary"))} onclick={env.on(fix.message.clone())}>{ &fix.text }</button>
                        <p class="small quiet">{ &fix.remark }</p>
                    </div>
                }) }
            }
        </>
    }
}

fn check_row(env: &Env, row: &CheckRow) -> Html {
    let words = env.words();
    let (class, shape, text) = match row.mark {
        CheckMark::Passed => ("passed", Some(Icon::Tick), words.passed),
        CheckMark::Failed => ("failed", Some(Icon::Close), words.failed),
        CheckMark::Skipped => ("skipped", None, words.not_reached),
    };
    let mark = row.line.map(|(_, from, to)| Msg::Mark(Some((from, to, row.mark == CheckMark::Passed))));
    let (enter, leave) = match mark {
        Some(mark) => (env.on(mark), env.on(Msg::Mark(None))),
        None => (Callback::noop(), Callback::noop()),
    };
    html! {
        <tr class={classes!(class, row.nested.then_some("nested"))} onmouseenter={enter} onmouseleave={leave}>
            <td class="check-mark">if let Some(shape) = shape { { icon(shape) } } else { <span aria-hidden="true">{ "–" }</span> }<span class="unseen">{ text }</span></td>
            <td>{ sentence(&row.what) }<span class="found small">{ sentence(&row.found) }
                if let Some((line, from, _)) = row.line {
                    { " " }<button type="button" class="link small" onclick={env.on(Msg::GoTo(from))}>{ fill(words.line, &[("n", &line.to_string())]) }</button>
                }</span></td>
        </tr>
    }
}
