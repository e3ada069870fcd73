//! Why a DaemonSet has a pod on a node, or none: every check, and the smallest change that flips the answer.

use crate::app::message::{Marked, Msg, Question};
use crate::app::phrase::fill;
use crate::app::view::{CheckMark, CheckRow, Fix, NodeCard, PodWhy, Stage, VerdictView};
use crate::objects::ObjectKey;
use crate::ui::diff::diff_lines;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::phrase::sentence;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Why`].
#[derive(Clone, PartialEq, Properties)]
pub struct WhyProps {
    /// The answer; `None`: there is nothing to ask about.
    pub view: Option<Rc<VerdictView>>,
    /// All DaemonSets: key and colour.
    pub sets: Rc<Vec<(ObjectKey, u8)>>,
    /// All nodes.
    pub cards: Rc<Vec<Rc<NodeCard>>>,
    /// The line of the manifest that the person looks at.
    pub line: usize,
}

/// The panel of reasons.
#[component]
pub fn Why(props: &WhyProps) -> Html {
    let env = use_env();
    let words = env.words();
    let Some(view) = &props.view else {
        return html! { <div class="empty left"><p>{ words.why_empty }</p><p class="quiet">{ words.why_empty_more }</p></div> };
    };
    html! {
        <div class="panel">
            <QuestionForm question={view.question.clone()} sets={props.sets.clone()} cards={props.cards.clone()} />
            <h2 id="why-title" tabindex="-1">{ &view.title }</h2>
            <p class={classes!("callout", if view.passed { "good" } else { "warning" })}>
                { icon(if view.passed { Icon::Tick } else { Icon::Warning }) }<span>{ sentence(&view.answer) }</span></p>
            { fixes(words.standing().way_out, &view.way_out, true) }
            <table class="checks">
                <caption class="unseen">{ words.checks }</caption>
                <thead class="unseen"><tr><th scope="col">{ words.result }</th><th scope="col">{ words.check }</th></tr></thead>
                { for [Stage::Controller, Stage::Scheduler, Stage::Kubelet].map(|stage| stage_rows(&env, view, stage, props.line)) }
            </table>
            { for view.notes.iter().map(|note| html! { <p class="callout">{ icon(Icon::Info) }<span>{ sentence(note) }</span></p> }) }
            { fixes(view.fixes_title, &view.fixes, view.urgent) }
        </div>
    }
}

/// The checks of one part of the control plane.
fn stage_rows(env: &Env, view: &VerdictView, stage: Stage, line: usize) -> Html {
    let words = env.words();
    let name = match stage {
        Stage::Controller => words.actor_daemon_set,
        Stage::Scheduler => words.actor_scheduler,
        Stage::Kubelet => words.stage_kubelet,
    };
    let rows: Vec<&CheckRow> = view.rows.iter().filter(|row| row.stage == stage).collect();
    if rows.is_empty() {
        return Html::default();
    }
    html! {
        <tbody>
            <tr class="stage"><th scope="rowgroup" colspan="2" class="small">{ name }</th></tr>
            { for rows.into_iter().map(|row| check_row(env, &view.question.node, row, line)) }
        </tbody>
    }
}

fn check_row(env: &Env, node: &Rc<str>, row: &CheckRow, line: usize) -> Html {
    let words = env.words();
    let (class, shape, text) = match row.mark {
        CheckMark::Passed => ("passed", Some(Icon::Tick), words.passed),
        CheckMark::Failed => ("failed", Some(Icon::Close), words.failed),
        CheckMark::Skipped => ("skipped", None, words.not_reached),
    };
    let range = row.line.map(|(_, from, to)| (from, to, row.mark == CheckMark::Passed));
    let chip = row.field.as_ref().map(|(_, key)| (Rc::clone(node), Rc::clone(key)));
    let marked = Msg::Mark(Some(Marked { range, chip }));
    let looked_at = line > 0 && row.line.is_some_and(|(first, ..)| first == line);
    html! {
        <tr class={classes!(class, row.nested.then_some("nested"), looked_at.then_some("looked-at"))}
            onmouseenter={env.on(marked.clone())} onmouseleave={env.on(Msg::Mark(None))} onfocusin={env.on(marked)} onfocusout={env.on(Msg::Mark(None))}>
            <td class="check-mark">if let Some(shape) = shape { { icon(shape) } } else { <span aria-hidden="true">{ "–" }</span> }<span class="unseen">{ text }</span></td>
            <td>{ sentence(&row.what) }<span class="found small">{ sentence(&row.found) }</span>
                if row.line.is_some() || row.field.is_some() {
                    <span class="sources small">
                        if let Some((line, from, _)) = row.line {
                            <button type="button" class="link small" onclick={env.on(Msg::GoTo(from))}>{ icon(Icon::Manifest) }{ fill(words.line, &[("n", &line.to_string())]) }</button>
                        }
                        if let Some((path, _)) = &row.field { <span class="source quiet">{ icon(Icon::Node) }<code>{ path }</code></span> }
                    </span>
                }
            </td>
        </tr>
    }
}

/// Why a pod waits, or who ended it.
pub fn pod_why(env: &Env, why: &PodWhy) -> Html {
    let words = env.words();
    html! {
        <>
            <p class="callout warning">{ icon(Icon::Warning) }<span>{ sentence(&why.answer) }</span></p>
            if !why.rows.is_empty() {
                <table class="checks">
                    <caption class="unseen">{ words.checks }</caption>
                    <thead class="unseen"><tr><th scope="col">{ words.result }</th><th scope="col">{ words.check }</th></tr></thead>
                    <tbody>{ for why.rows.iter().map(|row| check_row(env, &Rc::from(""), row, 0)) }</tbody>
                </table>
            }
            { fixes(why.fixes_title, &why.fixes, true) }
        </>
    }
}

/// Changes to make; the first stands out where it is `urgent`.
fn fixes(title: &str, fixes: &[Fix], urgent: bool) -> Html {
    if fixes.is_empty() {
        return Html::default();
    }
    html! {
        <>
            <h3>{ title }</h3>
            { for fixes.iter().enumerate().map(|(index, fix)| html! { <FixView fix={fix.clone()} first={urgent && index == 0} /> }) }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct FixProps {
    fix: crate::app::view::Fix,
    first: bool,
}

/// One change, made with one click.
#[component]
fn FixView(props: &FixProps) -> Html {
    let env = use_env();
    let fix = &props.fix;
    let applies = matches!(fix.message, Msg::ApplyFile(_));
    html! {
        <div class="fix">
            if applies { <p class="fix-made" role="status"><span class="dot" />{ &fix.remark }</p> }
            if !fix.lines.is_empty() { { diff_lines(&fix.text, &fix.lines) } }
            <button type="button" class={classes!("button", props.first.then_some("primary"))} onclick={env.on(fix.message.clone())}>{ &fix.text }</button>
            if !applies { <p class="small quiet">{ &fix.remark }</p> }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct QuestionProps {
    question: Question,
    sets: Rc<Vec<(ObjectKey, u8)>>,
    cards: Rc<Vec<Rc<NodeCard>>>,
}

/// Which DaemonSet, and which node.
#[component]
fn QuestionForm(props: &QuestionProps) -> Html {
    let env = use_env();
    let words = env.words();
    let Question { set, node } = props.question.clone();
    // A name that is typed to its end, or chosen from the list of thousands, is asked about at once.
    let ask_node = {
        let (send, set, cards) = (env.send.clone(), set.clone(), props.cards.clone());
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlInputElement>().value();
            if let Some(card) = cards.iter().find(|card| *card.name == *name) {
                send.emit(Msg::Ask(Question { set: set.clone(), node: card.name.clone() }));
            }
        })
    };
    let ask_set = {
        let (send, node, sets) = (env.send.clone(), node.clone(), props.sets.clone());
        Callback::from(move |event: Event| {
            let at: usize = event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0);
            if let Some((set, _)) = sets.get(at) {
                send.emit(Msg::Ask(Question { set: set.clone(), node: node.clone() }));
            }
        })
    };
    let few = props.cards.len() <= 200;
    html! {
        <div class="question">
            <label class="stack">{ words.daemon_set }
                <select class="field" onchange={ask_set}>
                    { for props.sets.iter().enumerate().map(|(index, (key, _))| html! {
                        <option value={index.to_string()} selected={*key == set}>{ &*key.name }</option>
                    }) }
                </select>
            </label>
            <label class="stack">{ words.node }
                if few {
                    <select class="field" onchange={ask_node}>
                        { for props.cards.iter().map(|card| html! { <option value={card.name.to_string()} selected={card.name == node}>{ &*card.name }</option> }) }
                    </select>
                } else {
                    <input class="field" value={node.to_string()} autocomplete="off" autocapitalize="off" spellcheck="false" onchange={ask_node} />
                }
            </label>
        </div>
    }
}
