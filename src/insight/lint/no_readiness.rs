//! Neither readiness probe nor `minReadySeconds`: a pod counts as available the moment its process starts, and a version
//! that dies a second later is rolled through the whole cluster.

use super::report::{Found, Report};
use super::subject::Subject;
use super::Level;
use crate::objects::ROLLING_UPDATE;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = &subject.set.spec;
    let probed = subject.running().any(|container| container.value.get("readinessProbe").is_some_and(|p| !p.is_null()));
    if spec.update_strategy.type_ == ROLLING_UPDATE && spec.min_ready_seconds == 0 && !probed {
        report.add(
            Found::new(subject.fine_if_critical(Level::Advice), "spec.template.spec.containers[0].readinessProbe")
                .set("spec.minReadySeconds", json!(10)),
        );
    }
}
