//! What could be edited to get past the first thing that keeps a pod from a node.

use super::apply::Scene;
use super::edit::{ContainerList, PlacementEdit};
use super::resources::{at_least, to_ask_for_less};
use crate::controllers::daemonset::eligibility::Check;
use crate::controllers::daemonset::{Verdict, evaluate};
use crate::insight::explain::{Edit, past_first_failure};
use crate::objects::*;
use crate::order::Order;
use crate::scheduler::plugins::{
    inter_pod_affinity, node_affinity, node_ports, node_resources_fit, node_unschedulable, pod_topology_spread,
    taint_toleration,
};
use crate::scheduler::{FilterReason, PreFilterReason};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Pods whose deletion is considered for one shortage: the largest, and the least important.
const MOST_VICTIMS: usize = 4;
/// Values of a label that are considered.
const MOST_VALUES: usize = 3;
/// A node's ports for those who need another one start here.
const FIRST_FREE_PORT: i32 = 9100;

/// Single edits that get past what the pod itself has against every node, or a part of it.
pub fn past_pre_filter(scene: &Scene, reason: &PreFilterReason) -> Vec<PlacementEdit> {
    match reason {
        PreFilterReason::NodeAffinityConflict => vec![PlacementEdit::Spec(Edit::RemoveRequiredAffinity)],
        PreFilterReason::ClaimNotFound { claim } => {
            let claim = ObjectKey::new(scene.pod.metadata.namespace.clone(), claim.as_str());
            vec![PlacementEdit::CreateClaim { claim }]
        }
    }
}

/// Single edits that get past the first filter that refuses the node, or past a part of its reasons.
pub fn past_filter(scene: &Scene, node: &Rc<Node>, reasons: &[FilterReason]) -> Vec<PlacementEdit> {
    let Some(reason) = reasons.first() else { return Vec::new() };
    match reason {
        FilterReason::NodeUnschedulable(node_unschedulable::Reason::Cordoned) => past_cordon(node),
        FilterReason::NodeName(_) => vec![PlacementEdit::Spec(Edit::RemoveNodeName)],
        FilterReason::TaintToleration(taint_toleration::Reason::Untolerated { taint }) => {
            past_taint(scene, node, taint)
        }
        FilterReason::NodeAffinity(reason) => past_affinity(scene, node, reason),
        FilterReason::NodePorts(node_ports::Reason::PortTaken { port, holder }) => past_port(scene, node, port, holder),
        FilterReason::NodeResourcesFit(reason) => past_shortage(scene, node, reason),
        FilterReason::PodTopologySpread(reason) => past_spread(scene, node, reason),
        FilterReason::InterPodAffinity(reason) => past_pods(scene, node, reason),
    }
}

fn past_cordon(node: &Node) -> Vec<PlacementEdit> {
    let toleration = Toleration::exists(TAINT_UNSCHEDULABLE, NO_SCHEDULE);
    vec![PlacementEdit::Uncordon { node: node.name().clone() }, PlacementEdit::Spec(Edit::AddToleration { toleration })]
}

fn past_taint(scene: &Scene, node: &Node, taint: &Taint) -> Vec<PlacementEdit> {
    let daemonset = as_daemonset(&scene.pod);
    let alone = Node { spec: NodeSpec { taints: Rc::new(vec![taint.clone()]), ..node.spec.clone() }, ..node.clone() };
    let edits = past_first_failure(
        &daemonset,
        node,
        &only(&evaluate(&daemonset, &alone), |check| matches!(check, Check::Taint { .. })),
    );
    // Admission and the DaemonSet controller add tolerations of their own: those of the manifest have other indices.
    let edits = edits.into_iter().filter(|edit| !matches!(edit, Edit::ChangeToleration { .. })).collect();
    let mut edits = on_node_or_spec(node, edits);
    if node.spec.unschedulable && taint.key == TAINT_UNSCHEDULABLE {
        // The node controller would put the taint back.
        edits.retain(|edit| !matches!(edit, PlacementEdit::Node { .. }));
        edits.push(PlacementEdit::Uncordon { node: node.name().clone() });
    }
    edits
}

