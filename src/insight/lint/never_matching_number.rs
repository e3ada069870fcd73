//! `Gt` and `Lt` compare whole numbers; with anything else the API server takes the manifest, and the term never matches.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::eligibility::{RequirementList, requirement_path};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let required = subject.spec().affinity.as_ref().and_then(|affinity| affinity.required_node_selector());
    let terms = required.map_or(&[][..], |selector| &selector.node_selector_terms);
    for (term_index, term) in terms.iter().enumerate() {
        for (index, requirement) in term.match_expressions.iter().enumerate() {
            let Some(value) = requirement.values.first() else { continue };
            if matches!(requirement.operator.as_str(), "Gt" | "Lt") && value.parse::<i64>().is_err() {
                report.add(
                    Found::warning(requirement_path(term_index, RequirementList::MatchExpressions, index))
                        .fact("operator", &requirement.operator)
                        .fact("value", value),
                );
            }
        }
    }
}
