//! One change of one field, applied to objects or written as a command.

use crate::controllers::daemonset::eligibility::{
    REQUIRED_AFFINITY, RequirementList, key_segment, requirement_path, term_path,
};
use crate::objects::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::rc::Rc;

/// One change of one field of the node or of the DaemonSet. Indices refer to the objects after the earlier edits of
/// the same change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "edit")]
pub enum Edit {
    /// Gives the node a label, or another value of one.
    #[serde(rename_all = "camelCase")]
    SetLabel {
        /// Label key.
        key: String,
        /// New value.
        value: String,
        /// Value before; `None` when the label is new.
        replaces: Option<String>,
    },
    /// Takes a label from the node.
    #[serde(rename_all = "camelCase")]
    RemoveLabel {
        /// Label key.
        key: String,
    },
    /// Taints the node.
    #[serde(rename_all = "camelCase")]
    AddTaint {
        /// The taint.
        taint: Taint,
    },
    /// Takes a taint from the node.
    #[serde(rename_all = "camelCase")]
    RemoveTaint {
        /// The taint.
        taint: Taint,
    },
    /// Lets the template bear a taint.
    #[serde(rename_all = "camelCase")]
    AddToleration {
        /// The toleration, appended to the list.
        toleration: Toleration,
    },
    /// Changes a toleration of the template.
    #[serde(rename_all = "camelCase")]
    ChangeToleration {
        /// Its index.
        index: usize,
        /// What it becomes.
        toleration: Toleration,
    },
    /// Takes a toleration from the template.
    #[serde(rename_all = "camelCase")]
    RemoveToleration {
        /// Its index.
        index: usize,
    },
    /// Takes `nodeName` from the template.
    RemoveNodeName,
    /// Adds an entry to the template's nodeSelector, or changes its value.
    #[serde(rename_all = "camelCase")]
    SetNodeSelector {
        /// Label key.
        key: String,
        /// The value a node must have.
        value: String,
    },
    /// Takes an entry from the template's nodeSelector.
    #[serde(rename_all = "camelCase")]
    RemoveNodeSelector {
        /// Label key.
        key: String,
    },
    /// Adds a term to the required node affinity, beside which the others go on to hold.
    #[serde(rename_all = "camelCase")]
    AddTerm {
        /// The term, appended to the list.
        term: NodeSelectorTerm,
    },
    /// Adds a requirement to a term of the required node affinity.
    #[serde(rename_all = "camelCase")]
    AddRequirement {
        /// Index of the term.
        term: usize,
        /// Which of its lists.
        list: RequirementList,
        /// The requirement, appended to the list.
        requirement: NodeSelectorRequirement,
    },
    /// Changes the values of a requirement.
    #[serde(rename_all = "camelCase")]
    SetRequirementValues {
        /// Index of the term.
        term: usize,
        /// Which of its lists.
        list: RequirementList,
        /// Index of the requirement.
        index: usize,
        /// New values.
        values: Vec<String>,
    },
    /// Takes a requirement from a term; never its last.
    #[serde(rename_all = "camelCase")]
    RemoveRequirement {
        /// Index of the term.
        term: usize,
        /// Which of its lists.
        list: RequirementList,
        /// Index of the requirement.
        index: usize,
    },
    /// Takes the whole required node affinity from the template.
    RemoveRequiredAffinity,
}

/// What a person should know before making an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Caution {
    /// The kubelet or the cloud provider sets this label: it may come back, and others rely on it.
    LabelIsManaged,
    /// The node controller sets this taint from the node's conditions: it comes back until the cause is gone.
    TaintIsManaged,
    /// The pods will bear every taint, whoever sets it for whatever reason.
    ToleratesEverything,
}

/// An edit as a person makes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Rendered {
    /// A kubectl command line.
    Command(String),
    /// A change in the DaemonSet's manifest.
    Manifest(ManifestEdit),
}

