//! What could be edited to get past one failed check, or to make one.

use super::edit::Edit;
use crate::controllers::daemonset::eligibility::{Check, RequirementCheck, RequirementList, TaintOutcome, TermCheck};
use crate::controllers::daemonset::{TolerationOrigin, Verdict};
use crate::objects::*;

const OS_LABEL: &str = "kubernetes.io/os";

/// Single edits that get past the first failed check, or a part of it: several may be needed. Later checks are for the
/// next round.
pub fn past_first_failure(daemonset: &DaemonSet, node: &Node, verdict: &Verdict) -> Vec<Edit> {
    let Some(check) = verdict.checks.iter().find(|check| !check.passed()) else { return Vec::new() };
    match check {
        Check::NodeName { .. } => vec![Edit::RemoveNodeName],
        Check::NodeSelector { key, wanted, actual } => {
            let mut edits = vec![Edit::SetLabel { key: key.clone(), value: wanted.clone(), replaces: actual.clone() }];
            edits.extend(actual.clone().map(|value| Edit::SetNodeSelector { key: key.clone(), value }));
            edits.push(Edit::RemoveNodeSelector { key: key.clone() });
            edits
        }
        Check::NodeAffinity { terms } => past_affinity(node, terms),
        Check::Taint { taint, .. } => past_taint(daemonset, verdict, taint),
    }
}

fn past_affinity(node: &Node, terms: &[TermCheck]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for term in terms {
        let Some(failed) = term.requirements.iter().find(|requirement| !requirement.passed) else { continue };
        edits.extend(past_requirement(term, failed));
    }
    let name = requirement("metadata.name", "In", vec![node.metadata.name.to_string()]);
    edits.push(Edit::AddTerm { term: NodeSelectorTerm { match_fields: vec![name], ..Default::default() } });
    edits.push(Edit::RemoveRequiredAffinity);
    edits
}

fn past_requirement(term: &TermCheck, failed: &RequirementCheck) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (key, values) = (&failed.requirement.key, &failed.requirement.values);
    let with_values = |values: Vec<String>| Edit::SetRequirementValues {
        term: term.index,
        list: failed.list,
        index: failed.index,
        values,
    };
    if failed.list == RequirementList::MatchExpressions {
        let actual = failed.actual.clone();
        let set = |value: String| Edit::SetLabel { key: key.clone(), value, replaces: actual.clone() };
        match failed.requirement.operator.as_str() {
            "In" => {
                edits.extend(values.iter().take(3).cloned().map(set));
                edits.extend(
                    actual
                        .iter()
                        .map(|value| with_values(values.iter().chain(std::iter::once(value)).cloned().collect())),
                );
            }
            "Exists" => edits.push(set("true".into())),
            "NotIn" => {
                edits.push(Edit::RemoveLabel { key: key.clone() });
                let others: Vec<String> =
                    values.iter().filter(|value| Some(*value) != actual.as_ref()).cloned().collect();
                if !others.is_empty() {
                    edits.push(with_values(others));
                }
            }
            "DoesNotExist" => edits.push(Edit::RemoveLabel { key: key.clone() }),
            "Gt" => edits.extend(beyond(values, 1).map(set)),
            "Lt" => edits.extend(beyond(values, -1).map(set)),
            _ => {}
        }
        let step = match failed.requirement.operator.as_str() {
            "Gt" => -1,
            "Lt" => 1,
            _ => 0,
        };
        if step != 0 {
            edits.extend(beyond(actual.as_slice(), step).map(|bound| with_values(vec![bound])));
        }
    }
    // A term without requirements matches nothing.
    if term.requirements.len() > 1 {
        edits.push(Edit::RemoveRequirement { term: term.index, list: failed.list, index: failed.index });
    }
    edits
}

/// The number next to the first value, if that is still a label value (which no negative number is).
fn beyond(values: &[String], step: i64) -> Option<String> {
    let next = values.first()?.parse::<i64>().ok()?.checked_add(step)?;
    (next >= 0).then(|| next.to_string())
}

