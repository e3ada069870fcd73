//! The menu that shares the session.

use crate::app::export::Export;
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::share::{ShareAs, Shared};
use crate::ui::browser;
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon};
use crate::ui::menu::{Menu, menu_item};
use yew::prelude::*;

/// Properties of [`ShareMenu`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShareMenuProps {
    /// How long the link is, once the menu has asked.
    pub shared: Option<Shared>,
}

/// The menu that shares the session: as link, Markdown, element, file, with the length of the link and what it means.
#[component]
pub fn ShareMenu(props: &ShareMenuProps) -> Html {
    let env = use_env();
    let words = env.words();
    let send = env.send.clone();
    let on_open = Callback::from(move |()| send.emit(Msg::MeasureLink(browser::address())));
    let form = |shape, text: &str, form: ShareAs| {
        let send = env.send.clone();
        let on = Callback::from(move |_: MouseEvent| send.emit(Msg::Share(form, browser::address())));
        menu_item(Some(shape), text, "", "", on, Callback::noop())
    };
    let note = props.shared.map(|shared| {
        let n = shared.length.to_string();
        match (shared.too_long, shared.cut_at) {
            (true, _) => fill(words.link_too_long, &[("n", &n)]),
            (false, Some(most)) => fill(words.link_cut, &[("n", &n), ("most", &most.to_string())]),
            (false, None) => fill(words.link_length, &[("n", &n)]),
        }
    });
    let too_long = props.shared.is_some_and(|shared| shared.too_long);
    let file = menu_item(
        Some(Icon::Download),
        words.share_file,
        "",
        "",
        env.on(Msg::Export(Export::Scenario)),
        Callback::noop(),
    );
    html! {
        <Menu name={words.share} class={classes!("button", "plain")} {on_open}
            face={html! { <>{ icon(Icon::Share) }<span class="wide-only">{ words.share }</span></> }}>
            if !too_long {
                { form(Icon::Share, words.share_link, ShareAs::Link) }
                { form(Icon::Manifest, words.share_markdown, ShareAs::Markdown) }
                { form(Icon::Cluster, words.share_element, ShareAs::Element) }
            }
            { file }
            if let Some(note) = note { <p class="menu-note small quiet">{ note }</p> }
        </Menu>
    }
}
