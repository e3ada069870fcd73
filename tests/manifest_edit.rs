//! Edits keep everything that they are not about: comments, order, quotes, spacing.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::manifest::edit::{
    EditError, add_list_item, add_mapping_entry, quote, remove, replace_key, set, set_scalar,
};
use daemonset_playground::manifest::{Document, Limits, PathSegment, TextEdit, apply_edits, parse_path, read, to_yaml};
use proptest::prelude::*;
use serde_json::{Value, json};

const DAEMON_SET: &str = "\
# the agent
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent   # its name
  labels: {app: agent, tier: node}
spec:
  selector:
    matchLabels:
      app: agent
  template:
    spec:
      nodeSelector:
        monitoring: enabled # only these
        disk: ssd
      tolerations: []  # none yet
      containers:
        - name: main
          image: 'agent:v1'  # pinned

          args: [a, b]
        # the helper
        - name: helper
          image: helper:v1
";

/// The text after an edit of the first document that holds something.
fn edited(text: &str, edit: impl FnOnce(&Document) -> Result<Vec<TextEdit>, EditError>) -> Result<String, EditError> {
    let read = read(text, &Limits::default());
    let document = read.documents.iter().find(|document| !document.is_empty()).unwrap();
    edit(document).map(|edits| apply_edits(text, &edits))
}

/// `text` with `from` replaced by `to`, which stands there once.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?}");
    text.replacen(from, to, 1)
}

#[test]
fn a_scalar_is_replaced_in_its_place() {
    let text = DAEMON_SET;
    let path = parse_path("spec.template.spec.containers[0].image");
    assert_eq!(
        edited(text, |document| set_scalar(text, document, &path, &json!("agent:v2"))),
        Ok(changed(text, "'agent:v1'", "agent:v2"))
    );
    let path = parse_path("metadata.labels.tier");
    assert_eq!(
        edited(text, |document| set_scalar(text, document, &path, &json!("a, b"))),
        Ok(changed(text, "tier: node", "tier: \"a, b\""))
    );
    let path = parse_path("metadata.annotations.x");
    assert_eq!(edited(text, |document| set_scalar(text, document, &path, &json!(1))), Err(EditError::NotFound));
}

#[test]
fn what_yaml_takes_for_another_type_is_quoted() {
    let text = "labels:\n  enabled: on # yes\n  port: 0x1F\n  date: 2024-01-01\n";
    let path = parse_path("labels.enabled");
    assert_eq!(edited(text, |document| quote(text, document, &path)), Ok(changed(text, "on # yes", "\"on\" # yes")));
    let path = parse_path("labels.port");
    assert_eq!(edited(text, |document| quote(text, document, &path)), Ok(changed(text, "0x1F", "\"0x1F\"")));
    let path = parse_path("labels.port");
    assert_eq!(
        edited(text, |document| set_scalar(text, document, &path, &json!("8080"))),
        Ok(changed(text, "0x1F", "\"8080\""))
    );
}

#[test]
fn a_toleration_is_added_whatever_stands_there() {
    let toleration =
        json!({"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"});
    let lines = |dash: &str| {
        format!(
            "\n{dash}- effect: NoSchedule\n{dash}  key: node-role.kubernetes.io/control-plane\n{dash}  operator: Exists"
        )
    };
    let path = parse_path("spec.template.spec.tolerations");
    let add = |text: &str| edited(text, |document| add_list_item(text, document, &path, &toleration));
    // An empty list: the comment stays, and lists are indented as the others are.
    assert_eq!(
        add(DAEMON_SET),
        Ok(changed(
            DAEMON_SET,
            "      tolerations: []  # none yet",
            &format!("      tolerations:  # none yet{}", lines("        "))
        ))
    );
    // A list that is there.
    let text = changed(DAEMON_SET, "tolerations: []  # none yet", "tolerations:\n      - operator: Exists # all");
    assert_eq!(
        add(&text),
        Ok(changed(&text, "- operator: Exists # all", &format!("- operator: Exists # all{}", lines("      "))))
    );
    // In brackets.
    let text = changed(DAEMON_SET, "tolerations: []", "tolerations: [{operator: Exists}]");
    assert_eq!(
        add(&text),
        Ok(changed(
            &text,
            "{operator: Exists}]",
            "{operator: Exists}, {effect: NoSchedule, key: node-role.kubernetes.io/control-plane, operator: Exists}]"
        ))
    );
    // Nothing, or null.
    let text = changed(DAEMON_SET, "      tolerations: []  # none yet\n", "");
    assert_eq!(
        add(&text),
        Ok(changed(
            &text,
            "          image: helper:v1\n",
            &format!("          image: helper:v1\n      tolerations:{}\n", lines("        "))
        ))
    );
    let text = changed(DAEMON_SET, "tolerations: []  # none yet", "tolerations:");
    assert_eq!(add(&text), Ok(changed(&text, "tolerations:", &format!("tolerations:{}", lines("        ")))));
    let text = changed(DAEMON_SET, "tolerations: []  # none yet", "tolerations: ~ # none");
    assert_eq!(
        add(&text),
        Ok(changed(&text, "tolerations: ~ # none", &format!("tolerations: # none{}", lines("        "))))
    );
}

