use super::{IntOrString, LabelSelector, ObjectMeta, PodTemplateSpec, Time, api_struct};
use std::rc::Rc;

/// Label of a ReplicaSet and its pods that carries the hash of the Deployment's template.
pub const POD_TEMPLATE_HASH: &str = "pod-template-hash";

api_struct! {
    /// A number of interchangeable pods, wherever they fit.
    pub struct Deployment {
        /// Identity and labels.
        pub metadata: ObjectMeta,
        /// What should run.
        pub spec: DeploymentSpec,
        /// The counters.
        pub status: DeploymentStatus,
    }

    /// The desired state of a Deployment.
    pub struct DeploymentSpec {
        /// How many pods; 1 when absent.
        pub replicas: Option<i32>,
        /// Which ReplicaSets and pods belong to it.
        pub selector: LabelSelector,
        /// What each pod looks like.
        pub template: Rc<PodTemplateSpec>,
        /// How pods are replaced.
        pub strategy: DeploymentStrategy,
        /// Seconds a pod must be ready to count as available.
        pub min_ready_seconds: i32,
        /// How many old ReplicaSets are kept.
        pub revision_history_limit: Option<i32>,
        /// Template changes are not rolled out.
        pub paused: bool,
        /// Seconds without progress after which the rollout counts as failed.
        pub progress_deadline_seconds: Option<i32>,
    }

    /// How a Deployment replaces its pods.
    pub struct DeploymentStrategy {
        /// `RollingUpdate` or `Recreate`.
        #[serde(rename = "type")]
        pub type_: String,
        /// The budget.
        pub rolling_update: Option<RollingUpdateDeployment>,
    }

    /// The budget of a Deployment's rolling update: unavailable rounds down, surge up.
    pub struct RollingUpdateDeployment {
        /// How many pods may be missing.
        pub max_unavailable: Option<IntOrString>,
        /// How many pods may be too many.
        pub max_surge: Option<IntOrString>,
    }

    /// The counters of a Deployment.
    pub struct DeploymentStatus {
        /// The generation that the counters speak of.
        pub observed_generation: i64,
        /// Pods there are.
        pub replicas: i32,
        /// Pods of the current template.
        pub updated_replicas: i32,
        /// Ready pods.
        pub ready_replicas: i32,
        /// Available pods.
        pub available_replicas: i32,
        /// Wanted and not available.
        pub unavailable_replicas: i32,
        /// Pods that are terminating.
        pub terminating_replicas: Option<i32>,
        /// Added to the hash until it is unique.
        pub collision_count: Option<i32>,
        /// Available, Progressing, ReplicaFailure.
        pub conditions: Vec<WorkloadCondition>,
    }

    /// One statement about a Deployment or ReplicaSet.
    pub struct WorkloadCondition {
        /// `Available`, `Progressing`, `ReplicaFailure`.
        #[serde(rename = "type")]
        pub type_: String,
        /// `True`, `False` or `Unknown`.
        pub status: String,
        /// When it was last looked at.
        pub last_update_time: Option<Time>,
        /// When the status last changed.
        pub last_transition_time: Option<Time>,
        /// One word.
        pub reason: String,
        /// A sentence.
        pub message: String,
    }

    /// A number of identical pods; a Deployment has one for each of its revisions.
    pub struct ReplicaSet {
        /// Identity and labels.
        pub metadata: ObjectMeta,
        /// What should run.
        pub spec: ReplicaSetSpec,
        /// The counters.
        pub status: ReplicaSetStatus,
    }

    /// The desired state of a ReplicaSet.
    pub struct ReplicaSetSpec {
        /// How many pods; 1 when absent.
        pub replicas: Option<i32>,
        /// Which pods belong to it.
        pub selector: LabelSelector,
        /// What each pod looks like.
        pub template: Rc<PodTemplateSpec>,
        /// Seconds a pod must be ready to count as available.
        pub min_ready_seconds: i32,
    }
}

/// The counters of a ReplicaSet; `replicas` shows even at 0.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// Pods there are.
    pub replicas: i32,
    /// Pods with all the labels of the template.
    #[serde(skip_serializing_if = "super::is_default")]
    pub fully_labeled_replicas: i32,
    /// Ready pods.
    #[serde(skip_serializing_if = "super::is_default")]
    pub ready_replicas: i32,
    /// Available pods.
    #[serde(skip_serializing_if = "super::is_default")]
    pub available_replicas: i32,
    /// Pods that are terminating.
    #[serde(skip_serializing_if = "super::is_default")]
    pub terminating_replicas: Option<i32>,
    /// The generation that the counters speak of.
    #[serde(skip_serializing_if = "super::is_default")]
    pub observed_generation: i64,
    /// ReplicaFailure.
    #[serde(skip_serializing_if = "super::is_default")]
    pub conditions: Vec<WorkloadCondition>,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub other: super::Other,
}
