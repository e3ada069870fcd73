//! Strategic merge: members are merged, lists by the keys of their items, directives (`$patch: delete`) obeyed.
//!
//! Follows kubernetes apimachinery pkg/util/strategicpatch mergeMap and mergeSlice, v1.36.

use super::field_patch;
use super::{DELETE_FROM, DIRECTIVE, ELEMENT_ORDER, Object, PatchError, RETAIN_KEYS, is_object, reorder, same};
use crate::apiserver::validation::go_map;
use crate::order::Collect;
use serde_json::Value;

/// Applies a strategic merge patch to an object of this type (`DaemonSet`).
///
/// # Errors
/// [`PatchError::Malformed`] when a directive is unknown or a list item lacks its key.
pub fn strategic_merge(target: &mut Value, patch: &Value, type_name: &str) -> Result<(), PatchError> {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => merge(target, patch, type_name, true),
        (target, patch) => {
            *target = patch.clone();
            Ok(())
        }
    }
}

/// Puts a patch into an object or (`applies` false) into another patch, where nulls and directives stay.
pub(super) fn merge(target: &mut Object, patch: &Object, type_name: &str, applies: bool) -> Result<(), PatchError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        match directive.as_str() {
            Some("replace") => {
                *target = patch.clone();
                target.remove(DIRECTIVE);
            }
            Some("delete") => target.clear(),
            _ => return Err(unknown_directive(directive)),
        }
        return Ok(());
    }
    if let Some(retained) = patch.get(RETAIN_KEYS).and_then(Value::as_array) {
        if applies {
            target.retain(|key, _| retained.iter().any(|k| k.as_str() == Some(key)));
        } else {
            target.insert(RETAIN_KEYS.into(), Value::Array(retained.clone()));
        }
    }
    for (key, value) in patch {
        if key == RETAIN_KEYS {
            continue;
        }
        if applies && (key.starts_with(DELETE_FROM) || key.starts_with(ELEMENT_ORDER)) {
            continue; // They go with their lists, below.
        }
        merge_member(target, key, value, patch, type_name, applies)?;
    }
    if applies {
        // Lists that a directive names and the patch itself does not.
        for (key, _) in patch {
            let list = key.strip_prefix(DELETE_FROM).or_else(|| key.strip_prefix(ELEMENT_ORDER));
            if let Some(list) = list.filter(|list| !patch.contains_key(*list)) {
                merge_list(target, list, &[], patch, type_name, true)?;
            }
        }
    }
    Ok(())
}

fn merge_member(
    target: &mut Object,
    key: &str,
    value: &Value,
    patch: &Object,
    type_name: &str,
    applies: bool,
) -> Result<(), PatchError> {
    let field = field_patch(type_name, key);
    match (target.get_mut(key), value) {
        (_, Value::Null) if applies => {
            target.remove(key);
        }
        (Some(Value::Object(present)), Value::Object(wanted)) => merge(present, wanted, field.type_name, applies)?,
        (Some(Value::Array(_)), Value::Array(items)) if field.merge_key.is_some() => {
            merge_list(target, key, items, patch, type_name, applies)?;
        }
        (Some(present), _) => *present = if applies { without_directives(value) } else { value.clone() },
        (None, _) => {
            let value = if applies { without_directives(value) } else { value.clone() };
            target.insert(key.into(), value);
        }
    }
    Ok(())
}

fn merge_list(
    target: &mut Object,
    key: &str,
    items: &[Value],
    patch: &Object,
    type_name: &str,
    applies: bool,
) -> Result<(), PatchError> {
    let field = field_patch(type_name, key);
    let merge_key = field.merge_key.unwrap_or("");
    let list_of = |prefix: &str| patch.get(&format!("{prefix}{key}")).and_then(Value::as_array);
    let Some(Value::Array(present)) = target.get_mut(key) else { return Ok(()) };
    let server = present.clone();
    if items.iter().all(|item| !is_object(item)) && merge_key.is_empty() {
        if let Some(deleted) = list_of(DELETE_FROM) {
            present.retain(|item| !deleted.contains(item));
        }
        for item in items {
            if !present.contains(item) {
                present.push(item.clone());
            }
        }
    } else {
        merge_items(present, items, merge_key, field.type_name, applies)?;
    }
    if applies && let Some(order) = list_of(ELEMENT_ORDER) {
        *present = reorder(std::mem::take(present), order, &server, merge_key);
    }
    Ok(())
}

