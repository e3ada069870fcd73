//! A term without requirements is accepted and matches no node.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::eligibility::term_path;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let required = subject.spec().affinity.as_ref().and_then(|affinity| affinity.required_node_selector());
    let terms = required.map_or(&[][..], |selector| &selector.node_selector_terms);
    for (index, term) in terms.iter().enumerate() {
        if term.match_expressions.is_empty() && term.match_fields.is_empty() {
            let found = Found::warning(term_path(index)).fact("n", terms.len());
            // The last one cannot go: a list of terms must not be empty.
            report.add(if terms.len() > 1 { found.remove(term_path(index)) } else { found });
        }
    }
}
