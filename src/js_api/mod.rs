//! The JavaScript surface: one class, plain objects in and out (see [`border`] for how they cross).
//!
//! A method that cannot do what it is asked throws an `Error` with one sentence. `types.d.ts` has the types.

pub mod border;
mod expectations;
mod insight;
mod results;

use crate::objects::Kind;
use crate::permalink::{MAX_LINK, SharedState};
use crate::simulation::{Scenario, Session};
use border::{give, give_without_nulls, steps, take, whole};
use results::{BranchResult, CommandResult, LinkResult, RunResult, Snapshot, StepResult};
use serde_json::Value;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &'static str = include_str!("types.d.ts");

/// Steps of a run that gives no budget.
const BUDGET: usize = 10_000;

/// Verbs that may stand without `kubectl` before them.
const VERBS: [&str; 34] = [
    "annotate",
    "api-resources",
    "api-versions",
    "apply",
    "auth",
    "autoscale",
    "cluster-info",
    "config",
    "cordon",
    "create",
    "delete",
    "describe",
    "diff",
    "drain",
    "edit",
    "events",
    "explain",
    "expose",
    "get",
    "label",
    "logs",
    "options",
    "patch",
    "replace",
    "rollout",
    "run",
    "scale",
    "set",
    "taint",
    "top",
    "uncordon",
    "version",
    "wait",
    "exec",
];

/// A cluster to play with.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Playground {
    session: Session,
    /// Files that commands read where the call gives none of that name.
    files: BTreeMap<String, String>,
}

impl Playground {
    /// A session for JavaScript.
    pub fn new(session: Session) -> Self {
        Self { session, files: BTreeMap::new() }
    }

    /// The same with files that its commands can read.
    pub fn with_files(session: Session, files: BTreeMap<String, String>) -> Self {
        Self { session, files }
    }

    /// The session, back from JavaScript.
    pub fn into_session(self) -> Session {
        self.session
    }

    fn run(&mut self, line: &str, files: &JsValue) -> Result<JsValue, JsError> {
        let files: Option<BTreeMap<String, String>> = take(files, "files is an object of texts by file name")?;
        let mut known = self.files.clone();
        known.extend(files.unwrap_or_default());
        let run = self.session.run(line, &known);
        give(&CommandResult::from(&*run))
    }
}

#[wasm_bindgen]
impl Playground {
    /// Opens a scenario file (YAML or JSON) and replays its log.
    #[wasm_bindgen(js_name = fromScenario)]
    pub fn from_scenario(text: &str) -> Result<Playground, JsError> {
        let scenario = Scenario::parse(text).map_err(|error| JsError::new(&error.to_string()))?;
        Ok(Self::new(Session::new(scenario)))
    }

    /// Opens what a link holds (a whole address, or its hash).
    #[wasm_bindgen(js_name = fromPermalink)]
    pub fn from_permalink(link: &str) -> Result<Playground, JsError> {
        let state = SharedState::parse(link).map_err(|error| JsError::new(&error.to_string()))?;
        Ok(Self::new(state.session()))
    }

    /// Plays a scenario file to its end and compares with its `expect`.
    #[wasm_bindgen(unchecked_return_type = "VerifyResult")]
    pub fn verify(text: &str) -> Result<JsValue, JsError> {
        give(&expectations::verify(text).map_err(|error| JsError::new(&error))?)
    }

    /// The scenario that leads to the end of the present line, as YAML.
    pub fn scenario(&self) -> String {
        self.session.scenario().to_yaml()
    }

    /// A link that opens this very state: `base` and the state in its hash.
    #[wasm_bindgen(unchecked_return_type = "Permalink")]
    pub fn permalink(&self, base: Option<String>) -> Result<JsValue, JsError> {
        let base = base.unwrap_or_default();
        let base = base.split('#').next().unwrap_or_default();
        let url = format!("{base}#{}", SharedState::of(&self.session).to_fragment());
        give(&LinkResult { length: url.chars().count(), too_long: url.len() > MAX_LINK, url })
    }

