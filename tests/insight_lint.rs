//! The rules of the manifest check, each with its specification in `tests/lint`: a manifest that it speaks up for, at the
//! line marked `# <-`, and one that it is silent about. Where it offers a change, the changed manifest is silent too, keeps
//! its comments, and the API server takes it.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::app::text::Language;
use daemonset_playground::insight::lint::{Finding, Known, Level, Rule, lint};
use daemonset_playground::manifest::{Limits, apply_edits, read};
use daemonset_playground::objects::{NodeTemplate, Time};
use daemonset_playground::simulation::{Scenario, Session};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A specification: its header and its sections.
struct Spec {
    name: String,
    header: BTreeMap<String, String>,
    sections: BTreeMap<String, String>,
}

impl Spec {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut parts = text.split("=== ");
        let header = parts.next().unwrap().lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": "));
        let sections = parts.map(|part| part.split_once('\n').unwrap());
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        Self {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            header: header.map(owned).collect(),
            sections: sections.map(owned).collect(),
        }
    }

    fn rule(&self) -> Rule {
        *Rule::ALL.iter().find(|rule| rule.id() == self.name).unwrap_or_else(|| panic!("{} is no rule", self.name))
    }

    /// A control plane and workers; `mixed` has a Windows node that nothing keeps Linux pods off, `virtual` a virtual one.
    fn session(&self) -> Session {
        let workers: u32 = self.header.get("nodes").map_or(3, |n| n.parse().unwrap());
        let start = Time(0);
        let mut nodes = vec![NodeTemplate::ControlPlane.node("control-plane", 1, start)];
        nodes.extend((1..=workers).map(|n| NodeTemplate::Worker.node(&format!("worker{n}"), n + 1, start)));
        if self.header.get("cluster").is_some_and(|cluster| cluster == "mixed") {
            let mut windows = NodeTemplate::Windows.node("win1", 9, start);
            windows.spec.taints = Default::default();
            nodes.push(windows);
        }
        if self.header.get("cluster").is_some_and(|cluster| cluster == "virtual") {
            nodes.push(NodeTemplate::VirtualKubelet.node("vk1", 8, start));
        }
        let objects = nodes.iter().map(|node| {
            let mut tree = serde_json::to_value(node).unwrap();
            tree["apiVersion"] = json!("v1");
            tree["kind"] = json!("Node");
            tree
        });
        let mut uses = json!({});
        for used in self.header.get("usage").into_iter().flat_map(|usage| usage.split(' ')) {
            let (resource, amount) = used.split_once('=').unwrap();
            uses[resource] = json!([{"amount": amount}]);
        }
        let behaviours = serde_json::from_value(json!([{"uses": uses}])).unwrap();
        let mut session = Session::new(Scenario { objects: objects.collect(), behaviours, ..Scenario::default() });
        if let Some(live) = self.sections.get("live") {
            apply(&mut session, live);
        }
        session
    }
}

fn known(session: &Session) -> Known<'_> {
    Known { store: Some(session.world().store()), behaviours: Some(session.world().behaviours()) }
}

fn apply(session: &mut Session, text: &str) -> (Option<i32>, String) {
    let files = BTreeMap::from([("agent.yaml".to_owned(), text.to_owned())]);
    let run = session.run("kubectl apply -f agent.yaml", &files);
    (run.exit_code, run.stderr.clone())
}

fn specs() -> Vec<Spec> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| Spec::read(path)).collect()
}

fn of_rule(findings: &[Finding], rule: Rule) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.rule == rule && finding.level != Level::Fine).collect()
}

#[test]
fn every_rule_has_a_specification() {
    let mut named: Vec<String> = specs().into_iter().map(|spec| spec.name).collect();
    let mut rules: Vec<String> = Rule::ALL.iter().map(|rule| rule.id().to_owned()).collect();
    rules.sort();
    named.sort();
    assert_eq!(named, rules);
}

#[test]
fn every_rule_speaks_up_at_its_line_and_is_silent_otherwise() {
    for spec in specs() {
        let (session, rule, name) = (spec.session(), spec.rule(), &spec.name);
        let fires = &spec.sections["fires"];
        let findings = lint(fires, &known(&session));
        let found = of_rule(&findings, rule);
        let marked = fires.lines().position(|line| line.contains("# <-")).unwrap() + 1;
        let first = found.first().unwrap_or_else(|| panic!("{name} says nothing"));
        assert_eq!(first.span.start.line, marked, "{name}: {}", first.path);
        assert_eq!(first.span.start.line, first.span.end.line, "{name}");
        assert_eq!(serde_json::to_value(first.level).unwrap(), json!(spec.header["level"]), "{name}");
        assert_eq!(spec.header["fix"] == "yes", first.fix.is_some(), "{name}: a change is offered or not");
        let quiet = lint(&spec.sections["quiet"], &known(&session));
        assert_eq!(of_rule(&quiet, rule), Vec::<&Finding>::new(), "{name} is not silent");
    }
}

