//! The counters and conditions of a Deployment, and the clean-up of its history.

use super::DeploymentDecision;
use super::budget::{max_unavailable, replicas, total};
use super::conditions::*;
use super::revision::revision;
use super::scale::wanted;
use super::sync::Sync;
use crate::apiserver::{Delete, Propagation, Timer, Write};
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

/// How many old ReplicaSets are kept unless the Deployment says otherwise.
const DEFAULT_HISTORY_LIMIT: i32 = 10;

impl Sync<'_> {
    /// Follows kubernetes pkg/controller/deployment calculateStatus, v1.36. Left out: terminatingReplicas.
    fn calculate_status(&self) -> DeploymentStatus {
        let sum = |of: fn(&ReplicaSet) -> i32| self.sets.iter().map(|set| of(set)).fold(0, i32::saturating_add);
        let available_replicas = sum(|set| set.status.available_replicas);
        let asked_for = total(self.sets.iter().map(|set| &**set));
        let new = self.new.and_then(|index| self.sets.get(index));
        let deployment = &self.deployment;
        let mut status = DeploymentStatus {
            observed_generation: deployment.metadata.generation,
            replicas: sum(|set| set.status.replicas),
            updated_replicas: new.map_or(0, |set| set.status.replicas),
            ready_replicas: sum(|set| set.status.ready_replicas),
            available_replicas,
            unavailable_replicas: asked_for.saturating_sub(available_replicas).max(0),
            ..deployment.status.clone()
        };
        let enough = available_replicas >= replicas(deployment) - max_unavailable(deployment);
        let (value, reason, message) = if enough {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        set(&mut status, condition(AVAILABLE, value, reason, message.into(), self.now));
        status
    }

    /// The status while the Deployment is paused, scaled or deleted.
    ///
    /// Follows kubernetes pkg/controller/deployment syncDeploymentStatus, v1.36.
    pub(super) fn sync_status(&mut self) {
        let status = self.calculate_status();
        self.write_status(status);
    }

    /// The status of a rollout, with its progress.
    ///
    /// Follows kubernetes pkg/controller/deployment/progress.go syncRolloutStatus, v1.36.
    pub(super) fn sync_rollout_status(&mut self) {
        let mut status = self.calculate_status();
        if progress_deadline(&self.deployment).is_none() {
            remove(&mut status, PROGRESSING);
        }
        let present = get(&self.deployment.status, PROGRESSING).cloned();
        let was_complete = status.replicas == status.updated_replicas
            && present.as_ref().is_some_and(|c| c.reason == NEW_REPLICA_SET_AVAILABLE);
        if progress_deadline(&self.deployment).is_some() && !was_complete {
            self.note_progress(&mut status, present.as_ref());
        }
        match self.replica_failure() {
            Some(failure) => set(&mut status, failure),
            None => remove(&mut status, REPLICA_FAILURE),
        }
        self.look_at_deadline(&status);
        self.write_status(status);
    }

    fn note_progress(&self, status: &mut DeploymentStatus, present: Option<&WorkloadCondition>) {
        let what = match self.new.and_then(|index| self.sets.get(index)) {
            Some(set) => format!("ReplicaSet \"{}\"", set.metadata.name),
            None => format!("Deployment \"{}\"", self.deployment.metadata.name),
        };
        if is_complete(&self.deployment, status) {
            let message = format!("{what} has successfully progressed.");
            set(status, condition(PROGRESSING, "True", NEW_REPLICA_SET_AVAILABLE, message, self.now));
        } else if is_progressing(&self.deployment.status, status) {
            let message = format!("{what} is progressing.");
            let mut progress = condition(PROGRESSING, "True", REPLICA_SET_UPDATED, message, self.now);
            if let Some(present) = present.filter(|c| c.status == "True") {
                progress.last_transition_time = present.last_transition_time;
            }
            // The time of the last progress is what the deadline counts from, so it is renewed.
            remove(status, PROGRESSING);
            set(status, progress);
        } else if is_timed_out(&self.deployment, status, self.now) {
            let message = format!("{what} has timed out progressing.");
            set(status, condition(PROGRESSING, "False", PROGRESS_DEADLINE_EXCEEDED, message, self.now));
        }
    }

    /// A failure of the new ReplicaSet or, else, of an old one, in the Deployment's words.
    fn replica_failure(&self) -> Option<WorkloadCondition> {
        let failure = |set: &Rc<ReplicaSet>| set.status.conditions.iter().find(|c| c.type_ == REPLICA_FAILURE).cloned();
        let new = self.new.and_then(|index| self.sets.get(index));
        let found = new.and_then(failure).or_else(|| self.sets.iter().find_map(failure))?;
        let mut ours = condition(REPLICA_FAILURE, &found.status, &found.reason, found.message, self.now);
        ours.last_transition_time = found.last_transition_time;
        Some(ours)
    }

    /// Looks again when the deadline for progress is over.
    ///
    /// Follows kubernetes pkg/controller/deployment/progress.go requeueStuckDeployment, v1.36.
    fn look_at_deadline(&mut self, status: &DeploymentStatus) {
        let (Some(deadline), Some(progressing)) = (progress_deadline(&self.deployment), get(status, PROGRESSING))
        else {
            return;
        };
        let settled = is_complete(&self.deployment, status) || progressing.reason == PROGRESS_DEADLINE_EXCEEDED;
        let Some(since) = progressing.last_update_time.filter(|_| !settled) else { return };
        let left = since.plus_seconds(deadline).seconds_since(self.now.time).max(0).saturating_add(1);
        let at_ms = self.now.plus_ms(u64::try_from(left).unwrap_or(0).saturating_mul(1000));
        // A rollout that is stuck stays so: only time passes until then.
        self.timers.push(Timer { at_ms, key: self.deployment.metadata.key(), background: true });
    }

    fn write_status(&mut self, status: DeploymentStatus) {
        if status == self.stored.status {
            return;
        }
        let progressing = get(&status, PROGRESSING).map(|c| c.reason.clone()).unwrap_or_default();
        let available = get(&status, AVAILABLE).is_some_and(|c| c.status == "True");
        self.decide(DeploymentDecision::Status { progressing, available });
        self.deployment_mut().status = status;
    }

    /// Drops old ReplicaSets beyond the history limit, lowest revision first.
    ///
    /// Follows kubernetes pkg/controller/deployment cleanupDeployment, v1.36.
    pub(super) fn clean_up(&mut self) {
        let limit = self.deployment.spec.revision_history_limit.unwrap_or(DEFAULT_HISTORY_LIMIT);
        if limit == i32::MAX {
            return;
        }
        let mut old = self.indexes(|set| !set.metadata.is_terminating());
        old.retain(|index| Some(*index) != self.new);
        let surplus = old.len().saturating_sub(usize::try_from(limit).unwrap_or(0));
        old.order_by_key(|index| self.sets.get(*index).map(|set| (revision(&set.metadata), set.metadata.name.clone())));
        for index in old.into_iter().take(surplus) {
            let Some(set) = self.sets.get(index) else { continue };
            let settled = set.metadata.generation <= set.status.observed_generation;
            if set.status.replicas != 0 || wanted(set) != 0 || !settled {
                continue;
            }
            let (name, key, uid) = (set.metadata.name.clone(), set.metadata.key(), set.metadata.uid.clone());
            self.writes.push(Write::Delete(Delete {
                kind: Kind::ReplicaSet,
                key,
                uid: Some(uid),
                grace_period_seconds: None,
                propagation: Propagation::Background,
            }));
            self.decide(DeploymentDecision::HistoryTrimmed { replica_set: name, limit });
        }
    }
}
