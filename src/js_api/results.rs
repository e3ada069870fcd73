//! What the methods return, in JavaScript's spelling. `types.d.ts` describes the same for TypeScript; a test in
//! `tests/node` compares the two on real values.

use super::border::milliseconds;
use crate::apiserver::Change;
use crate::simulation::{Branch, CommandRun, Progress, Reason, Session, Step, transcript_line};
use serde::Serialize;
use serde_json::Value;

/// What a command printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult<'a> {
    stdout: &'a str,
    stderr: &'a str,
    /// Absent while the command still waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
}

impl<'a> From<&'a CommandRun> for CommandResult<'a> {
    fn from(run: &'a CommandRun) -> Self {
        let CommandRun { stdout, stderr, exit_code, .. } = run;
        Self { stdout, stderr, exit_code: *exit_code }
    }
}

/// How a run went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// `quiet`, `more`, `waveOver`, `reached` or `loop`.
    progress: &'static str,
    /// The position after it.
    position: usize,
    /// For `loop`: the steps of one round.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<usize>,
}

impl RunResult {
    /// How a run of a session went.
    pub fn of(progress: Progress, session: &Session) -> Self {
        let (progress, cycle) = match progress {
            Progress::Quiet => ("quiet", None),
            Progress::More => ("more", None),
            Progress::WaveOver => ("waveOver", None),
            Progress::Reached => ("reached", None),
            Progress::Loop(cycle) => ("loop", Some(cycle)),
        };
        let position = session.position();
        Self { progress, position, from: cycle.map(|c| c.from), to: cycle.map(|c| c.to) }
    }
}

/// A step as JavaScript sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    number: usize,
    at_ms: f64,
    waited_ms: f64,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<ObjectName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<usize>,
    /// The command line, for a person's step.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The step in one line, for logs and tests.
    line: String,
    changes: Vec<ChangeResult>,
}

/// Which object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ObjectName {
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
}

/// A changed object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeResult {
    #[serde(flatten)]
    object: ObjectName,
    /// `created`, `changed` or `removed`.
    change: &'static str,
}

impl From<&Step> for StepResult {
    fn from(step: &Step) -> Self {
        let command = match &step.reason {
            Reason::Command(run) => Some(run.line.clone()),
            _ => None,
        };
        let subject = step.subject.as_ref().map(|subject| ObjectName {
            kind: subject.kind.to_string(),
            namespace: subject.key.namespace.to_string(),
            name: subject.key.name.to_string(),
        });
        Self {
            number: step.number,
            at_ms: milliseconds(step.at_ms),
            waited_ms: milliseconds(step.waited_ms),
            actor: format!("{:?}", step.actor),
            subject,
            cause: step.cause,
            command,
            line: transcript_line(step),
            changes: step.changes.iter().filter_map(change_result).collect(),
        }
    }
}

fn change_result(change: &Change) -> Option<ChangeResult> {
    let object = change.object()?;
    let key = object.key();
    Some(ChangeResult {
        object: ObjectName {
            kind: object.kind_name().to_owned(),
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
        },
        change: match (&change.before, &change.after) {
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        },
    })
}

/// The cluster at one moment.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    position: usize,
    length: usize,
    at_ms: f64,
    quiet: bool,
    objects: Vec<Value>,
}

impl From<&Session> for Snapshot {
    fn from(session: &Session) -> Self {
        let world = session.world();
        Self {
            position: session.position(),
            length: session.len(),
            at_ms: milliseconds(world.now_ms()),
            quiet: session.is_quiet(),
            objects: world.store().all().iter().map(crate::objects::Object::to_value).collect(),
        }
    }
}

/// A line that was left by acting in the past.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchResult {
    /// Number of its steps.
    length: usize,
    /// How many of them it shares with the present line.
    fork: usize,
}

impl BranchResult {
    /// A branch of a session.
    pub fn of(branch: &Branch, session: &Session) -> Self {
        Self { length: branch.len(), fork: session.fork_of(branch) }
    }
}

/// How long a link is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkResult {
    /// The link.
    pub url: String,
    /// Its length in characters.
    pub length: usize,
    /// Whether it is too long to be of use: share the scenario as a file.
    pub too_long: bool,
}
