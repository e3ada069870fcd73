//! What the panel of details shows of the chosen thing.

use crate::app::command;
use crate::app::fixes;
use crate::app::message::{Inspect, Question};
use crate::app::model::Model;
use crate::app::phrase::{Part, Phrase, fill};
use crate::app::text::EditWords;
use crate::app::view::{Detail, Fleet, NodeCard, Place16, PodDetail, PodTile, PodWhy, VerdictView, readable};
use crate::insight::explain::{explain, once_ready};
use crate::insight::fate::fate;
use crate::insight::placement::explain_pending;
use crate::insight::standstill::Standing;
use crate::manifest::{self, Limits};
use crate::objects::*;
use crate::order::Order;
use crate::scheduler::check_node;
use std::rc::Rc;

mod state;

/// Looks the chosen thing up.
pub fn of(model: &Model, fleet: &Fleet, cards: &[Rc<NodeCard>], what: &Inspect) -> Detail {
    match what {
        Inspect::Node(name) => {
            let card = cards.iter().find(|card| card.name == *name);
            let node = model.session.world().store().node_named(name);
            match (card, node) {
                (Some(card), Some(node)) => Detail::Node(Rc::clone(card), node_facts(model, node)),
                _ => Detail::Gone(name.to_string(), None),
            }
        }
        Inspect::Pod(key) => match model.session.world().store().pod(key) {
            Some(pod) => Detail::Pod(pod_detail(model, fleet, pod)),
            None => Detail::Gone(key.name.to_string(), told_fate(model, key)),
        },
    }
}

/// Answers what was asked last. Where nothing was asked, or what was asked about is gone, it takes the DaemonSet that is
/// looked at, and the first node that it has no pod on.
pub fn why(model: &Model, cards: &[Rc<NodeCard>]) -> Option<VerdictView> {
    let store = model.session.world().store();
    let asked = model.question.as_ref();
    let set = asked
        .and_then(|question| store.daemon_set(&question.set))
        .or_else(|| store.daemon_set(model.chosen.as_ref()?))
        .or_else(|| store.daemon_sets().values().next())?;
    let key = set.metadata.key();
    let is_empty = |card: &&Rc<NodeCard>| card.places.iter().any(|place| place.set == key && place.pods.is_empty());
    let node = asked.and_then(|question| store.node_named(&question.node)).or_else(|| {
        let card = cards.iter().find(is_empty).or(cards.first())?;
        store.node_named(&card.name)
    })?;
    Some(verdict(model, Question { set: key, node: node.name().clone() }, set, node))
}

fn node_facts(model: &Model, node: &Node) -> Vec<(&'static str, String)> {
    let words = model.words();
    let mut facts = Vec::new();
    if !node.roles().is_empty() {
        facts.push((words.fact_roles, node.roles().join(", ")));
    }
    let conditions: Vec<String> = node
        .status
        .conditions
        .iter()
        .filter(|condition| condition.type_ == "Ready" || condition.status != "False")
        .map(|condition| format!("{} {}", condition.type_, condition.status))
        .collect();
    facts.push((words.fact_conditions, conditions.join(", ")));
    for (name, resource) in [(words.cpu, CPU), (words.memory, MEMORY)] {
        if let Some(quantity) = node.status.allocatable.get(resource) {
            facts.push((name, readable(*quantity, resource)));
        }
    }
    let pods = model.session.world().store().pods_on(node.name()).count();
    let allowed = node.status.allocatable.get(PODS).map_or_else(String::new, |most| format!(" / {most}"));
    facts.push((words.fact_pods, format!("{pods}{allowed}")));
    if let Some(instance) = node.metadata.label("node.kubernetes.io/instance-type") {
        facts.push((words.fact_instance, instance.to_string()));
    }
    facts
}

fn pod_detail(model: &Model, fleet: &Fleet, pod: &Rc<Pod>) -> PodDetail {
    let words = model.words();
    let world = model.session.world();
    let key = pod.metadata.key();
    let mut facts = vec![(words.fact_namespace, key.namespace.to_string())];
    match pod.target_node() {
        Some(node) if pod.is_bound() => facts.push((words.fact_node, node.to_string())),
        Some(node) => facts.push((words.fact_node, fill(words.fact_pinned, &[("node", node)]))),
        None => {}
    }
    let tile = PodTile::of(pod, fleet, world.now());
    if let Some(owner) = pod.metadata.controller() {
        facts.push((words.fact_owner, format!("{} {}", owner.kind, owner.name)));
    }
    if let Some(revision) = tile.revision {
        facts.push((words.fact_revision, revision.to_string()));
    }
    let images: Vec<&str> = pod.spec.containers.iter().map(|container| container.image.as_str()).collect();
    facts.push((words.fact_image, images.join(", ")));
    facts.push((words.fact_phase, pod.status.phase.clone()));
    let restarts: i32 = pod.status.container_statuses.iter().map(|status| status.restart_count).sum();
    if restarts > 0 {
        facts.push((words.fact_restarts, restarts.to_string()));
    }
    if !pod.status.qos_class.is_empty() {
        facts.push((words.fact_qos, pod.status.qos_class.clone()));
    }
    let told = pod.status.condition("PodScheduled").filter(|condition| condition.status == "False");
    let message = told.map_or(pod.status.message.as_str(), |condition| condition.message.as_str());
    if !message.is_empty() {
        facts.push((words.fact_message, message.to_string()));
    }
    let actions =
        vec![(words.describe, command::describe_pod(&key), false), (words.delete_pod, command::delete_pod(&key), true)];
    PodDetail { tile, facts, actions, why: pod_why(model, pod).map(Box::new) }
}

