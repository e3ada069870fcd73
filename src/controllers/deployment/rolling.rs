//! The two strategies: rolling update and recreate.

use super::budget::{is_rolling, max_surge, max_unavailable, replicas, total};
use super::conditions;
use super::scale::wanted;
use super::sync::Sync;
use super::{DeploymentDecision, ScaleReason};
use crate::objects::*;

/// How many replicas the new ReplicaSet may have now.
///
/// Follows kubernetes pkg/controller/deployment/util NewRSNewReplicas, v1.36.
pub fn new_replicas<'a>(
    deployment: &Deployment,
    others: impl IntoIterator<Item = &'a ReplicaSet>,
    new: &ReplicaSet,
) -> i32 {
    let desired = replicas(deployment);
    if !is_rolling(deployment) {
        return desired;
    }
    let present = total(others).saturating_add(wanted(new));
    let most = desired.saturating_add(max_surge(deployment));
    if present >= most {
        return wanted(new);
    }
    wanted(new).saturating_add((most - present).min(desired - wanted(new)))
}

impl Sync<'_> {
    /// Follows kubernetes pkg/controller/deployment/rolling.go rolloutRolling, v1.36.
    pub(super) fn rollout_rolling(&mut self) {
        self.sync_revision(true);
        if self.reconcile_new() || self.reconcile_old() {
            return self.sync_rollout_status();
        }
        if conditions::is_complete(&self.deployment, &self.deployment.status) {
            self.clean_up();
        } else if !self.old_indexes().is_empty() {
            let available = self.sets.iter().map(|set| set.status.available_replicas).fold(0, i32::saturating_add);
            let deployment = &self.deployment;
            self.decide(DeploymentDecision::Waiting {
                replicas: replicas(deployment),
                available,
                max_unavailable: max_unavailable(deployment),
                max_surge: max_surge(deployment),
            });
        }
        self.sync_rollout_status();
    }

    fn reconcile_new(&mut self) -> bool {
        let desired = replicas(&self.deployment);
        let Some((index, set)) = self.new.and_then(|index| Some((index, self.sets.get(index)?))) else { return false };
        let present = wanted(set);
        if present == desired {
            return false;
        }
        if present > desired {
            return self.scale_set(index, desired, ScaleReason::TooMany);
        }
        let others = self.sets.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, set)| &**set);
        let target = new_replicas(&self.deployment, others, set);
        self.scale_set(index, target, ScaleReason::RollingUp)
    }

    /// Follows kubernetes pkg/controller/deployment/rolling.go reconcileOldReplicaSets, v1.36.
    ///
    /// Assumption: pods of the new ReplicaSet that are not available yet must not make old ones go, so they are taken
    /// off what may go.
    fn reconcile_old(&mut self) -> bool {
        if self.old_indexes().is_empty() {
            return false;
        }
        let min_available = replicas(&self.deployment) - max_unavailable(&self.deployment);
        let all = total(self.sets.iter().map(|set| &**set));
        let new = self.new.and_then(|index| self.sets.get(index));
        let new_unavailable = new.map_or(0, |set| wanted(set) - set.status.available_replicas);
        let most = all - min_available - new_unavailable;
        if most <= 0 {
            return false;
        }
        let unhealthy = self.clean_up_unhealthy(most);
        let healthy = self.scale_down_old(min_available);
        unhealthy + healthy > 0
    }

    fn clean_up_unhealthy(&mut self, most: i32) -> i32 {
        let mut gone = 0;
        for index in self.old_indexes() {
            let Some(set) = self.sets.get(index).filter(|_| gone < most) else { break };
            let (size, available) = (wanted(set), set.status.available_replicas);
            let count = (most - gone).min(size - available);
            if count > 0 {
                self.scale_set(index, size - count, ScaleReason::Unhealthy);
                gone += count;
            }
        }
        gone
    }

    fn scale_down_old(&mut self, min_available: i32) -> i32 {
        let available = self.sets.iter().map(|set| set.status.available_replicas).fold(0, i32::saturating_add);
        let most = available - min_available;
        let mut gone = 0;
        for index in self.old_indexes() {
            let Some(set) = self.sets.get(index).filter(|_| gone < most) else { break };
            let size = wanted(set);
            let count = size.min(most - gone);
            self.scale_set(index, size - count, ScaleReason::RollingDown);
            gone += count;
        }
        gone
    }

    /// Follows kubernetes pkg/controller/deployment/recreate.go rolloutRecreate, v1.36.
    pub(super) fn rollout_recreate(&mut self) {
        self.sync_revision(false);
        let mut scaled = false;
        for index in self.old_indexes() {
            scaled |= self.scale_set(index, 0, ScaleReason::Recreate);
        }
        if scaled {
            return self.sync_rollout_status();
        }
        if self.old_pods_run() {
            self.decide(DeploymentDecision::OldPodsRemain);
            return self.sync_rollout_status();
        }
        if self.new.is_none() {
            self.sync_revision(true);
        }
        if let Some(index) = self.new {
            self.scale_set(index, replicas(&self.deployment), ScaleReason::Recreate);
        }
        if conditions::is_complete(&self.deployment, &self.deployment.status) {
            self.clean_up();
        }
        self.sync_rollout_status();
    }

    fn old_pods_run(&self) -> bool {
        let old = self.sets.iter().enumerate().filter(|(index, _)| Some(*index) != self.new);
        old.into_iter().any(|(_, set)| self.store.pods_controlled_by(&set.metadata.uid).any(|pod| !pod.is_finished()))
    }
}
