//! `scheduler.jsonl`: nodes, pods that are bound already, one pending pod: where it goes or why not.

use super::expect_eq;
use super::scheduler_run::*;
use daemonset_playground::apiserver::{ApiServer, Store, Write};
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::POD_SCHEDULED;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The pod goes where it went, or waits with the same words; preemption takes as many pods of the same kind.
pub fn check(case: &Value) -> Result<(), String> {
    let (mut server, key) = cluster_of(&case["inputs"]);
    let expect = &case["expect"];
    check_admission(pod(server.store(), &key), expect)?;
    if let Some(feasible) = expect["feasible"].as_array() {
        let names = server.store().nodes().values().map(|node| &**node.name());
        let ours: BTreeSet<&str> = names.filter(|node| is_reachable(&server, &key, node)).collect();
        expect_eq("feasible", ours, feasible.iter().filter_map(Value::as_str).collect())?;
    }
    let outcome = play(&mut server, &key);
    let node = &pod(server.store(), &key).spec.node_name;
    if let Some(feasible) = expect["feasible"].as_array()
        && !feasible.iter().any(|name| name.as_str() == Some(node))
    {
        return Err(format!("on {node:?}, which is none of {feasible:?}"));
    }
    let Err(why) = compare(server.store(), &key, &outcome, expect) else {
        return check_victims(case, &outcome);
    };
    // Of a second run only what differed is listed.
    let Some(seen) = expect["alsoSeen"].as_object() else { return Err(why) };
    let mut other = expect.clone();
    seen.iter().for_each(|(member, value)| other[member] = value.clone());
    compare(server.store(), &key, &outcome, &other)
}

/// What admission made of the pod.
fn check_admission(pod: &Pod, expect: &Value) -> Result<(), String> {
    let stored = encode(pod);
    for member in ["priority", "preemptionPolicy", "tolerations", "overhead"] {
        // A zero priority is stored, and left out when our objects are written.
        let present = match &stored["spec"][member] {
            Value::Null if member == "priority" => json!(pod.priority()),
            value => value.clone(),
        };
        expect_eq(member, &present, &expect[member])?;
    }
    Ok(())
}

/// Whether the pod gets to the node when it asks for this one alone, by preemption if need be: `feasible` was recorded
/// that way.
fn is_reachable(server: &ApiServer, key: &ObjectKey, node: &str) -> bool {
    let mut server = server.clone();
    let mut pinned = pod(server.store(), key).clone();
    let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    let mut affinity = encode(&pinned.spec.affinity);
    let required = &mut affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if required["nodeSelectorTerms"].is_null() {
        required["nodeSelectorTerms"] = json!([{}]);
    }
    for term in required["nodeSelectorTerms"].as_array_mut().into_iter().flatten() {
        term["matchFields"] = json!([field]);
    }
    Rc::make_mut(&mut pinned.spec).affinity = Some(Rc::new(decode(affinity).expect("an affinity")));
    server.commit(Write::Update(pinned.into())).unwrap_or_else(|status| panic!("{status}"));
    play(&mut server, key);
    &*pod(server.store(), key).spec.node_name == node
}

/// A retry while victims are terminating may or may not be seen.
fn is_incidental(message: &str) -> bool {
    message.ends_with("not eligible due to a terminating pod on the nominated node.")
        || message.contains("[NodeAffinity NodeResourcesFit]")
}

/// Events in their order. Among victims that are equal in all respects any may go, so their names are left out; so is
/// the binding where there was a choice.
fn comparable(events: impl Iterator<Item = String>, choice: bool) -> Vec<String> {
    events
        .filter(|event| !is_incidental(event))
        .filter(|event| !choice || !event.starts_with("Scheduled "))
        .map(|event| if event.starts_with("Preempted ") { "Preempted".into() } else { event })
        .collect()
}

fn compare(store: &Store, key: &ObjectKey, outcome: &Outcome, expect: &Value) -> Result<(), String> {
    let pod = pod(store, key);
    let choice = expect.get("feasible").is_some();
    let text = |event: &Value, member: &str| event[member].as_str().unwrap_or("").to_owned();
    let recorded = array(expect, "events").map(|event| {
        let object = text(event, "object").replace("Pod/", "");
        format!("{} {object} {}", text(event, "reason"), text(event, "message"))
    });
    let ours = comparable(outcome.events.iter().cloned(), choice);
    expect_eq("events", ours, comparable(recorded, choice))?;
    expect_eq("nominated node", outcome.nominated.as_deref(), expect["nominatedNodeName"].as_str())?;
    if !choice {
        expect_eq("node", &*pod.spec.node_name, expect["node"].as_str().unwrap_or(""))?;
    }
    let condition = pod.status.condition(POD_SCHEDULED).map(|condition| {
        let mut tree = json!({"status": condition.status});
        if !condition.reason.is_empty() {
            (tree["reason"], tree["message"]) = (json!(condition.reason), json!(condition.message));
        }
        tree
    });
    expect_eq("PodScheduled", condition.as_ref(), array(expect, "podScheduled").next())
}

/// The same number of victims, each with the same spec as a recorded one.
fn check_victims(case: &Value, outcome: &Outcome) -> Result<(), String> {
    let spec = |name: &str| {
        let pod = array(&case["inputs"], "pods").find(|pod| pod["metadata"]["name"] == name);
        pod.map(|pod| pod["spec"].to_string())
    };
    let mut ours: Vec<_> = outcome.victims.iter().map(|name| spec(name)).collect();
    let victims = array(&case["expect"], "victims");
    let mut recorded: Vec<_> = victims.map(|victim| spec(victim["pod"].as_str().unwrap_or(""))).collect();
    ours.sort();
    recorded.sort();
    expect_eq("specs of victims", ours, recorded)
}
