//! The bar at the top: name, files, theme, language.

use crate::app::exchange::{ExchangeMsg, ExportKind};
use crate::app::export::Export;
use crate::app::lesson::LessonMsg;
use crate::app::message::{Msg, Pane, Theme};
use crate::app::share::Shared;
use crate::app::text::{Language, exchange_words};
use crate::ui::env::use_env;
use crate::ui::icons::{Icon, icon, mark};
use crate::ui::menu::{Menu, menu_choice, menu_item};
use crate::ui::share::ShareMenu;
use yew::prelude::*;

/// Properties of [`TopBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct TopBarProps {
    /// Light or dark.
    pub theme: Theme,
    /// The part that is shown where there is no room for all.
    pub pane: Pane,
    /// How long the link of the session is, once somebody has asked.
    pub shared: Option<Shared>,
}

/// The bar at the top.
#[component]
pub fn TopBar(props: &TopBarProps) -> Html {
    let env = use_env();
    let words = env.words();
    let lessons = env.language.lesson_words();
    let exchange = exchange_words(env.language);
    let theme_icon = match props.theme {
        Theme::Auto => Icon::ThemeAuto,
        Theme::Light => Icon::ThemeLight,
        Theme::Dark => Icon::ThemeDark,
    };
    let theme_text = |theme: Theme| match theme {
        Theme::Auto => words.theme_auto,
        Theme::Light => words.theme_light,
        Theme::Dark => words.theme_dark,
    };
    let file =
        |shape, text: &str, message: Msg| menu_item(Some(shape), text, "", "", env.on(message), Callback::noop());
    html! {
        <header class="top">
            <div class="brand">{ mark() }<h1>{ "DaemonSet Playground" }</h1></div>
            <span class="push" />
            <button type="button" class="button plain" id="lessons" aria-haspopup="dialog" aria-label={lessons.catalogue} title={lessons.catalogue} onclick={env.on(Msg::Lesson(LessonMsg::OpenCatalogue))}>
                { icon(Icon::Lesson) }<span class="wide-only">{ lessons.lessons }</span></button>
            <Menu name={words.session} class={classes!("button", "plain")} face={html! { <>{ icon(Icon::File) }<span class="wide-only">{ words.session }</span></> }}>
                { file(Icon::Undo, words.new_session, Msg::NewSession) }
                { file(Icon::Upload, words.open_file, Msg::PickFile) }
                { file(Icon::Cluster, exchange.import, Msg::Exchange(ExchangeMsg::Import)) }
                <hr />
                { file(Icon::Download, words.save_scenario, Msg::Export(Export::Scenario)) }
                { file(Icon::Terminal, exchange.export, Msg::Exchange(ExchangeMsg::Export(ExportKind::Script))) }
                { file(Icon::Story, words.save_report, Msg::Export(Export::Report)) }
                { file(Icon::Picture, words.save_svg, Msg::Export(Export::Svg)) }
                { file(Icon::Picture, words.save_png, Msg::Export(Export::Png)) }
                { file(Icon::Print, words.print, Msg::Print) }
            </Menu>
            <ShareMenu shared={props.shared} />
            <Menu name={words.language} class={classes!("button", "plain")} face={html! { <span class="small">{ env.language.tag().to_uppercase() }</span> }}>
                { for Language::ALL.into_iter().map(|language| menu_choice(language.name(), language == env.language, env.on(Msg::SetLanguage(language)))) }
            </Menu>
            <Menu name={words.theme} class={classes!("button", "plain", "icon")} face={icon(theme_icon)}>
                { for Theme::ALL.into_iter().map(|theme| menu_choice(theme_text(theme), theme == props.theme, env.on(Msg::SetTheme(theme)))) }
            </Menu>
        </header>
    }
}

/// Properties of [`PaneBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct PaneBarProps {
    /// The part that is shown.
    pub pane: Pane,
    /// A file is edited and not applied.
    pub edited: bool,
}

/// On a narrow screen: which part of the page is shown.
#[component]
pub fn PaneBar(props: &PaneBarProps) -> Html {
    let env = use_env();
    let words = env.words();
    let entry = |pane: Pane| {
        let (shape, text) = match pane {
            Pane::Cluster => (Icon::Cluster, words.cluster),
            Pane::Manifest => (Icon::Manifest, words.manifests),
            Pane::Story => (Icon::Story, words.story),
            Pane::Terminal => (Icon::Terminal, words.terminal),
        };
        html! {
            <button type="button" class={classes!("pane", format!("pane-{}", pane.name()))} aria-current={(pane == props.pane).to_string()} onclick={env.on(Msg::ShowPane(pane))}>
                { icon(shape) }<span>{ text }
                    // Whatever explains has its place there, too.
                    if pane == Pane::Story { <span class="narrow-only">{ words.story_more }</span> }</span>
                if pane == Pane::Manifest && props.edited { <span class="dot" /> }
            </button>
        }
    };
    html! {
        <nav class="pane-bar" aria-label={words.parts}>{ for Pane::ALL.into_iter().map(entry) }</nav>
    }
}
