//! A container without requests: the scheduler counts it as nothing, and the kubelet evicts it first. On every node.

use super::report::{Found, Report};
use super::subject::{Subject, whole_mebibytes};
use super::Level;
use crate::objects::{CPU, MEMORY};
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let pod_level = subject.spec().resources.as_ref();
    for container in subject.running() {
        let covered = |name: &str| pod_level.is_some_and(|r| r.requests.contains_key(name) || r.limits.contains_key(name));
        let missing: Vec<&str> =
            [CPU, MEMORY].into_iter().filter(|name| container.request(name).is_none() && !covered(name)).collect();
        if missing.is_empty() {
            continue;
        }
        let level = if subject.is_critical() { Level::Advice } else { Level::Warning };
        let mut found = Found::new(level, format!("{}.resources", container.path))
            .fact("container", container.name())
            .fact("missing", missing.join(", "));
        // What it should ask for is only known where its use is.
        let peaks: Vec<_> = missing.iter().map(|name| subject.peak(container.name(), name)).collect();
        if peaks.iter().all(Option::is_some) {
            for (name, peak) in missing.iter().zip(peaks.into_iter().flatten()) {
                let value = if *name == MEMORY { whole_mebibytes(peak.value()) } else { peak };
                found = found.set(format!("{}.resources.requests.{name}", container.path), json!(value));
            }
        }
        report.add(found);
    }
}
