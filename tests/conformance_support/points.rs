//! `cases`: public reports, of which the `point` must hold; the rest of the recording is detail.

use super::lifecycle_run::{Life, Ran, Run, plain, play, play_steps};
use daemonset_playground::objects::*;
use serde_json::{Map, Value};
use std::rc::Rc;

/// Seconds by which a time may be off.
const SLACK: f64 = 1.0;

/// Checks one case.
pub fn check(case: &Value) -> Result<(), String> {
    let run = if case["format"] == "lifecycle" { play(case) } else { play_steps(case) };
    let point = &case["point"];
    let list = |key: &str| point[key].as_array().cloned().unwrap_or_default();
    if point["final"].is_object() {
        state(&run, f64::INFINITY, &point["final"]).map_err(|why| format!("final: {why}"))?;
    }
    for at in list("at") {
        let t = at["t"].as_f64().unwrap_or(0.0);
        near(&run, t, &at).map_err(|why| format!("at {t}: {why}"))?;
    }
    for (key, test) in TESTS {
        for one in list(key) {
            test(&run, &one).map_err(|why| format!("{key} {one}: {why}"))?;
        }
    }
    for one in list("commands") {
        command(case, &run, &one).map_err(|why| format!("command {one}: {why}"))?;
    }
    // What commands printed is no detail.
    if case["format"] == "kubectl" { super::kubectl::check(case) } else { Ok(()) }
}

type Test = fn(&Run, &Value) -> Result<(), String>;

const TESTS: [(&str, Test); 10] = [
    ("deletedTogether", |run, one| together(run, one, "deletion-requested")),
    ("createdTogether", |run, one| together(run, one, "created")),
    ("notDeleted", not_deleted),
    ("deletions", |run, one| counted(run, one, "deletion-requested")),
    ("creations", |run, one| counted(run, one, "created")),
    ("firstWave", first_wave),
    ("neverMoreThanUnavailable", never_more_than_unavailable),
    ("neverStatusBelow", never_status_below),
    ("events", events),
    ("noEvents", no_events),
];

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// The state at a second, or at one shortly before or after it.
fn near(run: &Run, t: f64, wanted: &Value) -> Result<(), String> {
    let exact = state(run, t, wanted);
    if exact.is_err() && [-0.5, 0.5, -SLACK, SLACK].into_iter().any(|off| state(run, t + off, wanted).is_ok()) {
        return Ok(());
    }
    exact
}

/// Steps made up to a second.
fn position(run: &Run, t: f64) -> usize {
    run.session.steps().take_while(|step| step.at_ms as f64 / 1000.0 <= t).count()
}

fn state(run: &Run, t: f64, wanted: &Value) -> Result<(), String> {
    let world = run.session.world_at(position(run, t));
    let store = world.store();
    let wanted: &Map<String, Value> = wanted.as_object().ok_or("no state")?;
    for (owner, wanted) in wanted {
        match owner.as_str() {
            "t" => continue,
            "podsTotal" => {
                let total = store.pods().size() as u64;
                if wanted.as_u64() != Some(total) {
                    return Err(format!("expected {wanted} pods in all, got {total}"));
                }
                continue;
            }
            _ => {}
        }
        let set = store.daemon_set(&ObjectKey::new("default", owner.as_str()));
        let there = set.is_some() || store.deployment(&ObjectKey::new("default", owner.as_str())).is_some();
        if wanted["absent"] == true && there {
            return Err(format!("{owner} is still there"));
        }
        let pods: Vec<&Rc<Pod>> = store.pods().values().filter(|pod| belongs(pod, owner)).collect();
        let names = |test: &dyn Fn(&Pod) -> bool| -> Vec<String> {
            let mut nodes: Vec<String> =
                pods.iter().filter(|pod| test(pod)).filter_map(|pod| pod.target_node()).map(str::to_owned).collect();
            nodes.sort();
            nodes
        };
        for (key, got) in [("podsOn", names(&|pod| pod.is_bound())), ("pendingFor", names(&|pod| !pod.is_bound()))] {
            if wanted[key].is_array() {
                let mut expected = super::cases::texts(&wanted[key]);
                expected.sort();
                if expected != got {
                    return Err(format!("{key} of {owner}: expected {expected:?}, got {got:?}"));
                }
            }
        }
        let counts =
            [("pods", pods.len()), ("owned", pods.iter().filter(|pod| pod.metadata.controller().is_some()).count())];
        for (key, got) in counts {
            if let Some(expected) = wanted[key].as_u64()
                && expected != got as u64
            {
                return Err(format!("{key} of {owner}: expected {expected}, got {got}"));
            }
        }
        for (field, expected) in wanted["status"].as_object().into_iter().flatten() {
            let got = set.and_then(|set| counter(set, field));
            if got != expected.as_i64() {
                return Err(format!("{field} of {owner}: expected {expected}, got {got:?}"));
            }
        }
    }
    Ok(())
}

