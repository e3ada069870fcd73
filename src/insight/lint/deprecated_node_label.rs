//! A node label by its former name: newer nodes may no longer carry it.

use super::report::{Found, Report};
use super::subject::{POD, Subject, items, text};
use crate::controllers::daemonset::eligibility::key_segment;
use serde_json::json;

/// Former and present names.
const RENAMED: [(&str, &str); 6] = [
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"),
];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let selector = &subject.spec().node_selector;
    for (old, new) in RENAMED {
        let Some(value) = selector.get(old) else { continue };
        let at = |key: &str| format!("{POD}.nodeSelector{}", key_segment(key));
        let found = Found::warning(at(old)).fact("old", old).fact("new", new);
        let found = if selector.contains_key(new) { found } else { found.set(at(new), json!(value)) };
        report.add(found.remove(at(old)));
    }
    let required = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    for (term, value) in items(subject.pod(), &format!("/{}", required.replace('.', "/"))) {
        for (index, expression) in items(value, "/matchExpressions") {
            let renamed = RENAMED.iter().find(|(old, _)| text(expression, "/key") == *old);
            if let Some((old, new)) = renamed {
                let path = format!("{POD}.{required}[{term}].matchExpressions[{index}].key");
                report.add(Found::warning(path.clone()).fact("old", old).fact("new", new).set(path, json!(new)));
            }
        }
    }
}
