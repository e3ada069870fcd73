//! NodePorts: two pods cannot have the same port of a node.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/nodeports and framework HostPortInfo, v1.36.

use crate::objects::*;
use crate::scheduler::node_info::NodeInfo;

/// Name of the plugin.
pub const NAME: &str = "NodePorts";
/// What the FailedScheduling message says.
pub const MESSAGE: &str = "node(s) didn't have free ports for the requested pod ports";

/// The address that stands for all addresses of a node.
pub const ALL_ADDRESSES: &str = "0.0.0.0";

/// A port of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// Address; [`ALL_ADDRESSES`] when the pod names none.
    pub ip: String,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: String,
    /// Number.
    pub port: i32,
}

impl HostPort {
    /// Whether two pods cannot have these two ports of one node.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip == other.ip || self.ip == ALL_ADDRESSES || other.ip == ALL_ADDRESSES)
    }
}

/// As `hostIP:port/protocol`.
impl std::fmt::Display for HostPort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}/{}", self.ip, self.port, self.protocol)
    }
}

/// Why the node is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Another pod has the port.
    PortTaken {
        /// The port that the pod asks for.
        port: HostPort,
        /// The pod that has it.
        holder: ObjectKey,
    },
}

/// The node ports that the pod asks for: those of its containers and sidecars. On the node's network every container
/// port is a node port, whether the API server has filled that in yet or not.
pub fn host_ports(pod: &Pod) -> Vec<HostPort> {
    let spec = &pod.spec;
    let sidecars = spec.init_containers.iter().filter(|c| c.is_sidecar());
    let ports = spec.containers.iter().chain(sidecars).flat_map(|container| &container.ports);
    let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    ports
        .map(|port| HostPort {
            ip: or(&port.host_ip, ALL_ADDRESSES),
            protocol: or(&port.protocol, "TCP"),
            port: if port.host_port == 0 && spec.host_network { port.container_port } else { port.host_port },
        })
        .filter(|port| port.port > 0)
        .collect()
}

/// Every port that the pod asks for must be free.
pub fn filter(ports: &[HostPort], info: &NodeInfo<'_>) -> Result<(), Reason> {
    if ports.is_empty() {
        return Ok(());
    }
    for pod in info.pods() {
        let taken = host_ports(pod);
        if let Some(port) = ports.iter().find(|port| taken.iter().any(|other| port.conflicts_with(other))) {
            return Err(Reason::PortTaken { port: port.clone(), holder: pod.metadata.key() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::rc::Rc;

    fn pod(name: &str, ports: Value) -> Pod {
        decode(json!({"metadata": {"name": name}, "spec": {"containers": [{"ports": ports}]}})).unwrap()
    }

    fn verdict(present: Value, wanted: Value) -> Result<(), Reason> {
        let (node, holder) = (Rc::new(Node::default()), Rc::new(pod("holder", present)));
        let mut info = NodeInfo::empty(&node);
        info.add(&holder);
        filter(&host_ports(&pod("new", wanted)), &info)
    }

    #[test]
    fn a_port_conflicts_per_protocol_and_address() {
        let any = json!([{"containerPort": 80, "hostPort": 8080}]);
        let on = |ip: &str| json!([{"containerPort": 80, "hostPort": 8080, "hostIP": ip}]);
        let taken = |ip: &str| {
            let port = HostPort { ip: ip.into(), protocol: "TCP".into(), port: 8080 };
            Err(Reason::PortTaken { port, holder: ObjectKey::cluster("holder") })
        };
        assert_eq!(verdict(any.clone(), any.clone()), taken(ALL_ADDRESSES));
        assert_eq!(verdict(any.clone(), json!([{"containerPort": 80, "hostPort": 8081}])), Ok(()));
        let udp = json!([{"containerPort": 80, "hostPort": 8080, "protocol": "UDP"}]);
        assert_eq!(verdict(any.clone(), udp), Ok(()));
        assert_eq!(verdict(on("10.0.0.1"), on("10.0.0.2")), Ok(()));
        assert_eq!(verdict(on("10.0.0.1"), on("10.0.0.1")), taken("10.0.0.1"));
        assert_eq!(verdict(on("10.0.0.1"), any.clone()), taken(ALL_ADDRESSES));
        assert_eq!(verdict(any, on("10.0.0.1")), taken("10.0.0.1"));
    }

    #[test]
    fn container_ports_are_node_ports_only_on_the_host_network() {
        let mut tree = json!({"spec": {"containers": [{"ports": [{"containerPort": 9100}]}]}});
        assert!(host_ports(&decode(tree.clone()).unwrap()).is_empty());
        tree["spec"]["hostNetwork"] = true.into();
        let ports = host_ports(&decode(tree).unwrap());
        assert_eq!(ports.iter().map(ToString::to_string).collect::<Vec<_>>(), ["0.0.0.0:9100/TCP"]);
    }

    #[test]
    fn sidecars_hold_ports_and_other_init_containers_do_not() {
        let port = json!([{"containerPort": 1, "hostPort": 1}]);
        let other = json!([{"containerPort": 2, "hostPort": 2}]);
        let init = json!([{"restartPolicy": "Always", "ports": port}, {"ports": other}]);
        let pod: Pod = decode(json!({"spec": {"initContainers": init, "containers": [{}]}})).unwrap();
        assert_eq!(host_ports(&pod).iter().map(|p| p.port).collect::<Vec<_>>(), [1]);
    }
}
