//! Plays the actions of a `lifecycle` recording in a session and tells what changed, in the recording's own terms.

use daemonset_playground::kubelet::{Behaviour, BehaviourMatch, Behaviours, Outcome};
use daemonset_playground::objects::*;
use daemonset_playground::simulation::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Milliseconds after its time at which the recorder gave a command.
const COMMAND_DELAY_MS: u64 = 150;
/// Most steps that one case may take.
const BUDGET: usize = 400_000;

/// A command that was given, with what it printed.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Second at which it was to be given.
    pub at: f64,
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

/// One pod from its creation to its end.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// Name of the owner without hash, or of the pod itself.
    pub owner: String,
    /// The node it is meant for, or else bound to.
    pub node: Option<String>,
    /// Whether the scheduler had a choice of nodes.
    pub roams: bool,
    /// Kind of change, what it changed to, and when.
    pub changes: Vec<(&'static str, String, f64)>,
}

/// Something that happened to a node or a DaemonSet.
#[derive(Clone, Debug)]
pub struct Happened {
    pub object: String,
    pub kind: &'static str,
    pub to: String,
    pub t: f64,
}

/// An event: reason, about whom, source and message, with random parts of names cut out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    pub reason: String,
    pub about: String,
    pub source: String,
    pub message: String,
}

/// What came out of a case.
pub struct Run {
    pub session: Session,
    pub lives: Vec<Life>,
    pub happened: Vec<Happened>,
    pub told: Vec<(f64, Told)>,
    pub ran: Vec<Ran>,
}

/// Plays a case of format `lifecycle`.
pub fn play(case: &Value) -> Run {
    let inputs = &case["inputs"];
    let mut session = open(inputs);
    let mut ran = Vec::new();
    let mut actions: Vec<&Value> = inputs["actions"].as_array().into_iter().flatten().collect();
    actions.sort_by(|a, b| seconds(&a["at"]).total_cmp(&seconds(&b["at"])));
    for action in actions {
        let at = seconds(&action["at"]);
        run_until(&mut session, (at * 1000.0) as u64 + COMMAND_DELAY_MS);
        act(&mut session, action, at, &mut ran);
    }
    run_until(&mut session, (seconds(&inputs["duration"]) * 1000.0) as u64);
    finish(session, ran)
}

/// Plays a case of format `kubectl` or `validation`: one step after the other. The commands are numbered from 0 in
/// place of a time.
pub fn play_steps(case: &Value) -> Run {
    let inputs = &case["inputs"];
    let mut session = open(inputs);
    let mut ran = Vec::new();
    for before in inputs["before"].as_array().into_iter().flatten() {
        given(&mut session, "kubectl apply -f -", before.as_str(), 0.0, &mut Vec::new());
    }
    if let Some(manifest) = inputs["manifest"].as_str() {
        given(&mut session, "kubectl apply -f -", Some(manifest), 0.0, &mut ran);
    }
    for step in inputs["steps"].as_array().into_iter().flatten() {
        if step["settle"] == true {
            let end_ms = session.world().now_ms() + 20_000;
            while session.next_due_ms().is_some_and(|at| at <= end_ms.min(session.world().now_ms() + 1300)) {
                session.step();
            }
        } else if let Some(pause) = step["sleep"].as_f64() {
            let until_ms = session.world().now_ms() + (pause * 1000.0) as u64;
            run_until(&mut session, until_ms);
        } else {
            act(&mut session, step, ran.len() as f64, &mut ran);
        }
    }
    finish(session, ran)
}

fn open(inputs: &Value) -> Session {
    let start = Time::parse("2026-11-30T01:00:00Z").unwrap();
    let nodes = inputs["nodes"].as_array().into_iter().flatten();
    let nodes = nodes.zip(1..).map(|(node, number)| Object::from(recorded_node(node, number, start)).to_value());
    Session::new(Scenario {
        start,
        objects: nodes.collect(),
        behaviours: behaviours(&inputs["images"]),
        ..Scenario::default()
    })
}

