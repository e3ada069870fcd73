//! The panels beside the cluster, one tab each: Story, Events, Why, and what others add.
//!
//! **To add a panel** (insight, lessons…):
//! 1. its [`SideTab`] enters [`SideTab::SHOWN`] (`src/app/message.rs`), which makes its tab appear;
//! 2. its component gets a file of its own beside this one, and its arm in [`panel`] below, where the whole [`Model`] is
//!    at hand; compute what it shows in `src/app/views.rs` (only while `model.tab` is its tab) or in the component;
//! 3. its name is a text `tab_…` of `src/app/text`, chosen in [`tab_text`].
//!
//! A panel is drawn into a scrolling column of 280 to 560 px (or the whole width of a phone). `.panel` gives it the
//! usual padding and spacing; its headings begin with `h2`.

use crate::app::message::{Msg, SideTab};
use crate::app::model::Model;
use crate::app::text::Words;
use crate::ui::dom;
use crate::ui::env::{Env, use_env};
use crate::ui::insight::Insight;
use crate::ui::lesson::lesson_panel;
use crate::ui::story::{Events, Story};
use crate::ui::why::Why;
use web_sys::Element;
use yew::prelude::*;

/// The text of a tab.
fn tab_text(words: &Words, tab: SideTab) -> &'static str {
    match tab {
        SideTab::Story => words.story,
        SideTab::Events => words.events,
        SideTab::Why => words.tab_why,
        SideTab::Insight => words.tab_insight,
        SideTab::Lesson => words.tab_lesson,
    }
}

/// What stands in the chosen tab.
fn panel(model: &Model, env: &Env) -> Html {
    let views = &model.views;
    match model.tab {
        SideTab::Story => html! {
            <Story part={views.story.clone()} position={model.session.position()} open={views.open_step.clone()} filter={model.story_filter.clone()} />
        },
        SideTab::Events => html! { <Events events={views.events.clone()} /> },
        SideTab::Why => html! {
            <Why view={views.why.clone()} sets={views.sets.clone()} cards={views.cards.clone()} line={model.line} />
        },
        SideTab::Insight => html! { <Insight view={views.insight.clone()} section={model.insight.section} /> },
        SideTab::Lesson => lesson_panel(model, env),
    }
}

/// The column beside the cluster.
pub fn panels(model: &Model, env: &Env) -> Html {
    let tab = model.tab;
    html! {
        <section class="side" aria-label={env.words().panels}>
            <Tabs {tab} />
            // No role of its own for what stands in the panel: the key makes each tab begin at its top.
            <div class="side-scroll" key={tab.name()} id="side-panel" role="tabpanel" tabindex="0" aria-labelledby={format!("tab-{}", tab.name())}>
                { panel(model, env) }
            </div>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TabsProps {
    tab: SideTab,
}

/// The row of tabs.
#[component]
fn Tabs(props: &TabsProps) -> Html {
    let env = use_env();
    let words = env.words();
    let moved = {
        let (send, now) = (env.send.clone(), props.tab);
        Callback::from(move |event: KeyboardEvent| {
            let at = SideTab::SHOWN.iter().position(|tab| *tab == now).unwrap_or(0);
            let last = SideTab::SHOWN.len().saturating_sub(1);
            let to = match event.key().as_str() {
                "ArrowRight" if at < last => at + 1,
                "ArrowRight" | "Home" => 0,
                "ArrowLeft" if at > 0 => at - 1,
                "ArrowLeft" | "End" => last,
                _ => return,
            };
            event.prevent_default();
            if let Some(tab) = SideTab::SHOWN.get(to) {
                send.emit(Msg::ShowTab(*tab));
                let row = event.target_dyn_into::<Element>().and_then(|tab| tab.parent_element());
                dom::focus_later(row, format!("tab-{}", tab.name()));
            }
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label={words.panels} onkeydown={moved}>
            { for SideTab::SHOWN.iter().map(|tab| {
                let chosen = *tab == props.tab;
                html! {
                    <button type="button" class="tab" role="tab" id={format!("tab-{}", tab.name())} aria-selected={chosen.to_string()} aria-controls="side-panel"
                        tabindex={if chosen { "0" } else { "-1" }} onclick={env.on(Msg::ShowTab(*tab))}>{ tab_text(words, *tab) }</button>
                }
            }) }
        </div>
    }
}
