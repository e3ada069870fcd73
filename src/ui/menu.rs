//! A button that opens a menu. The browser's own popover closes it on Escape and outside clicks, and gives the focus
//! back.

use crate::ui::dom;
use crate::ui::icons::{Icon, icon};
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`Menu`].
#[derive(Clone, PartialEq, Properties)]
pub struct MenuProps {
    /// Accessible name of the button; shown as its tooltip when the button shows only an icon.
    pub name: AttrValue,
    /// What the button shows.
    pub face: Html,
    /// Classes of the button.
    #[prop_or_else(|| classes!("button"))]
    pub class: Classes,
    /// Whether the button is a stop of the Tab key.
    #[prop_or(true)]
    pub tab_stop: bool,
    /// Called when the menu opens.
    #[prop_or_default]
    pub on_open: Callback<()>,
    /// The entries: [`menu_item`], `<hr/>`, or anything with a name.
    pub children: Html,
}

/// A button that opens a menu.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let open = use_state_eq(|| false);
    let button = use_node_ref();
    let popover = use_node_ref();

    let toggle = {
        let (button, popover) = (button.clone(), popover.clone());
        Callback::from(move |_: MouseEvent| {
            if let (Some(button), Some(popover)) = (button.cast::<HtmlElement>(), popover.cast::<HtmlElement>()) {
                if dom::is_open(&popover) {
                    dom::hide_popover(&popover)
                } else {
                    dom::show_popover_at(&popover, &button)
                }
            }
        })
    };
    let toggled = {
        let (open, popover, on_open) = (open.clone(), popover.clone(), props.on_open.clone());
        Callback::from(move |_: Event| {
            if let Some(popover) = popover.cast::<HtmlElement>() {
                if dom::is_open(&popover) {
                    on_open.emit(());
                }
                open.set(dom::is_open(&popover));
            }
        })
    };
    {
        // The entries are there only once the menu has been drawn open.
        let popover = popover.clone();
        use_effect_with(*open, move |open| {
            if let Some(popover) = popover.cast::<HtmlElement>().filter(|_| *open) {
                dom::focus_first(&popover, "[role^=menuitem]");
            }
        });
    }
    let chosen = {
        let popover = popover.clone();
        Callback::from(move |event: MouseEvent| {
            if dom::is_within(&event, "[role^=menuitem]")
                && let Some(popover) = popover.cast::<HtmlElement>()
            {
                dom::hide_popover(&popover);
            }
        })
    };
    let moved = {
        let popover = popover.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(popover) = popover.cast::<HtmlElement>() {
                dom::arrow_focus(&event, &popover, "[role^=menuitem]");
            }
        })
    };
    html! {
        <>
            <button ref={button} type="button" class={props.class.clone()} aria-label={props.name.clone()} title={props.name.clone()}
                aria-haspopup="menu" aria-expanded={open.to_string()} onclick={toggle} tabindex={(!props.tab_stop).then_some("-1")}>
                { props.face.clone() }
            </button>
            <div ref={popover} class="menu" popover="auto" role="menu" aria-label={props.name.clone()}
                ontoggle={toggled} onclick={chosen} onkeydown={moved}>
                if *open { { props.children.clone() } }
            </div>
        </>
    }
}

/// An entry of a menu. `end` is a quiet remark at its end.
pub fn menu_item(
    shape: Option<Icon>,
    text: &str,
    end: &str,
    class: &'static str,
    on: Callback<MouseEvent>,
    hint: Callback<FocusEvent>,
) -> Html {
    html! {
        <button type="button" class={classes!("menu-item", class)} role="menuitem" onclick={on} onfocus={hint}>
            if let Some(shape) = shape { { icon(shape) } }
            <span>{ text }</span>
            if !end.is_empty() { <span class="end">{ end }</span> }
        </button>
    }
}

/// An entry that is one of a choice.
pub fn menu_choice(text: &str, chosen: bool, on: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="menu-item" role="menuitemradio" aria-checked={chosen.to_string()} onclick={on}>
            <span>{ text }</span>
            if chosen { <span class="end">{ icon(Icon::Tick) }</span> }
        </button>
    }
}
