//! The patch that `kubectl apply` sends: what the person added or changed against the live object, and what they
//! removed against the configuration they applied last.
//!
//! Follows kubernetes apimachinery pkg/util/strategicpatch diffMaps and CreateThreeWayMergePatch, v1.36.

use super::field_patch;
use super::strategic::merge;
use super::{DELETE_FROM, DIRECTIVE, ELEMENT_ORDER, Object, PatchError, RETAIN_KEYS, is_object, reorder, same};
use crate::apiserver::validation::go_map;
use crate::order::{Collect, Order};
use serde_json::{Map, Value};

/// What a comparison looks for.
#[derive(Clone, Copy)]
struct Looks {
    for_changes: bool,
    for_deletions: bool,
    orders_elements: bool,
}

/// The strategic patch that turns `current` into what `modified` says, and removes what `original` had and `modified`
/// no longer has. An empty object means that nothing is to be done.
///
/// # Errors
/// When lists hold items of different kinds.
pub fn three_way(original: &Value, modified: &Value, current: &Value, type_name: &str) -> Result<Value, PatchError> {
    let (empty, none) = (Map::new(), Map::new());
    let modified = modified.as_object().unwrap_or(&empty);
    let changes = Looks { for_changes: true, for_deletions: false, orders_elements: true };
    let deletions = Looks { for_changes: false, for_deletions: true, orders_elements: true };
    let delta = diff_maps(current.as_object().unwrap_or(&none), modified, type_name, changes, false)?;
    let mut patch = diff_maps(original.as_object().unwrap_or(&none), modified, type_name, deletions, false)?;
    merge(&mut patch, &delta, type_name, false)?;
    Ok(Value::Object(patch))
}

/// The strategic patch that turns `original` into `modified`.
///
/// # Errors
/// When lists hold items of different kinds.
pub fn create_two_way(original: &Value, modified: &Value, type_name: &str) -> Result<Value, PatchError> {
    let (empty, none) = (Map::new(), Map::new());
    let looks = Looks { for_changes: true, for_deletions: true, orders_elements: true };
    let (original, modified) = (original.as_object().unwrap_or(&none), modified.as_object().unwrap_or(&empty));
    diff_maps(original, modified, type_name, looks, false).map(Value::Object)
}

/// The JSON merge patch that turns `original` into `modified`.
pub fn create_merge_patch(original: &Value, modified: &Value) -> Value {
    let (Value::Object(original), Value::Object(modified)) = (original, modified) else { return modified.clone() };
    let mut patch = Map::new();
    for key in original.keys().filter(|key| !modified.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, wanted) in modified {
        match original.get(key) {
            Some(present) if present == wanted => {}
            Some(present @ Value::Object(_)) if wanted.is_object() => {
                patch.insert(key.clone(), create_merge_patch(present, wanted));
            }
            _ => {
                patch.insert(key.clone(), wanted.clone());
            }
        }
    }
    Value::Object(patch)
}

fn diff_maps(
    original: &Object,
    modified: &Object,
    type_name: &str,
    looks: Looks,
    retains: bool,
) -> Result<Object, PatchError> {
    let mut patch = Map::new();
    let mut retained: Vec<Value> = Vec::new();
    for (key, present) in original {
        let Some(wanted) = modified.get(key) else {
            if looks.for_deletions {
                patch.insert(key.clone(), Value::Null);
            }
            continue;
        };
        if retains {
            retained.push(key.as_str().into());
        }
        let field = field_patch(type_name, key);
        match (present, wanted) {
            (Value::Object(present), Value::Object(wanted)) => {
                let below = diff_maps(present, wanted, field.type_name, looks, field.retain_keys)?;
                if !below.is_empty() {
                    patch.insert(key.clone(), Value::Object(below));
                }
            }
            (Value::Array(present), Value::Array(wanted)) if field.merge_key.is_some() => {
                diff_lists(&mut patch, key, present, wanted, type_name, looks)?;
            }
            _ if looks.for_changes && present != wanted => {
                patch.insert(key.clone(), wanted.clone());
            }
            _ => {}
        }
    }
    let mut added = false;
    for (key, wanted) in modified.iter().filter(|(key, _)| !original.contains_key(*key)) {
        added = true;
        if retains {
            retained.push(key.as_str().into());
        }
        if looks.for_changes {
            patch.insert(key.clone(), wanted.clone());
        }
    }
    if !retained.is_empty() && (!patch.is_empty() || added) {
        retained.order_by(|a, b| a.as_str().cmp(&b.as_str()));
        patch.insert(RETAIN_KEYS.into(), Value::Array(retained));
    }
    Ok(patch)
}

