//! The actors of the step loop: which informer hears what, and what a turn on the agenda runs.
//!
//! Each file here joins one pure actor to the loop: it hands the actor a snapshot, commits its plan, and puts on the
//! agenda what the actor asked for.

mod command;
mod daemonset;
mod kubelet;
mod nodes;
pub mod plans;
mod scheduler;
mod workloads;

use super::agenda::Turn;
use super::step::{Actor, Reason, Subject};
use super::world::World;
use crate::apiserver::{Change, Store};
use crate::controllers::node_lifecycle::NodeLifecycleState;
use crate::controllers::pod_gc::PodGcState;
use crate::controllers::replicaset::ReplicaSetState;
use crate::controllers::taint_eviction::TaintEvictionState;
use crate::kubelet::{Behaviours, KubeletState};
use crate::objects::Object;

pub use daemonset::{DaemonSetState, DaemonSetSync};
pub use nodes::on_silence;
pub use scheduler::SchedulerState;

/// What the actors remember between turns, and how pods behave.
#[derive(Clone, Debug)]
pub struct Actors {
    /// The kubelets' memory, and how pods behave.
    pub kubelets: KubeletState,
    /// The scheduler's queue.
    pub scheduler: SchedulerState,
    /// What is known of the nodes' health.
    pub node_lifecycle: NodeLifecycleState,
    /// Pods that will be evicted.
    pub taint_eviction: TaintEvictionState,
    /// Nodes that are missing.
    pub pod_gc: PodGcState,
    /// Failures of ReplicaSets.
    pub replica_sets: ReplicaSetState,
    /// The DaemonSet controller's memory.
    pub daemon_sets: DaemonSetState,
}

impl Actors {
    /// Actors of a cluster that is there already.
    pub fn new(store: &Store, behaviours: Behaviours) -> Self {
        Self {
            kubelets: KubeletState::new(store, behaviours),
            scheduler: SchedulerState::new(store),
            node_lifecycle: NodeLifecycleState::new(store),
            taint_eviction: TaintEvictionState::default(),
            pod_gc: PodGcState::default(),
            replica_sets: ReplicaSetState::default(),
            daemon_sets: DaemonSetState::default(),
        }
    }
}

/// What a turn came to.
pub struct Acted {
    /// Who acted.
    pub actor: Actor,
    /// What it is about.
    pub subject: Option<Subject>,
    /// Why, and what was decided.
    pub reason: Reason,
    /// The step that made it due, where the actor knows better than the agenda.
    pub cause: Option<usize>,
}

/// Runs one turn, each by a function that is not inlined: the page can then fetch an actor's code with its first turn.
/// `None`: the object it is about is gone, or there was nothing to do.
pub fn turn(world: &mut World, turn: &Turn, number: usize) -> Option<Acted> {
    let acted = |actor, (subject, reason)| Some(Acted { actor, subject, reason, cause: None });
    let about = |(subject, reason)| (Some(subject), reason);
    match turn {
        Turn::Kubelet(key) => acted(Actor::Kubelet, about(kubelet::turn(world, key, number)?)),
        Turn::Scheduler => {
            let (subject, reason, cause) = scheduler::turn(world, number)?;
            Some(Acted { actor: Actor::Scheduler, subject: Some(subject), reason, cause })
        }
        Turn::DaemonSet(key) => acted(Actor::DaemonSetController, about(daemonset::turn(world, key, number)?)),
        Turn::ReplicaSet(key) => acted(Actor::ReplicaSetController, workloads::replicaset_turn(world, key, number)?),
        Turn::Deployment(key) => acted(Actor::DeploymentController, workloads::deployment_turn(world, key, number)),
        Turn::GarbageCollector(key) => {
            acted(Actor::GarbageCollector, workloads::garbage_collector_turn(world, key, number))
        }
        Turn::Namespace(key) => acted(Actor::NamespaceController, workloads::namespace_turn(world, key, number)?),
        Turn::NodeLifecycle(key) => {
            acted(Actor::NodeLifecycleController, nodes::node_lifecycle_turn(world, key, number))
        }
        Turn::TaintEviction(key) => {
            acted(Actor::TaintEvictionController, nodes::taint_eviction_turn(world, key, number))
        }
        Turn::PodGc => acted(Actor::PodGarbageCollector, nodes::pod_gc_turn(world, number)),
        Turn::Command => acted(Actor::Person, (None, command::turn(world, number)?)),
    }
}

/// Shows a change to the informers of all actors. `number` is that of the step that made it, `None` at the start.
pub fn on_change(world: &mut World, change: &Change, number: Option<usize>) {
    if matches!(change.object(), Some(Object::Event(_))) {
        // No actor listens to what the others tell.
        return;
    }
    kubelet::on_change(world, change, number);
    scheduler::on_change(world, change, number);
    nodes::on_change(world, change, number);
    workloads::on_change(world, change, number);
    daemonset::on_change(world, change, number);
}
