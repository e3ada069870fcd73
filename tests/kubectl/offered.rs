//! What the README says that kubectl does not offer here, and what the commands say.

use crate::support::*;
use daemonset_playground::kubectl::{not_offered, says_not_offered};
use std::collections::{BTreeMap, BTreeSet};

/// A line for each thing of the README's list that is no command.
const LINES: [(&str, &str); 9] = [
    ("-k", "kubectl apply -k overlay"),
    ("apply --prune", "kubectl apply --prune -f agent.yaml --all"),
    ("apply --applyset", "kubectl apply --applyset=x -f agent.yaml"),
    ("--subresource", "kubectl get pods --subresource=resize"),
    ("get --raw", "kubectl get --raw /api/v1/nodes"),
    ("run --attach", "kubectl run web --image=web:1 -it --rm"),
    ("exec", "kubectl exec web -- ls"),
    ("logs", "kubectl logs web"),
    ("files from a URL", "kubectl apply -f https://example.com/agent.yaml"),
];

/// The items of the list: commands without `kubectl`, and the rest.
fn readme_list() -> BTreeSet<String> {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("### What kubectl does not offer").expect("the section");
    let (section, _) = rest.split_once("Recordings that ask").expect("its end");
    let mut items = BTreeSet::new();
    for bullet in section.split("\n- ").skip(1) {
        let spans: Vec<&str> = bullet.split('`').skip(1).step_by(2).collect();
        // `create` of `role`, …
        let of = spans.first().filter(|first| ["create", "config"].contains(first));
        // What is said of others is said behind "other than".
        let others = ["status", "patch", "scale"];
        for span in spans.iter().filter(|span| Some(span) != of.as_ref() && !others.contains(span)) {
            items.insert(of.map_or_else(|| (*span).to_owned(), |of| format!("{of} {span}")));
        }
        if bullet.contains("files from a URL") {
            items.insert("files from a URL".into());
        }
    }
    items
}

#[test]
fn the_readme_lists_what_the_commands_refuse_and_nothing_else() {
    let mut api = cluster(&["node-1"]);
    run(&mut api, "kubectl run web --image=web:1");
    let lines: BTreeMap<&str, &str> = LINES.into_iter().collect();
    let list = readme_list();
    for item in &list {
        let line = lines.get(item.as_str()).map_or_else(|| format!("kubectl {item} x"), ToString::to_string);
        let said = run(&mut api, &line);
        assert!(says_not_offered(&said.stderr) && said.exit_code == 1, "{line}: {said:?}");
    }
    let known: BTreeSet<String> = not_offered().chain(lines.keys().map(ToString::to_string)).collect();
    assert_eq!(list, known);
}

#[test]
fn an_ordinary_error_is_not_taken_for_it() {
    let mut api = cluster(&["node-1"]);
    for line in ["kubectl get pod x", "kubectl gett pods", "kubectl apply -f x.yaml", "kubectl get foo"] {
        assert!(!says_not_offered(&run(&mut api, line).stderr), "{line}");
    }
}
