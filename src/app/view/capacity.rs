use crate::objects::*;
use std::rc::Rc;

/// How much of one resource of a node is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapacityBar {
    /// `cpu`, `memory`…
    pub resource: &'static str,
    /// What pods may ask for altogether; canonical text.
    pub allocatable: String,
    /// What pods of DaemonSets ask for.
    pub daemon: String,
    /// What other pods ask for.
    pub other: String,
    /// The part of DaemonSet pods, in thousandths of what is allocatable, at most 1000.
    pub daemon_share: u16,
    /// The part of other pods, in thousandths; both together at most 1000.
    pub other_share: u16,
}

impl CapacityBar {
    /// Free thousandths.
    pub fn free_share(&self) -> u16 {
        1000u16.saturating_sub(self.daemon_share).saturating_sub(self.other_share)
    }
}

/// The bars of a node for CPU and memory; none where the node does not say what it has.
pub fn capacity_bars<'a>(node: &Node, pods: impl Iterator<Item = (&'a Rc<Pod>, bool)> + Clone) -> Vec<CapacityBar> {
    let bar = |resource: &'static str| {
        let allocatable = node.status.allocatable.get(resource).or_else(|| node.status.capacity.get(resource))?;
        if allocatable.nano_value() <= 0 {
            return None;
        }
        let zero = match resource {
            CPU => Quantity::from_milli(0),
            _ => Quantity::from_bytes(0),
        };
        let (mut daemon, mut other) = (zero, zero);
        for (pod, of_daemon_set) in pods.clone().filter(|(pod, _)| pod.is_bound() && !pod.is_finished()) {
            let sum = if of_daemon_set { &mut daemon } else { &mut other };
            if let Some(request) = pod_request(&pod.spec, resource) {
                *sum = sum.plus(request);
            }
        }
        let share = |part: Quantity| {
            let thousandths = part.nano_value().saturating_mul(1000) / allocatable.nano_value();
            u16::try_from(thousandths.clamp(0, 1000)).unwrap_or(1000)
        };
        let daemon_share = share(daemon);
        Some(CapacityBar {
            resource,
            allocatable: readable(*allocatable, resource),
            daemon: readable(daemon, resource),
            other: readable(other, resource),
            daemon_share,
            other_share: share(other).min(1000u16.saturating_sub(daemon_share)),
        })
    };
    [CPU, MEMORY].into_iter().filter_map(bar).collect()
}

/// What a pod asks for: the sum of its containers and sidecars, or its largest init container if that is more, and
/// the overhead.
///
/// Follows kubernetes component-helpers resource PodRequests, v1.36.
fn pod_request(spec: &PodSpec, resource: &str) -> Option<Quantity> {
    let is_sidecar = |container: &&Container| container.restart_policy.as_deref() == Some("Always");
    let sum = |requests: &mut dyn Iterator<Item = Quantity>| requests.reduce(Quantity::plus);
    let running = sum(&mut spec.containers.iter().filter_map(|c| c.request(resource)));
    let sidecars = sum(&mut spec.init_containers.iter().filter(is_sidecar).filter_map(|c| c.request(resource)));
    let first = spec.init_containers.iter().filter(|c| !is_sidecar(c)).filter_map(|c| c.request(resource)).max();
    let together = add(running, sidecars);
    let from_containers = add(None, together.max(first));
    let own = spec.resources.as_ref().and_then(|resources| resources.requests.get(resource).copied());
    add(own.or(from_containers), spec.overhead.get(resource).copied())
}

fn add(a: Option<Quantity>, b: Option<Quantity>) -> Option<Quantity> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (a, b) => a.or(b),
    }
}

/// A quantity for the eye: CPU in cores or thousandths, memory with at most one decimal.
pub fn readable(quantity: Quantity, resource: &str) -> String {
    if resource == CPU {
        return Quantity::from_milli(quantity.milli_value()).to_string();
    }
    let bytes = quantity.value();
    let (unit, name) = [(1i64 << 40, "Ti"), (1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit)
        .unwrap_or((1, ""));
    let tenths = i128::from(bytes).saturating_mul(10) / i128::from(unit);
    match tenths % 10 {
        0 => format!("{}{name}", tenths / 10),
        fraction => format!("{}.{fraction}{name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn bars(pods: &[(Value, bool)]) -> Vec<(u16, u16, String, String)> {
        let node: Node = decode(json!({"status": {"allocatable": {"cpu": "2", "memory": "4Gi"}}})).unwrap();
        let pods: Vec<(Rc<Pod>, bool)> =
            pods.iter().map(|(pod, daemon)| (Rc::new(decode(pod.clone()).unwrap()), *daemon)).collect();
        capacity_bars(&node, pods.iter().map(|(pod, daemon)| (pod, *daemon)))
            .into_iter()
            .map(|bar| (bar.daemon_share, bar.other_share, bar.daemon, bar.other))
            .collect()
    }

    fn pod(cpu: &str, memory: &str) -> Value {
        json!({"spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}})
    }

    #[test]
    fn shares_are_of_what_is_allocatable() {
        assert_eq!(
            bars(&[(pod("100m", "128Mi"), true), (pod("1", "1536Mi"), false)]),
            [(50, 500, "100m".into(), "1".into()), (31, 375, "128Mi".into(), "1.5Gi".into())]
        );
    }

    #[test]
    fn a_bar_never_overflows() {
        assert_eq!(bars(&[(pod("1500m", "1Gi"), true), (pod("1500m", "1Gi"), false)])[0].1, 250);
    }

    #[test]
    fn finished_and_unbound_pods_ask_for_nothing() {
        let mut finished = pod("1", "1Gi");
        finished["status"] = json!({"phase": "Failed"});
        let mut unbound = pod("1", "1Gi");
        unbound["spec"]["nodeName"] = json!("");
        assert_eq!(bars(&[(finished, true), (unbound, true)])[0].0, 0);
    }

    #[test]
    fn the_largest_init_container_counts_where_it_exceeds_the_others() {
        let spec: PodSpec = decode(json!({
            "initContainers": [
                {"name": "i", "resources": {"requests": {"cpu": "500m"}}},
                {"name": "sidecar", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}}],
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "200m"}}}],
            "overhead": {"cpu": "10m"}}))
        .unwrap();
        assert_eq!(pod_request(&spec, CPU).unwrap().to_string(), "510m");
    }
}