fn past_affinity(scene: &Scene, node: &Node, reason: &node_affinity::Reason) -> Vec<PlacementEdit> {
    let daemonset = as_daemonset(&scene.pod);
    let verdict = only(&evaluate(&daemonset, node), |check| {
        matches!(check, Check::NodeSelector { .. } | Check::NodeAffinity { .. })
    });
    let mut edits = past_first_failure(&daemonset, node, &verdict);
    let pinned = scene.pod.metadata.controller().is_some_and(|owner| owner.kind == "DaemonSet");
    if pinned {
        // The pin to the node is in every term, and is not the DaemonSet's to change.
        edits.retain(|edit| !matches!(edit, Edit::AddTerm { .. } | Edit::RemoveRequiredAffinity));
    }
    if let node_affinity::Reason::NodeSelector { .. } = reason {
        edits.retain(|edit| !matches!(edit, Edit::AddTerm { .. } | Edit::RemoveRequiredAffinity));
    }
    on_node_or_spec(node, edits)
}

/// A DaemonSet with the pod's spec for a template: what is said of its nodes is what the scheduler says of them.
fn as_daemonset(pod: &Pod) -> DaemonSet {
    let mut spec = (*pod.spec).clone();
    spec.node_name = "".into();
    let template = Rc::new(PodTemplateSpec { spec, ..PodTemplateSpec::default() });
    DaemonSet { spec: DaemonSetSpec { template, ..DaemonSetSpec::default() }, ..DaemonSet::default() }
}

fn only(verdict: &Verdict, keep: impl Fn(&Check) -> bool) -> Verdict {
    let mut verdict = verdict.clone();
    verdict.checks.retain(keep);
    verdict
}

fn on_node_or_spec(node: &Node, edits: Vec<Edit>) -> Vec<PlacementEdit> {
    let place = |edit: Edit| {
        if edit.is_on_node() {
            PlacementEdit::Node { node: node.name().clone(), edit }
        } else {
            PlacementEdit::Spec(edit)
        }
    };
    edits.into_iter().map(place).collect()
}

fn past_port(scene: &Scene, node: &Node, port: &node_ports::HostPort, holder: &ObjectKey) -> Vec<PlacementEdit> {
    let mut edits: Vec<PlacementEdit> = deletion(scene, holder).into_iter().collect();
    let spec = &scene.pod.spec;
    let taken: BTreeSet<i32> = pods_of(scene, node)
        .chain(std::iter::once(&scene.pod))
        .flat_map(|pod| node_ports::host_ports(pod))
        .map(|port| port.port)
        .collect();
    let Some(free) = (port.port.max(FIRST_FREE_PORT)..=65535).find(|number| !taken.contains(number)) else {
        return edits;
    };
    let lists = [(ContainerList::Containers, &spec.containers), (ContainerList::Init, &spec.init_containers)];
    for (list, containers) in lists {
        for (index, container) in containers.iter().enumerate() {
            if list == ContainerList::Init && !container.is_sidecar() {
                continue;
            }
            for (position, wanted) in container.ports.iter().enumerate() {
                let number =
                    if wanted.host_port == 0 && spec.host_network { wanted.container_port } else { wanted.host_port };
                let protocol = if wanted.protocol.is_empty() { "TCP" } else { &wanted.protocol };
                if number != port.port || protocol != port.protocol {
                    continue;
                }
                edits.push(PlacementEdit::SetPort {
                    list,
                    container: index,
                    port: position,
                    number: free,
                    host_network: spec.host_network,
                });
                if !spec.host_network {
                    edits.push(PlacementEdit::RemoveHostPort { list, container: index, port: position });
                }
            }
        }
    }
    edits
}

fn past_shortage(scene: &Scene, node: &Node, reason: &node_resources_fit::Reason) -> Vec<PlacementEdit> {
    let (resource, used, requested, allocatable) = match reason {
        node_resources_fit::Reason::TooManyPods { used, allocatable } => (PODS, *used, 1, *allocatable),
        node_resources_fit::Reason::Insufficient { resource, requested, used, allocatable } => {
            (resource.as_str(), *used, *requested, *allocatable)
        }
    };
    let needed = used.saturating_add(requested);
    let mut edits = Vec::new();
    if resource != PODS {
        edits.extend(to_ask_for_less(&scene.pod.spec, resource, needed.saturating_sub(allocatable)));
    }
    edits.push(PlacementEdit::ResizeNode {
        node: node.name().clone(),
        resource: resource.to_owned(),
        amount: at_least(resource, needed),
    });
    edits.extend(victims(scene, node, resource));
    edits.extend(more_important(scene));
    edits
}

