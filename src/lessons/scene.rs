//! Looks things up in a world for the checks.

use super::check::{ObjectClaim, ObjectTest, PodState, PodTest};
use crate::kubectl::{JsonPath, Selector, served};
use crate::objects::{Kind, Object, Pod};
use crate::simulation::World;
use std::rc::Rc;

/// The words of a command line, without flags' dashes mattering: quotes stay with their words.
pub(super) fn script_words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

/// The pods that a test is about.
pub fn matching_pods<'w>(test: &PodTest, world: &'w World) -> Vec<&'w Rc<Pod>> {
    let Ok(selector) = Selector::parse(&test.selector) else { return Vec::new() };
    let pods = world.store().pods().values();
    pods.filter(|pod| test.namespace == "*" || *pod.metadata.namespace == *test.namespace)
        .filter(|pod| selector.matches(&pod.metadata.labels))
        .filter(|pod| in_state(pod, test.state))
        .filter(|pod| {
            let runs = |image: &String| pod.spec.containers.iter().any(|c| c.image.contains(image.as_str()));
            test.image.as_ref().is_none_or(runs)
        })
        .filter(|pod| test.reasons.is_empty() || test.reasons.iter().any(|reason| has_reason(pod, reason)))
        .filter(|pod| {
            let found = |(path, wanted): &(String, String)| {
                printed(&Object::Pod(Rc::clone(pod)), path).as_deref() == Some(wanted.as_str())
            };
            test.path.as_ref().is_none_or(found)
        })
        .collect()
}

fn in_state(pod: &Pod, state: PodState) -> bool {
    let pending = pod.status.phase == "Pending" || pod.status.phase.is_empty();
    match state {
        PodState::Any => true,
        PodState::Live => !pod.is_terminating() && !pod.is_finished(),
        PodState::Ready => pod.is_ready() && !pod.is_terminating(),
        PodState::Pending => pending && !pod.is_terminating(),
        PodState::Unscheduled => pending && !pod.is_bound() && !pod.is_terminating(),
        PodState::NotReady => pod.status.phase == "Running" && !pod.is_ready() && !pod.is_terminating(),
        PodState::Terminating => pod.is_terminating(),
        PodState::Failed => pod.status.phase == "Failed",
    }
}

fn has_reason(pod: &Pod, reason: &str) -> bool {
    let states = pod.status.container_statuses.iter().flat_map(|status| [&status.state, &status.last_state]);
    let mut reasons = states.flat_map(|state| {
        let waiting = state.waiting.as_ref().map(|waiting| waiting.reason.as_str());
        [waiting, state.terminated.as_ref().map(|terminated| terminated.reason.as_str())]
    });
    pod.status.reason == reason || reasons.any(|found| found == Some(reason))
}

/// What a JSONPath prints of an object; `None` for a path that cannot be followed.
fn printed(object: &Object, path: &str) -> Option<String> {
    JsonPath::parse(path).ok()?.print(&served(object)).ok()
}

fn find(test: &ObjectTest, world: &World) -> Option<Object> {
    let store = world.store();
    match Kind::from_manifest(&test.api_version, &test.kind) {
        Some(kind) => store.get(kind, &test.key),
        None => store.unstructured(&test.api_version, &test.kind, &test.key).cloned().map(Object::Unstructured),
    }
}

/// What a test of an object looks at, as it is: what the JSONPath prints, or the object's name where only its being there
/// matters. `None` where there is no such object.
pub fn shown(test: &ObjectTest, world: &World) -> Option<String> {
    let object = find(test, world)?;
    match &test.holds {
        ObjectClaim::Exists(_) => Some(format!("there is {} {}", test.kind, test.key)),
        ObjectClaim::Is(path, _)
        | ObjectClaim::Contains(path, _)
        | ObjectClaim::Found(path, _)
        | ObjectClaim::Number(path, _) => Some(printed(&object, path).unwrap_or_default()),
    }
}

/// Whether what a test claims of its object is so.
pub(super) fn object_test_holds(test: &ObjectTest, world: &World) -> bool {
    let object = find(test, world);
    let shown = |path: &str| object.as_ref().and_then(|object| printed(object, path));
    match &test.holds {
        ObjectClaim::Exists(wanted) => object.is_some() == *wanted,
        ObjectClaim::Is(path, wanted) => shown(path).as_deref() == Some(wanted.as_str()),
        ObjectClaim::Contains(path, part) => shown(path).is_some_and(|text| text.contains(part.as_str())),
        ObjectClaim::Found(path, wanted) => {
            object.is_some() && shown(path).is_some_and(|text| !text.is_empty()) == *wanted
        }
        ObjectClaim::Number(path, amount) => {
            shown(path).and_then(|text| text.parse().ok()).is_some_and(|number| amount.fits(number))
        }
    }
}

/// Number of objects of a kind whose labels fit.
pub(super) fn count_objects(world: &World, api_version: &str, kind: &str, namespace: &str, selector: &str) -> usize {
    let Ok(selector) = Selector::parse(selector) else { return 0 };
    let objects = match Kind::from_manifest(api_version, kind) {
        Some(kind) => world.store().list(kind),
        None => {
            let same = world.store().all_unstructured().filter(|o| o.api_version == api_version && o.kind == kind);
            same.cloned().map(Object::Unstructured).collect()
        }
    };
    let fits = |object: &&Object| {
        let metadata = object.metadata();
        let here = metadata.namespace.is_empty() || namespace == "*" || *metadata.namespace == *namespace;
        here && selector.matches(&metadata.labels)
    };
    objects.iter().filter(fits).count()
}