fn finish(session: Session, ran: Vec<Ran>) -> Run {
    let (lives, happened, told) = tell(&session);
    Run { session, lives, happened, told, ran }
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn run_until(session: &mut Session, ms: u64) {
    for _ in 0..BUDGET {
        match session.run_until(ms, 1000) {
            Progress::Reached | Progress::Quiet => return,
            _ => {}
        }
    }
    panic!("the run does not reach {ms} ms");
}

/// The recorder's node: the template with what the case says of it.
fn recorded_node(given: &Value, number: u32, now: Time) -> Node {
    let name = given["name"].as_str().expect("a node has a name");
    let mut node = NodeTemplate::Recorded.node(name, number, now);
    for (key, value) in given["labels"].as_object().into_iter().flatten() {
        node = node.with_label(key, value.as_str().unwrap_or_default());
    }
    for taint in given["taints"].as_array().into_iter().flatten() {
        node = node.with_taint(decode(taint.clone()).expect("a taint"));
    }
    for (short, resource) in [("cpu", CPU), ("mem", MEMORY), ("pods", PODS)] {
        if let Some(amount) = given[short].as_str() {
            node = node.with_resource(resource, Quantity::parse(amount).expect("a quantity"));
        }
    }
    for (resource, amount) in given["ext"].as_object().into_iter().flatten() {
        let amount = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
        node = node.with_resource(resource, Quantity::parse(&amount).expect("a quantity"));
    }
    if given["ready"] == false {
        node = node.with_condition(NodeCondition {
            type_: "Ready".into(),
            status: "False".into(),
            reason: "KubeletNotReady".into(),
            message: "container runtime network not ready".into(),
            last_heartbeat_time: Some(now),
            last_transition_time: Some(now),
            ..NodeCondition::default()
        });
    }
    for condition in given["conds"].as_array().into_iter().flatten() {
        node = node.with_condition(decode(condition.clone()).expect("a condition"));
    }
    node.spec.unschedulable = given["unschedulable"] == true;
    node
}

/// The recorder's rules for images as behaviours. Its kubelet was simulated: it refused no pod.
pub fn behaviours(images: &Value) -> Behaviours {
    let mut rules: Vec<(&String, &Value)> = images.as_object().into_iter().flatten().collect();
    // The more exact one first; the empty one is for all others.
    rules.sort_by_key(|(image, _)| std::cmp::Reverse(image.len()));
    let rules = rules.into_iter().map(|(image, rule)| behaviour(image, rule));
    // Every other pod is Running and Ready 0.6 s after it was bound.
    Behaviours::new(rules.chain([behaviour("", &json!({}))]))
}

fn behaviour(image: &str, rule: &Value) -> Behaviour {
    let ms = |key: &str, default: f64| (rule[key].as_f64().unwrap_or(default) * 1000.0) as u64;
    let delay = ms("ready_after_s", 0.6);
    let outcome = match rule["mode"].as_str().unwrap_or("run") {
        "run" => Outcome::Run,
        "crash" => Outcome::CrashLoop { exit_code: 1, restarts: 3 },
        "imagepull" => Outcome::ImagePull { backing_off: true },
        "never" => Outcome::NeverStart,
        "notready" => Outcome::NeverReady,
        "evict" => Outcome::Evict { after_ms: delay, resource: MEMORY.into() },
        "succeed" => Outcome::Succeed { after_ms: 0 },
        mode => match mode.strip_prefix("outof") {
            Some(resource) => Outcome::OutOf { resource: resource.into(), after_ms: delay },
            None => panic!("unknown mode {mode}"),
        },
    };
    Behaviour {
        selects: BehaviourMatch {
            image: (!image.is_empty()).then(|| image.to_owned()),
            node: rule["node"].as_str().map(str::to_owned),
            ..BehaviourMatch::default()
        },
        start_after_ms: delay,
        init_ms: 0,
        ready_after_ms: 0,
        terminate_after_ms: ms("term_s", 0.4),
        may_refuse: false,
        outcome,
        ..Behaviour::default()
    }
}

fn act(session: &mut Session, action: &Value, at: f64, ran: &mut Vec<Ran>) {
    let text = |key: &str| action[key].as_str();
    if let Some(manifest) = text("apply") {
        given(session, "kubectl apply -f -", Some(manifest), at, ran);
    } else if let Some(line) = text("run") {
        given(session, line, text("stdin"), at, ran);
    } else if let Some(node) = text("kubelet_stop") {
        command(session, &format!("sim stop-kubelet {node}"), None, at, &mut Vec::new());
    } else if let Some(node) = text("kubelet_start") {
        command(session, &format!("sim start-kubelet {node}"), None, at, &mut Vec::new());
    } else if let Some(said) = action["node_condition"].as_object() {
        let get = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default();
        let type_ = if get("type").is_empty() { "Ready" } else { get("type") };
        let mut line = format!("sim condition {} {type_} {}", get("node"), get("status"));
        for flag in ["reason", "message"] {
            if !get(flag).is_empty() {
                line += &format!(" --{flag} '{}'", get(flag));
            }
        }
        command(session, &line, None, at, &mut Vec::new());
    } else if action["add_node"].is_object() {
        command(session, &add_node(&action["add_node"]), None, at, &mut Vec::new());
    } else if !action["images"].is_null() {
        let rules = serde_json::to_string(&behaviours(&action["images"])).expect("rules");
        command(session, &format!("sim behaviour '{rules}'"), None, at, &mut Vec::new());
    } else {
        panic!("unknown action {action}");
    }
}

/// Gives a command with its standard input.
fn given(session: &mut Session, line: &str, stdin: Option<&str>, at: f64, ran: &mut Vec<Ran>) {
    let line = expand(session, line);
    match stdin {
        Some(text) => command(session, &format!("{line} < manifest.yaml"), Some(&repeated(text)), at, ran),
        None => command(session, &line, None, at, ran),
    }
}

/// `$(repeat x 300000)` in a text stands for as many `x`.
fn repeated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(repeat ") {
        let (inside, after) = after.split_once(')').expect("a closed parenthesis");
        let (what, times) = inside.rsplit_once(' ').expect("a number of times");
        out += before;
        out += &what.repeat(times.parse().expect("a number"));
        rest = after;
    }
    out + rest
}

