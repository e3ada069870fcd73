//! Budgets side by side: how long, and how many nodes without the agent.

use super::{played, player, typed};
use crate::app::insight::{Field, InsightMsg};
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::view::{InsightView, RolloutView};
use crate::insight::forecast::{Forecast, Strategy};
use crate::ui::env::Env;
use web_sys::HtmlInputElement;
use yew::prelude::*;

pub(super) fn rollout(env: &Env, view: &InsightView, rollout: &RolloutView) -> Html {
    let words = env.words().insight();
    let send = env.send.clone();
    let surge = Callback::from(move |event: Event| {
        let checked = event.target_unchecked_into::<HtmlInputElement>().checked();
        send.emit(Msg::Insight(InsightMsg::Surge(checked)));
    });
    html! {
        <>
            <h2>{ words.rollout_title }</h2>
            <div class="form">
                { typed(env, Field::Nodes, words.on_nodes, &view.typed.nodes, view.nodes.to_string(), "numeric") }
                { typed(env, Field::Budget, words.budget, &view.typed.budget, words.budget_hint.into(), "text") }
                <label class="choice"><input type="checkbox" checked={view.typed.surge} onchange={surge} />{ words.surge }</label>
            </div>
            if rollout.on_delete { <p class="callout">{ words.on_delete }</p> }
            <table class="figures">
                <caption class="unseen">{ words.rollout_title }</caption>
                <thead><tr><th scope="col">{ words.strategy }</th><th scope="col">{ words.time }</th><th scope="col">{ words.uncovered }</th><th scope="col">{ words.extra }</th></tr></thead>
                <tbody>{ for rollout.forecasts.iter().map(|forecast| row(env, forecast, rollout.current.as_ref())) }</tbody>
            </table>
            <p class="small quiet">{ words.rollout_note }</p>
            { player(env, view, words.play_rollout, InsightMsg::PlayRollout(rollout.on_delete.then(|| Strategy::unavailable(crate::objects::IntOrString::Int(1))))) }
            { played(env, view) }
        </>
    }
}

fn row(env: &Env, forecast: &Forecast, current: Option<&Strategy>) -> Html {
    let words = env.words().insight();
    let is_current = current == Some(&forecast.strategy);
    let strategy = &forecast.strategy;
    let budget = match &strategy.max_surge {
        crate::objects::IntOrString::Int(0) => format!("maxUnavailable {}", strategy.max_unavailable),
        surge => format!("maxSurge {surge}"),
    };
    html! {
        <tr class={classes!(is_current.then_some("current"))}>
            <th scope="row"><code>{ budget }</code>if is_current { { " " }<span class="badge">{ words.now }</span> }
                <span class="found small quiet">{ fill(words.at_once, &[("n", &forecast.at_once.to_string()), ("waves", &forecast.waves.to_string())]) }</span></th>
            <td class="number">{ match forecast.duration_ms {
                Some(ms) => html! { { env.words().time_of(ms) } },
                None => html! { <span class="badge danger">{ words.never }</span> },
            } }</td>
            <td class="number">{ forecast.uncovered }</td>
            <td class="number">{ forecast.extra_pods }</td>
        </tr>
    }
}
