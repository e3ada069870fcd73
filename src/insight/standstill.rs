//! How far a DaemonSet has come, node by node: what is wrong with each pod that is not available, and which nodes keep an
//! old one and why.

use crate::apiserver::Store;
use crate::controllers::daemonset::{Rules, allows_surge, max_surge, max_unavailable};
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

/// Why a pod is not available, from its status alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The node has no pod at all.
    Missing,
    /// On no node, and the scheduler has found none, or has not looked yet.
    Unscheduled,
    /// The node's Ready condition is not `True`, so nobody knows how the pod is.
    NodeUnwell,
    /// Asked to go, and still there.
    Leaving,
    /// Ended for good; `reason` is that of the status and may be empty.
    Failed {
        /// `Evicted`, `OutOfcpu`…
        reason: String,
    },
    /// An image cannot be had.
    Image {
        /// The image.
        image: String,
        /// `ErrImagePull`, `ImagePullBackOff`, `InvalidImageName`…
        reason: String,
    },
    /// A container has ended with a failure and is started again and again.
    Crash {
        /// Its name.
        container: String,
        /// The exit code of its last run.
        exit_code: i32,
        /// `Error`, `OOMKilled`…
        reason: String,
        /// How often the kubelet has started it again.
        restarts: i32,
    },
    /// A container cannot be started for another reason.
    Refused {
        /// Its name.
        container: String,
        /// `CreateContainerConfigError`…
        reason: String,
    },
    /// A container is being created; also where a volume cannot be mounted.
    Creating,
    /// All containers run, and one is not ready.
    NotReady,
    /// Ready, for less than minReadySeconds.
    TooYoung,
}

impl Trouble {
    /// What is wrong with a pod; `None`: it is available.
    pub fn of(pod: &Pod, node: Option<&Node>, min_ready_seconds: i32, now: Time) -> Option<Self> {
        if pod.status.phase == FAILED {
            return Some(Self::Failed { reason: pod.status.reason.clone() });
        }
        if pod.is_terminating() {
            return Some(Self::Leaving);
        }
        if pod.is_available(min_ready_seconds, now) {
            return None;
        }
        if !pod.is_bound() {
            return Some(Self::Unscheduled);
        }
        let unwell = |node: &Node| node.condition("Ready").is_some_and(|condition| condition.status != "True");
        if node.is_some_and(unwell) {
            return Some(Self::NodeUnwell);
        }
        if pod.is_ready() {
            return Some(Self::TooYoung);
        }
        let statuses = pod.status.init_container_statuses.iter().chain(pod.status.container_statuses.iter());
        let mut creating = pod.status.container_statuses.is_empty();
        for status in statuses {
            if let Some(found) = of_container(pod, status) {
                return Some(found);
            }
            creating |= status.state.waiting.is_some();
        }
        Some(if creating { Self::Creating } else { Self::NotReady })
    }

    /// Whether another template could be the remedy.
    pub fn is_of_template(&self) -> bool {
        !matches!(self, Self::Missing | Self::NodeUnwell | Self::Leaving | Self::TooYoung)
    }

    /// Whether the kubelet tries again by itself, each time after a longer wait.
    pub fn is_retried(&self) -> bool {
        matches!(self, Self::Image { .. } | Self::Crash { .. } | Self::Refused { .. })
    }
}

/// What is wrong with a container, if it is known to fail.
fn of_container(pod: &Pod, status: &ContainerStatus) -> Option<Trouble> {
    let last = status.state.terminated.as_ref().or(status.last_state.terminated.as_ref());
    let crash = |last: &ContainerStateTerminated| Trouble::Crash {
        container: status.name.clone(),
        exit_code: last.exit_code,
        reason: last.reason.clone(),
        restarts: status.restart_count,
    };
    let failed = last.filter(|last| last.exit_code != 0).map(crash);
    let reason = status.state.waiting.as_ref().map_or("", |waiting| waiting.reason.as_str());
    match reason {
        // It ended well, and still is started again and again.
        "CrashLoopBackOff" => failed.or_else(|| last.map(crash)),
        "" | "ContainerCreating" | "PodInitializing" => failed.filter(|_| !status.ready),
        "ErrImagePull" | "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
            let spec = pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
            let image = spec.into_iter().find(|container| container.name == status.name);
            let image = image.map_or_else(|| status.image.clone(), |container| container.image.clone());
            Some(Trouble::Image { image, reason: reason.into() })
        }
        _ => Some(Trouble::Refused { container: status.name.clone(), reason: reason.into() }),
    }
}

/// A node on which something is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The node.
    pub node: Rc<str>,
    /// The pod; `None`: there is none.
    pub pod: Option<Rc<Pod>>,
    /// Whether the pod has the newest template.
    pub newest: bool,
    /// What is wrong with it.
    pub trouble: Trouble,
}

