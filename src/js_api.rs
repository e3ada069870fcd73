//! The JavaScript surface: one class, plain objects in and out.
//!
//! Objects cross the border as JSON does (no `Map`, no `BigInt`, absent members are `undefined`, never `null`). A method
//! that cannot do what it is asked throws an `Error` with one sentence.

use crate::apiserver::Change;
use crate::objects::{Kind, Object, ObjectKey};
use crate::simulation::{CommandRun, Progress, Scenario, Session, Step};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// A cluster to play with.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Playground {
    session: Session,
}

/// What a command printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandResult<'a> {
    stdout: &'a str,
    stderr: &'a str,
    /// Absent while the command still waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
}

/// How a run went.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunResult {
    /// `quiet`, `more`, `waveOver`, `reached` or `loop`.
    progress: &'static str,
    /// For `loop`: the steps of one round.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<usize>,
}

/// A step as JavaScript sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepResult {
    number: usize,
    at_ms: f64,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<usize>,
    /// The command line, for a person's step.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    changes: Vec<ChangeResult>,
}

/// A changed object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeResult {
    kind: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: String,
    name: String,
    /// `created`, `changed` or `removed`.
    change: &'static str,
}

/// The cluster at one moment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    position: usize,
    length: usize,
    at_ms: f64,
    quiet: bool,
    objects: Vec<Value>,
}

#[wasm_bindgen]
impl Playground {
    /// Opens a scenario file (YAML or JSON) and replays its log.
    #[wasm_bindgen(js_name = fromScenario)]
    pub fn from_scenario(text: &str) -> Result<Playground, JsError> {
        let scenario = Scenario::parse(text).map_err(|error| JsError::new(&error.to_string()))?;
        Ok(Self { session: Session::new(scenario) })
    }

    /// The scenario that leads to the end of the present line, as YAML.
    pub fn scenario(&self) -> String {
        self.session.scenario().to_yaml()
    }

    /// Runs a kubectl or `sim` command line. `files` gives the texts that `-f NAME` reads, by name.
    pub fn kubectl(&mut self, line: &str, files: JsValue) -> Result<JsValue, JsError> {
        let files: BTreeMap<String, String> = if files.is_undefined() || files.is_null() {
            BTreeMap::new()
        } else {
            serde_wasm_bindgen::from_value(files)
                .map_err(|_| JsError::new("files is an object of texts by file name"))?
        };
        let run = self.session.run(line, &files);
        let CommandRun { stdout, stderr, exit_code, .. } = &*run;
        give(&CommandResult { stdout, stderr, exit_code: *exit_code })
    }

    /// Makes the next step; false when nothing is due.
    pub fn step(&mut self) -> bool {
        self.session.step()
    }

    /// Goes one step back; false at the start.
    pub fn back(&mut self) -> bool {
        self.session.back()
    }

    /// Goes to the state after the first `position` steps; past the end means the end. Returns where it is now.
    pub fn seek(&mut self, position: usize) -> usize {
        self.session.seek(position)
    }

    /// Steps until nothing is due, at most `budget` steps (10,000 when not given).
    #[wasm_bindgen(js_name = runToQuiet)]
    pub fn run_to_quiet(&mut self, budget: Option<usize>) -> Result<JsValue, JsError> {
        let progress = self.session.run_to_quiet(budget.unwrap_or(10_000));
        give(&run_result(progress))
    }

    /// The steps of the present line.
    pub fn steps(&self) -> Result<JsValue, JsError> {
        give(&self.session.steps().map(|step| step_result(step)).collect::<Vec<_>>())
    }

    /// The cluster at the present position: all objects as `kubectl get -o json` shows them.
    pub fn snapshot(&self) -> Result<JsValue, JsError> {
        let world = self.session.world();
        give(&Snapshot {
            position: self.session.position(),
            length: self.session.len(),
            at_ms: milliseconds(world.now_ms()),
            quiet: self.session.is_quiet(),
            objects: world.store().all().iter().map(Object::to_value).collect(),
        })
    }

    /// Why the DaemonSet has, or has not, a pod on the node, check by check, and the smallest changes that would turn it:
    /// `explain({daemonset: "agent", namespace: "default", node: "worker1"})`.
    pub fn explain(&self, question: JsValue) -> Result<JsValue, JsError> {
        #[derive(serde::Deserialize)]
        struct Question {
            daemonset: String,
            #[serde(default)]
            namespace: Option<String>,
            node: String,
        }
        let Question { daemonset, namespace, node } = serde_wasm_bindgen::from_value(question)
            .map_err(|_| JsError::new("explain takes an object with daemonset and node"))?;
        let store = self.session.world().store();
        let key = ObjectKey::new(namespace.as_deref().unwrap_or("default"), daemonset.as_str());
        let Some(set) = store.daemon_set(&key) else {
            return Err(JsError::new(&format!("there is no {} {key}", Kind::DaemonSet)));
        };
        let Some(node) = store.node_named(&node) else {
            return Err(JsError::new(&format!("there is no {} {node}", Kind::Node)));
        };
        give(&crate::insight::explain::explain(set, node))
    }
}

fn run_result(progress: Progress) -> RunResult {
    let (progress, cycle) = match progress {
        Progress::Quiet => ("quiet", None),
        Progress::More => ("more", None),
        Progress::WaveOver => ("waveOver", None),
        Progress::Reached => ("reached", None),
        Progress::Loop(cycle) => ("loop", Some(cycle)),
    };
    RunResult { progress, from: cycle.map(|c| c.from), to: cycle.map(|c| c.to) }
}

fn step_result(step: &Step) -> StepResult {
    let command = match &step.reason {
        crate::simulation::Reason::Command(run) => Some(run.line.clone()),
        _ => None,
    };
    StepResult {
        number: step.number,
        at_ms: milliseconds(step.at_ms),
        actor: format!("{:?}", step.actor),
        cause: step.cause,
        command,
        changes: step.changes.iter().filter_map(change_result).collect(),
    }
}

fn change_result(change: &Change) -> Option<ChangeResult> {
    let object = change.object()?;
    let key = object.key();
    Some(ChangeResult {
        kind: object.kind_name().to_owned(),
        namespace: key.namespace.to_string(),
        name: key.name.to_string(),
        change: match (&change.before, &change.after) {
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        },
    })
}

/// JavaScript's numbers are exact up to 2⁵³, which is 285,000 years of milliseconds.
#[allow(clippy::cast_precision_loss, reason = "virtual time never comes near 2⁵³ ms")]
fn milliseconds(ms: u64) -> f64 {
    ms as f64
}

fn give<T: Serialize>(value: &T) -> Result<JsValue, JsError> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| JsError::new(&error.to_string()))
}
