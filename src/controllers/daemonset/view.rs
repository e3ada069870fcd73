//! The cluster as one reconcile sees it: every node with its eligibility and its pods.

use super::eligibility::{Eligibility, Rules};
use crate::objects::*;
use crate::order::Order;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A pod of the DaemonSet and what the reconcile asks about it, answered once.
#[derive(Clone, Copy, Debug)]
pub struct PodView<'a> {
    /// The pod.
    pub pod: &'a Rc<Pod>,
    /// A deletion has been asked for.
    pub terminating: bool,
    /// The Ready condition is True.
    pub ready: bool,
    /// Ready for minReadySeconds.
    pub available: bool,
    /// Carries the hash of the current template.
    pub has_current_hash: bool,
    /// Counts as up to date: by its hash, or by the deprecated template generation.
    pub updated: bool,
}

/// A node and the pods of the DaemonSet that are on it or pinned to it.
#[derive(Clone, Debug)]
pub struct NodeView<'a> {
    /// The node.
    pub node: &'a Rc<Node>,
    /// Whether a pod should be, and may stay, here.
    pub eligibility: Eligibility,
    pods: Range<usize>,
}

/// A node name that pods point at, though there is no such node.
#[derive(Clone, Debug)]
pub struct VanishedNode<'a> {
    /// The name.
    pub name: &'a str,
    pods: Range<usize>,
}

/// The cluster as one reconcile sees it.
///
/// Invariant: the pods of a node are in the order in which the controller prefers them (bound first, then oldest, then
/// by name), and Failed or Succeeded pods that are being deleted are not there at all.
pub struct View<'a> {
    /// The DaemonSet.
    pub daemonset: &'a DaemonSet,
    /// The controller's clock.
    pub now: Time,
    /// Value of the label `controller-revision-hash` for the current template.
    pub hash: &'a str,
    /// Value of the deprecated template generation, if the DaemonSet is annotated with a number.
    pub template_generation: Option<String>,
    /// All nodes, by name.
    pub nodes: Vec<NodeView<'a>>,
    /// Names of nodes that are gone, in natural order.
    pub vanished: Vec<VanishedNode<'a>>,
    /// How many nodes should run a pod.
    pub desired: usize,
    pods: Vec<PodView<'a>>,
}

impl<'a> View<'a> {
    /// Looks at nodes and pods. `pods` are the claimed ones.
    pub fn new(
        daemonset: &'a DaemonSet,
        now: Time,
        hash: &'a str,
        nodes: &'a [Rc<Node>],
        pods: impl IntoIterator<Item = &'a Rc<Pod>>,
    ) -> Self {
        let rules = Rules::of(daemonset);
        let template_generation = template_generation(daemonset).map(|generation| generation.to_string());
        let mut views: Vec<NodeView<'a>> =
            nodes.iter().map(|node| NodeView { node, eligibility: rules.eligibility(node), pods: 0..0 }).collect();
        if !views.is_sorted_by(|a, b| a.node.metadata.name < b.node.metadata.name) {
            views.order_by(|a, b| a.node.metadata.name.cmp(&b.node.metadata.name));
        }
        let desired = views.iter().filter(|view| view.eligibility.should_run).count();

        let min_ready_seconds = daemonset.spec.min_ready_seconds;
        let places = NamePlaces::new(views.iter().map(|view| &*view.node.metadata.name));
        let mut on_nodes: Vec<(usize, PodView<'a>)> = Vec::new();
        let mut on_vanished: BTreeMap<&'a str, Vec<PodView<'a>>> = BTreeMap::new();
        // Pods of one template share their labels.
        let mut last: Option<(&StringMap, (bool, bool))> = None;
        for pod in pods {
            let terminating = pod.is_terminating();
            if terminating && pod.is_finished() {
                continue;
            }
            let Some(target) = pod.target_node() else { continue };
            let ready = pod.is_ready();
            let labels = &pod.metadata.labels;
            let (has_current_hash, updated) = match last {
                Some((seen, answers)) if Rc::ptr_eq(seen, labels) => answers,
                _ => {
                    let has_current_hash = pod.metadata.label(CONTROLLER_REVISION_HASH) == Some(hash);
                    let has_generation = template_generation
                        .as_deref()
                        .is_some_and(|generation| pod.metadata.label(POD_TEMPLATE_GENERATION) == Some(generation));
                    (has_current_hash, (has_current_hash && !hash.is_empty()) || has_generation)
                }
            };
            last = Some((labels, (has_current_hash, updated)));
            let available = ready && pod.is_available(min_ready_seconds, now);
            let view = PodView { pod, terminating, ready, available, has_current_hash, updated };
            match places.of(target, |index| views.get(index).is_some_and(|view| *view.node.metadata.name == *target)) {
                Some(index) => on_nodes.push((index, view)),
                None => on_vanished.entry(target).or_default().push(view),
            }
        }
        on_nodes.order_by(|(a, x), (b, y)| a.cmp(b).then_with(|| preference(x.pod, y.pod)));

        let mut all = Vec::with_capacity(on_nodes.len());
        let mut placed = on_nodes.into_iter().peekable();
        for (index, view) in views.iter_mut().enumerate() {
            let first = all.len();
            while let Some((_, pod)) = placed.next_if(|(node, _)| *node == index) {
                all.push(pod);
            }
            view.pods = first..all.len();
        }
        let mut vanished = Vec::new();
        for (name, mut pods) in on_vanished {
            pods.order_by(|x, y| preference(x.pod, y.pod));
            let first = all.len();
            all.append(&mut pods);
            vanished.push(VanishedNode { name, pods: first..all.len() });
        }
        vanished.order_by(|a, b| natural_cmp(a.name, b.name));
        Self { daemonset, now, hash, template_generation, nodes: views, vanished, desired, pods: all }
    }

    /// The pods on or pinned to a node, the preferred one first.
    pub fn pods_on(&self, node: &NodeView<'a>) -> &[PodView<'a>] {
        self.pods.get(node.pods.clone()).unwrap_or_default()
    }

    /// The pods that point at a node that is gone, the preferred one first.
    pub fn pods_of_vanished(&self, node: &VanishedNode<'a>) -> &[PodView<'a>] {
        self.pods.get(node.pods.clone()).unwrap_or_default()
    }
}

/// Where in a list a name is: a table of hashes, never iterated. Thousands of pods look their node up in it.
struct NamePlaces {
    /// Index + 1; 0: nothing is here.
    slots: Vec<u32>,
}

impl NamePlaces {
    fn new<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let size = names.len().saturating_mul(2).max(2).next_power_of_two();
        let mut places = Self { slots: vec![0; size] };
        for (number, name) in (1..).zip(names) {
            let mut slot = places.first_slot(name);
            while places.slots.get(slot).is_some_and(|taken| *taken != 0) {
                slot = places.next_slot(slot);
            }
            if let Some(free) = places.slots.get_mut(slot) {
                *free = number;
            }
        }
        places
    }

