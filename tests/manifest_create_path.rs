//! Everything that a manifest goes through, with the texts that fuzzing found to take different ways, with every
//! manifest of the recordings, and at the limits.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::app::model::first_scenario;
use daemonset_playground::kubectl::{Context, Outcome, run};
use daemonset_playground::manifest::{Fact, LimitKind, Limits, read};
use daemonset_playground::objects::{Object, Time};
use daemonset_playground::simulation::Session;
use serde_json::Value;

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "conformance_support/cases.rs"]
mod cases;
#[allow(dead_code, reason = "the fuzz target uses more of it")]
mod create_path;

/// The smallest set of texts that covered what an hour of fuzzing had covered, those of moderate length.
#[test]
fn texts_that_fuzzing_kept_pass_through_the_whole_path() {
    let cluster = create_path::cluster();
    let texts: Vec<String> =
        include_str!("create_path/corpus.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(texts.len() > 300, "{}", texts.len());
    let session = Session::new(first_scenario());
    for text in &texts {
        create_path::check(&cluster, text);
        create_path::diagnosed(&session, text);
    }
}

/// All manifests that the recordings apply, in their order.
fn recorded_manifests() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for family in ["validation", "cases", "kubectl", "lifecycle", "realmanifests"] {
        for case in cases::read(family).expect("the recordings can be read").unwrap_or_default() {
            let inputs = &case["inputs"];
            let before = inputs["before"].as_array().into_iter().flatten();
            let steps = inputs["steps"].as_array().into_iter().flatten().map(|step| &step["stdin"]);
            let actions = inputs["actions"].as_array().into_iter().flatten().map(|action| &action["apply"]);
            let all = before.chain([&inputs["manifest"]]).chain(steps).chain(actions);
            let texts = all.filter_map(Value::as_str).filter(|text| !text.contains("$(repeat")).map(str::to_owned);
            found.push((format!("{family} {}", cases::name(&case)), texts.collect()));
        }
    }
    found
}

/// Whatever is accepted comes back from `-o yaml` as it is stored, and writing that back changes nothing.
#[test]
fn every_recorded_object_comes_back() {
    let mut seen = 0;
    for (_, manifests) in recorded_manifests() {
        let mut api = ApiServer::new(1, Time(1_780_000_000));
        for manifest in manifests {
            create_path::apply(&mut api, &manifest);
        }
        for object in api.store().all() {
            if !matches!(object, Object::Event(_)) {
                create_path::comes_back(&mut api, &object);
                seen += 1;
            }
        }
    }
    println!("{seen} objects came back");
}

fn stored_yaml(text: &str, line: &str) -> String {
    let mut api = ApiServer::new(1, Time(1_780_000_000));
    let output = create_path::apply(&mut api, text);
    assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""));
    match run(&mut api, &Context::default(), line) {
        Outcome::Done(output) => output.stdout,
        Outcome::Waiting(_) => panic!("{line} waits"),
    }
}

#[test]
fn zeros_that_must_be_written_come_back() {
    let class = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 0}";
    let yaml = stored_yaml(class, "kubectl get priorityclass low -o yaml");
    assert!(yaml.lines().any(|line| line == "value: 0"), "{yaml}");
    let budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 0, \
                  selector: {}}}";
    let yaml = stored_yaml(budget, "kubectl get pdb a -o yaml");
    for line in ["  minAvailable: 0", "  selector: {}", "  disruptionsAllowed: 0", "  expectedPods: 0"] {
        assert!(yaml.lines().any(|found| found == line), "{line}: {yaml}");
    }
}

