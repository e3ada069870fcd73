//! InterPodAffinity, the score: what the pod prefers to be with or without, what the pods that run prefer about it, and
//! one point for each pod that must be with it.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, v1.36.

use super::inter_pod_affinity::matches_term;
use crate::apiserver::Store;
use crate::objects::*;
use crate::scheduler::node_info::{NodeInfo, is_same};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a required affinity term of a running pod is worth.
const HARD_AFFINITY_WEIGHT: i64 = 1;

/// The scores of the nodes, 0 to 100, in their order; `None` when nobody has a preference.
pub fn scores(store: &Store, pod: &Pod, feasible: &[NodeInfo<'_>]) -> Option<Vec<i64>> {
    let mut sums: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    let mut add = |other: &Pod, term: &PodAffinityTerm, weight: i64| {
        let node = store.node_named(&other.spec.node_name);
        if let Some((key, domain)) = node.and_then(|node| node.metadata.labels.get_key_value(&term.topology_key)) {
            let sum = sums.entry((key, domain)).or_default();
            *sum = sum.saturating_add(weight);
        }
    };
    let counts = |other: &&Rc<Pod>| other.occupies_node() && !is_same(other, pod);
    let own = preferences(pod);
    if !own.is_empty() {
        for other in store.pods().values().filter(counts) {
            for (term, weight) in own.iter().filter(|(term, _)| matches_term(store, term, pod, other)) {
                add(other, term, *weight);
            }
        }
    }
    for other in store.pods_with_pod_affinity().filter(counts) {
        let hard = other.spec.affinity.iter().flat_map(|affinity| affinity.required_pod_affinity());
        let theirs = hard.map(|term| (term, HARD_AFFINITY_WEIGHT)).chain(preferences(other));
        for (term, weight) in theirs.filter(|(term, _)| matches_term(store, term, other, pod)) {
            add(other, term, weight);
        }
    }
    if sums.is_empty() {
        return None;
    }
    let of_node = |info: &NodeInfo<'_>| {
        let labels = info.node.metadata.labels.iter();
        labels.filter_map(|(key, domain)| sums.get(&(key.as_str(), domain.as_str()))).sum::<i64>()
    };
    let raw: Vec<i64> = feasible.iter().map(of_node).collect();
    let least = raw.iter().min().copied().unwrap_or(0);
    let range = raw.iter().max().copied().unwrap_or(0).saturating_sub(least);
    let points = |score: i64| score.saturating_sub(least).saturating_mul(100).checked_div(range).unwrap_or(0);
    Some(raw.into_iter().map(points).collect())
}

/// The pod's preferred terms; a negative weight means to be without.
fn preferences(pod: &Pod) -> Vec<(&PodAffinityTerm, i64)> {
    let Some(affinity) = &pod.spec.affinity else { return Vec::new() };
    let mut all = weighted(affinity.pod_affinity.as_ref(), 1);
    all.extend(weighted(affinity.pod_anti_affinity.as_ref(), -1));
    all
}

fn weighted(affinity: Option<&PodAffinity>, sign: i64) -> Vec<(&PodAffinityTerm, i64)> {
    let terms = affinity.map(|affinity| &affinity.preferred_during_scheduling_ignored_during_execution);
    terms.into_iter().flatten().map(|term| (&term.pod_affinity_term, term.weight.saturating_mul(sign))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    fn scored(present: Value, pending: Value) -> Option<Vec<i64>> {
        let mut objects: Vec<Object> =
            ["a", "b", "c"].map(|zone| node(&format!("n-{zone}"), json!({"labels": {"zone": zone}}))).into();
        objects.push(pod("there", present));
        let store = store(objects);
        let pod = typed_pod(pod("new", pending));
        let infos: Vec<NodeInfo> = store.nodes().values().map(|node| NodeInfo::new(&store, node, &pod)).collect();
        scores(&store, &pod, &infos)
    }

    fn prefer(kind: &str, app: &str) -> Value {
        let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}});
        json!({"affinity": {kind: {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": term}],
        }}})
    }

    fn on(node: &str, app: &str, extra: Value) -> Value {
        let mut tree = json!({"nodeName": node, "labels": {"app": app}});
        merge(&mut tree, extra);
        tree
    }

    #[test]
    fn the_pods_own_preferences_count() {
        let there = || on("n-b", "cache", json!({}));
        assert_eq!(scored(there(), prefer("podAffinity", "cache")), Some(vec![0, 100, 0]));
        assert_eq!(scored(there(), prefer("podAntiAffinity", "cache")), Some(vec![100, 0, 100]));
        assert_eq!(scored(there(), json!({})), None);
    }

    #[test]
    fn what_running_pods_prefer_or_require_about_it_counts() {
        let new = || json!({"labels": {"app": "new"}});
        let shy = on("n-c", "cache", prefer("podAntiAffinity", "new"));
        assert_eq!(scored(shy, new()), Some(vec![100, 100, 0]));
        let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "new"}}});
        let needy = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}});
        assert_eq!(scored(on("n-c", "cache", needy), new()), Some(vec![0, 0, 100]));
    }
}
