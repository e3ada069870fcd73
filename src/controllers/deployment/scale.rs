//! Scaling when the number of replicas changes.

use super::budget::{is_rolling, max_surge, replicas, total};
use super::revision::{DESIRED_REPLICAS_ANNOTATION, MAX_REPLICAS_ANNOTATION, by_age, set_replicas_annotations};
use super::sync::Sync;
use super::{DeploymentDecision, ScaleReason};
use crate::objects::*;
use crate::order::Order;
use std::cmp::Ordering;
use std::rc::Rc;

fn annotated(set: &ReplicaSet, key: &str) -> Option<i32> {
    set.metadata.annotation(key)?.parse().ok()
}

/// Pods that a ReplicaSet asks for.
pub fn wanted(set: &ReplicaSet) -> i32 {
    set.spec.replicas.unwrap_or(1)
}

impl Sync<'_> {
    /// Whether the number of replicas has changed since the ReplicaSets were last scaled.
    ///
    /// Follows kubernetes pkg/controller/deployment isScalingEvent, v1.36.
    pub(super) fn is_scaling_event(&self) -> bool {
        let desired = replicas(&self.deployment);
        let active = self.sets.iter().filter(|set| wanted(set) > 0);
        active.filter_map(|set| annotated(set, DESIRED_REPLICAS_ANNOTATION)).any(|noted| noted != desired)
    }

    /// Follows kubernetes pkg/controller/deployment scale, v1.36.
    pub(super) fn scale(&mut self) {
        let desired = replicas(&self.deployment);
        if let Some(index) = self.active_or_latest() {
            self.scale_set(index, desired, ScaleReason::Resized);
            return;
        }
        if self.is_saturated() {
            for index in self.old_indexes() {
                self.scale_set(index, 0, ScaleReason::Saturated);
            }
            return;
        }
        if is_rolling(&self.deployment) {
            self.scale_proportionally(desired);
        }
    }

    /// The only active ReplicaSet or, when none is, the new or the youngest one.
    fn active_or_latest(&self) -> Option<usize> {
        let active: Vec<usize> = self.indexes(|set| wanted(set) > 0);
        match active.as_slice() {
            [] => self.new.or_else(|| {
                let mut all = self.indexes(|_| true);
                all.order_by(|a, b| self.by_age(*a, *b));
                all.last().copied()
            }),
            [only] => Some(*only),
            _ => None,
        }
    }

    fn is_saturated(&self) -> bool {
        let desired = replicas(&self.deployment);
        self.new.and_then(|index| self.sets.get(index)).is_some_and(|set| {
            wanted(set) == desired
                && annotated(set, DESIRED_REPLICAS_ANNOTATION) == Some(desired)
                && set.status.available_replicas == desired
        })
    }

    fn scale_proportionally(&mut self, desired: i32) {
        let mut active = self.indexes(|set| wanted(set) > 0);
        let allowed = if desired > 0 { desired.saturating_add(max_surge(&self.deployment)) } else { 0 };
        let present = total(active.iter().filter_map(|index| self.sets.get(*index)).map(|set| &**set));
        let to_add = allowed.saturating_sub(present);
        let size = |index: usize| self.sets.get(index).map_or(0, |set| wanted(set));
        active.order_by(|a, b| {
            let by_size = size(*b).cmp(&size(*a));
            let by_age = self.by_age(*a, *b);
            by_size.then(if to_add > 0 { by_age.reverse() } else { by_age })
        });
        let mut added = 0;
        let mut targets = Vec::with_capacity(active.len());
        for index in active {
            let Some(set) = self.sets.get(index) else { continue };
            let share = if to_add == 0 { 0 } else { self.share(set, to_add, added) };
            added += share;
            targets.push((index, wanted(set).saturating_add(share)));
        }
        if let Some((_, first)) = targets.first_mut()
            && to_add != 0
        {
            // The largest one takes what rounding left over.
            *first = first.saturating_add(to_add - added).max(0);
        }
        for (index, target) in targets {
            self.scale_set(index, target, ScaleReason::Proportional);
        }
    }

    /// Follows kubernetes pkg/controller/deployment/util GetReplicaSetProportion, v1.36.
    fn share(&self, set: &ReplicaSet, to_add: i32, added: i32) -> i32 {
        let size = wanted(set);
        if size == 0 || to_add == added {
            return 0;
        }
        let (fraction, allowed) = (self.fraction(set), to_add - added);
        if to_add > 0 { fraction.min(allowed) } else { fraction.max(allowed) }
    }

    fn fraction(&self, set: &ReplicaSet) -> i32 {
        let (size, desired) = (wanted(set), replicas(&self.deployment));
        if desired == 0 {
            return -size;
        }
        let most = f64::from(desired.saturating_add(max_surge(&self.deployment)));
        let before = annotated(set, MAX_REPLICAS_ANNOTATION).unwrap_or(self.deployment.status.replicas);
        if before == 0 {
            return 0;
        }
        let target = (f64::from(size) * most / f64::from(before)).round();
        // The product of two int32 over a third stays within what a double holds exactly.
        (target as i32).saturating_sub(size)
    }

    /// Sets the number of replicas of one ReplicaSet, notes the Deployment's own number, and tells. Returns whether the
    /// number changed.
    ///
    /// Follows kubernetes pkg/controller/deployment scaleReplicaSet, v1.36.
    pub(super) fn scale_set(&mut self, index: usize, to: i32, because: ScaleReason) -> bool {
        let deployment = self.deployment.clone();
        let Some(set) = self.sets.get_mut(index) else { return false };
        let from = wanted(set);
        let mut scaled = (**set).clone();
        let noted = set_replicas_annotations(&mut scaled, &deployment);
        if from == to && !noted {
            return false;
        }
        scaled.spec.replicas = Some(to);
        let name = scaled.metadata.name.clone();
        *set = Rc::new(scaled);
        match from.cmp(&to) {
            Ordering::Equal => return false,
            Ordering::Less => {
                self.tell(NORMAL, "ScalingReplicaSet", format!("Scaled up replica set {name} from {from} to {to}"));
            }
            Ordering::Greater => {
                self.tell(NORMAL, "ScalingReplicaSet", format!("Scaled down replica set {name} from {from} to {to}"));
            }
        }
        self.decide(DeploymentDecision::Scaled { replica_set: name, from, to, because });
        true
    }

    pub(super) fn indexes(&self, test: impl Fn(&ReplicaSet) -> bool) -> Vec<usize> {
        self.sets.iter().enumerate().filter(|(_, set)| test(set)).map(|(index, _)| index).collect()
    }

    /// Old ReplicaSets that ask for pods, oldest first.
    pub(super) fn old_indexes(&self) -> Vec<usize> {
        let mut old = self.indexes(|set| wanted(set) > 0);
        old.retain(|index| Some(*index) != self.new);
        old.order_by(|a, b| self.by_age(*a, *b));
        old
    }

    fn by_age(&self, a: usize, b: usize) -> Ordering {
        match (self.sets.get(a), self.sets.get(b)) {
            (Some(a), Some(b)) => by_age(a, b),
            _ => Ordering::Equal,
        }
    }
}
