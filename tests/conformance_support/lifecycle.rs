//! `lifecycle`: actions at given seconds, and everything that changed in the cluster, with times.
//!
//! Compared as README-kubectl.md asks: what happened to each object, in its order, with a tolerance for the times; which
//! node a rolling update takes first is free; status values where things have settled.

use super::lifecycle_run::{Happened, Life, Run, Told, plain, play};
use daemonset_playground::objects::*;
use serde_json::Value;
use std::collections::BTreeMap;

/// Seconds by which something that reacts at once may be off.
const AT_ONCE: f64 = 1.3;
/// Part of the time since the last action by which a chain of reactions may be off besides.
const DRIFT: f64 = 0.15;
/// The same for what depends on the node monitor, and for garbage collection.
const NODE_MONITOR: f64 = 5.0;
const POD_GC: f64 = 20.0;
/// Seconds by which the recorder's own machine may have been late with an action.
const MOST_LAG: f64 = 1.2;
/// Repetitions above which something counts as a loop.
const LOOP: usize = 6;
/// Seconds without a change after which the status counts as settled.
const SETTLED: f64 = 2.0;

/// Checks one case against its recording or one of the others that were seen.
pub fn check(case: &Value) -> Result<(), String> {
    let run = play(case);
    let first = compare(case, &case["expect"], &run);
    let others = case["expect"]["alsoSeen"].as_array().into_iter().flatten();
    if first.is_err() && others.into_iter().any(|seen| compare(case, seen, &run).is_ok()) {
        return Ok(());
    }
    first
}

fn compare(case: &Value, expect: &Value, run: &Run) -> Result<(), String> {
    let times = Tolerance::new(case, expect);
    let (lives, happened, told) = recorded(expect);
    compare_happened(&happened, &run.happened, &times)?;
    compare_lives(&lives, &run.lives, &times, may_pick_nodes(case))?;
    compare_told(&told, &run.told, &times)?;
    compare_settled(expect, run, &times)?;
    compare_final(&expect["final"], run, &times)
}

/// How far times may be apart.
struct Tolerance {
    /// When each action was to be done, and how much later the recorder saw something of it.
    actions: Vec<(f64, f64)>,
    monitored: Option<f64>,
    collected: Option<f64>,
    end: f64,
}

impl Tolerance {
    fn new(case: &Value, expect: &Value) -> Self {
        let actions = case["inputs"]["actions"].as_array().into_iter().flatten();
        let entries = || expect["timeline"].as_array().into_iter().flatten();
        let first = |test: &dyn Fn(&Value) -> bool| entries().find(|e| test(e)).map(|e| e["t"].as_f64().unwrap_or(0.0));
        let lag = |action: &Value| {
            let at = action["at"].as_f64().unwrap_or(0.0);
            let seen = entries().filter_map(|e| e["t"].as_f64()).find(|t| *t >= at);
            seen.map_or(0.0, |t| t - at).min(MOST_LAG)
        };
        // Whatever the node controller has a hand in comes with one of its rounds.
        let by_monitor = |e: &Value| {
            let texts = e["taints"].to_string();
            e["status"] == "Unknown"
                || e["change"] == "RegisteredNode"
                || e["change"] == "RemovingNode"
                || texts.contains("not-ready:NoExecute")
                || texts.contains("unreachable:NoExecute")
        };
        Self {
            actions: actions.map(|action| (action["at"].as_f64().unwrap_or(0.0), lag(action))).collect(),
            monitored: first(&by_monitor),
            collected: first(&|e| {
                e["change"] == "removed" && e["object"].as_str().is_some_and(|object| object.starts_with("Node/"))
            }),
            end: case["inputs"]["duration"].as_f64().unwrap_or(0.0),
        }
    }

    /// At a time of the recording.
    fn at(&self, t: f64) -> f64 {
        let last = self.actions.iter().filter(|(at, _)| *at <= t).max_by(|a, b| a.0.total_cmp(&b.0));
        let (since, lag) = last.copied().unwrap_or_default();
        let near = AT_ONCE + lag + DRIFT * (t - since).min(40.0);
        let after =
            |from: Option<f64>, extra: f64| if from.is_some_and(|from| t >= from - NODE_MONITOR) { extra } else { 0.0 };
        near.max(after(self.monitored, NODE_MONITOR + AT_ONCE)).max(after(self.collected, POD_GC))
    }