fn counter(set: &DaemonSet, field: &str) -> Option<i64> {
    let status = &set.status;
    let value = match field {
        "desired" => status.desired_number_scheduled,
        "current" => status.current_number_scheduled,
        "ready" => status.number_ready,
        "up_to_date" => status.updated_number_scheduled,
        "available" => status.number_available,
        "misscheduled" => status.number_misscheduled,
        _ => return None,
    };
    Some(value.into())
}

/// Whether a pod is, or was made, for this owner.
fn belongs(pod: &Pod, owner: &str) -> bool {
    plain(&pod.metadata.name) == format!("{owner}*") || &*pod.metadata.name == owner
}

/// Times at which a kind of change befell pods of an owner, with the node of each, within a span.
fn befell(run: &Run, one: &Value, kind: &str) -> Vec<(String, f64)> {
    let owner = one["ds"].as_str().unwrap_or_default();
    let (after, before) = (number(&one["after"]).unwrap_or(0.0), number(&one["before"]).unwrap_or(f64::INFINITY));
    let nodes = one["nodes"].as_array().map(|_| super::cases::texts(&one["nodes"]));
    let lives = run.lives.iter().filter(|life| life.owner == owner);
    let changes = lives.flat_map(|life: &Life| {
        let node = life.node.clone().unwrap_or_default();
        life.changes.iter().filter(move |(k, ..)| *k == kind).map(move |(.., t)| (node.clone(), *t))
    });
    let mut found: Vec<(String, f64)> = changes
        .filter(|(node, t)| *t >= after && *t <= before && nodes.as_ref().is_none_or(|nodes| nodes.contains(node)))
        .collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found
}

/// Each of the nodes has its first change of this kind within one second of the others.
fn together(run: &Run, one: &Value, kind: &str) -> Result<(), String> {
    let mut relaxed = one.clone();
    if let Some(before) = number(&one["before"]) {
        relaxed["before"] = (before + SLACK).into();
    }
    let found = befell(run, &relaxed, kind);
    let within = number(&one["within"]).unwrap_or(1.0);
    let mut first = Vec::new();
    for node in super::cases::texts(&one["nodes"]) {
        let at = found.iter().find(|(name, _)| *name == node).map(|(_, t)| *t);
        first.push(at.ok_or_else(|| format!("nothing on {node}"))?);
    }
    let (least, most) = first.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), t| (a.min(*t), b.max(*t)));
    if most - least > within { Err(format!("from {least} to {most}")) } else { Ok(()) }
}

fn not_deleted(run: &Run, one: &Value) -> Result<(), String> {
    match befell(run, one, "deletion-requested").first() {
        Some((node, t)) => Err(format!("deleted on {node} at {t}")),
        None => Ok(()),
    }
}

fn counted(run: &Run, one: &Value, kind: &str) -> Result<(), String> {
    let found = befell(run, one, kind);
    let expected = one["count"].as_u64().unwrap_or(0);
    if found.len() as u64 == expected { Ok(()) } else { Err(format!("got {}: {found:?}", found.len())) }
}

