//! What may be done to the store, and the one place that does it.

use crate::objects::*;
use std::rc::Rc;

/// One request that an actor's plan makes. Actors only name what they want; the API server's commit does it.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// Create an object; `generateName` is honoured.
    Create(Object),
    /// Write metadata, spec and what else is not status. The status stored stays. Generation grows when the spec
    /// differs.
    Update(Object),
    /// Write the status (and, for nodes and pods, nothing else).
    UpdateStatus(Object),
    /// Ask for deletion: a bound pod becomes terminating, other objects go (unless finalizers hold them).
    Delete(Delete),
    /// Remove an object of a kind that the simulation does not act on.
    DeleteOther {
        /// API version.
        api_version: String,
        /// Kind.
        kind: String,
        /// Its key.
        key: ObjectKey,
    },
    /// Bind a pod to a node.
    Bind {
        /// The pod.
        pod: ObjectKey,
        /// The node's name.
        node: Rc<str>,
    },
    /// Tell something about an object; equal tellings are counted up.
    Event(EventDraft),
}

/// A request to delete an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// Kind of the object.
    pub kind: Kind,
    /// Its key.
    pub key: ObjectKey,
    /// Only if it still has this uid.
    pub uid: Option<Rc<str>>,
    /// Seconds that a pod may take to terminate; `None`: what its spec says; 0: it goes at once.
    pub grace_period_seconds: Option<i64>,
    /// What becomes of the objects that it owns.
    pub propagation: Propagation,
}

/// What becomes of the objects that a deleted object owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They go after it.
    #[default]
    Background,
    /// They go before it.
    Foreground,
    /// They stay, without owner.
    Orphan,
}

impl Delete {
    /// An ordinary deletion of this pod.
    pub fn pod(pod: &Pod) -> Self {
        Self {
            kind: Kind::Pod,
            key: pod.metadata.key(),
            uid: Some(pod.metadata.uid.clone()),
            grace_period_seconds: None,
            propagation: Propagation::Background,
        }
    }

    /// The kubelet's (or pod GC's) final removal of this pod.
    pub fn pod_now(pod: &Pod) -> Self {
        Self { grace_period_seconds: Some(0), ..Self::pod(pod) }
    }
}

/// An event to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// Kind of the object it is about.
    pub kind: Kind,
    /// Key of that object.
    pub key: ObjectKey,
    /// Uid of that object.
    pub uid: Rc<str>,
    /// `Normal` or `Warning`.
    pub type_: &'static str,
    /// One word: `SuccessfulCreate`.
    pub reason: &'static str,
    /// The sentence that kubectl shows.
    pub message: String,
    /// `daemonset-controller`, `default-scheduler`…
    pub component: &'static str,
    /// The node, for the kubelet's own events.
    pub host: Rc<str>,
    /// Part of the object: `spec.containers{main}`.
    pub field_path: Rc<str>,
}

impl EventDraft {
    /// An event about an object.
    pub fn about(
        kind: Kind,
        metadata: &ObjectMeta,
        type_: &'static str,
        reason: &'static str,
        message: String,
        component: &'static str,
    ) -> Self {
        let (key, uid) = (metadata.key(), metadata.uid.clone());
        Self { kind, key, uid, type_, reason, message, component, host: "".into(), field_path: "".into() }
    }
}
