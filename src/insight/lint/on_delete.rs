//! `OnDelete`: a new template reaches a node only when somebody deletes its pod. A choice that is easily forgotten.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::ON_DELETE;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let strategy = &subject.set.spec.update_strategy;
    if strategy.type_ == ON_DELETE && strategy.rolling_update.is_none() {
        report.add(Found::advice("spec.updateStrategy.type"));
    }
}
