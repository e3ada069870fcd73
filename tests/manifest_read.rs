//! How kubectl reads a manifest, rule by rule.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::manifest::{Code, Fact, Limits, ManifestRead, Severity, read};
use serde_json::{Value, json};

fn read_text(text: &str) -> ManifestRead {
    read(text, &Limits::default())
}

/// The values of all documents that hold something.
fn values(text: &str) -> Vec<Value> {
    let read = read_text(text);
    assert!(!read.has_errors(), "{text:?}: {:?}", read.diagnostics);
    read.documents
        .iter()
        .filter(|document| !document.is_empty())
        .filter_map(|document| document.value().cloned())
        .collect()
}

fn value(text: &str) -> Value {
    let mut values = values(text);
    assert_eq!(values.len(), 1, "{text:?}: {values:?}");
    values.remove(0)
}

/// kubectl's words for the first document that cannot be read.
fn kubectl_text(text: &str) -> String {
    let read = read_text(text);
    let diagnostic = read.stream().find_map(Result::err).unwrap_or_else(|| panic!("{text:?} was read: {read:?}"));
    diagnostic.kubectl_text.clone().unwrap_or_default()
}

fn yaml_error(text: &str) -> String {
    let text = kubectl_text(text);
    text.strip_prefix("error converting YAML to JSON: ").unwrap_or(&text).to_owned()
}

#[test]
fn scalars_mean_what_go_makes_of_them() {
    assert_eq!(
        value("a: on\nb: 'on'\nc: 012\nd: 0x1F\ne: 1.0\nf: ~\ng:\nh: 2020-01-01\ni: 1_000\nj: !!str 5\nk: 1e3\nl: y\n"),
        json!({"a": true, "b": "on", "c": 10, "d": 31, "e": 1, "f": null, "g": null, "h": "2020-01-01", "i": 1000,
               "j": "5", "k": 1000, "l": true})
    );
    assert_eq!(value("a: !!binary aGVsbG8=\nb: !!int '3'\nc: ! 12\n"), json!({"a": "hello", "b": 3, "c": "12"}));
}

