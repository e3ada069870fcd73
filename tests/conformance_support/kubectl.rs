//! `kubectl.jsonl`, and the cases of format `kubectl`: a small cluster and a list of commands with their output.

use super::kubectl_compare::output_matches;
use super::recorded_cluster;
use super::run::NOT_OFFERED;
use daemonset_playground::kubectl::says_not_offered;
use daemonset_playground::objects::{Pod, Time};
use daemonset_playground::simulation::{Reason, Session};
use serde_json::Value;
use std::collections::BTreeMap;

/// Between two commands a person's hand or a script needs this long.
const BETWEEN_COMMANDS_MS: u64 = 150;
/// The cluster is at rest when nothing has changed for so long…
const QUIET_MS: u64 = 1300;
/// …or when this is over.
const LONGEST_SETTLE_MS: u64 = 20_000;
/// Steps that no case needs.
const BUDGET: usize = 200_000;

/// Runs the steps of a case and compares what each command printed.
pub fn check(case: &Value) -> Result<(), String> {
    let mut player = Player { session: Session::new(recorded_cluster::scenario(&case["inputs"])), nodes: 0 };
    player.nodes = case["inputs"]["nodes"].as_array().map_or(0, Vec::len);
    // The nodes are some seconds old when the first command comes.
    player.wait(8000);
    let mut recorded = case["expect"]["steps"].as_array().into_iter().flatten();
    for (number, step) in case["inputs"]["steps"].as_array().into_iter().flatten().enumerate() {
        if let Some(command) = step["run"].as_str() {
            let recorded = recorded.next().ok_or("fewer commands recorded than run")?;
            let stdin = step["stdin"].as_str().map(repeated);
            let printed = player.run(command, stdin.as_deref())?;
            if says_not_offered(&printed.stderr) {
                return Err(format!("{NOT_OFFERED} ({command})"));
            }
            compare(command, recorded, &printed).map_err(|why| format!("step {number}: {why}"))?;
            player.wait(BETWEEN_COMMANDS_MS);
        } else if step["settle"] == true {
            player.settle();
        } else if let Some(seconds) = step["sleep"].as_f64() {
            player.wait((seconds * 1000.0) as u64);
        } else if let Some(node) = step.get("add_node") {
            player.add_node(node)?;
        } else if let Some(said) = step.get("node_condition") {
            player.report(said)?;
        } else {
            return Err(format!("step {number} is unknown: {step}"));
        }
    }
    Ok(())
}

/// `$(repeat x 300000)` stands for 300000 times `x`.
fn repeated(text: &str) -> String {
    let Some((before, rest)) = text.split_once("$(repeat ") else { return text.into() };
    let Some((what, after)) = rest.split_once(')') else { return text.into() };
    let (word, count) = what.split_once(' ').expect("a word and a number");
    before.to_owned() + &word.repeat(count.parse().expect("a number")) + &repeated(after)
}

struct Printed {
    exit: i64,
    stdout: String,
    stderr: String,
}

fn compare(command: &str, recorded: &Value, printed: &Printed) -> Result<(), String> {
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or("").to_owned();
    let fits = |version: &Value| -> Result<(), String> {
        if version["exit"].as_i64().is_some_and(|exit| exit != printed.exit) {
            let Printed { exit, stdout, stderr } = printed;
            return Err(format!("`{command}` ended with {exit}, not {}; it said {stdout}{stderr}", version["exit"]));
        }
        for (field, actual) in [("stdout", &printed.stdout), ("stderr", &printed.stderr)] {
            let wanted = if version.get(field).is_some() { text(version, field) } else { text(recorded, field) };
            let masked =
                version.get(format!("{field}_raw")).is_some() || recorded.get(format!("{field}_raw")).is_some();
            output_matches(command, &wanted, actual, masked)?;
        }
        Ok(())
    };
    let first = fits(recorded);
    if first.is_ok() || recorded["varies"] != true {
        return first;
    }
    // What varies is free where it differs from run to run; the exit code is not.
    let also = &recorded["alsoSeen"];
    let others: Vec<&Value> = also.as_array().map_or_else(|| vec![also], |list| list.iter().collect());
    if others.iter().any(|version| fits(version).is_ok()) || recorded["exit"].as_i64() == Some(printed.exit) {
        return Ok(());
    }
    first
}

