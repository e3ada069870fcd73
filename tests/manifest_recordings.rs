//! Recorded manifests: what a real kubectl could not parse, we must not parse either, with the same words; and all the
//! others must be read. Looks for the recordings in CONFORMANCE_DIR, the copies in the repository, or beside it.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::manifest::{Limits, read, to_yaml};
use serde_json::Value;
use std::path::PathBuf;

#[allow(clippy::disallowed_methods, reason = "where the recordings are is the environment's to say")]
fn recordings(file: &str) -> Vec<Value> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let directories = std::env::var_os("CONFORMANCE_DIR")
        .map(PathBuf::from)
        .into_iter()
        .chain([root.join("tests/conformance"), root.join("../shared/conformance")]);
    for directory in directories {
        if let Ok(text) = std::fs::read_to_string(directory.join(file)) {
            return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        }
    }
    eprintln!("{file}: absent");
    Vec::new()
}

/// What kubectl prints when the stream cannot be read to its end.
fn parse_error(manifest: &str) -> Option<String> {
    let read = read(manifest, &Limits::default());
    read.stream()
        .find_map(Result::err)
        .map(|diagnostic| diagnostic.kubectl_stderr("STDIN").unwrap_or_else(|| format!("(ours) {diagnostic}")))
}

fn check(name: &str, manifest: &str, stderr: &str, failed: &mut Vec<String>) {
    let recorded = stderr.lines().find(|line| line.starts_with("error: error parsing STDIN"));
    let ours = parse_error(manifest);
    if ours.as_deref() != recorded {
        failed.push(format!("{name}: recorded {recorded:?}, read {ours:?}"));
    }
}

#[test]
fn recorded_manifests_are_read_or_refused_as_kubectl_does() {
    let mut failed = Vec::new();
    let mut checked = 0;
    for case in recordings("validation.jsonl") {
        let manifest = case["inputs"]["manifest"].as_str().unwrap();
        check(case["name"].as_str().unwrap(), manifest, case["expect"]["stderr"].as_str().unwrap_or(""), &mut failed);
        checked += 1;
    }
    for case in recordings("cases.jsonl") {
        let name = case["name"].as_str().unwrap();
        if case["format"] == "validation" {
            let manifest = case["inputs"]["manifest"].as_str().unwrap();
            check(name, manifest, case["expect"]["stderr"].as_str().unwrap_or(""), &mut failed);
            checked += 1;
        } else if case["format"] == "kubectl" {
            let commands = case["inputs"]["steps"].as_array().unwrap().iter().filter(|step| step["run"].is_string());
            for (step, result) in commands.zip(case["expect"]["steps"].as_array().unwrap()) {
                if let Some(manifest) = step["stdin"].as_str().filter(|text| !text.contains("$(repeat")) {
                    check(name, manifest, result["stderr"].as_str().unwrap_or(""), &mut failed);
                    checked += 1;
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} of {checked} differ:\n{}", failed.len(), failed.join("\n"));
    println!("{checked} recorded manifests");
}

#[test]
fn what_kubectl_prints_as_yaml_comes_back_unchanged() {
    let mut checked = 0;
    for case in recordings("kubectl.jsonl").into_iter().chain(recordings("cases.jsonl")) {
        for result in case["expect"]["steps"].as_array().into_iter().flatten() {
            // Where parts are masked, the output as it was printed stands beside it.
            let Some(output) = result["stdout_raw"].as_str().or(result["stdout"].as_str()) else { continue };
            if !output.starts_with("apiVersion: ") {
                continue;
            }
            let read = read(output, &Limits::default());
            let value = read.documents[0].value().unwrap_or_else(|| panic!("{:?}", read.diagnostics));
            assert_eq!(to_yaml(value), output, "{}", case["name"]);
            checked += 1;
        }
    }
    println!("{checked} printed objects");
}
