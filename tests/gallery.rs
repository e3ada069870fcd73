//! Every scenario of the gallery runs to what it says, and explains itself in both languages.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::lessons::*;
use daemonset_playground::simulation::*;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/gallery")
}

/// All scenarios, by name.
fn scenarios() -> Vec<(String, Scenario)> {
    let mut found: Vec<(String, Scenario)> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, scenario)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn every_scenario_comes_to_what_it_expects() {
    let mut failed = Vec::new();
    for (name, scenario) in scenarios() {
        assert!(!scenario.expect.is_empty(), "{name} expects nothing");
        let (_, outcome) = verify(&scenario).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        if !outcome.is_as_expected() {
            failed.push(format!("{name}: {:?} after {} steps, {:#?}", outcome.ending, outcome.steps, outcome.failed));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A scenario that expects something of a cluster without doing anything would prove nothing.
#[test]
fn nothing_that_is_expected_holds_at_the_start() {
    for (name, scenario) in scenarios() {
        let expected = Expectation::of(&scenario).unwrap();
        let start = Session::new(Scenario { log: Vec::new(), ..scenario });
        let scene = Scene::now(&start, 0);
        assert!(expected.checks.iter().any(|item| !item.check.holds(scene)), "{name}");
    }
}

#[test]
fn every_command_of_a_scenario_is_one_that_works_or_is_meant_to_fail() {
    const MEANT_TO_FAIL: [&str; 3] =
        ["kubectl drain n2", "kubectl rollout status ds/agent", "kubectl apply -f agent.yaml"];
    for (name, scenario) in scenarios() {
        for step in Session::new(scenario).steps() {
            let Reason::Command(run) = &step.reason else { continue };
            let failed = run.exit_code.is_some_and(|code| code != 0);
            assert!(!failed || MEANT_TO_FAIL.contains(&run.line.as_str()), "{name}: {}: {}", run.line, run.stderr);
        }
    }
}

#[test]
fn every_scenario_explains_itself_in_one_sentence_in_both_languages() {
    for (name, scenario) in scenarios() {
        let about = &scenario.about;
        assert_eq!(about.keys().collect::<Vec<_>>(), ["en", "fr"], "{name}");
        for (language, About { title, text }) in about {
            assert!(!title.is_empty() && text.ends_with('.'), "{name} {language}");
            assert_eq!(text.matches(". ").count(), 0, "{name} {language}: one sentence");
            assert!((40..=190).contains(&text.chars().count()), "{name} {language}: {} letters", text.chars().count());
        }
        assert_ne!(about["en"].text, about["fr"].text, "{name}");
        assert_eq!(scenario.title, about["en"].title, "{name}");
    }
}

/// `UPDATE_INDEX=1` writes the titles anew; the order is that of the file.
#[test]
fn the_index_lists_every_scenario_as_it_is() {
    let path = folder().join("index.json");
    let index: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let scenarios = scenarios();
    let listed = index["scenarios"].as_array().unwrap();
    assert_eq!(listed.len(), scenarios.len());
    let entries: Vec<serde_json::Value> = listed
        .iter()
        .map(|entry| {
            let id = entry["id"].as_str().unwrap();
            let group = entry["group"].as_str().unwrap();
            assert!(["agents", "breakages"].contains(&group), "{id}: {group}");
            let (_, scenario) = scenarios.iter().find(|(name, _)| name == id).unwrap_or_else(|| panic!("no {id}"));
            let about = |language: &str| {
                let about = &scenario.about[language];
                serde_json::json!({"title": about.title, "text": about.text})
            };
            serde_json::json!({"id": id, "group": group, "en": about("en"), "fr": about("fr")})
        })
        .collect();
    let wanted = serde_json::json!({"scenarios": entries});
    #[allow(clippy::disallowed_methods, reason = "tests may be told to rewrite their data")]
    if std::env::var("UPDATE_INDEX").is_ok() {
        fs::write(&path, serde_json::to_string_pretty(&wanted).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(index, wanted);
}
