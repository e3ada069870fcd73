//! The manifests: files in tabs, the editor, what is wrong, and what Apply would change.

use crate::app::message::{FileId, Msg};
use crate::app::phrase::{Phrase, fill};
use crate::app::text::{Words, count};
use crate::app::view::{EditorMark, FileTab, Outcome, Problem, Review, ReviewedObject};
use crate::ui::diff::diff_lines;
use crate::ui::dom;
use crate::ui::editor::EditorView;
use crate::ui::env::{Env, use_env};
use crate::ui::icons::{Icon, icon};
use crate::ui::phrase::sentence;
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

/// Properties of [`Manifests`].
#[derive(Clone, PartialEq, Properties)]
pub struct ManifestsProps {
    /// The open files.
    pub files: Rc<Vec<FileTab>>,
    /// The shown file.
    pub shown: FileId,
    /// What is wrong with it.
    pub problems: Rc<Vec<Problem>>,
    /// What Apply would do with it; `None` while it cannot be applied.
    pub review: Option<Rc<Review>>,
    /// Whether the review is open.
    pub review_open: bool,
    /// What is marked.
    pub mark: Option<EditorMark>,
    /// Where to put the caret.
    pub go_to: Option<(u32, u32)>,
    /// Lines that a click has written: the file, their range, and a number that changes with each click.
    pub reveal: Option<(FileId, u32, u32, u32)>,
    /// Whether the page is dark.
    pub dark: bool,
    /// Whether Apply is the next thing to do; before anything was done, it is Step.
    pub apply_is_next: bool,
}

/// Tabs, editor, problems and the row with Apply.
#[component]
pub fn Manifests(props: &ManifestsProps) -> Html {
    let env = use_env();
    let words = env.words();
    let tabs = use_node_ref();
    let moved = {
        let tabs = tabs.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(tabs) = tabs.cast::<HtmlElement>()
                && dom::is_within(&event, "[role=tab]")
            {
                dom::arrow_focus(&event, &tabs, "[role=tab]");
            }
        })
    };
    html! {
        <section class="manifest" aria-label={words.manifests}>
            <div class="tabs files">
                <div role="tablist" class="tab-list" aria-label={words.files} ref={tabs} onkeydown={moved}>
                    { for props.files.iter().map(|file| html! {
                        <Tab key={file.id} id={file.id} name={file.name.clone()} edited={file.edited} chosen={file.id == props.shown} />
                    }) }
                </div>
                <button type="button" class="button plain tiny icon" aria-label={words.new_file} title={words.new_file} onclick={env.on(Msg::NewFile)}>{ icon(Icon::Add) }</button>
                if props.files.len() > 1 {
                    <button type="button" class="button plain tiny icon" aria-label={words.close_file} title={words.close_file} onclick={env.on(Msg::CloseFile(props.shown))}>{ icon(Icon::Close) }</button>
                }
            </div>
            <div class="editors">
                { for props.files.iter().map(|file| {
                    let shown = file.id == props.shown;
                    html! {
                        <div key={file.id} class="editor-slot" id={format!("file-{}", file.id)} role="tabpanel" hidden={!shown} aria-labelledby={format!("tab-{}", file.id)}>
                            <EditorView file={file.id} name={fill(words.editor_of, &[("file", &file.name)])} text={file.text.clone()} notes={file.notes.clone()}
                                mark={props.mark.filter(|_| shown)} go_to={props.go_to.filter(|_| shown)} reveal={props.reveal.filter(|(id, ..)| *id == file.id)} dark={props.dark} />
                        </div>
                    }
                }) }
            </div>
            if !props.problems.is_empty() { { problems(&env, &props.problems) } }
            if let Some(review) = props.review.as_ref().filter(|_| props.review_open) { { review_view(words, review) } }
            { apply_row(&env, props) }
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TabProps {
    id: FileId,
    name: Rc<str>,
    edited: bool,
    chosen: bool,
}

/// A file's tab; a double click or F2 gives it another name.
#[component]
fn Tab(props: &TabProps) -> Html {
    let env = use_env();
    let words = env.words();
    let renaming = use_state_eq(|| false);
    let input = use_node_ref();
    {
        let input = input.clone();
        use_effect_with(*renaming, move |renaming| {
            if *renaming && let Some(input) = input.cast::<HtmlInputElement>() {
                input.focus().ok();
                input.select();
            }
        });
    }
    let begin = {
        let renaming = renaming.clone();
        Callback::from(move |_: MouseEvent| renaming.set(true))
    };
    let keys = {
        let renaming = renaming.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "F2" {
                renaming.set(true)
            }
        })
    };
    let take = {
        let (renaming, send, id) = (renaming.clone(), env.send.clone(), props.id);
        move |input: HtmlInputElement| {
            if *renaming {
                renaming.set(false);
                send.emit(Msg::RenameFile(id, input.value()));
            }
        }
    };
    let on_blur = {
        let take = take.clone();
        Callback::from(move |event: FocusEvent| take(event.target_unchecked_into()))
    };
    let on_key = {
        let renaming = renaming.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => take(event.target_unchecked_into()),
            "Escape" => renaming.set(false),
            _ => event.stop_propagation(),
        })
    };
    if *renaming {
        return html! {
            <input ref={input} class="field tab-name mono" value={props.name.to_string()} aria-label={words.file_name} size="18" spellcheck="false" onblur={on_blur} onkeydown={on_key} />
        };
    }
    html! {
        <button type="button" class="tab" role="tab" id={format!("tab-{}", props.id)} aria-controls={format!("file-{}", props.id)} aria-selected={props.chosen.to_string()}
            tabindex={if props.chosen { "0" } else { "-1" }} title={words.rename_hint} onclick={env.on(Msg::OpenFile(props.id))} ondblclick={begin} onkeydown={keys}>
            { &*props.name }
            if props.edited { <span class="dot" /><span class="unseen">{ words.edited }</span> }
        </button>
    }
}

