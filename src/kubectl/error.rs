//! What went wrong, as kubectl words it and with its exit code.

use crate::apiserver::Status;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CliError {
    /// kubectl's own complaint, without the `error: ` in front.
    Message(String),
    /// A complaint about the command line, which points to the help of a command.
    Usage {
        /// What is wrong.
        message: String,
        /// `kubectl get`.
        command: String,
    },
    /// A flag that cannot be read.
    Flag {
        /// What is wrong.
        message: String,
        /// `kubectl get`.
        command: String,
    },
    /// The API server refused.
    Status(Box<Status>),
    /// Several, in order.
    Several(Vec<CliError>),
    /// Printed already: only the exit code is left.
    Exit(i32),
    /// Text for standard error as it is.
    Verbatim(String),
}

/// How the answer to what is not offered ends its first part.
const NOT_HERE: &str = " is not in this playground";

/// Whether an error output is the honest answer to something that the playground does not offer. Such an answer is
/// neither right nor wrong.
pub fn says_not_offered(stderr: &str) -> bool {
    stderr.lines().any(|line| line.starts_with("error: ") && line.contains(NOT_HERE))
}

/// What commands return.
pub(crate) type Result<T, E = CliError> = std::result::Result<T, E>;

impl CliError {
    /// kubectl's own complaint.
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// The honest answer to what the README lists as not offered. [`says_not_offered`] knows it again.
    pub(crate) fn not_offered(what: &str, why: &str) -> Self {
        let colon = if why.is_empty() { "" } else { ": " };
        Self::message(format!("{what}{NOT_HERE}{colon}{why}"))
    }

    /// Joins what several objects gave; `Ok` when nothing went wrong.
    pub(crate) fn join(mut errors: Vec<Self>) -> Result<()> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }

    /// Says during which action on which source it happened: `error when creating "STDIN": …`.
    ///
    /// Follows kubernetes kubectl pkg/cmd/util AddSourceToErr, v1.36.
    pub(crate) fn with_source(self, verb: &str, source: &str) -> Self {
        match self {
            _ if source.is_empty() => self,
            Self::Status(mut status) => {
                status.message = format!("error when {verb} {source:?}: {}", status.message);
                Self::Status(status)
            }
            Self::Message(text) => Self::Message(format!("error when {verb} {source:?}: {text}")),
            other => other,
        }
    }

    /// Whether the object does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Status(status) if status.reason == "NotFound")
    }

    /// Text for standard error and the exit code.
    ///
    /// Follows kubernetes kubectl pkg/cmd/util checkErr, v1.36.
    pub fn render(&self) -> (String, i32) {
        let text = match self {
            Self::Exit(code) => return (String::new(), *code),
            Self::Verbatim(text) => text.clone(),
            Self::Message(text) if text.starts_with("error: ") => text.clone(),
            Self::Message(text) => format!("error: {text}"),
            Self::Usage { message, command } => {
                let message = message.strip_prefix("error: ").unwrap_or(message);
                format!("error: {message}\nSee '{command} -h' for help and examples")
            }
            Self::Flag { message, command } => format!("error: {message}\nSee '{command} --help' for usage."),
            Self::Status(status) if status.reason == "Invalid" => invalid(status),
            Self::Status(status) => server_error(status),
            Self::Several(errors) => {
                let lines: Vec<String> = errors.iter().map(Self::line).collect();
                lines.join("\n")
            }
        };
        let text = if text.ends_with('\n') { text } else { text + "\n" };
        (text, 1)
    }

    /// The form that errors have among several.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Status(status) => server_error(status),
            Self::Message(text) | Self::Verbatim(text) => text.clone(),
            Self::Usage { message, .. } | Self::Flag { message, .. } => message.clone(),
            Self::Several(errors) => errors.iter().map(Self::line).collect::<Vec<_>>().join("\n"),
            Self::Exit(_) => String::new(),
        }
    }
}

impl From<Status> for CliError {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

/// `Error from server (NotFound): pods "x" not found`.
pub(crate) fn server_error(status: &Status) -> String {
    if status.reason.is_empty() {
        format!("Error from server: {}", status.message)
    } else {
        format!("Error from server ({}): {}", status.reason, status.message)
    }
}

/// The list of faults; equal ones once.
fn invalid(status: &Status) -> String {
    let mut head = String::from("The request is invalid");
    if !status.kind.is_empty() || !status.name.is_empty() {
        head = format!("The {} {:?} is invalid", status.kind, status.name);
    } else if !status.message.is_empty() && status.causes.is_empty() {
        head = format!("{head}: {}", status.message);
    }
    let mut faults: Vec<String> = Vec::new();
    for cause in &status.causes {
        let fault = format!("{}: {}", cause.field, cause.message);
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    match faults.as_slice() {
        [] => head,
        [one] => format!("{head}: {one}"),
        several => format!("{head}: \n{}", several.iter().map(|fault| format!("* {fault}\n")).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apiserver::StatusCause;

    fn cause(field: &str, message: &str) -> StatusCause {
        StatusCause { reason: "FieldValueInvalid".into(), message: message.into(), field: field.into() }
    }

    #[test]
    fn one_error_is_introduced_and_several_are_not() {
        let missing = CliError::from(Status::not_found("pods", "x"));
        assert_eq!(missing.render(), ("Error from server (NotFound): pods \"x\" not found\n".into(), 1));
        let both = CliError::Several(vec![missing, CliError::message("no luck")]);
        assert_eq!(both.render().0, "Error from server (NotFound): pods \"x\" not found\nno luck\n");
        assert_eq!(CliError::message("no luck").render().0, "error: no luck\n");
    }

    #[test]
    fn faults_stand_on_one_line_or_on_one_line_each() {
        let one = Status::invalid("DaemonSet", "DaemonSet.apps", "a", vec![cause("spec.x", "bad")]);
        assert_eq!(CliError::from(one.clone()).render().0, "The DaemonSet \"a\" is invalid: spec.x: bad\n");
        assert_eq!(server_error(&one), "Error from server (Invalid): DaemonSet.apps \"a\" is invalid: spec.x: bad");
        let faults = vec![cause("spec.x", "bad"), cause("spec.y", "worse"), cause("spec.x", "bad")];
        let two = Status::invalid("DaemonSet", "DaemonSet.apps", "a", faults);
        assert_eq!(
            CliError::from(two).render().0,
            "The DaemonSet \"a\" is invalid: \n* spec.x: bad\n* spec.y: worse\n"
        );
        let whole = Status::invalid_request("no".into(), Vec::new());
        assert_eq!(CliError::from(whole).render().0, "The request is invalid: no\n");
    }
}
