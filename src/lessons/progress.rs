//! How far a learner has come: plain data that is kept, and the rules by which it grows.

use super::check::Scene;
use super::lesson::{Lesson, Question, Task};
use super::report::{Report, ReportKind};
use crate::simulation::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Points of a task.
pub const TASK_POINTS: u32 = 10;
/// Points that each revealed hint costs; a task done is always worth something.
pub const HINT_COST: u32 = 2;
/// Points of a question that is answered right at the first try.
pub const QUESTION_POINTS: u32 = 5;
/// Time without any sign of the learner that counts as working, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 5 * 60 * 1000;

/// How far a learner has come in a lesson.
///
/// Invariants: tasks before `current` are done; a task that is done stays done, wherever in time the learner looks;
/// `current == tasks.len()` means that the lesson is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The lesson.
    pub lesson: String,
    /// The task that is to be done, from 0.
    pub current: usize,
    /// What became of each task that was begun.
    pub tasks: Vec<TaskProgress>,
    /// Real time that the learner has spent, in milliseconds.
    pub spent_ms: u64,
    /// Real time of the last sign of the learner.
    #[serde(default)]
    pub seen_ms: u64,
}

/// What became of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskProgress {
    /// Steps that had been made when it began.
    pub since: usize,
    /// Steps that had been made when it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<usize>,
    /// Hints that were revealed.
    pub hints: usize,
    /// The answer to each question, counted from 0.
    pub answers: BTreeMap<String, Answer>,
    /// The editor's files when it began.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// An answer that was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The first choice; it counts.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// The right one, once it is revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
}

/// A task as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskView {
    /// Whether each check holds.
    pub checks: Vec<bool>,
    /// Whether each question has the answer that the task wants.
    pub answered: Vec<bool>,
}

impl TaskView {
    /// Whether all is done.
    pub fn is_done(&self) -> bool {
        self.checks.iter().chain(&self.answered).all(|done| *done)
    }
}

impl Task {
    /// Most points.
    pub fn max_score(&self) -> u32 {
        let questions = u32::try_from(self.questions.len()).unwrap_or(0);
        TASK_POINTS.saturating_add(questions.saturating_mul(QUESTION_POINTS))
    }

    /// Points of what was reached.
    pub fn score(&self, progress: &TaskProgress) -> u32 {
        if progress.done.is_none() {
            return 0;
        }
        let hints = u32::try_from(progress.hints).unwrap_or(u32::MAX).saturating_mul(HINT_COST);
        let right = progress.answers.values().filter(|answer| answer.right == Some(answer.first)).count();
        let right = u32::try_from(right).unwrap_or(0).saturating_mul(QUESTION_POINTS);
        TASK_POINTS.saturating_sub(hints).max(HINT_COST).saturating_add(right)
    }

    /// Whether its questions are asked before the outcome is seen: then any answer will do to go on.
    pub fn predicts(&self) -> bool {
        !self.checks.is_empty()
    }
}

impl Question {
    /// The right choice at a moment, if the engine finds one.
    pub fn right(&self, scene: Scene<'_>) -> Option<usize> {
        self.choices.iter().position(|choice| choice.holds.holds(scene))
    }
}

impl Progress {
    /// At the beginning of a lesson whose session has come to rest.
    pub fn begin(lesson: &Lesson, session: &Session, files: &BTreeMap<String, String>, now_ms: u64) -> Self {
        let first = TaskProgress { since: session.position(), files: files.clone(), ..TaskProgress::default() };
        Self { lesson: lesson.id.clone(), current: 0, tasks: vec![first], spent_ms: 0, seen_ms: now_ms }
    }

    /// Whether all tasks are done.
    pub fn is_complete(&self, lesson: &Lesson) -> bool {
        self.current >= lesson.tasks.len()
    }

    /// How the task `index` stands at the present moment.
    pub fn view(&self, lesson: &Lesson, index: usize, session: &Session) -> TaskView {
        let (Some(task), Some(progress)) = (lesson.tasks.get(index), self.tasks.get(index)) else {
            return TaskView::default();
        };
        if progress.done.is_some() {
            return TaskView { checks: vec![true; task.checks.len()], answered: vec![true; task.questions.len()] };
        }
        let scene = Scene::now(session, progress.since);
        let answered = task.questions.iter().map(|question| match progress.answers.get(&question.id) {
            None => false,
            Some(answer) => task.predicts() || question.right(scene) == Some(answer.last),
        });
        TaskView {
            checks: task.checks.iter().map(|item| item.check.holds(scene)).collect(),
            answered: answered.collect(),
        }
    }

