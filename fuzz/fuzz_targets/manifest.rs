//! The manifest reader, its way back and its edits, on any bytes:
//! `cargo +nightly fuzz run manifest fuzz/seeds/manifest`
#![no_main]

use daemonset_playground::manifest::{Limits, PathSegment, apply_edits, edit, read, to_yaml};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let read_text = read(&text, &Limits::default());
    for diagnostic in &read_text.diagnostics {
        assert!(text.get(diagnostic.span.range()).is_some());
        let _ = (diagnostic.to_string(), diagnostic.kubectl_stderr("STDIN"));
        if let Some(fix) = &diagnostic.fix {
            // A fix never makes another error.
            let fixed = read(&apply_edits(&text, fix), &Limits::default());
            assert!(errors(&fixed) <= errors(&read_text));
        }
    }
    for document in &read_text.documents {
        let Some(value) = document.value() else { continue };
        let mut path = Vec::new();
        check_places(&text, document, value, &mut path, &mut 200);
        let written = to_yaml(value);
        if written.chars().all(|character| character != '\u{fffe}' && character != '\u{ffff}') {
            let again = read(&written, &Limits::for_dump());
            assert_eq!(again.documents.first().and_then(|document| document.value()), Some(value));
        }
        let place = document.path_at(text.floor_char_boundary(data.len() / 2));
        let _ = edit::set(&text, document, &place, &json!({"a": [1, "b: c"]}));
        let _ = edit::remove(&text, document, &place);
        let _ = edit::quote(&text, document, &place);
        let _ = edit::add_list_item(&text, document, &place, &json!("x"));
        let _ = edit::replace_key(&text, document, &place, "new key");
    }
    let _ = read_text.objects().count();
});

fn errors(read: &daemonset_playground::manifest::ManifestRead) -> usize {
    read.documents.iter().filter(|document| document.error.is_some()).count()
}

fn check_places(
    text: &str,
    document: &daemonset_playground::manifest::Document,
    value: &Value,
    path: &mut Vec<PathSegment>,
    left: &mut usize,
) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let location = document.locate(path).expect("the document was read");
    assert!(location.exact && text.get(location.value.range()).is_some());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                check_places(text, document, item, path, left);
                path.pop();
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                path.push(key.as_str().into());
                check_places(text, document, value, path, left);
                path.pop();
            }
        }
        _ => {}
    }
}
