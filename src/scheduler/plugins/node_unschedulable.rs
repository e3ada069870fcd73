//! NodeUnschedulable: no new pods on a cordoned node.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/nodeunschedulable, v1.36.

use crate::objects::{NO_SCHEDULE, Node, Pod, TAINT_UNSCHEDULABLE, Taint};

/// Name of the plugin.
pub const NAME: &str = "NodeUnschedulable";
/// What the FailedScheduling message says.
pub const MESSAGE: &str = "node(s) were unschedulable";

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `spec.unschedulable` is set and the pod does not tolerate the taint that goes with it.
    Cordoned,
}

/// A cordoned node is open only to pods that tolerate the taint of cordoned nodes, even where that taint is missing.
pub fn filter(pod: &Pod, node: &Node) -> Result<(), Reason> {
    if !node.spec.unschedulable || tolerates_cordon(pod) { Ok(()) } else { Err(Reason::Cordoned) }
}

/// Whether the pod may go to cordoned nodes.
pub fn tolerates_cordon(pod: &Pod) -> bool {
    let taint = Taint::new(TAINT_UNSCHEDULABLE, NO_SCHEDULE);
    pod.spec.tolerations.iter().any(|toleration| toleration.tolerates(&taint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::decode;
    use serde_json::{Value, json};

    fn verdict(tolerations: Value, unschedulable: bool) -> Result<(), Reason> {
        let pod: Pod = decode(json!({"spec": {"tolerations": tolerations}})).unwrap();
        filter(&pod, &decode(json!({"spec": {"unschedulable": unschedulable}})).unwrap())
    }

    #[test]
    fn only_tolerant_pods_go_to_cordoned_nodes() {
        assert_eq!(verdict(json!([]), false), Ok(()));
        assert_eq!(verdict(json!([]), true), Err(Reason::Cordoned));
        let own = json!([{"key": TAINT_UNSCHEDULABLE, "operator": "Exists", "effect": "NoSchedule"}]);
        assert_eq!(verdict(own, true), Ok(()));
        assert_eq!(verdict(json!([{"operator": "Exists"}]), true), Ok(()));
        let other_effect = json!([{"key": TAINT_UNSCHEDULABLE, "operator": "Exists", "effect": "NoExecute"}]);
        assert_eq!(verdict(other_effect, true), Err(Reason::Cordoned));
    }
}
