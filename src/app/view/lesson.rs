//! A page of the open lesson, ready to be drawn.

use crate::app::lesson::Active;
use crate::app::phrase::{Phrase, fill};
use crate::app::text::Language;
use crate::lessons::{Block, Both, Inline, Question, Task, TaskProgress, TaskView, blocks, inlines};
use crate::simulation::Session;

/// A page of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonPage {
    /// Title of the lesson.
    pub lesson: String,
    /// Heading of the page.
    pub title: String,
    /// Number of the page, from 0.
    pub page: usize,
    /// The pages: title, and whether it is done.
    pub pages: Vec<(String, bool)>,
    /// The task of the page, from 0.
    pub task: Option<usize>,
    /// The text.
    pub text: Vec<Block>,
    /// For the presenter.
    pub notes: Vec<Block>,
    /// What is to be reached, and whether it is.
    pub checks: Vec<(Phrase, bool)>,
    /// What is asked.
    pub questions: Vec<QuestionView>,
    /// Hints that were revealed.
    pub hints: Vec<Vec<Inline>>,
    /// Whether there are more.
    pub more_hints: bool,
    /// Whether the task is done.
    pub done: bool,
    /// Whether the task can be begun anew: it was begun, and something has happened since.
    pub can_reset: bool,
    /// Points so far, and all.
    pub points: (u32, u32),
    /// Whether all tasks are done.
    pub complete: bool,
}

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionView {
    /// Its name.
    pub id: String,
    /// The question.
    pub ask: Vec<Inline>,
    /// The choices: text, and whether it is the learner's.
    pub choices: Vec<(Vec<Inline>, bool)>,
    /// Asked before the outcome is seen.
    pub predicts: bool,
    /// It cannot be answered now: the task is done, or has not been reached.
    pub closed: bool,
    /// The last answer was wrong, and another can be given.
    pub wrong: bool,
    /// The right choice and whether the learner's first answer was it, once revealed.
    pub revealed: Option<(usize, bool)>,
    /// Why.
    pub because: Vec<Inline>,
}

impl LessonPage {
    /// The page that is shown of a lesson.
    pub fn of(active: &Active, session: &Session, language: Language) -> Self {
        let words = language.lesson_words();
        let lesson = &active.lesson;
        let progress = &active.progress;
        let say = |both: &Both| typeset(language, both.in_language(language));
        let introduction = (words.introduction.to_owned(), true);
        let tasks = lesson.tasks.iter().enumerate().map(|(n, task)| (say(&task.speech.title), n < progress.current));
        let conclusion = (words.conclusion.to_owned(), progress.is_complete(lesson));
        let speech = match active.task() {
            Some(task) => lesson.tasks.get(task).map(|task| &task.speech),
            None if active.page == 0 => Some(&lesson.introduction),
            None => Some(&lesson.conclusion),
        };
        let read = |both: Option<&Both>| {
            let mut read = blocks(both.map_or("", |both| both.in_language(language)));
            read.iter_mut().for_each(|block| typeset_block(language, block));
            read
        };
        let mut page = Self {
            lesson: say(&lesson.title),
            title: match active.task() {
                Some(task) => lesson.tasks.get(task).map(|task| say(&task.speech.title)).unwrap_or_default(),
                None if active.page == 0 => say(&lesson.title),
                None => words.conclusion.to_owned(),
            },
            page: active.page,
            pages: std::iter::once(introduction).chain(tasks).chain([conclusion]).collect(),
            task: active.task(),
            text: read(speech.map(|speech| &speech.text)),
            notes: read(speech.map(|speech| &speech.notes)),
            points: (progress.score(lesson), lesson.max_score()),
            complete: progress.is_complete(lesson),
            ..Self::default()
        };
        let Some((index, task)) = active.task().and_then(|index| Some((index, lesson.tasks.get(index)?))) else {
            return page;
        };
        let nothing = TaskProgress::default();
        let begun = progress.tasks.get(index);
        let view = begun.map(|_| progress.view(lesson, index, session)).unwrap_or_default();
        page.fill_task(task, begun.unwrap_or(&nothing), begun.is_some(), &view, language);
        page.can_reset = begun.is_some_and(|begun| begun.done.is_some() || session.position() != begun.since);
        page
    }

