//! Which of several nodes a pod goes to.
//!
//! Six of the default profile's score plugins; ImageLocality is left out, since no images are stored on the simulated
//! nodes. Kubernetes draws among equals; here the first by natural order of the names wins.

use super::cycle::Cycle;
use super::node_info::NodeInfo;
use super::plugins::*;
use crate::objects::*;
use crate::order::smallest;
use std::cmp::{Ordering, Reverse};
use std::rc::Rc;

/// A node's points, each part already multiplied by its plugin's weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeScore {
    /// The node.
    pub node: Rc<str>,
    /// TaintToleration: 300 for the fewest untolerated PreferNoSchedule taints.
    pub taint_toleration: i64,
    /// NodeAffinity: 200 for the most preferred.
    pub node_affinity: i64,
    /// PodTopologySpread: 200 for the emptiest domain.
    pub pod_topology_spread: i64,
    /// InterPodAffinity: 200 for the best company.
    pub inter_pod_affinity: i64,
    /// NodeResourcesFit: 100 for an empty node.
    pub node_resources_fit: i64,
    /// NodeResourcesBalancedAllocation: 100 for the most balanced.
    pub node_resources_balanced_allocation: i64,
}

impl NodeScore {
    /// The sum, which decides.
    pub fn total(&self) -> i64 {
        [
            self.taint_toleration,
            self.node_affinity,
            self.pod_topology_spread,
            self.inter_pod_affinity,
            self.node_resources_fit,
            self.node_resources_balanced_allocation,
        ]
        .into_iter()
        .fold(0, i64::saturating_add)
    }
}

/// The points of the best of the nodes that passed the filters, best first, at most `keep`.
///
/// Follows kubernetes pkg/scheduler/schedule_one.go prioritizeNodes, v1.36.
pub fn score_nodes(cycle: &Cycle<'_>, feasible: &[NodeInfo<'_>], keep: usize) -> Vec<NodeScore> {
    let (pod, store) = (cycle.pod, cycle.store);
    let taints: Vec<i64> = feasible.iter().map(|info| taint_toleration::score(pod, info.node)).collect();
    let taints = normalize(&taints, true);
    let affinity: Vec<i64> = feasible.iter().map(|info| node_affinity::score(pod, info.node)).collect();
    let affinity = normalize(&affinity, false);
    let spread = pod_topology_spread_score::scores(store, pod, feasible);
    let company = inter_pod_affinity_score::scores(store, pod, feasible);
    let (own, own_non_zero) = (&cycle.requests, non_zero_requests(&pod.spec));
    let balances = node_resources_balanced_allocation::applies(own);

    let at = |scores: &[i64], index: usize, weight: i64| scores.get(index).map_or(0, |s| s.saturating_mul(weight));
    let scores: Vec<NodeScore> = feasible
        .iter()
        .enumerate()
        .map(|(index, info)| {
            let capacity = Requests {
                milli_cpu: allocatable_of(info.node, CPU),
                memory: allocatable_of(info.node, MEMORY),
                ..Requests::default()
            };
            let fit = node_resources_fit::score(&own_non_zero, &info.used.non_zero_requested, &capacity);
            let balance = if balances {
                node_resources_balanced_allocation::score(own, &info.used.requested, &capacity)
            } else {
                0
            };
            NodeScore {
                node: info.node.name().clone(),
                taint_toleration: at(&taints, index, taint_toleration::WEIGHT),
                node_affinity: at(&affinity, index, node_affinity::WEIGHT),
                pod_topology_spread: at(spread.as_deref().unwrap_or(&[]), index, pod_topology_spread::WEIGHT),
                inter_pod_affinity: at(company.as_deref().unwrap_or(&[]), index, inter_pod_affinity::WEIGHT),
                node_resources_fit: fit.saturating_mul(node_resources_fit::WEIGHT),
                node_resources_balanced_allocation: balance.saturating_mul(node_resources_balanced_allocation::WEIGHT),
            }
        })
        .collect();
    let place = |place: usize| scores.get(place).map(|score: &NodeScore| (Reverse(score.total()), &score.node));
    let best = smallest(scores.len(), keep, &mut |a, b| match (place(a), place(b)) {
        (Some((a, a_node)), Some((b, b_node))) => a.cmp(&b).then_with(|| natural_cmp(a_node, b_node)),
        _ => Ordering::Equal,
    });
    best.into_iter().filter_map(|place| scores.get(place).cloned()).collect()
}

/// Stretches the scores to 0 to 100 of the largest; `reverse`: the smallest is best.
///
/// Follows kubernetes pkg/scheduler/framework/plugins/helper DefaultNormalizeScore, v1.36.
fn normalize(scores: &[i64], reverse: bool) -> Vec<i64> {
    let most = scores.iter().max().copied().unwrap_or(0);
    let stretch = |score: i64| score.saturating_mul(100).checked_div(most).unwrap_or(0);
    scores.iter().map(|score| if reverse { 100 - stretch(*score) } else { stretch(*score) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::testing::*;
    use serde_json::{Value, json};

    fn best(objects: Vec<crate::objects::Object>, pending: Value) -> Vec<String> {
        let store = store(objects);
        let pod = typed_pod(pod("new", pending));
        let cycle = Cycle::new(&store, &pod);
        let infos: Vec<NodeInfo> = store.nodes().values().map(|node| NodeInfo::new(&store, node, &pod)).collect();
        score_nodes(&cycle, &infos, 10).into_iter().map(|score| score.node.to_string()).collect()
    }

    #[test]
    fn equals_come_in_natural_order() {
        let nodes = ["n10", "n9", "n1"].map(|name| node(name, json!({})));
        assert_eq!(best(nodes.into(), json!({})), ["n1", "n9", "n10"]);
    }

    #[test]
    fn the_emptier_node_wins() {
        let objects = vec![
            node("n1", json!({})),
            node("n2", json!({})),
            pod("p", json!({"nodeName": "n1", "requests": {"cpu": "1", "memory": "2Gi"}})),
        ];
        assert_eq!(best(objects, json!({"requests": {"cpu": "1", "memory": "2Gi"}})), ["n2", "n1"]);
    }

    #[test]
    fn a_soft_taint_weighs_more_than_room() {
        let objects = vec![
            node("n1", json!({"taints": [{"key": "k", "effect": "PreferNoSchedule"}]})),
            node("n2", json!({})),
            pod("p", json!({"nodeName": "n2", "requests": {"cpu": "2", "memory": "4Gi"}})),
        ];
        assert_eq!(best(objects, json!({})), ["n2", "n1"]);
    }

    #[test]
    fn shares_are_of_the_largest() {
        assert_eq!(normalize(&[0, 1, 4], false), [0, 25, 100]);
        assert_eq!(normalize(&[0, 1, 4], true), [100, 75, 0]);
        assert_eq!(normalize(&[0, 0], true), [100, 100]);
        assert_eq!(normalize(&[0, 0], false), [0, 0]);
    }
}
