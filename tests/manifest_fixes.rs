//! Plain reasons for broken manifests, and the one edit that repairs each.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::manifest::{Code, Diagnostic, Fact, Limits, Severity, apply_edits, read};
use serde_json::{Value, json};

fn first_error(text: &str) -> Diagnostic {
    let read = read(text, &Limits::default());
    let diagnostic = read.stream().find_map(Result::err).unwrap_or_else(|| panic!("{text:?} was read"));
    diagnostic.clone()
}

/// The reason, its place (line:column), and the text after the fix. A fixed text can be read.
fn explained(text: &str) -> (String, String, Option<String>) {
    let diagnostic = first_error(text);
    let place = format!("{}:{}", diagnostic.span.start.line, diagnostic.span.start.column);
    let fixed = diagnostic.fix.as_ref().map(|fix| apply_edits(text, fix));
    if let Some(fixed) = &fixed {
        let again = read(fixed, &Limits::default());
        assert!(!again.has_errors(), "{fixed:?}: {:?}", again.diagnostics);
    }
    (diagnostic.fact.to_string(), place, fixed)
}

fn check(text: &str, reason: &str, place: &str, fixed: Option<&str>) {
    let (found, found_place, found_fixed) = explained(text);
    assert_eq!((found.as_str(), found_place.as_str(), found_fixed.as_deref()), (reason, place, fixed), "{text:?}");
}

#[test]
fn tabs_become_spaces() {
    check(
        "spec:\n\tselector:\n    matchLabels:\n      app: a\n",
        "a tab indents this line; YAML takes only spaces there",
        "2:1",
        Some("spec:\n  selector:\n    matchLabels:\n      app: a\n"),
    );
    check(
        "spec:\n\tselector:\n\t\tmatchLabels:\n\t\t\tapp: a # a\tb\n",
        "a tab indents this line; YAML takes only spaces there",
        "2:1",
        Some("spec:\n  selector:\n    matchLabels:\n      app: a # a\tb\n"),
    );
    check(
        "a:\n    b: 1\n\tc: 2\n",
        "a tab indents this line; YAML takes only spaces there",
        "3:1",
        Some("a:\n    b: 1\n    c: 2\n"),
    );
    check(
        "spec:\n  selector:\n\tmatchLabels:\n      app: a\n",
        "a tab indents this line; YAML takes only spaces there",
        "3:1",
        Some("spec:\n  selector:\n    matchLabels:\n      app: a\n"),
    );
    check("a:\n-\tb: 1\n", "a tab indents this line; YAML takes only spaces there", "2:2", Some("a:\n- b: 1\n"));
}

#[test]
fn spaces_that_are_none_become_spaces() {
    check(
        "metadata:\n  name: a\n \u{a0}labels:\n    b: c\n",
        "this line is indented with U+00A0, which is not a space",
        "3:1",
        Some("metadata:\n  name: a\n  labels:\n    b: c\n"),
    );
    // YAML takes it for a part of the key; then it is only a warning.
    let text = "metadata:\n\u{a0}\u{a0}name: a\n\u{a0}\u{a0}labels:\n    b: c\n";
    let read = read(text, &Limits::default());
    let [warning] = read.diagnostics.as_slice() else { panic!("{:?}", read.diagnostics) };
    assert_eq!((warning.severity, warning.code), (Severity::Warning, Code::InvisibleIndentation));
    assert_eq!(warning.span.start.line, 2);
    let fixed = apply_edits(text, warning.fix.as_ref().unwrap());
    assert_eq!(fixed, "metadata:\n  name: a\n  labels:\n    b: c\n");
}

