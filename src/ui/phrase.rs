//! Sentences on the page.

use crate::app::phrase::{Part, Phrase};
use yew::prelude::*;

/// A sentence with its styles.
pub fn sentence(phrase: &Phrase) -> Html {
    phrase
        .0
        .iter()
        .map(|part| match part {
            Part::Plain(text) => html! { { text } },
            Part::Strong(text) => html! { <b>{ text }</b> },
            Part::Code(text) => html! { <code>{ text }</code> },
        })
        .collect()
}
