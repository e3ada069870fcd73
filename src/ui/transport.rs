//! Stepping, playing, and the chart of the rollout that is also the scrubber.

use crate::app::message::{FileId, Msg, Running, Speed};
use crate::app::phrase::fill;
use crate::app::text::{Words, time};
use crate::app::view::{Chart, Comparison, MarkKind, StandingView, area, layout, position_at};
use crate::ui::compare::Compare;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::menu::{Menu, menu_choice, menu_item};
use crate::ui::pod_tile::colour_class;
use crate::ui::standing::{badge, strip};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, PointerEvent};
use yew::prelude::*;

/// Properties of [`Transport`].
#[derive(Clone, PartialEq, Properties)]
pub struct TransportProps {
    /// Number of steps before the present position.
    pub position: usize,
    /// Number of steps.
    pub len: usize,
    /// Virtual time at the present position, in milliseconds.
    pub now_ms: u64,
    /// Whether there is a step to make.
    pub can_step: bool,
    /// What runs by itself.
    pub running: Running,
    /// Speed of playing.
    pub speed: Speed,
    /// The rollout over time.
    pub chart: Rc<Chart>,
    /// What the present step did, for the slider's text.
    pub telling: AttrValue,
    /// The lines that were left by acting in the past: number of steps and where they fork off.
    pub branches: Rc<Vec<(usize, usize)>>,
    /// The present line beside another.
    pub compared: Option<Rc<Comparison>>,
    /// The last loop that was found: the position, and the virtual milliseconds of a round.
    pub looped: Option<(usize, u64)>,
    /// What stands still, and why.
    pub standing: Option<Rc<StandingView>>,
    /// A file whose edits the cluster does not have, and its name.
    pub unapplied: Option<(FileId, AttrValue)>,
}

/// Buttons, clock and chart.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let env = use_env();
    let words = env.words();
    let at_start = props.position == 0;
    let quiet = !props.can_step;
    let running = props.running != Running::No;
    html! {
        <section class="transport" aria-label={words.transport}>
            <div class="transport-row">
                <div class="buttons" role="group" aria-label={words.transport}>
                    { control(&env, Icon::Start, words.to_start, "icon wide-only", at_start, Msg::Seek(0)) }
                    { control(&env, Icon::Back, words.back, "icon", at_start, Msg::Back) }
                    <button type="button" id="step" class="button primary step" aria-disabled={(quiet && !running).to_string()} onclick={env.on(Msg::Step)} title={words.step_title}>
                        { words.step }{ icon(Icon::Step) }</button>
                    <button type="button" class="button labelled" aria-disabled={quiet.to_string()} onclick={env.on(Msg::StepOver)} title={words.step_over_title}>
                        { icon(Icon::StepOver) }<span>{ words.step_over }</span></button>
                    if props.running == Running::ToQuiet {
                        <button type="button" class="button labelled" onclick={env.on(Msg::Stop)}>{ icon(Icon::Stop) }<span>{ words.cancel }</span></button>
                    } else {
                        <button type="button" class="button labelled" aria-disabled={quiet.to_string()} onclick={env.on(Msg::RunToQuiet)} title={words.run_title}>
                            { icon(Icon::Quiet) }<span>{ words.run_to_quiet }</span></button>
                    }
                    <div class="joined">
                        <button type="button" class="button labelled" aria-disabled={(quiet && !running).to_string()} aria-pressed={(props.running == Running::Playing).to_string()} onclick={env.on(Msg::TogglePlay)}>
                            if props.running == Running::Playing { { icon(Icon::Pause) }<span>{ words.pause }</span> } else { { icon(Icon::Play) }<span>{ words.play }</span> }</button>
                        <Menu name={words.speed} face={html! { <span class="small number">{ speed_text(props.speed) }</span> }} class={classes!("button", "wide-only")}>
                            { for Speed::ALL.into_iter().map(|speed| menu_choice(speed_text(speed), speed == props.speed, env.on(Msg::SetSpeed(speed)))) }
                        </Menu>
                    </div>
                </div>
                if let Some((file, name)) = &props.unapplied {
                    <div class="unapplied">
                        <span class="dot" /><span class="small" title={fill(env.edits().unapplied_title, &[("file", name)])}>{ env.edits().unapplied }</span>
                        <button type="button" class="button" onclick={env.on(Msg::ApplyFile(*file))}>{ words.apply }</button>
                    </div>
                } else if props.chart.set.is_some() { { chart_legend(words, &props.chart) } }
                { clock(&env, props) }
            </div>
            if let Some(standing) = &props.standing { { strip(&env, standing) } }
            if let Some(compared) = &props.compared { <Compare compared={compared.clone()} /> }
            <Scrubber position={props.position} now_ms={props.now_ms} chart={props.chart.clone()} telling={props.telling.clone()} looped={props.looped} />
        </section>
    }
}

