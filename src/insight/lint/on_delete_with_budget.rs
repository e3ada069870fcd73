//! `OnDelete` and a `rollingUpdate` block: the block is accepted and never read.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::{ON_DELETE, ROLLING_UPDATE};
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let strategy = &subject.set.spec.update_strategy;
    if strategy.type_ == ON_DELETE && strategy.rolling_update.is_some() {
        let path = "spec.updateStrategy.type";
        report.add(Found::warning(path).set(path, json!(ROLLING_UPDATE)));
    }
}