fn first_wave(run: &Run, one: &Value) -> Result<(), String> {
    let kind = if one["what"] == "creations" { "created" } else { "deletion-requested" };
    let found = befell(run, one, kind);
    let Some((_, first)) = found.first() else { return Err("nothing".into()) };
    // A wave is what comes before the next pause.
    let wave = found.windows(2).take_while(|pair| pair[1].1 - pair[0].1 < 0.3).count() + 1;
    let within = number(&one["within"]).unwrap_or(1.0);
    let last = found[wave - 1].1;
    if wave as u64 == one["count"].as_u64().unwrap_or(0) && last - first <= within {
        Ok(())
    } else {
        Err(format!("{wave} from {first} to {last}"))
    }
}

fn never_more_than_unavailable(run: &Run, one: &Value) -> Result<(), String> {
    let owner = one["ds"].as_str().unwrap_or_default();
    let (after, most) = (number(&one["after"]).unwrap_or(0.0), one["max"].as_u64().unwrap_or(0) as usize);
    let nodes = super::cases::texts(&one["nodes"]);
    let mut worst = 0;
    for position in position(run, after)..=run.session.len() {
        let world = run.session.world_at(position);
        let store = world.store();
        let without = nodes.iter().filter(|node| {
            !store.pods_on(node).any(|pod| belongs(pod, owner) && pod.is_ready() && !pod.is_terminating())
        });
        worst = worst.max(without.count());
    }
    if worst == most { Ok(()) } else { Err(format!("{worst} at worst")) }
}

fn never_status_below(run: &Run, one: &Value) -> Result<(), String> {
    let key = ObjectKey::new("default", one["ds"].as_str().unwrap_or_default());
    let (after, before) = (number(&one["after"]).unwrap_or(0.0), number(&one["before"]).unwrap_or(f64::INFINITY));
    let least = one["min"].as_i64().unwrap_or(0);
    for position in position(run, after)..=position(run, before) {
        let world = run.session.world_at(position);
        let set = world.store().daemon_set(&key);
        let value = set.and_then(|set| counter(set, one["field"].as_str().unwrap_or_default()));
        if value.is_some_and(|value| value < least) {
            return Err(format!("{value:?} after step {position}"));
        }
    }
    Ok(())
}

fn matching_events(run: &Run, one: &Value) -> u64 {
    let parts = super::cases::texts(&one["contains"]);
    let steps = run.session.steps().flat_map(|step| step.changes.iter());
    let events = steps.filter_map(|change| match &change.after {
        Some(Object::Event(event)) => Some(event),
        _ => None,
    });
    let told = events.filter(|event| {
        Some(event.reason.as_str()) == one["reason"].as_str() && parts.iter().all(|part| event.message.contains(part))
    });
    told.count() as u64
}

fn events(run: &Run, one: &Value) -> Result<(), String> {
    let (least, got) = (one["min"].as_u64().unwrap_or(1), matching_events(run, one));
    if got >= least { Ok(()) } else { Err(format!("{got}")) }
}

fn no_events(run: &Run, one: &Value) -> Result<(), String> {
    match matching_events(run, one) {
        0 => Ok(()),
        count => Err(format!("{count}")),
    }
}

/// Exit code and output of a command.
fn command(case: &Value, run: &Run, one: &Value) -> Result<(), String> {
    let at = number(&one["at"]).or(number(&one["step"])).ok_or("no time")?;
    let given: Vec<&Ran> = run.ran.iter().filter(|ran| (ran.at - at).abs() < 0.01).collect();
    let ran = match given.as_slice() {
        [ran, ..] => *ran,
        [] => return Err(format!("was not given; {}", case["name"])),
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(exit) = one["exit"].as_i64()
        && exit != i64::from(ran.exit)
    {
        return Err(format!("exit code {}: {}{}", ran.exit, ran.stdout, ran.stderr));
    }
    for (stream, got) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let got = squeezed(got);
        if let Some(exact) = one[stream].as_str()
            && squeezed(exact) != got
        {
            return Err(format!("{stream} is {got:?}"));
        }
        for part in super::cases::texts(&one[format!("{stream}Contains")]) {
            if !got.contains(&squeezed(&part)) {
                return Err(format!("{stream} lacks {part:?}: {got}"));
            }
        }
        for part in super::cases::texts(&one[format!("{stream}Lacks")]) {
            if got.contains(&squeezed(&part)) {
                return Err(format!("{stream} has {part:?}: {got}"));
            }
        }
    }
    Ok(())
}