fn problems(env: &Env, problems: &[Problem]) -> Html {
    let words = env.words();
    const SHOWN: usize = 5;
    html! {
        <div class="problems" role="region" aria-label={words.problems} tabindex="0">
            <ul>
                { for problems.iter().take(SHOWN).map(|problem| html! {
                    <li class={if problem.error { "problem error" } else { "problem warning" }}>
                        { icon(if problem.error { Icon::Error } else { Icon::Warning }) }
                        <div>
                            <p><button type="button" class="link" onclick={env.on(Msg::GoTo(problem.at))}>{ fill(words.line, &[("n", &problem.line.to_string())]) }</button>{ " " }{ &problem.message }</p>
                            if let Some(remedy) = &problem.remedy { <p class="small quiet">{ remedy }</p> }
                        </div>
                        if let Some(fix) = problem.fix { <button type="button" class="button tiny" onclick={env.on(Msg::Fix(fix))}>{ words.fix }</button> }
                    </li>
                }) }
            </ul>
            if problems.len() > SHOWN { <p class="small quiet">{ fill(words.more_problems, &[("n", &(problems.len() - SHOWN).to_string())]) }</p> }
        </div>
    }
}

fn outcome(words: &Words, outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Created => ("good", words.will_create.to_string()),
        Outcome::Configured(Some(revision)) => ("", fill(words.makes_revision, &[("n", &revision.to_string())])),
        Outcome::Configured(None) => ("", words.no_new_revision.to_string()),
        Outcome::Unchanged => ("quiet", words.unchanged.to_string()),
    }
}

fn review_view(words: &Words, review: &Review) -> Html {
    html! {
        <div class="review" role="region" aria-label={words.review}>
            { for review.objects.iter().map(|ReviewedObject { name, outcome: what, lines }| {
                let (class, text) = outcome(words, what);
                html! {
                    <>
                        <p class="small"><b>{ name }</b>{ " " }<span class={classes!("badge", class)}>{ text }</span></p>
                        if !lines.is_empty() { { diff_lines(name, lines) } }
                    </>
                }
            }) }
        </div>
    }
}

/// What would happen, in a few words.
fn summary(env: &Env, props: &ManifestsProps) -> (bool, Phrase) {
    let words = env.words();
    let errors = props.problems.iter().filter(|problem| problem.error).count();
    if errors > 0 {
        return (true, Phrase::plain(count(env.language, errors, words.error_one, words.error_many)));
    }
    let edited = props.files.iter().any(|file| file.id == props.shown && file.edited);
    let Some(review) = &props.review else {
        return (false, Phrase::plain(if edited { words.edited_no_change } else { words.applied }));
    };
    let revision = review.objects.iter().find_map(|object| match &object.outcome {
        Outcome::Configured(Some(revision)) => Some(*revision),
        _ => None,
    });
    let created = review.objects.iter().filter(|object| object.outcome == Outcome::Created).count();
    let changed = review.objects.iter().any(|object| matches!(object.outcome, Outcome::Configured(_)));
    let text = match (revision, created, changed) {
        (Some(revision), ..) => {
            let template = if edited { words.edited_makes_revision } else { words.differs_makes_revision };
            fill(template, &[("n", &revision.to_string())])
        }
        (None, 0, true) if edited => words.edited_no_revision.to_string(),
        (None, 0, true) => words.differs_no_revision.to_string(),
        (None, 0, false) => words.applied.to_string(),
        (None, created, _) => count(env.language, created, words.creates_one, words.creates_many),
    };
    (false, Phrase::plain(text))
}

fn apply_row(env: &Env, props: &ManifestsProps) -> Html {
    let words = env.words();
    let (bad, text) = summary(env, props);
    let edited = props.files.iter().any(|file| file.id == props.shown && file.edited);
    let nothing = props.review.is_none();
    html! {
        <div class="apply-row">
            <p class={classes!("small", "cut", if bad { "bad" } else { "quiet" })} role="status">
                if edited && !bad { <span class="dot" /> }
                // Another text is another element: a shorter one does not move, it takes the place.
                <span key={text.to_string()} class="cut">{ sentence(&text) }</span>
            </p>
            <button type="button" class="button" aria-expanded={props.review_open.to_string()} aria-disabled={nothing.to_string()} onclick={env.on(Msg::ToggleReview)}>{ words.diff }</button>
            <button type="button" class={classes!("button", "apply", (edited && props.apply_is_next).then_some("primary"))} onclick={env.on(Msg::Apply)}>{ words.apply }<kbd class="wide-only">{ "Ctrl ⏎" }</kbd></button>
        </div>
    }
}
