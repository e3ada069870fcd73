//! InterPodAffinity: pods that must, or must not, share a topology domain.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, v1.36.

use crate::apiserver::Store;
use crate::objects::*;
use crate::scheduler::framework::Code;
use crate::scheduler::node_info::is_same;
use std::collections::BTreeMap;

/// Name of the plugin.
pub const NAME: &str = "InterPodAffinity";
/// Weight of the score.
pub const WEIGHT: i64 = 2;

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No pod that the pod must be with is in the node's domain (`None`: the node is in no domain).
    Affinity {
        /// Label key of the first term that fails.
        topology_key: String,
        /// The node's domain.
        domain: Option<String>,
    },
    /// A pod that the pod must not be with is in the node's domain.
    AntiAffinity {
        /// Label key.
        topology_key: String,
        /// The node's domain.
        domain: String,
    },
    /// A pod in the node's domain does not want to be with this one.
    ExistingAntiAffinity {
        /// Label key.
        topology_key: String,
        /// The node's domain.
        domain: String,
    },
}

impl Reason {
    /// Removing pods cannot bring together, only keep apart.
    pub fn code(&self) -> Code {
        match self {
            Self::Affinity { .. } => Code::UnschedulableAndUnresolvable,
            _ => Code::Unschedulable,
        }
    }

    /// What the FailedScheduling message says.
    pub fn message(&self) -> &'static str {
        match self {
            Self::Affinity { .. } => "node(s) didn't match pod affinity rules",
            Self::AntiAffinity { .. } => "node(s) didn't match pod anti-affinity rules",
            Self::ExistingAntiAffinity { .. } => "node(s) didn't satisfy existing pods anti-affinity rules",
        }
    }
}

/// Number of pods by topology key and domain; no entry is zero.
type Counts = BTreeMap<(String, String), i64>;

/// Which pods with a say are in which domain now.
#[derive(Clone, Debug)]
pub struct InterPodState {
    /// Pods that match all of the pod's affinity terms.
    affinity: Counts,
    /// Pods that match one of the pod's anti-affinity terms.
    anti_affinity: Counts,
    /// Pods of which one anti-affinity term matches the pod.
    existing_anti_affinity: Counts,
}

impl InterPodState {
    /// Counts the pods; `None` when neither the pod nor any that runs has something to say.
    ///
    /// Looks at every pod only if the pod has terms of its own, else only at those with required anti-affinity.
    pub fn new(store: &Store, pod: &Pod) -> Option<Self> {
        let mut state =
            Self { affinity: Counts::new(), anti_affinity: Counts::new(), existing_anti_affinity: Counts::new() };
        let node_of = |other: &Pod| store.node_named(&other.spec.node_name);
        for other in
            store.pods_with_required_anti_affinity().filter(|other| other.occupies_node() && !is_same(other, pod))
        {
            if let Some(node) = node_of(other) {
                state.update_existing(store, pod, other, node, 1);
            }
        }
        let has_terms = !affinity_terms(pod).is_empty() || !anti_affinity_terms(pod).is_empty();
        if has_terms {
            for other in store.pods().values().filter(|other| other.occupies_node() && !is_same(other, pod)) {
                if let Some(node) = node_of(other) {
                    state.update_own(store, pod, other, node, 1);
                }
            }
        }
        (has_terms || !state.existing_anti_affinity.is_empty()).then_some(state)
    }

    /// The state once `other` comes to the node (`by` 1) or leaves it (`by` -1).
    pub fn update(&mut self, store: &Store, pod: &Pod, other: &Pod, node: &Node, by: i64) {
        self.update_existing(store, pod, other, node, by);
        self.update_own(store, pod, other, node, by);
    }

    fn update_existing(&mut self, store: &Store, pod: &Pod, other: &Pod, node: &Node, by: i64) {
        for term in anti_affinity_terms(other).iter().filter(|term| matches_term(store, term, other, pod)) {
            count(&mut self.existing_anti_affinity, node, &term.topology_key, by);
        }
    }

    fn update_own(&mut self, store: &Store, pod: &Pod, other: &Pod, node: &Node, by: i64) {
        let terms = affinity_terms(pod);
        if !terms.is_empty() && terms.iter().all(|term| matches_term(store, term, pod, other)) {
            for term in terms {
                count(&mut self.affinity, node, &term.topology_key, by);
            }
        }
        for term in anti_affinity_terms(pod).iter().filter(|term| matches_term(store, term, pod, other)) {
            count(&mut self.anti_affinity, node, &term.topology_key, by);
        }
    }

