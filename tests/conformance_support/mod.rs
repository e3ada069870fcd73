//! One module per family of recordings. A new family is a file here and a line in [`families`].

pub mod cases;
pub mod choice;
mod daemonset;

mod backoff;
mod eligibility;
mod history;
mod kubectl;
mod kubectl_compare;
mod lifecycle;
mod lifecycle_run;
mod podspec;
mod points;
mod realmanifests;
mod recorded_cluster;
mod rollout;
pub mod run;
mod scheduler;
mod scheduler_run;
mod sync;
mod validation;

use serde_json::Value;

/// A family of recordings.
pub struct Family {
    /// Name of the file, without `.jsonl`.
    pub name: &'static str,
    /// Checks one case; the error is the first difference.
    pub check: fn(&Value) -> Result<(), String>,
}

/// All families, in the order in which they are reported.
pub fn families() -> Vec<Family> {
    vec![
        Family { name: "eligibility", check: eligibility::check },
        Family { name: "sync", check: sync::check },
        Family { name: "rollout", check: rollout::check },
        Family { name: "history", check: history::check },
        Family { name: "backoff", check: backoff::check },
        Family { name: "podspec", check: podspec::check },
        Family { name: "scheduler", check: scheduler::check },
        Family { name: "kubectl", check: kubectl::check },
        Family { name: "realmanifests", check: realmanifests::check },
        Family { name: "validation", check: validation::check },
        Family { name: "lifecycle", check: lifecycle::check },
        Family { name: "cases", check: points::check },
    ]
}

/// Reports a difference between what was recorded and what came out.
pub fn expect_eq<T: PartialEq + std::fmt::Debug>(what: &str, actual: T, expected: T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{what}: expected {expected:?}, got {actual:?}")) }
}
