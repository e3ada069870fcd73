//! Node-pressure eviction: what a kubelet does when its machine runs out of memory or disk.

use super::admission::is_critical;
use super::container::Activity;
use super::reason::Eviction;
use super::runtime::PodRuntime;
use crate::apiserver::Now;
use crate::objects::*;
use crate::order::Order;
use std::cmp::Reverse;

/// Milliseconds between two looks at what is left, and so between two evictions.
pub const MONITORING_PERIOD_MS: u64 = 10_000;
/// Milliseconds for which a pressure condition stays after there is enough again.
pub const TRANSITION_PERIOD_MS: u64 = 300_000;

/// Memory that must be left on a node.
const MEMORY_THRESHOLD: Quantity = Quantity::from_bytes(100 * 1024 * 1024);

/// What must be left of a resource on this node: 100Mi of memory, a tenth of the disk.
pub fn threshold(node: &Node, resource: &str) -> Quantity {
    if resource == MEMORY {
        return MEMORY_THRESHOLD;
    }
    let capacity = node.status.capacity.get(resource).copied().unwrap_or_default();
    Quantity::from_bytes(capacity.value() / 10)
}

/// What a pod uses of a resource now, as far as its behaviour says.
pub fn usage(pod: &Pod, runtime: &PodRuntime, resource: &str, now: Now) -> Quantity {
    let containers = pod.spec.init_containers.iter().zip(&runtime.init);
    let containers = containers.chain(pod.spec.containers.iter().zip(&runtime.containers));
    let mut sum = Quantity::from_bytes(0);
    for (container, state) in containers.filter(|(_, state)| state.named) {
        let Activity::Running { since, .. } = state.activity else { continue };
        let Some(used) = runtime.behaviour.uses.at(resource, now.ms.saturating_sub(since.ms)) else { continue };
        // A container gets no more CPU than its limit, however much it wants.
        let capped = if resource == CPU { container.limit(CPU).map_or(used, |limit| used.min(limit)) } else { used };
        sum = sum.plus(capped);
    }
    sum
}

/// A pod that could be evicted.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The pod.
    pub pod: &'a Pod,
    /// What it uses.
    pub usage: Quantity,
    /// What it asks for.
    pub request: Quantity,
}

/// The order in which pods go: those that use more than they ask for first, then by priority, lowest first, then by
/// how much more they use than they ask for, most first; by name where all that is equal.
///
/// Follows kubernetes pkg/kubelet/eviction/helpers.go rankMemoryPressure and rankDiskPressureFunc, v1.36.
pub fn rank<'a>(mut candidates: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
    candidates.retain(|c| !is_critical(c.pod));
    candidates.order_by_key(|c| {
        let excess = c.usage.nano_value() - c.request.nano_value();
        (c.usage <= c.request, c.pod.priority(), Reverse(excess), c.pod.metadata.key())
    });
    candidates
}

/// The eviction of the first of the ranked candidates.
pub fn first(ranked: &[Candidate<'_>], resource: &str, threshold: Quantity, available: Quantity) -> Option<Eviction> {
    let first = ranked.first()?;
    Some(Eviction {
        resource: resource.into(),
        threshold,
        available,
        usage: first.usage,
        request: first.request,
        priority: first.pod.priority(),
        spared: ranked.len() - 1,
    })
}

/// An eviction that a behaviour asks for: the node has nothing left.
pub fn staged(pod: &Pod, runtime: &PodRuntime, resource: &str, now: Now) -> Eviction {
    let request = pod.spec.effective_requests().get(resource).copied().unwrap_or_default();
    Eviction {
        resource: resource.into(),
        threshold: if resource == MEMORY { MEMORY_THRESHOLD } else { Quantity::from_bytes(0) },
        available: Quantity::from_bytes(0),
        usage: usage(pod, runtime, resource, now),
        request,
        priority: pod.priority(),
        spared: 0,
    }
}

/// The pod's `status.message`.
///
/// Follows kubernetes pkg/kubelet/eviction/helpers.go evictionMessage, v1.36.
pub fn message(pod: &Pod, eviction: &Eviction) -> String {
    let mut text = format!(
        "The node was low on resource: {}. Threshold quantity: {}, available: {}. ",
        eviction.resource,
        eviction.threshold,
        kibibytes(eviction.available)
    );
    if eviction.usage > eviction.request {
        for container in pod.spec.containers.iter() {
            let request = container.request(&eviction.resource).unwrap_or_default();
            let usage = if pod.spec.containers.len() == 1 { eviction.usage } else { Quantity::default() };
            if usage > request {
                text.push_str(&format!(
                    "Container {} was using {}, request is {request}, has larger consumption of {}. ",
                    container.name,
                    kibibytes(usage),
                    eviction.resource
                ));
            }
        }
    }
    text
}

/// Measured amounts come in whole KiB.
fn kibibytes(amount: Quantity) -> String {
    format!("{}Ki", amount.value() / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(name: &str, priority: i32) -> Pod {
        decode(json!({
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"priority": priority, "containers": [{"name": "main", "resources": {"requests": {"memory": "100Mi"}}}]},
        }))
        .unwrap()
    }

    fn mebibytes(n: i64) -> Quantity {
        Quantity::from_bytes(n * 1024 * 1024)
    }

    #[test]
    fn pods_over_their_request_go_first_then_low_priority_then_the_largest_excess() {
        let pods =
            [pod("modest", 0), pod("greedy", 1000), pod("big", 0), pod("bigger", 0), pod("critical", 2_000_000_000)];
        let used = [50, 500, 150, 300, 900];
        let candidates = pods
            .iter()
            .zip(used)
            .map(|(pod, used)| Candidate { pod, usage: mebibytes(used), request: mebibytes(100) })
            .collect();
        let names: Vec<&str> = rank(candidates).iter().map(|c| &*c.pod.metadata.name).collect();
        assert_eq!(names, ["bigger", "big", "greedy", "modest"]);
    }

    #[test]
    fn the_message_names_the_container_that_used_too_much() {
        let pod = pod("big", 0);
        let candidate = Candidate { pod: &pod, usage: mebibytes(300), request: mebibytes(100) };
        let eviction = first(&[candidate], MEMORY, MEMORY_THRESHOLD, mebibytes(50)).unwrap();
        assert_eq!(
            message(&pod, &eviction),
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51200Ki. \
             Container main was using 307200Ki, request is 100Mi, has larger consumption of memory. "
        );
    }
}
