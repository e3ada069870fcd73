//! NodeResourcesFit: a node must have left what a pod asks for.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go and least_allocated.go, v1.36.

use crate::objects::*;
use crate::scheduler::framework::Code;
use crate::scheduler::node_info::NodeInfo;

/// Name of the plugin.
pub const NAME: &str = "NodeResourcesFit";
/// Weight of the score.
pub const WEIGHT: i64 = 1;

/// What does not suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The node holds as many pods as it may.
    TooManyPods {
        /// Pods on the node.
        used: i64,
        /// Pods that it may hold.
        allocatable: i64,
    },
    /// Too little of a resource is left. Amounts are milliCPU for cpu and whole units for everything else.
    Insufficient {
        /// Name of the resource.
        resource: String,
        /// What the pod asks for.
        requested: i64,
        /// What the pods on the node take.
        used: i64,
        /// What the node has for pods.
        allocatable: i64,
    },
}

impl Reason {
    /// Removing pods does not help where even the empty node has too little.
    pub fn code(&self) -> Code {
        match self {
            Self::Insufficient { requested, allocatable, .. } if requested > allocatable => {
                Code::UnschedulableAndUnresolvable
            }
            _ => Code::Unschedulable,
        }
    }

    /// What the FailedScheduling message says.
    pub fn message(&self) -> String {
        match self {
            Self::TooManyPods { .. } => "Too many pods".into(),
            Self::Insufficient { resource, .. } => format!("Insufficient {resource}"),
        }
    }
}

/// Everything that does not suffice, not only the first. A resource that the pod does not ask for is never short, even
/// on an overfull node.
pub fn filter(requests: &Requests, info: &NodeInfo<'_>) -> Result<(), Vec<Reason>> {
    let mut short = Vec::new();
    let (used, pods) = (info.used.pods, allocatable_of(info.node, PODS));
    if used >= pods {
        short.push(Reason::TooManyPods { used, allocatable: pods });
    }
    for (resource, requested) in requests.iter() {
        let (used, allocatable) = (info.used.requested.get(resource), allocatable_of(info.node, resource));
        if requested > allocatable.saturating_sub(used) {
            short.push(Reason::Insufficient { resource: resource.to_owned(), requested, used, allocatable });
        }
    }
    if short.is_empty() { Ok(()) } else { Err(short) }
}

/// LeastAllocated: 0 to 100, the share of cpu and memory that would be left, averaged.
pub fn score(pod: &Requests, used: &Requests, allocatable: &Requests) -> i64 {
    let shares = [CPU, MEMORY].into_iter().filter_map(|resource| {
        let capacity = allocatable.get(resource);
        let requested = used.get(resource).saturating_add(pod.get(resource));
        let left = i128::from(capacity).saturating_sub(requested.into()).max(0);
        left.saturating_mul(100).checked_div(capacity.into())
    });
    let (sum, count) = shares.fold((0, 0), |(sum, count): (i128, i128), share| (sum + share, count + 1));
    i64::try_from(sum.checked_div(count).unwrap_or(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::rc::Rc;

    fn pod(requests: Value) -> Rc<Pod> {
        Rc::new(
            decode(json!({"spec": {"nodeName": "n", "containers": [{"resources": {"requests": requests}}]}})).unwrap(),
        )
    }

    fn verdict(allocatable: Value, present: &[Value], wanted: Value) -> Vec<(String, Code)> {
        let node: Rc<Node> = Rc::new(decode(json!({"status": {"allocatable": allocatable}})).unwrap());
        let pods: Vec<Rc<Pod>> = present.iter().cloned().map(pod).collect();
        let mut info = NodeInfo::empty(&node);
        pods.iter().for_each(|pod| info.add(pod));
        let short = filter(&pod_requests(&pod(wanted)), &info).err().unwrap_or_default();
        short.iter().map(|reason| (reason.message(), reason.code())).collect()
    }

    #[test]
    fn a_pod_fits_to_the_last_unit() {
        let node = json!({"cpu": "1", "memory": "1Gi", "pods": "2"});
        let half = json!({"cpu": "500m", "memory": "512Mi"});
        assert_eq!(verdict(node.clone(), std::slice::from_ref(&half), half.clone()), []);
        let more = json!({"cpu": "501m", "memory": "512Mi"});
        assert_eq!(verdict(node, &[half], more), [("Insufficient cpu".into(), Code::Unschedulable)]);
    }

    #[test]
    fn every_shortage_is_named_and_one_that_no_eviction_cures_counts_for_all() {
        use Code::{Unschedulable as Curable, UnschedulableAndUnresolvable as Incurable};
        let node = json!({"cpu": "1", "memory": "1Gi", "pods": "1", "nvidia.com/gpu": "1"});
        let wanted = json!({"cpu": "600m", "memory": "2Gi", "nvidia.com/gpu": "1", "ephemeral-storage": "1"});
        let expected: Vec<(String, Code)> = [
            ("Too many pods", Curable),
            ("Insufficient cpu", Curable),
            ("Insufficient memory", Incurable),
            ("Insufficient ephemeral-storage", Incurable),
            ("Insufficient nvidia.com/gpu", Curable),
        ]
        .map(|(text, code)| (text.to_owned(), code))
        .into();
        assert_eq!(verdict(node, &[json!({"cpu": "500m", "nvidia.com/gpu": "1"})], wanted), expected);
    }

    #[test]
    fn what_is_not_asked_for_is_never_short() {
        let node = json!({"cpu": "1", "pods": "3"});
        let full = json!({"cpu": "1"});
        assert_eq!(verdict(node.clone(), &[full.clone(), full], json!({"example.com/x": "0"})), []);
        assert_eq!(
            verdict(node, &[], json!({"example.com/x": "1"})),
            [("Insufficient example.com/x".into(), Code::UnschedulableAndUnresolvable)]
        );
    }

    #[test]
    fn the_emptier_node_scores_higher() {
        let amounts = |milli_cpu, memory| Requests { milli_cpu, memory, ..Requests::default() };
        let node = amounts(4000, 1000);
        assert_eq!(score(&amounts(1000, 500), &amounts(0, 0), &node), (75 + 50) / 2);
        assert_eq!(score(&amounts(1000, 500), &amounts(3000, 600), &node), 0);
        assert_eq!(score(&amounts(1, 1), &amounts(0, 0), &amounts(0, 0)), 0);
        assert_eq!(score(&amounts(1000, 5), &amounts(0, 0), &amounts(2000, 0)), 50);
    }
}
