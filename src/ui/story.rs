//! The steps in plain words, each with its cause and what it changed.

use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::text::time;
use crate::app::view::{EventRow, ObjectDiff, StoryEntry, StoryPart};
use crate::ui::diff::diff_lines;
use crate::ui::env::{Env, use_env};
use crate::ui::phrase::sentence;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Properties of [`Story`].
#[derive(Clone, PartialEq, Properties)]
pub struct StoryProps {
    /// The steps.
    pub part: Rc<StoryPart>,
    /// Number of steps before the present position.
    pub position: usize,
    /// The step whose changes are shown, and the changes.
    pub open: Option<(usize, Rc<Vec<ObjectDiff>>)>,
}

/// The steps.
#[component]
pub fn Story(props: &StoryProps) -> Html {
    let env = use_env();
    let list = use_node_ref();
    {
        // The present step stays in sight.
        let list = list.clone();
        use_effect_with((props.position, props.part.entries.len()), move |_| {
            if let Some(list) = list.cast::<web_sys::HtmlElement>()
                && let Some(now) = list.query_selector(".entry.now").ok().flatten()
                && let Some(scroll) = list.closest(".side-scroll").ok().flatten().and_then(|s| s.dyn_into().ok())
            {
                crate::ui::dom::keep_in_sight(&scroll, &now);
            }
        });
    }
    html! { <div ref={list}>{ steps(&env, props) }</div> }
}

/// Properties of [`Events`].
#[derive(Clone, PartialEq, Properties)]
pub struct EventsProps {
    /// The events, newest first.
    pub events: Rc<Vec<EventRow>>,
}

/// The events.
#[component]
pub fn Events(props: &EventsProps) -> Html {
    events(&use_env(), &props.events)
}

fn steps(env: &Env, props: &StoryProps) -> Html {
    let words = env.words();
    if props.part.entries.is_empty() {
        return html! { <div class="empty left"><p>{ words.story_empty }</p><p class="quiet">{ words.story_empty_more }</p></div> };
    }
    html! {
        <ol class="entries">
            if props.part.earlier > 0 {
                <li class="more"><button type="button" class="link" onclick={env.on(Msg::EarlierSteps)}>
                    { fill(words.earlier_steps, &[("n", &props.part.earlier.to_string())]) }</button></li>
            }
            { for props.part.entries.iter().map(|entry| {
                let open = props.open.as_ref().filter(|(number, _)| *number == entry.number).map(|(_, diffs)| diffs.clone());
                html! {
                    <Entry key={entry.number} entry={entry.clone()} now={entry.number == props.position} ahead={entry.number > props.position} {open} />
                }
            }) }
            if props.part.later > 0 {
                <li class="more quiet">{ fill(words.later_steps, &[("n", &props.part.later.to_string())]) }</li>
            }
        </ol>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EntryProps {
    entry: Rc<StoryEntry>,
    now: bool,
    ahead: bool,
    open: Option<Rc<Vec<ObjectDiff>>>,
}

#[component]
fn Entry(props: &EntryProps) -> Html {
    let env = use_env();
    let words = env.words();
    let StoryEntry { number, at_ms, waited_ms, text, because, command, trouble, cause, changes } = &*props.entry;
    let go = Msg::Seek(*number);
    let at = i64::try_from(*at_ms).unwrap_or(i64::MAX);
    let waited = i64::try_from(*waited_ms).unwrap_or(i64::MAX);
    html! {
        <li class={classes!("entry", props.now.then_some("now"), props.ahead.then_some("ahead"), trouble.then_some("trouble"))}
            aria-current={props.now.then_some("step")}>
            if *waited_ms > 0 {
                <p class="waited small"><span>{ fill(words.later, &[("time", &time(env.language, waited))]) }</span></p>
            }
            <div class="entry-head">
                <button type="button" class="entry-time number" onclick={env.on(go)} aria-label={fill(words.go_to_step, &[("n", &number.to_string())])}>
                    { time(env.language, at) }</button>
                <p>{ sentence(text) }</p>
            </div>
            if let Some(command) = command { <code class="entry-command">{ command }</code> }
            if !because.0.is_empty() { <p class="because small quiet">{ sentence(because) }</p> }
            if *changes > 0 || cause.is_some() {
                <p class="entry-links small">
                    if *changes > 0 {
                        <button type="button" class="link small" aria-expanded={props.open.is_some().to_string()} onclick={env.on(Msg::ToggleStep(*number))}>
                            { if *changes == 1 { words.change_one.to_string() } else { fill(words.change_many, &[("n", &changes.to_string())]) } }</button>
                    }
                    if let Some(cause) = cause {
                        <button type="button" class="link small quiet" onclick={env.on(Msg::Seek(*cause))}>{ fill(words.because_of_step, &[("n", &cause.to_string())]) }</button>
                    }
                </p>
            }
            if let Some(diffs) = &props.open {
                <div class="changes">{ for diffs.iter().map(|diff| html! {
                    <>
                        <p class="small"><b>{ &diff.name }</b>{ " " }<span class="quiet">{ match (diff.created, diff.deleted) {
                            (true, _) => words.created,
                            (_, true) => words.deleted,
                            _ => words.changed,
                        } }</span></p>
                        { diff_lines(&diff.name, &diff.lines) }
                    </>
                }) }</div>
            }
        </li>
    }
}

fn events(env: &Env, events: &[EventRow]) -> Html {
    let words = env.words();
    if events.is_empty() {
        return html! { <div class="empty left"><p>{ words.events_empty }</p></div> };
    }
    html! {
        <ul class="events">
            { for events.iter().map(|event| html! {
                <li class={classes!("event", event.warning.then_some("trouble"))} key={event.name.to_string()}>
                    <p class="event-head small"><b>{ &event.reason }</b>
                        <span class="quiet number">{ time(env.language, event.at_ms) }</span>
                        if event.count > 1 { <span class="badge">{ format!("×{}", event.count) }</span> }</p>
                    <p class="small quiet cut">{ &event.object }</p>
                    <p class="small">{ &event.message }</p>
                </li>
            }) }
        </ul>
    }
}
