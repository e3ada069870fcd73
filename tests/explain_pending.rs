//! The smallest change that is offered for a pending pod really gets it a node: made as a person makes it, through
//! kubectl and the manifest, on every recorded pod that stayed pending; and no smaller one does.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "only the recordings' reader is needed here")]
#[path = "conformance_support/cases.rs"]
mod cases;
#[path = "conformance_support/scheduler_run.rs"]
mod scheduler_run;

use cases::name;
use daemonset_playground::apiserver::{ApiServer, Delete, Store, Write};
use daemonset_playground::insight::explain::{ManifestEdit, ManifestOperation, Rendered};
use daemonset_playground::insight::placement::*;
use daemonset_playground::kubectl::{self, Context, Outcome};
use daemonset_playground::manifest::{self, Limits, apply_edits, edit, parse_path, to_yaml};
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::{Decision, PreemptionOutcome, schedule_one};
use scheduler_run::{cluster_of, create, object, play, pod};
use serde_json::Value;
use std::rc::Rc;

fn kubectl(server: &mut ApiServer, line: &str) {
    match kubectl::run(server, &Context::default(), line) {
        Outcome::Done(output) => assert_eq!(output.exit_code, 0, "{line}: {}", output.stderr),
        Outcome::Waiting(_) => {}
    }
}

/// What the session does with `sim` lines, and the node controller after an uncordon.
fn run(server: &mut ApiServer, line: &str, pending: &ObjectKey) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["sim", "resize-node", node, "--resource", amount] => {
            let (resource, amount) = amount.split_once('=').unwrap();
            let node = (**server.store().node_named(node).unwrap()).clone();
            let node = node.with_resource(resource, Quantity::parse(amount).unwrap());
            server.commit(Write::UpdateStatus(node.into())).unwrap();
        }
        ["sim", "add-node", node, rest @ ..] => {
            let template = rest.get(1).map_or(NodeTemplate::Worker, |name| NodeTemplate::from_name(name).unwrap());
            server.commit(Write::Create(template.node(node, 1, Time(0)).into())).unwrap();
        }
        ["kubectl", "uncordon", node] => {
            kubectl(server, line);
            let mut node = (**server.store().node_named(node).unwrap()).clone();
            Rc::make_mut(&mut node.spec.taints).retain(|taint| taint.key != TAINT_UNSCHEDULABLE);
            server.commit(Write::Update(node.into())).unwrap();
        }
        ["kubectl", "delete", "pod", name, ..] => {
            kubectl(server, line);
            // The kubelet ends it.
            let key = ObjectKey::new(pending.namespace.clone(), *name);
            if let Some(leaving) = server.store().pod(&key).cloned() {
                server.commit(Write::Delete(Delete::pod_now(&leaving))).unwrap();
            }
        }
        _ => kubectl(server, line),
    }
}

/// The pod's manifest with the edit made in its text.
fn edited(text: &str, wanted: &ManifestEdit) -> String {
    let read = manifest::read(text, &Limits::default());
    let object = read.objects().next().expect("a manifest");
    let mut path = object.path.clone();
    // The recorded pods of DaemonSets stand alone: the template's path is theirs.
    path.extend(parse_path(&wanted.path.replace("spec.template.spec", "spec")));
    let made = match &wanted.operation {
        ManifestOperation::Set(value) => edit::set(text, object.document, &path, value),
        ManifestOperation::Append(value) => edit::add_list_item(text, object.document, &path, value),
        ManifestOperation::Remove => edit::remove(text, object.document, &path),
    };
    apply_edits(text, &made.unwrap_or_else(|error| panic!("{wanted:?}: {error:?}")))
}

/// Makes the change as a person would.
fn make(server: &mut ApiServer, inputs: &Value, key: &ObjectKey, change: &PlacementChange) {
    let owner = Owner::of(server.store(), pod(server.store(), key));
    let mut manifest = to_yaml(&inputs["pending"]);
    let mut rewritten = false;
    for remedy in change.edits.iter().flat_map(|edit| edit.remedies(&owner)) {
        match remedy {
            Remedy::Rendered(Rendered::Command(line)) => run(server, &line, key),
            Remedy::Rendered(Rendered::Manifest(edit)) => {
                manifest = edited(&manifest, &edit);
                rewritten = true;
            }
            Remedy::Object(tree) => drop(create(server, object(&tree))),
        }
    }
    if rewritten {
        let old = pod(server.store(), key).clone();
        server.commit(Write::Delete(Delete::pod_now(&old))).unwrap();
        let tree: Value = serde_yaml::from_str(&manifest).expect("YAML");
        create(server, object(&tree));
    }
}

fn gets_a_node(store: &Store, pod: &Rc<Pod>) -> bool {
    match schedule_one(store, pod) {
        Decision::Bound(_) => true,
        Decision::Unschedulable(failure) => matches!(failure.preemption, PreemptionOutcome::Nominated(_)),
        _ => false,
    }
}

