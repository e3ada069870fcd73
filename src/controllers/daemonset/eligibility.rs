//! Which nodes should run a pod of a DaemonSet, and which may keep one.
//!
//! [`Rules`] answers fast, for every node of a reconcile. [`evaluate`] answers with every check that was made, passed or
//! failed. Both follow kubernetes pkg/controller/daemon NodeShouldRunDaemonPod, v1.36: only the node's name, its labels
//! and its taints are read, never its cordon or its conditions.

use super::podspec::{TolerationOrigin, effective_tolerations};
use crate::objects::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// The two answers about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Eligibility {
    /// A pod should be placed here if there is none.
    pub should_run: bool,
    /// A pod that is already here may stay.
    pub should_continue_running: bool,
}

impl Eligibility {
    /// No pod may be here.
    pub const NO: Self = Self { should_run: false, should_continue_running: false };
    /// No new pod, but one that is here may stay.
    pub const ONLY_CONTINUE: Self = Self { should_run: false, should_continue_running: true };
    /// A pod should be here.
    pub const YES: Self = Self { should_run: true, should_continue_running: true };
}

/// What a DaemonSet asks of a node, prepared once for all nodes.
pub struct Rules<'a> {
    node_name: &'a str,
    node_selector: &'a BTreeMap<String, String>,
    affinity: Option<&'a NodeSelector>,
    tolerations: Vec<(Toleration, TolerationOrigin)>,
}

impl<'a> Rules<'a> {
    /// The rules of a DaemonSet.
    pub fn of(daemonset: &'a DaemonSet) -> Self {
        let spec = &daemonset.spec.template.spec;
        Self {
            node_name: &spec.node_name,
            node_selector: &spec.node_selector,
            affinity: spec.affinity.as_ref().and_then(|affinity| affinity.required_node_selector()),
            tolerations: effective_tolerations(spec),
        }
    }

    /// Whether a pod should be, and may stay, on the node.
    pub fn eligibility(&self, node: &Node) -> Eligibility {
        if !(self.node_name.is_empty() || *self.node_name == *node.metadata.name)
            || !self.node_selector.iter().all(|(key, value)| node.metadata.label(key) == Some(value))
            || !self.affinity.is_none_or(|selector| selector.matches(node))
        {
            return Eligibility::NO;
        }
        let mut eligibility = Eligibility::YES;
        for taint in node.spec.taints.iter() {
            match taint.effect.as_str() {
                NO_EXECUTE if self.covering(taint).is_none() => return Eligibility::NO,
                NO_SCHEDULE if self.covering(taint).is_none() => eligibility = Eligibility::ONLY_CONTINUE,
                _ => {}
            }
        }
        eligibility
    }

    /// The first toleration that covers the taint.
    fn covering(&self, taint: &Taint) -> Option<TolerationOrigin> {
        self.tolerations.iter().find(|(toleration, _)| toleration.tolerates(taint)).map(|(_, origin)| *origin)
    }
}

/// Both answers about a node, and every check that led to them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The two answers.
    #[serde(flatten)]
    pub eligibility: Eligibility,
    /// All checks, in the order node name, node selector, affinity, taints; not only up to the first that failed.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "check")]
pub enum Check {
    /// The template names a node.
    #[serde(rename_all = "camelCase")]
    NodeName {
        /// The node it names.
        wanted: String,
        /// The node in question.
        actual: String,
    },
    /// An entry of the template's nodeSelector.
    #[serde(rename_all = "camelCase")]
    NodeSelector {
        /// Label key.
        key: String,
        /// The value it must have.
        wanted: String,
        /// The node's value; `None` when it has no such label.
        actual: Option<String>,
    },
    /// The required node affinity: at least one term must match.
    #[serde(rename_all = "camelCase")]
    NodeAffinity {
        /// All terms.
        terms: Vec<TermCheck>,
    },
    /// A taint of the node.
    #[serde(rename_all = "camelCase")]
    Taint {
        /// Its index in `spec.taints`.
        index: usize,
        /// The taint.
        taint: Taint,
        /// What it does.
        outcome: TaintOutcome,
    },
}

