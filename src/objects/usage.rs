use super::{AmountsRef, CPU, EPHEMERAL_STORAGE, MEMORY, Node, PODS, Pod, PodSpec, Quantity};
use crate::order::Collect;
use std::collections::BTreeMap;

/// Amounts of resources in the scheduler's whole numbers: cpu in thousandths, everything else in whole units (bytes, devices).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Thousandths of a CPU.
    pub milli_cpu: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Bytes of local disk.
    pub ephemeral_storage: i64,
    /// All other resources: `nvidia.com/gpu`, `hugepages-2Mi`…
    pub scalar: BTreeMap<String, i64>,
}

impl Requests {
    /// Adds resource by resource; saturates.
    pub fn add(&mut self, other: &Self) {
        self.milli_cpu = self.milli_cpu.saturating_add(other.milli_cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.ephemeral_storage = self.ephemeral_storage.saturating_add(other.ephemeral_storage);
        for (name, amount) in &other.scalar {
            let sum = self.scalar.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }

    /// Takes away resource by resource; saturates.
    pub fn subtract(&mut self, other: &Self) {
        self.milli_cpu = self.milli_cpu.saturating_sub(other.milli_cpu);
        self.memory = self.memory.saturating_sub(other.memory);
        self.ephemeral_storage = self.ephemeral_storage.saturating_sub(other.ephemeral_storage);
        for (name, amount) in &other.scalar {
            let rest = self.scalar.entry(name.clone()).or_default();
            *rest = rest.saturating_sub(*amount);
            if *rest == 0 {
                self.scalar.remove(name);
            }
        }
    }

    /// The amount of one resource: milliCPU for `cpu`, whole units for every other; 0 when it is not named.
    pub fn get(&self, resource: &str) -> i64 {
        match resource {
            CPU => self.milli_cpu,
            MEMORY => self.memory,
            EPHEMERAL_STORAGE => self.ephemeral_storage,
            _ => self.scalar.get(resource).copied().unwrap_or(0),
        }
    }

    /// Name and amount of every resource that is asked for, in the order in which the scheduler compares them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        let named = [(CPU, self.milli_cpu), (MEMORY, self.memory), (EPHEMERAL_STORAGE, self.ephemeral_storage)];
        named.into_iter().chain(self.scalar.iter().map(|(name, n)| (name.as_str(), *n))).filter(|(_, n)| *n != 0)
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    fn from_amounts(amounts: AmountsRef<'_>) -> Self {
        let mut requests = Self::default();
        for (name, amount) in amounts {
            match name {
                CPU => requests.milli_cpu = amount.milli_value(),
                MEMORY => requests.memory = amount.value(),
                EPHEMERAL_STORAGE => requests.ephemeral_storage = amount.value(),
                PODS => {}
                _ => {
                    requests.scalar.insert(name.to_owned(), amount.value());
                }
            }
        }
        requests
    }
}

/// What a node can give to pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocatable {
    /// Amounts of resources.
    pub resources: Requests,
    /// How many pods.
    pub pods: i64,
}

/// What the node can give to pods, from `status.allocatable`.
pub fn allocatable(node: &Node) -> Allocatable {
    let amounts = node.status.allocatable.iter().map(|(name, quantity)| (name.as_str(), *quantity));
    let pods = node.status.allocatable.get(PODS).map_or(0, |quantity| quantity.value());
    Allocatable { resources: Requests::from_amounts(amounts.collect_map()), pods }
}

/// What the node can give of one resource: milliCPU for `cpu`, whole units for every other, `pods` included.
pub fn allocatable_of(node: &Node, resource: &str) -> i64 {
    let amount = node.status.allocatable.get(resource).copied().unwrap_or_default();
    if resource == CPU { amount.milli_value() } else { amount.value() }
}

/// What the pods on a node take together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeUsage {
    /// Number of pods.
    pub pods: i64,
    /// What they ask for.
    pub requested: Requests,
    /// The same for scores, see [`non_zero_requests`].
    pub non_zero_requested: Requests,
}

impl NodeUsage {
    /// Counts one more pod.
    pub fn add(&mut self, pod: &Pod) {
        self.pods = self.pods.saturating_add(1);
        self.requested.add(&pod_requests(pod));
        self.non_zero_requested.add(&non_zero_requests(&pod.spec));
    }

    /// Counts a pod no longer that was counted before.
    pub fn remove(&mut self, pod: &Pod) {
        self.pods = self.pods.saturating_sub(1);
        self.requested.subtract(&pod_requests(pod));
        self.non_zero_requested.subtract(&non_zero_requests(&pod.spec));
    }
}

impl Pod {
    /// Whether the pod counts on its node: it is bound and not finished. A terminating pod holds what it has.
    pub fn occupies_node(&self) -> bool {
        self.is_bound() && !self.is_finished()
    }
}

/// What the pod takes of its node.
pub fn pod_requests(pod: &Pod) -> Requests {
    spec_requests(&pod.spec)
}

/// What a pod of this spec takes of its node, see [`PodSpec::request_sums`]. Amounts are summed exactly and rounded up
/// once.
pub fn spec_requests(spec: &PodSpec) -> Requests {
    Requests::from_amounts(spec.request_sums(&[]))
}