#[test]
fn values_with_colons_and_reserved_characters_are_quoted() {
    check(
        "name: x\nimage: prom/node-exporter: v1.8.1 # note\n",
        "the value \"prom/node-exporter: v1.8.1\" contains a colon and a space, so it must be quoted",
        "2:8",
        Some("name: x\nimage: \"prom/node-exporter: v1.8.1\" # note\n"),
    );
    check(
        "args:\n- key: say \"a: b\"\n",
        "the value \"say \\\"a: b\\\"\" contains a colon and a space, so it must be quoted",
        "2:8",
        Some("args:\n- key: 'say \"a: b\"'\n"),
    );
    check("a: @b\n", "a value that starts with '@' must be quoted", "1:4", Some("a: \"@b\"\n"));
    check("a:\n- %x\n", "a value that starts with '%' must be quoted", "2:3", Some("a:\n- \"%x\"\n"));
    check(
        "schedule: */5 * * * *\n",
        "a value that starts with '*' must be quoted",
        "1:11",
        Some("schedule: \"*/5 * * * *\"\n"),
    );
}

#[test]
fn colons_are_completed() {
    check(
        "apiVersion: apps/v1\nkind:DaemonSet\nmetadata:\n  name: a\n",
        "there must be a space after the colon of \"kind\"",
        "2:1",
        Some("apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: a\n"),
    );
    check(
        "kind: DaemonSet\nmetadata\n  name: a\n",
        "\"metadata\" has no colon behind it",
        "2:1",
        Some("kind: DaemonSet\nmetadata:\n  name: a\n"),
    );
    check("kind: DaemonSet\nmetadata\nspec: {}\n", "\"metadata\" has no colon behind it", "2:1", None);
}

#[test]
fn misaligned_lines_move_to_where_they_fit() {
    check(
        "spec:\n  selector:\n    matchLabels:\n      app: a\n template:\n    metadata: {}\n",
        "this line is indented by 1; the lines around it are indented by 0 or 2",
        "5:2",
        Some("spec:\n  selector:\n    matchLabels:\n      app: a\n  template:\n    metadata: {}\n"),
    );
    check(
        "containers:\n- name: a\n  image: x\n   ports: []\nvolumes: []\n",
        "this line is indented by 3; the lines around it are indented by 2",
        "4:4",
        Some("containers:\n- name: a\n  image: x\n  ports: []\nvolumes: []\n"),
    );
    check(
        "containers:\n  - name: a\n  image: x\nvolumes: []\n",
        "this line is indented by 2; the lines around it are indented by 0 or 4",
        "3:3",
        Some("containers:\n  - name: a\n    image: x\nvolumes: []\n"),
    );
    check(
        "containers:\n  - name: a\n   ports:\n    - x\n    - z\nvolumes: []\n",
        "this line is indented by 3; the lines around it are indented by 0 or 4",
        "3:4",
        Some("containers:\n  - name: a\n    ports:\n    - x\n    - z\nvolumes: []\n"),
    );
}

#[test]
fn quotes_and_brackets_are_closed() {
    check(
        "metadata:\n  name: \"a\n  namespace: b\n",
        "the text that starts with \" here has no closing quote",
        "2:9",
        Some("metadata:\n  name: \"a\"\n  namespace: b\n"),
    );
    check(
        "args: [a, b\nname: c\n",
        "the [ that opens on line 1 is not closed before this",
        "2:5",
        Some("args: [a, b]\nname: c\n"),
    );
    check("path: \"C:\\data\"\n", "\\d means nothing in double quotes", "1:10", Some("path: 'C:\\data'\n"));
}

#[test]
fn a_list_goes_below_its_key() {
    check(
        "spec:\n  args: - a\n",
        "a list must begin on the line after its key",
        "2:9",
        Some("spec:\n  args:\n  - a\n"),
    );
}

#[test]
fn templates_are_called_templates() {
    for (text, template, place) in [
        ("spec:\n  image: {{ .Values.image }}\n", "{{ .Values.image }}", "2:10"),
        ("spec:\n  {{- with .Values.x }}\n  a: 1\n  {{- end }}\n", "{{- with .Values.x }}", "2:3"),
        ("{{- if .Values.x }}\nkind: DaemonSet\n{{- end }}\n", "{{- if .Values.x }}", "1:1"),
    ] {
        let reason = format!("{template} is a template placeholder: render the chart before you apply it");
        check(text, &reason, place, None);
    }
}

