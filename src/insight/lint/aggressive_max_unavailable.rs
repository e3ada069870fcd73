//! A budget of half of the nodes or more: a bad version takes the agent away from most of the cluster before anybody looks.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::{IntOrString, ROLLING_UPDATE};
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let strategy = &subject.set.spec.update_strategy;
    let budget = strategy.rolling_update.as_ref().and_then(|budget| budget.max_unavailable.as_ref());
    let Some(budget) = budget.filter(|_| strategy.type_ == ROLLING_UPDATE) else { return };
    let desired = subject.eligible().len();
    let scaled = |total: usize| budget.scaled_up(i64::try_from(total).unwrap_or(i64::MAX)).unwrap_or(0);
    let half = |total: usize| i64::try_from(total.div_ceil(2)).unwrap_or(i64::MAX);
    let aggressive = match budget {
        IntOrString::String(_) => scaled(100) >= half(100),
        // A number says something only beside the number of nodes, and 1 is as careful as can be.
        IntOrString::Int(n) => *n > 1 && desired > 2 && scaled(desired) >= half(desired),
    };
    if aggressive {
        let path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
        let careful = if (1..10).contains(&desired) { json!(1) } else { json!("10%") };
        let at_once = if desired > 0 { scaled(desired).to_string() } else { budget.to_string() };
        report.add(Found::warning(path).fact("budget", budget).fact("n", at_once).set(path, careful));
    }
}