/// Why old pods stay where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The strategy is OnDelete: a person has to delete them.
    OnDelete,
    /// As many nodes as may be are without an available pod.
    Unavailable {
        /// Nodes without an available pod.
        used: usize,
        /// How many there may be.
        most: usize,
    },
    /// As many nodes as may be have a second pod that is not available yet.
    Surge {
        /// Nodes with a second pod.
        used: usize,
        /// How many there may be.
        most: usize,
    },
    /// Nothing holds them: the controller has not come to them yet.
    Coming,
}

/// How far a DaemonSet has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Eligible nodes.
    pub desired: usize,
    /// Those with a pod of the newest template.
    pub up_to_date: usize,
    /// Those with an available pod.
    pub available: usize,
    /// The nodes on which something is wrong, in natural order of their names.
    pub faults: Vec<Fault>,
    /// The nodes that keep an old pod which is available, in natural order of their names.
    pub waiting: Vec<Rc<str>>,
    /// Why they do.
    pub held: Held,
}

impl Standing {
    /// Looks at every eligible node.
    pub fn of(store: &Store, set: &DaemonSet, now: Time) -> Self {
        let namespace = set.metadata.key().namespace;
        let newest = Store::in_namespace(store.controller_revisions(), &namespace)
            .filter(|revision| revision.metadata.is_controlled_by(&set.metadata.uid))
            .max_by_key(|revision| revision.revision);
        let newest = newest.and_then(|revision| revision.metadata.label(CONTROLLER_REVISION_HASH));
        let rules = Rules::of(set);
        let mut standing =
            Self { desired: 0, up_to_date: 0, available: 0, faults: vec![], waiting: vec![], held: Held::Coming };
        let mut second = 0;
        for node in store.nodes().values().filter(|node| rules.eligibility(node).should_run) {
            standing.desired += 1;
            let (mut fresh, mut old): (Option<&Rc<Pod>>, Option<&Rc<Pod>>) = (None, None);
            for pod in store.pods_on(node.name()).filter(|pod| pod.metadata.is_controlled_by(&set.metadata.uid)) {
                let is_newest = newest.is_some() && pod.metadata.label(CONTROLLER_REVISION_HASH) == newest;
                let place = if is_newest { &mut fresh } else { &mut old };
                if place.is_none_or(|before| before.is_finished() || before.is_terminating()) {
                    *place = Some(pod);
                }
            }
            let trouble = |pod: &Rc<Pod>| Trouble::of(pod, Some(node), set.spec.min_ready_seconds, now);
            let covers = |pod: &Rc<Pod>| pod.is_available(set.spec.min_ready_seconds, now) && !pod.is_finished();
            let covered = fresh.is_some_and(covers) || old.is_some_and(covers);
            standing.available += usize::from(covered);
            standing.up_to_date += usize::from(fresh.is_some());
            second += usize::from(fresh.is_some_and(|pod| trouble(pod).is_some()) && old.is_some());
            let fault = match (fresh, old) {
                (Some(pod), _) => trouble(pod).map(|trouble| (Some(pod), true, trouble)),
                (None, Some(pod)) => trouble(pod).map(|trouble| (Some(pod), false, trouble)),
                (None, None) => Some((None, false, Trouble::Missing)),
            };
            match fault {
                Some((pod, newest, trouble)) => {
                    standing.faults.push(Fault { node: node.name().clone(), pod: pod.cloned(), newest, trouble });
                }
                None if fresh.is_none() => standing.waiting.push(node.name().clone()),
                None => {}
            }
        }
        standing.faults.order_by(|a, b| natural_cmp(&a.node, &b.node));
        standing.waiting.order_by(|a, b| natural_cmp(a, b));
        standing.held = held(set, &standing, second);
        standing
    }

    /// Whether nothing is left to do: every eligible node has an available pod of the newest template.
    pub fn is_done(&self) -> bool {
        self.desired == self.up_to_date && self.desired == self.available
    }

    /// Whether nothing is wrong, and the next move is a person's.
    pub fn waits_for_person(&self) -> bool {
        self.held == Held::OnDelete && self.faults.is_empty() && !self.waiting.is_empty()
    }

    /// Whether going back to the template before could be the remedy.
    pub fn blames_template(&self) -> bool {
        self.faults.iter().any(|fault| fault.newest && fault.trouble.is_of_template())
    }
}

/// What holds the old pods. Follows the budgets of kubernetes pkg/controller/daemon/update.go, v1.36.
fn held(set: &DaemonSet, standing: &Standing, second: usize) -> Held {
    if set.spec.update_strategy.type_ == ON_DELETE {
        return Held::OnDelete;
    }
    let size = |value: Option<i64>| usize::try_from(value.unwrap_or(0)).unwrap_or(0);
    if allows_surge(set) {
        let most = size(max_surge(set, standing.desired));
        return if second >= most { Held::Surge { used: second, most } } else { Held::Coming };
    }
    // Both budgets zero: the controller takes one, or no rollout would ever end.
    let most = size(max_unavailable(set, standing.desired)).max(1);
    let used = standing.desired.saturating_sub(standing.available);
    if used >= most { Held::Unavailable { used, most } } else { Held::Coming }
}

#[cfg(test)]
#[path = "standstill_tests.rs"]
mod tests;
