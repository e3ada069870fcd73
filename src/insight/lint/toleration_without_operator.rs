//! A toleration with neither operator nor value means Equal to the empty value: a taint with a value is not covered.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::Level;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (index, toleration) in subject.spec().tolerations.iter().enumerate() {
        if toleration.key.is_empty() || !toleration.operator.is_empty() || !toleration.value.is_empty() {
            continue;
        }
        let mut taints = subject.nodes().flat_map(|node| node.spec.taints.iter());
        let misses = taints.any(|taint| taint.key == toleration.key && !taint.value.is_empty());
        let level = if misses { Level::Warning } else { Level::Advice };
        report.add(
            Found::new(level, format!("{POD}.tolerations[{index}]"))
                .fact("key", &toleration.key)
                .set(format!("{POD}.tolerations[{index}].operator"), json!("Exists")),
        );
    }
}
