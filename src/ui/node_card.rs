//! A node as a card.

use crate::app::command;
use crate::app::message::{Inspect, Msg, Question};
use crate::app::phrase::fill;
use crate::app::text::Words;
use crate::app::view::{CapacityBar, NodeCard, NodeHealth, Place, PodTile};
use crate::objects::ObjectKey;
use crate::ui::chips::Chips;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::menu::{Menu, menu_item};
use crate::ui::phrase::sentence;
use crate::ui::pod_tile::{colour_class, empty_picture, pod_picture};
use std::collections::BTreeSet;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`NodeCardView`].
#[derive(Clone, PartialEq, Properties)]
pub struct NodeCardProps {
    /// The node.
    pub card: Rc<NodeCard>,
    /// The DaemonSet that is looked at.
    pub set: Option<ObjectKey>,
    /// Whether the card is the one that the Tab key reaches.
    pub active: bool,
    /// Whether the last step changed it.
    pub touched: bool,
    /// Whether its details are shown.
    pub chosen: bool,
    /// Key of the label or taint that something else speaks of.
    pub marked: Option<Rc<str>>,
    /// The pods that the shown counter counts.
    pub counted: Option<Rc<BTreeSet<ObjectKey>>>,
}

/// A node as a card.
#[component]
pub fn NodeCardView(props: &NodeCardProps) -> Html {
    let env = use_env();
    let words = env.words();
    let card = &props.card;
    let place = card.places.iter().find(|place| Some(&place.set) == props.set.as_ref());
    let excluded =
        place.is_some_and(|place| place.pods.is_empty() && place.absence.as_ref().is_some_and(|a| a.is_excluded()));
    let class = classes!(
        "node",
        props.touched.then_some("touched"),
        props.marked.is_some().then_some("marked"),
        props.chosen.then_some("chosen"),
        card.cordoned.then_some("cordoned"),
        (card.health != NodeHealth::Ready).then_some("unwell"),
        excluded.then_some("excluded"),
    );
    let id = format!("node-{}", card.name);
    let tab_stop = props.active;
    html! {
        <li {class} data-node={card.name.to_string()}>
            <div class="node-head">
                <h3 class="cut"><button type="button" {id} class="node-name" tabindex={if tab_stop { "0" } else { "-1" }}
                    aria-describedby={format!("about-{}", card.name)}
                    onclick={env.on(Msg::Inspect(Inspect::Node(card.name.clone())))}>{ &*card.name }</button></h3>
                <span class="small quiet cut" id={format!("about-{}", card.name)}>{ role_text(words, card) }</span>
                if let Some(health) = words.node_health(card.health) { <span class="badge danger">{ health }</span> }
                if card.cordoned { <span class="badge warning">{ words.cordoned }</span> }
                <span class="push" />
                { node_menu(&env, card, tab_stop) }
            </div>
            <Chips card={card.clone()} {tab_stop} marked={props.marked.clone()} />
            <div class="places">
                if let Some(place) = place { <Leaving pods={place.pods.clone()} set={place.set.clone()} /> }
                if let Some(place) = place { { place_view(&env, card, place, props, tab_stop) } }
                { other_pods(&env, card, props, tab_stop) }
            </div>
            { capacity(words, &card.bars, place.map(|place| place.colour)) }
        </li>
    }
}

fn role_text(words: &Words, card: &NodeCard) -> String {
    if card.roles.iter().any(|role| **role == *card.name) {
        String::new()
    } else if card.roles.is_empty() {
        words.role_worker.to_string()
    } else {
        card.roles.join(", ")
    }
}

/// What can be done with a node.
pub fn node_menu(env: &Env, card: &NodeCard, tab_stop: bool) -> Html {
    let words = env.words();
    let node = &*card.name;
    let entry = |shape: Option<Icon>, text: &str, class: &'static str, line: String| {
        menu_item(shape, text, "", class, env.on(Msg::Run(line.clone())), env.on(Msg::Hint(Some(line))))
    };
    let powered = card.health != NodeHealth::Unknown;
    html! {
        <Menu name={fill(words.actions_of, &[("node", node)])} face={icon(Icon::More)} class={classes!("button", "plain", "icon", "tiny")} {tab_stop}>
            { menu_item(Some(Icon::Info), words.details, "", "", env.on(Msg::Inspect(Inspect::Node(card.name.clone()))), Callback::noop()) }
            <hr />
            { entry(None, if card.cordoned { words.uncordon } else { words.cordon }, "", command::cordon(node, !card.cordoned)) }
            { entry(None, words.drain, "", command::drain(node)) }
            { entry(None, if powered { words.power_off } else { words.power_on }, "", command::power(node, !powered)) }
            { entry(None, words.describe, "", command::describe_node(node)) }
            <hr />
            { entry(None, words.remove_node, "danger", command::delete_node(node)) }
        </Menu>
    }
}

