//! The panel of the open lesson: text, what is to be reached, questions, hints; or the way to a lesson.

use crate::app::lesson::{LessonMsg, is_lesson_file};
use crate::app::message::Msg;
use crate::app::model::Model;
use crate::app::phrase::fill;
use crate::app::text::LessonWords;
use crate::app::view::{LessonPage, QuestionView, page_of};
use crate::lessons::HINT_COST;
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use crate::ui::lesson_text::{inline, text};
use crate::ui::phrase::sentence;
use web_sys::KeyboardEvent;
use yew::prelude::*;

/// Sends a message about lessons.
pub fn on<E>(env: &Env, message: LessonMsg) -> Callback<E> {
    env.on(Msg::Lesson(message))
}

/// What stands in the tab of lessons.
pub fn lesson_panel(model: &Model, env: &Env) -> Html {
    let words = env.language.lesson_words();
    let draft = draft(model, env, words);
    let Some(active) = &model.lessons.active else {
        return html! {
            <div class="panel lesson">
                if let Some(draft) = draft { { draft } } else {
                    <h2>{ words.no_lesson }</h2>
                    <p class="quiet">{ words.no_lesson_more }</p>
                    <p><button type="button" class="button primary" onclick={on(env, LessonMsg::OpenCatalogue)}>{ icon(Icon::Lesson) }{ words.open_catalogue }</button></p>
                }
            </div>
        };
    };
    let page = LessonPage::of(active, &model.session, env.language);
    let presenting = model.lessons.presenting;
    let notes = model.lessons.notes && !page.notes.is_empty();
    html! {
        <div class="panel lesson" onkeydown={keys(env, &page, presenting)}>
            if let Some(draft) = draft { { draft } }
            { head(env, words, &page, presenting) }
            <h2 id="lesson-title" tabindex="-1">{ &page.title }
                if page.done { <span class="badge good">{ icon(Icon::Tick) }{ words.done }</span> }</h2>
            <div class="prose">{ text(env, words, &page.text) }</div>
            { for page.questions.iter().filter(|question| question.predicts).map(|question| question_view(env, words, question)) }
            { checks(words, &page) }
            { for page.questions.iter().filter(|question| !question.predicts).map(|question| question_view(env, words, question)) }
            { hints(env, words, &page) }
            { outcome(words, &page) }
            if notes { <aside class="notes prose" aria-label={words.notes}><h3>{ words.notes }</h3>{ text(env, words, &page.notes) }</aside> }
            { foot(model, env, words, &page) }
        </div>
    }
}

/// The lesson's name, where one is in it, and what can be done with it.
fn head(env: &Env, words: &LessonWords, page: &LessonPage, presenting: bool) -> Html {
    let last = page.pages.len().saturating_sub(1);
    html! {
        <header class="lesson-head">
            <div class="lesson-name">
                <span class="cut">{ &page.lesson }</span>
                <span class="small quiet number">{ fill(words.points, &[("score", &page.points.0.to_string()), ("max", &page.points.1.to_string())]) }</span>
                <button type="button" class="button plain tiny icon" aria-pressed={presenting.to_string()} aria-label={if presenting { words.present_end } else { words.present }}
                    title={if presenting { words.present_end } else { words.present }} onclick={on(env, LessonMsg::Present(!presenting))}>{ icon(Icon::Present) }</button>
                <button type="button" class="button plain tiny icon" aria-label={words.close_lesson} title={words.close_lesson} onclick={on(env, LessonMsg::Leave)}>{ icon(Icon::Close) }</button>
            </div>
            <ol class="rail" aria-label={page_of(env.language, page.page, last)}>
                { for page.pages.iter().enumerate().map(|(number, (title, done))| {
                    let state = if *done { words.state_done } else { words.state_not_yet };
                    let name = format!("{title} ({state})");
                    html! { <li><button type="button" class={classes!("rail-step", done.then_some("done"))} aria-current={(number == page.page).then_some("step")}
                        aria-label={name.clone()} title={name} onclick={on(env, LessonMsg::Page(number))} /></li> }
                }) }
            </ol>
        </header>
    }
}

fn checks(words: &LessonWords, page: &LessonPage) -> Html {
    if page.checks.is_empty() {
        return Html::default();
    }
    html! {
        <section class="goals">
            <h3>{ words.checks }</h3>
            <ul>
                { for page.checks.iter().map(|(text, done)| html! {
                    <li class={classes!(done.then_some("done"))}>
                        <span class="box" aria-hidden="true">if *done { { icon(Icon::Tick) } }</span>
                        <span>{ sentence(text) }<span class="unseen">{ format!(": {}", if *done { words.state_done } else { words.state_not_yet }) }</span></span>
                    </li>
                }) }
            </ul>
        </section>
    }
}

