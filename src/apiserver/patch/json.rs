use super::PatchError;
use serde_json::{Map, Value};

/// RFC 7386: members are replaced, `null` removes them.
pub fn json_merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(map) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            map.remove(key);
        } else {
            json_merge(map.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// RFC 6902: `add`, `remove`, `replace`, `move`, `copy`, `test`, one after the other.
///
/// # Errors
/// [`PatchError::Malformed`] when the patch is no list of operations, [`PatchError::DoesNotFit`] when one of them
/// cannot be done; the target is then of no use.
pub fn json_patch(target: &mut Value, patch: &Value) -> Result<(), PatchError> {
    let Value::Array(operations) = patch else {
        return Err(PatchError::Malformed(format!(
            "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
            go_kind(patch)
        )));
    };
    for operation in operations {
        if !operation.is_object() {
            return Err(PatchError::Malformed(format!(
                "json: cannot unmarshal {} into Go value of type jsonpatch.Operation",
                go_kind(operation)
            )));
        }
        let text = |member: &str| operation.get(member).and_then(Value::as_str);
        let path = pointer(text("path").ok_or(PatchError::DoesNotFit)?)?;
        let value = || operation.get("value").cloned().ok_or(PatchError::DoesNotFit);
        let from = || pointer(text("from").ok_or(PatchError::DoesNotFit)?);
        match text("op") {
            Some("add") => add(target, &path, value()?)?,
            Some("remove") => drop(remove(target, &path)?),
            Some("replace") => *find(target, &path)? = value()?,
            Some("move") => {
                let moved = remove(target, &from()?)?;
                add(target, &path, moved)?;
            }
            Some("copy") => {
                let copied = find(target, &from()?)?.clone();
                add(target, &path, copied)?;
            }
            Some("test") => {
                let present = find(target, &path).map_or(Value::Null, |value| value.clone());
                if present != operation.get("value").cloned().unwrap_or(Value::Null) {
                    return Err(PatchError::DoesNotFit);
                }
            }
            _ => return Err(PatchError::DoesNotFit),
        }
    }
    Ok(())
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::Null => "null",
    }
}

/// RFC 6901.
fn pointer(path: &str) -> Result<Vec<String>, PatchError> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let rest = path.strip_prefix('/').ok_or(PatchError::DoesNotFit)?;
    Ok(rest.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
}

fn find<'a>(target: &'a mut Value, path: &[String]) -> Result<&'a mut Value, PatchError> {
    path.iter().try_fold(target, |value, token| {
        match value {
            Value::Object(map) => map.get_mut(token),
            Value::Array(items) => index(token, items.len()).and_then(|at| items.get_mut(at)),
            _ => None,
        }
        .ok_or(PatchError::DoesNotFit)
    })
}

/// An index; negative ones count from the end, as the API server's library has it.
fn index(token: &str, length: usize) -> Option<usize> {
    match token.strip_prefix('-') {
        Some(back) => length.checked_sub(back.parse().ok()?),
        None => token.parse().ok(),
    }
}

fn add(target: &mut Value, path: &[String], value: Value) -> Result<(), PatchError> {
    let Some((last, parents)) = path.split_last() else {
        *target = value;
        return Ok(());
    };
    match find(target, parents)? {
        Value::Object(map) => {
            map.insert(last.clone(), value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            let at = index(last, items.len()).filter(|at| *at <= items.len()).ok_or(PatchError::DoesNotFit)?;
            items.insert(at, value);
        }
        _ => return Err(PatchError::DoesNotFit),
    }
    Ok(())
}

fn remove(target: &mut Value, path: &[String]) -> Result<Value, PatchError> {
    let (last, parents) = path.split_last().ok_or(PatchError::DoesNotFit)?;
    match find(target, parents)? {
        Value::Object(map) => map.remove(last).ok_or(PatchError::DoesNotFit),
        Value::Array(items) => match index(last, items.len()).filter(|at| *at < items.len()) {
            Some(at) => Ok(items.remove(at)),
            None => Err(PatchError::DoesNotFit),
        },
        _ => Err(PatchError::DoesNotFit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn merge_replaces_lists_and_removes_nulls() {
        let mut target = json!({"a": {"b": 1, "c": [1]}, "d": 1});
        json_merge(&mut target, &json!({"a": {"b": null, "c": [2, null]}, "d": {"e": null, "f": 1}}));
        assert_eq!(target, json!({"a": {"c": [2, null]}, "d": {"f": 1}}));
    }

    #[test]
    fn operations_are_done_in_order() {
        let mut target = json!({"a": [1, 2], "b/c": {"x": 1}});
        let patch = json!([
            {"op": "add", "path": "/a/1", "value": 9},
            {"op": "add", "path": "/a/-", "value": 3},
            {"op": "remove", "path": "/a/0"},
            {"op": "replace", "path": "/b~1c/x", "value": 2},
            {"op": "copy", "from": "/b~1c/x", "path": "/y"},
            {"op": "move", "from": "/b~1c", "path": "/z"},
            {"op": "test", "path": "/y", "value": 2},
        ]);
        json_patch(&mut target, &patch).unwrap();
        assert_eq!(target, json!({"a": [9, 2, 3], "y": 2, "z": {"x": 2}}));
    }

    #[test]
    fn operations_that_do_not_fit_are_refused() {
        for operation in [
            json!({"op": "remove", "path": "/nope"}),
            json!({"op": "replace", "path": "/a/5", "value": 1}),
            json!({"op": "add", "path": "/x/y", "value": 1}),
            json!({"op": "test", "path": "/a/0", "value": 2}),
            json!({"op": "dance", "path": "/a"}),
        ] {
            let refused = json_patch(&mut json!({"a": [1]}), &json!([operation.clone()]));
            assert_eq!(refused, Err(PatchError::DoesNotFit), "{operation}");
        }
        let Err(PatchError::Malformed(why)) = json_patch(&mut json!({}), &json!({})) else { panic!() };
        assert_eq!(why, "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    }
}
