use serde::Serialize;
use std::collections::BTreeMap;

/// The API server's answer to a request it refuses (`v1 Status`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// HTTP status code: 404, 409, 422…
    pub code: u16,
    /// One word: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, `BadRequest`…
    pub reason: String,
    /// The sentence that kubectl prints.
    pub message: String,
    /// Kind of the object that was refused (`DaemonSet`); empty when the answer is about none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name of the object that was refused.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One for each fault that was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
}

/// One fault of a refused request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusCause {
    /// `FieldValueInvalid`, `FieldValueRequired`…
    pub reason: String,
    /// What is wrong.
    pub message: String,
    /// Path of the field, `spec.selector`.
    pub field: String,
}

impl Status {
    fn new(code: u16, reason: &str, message: String) -> Self {
        Self { code, reason: reason.into(), message, ..Self::default() }
    }

    /// There is no such object. `resource` is the plural with its group: `daemonsets.apps`.
    pub fn not_found(resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{resource} \"{name}\" not found"))
    }

    /// There is one already.
    pub fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{resource} \"{name}\" already exists"))
    }

    /// The request does not fit the present state.
    pub fn conflict(resource: &str, name: &str, why: &str) -> Self {
        Self::new(409, "Conflict", format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"))
    }

    /// Server-side apply would change what others have set: by manager, the fields.
    pub fn apply_conflict(fields: &BTreeMap<String, Vec<String>>) -> Self {
        let causes = fields.iter().flat_map(|(manager, fields)| {
            fields.iter().map(move |field| StatusCause {
                reason: "FieldManagerConflict".into(),
                message: format!("conflict with {manager}"),
                field: field.clone(),
            })
        });
        let causes: Vec<StatusCause> = causes.collect();
        let message = match causes.as_slice() {
            [one] => format!("Apply failed with 1 conflict: {}: {}", one.message, one.field),
            all => {
                let mut lines = Vec::new();
                for (manager, fields) in fields {
                    lines.push(format!("conflicts with {manager}:"));
                    lines.extend(fields.iter().map(|field| format!("- {field}")));
                }
                format!("Apply failed with {} conflicts: {}", all.len(), lines.join("\n"))
            }
        };
        Self { causes, ..Self::new(409, "Conflict", message) }
    }

    /// Admission says no.
    pub fn forbidden(resource: &str, name: &str, why: &str) -> Self {
        Self::new(403, "Forbidden", format!("{resource} \"{name}\" is forbidden: {why}"))
    }

    /// The object has faults. `kind` is `DaemonSet`, `qualified_kind` with its group `DaemonSet.apps`.
    pub fn invalid(kind: &str, qualified_kind: &str, name: &str, causes: Vec<StatusCause>) -> Self {
        let faults: Vec<String> = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
        let list = match faults.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let mut status = Self::new(422, "Invalid", format!("{qualified_kind} \"{name}\" is invalid: {list}"));
        (status.kind, status.name, status.causes) = (kind.into(), name.into(), causes);
        status
    }

    /// The request as a whole is faulty, no object in particular.
    pub fn invalid_request(message: String, causes: Vec<StatusCause>) -> Self {
        Self { causes, ..Self::new(422, "Invalid", message) }
    }

    /// The resource has no such subresource, or there is no such path.
    pub fn no_such_path() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource".into())
    }

    /// The disruption budget leaves no room for an eviction.
    pub fn too_many_requests(message: String) -> Self {
        Self::new(429, "TooManyRequests", message)
    }

    /// The request cannot be understood.
    pub fn bad_request(message: String) -> Self {
        Self::new(400, "BadRequest", message)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}
