use super::{Time, api_struct};

/// Effect of a taint that keeps new pods off.
pub const NO_SCHEDULE: &str = "NoSchedule";
/// Effect of a taint that keeps new pods off where others will do.
pub const PREFER_NO_SCHEDULE: &str = "PreferNoSchedule";
/// Effect of a taint that keeps new pods off and evicts those that run.
pub const NO_EXECUTE: &str = "NoExecute";

/// Taint of a node whose kubelet says that it is not ready.
pub const TAINT_NOT_READY: &str = "node.kubernetes.io/not-ready";
/// Taint of a node whose kubelet is silent.
pub const TAINT_UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// Taint of a cordoned node.
pub const TAINT_UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// Taint of a node that runs out of memory.
pub const TAINT_MEMORY_PRESSURE: &str = "node.kubernetes.io/memory-pressure";
/// Taint of a node that runs out of disk.
pub const TAINT_DISK_PRESSURE: &str = "node.kubernetes.io/disk-pressure";
/// Taint of a node that runs out of process ids.
pub const TAINT_PID_PRESSURE: &str = "node.kubernetes.io/pid-pressure";
/// Taint of a node whose network is not set up.
pub const TAINT_NETWORK_UNAVAILABLE: &str = "node.kubernetes.io/network-unavailable";

api_struct! {
    /// Keeps pods off a node unless they tolerate it.
    pub struct Taint {
        /// Label-like key.
        pub key: String,
        /// May be empty.
        pub value: String,
        /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
        pub effect: String,
        /// When a NoExecute taint was added.
        pub time_added: Option<Time>,
    }

    /// Lets a pod onto (or stay on) nodes with matching taints.
    pub struct Toleration {
        /// Empty with operator Exists: every key.
        pub key: String,
        /// `Exists`, `Equal` or empty, which means Equal.
        pub operator: String,
        /// Compared with the taint's value by Equal.
        pub value: String,
        /// Empty: every effect.
        pub effect: String,
        /// How long a NoExecute taint is tolerated; absent: for ever.
        pub toleration_seconds: Option<i64>,
    }
}

impl Taint {
    /// A taint without value.
    pub fn new(key: &str, effect: &str) -> Self {
        Self { key: key.into(), effect: effect.into(), ..Self::default() }
    }

    /// Whether key and effect are the same; a node has at most one taint for each pair.
    pub fn matches(&self, other: &Self) -> bool {
        self.key == other.key && self.effect == other.effect
    }
}

/// As kubectl prints it: `key=value:effect`, `key:effect`.
impl std::fmt::Display for Taint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.effect.is_empty(), self.value.is_empty()) {
            (true, true) => f.write_str(&self.key),
            (true, false) => write!(f, "{}={}:", self.key, self.value),
            (false, true) => write!(f, "{}:{}", self.key, self.effect),
            (false, false) => write!(f, "{}={}:{}", self.key, self.value, self.effect),
        }
    }
}

impl Toleration {
    /// A toleration with operator Exists.
    pub fn exists(key: &str, effect: &str) -> Self {
        Self { key: key.into(), operator: "Exists".into(), effect: effect.into(), ..Self::default() }
    }

    /// Whether this toleration covers the taint. `Lt` and `Gt` are behind an alpha gate and cover nothing.
    ///
    /// Follows kubernetes component-helpers scheduling/corev1 ToleratesTaint, v1.36.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        if !self.effect.is_empty() && self.effect != taint.effect {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator.as_str() {
            "" | "Equal" => self.value == taint.value,
            "Exists" => true,
            _ => false,
        }
    }
}

/// The first taint with one of the effects that no toleration covers.
pub fn find_untolerated_taint<'a>(
    taints: &'a [Taint],
    tolerations: &[Toleration],
    effects: &[&str],
) -> Option<&'a Taint> {
    taints
        .iter()
        .filter(|taint| effects.contains(&taint.effect.as_str()))
        .find(|taint| !tolerations.iter().any(|toleration| toleration.tolerates(taint)))
}
