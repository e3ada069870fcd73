//! Many nodes as a map of small squares, grouped by a label. Each square is one element; its shape is drawn by the style
//! sheet, so that thousands of them stay cheap.

use crate::app::message::{Inspect, Msg};
use crate::app::phrase::fill;
use crate::app::text::{Words, count};
use crate::app::view::{Age, Cell, CellGroup, CellPicture, PodState, RACK_COLUMNS, short_key};
use crate::ui::dom;
use crate::ui::env::use_env;
use crate::ui::pod_tile::colour_class;
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Racks that are drawn at once when the map is new. The others follow, some at a time, so that thousands of nodes do not
/// freeze the page.
const RACKS_AT_ONCE: usize = 8;

/// Properties of [`DenseMap`].
#[derive(Clone, PartialEq, Properties)]
pub struct DenseMapProps {
    /// The groups.
    pub groups: Rc<Vec<CellGroup>>,
    /// The label by which they are grouped.
    pub label: Option<Rc<str>>,
    /// The DaemonSet's colour.
    pub colour: Option<u8>,
    /// The node whose details are shown.
    pub chosen: Option<Rc<str>>,
}

/// The map.
#[component]
pub fn DenseMap(props: &DenseMapProps) -> Html {
    let env = use_env();
    let words = env.words();
    let active = use_state_eq(|| None::<Rc<str>>);
    let map = use_node_ref();
    let is_there = |name: &Rc<str>| {
        props.groups.iter().flat_map(|group| &group.parts).any(|part| part.iter().any(|c| c.node == *name))
    };
    let first = || {
        props.groups.first().and_then(|group| group.parts.first()).and_then(|part| part.first()).map(|c| c.node.clone())
    };
    let active_name = (*active).clone().filter(is_there).or_else(first);
    let focused = {
        let active = active.clone();
        Callback::from(move |event: FocusEvent| {
            let target: Option<Element> = event.target_dyn_into();
            if let Some(name) = target.and_then(|target| target.get_attribute("data-node")) {
                active.set(Some(name.into()));
            }
        })
    };
    let moved = {
        let map = map.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(map) = map.cast::<HtmlElement>() {
                dom::rack_focus(&event, &map, ".cell", RACK_COLUMNS);
            }
        })
    };
    let clicked = {
        let send = env.send.clone();
        Callback::from(move |event: MouseEvent| {
            let target: Option<Element> = event.target_dyn_into();
            if let Some(name) = target.and_then(|target| target.get_attribute("data-node")) {
                send.emit(Msg::Inspect(Inspect::Node(name.into())));
            }
        })
    };
    let racks: usize = props.groups.iter().map(|group| group.parts.len()).sum();
    let drawn = use_state_eq(|| RACKS_AT_ONCE);
    {
        let drawn = drawn.clone();
        use_effect_with((*drawn, racks), move |&(now, racks)| {
            // After the browser has shown those before.
            let more = move || drawn.set(now.saturating_add(RACKS_AT_ONCE));
            let later = (now < racks).then(|| Timeout::new(16, more));
            move || drop(later)
        });
    }
    let mut left = *drawn;
    let mut take = |parts: &[Rc<Vec<Cell>>]| {
        let taken = parts.len().min(left);
        left -= taken;
        taken
    };
    html! {
        <div class={classes!("dense", colour_class(props.colour))} ref={map} onfocusin={focused} onkeydown={moved} onclick={clicked}>
            { for props.groups.iter().map(|group| {
                let name = match (&props.label, &group.value) {
                    (None, _) => words.nodes.to_string(),
                    // A label without a value is one that is there or not.
                    (Some(label), Some(value)) if value.is_empty() => short_key(label).1.to_string(),
                    (Some(label), Some(value)) => format!("{}={value}", short_key(label).1),
                    (Some(label), None) => fill(words.without_label, &[("label", short_key(label).1)]),
                };
                let size = count(env.language, group.count, words.node_one, words.node_many);
                html! {
                    <section class="dense-group" key={name.clone()} aria-label={format!("{name}, {size}")}>
                        if props.label.is_some() { <h3 class="small"><b>{ &name }</b>{ " " }<span class="quiet number">{ size }</span></h3> }
                        <div class="racks">
                            { for group.parts.iter().take(take(&group.parts)).enumerate().map(|(index, part)| {
                                let has = |name: &Option<Rc<str>>| name.clone().filter(|name| part.iter().any(|cell| cell.node == *name));
                                html! { <Part key={index} cells={part.clone()} active={has(&active_name)} chosen={has(&props.chosen)} /> }
                            }) }
                        </div>
                    </section>
                }
            }) }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct PartProps {
    cells: Rc<Vec<Cell>>,
    active: Option<Rc<str>>,
    chosen: Option<Rc<str>>,
}

#[component]
fn Part(props: &PartProps) -> Html {
    let env = use_env();
    let words = env.words();
    let cells = props.cells.iter().map(|cell| {
            let name = cell_name(words, cell);
            html! {
                <button type="button" key={cell.node.to_string()} id={format!("node-{}", cell.node)} data-node={cell.node.to_string()}
                    class={classes!("cell", picture_classes(cell.picture), cell.unwell.then_some("unwell"), (props.chosen.as_ref() == Some(&cell.node)).then_some("chosen"))}
                    aria-label={name.clone()} title={name} tabindex={if props.active.as_ref() == Some(&cell.node) { "0" } else { "-1" }} />
            }
        });
    // What is out of sight is as high as it will be.
    html! { <div class={classes!("rack", (props.cells.len() <= RACK_COLUMNS * 4).then_some("low"))}>{ for cells }</div> }
}

fn picture_classes(picture: CellPicture) -> &'static str {
    let (age, state) = match picture {
        CellPicture::Coming => return "c-coming",
        CellPicture::Excluded => return "c-excluded",
        CellPicture::Nothing => return "c-nothing",
        CellPicture::Pod { age, state, .. } => (age, state),
    };
    match (state, age) {
        (PodState::Pending, _) => "c-pending",
        (PodState::Starting, _) => "c-starting",
        (PodState::Ready, Age::Newest) => "c-ready",
        (PodState::Ready, Age::Previous) => "c-ready a-previous",
        (PodState::Ready, Age::Older) => "c-ready a-older",
        (PodState::Available, Age::Newest) => "c-available",
        (PodState::Available, Age::Previous) => "c-available a-previous",
        (PodState::Available, Age::Older) => "c-available a-older",
        (PodState::Terminating, _) => "c-terminating",
        (PodState::Failing | PodState::Failed, _) => "c-failed",
        (PodState::Evicted, _) => "c-evicted",
        (PodState::Succeeded, _) => "c-succeeded",
    }
}

fn cell_name(words: &Words, cell: &Cell) -> String {
    let state = match cell.picture {
        CellPicture::Coming => words.absent_coming.to_string(),
        CellPicture::Excluded => words.excluded.to_string(),
        CellPicture::Nothing => return cell.node.to_string(),
        CellPicture::Pod { age, state, .. } => match age {
            Age::Newest => words.pod_state(state).to_string(),
            Age::Previous => format!("{}, {}", words.pod_state(state), words.age_previous),
            Age::Older => format!("{}, {}", words.pod_state(state), words.age_older),
        },
    };
    fill(words.pod_without_revision, &[("pod", &cell.node), ("state", &state)])
}
