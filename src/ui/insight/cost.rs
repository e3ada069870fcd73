//! What the DaemonSet takes of the cluster, on any number of nodes, at any price.

use super::{names, typed};
use crate::app::insight::{Field, InsightMsg};
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::view::{CostView, InsightView};
use crate::insight::overhead::{Amount, PartKind, RequestsChange, Share};
use crate::ui::env::Env;
use web_sys::HtmlInputElement;
use yew::prelude::*;

pub(super) fn cost(env: &Env, view: &InsightView, cost: &CostView) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    let (typed_texts, per_pod) = (&view.typed, cost.overhead.per_pod);
    let asks_nothing = cost.per_pod == Amount::default();
    let result =
        fill(words.cost_result, &[("cpu", &all.cpu(cost.total.milli_cpu)), ("memory", &all.memory(cost.total.memory))]);
    html! {
        <>
            <h2>{ words.cost_title }</h2>
            <div class="form">
                { typed(env, Field::Nodes, words.on_nodes, &typed_texts.nodes, view.nodes.to_string(), "numeric") }
                { typed(env, Field::Cpu, words.cpu_per_pod, &typed_texts.cpu, written_cpu(per_pod), "text") }
                { typed(env, Field::Memory, words.memory_per_pod, &typed_texts.memory, written_memory(per_pod), "text") }
                { typed(env, Field::CpuPrice, words.cpu_price, &all.decimal_mark(&typed_texts.cpu_price), String::new(), "decimal") }
                { typed(env, Field::GibPrice, words.gib_price, &all.decimal_mark(&typed_texts.gib_price), String::new(), "decimal") }
            </div>
            <div class="result" role="status">
                <p class="large"><strong class="number" id="cost-total">{ result }</strong></p>
                <p class="quiet number">{ format!("{n} × {}, {n} × {}", all.cpu(cost.per_pod.milli_cpu), all.memory(cost.per_pod.memory), n = view.nodes) }</p>
                if !asks_nothing { <p class="quiet">{ fill(words.cost_month, &[("money", &all.money(cost.month))]) }</p> }
            </div>
            if asks_nothing { <p class="callout">{ words.asked_none }</p> }
            if let Some(change) = &cost.change { { changed(env, change) } }
            { here(env, cost) }
            { pools(env, cost) }
            { parts(env, cost) }
            { fleet(env, cost) }
        </>
    }
}

/// As a request is written: `100m`, `1`.
fn written_cpu(amount: Amount) -> String {
    crate::objects::Quantity::from_milli(amount.milli_cpu).to_string()
}

fn written_memory(amount: Amount) -> String {
    crate::objects::Quantity::from_bytes(amount.memory).to_string()
}

/// What other requests would do.
fn changed(env: &Env, change: &RequestsChange) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    let signed = |text: String, amount: i64| if amount > 0 { format!("+{text}") } else { text };
    let (cpu, memory) = (change.total.milli_cpu, change.total.memory);
    let facts = [("cpu", signed(all.cpu(cpu), cpu)), ("memory", signed(all.memory(memory), memory))];
    let facts: Vec<(&str, &str)> = facts.iter().map(|(name, fact)| (*name, fact.as_str())).collect();
    html! {
        <>
            <p>{ fill(words.cost_change, &facts) }</p>
            if !change.no_room.is_empty() {
                <p class="callout warning">{ fill(words.cost_no_room, &[("n", &change.no_room.len().to_string()), ("names", &names(env, &change.no_room))]) }</p>
            }
        </>
    }
}

/// What it takes of this cluster as it is.
fn here(env: &Env, cost: &CostView) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    let overhead = &cost.overhead;
    if overhead.eligible == 0 || overhead.per_pod == Amount::default() {
        return Html::default();
    }
    let facts = [
        ("eligible", overhead.eligible.to_string()),
        ("nodes", overhead.nodes.to_string()),
        ("cpu_share", all.percent(overhead.share.cpu)),
        ("memory_share", all.percent(overhead.share.memory)),
    ];
    let facts: Vec<(&str, &str)> = facts.iter().map(|(name, fact)| (*name, fact.as_str())).collect();
    html! {
        <p>{ fill(words.cost_here, &facts) }
            if let Some(heaviest) = overhead.heaviest.as_ref().filter(|_| overhead.eligible > 1) {
                { " " }{ fill(words.cost_heaviest, &[("node", &heaviest.node), ("share", &all.percent(heaviest.share.most()))]) }
            }
        </p>
    }
}

