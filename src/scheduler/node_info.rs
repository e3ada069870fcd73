use super::requests::{Requests, pod_requests};
use crate::apiserver::Store;
use crate::objects::*;
use std::rc::Rc;

/// A node with the pods that occupy it.
///
/// Invariant: `requested` is the sum over `pods`.
#[derive(Clone, Debug)]
pub struct NodeInfo<'a> {
    /// The node.
    pub node: &'a Rc<Node>,
    /// The pods bound to it that are not finished; terminating ones included, since they hold what they have.
    pub pods: Vec<&'a Rc<Pod>>,
    /// What these pods take together.
    pub requested: Requests,
}

impl<'a> NodeInfo<'a> {
    /// The node as it is, without the pod `except` (which may be asked about while it is bound).
    pub fn new(store: &'a Store, node: &'a Rc<Node>, except: &Pod) -> Self {
        let mut info = Self { node, pods: Vec::new(), requested: Requests::default() };
        for pod in occupants(store, node.name()).filter(|pod| !is_same(pod, except)) {
            info.add(pod);
        }
        info
    }

    /// The node with one more pod.
    pub fn add(&mut self, pod: &'a Rc<Pod>) {
        self.requested.add(&pod_requests(pod));
        self.pods.push(pod);
    }

    /// The node without one of its pods.
    pub fn remove(&mut self, pod: &Pod) {
        let before = self.pods.len();
        self.pods.retain(|other| !is_same(other, pod));
        if self.pods.len() < before {
            self.requested.subtract(&pod_requests(pod));
        }
    }
}

/// The pods that count on a node: bound to it and not finished.
pub fn occupants<'a>(store: &'a Store, node: &str) -> impl Iterator<Item = &'a Rc<Pod>> {
    store.pods_on(node).filter(|pod| occupies(pod))
}

/// Whether the pod counts on its node: it is bound and not finished.
pub fn occupies(pod: &Pod) -> bool {
    pod.is_bound() && !pod.is_finished()
}

/// Whether the two are the same pod, perhaps at different times.
pub fn is_same(a: &Pod, b: &Pod) -> bool {
    a.metadata.name == b.metadata.name && a.metadata.namespace == b.metadata.namespace
}
