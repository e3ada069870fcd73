//! Runaway detection: a run that comes back to where it was goes round for ever.

use crate::apiserver::Change;
use crate::objects::*;
use std::collections::BTreeMap;

/// How often a shape must come back, equally far apart, before the run counts as a loop.
const RETURNS: usize = 3;

/// A loop that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Step at which the last full round began.
    pub from: usize,
    /// Step at which it ended.
    pub to: usize,
    /// Virtual milliseconds of that round.
    pub period_ms: u64,
}

/// What the cluster looks like, whatever pods are called and whenever they were made: a sum over all objects, so that
/// a change costs only what it changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape(u64);

impl Shape {
    /// The shape after some changes.
    pub fn after(self, changes: &[Change]) -> Self {
        changes.iter().fold(self, |Self(sum), change| {
            let before = change.before.as_ref().map_or(0, object_shape);
            let after = change.after.as_ref().map_or(0, object_shape);
            Self(sum.wrapping_sub(before).wrapping_add(after))
        })
    }
}

/// What is the same for an object and the one that replaces it.
fn object_shape(object: &Object) -> u64 {
    let mut hash = Fnv::default();
    hash.text(object.kind_name());
    match object {
        Object::Pod(pod) => {
            match pod.metadata.controller() {
                Some(owner) => hash.text(&owner.uid),
                None => hash.text(&pod.metadata.name),
            }
            hash.text(pod.target_node().unwrap_or(""));
            hash.text(&pod.spec.node_name);
            hash.text(pod.metadata.label(CONTROLLER_REVISION_HASH).unwrap_or(""));
            hash.text(&pod.status.phase);
            hash.text(&pod.status.reason);
            for condition in &pod.status.conditions {
                hash.text(&condition.type_);
                hash.text(&condition.status);
            }
            for container in pod.status.container_statuses.iter() {
                hash.text(container.state.waiting.as_ref().map_or("", |waiting| &waiting.reason));
            }
            hash.text(if pod.is_terminating() { "terminating" } else { "" });
        }
        Object::Node(node) => {
            hash.text(&node.metadata.name);
            for taint in node.spec.taints.iter() {
                hash.text(&taint.to_string());
            }
            for condition in node.status.conditions.iter() {
                hash.text(&condition.type_);
                hash.text(&condition.status);
            }
        }
        Object::DaemonSet(set) => {
            hash.text(&set.metadata.uid);
            hash.text(&set.metadata.generation.to_string());
        }
        Object::Deployment(set) => {
            hash.text(&set.metadata.uid);
            hash.text(&set.metadata.generation.to_string());
        }
        // Events only count up; the others change with the objects above.
        _ => return 0,
    }
    hash.0
}

/// FNV-1a; texts are separated by a zero byte.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn text(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Watches a run for loops. Made anew for each run, so that a person's own back and forth is no loop.
#[derive(Clone, Debug, Default)]
pub struct CycleDetector {
    last: Option<Shape>,
    seen: BTreeMap<Shape, Vec<(usize, u64)>>,
}

impl CycleDetector {
    /// Looks at the shape after step `number`, at `at_ms`. Returns the loop, once the run has come back to the same
    /// shape equally far apart [`RETURNS`] times.
    pub fn look(&mut self, shape: Shape, number: usize, at_ms: u64) -> Option<Cycle> {
        if self.last.replace(shape) == Some(shape) {
            return None;
        }
        let visits = self.seen.entry(shape).or_default();
        visits.push((number, at_ms));
        let [.., a, b, c] = visits.as_slice() else { return None };
        let regular = c.0 - b.0 == b.0 - a.0 || visits.len() > 4 * RETURNS;
        (visits.len() > RETURNS && regular).then_some(Cycle { from: b.0, to: c.0, period_ms: c.1 - b.1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(shapes: &[u64]) -> Option<Cycle> {
        let mut detector = CycleDetector::default();
        let mut steps = shapes.iter().enumerate();
        steps.find_map(|(i, shape)| detector.look(Shape(*shape), i + 1, 1000 * i as u64))
    }

    #[test]
    fn a_run_that_comes_back_again_and_again_is_a_loop() {
        assert_eq!(run(&[9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]), Some(Cycle { from: 8, to: 11, period_ms: 3000 }));
    }

    #[test]
    fn a_rollout_that_goes_on_is_none() {
        let waves: Vec<u64> = (0..1000).collect();
        assert_eq!(run(&waves), None);
        assert_eq!(run(&[1, 2, 1, 2, 3, 4]), None);
        assert_eq!(run(&[5; 100]), None);
    }
}
