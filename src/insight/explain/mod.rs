//! Why a node has, or has not, a pod of a DaemonSet, and the smallest changes that would turn that round.
//!
//! Every suggested [`Change`] has been tried: applied to the objects, it turns the verdict, and no part of it can be
//! left out.

mod alternatives;
mod edit;
mod search;

pub(crate) use alternatives::past_first_failure;
pub use edit::{Caution, Edit, ManifestEdit, ManifestOperation, Rendered, apply, apply_to_node, apply_to_template};
pub use search::Change;

use crate::controllers::daemonset::eligibility::Check;
use crate::controllers::daemonset::{TolerationOrigin, Verdict, effective_tolerations, evaluate};
use crate::objects::*;
use serde::Serialize;
use std::rc::Rc;

/// A verdict, and what would turn it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Both answers and every check.
    pub verdict: Verdict,
    /// Tolerations of the template that nearly cover a taint that keeps pods off.
    pub near_misses: Vec<NearMiss>,
    /// What would turn `shouldRun`, the smallest first. Empty only when a DaemonSet runs everywhere whatever is done.
    pub changes: Vec<Change>,
}

/// A toleration that nearly covers a taint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearMiss {
    /// Index of the taint in the node's `spec.taints`.
    pub taint: usize,
    /// Index of the toleration in the template.
    pub toleration: usize,
    /// What keeps it from covering the taint.
    pub differs: Difference,
}

/// The one thing in which a toleration differs from a taint of the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Difference {
    /// It covers another effect.
    Effect,
    /// It names another value.
    Value,
    /// It names another value and another effect.
    ValueAndEffect,
    /// Its operator is `Lt` or `Gt`, which cover nothing as long as their alpha gate is off.
    OperatorIsOff,
}

/// Explains a node.
pub fn explain(daemonset: &DaemonSet, node: &Node) -> Explanation {
    let verdict = evaluate(daemonset, node);
    let changes = search::changes(daemonset, node, &verdict);
    Explanation { near_misses: near_misses(daemonset, node), changes, verdict }
}

/// The node as it will be when its kubelet has reported that it is ready: without the taints that the node controller
/// takes away by itself then. `None`: none of them keeps this DaemonSet off. Against `NoExecute` every DaemonSet's pods
/// have a toleration of their own; `NoSchedule` is what a node that has just joined keeps them off with.
pub fn once_ready(verdict: &Verdict, node: &Node) -> Option<Node> {
    let passes = |taint: &Taint| taint.key == TAINT_NOT_READY;
    let is_obstacle = |check: &Check| matches!(check, Check::Taint { taint, .. } if !check.passed() && passes(taint));
    verdict.checks.iter().any(is_obstacle).then(|| {
        let lasting = node.spec.taints.iter().filter(|taint| !passes(taint)).cloned().collect();
        Node { spec: NodeSpec { taints: Rc::new(lasting), ..node.spec.clone() }, ..node.clone() }
    })
}

/// The tolerations that share the key of a taint that keeps pods off, and do not cover it.
pub fn near_misses(daemonset: &DaemonSet, node: &Node) -> Vec<NearMiss> {
    let tolerations = effective_tolerations(&daemonset.spec.template.spec);
    let obstacles = node.spec.taints.iter().enumerate().filter(|(_, taint)| {
        matches!(taint.effect.as_str(), NO_SCHEDULE | NO_EXECUTE)
            && !tolerations.iter().any(|(toleration, _)| toleration.tolerates(taint))
    });
    let near = |taint_index: usize, taint: &Taint, toleration: &Toleration, origin: TolerationOrigin| {
        let TolerationOrigin::Template(index) = origin else { return None };
        if toleration.key != taint.key {
            return None;
        }
        let effect = !toleration.effect.is_empty() && toleration.effect != taint.effect;
        let value = matches!(toleration.operator.as_str(), "" | "Equal") && toleration.value != taint.value;
        let differs = match (effect, value) {
            (true, true) => Difference::ValueAndEffect,
            (true, false) => Difference::Effect,
            (false, true) => Difference::Value,
            (false, false) => Difference::OperatorIsOff,
        };
        Some(NearMiss { taint: taint_index, toleration: index, differs })
    };
    obstacles
        .flat_map(|(index, taint)| {
            tolerations.iter().filter_map(move |(toleration, origin)| near(index, taint, toleration, *origin))
        })
        .collect()
}

#[cfg(test)]
mod tests;
