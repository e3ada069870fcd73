//! Every suggested change really turns the verdict: tried on every recorded node and DaemonSet, and on random ones.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "only the recordings' reader is needed here")]
#[path = "conformance_support/cases.rs"]
mod cases;

use cases::{name, part};
use daemonset_playground::apiserver::schema::resource_of;
use daemonset_playground::apiserver::validation::validate_create;
use daemonset_playground::controllers::daemonset::{Rules, evaluate};
use daemonset_playground::insight::explain::{Explanation, apply, explain};
use daemonset_playground::objects::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// Everything that must hold of an explanation. Returns it for more.
fn check(name: &str, daemonset: &DaemonSet, node: &Node) -> Explanation {
    let explanation = explain(daemonset, node);
    let before = explanation.verdict.eligibility;
    assert_eq!(before, Rules::of(daemonset).eligibility(node), "{name}: the verdict and the rules disagree");
    for change in &explanation.changes {
        let (new_daemonset, new_node) = apply(&change.edits, daemonset, node);
        let after = evaluate(&new_daemonset, &new_node).eligibility;
        assert_ne!(after.should_run, before.should_run, "{name}: {change:?} does not turn the verdict");
        for left_out in 0..change.size() {
            let mut fewer = change.edits.clone();
            fewer.remove(left_out);
            let (daemonset, node) = apply(&fewer, daemonset, node);
            let after = evaluate(&daemonset, &node).eligibility;
            assert_eq!(after.should_run, before.should_run, "{name}: {change:?} can do without edit {left_out}");
        }
        assert_eq!(change.is_on_node_only(), new_daemonset == *daemonset, "{name}: {change:?}");
        assert_valid(name, Kind::DaemonSet, daemonset, &new_daemonset);
        assert_valid(name, Kind::Node, node, &new_node);
    }
    assert!(explanation.changes.is_sorted_by_key(|change| change.size()), "{name}: not the smallest first");
    if !before.should_run {
        let by_manifest = explanation.changes.iter().any(|change| change.is_on_daemonset_only());
        assert!(by_manifest, "{name}: a manifest can always be changed so that it fits");
    }
    explanation
}

/// The API server accepts the changed object as it accepted the one before.
fn assert_valid<T: serde::Serialize>(name: &str, kind: Kind, before: &T, after: &T) {
    let resource = resource_of(kind.api_version(), kind.name()).expect("a known kind");
    let faults = |object: &T| -> Vec<String> {
        validate_create(resource, &encode(object)).iter().map(|error| error.body()).collect()
    };
    let known = faults(before);
    let new: Vec<String> = faults(after).into_iter().filter(|fault| !known.contains(fault)).collect();
    assert!(new.is_empty(), "{name}: the API server refuses the change: {new:?}");
}

#[test]
fn every_recorded_verdict_can_be_turned() {
    let recorded = cases::read("eligibility").expect("the file is well formed").expect("the file is there");
    let (mut not_eligible, mut changes) = (0, 0);
    for case in &recorded {
        let (daemonset, node): (DaemonSet, Node) = (part(case, "daemonset"), part(case, "node"));
        let explanation = check(name(case), &daemonset, &node);
        if !explanation.verdict.eligibility.should_run {
            not_eligible += 1;
            changes += explanation.changes.len();
        }
    }
    println!("{not_eligible} of {} recorded nodes are not eligible; {changes} changes tried", recorded.len());
    assert!(not_eligible > 100, "the recordings hold too few nodes that are not eligible");
}

fn values() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "1", "5", "08", "x1"]), 1..3)
        .prop_map(|values| values.into_iter().map(str::to_owned).collect())
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["zone", "disk", "cores", "example.com/pool"])
}

fn requirement() -> impl Strategy<Value = Value> {
    (key(), prop::sample::select(vec!["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]), values()).prop_map(
        |(key, operator, mut values)| match operator {
            "Exists" | "DoesNotExist" => json!({"key": key, "operator": operator}),
            "Gt" | "Lt" => {
                values.truncate(1);
                json!({"key": key, "operator": operator, "values": values})
            }
            _ => json!({"key": key, "operator": operator, "values": values}),
        },
    )
}

fn term() -> impl Strategy<Value = Value> {
    (prop::collection::vec(requirement(), 0..3), prop::option::of(prop::sample::select(vec!["In", "NotIn"]))).prop_map(
        |(expressions, field)| {
            let fields: Vec<Value> = field
                .map(|operator| json!({"key": "metadata.name", "operator": operator, "values": ["worker-1"]}))
                .into_iter()
                .collect();
            json!({"matchExpressions": expressions, "matchFields": fields})
        },
    )
}

fn taint() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec!["dedicated", "gpu", TAINT_NOT_READY, TAINT_UNSCHEDULABLE]);
    let effects = prop::sample::select(vec![NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE]);
    (keys, prop::sample::select(vec!["", "infra"]), effects)
        .prop_map(|(key, value, effect)| json!({"key": key, "value": value, "effect": effect}))
}

fn toleration() -> impl Strategy<Value = Value> {
    let operators = prop::sample::select(vec!["", "Equal", "Exists", "Gt"]);
    (operators, taint()).prop_map(|(operator, taint)| {
        let value = if operator == "Exists" { json!("") } else { taint["value"].clone() };
        json!({"key": taint["key"], "operator": operator, "value": value, "effect": taint["effect"]})
    })
}

fn daemonset() -> impl Strategy<Value = DaemonSet> {
    let parts = (
        prop::sample::select(vec!["", "", "worker-1", "worker-2"]),
        prop::collection::btree_map(key(), values().prop_map(|values| values.concat()), 0..3),
        prop::option::of(prop::collection::vec(term(), 1..4)),
        prop::collection::vec(toleration(), 0..3),
    );
    parts.prop_map(|(node_name, node_selector, terms, tolerations)| {
        let affinity = terms.map_or(Value::Null, |terms| {
            json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})
        });
        let spec = json!({
            "nodeName": node_name, "nodeSelector": node_selector, "affinity": affinity, "tolerations": tolerations,
            "containers": [{"name": "agent", "image": "agent:v1"}],
        });
        let template = json!({"metadata": {"labels": {"app": "agent"}}, "spec": spec});
        decode(json!({
            "metadata": {"name": "agent", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template},
        }))
        .expect("a DaemonSet")
    })
}

fn node() -> impl Strategy<Value = Node> {
    let labels = prop::collection::btree_map(key(), values().prop_map(|values| values.concat()), 0..4);
    (labels, prop::collection::vec(taint(), 0..4)).prop_map(|(labels, taints)| {
        let mut unique: Vec<Value> = Vec::new();
        for taint in taints {
            if !unique.iter().any(|seen| seen["key"] == taint["key"] && seen["effect"] == taint["effect"]) {
                unique.push(taint);
            }
        }
        decode(json!({"metadata": {"name": "worker-1", "labels": labels}, "spec": {"taints": unique}})).expect("a node")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_random_verdict_can_be_turned(daemonset in daemonset(), node in node()) {
        check("a random node", &daemonset, &node);
    }
}
