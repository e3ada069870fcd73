//! "Either answer is right", as recordings write it.

use super::cases::texts;
use serde_json::Value;

/// Compares names with a plain list, `{"always", "choose", "from"}` or `{"anyOf"}`. The order never matters.
pub fn expect_names(what: &str, mut actual: Vec<String>, expected: &Value) -> Result<(), String> {
    actual.sort();
    if is_allowed(&actual, expected) { Ok(()) } else { Err(format!("{what}: expected {expected}, got {actual:?}")) }
}

fn is_allowed(sorted: &[String], expected: &Value) -> bool {
    if let Some(sets) = expected.get("anyOf").and_then(Value::as_array) {
        return sets.iter().any(|set| is_allowed(sorted, set));
    }
    if expected.is_array() {
        let mut wanted = texts(expected);
        wanted.sort();
        return wanted == sorted;
    }
    let choose = expected["choose"].as_u64().expect("choose is a number") as usize;
    let Some(mut rest) = without(sorted.to_vec(), &texts(&expected["always"])) else { return false };
    let chosen = rest.len();
    let from = texts(&expected["from"]);
    rest.retain(|name| !from.contains(name));
    let mut unique = sorted.to_vec();
    unique.dedup();
    chosen == choose && rest.is_empty() && unique.len() == sorted.len()
}

/// Takes names out; `None` when one is missing.
fn without(mut names: Vec<String>, taken: &[String]) -> Option<Vec<String>> {
    for name in taken {
        let at = names.iter().position(|candidate| candidate == name)?;
        names.remove(at);
    }
    Some(names)
}

/// Compares a value with one value or `{"anyOf"}`.
pub fn expect_value(what: &str, actual: &Value, expected: &Value) -> Result<(), String> {
    let allowed = match expected.get("anyOf").and_then(Value::as_array) {
        Some(values) => values.contains(actual),
        None => actual == expected,
    };
    if allowed { Ok(()) } else { Err(format!("{what}: expected {expected}, got {actual}")) }
}

/// A comparison that accepts everything would pass every case.
pub fn self_check() {
    use serde_json::json;
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let choice = json!({"always": ["a"], "choose": 1, "from": ["b", "c"]});
    assert!(is_allowed(&names(&["a", "b"]), &choice));
    assert!(!is_allowed(&names(&["a"]), &choice));
    assert!(!is_allowed(&names(&["b", "c"]), &choice));
    assert!(!is_allowed(&names(&["a", "d"]), &choice));
    assert!(is_allowed(&names(&["x"]), &json!({"anyOf": [["y"], ["x"]]})));
}