/// A change in the DaemonSet's manifest.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestEdit {
    /// The field, in Kubernetes' notation.
    pub path: String,
    /// What happens there.
    #[serde(flatten)]
    pub operation: ManifestOperation,
}

/// What happens to a field of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "operation", content = "value")]
pub enum ManifestOperation {
    /// The field gets this value; missing parents are made.
    Set(Value),
    /// The list gets this as its last item; a missing list is made.
    Append(Value),
    /// The field or item goes.
    Remove,
}

impl Edit {
    /// Whether the edit is to the node and not to the DaemonSet.
    pub const fn is_on_node(&self) -> bool {
        matches!(
            self,
            Self::SetLabel { .. } | Self::RemoveLabel { .. } | Self::AddTaint { .. } | Self::RemoveTaint { .. }
        )
    }

    /// What a person should know before making it.
    pub fn caution(&self) -> Option<Caution> {
        match self {
            Self::SetLabel { key, .. } | Self::RemoveLabel { key } => {
                is_managed_label(key).then_some(Caution::LabelIsManaged)
            }
            Self::RemoveTaint { taint } => {
                taint.key.starts_with("node.kubernetes.io/").then_some(Caution::TaintIsManaged)
            }
            Self::AddToleration { toleration } => toleration.key.is_empty().then_some(Caution::ToleratesEverything),
            _ => None,
        }
    }

    /// The edit as a command for this node, or as a change of the DaemonSet's manifest.
    pub fn render(&self, node: &str) -> Rendered {
        let command = |rest: String| Rendered::Command(rest);
        let manifest = |path: String, operation| Rendered::Manifest(ManifestEdit { path, operation });
        let selector = |key: &str| format!("spec.template.spec.nodeSelector{}", key_segment(key));
        use ManifestOperation::{Append, Remove, Set};
        match self {
            Self::SetLabel { key, value, replaces: None } => {
                command(format!("kubectl label node {node} {key}={value}"))
            }
            Self::SetLabel { key, value, replaces: Some(_) } => {
                command(format!("kubectl label node {node} {key}={value} --overwrite"))
            }
            Self::RemoveLabel { key } => command(format!("kubectl label node {node} {key}-")),
            Self::AddTaint { taint } => command(format!("kubectl taint node {node} {taint}")),
            Self::RemoveTaint { taint } => {
                command(format!("kubectl taint node {node} {}:{}-", taint.key, taint.effect))
            }
            Self::AddToleration { toleration } => {
                manifest("spec.template.spec.tolerations".into(), Append(encode(toleration)))
            }
            Self::ChangeToleration { index, toleration } => {
                manifest(format!("spec.template.spec.tolerations[{index}]"), Set(encode(toleration)))
            }
            Self::RemoveToleration { index } => manifest(format!("spec.template.spec.tolerations[{index}]"), Remove),
            Self::RemoveNodeName => manifest("spec.template.spec.nodeName".into(), Remove),
            Self::SetNodeSelector { key, value } => manifest(selector(key), Set(json!(value))),
            Self::RemoveNodeSelector { key } => manifest(selector(key), Remove),
            Self::AddTerm { term } => manifest(format!("{REQUIRED_AFFINITY}.nodeSelectorTerms"), Append(encode(term))),
            Self::AddRequirement { term, list, requirement } => {
                manifest(format!("{}.{}", term_path(*term), list.name()), Append(encode(requirement)))
            }
            Self::SetRequirementValues { term, list, index, values } => {
                manifest(format!("{}.values", requirement_path(*term, *list, *index)), Set(json!(values)))
            }
            Self::RemoveRequirement { term, list, index } => manifest(requirement_path(*term, *list, *index), Remove),
            Self::RemoveRequiredAffinity => manifest(REQUIRED_AFFINITY.into(), Remove),
        }
    }
}

/// Labels that the kubelet or the cloud provider sets.
fn is_managed_label(key: &str) -> bool {
    let prefixes = ["kubernetes.io/", "beta.kubernetes.io/", "topology.kubernetes.io/", "node.kubernetes.io/"];
    prefixes.iter().any(|prefix| key.starts_with(prefix))
}

