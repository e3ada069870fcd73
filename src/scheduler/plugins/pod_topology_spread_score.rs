//! PodTopologySpread, the score: prefers domains with fewer pods of the group.
//!
//! A pod without constraints of its own follows two defaults (node: skew 3, zone: skew 5) with the selector of the
//! Services and the ReplicaSet that it belongs to; a pod that belongs to none is not spread.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/podtopologyspread/scoring.go, v1.36.

use super::pod_topology_spread::Constraint;
use crate::apiserver::Store;
use crate::objects::*;
use crate::order::Collect;
use crate::scheduler::node_info::NodeInfo;
use std::collections::BTreeMap;
use std::rc::Rc;

const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";

/// The scores of the nodes, 0 to 100, in their order; `None` when the pod is not spread.
pub fn scores(store: &Store, pod: &Pod, feasible: &[NodeInfo<'_>]) -> Option<Vec<i64>> {
    let own = &pod.spec.topology_spread_constraints;
    // With constraints of its own, a node that lacks one of the labels is left out; with the defaults it is not.
    let needs_all = !own.is_empty();
    let constraints: Vec<Constraint> = if needs_all {
        let soft = own.iter().filter(|constraint| constraint.when_unsatisfiable == "ScheduleAnyway");
        soft.map(|constraint| Constraint::new(constraint, pod)).collect()
    } else {
        default_constraints(store, pod)
    };
    if constraints.is_empty() {
        return None;
    }
    let counts =
        |node: &Node| !needs_all || constraints.iter().all(|c| node.metadata.labels.contains_key(&c.topology_key));
    let considered: Vec<&NodeInfo<'_>> = feasible.iter().filter(|info| counts(info.node)).collect();
    let groups: Vec<Group> =
        constraints.iter().map(|constraint| Group::new(store, pod, constraint, &considered, counts)).collect();
    let score = |node: &Node| {
        let parts = constraints.iter().zip(&groups).filter_map(|(constraint, group)| {
            let domain = node.metadata.labels.get(&constraint.topology_key)?;
            let tolerance = constraint.max_skew.saturating_sub(1) as f64;
            Some(group.pods_near(node, domain) as f64 * group.weight + tolerance)
        });
        parts.sum::<f64>().round() as i64
    };
    let raw: Vec<Option<i64>> = feasible.iter().map(|info| counts(info.node).then(|| score(info.node))).collect();
    Some(normalize(&raw))
}

/// How the pods of a constraint's group lie.
struct Group<'a> {
    /// For the constraint over node names, pods by node; else `None`.
    by_node: Option<BTreeMap<&'a str, i64>>,
    /// Pods in each domain that a considered node is in. A missing label is the domain "".
    by_domain: BTreeMap<String, i64>,
    /// Counts weigh more where there are more domains, so that a constraint over few is not drowned.
    weight: f64,
}