/// Requests for scoring: each container that names no cpu counts 100m, each that names no memory 200Mi.
///
/// Follows kubernetes pkg/scheduler/framework calculateResource (NonZeroRequested), v1.36.
pub fn non_zero_requests(spec: &PodSpec) -> Requests {
    let floor = [(CPU, Quantity::from_milli(100)), (MEMORY, Quantity::from_bytes(200 << 20))];
    let covered = |name: &str| {
        let pod_level = spec.resources.as_ref();
        pod_level.is_some_and(|r| r.requests.contains_key(name) || r.limits.contains_key(name))
    };
    let floor: Vec<_> = floor.into_iter().filter(|(name, _)| !covered(name)).collect();
    Requests::from_amounts(spec.request_sums(&floor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::decode;
    use serde_json::{Value, json};

    fn spec(tree: Value) -> PodSpec {
        decode(tree).unwrap()
    }

    fn cpu_and_memory(tree: Value) -> (i64, i64) {
        let requests = spec_requests(&spec(tree));
        (requests.milli_cpu, requests.memory)
    }

    fn requests(cpu: &str, memory: &str) -> Value {
        json!({"requests": {"cpu": cpu, "memory": memory}})
    }

    #[test]
    fn containers_are_summed() {
        let tree =
            json!({"containers": [{"resources": requests("100m", "1Ki")}, {"resources": requests("1", "1k")}, {}]});
        assert_eq!(cpu_and_memory(tree), (1100, 2024));
    }

    #[test]
    fn fractions_are_summed_before_they_are_rounded_up() {
        let half = json!({"requests": {"cpu": "0.0005"}});
        let tree = json!({"containers": [{"resources": half}, {"resources": half}, {"resources": half}]});
        assert_eq!(cpu_and_memory(tree), (2, 0));
    }

    #[test]
    fn a_limit_without_request_is_the_request() {
        let tree =
            json!({"containers": [{"resources": {"limits": {"cpu": "2", "memory": "5"}, "requests": {"cpu": "1"}}}]});
        assert_eq!(cpu_and_memory(tree), (1000, 5));
    }

    #[test]
    fn the_largest_init_container_counts_where_it_is_more_than_the_containers() {
        let tree = json!({
            "initContainers": [{"resources": requests("3", "10")}, {"resources": requests("2", "100")}],
            "containers": [{"resources": requests("1", "50")}, {"resources": requests("1", "40")}],
        });
        assert_eq!(cpu_and_memory(tree), (3000, 100));
    }

    #[test]
    fn sidecars_run_beside_containers_and_later_init_containers() {
        let sidecar = json!({"restartPolicy": "Always", "resources": requests("500m", "0")});
        let tree = json!({
            "initContainers": [{"resources": requests("1800m", "0")}, sidecar, {"resources": requests("1400m", "0")}],
            "containers": [{"resources": requests("1", "0")}],
        });
        // Start: max(1800, 500, 500 + 1400); run: 1000 + 500.
        assert_eq!(cpu_and_memory(tree), (1900, 0));
        let tree = json!({"initContainers": [sidecar], "containers": [{"resources": requests("1", "0")}]});
        assert_eq!(cpu_and_memory(tree), (1500, 0));
    }

    #[test]
    fn requests_of_the_whole_pod_replace_the_sum_of_cpu_and_memory() {
        let container = json!({"resources": {"requests": {"cpu": "3", "example.com/dev": "2"}}});
        let mut tree =
            json!({"containers": [container], "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "7"}}});
        assert_eq!(cpu_and_memory(tree.clone()), (1000, 7));
        assert_eq!(spec_requests(&spec(tree.clone())).get("example.com/dev"), 2);
        // Only a limit: the containers' own sum stays.
        tree["resources"] = json!({"limits": {"cpu": "4"}});
        assert_eq!(cpu_and_memory(tree), (3000, 0));
    }

    #[test]
    fn overhead_comes_on_top() {
        let tree = json!({"containers": [{"resources": requests("800m", "0")}], "overhead": {"cpu": "300m"}});
        assert_eq!(cpu_and_memory(tree), (1100, 0));
    }

    #[test]
    fn for_scores_a_container_without_requests_counts_something() {
        let tree = json!({"containers": [{}, {"resources": {"requests": {"cpu": "0"}}}]});
        let requests = non_zero_requests(&spec(tree));
        assert_eq!((requests.milli_cpu, requests.memory), (100, 2 * 200 * 1024 * 1024));
    }

    #[test]
    fn a_node_gives_what_is_allocatable() {
        let node: Node = decode(json!({"status": {
            "capacity": {"cpu": "4"}, "allocatable": {"cpu": "3500m", "memory": "1Gi", "pods": "110", "nvidia.com/gpu": "2"},
        }}))
        .unwrap();
        let allocatable = allocatable(&node);
        assert_eq!(
            (allocatable.resources.milli_cpu, allocatable.resources.memory, allocatable.pods),
            (3500, 1 << 30, 110)
        );
        assert_eq!(allocatable.resources.get("nvidia.com/gpu"), 2);
        assert_eq!(allocatable.resources.get(PODS), 0);
    }
}
