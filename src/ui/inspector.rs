//! Details of what was chosen: a node, a pod, or why there is none.

use crate::app::message::{Inspect, Msg, Question};
use crate::app::phrase::fill;
use crate::app::view::{Detail, NodeCard, PodDetail};
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
        Detail::Gone(name, _) => name.clone(),
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
                    Detail::Gone(_, fate) => html! { <>
                        <p class="quiet">{ words.gone }</p>
                        if let Some(fate) = fate { <p class="callout warning">{ icon(Icon::Warning) }<span>{ sentence(fate) }</span></p> }
                    </> },
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
                    <li><button type="button" class="link" onclick={env.on(Msg::Ask(Question { set: place.set.clone(), node: card.name.clone() }))}>
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
            if let Some(why) = &pod.why {
                <section class="why" aria-label={why.title.clone()}><h3>{ &why.title }</h3>{ crate::ui::why::pod_why(env, why) }</section>
            }
            <div class="actions">
                { for pod.actions.iter().map(|(text, line, danger)| html! {
                    <button type="button" class={classes!("button", danger.then_some("danger"))} onclick={env.on(Msg::Run(line.clone()))}
                        onmouseenter={env.on(Msg::Hint(Some(line.clone())))} onmouseleave={env.on(Msg::Hint(None))}>{ *text }</button>
                }) }
            </div>
        </>
    }
}
