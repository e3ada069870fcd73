//! The lists of lessons and of the gallery, in a dialog of their own.

use crate::app::lesson::{Entry, LessonMsg, Lessons, level_named};
use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::text::LessonWords;
use crate::app::view::typeset;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::lesson::on;
use std::collections::BTreeMap;
use std::rc::Rc;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// Properties of [`Catalogue`].
#[derive(Clone, PartialEq, Properties)]
pub struct CatalogueProps {
    /// The lessons.
    pub lessons: Rc<Vec<Entry>>,
    /// The gallery.
    pub gallery: Rc<Vec<Entry>>,
    /// Points of the lessons that were completed: reached, and all.
    pub records: BTreeMap<String, (u32, u32)>,
    /// A list could not be loaded.
    pub failed: bool,
}

impl CatalogueProps {
    /// From the state.
    pub fn of(lessons: &Lessons) -> Self {
        Self {
            lessons: Rc::clone(&lessons.lessons),
            gallery: Rc::clone(&lessons.gallery),
            records: lessons.records.iter().map(|(id, record)| (id.clone(), (record.score, record.max))).collect(),
            failed: lessons.failed,
        }
    }
}

/// The dialog.
#[component]
pub fn Catalogue(props: &CatalogueProps) -> Html {
    let env = use_env();
    let words = env.language.lesson_words();
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>().filter(|dialog| !dialog.open()) {
                dialog.show_modal().ok();
            }
        });
    }
    let group = |name: &'static str| props.gallery.iter().filter(move |entry| entry.group == name);
    html! {
        <dialog ref={dialog} class="catalogue" aria-labelledby="catalogue-title" onclose={on(&env, LessonMsg::CloseCatalogue)}>
            <header>
                <h2 id="catalogue-title">{ words.catalogue }</h2>
                <button type="button" class="button plain icon" aria-label={env.words().close} onclick={on(&env, LessonMsg::CloseCatalogue)}>{ icon(Icon::Close) }</button>
            </header>
            <div class="catalogue-body">
                if props.failed { <p class="callout warning">{ icon(Icon::Warning) }<span>{ words.failed_load }</span>
                    <button type="button" class="button tiny" onclick={on(&env, LessonMsg::OpenCatalogue)}>{ words.retry }</button></p> }
                <section>
                    <h3>{ words.lessons }</h3>
                    <ol class="catalogue-list">{ for props.lessons.iter().map(|entry| lesson_entry(&env, words, entry, props.records.get(&entry.id).copied())) }</ol>
                </section>
                <section>
                    <h3>{ format!("{} · {}", words.gallery, words.agents) }</h3>
                    <ul class="catalogue-list">{ for group("agents").map(|entry| scenario_entry(&env, entry)) }</ul>
                </section>
                <section>
                    <h3>{ format!("{} · {}", words.gallery, words.breakages) }</h3>
                    <ul class="catalogue-list">{ for group("breakages").map(|entry| scenario_entry(&env, entry)) }</ul>
                </section>
                <section class="own">
                    <h3>{ words.own }</h3>
                    <p class="quiet">{ words.own_help }</p>
                    <button type="button" class="button" onclick={on(&env, LessonMsg::Template)}>{ icon(Icon::Add) }{ words.own_open }</button>
                </section>
            </div>
        </dialog>
    }
}

fn lesson_entry(env: &Env, words: &LessonWords, entry: &Entry, record: Option<(u32, u32)>) -> Html {
    let level = level_named(&entry.group).map_or("", |level| words.level(level));
    let end = html! {
        <span class="catalogue-item-end small">
            if let Some((score, max)) = record {
                <span class="badge good">{ icon(Icon::Tick) }{ fill(words.points, &[("score", &score.to_string()), ("max", &max.to_string())]) }</span>
            }
            <span class="quiet">{ level }{ " · " }{ fill(words.minutes, &[("n", &entry.minutes.to_string())]) }</span>
        </span>
    };
    entry_view(env, entry, LessonMsg::Open(entry.id.clone()), end)
}

fn scenario_entry(env: &Env, entry: &Entry) -> Html {
    entry_view(env, entry, LessonMsg::OpenScenario(entry.id.clone()), Html::default())
}

fn entry_view(env: &Env, entry: &Entry, message: LessonMsg, end: Html) -> Html {
    let text = |both: &crate::lessons::Both| typeset(env.language, both.in_language(env.language));
    html! {
        <li><button type="button" class="catalogue-item" data-entry={entry.id.clone()} onclick={env.on::<MouseEvent>(Msg::Lesson(message))}>
            <span class="catalogue-item-title">{ text(&entry.title) }</span>
            <span class="catalogue-item-text quiet">{ text(&entry.text) }</span>
            { end }
        </button></li>
    }
}