/// One term of the required node affinity: all its requirements must hold, and an empty term matches nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TermCheck {
    /// Its index in `nodeSelectorTerms`.
    pub index: usize,
    /// Whether it matches.
    pub passed: bool,
    /// All its requirements, expressions first.
    pub requirements: Vec<RequirementCheck>,
}

/// One requirement of a term.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequirementCheck {
    /// The list it stands in.
    pub list: RequirementList,
    /// Its index in that list.
    pub index: usize,
    /// The requirement.
    pub requirement: NodeSelectorRequirement,
    /// The node's value; `None` when it has no such label or field.
    pub actual: Option<String>,
    /// Whether it holds.
    pub passed: bool,
    /// Gt or Lt could not compare, because one side is no base-10 int64.
    pub not_a_number: bool,
}

/// The two lists of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RequirementList {
    /// Over labels.
    MatchExpressions,
    /// Over fields.
    MatchFields,
}

impl RequirementList {
    /// The list's name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MatchExpressions => "matchExpressions",
            Self::MatchFields => "matchFields",
        }
    }
}

/// What a taint does to the pods of a DaemonSet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TaintOutcome {
    /// A toleration covers it.
    Tolerated(TolerationOrigin),
    /// PreferNoSchedule: the DaemonSet controller does not look at it.
    OnlyPreference,
    /// NoSchedule without toleration: no new pod, but one that runs may stay.
    KeepsNewPodsOff,
    /// NoExecute without toleration: no pod at all.
    KeepsAllPodsOff,
}

impl TaintOutcome {
    /// Whether the taint is no obstacle to a new pod.
    pub const fn passed(self) -> bool {
        matches!(self, Self::Tolerated(_) | Self::OnlyPreference)
    }
}

/// Path of the required node affinity in a DaemonSet's manifest.
pub const REQUIRED_AFFINITY: &str =
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

impl Check {
    /// Whether the check lets a new pod onto the node.
    pub fn passed(&self) -> bool {
        match self {
            Self::NodeName { wanted, actual } => wanted == actual,
            Self::NodeSelector { wanted, actual, .. } => actual.as_ref() == Some(wanted),
            Self::NodeAffinity { terms } => terms.iter().any(|term| term.passed),
            Self::Taint { outcome, .. } => outcome.passed(),
        }
    }

    /// Whether the check lets a pod stay that is already on the node.
    pub fn lets_stay(&self) -> bool {
        self.passed() || matches!(self, Self::Taint { outcome: TaintOutcome::KeepsNewPodsOff, .. })
    }

    /// The field of the DaemonSet's manifest that the check looked at, in Kubernetes' notation. For a taint, the
    /// toleration that covers it; `None` when no line of the manifest does.
    pub fn manifest_path(&self) -> Option<String> {
        Some(match self {
            Self::NodeName { .. } => "spec.template.spec.nodeName".into(),
            Self::NodeSelector { key, .. } => format!("spec.template.spec.nodeSelector{}", key_segment(key)),
            Self::NodeAffinity { .. } => REQUIRED_AFFINITY.into(),
            Self::Taint {
                outcome:
                    TaintOutcome::Tolerated(TolerationOrigin::Template(index) | TolerationOrigin::AutomaticInPlaceOf(index)),
                ..
            } => format!("spec.template.spec.tolerations[{index}]"),
            Self::Taint { .. } => return None,
        })
    }

    /// The field of the node that the check looked at. Affinity looks at several: see [`RequirementCheck::node_path`].
    pub fn node_path(&self) -> Option<String> {
        match self {
            Self::NodeName { .. } => Some("metadata.name".into()),
            Self::NodeSelector { key, .. } => Some(label_path(key)),
            Self::NodeAffinity { .. } => None,
            Self::Taint { index, .. } => Some(format!("spec.taints[{index}]")),
        }
    }
}

impl TermCheck {
    /// The term in the DaemonSet's manifest.
    pub fn manifest_path(&self) -> String {
        term_path(self.index)
    }
}

