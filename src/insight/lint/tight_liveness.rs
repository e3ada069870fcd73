//! A liveness probe that gives up within seconds kills what is only busy, on the busiest nodes first.

use super::report::{Found, Report};
use super::subject::{Subject, at};
use serde_json::json;

/// A container should be allowed to hang for so many seconds.
const PATIENCE: i64 = 10;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.running() {
        let Some(probe) = container.value.get("livenessProbe").filter(|probe| !probe.is_null()) else { continue };
        let number = |field: &str, default: i64| at(probe, field).as_i64().unwrap_or(default);
        let (period, failures) = (number("/periodSeconds", 10).max(1), number("/failureThreshold", 3).max(1));
        let patience = period.saturating_mul(failures);
        if patience < PATIENCE {
            let path = format!("{}.livenessProbe", container.path);
            let enough = 30_i64.saturating_add(period).saturating_sub(1) / period;
            report.add(
                Found::warning(path.clone())
                    .fact("container", container.name())
                    .fact("seconds", patience)
                    .set(format!("{path}.failureThreshold"), json!(enough)),
            );
        }
    }
}
