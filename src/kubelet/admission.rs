//! Whether a kubelet lets a pod in that somebody has bound to its node.

use super::reason::Refusal;
use crate::objects::*;
use crate::order::Order;
use crate::scheduler::plugins::node_affinity;
use crate::scheduler::plugins::node_ports::{self, HostPort};
use std::collections::BTreeMap;

/// Lets the pod in or says why not. `others` are the pods that the kubelet runs already.
///
/// Asks the scheduler's own plugins, as the real one does. Follows kubernetes pkg/kubelet/lifecycle/predicate.go and
/// pkg/kubelet/eviction/eviction_manager.go Admit, v1.36.
/// Left out: making room for a critical pod by evicting others.
///
/// # Errors
/// The reason why the pod is refused.
pub fn admit(pod: &Pod, node: &Node, others: &[&Pod]) -> Result<(), Refusal> {
    if pod.is_mirror() {
        return Ok(());
    }
    admit_under_pressure(pod, node)?;
    fits(pod, node, others)?;
    if !node_affinity::matches(pod, node) {
        return Err(Refusal::NodeAffinity);
    }
    let ports = node_ports::host_ports(pod);
    if !ports.is_empty() && others.iter().any(|other| ports_conflict(&ports, other)) {
        return Err(Refusal::NodePorts);
    }
    if find_untolerated_taint(&node.spec.taints, &pod.spec.tolerations, &[NO_EXECUTE]).is_some() {
        return Err(Refusal::TaintToleration);
    }
    Ok(())
}

/// Whether the kubelet never evicts or refuses the pod for pressure: a static pod or one of a critical class.
pub fn is_critical(pod: &Pod) -> bool {
    pod.is_mirror() || pod.priority() >= SYSTEM_CLUSTER_CRITICAL
}

fn admit_under_pressure(pod: &Pod, node: &Node) -> Result<(), Refusal> {
    let conditions: Vec<String> = ["MemoryPressure", "DiskPressure", "PIDPressure"]
        .into_iter()
        .filter(|type_| node.condition(type_).is_some_and(|c| c.status == "True"))
        .map(str::to_owned)
        .collect();
    if conditions.is_empty() || is_critical(pod) {
        return Ok(());
    }
    if conditions == ["MemoryPressure"] {
        let pressure = Taint::new(TAINT_MEMORY_PRESSURE, NO_SCHEDULE);
        if qos_class(&pod.spec) != "BestEffort" || pod.spec.tolerations.iter().any(|t| t.tolerates(&pressure)) {
            return Ok(());
        }
    }
    Err(Refusal::Pressure { conditions })
}

fn fits(pod: &Pod, node: &Node, others: &[&Pod]) -> Result<(), Refusal> {
    let mut used = Amounts::new();
    let mut count = 0i64;
    for other in others {
        add_amounts(&mut used, &other.spec.effective_requests());
        count += 1;
    }
    let allocatable = |name: &str| node.status.allocatable.get(name).copied();
    if let Some(capacity) = allocatable(PODS).map(Quantity::value)
        && count + 1 > capacity
    {
        return Err(Refusal::OutOf { resource: PODS.into(), requested: 1, used: count, capacity });
    }
    let requests = pod.spec.effective_requests();
    // cpu, memory and disk are looked at before what a node may have besides.
    let rank = |name: &str| [CPU, MEMORY, EPHEMERAL_STORAGE].iter().position(|n| *n == name).unwrap_or(3);
    let mut names: Vec<&String> =
        requests.iter().filter(|(_, amount)| !amount.is_zero()).map(|(name, _)| name).collect();
    names.order_by_key(|name| (rank(name), (*name).clone()));
    for name in names {
        let Some(capacity) = allocatable(name) else { continue };
        let requested = requests.get(name).copied().unwrap_or_default();
        let used = used.get(name).copied().unwrap_or_default();
        if used.plus(requested) > capacity {
            let number = |q: Quantity| if name == CPU { q.milli_value() } else { q.value() };
            let (requested, used, capacity) = (number(requested), number(used), number(capacity));
            return Err(Refusal::OutOf { resource: name.clone(), requested, used, capacity });
        }
    }
    Ok(())
}

/// Whether a port that the pod asks for is taken.
fn ports_conflict(ports: &[HostPort], other: &Pod) -> bool {
    let taken = node_ports::host_ports(other);
    ports.iter().any(|port| taken.iter().any(|other| port.conflicts_with(other)))
}

/// A refusal that a behaviour asks for, with numbers that fit: the node is full to the last bit.
pub fn staged(pod: &Pod, resource: &str) -> Refusal {
    let requests: BTreeMap<String, Quantity> = pod.spec.effective_requests();
    let requested = match (resource, requests.get(resource)) {
        (PODS, _) => 1,
        (CPU, amount) => amount.map_or(0, |q| q.milli_value()),
        (_, amount) => amount.map_or(0, |q| q.value()),
    };
    Refusal::OutOf { resource: resource.into(), requested, used: 0, capacity: 0 }
}
