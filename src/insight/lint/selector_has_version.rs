//! The selector cannot be changed once the DaemonSet is there: a label that changes with every release must not be in it.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::eligibility::key_segment;

const CHANGING: [&str; 6] =
    ["version", "app.kubernetes.io/version", "helm.sh/chart", "chart", "release-version", "pod-template-generation"];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let selector = &subject.set.spec.selector;
    let is_fixed = subject.live().is_some_and(|live| live.spec.selector == *selector);
    for key in selector.match_labels.keys().filter(|key| CHANGING.contains(&key.as_str())) {
        let path = format!("spec.selector.matchLabels{}", key_segment(key));
        let found = Found::warning(path.clone()).fact("label", key);
        let can_go = !is_fixed && selector.match_labels.len() > 1;
        report.add(if can_go { found.remove(path) } else { found });
    }
}
