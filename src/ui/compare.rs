//! Two lines of time side by side, over the same axis.

use crate::app::message::Msg;
use crate::app::text::{Words, count, time};
use crate::app::view::{Chart, Comparison, LineSummary, area};
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::pod_tile::colour_class;
use std::rc::Rc;
use yew::prelude::*;

/// Width and height of a chart in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 40.0;

/// Properties of [`Compare`].
#[derive(Clone, PartialEq, Properties)]
pub struct CompareProps {
    /// Both lines.
    pub compared: Rc<Comparison>,
}

/// Both lines, and their numbers as a table.
#[component]
pub fn Compare(props: &CompareProps) -> Html {
    let env = use_env();
    let words = env.words();
    let both = &props.compared;
    // One second at least, so that two lines in which no time passed can be drawn.
    let span = both.mine.took_ms.max(both.other.took_ms).max(1000);
    html! {
        <section class="compare" aria-label={words.compare_lines}>
            <header class="compare-head">
                <h2>{ words.compare_lines }</h2>
                <button type="button" class="button plain tiny icon" aria-label={words.close} title={words.close} onclick={env.on(Msg::Compare(None))}>{ icon(Icon::Close) }</button>
            </header>
            <table class="compare-table">
                <thead class="small"><tr>
                    <td></td>
                    <td class="wide-only"></td>
                    <th scope="col">{ words.line_took }</th>
                    <th scope="col">{ words.line_worst }</th>
                    <th scope="col">{ words.line_uncovered }</th>
                </tr></thead>
                <tbody>
                    { line(&env, words.this_line, &both.mine, both.fork, span) }
                    { line(&env, words.other_line, &both.other, both.fork, span) }
                </tbody>
            </table>
        </section>
    }
}

fn line(env: &Env, name: &str, line: &LineSummary, fork: usize, span: u64) -> Html {
    let words = env.words();
    let ms = |ms: u64| time(env.language, i64::try_from(ms).unwrap_or(i64::MAX));
    let worst = usize::try_from(line.worst).unwrap_or(usize::MAX);
    html! {
        <tr>
            <th scope="row"><span>{ name }</span><code class="small quiet cut" title={line.commands.join("; ")}>{ line.commands.join("; ") }</code></th>
            <td class="compare-chart wide-only">{ chart(words, &line.chart, fork, span) }</td>
            <td class="number">{ ms(line.took_ms) }</td>
            <td class="number">{ count(env.language, worst, words.node_one, words.node_many) }</td>
            <td class="number">{ ms(line.uncovered_ms) }</td>
        </tr>
    }
}

/// The part of a chart after the fork, over even time.
#[allow(clippy::cast_precision_loss)] // Milliseconds of a run are far below 2^53.
fn chart(words: &Words, chart: &Chart, fork: usize, span: u64) -> Html {
    let start = chart.times.get(fork).copied().unwrap_or(0);
    let at = |ms: u64| ms.saturating_sub(start) as f64 / span as f64 * (WIDTH - 20.0);
    let places: Vec<f64> = chart.times.iter().skip(fork).map(|ms| at(*ms)).collect();
    let most = chart.samples.iter().skip(fork).map(|sample| sample.desired()).max().unwrap_or(0).max(1);
    let scale = (HEIGHT - 4.0) / f64::from(most);
    let layer = |n: usize| {
        area(&places, WIDTH, HEIGHT, scale, |index| {
            let stack = chart.samples.get(fork + index).copied().unwrap_or_default().stack();
            (stack.get(n).copied().unwrap_or(0), stack.get(n + 1).copied().unwrap_or(0))
        })
    };
    html! {
        <svg class={classes!("compare-svg", colour_class(Some(chart.colour)))} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none"
            role="img" aria-label={words.chart_legend}>
            <path class="area-new" d={layer(0)} />
            <path class="area-old" d={layer(1)} />
            <path class="area-unavailable" d={layer(2)} />
            <path class="area-pending" d={layer(3)} />
        </svg>
    }
}