/// Makes the edits, one after the other. An edit of something that is not there changes nothing.
pub fn apply(edits: &[Edit], daemonset: &DaemonSet, node: &Node) -> (DaemonSet, Node) {
    let (mut daemonset, mut node) = (daemonset.clone(), node.clone());
    for edit in edits {
        if edit.is_on_node() {
            apply_to_node(edit, &mut node);
        } else {
            apply_to_template(edit, &mut Rc::make_mut(&mut daemonset.spec.template).spec);
        }
    }
    (daemonset, node)
}

/// Makes one edit of a node.
pub fn apply_to_node(edit: &Edit, node: &mut Node) {
    match edit {
        Edit::SetLabel { key, value, .. } => {
            Rc::make_mut(&mut node.metadata.labels).insert(key.clone(), value.clone());
        }
        Edit::RemoveLabel { key } => {
            Rc::make_mut(&mut node.metadata.labels).remove(key);
        }
        Edit::AddTaint { taint } => {
            let taints = Rc::make_mut(&mut node.spec.taints);
            taints.retain(|present| !present.matches(taint));
            taints.push(taint.clone());
        }
        Edit::RemoveTaint { taint } => Rc::make_mut(&mut node.spec.taints).retain(|present| !present.matches(taint)),
        _ => {}
    }
}

/// Makes one edit of a template's pods.
pub fn apply_to_template(edit: &Edit, spec: &mut PodSpec) {
    match edit {
        Edit::AddToleration { toleration } => Rc::make_mut(&mut spec.tolerations).push(toleration.clone()),
        Edit::ChangeToleration { index, toleration } => {
            if let Some(present) = Rc::make_mut(&mut spec.tolerations).get_mut(*index) {
                *present = toleration.clone();
            }
        }
        Edit::RemoveToleration { index } => {
            if *index < spec.tolerations.len() {
                Rc::make_mut(&mut spec.tolerations).remove(*index);
            }
        }
        Edit::RemoveNodeName => spec.node_name = "".into(),
        Edit::SetNodeSelector { key, value } => {
            Rc::make_mut(&mut spec.node_selector).insert(key.clone(), value.clone());
        }
        Edit::RemoveNodeSelector { key } => {
            Rc::make_mut(&mut spec.node_selector).remove(key);
        }
        _ => apply_to_affinity(edit, Rc::make_mut(spec.affinity.get_or_insert_default())),
    }
}

fn apply_to_affinity(edit: &Edit, affinity: &mut Affinity) {
    let required =
        &mut affinity.node_affinity.get_or_insert_default().required_during_scheduling_ignored_during_execution;
    if *edit == Edit::RemoveRequiredAffinity {
        *required = None;
        return;
    }
    let terms = &mut required.get_or_insert_default().node_selector_terms;
    match edit {
        Edit::AddTerm { term } => terms.push(term.clone()),
        Edit::AddRequirement { term, list, requirement } => {
            if let Some(list) = terms.get_mut(*term).map(|term| list_of(term, *list)) {
                list.push(requirement.clone());
            }
        }
        Edit::SetRequirementValues { term, list, index, values } => {
            let list = terms.get_mut(*term).map(|term| list_of(term, *list));
            if let Some(requirement) = list.and_then(|list| list.get_mut(*index)) {
                requirement.values = values.clone();
            }
        }
        Edit::RemoveRequirement { term, list, index } => {
            if let Some(list) = terms.get_mut(*term).map(|term| list_of(term, *list))
                && *index < list.len()
            {
                list.remove(*index);
            }
        }
        _ => {}
    }
}

fn list_of(term: &mut NodeSelectorTerm, list: RequirementList) -> &mut Vec<NodeSelectorRequirement> {
    match list {
        RequirementList::MatchExpressions => &mut term.match_expressions,
        RequirementList::MatchFields => &mut term.match_fields,
    }
}
