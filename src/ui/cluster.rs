//! The middle of the page: the nodes.

use crate::app::command;
use crate::app::filter::Filter;
use crate::app::message::{Counter, Inspect, Msg};
use crate::app::phrase::fill;
use crate::app::text::{Words, count};
use crate::app::view::{
    Age, CARDS_AT_MOST, CellGroup, NodeCard, PodState, PodTile, SetHead, cell_groups, group_labels, short_key,
};
use crate::objects::ObjectKey;
use crate::ui::dense::DenseMap;
use crate::ui::dom;
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon};
use crate::ui::node_card::{NodeCardView, pod_button};
use crate::ui::node_table::NodeTable;
use crate::ui::pod_tile::{colour_class, empty_picture, pod_picture};
use crate::ui::set_head::SetHeader;
use crate::ui::transport::chart_entries;
use std::collections::BTreeSet;
use std::rc::Rc;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`Cluster`].
#[derive(Clone, PartialEq, Properties)]
pub struct ClusterProps {
    /// All DaemonSets: key and colour.
    pub sets: Rc<Vec<(ObjectKey, u8)>>,
    /// The DaemonSet that is looked at.
    pub head: Option<Rc<SetHead>>,
    /// All nodes.
    pub cards: Rc<Vec<Rc<NodeCard>>>,
    /// Pods that are on no node and pinned to none.
    pub unplaced: Rc<Vec<PodTile>>,
    /// Nodes that the last step touched.
    pub touched: Rc<BTreeSet<Rc<str>>>,
    /// What the panel of details shows.
    pub inspect: Option<Inspect>,
    /// The counter whose pods are shown.
    pub shown: Option<Counter>,
    /// Text of the filter box.
    pub filter: Rc<str>,
    /// Label by whose values the nodes are grouped.
    pub group: Option<Rc<str>>,
    /// A label or taint that something else speaks of: node and key.
    pub marked: Option<(Rc<str>, Rc<str>)>,
    /// The nodes are shown as a table.
    pub as_table: bool,
}

