//! The node's processes or its shared memory, seen by the container.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::{Level, Nature};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for field in ["hostPID", "hostIPC"] {
        if subject.pod().get(field).is_some_and(|value| *value == true) {
            let level = match subject.nature {
                Nature::Critical => Level::Fine,
                _ if field == "hostPID" => Level::Advice,
                _ => Level::Warning,
            };
            report.add(Found::new(level, format!("{POD}.{field}")).fact("field", field));
        }
    }
}
