use super::{ObjectMeta, Time, api_struct};
use std::rc::Rc;

/// Type of an event that tells of ordinary business.
pub const NORMAL: &str = "Normal";
/// Type of an event that tells of trouble.
pub const WARNING: &str = "Warning";

api_struct! {
    /// Something that happened to an object, as `kubectl get events` shows it.
    pub struct Event {
        /// Identity.
        pub metadata: ObjectMeta,
        /// What it happened to.
        pub involved_object: ObjectReference,
        /// One word: `SuccessfulCreate`, `FailedScheduling`…
        pub reason: String,
        /// A sentence.
        pub message: String,
        /// `Normal` or `Warning`.
        #[serde(rename = "type")]
        pub type_: String,
        /// Who says so.
        pub source: EventSource,
        /// How often it happened.
        pub count: i32,
        /// The first time.
        pub first_timestamp: Option<Time>,
        /// The last time.
        pub last_timestamp: Option<Time>,
        /// Component that says so, for events of the newer API (`default-scheduler`).
        pub reporting_component: String,
    }

    /// A pointer to an object.
    pub struct ObjectReference {
        /// Kind.
        pub kind: String,
        /// Empty for cluster-scoped kinds.
        pub namespace: Rc<str>,
        /// Name.
        pub name: Rc<str>,
        /// Uid.
        pub uid: Rc<str>,
        /// API version.
        pub api_version: String,
        /// Version of the object.
        pub resource_version: String,
        /// Part of the object.
        pub field_path: String,
    }

    /// The component that reports an event.
    pub struct EventSource {
        /// `daemonset-controller`, `kubelet`…
        pub component: String,
        /// Node of the component.
        pub host: String,
    }
}