    fn fits(&self, expected: f64, actual: f64) -> bool {
        (expected - actual).abs() <= self.at(expected)
    }

    /// Whether something so late may be missing on one side.
    fn is_cut_off(&self, t: f64) -> bool {
        t > self.end - self.at(t)
    }
}

/// Whether something may take nodes in any order: a change of a template.
fn may_pick_nodes(case: &Value) -> bool {
    let actions: Vec<&Value> = case["inputs"]["actions"].as_array().into_iter().flatten().collect();
    let rolls =
        |line: &str| ["set ", "patch", "undo", "restart", "edit", "replace"].iter().any(|verb| line.contains(verb));
    actions.iter().any(|action| action["run"].as_str().is_some_and(rolls))
        || actions.iter().filter(|action| action["apply"].is_string()).count() > 1
}

/// The recording in the same form as a run.
fn recorded(expect: &Value) -> (Vec<Life>, Vec<Happened>, Vec<(f64, Told)>) {
    let mut lives: BTreeMap<String, Life> = BTreeMap::new();
    let mut order = Vec::new();
    let (mut happened, mut told) = (Vec::new(), Vec::new());
    for entry in expect["timeline"].as_array().into_iter().flatten() {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let (object, t) = (text("object"), entry["t"].as_f64().unwrap_or(0.0));
        match object.split_once('/') {
            Some(("Pod", name)) => {
                let life = lives.entry(name.to_owned()).or_insert_with(|| {
                    order.push(name.to_owned());
                    let owner = name.split('#').next().unwrap_or(name).to_owned();
                    Life { owner, ..Life::default() }
                });
                let kind = text("change");
                life.roams |= kind == "bound" && life.node.is_none();
                let node = entry["node"].as_str().or(entry["targetNode"].as_str());
                life.node = node.map(str::to_owned).or(life.node.take());
                let to = match kind {
                    "deletion-requested" => {
                        entry["gracePeriodSeconds"].as_i64().map_or(String::new(), |n| n.to_string())
                    }
                    "DisruptionTarget" => text("reason").to_owned(),
                    "nominatedNodeName" => text("value").to_owned(),
                    _ => text(kind).to_owned(),
                };
                if let Some(kind) = POD_CHANGES.into_iter().find(|known| *known == kind) {
                    let to = if matches!(kind, "created" | "bound") { String::new() } else { to };
                    life.changes.push((kind, to, t));
                }
            }
            Some(("Node", _)) => {
                let taints = || {
                    let texts = entry["taints"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    let mut texts: Vec<&str> = texts.collect();
                    texts.sort_unstable();
                    texts.join(" ")
                };
                let mut push = |kind, to| happened.push(Happened { object: object.into(), kind, to, t });
                match text("change") {
                    "created" => {
                        push("created", String::new());
                        push("taints", taints());
                    }
                    "removed" => push("removed", String::new()),
                    "taints" => push("taints", taints()),
                    "condition-ready" => push("condition-ready", format!("{} {}", text("status"), text("reason"))),
                    "unschedulable" => push("unschedulable", entry["value"].to_string()),
                    _ => {}
                }
            }
            Some(("DaemonSet", _)) => {
                let kind = ["created", "removed"].into_iter().find(|kind| *kind == text("change"));
                if let Some(kind) = kind {
                    happened.push(Happened { object: object.into(), kind, to: String::new(), t });
                }
            }
            _ if object == "Event" => told.push((
                t,
                Told {
                    reason: text("change").into(),
                    about: plain(text("about")),
                    source: text("source").into(),
                    message: plain(text("message")),
                },
            )),
            _ => {}
        }
    }
    (order.into_iter().filter_map(|name| lives.remove(&name)).collect(), happened, told)
}

const POD_CHANGES: [&str; 10] = [
    "created",
    "bound",
    "phase",
    "ready",
    "deletion-requested",
    "DisruptionTarget",
    "nominatedNodeName",
    "owner",
    "revision-label-changed",
    "removed",
];

/// What happened to nodes and DaemonSets, kind by kind, in its order.
fn compare_happened(expected: &[Happened], actual: &[Happened], times: &Tolerance) -> Result<(), String> {
    let group = |all: &[Happened]| {
        let mut groups: BTreeMap<(String, &'static str), Vec<(String, f64)>> = BTreeMap::new();
        for one in all {
            groups.entry((one.object.clone(), one.kind)).or_default().push((one.to.clone(), one.t));
        }
        groups
    };
    let (mut expected, actual) = (group(expected), group(actual));
    for key in actual.keys() {
        expected.entry(key.clone()).or_default();
    }
    for ((object, kind), wanted) in expected {
        let got = actual.get(&(object.clone(), kind)).cloned().unwrap_or_default();
        compare_sequence(&wanted, &got, times).map_err(|why| format!("{object} {kind}: {why}"))?;
    }
    Ok(())
}

/// Values in order, with their times. The last ones may be missing when they are close to the end.
fn compare_sequence(expected: &[(String, f64)], actual: &[(String, f64)], times: &Tolerance) -> Result<(), String> {
    for index in 0..expected.len().max(actual.len()) {
        match (expected.get(index), actual.get(index)) {
            (Some((wanted, at)), Some((got, t))) if wanted == got && times.fits(*at, *t) => {}
            (Some((wanted, at)), Some((got, t))) => {
                if times.is_cut_off(*at) && times.is_cut_off(*t) {
                    return Ok(());
                }
                return Err(format!("expected {wanted:?} at {at}, got {got:?} at {t}"));
            }
            (Some((_, at)), None) if times.is_cut_off(*at) => {}
            (None, Some((_, t))) if times.is_cut_off(*t) => {}
            (Some((wanted, at)), None) => return Err(format!("expected {wanted:?} at {at}, got nothing")),
            (None, Some((got, t))) => return Err(format!("expected nothing, got {got:?} at {t}")),
            (None, None) => {}
        }
    }
    Ok(())
}

/// Matches the pods of each owner one to one.
fn compare_lives(expected: &[Life], actual: &[Life], times: &Tolerance, any_node: bool) -> Result<(), String> {
    let mut owners: Vec<&str> = expected.iter().chain(actual).map(|life| life.owner.as_str()).collect();
    owners.sort_unstable();
    owners.dedup();
    for owner in owners {
        let of = |lives: &[Life]| -> Vec<Life> { lives.iter().filter(|life| life.owner == owner).cloned().collect() };
        let (wanted, got) = (of(expected), of(actual));
        let roam = wanted.iter().chain(&got).any(|life| life.roams);
        let strict = match_lives(&wanted, &got, times, !roam);
        let matched = match strict {
            Err(_) if any_node => match_lives(&wanted, &got, times, false),
            other => other,
        };
        matched.map_err(|why| format!("pods of {owner}: {why}"))?;
    }
    Ok(())
}

fn match_lives(expected: &[Life], actual: &[Life], times: &Tolerance, same_node: bool) -> Result<(), String> {
    if is_loop(expected) && is_loop(actual) {
        return compare_loops(expected, actual);
    }
    let mut matched: Vec<Option<usize>> = vec![None; actual.len()];
    for (index, life) in expected.iter().enumerate() {
        let mut tried = vec![false; actual.len()];
        if !augment(index, expected, actual, times, same_node, &mut matched, &mut tried) {
            if life.changes.first().is_some_and(|(.., t)| times.is_cut_off(*t)) {
                continue;
            }
            let near = actual.iter().filter(|other| !same_node || other.node == life.node);
            let why: Vec<String> = near
                .take(4)
                .map(|other| {
                    let why = is_like(life, other, times).err().unwrap_or_else(|| "taken".into());
                    format!("{why} in {}", text(other))
                })
                .collect();
            return Err(format!("none is like {}; {}", text(life), why.join("; ")));
        }
    }
    for (index, life) in actual.iter().enumerate() {
        let late = life.changes.first().is_some_and(|(.., t)| times.is_cut_off(*t));
        if matched[index].is_none() && !late {
            return Err(format!("one too many: {}", text(life)));
        }
    }
    Ok(())
}

/// Whether one pod replaces the other as fast as the machine allows: how often, the recorder's speed decided.
fn is_loop(lives: &[Life]) -> bool {
    lives.len() > LOOP && lives.windows(2).all(|pair| pair[0].node == pair[1].node) && {
        let births: Vec<f64> = lives.iter().filter_map(|life| life.changes.first().map(|(.., t)| *t)).collect();
        births.windows(2).all(|pair| pair[1] - pair[0] < SETTLED)
    }
}

fn compare_loops(expected: &[Life], actual: &[Life]) -> Result<(), String> {
    let shape = |life: &Life| -> Vec<(&'static str, String)> {
        life.changes.iter().map(|(kind, to, _)| (*kind, to.clone())).collect()
    };
    let (wanted, got) = (shape(&expected[0]), shape(&actual[0]));
    if wanted != got || !is_about_as_many(expected.len(), actual.len()) {
        return Err(format!("expected {} times {wanted:?}, got {} times {got:?}", expected.len(), actual.len()));
    }
    Ok(())
}

fn is_about_as_many(expected: usize, actual: usize) -> bool {
    expected == actual || expected > LOOP && actual > LOOP && expected * 2 >= actual && actual * 2 >= expected
}

fn augment(
    index: usize,
    expected: &[Life],
    actual: &[Life],
    times: &Tolerance,
    same_node: bool,
    matched: &mut Vec<Option<usize>>,
    tried: &mut Vec<bool>,
) -> bool {
    for candidate in 0..actual.len() {
        let fits = (!same_node || expected[index].node == actual[candidate].node)
            && is_like(&expected[index], &actual[candidate], times).is_ok();
        if tried[candidate] || !fits {
            continue;
        }
        tried[candidate] = true;
        let free = match matched[candidate] {
            None => true,
            Some(other) => augment(other, expected, actual, times, same_node, matched, tried),
        };
        if free {
            matched[candidate] = Some(index);
            return true;
        }
    }
    false
}

/// Whether the same happened to two pods, kind by kind, about when.
fn is_like(expected: &Life, actual: &Life, times: &Tolerance) -> Result<(), String> {
    for kind in POD_CHANGES {
        let of = |life: &Life| -> Vec<(String, f64)> {
            life.changes.iter().filter(|(k, ..)| *k == kind).map(|(_, to, t)| (to.clone(), *t)).collect()
        };
        compare_sequence(&of(expected), &of(actual), times).map_err(|why| format!("{kind}: {why}"))?;
    }
    Ok(())
}

fn text(life: &Life) -> String {
    let changes: Vec<String> = life.changes.iter().map(|(kind, to, t)| format!("{t:.1} {kind} {to}")).collect();
    format!("[{} on {}: {}]", life.owner, life.node.as_deref().unwrap_or("-"), changes.join(", "))
}

/// Events, whatever their order. The recorder's kubelet told none; a pod that cannot be placed is told of again and
/// again as others are tried.
fn compare_told(expected: &[(f64, Told)], actual: &[(f64, Told)], times: &Tolerance) -> Result<(), String> {
    let count = |all: &[(f64, Told)]| {
        let mut counts: BTreeMap<Told, (usize, usize)> = BTreeMap::new();
        for (t, told) in all {
            if told.source == "kubelet" || told.reason == "FailedScheduling" {
                continue;
            }
            let entry = counts.entry(told.clone()).or_default();
            entry.0 += 1;
            entry.1 += usize::from(!times.is_cut_off(*t));
        }
        counts
    };
    let (expected, actual) = (count(expected), count(actual));
    for (told, (most, least)) in &expected {
        let (got_most, got_least) = actual.get(told).copied().unwrap_or_default();
        if (got_most < *least || got_least > *most) && !is_about_as_many(*most, got_most) {
            return Err(format!("event {told:?}: expected {least} to {most} times, got {got_least} to {got_most}"));
        }
    }
    match actual.iter().find(|(told, (_, least))| *least > 0 && !expected.contains_key(*told)) {
        Some((told, _)) => Err(format!("event {told:?} was not expected")),
        None => Ok(()),
    }
}

const COUNTERS: [&str; 7] = [
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "numberMisscheduled",
];

fn counters(status: &DaemonSetStatus) -> BTreeMap<&'static str, i64> {
    let values = [
        status.desired_number_scheduled,
        status.current_number_scheduled,
        status.number_ready,
        status.updated_number_scheduled,
        status.number_available,
        status.number_unavailable,
        status.number_misscheduled,
    ];
    COUNTERS.into_iter().zip(values.map(i64::from)).collect()
}

/// Where nothing changes for a while, both sides show the same numbers.
fn compare_settled(expect: &Value, run: &Run, times: &Tolerance) -> Result<(), String> {
    let entries: Vec<&Value> = expect["timeline"].as_array().into_iter().flatten().collect();
    let mut known: BTreeMap<String, BTreeMap<&'static str, i64>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let object = entry["object"].as_str().unwrap_or_default();
        if let Some(name) = object.strip_prefix("DaemonSet/") {
            if entry["change"] == "removed" {
                known.remove(name);
            } else {
                let counts = known.entry(name.to_owned()).or_default();
                for field in COUNTERS {
                    if let Some(value) = entry["status"][field].as_i64() {
                        counts.insert(field, value);
                    }
                }
            }
        }
        let t = entry["t"].as_f64().unwrap_or(0.0);
        let next = entries.get(index + 1).map_or(times.end, |next| next["t"].as_f64().unwrap_or(0.0));
        if next - t < SETTLED {
            continue;
        }
        for (name, counts) in &known {
            // Any moment of the quiet time, give or take the tolerance, will do.
            let moments = changes_between(run, name, t - times.at(t), next + times.at(next));
            if !moments.iter().any(|seen| counts.iter().all(|(field, value)| seen.get(field) == Some(value))) {
                return Err(format!("status of {name} from {t} to {next}: expected {counts:?}, got {moments:?}"));
            }
        }
    }
    Ok(())
}

