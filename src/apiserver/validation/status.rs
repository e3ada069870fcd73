//! The API server's answer to a refused request, and how kubectl prints it.
//!
//! Follows kubernetes apimachinery pkg/api/errors and kubectl pkg/cmd/util/helpers.go, v1.36.
use super::error::{FieldError, quote};
use crate::apiserver::schema::Resource;
use serde_json::{Value, json};

/// One fault in a [`Status`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueInvalid` and the like.
    pub reason: &'static str,
    /// What is wrong.
    pub message: String,
    /// The field.
    pub field: String,
}

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// 400: the request cannot be understood.
    #[default]
    BadRequest,
    /// 403: admission or policy refuses it.
    Forbidden,
    /// 404: there is no such object.
    NotFound,
    /// 405: the resource has no such operation.
    MethodNotAllowed,
    /// 409: an object of that name is there.
    AlreadyExists,
    /// 409: the object was changed meanwhile.
    Conflict,
    /// 415: no such kind of patch.
    UnsupportedMediaType,
    /// 422: the object has faults.
    Invalid,
    /// 429: a disruption budget refuses the eviction.
    TooManyRequests,
    /// 500: the API server failed.
    InternalError,
}

impl Reason {
    /// HTTP status code.
    pub fn code(self) -> u16 {
        match self {
            Reason::BadRequest => 400,
            Reason::Forbidden => 403,
            Reason::NotFound => 404,
            Reason::MethodNotAllowed => 405,
            Reason::AlreadyExists | Reason::Conflict => 409,
            Reason::UnsupportedMediaType => 415,
            Reason::Invalid => 422,
            Reason::TooManyRequests => 429,
            Reason::InternalError => 500,
        }
    }

    /// As the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            Reason::BadRequest => "BadRequest",
            Reason::Forbidden => "Forbidden",
            Reason::NotFound => "NotFound",
            Reason::MethodNotAllowed => "MethodNotAllowed",
            Reason::AlreadyExists => "AlreadyExists",
            Reason::Conflict => "Conflict",
            Reason::UnsupportedMediaType => "UnsupportedMediaType",
            Reason::Invalid => "Invalid",
            Reason::TooManyRequests => "TooManyRequests",
            Reason::InternalError => "InternalError",
        }
    }
}

/// Why the API server refused a request (`metav1.Status` with `status: Failure`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// What kind of refusal.
    pub reason: Reason,
    /// For people.
    pub message: String,
    /// The object's name, where there is one.
    pub name: String,
    /// Its API group.
    pub group: &'static str,
    /// Its kind for `Invalid`, else its plural resource name.
    pub kind: &'static str,
    /// The faults, one by one.
    pub causes: Vec<Cause>,
}

impl Status {
    /// A refusal without details.
    pub fn new(reason: Reason, message: String) -> Self {
        Self { reason, message, ..Self::default() }
    }

    fn about(mut self, name: &str, group: &'static str, kind: &'static str) -> Self {
        (self.name, self.group, self.kind) = (name.into(), group, kind);
        self
    }

    /// 422: the object has these faults.
    pub fn invalid(resource: &Resource, name: &str, errors: &[FieldError]) -> Self {
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
        let message = format!("{} {} is invalid: {list}", resource.qualified_kind(), quote(name));
        let causes = errors
            .iter()
            .map(|error| Cause { reason: error.kind.reason(), message: error.body(), field: error.path.clone() })
            .collect();
        let mut status = Self::new(Reason::Invalid, message).about(name, resource.group, resource.kind);
        status.causes = causes;
        status
    }

    /// 422 for a patch that cannot be applied: `patch: Invalid value: "…": strict decoding error: …`. `patch` is the
    /// patch as Go prints a map.
    pub fn invalid_patch(patch: &str, detail: &str) -> Self {
        let body = format!("Invalid value: {}: {detail}", quote(patch));
        let mut status = Self::new(Reason::Invalid, format!(" \"\" is invalid: patch: {body}"));
        status.causes = vec![Cause { reason: "FieldValueInvalid", message: body, field: "patch".into() }];
        status
    }

    /// 400.
    pub fn bad_request(message: String) -> Self {
        Self::new(Reason::BadRequest, message)
    }

    /// 400: the object cannot be read (`detail` from [`decoding_message`](crate::apiserver::schema::decoding_message)).
    pub fn undecodable(resource: &Resource, detail: &str) -> Self {
        let kind = resource.kind;
        let message = format!("{kind} in version \"{}\" cannot be handled as a {kind}: {detail}", resource.version);
        Self::bad_request(message)
    }

    /// 404: `namespaces "x" not found`.
    pub fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {} not found", resource.qualified_plural(), quote(name));
        Self::new(Reason::NotFound, message).about(name, resource.group, resource.plural)
    }

    /// 409: the object is there already.
    pub fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {} already exists", resource.qualified_plural(), quote(name));
        Self::new(Reason::AlreadyExists, message).about(name, resource.group, resource.plural)
    }

    /// 409: somebody else changed the object.
    pub fn conflict(resource: &Resource, name: &str, detail: &str) -> Self {
        let message =
            format!("Operation cannot be fulfilled on {} {}: {detail}", resource.qualified_plural(), quote(name));
        Self::new(Reason::Conflict, message).about(name, resource.group, resource.plural)
    }

    /// 403: admission refuses the object.
    pub fn forbidden(resource: &Resource, name: &str, detail: &str) -> Self {
        let plural = resource.qualified_plural();
        let message = if name.is_empty() {
            format!("{plural} is forbidden: {detail}")
        } else {
            format!("{plural} {} is forbidden: {detail}", quote(name))
        };
        Self::new(Reason::Forbidden, message).about(name, resource.group, resource.plural)
    }

    /// The answer as JSON.
    pub fn to_json(&self) -> Value {
        let mut details = serde_json::Map::new();
        for (field, value) in [("name", self.name.as_str()), ("group", self.group), ("kind", self.kind)] {
            if !value.is_empty() {
                details.insert(field.into(), json!(value));
            }
        }
        if !self.causes.is_empty() {
            let causes = self
                .causes
                .iter()
                .map(|c| json!({"reason": c.reason, "message": c.message, "field": c.field}))
                .collect();
            details.insert("causes".into(), Value::Array(causes));
        }
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason.text(), "code": self.reason.code(),
        });
        if let (false, Some(object)) = (details.is_empty(), status.as_object_mut()) {
            object.insert("details".into(), Value::Object(details));
        }
        status
    }

    /// The same answer with kubectl's note on what it was doing: `error when creating "STDIN": …`.
    pub fn while_doing(mut self, verb: &str, source: &str) -> Self {
        self.message = format!("error when {verb} {}: {}", quote(source), self.message);
        self
    }

    /// `Error from server (NotFound): …`.
    fn server_error(&self) -> String {
        format!("Error from server ({}): {}", self.reason.text(), self.message)
    }
}

/// What kubectl prints on standard error when requests failed: one failed request with faults gets the form
/// `The DaemonSet "x" is invalid: …`, several get one line each. Ends with a line feed.
pub fn kubectl_error(failures: &[Status]) -> String {
    let [one] = failures else {
        return failures.iter().map(|status| status.server_error() + "\n").collect();
    };
    if one.reason != Reason::Invalid {
        return one.server_error() + "\n";
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
