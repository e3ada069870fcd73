//! Revisions: one ReplicaSet for each template, numbered in its annotations.

use super::budget::{max_surge, replicas};
use super::conditions::{self, FOUND_NEW_REPLICA_SET, NEW_REPLICA_SET_CREATED, PROGRESSING};
use super::sync::Sync;
use super::{DeploymentDecision, rolling};
use crate::apiserver::Write;
use crate::controllers::daemonset::controller_revision_hash;
use crate::controllers::replicaset::controller_reference;
use crate::objects::*;
use std::rc::Rc;

/// Annotation with the revision of a ReplicaSet, and of a Deployment's present one.
pub const REVISION_ANNOTATION: &str = "deployment.kubernetes.io/revision";
/// Annotation with the revisions that a ReplicaSet had before.
pub const REVISION_HISTORY_ANNOTATION: &str = "deployment.kubernetes.io/revision-history";
/// Annotation with the Deployment's number of replicas when the ReplicaSet was last scaled.
pub const DESIRED_REPLICAS_ANNOTATION: &str = "deployment.kubernetes.io/desired-replicas";
/// Annotation with the largest number of pods that was allowed then.
pub const MAX_REPLICAS_ANNOTATION: &str = "deployment.kubernetes.io/max-replicas";

/// Annotations that a ReplicaSet does not get from its Deployment.
const NOT_COPIED: [&str; 6] = [
    LAST_APPLIED,
    REVISION_ANNOTATION,
    REVISION_HISTORY_ANNOTATION,
    DESIRED_REPLICAS_ANNOTATION,
    MAX_REPLICAS_ANNOTATION,
    "deprecated.deployment.rollback.to",
];

/// The value of `pod-template-hash` for a template. Equal templates have equal hashes.
pub fn pod_template_hash(template: &PodTemplateSpec, collisions: Option<i32>) -> String {
    controller_revision_hash(template, collisions)
}