    /// The node's domains must hold the pods to be with and none to be without.
    pub fn filter(&self, store: &Store, pod: &Pod, node: &Node) -> Result<(), Reason> {
        self.affinity_holds(store, pod, node)?;
        let holds = |counts: &Counts, key: &str| {
            let domain = node.metadata.label(key)?;
            (pods_in(counts, key, domain) > 0).then(|| (key.to_owned(), domain.to_owned()))
        };
        for term in anti_affinity_terms(pod) {
            if let Some((topology_key, domain)) = holds(&self.anti_affinity, &term.topology_key) {
                return Err(Reason::AntiAffinity { topology_key, domain });
            }
        }
        if !self.existing_anti_affinity.is_empty() {
            for key in node.metadata.labels.keys() {
                if let Some((topology_key, domain)) = holds(&self.existing_anti_affinity, key) {
                    return Err(Reason::ExistingAntiAffinity { topology_key, domain });
                }
            }
        }
        Ok(())
    }

    /// The first pod of a group that must be together may go anywhere: where no pod matches and the pod itself would,
    /// it only needs the labels.
    fn affinity_holds(&self, store: &Store, pod: &Pod, node: &Node) -> Result<(), Reason> {
        let terms = affinity_terms(pod);
        let mut alone = None;
        for term in terms {
            let topology_key = term.topology_key.clone();
            match node.metadata.label(&topology_key) {
                None => return Err(Reason::Affinity { topology_key, domain: None }),
                Some(domain) if pods_in(&self.affinity, &topology_key, domain) <= 0 => {
                    let domain = Some(domain.to_owned());
                    alone.get_or_insert(Reason::Affinity { topology_key, domain });
                }
                Some(_) => {}
            }
        }
        match alone {
            Some(reason)
                if !(self.affinity.is_empty() && terms.iter().all(|term| matches_term(store, term, pod, pod))) =>
            {
                Err(reason)
            }
            _ => Ok(()),
        }
    }
}

fn pods_in(counts: &Counts, key: &str, domain: &str) -> i64 {
    counts.get(&(key.to_owned(), domain.to_owned())).copied().unwrap_or(0)
}

fn count(counts: &mut Counts, node: &Node, key: &str, by: i64) {
    if let Some(domain) = node.metadata.label(key) {
        let pair = (key.to_owned(), domain.to_owned());
        let sum = counts.get(&pair).copied().unwrap_or(0).saturating_add(by);
        if sum == 0 {
            counts.remove(&pair)
        } else {
            counts.insert(pair, sum)
        };
    }
}

fn affinity_terms(pod: &Pod) -> &[PodAffinityTerm] {
    pod.spec.affinity.as_ref().map_or(&[], |affinity| affinity.required_pod_affinity())
}

fn anti_affinity_terms(pod: &Pod) -> &[PodAffinityTerm] {
    pod.spec.affinity.as_ref().map_or(&[], |affinity| affinity.required_anti_affinity())
}