fn add_node(given: &Value) -> String {
    let mut line = format!("sim add-node {} --template recorded", given["name"].as_str().expect("a name"));
    for (key, value) in given["labels"].as_object().into_iter().flatten() {
        line += &format!(" --label {key}={}", value.as_str().unwrap_or_default());
    }
    for taint in given["taints"].as_array().into_iter().flatten() {
        let taint: Taint = decode(taint.clone()).expect("a taint");
        line += &format!(" --taint {taint}");
    }
    for (short, resource) in [("cpu", CPU), ("mem", MEMORY), ("pods", PODS)] {
        if let Some(amount) = given[short].as_str() {
            line += &format!(" --resource {resource}={amount}");
        }
    }
    if given["ready"] == false {
        line += " --not-ready";
    }
    line
}

/// Gives a command and, if it waits, lets the run go on until it is done.
fn command(session: &mut Session, line: &str, stdin: Option<&str>, at: f64, ran: &mut Vec<Ran>) {
    let files: BTreeMap<String, String> = stdin.map(|text| ("manifest.yaml".into(), text.into())).into_iter().collect();
    let given = session.run(line, &files);
    let (mut stdout, mut stderr, mut exit) = (given.stdout.clone(), given.stderr.clone(), given.exit_code);
    for _ in 0..BUDGET {
        if exit.is_some() || !session.step() {
            break;
        }
        if let Some(Reason::CommandWent(went)) = session.step_number(session.position()).map(|step| step.reason.clone())
        {
            stdout += &went.stdout;
            stderr += &went.stderr;
            exit = went.exit_code;
        }
    }
    ran.push(Ran { at, exit: exit.unwrap_or(-1), stdout, stderr });
}

