//! The pod that a DaemonSet puts on a node.

use crate::objects::*;
use serde::Serialize;
use std::rc::Rc;

/// Where a toleration of a DaemonSet's pod comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TolerationOrigin {
    /// Written in the template, at this index.
    Template(usize),
    /// Added by the controller.
    Automatic,
    /// Added by the controller in the place of the equal one (but for its tolerationSeconds) at this index.
    AutomaticInPlaceOf(usize),
}

/// What every DaemonSet pod tolerates, in the order in which it is added; the network only with `hostNetwork`.
///
/// Follows kubernetes pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations, v1.36.
pub fn automatic_tolerations(host_network: bool) -> impl Iterator<Item = Toleration> {
    [
        (TAINT_NOT_READY, NO_EXECUTE),
        (TAINT_UNREACHABLE, NO_EXECUTE),
        (TAINT_DISK_PRESSURE, NO_SCHEDULE),
        (TAINT_MEMORY_PRESSURE, NO_SCHEDULE),
        (TAINT_PID_PRESSURE, NO_SCHEDULE),
        (TAINT_UNSCHEDULABLE, NO_SCHEDULE),
    ]
    .into_iter()
    .chain(host_network.then_some((TAINT_NETWORK_UNAVAILABLE, NO_SCHEDULE)))
    .map(|(key, effect)| Toleration::exists(key, effect))
}

/// The tolerations of the pods of this template, in order, with their origin.
///
/// One of the template that equals an automatic one in key, effect, operator and value is replaced in its place, which
/// loses its tolerationSeconds; the other automatic ones are appended.
pub fn effective_tolerations(template: &PodSpec) -> Vec<(Toleration, TolerationOrigin)> {
    let mut all: Vec<(Toleration, TolerationOrigin)> = template
        .tolerations
        .iter()
        .enumerate()
        .map(|(index, toleration)| (toleration.clone(), TolerationOrigin::Template(index)))
        .collect();
    for automatic in automatic_tolerations(template.host_network) {
        let mut replaced = false;
        for (toleration, origin) in &mut all {
            if is_same_toleration(toleration, &automatic) {
                *toleration = automatic.clone();
                if let TolerationOrigin::Template(index) = *origin {
                    *origin = TolerationOrigin::AutomaticInPlaceOf(index);
                }
                replaced = true;
            }
        }
        if !replaced {
            all.push((automatic, TolerationOrigin::Automatic));
        }
    }
    all
}

fn is_same_toleration(a: &Toleration, b: &Toleration) -> bool {
    a.key == b.key && a.effect == b.effect && a.operator == b.operator && a.value == b.value
}

/// The template that all new pods of this reconcile share: tolerations and the two labels added. A `generation` is
/// given when the DaemonSet carries the deprecated annotation.
///
/// Follows kubernetes pkg/controller/daemon/util CreatePodTemplate, v1.36.
pub fn pod_template(template: &PodTemplateSpec, generation: Option<&str>, hash: &str) -> PodTemplateSpec {
    let mut template = template.clone();
    let tolerations = effective_tolerations(&template.spec);
    template.spec.tolerations = Rc::new(tolerations.into_iter().map(|(toleration, _)| toleration).collect());
    let labels = Rc::make_mut(&mut template.metadata.labels);
    if let Some(generation) = generation {
        labels.insert(POD_TEMPLATE_GENERATION.into(), generation.into());
    }
    if !hash.is_empty() {
        labels.insert(CONTROLLER_REVISION_HASH.into(), hash.into());
    }
    template
}

/// Replaces the required node affinity by the one term that names the node. Everything else of the affinity stays.
///
/// Follows kubernetes pkg/controller/daemon/util ReplaceDaemonSetPodNodeNameNodeAffinity, v1.36.
pub fn pin_to_node(affinity: Option<&Affinity>, node: &str) -> Affinity {
    let mut affinity = affinity.cloned().unwrap_or_default();
    let name = NodeSelectorRequirement {
        key: "metadata.name".into(),
        operator: "In".into(),
        values: vec![node.into()],
        ..Default::default()
    };
    let term = NodeSelectorTerm { match_fields: vec![name], ..Default::default() };
    let selector = NodeSelector { node_selector_terms: vec![term], ..Default::default() };
    affinity.node_affinity.get_or_insert_default().required_during_scheduling_ignored_during_execution = Some(selector);
    affinity
}

/// The pod that the controller asks the API server to create: not named yet (the server completes `generateName`), not
/// bound (the scheduler does that), owned by the DaemonSet. `template` comes from [`pod_template`].
///
/// Follows kubernetes pkg/controller GetPodFromTemplate, v1.36.
pub fn pod_for_node(daemonset: &DaemonSet, template: &PodTemplateSpec, node: &str) -> Pod {
    let mut spec = template.spec.clone();
    spec.affinity = Some(Rc::new(pin_to_node(spec.affinity.as_deref(), node)));
    Pod {
        metadata: ObjectMeta {
            generate_name: generate_name(&daemonset.metadata.name),
            namespace: daemonset.metadata.namespace.clone(),
            labels: template.metadata.labels.clone(),
            annotations: template.metadata.annotations.clone(),
            finalizers: template.metadata.finalizers.clone(),
            owner_references: Rc::new(vec![controller_reference(daemonset)]),
            ..Default::default()
        },
        spec: Rc::new(spec),
        ..Default::default()
    }
}

/// The DaemonSet's name and a hyphen, where that is the beginning of a valid pod name.
fn generate_name(name: &str) -> String {
    if name.len() < 253 { format!("{name}-") } else { name.into() }
}

/// The owner reference that makes the DaemonSet the controller of an object.
pub fn controller_reference(daemonset: &DaemonSet) -> OwnerReference {
    OwnerReference {
        api_version: Kind::DaemonSet.api_version().into(),
        kind: Kind::DaemonSet.name().into(),
        name: daemonset.metadata.name.clone(),
        uid: daemonset.metadata.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..Default::default()
    }
}