impl RequirementCheck {
    /// The requirement in the DaemonSet's manifest; `term` is the index of its term.
    pub fn manifest_path(&self, term: usize) -> String {
        requirement_path(term, self.list, self.index)
    }

    /// The field of the node that the requirement looks at.
    pub fn node_path(&self) -> String {
        match self.list {
            RequirementList::MatchExpressions => label_path(&self.requirement.key),
            RequirementList::MatchFields => self.requirement.key.clone(),
        }
    }
}

/// Path of a term of the required node affinity.
pub fn term_path(term: usize) -> String {
    format!("{REQUIRED_AFFINITY}.nodeSelectorTerms[{term}]")
}

/// Path of a requirement of a term.
pub fn requirement_path(term: usize, list: RequirementList, index: usize) -> String {
    format!("{}.{}[{index}]", term_path(term), list.name())
}

/// Path of a node's label.
pub fn label_path(key: &str) -> String {
    format!("metadata.labels{}", key_segment(key))
}

/// A map key as a path segment: in brackets when it holds dots or slashes.
pub fn key_segment(key: &str) -> String {
    if key.is_empty() || key.contains(['.', '/', '[', ']']) { format!("[{key}]") } else { format!(".{key}") }
}

/// Whether a pod should be, and may stay, on the node, with every check.
pub fn evaluate(daemonset: &DaemonSet, node: &Node) -> Verdict {
    let rules = Rules::of(daemonset);
    let mut checks = Vec::new();
    if !rules.node_name.is_empty() {
        checks.push(Check::NodeName { wanted: rules.node_name.into(), actual: node.metadata.name.to_string() });
    }
    for (key, wanted) in rules.node_selector {
        let actual = node.metadata.label(key).map(str::to_owned);
        checks.push(Check::NodeSelector { key: key.clone(), wanted: wanted.clone(), actual });
    }
    if let Some(selector) = rules.affinity {
        let terms = selector.node_selector_terms.iter().enumerate().map(|(index, term)| check_term(index, term, node));
        checks.push(Check::NodeAffinity { terms: terms.collect() });
    }
    for (index, taint) in node.spec.taints.iter().enumerate() {
        let outcome = match (taint.effect.as_str(), rules.covering(taint)) {
            (NO_SCHEDULE | NO_EXECUTE, Some(origin)) => TaintOutcome::Tolerated(origin),
            (NO_SCHEDULE, None) => TaintOutcome::KeepsNewPodsOff,
            (NO_EXECUTE, None) => TaintOutcome::KeepsAllPodsOff,
            _ => TaintOutcome::OnlyPreference,
        };
        checks.push(Check::Taint { index, taint: taint.clone(), outcome });
    }
    let eligibility = Eligibility {
        should_run: checks.iter().all(Check::passed),
        should_continue_running: checks.iter().all(Check::lets_stay),
    };
    Verdict { eligibility, checks }
}

fn check_term(index: usize, term: &NodeSelectorTerm, node: &Node) -> TermCheck {
    let expressions = term
        .match_expressions
        .iter()
        .map(|requirement| (RequirementList::MatchExpressions, requirement, node.metadata.label(&requirement.key)));
    let fields = term
        .match_fields
        .iter()
        .map(|requirement| (RequirementList::MatchFields, requirement, field_value(node, &requirement.key)));
    let check = |(index, (list, requirement, actual)): (usize, (_, &NodeSelectorRequirement, Option<&str>))| {
        let no_number = |text: &str| text.parse::<i64>().is_err();
        RequirementCheck {
            list,
            index,
            requirement: requirement.clone(),
            actual: actual.map(str::to_owned),
            passed: requirement.matches(actual),
            not_a_number: matches!(requirement.operator.as_str(), "Gt" | "Lt")
                && actual.is_some_and(|actual| {
                    no_number(actual) || requirement.values.first().is_none_or(|bound| no_number(bound))
                }),
        }
    };
    let requirements = expressions.enumerate().chain(fields.enumerate()).map(check).collect();
    TermCheck { index, passed: term.matches(node), requirements }
}
