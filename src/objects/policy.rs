use super::{IntOrString, LabelSelector, ObjectMeta, ResourceList, api_struct};

/// Priority of `system-node-critical`.
pub const SYSTEM_NODE_CRITICAL: i32 = 2_000_001_000;
/// Priority of `system-cluster-critical`.
pub const SYSTEM_CLUSTER_CRITICAL: i32 = 2_000_000_000;

api_struct! {
    /// A named priority for pods.
    pub struct PriorityClass {
        /// Name.
        pub metadata: ObjectMeta,
        /// The priority.
        pub value: i32,
        /// Given to pods that name no class.
        pub global_default: bool,
        /// For people.
        pub description: String,
        /// `PreemptLowerPriority` or `Never`.
        pub preemption_policy: Option<String>,
    }

    /// How many pods of a group disturbances must leave alone.
    pub struct PodDisruptionBudget {
        /// Identity.
        pub metadata: ObjectMeta,
        /// The budget.
        pub spec: PodDisruptionBudgetSpec,
        /// What is allowed now.
        pub status: PodDisruptionBudgetStatus,
    }

    /// The desired state of a PodDisruptionBudget.
    pub struct PodDisruptionBudgetSpec {
        /// Which pods it protects.
        pub selector: Option<LabelSelector>,
        /// Fewest that must stay.
        pub min_available: Option<IntOrString>,
        /// Most that may go.
        pub max_unavailable: Option<IntOrString>,
    }

    /// The observed state of a PodDisruptionBudget.
    pub struct PodDisruptionBudgetStatus {
        /// How many pods may be evicted now.
        pub disruptions_allowed: i32,
        /// Healthy pods.
        pub current_healthy: i32,
        /// Healthy pods that must stay.
        pub desired_healthy: i32,
        /// Pods that count.
        pub expected_pods: i32,
        /// The generation that the counters speak of.
        pub observed_generation: i64,
    }

    /// A space of names.
    pub struct Namespace {
        /// Name and labels.
        pub metadata: ObjectMeta,
        /// `Active` or `Terminating`.
        pub status: NamespaceStatus,
    }

    /// Phase of a namespace.
    pub struct NamespaceStatus {
        /// `Active` or `Terminating`.
        pub phase: String,
    }

    /// How containers of some pods are run, and what that costs.
    pub struct RuntimeClass {
        /// Name.
        pub metadata: ObjectMeta,
        /// Name of the runtime's configuration on the node.
        pub handler: String,
        /// Added to the pod's requests.
        pub overhead: Option<RuntimeClassOverhead>,
    }

    /// What a runtime class costs.
    pub struct RuntimeClassOverhead {
        /// For each pod.
        pub pod_fixed: ResourceList,
    }
}
