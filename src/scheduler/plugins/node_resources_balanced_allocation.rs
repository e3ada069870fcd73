//! NodeResourcesBalancedAllocation: prefers nodes whose cpu and memory would be used alike.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, v1.36.

use crate::objects::{CPU, MEMORY, Requests};

/// Name of the plugin.
pub const NAME: &str = "NodeResourcesBalancedAllocation";
/// Weight of the score.
pub const WEIGHT: i64 = 1;

/// Whether the plugin has an opinion: not on pods that ask for neither cpu nor memory.
pub fn applies(pod: &Requests) -> bool {
    pod.milli_cpu != 0 || pod.memory != 0
}

/// 50 to 100: how much more balanced the node would be with the pod than it is without.
pub fn score(pod: &Requests, used: &Requests, allocatable: &Requests) -> i64 {
    let balance = |with: &Requests| {
        let fractions = [CPU, MEMORY].map(|resource| {
            let capacity = allocatable.get(resource);
            let requested = used.get(resource).saturating_add(with.get(resource));
            // Exact enough: both are whole numbers far below 2⁵³ in any real cluster, and the division is IEEE's.
            (capacity != 0).then(|| (requested as f64 / capacity as f64).min(1.0))
        });
        let deviation = match fractions {
            [Some(cpu), Some(memory)] => ((cpu - memory) / 2.0).abs(),
            _ => 0.0,
        };
        ((1.0 - deviation) * 100.0) as i64
    };
    50 + (50 + balance(pod) - balance(&Requests::default())) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(milli_cpu: i64, memory: i64) -> Requests {
        Requests { milli_cpu, memory, ..Requests::default() }
    }

    #[test]
    fn a_node_gains_by_more_balance_and_loses_by_less() {
        let node = amounts(100, 100);
        let points = |pod: (i64, i64), used: (i64, i64)| score(&amounts(pod.0, pod.1), &amounts(used.0, used.1), &node);
        assert_eq!(points((10, 10), (0, 0)), 75, "nothing changes");
        assert_eq!(points((0, 50), (50, 0)), 87, "from 75 to 100");
        assert_eq!(points((100, 0), (0, 0)), 50, "from 100 to 50");
        assert_eq!(points((0, 100), (100, 0)), 100, "from 50 to 100");
        assert_eq!(points((200, 0), (100, 0)), 75, "more than all counts as all");
    }

    #[test]
    fn without_both_resources_there_is_nothing_to_balance() {
        assert_eq!(score(&amounts(10, 10), &amounts(0, 0), &amounts(100, 0)), 75);
        assert!(!applies(&amounts(0, 0)));
        assert!(applies(&amounts(1, 0)));
    }
}
