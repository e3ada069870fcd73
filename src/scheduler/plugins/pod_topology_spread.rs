//! PodTopologySpread: keeps the pods of a group spread over the domains of a node label.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/podtopologyspread/filtering.go, v1.36.

use super::node_affinity;
use crate::apiserver::Store;
use crate::objects::*;
use crate::scheduler::framework::Code;
use crate::scheduler::node_info::is_same;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Name of the plugin.
pub const NAME: &str = "PodTopologySpread";
/// Weight of the score.
pub const WEIGHT: i64 = 2;

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The node does not have the label that names the domains.
    MissingLabel {
        /// Label key.
        topology_key: String,
    },
    /// The node's domain would be too far ahead of the emptiest one.
    TooUneven {
        /// Label key.
        topology_key: String,
        /// The node's domain.
        domain: String,
        /// Pods of the group in the domain, with this one if it belongs to the group.
        would_be: i64,
        /// Pods of the group in the emptiest domain; 0 while there are fewer domains than `minDomains`.
        minimum: i64,
        /// Largest allowed difference.
        max_skew: i64,
    },
}

impl Reason {
    /// Removing pods can level the domains, but it gives no node a label.
    pub fn code(&self) -> Code {
        match self {
            Self::MissingLabel { .. } => Code::UnschedulableAndUnresolvable,
            Self::TooUneven { .. } => Code::Unschedulable,
        }
    }

    /// What the FailedScheduling message says.
    pub fn message(&self) -> &'static str {
        match self {
            Self::MissingLabel { .. } => {
                "node(s) didn't match pod topology spread constraints (missing required label)"
            }
            Self::TooUneven { .. } => "node(s) didn't match pod topology spread constraints",
        }
    }
}

/// A constraint with its selector made ready.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub max_skew: i64,
    pub topology_key: String,
    /// ANDed. None at all: selects nothing.
    pub selectors: Vec<LabelSelector>,
    min_domains: usize,
    honor_affinity: bool,
    honor_taints: bool,
}

impl Constraint {
    /// The pod's constraint; the labels named in `matchLabelKeys` are added to the selector.
    pub fn new(constraint: &TopologySpreadConstraint, pod: &Pod) -> Self {
        let mut selectors: Vec<LabelSelector> = constraint.label_selector.iter().cloned().collect();
        let keys = constraint.match_label_keys.iter();
        let own: Vec<_> = keys.filter_map(|key| Some((key.as_str(), pod.metadata.label(key)?))).collect();
        if !own.is_empty() && !selectors.is_empty() {
            selectors.push(LabelSelector { match_labels: string_map(own), ..LabelSelector::default() });
        }
        Self {
            max_skew: constraint.max_skew.into(),
            topology_key: constraint.topology_key.clone(),
            selectors,
            min_domains: usize::try_from(constraint.min_domains.unwrap_or(1)).unwrap_or(0),
            honor_affinity: constraint.node_affinity_policy.as_deref() != Some("Ignore"),
            honor_taints: constraint.node_taints_policy.as_deref() == Some("Honor"),
        }
    }

    /// A constraint of the default profile.
    pub fn system_default(topology_key: &str, max_skew: i64, selectors: Vec<LabelSelector>) -> Self {
        let topology_key = topology_key.to_owned();
        Self { max_skew, topology_key, selectors, min_domains: 1, honor_affinity: true, honor_taints: false }
    }

    pub fn selects(&self, labels: &StringMap) -> bool {
        !self.selectors.is_empty() && self.selectors.iter().all(|selector| selector.matches(labels))
    }

    /// Whether the node's domain counts, by the two inclusion policies.
    pub fn includes(&self, pod: &Pod, node: &Node) -> bool {
        (!self.honor_affinity || node_affinity::matches(pod, node))
            && (!self.honor_taints
                || find_untolerated_taint(&node.spec.taints, &pod.spec.tolerations, &[NO_SCHEDULE, NO_EXECUTE])
                    .is_none())
    }

    /// Number of the group's pods on each node that has some. A selector that selects everything counts nothing, as in
    /// Kubernetes.
    pub fn pods_by_node<'a>(&self, store: &'a Store, pod: &Pod) -> BTreeMap<&'a str, i64> {
        let mut counts = BTreeMap::new();
        if self.selectors.iter().all(LabelSelector::is_empty) {
            return counts;
        }
        for other in Store::in_namespace(store.pods(), &pod.metadata.namespace) {
            let counted = other.occupies_node() && !other.is_terminating() && !is_same(other, pod);
            if counted && self.selects(&other.metadata.labels) {
                let sum: &mut i64 = counts.entry(&*other.spec.node_name).or_default();
                *sum = sum.saturating_add(1);
            }
        }
        counts
    }
}