/// The pods of the DaemonSet that is looked at, or why there is none.
fn place_view(env: &Env, card: &NodeCard, place: &Place, props: &NodeCardProps, tab_stop: bool) -> Html {
    let words = env.words();
    if place.pods.is_empty() {
        let excluded = place.absence.as_ref().is_some_and(|absence| absence.is_excluded());
        let verdict = Msg::Ask(Question { set: place.set.clone(), node: card.name.clone() });
        return html! {
            <div class={classes!("place", "absent", excluded.then_some("excluded"))}>
                { empty_picture(Some(place.colour), excluded) }
                <p class="place-text">
                    if let Some(absence) = &place.absence { { sentence(&words.absence(absence)) } } else { { words.no_pod } }
                    { " " }
                    <button type="button" class="link" tabindex={(!tab_stop).then_some("-1")}
                        aria-label={fill(words.why_no_pod_on, &[("node", &card.name)])} onclick={env.on(verdict)}>{ words.why }</button>
                </p>
            </div>
        };
    }
    html! {
        { for place.pods.iter().map(|pod| html! {
            <div class="place" key={pod.key.to_string()}>
                { pod_button(env, pod, props.counted.as_deref(), tab_stop) }
                if pod.is_questionable() {
                    <p class="place-text quiet">{ sentence(&words.pod_line(pod)) }{ " " }{ why_pod(env, pod, &place.set, &card.name, tab_stop) }</p>
                } else {
                    <p class="place-text cut quiet">{ sentence(&words.pod_line(pod)) }</p>
                }
            </div>
        }) }
    }
}

/// Asks about a pod that is not well, or old.
pub fn why_pod(env: &Env, pod: &PodTile, set: &ObjectKey, node: &Rc<str>, tab_stop: bool) -> Html {
    let words = env.words();
    let question = Msg::Ask(Question { set: set.clone(), node: node.clone() });
    html! {
        <button type="button" class="link" tabindex={(!tab_stop).then_some("-1")} aria-label={format!("{} {}", words.why, words.pod_name(pod))}
            onclick={env.on(question)}>{ words.why }</button>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LeavingProps {
    pods: Vec<PodTile>,
    set: ObjectKey,
}

/// Pods that have just left a node, drawn once more on their way out. It is motion only: nothing of it is told, focused
/// or clicked, and who asks for less of it sees none (`base.css`).
#[component]
fn Leaving(props: &LeavingProps) -> Html {
    let before = use_mut_ref(|| (props.set.clone(), props.pods.clone()));
    let gone = use_mut_ref(Vec::<(usize, PodTile)>::new);
    let draw = use_force_update();
    let (set, pods) = before.replace((props.set.clone(), props.pods.clone()));
    if set == props.set {
        let left = |pod: &PodTile| !props.pods.iter().any(|there| there.key == pod.key);
        gone.borrow_mut().extend(pods.into_iter().enumerate().filter(|(_, pod)| left(pod)));
    } else {
        gone.borrow_mut().clear();
    }
    let ended = {
        let gone = gone.clone();
        Callback::from(move |_: AnimationEvent| {
            gone.borrow_mut().clear();
            draw.force_update();
        })
    };
    html! {
        { for gone.borrow().iter().rev().take(2).map(|(at, pod)| html! {
            <span key={pod.key.to_string()} class={classes!("leaving", (*at > 0).then_some("second"))} aria-hidden="true" onanimationend={ended.clone()}>
                { pod_picture(pod.colour, pod.age, pod.state) }
            </span>
        }) }
    }
}

/// A tile that opens the pod's details.
pub fn pod_button(env: &Env, pod: &PodTile, counted: Option<&BTreeSet<ObjectKey>>, tab_stop: bool) -> Html {
    let name = env.words().pod_name(pod);
    let class = classes!(
        "pod-button",
        counted.map(|counted| if counted.contains(&pod.key) { "counted" } else { "not-counted" }),
    );
    html! {
        <button type="button" {class} aria-label={name.clone()} title={name} tabindex={(!tab_stop).then_some("-1")}
            data-pod={pod.key.name.to_string()} onclick={env.on(Msg::Inspect(Inspect::Pod(pod.key.clone())))}>
            { pod_picture(pod.colour, pod.age, pod.state) }
        </button>
    }
}

/// The pods of other DaemonSets and of anything else, as tiles only.
fn other_pods(env: &Env, card: &NodeCard, props: &NodeCardProps, tab_stop: bool) -> Html {
    let of_sets =
        card.places.iter().filter(|place| Some(&place.set) != props.set.as_ref()).flat_map(|place| &place.pods);
    let pods: Vec<&PodTile> = of_sets.chain(&card.others).collect();
    if pods.is_empty() {
        return Html::default();
    }
    const SHOWN: usize = 12;
    let hidden = pods.len().saturating_sub(SHOWN);
    html! {
        <div class="others" role="group" aria-label={fill(env.words().other_pods_on, &[("node", &card.name)])}>
            { for pods.iter().take(SHOWN).map(|pod| pod_button(env, pod, props.counted.as_deref(), tab_stop)) }
            if hidden > 0 { <span class="small quiet">{ format!("+{hidden}") }</span> }
        </div>
    }
}

/// CPU and memory of a node.
pub fn capacity(words: &Words, bars: &[CapacityBar], colour: Option<u8>) -> Html {
    html! {
        <dl class={classes!("capacity", colour_class(colour))}>
            { for bars.iter().map(|bar| {
                let name = if bar.resource == "cpu" { words.cpu } else { words.memory };
                let facts = [("daemon", bar.daemon.as_str()), ("other", bar.other.as_str()), ("all", bar.allocatable.as_str())];
                let text = fill(words.capacity_text, &facts);
                let used = 1000 - bar.free_share();
                html! {
                    <div title={text.clone()}>
                        <dt class="small quiet">{ name }</dt>
                        <dd>
                            <svg class="bar" viewBox="0 0 1000 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                                <rect class="bar-free" width="1000" height="4" />
                                <rect class="bar-other" width={used.to_string()} height="4" />
                                <rect class="bar-daemon" width={bar.daemon_share.to_string()} height="4" />
                            </svg>
                            <span class="small quiet number" aria-hidden="true">{ format!("{} %", (used + 5) / 10) }</span>
                            <span class="unseen">{ text }</span>
                        </dd>
                    </div>
                }
            }) }
        </dl>
    }
}
