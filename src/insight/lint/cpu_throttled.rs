//! A cpu limit below what the container would use: it is throttled, which shows in no log.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::CPU;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        let (Some(limit), Some(peak)) = (container.limit(CPU), subject.peak(container.name(), CPU)) else { continue };
        if peak > limit {
            let path = format!("{}.resources.limits.cpu", container.path);
            report.add(
                Found::warning(path.clone())
                    .fact("container", container.name())
                    .fact("limit", limit)
                    .fact("peak", peak)
                    .set(path, json!(peak)),
            );
        }
    }
}