fn diff_lists(
    patch: &mut Object,
    key: &str,
    present: &[Value],
    wanted: &[Value],
    type_name: &str,
    looks: Looks,
) -> Result<(), PatchError> {
    if present.is_empty() {
        if !wanted.is_empty() && looks.for_changes {
            patch.insert(key.into(), Value::Array(wanted.to_vec()));
        }
        return Ok(());
    }
    let field = field_patch(type_name, key);
    let merge_key = field.merge_key.unwrap_or("");
    let order = if present.iter().chain(wanted).all(is_object) {
        let (changed, deleted) = diff_items(present, wanted, merge_key, field.type_name, looks, field.retain_keys)?;
        let mut changed = reorder(changed, wanted, &[], merge_key);
        let same_order =
            present.len() == wanted.len() && present.iter().zip(wanted).all(|(a, b)| same(a, b, merge_key));
        changed.extend(deleted);
        let touched = !changed.is_empty();
        if touched {
            patch.insert(key.into(), Value::Array(changed));
        }
        let orders = (looks.for_changes && (touched || !same_order)) || (looks.for_deletions && touched);
        let key_of = |item: &Value| {
            let value = item.get(merge_key).cloned().unwrap_or(Value::Null);
            Value::Object([(merge_key.to_owned(), value)].into_iter().collect_object())
        };
        orders.then(|| wanted.iter().map(key_of).collect::<Vec<_>>())
    } else if present.iter().chain(wanted).any(|item| is_object(item) || item.is_array()) {
        return Err(PatchError::Malformed("list element types are not identical".into()));
    } else {
        let added: Vec<Value> = wanted.iter().filter(|item| !present.contains(item)).cloned().collect();
        let deleted: Vec<Value> = present.iter().filter(|item| !wanted.contains(item)).cloned().collect();
        let orders = (looks.for_deletions && !deleted.is_empty()) || (looks.for_changes && present != wanted);
        if looks.for_changes && !added.is_empty() {
            patch.insert(key.into(), Value::Array(added));
        }
        if looks.for_deletions && !deleted.is_empty() {
            patch.insert(format!("{DELETE_FROM}{key}"), Value::Array(deleted));
        }
        orders.then(|| wanted.to_vec())
    };
    if let Some(order) = order.filter(|_| looks.orders_elements) {
        patch.insert(format!("{ELEMENT_ORDER}{key}"), Value::Array(order));
    }
    Ok(())
}

/// Changed and new items, and directives for those that are gone.
fn diff_items(
    present: &[Value],
    wanted: &[Value],
    merge_key: &str,
    type_name: &str,
    looks: Looks,
    retains: bool,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let (mut changed, mut deleted) = (Vec::new(), Vec::new());
    let without_key = |item: &Value| {
        let shown = go_map(item);
        PatchError::Malformed(format!("map: {shown} does not contain declared merge key: {merge_key}"))
    };
    for item in wanted {
        let key = item.get(merge_key).ok_or_else(|| without_key(item))?;
        match present.iter().find(|other| same(other, item, merge_key)) {
            Some(Value::Object(before)) => {
                let empty = Map::new();
                let after = item.as_object().unwrap_or(&empty);
                let mut difference = diff_maps(before, after, type_name, looks, retains)?;
                if !difference.is_empty() {
                    difference.insert(merge_key.into(), key.clone());
                    changed.push(Value::Object(difference));
                }
            }
            _ if looks.for_changes => changed.push(item.clone()),
            _ => {}
        }
    }
    if looks.for_deletions {
        for item in present.iter().filter(|item| !wanted.iter().any(|other| same(other, item, merge_key))) {
            let key = item.get(merge_key).ok_or_else(|| without_key(item))?;
            let members = [(DIRECTIVE.to_owned(), "delete".into()), (merge_key.to_owned(), key.clone())];
            deleted.push(Value::Object(members.into_iter().collect_object()));
        }
    }
    Ok((changed, deleted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apiserver::patch::strategic_merge;
    use serde_json::json;

    fn applied(original: Value, modified: Value, current: Value) -> (Value, Value) {
        let patch = three_way(&original, &modified, &current, "PodSpec").unwrap();
        let mut result = current;
        strategic_merge(&mut result, &patch, "PodSpec").unwrap();
        (patch, result)
    }

    #[test]
    fn defaults_of_the_server_stay_and_what_was_removed_goes() {
        let original = json!({"nodeSelector": {"a": "b"}, "containers": [{"name": "c", "image": "1", "args": ["x"]}]});
        let modified = json!({"containers": [{"name": "c", "image": "2"}]});
        let current = json!({
            "nodeSelector": {"a": "b"},
            "restartPolicy": "Always",
            "containers": [{"name": "c", "image": "1", "args": ["x"], "resources": {}}],
        });
        let (patch, result) = applied(original, modified, current);
        assert_eq!(
            patch,
            json!({
                "nodeSelector": null,
                "$setElementOrder/containers": [{"name": "c"}],
                "containers": [{"name": "c", "image": "2", "args": null}],
            })
        );
        assert_eq!(
            result,
            json!({"restartPolicy": "Always", "containers": [{"name": "c", "image": "2", "resources": {}}]})
        );
    }

    #[test]
    fn the_same_again_is_an_empty_patch() {
        let written = json!({"containers": [{"name": "a"}, {"name": "b"}], "tolerations": [{"key": "x"}]});
        let mut current = written.clone();
        current["containers"][0]["resources"] = json!({});
        assert_eq!(applied(written.clone(), written, current).0, json!({}));
    }

    #[test]
    fn items_are_removed_added_and_reordered() {
        let original = json!({"containers": [{"name": "a"}, {"name": "b"}]});
        let modified = json!({"containers": [{"name": "c"}, {"name": "b"}]});
        let current = json!({"containers": [{"name": "a"}, {"name": "b"}, {"name": "injected"}]});
        let (_, result) = applied(original, modified, current);
        assert_eq!(result, json!({"containers": [{"name": "c"}, {"name": "b"}, {"name": "injected"}]}));
    }

    #[test]
    fn two_versions_make_a_patch_that_leads_from_one_to_the_other() {
        let before =
            json!({"metadata": {"generation": 1, "finalizers": ["x", "y"]}, "spec": {"volumes": [{"name": "a"}]}});
        let after = json!({"metadata": {"name": "n", "finalizers": ["y", "z"]}, "spec": {"volumes": [{"name": "b"}]}});
        let patch = create_two_way(&before, &after, "Pod").unwrap();
        let mut result = before.clone();
        strategic_merge(&mut result, &patch, "Pod").unwrap();
        assert_eq!(result, after);
        let mut result = before.clone();
        crate::apiserver::patch::json_merge(&mut result, &create_merge_patch(&before, &after));
        assert_eq!(result, after);
    }
}