struct Player {
    session: Session,
    nodes: usize,
}

impl Player {
    fn now_ms(&self) -> u64 {
        self.session.world().now_ms()
    }

    /// Lets virtual time pass.
    fn wait(&mut self, ms: u64) {
        self.session.run_until(self.now_ms() + ms, BUDGET);
    }

    /// Lets virtual time pass until nothing changes any more.
    fn settle(&mut self) {
        let end = self.now_ms() + LONGEST_SETTLE_MS;
        while self.now_ms() < end {
            let before = self.session.world().api().resource_version();
            self.wait(QUIET_MS);
            if self.session.world().api().resource_version() == before {
                return;
            }
        }
    }

    /// Runs a command to its end.
    fn run(&mut self, command: &str, stdin: Option<&str>) -> Result<Printed, String> {
        let mut line = self.with_names(command)?;
        if let Some(stdin) = stdin {
            let newline = if stdin.ends_with('\n') { "" } else { "\n" };
            line = format!("{line} <<'END_OF_INPUT'\n{stdin}{newline}END_OF_INPUT\n");
        }
        let run = self.session.run(&line, &BTreeMap::new());
        let mut printed = Printed { exit: 0, stdout: run.stdout.clone(), stderr: run.stderr.clone() };
        let mut exit = run.exit_code;
        while exit.is_none() {
            if !self.session.step() {
                return Err(format!("`{command}` never ends; it said {}{}", printed.stdout, printed.stderr));
            }
            let step = self.session.step_number(self.session.position()).ok_or("no step")?;
            if let Reason::CommandWent(run) = &step.reason {
                printed.stdout += &run.stdout;
                printed.stderr += &run.stderr;
                exit = run.exit_code;
            }
        }
        printed.exit = exit.map_or(0, i64::from);
        Ok(printed)
    }

    /// `$(pod DS NODE)` and `$(podl KEY=VALUE NODE)` as names of pods.
    fn with_names(&self, command: &str) -> Result<String, String> {
        let Some((before, rest)) = command.split_once("$(") else { return Ok(command.into()) };
        let (call, after) = rest.split_once(')').ok_or("an unclosed $(")?;
        let words: Vec<&str> = call.split(' ').collect();
        let [kind, which, node] = words.as_slice() else { return Err(format!("$({call})")) };
        let fits = |pod: &Pod| match *kind {
            "pod" => pod.metadata.controller().is_some_and(|owner| &*owner.name == *which),
            _ => which.split_once('=').is_some_and(|(key, value)| pod.metadata.label(key) == Some(value)),
        };
        let mut pods = self.session.world().store().pods().values();
        let pod = pods.find(|pod| fits(pod) && !pod.is_terminating() && pod.target_node() == Some(node));
        let name = pod.map_or("NOT-FOUND", |pod| &*pod.metadata.name);
        Ok(format!("{before}{name}{}", self.with_names(after)?))
    }

    fn add_node(&mut self, short: &Value) -> Result<(), String> {
        self.nodes += 1;
        let now: Time = self.session.world().now();
        let node = recorded_cluster::node(short, self.nodes, now);
        let printed = self.run("kubectl create -f -", Some(&node.to_string()))?;
        if printed.exit == 0 { Ok(()) } else { Err(format!("the node cannot be added: {}", printed.stderr)) }
    }

    fn report(&mut self, said: &Value) -> Result<(), String> {
        let text = |field: &str| said[field].as_str().unwrap_or("");
        let type_ = if text("type").is_empty() { "Ready" } else { text("type") };
        let mut line = format!("sim condition {} {type_} {}", text("node"), text("status"));
        for flag in ["reason", "message"] {
            if !text(flag).is_empty() {
                line += &format!(" --{flag} '{}'", text(flag));
            }
        }
        let printed = self.run(&line, None)?;
        if printed.exit == 0 { Ok(()) } else { Err(printed.stderr) }
    }
}