#[test]
fn every_recorded_pod_that_stayed_pending_can_get_a_node() {
    let recorded = cases::read("scheduler").expect("the file is well formed").expect("the file is there");
    let (mut pending, mut tried, mut in_vain) = (0, 0, Vec::new());
    for case in &recorded {
        let inputs = &case["inputs"];
        let (server, key) = cluster_of(inputs);
        let waiting = server.store().pod(&key).expect("the pod").clone();
        let placement = explain_pending(server.store(), &waiting).expect("a pod without a node");
        if gets_a_node(server.store(), &waiting) {
            assert!(placement.changes.is_empty(), "{}", name(case));
            continue;
        }
        pending += 1;
        assert!(!placement.changes.is_empty(), "{}: no change is offered: {:?}", name(case), placement.obstacle);
        for change in &placement.changes {
            tried += 1;
            let helped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut server = server.clone();
                make(&mut server, inputs, &key, change);
                play(&mut server, &key);
                pod(server.store(), &key).is_bound()
            }));
            if !helped.unwrap_or(false) {
                in_vain.push(format!("{}: {change:?}", name(case)));
            }
        }
        let smallest = placement.changes[0].size();
        let scene = Scene { store: server.store().clone(), pod: waiting };
        assert!(!any_smaller(&scene, smallest), "{}: less than {smallest} edits would do", name(case));
    }
    assert!(in_vain.is_empty(), "these changes do not help:\n{}", in_vain.join("\n"));
    println!("{pending} of {} recorded pods stay pending; {tried} changes tried", recorded.len());
    assert!(pending > 50, "the recordings hold too few pending pods");
}

/// Whether fewer than `size` edits of all that there are would get the pod a node.
fn any_smaller(scene: &Scene, size: usize) -> bool {
    let vocabulary = vocabulary(scene);
    let mut sets: Vec<Vec<PlacementEdit>> = vec![Vec::new()];
    for _ in 1..size {
        let grown = sets.iter().flat_map(|set| {
            vocabulary.iter().map(move |edit| set.iter().cloned().chain([edit.clone()]).collect::<Vec<_>>())
        });
        let grown: Vec<Vec<PlacementEdit>> = grown.collect();
        if grown.iter().any(|edits| {
            let after = apply(edits, scene);
            gets_a_node(&after.store, &after.pod)
        }) {
            return true;
        }
        sets = grown;
    }
    false
}

/// Every single edit that this cluster and this pod allow, whether it has to do with the verdict or not.
fn vocabulary(scene: &Scene) -> Vec<PlacementEdit> {
    use daemonset_playground::insight::explain::Edit;
    let mut edits = Vec::new();
    let spec = &scene.pod.spec;
    for node in scene.store.nodes().values() {
        let on_node = |edit| PlacementEdit::Node { node: node.name().clone(), edit };
        edits.push(PlacementEdit::Uncordon { node: node.name().clone() });
        for taint in node.spec.taints.iter() {
            edits.push(on_node(Edit::RemoveTaint { taint: taint.clone() }));
            edits.push(PlacementEdit::Spec(Edit::AddToleration {
                toleration: Toleration::exists(&taint.key, &taint.effect),
            }));
        }
        for (key, value) in spec.node_selector.iter() {
            edits.push(on_node(Edit::SetLabel { key: key.clone(), value: value.clone(), replaces: None }));
        }
        for resource in [CPU, MEMORY, EPHEMERAL_STORAGE, PODS, "nvidia.com/gpu", "example.com/foo"] {
            let amount = Quantity::from_units(1 << 50);
            edits.push(PlacementEdit::ResizeNode { node: node.name().clone(), resource: resource.into(), amount });
        }
    }
    for key in spec.node_selector.keys() {
        edits.push(PlacementEdit::Spec(Edit::RemoveNodeSelector { key: key.clone() }));
    }
    // The pin of a DaemonSet's pod is not for a person to change, and its pods come back where they were.
    let of_daemonset = |pod: &Pod| pod.metadata.controller().is_some_and(|owner| owner.kind == "DaemonSet");
    if !of_daemonset(&scene.pod) {
        edits.push(PlacementEdit::Spec(Edit::RemoveRequiredAffinity));
    }
    let others = scene.store.pods().values().filter(|other| other.metadata.name != scene.pod.metadata.name);
    for other in others.filter(|other| !other.is_mirror() && !of_daemonset(other)) {
        edits.push(PlacementEdit::DeletePod { pod: other.metadata.key(), force: false, replaced: false });
    }
    for (list, containers) in
        [(ContainerList::Containers, &spec.containers), (ContainerList::Init, &spec.init_containers)]
    {
        for (container, asks) in containers.iter().enumerate() {
            let requests = asks.resources.iter().flat_map(|r| r.requests.keys().chain(r.limits.keys()));
            for resource in requests {
                let (resource, amount) = (resource.clone(), Quantity::default());
                edits.push(PlacementEdit::SetRequest { list, container, resource, amount, limit_too: true });
            }
            for port in 0..asks.ports.len() {
                edits.push(PlacementEdit::RemoveHostPort { list, container, port });
            }
        }
    }
    for (anti, index) in [(true, 0), (false, 0), (true, 1), (false, 1)] {
        edits.push(PlacementEdit::RemovePodAffinity { anti, index });
    }
    for index in 0..spec.topology_spread_constraints.len() {
        edits.push(PlacementEdit::RelaxSpread { index });
    }
    if let Some(gate) = spec.scheduling_gates.first() {
        let (pod, name) = (scene.pod.metadata.key(), gate.name.clone());
        edits.push(PlacementEdit::RemoveGate { pod, index: 0, name });
    }
    edits.push(PlacementEdit::RemoveSchedulerName);
    edits
}
