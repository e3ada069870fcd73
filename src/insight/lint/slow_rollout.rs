//! One node at a time in a large cluster: careful, and slow. A thing to know, not to mend.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::max_unavailable;
use crate::objects::ROLLING_UPDATE;

/// From so many nodes on.
const MANY: usize = 100;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let strategy = &subject.set.spec.update_strategy;
    let eligible = subject.eligible().len();
    let budget = strategy.rolling_update.as_ref().and_then(|budget| budget.max_unavailable.as_ref());
    let one_by_one = budget.is_none() || max_unavailable(&subject.set, eligible) == Some(1);
    if strategy.type_ == ROLLING_UPDATE && eligible >= MANY && one_by_one && !subject.surges() {
        report.add(
            Found::advice("spec.updateStrategy.rollingUpdate.maxUnavailable").fact("nodes", eligible),
        );
    }
}
