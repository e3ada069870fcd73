//! A container without memory limit: a leak takes the whole node along.

use super::report::{Found, Report};
use super::subject::{Subject, whole_mebibytes};
use super::Level;
use crate::objects::MEMORY;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.spec().resources.as_ref().is_some_and(|resources| resources.limits.contains_key(MEMORY)) {
        return;
    }
    for container in subject.running().filter(|container| container.limit(MEMORY).is_none()) {
        let found = Found::new(subject.fine_if_critical(Level::Advice), format!("{}.resources", container.path))
            .fact("container", container.name());
        report.add(match subject.peak(container.name(), MEMORY) {
            Some(peak) => {
                let roomy = whole_mebibytes(peak.value().saturating_add(peak.value() / 2)).max(container.request(MEMORY).unwrap_or_default());
                found.set(format!("{}.resources.limits.memory", container.path), json!(roomy))
            }
            None => found,
        });
    }
}
