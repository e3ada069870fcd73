//! Terms are ORed: a node is kept out only if it is kept out by every term. Two terms that exclude different nodes exclude
//! none of them.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::controllers::daemonset::eligibility::{REQUIRED_AFFINITY, term_path};
use crate::objects::{NodeSelectorTerm, encode};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let required = subject.spec().affinity.as_ref().and_then(|affinity| affinity.required_node_selector());
    let Some(terms) = required.map(|selector| &selector.node_selector_terms).filter(|terms| terms.len() > 1) else {
        return;
    };
    let excludes = |term: &NodeSelectorTerm| {
        term.match_fields.is_empty()
            && !term.match_expressions.is_empty()
            && term.match_expressions.iter().all(|e| matches!(e.operator.as_str(), "NotIn" | "DoesNotExist"))
    };
    if !terms.iter().all(excludes) {
        return;
    }
    let mut found = Found::warning(format!("{REQUIRED_AFFINITY}.nodeSelectorTerms")).fact("n", terms.len());
    for expression in terms.iter().skip(1).flat_map(|term| &term.match_expressions) {
        found = found.append(format!("{}.matchExpressions", term_path(0)), encode(expression));
    }
    report.add((1..terms.len()).rev().fold(found, |found, index| found.remove(term_path(index))));
}