impl<'a> Group<'a> {
    fn new(
        store: &'a Store,
        pod: &Pod,
        constraint: &Constraint,
        considered: &[&NodeInfo<'_>],
        counts: impl Fn(&Node) -> bool,
    ) -> Self {
        let by_node = constraint.pods_by_node(store, pod);
        if constraint.topology_key == HOSTNAME {
            let weight = ln(considered.len().saturating_add(2));
            return Self { by_node: Some(by_node), by_domain: BTreeMap::new(), weight };
        }
        let domain = |node: &Node| node.metadata.labels.get(&constraint.topology_key).cloned().unwrap_or_default();
        let mut by_domain: BTreeMap<String, i64> = considered.iter().map(|info| (domain(info.node), 0)).collect_map();
        for (name, count) in &by_node {
            let node = store.node_named(name).filter(|node| counts(node) && constraint.includes(pod, node));
            if let Some(sum) = node.and_then(|node| by_domain.get_mut(&domain(node))) {
                *sum = sum.saturating_add(*count);
            }
        }
        let weight = ln(by_domain.len().saturating_add(2));
        Self { by_node: None, by_domain, weight }
    }

    fn pods_near(&self, node: &Node, domain: &str) -> i64 {
        match &self.by_node {
            Some(by_node) => by_node.get(&**node.name()).copied().unwrap_or(0),
            None => self.by_domain.get(domain).copied().unwrap_or(0),
        }
    }
}

/// Fewest pods: most points. Nodes that are left out get none.
fn normalize(raw: &[Option<i64>]) -> Vec<i64> {
    let least = raw.iter().flatten().min().copied().unwrap_or(0);
    let most = raw.iter().flatten().max().copied().unwrap_or(0).max(0);
    let points = |score: i64| {
        let reversed = most.saturating_add(least).saturating_sub(score);
        reversed.saturating_mul(100).checked_div(most).unwrap_or(100)
    };
    raw.iter().map(|score| score.map_or(0, points)).collect()
}

/// The two default constraints, if something says which pods belong together.
fn default_constraints(store: &Store, pod: &Pod) -> Vec<Constraint> {
    let mut selectors = service_selectors(store, pod);
    if let Some(owner) = pod.metadata.controller().filter(|owner| owner.kind == "ReplicaSet") {
        let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
        selectors.extend(store.replica_set(&key).map(|owner| owner.spec.selector.clone()));
    }
    selectors.retain(|selector| !selector.is_empty());
    if selectors.is_empty() {
        return Vec::new();
    }
    [(HOSTNAME, 3), (ZONE, 5)].map(|(key, skew)| Constraint::system_default(key, skew, selectors.clone())).into()
}

/// The selectors of the Services that select the pod.
fn service_selectors(store: &Store, pod: &Pod) -> Vec<LabelSelector> {
    let services = store
        .all_unstructured()
        .filter(|o| o.kind == "Service" && o.api_version == "v1" && o.metadata.namespace == pod.metadata.namespace);
    let selector = |service: &Rc<Unstructured>| {
        let labels = service.in_spec("selector")?.as_object()?;
        let pairs = labels.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
        Some(LabelSelector { match_labels: string_map(pairs), ..LabelSelector::default() })
    };
    services
        .filter_map(selector)
        .filter(|selector| !selector.is_empty() && selector.matches(&pod.metadata.labels))
        .collect()
}

/// Natural logarithm of a whole number, from the four basic operations only, so that it is the same to the last bit on
/// every machine. Follows the series of the area hyperbolic tangent.
fn ln(number: usize) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    let exponent = number.max(1).ilog2();
    let mantissa = number as f64 / 2f64.powi(i32::try_from(exponent).unwrap_or(0));
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut power, mut sum) = (t, 0.0);
    for n in 0..24 {
        sum += power / f64::from(2 * n + 1);
        power *= t * t;
    }
    f64::from(exponent) * LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    fn scored(objects: Vec<Object>, pending: Value) -> Option<Vec<i64>> {
        let store = store(objects);
        let pod = typed_pod(pod("new", pending));
        let infos: Vec<NodeInfo> = store.nodes().values().map(|node| NodeInfo::new(&store, node, &pod)).collect();
        scores(&store, &pod, &infos)
    }

    fn host(name: &str, zone: &str) -> Object {
        node(name, json!({"labels": {HOSTNAME: name, ZONE: zone}}))
    }

    #[test]
    fn the_logarithm_is_right() {
        for n in [1usize, 2, 3, 7, 10, 100, 5002, 1 << 20] {
            assert!((ln(n) - (n as f64).ln()).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn a_domain_with_fewer_pods_scores_higher() {
        let objects = vec![
            host("n1", "a"),
            host("n2", "b"),
            host("n3", "c"),
            pod("p1", json!({"nodeName": "n1", "labels": {"app": "web"}})),
            pod("p2", json!({"nodeName": "n1", "labels": {"app": "web"}})),
            pod("p3", json!({"nodeName": "n2", "labels": {"app": "web"}})),
        ];
        let soft = json!({
            "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "web"}},
        });
        // Raw scores are round(count × ln 5): 3, 2, 0.
        assert_eq!(
            scored(objects, json!({"labels": {"app": "web"}, "topologySpreadConstraints": [soft]})),
            Some(vec![0, 33, 100])
        );
    }

    #[test]
    fn replicas_are_spread_by_default_and_lone_pods_are_not() {
        let replica_set = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}},
        });
        let owner = json!([{"kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true}]);
        let objects = vec![
            Object::from_value(replica_set).unwrap(),
            host("n1", "a"),
            host("n2", "a"),
            pod("p1", json!({"nodeName": "n1", "labels": {"app": "web"}})),
        ];
        let scores = scored(objects.clone(), json!({"labels": {"app": "web"}, "ownerReferences": owner})).unwrap();
        assert!(scores[1] > scores[0], "{scores:?}");
        assert_eq!(scored(objects, json!({"labels": {"app": "web"}})), None);
    }

    #[test]
    fn a_service_makes_a_group_too() {
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"app": "web"}},
        });
        let objects = vec![Object::from_value(service).unwrap(), host("n1", "a"), host("n2", "a")];
        assert_eq!(scored(objects.clone(), json!({"labels": {"app": "web"}})), Some(vec![100, 100]));
        assert_eq!(scored(objects, json!({"labels": {"app": "other"}})), None);
    }
}
