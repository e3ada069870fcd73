//! A pod as a tile: its colour is its DaemonSet, its fill its revision, its outline and glyph its state.

use crate::app::view::{Age, PodState};
use yew::prelude::*;

/// Diagonal stripes within the tile.
const STRIPES: &str = "M2.2 8.4 8.4 2.2M2.2 15 15 2.2M5 17.8 17.8 5M11.6 17.8 17.8 11.6";
/// Three by three dots.
const DOTS: &str =
    "M5.5 5.5h.01M10 5.5h.01M14.5 5.5h.01M5.5 10h.01M10 10h.01M14.5 10h.01M5.5 14.5h.01M10 14.5h.01M14.5 14.5h.01";

/// The tile's picture, decorative: what it stands on has a name.
pub fn pod_picture(colour: Option<u8>, age: Age, state: PodState) -> Html {
    html! {
        <svg class={classes!("pod", colour_class(colour), state_class(state))} width="20" height="20" viewBox="0 0 20 20"
            aria-hidden="true" focusable="false">
            { body(age, state) }
            { glyph(age, state) }
        </svg>
    }
}

/// The class that sets the colour of a DaemonSet's things.
pub fn colour_class(colour: Option<u8>) -> &'static str {
    const CLASSES: [&str; 8] = ["set-0", "set-1", "set-2", "set-3", "set-4", "set-5", "set-6", "set-7"];
    colour.and_then(|colour| CLASSES.get(usize::from(colour)).copied()).unwrap_or("set-other")
}

fn state_class(state: PodState) -> &'static str {
    match state {
        PodState::Pending => "is-pending",
        PodState::Starting => "is-starting",
        PodState::Ready => "is-ready",
        PodState::Available => "is-available",
        PodState::Terminating => "is-terminating",
        PodState::Failing => "is-failing",
        PodState::Failed => "is-failed",
        PodState::Evicted => "is-evicted",
        PodState::Succeeded => "is-succeeded",
    }
}

/// Whether the fill is at full strength: the pod is there and ready.
fn is_full(state: PodState) -> bool {
    matches!(state, PodState::Ready | PodState::Available | PodState::Terminating)
}

fn body(age: Age, state: PodState) -> Html {
    let full = is_full(state);
    let solid = full && age == Age::Newest;
    let dash = (state == PodState::Pending).then_some("3.2 2.5");
    html! {
        <g class="pod-body">
            <rect class={if solid { "pod-solid" } else { "pod-back" }} x="1" y="1" width="18" height="18" rx="5" />
            if age == Age::Previous {
                <path class={classes!("pod-stripes", (!full).then_some("faint"))} d={STRIPES} />
            }
            if age == Age::Older {
                <path class={classes!("pod-dots", (!full).then_some("faint"))} d={DOTS} />
            }
            if !solid {
                <rect class="pod-line" x="1.75" y="1.75" width="16.5" height="16.5" rx="4.4" stroke-dasharray={dash} />
            }
        </g>
    }
}

fn glyph(age: Age, state: PodState) -> Html {
    // On a pattern a glyph needs a quiet ground of its own.
    let ground = || html! { <circle class="pod-ground" cx="10" cy="10" r="6.2" /> };
    match state {
        PodState::Pending | PodState::Ready => Html::default(),
        PodState::Starting => html! {
            <>
                if age != Age::Newest { { ground() } }
                <circle class="pod-ring" cx="10" cy="10" r="4.5" />
                <path class="pod-mark" d="M10 5.5a4.5 4.5 0 0 1 0 9" />
            </>
        },
        PodState::Available if age == Age::Newest => {
            html! { <path class="pod-mark on" d="m5.8 10.4 2.9 2.8 5.5-6.2" /> }
        }
        PodState::Available => html! {
            <>
                { ground() }
                <path class="pod-mark" d="m6.8 10.3 2.3 2.2 4.2-4.7" />
            </>
        },
        PodState::Terminating => html! {
            <>
                <path class="pod-strike back" d="M2 18 18 2" />
                <path class="pod-strike" d="M2 18 18 2" />
            </>
        },
        PodState::Failing | PodState::Failed => html! {
            <>
                if age != Age::Newest { { ground() } }
                <path class="pod-mark bad" d="m6.5 6.5 7 7M13.5 6.5l-7 7" />
            </>
        },
        PodState::Evicted => html! {
            <>
                if age != Age::Newest { { ground() } }
                <path class="pod-mark bad" d="M6.5 13.5 13 7M8.2 6.5h5.3v5.3" />
            </>
        },
        PodState::Succeeded => html! { <rect class="pod-dot" x="7" y="7" width="6" height="6" rx="1.5" /> },
    }
}

/// The place of a pod that is not there.
pub fn empty_picture(colour: Option<u8>, excluded: bool) -> Html {
    html! {
        <svg class={classes!("pod", "gap", colour_class(colour), excluded.then_some("excluded"))} width="20" height="20" viewBox="0 0 20 20"
            aria-hidden="true" focusable="false">
            <rect class="pod-gap" x="1.75" y="1.75" width="16.5" height="16.5" rx="4.4" stroke-dasharray="3.2 2.5" />
            if excluded {
                <path class="pod-none" d="M6.5 13.5l7-7" />
            }
        </svg>
    }
}
