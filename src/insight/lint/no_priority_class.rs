//! An agent without priority: on a full node its pod stays Pending, and under pressure it goes before others.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::{Level, Nature};
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    let level = match subject.nature {
        Nature::Critical => Level::Warning,
        Nature::Agent => Level::Advice,
        Nature::Plain => return,
    };
    let has_default = subject.known.store.is_some_and(|store| store.priority_classes().values().any(|c| c.global_default));
    if spec.priority_class_name.is_empty() && spec.priority.is_none() && !has_default {
        let path = format!("{POD}.priorityClassName");
        report.add(Found::new(level, path.clone()).set(path, json!("system-node-critical")));
    }
}
