//! A memory limit that is a multiple of the request: the node promises little and may have to give much, and evicts first
//! who uses more than it asked for.

use super::report::{Found, Report};
use super::subject::{Subject, quantity};
use super::Level;
use crate::objects::MEMORY;

/// A limit of so many requests is noted.
const TIMES: i64 = 4;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        let request = container.value.pointer("/resources/requests/memory").and_then(quantity);
        let (Some(request), Some(limit)) = (request, container.limit(MEMORY)) else { continue };
        if !request.is_zero() && limit.value() >= request.value().saturating_mul(TIMES) {
            report.add(
                Found::new(
                    subject.fine_if_critical(Level::Advice),
                    format!("{}.resources.limits.memory", container.path),
                )
                .fact("container", container.name())
                .fact("request", request)
                .fact("limit", limit),
            );
        }
    }
}
