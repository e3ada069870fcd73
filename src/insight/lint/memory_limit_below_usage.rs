//! A memory limit below what the container uses: it is killed (OOMKilled, exit code 137), again and again.

use super::report::{Found, Report};
use super::subject::{Subject, whole_mebibytes};
use crate::objects::MEMORY;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        let (Some(limit), Some(peak)) = (container.limit(MEMORY), subject.peak(container.name(), MEMORY)) else { continue };
        if peak > limit {
            let path = format!("{}.resources.limits.memory", container.path);
            let roomy = whole_mebibytes(peak.value().saturating_add(peak.value() / 4)).max(container.request(MEMORY).unwrap_or_default());
            report.add(
                Found::warning(path.clone())
                    .fact("container", container.name())
                    .fact("limit", limit)
                    .fact("peak", peak)
                    .set(path, json!(roomy)),
            );
        }
    }
}
