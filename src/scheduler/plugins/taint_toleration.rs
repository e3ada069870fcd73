//! TaintToleration: a node's taints keep off pods that do not tolerate them.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/tainttoleration, v1.36.

use crate::objects::*;

/// Name of the plugin.
pub const NAME: &str = "TaintToleration";
/// What the FailedScheduling message says; v1.36 does not name the taint.
pub const MESSAGE: &str = "node(s) had untolerated taint(s)";
/// Weight of the score.
pub const WEIGHT: i64 = 3;

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No toleration covers the taint.
    Untolerated {
        /// The first such taint in the node's order.
        taint: Taint,
    },
}

/// NoSchedule and NoExecute taints must be tolerated; PreferNoSchedule only costs points.
pub fn filter(pod: &Pod, node: &Node) -> Result<(), Reason> {
    match find_untolerated_taint(&node.spec.taints, &pod.spec.tolerations, &[NO_SCHEDULE, NO_EXECUTE]) {
        None => Ok(()),
        Some(taint) => Err(Reason::Untolerated { taint: taint.clone() }),
    }
}

/// Number of PreferNoSchedule taints that are not tolerated; fewer is better.
pub fn score(pod: &Pod, node: &Node) -> i64 {
    let taints = node.spec.taints.iter().filter(|taint| taint.effect == PREFER_NO_SCHEDULE);
    let untolerated = taints.filter(|taint| !pod.spec.tolerations.iter().any(|t| t.tolerates(taint)));
    i64::try_from(untolerated.count()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pod(tolerations: Value) -> Pod {
        decode(json!({"spec": {"tolerations": tolerations}})).unwrap()
    }

    fn node(taints: Value) -> Node {
        decode(json!({"spec": {"taints": taints}})).unwrap()
    }

    #[test]
    fn the_first_untolerated_taint_is_named() {
        let node = node(json!([
            {"key": "soft", "effect": "PreferNoSchedule"},
            {"key": "a", "value": "1", "effect": "NoSchedule"},
            {"key": "b", "effect": "NoExecute"},
        ]));
        let untolerated = |tolerations: Value| match filter(&pod(tolerations), &node) {
            Ok(()) => String::new(),
            Err(Reason::Untolerated { taint }) => taint.to_string(),
        };
        assert_eq!(untolerated(json!([])), "a=1:NoSchedule");
        assert_eq!(untolerated(json!([{"key": "a", "value": "1"}])), "b:NoExecute");
        assert_eq!(untolerated(json!([{"key": "a", "value": "2"}])), "a=1:NoSchedule");
        assert_eq!(untolerated(json!([{"key": "a", "value": "1"}, {"key": "b", "operator": "Exists"}])), "");
        assert_eq!(untolerated(json!([{"operator": "Exists"}])), "");
    }

    #[test]
    fn untolerated_preferences_are_counted() {
        let node = node(json!([
            {"key": "a", "effect": "PreferNoSchedule"}, {"key": "b", "effect": "PreferNoSchedule"},
            {"key": "c", "effect": "NoSchedule"},
        ]));
        assert_eq!(score(&pod(json!([])), &node), 2);
        assert_eq!(score(&pod(json!([{"key": "a", "operator": "Exists"}])), &node), 1);
        let wrong_effect = json!([{"key": "a", "operator": "Exists", "effect": "NoSchedule"}]);
        assert_eq!(score(&pod(wrong_effect), &node), 2);
    }
}
