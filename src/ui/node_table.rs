//! The nodes as a table: the same as the cards and the map, for whoever reads rows better than pictures.

use crate::app::message::{Inspect, Msg, Question};
use crate::app::phrase::fill;
use crate::app::view::{NodeCard, NodeHealth, short_key};
use crate::objects::ObjectKey;
use crate::ui::env::{Env, use_env};
use crate::ui::node_card::{pod_button, why_pod};
use crate::ui::phrase::sentence;
use std::rc::Rc;
use yew::prelude::*;

/// Rows that are shown before one asks for more.
const PAGE: usize = 100;

/// Properties of [`NodeTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct NodeTableProps {
    /// The nodes.
    pub cards: Vec<Rc<NodeCard>>,
    /// The DaemonSet that is looked at.
    pub set: Option<ObjectKey>,
    /// The node whose details are shown.
    pub chosen: Option<Rc<str>>,
}

/// The table.
#[component]
pub fn NodeTable(props: &NodeTableProps) -> Html {
    let env = use_env();
    let words = env.words();
    let shown = use_state_eq(|| PAGE);
    let more = {
        let shown = shown.clone();
        Callback::from(move |_: MouseEvent| shown.set(*shown + PAGE))
    };
    let hidden = props.cards.len().saturating_sub(*shown);
    html! {
        <>
            <table class="node-table">
                <caption class="unseen">{ words.nodes }</caption>
                <thead class="small"><tr>
                    <th scope="col">{ words.node }</th>
                    <th scope="col">{ words.column_status }</th>
                    <th scope="col">{ words.column_pods }</th>
                    <th scope="col">{ words.labels_and_taints }</th>
                    <th scope="col" class="end">{ words.cpu }</th>
                    <th scope="col" class="end">{ words.memory }</th>
                </tr></thead>
                <tbody>
                    { for props.cards.iter().take(*shown).map(|card| html! {
                        <Row key={card.name.to_string()} card={card.clone()} set={props.set.clone()} chosen={props.chosen.as_ref() == Some(&card.name)} />
                    }) }
                </tbody>
            </table>
            if hidden > 0 {
                <p class="more"><button type="button" class="link" onclick={more}>{ fill(words.more_nodes, &[("n", &hidden.to_string())]) }</button></p>
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RowProps {
    card: Rc<NodeCard>,
    set: Option<ObjectKey>,
    chosen: bool,
}

#[component]
fn Row(props: &RowProps) -> Html {
    let env = use_env();
    let card = &props.card;
    let taints = card.taints.iter().map(|taint| (taint.key.clone(), taint.text()));
    let labels = card.labels.iter().filter(|label| !label.usual).map(|label| match label.value.as_str() {
        "" => (label.key.clone(), label.key.clone()),
        value => (label.key.clone(), format!("{}={value}", label.key)),
    });
    // As on the cards: the name of a long key, and the whole of it where one asks.
    let chip = |(key, text): (String, String)| {
        let (is_long, name) = short_key(&key);
        let shown = if is_long { text.replacen(&key, &format!("…/{name}"), 1) } else { text.clone() };
        // A long one breaks where its parts meet.
        let (start, end) = shown.split_at(shown.find([':', '=']).map_or(shown.len(), |at| at + 1));
        html! { <code class="small" title={text}><span>{ start }</span><wbr />{ end }</code> }
    };
    let share = |resource: &str| {
        let bar = card.bars.iter().find(|bar| bar.resource == resource);
        bar.map_or_else(String::new, |bar| format!("{} %", (1000 - bar.free_share() + 5) / 10))
    };
    html! {
        <tr class={classes!(props.chosen.then_some("chosen"))} data-node={card.name.to_string()}>
            <th scope="row"><button type="button" class="node-name" id={format!("node-{}", card.name)} onclick={env.on(Msg::Inspect(Inspect::Node(card.name.clone())))}>{ &*card.name }</button></th>
            <td>{ status(&env, card) }</td>
            <td>{ pods(&env, props) }</td>
            <td class="table-chips">{ for taints.chain(labels).map(chip) }</td>
            <td class="number end">{ share("cpu") }</td>
            <td class="number end">{ share("memory") }</td>
        </tr>
    }
}

fn status(env: &Env, card: &NodeCard) -> Html {
    let words = env.words();
    html! {
        <>
            if card.health == NodeHealth::Ready { { "Ready" } }
            if let Some(health) = words.node_health(card.health) { <span class="badge danger">{ health }</span> }
            if card.cordoned { { " " }<span class="badge warning">{ words.cordoned }</span> }
        </>
    }
}

fn pods(env: &Env, props: &RowProps) -> Html {
    let words = env.words();
    let card = &props.card;
    let Some(place) = card.places.iter().find(|place| Some(&place.set) == props.set.as_ref()) else {
        return Html::default();
    };
    if place.pods.is_empty() {
        let question = Question { set: place.set.clone(), node: card.name.clone() };
        return html! {
            <>
                if let Some(absence) = &place.absence { { sentence(&words.absence(absence)) } }
                { " " }
                <button type="button" class="link" aria-label={fill(words.why_no_pod_on, &[("node", &card.name)])} onclick={env.on(Msg::Ask(question))}>{ words.why }</button>
            </>
        };
    }
    html! {
        { for place.pods.iter().map(|pod| html! {
            <span class="table-pod" key={pod.key.to_string()}>{ pod_button(env, pod, None, true) }<span>{ sentence(&words.pod_line(pod)) }
                if pod.is_questionable() { { " " }{ why_pod(env, pod, &place.set, &card.name, true) } }</span></span>
        }) }
    }
}
