//! NodeName: a pod that names its node goes nowhere else.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/nodename, v1.36.

use crate::objects::{Node, Pod};
use std::rc::Rc;

/// Name of the plugin.
pub const NAME: &str = "NodeName";
/// What the FailedScheduling message says.
pub const MESSAGE: &str = "node(s) didn't match the requested node name";

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The pod names another one.
    OtherNode {
        /// The node in `spec.nodeName`.
        wanted: Rc<str>,
    },
}

/// Refuses every node but the one in `spec.nodeName`, if there is one.
///
/// The scheduler never sees such a pod, since it counts as bound; the check serves explanations.
pub fn filter(pod: &Pod, node: &Node) -> Result<(), Reason> {
    let wanted = &pod.spec.node_name;
    if wanted.is_empty() || wanted == node.name() { Ok(()) } else { Err(Reason::OtherNode { wanted: wanted.clone() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::decode;
    use serde_json::json;

    #[test]
    fn a_named_node_is_the_only_one() {
        let node: Node = decode(json!({"metadata": {"name": "n1"}})).unwrap();
        let on = |name: &str| decode::<Pod>(json!({"spec": {"nodeName": name}})).unwrap();
        assert_eq!(filter(&Pod::default(), &node), Ok(()));
        assert_eq!(filter(&on("n1"), &node), Ok(()));
        assert_eq!(filter(&on("n2"), &node), Err(Reason::OtherNode { wanted: "n2".into() }));
    }
}