#[test]
fn missing_mappings_are_made() {
    let text = DAEMON_SET;
    let path = parse_path("spec.updateStrategy.rollingUpdate.maxUnavailable");
    assert_eq!(
        edited(text, |document| set(text, document, &path, &json!("10%"))),
        Ok(format!("{text}  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 10%\n"))
    );
    let path = parse_path("metadata.labels");
    assert_eq!(
        edited(text, |document| add_mapping_entry(text, document, &path, "app.kubernetes.io/x", &json!("z"))),
        Ok(changed(text, "tier: node}", "tier: node, app.kubernetes.io/x: z}"))
    );
    let path = parse_path("spec.template.metadata.labels");
    assert_eq!(
        edited(text, |document| set(text, document, &path, &json!({"app": "agent"}))),
        Ok(format!("{text}    metadata:\n      labels:\n        app: agent\n"))
    );
}

#[test]
fn entries_and_items_are_removed_with_their_lines() {
    let text = DAEMON_SET;
    let cut = |path: &str| edited(text, |document| remove(text, document, &parse_path(path)));
    assert_eq!(
        cut("spec.template.spec.nodeSelector.monitoring"),
        Ok(changed(text, "        monitoring: enabled # only these\n", ""))
    );
    assert_eq!(
        cut("spec.template.spec.nodeSelector"),
        Ok(changed(text, "      nodeSelector:\n        monitoring: enabled # only these\n        disk: ssd\n", ""))
    );
    assert_eq!(cut("metadata.labels.app"), Ok(changed(text, "app: agent, ", "")));
    assert_eq!(cut("metadata.labels.tier"), Ok(changed(text, ", tier: node", "")));
    assert_eq!(
        cut("spec.template.spec.containers[1]"),
        Ok(changed(text, "        - name: helper\n          image: helper:v1\n", ""))
    );
    assert_eq!(
        cut("spec.template.spec.containers[1].name"),
        Ok(changed(text, "- name: helper\n          image", "- image"))
    );
    assert_eq!(cut("spec.template.spec.containers[0].args[0]"), Ok(changed(text, "[a, b]", "[b]")));
    // The only entry.
    assert_eq!(
        cut("spec.selector.matchLabels.app"),
        Ok(changed(text, "matchLabels:\n      app: agent\n", "matchLabels: {}\n"))
    );
    assert_eq!(cut("spec.nothing"), Err(EditError::NotFound));
}

#[test]
fn keys_are_renamed() {
    let text = DAEMON_SET;
    let path = parse_path("spec.template.spec.nodeSelector.disk");
    assert_eq!(
        edited(text, |document| replace_key(text, document, &path, "storage")),
        Ok(changed(text, "disk: ssd", "storage: ssd"))
    );
    assert_eq!(
        edited(text, |document| replace_key(text, document, &path, "monitoring")),
        Err(EditError::Unsupported),
        "it is taken"
    );
}

#[test]
fn json_stays_json() {
    let text = "{\n  \"spec\": {\n    \"list\": [],\n    \"items\": [\n      \"a\"\n    ],\n    \"n\": 1\n  }\n}\n";
    let edit =
        |path: &str, value: Value| edited(text, |document| add_list_item(text, document, &parse_path(path), &value));
    assert_eq!(edit("spec.list", json!({"a": 1})), Ok(changed(text, "[]", "[{\"a\":1}]")));
    assert_eq!(edit("spec.items", json!("b")), Ok(changed(text, "\"a\"", "\"a\",\n      \"b\"")));
    let path = parse_path("spec.m");
    assert_eq!(
        edited(text, |document| set(text, document, &path, &json!(true))),
        Ok(changed(text, "\"n\": 1", "\"n\": 1,\n    \"m\": true"))
    );
    assert_eq!(
        edited(text, |document| remove(text, document, &parse_path("spec.n"))),
        Ok(changed(text, ",\n    \"n\": 1", ""))
    );
}

