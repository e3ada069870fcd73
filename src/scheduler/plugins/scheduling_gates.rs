//! SchedulingGates: a gated pod does not enter the queue.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/schedulinggates, v1.36.

use crate::objects::Pod;

/// Name of the plugin.
pub const NAME: &str = "SchedulingGates";
/// Reason of the PodScheduled condition of a gated pod.
pub const CONDITION_REASON: &str = "SchedulingGated";
/// Message of the PodScheduled condition of a gated pod.
pub const CONDITION_MESSAGE: &str = "Scheduling is blocked due to non-empty scheduling gates";

/// The names of the gates that keep the pod from the queue; empty when nothing does.
pub fn pre_enqueue(pod: &Pod) -> Vec<String> {
    pod.spec.scheduling_gates.iter().map(|gate| gate.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::decode;
    use serde_json::json;

    #[test]
    fn every_gate_must_be_gone() {
        let gated: Pod =
            decode(json!({"spec": {"schedulingGates": [{"name": "a.io/x"}, {"name": "a.io/y"}]}})).unwrap();
        assert_eq!(pre_enqueue(&gated), ["a.io/x", "a.io/y"]);
        assert!(pre_enqueue(&Pod::default()).is_empty());
    }
}