fn speed_text(speed: Speed) -> &'static str {
    match speed {
        Speed::Slow => "½×",
        Speed::Normal => "1×",
        Speed::Fast => "4×",
    }
}

fn control(env: &Env, shape: Icon, name: &'static str, class: &'static str, disabled: bool, message: Msg) -> Html {
    html! {
        <button type="button" class={classes!("button", class)} aria-label={name} title={name} aria-disabled={disabled.to_string()} onclick={env.on(message)}>{ icon(shape) }</button>
    }
}

fn clock(env: &Env, props: &TransportProps) -> Html {
    let words = env.words();
    let now = i64::try_from(props.now_ms).unwrap_or(i64::MAX);
    let (position, len) = (props.position.to_string(), props.len.to_string());
    html! {
        <div class="clock">
            if !props.branches.is_empty() {
                <Menu name={words.branches} face={html! { <>{ icon(Icon::Branch) }<span class="small number">{ props.branches.len() + 1 }</span></> }} class={classes!("button", "plain", "tiny")}>
                    { for props.branches.iter().enumerate().map(|(index, (len, fork))| {
                        let text = fill(words.branch, &[("fork", &fork.to_string()), ("n", &len.to_string())]);
                        html! { <>
                            { menu_choice(&text, false, env.on(Msg::SwitchBranch(index))) }
                            { menu_item(Some(Icon::Compare), words.compare_with, "", "", env.on(Msg::Compare(Some(index))), Callback::noop()) }
                        </> }
                    }) }
                </Menu>
            }
            <b class="number">{ time(env.language, now) }</b>
            <span class="quiet small number">{ fill(words.step_of, &[("n", &position), ("all", &len)]) }</span>
            if props.standing.is_none() && !props.can_step && props.len > 0 { <span class="badge good">{ words.quiet }</span> }
            if let Some(standing) = &props.standing { { badge(words, standing) } }
        </div>
    }
}

/// Width of the chart in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 60.0;

#[derive(Clone, PartialEq, Properties)]
struct ScrubberProps {
    position: usize,
    now_ms: u64,
    chart: Rc<Chart>,
    telling: AttrValue,
    looped: Option<(usize, u64)>,
}

