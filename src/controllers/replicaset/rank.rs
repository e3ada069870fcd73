//! Which pods go first when there are too many.

use crate::apiserver::{Now, Store};
use crate::objects::*;
use crate::order::Order;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Annotation by which a person says how dear a pod is; the cheaper goes first.
const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// What makes a pod go before those that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum VictimReason {
    /// All go.
    NoneWanted,
    /// It is not bound to a node.
    Unassigned,
    /// It is pending.
    Pending,
    /// It is not ready.
    NotReady,
    /// Its deletion cost is lower.
    DeletionCost,
    /// More pods of the same kind share its node.
    MoreOnItsNode,
    /// It has been ready for a shorter time.
    ReadyShorter,
    /// Its containers were restarted more often.
    MoreRestarts,
    /// It is younger.
    Younger,
    /// They are alike, and one has to go.
    Alike,
}

/// The pods in the order in which they are deleted. `on_node` counts the related pods of a node.
///
/// Follows kubernetes pkg/controller ActivePodsWithRanks, v1.36, with logarithmic scale-down.
pub fn rank_for_deletion(pods: &[Rc<Pod>], on_node: &BTreeMap<Rc<str>, usize>, now: Now) -> Vec<Rc<Pod>> {
    let mut ranked = pods.to_vec();
    ranked.order_by(|a, b| compare(a, b, on_node, now).0.then_with(|| a.metadata.uid.cmp(&b.metadata.uid)));
    ranked
}

