//! Faults that the API server finds, the remedy beside each, and the one edit that makes the manifest acceptable.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::app::check::{Check, Checking};
use daemonset_playground::app::model::first_scenario;
use daemonset_playground::app::text::Language;
use daemonset_playground::simulation::Session;
use proptest::prelude::*;
use std::rc::Rc;

#[path = "create_path/mod.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod create_path;

/// A manifest with comments, blank lines and a style of its own.
const AGENT: &str = "\
# The agent of every node.
apiVersion: apps/v1
kind: DaemonSet   # one pod per node
metadata:
  name: agent
  labels: {app: agent, \"tier\": 'node'}  # flow style

spec:
  # Keep the labels in step with the template.
  selector:
    matchLabels:
      app: agent
      track: stable
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 1   # at a time
      maxSurge: 0
  minReadySeconds: 5
  template:
    metadata:
      labels:
        app: agent
        # Tracks are stable or canary.
        track: stable
    spec:
      hostNetwork: true
      tolerations:
      - operator: Exists   # everywhere
        effect: NoSchedule
      containers:
      - name: agent
        image: agent:1.0
        imagePullPolicy: IfNotPresent
        args: [\"--level\", \"2\"]
        env:
        - name: LEVEL
          value: \"5\"
        ports:
        - {containerPort: 9100, hostPort: 9100, protocol: TCP}
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits:
            memory: 128Mi # as requested
        volumeMounts:
        - name: proc
          mountPath: /host/proc
      volumes:
      - name: proc
        hostPath: {path: /proc}
";

fn checked(text: &str) -> Check {
    Check::of(&Session::new(first_scenario()), Language::En.words(), "a.yaml", &Rc::from(text))
}

fn is_accepted(text: &str) -> bool {
    let output = create_path::apply(&mut create_path::cluster(), text);
    output.exit_code == 0
}

/// What remains after the first fix that is offered, and the line and remedy it was offered with.
fn fixed(text: &str) -> (usize, Option<String>, String) {
    let check = checked(text);
    let problem = check.problems.iter().find(|problem| problem.error && problem.fix.is_some());
    let problem = problem.unwrap_or_else(|| panic!("no fix: {:#?}\n{text}", check.problems));
    let fixed = check.fixed(problem.fix.unwrap(), text).expect("the same text");
    (problem.line, problem.remedy.clone(), fixed.to_string())
}

/// The manifest with `from` replaced by `to` is refused; one click makes of it the manifest with `from` replaced by
/// `expected`, and that is accepted.
fn repairs(from: &str, to: &str, line: usize, remedy: &str, expected: &str) {
    assert!(AGENT.contains(from), "{from:?}");
    let broken = AGENT.replacen(from, to, 1);
    assert!(!is_accepted(&broken), "{to:?} is accepted");
    let (found_line, found_remedy, repaired) = fixed(&broken);
    assert_eq!(repaired, AGENT.replacen(from, expected, 1), "{to:?}");
    assert_eq!((found_line, found_remedy.as_deref()), (line, Some(remedy)), "{to:?}");
    assert!(is_accepted(&repaired), "{repaired}");
}

#[test]
fn the_manifest_is_accepted() {
    assert!(is_accepted(AGENT));
    assert!(checked(AGENT).problems.is_empty());
}

#[test]
fn the_api_version_is_the_one_that_serves_the_kind() {
    let line = "apiVersion: apps/v1\n";
    repairs(line, "apiVersion: apps/v2\n", 3, "Use apiVersion apps/v1.", line);
    repairs(line, "apiVersion: v1 # core\n", 3, "Use apiVersion apps/v1.", "apiVersion: apps/v1 # core\n");
    let removed = "Kubernetes 1.16 removed this version. Use apiVersion apps/v1.";
    repairs(line, "apiVersion: extensions/v1beta1\n", 3, removed, line);
    repairs(line, "", 2, "Use apiVersion apps/v1.", line);
    repairs("kind: DaemonSet ", "kind: Daemonset ", 3, "Did you mean DaemonSet?", "kind: DaemonSet ");
}

#[test]
fn misspelt_words_are_written_right() {
    let meant = |word: &str| format!("Did you mean {word}?");
    repairs("  minReadySeconds:", "  minReadyseconds:", 19, &meant("minReadySeconds"), "  minReadySeconds:");
    repairs("hostNetwork:", "hostnetwork:", 27, &meant("hostNetwork"), "hostNetwork:");
    repairs("        image:", "        imgae:", 33, &meant("image"), "        image:");
    repairs("protocol: TCP", "protocol: tcp", 40, &meant("TCP"), "protocol: TCP");
    repairs(": IfNotPresent", ": IfNotPresnt", 34, &meant("IfNotPresent"), ": IfNotPresent");
    repairs("effect: NoSchedule", "effect: NoSchedul", 30, &meant("NoSchedule"), "effect: NoSchedule");
    repairs("type: RollingUpdate", "type: rollingupdate", 15, &meant("RollingUpdate"), "type: RollingUpdate");
    repairs("- name: proc\n          m", "- name: porc\n          m", 46, &meant("proc"), "- name: proc\n          m");
    repairs("  name: agent\n  labels", "  name: Agent\n  labels", 5, &meant("agent"), "  name: agent\n  labels");
}

#[test]
fn selector_and_labels_are_brought_together() {
    let labels = "        app: agent\n        # Tracks are stable or canary.\n        track: stable\n";
    let other = "        app: other\n        # Tracks are stable or canary.\n        track: stable\n";
    let match_labels = "The labels of the template must match spec.selector.";
    repairs(labels, other, 23, match_labels, labels);
    let lacking = "        app: agent\n        # Tracks are stable or canary.\n";
    let added = "        app: agent\n        track: stable\n        # Tracks are stable or canary.\n";
    let broken = AGENT.replacen(labels, lacking, 1);
    let (_, _, repaired) = fixed(&broken);
    assert!(is_accepted(&repaired));
    assert!(repaired == AGENT.replacen(labels, added, 1) || repaired == AGENT, "{repaired}");
    let selector = "  selector:\n    matchLabels:\n      app: agent\n      track: stable\n";
    let broken = AGENT.replacen(selector, "", 1);
    let (_, remedy, repaired) = fixed(&broken);
    assert_eq!(remedy.as_deref(), Some("Add spec.selector.matchLabels with the labels of the template."));
    assert!(is_accepted(&repaired), "{repaired}");
    assert_eq!(repaired.replacen(selector, "", 1), broken, "nothing else has changed");
    let as_services = AGENT.replacen(selector, "  selector: {app: agent, track: stable}\n", 1);
    let (line, remedy, repaired) = fixed(&as_services);
    assert_eq!((line, remedy.as_deref()), (10, Some("Put the labels below matchLabels.")));
    assert!(is_accepted(&repaired), "{repaired}");
    assert_eq!(repaired.matches('#').count(), AGENT.matches('#').count());
}

#[test]
fn a_pod_of_a_daemon_set_always_restarts() {
    let spec = "      hostNetwork: true\n";
    let with = |policy: &str| format!("{spec}      restartPolicy: {policy} # ?\n");
    repairs(spec, &with("Never"), 28, "Write Always.", &with("Always"));
    repairs(spec, &with("Sometimes"), 28, "Write Always.", &with("Always"));
    repairs(spec, &format!("{spec}      activeDeadlineSeconds: 60\n"), 28, "Remove the field.", spec);
}

#[test]
fn exactly_one_budget_is_above_zero() {
    let one = "One of maxUnavailable and maxSurge must be above 0, and only one.";
    let budgets = "      maxUnavailable: 1   # at a time\n      maxSurge: 0\n";
    let line = |unavailable: &str, surge: &str| {
        format!("      maxUnavailable: {unavailable}   # at a time\n      maxSurge: {surge}\n")
    };
    repairs(budgets, &line("1", "2"), 18, one, &line("0", "2"));
    repairs(budgets, &line("0", "0"), 17, one, &line("1", "0"));
    repairs(budgets, "      maxSurge: 10%\n", 17, one, "      maxSurge: 10%\n      maxUnavailable: 0\n");
    repairs(budgets, &line("\"2\"", "0"), 17, "Write the value without quotes.", &line("2", "0"));
}

#[test]
fn values_get_the_type_that_they_must_have() {
    let quote = "Put the value in quotes.";
    repairs(
        "        app: agent\n",
        "        app: agent\n        on: on\n",
        24,
        quote,
        "        app: agent\n        on: \"on\"\n",
    );
    repairs("value: \"5\"", "value: 5", 38, quote, "value: \"5\"");
    repairs("value: \"5\"", "value: yes", 38, quote, "value: \"yes\"");
    repairs("\"2\"]", "2]", 35, quote, "\"2\"]");
    repairs("{app: agent, ", "{app: 12, ", 6, quote, "{app: \"12\", ");
    let unquote = "Write the value without quotes.";
    repairs("minReadySeconds: 5", "minReadySeconds: '5'", 19, unquote, "minReadySeconds: 5");
    repairs("hostNetwork: true", "hostNetwork: \"yes\"", 27, unquote, "hostNetwork: true");
    repairs("containerPort: 9100", "containerPort: \"9100\"", 40, unquote, "containerPort: 9100");
    repairs("args: [\"--level\", \"2\"]", "args: --level", 35, "Write a list.", "args:\n        - --level");
    let meant = |amount: &str| format!("Did you mean {amount}?");
    repairs(
        "            memory: 128Mi #",
        "            memory: 128MiB #",
        44,
        &meant("128Mi"),
        "            memory: 128Mi #",
    );
    repairs(
        "            memory: 128Mi #",
        "            memory: 128 mi #",
        44,
        &meant("128Mi"),
        "            memory: 128Mi #",
    );
}

#[test]
fn tolerations_limits_and_ports_that_have_one_way_out() {
    let toleration = "      - operator: Exists   # everywhere\n        effect: NoSchedule\n";
    let exists = "Write operator: Exists, or name a key.";
    repairs(
        toleration,
        "      - effect: NoSchedule # all\n",
        29,
        exists,
        "      - effect: NoSchedule # all\n        operator: Exists\n",
    );
    repairs("hostPort: 9100", "hostPort: 9200", 40, "Write 9100.", "hostPort: 9100");
    let requests = "          requests: {cpu: 100m, memory: 128Mi}\n";
    let gpu = "          requests: {cpu: 100m, memory: 128Mi, nvidia.com/gpu: 1}\n";
    let (_, remedy, repaired) = fixed(&AGENT.replacen(requests, gpu, 1));
    assert_eq!(remedy.as_deref(), Some("Set the limit to the same amount."));
    assert!(
        repaired.contains("            memory: 128Mi # as requested\n            nvidia.com/gpu: 1\n"),
        "{repaired}"
    );
    assert!(is_accepted(&repaired));
}

#[test]
fn a_missing_namespace_is_created_first() {
    let broken = AGENT.replacen("  name: agent\n", "  name: agent\n  namespace: monitoring\n", 1);
    let (_, remedy, repaired) = fixed(&broken);
    assert_eq!(remedy.as_deref(), Some("Create the namespace monitoring first."));
    assert_eq!(repaired, format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: monitoring\n---\n{broken}"));
    assert!(is_accepted(&repaired));
}

#[test]
fn the_editor_gets_the_place_in_the_persons_own_text() {
    let place = |from: &str, to: &str, message: &str| {
        let text = AGENT.replacen(from, to, 1);
        let check = checked(&text);
        let note = check.notes.iter().find(|note| note.message.contains(message));
        let note = note.unwrap_or_else(|| panic!("{message}: {:#?}", check.notes));
        text.get(note.from as usize..note.to as usize).expect("a range of the text").to_owned()
    };
    assert_eq!(place("'node'", "'a node'", "a valid label"), "'a node'");
    assert_eq!(place("\"tier\"", "\"a tier\"", "name part"), "\"a tier\"");
    assert_eq!(place("agent:1.0\n", "\n", "Required value"), "image");
    assert_eq!(place("minReadySeconds: 5", "minReadySeconds: -5", "greater than or equal"), "-5");
    assert_eq!(place("        track: stable\n", "        track: no way\n", "a valid label"), "no way");
    assert_eq!(place("hostNetwork: true", "hostNet: true", "unknown field"), "hostNet");
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - {key: a, effect: Never}\n";
    let note = checked(node).notes.first().cloned().expect("a refusal");
    assert_eq!(node.get(note.from as usize..note.to as usize), Some("Never"));
}

#[test]
fn places_are_found_through_anchors_merges_and_lists() {
    let text = "\
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: a}
  spec:
    selector: {matchLabels: &labels {app: a}}
    template:
      metadata: {labels: *labels}
      spec:
        containers:
        - &main {name: main, image: a, imagePullPolicy: &policy Alway}
        - <<: *main
          name: second
        - {name: third, image: b, imagePullPolicy: *policy}
";
    let check = checked(text);
    let found: Vec<(usize, &str)> = check
        .notes
        .iter()
        .zip(check.problems.iter())
        .map(|(note, problem)| (problem.line, text.get(note.from as usize..note.to as usize).unwrap()))
        .collect();
    assert_eq!(found, [(13, "&policy Alway"), (13, "&policy Alway"), (16, "*policy")]);
}

#[test]
fn a_field_a_level_too_high_or_too_low_moves_to_where_it_belongs() {
    let belongs = |place: &str| format!("This field belongs in {place}.");
    let moved = |from: &str, to: &str, line: usize, place: &str, remains: &str, end: &str, block: &str| {
        let broken = AGENT.replacen(from, to, 1);
        let (found_line, remedy, repaired) = fixed(&broken);
        assert_eq!((found_line, remedy), (line, Some(belongs(place))));
        assert_eq!(repaired, AGENT.replacen(from, remains, 1).replacen(end, &format!("{end}{block}"), 1));
        assert!(is_accepted(&repaired), "{repaired}");
    };
    let volumes = "        hostPath: {path: /proc}\n";
    // A block goes over with the comments above it and within it, and gets the indentation of its new place.
    let block = |indent: &str| {
        format!("{indent}# Where.\n{indent}nodeSelector:\n{indent}  # The disk.\n{indent}  disk: ssd # fast\n")
    };
    let template = "  template:\n";
    let too_high = format!("{}{template}", block("  "));
    moved(template, &too_high, 21, "spec.template.spec", template, volumes, &block("      "));
    let spec = "    spec:\n";
    let in_template = format!("{}{spec}", block("    "));
    moved(spec, &in_template, 27, "spec.template.spec", spec, volumes, &block("      "));
    let image = "        image: agent:1.0\n";
    let in_container = format!("{image}{}", block("        "));
    moved(image, &in_container, 35, "spec.template.spec", image, volumes, &block("      "));
    // What is there already is not written a second time, and one of several containers is not chosen.
    for twice in ["    hostNetwork: true\n    spec:\n", "    spec:\n      image: a\n"] {
        let check = checked(&AGENT.replacen(spec, twice, 1));
        let problem = check.problems.first().expect("a refusal");
        assert!(problem.fix.is_none() && problem.remedy.is_some(), "{problem:?}");
    }
}

#[test]
fn a_fix_is_not_made_in_another_text_than_it_was_made_for() {
    let broken = AGENT.replacen("minReadySeconds", "minReadySecond", 1);
    let check = checked(&broken);
    assert!(check.fixed(0, &broken).is_some());
    assert_eq!(check.fixed(0, &format!("{broken}# typed on\n")), None);
    assert_eq!(check.fixed(7, &broken), None);
}

/// A text of many documents is looked at in slices, and what is found is what is found at once, in reasonable time.
#[test]
fn a_long_text_is_looked_at_in_slices() {
    let one = |n: usize| AGENT.replace("name: agent\n  labels", &format!("name: agent-{n}\n  labels"));
    let text: String = (0..60).map(|n| one(n) + "---\n").collect();
    let text: Rc<str> = text.replacen("minReadySeconds: 5", "minReadySeconds: -5", 1).into();
    assert!(text.lines().count() > 3_000);
    let (session, words) = (Session::new(first_scenario()), Language::En.words());
    let mut checking = Checking::begin(&session, words, "a.yaml", &text);
    let mut slices = 1;
    while !checking.advance(&session, words, 6_000) {
        slices += 1;
    }
    assert!(slices > 10, "{slices}");
    let check = checking.finish(words);
    assert_eq!(check, Check::of(&session, words, "a.yaml", &text));
    assert_eq!(check.problems.iter().filter(|problem| problem.error).count(), 1);
    assert!(!check.lint.is_empty());
}

/// Breaks a manifest: what is replaced by what.
const BREAKS: &[(&str, &str)] = &[
    ("apiVersion: apps/v1", "apiVersion: extensions/v1beta1"),
    ("kind: DaemonSet", "kind: DaemonSets"),
    ("selector:", "selectors:"),
    ("matchLabels:", "matchlabels:"),
    ("template:", "tempalte:"),
    ("      containers:", "      container:"),
    ("image: agent:1.0", "Image: agent:1.0"),
    ("maxSurge: 0", "maxSurge: 3"),
    ("maxUnavailable: 1 ", "maxUnavailable: 0 "),
    ("minReadySeconds: 5", "minReadySeconds: \"5\""),
    ("hostNetwork: true", "hostNetwork: 'true'"),
    ("hostPort: 9100", "hostPort: 9101"),
    ("protocol: TCP", "protocol: Tcp"),
    ("Exists ", "exists "),
    ("        track: stable", "        track: canary"),
    ("        app: agent", "        app: true"),
    ("value: \"5\"", "value: 0x10"),
    ("value: \"5\"", "value: off"),
    ("requests: {cpu: 100m", "requests: {cpu: '100 m'"),
    ("            memory: 128Mi #", "            memory: 128MB #"),
    ("    spec:\n      host", "\tspec:\n      host"),
    ("      - operator", "\t- operator"),
    ("metadata:\n  name", "metadata:\n  nane"),
    ("image: agent:1.0", "image: agent: 1.0"),
    ("name: proc\n        hostPath", "name: prok\n        hostPath"),
    ("  template:\n", "  terminationGracePeriodSeconds: 5 # quick\n  template:\n"),
    ("        image: agent:1.0\n", "        image: agent:1.0\n        hostIPC: true\n"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// However many things are wrong at once: each fix takes faults away and touches nothing else, and when all faults
    /// have had one, the manifest is accepted.
    #[test]
    fn fixes_lead_to_an_acceptable_manifest(breaks in proptest::collection::vec(0..BREAKS.len(), 1..4)) {
        let mut text = AGENT.to_owned();
        for at in breaks {
            let (from, to) = BREAKS[at];
            text = text.replacen(from, to, 1);
        }
        let comments = |text: &str| text.matches("# ").count();
        for _ in 0..12 {
            let check = checked(&text);
            let fixable = check.problems.iter().filter(|problem| problem.error).find_map(|problem| problem.fix);
            let Some(fix) = fixable else {
                let errors = check.problems.iter().filter(|problem| problem.error).count();
                prop_assert_eq!(is_accepted(&text), errors == 0, "{}\n{:#?}", text, check.problems);
                return Ok(());
            };
            let after = check.fixed(fix, &text).expect("the same text").to_string();
            prop_assert_ne!(&after, &text);
            prop_assert_eq!(comments(&after), comments(&text), "{}\n---\n{}", text, after);
            prop_assert!(after.lines().count().abs_diff(text.lines().count()) <= 4);
            let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), after.lines().collect());
            let kept = new.iter().filter(|line| old.contains(line)).count();
            prop_assert!(new.len() - kept <= 30, "{}\n---\n{}", text, after);
            text = after;
        }
        prop_assert!(false, "the fixes do not end: {}", text);
    }
}