/// The numbers of a DaemonSet at the beginning of a span of time and after each change in it.
fn changes_between(run: &Run, name: &str, from: f64, to: f64) -> Vec<BTreeMap<&'static str, i64>> {
    let key = ObjectKey::new("default", name);
    let mut seen: Vec<BTreeMap<&'static str, i64>> = Vec::new();
    for position in 0..=run.session.len() {
        let end = run.session.step_number(position + 1).map_or(f64::INFINITY, |step| step.at_ms as f64 / 1000.0);
        let start = run.session.step_number(position).map_or(0.0, |step| step.at_ms as f64 / 1000.0);
        if end < from || start > to {
            continue;
        }
        if let Some(set) = run.session.world_at(position).store().daemon_set(&key) {
            let counts = counters(&set.status);
            if seen.last() != Some(&counts) {
                seen.push(counts);
            }
        }
    }
    seen
}

/// What is there at the end.
fn compare_final(expected: &Value, run: &Run, times: &Tolerance) -> Result<(), String> {
    let store = run.session.world().store();
    for (name, status) in expected["daemonsets"].as_object().into_iter().flatten() {
        let wanted: BTreeMap<&str, i64> =
            COUNTERS.into_iter().map(|field| (field, status[field].as_i64().unwrap_or(0))).collect();
        let moments = changes_between(run, name, times.end - times.at(times.end), times.end);
        if !moments.contains(&wanted) {
            return Err(format!("final status of {name}: expected {wanted:?}, got {moments:?}"));
        }
    }
    for (name, node) in expected["nodes"].as_object().into_iter().flatten() {
        let found = store.node_named(name).ok_or_else(|| format!("node {name} is not there at the end"))?;
        let mut taints: Vec<String> = found.spec.taints.iter().map(Taint::to_string).collect();
        taints.sort();
        let listed = node["taints"].as_array().into_iter().flatten().cloned();
        let mut wanted: Vec<String> =
            listed.map(|taint| decode::<Taint>(taint).expect("a taint").to_string()).collect();
        wanted.sort();
        if taints != wanted {
            return Err(format!("final taints of {name}: expected {wanted:?}, got {taints:?}"));
        }
    }
    let pods = expected["pods"].as_array().map_or(0, Vec::len);
    if pods != store.pods().size() {
        return Err(format!("pods at the end: expected {pods}, got {}", store.pods().size()));
    }
    Ok(())
}