fn past_taint(daemonset: &DaemonSet, verdict: &Verdict, taint: &Taint) -> Vec<Edit> {
    let mut edits = vec![Edit::AddToleration { toleration: toleration_for(taint) }];
    let tolerations = daemonset.spec.template.spec.tolerations.iter().enumerate();
    for (index, toleration) in tolerations.filter(|(_, toleration)| toleration.key == taint.key) {
        let wider = Toleration {
            operator: "Exists".into(),
            value: String::new(),
            effect: if toleration.effect == taint.effect { toleration.effect.clone() } else { String::new() },
            // Seconds are only allowed for NoExecute.
            toleration_seconds: toleration.toleration_seconds.filter(|_| toleration.effect == taint.effect),
            ..toleration.clone()
        };
        edits.push(Edit::ChangeToleration { index, toleration: wider });
    }
    edits.push(Edit::RemoveTaint { taint: taint.clone() });
    let obstacles = verdict.checks.iter().filter(|check| matches!(check, Check::Taint { .. }) && !check.passed());
    if obstacles.count() > 1 {
        let toleration = Toleration { operator: "Exists".into(), ..Default::default() };
        edits.push(Edit::AddToleration { toleration });
    }
    edits
}

/// The narrowest toleration that covers a taint.
fn toleration_for(taint: &Taint) -> Toleration {
    if taint.value.is_empty() {
        return Toleration::exists(&taint.key, &taint.effect);
    }
    Toleration { operator: "Equal".into(), value: taint.value.clone(), ..Toleration::exists(&taint.key, &taint.effect) }
}

fn requirement(key: &str, operator: &str, values: Vec<String>) -> NodeSelectorRequirement {
    NodeSelectorRequirement { key: key.into(), operator: operator.into(), values, ..Default::default() }
}

/// Changes, each whole, that may keep pods off a node that should run one.
pub fn to_keep_pods_off(node: &Node, verdict: &Verdict) -> Vec<Vec<Edit>> {
    let taint = Taint { value: "other".into(), ..Taint::new("dedicated", NO_SCHEDULE) };
    let mut changes = vec![vec![Edit::AddTaint { taint }]];
    let linux = "linux";
    if node.metadata.label(OS_LABEL).is_some_and(|os| os != linux) {
        changes.push(vec![Edit::SetNodeSelector { key: OS_LABEL.into(), value: linux.into() }]);
    }
    let not_here = requirement("metadata.name", "NotIn", vec![node.metadata.name.to_string()]);
    let terms = verdict.checks.iter().find_map(|check| match check {
        Check::NodeAffinity { terms } => Some(terms.as_slice()),
        _ => None,
    });
    // Terms are ORed: each that matches has to exclude the node.
    changes.push(match terms {
        None => {
            vec![Edit::AddTerm { term: NodeSelectorTerm { match_fields: vec![not_here], ..Default::default() } }]
        }
        Some(terms) => {
            let matching = terms.iter().filter(|term| term.passed);
            let exclude = |term: &TermCheck| Edit::AddRequirement {
                term: term.index,
                list: RequirementList::MatchFields,
                requirement: not_here.clone(),
            };
            matching.map(exclude).collect()
        }
    });
    for check in &verdict.checks {
        match check {
            Check::NodeSelector { key, .. } => changes.push(vec![Edit::RemoveLabel { key: key.clone() }]),
            Check::Taint { outcome: TaintOutcome::Tolerated(TolerationOrigin::Template(index)), .. } => {
                changes.push(vec![Edit::RemoveToleration { index: *index }]);
            }
            Check::NodeAffinity { terms } => changes.extend(terms.iter().flat_map(against_term)),
            _ => {}
        }
    }
    changes
}

fn against_term(term: &TermCheck) -> Vec<Vec<Edit>> {
    let against = |check: &RequirementCheck| {
        let key = check.requirement.key.clone();
        match check.requirement.operator.as_str() {
            _ if check.list == RequirementList::MatchFields => None,
            "In" | "Exists" | "Gt" | "Lt" => Some(vec![Edit::RemoveLabel { key }]),
            "NotIn" => check
                .requirement
                .values
                .first()
                .map(|value| vec![Edit::SetLabel { key, value: value.clone(), replaces: check.actual.clone() }]),
            "DoesNotExist" => Some(vec![Edit::SetLabel { key, value: "true".into(), replaces: None }]),
            _ => None,
        }
    };
    term.requirements.iter().filter_map(against).collect()
}
