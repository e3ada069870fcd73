//! `scheduler.jsonl`: nodes, pods that are bound already, one pending pod: where it goes or why not.

use super::scheduler_run::*;
use daemonset_playground::apiserver::Store;
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::POD_SCHEDULED;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The pod goes where it went, or waits with the same words; preemption takes as many pods of the same kind.
pub fn check(case: &Value) -> Result<(), String> {
    let (mut store, key) = cluster(&case["inputs"]);
    let expect = &case["expect"];
    if let Some(feasible) = expect["feasible"].as_array() {
        let names = store.nodes().values().map(|node| &**node.name());
        let ours: BTreeSet<&str> = names.filter(|node| is_reachable(&store, &key, node)).collect();
        let recorded: BTreeSet<&str> = feasible.iter().filter_map(Value::as_str).collect();
        if ours != recorded {
            return Err(format!("feasible {ours:?}, not {recorded:?}"));
        }
    }
    let outcome = play(&mut store, &key);
    let pod = store.pod(&key).unwrap();
    if let Some(feasible) = expect["feasible"].as_array()
        && !feasible.iter().any(|node| node.as_str() == Some(&*pod.spec.node_name))
    {
        return Err(format!("on {:?}, which is none of {feasible:?}", pod.spec.node_name));
    }
    match difference(&store, &key, &outcome, expect) {
        None => check_victims(case, &outcome),
        Some(why) => match case["expect"].get("alsoSeen").or(case.get("alsoSeen")).and_then(Value::as_object) {
            // Only what differed in the second run is listed.
            Some(seen) => {
                let mut other = expect.clone();
                seen.iter().for_each(|(member, value)| other[member] = value.clone());
                difference(&store, &key, &outcome, &other).map_or(Ok(()), Err)
            }
            None => Err(why),
        },
    }
}

/// The cluster of a case of `scheduler.jsonl`, and the key of the pending pod.
fn cluster(inputs: &Value) -> (Store, ObjectKey) {
    let mut store = Store::default();
    for member in ["nodes", "priorityClasses", "podDisruptionBudgets", "runtimeClasses"] {
        array(inputs, member).for_each(|tree| drop(store.put(decoded(tree))));
    }
    for tree in array(inputs, "pods").chain([&inputs["pending"]]) {
        let Object::Pod(mut pod) = decoded(tree) else { panic!("no pod: {tree}") };
        let pod_mut = Rc::make_mut(&mut pod);
        admit(&store, pod_mut);
        if pod_mut.is_bound() {
            pod_mut.status.phase = "Running".into();
        }
        store.put(Object::Pod(pod));
    }
    (store, decoded(&inputs["pending"]).key())
}

/// A retry while victims are terminating may or may not be seen.
fn is_incidental(message: &str) -> bool {
    message.ends_with("not eligible due to a terminating pod on the nominated node.")
        || message.contains("[NodeAffinity NodeResourcesFit]")
}

fn events_of(expect: &Value) -> Vec<String> {
    let text = |event: &Value, member: &str| event[member].as_str().unwrap_or("").to_owned();
    array(expect, "events")
        .map(|e| (text(e, "reason"), text(e, "object").replace("Pod/", ""), text(e, "message")))
        .filter(|(_, _, message)| !is_incidental(message))
        .map(|(reason, object, message)| format!("{reason} {object} {message}"))
        .collect()
}

/// Whether the outcome is the recorded one; `None`: it is.
fn difference(store: &Store, key: &ObjectKey, outcome: &Outcome, expect: &Value) -> Option<String> {
    let pod = store.pod(key).unwrap();
    let choice = expect.get("feasible").is_some();
    let skip_binding = |events: Vec<String>| -> Vec<String> {
        events.into_iter().filter(|event| !(choice && event.starts_with("Scheduled "))).collect()
    };
    // Among victims that are equal in all respects any may go: their number counts.
    let names = |text: String| if text.starts_with("Preempted ") { "Preempted".into() } else { text };
    let normal = |events: Vec<String>| skip_binding(events).into_iter().map(names).collect::<Vec<_>>();
    let (ours, recorded) = (normal(outcome.events.clone()), normal(events_of(expect)));
    if ours != recorded {
        return Some(format!("events\n  ours     {ours:?}\n  recorded {recorded:?}"));
    }
    let nominated = expect["nominatedNodeName"].as_str();
    if outcome.nominated.as_deref() != nominated {
        return Some(format!("nominated {:?}, not {nominated:?}", outcome.nominated));
    }
    if !choice && pod.spec.node_name != expect["node"].as_str().unwrap_or("").into() {
        return Some(format!("on {:?}, not {}", pod.spec.node_name, expect["node"]));
    }
    let condition = pod.status.condition(POD_SCHEDULED).map(|c| {
        let mut tree = json!({"status": c.status});
        if !c.reason.is_empty() {
            (tree["reason"], tree["message"]) = (json!(c.reason), json!(c.message));
        }
        tree
    });
    let recorded = array(expect, "podScheduled").next().cloned();
    (condition != recorded).then(|| format!("condition {condition:?}, not {recorded:?}"))
}

/// Whether the pod gets to the node when it asks for this one alone, by preemption if need be: `feasible` was recorded
/// that way.
fn is_reachable(store: &Store, key: &ObjectKey, node: &str) -> bool {
    let mut store = store.clone();
    let mut pod = Pod::clone(store.pod(key).unwrap());
    let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    let mut affinity = encode(&pod.spec.affinity);
    let required = &mut affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if required["nodeSelectorTerms"].is_null() {
        required["nodeSelectorTerms"] = json!([{}]);
    }
    for term in required["nodeSelectorTerms"].as_array_mut().unwrap() {
        term["matchFields"] = json!([field]);
    }
    Rc::make_mut(&mut pod.spec).affinity = Some(Rc::new(decode(affinity).unwrap()));
    store.put(pod.into());
    play(&mut store, key);
    &*store.pod(key).unwrap().spec.node_name == node
}

/// The same number of victims, each equal in priority and requests to a recorded one.
fn check_victims(case: &Value, outcome: &Outcome) -> Result<(), String> {
    let kind_of = |name: &str| {
        let pod = array(&case["inputs"], "pods").find(|pod| pod["metadata"]["name"] == name);
        pod.map(|pod| {
            let mut spec = pod["spec"].clone();
            spec["tolerations"] = Value::Null;
            spec.to_string()
        })
    };
    let mut ours: Vec<_> = outcome.victims.iter().map(|name| kind_of(name)).collect();
    let mut recorded: Vec<_> = array(&case["expect"], "victims").map(|v| kind_of(v["pod"].as_str().unwrap())).collect();
    ours.sort();
    recorded.sort();
    if ours == recorded { Ok(()) } else { Err(format!("victims {:?}", outcome.victims)) }
}