/// The pods on the node whose deletion frees most of the resource, and the least important ones.
fn victims(scene: &Scene, node: &Node, resource: &str) -> Vec<PlacementEdit> {
    let freed = |pod: &Pod| if resource == PODS { 1 } else { pod_requests(pod).get(resource) };
    let mut pods: Vec<(i64, &Rc<Pod>)> =
        pods_of(scene, node).map(|pod| (freed(pod), pod)).filter(|(amount, _)| *amount > 0).collect();
    pods.order_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.priority().cmp(&b.1.priority())));
    let mut chosen: Vec<&Rc<Pod>> = pods.iter().take(MOST_VICTIMS).map(|(_, pod)| *pod).collect();
    pods.order_by_key(|(_, pod)| pod.priority());
    chosen.extend(pods.iter().take(MOST_VICTIMS).map(|(_, pod)| *pod));
    let mut edits: Vec<PlacementEdit> = Vec::new();
    for edit in chosen.into_iter().filter_map(|pod| deletion(scene, &pod.metadata.key())) {
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    edits
}

/// The deletion of a pod, if that frees its place: a static pod comes back at once, a DaemonSet's pod returns to the
/// same node.
fn deletion(scene: &Scene, key: &ObjectKey) -> Option<PlacementEdit> {
    let pod = scene.store.pod(key).filter(|pod| !pod.is_mirror())?;
    let controller = pod.metadata.controller();
    if controller.is_some_and(|owner| owner.kind == "DaemonSet") {
        return None;
    }
    let (force, replaced) = (pod.is_terminating(), controller.is_some());
    Some(PlacementEdit::DeletePod { pod: key.clone(), force, replaced })
}

/// Classes of higher priority than the pod's, apart from the system's own.
fn more_important(scene: &Scene) -> Vec<PlacementEdit> {
    let pod = &scene.pod;
    let may_preempt = pod.spec.preemption_policy.as_deref() != Some("Never");
    let classes = scene.store.priority_classes().values().filter(|class| {
        let preempts = class.preemption_policy.as_deref() != Some("Never");
        let name = class.metadata.name.as_ref();
        !name.starts_with("system-")
            && preempts
            && (class.value > pod.priority() || (class.value == pod.priority() && !may_preempt))
    });
    classes
        .map(|class| PlacementEdit::SetPriorityClass {
            name: class.metadata.name.to_string(),
            value: class.value,
            policy: class.preemption_policy.clone(),
        })
        .collect()
}

fn past_spread(scene: &Scene, node: &Rc<Node>, reason: &pod_topology_spread::Reason) -> Vec<PlacementEdit> {
    let key = match reason {
        pod_topology_spread::Reason::MissingLabel { topology_key }
        | pod_topology_spread::Reason::TooUneven { topology_key, .. } => topology_key,
    };
    let constraints = scene.pod.spec.topology_spread_constraints.iter().enumerate();
    let hard = constraints.filter(|(_, c)| c.topology_key == *key && c.when_unsatisfiable != "ScheduleAnyway");
    let mut edits: Vec<PlacementEdit> = hard.clone().map(|(index, _)| PlacementEdit::RelaxSpread { index }).collect();
    match reason {
        pod_topology_spread::Reason::MissingLabel { topology_key } => {
            edits.extend(into_domains(scene, node, topology_key))
        }
        pod_topology_spread::Reason::TooUneven { topology_key, domain, would_be, minimum, .. } => {
            let skew = i32::try_from(would_be.saturating_sub(*minimum)).unwrap_or(i32::MAX);
            edits.extend(hard.clone().map(|(index, _)| PlacementEdit::SetMaxSkew { index, max_skew: skew }));
            edits.extend(into_domains(scene, node, topology_key));
            let selects = |pod: &Pod| {
                hard.clone().any(|(_, c)| c.label_selector.as_ref().is_some_and(|s| s.matches(&pod.metadata.labels)))
            };
            edits.extend(deletions_in(scene, topology_key, domain, selects));
        }
    }
    edits
}

