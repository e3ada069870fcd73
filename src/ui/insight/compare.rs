//! The same template as a DaemonSet and as a Deployment.

use super::{played, player, typed};
use crate::app::insight::{Field, InsightMsg};
use crate::app::phrase::fill;
use crate::app::view::{InsightView, TrialView};
use crate::insight::compare::{Comparison, Coverage};
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use yew::prelude::*;

/// More nodes are not listed one by one.
const LISTED: usize = 60;

pub(super) fn compare(env: &Env, view: &InsightView) -> Html {
    let words = env.words().insight();
    html! {
        <>
            <h2>{ words.compare_title }</h2>
            <p>{ words.compare_intro }</p>
            <div class="form">{ typed(env, Field::Replicas, words.replicas, &view.typed.replicas, view.eligible.to_string(), "numeric") }</div>
            { player(env, view, words.compare_play, InsightMsg::Compare) }
            { played(env, view) }
            if let TrialView::Compared(result) = &view.trial { { compared(env, result) } }
        </>
    }
}

fn compared(env: &Env, result: &Comparison) -> Html {
    let words = env.words().insight();
    let deployment = format!("Deployment ({})", result.replicas);
    html! {
        <>
            { coverage(env, "DaemonSet", &result.daemonset, result.eligible) }
            { coverage(env, &deployment, &result.deployment, result.eligible) }
            if result.nodes.len() <= LISTED {
                <table class="figures">
                    <caption class="unseen">{ words.compare_title }</caption>
                    <thead><tr><th scope="col">{ words.node }</th><th scope="col">{ "DaemonSet" }</th><th scope="col">{ "Deployment" }</th></tr></thead>
                    <tbody>{ for result.nodes.iter().map(|node| html! {
                        <tr class={classes!(node.is_new.then_some("current"))}>
                            <th scope="row">{ &*node.node }if node.is_new { { " " }<span class="badge">{ words.compare_new }</span> }</th>
                            { count(node.daemonset) }{ count(node.deployment) }
                        </tr>
                    }) }</tbody>
                </table>
            }
        </>
    }
}

fn count(pods: usize) -> Html {
    html! { <td class={classes!("number", (pods == 0).then_some("quiet"))}>{ pods }</td> }
}

fn coverage(env: &Env, name: &str, coverage: &Coverage, eligible: usize) -> Html {
    let words = env.words().insight();
    let good = coverage.follows && coverage.covered == eligible && coverage.crowded == 0 && coverage.pending == 0;
    let mut facts =
        vec![fill(words.compare_covered, &[("n", &coverage.covered.to_string()), ("all", &eligible.to_string())])];
    facts.push(if coverage.follows { words.compare_follows } else { words.compare_ignores }.to_owned());
    for (n, text) in [(coverage.crowded, words.compare_crowded), (coverage.pending, words.compare_pending)] {
        if n > 0 {
            facts.push(fill(text, &[("n", &n.to_string())]));
        }
    }
    html! {
        <p class={classes!("callout", if good { "good" } else { "warning" })}>{ icon(if good { Icon::Tick } else { Icon::Warning }) }<span><strong>{ name }</strong>{ ": " }{ facts.join("; ") }</span></p>
    }
}
