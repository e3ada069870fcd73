//! NodeAffinity: the nodes that a pod asks for, by `nodeSelector` and required node affinity.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/nodeaffinity, v1.36.

use crate::objects::*;
use crate::order::Collect;
use std::collections::BTreeSet;

/// Name of the plugin.
pub const NAME: &str = "NodeAffinity";
/// What the FailedScheduling message says.
pub const MESSAGE: &str = "node(s) didn't match Pod's node affinity/selector";
/// What it says when the terms exclude each other, for all nodes at once.
pub const CONFLICT_MESSAGE: &str = "pod affinity terms conflict";
/// Weight of the score.
pub const WEIGHT: i64 = 2;

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A label of `nodeSelector` is missing on the node or has another value.
    NodeSelector {
        /// Label key.
        key: String,
        /// The value that the pod asks for.
        wanted: String,
        /// The node's value, if it has the label.
        found: Option<String>,
    },
    /// `metadata.name` fields pin the pod to other nodes.
    PinnedElsewhere {
        /// The nodes it is pinned to.
        nodes: Vec<String>,
    },
    /// No term of the required node affinity matches.
    NoTermMatches {
        /// Number of terms.
        terms: usize,
    },
}

/// The node must have all labels of `nodeSelector` and match one term of the required node affinity.
pub fn filter(pod: &Pod, node: &Node) -> Result<(), Reason> {
    for (key, wanted) in pod.spec.node_selector.iter() {
        let found = node.metadata.labels.get(key);
        if found != Some(wanted) {
            return Err(Reason::NodeSelector { key: key.clone(), wanted: wanted.clone(), found: found.cloned() });
        }
    }
    let Some(required) = required(pod) else { return Ok(()) };
    if required.matches(node) {
        return Ok(());
    }
    match pinned_names(pod) {
        Some(names) if !names.contains(&**node.name()) => {
            Err(Reason::PinnedElsewhere { nodes: names.into_iter().map(str::to_owned).collect() })
        }
        _ => Err(Reason::NoTermMatches { terms: required.node_selector_terms.len() }),
    }
}

/// Whether the pod asks for the node, as [`filter`] decides it, without the reason.
pub fn matches(pod: &Pod, node: &Node) -> bool {
    pod.spec.node_selector.iter().all(|(key, wanted)| node.metadata.labels.get(key) == Some(wanted))
        && required(pod).is_none_or(|required| required.matches(node))
}

/// The names of the only nodes that can match, when every term says `metadata.name In …`. Within a term the lists are
/// intersected, over the terms they are united; an empty set means that the terms exclude each other. `None`: any node
/// may match.
pub fn pinned_names(pod: &Pod) -> Option<BTreeSet<&str>> {
    let mut names: Option<BTreeSet<&str>> = None;
    for term in &required(pod)?.node_selector_terms {
        let mut of_term: Option<BTreeSet<&str>> = None;
        for field in term.match_fields.iter().filter(|f| f.key == "metadata.name" && f.operator == "In") {
            let values = field.values.iter().map(String::as_str).collect_set();
            of_term = Some(match of_term {
                None => values,
                Some(present) => present.intersection(&values).copied().collect(),
            });
        }
        names.get_or_insert_default().extend(of_term?);
    }
    names
}

/// Sum of the weights of the preferred terms that match.
pub fn score(pod: &Pod, node: &Node) -> i64 {
    preferred(pod).iter().filter(|term| term.preference.matches(node)).map(|term| term.weight).sum()
}

/// Whether the pod prefers some nodes.
pub fn has_preferences(pod: &Pod) -> bool {
    !preferred(pod).is_empty()
}

fn preferred(pod: &Pod) -> &[PreferredSchedulingTerm] {
    let affinity = pod.spec.affinity.as_ref().and_then(|affinity| affinity.node_affinity.as_ref());
    affinity.map_or(&[], |affinity| &affinity.preferred_during_scheduling_ignored_during_execution)
}