/// Groups of nodes by a label.
fn pools(env: &Env, cost: &CostView) -> Html {
    let words = env.words().insight();
    if cost.labels.is_empty() {
        return Html::default();
    }
    let send = env.send.clone();
    let chosen = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<HtmlInputElement>().value();
        send.emit(Msg::Insight(InsightMsg::GroupBy(Some(value).filter(|label| !label.is_empty()))));
    });
    html! {
        <>
            <label class="stack">{ words.group }<select class="field" onchange={chosen}>
                <option value="" selected={cost.label.is_none()}>{ words.group_none }</option>
                { for cost.labels.iter().map(|label| html! { <option value={label.clone()} selected={cost.label.as_ref() == Some(label)}>{ label }</option> }) }
            </select></label>
            if let Some(label) = &cost.label {
                <table class="figures">
                    <caption class="unseen">{ format!("{} {label}", words.group) }</caption>
                    <thead><tr><th scope="col">{ label }</th><th scope="col">{ words.nodes }</th><th scope="col">{ "CPU" }</th><th scope="col">{ words.share }</th></tr></thead>
                    <tbody>{ for cost.overhead.pools.iter().map(|pool| html! {
                        <tr>
                            <th scope="row">{ pool.value.as_deref().unwrap_or(words.unlabelled) }</th>
                            <td class="number">{ format!("{}/{}", pool.eligible, pool.nodes) }</td>
                            <td class="number">{ env.words().cpu(pool.total.milli_cpu) }</td>
                            <td class="number">{ share(env, pool.share) }</td>
                        </tr>
                    }) }</tbody>
                </table>
            }
        </>
    }
}

/// Both shares, with a bar for the larger one.
fn share(env: &Env, share: Share) -> Html {
    let words = env.words();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let filled = (share.most().clamp(0.0, 1.0) * 100.0).round() as u32;
    html! {
        <>
            <span>{ format!("{} · {}", words.percent(share.cpu), words.percent(share.memory)) }</span>
            <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="4" /><rect class="filled" width={filled.to_string()} height="4" /></svg>
        </>
    }
}

/// What the requests of a pod are made of.
fn parts(env: &Env, cost: &CostView) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    if cost.overhead.parts.len() < 2 {
        return Html::default();
    }
    let kind = |kind: PartKind| match kind {
        PartKind::Container => words.part_container,
        PartKind::Sidecar => words.part_sidecar,
        PartKind::Init => words.part_init,
        PartKind::RuntimeClass => words.part_runtime,
    };
    html! {
        <table class="figures">
            <caption>{ words.parts }</caption>
            <tbody>
                { for cost.overhead.parts.iter().map(|part| html! {
                    <tr><th scope="row">{ &part.name }<span class="small quiet">{ " " }{ kind(part.kind) }</span></th><td class="number">{ all.cpu(part.requests.milli_cpu) }</td><td class="number">{ all.memory(part.requests.memory) }</td></tr>
                }) }
                <tr><th scope="row">{ words.per_pod }</th><td class="number">{ all.cpu(cost.overhead.per_pod.milli_cpu) }</td><td class="number">{ all.memory(cost.overhead.per_pod.memory) }</td></tr>
            </tbody>
        </table>
    }
}

/// All DaemonSets of the cluster side by side.
fn fleet(env: &Env, cost: &CostView) -> Html {
    let (words, all) = (env.words().insight(), env.words());
    if cost.fleet.is_empty() {
        return Html::default();
    }
    let sum = cost.fleet.iter().fold(Amount::default(), |sum, one| sum.plus(one.total));
    html! {
        <table class="figures">
            <caption>{ words.all_sets }</caption>
            <thead><tr><th scope="col">{ "DaemonSet" }</th><th scope="col">{ words.nodes }</th><th scope="col">{ "CPU" }</th><th scope="col">{ words.share }</th></tr></thead>
            <tbody>
                { for cost.fleet.iter().map(|one| html! {
                    <tr><th scope="row">{ one.daemonset.to_string() }</th><td class="number">{ one.eligible }</td><td class="number">{ all.cpu(one.total.milli_cpu) }</td><td class="number">{ share(env, one.share) }</td></tr>
                }) }
                <tr><th scope="row">{ words.total }</th><td></td><td class="number">{ all.cpu(sum.milli_cpu) }</td><td class="number">{ all.memory(sum.memory) }</td></tr>
            </tbody>
        </table>
    }
}