/// How the group of each constraint is spread now.
#[derive(Clone, Debug)]
pub struct SpreadState {
    /// Each constraint with the number of the group's pods in every domain that counts.
    constraints: Vec<(Constraint, BTreeMap<String, i64>)>,
}

impl SpreadState {
    /// Counts the pods for the constraints that forbid; `None` when the pod has none.
    ///
    /// Looks at the whole cluster.
    pub fn new(store: &Store, pod: &Pod) -> Option<Self> {
        let constraints = pod.spec.topology_spread_constraints.iter();
        let hard = constraints.filter(|constraint| constraint.when_unsatisfiable != "ScheduleAnyway");
        let mut state =
            Self { constraints: hard.map(|constraint| (Constraint::new(constraint, pod), BTreeMap::new())).collect() };
        if state.constraints.is_empty() {
            return None;
        }
        let nodes: Vec<&Rc<Node>> = store.nodes().values().filter(|node| state.has_all_labels(node)).collect();
        for (constraint, domains) in &mut state.constraints {
            let counts = constraint.pods_by_node(store, pod);
            for node in nodes.iter().filter(|node| constraint.includes(pod, node)) {
                if let Some(domain) = node.metadata.labels.get(&constraint.topology_key) {
                    let count = counts.get(&**node.name()).copied().unwrap_or(0);
                    let sum = domains.entry(domain.clone()).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
        Some(state)
    }

    /// The state once `other` comes to the node (`by` 1) or leaves it (`by` -1).
    pub fn update(&mut self, pod: &Pod, other: &Pod, node: &Node, by: i64) {
        if other.metadata.namespace != pod.metadata.namespace || !self.has_all_labels(node) {
            return;
        }
        for (constraint, domains) in &mut self.constraints {
            if let Some(domain) = node.metadata.labels.get(&constraint.topology_key)
                && constraint.selects(&other.metadata.labels)
                && constraint.includes(pod, node)
            {
                let sum = domains.entry(domain.clone()).or_default();
                *sum = sum.saturating_add(by);
            }
        }
    }

    fn has_all_labels(&self, node: &Node) -> bool {
        self.constraints.iter().all(|(constraint, _)| node.metadata.labels.contains_key(&constraint.topology_key))
    }

    /// The pod may go to a domain that it would not bring more than `maxSkew` ahead of the emptiest one.
    pub fn filter(&self, pod: &Pod, node: &Node) -> Result<(), Reason> {
        for (constraint, domains) in &self.constraints {
            let topology_key = constraint.topology_key.clone();
            let Some(domain) = node.metadata.labels.get(&topology_key) else {
                return Err(Reason::MissingLabel { topology_key });
            };
            let emptiest = domains.values().min().copied().unwrap_or(0);
            let minimum = if domains.len() < constraint.min_domains { 0 } else { emptiest };
            let own = i64::from(constraint.selects(&pod.metadata.labels));
            let would_be = domains.get(domain).copied().unwrap_or(0).saturating_add(own);
            let max_skew = constraint.max_skew;
            if would_be.saturating_sub(minimum) > max_skew {
                return Err(Reason::TooUneven { topology_key, domain: domain.clone(), would_be, minimum, max_skew });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    /// Three nodes in zones a and b; n3 has no zone.
    fn zones() -> Vec<Object> {
        vec![
            node("n1", json!({"labels": {"zone": "a"}})),
            node("n2", json!({"labels": {"zone": "b"}})),
            node("n3", json!({})),
        ]
    }

    fn constraint(extra: Value) -> Value {
        let mut tree = json!({
            "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        });
        merge(&mut tree, extra);
        tree
    }

    fn web(name: &str, extra: Value) -> Object {
        let mut tree = json!({"labels": {"app": "web"}});
        merge(&mut tree, extra);
        pod(name, tree)
    }

    fn verdicts(objects: Vec<Object>, pending: Value) -> Vec<String> {
        let store = store(objects);
        let pod = typed_pod(web("new", pending));
        let state = SpreadState::new(&store, &pod).unwrap();
        let word = |node: &Node| match state.filter(&pod, node) {
            Ok(()) => "ok".into(),
            Err(Reason::MissingLabel { topology_key }) => format!("no {topology_key}"),
            Err(Reason::TooUneven { would_be, minimum, .. }) => format!("{would_be} over {minimum}"),
        };
        store.nodes().values().map(|node| word(node)).collect()
    }

    #[test]
    fn a_domain_may_be_max_skew_ahead_and_no_more() {
        let with = |count: usize, skew: i64| {
            let pods = (0..count).map(|i| web(&format!("p{i}"), json!({"nodeName": "n1"})));
            let pending = json!({"topologySpreadConstraints": [constraint(json!({"maxSkew": skew}))]});
            verdicts(zones().into_iter().chain(pods).collect(), pending)
        };
        assert_eq!(with(0, 1), ["ok", "ok", "no zone"]);
        assert_eq!(with(1, 1), ["2 over 0", "ok", "no zone"]);
        assert_eq!(with(1, 2), ["ok", "ok", "no zone"]);
    }

    #[test]
    fn terminating_finished_and_foreign_pods_do_not_count() {
        let mut objects = zones();
        objects.push(web("gone", json!({"nodeName": "n1", "deletionTimestamp": "2026-01-01T00:00:00Z"})));
        objects.push(web("failed", json!({"nodeName": "n1", "phase": "Failed"})));
        objects.push(web("foreign", json!({"nodeName": "n1", "namespace": "other"})));
        let pending = json!({"topologySpreadConstraints": [constraint(json!({}))]});
        assert_eq!(verdicts(objects, pending), ["ok", "ok", "no zone"]);
    }

    #[test]
    fn with_fewer_domains_than_min_domains_the_minimum_is_zero() {
        let mut objects = zones();
        for node in ["n1", "n2"] {
            objects.push(web(&format!("on-{node}"), json!({"nodeName": node})));
        }
        let with = |extra: Value| verdicts(objects.clone(), json!({"topologySpreadConstraints": [constraint(extra)]}));
        assert_eq!(with(json!({})), ["ok", "ok", "no zone"]);
        assert_eq!(with(json!({"minDomains": 3})), ["2 over 0", "2 over 0", "no zone"]);
    }

    #[test]
    fn domains_that_the_pod_cannot_reach_count_only_when_told_so() {
        let mut objects = zones();
        objects.push(web("p", json!({"nodeName": "n1"})));
        objects.push(node("n4", json!({"labels": {"zone": "c"}, "taints": [{"key": "k", "effect": "NoSchedule"}]})));
        let with = |extra: Value, selector: Value| {
            verdicts(
                objects.clone(),
                json!({"topologySpreadConstraints": [constraint(extra)], "nodeSelector": selector}),
            )
        };
        // Only zone a is reachable: it is the emptiest domain, too.
        assert_eq!(with(json!({}), json!({"zone": "a"}))[0], "ok");
        assert_eq!(with(json!({"nodeAffinityPolicy": "Ignore"}), json!({"zone": "a"}))[0], "2 over 0");
        // The tainted zone c counts as empty unless taints are honoured; zone b is empty in both cases.
        let mut full = objects.clone();
        full.push(web("q", json!({"nodeName": "n2"})));
        let pending = |extra: Value| json!({"topologySpreadConstraints": [constraint(extra)]});
        assert_eq!(verdicts(full.clone(), pending(json!({})))[0], "2 over 0");
        assert_eq!(verdicts(full, pending(json!({"nodeTaintsPolicy": "Honor"})))[0], "ok");
    }

    #[test]
    fn match_label_keys_keep_revisions_apart() {
        let mut objects = zones();
        objects.push(web("old", json!({"nodeName": "n1", "labels": {"rev": "1"}})));
        let pending = |keys: Value| json!({"labels": {"rev": "2"}, "topologySpreadConstraints": [constraint(json!({"matchLabelKeys": keys}))]});
        assert_eq!(verdicts(objects.clone(), pending(json!([])))[0], "2 over 0");
        assert_eq!(verdicts(objects, pending(json!(["rev", "absent"])))[0], "ok");
    }

    #[test]
    fn a_pod_outside_the_group_may_follow_it() {
        let mut objects = zones();
        objects.push(web("p", json!({"nodeName": "n1"})));
        let pending = json!({"labels": {"app": "other"}, "topologySpreadConstraints": [constraint(json!({}))]});
        assert_eq!(verdicts(objects, pending)[0], "ok");
    }
}
