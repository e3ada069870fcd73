use serde::Serialize;

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
        Self { code, reason: reason.into(), message, causes: Vec::new() }
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

    /// Admission says no.
    pub fn forbidden(resource: &str, name: &str, why: &str) -> Self {
        Self::new(403, "Forbidden", format!("{resource} \"{name}\" is forbidden: {why}"))
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