/// Labels that bring the node into another domain, or into any.
fn into_domains(scene: &Scene, node: &Rc<Node>, key: &str) -> Vec<PlacementEdit> {
    let own = node.metadata.labels.get(key);
    let mut values: BTreeSet<&String> =
        scene.store.nodes().values().filter_map(|other| other.metadata.labels.get(key)).collect();
    if let Some(own) = own {
        values.remove(own);
    }
    let replaces = own.cloned();
    let new = node.name().to_string();
    let mut edits: Vec<PlacementEdit> = Vec::new();
    for value in values.into_iter().take(MOST_VALUES).chain(std::iter::once(&new)).filter(|value| own != Some(*value)) {
        let edit = Edit::SetLabel { key: key.to_owned(), value: value.clone(), replaces: replaces.clone() };
        edits.push(PlacementEdit::Node { node: node.name().clone(), edit });
    }
    edits
}

fn past_pods(scene: &Scene, node: &Rc<Node>, reason: &inter_pod_affinity::Reason) -> Vec<PlacementEdit> {
    let (store, pod) = (&scene.store, &scene.pod);
    let affinity = pod.spec.affinity.as_deref();
    let (own_with, own_without): (&[PodAffinityTerm], &[PodAffinityTerm]) =
        affinity.map_or((&[], &[]), |a| (a.required_pod_affinity(), a.required_anti_affinity()));
    let drop_terms = |anti: bool, terms: &[PodAffinityTerm], key: &str| -> Vec<PlacementEdit> {
        let of_key = terms.iter().enumerate().filter(|(_, term)| term.topology_key == key);
        of_key.map(|(index, _)| PlacementEdit::RemovePodAffinity { anti, index }).collect()
    };
    match reason {
        inter_pod_affinity::Reason::Affinity { topology_key, domain: _ } => {
            let mut edits = drop_terms(false, own_with, topology_key);
            edits.extend(into_domains(scene, node, topology_key));
            edits
        }
        inter_pod_affinity::Reason::AntiAffinity { topology_key, domain } => {
            let mut edits = drop_terms(true, own_without, topology_key);
            let in_the_way = |other: &Pod| {
                own_without.iter().any(|term| {
                    term.topology_key == *topology_key && inter_pod_affinity::matches_term(store, term, pod, other)
                })
            };
            edits.extend(deletions_in(scene, topology_key, domain, in_the_way));
            edits.extend(into_domains(scene, node, topology_key));
            edits
        }
        inter_pod_affinity::Reason::ExistingAntiAffinity { topology_key, domain } => {
            let objects = |other: &Pod| {
                let terms = other.spec.affinity.as_deref().map_or(&[][..], |a| a.required_anti_affinity());
                terms.iter().any(|term| {
                    term.topology_key == *topology_key && inter_pod_affinity::matches_term(store, term, other, pod)
                })
            };
            let mut edits = deletions_in(scene, topology_key, domain, objects);
            edits.extend(into_domains(scene, node, topology_key));
            edits
        }
    }
}

/// Deletions of pods in a domain.
fn deletions_in(scene: &Scene, key: &str, domain: &str, wanted: impl Fn(&Pod) -> bool) -> Vec<PlacementEdit> {
    let in_domain = |pod: &Pod| {
        let node = scene.store.node_named(&pod.spec.node_name);
        node.and_then(|node| node.metadata.label(key)) == Some(domain)
    };
    let pods = scene.store.pods().values().filter(|pod| pod.occupies_node() && wanted(pod) && in_domain(pod));
    pods.filter_map(|pod| deletion(scene, &pod.metadata.key())).take(2 * MOST_VICTIMS).collect()
}

/// The pods that count on a node, and those that are about to come to it.
fn pods_of<'a>(scene: &'a Scene, node: &Node) -> impl Iterator<Item = &'a Rc<Pod>> {
    let own = scene.pod.metadata.key();
    let present = scene.store.pods_on(node.name()).filter(|pod| pod.occupies_node());
    let coming = scene.store.pods_nominated_to(node.name());
    present.chain(coming).filter(move |pod| pod.metadata.key() != own)
}
