//! Two DaemonSets whose selectors match the same pods: whoever looks by label (a Service, kubectl, a person) sees both, and
//! orphaned pods are taken by the wrong one.

use super::report::{Found, Report};
use super::subject::Subject;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let (own, labels) = (&subject.set.spec.selector, &subject.set.spec.template.metadata.labels);
    for other in subject.other_sets() {
        let overlaps = other.metadata.namespace == subject.set.metadata.namespace
            && (other.spec.selector.matches(labels) || own.matches(&other.spec.template.metadata.labels));
        if overlaps {
            report.add(
                Found::warning("spec.selector").fact("other", &other.metadata.name).fact("selector", own),
            );
        }
    }
}
