//! The search for the smallest changes: by number of edits, each state tried on the objects themselves.

use super::alternatives::{past_first_failure, to_keep_pods_off};
use super::edit::{Caution, Edit, apply};
use crate::controllers::daemonset::{Rules, Verdict, evaluate};
use crate::objects::{DaemonSet, Node};
use crate::order::Order;
use serde::Serialize;
use std::collections::VecDeque;

/// How many states are tried in breadth.
const MOST_STATES: usize = 600;
/// How many edits in a row are tried in depth.
const MOST_EDITS: usize = 64;
/// How many changes are suggested.
const MOST_CHANGES: usize = 12;

/// Edits that together turn a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// To be made in this order; none can be left out.
    pub edits: Vec<Edit>,
}

impl Change {
    /// How many fields change.
    pub fn size(&self) -> usize {
        self.edits.len()
    }

    /// Only the node changes: other nodes are not touched.
    pub fn is_on_node_only(&self) -> bool {
        self.edits.iter().all(Edit::is_on_node)
    }

    /// Only the DaemonSet changes, and with its template all its pods.
    pub fn is_on_daemonset_only(&self) -> bool {
        !self.edits.iter().any(Edit::is_on_node)
    }

    /// What a person should know before making it.
    pub fn cautions(&self) -> Vec<Caution> {
        let mut cautions: Vec<Caution> = Vec::new();
        for caution in self.edits.iter().filter_map(Edit::caution) {
            if !cautions.contains(&caution) {
                cautions.push(caution);
            }
        }
        cautions
    }

    /// Small before large, harmless before far-reaching.
    fn rank(&self) -> (usize, usize) {
        (self.size(), self.edits.iter().map(reach).sum())
    }
}

/// How far an edit reaches beyond the one question of this node.
fn reach(edit: &Edit) -> usize {
    let usual = match edit {
        Edit::AddToleration { .. } | Edit::AddTaint { .. } | Edit::SetLabel { replaces: None, .. } => 0,
        Edit::ChangeToleration { .. } | Edit::SetRequirementValues { .. } => 1,
        Edit::AddTerm { .. } | Edit::RemoveNodeName | Edit::RemoveToleration { .. } => 1,
        Edit::AddRequirement { .. } | Edit::RemoveNodeSelector { .. } => 1,
        Edit::RemoveTaint { .. } | Edit::RemoveLabel { .. } => 2,
        Edit::SetLabel { .. } | Edit::RemoveRequirement { .. } => 2,
        Edit::SetNodeSelector { .. } | Edit::RemoveRequiredAffinity => 3,
    };
    let caution = if edit.caution().is_some() { 10 } else { 0 };
    usual + caution
}

/// The smallest changes that turn `shouldRun`.
pub fn changes(daemonset: &DaemonSet, node: &Node, verdict: &Verdict) -> Vec<Change> {
    let mut candidates: Vec<Vec<Edit>> = if verdict.eligibility.should_run {
        to_keep_pods_off(node, verdict)
    } else {
        let greedy = [Side::Any, Side::Node, Side::DaemonSet].map(|side| in_depth(daemonset, node, verdict, side));
        greedy.into_iter().flatten().chain(in_breadth(daemonset, node, verdict)).collect()
    };
    candidates.retain(|edits| !edits.is_empty());
    let turns = |edits: &[Edit]| {
        let (daemonset, node) = apply(edits, daemonset, node);
        Rules::of(&daemonset).eligibility(&node).should_run != verdict.eligibility.should_run
    };
    let is_smallest = |edits: &[Edit]| {
        turns(edits)
            && (0..edits.len()).all(|index| {
                let mut fewer = edits.to_vec();
                fewer.remove(index);
                !turns(&fewer)
            })
    };
    let mut found: Vec<Change> = Vec::new();
    for edits in candidates {
        let change = Change { edits };
        if is_smallest(&change.edits) && !found.contains(&change) {
            found.push(change);
        }
    }
    found.order_by_key(Change::rank);
    keep_best(found)
}

/// The first ones, and in any case the best for the node alone and for the DaemonSet alone.
fn keep_best(mut found: Vec<Change>) -> Vec<Change> {
    let rest = found.split_off(MOST_CHANGES.min(found.len()));
    for wanted in [Change::is_on_node_only, Change::is_on_daemonset_only] {
        if !found.iter().any(wanted) {
            found.extend(rest.iter().find(|change| wanted(change)).cloned());
        }
    }
    found.order_by_key(Change::rank);
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Any,
    Node,
    DaemonSet,
}

/// Goes past one failed check after the other with the least far-reaching edit; finds a change however many checks
/// fail, unless only the other side can help.
fn in_depth(daemonset: &DaemonSet, node: &Node, verdict: &Verdict, side: Side) -> Option<Vec<Edit>> {
    let (mut daemonset, mut node, mut verdict) = (daemonset.clone(), node.clone(), verdict.clone());
    let mut edits = Vec::new();
    while !verdict.eligibility.should_run {
        let next = past_first_failure(&daemonset, &node, &verdict)
            .into_iter()
            .filter(|edit| side == Side::Any || edit.is_on_node() == (side == Side::Node))
            .min_by_key(reach)?;
        (daemonset, node) = apply(std::slice::from_ref(&next), &daemonset, &node);
        verdict = evaluate(&daemonset, &node);
        edits.push(next);
        if edits.len() > MOST_EDITS {
            return None;
        }
    }
    Some(edits)
}

/// All changes by number of edits, as far as [`MOST_STATES`] reach.
fn in_breadth(daemonset: &DaemonSet, node: &Node, verdict: &Verdict) -> Vec<Vec<Edit>> {
    let mut found = Vec::new();
    let mut queue = VecDeque::from([(Vec::new(), daemonset.clone(), node.clone(), verdict.clone())]);
    let mut states = 0;
    while let Some((edits, daemonset, node, verdict)) = queue.pop_front() {
        for edit in past_first_failure(&daemonset, &node, &verdict) {
            states += 1;
            if states > MOST_STATES {
                return found;
            }
            let (daemonset, node) = apply(std::slice::from_ref(&edit), &daemonset, &node);
            let mut edits: Vec<Edit> = edits.clone();
            edits.push(edit);
            let verdict = evaluate(&daemonset, &node);
            if verdict.eligibility.should_run {
                found.push(edits);
            } else {
                queue.push_back((edits, daemonset, node, verdict));
            }
        }
    }
    found
}