    fn fill_task(&mut self, task: &Task, progress: &TaskProgress, begun: bool, view: &TaskView, language: Language) {
        let words = language.lesson_words();
        let rich = |both: &Both| typeset_inlines(language, inlines(both.in_language(language)));
        self.done = progress.done.is_some();
        self.checks = task
            .checks
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let text = match &item.say {
                    Some(say) => Phrase::plain(typeset(language, say.in_language(language))),
                    None => words.check(&item.check),
                };
                (text, view.checks.get(index).copied().unwrap_or(false))
            })
            .collect();
        self.questions = task
            .questions
            .iter()
            .map(|question| {
                let answer = progress.answers.get(&question.id);
                let chosen = answer.map(|answer| answer.last);
                let right = answer.and_then(|answer| answer.right);
                QuestionView {
                    id: question.id.clone(),
                    ask: rich(&question.ask),
                    choices: choices(question, chosen, &rich),
                    predicts: task.predicts(),
                    closed: self.done || !begun,
                    wrong: !self.done && !task.predicts() && chosen.is_some() && !is_answered(view, task, question),
                    revealed: right.filter(|_| self.done).map(|right| (right, answer.map(|a| a.first) == Some(right))),
                    because: if self.done { rich(&question.because) } else { Vec::new() },
                }
            })
            .collect();
        self.hints = task.hints.iter().take(progress.hints).map(rich).collect();
        self.more_hints = begun && !self.done && progress.hints < task.hints.len();
    }
}

fn is_answered(view: &TaskView, task: &Task, question: &Question) -> bool {
    let index = task.questions.iter().position(|other| other.id == question.id);
    index.and_then(|index| view.answered.get(index)).copied().unwrap_or(false)
}

fn choices(
    question: &Question,
    chosen: Option<usize>,
    rich: &impl Fn(&Both) -> Vec<Inline>,
) -> Vec<(Vec<Inline>, bool)> {
    let choice = |(index, choice): (usize, &crate::lessons::Choice)| (rich(&choice.say), chosen == Some(index));
    question.choices.iter().enumerate().map(choice).collect()
}

/// A text as its language sets it: French keeps its high signs on the line of their word, and both have their own
/// apostrophe.
pub fn typeset(language: Language, text: &str) -> String {
    let text = text.replace('\'', "’");
    if language == Language::En {
        return text;
    }
    let narrow = [(" ;", "\u{202f};"), (" !", "\u{202f}!"), (" ?", "\u{202f}?"), (" %", "\u{202f}%")];
    let wide = [(" :", "\u{a0}:"), ("« ", "«\u{a0}"), (" »", "\u{a0}»")];
    narrow.into_iter().chain(wide).fold(text, |text, (from, to)| text.replace(from, to))
}

fn typeset_inlines(language: Language, mut inlines: Vec<Inline>) -> Vec<Inline> {
    for inline in &mut inlines {
        match inline {
            Inline::Text(text) | Inline::Emphasis(text) | Inline::Strong(text) | Inline::Link { text, .. } => {
                *text = typeset(language, text);
            }
            Inline::Code(_) => {}
        }
    }
    inlines
}

fn typeset_block(language: Language, block: &mut Block) {
    let set = |inlines: &mut Vec<Inline>| *inlines = typeset_inlines(language, std::mem::take(inlines));
    match block {
        Block::Heading(inlines) | Block::Paragraph(inlines) | Block::Quote(_, inlines) => set(inlines),
        Block::List { items, .. } => items.iter_mut().for_each(set),
        Block::Table { rows } => rows.iter_mut().flatten().for_each(set),
        Block::Code { .. } => {}
    }
}

/// `n` of something, in words.
pub fn page_of(language: Language, page: usize, count: usize) -> String {
    let number = |n: usize| n.to_string();
    fill(language.lesson_words().page_of, &[("n", &number(page)), ("count", &number(count))])
}