fn merge_items(
    present: &mut Vec<Value>,
    items: &[Value],
    merge_key: &str,
    type_name: &str,
    applies: bool,
) -> Result<(), PatchError> {
    let replaces = items.iter().any(|item| item.get(DIRECTIVE).and_then(Value::as_str) == Some("replace"));
    if replaces {
        *present = items.iter().filter(|item| item.get(DIRECTIVE).is_none()).cloned().collect();
        return Ok(());
    }
    for item in items {
        let Value::Object(wanted) = item else {
            return Err(PatchError::Malformed("cannot merge a list of maps with other values".into()));
        };
        if !wanted.contains_key(merge_key) {
            return Err(PatchError::Malformed(format!(
                "map: {} does not contain declared merge key: {merge_key}",
                go_map(item)
            )));
        }
        match wanted.get(DIRECTIVE).and_then(Value::as_str) {
            Some("delete") if applies => {
                present.retain(|other| !same(other, item, merge_key));
                continue;
            }
            Some("merge" | "delete") | None => {}
            Some(other) => return Err(unknown_directive(&Value::from(other))),
        }
        let mut wanted = wanted.clone();
        if applies {
            wanted.remove(DIRECTIVE);
        }
        match present.iter_mut().find(|other| same(other, item, merge_key)) {
            Some(Value::Object(found)) if !wanted.contains_key(DIRECTIVE) => {
                merge(found, &wanted, type_name, applies)?;
            }
            Some(found) => *found = Value::Object(wanted),
            None if applies => present.push(without_directives(&Value::Object(wanted))),
            None => present.push(Value::Object(wanted)),
        }
    }
    Ok(())
}

/// A new value as it is stored: without nulls and directives.
fn without_directives(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .filter(|(key, value)| !key.starts_with('$') && !value.is_null())
                .map(|(key, value)| (key.clone(), without_directives(value)))
                .collect_object(),
        ),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .filter(|item| item.get(DIRECTIVE).and_then(Value::as_str) != Some("delete"))
                .map(without_directives)
                .collect(),
        ),
        other => other.clone(),
    }
}

fn unknown_directive(directive: &Value) -> PatchError {
    PatchError::Malformed(format!("unknown patch type: {}", directive.as_str().unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patched(target: Value, patch: Value) -> Value {
        patched_as("PodSpec", target, patch)
    }

    fn patched_as(kind: &str, mut target: Value, patch: Value) -> Value {
        strategic_merge(&mut target, &patch, kind).unwrap();
        target
    }

    #[test]
    fn lists_are_merged_by_their_keys_and_atomic_ones_replaced() {
        let pod = json!({"containers": [{"name": "a", "image": "x"}, {"name": "b"}], "tolerations": [{"key": "k"}]});
        let patch = json!({"containers": [{"name": "a", "image": "y"}, {"name": "c"}], "tolerations": [{"key": "l"}]});
        assert_eq!(
            patched(pod, patch),
            json!({"containers": [{"name": "a", "image": "y"}, {"name": "b"}, {"name": "c"}], "tolerations": [{"key": "l"}]})
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        let pod = json!({"containers": [{"name": "a"}, {"name": "b"}, {"name": "s"}, {"name": "c"}]});
        let patch = json!({
            "$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
            "containers": [{"name": "b", "$patch": "delete"}, {"name": "c", "image": "i"}],
        });
        assert_eq!(
            patched(pod.clone(), patch),
            json!({"containers": [{"name": "s"}, {"name": "c", "image": "i"}, {"name": "a"}]})
        );
        assert_eq!(
            patched(pod, json!({"containers": [{"$patch": "replace"}, {"name": "z"}]})),
            json!({"containers": [{"name": "z"}]})
        );
        assert_eq!(
            patched(json!({"nodeSelector": {"a": "b", "c": "d"}}), json!({"nodeSelector": {"a": null}})),
            json!({"nodeSelector": {"c": "d"}})
        );
        assert_eq!(
            patched(json!({"nodeSelector": {"a": "b"}}), json!({"nodeSelector": {"x": "y", "$patch": "replace"}})),
            json!({"nodeSelector": {"x": "y"}})
        );
    }

    #[test]
    fn sets_of_scalars_grow_and_shrink() {
        assert_eq!(
            patched_as(
                "ObjectMeta",
                json!({"finalizers": ["a", "b"]}),
                json!({"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c", "b"]})
            ),
            json!({"finalizers": ["b", "c"]})
        );
        assert_eq!(
            patched_as(
                "ObjectMeta",
                json!({"finalizers": ["a", "b"]}),
                json!({"$deleteFromPrimitiveList/finalizers": ["a"]})
            ),
            json!({"finalizers": ["b"]})
        );
    }

    #[test]
    fn retained_keys_drop_the_others() {
        assert_eq!(
            patched_as(
                "DeploymentSpec",
                json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}),
                json!({"strategy": {"$retainKeys": ["type"], "type": "Recreate"}})
            ),
            json!({"strategy": {"type": "Recreate"}})
        );
    }

    #[test]
    fn an_item_without_its_key_is_refused() {
        let refused = strategic_merge(
            &mut json!({"containers": [{"name": "a"}]}),
            &json!({"containers": [{"image": "x"}]}),
            "PodSpec",
        );
        assert_eq!(
            refused,
            Err(PatchError::Malformed("map: map[image:x] does not contain declared merge key: name".into()))
        );
    }
}
