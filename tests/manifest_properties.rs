//! What holds for every text and every value.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::manifest::{
    DisplayPath, Limits, LineIndex, ManifestRead, PathSegment, apply_edits, parse_path, read, to_yaml,
};
use proptest::prelude::*;
use serde_json::Value;

/// Texts that look like manifests often enough to get past the first line.
fn manifest_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "a", "b: ", "name: x", "- ", "-", "  ", "\n", "\n  ", "\n    ", "\t", ":", ": ", "#", " # c", "'", "\"", "|", ">", "|-\n",
            "&a ", "*a", "<<: *a", "<<", "!!int ", "!", "%YAML 1.1\n", "---\n", "--- #\n", "...\n", "{", "}", "[", "]", ",", "? ", "{{ x }}",
            "\\", "\\u0041", "@", "`", "yes", "012", "1.5", ".inf", "~", "null", "\r\n", "\r", "\u{85}", "\u{2028}", "é", "😀", "\u{feff}",
            "\u{1}", "kind: List\nitems:\n- ", "apiVersion: v1\nkind: Pod\n", "{\"a\": 1}", "[1, 2]", "\"x\\", "true", "!<tag:yaml.org,2002:str> ",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        prop::sample::select(vec![
            "",
            "a",
            "yes",
            "y",
            "null",
            "~",
            "1",
            "012",
            "0x1",
            "1e3",
            ".5",
            "2024-01-01",
            "1:30",
            "a: b",
            "a #b",
            " a",
            "a ",
            "-",
            "- a",
            "a\nb",
            "a\n",
            "\n",
            " \n",
            "a\n\n",
            " a\nb",
            "a \nb",
            "\t",
            "a\tb",
            "---",
            "...",
            "{{ x }}",
            "@",
            "'",
            "\"",
            "\\",
            "<<",
            "\r\n",
            "a\r\nb",
            "😀",
            "\u{85}",
            "\u{2028}",
            "\u{feff}x",
            "#",
            ":",
            "a:",
            "?",
            "!x",
            "&x",
            "*x",
            "%",
            "|",
            ">",
        ])
        .prop_map(str::to_owned),
        "[ -~\n]{0,100}",
        "\\PC{0,20}",
    ];
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_filter_map("not an integer for Go", |value| {
                daemonset_playground::manifest::scalar::json_number(value).map(Value::Number)
            }),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        text.clone().prop_map(Value::String)
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((text.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn all_paths(value: &Value, path: &mut Vec<PathSegment>, out: &mut Vec<Vec<PathSegment>>) {
    out.push(path.clone());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                all_paths(item, path, out);
                path.pop();
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                path.push(key.as_str().into());
                all_paths(value, path, out);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Every place that the reading names is in the text, at character boundaries.
fn check_places(text: &str, read: &ManifestRead) {
    let index = LineIndex::new(text);
    let check = |span: daemonset_playground::manifest::Span| {
        assert!(text.get(span.range()).is_some(), "{text:?}: {span:?}");
        assert_eq!(index.position(span.start.offset), span.start);
        assert_eq!(span.start.utf16, text[..span.start.offset].encode_utf16().count());
        assert_eq!(index.offset_of_utf16(span.start.utf16), span.start.offset);
    };
    for diagnostic in &read.diagnostics {
        check(diagnostic.span);
        assert!(!diagnostic.to_string().is_empty());
        if let Some(fix) = &diagnostic.fix {
            for edit in fix {
                assert!(text.get(edit.start..edit.end).is_some());
            }
            let _ = apply_edits(text, fix);
        }
    }
    for document in &read.documents {
        check(document.span);
        let Some(value) = document.value() else { continue };
        let mut paths = Vec::new();
        all_paths(value, &mut Vec::new(), &mut paths);
        for path in paths {
            let location = document.locate(&path).unwrap();
            assert!(location.exact, "{text:?}: {}", DisplayPath(&path));
            check(location.value);
            location.key.into_iter().for_each(check);
        }
        let _ = document.path_at(text.len() / 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_a_panic(text in prop_oneof![manifest_text(), "\\PC{0,60}", any::<String>()]) {
        let read = read(&text, &Limits::default());
        check_places(&text, &read);
        let _ = read.objects().count();
    }

    #[test]
    fn small_limits_are_no_different(text in manifest_text()) {
        let limits = Limits { bytes: 200, depth: 3, aliases: 2, expansion: 5, documents: 2, objects: 2 };
        check_places(&text, &read(&text, &limits));
    }

    #[test]
    fn a_value_that_is_written_is_read_back(value in json_value()) {
        let text = to_yaml(&value);
        let read = read(&text, &Limits::default());
        prop_assert!(!read.has_errors(), "{:?}\n{text}", read.diagnostics);
        prop_assert_eq!(read.documents.len(), 1, "{}", text);
        prop_assert_eq!(read.documents[0].value(), Some(&value), "{}", text);
        check_places(&text, &read);
    }

    #[test]
    fn json_is_read_as_serde_reads_it(value in json_value()) {
        let object = serde_json::json!({"value": value});
        for text in [serde_json::to_string(&object).unwrap(), serde_json::to_string_pretty(&object).unwrap()] {
            let read = read(&text, &Limits::default());
            prop_assert_eq!(read.documents[0].value(), Some(&object), "{}", text);
            check_places(&text, &read);
        }
    }

    #[test]
    fn paths_are_read_back(path in prop::collection::vec(prop_oneof![
        "[a-z]{1,3}".prop_map(PathSegment::Key), "[a-z]\\.[a-z]/[a-z]".prop_map(PathSegment::Key), (0usize..9).prop_map(PathSegment::Index),
    ], 1..6)) {
        prop_assert_eq!(parse_path(&DisplayPath(&path).to_string()), path);
    }

    #[test]
    fn any_path_text_is_taken(text in "\\PC{0,30}", manifest in manifest_text()) {
        for document in &read(&manifest, &Limits::default()).documents {
            let _ = document.locate_text(&text);
        }
    }
}