/// Why a pod is pending, node by node; or who ended it.
fn pod_why(model: &Model, pod: &Rc<Pod>) -> Option<PodWhy> {
    let words = model.words();
    if let Some(placement) = explain_pending(model.session.world().store(), pod) {
        return Some(PodWhy {
            title: words.placement().title.to_string(),
            answer: words.obstacle(&placement.obstacle),
            fixes_title: words.smallest_change,
            rows: words.placement_rows(&placement),
            fixes: fixes::offered_for_pod(model, pod, &placement.changes),
        });
    }
    let over = pod.is_terminating() || pod.is_finished();
    let answer = over.then(|| told_fate(model, &pod.metadata.key())).flatten()?;
    let title = words.placement().end_title.to_string();
    Some(PodWhy { title, answer, fixes_title: "", rows: Vec::new(), fixes: Vec::new() })
}

/// Who ended the pod of this key and why, as far as the steps so far tell.
fn told_fate(model: &Model, key: &ObjectKey) -> Option<Phrase> {
    let session = &model.session;
    fate(session.steps().take(session.position()), key).map(|fate| model.words().pod_fate(&fate))
}

fn verdict(model: &Model, question: Question, set: &Rc<DaemonSet>, node: &Node) -> VerdictView {
    let words = model.words();
    let world = model.session.world();
    let store = world.store();
    let explanation = explain(set, node);
    let eligible = explanation.verdict.eligibility.should_run;
    let standing = eligible.then(|| Standing::of(store, set, world.now()));
    let fault = standing.as_ref().and_then(|standing| standing.faults.iter().find(|fault| fault.node == *node.name()));
    let own = store.pods_on(node.name()).filter(|pod| pod.metadata.is_controlled_by(&set.metadata.uid));
    let mut pods: Vec<&Rc<Pod>> = own.collect();
    // Where two are there, the one with the trouble is spoken of.
    pods.order_by_key(|pod| fault.is_none_or(|fault| fault.pod.as_ref() != Some(*pod)));
    let read = manifest::read(model.files.shown().map_or("", |file| &file.text), &Limits::default());
    let find = |path: &str| line_of(&read, &set.metadata.key(), path);
    let mut rows = words.check_rows(&explanation, &find);
    let mut later = words.later_rows(eligible, &pods);
    let is_refused =
        |pod: &Pod| pod.status.condition("PodScheduled").is_some_and(|condition| condition.status == "False");
    let waiting = pods.iter().find(|pod| !pod.is_bound() && !pod.is_terminating() && is_refused(pod));
    let placement = waiting.and_then(|pod| explain_pending(store, pod));
    if let Some(checks) = waiting.and_then(|pod| check_node(store, pod, node.name())) {
        // Between the scheduler's answer and the kubelet's: what each filter says.
        later.splice(1..1, words.filter_rows(&checks));
    }
    let state = standing.as_ref().and_then(|standing| state::of(model, set, standing, node.name(), fault));
    if let (Some(row), Some(fault)) = (later.last_mut(), fault) {
        state::kubelet_row(words, row, fault);
    }
    rows.extend(state.as_ref().and_then(|state| state.row.clone()));
    rows.extend(later);
    // A pod that should be there and is not placed: the changes that would place it come first.
    let (fixes_title, fixes, urgent) = match (waiting, placement) {
        (Some(pod), Some(placement)) if eligible => {
            (words.smallest_change, fixes::offered_for_pod(model, pod, &placement.changes), true)
        }
        _ => {
            let title = if eligible { words.keep_off } else { words.smallest_change };
            (title, fixes::offered(model, set, node, &explanation), !eligible)
        }
    };
    let edits = EditWords::of(model.language());
    let mut notes: Vec<Phrase> = fixes::wrong_system(model, set, node).into_iter().collect();
    let (mut fixes_title, mut fixes, mut urgent) = (fixes_title, fixes, urgent);
    if let Some(ready) = once_ready(&explanation.verdict, node) {
        // What goes away by itself needs no change, least of all one of the manifest.
        let taint = [("taint", Part::Code(TAINT_NOT_READY.into()))];
        let then = explain(set, &ready);
        urgent = !then.verdict.eligibility.should_run;
        notes.insert(0, Phrase::fill(if urgent { edits.passes_and_lasts } else { edits.passes }, &taint));
        if urgent {
            (fixes_title, fixes) = (edits.once_ready, fixes::offered(model, set, &ready, &then));
        } else {
            fixes_title = edits.before_ready;
        }
    }
    // An edit that is made and not applied yet is what is to be done next, whatever it leads to.
    urgent |= fixes.first().is_some_and(|fix| matches!(fix.message, crate::app::message::Msg::ApplyFile(_)));
    let usual = if pods.is_empty() { words.why_no_pod_on } else { words.verdict_pod };
    let answer = || words.verdict_answer(&explanation.verdict, &set.metadata.name, !pods.is_empty());
    let (title, answer, passed, way_out) = match state {
        Some(state) => (state.title, state.answer, false, state.way_out),
        None => (usual, answer(), eligible, Vec::new()),
    };
    VerdictView {
        question,
        title: fill(title, &[("node", node.name())]),
        answer,
        passed,
        way_out,
        notes,
        fixes_title,
        urgent,
        rows,
        fixes,
    }
}

/// Where a field of the DaemonSet stands in the shown file, if it does.
fn line_of(read: &manifest::ManifestRead, set: &ObjectKey, path: &str) -> Option<Place16> {
    let location = fixes::find(read, set)?.locate_text(path).filter(|location| location.exact)?;
    let span = location.span();
    let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
    Some((span.start.line, units(span.start.utf16), units(span.end.utf16)))
}

#[cfg(test)]
#[path = "details_tests.rs"]
mod tests;
