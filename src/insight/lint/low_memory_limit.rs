//! A memory limit so low that hardly any process starts with it; often a wrong suffix (`64M` written as `64k`, or `64m`).

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::{MEMORY, Quantity};

/// Below this, no agent that was ever seen could run.
const LEAST: i64 = 12 << 20;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        if let Some(limit) = container.limit(MEMORY).filter(|limit| *limit < Quantity::from_bytes(LEAST)) {
            report.add(
                Found::warning(format!("{}.resources.limits.memory", container.path))
                    .fact("container", container.name())
                    .fact("limit", limit),
            );
        }
    }
}
