//! The steps in plain words, each with its cause and what it changed.

use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::text::time;
use crate::app::view::{EventRow, OpenStep, StoryEntry, StoryPart};
use crate::ui::diff::diff_lines;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::phrase::sentence;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Story`].
#[derive(Clone, PartialEq, Properties)]
pub struct StoryProps {
    /// The steps.
    pub part: Rc<StoryPart>,
    /// Number of steps before the present position.
    pub position: usize,
    /// The step whose changes are shown, and the changes.
    pub open: Option<Rc<OpenStep>>,
    /// Only the steps that speak of this are shown.
    pub filter: Rc<str>,
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
    let words = env.words();
    let typed = {
        let send = env.send.clone();
        Callback::from(move |event: InputEvent| {
            send.emit(Msg::FilterStory(event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let has_steps = !props.part.entries.is_empty() || !props.filter.is_empty();
    html! {
        <div ref={list}>
            if has_steps {
                <div class="story-filter search">{ icon(Icon::Search) }
                    <input class="field" type="search" placeholder={words.filter_story_hint} aria-label={words.filter_story}
                        autocomplete="off" autocapitalize="off" spellcheck="false" oninput={typed} />
                </div>
            }
            { steps(&env, props) }
        </div>
    }
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

/// Steps that tell the same of different things are told as one when there are so many in a row.
const ALIKE: usize = 4;

/// Runs of steps: each is one step, or many that are alike. The present step and the open one stand alone.
fn runs(props: &StoryProps) -> Vec<&[Rc<StoryEntry>]> {
    let stands_alone = |entry: &StoryEntry| {
        entry.number == props.position || props.open.as_ref().is_some_and(|open| open.number == entry.number)
    };
    let alike = |a: &Rc<StoryEntry>, b: &Rc<StoryEntry>| !stands_alone(a) && !stands_alone(b) && a.is_like(b);
    let mut runs = Vec::new();
    for run in props.part.entries.chunk_by(alike) {
        if run.len() >= ALIKE { runs.push(run) } else { runs.extend(run.chunks(1)) }
    }
    runs
}

fn steps(env: &Env, props: &StoryProps) -> Html {
    let words = env.words();
    if props.part.entries.is_empty() && !props.filter.is_empty() {
        return html! { <div class="empty left"><p>{ words.story_none }</p></div> };
    }
    if props.part.entries.is_empty() {
        return html! { <div class="empty left"><p>{ words.story_empty }</p><p class="quiet">{ words.story_empty_more }</p></div> };
    }
    let entry = |entry: &Rc<StoryEntry>| {
        let open = props.open.as_ref().filter(|open| open.number == entry.number).cloned();
        html! {
            <Entry key={entry.number} entry={entry.clone()} now={entry.number == props.position} ahead={entry.number > props.position} {open} />
        }
    };
    html! {
        <ol class="entries">
            if props.part.earlier > 0 {
                <li class="more"><button type="button" class="link" onclick={env.on(Msg::EarlierSteps)}>
                    { fill(words.earlier_steps, &[("n", &props.part.earlier.to_string())]) }</button></li>
            }
            { for runs(props).into_iter().map(|run| match run {
                [one] => entry(one),
                many => html! { <Alike key={many.first().map_or(0, |entry| entry.number)} entries={many.to_vec()} position={props.position} /> },
            }) }
            if props.part.later > 0 {
                <li class="more quiet">{ fill(words.later_steps, &[("n", &props.part.later.to_string())]) }</li>
            }
        </ol>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct AlikeProps {
    entries: Vec<Rc<StoryEntry>>,
    position: usize,
}

/// Many steps that are alike: the first one, and how many more; all of them when asked for.
#[component]
fn Alike(props: &AlikeProps) -> Html {
    let env = use_env();
    let words = env.words();
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let (Some(first), Some(last)) = (props.entries.first(), props.entries.last()) else { return Html::default() };
    let shown = if *open { props.entries.as_slice() } else { props.entries.get(..1).unwrap_or_default() };
    let others = props.entries.len().saturating_sub(1).to_string();
    let until = time(env.language, i64::try_from(last.at_ms).unwrap_or(i64::MAX));
    let text = match *open {
        true => words.alike_hide.to_string(),
        false => fill(words.alike, &[("n", &others), ("time", &until)]),
    };
    html! {
        <>
            { for shown.iter().map(|entry| html! {
                <Entry key={entry.number} entry={entry.clone()} now={false} ahead={entry.number > props.position} />
            }) }
            <li class={classes!("entry", "alike", (first.number > props.position).then_some("ahead"))}>
                <button type="button" class="link small" aria-expanded={open.to_string()} onclick={toggle}>{ text }</button>
            </li>
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EntryProps {
    entry: Rc<StoryEntry>,
    now: bool,
    ahead: bool,
    #[prop_or_default]
    open: Option<Rc<OpenStep>>,
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
            if let Some(open) = &props.open { { opened(&env, open) } }
        </li>
    }
}

/// What a step changed, and the chain of steps that led to it.
fn opened(env: &Env, open: &OpenStep) -> Html {
    let words = env.words();
    html! {
        <div class="changes">
            { for open.diffs.iter().map(|diff| html! {
                <>
                    <p class="small"><b>{ &diff.name }</b>{ " " }<span class="quiet">{ match (diff.created, diff.deleted) {
                        (true, _) => words.created,
                        (_, true) => words.deleted,
                        _ => words.changed,
                    } }</span></p>
                    { diff_lines(&diff.name, &diff.lines) }
                </>
            }) }
            if !open.causes.is_empty() {
                <p class="small"><b>{ words.causes }</b></p>
                <ol class="causes small">
                    { for open.causes.iter().map(|(number, text)| html! {
                        <li><button type="button" class="link small number" aria-label={fill(words.go_to_step, &[("n", &number.to_string())])}
                            onclick={env.on(Msg::Seek(*number))}>{ number }</button><span>{ sentence(text) }</span></li>
                    }) }
                </ol>
            }
        </div>
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