/// Replaces `$(pod DS NODE)` and `$(podl KEY=VALUE NODE)` by the name of the pod.
fn expand(session: &Session, line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("$(") {
        let (inside, after) = after.split_once(')').expect("a closed parenthesis");
        let words: Vec<&str> = inside.split(' ').collect();
        let [kind, who, node] = words.as_slice() else { panic!("unknown {inside}") };
        let is_meant = |pod: &&Rc<Pod>| match *kind {
            "pod" => pod.metadata.controller().is_some_and(|owner| &*owner.name == *who),
            _ => who.split_once('=').is_some_and(|(key, value)| pod.metadata.label(key) == Some(value)),
        };
        let pods = session.world().store().pods_on(node);
        let found = pods.filter(|pod| !pod.is_terminating()).find(is_meant);
        out += before;
        out += found.map_or("NOT-FOUND", |pod| &pod.metadata.name);
        rest = after;
    }
    out + rest
}

/// The owner's name as recordings write it: that of the Deployment for a ReplicaSet's pod.
fn owner_name(metadata: &ObjectMeta) -> Option<String> {
    let owner = metadata.controller()?;
    let name = match metadata.label(POD_TEMPLATE_HASH) {
        Some(hash) => owner.name.strip_suffix(hash).and_then(|rest| rest.strip_suffix('-')).unwrap_or(&owner.name),
        None => &owner.name,
    };
    Some(name.to_owned())
}

/// What the steps of a session changed.
fn tell(session: &Session) -> (Vec<Life>, Vec<Happened>, Vec<(f64, Told)>) {
    let mut lives: Vec<Life> = Vec::new();
    let mut by_uid: BTreeMap<Rc<str>, usize> = BTreeMap::new();
    let (mut happened, mut told) = (Vec::new(), Vec::new());
    for step in session.steps() {
        let t = step.at_ms as f64 / 1000.0;
        for change in step.changes.iter() {
            match (&change.before, &change.after) {
                (before, Some(Object::Pod(pod))) => {
                    let index = *by_uid.entry(pod.metadata.uid.clone()).or_insert_with(|| {
                        let owner = owner_name(&pod.metadata).unwrap_or_else(|| pod.metadata.name.to_string());
                        lives.push(Life { owner, ..Life::default() });
                        lives.len() - 1
                    });
                    let old = match before {
                        Some(Object::Pod(old)) => Some(&**old),
                        _ => None,
                    };
                    pod_changes(&mut lives[index], old, pod, t);
                }
                (Some(Object::Pod(pod)), None) => {
                    let life = by_uid.get(&pod.metadata.uid).map(|index| &mut lives[*index]);
                    if let Some(life) = life {
                        // A pod that goes at once shows that it was told to only in the message that it is gone.
                        if !pod.is_terminating() {
                            life.changes.push(("deletion-requested", "0".into(), t));
                        }
                        life.changes.push(("removed", String::new(), t));
                    }
                }
                (before, Some(Object::Node(node))) => {
                    let old = match before {
                        Some(Object::Node(old)) => Some(&**old),
                        _ => None,
                    };
                    node_changes(&mut happened, old, node, t);
                }
                (Some(object @ (Object::Node(_) | Object::DaemonSet(_))), None) => {
                    let object = format!("{}/{}", object.kind_name(), object.metadata().name);
                    happened.push(Happened { object, kind: "removed", to: String::new(), t });
                }
                (None, Some(Object::DaemonSet(set))) => {
                    let object = format!("DaemonSet/{}", set.metadata.name);
                    happened.push(Happened { object, kind: "created", to: String::new(), t });
                }
                (_, Some(Object::Event(event))) => told.push((t, told_by(event))),
                _ => {}
            }
        }
    }
    (lives, happened, told)
}

