//! A very small cpu limit. Whether agents should have a cpu limit at all is an open question: it protects the neighbours
//! and throttles the agent just when its node is busy. So only what is surely too small is noted.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::{CPU, Quantity};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        let known = subject.peak(container.name(), CPU).is_some();
        if let Some(limit) = container.limit(CPU).filter(|limit| !known && *limit < Quantity::from_milli(50)) {
            report.add(
                Found::advice(format!("{}.resources.limits.cpu", container.path))
                    .fact("container", container.name())
                    .fact("limit", limit),
            );
        }
    }
}
