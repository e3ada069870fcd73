//! Plays a lesson's own solution: what an author asks before publishing, and what the tests ask of every lesson.

use super::check::Scene;
use super::lesson::{Lesson, ScriptLine, Task};
use super::progress::Progress;
use crate::simulation::Session;
use std::collections::BTreeMap;

/// Most steps of one run to quiet.
const BUDGET: usize = 20_000;
/// The same where a line was left out: what remains may try again without end.
const BUDGET_WITHOUT: usize = 2_000;

/// What is wrong with a lesson that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Some checks of a task hold before anything is done in it.
    DoneBefore {
        /// The task.
        task: String,
    },
    /// The solution does not solve the task; these checks do not hold, counted from 1.
    NotSolved {
        /// The task.
        task: String,
        /// The checks.
        checks: Vec<usize>,
    },
    /// The task is solved without that line of the solution, counted from 1.
    LineNotNeeded {
        /// The task.
        task: String,
        /// The line of the solution.
        line: usize,
    },
    /// A command of the setup failed.
    SetupFails {
        /// The command.
        line: String,
        /// What it printed.
        error: String,
    },
    /// Not exactly one choice of a question is right in the end.
    NotOneAnswer {
        /// The question.
        question: String,
        /// How many are right.
        right: usize,
    },
    /// The solution gives a wrong answer.
    WrongAnswer {
        /// The question.
        question: String,
    },
}

/// A learner who follows a script.
#[derive(Clone)]
struct Player {
    session: Session,
    files: BTreeMap<String, String>,
    progress: Progress,
    budget: usize,
}

impl Player {
    fn new(lesson: &Lesson) -> Self {
        let mut session = Session::new(lesson.scenario.clone());
        session.run_to_quiet(BUDGET);
        let files = lesson.scenario.files.clone();
        let progress = Progress::begin(lesson, &session, &files, 0);
        Self { session, files, progress, budget: BUDGET }
    }

    /// Does a line and looks after it, as the page does.
    fn act(&mut self, lesson: &Lesson, line: &ScriptLine) {
        match line {
            ScriptLine::Run(command) => {
                self.session.run(command, &self.files);
            }
            ScriptLine::Quiet => {
                self.session.run_to_quiet(self.budget);
            }
            ScriptLine::For(ms) => {
                let until = self.session.world().now_ms().saturating_add(*ms);
                self.session.run_until(until, self.budget);
            }
            ScriptLine::Steps(count) => {
                for _ in 0..*count {
                    self.session.step();
                }
            }
            ScriptLine::Answer { question, choice } => {
                self.progress.answer(lesson, question, choice.saturating_sub(1));
            }
            ScriptLine::Write { file, text } => {
                self.files.insert(file.clone(), text.clone());
            }
        }
        let files = &self.files;
        self.progress.look(lesson, &self.session, || files.clone(), 0);
    }
}

/// Plays the whole solution. Returns the session and the progress at its end.
pub fn play(lesson: &Lesson) -> (Session, Progress) {
    let mut player = Player::new(lesson);
    for line in lesson.tasks.iter().flat_map(|task| &task.solution) {
        player.act(lesson, line);
    }
    (player.session, player.progress)
}

/// Everything that is wrong with a lesson: tasks that are done before they begin, that their solution does not solve,
/// or that need less than their solution; questions without one right answer.
pub fn prove(lesson: &Lesson) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let mut player = Player::new(lesson);
    for step in player.session.steps() {
        if let crate::simulation::Reason::Command(run) = &step.reason
            && run.exit_code.is_some_and(|code| code != 0)
        {
            flaws.push(Flaw::SetupFails { line: run.line.clone(), error: run.stderr.clone() });
        }
    }
    for (index, task) in lesson.tasks.iter().enumerate() {
        let view = player.progress.view(lesson, index, &player.session);
        if player.progress.current != index || view.is_done() {
            flaws.push(Flaw::DoneBefore { task: task.id.clone() });
            return flaws;
        }
        let before = player.clone();
        for line in &task.solution {
            player.act(lesson, line);
        }
        if player.progress.current <= index {
            let view = player.progress.view(lesson, index, &player.session);
            let failing = (1..).zip(view.checks.iter().chain(&view.answered)).filter(|(_, holds)| !**holds);
            flaws.push(Flaw::NotSolved { task: task.id.clone(), checks: failing.map(|(n, _)| n).collect() });
            return flaws;
        }
        questions(task, &player, index, &mut flaws);
        for skipped in 0..task.solution.len() {
            let mut other = before.clone();
            other.budget = BUDGET_WITHOUT;
            for (_, line) in task.solution.iter().enumerate().filter(|(number, _)| *number != skipped) {
                other.act(lesson, line);
            }
            if other.progress.current > index {
                flaws.push(Flaw::LineNotNeeded { task: task.id.clone(), line: skipped.saturating_add(1) });
            }
        }
    }
    flaws
}

/// Looks whether each question of a task that is done has one right answer, and whether it was given.
fn questions(task: &Task, player: &Player, index: usize, flaws: &mut Vec<Flaw>) {
    let Some(progress) = player.progress.tasks.get(index) else { return };
    let Some(position) = progress.done else { return };
    let scene = Scene { session: &player.session, position, since: progress.since };
    for question in &task.questions {
        let right = question.choices.iter().filter(|choice| choice.holds.holds(scene)).count();
        if right != 1 {
            flaws.push(Flaw::NotOneAnswer { question: question.id.clone(), right });
        }
        let answer = progress.answers.get(&question.id);
        if answer.is_none_or(|answer| answer.right != Some(answer.first)) {
            flaws.push(Flaw::WrongAnswer { question: question.id.clone() });
        }
    }
}
