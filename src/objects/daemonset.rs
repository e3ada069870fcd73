use super::{IntOrString, LabelSelector, ObjectMeta, PodSpec, api_struct};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::rc::Rc;

/// Strategy that replaces pods by itself, within a budget.
pub const ROLLING_UPDATE: &str = "RollingUpdate";
/// Strategy that leaves old pods alone until somebody deletes them.
pub const ON_DELETE: &str = "OnDelete";
/// Pod label that carries the hash of the template.
pub const CONTROLLER_REVISION_HASH: &str = "controller-revision-hash";
/// Pod label that carries the template generation.
pub const POD_TEMPLATE_GENERATION: &str = "pod-template-generation";
/// Annotation of a DaemonSet that counts template changes.
pub const DEPRECATED_TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

api_struct! {
    /// One pod on every eligible node.
    pub struct DaemonSet {
        /// Identity and labels.
        pub metadata: ObjectMeta,
        /// What should run, and how it is updated.
        pub spec: DaemonSetSpec,
        /// The counters.
        pub status: DaemonSetStatus,
    }

    /// The desired state of a DaemonSet.
    pub struct DaemonSetSpec {
        /// Which pods belong to it.
        pub selector: LabelSelector,
        /// What each pod looks like.
        pub template: Rc<PodTemplateSpec>,
        /// How pods are replaced.
        pub update_strategy: DaemonSetUpdateStrategy,
        /// Seconds a pod must be ready to count as available.
        pub min_ready_seconds: i32,
        /// How many old ControllerRevisions are kept; 10 when absent.
        pub revision_history_limit: Option<i32>,
    }

    /// The form of a pod.
    pub struct PodTemplateSpec {
        /// Labels and annotations of the pods.
        pub metadata: ObjectMeta,
        /// What runs.
        pub spec: PodSpec,
    }

    /// How pods are replaced when the template changes.
    pub struct DaemonSetUpdateStrategy {
        /// `RollingUpdate` or `OnDelete`.
        #[serde(rename = "type")]
        pub type_: String,
        /// The budget.
        pub rolling_update: Option<RollingUpdateDaemonSet>,
    }

    /// The budget of a rolling update; percentages are of the desired number and round up.
    pub struct RollingUpdateDaemonSet {
        /// How many nodes may be without an available pod.
        pub max_unavailable: Option<IntOrString>,
        /// How many nodes may have two pods.
        pub max_surge: Option<IntOrString>,
    }
}

/// The counters of a DaemonSet. The first four and `observedGeneration` show even at 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetStatus {
    /// Eligible nodes that have a pod.
    pub current_number_scheduled: i32,
    /// Nodes that have a pod and should not.
    pub number_misscheduled: i32,
    /// Eligible nodes.
    pub desired_number_scheduled: i32,
    /// Eligible nodes whose pod is ready.
    pub number_ready: i32,
    /// The generation that the counters speak of.
    #[serde(skip_serializing_if = "super::is_default")]
    pub observed_generation: i64,
    /// Eligible nodes whose pod has the current template.
    #[serde(skip_serializing_if = "super::is_default")]
    pub updated_number_scheduled: i32,
    /// Eligible nodes whose pod is available.
    #[serde(skip_serializing_if = "super::is_default")]
    pub number_available: i32,
    /// Desired minus available.
    #[serde(skip_serializing_if = "super::is_default")]
    pub number_unavailable: i32,
    /// Added to the hash until it is unique.
    #[serde(skip_serializing_if = "super::is_default")]
    pub collision_count: Option<i32>,
    /// Statements about the DaemonSet; the controller writes none.
    #[serde(skip_serializing_if = "super::is_default")]
    pub conditions: Vec<Value>,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub other: super::Other,
}