    /// Runs a command line as the terminal of the page does: kubectl (the word itself may be left out), `sim`, pipes.
    /// `files` gives the texts that `-f NAME` reads, by name.
    #[wasm_bindgen(unchecked_return_type = "CommandResult")]
    pub fn kubectl(
        &mut self,
        line: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "Record<string, string> | null")] files: JsValue,
    ) -> Result<JsValue, JsError> {
        let bare = line.split_whitespace().next().is_some_and(|first| VERBS.contains(&first));
        let line = if bare { format!("kubectl {line}") } else { line.to_owned() };
        self.run(&line, &files)
    }

    /// Runs a `sim` command, for what no Kubernetes API can do: `sim("power-off worker1")`.
    #[wasm_bindgen(unchecked_return_type = "CommandResult")]
    pub fn sim(&mut self, line: &str) -> Result<JsValue, JsError> {
        let given = line.split_whitespace().next() == Some("sim");
        let line = if given { line.to_owned() } else { format!("sim {line}") };
        self.run(&line, &JsValue::UNDEFINED)
    }

    /// Makes the next step; false when nothing is due.
    pub fn step(&mut self) -> bool {
        self.session.step()
    }

    /// Steps to the end of the present wave: until a controller is about to act again, or nothing is due.
    #[wasm_bindgen(js_name = stepOver, unchecked_return_type = "RunResult")]
    pub fn step_over(&mut self, budget: Option<f64>) -> Result<JsValue, JsError> {
        let progress = self.session.step_over(steps(budget, BUDGET));
        give(&RunResult::of(progress, &self.session))
    }

    /// Steps until nothing is due, at most `budget` steps (10,000 when not given).
    #[wasm_bindgen(js_name = runToQuiet, unchecked_return_type = "RunResult")]
    pub fn run_to_quiet(&mut self, budget: Option<f64>) -> Result<JsValue, JsError> {
        let progress = self.session.run_to_quiet(steps(budget, BUDGET));
        give(&RunResult::of(progress, &self.session))
    }

    /// Steps until this virtual time (milliseconds since the start), at most `budget` steps (10,000 when not given).
    #[wasm_bindgen(js_name = runUntil, unchecked_return_type = "RunResult")]
    pub fn run_until(&mut self, ms: f64, budget: Option<f64>) -> Result<JsValue, JsError> {
        let until = u64::try_from(whole(ms)).unwrap_or(u64::MAX);
        let progress = self.session.run_until(until, steps(budget, BUDGET));
        give(&RunResult::of(progress, &self.session))
    }

    /// Goes one step back; false at the start.
    pub fn back(&mut self) -> bool {
        self.session.back()
    }

    /// Goes to the state after the first `position` steps; past the end means the end. Returns where it is now.
    pub fn seek(&mut self, position: f64) -> usize {
        self.session.seek(whole(position))
    }

    /// Number of steps before the present position.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> usize {
        self.session.position()
    }

    /// Number of steps of the present line.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.session.len()
    }

    /// Virtual time at the present position, in milliseconds since the start.
    #[wasm_bindgen(getter, js_name = nowMs)]
    pub fn now_ms(&self) -> f64 {
        border::milliseconds(self.session.world().now_ms())
    }

    /// Whether there is nothing to step to.
    #[wasm_bindgen(getter)]
    pub fn quiet(&self) -> bool {
        self.session.is_quiet()
    }

    /// The steps of the present line; with `from`, those after the first `from`.
    #[wasm_bindgen(unchecked_return_type = "Step[]")]
    pub fn steps(&self, from: Option<f64>) -> Result<JsValue, JsError> {
        let steps = self.session.steps().skip(from.map_or(0, whole));
        give(&steps.map(|step| StepResult::from(&**step)).collect::<Vec<_>>())
    }

    /// The lines that were left by acting in the past.
    #[wasm_bindgen(unchecked_return_type = "Branch[]")]
    pub fn branches(&self) -> Result<JsValue, JsError> {
        let branches = self.session.branches().iter();
        give(&branches.map(|branch| BranchResult::of(branch, &self.session)).collect::<Vec<_>>())
    }

    /// Makes a branch the present line; false if there is no such branch.
    #[wasm_bindgen(js_name = switchBranch)]
    pub fn switch_branch(&mut self, index: f64) -> bool {
        self.session.switch_branch(whole(index))
    }

    /// The cluster at the present position: all objects as `kubectl get -o json` shows them.
    #[wasm_bindgen(unchecked_return_type = "Snapshot")]
    pub fn snapshot(&self) -> Result<JsValue, JsError> {
        give(&Snapshot::from(&self.session))
    }

    /// Why the DaemonSet has, or has not, a pod on the node, check by check, and the smallest changes that would turn it:
    /// `explain({daemonset: "agent", namespace: "default", node: "worker1"})`.
    #[wasm_bindgen(unchecked_return_type = "Explanation")]
    pub fn explain(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ExplainQuestion")] question: JsValue,
    ) -> Result<JsValue, JsError> {
        #[derive(serde::Deserialize)]
        struct Question {
            daemonset: String,
            #[serde(default)]
            namespace: Option<String>,
            node: String,
        }
        let what = "explain takes an object with daemonset and node";
        let question: Option<Question> = take(&question, what)?;
        let Question { daemonset, namespace, node } = question.ok_or_else(|| JsError::new(what))?;
        let set = self.daemon_set(namespace.as_deref(), &daemonset)?;
        let Some(node) = self.session.world().store().node_named(&node) else {
            return Err(JsError::new(&format!("there is no {} {node}", Kind::Node)));
        };
        give_without_nulls(&crate::insight::explain::explain(set, node))
    }

    /// Compares the present position with a list of checks (in the form of lesson files); without one, with the
    /// scenario's own `expect`.
    #[wasm_bindgen(unchecked_return_type = "CheckResult")]
    pub fn check(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Check[] | null")] expectations: JsValue,
    ) -> Result<JsValue, JsError> {
        let checks: Option<Vec<Value>> = take(&expectations, "check takes a list of checks")?;
        give(&expectations::check(&self.session, checks).map_err(|error| JsError::new(&error))?)
    }
}

/// The version of this library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