/// The chart. A slider for the keyboard lies over it; the pointer is mapped to the axis here, since that is not even.
#[component]
fn Scrubber(props: &ScrubberProps) -> Html {
    let env = use_env();
    let words = env.words();
    let chart = &props.chart;
    let places = use_memo(chart.clone(), |chart| layout(&chart.times, WIDTH));
    let dragging = use_state_eq(|| false);
    let frame = use_node_ref();
    let last = chart.times.len().saturating_sub(1);

    let seek = {
        let (send, places, frame) = (env.send.clone(), places.clone(), frame.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(frame) = frame.cast::<HtmlElement>() {
                let place = frame.get_bounding_client_rect();
                let x = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0) * WIDTH;
                send.emit(Msg::Seek(position_at(&places, x)));
            }
        })
    };
    let down = {
        let (seek, dragging) = (seek.clone(), dragging.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                if let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) {
                    target.set_pointer_capture(event.pointer_id()).ok();
                }
                dragging.set(true);
                seek.emit(event);
            }
        })
    };
    let drag = {
        let (seek, dragging) = (seek.clone(), dragging.clone());
        Callback::from(move |event: PointerEvent| {
            if *dragging {
                seek.emit(event);
            }
        })
    };
    let up = {
        let dragging = dragging.clone();
        Callback::from(move |_: PointerEvent| dragging.set(false))
    };
    let slid = {
        let send = env.send.clone();
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            send.emit(Msg::Seek(value.parse().unwrap_or(0)));
        })
    };
    // Single keys are shortcuts only here, where the focus is on the chart.
    let keys = {
        let send = env.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == " " {
                event.prevent_default();
                send.emit(Msg::TogglePlay);
            }
        })
    };
    let head = places.get(props.position).copied().unwrap_or(0.0);
    let now = i64::try_from(props.now_ms).unwrap_or(i64::MAX);
    let text = fill(
        words.slider_text,
        &[
            ("n", &props.position.to_string()),
            ("all", &last.to_string()),
            ("time", &time(env.language, now)),
            ("what", &props.telling),
        ],
    );
    html! {
        <div class={classes!("scrubber", colour_class(chart.set.is_some().then_some(chart.colour)))}>
            <div class="chart-frame" ref={frame} title={words.chart_keys} onkeydown={keys} onpointerdown={down} onpointermove={drag} onpointerup={up.clone()} onpointercancel={up}>
                <svg class="chart" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" aria-hidden="true" focusable="false">
                    <Areas chart={chart.clone()} places={places.clone()} />
                    if props.position < last {
                        <rect class="chart-ahead" x={format!("{head:.1}")} y="0" width={format!("{:.1}", WIDTH - head)} height={HEIGHT.to_string()} />
                    }
                    <line class="chart-head" x1={format!("{head:.1}")} x2={format!("{head:.1}")} y1="0" y2={HEIGHT.to_string()} />
                </svg>
                if let Some(worst) = chart.worst_of_rollout(props.position) { <p class="chart-worst small">{ fill(env.edits().worst, &[("n", &worst.to_string())]) }</p> }
                if chart.set.is_none() { <p class="chart-empty small quiet">{ words.chart_empty }</p> }
                <input type="range" class="chart-slider" min="0" max={last.to_string()} value={props.position.to_string()} step="1"
                    aria-label={words.timeline} aria-valuetext={text} oninput={slid} />
            </div>
            <Axis chart={chart.clone()} places={places.clone()} looped={props.looped.filter(|(at, _)| *at <= last)} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct AreasProps {
    chart: Rc<Chart>,
    places: Rc<Vec<f64>>,
}

/// The areas: from below new available, old available, unavailable, pending; the line of what must stay available.
#[component]
fn Areas(props: &AreasProps) -> Html {
    let (chart, places) = (&props.chart, &props.places);
    let most = chart.samples.iter().map(|sample| sample.desired()).max().unwrap_or(0).max(1);
    let scale = (HEIGHT - 6.0) / f64::from(most);
    let sample = |index: usize| chart.samples.get(index).copied().unwrap_or_default();
    let layer = |n: usize| {
        area(places, WIDTH, HEIGHT, scale, |index| {
            let stack = sample(index).stack();
            (stack.get(n).copied().unwrap_or(0), stack.get(n + 1).copied().unwrap_or(0))
        })
    };
    let floor = floor_line(places, scale, |index| {
        let s = sample(index);
        (s.floor > 0).then_some(s.floor)
    });
    html! {
        <>
            <path class="area-new" d={layer(0)} />
            <path class="area-old" d={layer(1)} />
            <path class="area-unavailable" d={layer(2)} />
            <path class="area-pending" d={layer(3)} />
            if !floor.is_empty() { <path class="chart-floor" d={floor} /> }
        </>
    }
}

fn floor_line(places: &[f64], scale: f64, floor: impl Fn(usize) -> Option<u32>) -> String {
    use std::fmt::Write;
    let mut path = String::new();
    let mut from: Option<(f64, Option<u32>)> = None;
    for (index, place) in places.iter().chain([&WIDTH]).enumerate() {
        let here = floor(index);
        match from {
            Some((start, before)) if before != here || index == places.len() => {
                if let Some(count) = before {
                    let y = HEIGHT - f64::from(count) * scale;
                    write!(path, "M{start:.1} {y:.1}H{place:.1}").ok();
                }
                from = Some((*place, here));
            }
            Some(_) => {}
            None => from = Some((*place, here)),
        }
    }
    path
}

#[derive(Clone, PartialEq, Properties)]
struct AxisProps {
    chart: Rc<Chart>,
    places: Rc<Vec<f64>>,
    looped: Option<(usize, u64)>,
}

/// What stands at a place of the axis.
struct Painted {
    place: f64,
    step: usize,
    class: &'static str,
    shape: &'static str,
    text: String,
}

/// Shapes of the marks, 8 units high around 0: a triangle, a tick, a cross, a loop.
const COMMAND: &str = "M0 0 3.5 6h-7z";
const WAVE: &str = "M0 0v4";
const FAILURE: &str = "m-3 0 6 6m0-6-6 6";
const LOOP: &str = "M2.6.6a3.4 3.4 0 1 0 1 2.4M3.9 0v2.6H1.3";

/// Waves and failures nearer together than this are painted as one.
const APART: f64 = 6.0;

fn painted(words: &Words, env: &Env, props: &AxisProps) -> Vec<Painted> {
    let place_of = |step: usize| props.places.get(step).copied().unwrap_or(0.0);
    let mut marks: Vec<Painted> = Vec::new();
    for mark in &props.chart.marks {
        let (class, shape, text) = match &mark.kind {
            MarkKind::Command(line) => ("axis-mark", COMMAND, line.clone()),
            MarkKind::Refused(line) => ("axis-mark bad", COMMAND, line.clone()),
            MarkKind::Wave(pods) => ("axis-line", WAVE, fill(words.mark_wave, &[("n", &pods.to_string())])),
            MarkKind::Failure => ("axis-line bad", FAILURE, words.mark_failure.to_string()),
        };
        let place = place_of(mark.step);
        let is_near = |other: &Painted| other.shape == shape && place - other.place < APART;
        if shape == COMMAND || !marks.iter().rev().take(8).any(is_near) {
            marks.push(Painted { place, step: mark.step, class, shape, text });
        }
    }
    if let Some((step, period)) = props.looped {
        let period = time(env.language, i64::try_from(period).unwrap_or(i64::MAX));
        let text = fill(words.mark_loop, &[("time", &period)]);
        marks.push(Painted { place: place_of(step), step, class: "axis-line bad", shape: LOOP, text });
    }
    marks
}

/// Times and marks below the chart.
#[component]
fn Axis(props: &AxisProps) -> Html {
    let env = use_env();
    let words = env.words();
    let (chart, places) = (&props.chart, &props.places);
    let label = |ms: u64| time(env.language, i64::try_from(ms).unwrap_or(i64::MAX));
    // Times where the clock moved, far enough apart to be read.
    let mut ticks: Vec<(f64, u64, bool)> = Vec::new();
    for (place, ms) in places.iter().zip(&chart.times) {
        if ticks.last().is_none_or(|(before, at, _)| ms > at && place - before > 70.0) && *place < WIDTH - 40.0 {
            // On a narrow screen only every few of them have room.
            let roomy =
                ticks.iter().rev().find(|(_, _, roomy)| *roomy).is_none_or(|(before, ..)| place - before > 190.0);
            ticks.push((*place, *ms, roomy));
        }
    }
    html! {
        <svg class="axis" aria-hidden="true" focusable="false" width="100%" height="20">
            { for ticks.iter().map(|(place, ms, roomy)| {
                let first = *place < 1.0;
                html! { <text class={classes!("axis-time", (!roomy).then_some("wide-only"))} x={percent(*place)} y="16" text-anchor={if first { "start" } else { "middle" }}>{ label(*ms) }</text> }
            }) }
            { for painted(words, &env, props).into_iter().map(|mark| html! {
                <svg x={percent(mark.place)} y="0" width="1" height="8" overflow="visible" onclick={env.on(Msg::Seek(mark.step))}>
                    <path class={mark.class} d={mark.shape}><title>{ mark.text }</title></path>
                </svg>
            }) }
        </svg>
    }
}

fn percent(place: f64) -> String {
    format!("{:.2}%", place / WIDTH * 100.0)
}

/// What the areas of the chart mean.
/// What the colours of the chart mean, and its dashed line: pictures with their words.
pub(super) fn chart_entries(words: &Words) -> [(Html, &'static str); 5] {
    let swatch = |class: &'static str| {
        html! {
            <svg width="12" height="12" aria-hidden="true" focusable="false"><rect {class} width="12" height="12" rx="3" /></svg>
        }
    };
    [
        (swatch("area-new"), words.chart_new),
        (swatch("area-old"), words.chart_old),
        (swatch("area-unavailable"), words.chart_unavailable),
        (swatch("area-pending"), words.chart_pending),
        (
            html! {
                <svg width="16" height="12" aria-hidden="true" focusable="false"><path class="chart-floor" d="M0 6H16" /></svg>
            },
            words.chart_floor,
        ),
    ]
}

fn chart_legend(words: &Words, chart: &Chart) -> Html {
    let entries = if chart.samples.iter().any(|sample| sample.floor > 0) { 5 } else { 4 };
    html! {
        <ul class={classes!("chart-legend", "small", "quiet", colour_class(Some(chart.colour)))} aria-label={words.chart_legend}>
            { for chart_entries(words).into_iter().take(entries).map(|(picture, text)| html! { <li>{ picture }{ text }</li> }) }
        </ul>
    }
}
