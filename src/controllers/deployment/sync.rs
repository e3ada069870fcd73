//! One reconcile of a Deployment.

use super::conditions::*;
use super::{COMPONENT, DeploymentDecision, DeploymentPlan};
use crate::apiserver::{EventDraft, Now, Plan, Store, Timer, Write};
use crate::controllers::replicaset::{Relation, controller_reference, relation};
use crate::objects::*;
use std::rc::Rc;

/// What a reconcile works on: copies, of which what has changed is written at the end.
pub(super) struct Sync<'a> {
    pub store: &'a Store,
    pub now: Now,
    /// As stored.
    pub stored: Rc<Deployment>,
    /// As it will be.
    pub deployment: Rc<Deployment>,
    /// The Deployment's ReplicaSets as they will be.
    pub sets: Vec<Rc<ReplicaSet>>,
    /// Which of them has the present template.
    pub new: Option<usize>,
    /// Name of the one that is made in this reconcile.
    pub created: Option<Rc<str>>,
    pub writes: Vec<Write>,
    pub events: Vec<Write>,
    pub reason: Vec<DeploymentDecision>,
    pub timers: Vec<Timer>,
}

/// One reconcile of a Deployment.
///
/// Follows kubernetes pkg/controller/deployment/deployment_controller.go syncDeployment, v1.36.
pub fn plan(store: &Store, key: &ObjectKey, now: Now) -> DeploymentPlan {
    let Some(stored) = store.deployment(key) else { return Plan::idle(()) };
    let mut sync = Sync {
        store,
        now,
        stored: stored.clone(),
        deployment: stored.clone(),
        sets: Vec::new(),
        new: None,
        created: None,
        writes: Vec::new(),
        events: Vec::new(),
        reason: Vec::new(),
        timers: Vec::new(),
    };
    sync.run();
    sync.into_plan()
}

impl Sync<'_> {
    fn run(&mut self) {
        if self.deployment.spec.selector.is_empty() {
            let message = "This deployment is selecting all pods. A non-empty selector is required.".into();
            self.tell(WARNING, "SelectingAll", message);
            self.decide(DeploymentDecision::SelectsAll);
            let generation = self.deployment.metadata.generation;
            if self.deployment.status.observed_generation < generation {
                self.deployment_mut().status.observed_generation = generation;
            }
            return;
        }
        self.claim_replica_sets();
        if self.deployment.metadata.is_terminating() {
            self.sync_revision(false);
            return self.sync_status();
        }
        self.check_paused();
        if self.deployment.spec.paused {
            self.sync_revision(false);
            self.scale();
            self.clean_up();
            return self.sync_status();
        }
        if self.is_scaling_event() {
            self.sync_revision(false);
            self.scale();
            return self.sync_status();
        }
        if self.deployment.spec.strategy.type_ == "Recreate" {
            self.rollout_recreate();
        } else {
            self.rollout_rolling();
        }
    }

    /// Follows kubernetes pkg/controller ReplicaSetControllerRefManager.ClaimReplicaSets, v1.36.
    fn claim_replica_sets(&mut self) {
        let deployment = self.deployment.clone();
        for set in Store::in_namespace(self.store.replica_sets(), &deployment.metadata.namespace) {
            let name = set.metadata.name.clone();
            match relation(&deployment.metadata, &deployment.spec.selector, &set.metadata) {
                Relation::Foreign => {}
                Relation::Ours => self.sets.push(set.clone()),
                Relation::Adopt => {
                    let mut adopted = (**set).clone();
                    let reference = controller_reference(Kind::Deployment, &deployment.metadata);
                    Rc::make_mut(&mut adopted.metadata.owner_references).push(reference);
                    self.sets.push(Rc::new(adopted));
                    self.decide(DeploymentDecision::Adopted { replica_set: name });
                }
                Relation::Release => {
                    let mut released = (**set).clone();
                    let owners = Rc::make_mut(&mut released.metadata.owner_references);
                    owners.retain(|owner| owner.uid != deployment.metadata.uid);
                    self.writes.push(Write::Update(released.into()));
                    self.decide(DeploymentDecision::Released { replica_set: name });
                }
            }
        }
    }

    /// Follows kubernetes pkg/controller/deployment checkPausedConditions, v1.36.
    fn check_paused(&mut self) {
        if progress_deadline(&self.deployment).is_none() {
            return;
        }
        let reason = get(&self.deployment.status, PROGRESSING).map(|c| c.reason.clone()).unwrap_or_default();
        if reason == PROGRESS_DEADLINE_EXCEEDED {
            return;
        }
        let (reason, message) = match (self.deployment.spec.paused, reason == DEPLOYMENT_PAUSED) {
            (true, false) => (DEPLOYMENT_PAUSED, "Deployment is paused"),
            (false, true) => (DEPLOYMENT_RESUMED, "Deployment is resumed"),
            _ => return,
        };
        let paused = condition(PROGRESSING, "Unknown", reason, message.into(), self.now);
        set(&mut self.deployment_mut().status, paused);
    }

    pub(super) fn deployment_mut(&mut self) -> &mut Deployment {
        Rc::make_mut(&mut self.deployment)
    }

    pub(super) fn decide(&mut self, decision: DeploymentDecision) {
        self.reason.push(decision);
    }

    pub(super) fn tell(&mut self, type_: &'static str, reason: &'static str, message: String) {
        let metadata = &self.stored.metadata;
        let event = EventDraft::about(Kind::Deployment, metadata, type_, reason, message, COMPONENT);
        self.events.push(Write::Event(event));
    }

    /// The writes of the reconcile: new and changed ReplicaSets, events, the Deployment.
    fn into_plan(mut self) -> DeploymentPlan {
        for set in &self.sets {
            let is_new = self.created.as_ref() == Some(&set.metadata.name);
            match self.store.replica_set(&set.metadata.key()) {
                Some(stored) if **stored != **set => self.writes.push(Write::Update(set.clone().into())),
                // It was scaled after it was made, in the same reconcile.
                None if is_new => {
                    let newest = set.clone();
                    let made = self.writes.iter_mut().find_map(|write| match write {
                        Write::Create(Object::ReplicaSet(made)) => Some(made),
                        _ => None,
                    });
                    if let Some(made) = made {
                        *made = newest;
                    }
                }
                _ => {}
            }
        }
        self.writes.append(&mut self.events);
        if self.deployment.metadata != self.stored.metadata {
            self.writes.push(Write::Update(self.deployment.clone().into()));
        }
        if self.deployment.status != self.stored.status {
            self.writes.push(Write::UpdateStatus(self.deployment.clone().into()));
        }
        // What it waits for is worth telling only with something else.
        if self.writes.is_empty() {
            self.reason.clear();
        }
        Plan { writes: self.writes, reason: self.reason, timers: self.timers, state: () }
    }
}
