//! The arrows of ARCHITECTURE.md point one way: a module uses only modules below it.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the bottom up. A module may use those of an earlier row and itself, not its neighbours.
const ROWS: [&[&str]; 11] = [
    &["order"],
    &["objects", "manifest"],
    &["apiserver"],
    &["controllers", "scheduler", "kubelet"],
    &["kubectl"],
    &["simulation"],
    &["insight", "permalink", "exchange"],
    &["lessons"],
    &["app", "js_api"],
    &["ui"],
    &["main"],
];

/// Arrows between neighbours of a row that are meant, with the reason.
const NEIGHBOURS: [(&str, &str, &str); 1] = [(
    "kubelet",
    "scheduler",
    "admission at the node runs the scheduler's own filters again, as the real kubelet does",
)];

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Names of the crate's modules that a source text mentions by path.
fn modules_used(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut used = Vec::new();
    for line in code {
        for start in ["crate::", "daemonset_playground::"] {
            for (at, _) in line.match_indices(start) {
                let before = line[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let rest = &line[at + start.len()..];
                let names: Vec<&str> = match rest.strip_prefix('{') {
                    Some(group) => group.split('}').next().unwrap_or("").split(',').collect(),
                    None => vec![rest],
                };
                for name in names {
                    let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    used.push(name);
                }
            }
        }
    }
    used
}

#[test]
fn every_arrow_points_downward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    files.sort();
    let mut upward = Vec::new();
    let mut looked_at = 0;
    for path in &files {
        let relative = path.strip_prefix(&source).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let Some(own) = row(module) else {
            assert!(module == "lib", "{module} has no place in the rows of this test");
            continue;
        };
        looked_at += 1;
        for used in modules_used(&fs::read_to_string(path).unwrap()) {
            let Some(other) = row(&used) else { continue };
            let meant = NEIGHBOURS.iter().any(|(from, to, _)| *from == module && *to == used);
            if used != module && other >= own && !meant {
                upward.push(format!("{} uses {used}", relative.display()));
            }
        }
    }
    assert!(looked_at > 10, "only {looked_at} files looked at");
    assert_eq!(upward, Vec::<String>::new());
}

#[test]
fn an_upward_arrow_would_be_seen() {
    assert_eq!(modules_used("use crate::ui::{Card};"), ["ui"]);
    assert_eq!(modules_used("use crate::{app, simulation::Step};"), ["app", "simulation"]);
    assert_eq!(modules_used("    let x = crate::kubectl::run();"), ["kubectl"]);
    assert_eq!(modules_used("// crate::ui\nuse other_crate::ui;"), Vec::<String>::new());
}
