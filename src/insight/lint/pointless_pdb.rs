//! A PodDisruptionBudget over DaemonSet pods protects nothing: a drain leaves these pods alone, and a rollout does not evict.

use super::report::{Found, Report};
use super::subject::{Subject, text};
use crate::objects::{PodDisruptionBudget, decode};
use std::rc::Rc;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let written = subject.others.iter().filter(|other| text(other, "/kind") == "PodDisruptionBudget");
    let written = written.filter_map(|other| decode::<PodDisruptionBudget>((*other).clone()).ok());
    let present = subject.known.store.into_iter().flat_map(|store| store.pod_disruption_budgets().values());
    let mut budgets: Vec<PodDisruptionBudget> = written.chain(present.map(|budget| PodDisruptionBudget::clone(budget))).collect();
    budgets.dedup_by_key(|budget| Rc::clone(&budget.metadata.name));
    let (namespace, labels) = (&subject.set.metadata.namespace, &subject.set.spec.template.metadata.labels);
    for budget in budgets {
        let own = &budget.metadata.namespace;
        let is_near = own == namespace || (own.is_empty() && &**namespace == "default");
        if is_near && budget.spec.selector.as_ref().is_some_and(|selector| selector.matches(labels)) {
            report.add(Found::advice("spec.template.metadata.labels").fact("pdb", &budget.metadata.name));
        }
    }
}