fn question_view(env: &Env, words: &LessonWords, question: &QuestionView) -> Html {
    let name = format!("question-{}", question.id);
    let answered = question.choices.iter().any(|(_, chosen)| *chosen);
    html! {
        <fieldset class="quiz" disabled={question.closed && question.revealed.is_none()}>
            <legend><span class="small quiet">{ if question.predicts { words.predict } else { words.question } }</span><span>{ inline(&question.ask) }</span></legend>
            { for question.choices.iter().enumerate().map(|(index, (text, chosen))| {
                let right = question.revealed.map(|(right, _)| right == index);
                let class = match right {
                    Some(true) => "right",
                    Some(false) if *chosen => "wrong",
                    _ if *chosen && question.wrong => "wrong",
                    _ => "",
                };
                let answer = on(env, LessonMsg::Answer(question.id.clone(), index));
                html! {
                    <label class={classes!("quiz-choice", class)}>
                        <input type="radio" name={name.clone()} checked={*chosen} disabled={question.closed} onchange={answer} />
                        <span>{ inline(text) }</span>
                        if right == Some(true) { { icon(Icon::Tick) } }
                    </label>
                }
            }) }
            <p class="small quiet" role="status">
                if question.wrong { { words.not_right } }
                else if question.predicts && !question.closed { { if answered { words.predicted } else { words.answer_first } } }
            </p>
            if let Some((right, guessed)) = question.revealed {
                <p class={classes!("callout", if guessed { "good" } else { "warning" })}>
                    <span><b>{ if guessed { words.revealed_right.to_owned() } else { answer_was(words, question, right) } }</b>{ " " }{ inline(&question.because) }</span>
                </p>
            }
        </fieldset>
    }
}

fn answer_was(words: &LessonWords, question: &QuestionView, right: usize) -> String {
    let answer: String =
        question.choices.get(right).into_iter().flat_map(|(text, _)| text).map(|part| part.text()).collect();
    fill(words.revealed_wrong, &[("answer", answer.trim_end_matches('.'))]) + "."
}

fn hints(env: &Env, words: &LessonWords, page: &LessonPage) -> Html {
    if page.hints.is_empty() && !page.more_hints {
        return Html::default();
    }
    html! {
        <section class="hints">
            <h3>{ words.hints }</h3>
            <ol>{ for page.hints.iter().map(|hint| html! { <li>{ inline(hint) }</li> }) }</ol>
            if page.more_hints {
                <button type="button" class="button tiny" onclick={on(env, LessonMsg::Hint)}>{ fill(words.hint_next, &[("cost", &HINT_COST.to_string())]) }</button>
            }
        </section>
    }
}

fn outcome(words: &LessonWords, page: &LessonPage) -> Html {
    let at_end = page.page.saturating_add(1) == page.pages.len();
    if !(at_end && page.complete) {
        return Html::default();
    }
    let facts = [("score", page.points.0.to_string()), ("max", page.points.1.to_string())];
    html! { <p class="callout good">{ icon(Icon::Tick) }<span>{ fill(words.completed, &facts.each_ref().map(|(name, text)| (*name, text.as_str()))) }</span></p> }
}

/// Back, next, and what else there is.
fn foot(model: &Model, env: &Env, words: &LessonWords, page: &LessonPage) -> Html {
    let last = page.pages.len().saturating_sub(1);
    let (before, after) = neighbours(model);
    let goes_on = page.page == 0 || page.done;
    let go = |to: usize, text: &'static str, primary: bool| {
        html! {
            <button type="button" class={classes!("button", primary.then_some("primary"))} onclick={on(env, LessonMsg::Page(to))}>{ text }</button>
        }
    };
    let other = |id: &String, text: &'static str, primary: bool| {
        html! {
            <button type="button" class={classes!("button", primary.then_some("primary"))} onclick={on(env, LessonMsg::Open(id.clone()))}>{ text }</button>
        }
    };
    html! {
        <footer class="lesson-foot">
            <div class="foot-row">
                if page.page > 0 { { go(page.page.saturating_sub(1), words.previous, false) } }
                if page.page < last { { go(page.page.saturating_add(1), if page.page == 0 { words.start } else { words.next }, goes_on) } }
                if page.page == last { if let Some(after) = &after { { other(after, words.next_lesson, true) } } }
            </div>
            <div class="foot-row quiet-row">
                if let Some(task) = page.task.filter(|_| page.can_reset) {
                    <button type="button" class="button plain tiny" onclick={on(env, LessonMsg::Reset(task))}>{ icon(Icon::Undo) }{ words.reset }</button>
                }
                if !page.notes.is_empty() {
                    <button type="button" class="button plain tiny" aria-pressed={model.lessons.notes.to_string()} onclick={on(env, LessonMsg::Notes)}>{ words.show_notes }</button>
                }
                if page.page == 0 || page.page == last {
                    if let Some(before) = &before { <button type="button" class="button plain tiny" onclick={on(env, LessonMsg::Open(before.clone()))}>{ words.previous_lesson }</button> }
                    <button type="button" class="button plain tiny" onclick={on(env, LessonMsg::OpenCatalogue)}>{ words.all_lessons }</button>
                }
            </div>
        </footer>
    }
}