/// Kinds that the playground does not know, false and zero behind pointers, order of lists, annotations.
#[test]
fn what_only_the_person_knows_about_comes_back() {
    let text = "\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: nightly
  annotations: {b: '1', a: \"on\", note: \"two\\nlines\"}
spec: {suspend: false, custom: [3, 1, 2, {z: null, a: 0}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {z: '', y: '0'}}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 0
  securityContext: {runAsUser: 0, runAsNonRoot: false}
  containers:
  - {name: b, image: x, args: ['', '0', 'no'], securityContext: {privileged: false}}
  - {name: a, image: x, env: [{name: Z, value: ''}, {name: A, value: 'null'}]}
";
    let mut api = ApiServer::new(1, Time(1_780_000_000));
    let output = create_path::apply(&mut api, text);
    assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""));
    let mut get = |line: &str| match run(&mut api, &Context::default(), line) {
        Outcome::Done(output) => read(&output.stdout, &Limits::default()).documents[0].value().cloned().unwrap(),
        Outcome::Waiting(_) => panic!("{line} waits"),
    };
    let job = get("kubectl get flowschema nightly -o yaml");
    assert_eq!(job["metadata"]["annotations"]["note"], "two\nlines");
    assert_eq!((&job["spec"]["suspend"], &job["spec"]["custom"][3]["a"]), (&false.into(), &0.into()));
    assert_eq!(
        job["spec"]["custom"].as_array().map(|list| list[..3].to_vec()),
        Some(vec![3.into(), 1.into(), 2.into()])
    );
    let pod = get("kubectl get pod a -o yaml");
    assert_eq!(pod["metadata"]["annotations"]["z"], "");
    let spec = &pod["spec"];
    assert_eq!(
        (&spec["automountServiceAccountToken"], &spec["enableServiceLinks"], &spec["terminationGracePeriodSeconds"]),
        (&false.into(), &false.into(), &0.into())
    );
    assert_eq!(spec["securityContext"], serde_json::json!({"runAsUser": 0, "runAsNonRoot": false}));
    assert_eq!((&spec["containers"][0]["name"], &spec["containers"][1]["name"]), (&"b".into(), &"a".into()));
    assert_eq!(spec["containers"][0]["args"], serde_json::json!(["", "0", "no"]));
    assert_eq!(spec["containers"][0]["securityContext"], serde_json::json!({"privileged": false}));
    assert_eq!(spec["containers"][1]["env"][1], serde_json::json!({"name": "A", "value": "null"}));
}

/// One limit is lowered; the text then reaches it and nothing else.
fn reached(text: &str, limits: &Limits) -> (LimitKind, usize) {
    let read = read(text, limits);
    let found = read.diagnostics.iter().find_map(|diagnostic| match diagnostic.fact {
        Fact::LimitReached { limit, allowed } => Some((limit, allowed)),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no limit: {:?}", read.diagnostics))
}

#[test]
fn every_budget_has_its_message() {
    let limits = Limits::default();
    assert_eq!(reached("a: 1\nb: 2\n", &Limits { bytes: 6, ..limits }), (LimitKind::Bytes, 6));
    assert_eq!(reached("a: {b: {c: {d: 1}}}\n", &Limits { depth: 3, ..limits }), (LimitKind::Depth, 3));
    let aliases = "a: &a 1\nb: [*a, *a, *a]\n";
    assert_eq!(reached(aliases, &Limits { aliases: 2, ..limits }), (LimitKind::Aliases, 2));
    let bomb = "a: &a [1, 1, 1, 1]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n";
    assert_eq!(reached(bomb, &Limits { expansion: 20, ..limits }), (LimitKind::Expansion, 20));
    assert_eq!(reached("a: 1\n---\nb: 1\n---\nc: 1\n", &Limits { documents: 2, ..limits }), (LimitKind::Documents, 2));
    let list = "apiVersion: v1\nkind: List\nitems: [{a: 1}, {a: 2}, {a: 3}]\n";
    assert_eq!(reached(list, &Limits { objects: 2, ..limits }), (LimitKind::Objects, 2));
}

#[test]
fn reached_budgets_are_told_by_kubectl_too() {
    let deep = format!("a: {}1{}\n", "[".repeat(150), "]".repeat(150));
    let wide = format!("a: &a {{b: c}}\nl: [{}]\n", "*a, ".repeat(6_000));
    for text in [deep, wide] {
        let output = create_path::apply(&mut create_path::cluster(), &text);
        assert_eq!(output.exit_code, 1);
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    }
}
