//! Makes edits in thought: on a snapshot of the cluster and on the pod.

use super::edit::{ContainerList, PlacementEdit};
use crate::apiserver::Store;
use crate::insight::explain::{apply_to_node, apply_to_template};
use crate::objects::*;
use std::rc::Rc;

/// The cluster and the pending pod.
#[derive(Clone, Debug)]
pub struct Scene {
    /// All objects; cloning is cheap.
    pub store: Store,
    /// The pod, as it would be.
    pub pod: Rc<Pod>,
}

/// Makes the edits, one after the other. An edit of something that is not there changes nothing.
pub fn apply(edits: &[PlacementEdit], scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for edit in edits {
        apply_one(edit, &mut scene);
    }
    scene
}

fn apply_one(edit: &PlacementEdit, scene: &mut Scene) {
    match edit {
        PlacementEdit::Node { node, edit } => change_node(&mut scene.store, node, |node| apply_to_node(edit, node)),
        PlacementEdit::Uncordon { node } => change_node(&mut scene.store, node, |node| {
            node.spec.unschedulable = false;
            // The node controller takes the taint off that goes with it.
            Rc::make_mut(&mut node.spec.taints).retain(|taint| taint.key != TAINT_UNSCHEDULABLE);
        }),
        PlacementEdit::ResizeNode { node, resource, amount } => change_node(&mut scene.store, node, |node| {
            *node = node.clone().with_resource(resource, *amount);
        }),
        PlacementEdit::AddNode { name, template } => {
            scene.store.put(template.node(name, 1, Time::default()).into());
        }
        PlacementEdit::DeletePod { pod, .. } => {
            scene.store.remove(Kind::Pod, pod);
        }
        PlacementEdit::CreateClaim { claim } => {
            let mut object = Unstructured {
                api_version: "v1".into(),
                kind: "PersistentVolumeClaim".into(),
                ..Unstructured::default()
            };
            (object.metadata.namespace, object.metadata.name) = (claim.namespace.clone(), claim.name.clone());
            scene.store.put(object.into());
        }
        _ => {
            let pod = Rc::make_mut(&mut scene.pod);
            apply_to_spec(edit, Rc::make_mut(&mut pod.spec));
        }
    }
}

fn change_node(store: &mut Store, name: &str, change: impl FnOnce(&mut Node)) {
    if let Some(node) = store.node_named(name) {
        let mut node = (**node).clone();
        change(&mut node);
        store.put(node.into());
    }
}

/// Makes an edit of the pod's own manifest.
pub fn apply_to_spec(edit: &PlacementEdit, spec: &mut PodSpec) {
    match edit {
        PlacementEdit::Spec(edit) => apply_to_template(edit, spec),
        PlacementEdit::SetRequest { list, container, resource, amount, limit_too } => {
            if let Some(container) = container_mut(spec, *list, *container) {
                let resources = container.resources.get_or_insert_default();
                Rc::make_mut(&mut resources.requests).insert(resource.clone(), *amount);
                if *limit_too {
                    Rc::make_mut(&mut resources.limits).insert(resource.clone(), *amount);
                }
            }
        }
        PlacementEdit::SetPodRequest { resource, amount } => {
            let resources = spec.resources.get_or_insert_default();
            Rc::make_mut(&mut resources.requests).insert(resource.clone(), *amount);
        }
        PlacementEdit::SetPort { list, container, port, number, host_network } => {
            let port = container_mut(spec, *list, *container).and_then(|c| c.ports.get_mut(*port));
            if let Some(port) = port {
                port.host_port = *number;
                if *host_network {
                    port.container_port = *number;
                }
            }
        }
        PlacementEdit::RemoveHostPort { list, container, port } => {
            if let Some(port) = container_mut(spec, *list, *container).and_then(|c| c.ports.get_mut(*port)) {
                port.host_port = 0;
            }
        }
        PlacementEdit::RemovePodAffinity { anti, index } => {
            let affinity = Rc::make_mut(spec.affinity.get_or_insert_default());
            let rules = if *anti { &mut affinity.pod_anti_affinity } else { &mut affinity.pod_affinity };
            let terms = &mut rules.get_or_insert_default().required_during_scheduling_ignored_during_execution;
            if *index < terms.len() {
                terms.remove(*index);
            }
        }
        PlacementEdit::SetMaxSkew { index, max_skew } => {
            if let Some(constraint) = spec.topology_spread_constraints.get_mut(*index) {
                constraint.max_skew = *max_skew;
            }
        }
        PlacementEdit::RelaxSpread { index } => {
            if let Some(constraint) = spec.topology_spread_constraints.get_mut(*index) {
                constraint.when_unsatisfiable = "ScheduleAnyway".into();
            }
        }
        PlacementEdit::RemoveGate { index, .. } => {
            if *index < spec.scheduling_gates.len() {
                spec.scheduling_gates.remove(*index);
            }
        }
        PlacementEdit::SetPriorityClass { name, value, policy } => {
            spec.priority_class_name.clone_from(name);
            spec.priority = Some(*value);
            spec.preemption_policy.clone_from(policy);
        }
        PlacementEdit::RemoveSchedulerName => spec.scheduler_name = crate::scheduler::DEFAULT_SCHEDULER.into(),
        PlacementEdit::Node { .. }
        | PlacementEdit::Uncordon { .. }
        | PlacementEdit::ResizeNode { .. }
        | PlacementEdit::AddNode { .. }
        | PlacementEdit::DeletePod { .. }
        | PlacementEdit::CreateClaim { .. } => {}
    }
}

fn container_mut(spec: &mut PodSpec, list: ContainerList, index: usize) -> Option<&mut Container> {
    let containers = match list {
        ContainerList::Containers => &mut spec.containers,
        ContainerList::Init => &mut spec.init_containers,
    };
    Rc::make_mut(containers).get_mut(index)
}
