//! Scenario files are YAML: what our own reader makes of them is what another reader makes of them.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::simulation::Scenario;
use std::fs;
use std::path::Path;

/// The scenario files of the repository, and what the page shows of them.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["www/gallery", "tests/scenarios", "examples"].map(|folder| root.join(folder));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "yaml"));
    paths.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn another_reader_reads_the_same() {
    let mut compared = 0;
    for (name, text) in texts() {
        let Ok(mut theirs) = serde_yaml::from_str::<Scenario>(&text) else { continue };
        let ours = Scenario::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Ours has made nodes of its machines.
        let made = ours.objects.len() - theirs.objects.len();
        theirs.objects.splice(0..0, ours.objects[..made].iter().cloned());
        theirs.cluster.clear();
        assert_eq!(ours, theirs, "{name}");
        compared += 1;
    }
    assert!(compared > 40, "only {compared} scenarios");
}

#[test]
fn another_reader_reads_what_is_written() {
    for (name, text) in texts() {
        let Ok(mut scenario) = Scenario::parse(&text) else { continue };
        scenario.files.insert("odd".into(), " leading\n\ttab \u{1F600}\r\n#\n\n".into());
        for odd in ["yes", "on", "~", "0x1F", "1_000", "1e3", ".5", "2026-01-05", "a: b", "- x", "'", "\"", "<<", ""] {
            scenario.files.insert(format!("{odd}.yaml"), odd.into());
            scenario.about.insert(odd.to_owned(), Default::default());
        }
        scenario.seed = u64::MAX;
        let written = scenario.to_yaml();
        assert_eq!(Scenario::parse(&written).as_ref(), Ok(&scenario), "{name}: {written}");
        assert_eq!(serde_yaml::from_str::<Scenario>(&written).unwrap(), scenario, "{name}: {written}");
    }
}