/// Which of two pods goes first (less: the left one), and what decides it.
fn compare(a: &Pod, b: &Pod, on_node: &BTreeMap<Rc<str>, usize>, now: Now) -> (Ordering, VictimReason) {
    let phase = |pod: &Pod| match pod.status.phase.as_str() {
        PENDING => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let cost = |pod: &Pod| -> i32 {
        pod.metadata.annotation(POD_DELETION_COST).and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    let share = |pod: &Pod| on_node.get(&pod.spec.node_name).copied().unwrap_or(0);
    let restarts = |pod: &Pod| pod.status.container_statuses.iter().map(|s| s.restart_count).max().unwrap_or(0);
    let both_ready = a.is_ready() && b.is_ready();
    let steps = [
        (a.is_bound().cmp(&b.is_bound()), VictimReason::Unassigned),
        (phase(a).cmp(&phase(b)), VictimReason::Pending),
        (a.is_ready().cmp(&b.is_ready()), VictimReason::NotReady),
        (cost(a).cmp(&cost(b)), VictimReason::DeletionCost),
        (share(b).cmp(&share(a)), VictimReason::MoreOnItsNode),
        (
            if both_ready {
                age_class(a.ready_since(), now).cmp(&age_class(b.ready_since(), now))
            } else {
                Ordering::Equal
            },
            VictimReason::ReadyShorter,
        ),
        (restarts(b).cmp(&restarts(a)), VictimReason::MoreRestarts),
        (
            age_class(a.metadata.creation_timestamp, now).cmp(&age_class(b.metadata.creation_timestamp, now)),
            VictimReason::Younger,
        ),
    ];
    let decided = steps.into_iter().find(|(order, _)| order.is_ne());
    decided.unwrap_or((Ordering::Equal, VictimReason::Alike))
}

/// Ages count by their order of magnitude only, so that a long-running set does not always lose its newest pods.
fn age_class(since: Option<Time>, now: Now) -> i64 {
    let Some(since) = since else { return -1 };
    let nanoseconds = i128::from(now.time.seconds_since(since)) * 1_000_000_000;
    if nanoseconds <= 0 { -1 } else { i64::from(nanoseconds.ilog2()) }
}

/// The first `going` pods to delete with what distinguishes each from the pods that stay.
pub fn victims(
    store: &Store,
    set: &ReplicaSet,
    active: &[Rc<Pod>],
    going: usize,
    now: Now,
) -> Vec<(Rc<Pod>, VictimReason)> {
    let on_node = related_on_nodes(store, set, active);
    let ranked = rank_for_deletion(active, &on_node, now);
    let kept = ranked.get(going).cloned();
    let reason = |pod: &Pod| kept.as_ref().map_or(VictimReason::NoneWanted, |kept| compare(pod, kept, &on_node, now).1);
    ranked.into_iter().take(going).map(|pod| (pod.clone(), reason(&pod))).collect()
}

/// How many active pods of this set and of its siblings (same controller) each node has.
///
/// Follows kubernetes pkg/controller/replicaset getIndirectlyRelatedPods, v1.36.
fn related_on_nodes(store: &Store, set: &ReplicaSet, active: &[Rc<Pod>]) -> BTreeMap<Rc<str>, usize> {
    let siblings = set.metadata.controller().map(|owner| owner.uid.clone());
    let mut on_node: BTreeMap<Rc<str>, usize> = BTreeMap::new();
    let mut add = |pod: &Pod| {
        if pod.is_bound() {
            *on_node.entry(pod.spec.node_name.clone()).or_default() += 1;
        }
    };
    active.iter().for_each(|pod| add(pod));
    if let Some(uid) = siblings {
        let sets = Store::in_namespace(store.replica_sets(), &set.metadata.namespace);
        for sibling in sets.filter(|s| s.metadata.is_controlled_by(&uid) && s.metadata.uid != set.metadata.uid) {
            let pods = store.pods_controlled_by(&sibling.metadata.uid);
            pods.filter(|pod| !pod.is_finished() && !pod.is_terminating()).for_each(|pod| add(pod));
        }
    }
    on_node
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const NOW: Time = Time(1_780_000_000);

    fn pod(name: &str, node: &str, status: Value, age_s: i64) -> Rc<Pod> {
        let mut pod: Pod = decode(json!({"metadata": {"name": name, "uid": name}, "status": status})).unwrap();
        pod.metadata.creation_timestamp = Some(NOW.plus_seconds(-age_s));
        pod.spec = Rc::new(PodSpec { node_name: node.into(), ..PodSpec::default() });
        Rc::new(pod)
    }

    fn ready(since_s: i64) -> Value {
        let since = NOW.plus_seconds(-since_s).to_string();
        json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": since}]})
    }

    fn order(pods: &[Rc<Pod>]) -> Vec<String> {
        let mut on_node = BTreeMap::new();
        for pod in pods {
            *on_node.entry(pod.spec.node_name.clone()).or_insert(0) += 1;
        }
        let now = Now { ms: 0, time: NOW };
        rank_for_deletion(pods, &on_node, now).iter().map(|pod| pod.metadata.name.to_string()).collect()
    }

    #[test]
    fn the_least_useful_pods_go_first() {
        let running = json!({"phase": "Running"});
        let pods = [
            pod("old", "n1", ready(4000), 5000),
            pod("crowded", "n2", ready(4000), 5000),
            pod("crowded-too", "n2", ready(4000), 5000),
            pod("fresh", "n3", ready(10), 5000),
            pod("unready", "n4", running, 5000),
            pod("pending", "n5", json!({"phase": "Pending"}), 5000),
            pod("unassigned", "", json!({"phase": "Pending"}), 5000),
        ];
        assert_eq!(order(&pods), ["unassigned", "pending", "unready", "crowded", "crowded-too", "fresh", "old"]);
    }

    #[test]
    fn ages_count_by_order_of_magnitude() {
        // 100 s and 110 s are alike, and the uid decides; 10 s is another order.
        let pods = [pod("b", "n1", ready(110), 110), pod("a", "n2", ready(100), 100), pod("c", "n3", ready(10), 10)];
        assert_eq!(order(&pods), ["c", "a", "b"]);
    }

    #[test]
    fn a_lower_deletion_cost_goes_first() {
        let mut dear = (*pod("dear", "n1", ready(10), 10)).clone();
        dear.metadata.annotations = string_map([(POD_DELETION_COST, "100")]);
        let pods = [Rc::new(dear), pod("plain", "n2", ready(4000), 4000)];
        assert_eq!(order(&pods), ["plain", "dear"]);
    }
}
