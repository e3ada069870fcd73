//! What stands still, at the transport: a badge instead of "Quiet", and a strip with the cause and the ways out.

use crate::app::message::Msg;
use crate::app::text::Words;
use crate::app::view::{StandingKind, StandingView};
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use crate::ui::phrase::sentence;
use yew::prelude::*;

fn shape(kind: StandingKind) -> Icon {
    match kind {
        StandingKind::YourTurn => Icon::Info,
        StandingKind::Stuck | StandingKind::Circles => Icon::Warning,
    }
}

/// The state in a word.
pub fn badge(words: &Words, standing: &StandingView) -> Html {
    let texts = words.standing();
    let text = match standing.kind {
        StandingKind::Stuck => texts.stuck,
        StandingKind::YourTurn => texts.your_turn,
        StandingKind::Circles => texts.in_circles,
    };
    html! { <span class="badge warning standing-badge">{ icon(shape(standing.kind)) }{ text }</span> }
}

/// How far it has come, what stands in its way, and what to do about it. It is told once when it begins (see
/// `app::update`), so it is no live region itself.
pub fn strip(env: &Env, standing: &StandingView) -> Html {
    let texts = env.words().standing();
    html! {
        <div class="callout warning standing" role="group" aria-label={standing.headline.clone()}>
            { icon(shape(standing.kind)) }
            <p><b>{ &standing.headline }</b>{ ". " }{ sentence(&standing.detail) }</p>
            <div class="standing-ways">
                if let Some(question) = &standing.question {
                    <button type="button" class="button tiny" onclick={env.on(Msg::Ask(question.clone()))}>{ texts.why }</button>
                }
                if let Some(line) = &standing.undo {
                    <button type="button" class="button tiny" title={line.clone()} onclick={env.on(Msg::Run(line.clone()))}
                        onmouseenter={env.on(Msg::Hint(Some(line.clone())))} onmouseleave={env.on(Msg::Hint(None))}>{ icon(Icon::Undo) }{ texts.undo }</button>
                }
            </div>
        </div>
    }
}
