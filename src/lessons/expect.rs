//! Scenarios that say what must come of them.

use super::check::{Item, Scene};
use super::check_read::read_items;
use super::fault::LessonError;
use super::fields::{Faults, Yaml};
use crate::simulation::{Progress as Run, Scenario, Session};

/// Most steps that are played.
const BUDGET: usize = 50_000;

/// How the run of a scenario ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is due any more.
    Quiet,
    /// It goes round in circles.
    Loop,
    /// The budget was used up.
    Endless,
}

/// What a scenario says must come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// How it ends.
    pub ending: Ending,
    /// What holds then.
    pub checks: Vec<Item>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Whether it ended as expected.
    pub ended_as_expected: bool,
    /// The checks that do not hold.
    pub failed: Vec<Item>,
    /// Steps that were made.
    pub steps: usize,
}

impl Outcome {
    /// Whether everything is as expected.
    pub fn is_as_expected(&self) -> bool {
        self.ended_as_expected && self.failed.is_empty()
    }
}

impl Expectation {
    /// Reads the `expect` of a scenario: a list of checks as lessons have them.
    ///
    /// # Errors
    /// What is wrong with the checks, by their line in `expect` written as JSON.
    pub fn of(scenario: &Scenario) -> Result<Self, Vec<LessonError>> {
        let text = serde_json::to_string_pretty(&scenario.expect).unwrap_or_default();
        let mut faults = Faults::default();
        let yaml = Yaml::read(&text, 1, &mut faults);
        let checks = read_items(&yaml.root(), &mut faults);
        let ending = if scenario.loops { Ending::Loop } else { Ending::Quiet };
        if faults.0.is_empty() { Ok(Self { ending, checks }) } else { Err(faults.0) }
    }
}

/// Plays a scenario to its end and looks whether what it expects has come.
///
/// # Errors
/// What is wrong with the expectation itself.
pub fn verify(scenario: &Scenario) -> Result<(Session, Outcome), Vec<LessonError>> {
    let expected = Expectation::of(scenario)?;
    let mut session = Session::new(scenario.clone());
    let ending = match session.run_to_quiet(BUDGET) {
        Run::Quiet | Run::Reached | Run::WaveOver => Ending::Quiet,
        Run::Loop(_) => Ending::Loop,
        Run::More => Ending::Endless,
    };
    let scene = Scene::now(&session, 0);
    let failed = expected.checks.iter().filter(|item| !item.check.holds(scene)).cloned().collect();
    let outcome = Outcome { ending, ended_as_expected: ending == expected.ending, failed, steps: session.len() };
    Ok((session, outcome))
}