/// The nodes with their pods.
#[component]
pub fn Cluster(props: &ClusterProps) -> Html {
    let env = use_env();
    let words = env.words();
    let filter = Filter::parse(&props.filter);
    let cards: Vec<&Rc<NodeCard>> = props.cards.iter().filter(|card| filter.fits(card)).collect();
    let set = props.head.as_ref().map(|head| head.key.clone());
    let counted = props.shown.and_then(|shown| {
        let head = props.head.as_ref()?;
        head.counters.iter().find(|counter| counter.counter == shown).map(|counter| counter.pods.clone())
    });
    let chosen = match &props.inspect {
        Some(Inspect::Node(node)) => Some(node.clone()),
        _ => None,
    };
    // The Tab key reaches one card; the arrow keys move among them.
    let active = use_state_eq(|| Rc::<str>::from(""));
    let is_there = cards.iter().any(|card| card.name == *active);
    let active_name =
        if is_there { (*active).clone() } else { cards.first().map_or_else(|| "".into(), |card| card.name.clone()) };
    let list = use_node_ref();
    let focused = {
        let active = active.clone();
        Callback::from(move |event: FocusEvent| {
            let target: Option<Element> = event.target_dyn_into();
            let card = target.and_then(|target| target.closest("[data-node]").ok().flatten());
            if let Some(name) = card.and_then(|card| card.get_attribute("data-node")) {
                active.set(name.into());
            }
        })
    };
    let moved = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| {
            if dom::is_within(&event, ".node-name")
                && let Some(list) = list.cast::<HtmlElement>()
            {
                dom::grid_focus(&event, &list, ".node-name");
            }
        })
    };
    let filtered = {
        let send = env.send.clone();
        Callback::from(move |event: InputEvent| {
            send.emit(Msg::Filter(event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };

    let dense = cards.len() > CARDS_AT_MOST && !props.as_table;
    // The map before, so that what has not changed is not drawn again.
    let groups = use_mut_ref(|| Rc::new(Vec::<CellGroup>::new()));
    if dense {
        let fresh = cell_groups(&cards, set.as_ref(), props.group.as_deref(), &groups.borrow());
        if **groups.borrow() != fresh {
            *groups.borrow_mut() = Rc::new(fresh);
        }
    }
    let labels = use_memo((props.cards.clone(), props.cards.len() > CARDS_AT_MOST), |(cards, dense)| {
        if *dense { group_labels(cards) } else { Vec::new() }
    });
    let grouped = {
        let send = env.send.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            send.emit(Msg::GroupBy(Some(value).filter(|value| !value.is_empty())));
        })
    };
    html! {
        <section class="cluster" id="cluster" tabindex="-1" aria-label={words.cluster}>
            <SetHeader sets={props.sets.clone()} head={props.head.clone()} shown={props.shown} />
            <div class="cluster-bar">
                <AddNodes cards={props.cards.clone()} />
                <div class="search">
                    { icon(Icon::Search) }
                    <input class="field" type="search" placeholder={words.filter_hint} aria-label={words.filter_nodes} value={props.filter.to_string()}
                        autocomplete="off" autocapitalize="off" spellcheck="false" oninput={filtered} />
                </div>
                <span class="small quiet number">{
                    if filter.is_empty() { count(env.language, cards.len(), words.node_one, words.node_many) }
                    else { fill(words.shown_of, &[("n", &cards.len().to_string()), ("all", &props.cards.len().to_string())]) }
                }</span>
                <div class="joined at-end" role="group" aria-label={words.nodes}>
                    { for [(false, Icon::Cluster, words.as_map), (true, Icon::Table, words.as_table)].map(|(table, shape, name)| html! {
                        <button type="button" class="button icon" aria-label={name} title={name} aria-pressed={(table == props.as_table).to_string()}
                            onclick={env.on(Msg::ShowTable(table))}>{ icon(shape) }</button>
                    }) }
                </div>
                if props.cards.len() > CARDS_AT_MOST {
                  <div class="cluster-more">
                    <select class="field group-by" aria-label={words.group_by} onchange={grouped}>
                        <option value="" selected={props.group.is_none()}>{ words.not_grouped }</option>
                        { for labels.iter().map(|label| html! {
                            <option value={label.clone()} selected={props.group.as_deref() == Some(label.as_str())}>{ short_key(label).1 }</option>
                        }) }
                    </select>
                    <StateFilter filter={props.filter.clone()} />
                  </div>
                }
            </div>
            <div class="cluster-scroll">
                <h2 class="unseen">{ words.nodes }</h2>
                if props.cards.is_empty() {
                    <div class="empty"><p>{ words.no_nodes }</p>
                        <button type="button" class="button" onclick={env.on(Msg::Run(command::add_nodes("worker1", "worker", 1)))}>{ icon(Icon::Add) }{ words.add_worker }</button></div>
                } else if cards.is_empty() {
                    <div class="empty"><p>{ words.none_fits }</p>
                        <button type="button" class="button" onclick={env.on(Msg::Filter(String::new()))}>{ words.show_all }</button></div>
                }
                if !props.unplaced.is_empty() {
                    <section class="unplaced" aria-label={words.placement().unplaced}>
                        <h3 class="small quiet">{ words.placement().unplaced }</h3>
                        <div class="others">{ for props.unplaced.iter().map(|pod| pod_button(&env, pod, counted.as_deref(), true)) }</div>
                    </section>
                }
                if props.as_table {
                    <NodeTable cards={cards.iter().map(|card| (*card).clone()).collect::<Vec<_>>()} set={set.clone()} chosen={chosen.clone()} />
                } else if dense {
                    <DenseMap groups={groups.borrow().clone()} label={props.group.clone()} colour={props.head.as_ref().map(|head| head.colour)} chosen={chosen.clone()} />
                } else {
                <ul ref={list} class="nodes" aria-label={words.nodes} onfocusin={focused} onkeydown={moved}>
                    { for cards.iter().map(|card| html! {
                        <NodeCardView key={card.name.to_string()} card={(*card).clone()} set={set.clone()} active={card.name == active_name}
                            touched={props.touched.contains(&card.name)} chosen={chosen.as_ref() == Some(&card.name)}
                            marked={props.marked.as_ref().filter(|(node, _)| *node == card.name).map(|(_, key)| key.clone())} counted={counted.clone()} />
                    }) }
                </ul>
                }
            </div>
            <Legend colour={props.head.as_ref().map_or(0, |head| head.colour)} />
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LegendProps {
    colour: u8,
}

#[derive(Clone, PartialEq, Properties)]
struct StateFilterProps {
    filter: Rc<str>,
}

/// The states by which nodes are looked for, as words of the filter.
#[component]
fn StateFilter(props: &StateFilterProps) -> Html {
    let env = use_env();
    let words = env.words();
    let states = [
        ("", words.state_any),
        ("empty", words.state_empty),
        ("excluded", words.excluded),
        ("pending", words.pod_state(PodState::Pending)),
        ("starting", words.pod_state(PodState::Starting)),
        ("available", words.pod_state(PodState::Available)),
        ("failing", words.pod_state(PodState::Failing)),
        ("failed", words.pod_state(PodState::Failed)),
        ("cordoned", words.state_cordoned),
        ("unwell", words.state_unwell),
    ];
    let now = props.filter.split_whitespace().find_map(|word| word.strip_prefix("is:")).unwrap_or("").to_string();
    let chosen = {
        let (send, filter) = (env.send.clone(), props.filter.clone());
        Callback::from(move |event: Event| {
            let state = event.target_unchecked_into::<HtmlInputElement>().value();
            let others = filter.split_whitespace().filter(|word| !word.starts_with("is:")).map(String::from);
            let word = (!state.is_empty()).then(|| format!("is:{state}"));
            send.emit(Msg::Filter(others.chain(word).collect::<Vec<_>>().join(" ")));
        })
    };
    html! {
        <select class="field" aria-label={words.filter_state} onchange={chosen}>
            { for states.into_iter().map(|(value, text)| html! { <option {value} selected={value == now}>{ text }</option> }) }
        </select>
    }
}

/// What the tiles mean, always in sight; on a phone one touch away. Where the chart has no room for its
/// own, its colours are here.
#[component]
fn Legend(props: &LegendProps) -> Html {
    let env = use_env();
    let words = env.words();
    let colour = Some(props.colour);
    let states = [
        PodState::Pending,
        PodState::Starting,
        PodState::Ready,
        PodState::Available,
        PodState::Terminating,
        PodState::Failed,
        PodState::Evicted,
    ];
    let entries = || {
        html! {
            <>
                { for states.into_iter().map(|state| html! {
                    <div><dt>{ pod_picture(colour, Age::Newest, state) }</dt><dd>{ words.pod_state(state) }</dd></div>
                }) }
                <div><dt>{ pod_picture(colour, Age::Previous, PodState::Available) }</dt><dd>{ words.age_previous }</dd></div>
                <div><dt>{ pod_picture(colour, Age::Older, PodState::Available) }</dt><dd>{ words.age_older }</dd></div>
                <div><dt>{ empty_picture(colour, true) }</dt><dd>{ words.excluded }</dd></div>
                { for chart_entries(words).into_iter().map(|(picture, text)| html! {
                    <div class={classes!("of-chart", colour_class(colour))}><dt>{ picture }</dt><dd>{ text }</dd></div>
                }) }
            </>
        }
    };
    html! {
        <>
            <dl class="legend wide-only" aria-label={words.legend}>{ entries() }</dl>
            <details class="legend-fold narrow-only">
                <summary>{ words.legend }</summary>
                <dl class="legend">{ entries() }</dl>
            </details>
        </>
    }
}

/// The templates of nodes, by the name that `sim add-node` knows.
const TEMPLATES: [&str; 7] = ["worker", "control-plane", "gpu", "windows", "spot", "edge", "virtual"];

fn template_name(words: &Words, template: &str) -> &'static str {
    match template {
        "control-plane" => words.template_control_plane,
        "gpu" => words.template_gpu,
        "windows" => words.template_windows,
        "spot" => words.template_spot,
        "edge" => words.template_edge,
        "virtual" => words.template_virtual,
        _ => words.template_worker,
    }
}

#[derive(Clone, PartialEq, Properties)]
struct AddNodesProps {
    cards: Rc<Vec<Rc<NodeCard>>>,
}

/// New nodes: one worker with one click, others by template and count.
#[component]
fn AddNodes(props: &AddNodesProps) -> Html {
    let env = use_env();
    let words = env.words();
    let open = use_state_eq(|| false);
    let template = use_state_eq(|| 0usize);
    let number = use_state_eq(|| 1usize);
    let button = use_node_ref();
    let popover = use_node_ref();
    let chosen = TEMPLATES.get(*template).copied().unwrap_or("worker");
    let names: Vec<&str> = props.cards.iter().map(|card| &*card.name).collect();
    let line = command::add_nodes_named(&names, chosen, *number);
    let one = command::add_nodes_named(&names, "worker", 1);
    let toggle = {
        let (button, popover) = (button.clone(), popover.clone());
        Callback::from(move |_: MouseEvent| {
            if let (Some(button), Some(popover)) = (button.cast::<HtmlElement>(), popover.cast::<HtmlElement>()) {
                if dom::is_open(&popover) {
                    dom::hide_popover(&popover)
                } else {
                    dom::show_popover_at(&popover, &button)
                }
            }
        })
    };
    let toggled = {
        let (open, popover) = (open.clone(), popover.clone());
        Callback::from(move |_: Event| {
            if let Some(popover) = popover.cast::<HtmlElement>() {
                let now = dom::is_open(&popover);
                open.set(now);
                if now {
                    dom::focus_first(&popover, "select");
                }
            }
        })
    };
    let choose = {
        let template = template.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            template.set(TEMPLATES.iter().position(|name| *name == value).unwrap_or(0));
        })
    };
    let set_number = {
        let number = number.clone();
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            number.set(value.parse().unwrap_or(1).clamp(1, 5000));
        })
    };
    let submit = {
        let (send, line, popover) = (env.send.clone(), line.clone(), popover.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            send.emit(Msg::Run(line.clone()));
            if let Some(popover) = popover.cast::<HtmlElement>() {
                dom::hide_popover(&popover);
            }
        })
    };
    html! {
        <div class="joined">
            <button type="button" class="button labelled" title={words.add_node} onclick={env.on(Msg::Run(one.clone()))}
                onmouseenter={env.on(Msg::Hint(Some(one.clone())))} onmouseleave={env.on(Msg::Hint(None))}
                onfocus={env.on(Msg::Hint(Some(one)))} onblur={env.on(Msg::Hint(None))}>{ icon(Icon::Add) }<span>{ words.add_node }</span></button>
            <button ref={button} type="button" class="button icon" aria-label={words.add_nodes} title={words.add_nodes} aria-haspopup="dialog"
                aria-expanded={open.to_string()} onclick={toggle}>{ icon(Icon::Chevron) }</button>
            <div ref={popover} class="menu form" popover="auto" role="dialog" aria-label={words.add_nodes} ontoggle={toggled}>
                <form onsubmit={submit}>
                    <label class="stack">{ words.kind_of_node }
                        <select class="field" onchange={choose}>
                            { for TEMPLATES.iter().map(|name| html! { <option value={*name} selected={*name == chosen}>{ template_name(words, name) }</option> }) }
                        </select>
                    </label>
                    <label class="stack">{ words.how_many }
                        <input class="field number" type="number" min="1" max="5000" value={number.to_string()} oninput={set_number} />
                    </label>
                    <code class="small quiet cut" title={line.clone()}>{ &line }</code>
                    <button type="submit" class="button primary">{ words.add }</button>
                </form>
            </div>
        </div>
    }
}