fn pod_changes(life: &mut Life, old: Option<&Pod>, pod: &Pod, t: f64) {
    let mut change = |kind: &'static str, to: String| life.changes.push((kind, to, t));
    if old.is_none() {
        change("created", String::new());
    }
    if pod.is_bound() && old.is_some_and(|old| !old.is_bound()) {
        change("bound", String::new());
    }
    if pod.status.phase != old.map_or(PENDING, |old| &old.status.phase) {
        change("phase", pod.status.phase.clone());
    }
    let ready = |pod: &Pod| pod.is_ready();
    if ready(pod) != old.is_some_and(ready) {
        change("ready", if ready(pod) { "True".into() } else { "False".into() });
    }
    if pod.is_terminating() && !old.is_some_and(Pod::is_terminating) {
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
        change("deletion-requested", grace.to_string());
    }
    let target = |pod: &Pod| pod.status.condition("DisruptionTarget").map(|c| c.reason.clone());
    // The recorder's kubelet marked no pod that it evicted.
    if let Some(reason) = target(pod).filter(|reason| reason != "TerminationByKubelet")
        && old.is_none_or(|old| target(old).as_ref() != Some(&reason))
    {
        change("DisruptionTarget", reason);
    }
    if let Some(old) = old {
        if old.status.nominated_node_name != pod.status.nominated_node_name {
            change("nominatedNodeName", pod.status.nominated_node_name.clone());
        }
        let owner = |pod: &Pod| pod.metadata.controller().map_or("none".to_owned(), |owner| owner.name.to_string());
        if owner(old) != owner(pod) {
            change("owner", owner(pod));
        }
        let hash = |pod: &Pod| pod.metadata.label(CONTROLLER_REVISION_HASH).map(str::to_owned);
        if hash(old) != hash(pod) {
            change("revision-label-changed", String::new());
        }
    }
    life.node = pod.target_node().map(str::to_owned);
    life.roams |= old.is_none() && pod.target_node().is_none();
}

fn node_changes(happened: &mut Vec<Happened>, old: Option<&Node>, node: &Node, t: f64) {
    let object = format!("Node/{}", node.name());
    let mut change = |kind: &'static str, to: String| happened.push(Happened { object: object.clone(), kind, to, t });
    let taints = |node: &Node| {
        let mut texts: Vec<String> = node.spec.taints.iter().map(Taint::to_string).collect();
        texts.sort();
        texts.join(" ")
    };
    let ready = |node: &Node| node.condition("Ready").map(|c| format!("{} {}", c.status, c.reason)).unwrap_or_default();
    match old {
        None => {
            change("created", String::new());
            change("taints", taints(node));
        }
        Some(old) => {
            if ready(old) != ready(node) {
                change("condition-ready", ready(node));
            }
            if taints(old) != taints(node) {
                change("taints", taints(node));
            }
            if old.spec.unschedulable != node.spec.unschedulable {
                change("unschedulable", node.spec.unschedulable.to_string());
            }
        }
    }
}

/// An event with random parts cut out of its names.
pub fn told_by(event: &Event) -> Told {
    let about = format!("{}/{}", event.involved_object.kind, plain(&event.involved_object.name));
    let source = if event.source.component.is_empty() { &event.reporting_component } else { &event.source.component };
    Told { reason: event.reason.clone(), about, source: source.clone(), message: plain(&event.message) }
}

fn is_uid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Cuts what is random out of a text: `#3` of a recorded name, the suffixes of a made one.
pub fn plain(text: &str) -> String {
    text.split(' ').map(plain_word).collect::<Vec<_>>().join(" ")
}

fn plain_word(word: &str) -> String {
    let end = word.trim_end_matches([',', '.', ':', ';', '"']);
    let tail = &word[end.len()..];
    if is_uid(end) {
        return format!("<uid>{tail}");
    }
    if let Some((name, number)) = end.rsplit_once('#')
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("{name}*{tail}");
    }
    if let Some(name) = end.strip_suffix("-<hash>") {
        return format!("{name}*{tail}");
    }
    let mut name = end;
    while let Some((rest, last)) = name.rsplit_once('-') {
        let random = |b: u8| b"bcdfghjklmnpqrstvwxz2456789".contains(&b);
        if last.len() < 5 || last.len() > 10 || !last.bytes().all(random) {
            break;
        }
        name = rest;
    }
    if name == end { word.to_owned() } else { format!("{name}*{tail}") }
}