/// Whether the term of `owner` means `other`: its namespace, its labels, and the labels that are compared with the
/// owner's own.
pub fn matches_term(store: &Store, term: &PodAffinityTerm, owner: &Pod, other: &Pod) -> bool {
    let namespace = &other.metadata.namespace;
    let in_namespace = if term.namespaces.is_empty() && term.namespace_selector.is_none() {
        *namespace == owner.metadata.namespace
    } else {
        term.namespaces.iter().any(|name| **name == **namespace)
            || term.namespace_selector.as_ref().is_some_and(|selector| {
                selector.is_empty()
                    || store
                        .namespace(&ObjectKey::cluster(namespace.clone()))
                        .is_some_and(|namespace| selector.matches(&namespace.metadata.labels))
            })
    };
    let same = |key: &String| owner.metadata.label(key).map(|own| other.metadata.label(key) == Some(own));
    in_namespace
        && term.label_selector.as_ref().is_some_and(|selector| selector.matches(&other.metadata.labels))
        && term.match_label_keys.iter().all(|key| same(key) != Some(false))
        && term.mismatch_label_keys.iter().all(|key| same(key) != Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    const ZONE: &str = "zone";

    fn zones() -> Vec<Object> {
        vec![
            node("n1", json!({"labels": {"zone": "a"}})),
            node("n2", json!({"labels": {"zone": "b"}})),
            node("n3", json!({})),
        ]
    }

    fn term(app: &str, extra: Value) -> Value {
        let mut tree = json!({"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": app}}});
        merge(&mut tree, extra);
        tree
    }

    fn require(kind: &str, terms: Value) -> Value {
        json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})
    }

    fn verdicts(objects: Vec<Object>, pending: Value) -> Vec<String> {
        let store = store(objects);
        let mut tree = json!({"labels": {"app": "new"}});
        merge(&mut tree, pending);
        let pod = typed_pod(pod("new", tree));
        let Some(state) = InterPodState::new(&store, &pod) else { return vec!["nothing to say".into()] };
        let word = |node: &Node| match state.filter(&store, &pod, node) {
            Ok(()) => "ok".into(),
            Err(reason) => reason.message().replace("node(s) didn't ", ""),
        };
        store.nodes().values().map(|node| word(node)).collect()
    }

    fn cache(extra: Value) -> Object {
        let mut tree = json!({"labels": {"app": "cache"}, "nodeName": "n1"});
        merge(&mut tree, extra);
        pod("cache", tree)
    }

    #[test]
    fn nothing_is_counted_when_nobody_has_a_say() {
        assert_eq!(verdicts(zones(), json!({})), ["nothing to say"]);
    }

    #[test]
    fn affinity_wants_a_matching_pod_in_the_domain() {
        let mut objects = zones();
        objects.push(cache(json!({})));
        let no = "match pod affinity rules";
        assert_eq!(verdicts(objects, require("podAffinity", json!([term("cache", json!({}))]))), ["ok", no, no]);
    }

    #[test]
    fn the_first_of_a_group_may_go_where_the_label_is() {
        let own = require("podAffinity", json!([term("new", json!({}))]));
        assert_eq!(verdicts(zones(), own), ["ok", "ok", "match pod affinity rules"]);
        let other = require("podAffinity", json!([term("cache", json!({}))]));
        assert_eq!(verdicts(zones(), other), ["match pod affinity rules"; 3]);
    }

    #[test]
    fn anti_affinity_keeps_out_of_the_domain_but_not_off_nodes_without_one() {
        let mut objects = zones();
        objects.push(cache(json!({})));
        let pending = require("podAntiAffinity", json!([term("cache", json!({}))]));
        assert_eq!(verdicts(objects, pending), ["match pod anti-affinity rules", "ok", "ok"]);
    }

    #[test]
    fn a_running_pods_anti_affinity_counts_too() {
        let mut objects = zones();
        objects.push(cache(require("podAntiAffinity", json!([term("new", json!({}))]))));
        assert_eq!(verdicts(objects, json!({})), ["satisfy existing pods anti-affinity rules", "ok", "ok"]);
    }

    #[test]
    fn terms_mean_the_pods_own_namespace_unless_they_say_otherwise() {
        let mut objects = zones();
        objects.push(cache(json!({"namespace": "other"})));
        objects.push(
            Object::from_value(json!({
                "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": {"team": "x"}},
            }))
            .unwrap(),
        );
        let refused = |extra: Value| {
            let pending = require("podAntiAffinity", json!([term("cache", extra)]));
            verdicts(objects.clone(), pending)[0] != "ok"
        };
        assert!(!refused(json!({})));
        assert!(refused(json!({"namespaces": ["other"]})));
        assert!(refused(json!({"namespaceSelector": {}})));
        assert!(refused(json!({"namespaceSelector": {"matchLabels": {"team": "x"}}})));
        assert!(!refused(json!({"namespaceSelector": {"matchLabels": {"team": "y"}}})));
    }

    #[test]
    fn label_keys_compare_with_the_pods_own_labels() {
        let mut objects = zones();
        objects.push(cache(json!({"labels": {"rev": "1"}})));
        let refused = |own: &str, extra: Value| {
            let mut pending = require("podAntiAffinity", json!([term("cache", extra)]));
            merge(&mut pending, json!({"labels": {"rev": own}}));
            verdicts(objects.clone(), pending)[0] != "ok"
        };
        assert!(refused("1", json!({"matchLabelKeys": ["rev"]})));
        assert!(!refused("2", json!({"matchLabelKeys": ["rev"]})));
        assert!(!refused("1", json!({"mismatchLabelKeys": ["rev"]})));
        assert!(refused("2", json!({"mismatchLabelKeys": ["rev"]})));
        assert!(refused("2", json!({"matchLabelKeys": ["absent"]})));
    }
}
