//! Another DaemonSet takes the same port of the same nodes: one of the two stays Pending everywhere.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::controllers::daemonset::Rules;
use crate::objects::{DaemonSet, PodSpec};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let own = host_ports(subject.spec());
    if own.is_empty() {
        return;
    }
    for other in subject.other_sets() {
        let taken = host_ports(&other.spec.template.spec);
        let clash = own.iter().find(|(_, port)| taken.iter().any(|(_, other)| clashes(port, other)));
        if let Some((path, (port, protocol, _))) = clash
            && meet(subject, &other)
        {
            report.add(
                Found::warning(path.clone())
                    .fact("port", format!("{port}/{protocol}"))
                    .fact("other", other.metadata.key()),
            );
        }
    }
}

type HostPort = (i32, String, String);

/// Every port of the node that the pods take, with its path: number, protocol, address.
fn host_ports(spec: &PodSpec) -> Vec<(String, HostPort)> {
    let mut ports = Vec::new();
    for (container_index, container) in spec.containers.iter().enumerate() {
        for (index, port) in container.ports.iter().enumerate() {
            let number = if spec.host_network { port.container_port } else { port.host_port };
            if number > 0 {
                let protocol = if port.protocol.is_empty() { "TCP" } else { &port.protocol };
                let path = format!("{POD}.containers[{container_index}].ports[{index}]");
                ports.push((path, (number, protocol.to_owned(), port.host_ip.clone())));
            }
        }
    }
    ports
}

fn clashes(a: &HostPort, b: &HostPort) -> bool {
    let any = |address: &str| matches!(address, "" | "0.0.0.0");
    a.0 == b.0 && a.1 == b.1 && (a.2 == b.2 || any(&a.2) || any(&b.2))
}

/// Whether a node should run both; taken for granted where no node is known.
fn meet(subject: &Subject<'_>, other: &DaemonSet) -> bool {
    let rules = Rules::of(other);
    let eligible = subject.eligible();
    subject.nodes().next().is_none() || eligible.iter().any(|node| rules.eligibility(node).should_run)
}
