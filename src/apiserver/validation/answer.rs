//! The API server's answers to refused requests.
//!
//! Follows kubernetes apimachinery pkg/api/errors, v1.36.
use super::error::{FieldError, quote};
use crate::apiserver::schema::Resource;
use crate::apiserver::{Status, StatusCause};

/// 422: the object has these faults. Equal ones are told once in the message, all are causes.
pub fn invalid(resource: &Resource, name: &str, errors: &[FieldError]) -> Status {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let list = match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let cause = |error: &FieldError| StatusCause {
        reason: error.kind.reason().into(),
        message: error.body(),
        field: error.path.clone(),
    };
    Status {
        code: 422,
        reason: "Invalid".into(),
        message: format!("{} {} is invalid: {list}", resource.qualified_kind(), quote(name)),
        kind: resource.kind.into(),
        name: name.into(),
        causes: errors.iter().map(cause).collect(),
    }
}

/// 422 for a patch that does not fit the type: `patch: Invalid value: "…": strict decoding error: …`. `patch` is the
/// patch as Go prints a map (see [`go_map`]).
pub fn invalid_patch(patch: &str, detail: &str) -> Status {
    let body = format!("Invalid value: {}: {detail}", quote(patch));
    let cause = StatusCause { reason: "FieldValueInvalid".into(), message: body.clone(), field: "patch".into() };
    Status::invalid_request(format!(" \"\" is invalid: patch: {body}"), vec![cause])
}

/// 400: the object cannot be read (`detail` from [`decoding_message`](crate::apiserver::schema::decoding_message)).
pub fn undecodable(resource: &Resource, detail: &str) -> Status {
    let kind = resource.kind;
    Status::bad_request(format!("{kind} in version \"{}\" cannot be handled as a {kind}: {detail}", resource.version))
}

/// A tree as Go's `%v` prints the map that it is: `map[spec:map[replicas:2]]`, keys sorted, texts bare.
pub fn go_map(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{}", go_map(value))).collect();
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_shown_as_go_prints_maps() {
        let patch = serde_json::json!({"spec": {"replicas": 2, "list": ["a", 1, null]}});
        assert_eq!(go_map(&patch), "map[spec:map[list:[a 1 <nil>] replicas:2]]");
        let status = invalid_patch("map[a:b]", "bad");
        assert_eq!(status.message, " \"\" is invalid: patch: Invalid value: \"map[a:b]\": bad");
        assert_eq!(status.causes.first().map(|cause| cause.field.as_str()), Some("patch"));
    }
}