/// Whether a ReplicaSet's template is that of the Deployment, but for the hash label.
///
/// Follows kubernetes pkg/controller/deployment/util EqualIgnoreHash, v1.36.
fn has_template(set: &ReplicaSet, template: &PodTemplateSpec) -> bool {
    let of_set = &set.spec.template;
    let labels = |template: &PodTemplateSpec| -> Vec<(String, String)> {
        let kept = template.metadata.labels.iter().filter(|(key, _)| *key != POD_TEMPLATE_HASH);
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    if of_set.spec != template.spec || labels(of_set) != labels(template) {
        return false;
    }
    let bare = |template: &PodTemplateSpec| ObjectMeta { labels: StringMap::default(), ..template.metadata.clone() };
    bare(of_set) == bare(template)
}

/// Oldest first.
pub fn by_age(a: &ReplicaSet, b: &ReplicaSet) -> std::cmp::Ordering {
    let age = |set: &ReplicaSet| (set.metadata.creation_timestamp, set.metadata.name.clone());
    age(a).cmp(&age(b))
}

/// Index of the ReplicaSet that has the Deployment's present template; the oldest, if there are several.
///
/// Follows kubernetes pkg/controller/deployment/util FindNewReplicaSet, v1.36.
pub fn find_new_replica_set(deployment: &Deployment, sets: &[Rc<ReplicaSet>]) -> Option<usize> {
    let matching = sets.iter().enumerate().filter(|(_, set)| has_template(set, &deployment.spec.template));
    matching.min_by(|(_, a), (_, b)| by_age(a, b)).map(|(index, _)| index)
}

/// The revision of a ReplicaSet or Deployment; 0 when it has none.
pub fn revision(metadata: &ObjectMeta) -> i64 {
    metadata.annotation(REVISION_ANNOTATION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn annotate(metadata: &mut ObjectMeta, key: &str, value: &str) -> bool {
    let differs = metadata.annotation(key) != Some(value);
    if differs {
        Rc::make_mut(&mut metadata.annotations).insert(key.into(), value.into());
    }
    differs
}

/// Notes how many replicas the Deployment had when the ReplicaSet was scaled. Returns whether that is news.
///
/// Follows kubernetes pkg/controller/deployment/util SetReplicasAnnotations, v1.36.
pub fn set_replicas_annotations(set: &mut ReplicaSet, deployment: &Deployment) -> bool {
    let desired = replicas(deployment);
    let most = desired.saturating_add(max_surge(deployment));
    let a = annotate(&mut set.metadata, DESIRED_REPLICAS_ANNOTATION, &desired.to_string());
    let b = annotate(&mut set.metadata, MAX_REPLICAS_ANNOTATION, &most.to_string());
    a || b
}

/// Copies annotations and sets the revision.
///
/// Follows kubernetes pkg/controller/deployment/util SetNewReplicaSetAnnotations, v1.36.
fn set_new_annotations(set: &mut ReplicaSet, deployment: &Deployment, to: i64, exists: bool) {
    for (key, value) in deployment.metadata.annotations.iter() {
        if !NOT_COPIED.contains(&key.as_str()) {
            annotate(&mut set.metadata, key, value);
        }
    }
    let old = set.metadata.annotation(REVISION_ANNOTATION).map(str::to_owned);
    if revision(&set.metadata) < to {
        annotate(&mut set.metadata, REVISION_ANNOTATION, &to.to_string());
        if let Some(old) = old {
            let history = match set.metadata.annotation(REVISION_HISTORY_ANNOTATION) {
                Some(history) if !history.is_empty() => format!("{history},{old}"),
                _ => old,
            };
            annotate(&mut set.metadata, REVISION_HISTORY_ANNOTATION, &history);
        }
    }
    if !exists {
        set_replicas_annotations(set, deployment);
    }
}

impl Sync<'_> {
    /// Finds the ReplicaSet of the present template and keeps its revision the highest; makes it if it is missing and
    /// `create` says so.
    ///
    /// Follows kubernetes pkg/controller/deployment getAllReplicaSetsAndSyncRevision and getNewReplicaSet, v1.36.
    pub(super) fn sync_revision(&mut self, create: bool) {
        self.new = find_new_replica_set(&self.deployment, &self.sets);
        let old = self.sets.iter().enumerate().filter(|(index, _)| Some(*index) != self.new);
        let next = old.map(|(_, set)| revision(&set.metadata)).max().unwrap_or(0).saturating_add(1);
        match self.new {
            Some(index) => self.keep_new(index, next),
            None if create => self.make_new(next),
            None => {}
        }
    }

    fn keep_new(&mut self, index: usize, next: i64) {
        let deployment = self.deployment.clone();
        let Some(set) = self.sets.get_mut(index) else { return };
        let before = revision(&set.metadata);
        let mut kept = (**set).clone();
        set_new_annotations(&mut kept, &deployment, next, true);
        kept.spec.min_ready_seconds = deployment.spec.min_ready_seconds;
        let name = kept.metadata.name.clone();
        let present = revision(&kept.metadata);
        if kept != **set {
            *set = Rc::new(kept);
        }
        if present != before {
            self.decide(DeploymentDecision::Renumbered { replica_set: name.clone(), from: before, to: present });
        }
        self.set_deployment_revision(present);
        if conditions::progress_deadline(&deployment).is_some()
            && conditions::get(&self.deployment.status, PROGRESSING).is_none()
        {
            let message = format!("Found new replica set \"{name}\"");
            let condition = conditions::condition(PROGRESSING, "True", FOUND_NEW_REPLICA_SET, message, self.now);
            conditions::set(&mut self.deployment_mut().status, condition);
        }
    }

    fn make_new(&mut self, next: i64) {
        let deployment = self.deployment.clone();
        let Some((name, hash)) = self.free_name(&deployment) else { return };
        let mut template = (*deployment.spec.template).clone();
        Rc::make_mut(&mut template.metadata.labels).insert(POD_TEMPLATE_HASH.into(), hash.clone());
        let mut selector = deployment.spec.selector.clone();
        Rc::make_mut(&mut selector.match_labels).insert(POD_TEMPLATE_HASH.into(), hash);
        let mut set = ReplicaSet::default();
        set.metadata.name = name.clone();
        set.metadata.namespace = deployment.metadata.namespace.clone();
        set.metadata.labels = template.metadata.labels.clone();
        set.metadata.owner_references = Rc::new(vec![controller_reference(Kind::Deployment, &deployment.metadata)]);
        set.spec.selector = selector;
        set.spec.template = Rc::new(template);
        set.spec.min_ready_seconds = deployment.spec.min_ready_seconds;
        set.spec.replicas = Some(0);
        let all = self.sets.iter().map(|set| &**set);
        let count = rolling::new_replicas(&deployment, all, &set);
        set.spec.replicas = Some(count);
        set_new_annotations(&mut set, &deployment, next, false);
        self.created = Some(name.clone());
        self.writes.push(Write::Create(set.clone().into()));
        self.new = Some(self.sets.len());
        self.sets.push(Rc::new(set));
        self.decide(DeploymentDecision::NewReplicaSet { replica_set: name.clone(), revision: next });
        if count > 0 {
            let message = format!("Scaled up replica set {name} from 0 to {count}");
            self.tell(NORMAL, "ScalingReplicaSet", message);
        }
        self.set_deployment_revision(next);
        if conditions::progress_deadline(&deployment).is_some() {
            let message = format!("Created new replica set \"{name}\"");
            let condition = conditions::condition(PROGRESSING, "True", NEW_REPLICA_SET_CREATED, message, self.now);
            conditions::set(&mut self.deployment_mut().status, condition);
        }
    }

    /// A name for the new ReplicaSet. If the one that follows from the template is taken, the collision is counted and
    /// the next reconcile tries again.
    fn free_name(&mut self, deployment: &Deployment) -> Option<(Rc<str>, String)> {
        let collisions = deployment.status.collision_count;
        let hash = pod_template_hash(&deployment.spec.template, collisions);
        let name: Rc<str> = format!("{}-{hash}", deployment.metadata.name).into();
        let key = ObjectKey::new(deployment.metadata.namespace.clone(), name.clone());
        if self.store.replica_set(&key).is_none() {
            return Some((name, hash));
        }
        self.deployment_mut().status.collision_count = Some(collisions.unwrap_or(0).saturating_add(1));
        self.decide(DeploymentDecision::HashCollision { replica_set: name });
        None
    }

    fn set_deployment_revision(&mut self, to: i64) {
        if self.deployment.metadata.annotation(REVISION_ANNOTATION) != Some(to.to_string().as_str()) {
            annotate(&mut self.deployment_mut().metadata, REVISION_ANNOTATION, &to.to_string());
        }
    }
}