    /// Looks whether the present task is done, and goes on to the next. To be called after every change; `files` gives
    /// the editor's files. Returns what there is to tell others.
    pub fn look(
        &mut self,
        lesson: &Lesson,
        session: &Session,
        files: impl Fn() -> BTreeMap<String, String>,
        now_ms: u64,
    ) -> Vec<Report> {
        let pause = now_ms.saturating_sub(self.seen_ms).min(LONGEST_PAUSE_MS);
        self.seen_ms = now_ms;
        if self.is_complete(lesson) {
            return Vec::new();
        }
        self.spent_ms = self.spent_ms.saturating_add(pause);
        let mut reports = Vec::new();
        while let Some(task) = lesson.tasks.get(self.current) {
            if !self.view(lesson, self.current, session).is_done() {
                break;
            }
            let position = session.position();
            if let Some(progress) = self.tasks.get_mut(self.current) {
                let scene = Scene::now(session, progress.since);
                for question in &task.questions {
                    let right = question.right(scene);
                    if let Some(answer) = progress.answers.get_mut(&question.id) {
                        answer.right = right;
                    }
                }
                progress.done = Some(position);
            }
            self.current = self.current.saturating_add(1);
            if self.current < lesson.tasks.len() {
                self.tasks.truncate(self.current);
                let files = files();
                self.tasks.push(TaskProgress { since: position, files, ..TaskProgress::default() });
            }
            reports.push(Report::new(lesson, self, ReportKind::Progress));
        }
        if self.is_complete(lesson) {
            reports.push(Report::new(lesson, self, ReportKind::Complete));
        }
        reports
    }

    /// Answers a question of the present task. The last answer can be changed until the outcome is revealed, the first
    /// one counts where the outcome can be seen already.
    pub fn answer(&mut self, lesson: &Lesson, question: &str, choice: usize) {
        let Some(task) = lesson.tasks.get(self.current) else { return };
        let known = task.questions.iter().find(|known| known.id == question);
        let Some(progress) = self.tasks.get_mut(self.current) else { return };
        if known.is_none_or(|known| choice >= known.choices.len()) {
            return;
        }
        let answer =
            progress.answers.entry(question.to_owned()).or_insert(Answer { first: choice, ..Answer::default() });
        answer.last = choice;
        if task.predicts() {
            answer.first = choice;
        }
    }

    /// Reveals the next hint of the present task.
    pub fn reveal_hint(&mut self, lesson: &Lesson) {
        let hints = lesson.tasks.get(self.current).map_or(0, |task| task.hints.len());
        if let Some(progress) = self.tasks.get_mut(self.current) {
            progress.hints = progress.hints.saturating_add(1).min(hints);
        }
    }

    /// Goes back to the start of a task: its outcome and all after it are forgotten, its hints stay revealed. Returns
    /// the position and the files that were there then.
    pub fn reset_to(&mut self, index: usize) -> Option<(usize, BTreeMap<String, String>)> {
        let task = self.tasks.get_mut(index)?;
        task.done = None;
        task.answers.clear();
        let start = (task.since, task.files.clone());
        self.tasks.truncate(index.saturating_add(1));
        self.current = index;
        Some(start)
    }

    /// Points so far.
    pub fn score(&self, lesson: &Lesson) -> u32 {
        lesson.tasks.iter().zip(&self.tasks).map(|(task, progress)| task.score(progress)).sum()
    }

    /// Hints that were revealed.
    pub fn hints(&self) -> usize {
        self.tasks.iter().map(|task| task.hints).sum()
    }

    /// Whether this is a progress in that lesson that its tasks still allow.
    pub fn fits(&self, lesson: &Lesson) -> bool {
        self.lesson == lesson.id
            && self.current <= lesson.tasks.len()
            && self.tasks.len() == lesson.tasks.len().min(self.current.saturating_add(1))
    }
}
