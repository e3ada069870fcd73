//! Eligible nodes that are none: a virtual kubelet or a serverless node runs no agent of a machine, and the pod stays
//! Pending there or costs a machine of its own.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::eligibility::{REQUIRED_AFFINITY, term_path};
use serde_json::json;

/// Labels by which such nodes are known.
const VIRTUAL: [(&str, &str); 2] = [("type", "virtual-kubelet"), ("eks.amazonaws.com/compute-type", "fargate")];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let affinity = subject.spec().affinity.as_ref();
    let required = affinity.and_then(|affinity| affinity.required_node_selector());
    for (key, value) in VIRTUAL {
        let mut hit = subject.eligible().iter().filter(|node| node.metadata.label(key) == Some(value));
        let Some(first) = hit.next() else { continue };
        let exclude = json!({"key": key, "operator": "NotIn", "values": [value]});
        let terms = format!("{REQUIRED_AFFINITY}.nodeSelectorTerms");
        let found = Found::warning("spec.template.spec.affinity")
            .fact("node", &first.metadata.name)
            .fact("n", hit.count().saturating_add(1))
            .fact("label", format!("{key}={value}"));
        // Terms are ORed: each has to exclude them.
        report.add(match required {
            None => found.append(terms, json!({"matchExpressions": [exclude]})),
            Some(required) => (0..required.node_selector_terms.len()).fold(found, |found, index| {
                found.append(format!("{}.matchExpressions", term_path(index)), exclude.clone())
            }),
        });
    }
}
