//! A priority class that is not there: the DaemonSet is accepted, each of its pods is refused.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::objects::ObjectKey;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let name = subject.spec().priority_class_name.as_str();
    let Some(store) = subject.known.store.filter(|_| !name.is_empty() && !name.starts_with("system-")) else { return };
    if store.priority_class(&ObjectKey::cluster(name)).is_none() && !subject.text_has("PriorityClass", name) {
        report.add(Found::warning(format!("{POD}.priorityClassName")).fact("name", name));
    }
}
