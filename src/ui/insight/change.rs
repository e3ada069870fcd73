//! What applying the shown manifest would do.

use super::{names, played, player};
use crate::app::insight::InsightMsg;
use crate::app::phrase::fill;
use crate::app::view::InsightView;
use crate::insight::compare::ChangeEffect;
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use std::rc::Rc;
use yew::prelude::*;

pub(super) fn change(env: &Env, view: &InsightView, has_set: bool, change: &Result<Vec<ChangeEffect>, String>) -> Html {
    let words = env.words().insight();
    let body = match change {
        Err(refusal) => html! {
            <><p class="callout danger">{ icon(Icon::Error) }<span>{ words.change_refused }</span></p><pre class="diff">{ refusal.trim() }</pre></>
        },
        Ok(effects) if effects.is_empty() => {
            html! { <p class="quiet">{ if has_set { words.change_nothing } else { words.check_none } }</p> }
        }
        Ok(effects) => html! {
            <>
                { for effects.iter().map(|effect| told(env, effect)) }
                if effects.iter().any(|effect| effect.is_new || effect.new_revision) {
                    { player(env, view, words.play_change, InsightMsg::PlayChange) }
                    { played(env, view) }
                }
            </>
        },
    };
    html! { <><h2>{ words.change_title }</h2>{ body }</> }
}

fn told(env: &Env, effect: &ChangeEffect) -> Html {
    let words = env.words().insight();
    let name = effect.daemonset.name.to_string();
    let [before, after] = effect.desired.map(|n| n.to_string());
    let nothing =
        effect.gains.is_empty() && effect.loses.is_empty() && effect.strands.is_empty() && effect.replaced == 0;
    let head = match (effect.is_new, nothing) {
        (true, _) => words.change_new,
        (false, true) => words.change_none,
        (false, false) => words.change_same,
    };
    let list = |text: &str, nodes: &[Rc<str>]| {
        if nodes.is_empty() {
            return Html::default();
        }
        html! { <li>{ fill(text, &[("n", &nodes.len().to_string())]) }<span class="found small quiet">{ names(env, nodes) }</span></li> }
    };
    let replaced = match (effect.at_once, effect.surges) {
        (0, _) => words.change_manual,
        (_, true) => words.change_surged,
        (_, false) => words.change_replaced,
    };
    html! {
        <section class="effect">
            <p><strong>{ fill(head, &[("name", &name), ("before", &before), ("after", &after)]) }</strong>if effect.new_revision { { " " }{ words.change_revision } }</p>
            if !nothing {
                <ul class="bullets">
                    { list(words.change_loses, &effect.loses) }
                    { list(words.change_gains, &effect.gains) }
                    if effect.replaced > 0 {
                        <li>{ fill(replaced, &[("n", &effect.replaced.to_string()), ("at_once", &effect.at_once.to_string())]) }</li>
                    }
                    { list(words.change_strands, &effect.strands) }
                </ul>
            }
        </section>
    }
}
