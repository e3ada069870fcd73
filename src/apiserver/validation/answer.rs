//! The API server's answer to a refused request, and how kubectl prints it.
//!
//! Follows kubernetes apimachinery pkg/api/errors and kubectl pkg/cmd/util/helpers.go, v1.36.
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

/// The same answer with kubectl's note on what it was doing: `error when creating "STDIN": …`.
pub fn while_doing(mut status: Status, verb: &str, source: &str) -> Status {
    status.message = format!("error when {verb} {}: {}", quote(source), status.message);
    status
}

/// `Error from server (NotFound): …`.
fn from_server(status: &Status) -> String {
    if status.reason.is_empty() {
        format!("Error from server: {}", status.message)
    } else {
        format!("Error from server ({}): {}", status.reason, status.message)
    }
}

/// What kubectl prints on standard error when requests failed: one failed request with faults gets the form
/// `The DaemonSet "x" is invalid: …`, several get one line each. Ends with a line feed.
pub fn kubectl_error(failures: &[Status]) -> String {
    let [one] = failures else {
        return failures.iter().map(|status| from_server(status) + "\n").collect();
    };
    if one.reason != "Invalid" {
        return from_server(one) + "\n";
    }
    let head = if !one.kind.is_empty() || !one.name.is_empty() {
        format!("The {} {} is invalid", one.kind, quote(&one.name))
    } else if one.causes.is_empty() && !one.message.is_empty() {
        format!("The request is invalid: {}", one.message)
    } else {
        "The request is invalid".into()
    };
    let mut lines: Vec<String> = Vec::new();
    for cause in &one.causes {
        let line = format!("{}: {}", cause.field, cause.message);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.as_slice() {
        [] => head + "\n",
        [line] => format!("{head}: {line}\n"),
        many => format!("{head}: \n{}\n", many.iter().map(|l| format!("* {l}")).collect::<Vec<_>>().join("\n")),
    }
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
    fn several_failures_get_a_line_each() {
        let missing = while_doing(Status::not_found("namespaces", "a"), "creating", "STDIN");
        let text = "Error from server (NotFound): error when creating \"STDIN\": namespaces \"a\" not found\n";
        assert_eq!(kubectl_error(std::slice::from_ref(&missing)), text);
        assert_eq!(kubectl_error(&[missing.clone(), missing]), text.repeat(2));
        let patch = serde_json::json!({"spec": {"replicas": 2, "list": ["a", 1, null]}});
        assert_eq!(go_map(&patch), "map[spec:map[list:[a 1 <nil>] replicas:2]]");
        assert_eq!(
            kubectl_error(&[invalid_patch("map[a:b]", "bad")]),
            "The request is invalid: patch: Invalid value: \"map[a:b]\": bad\n"
        );
    }
}