#[test]
fn every_offered_change_leaves_a_manifest_that_the_rule_and_the_api_server_accept() {
    for spec in specs().into_iter().filter(|spec| spec.header["fix"] == "yes") {
        let (mut session, rule, name) = (spec.session(), spec.rule(), &spec.name);
        let before = &spec.sections["fires"];
        let findings = lint(before, &known(&session));
        let fix = of_rule(&findings, rule)[0].fix.clone().unwrap();
        let after = apply_edits(before, &[fix]);
        assert_eq!(of_rule(&lint(&after, &known(&session)), rule), Vec::<&Finding>::new(), "{name}:\n{after}");
        assert!(after.contains("# Keep this comment."), "{name}:\n{after}");
        assert_eq!(apply(&mut session, &after), (Some(0), String::new()), "{name}:\n{after}");
    }
}

/// A person is in the middle of typing: whatever line is missing, nothing panics, and no offered change breaks the text.
#[test]
fn half_written_manifests_are_looked_at_too() {
    let mut offered = 0;
    for spec in specs() {
        let session = spec.session();
        let lines: Vec<&str> = spec.sections["fires"].lines().collect();
        for missing in (0..lines.len()).step_by(3) {
            let mut kept = lines.clone();
            kept.remove(missing);
            let text = kept.join("\n") + "\n";
            for finding in lint(&text, &known(&session)) {
                let Some(fix) = finding.fix else { continue };
                let after = apply_edits(&text, &[fix]);
                assert!(!read(&after, &Limits::default()).has_errors(), "{}:\n{after}", finding.rule.id());
                assert!(after.contains("# Keep this comment.") == text.contains("# Keep this comment."), "{after}");
                offered += 1;
            }
        }
    }
    assert!(offered > 300, "only {offered} changes were offered");
}

/// The manifest that all others are made of has nothing to be said about, but where its priority class explains it.
#[test]
fn a_careful_manifest_has_no_findings() {
    let spec = specs().into_iter().find(|spec| spec.name == "floating-image-tag").unwrap();
    let session = spec.session();
    let findings = lint(&spec.sections["quiet"], &known(&session));
    assert_eq!(findings.iter().filter(|finding| finding.level != Level::Fine).count(), 0, "{findings:?}");
}

#[test]
fn every_finding_has_all_its_words_in_both_languages() {
    for spec in specs() {
        let session = spec.session();
        for finding in lint(&spec.sections["fires"], &known(&session)) {
            for language in Language::ALL {
                let words = language.words().lint_words(&finding);
                for text in [&words.title, &words.why, &words.remedy] {
                    assert!(!text.contains(['{', '}']), "{} {}: {text}", language.tag(), finding.rule.id());
                }
                assert!(!words.title.is_empty() && !words.why.is_empty(), "{}", finding.rule.id());
            }
        }
    }
}

/// What is said about well-known DaemonSets, as it is read by a person. Set `UPDATE_LINT=1` to write it anew, and read it.
#[test]
fn well_known_daemon_sets_are_judged_with_sense() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    for line in recordings(&root.join("tests/conformance/realmanifests.jsonl.gz")) {
        let case: Value = serde_json::from_str(&line).unwrap();
        text.push_str(&format!("\n{}\n", case["name"].as_str().unwrap()));
        for finding in lint(case["inputs"]["manifest"].as_str().unwrap(), &Known::default()) {
            let level = serde_json::to_value(finding.level).unwrap();
            text.push_str(&format!("  {:<8} {:<28} {}\n", level.as_str().unwrap(), finding.rule.id(), finding.path));
        }
    }
    for line in recordings(&root.join("tests/conformance/realmanifests.jsonl.gz")) {
        let case: Value = serde_json::from_str(&line).unwrap();
        changes_hold(case["inputs"]["manifest"].as_str().unwrap());
    }
    let path = root.join("tests/lint_of_real_manifests.txt");
    #[allow(clippy::disallowed_methods, reason = "a switch of the test")]
    if std::env::var_os("UPDATE_LINT").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text);
    for section in text.split("\n\n") {
        let is_critical = section.contains("kube-proxy") || section.contains("calico") || section.contains("flannel");
        assert!(!(is_critical && section.contains("  warning ")), "wolf cried:\n{section}");
    }
}

/// Every offered change of a text leaves one that is silent about it and that the API server takes.
fn changes_hold(text: &str) {
    for finding in lint(text, &Known::default()) {
        let Some(fix) = finding.fix.clone() else { continue };
        let after = apply_edits(text, &[fix]);
        let again = lint(&after, &Known::default());
        let same =
            |other: &&Finding| other.rule == finding.rule && other.path == finding.path && other.level != Level::Fine;
        assert_eq!(again.iter().find(same), None, "{}:\n{after}", finding.rule.id());
        let mut session = Session::new(Scenario::default());
        let (code, said) = apply(&mut session, &after);
        assert_eq!(code, Some(0), "{}: {said}\n{after}", finding.rule.id());
    }
}

fn recordings(path: &Path) -> Vec<String> {
    use std::io::Read;
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}