#[test]
fn a_control_character_can_be_removed() {
    check("a: x\u{8}y\n", "the control character U+0008 is not allowed", "1:5", Some("a: xy\n"));
}

#[test]
fn what_has_no_one_right_fix_has_none() {
    for text in ["a: [1, }\n", "a: \"\\q'\"\n", "? [a]\n: b\n", "a: *x\n", "- a\nb: 1\n"] {
        assert_eq!(first_error(text).fix, None, "{text:?}");
    }
}

#[test]
fn fixes_change_nothing_in_other_documents() {
    let text = "a: \"\tx\"\n---\nb:\n\tc: 1\n---\nd: \"\tz\"\n";
    let fixed = apply_edits(text, &first_error(text).fix.unwrap());
    assert_eq!(fixed, "a: \"\tx\"\n---\nb:\n  c: 1\n---\nd: \"\tz\"\n");
    let values: Vec<Value> =
        read(&fixed, &Limits::default()).documents.iter().filter_map(|document| document.value().cloned()).collect();
    assert_eq!(values, [json!({"a": "\tx"}), json!({"b": {"c": 1}}), json!({"d": "\tz"})]);
}

/// The one warning, and the text after its fix.
fn warned(text: &str) -> (Code, String) {
    let read = read(text, &Limits::default());
    let [warning] = read.diagnostics.as_slice() else { panic!("{:?}", read.diagnostics) };
    (warning.code, apply_edits(text, warning.fix.as_ref().unwrap()))
}

#[test]
fn the_entry_that_does_not_count_is_removed() {
    assert_eq!(
        warned("labels:\n  app: a # old\n  tier: x\n  app: b\n"),
        (Code::DuplicateKey, "labels:\n  tier: x\n  app: b\n".into())
    );
    assert_eq!(warned("- a: 1\n  a: 2\n"), (Code::DuplicateKey, "- a: 2\n".into()));
    assert_eq!(warned("{a: 1, b: 2, a: 3}\n"), (Code::DuplicateKey, "{b: 2, a: 3}\n".into()));
    assert_eq!(warned("{\"a\": 1, \"a\": 3}\n"), (Code::DuplicateKey, "{\"a\": 3}\n".into()));
}

#[test]
fn documents_are_separated() {
    assert_eq!(warned("a: 1\n...\nb: 2\n"), (Code::IgnoredText, "a: 1\n---\nb: 2\n".into()));
    check(
        "a: 1\n--- b: 2\nc: 3\n",
        "only a comment may follow --- on its line, not \"b: 2\"",
        "2:1",
        Some("a: 1\n---\nb: 2\nc: 3\n"),
    );
}

/// Found by fuzzing.
#[test]
fn a_fix_never_uncovers_another_error() {
    let fixes = |text: &str| {
        let read = read(text, &Limits::default());
        read.diagnostics.iter().map(|diagnostic| diagnostic.fix.is_some()).collect::<Vec<_>>()
    };
    // Separated from the first document, the rest would be read, and cannot be.
    assert_eq!(fixes("a: 1\n...\n- b\nc: 1\n"), [false]);
    // Without the character in front the line would be a separator, and a bad one.
    assert_eq!(fixes("kind: x\n\u{feff}---a: b\nb: c\n"), [false]);
}

#[test]
fn facts_say_what_was_found() {
    assert_eq!(first_error("a: @b\n").fact, Fact::ReservedCharacter { character: '@' });
    assert_eq!(
        first_error("a: ]\n").fact,
        Fact::YamlSyntax {
            problem: "did not find expected node content".into(),
            context: Some("while parsing a block node".into())
        }
    );
}
