//! `maxSurge` and a required anti-affinity against the own pods: the new pod cannot be on the node before the old one goes.

use super::report::{Found, Report};
use super::subject::{Subject, items, text};
use super::surge_with_host_port::without_surge;
use crate::objects::{LabelSelector, decode};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let labels = &subject.set.spec.template.metadata.labels;
    let required = "/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution";
    let against_own = items(subject.pod(), required).any(|(_, term)| {
        let selector = decode::<LabelSelector>(term.get("labelSelector").cloned().unwrap_or_default());
        text(term, "/topologyKey") == "kubernetes.io/hostname" && selector.is_ok_and(|selector| selector.matches(labels))
    });
    if against_own && subject.surges() {
        report.add(without_surge(Found::warning("spec.updateStrategy.rollingUpdate.maxSurge")));
    }
}