#[test]
fn keys_become_text() {
    assert_eq!(value("1: a\ntrue: b\n1.5: c\n'x': d\non: e\n"), json!({"1": "a", "true": "e", "1.5": "c", "x": "d"}));
    assert_eq!(yaml_error("~: x\n"), "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"");
}

#[test]
fn the_last_of_equal_keys_counts_and_is_warned_about() {
    let read = read_text("metadata:\n  labels:\n    app: a\n    tier: x\n    app: b\n");
    assert_eq!(read.documents[0].value(), Some(&json!({"metadata": {"labels": {"app": "b", "tier": "x"}}})));
    let [warning] = read.diagnostics.as_slice() else { panic!("{:?}", read.diagnostics) };
    assert_eq!((warning.severity, warning.code), (Severity::Warning, Code::DuplicateKey));
    assert_eq!((warning.span.start.line, warning.span.start.column), (5, 5));
    let Fact::DuplicateKey { key, first } = &warning.fact else { panic!("{:?}", warning.fact) };
    assert_eq!((key.as_str(), first.start.line), ("app", 3));
    assert_eq!(warning.kubectl_text, None);
}

#[test]
fn merge_keys_replace_what_stands_before_them_only() {
    assert_eq!(
        value(
            "base: &b {x: 1, z: 2}\nafter:\n  <<: *b\n  x: 3\nbefore:\n  x: 3\n  <<: *b\nlist:\n  <<: [{x: 5}, *b]\n"
        ),
        json!({"base": {"x": 1, "z": 2}, "after": {"x": 3, "z": 2}, "before": {"x": 1, "z": 2}, "list": {"x": 5, "z": 2}})
    );
    assert_eq!(yaml_error("a: 1\nb:\n  <<: 5\n"), "yaml: map merge requires map or sequence of maps as the value");
    assert_eq!(value("\"<<\": {a: 1}\n"), json!({"<<": {"a": 1}}));
}

#[test]
fn anchors_end_with_their_document() {
    let text = "a: &l {app: a}\nb: *l\n---\na: *l\n";
    let read = read_text(text);
    assert_eq!(read.documents[0].value(), Some(&json!({"a": {"app": "a"}, "b": {"app": "a"}})));
    let diagnostic = read.stream().find_map(Result::err).unwrap();
    assert_eq!(
        diagnostic.kubectl_stderr("STDIN").unwrap(),
        "error: error parsing STDIN: error converting YAML to JSON: yaml: unknown anchor 'l' referenced"
    );
    assert_eq!(diagnostic.fact, Fact::UnknownAnchor { name: "l".into(), defined_in_another_document: true });
    assert_eq!((diagnostic.span.start.line, diagnostic.span.start.column), (4, 4));
    assert_eq!(yaml_error("a: &x [*x]\n"), "yaml: anchor 'x' value contains itself");
}

#[test]
fn errors_have_go_yamls_words_and_lines() {
    for (text, expected) in [
        ("a: 1\n\tb: 2\n", "yaml: line 2: found a tab character that violates indentation"),
        ("a:\n\tb: 2\n", "yaml: line 2: found character that cannot start any token"),
        ("\ta: 1\n", "yaml: found character that cannot start any token"),
        ("a: @b\n", "yaml: found character that cannot start any token"),
        ("x: 1\na: `b\n", "yaml: line 2: found character that cannot start any token"),
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("x: 1\na: b: c\n", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: 1\n- b\n", "yaml: line 1: did not find expected key"),
        ("x:\n  a: 1\n b: 2\n", "yaml: line 2: did not find expected key"),
        ("a: 'b\n", "yaml: line 2: found unexpected end of stream"),
        ("a: \"\\q\"\n", "yaml: found unknown escape character"),
        ("x: 1\na:b\nc: 1\n", "yaml: line 3: could not find expected ':'"),
        ("a: [1, 2\nb: 3\n", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: {b: 1\n", "yaml: line 1: did not find expected ',' or '}'"),
        ("a: *\n", "yaml: did not find expected alphabetic or numeric character"),
        ("- a\nb: 1\n", "yaml: line 1: did not find expected '-' indicator"),
        ("a: - b\n", "yaml: block sequence entries are not allowed in this context"),
        ("a: |\n  x\n \ty\n", "yaml: line 3: found a tab character where an indentation space is expected"),
        ("a: %x\n", "yaml: found character that cannot start any token"),
        ("%YAML 1.2\n---\na: 1\n", "yaml: found incompatible YAML document"),
        ("%FOO\n---\na: 1\n", "yaml: found unknown directive name"),
        ("a: !x!y z\n", "yaml: found undefined tag handle"),
        ("a: !!int x\n", "yaml: cannot decode !!str `x` as a !!int"),
        ("a: \u{1}\n", "yaml: control characters are not allowed"),
        ("a: .nan\n", "json: unsupported value: NaN"),
        ("a: -.inf\n", "json: unsupported value: -Inf"),
        (
            "x: 1\nimage: {{ .Values.image }}\n",
            "yaml: invalid map key: map[interface {}]interface {}{\".Values.image\":interface {}(nil)}",
        ),
    ] {
        assert_eq!(yaml_error(text), expected, "{text:?}");
    }
}

#[test]
fn what_follows_the_yaml_document_is_ignored_with_a_warning() {
    for (text, line) in [("a: 1\n...\nb: 2\n", 3), ("  a: 1\n b: 2\n", 2), ("a: 1\n...\n\tb\n", 3)] {
        let read = read_text(text);
        assert_eq!(read.documents[0].value(), Some(&json!({"a": 1})), "{text:?}");
        let [warning] = read.diagnostics.as_slice() else { panic!("{:?}", read.diagnostics) };
        assert_eq!((warning.code, warning.span.start.line), (Code::IgnoredText, line), "{text:?}");
    }
    assert!(read_text("a: 1\n...\n# only a comment\n").diagnostics.is_empty());
}

#[test]
fn documents_are_split_at_lines_that_begin_with_three_dashes() {
    assert_eq!(values("---\n# c\n---\n\n---\na: 1\n--- # note\nb: 2\n---\n"), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(
        values("\u{feff}# c\r\n---\r\na: 1\r\n---\r\nb: |\r\n  x\r\n  y\r\n"),
        [json!({"a": 1}), json!({"b": "x\ny\n"})]
    );
    assert_eq!(value("a: |\n  x"), json!({"a": "x\n"}), "the last line gets its line break");
    assert_eq!(values(""), Vec::<Value>::new());
    assert_eq!(values("# nothing\n"), Vec::<Value>::new());
    assert_eq!(kubectl_text("a: 1\n--- b: 2\n"), "invalid Yaml document separator: b: 2");
    let read = read_text("a: |\n  x\n---\n  z\n");
    assert_eq!(read.documents[1].value(), Some(&json!("z")), "a separator even inside a block scalar");
}

#[test]
fn a_bad_separator_hides_the_document_before_it_from_kubectl() {
    let text = "a: 1\n---\nb: 2\n--- c: 3\n";
    let read = read_text(text);
    assert_eq!(read.documents[1].value(), Some(&json!({"b": 2})));
    let stream: Vec<_> = read.stream().map(|result| result.map(|document| document.index)).collect();
    let [Ok(0), Err(diagnostic)] = stream.as_slice() else { panic!("{stream:?}") };
    assert_eq!((diagnostic.code, diagnostic.span.start.line), (Code::DocumentSeparator, 4));
}

#[test]
fn lines_are_counted_from_the_start_of_the_document() {
    assert_eq!(yaml_error("a: 1\n---\nb: 1\nc: @\n"), "yaml: line 2: found character that cannot start any token");
    assert_eq!(yaml_error("---\nb: 1\nc: @\n"), "yaml: line 3: found character that cannot start any token");
}

#[test]
fn json_is_read_as_a_stream_of_values() {
    assert_eq!(
        values("{\"a\":1}{\"b\":[1.0,1e3,\"\\u00e9\\ud83d\\ude00\"]}\n"),
        [json!({"a": 1}), json!({"b": [1, 1000, "é😀"]})]
    );
    assert_eq!(value("{a: 1,}"), json!({"a": 1}), "what is no JSON may still be YAML");
    assert_eq!(values("{\"a\":1}\n---\nb: 2\n"), [json!({"a": 1}), json!({"b": 2})]);
    for (text, expected) in [
        ("{\"a\": 1,, \"b\": 2}", "json: offset 9: invalid character ',' looking for beginning of object key string"),
        ("{\"a\": [\"1\" 2]}", "json: offset 12: invalid character '2' after array element"),
        ("{\"a\" 1 2: 3}", "json: offset 6: invalid character '1' after object key"),
        ("{\"a\": 01,,}", "json: offset 8: invalid character '1' after object key:value pair"),
        ("{\"a\": tru,,}", "json: offset 10: invalid character ',' in literal true (expecting 'e')"),
        ("{\"a\": 1", "unexpected EOF"),
        ("{\"a\": 1}}", "json: offset 9: invalid character '}' looking for beginning of value"),
        ("{\"a\":1}\n{\"b\":2}\n{\"c\":,}\n", "invalid character ',' looking for beginning of value"),
    ] {
        assert_eq!(kubectl_text(text), expected, "{text}");
    }
}

#[test]
fn positions_lead_to_where_a_value_was_written() {
    let text = "defaults: &d\n  image: a:1\nspec:\n  containers:\n  - name: é\n    <<: *d\n  - name: x\n    env: {A: &v 'q', B: *v}\nlabels:\n  app.kubernetes.io/name: n\n  8080: port\n";
    let read = read_text(text);
    let document = &read.documents[0];
    let written = |path: &str| &text[document.locate_text(path).unwrap().value.range()];
    assert_eq!(written("spec.containers[0].name"), "é");
    assert_eq!(written("spec.containers[0].image"), "a:1");
    assert_eq!(written("spec.containers[1].env.B"), "&v 'q'");
    assert_eq!(written("labels[app.kubernetes.io/name]"), "n");
    assert_eq!(written("labels.app.kubernetes.io/name"), "n");
    assert_eq!(written("labels[8080]"), "port");
    assert_eq!(written("spec.containers[1]"), "name: x\n    env: {A: &v 'q', B: *v}");
    let image = document.locate_text("spec.containers[0].image").unwrap();
    assert_eq!((image.key.unwrap().start.line, image.value.start.column), (2, 10));
    let alias = document.locate_text("spec.containers[1].env.B").unwrap().alias.unwrap();
    assert_eq!(&text[alias.range()], "*v");
    let missing = document.locate_text("spec.containers[0].resources.limits").unwrap();
    assert_eq!((missing.exact, missing.depth, missing.value.start.line), (false, 3, 5));
    let after_wide = document.locate_text("spec.containers[1].name").unwrap().value.start;
    assert_eq!((after_wide.offset, after_wide.utf16), (text.find("x\n").unwrap(), text.find("x\n").unwrap() - 1));
    assert_eq!(document.path_at(text.find("port").unwrap()), daemonset_playground::manifest::parse_path("labels.8080"));
}

#[test]
fn lists_give_their_items() {
    let text = "kind: NodeList\napiVersion: v1\nitems:\n- metadata: {name: n1}\n- kind: Pod\n  apiVersion: v1\n  metadata: {name: p}\n---\nkind: List\nitems: []\n---\nkind: Node\nmetadata: {name: n2}\n";
    let read = read_text(text);
    let objects: Vec<_> = read.objects().collect();
    let names: Vec<_> = objects
        .iter()
        .map(|object| (object.value["kind"].as_str().unwrap(), object.value["metadata"]["name"].as_str().unwrap()))
        .collect();
    assert_eq!(names, [("Node", "n1"), ("Pod", "p"), ("Node", "n2")]);
    let place = objects[1].locate_text("metadata.name").unwrap();
    assert_eq!(&text[place.value.range()], "p");
}

#[test]
fn limits_end_in_a_message_at_the_place() {
    let limited = |text: &str, limits: &Limits| {
        let read = read(text, limits);
        let diagnostic = read.stream().find_map(Result::err).filter(|diagnostic| diagnostic.code == Code::LimitReached);
        diagnostic.map(|diagnostic| (diagnostic.fact.to_string(), diagnostic.span.start.line))
    };
    let limits = Limits::default();
    let deep = format!("a: {}1{}\n", "[".repeat(150), "]".repeat(150));
    assert_eq!(limited(&deep, &limits), Some(("values are nested more than 100 levels deep".into(), 1)));
    let deep_json = format!("{}1{}\n", "{\"a\":".repeat(150), "}".repeat(150));
    assert_eq!(limited(&deep_json, &limits), Some(("values are nested more than 100 levels deep".into(), 1)));
    let aliases = format!("a: &a x\nb:\n{}", "- *a\n".repeat(10_000));
    assert_eq!(limited(&aliases, &limits), Some(("the document has more than 5000 aliases".into(), 5003)));
    assert_eq!(limited("a: 1\n", &Limits { bytes: 4, ..limits }), Some(("the text is larger than 4 bytes".into(), 1)));
    assert_eq!(
        limited("---\na\n---\nb\n---\nc\n", &Limits { documents: 2, ..limits }),
        Some(("the text has more than 2 documents".into(), 6))
    );
    assert_eq!(
        limited("items: [1, 2, 3]\n", &Limits { objects: 2, ..limits }),
        Some(("the text has more than 2 objects".into(), 1))
    );
}

#[test]
fn a_billion_laughs_are_few() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert_eq!(yaml_error(&text), "yaml: document contains excessive aliasing");
}

#[test]
fn many_findings_cost_no_more_than_their_number() {
    // Each of these would take minutes, or the stack, if a finding looked at the whole text or at the others' fixes.
    for text in [
        "a: *x\n---\n".repeat(10_000),
        "a: b: c\n---\n".repeat(10_000),
        format!("a: 1\n{}", "k: v\n".repeat(200)),
        "{a: 1, a: 2}\n---\n".repeat(2_000),
        format!("{}\n", "--- ".repeat(50_000)),
        "--- a\n".repeat(10_000),
        format!("{}a\n", "\u{a0}".repeat(50_000)),
        format!("a:\n{}\tb: 1\n", "  - x\n".repeat(20_000)),
        "{\"a\":1,}".repeat(10_000),
    ] {
        let _ = read_text(&text);
    }
}
