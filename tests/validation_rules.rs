//! Rules of the API server's validation that no recording covers. Each was compared with the source of Kubernetes
//! v1.36; the cases are in `tests/validation_rules/`.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "other tests use more of it")]
mod create_path;

use daemonset_playground::manifest::{Limits, read, to_yaml};
use serde_json::{Value, json};

/// One case: its name, the manifests that are applied one after the other, what is said of the last.
struct Case<'a> {
    name: &'a str,
    manifests: Vec<&'a str>,
    says: Vec<&'a str>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(name) = line.strip_prefix("# ") {
            cases.push(Case { name, manifests: Vec::new(), says: Vec::new() });
        } else if let Some(case) = cases.last_mut() {
            match line.strip_prefix("> ") {
                Some(said) => case.says.push(said),
                None => case.manifests.push(line),
            }
        }
    }
    cases
}

/// A line is a whole object or the spec of a pod.
fn manifest(line: &str) -> String {
    let read = read(line, &Limits::default());
    let mut tree = read.objects().next().expect("an object").value.into_owned();
    if tree.get("kind").is_none() {
        let metadata = json!({"name": "a", "labels": {"app": "a"}});
        tree = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": tree});
    }
    to_yaml(&tree)
}

/// The faults and warnings that kubectl prints.
fn said(stderr: &str) -> Vec<String> {
    let lines = stderr.lines().filter(|line| !line.ends_with("is invalid: ") && !line.trim().is_empty());
    lines
        .map(|line| match line.split_once("\" is invalid: ") {
            Some((_, fault)) => fault.to_owned(),
            None => line.trim_start_matches("* ").to_owned(),
        })
        .collect()
}

fn check(file: &str, text: &str) {
    let mut wrong = Vec::new();
    let cases = cases(text);
    assert!(cases.len() > 3, "{file} has cases");
    for case in cases {
        let mut api = create_path::cluster();
        let (last, before) = case.manifests.split_last().expect("a manifest");
        for line in before {
            let output = create_path::apply(&mut api, &manifest(line));
            assert_eq!(output.exit_code, 0, "{}: {}", case.name, output.stderr);
        }
        let got = said(&create_path::apply(&mut api, &manifest(last)).stderr);
        if got != case.says {
            wrong.push(format!(
                "{}\n  got:\n    {}\n  wanted:\n    {}",
                case.name,
                got.join("\n    "),
                case.says.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{file}: {} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pods_are_refused_in_the_api_servers_words_and_order() {
    check("pods.txt", include_str!("validation_rules/pods.txt"));
}

#[test]
fn what_may_change_in_a_pod_is_little() {
    check("updates.txt", include_str!("validation_rules/updates.txt"));
}

#[test]
fn objects_of_the_cluster_are_refused_in_the_api_servers_words_and_order() {
    check("cluster.txt", include_str!("validation_rules/cluster.txt"));
}

#[test]
fn what_is_stored_lacks_the_fields_of_features_that_are_off() {
    let mut api = create_path::cluster();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {
            "schedulingGroup": {"podGroupName": "g"},
            "volumes": [{"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"path": "p"}, "configMap": {"name": "c"}}]}}],
            "containers": [
                {"name": "a", "image": "x", "lifecycle": {"stopSignal": "SIGUSR1"}},
                {"name": "b", "image": "x", "lifecycle": {"stopSignal": "SIGUSR1", "preStop": {"sleep": {"seconds": 1}}}},
            ],
        },
    });
    assert_eq!(create_path::apply(&mut api, &to_yaml(&pod)).stderr, "");
    let stored = api.store().pods().values().next().expect("a pod");
    let spec = daemonset_playground::objects::Object::Pod(stored.clone()).to_value()["spec"].clone();
    assert_eq!(spec["schedulingGroup"], Value::Null);
    assert_eq!(spec["volumes"][0]["projected"]["sources"], json!([{"configMap": {"name": "c"}}]));
    assert_eq!(spec["containers"][0]["lifecycle"], Value::Null);
    assert_eq!(spec["containers"][1]["lifecycle"], json!({"preStop": {"sleep": {"seconds": 1}}}));
}