/// The lessons before and after the open one, once the list is loaded.
fn neighbours(model: &Model) -> (Option<String>, Option<String>) {
    let Some(active) = &model.lessons.active else { return (None, None) };
    let list = &model.lessons.lessons;
    let Some(at) = list.iter().position(|entry| entry.id == active.lesson.id) else { return (None, None) };
    let id = |index: Option<usize>| index.and_then(|index| list.get(index)).map(|entry| entry.id.clone());
    (id(at.checked_sub(1)), id(at.checked_add(1)))
}

/// In presenter mode the keys of a clicker turn the pages.
fn keys(env: &Env, page: &LessonPage, presenting: bool) -> Callback<KeyboardEvent> {
    let (send, now) = (env.send.clone(), page.page);
    Callback::from(move |event: KeyboardEvent| {
        if !presenting {
            return;
        }
        let message = match event.key().as_str() {
            "PageDown" => LessonMsg::Page(now.saturating_add(1)),
            "PageUp" => LessonMsg::Page(now.saturating_sub(1)),
            "n" => LessonMsg::Notes,
            "Escape" => LessonMsg::Present(false),
            _ => return,
        };
        event.prevent_default();
        send.emit(Msg::Lesson(message));
    })
}

/// What a teacher sees whose file is shown in the editor.
fn draft(model: &Model, env: &Env, words: &LessonWords) -> Option<Html> {
    let file = model.files.shown().filter(|file| is_lesson_file(&file.name))?;
    let draft = model.lessons.draft.clone().unwrap_or_default();
    let page_words = env.language.words();
    let share = {
        let send = env.send.clone();
        Callback::from(move |_: MouseEvent| {
            let address = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
            send.emit(Msg::Lesson(LessonMsg::Share(address.into())));
        })
    };
    let line_start = |line: usize| -> u32 {
        let before = file.text.lines().take(line.saturating_sub(1));
        before.map(|line| u32::try_from(line.encode_utf16().count()).unwrap_or(0).saturating_add(1)).sum()
    };
    Some(html! {
        <section class="draft">
            <h2>{ words.draft }</h2>
            <p class="quiet">{ fill(words.draft_help, &[("file", &file.name)]) }</p>
            <div class="foot-row">
                <button type="button" class="button primary" onclick={on(env, LessonMsg::Preview)}>{ words.preview }</button>
                <button type="button" class="button" onclick={on(env, LessonMsg::Prove)}>{ words.check_lesson }</button>
                <button type="button" class="button" onclick={share}>{ icon(Icon::Copy) }{ words.share }</button>
                <button type="button" class="button" onclick={on(env, LessonMsg::SaveFile)}>{ icon(Icon::Download) }{ words.share_file }</button>
            </div>
            if !draft.errors.is_empty() {
                <h3>{ words.faults_title }</h3>
                <ul class="faults">
                    { for draft.errors.iter().map(|error| html! {
                        <li><button type="button" class="link" onclick={env.on(Msg::GoTo(line_start(error.line)))}>{ fill(page_words.line, &[("n", &error.line.to_string())]) }</button>
                            { ": " }{ words.lesson_error(page_words, error) }</li>
                    }) }
                </ul>
            }
            if let Some(flaws) = &draft.flaws {
                if flaws.is_empty() { <p class="callout good">{ icon(Icon::Tick) }<span>{ words.no_flaws }</span></p> }
                else {
                    <h3>{ words.faults_title }</h3>
                    <ul class="faults">{ for flaws.iter().map(|flaw| html! { <li>{ words.flaw(flaw) }</li> }) }</ul>
                }
            }
        </section>
    })
}