fn required(pod: &Pod) -> Option<&NodeSelector> {
    pod.spec.affinity.as_ref()?.required_node_selector()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pod(terms: Value) -> Pod {
        decode(json!({"spec": {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms},
        }}}}))
        .unwrap()
    }

    fn node(name: &str, labels: Value) -> Node {
        decode(json!({"metadata": {"name": name, "labels": labels}})).unwrap()
    }

    fn name_in(names: Value) -> Value {
        json!({"key": "metadata.name", "operator": "In", "values": names})
    }

    fn names(pod: &Pod) -> Option<Vec<&str>> {
        pinned_names(pod).map(|names| names.into_iter().collect())
    }

    #[test]
    fn the_first_wrong_label_of_the_selector_is_named() {
        let pod: Pod = decode(json!({"spec": {"nodeSelector": {"disk": "ssd", "zone": "a"}}})).unwrap();
        assert_eq!(filter(&pod, &node("n", json!({"disk": "ssd", "zone": "a"}))), Ok(()));
        let missing = |key: &str, wanted: &str, found: Option<&str>| {
            Err(Reason::NodeSelector { key: key.into(), wanted: wanted.into(), found: found.map(str::to_owned) })
        };
        assert_eq!(filter(&pod, &node("n", json!({"disk": "hdd"}))), missing("disk", "ssd", Some("hdd")));
        assert_eq!(filter(&pod, &node("n", json!({"disk": "ssd"}))), missing("zone", "a", None));
    }

    #[test]
    fn terms_are_alternatives_and_an_empty_one_matches_nothing() {
        let exists = json!({"matchExpressions": [{"key": "gpu", "operator": "Exists"}]});
        let term = pod(json!([exists, {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]));
        assert_eq!(filter(&term, &node("n", json!({"zone": "a"}))), Ok(()));
        assert_eq!(filter(&term, &node("n", json!({"zone": "b"}))), Err(Reason::NoTermMatches { terms: 2 }));
        assert_eq!(filter(&pod(json!([{}])), &node("n", json!({}))), Err(Reason::NoTermMatches { terms: 1 }));
        assert!(!matches(&pod(json!([{}])), &node("n", json!({}))));
    }

    #[test]
    fn a_pod_pinned_by_name_says_where_to() {
        let pod = pod(json!([{"matchFields": [name_in(json!(["n1"]))]}]));
        assert_eq!(filter(&pod, &node("n1", json!({}))), Ok(()));
        assert_eq!(filter(&pod, &node("n2", json!({}))), Err(Reason::PinnedElsewhere { nodes: vec!["n1".into()] }));
    }

    #[test]
    fn only_names_in_every_term_narrow_the_search() {
        let (a, b) =
            (json!({"matchFields": [name_in(json!(["n1"]))]}), json!({"matchFields": [name_in(json!(["n2"]))]}));
        assert_eq!(names(&pod(json!([a, b]))), Some(vec!["n1", "n2"]));
        let label = json!({"matchExpressions": [{"key": "x", "operator": "Exists"}]});
        assert_eq!(names(&pod(json!([a, label]))), None);
        let both = json!({"matchFields": [name_in(json!(["n1"])), name_in(json!(["n1"]))]});
        assert_eq!(names(&pod(json!([both]))), Some(vec!["n1"]));
        let conflict = json!({"matchFields": [name_in(json!(["n1"])), name_in(json!(["n2"]))]});
        assert_eq!(names(&pod(json!([conflict]))), Some(vec![]));
        assert_eq!(names(&pod(json!([]))), None);
        let not_in = json!({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]});
        assert_eq!(names(&pod(json!([not_in]))), None);
    }

    #[test]
    fn preferences_add_their_weights() {
        let term = |key: &str, weight: i64| json!({"weight": weight, "preference": {"matchExpressions": [{"key": key, "operator": "Exists"}]}});
        let preferred = json!([term("a", 10), term("b", 5), {"weight": 50, "preference": {}}]);
        let pod: Pod = decode(json!({"spec": {"affinity": {"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": preferred,
        }}}}))
        .unwrap();
        assert_eq!(score(&pod, &node("n", json!({"a": "", "b": ""}))), 15);
        assert_eq!(score(&pod, &node("n", json!({"b": ""}))), 5);
        assert_eq!(score(&pod, &node("n", json!({}))), 0);
    }
}
