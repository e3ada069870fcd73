use crate::apiserver::Store;
use crate::objects::*;
use std::borrow::Cow;
use std::rc::Rc;

/// A node with the pods that occupy it: bound to it and not finished; terminating ones included, since they hold what
/// they have.
///
/// Invariant: `used` is the sum over [`Self::pods`].
#[derive(Clone, Debug)]
pub struct NodeInfo<'a> {
    /// The node.
    pub node: &'a Rc<Node>,
    /// What its pods take together.
    pub used: Cow<'a, NodeUsage>,
    /// Where the pods are looked up, as long as they are as they are: few rules need more than their sum.
    store: Option<&'a Store>,
    /// The pod that is left out.
    except: Option<ObjectKey>,
    /// The pods, once some were moved in thought.
    moved: Option<Vec<&'a Rc<Pod>>>,
}

impl<'a> NodeInfo<'a> {
    /// The node as it is, without the pod `except` (which may be asked about while it is bound).
    pub fn new(store: &'a Store, node: &'a Rc<Node>, except: &Pod) -> Self {
        let mut used = store.usage_of(node.name()).map_or(Cow::Owned(NodeUsage::default()), Cow::Borrowed);
        let own = (except.spec.node_name == *node.name()).then(|| except.metadata.key());
        if let Some(own) = own.as_ref().and_then(|key| store.pod(key)).filter(|own| own.occupies_node()) {
            used.to_mut().remove(own);
        }
        Self { node, used, store: Some(store), except: own, moved: None }
    }

    /// A node with no pods.
    pub fn empty(node: &'a Rc<Node>) -> Self {
        Self { node, used: Cow::Owned(NodeUsage::default()), store: None, except: None, moved: None }
    }

    /// The pods that occupy the node.
    pub fn pods(&self) -> impl Iterator<Item = &'a Rc<Pod>> {
        let stored = self.store.filter(|_| self.moved.is_none()).map(|store| occupants(store, self.node.name()));
        let stored = stored.into_iter().flatten().filter(|pod| self.except.as_ref() != Some(&pod.metadata.key()));
        stored.chain(self.moved.iter().flatten().copied())
    }

    /// The node with one more pod.
    pub fn add(&mut self, pod: &'a Rc<Pod>) {
        self.used.to_mut().add(pod);
        self.move_pods(|pods| pods.push(pod));
    }

    /// The node without one of its pods.
    pub fn remove(&mut self, pod: &Pod) {
        let before = self.used.pods;
        let mut after = before;
        self.move_pods(|pods| {
            pods.retain(|other| !is_same(other, pod));
            after = i64::try_from(pods.len()).unwrap_or(i64::MAX);
        });
        if after < before {
            self.used.to_mut().remove(pod);
        }
    }

    fn move_pods(&mut self, change: impl FnOnce(&mut Vec<&'a Rc<Pod>>)) {
        let mut pods = self.moved.take().unwrap_or_else(|| self.pods().collect());
        change(&mut pods);
        self.moved = Some(pods);
    }
}

/// The pods that count on a node: bound to it and not finished.
pub fn occupants<'a>(store: &'a Store, node: &str) -> impl Iterator<Item = &'a Rc<Pod>> {
    store.pods_on(node).filter(|pod| pod.occupies_node())
}

/// Whether the two are the same pod, perhaps at different times.
pub fn is_same(a: &Pod, b: &Pod) -> bool {
    a.metadata.name == b.metadata.name && a.metadata.namespace == b.metadata.namespace
}
