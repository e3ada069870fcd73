//! Lines that were added and removed.

use crate::app::diff::{Line, LineKind};
use yew::prelude::*;

/// A block of lines with a name; added and removed ones carry a sign as well as a colour.
pub fn diff_lines(name: &str, lines: &[Line]) -> Html {
    html! {
        <div class="diff" tabindex="0" role="group" aria-label={name.to_string()}>
            { for lines.iter().map(|line| {
                let (class, sign) = match line.kind {
                    LineKind::Added => ("added", "+ "),
                    LineKind::Removed => ("removed", "- "),
                    LineKind::Same => ("same", "  "),
                    LineKind::Gap => ("gap", "  "),
                };
                html! { <div {class}>{ sign }{ &line.text }</div> }
            }) }
        </div>
    }
}
