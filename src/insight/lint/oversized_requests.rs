//! A request far above the use: what is wasted is wasted on every node.

use super::report::{Found, Report};
use super::subject::{Subject, quantity, whole_mebibytes};
use crate::objects::{CPU, MEMORY, Quantity};
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        for resource in [CPU, MEMORY] {
            let path = format!("/resources/requests/{resource}");
            let request = container.value.pointer(&path).and_then(quantity);
            let (Some(request), Some(peak)) = (request, subject.peak(container.name(), resource)) else { continue };
            if peak.is_zero() || request.nano_value() < peak.nano_value().saturating_mul(2) {
                continue;
            }
            let (enough, spare) = if resource == MEMORY {
                let enough = whole_mebibytes(peak.value());
                (enough, Quantity::from_bytes(request.value().saturating_sub(enough.value())))
            } else {
                (peak, Quantity::from_milli(request.milli_value().saturating_sub(peak.milli_value())))
            };
            let path = format!("{}.resources.requests.{resource}", container.path);
            report.add(
                Found::advice(path.clone())
                    .fact("container", container.name())
                    .fact("resource", resource)
                    .fact("request", request)
                    .fact("peak", peak)
                    .fact("spare", spare)
                    .fact("nodes", subject.eligible().len())
                    .set(path, json!(enough)),
            );
        }
    }
}