#[test]
fn what_others_share_is_not_touched() {
    let text = "a: &x\n  k: v\nb: *x\nc:\n  <<: *x\n  d: 1\n";
    let put = |path: &str| edited(text, |document| set(text, document, &parse_path(path), &json!("w")));
    assert_eq!(put("a.k"), Err(EditError::Unsupported));
    assert_eq!(put("b.k"), Err(EditError::Unsupported));
    assert_eq!(put("c.k"), Err(EditError::Unsupported));
    assert_eq!(put("c.d"), Ok(changed(text, "d: 1", "d: w")));
    assert_eq!(put("b"), Ok(changed(text, "b: *x", "b: w")));
}

#[test]
fn other_documents_and_line_ends_stay() {
    let text = "a: 1\r\n---\r\n# second\r\nb:\r\n- x\r\n---\r\nc: 3\r\n";
    let read = read(text, &Limits::default());
    let edits = add_list_item(text, &read.documents[1], &parse_path("b"), &json!("z")).unwrap();
    assert_eq!(apply_edits(text, &edits), changed(text, "- x\r\n", "- x\r\n- z\r\n"));
    let edits = set(text, &read.documents[2], &parse_path("d.e"), &json!(null)).unwrap();
    assert_eq!(apply_edits(text, &edits), format!("{text}d:\r\n  e: null\r\n"));
}

#[test]
fn a_text_without_a_last_line_break_can_be_edited() {
    assert_eq!(edited("a: 1", |document| set("a: 1", document, &parse_path("b"), &json!(2))), Ok("a: 1\nb: 2".into()));
    assert_eq!(edited("a:", |document| set("a:", document, &parse_path("a"), &json!([1]))), Ok("a:\n- 1".into()));
    assert_eq!(edited("- a", |document| remove("- a", document, &[0usize.into()])), Ok("[]".into()));
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec![
        "a",
        "b",
        "yes",
        "",
        "1",
        "a: b",
        "x y",
        "a\nb\n",
        "a\n\n",
        "- a",
        "#",
        "{",
        "a, b",
        " a",
        "é",
        "long words that go on and on until the line is full and then go on some more",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..5).prop_map(Value::from),
        text.clone().prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::Array),
            prop::collection::btree_map(
                // Keys of several lines (`? |`) are not edited.
                text.clone().prop_filter("one line", |text| !text.contains('\n')).prop_map(str::to_owned),
                inner,
                1..4
            )
            .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn all_paths(value: &Value, path: &mut Vec<PathSegment>, out: &mut Vec<Vec<PathSegment>>) {
    out.push(path.clone());
    let children: Vec<(PathSegment, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.into(), item)).collect(),
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.as_str().into(), value)).collect(),
        _ => Vec::new(),
    };
    for (segment, child) in children {
        path.push(segment);
        all_paths(child, path, out);
        path.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// In a text without aliases every place can be edited. That the result is the intended value, and nothing else, is
    /// checked by each function itself; that the rest of the text stays follows from the edits being small.
    #[test]
    fn every_place_can_be_edited(old in value(), new in value(), json_text in any::<bool>()) {
        let old = json!({"root": old});
        let text = if json_text { serde_json::to_string_pretty(&old).unwrap() } else { to_yaml(&old) };
        let read = read(&text, &Limits::default());
        let document = &read.documents[0];
        let mut paths = Vec::new();
        all_paths(&old, &mut Vec::new(), &mut paths);
        for path in paths.iter().filter(|path| !path.is_empty()) {
            let at = path.iter().fold(&old, |at, segment| match segment {
                PathSegment::Key(key) => &at[key],
                PathSegment::Index(index) => &at[index],
            });
            prop_assert!(set(&text, document, path, &new).is_ok(), "set {path:?} to {new} in\n{text}");
            prop_assert!(remove(&text, document, path).is_ok(), "remove {path:?} from\n{text}");
            match at {
                Value::Array(_) | Value::Null => {
                    prop_assert!(add_list_item(&text, document, path, &new).is_ok(), "add {new} to {path:?} in\n{text}");
                }
                _ => {}
            }
            match at {
                Value::Object(_) | Value::Null => {
                    prop_assert!(add_mapping_entry(&text, document, path, "new", &new).is_ok(), "add new: {new} to {path:?} in\n{text}");
                }
                _ => {}
            }
            if let Some(PathSegment::Key(_)) = path.last() {
                prop_assert!(replace_key(&text, document, path, "key: 2").is_ok(), "rename {path:?} in\n{text}");
            }
        }
    }
}
