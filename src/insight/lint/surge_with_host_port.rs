//! `maxSurge` and a port of the node: two pods cannot have the same port, so the new one stays Pending and the rollout
//! never ends. The API server takes it without a word.

use super::report::{Found, Report};
use super::subject::Subject;
use serde_json::json;

const BUDGET: &str = "spec.updateStrategy.rollingUpdate";

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    let mut ports = subject.running().flat_map(|container| {
        super::subject::items(container.value, "/ports")
            .map(|(_, port)| super::subject::at(port, if spec.host_network { "/containerPort" } else { "/hostPort" }))
            .filter_map(serde_json::Value::as_i64)
            .collect::<Vec<_>>()
    });
    if let Some(port) = ports.next()
        && subject.surges()
    {
        report.add(without_surge(Found::warning(format!("{BUDGET}.maxSurge")).fact("port", port)));
    }
}

/// With the change to a rollout that removes the old pod first.
pub(super) fn without_surge(found: Found) -> Found {
    found.set(format!("{BUDGET}.maxUnavailable"), json!(1)).remove(format!("{BUDGET}.maxSurge"))
}