    /// The index of a name; `is_it` says whether the name at an index is the one.
    fn of(&self, name: &str, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let mut slot = self.first_slot(name);
        loop {
            let index = usize::try_from(self.slots.get(slot)?.checked_sub(1)?).ok()?;
            if is_it(index) {
                return Some(index);
            }
            slot = self.next_slot(slot);
        }
    }

    fn first_slot(&self, name: &str) -> usize {
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        usize::try_from(hash).unwrap_or(0) & self.slots.len().wrapping_sub(1)
    }

    fn next_slot(&self, slot: usize) -> usize {
        slot.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }
}

/// The order in which the controller prefers pods of one node: bound before unbound, older before younger, by name.
///
/// Follows kubernetes pkg/controller/daemon podByCreationTimestampAndPhase, v1.36.
fn preference(a: &Pod, b: &Pod) -> std::cmp::Ordering {
    b.is_bound()
        .cmp(&a.is_bound())
        .then_with(|| a.metadata.creation_timestamp.cmp(&b.metadata.creation_timestamp))
        .then_with(|| a.metadata.name.cmp(&b.metadata.name))
}

/// The deprecated template generation, if the DaemonSet is annotated with a number.
///
/// Follows kubernetes pkg/controller/daemon/util GetTemplateGeneration, v1.36.
pub fn template_generation(daemonset: &DaemonSet) -> Option<i64> {
    daemonset.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION)?.parse().ok()
}

fn budget(daemonset: &DaemonSet) -> Option<&RollingUpdateDaemonSet> {
    let strategy = &daemonset.spec.update_strategy;
    (strategy.type_ == ROLLING_UPDATE).then_some(strategy.rolling_update.as_ref()).flatten()
}

/// On how many of `desired` nodes a new pod may run beside the old one; percentages round up. 0 where there is no
/// surge. `None`: neither a number nor a percentage.
///
/// Follows kubernetes pkg/controller/daemon/util SurgeCount, v1.36.
pub fn max_surge(daemonset: &DaemonSet, desired: usize) -> Option<i64> {
    match budget(daemonset).and_then(|budget| budget.max_surge.as_ref()) {
        Some(value) => value.scaled_up(i64::try_from(desired).ok()?),
        None => Some(0),
    }
}

/// How many of `desired` nodes may be without an available pod; percentages round up. `None`: neither a number nor a
/// percentage.
///
/// Follows kubernetes pkg/controller/daemon/util UnavailableCount, v1.36.
pub fn max_unavailable(daemonset: &DaemonSet, desired: usize) -> Option<i64> {
    match budget(daemonset) {
        Some(budget) => budget.max_unavailable.as_ref()?.scaled_up(i64::try_from(desired).ok()?),
        None => Some(0),
    }
}

/// Whether old and new pods may be on one node at the same time.
///
/// Follows kubernetes pkg/controller/daemon/util AllowsSurge, v1.36.
pub fn allows_surge(daemonset: &DaemonSet) -> bool {
    max_surge(daemonset, 1).is_some_and(|surge| surge > 0)
}
