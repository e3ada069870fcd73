//! Adoption and release: which objects belong to whom, by owner reference first and by selector second.

use super::ReplicaSetPlan;
use crate::apiserver::{Store, Write};
use crate::objects::*;
use std::rc::Rc;

/// What an object is to somebody who selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Somebody else's, or nobody's and no match.
    Foreign,
    /// Its own.
    Ours,
    /// Nobody's and a match: to be adopted.
    Adopt,
    /// Its own and no match any more: to be released.
    Release,
}

/// Follows kubernetes pkg/controller BaseControllerRefManager.ClaimObject, v1.36.
pub fn relation(owner: &ObjectMeta, selector: &LabelSelector, object: &ObjectMeta) -> Relation {
    let matches = || selector.matches(&object.labels);
    match object.controller() {
        Some(controller) if controller.uid != owner.uid => Relation::Foreign,
        Some(_) if matches() => Relation::Ours,
        Some(_) if owner.is_terminating() => Relation::Foreign,
        Some(_) => Relation::Release,
        None if owner.is_terminating() || object.is_terminating() => Relation::Foreign,
        None if object.namespace == owner.namespace && matches() => Relation::Adopt,
        None => Relation::Foreign,
    }
}

/// The reference of an object that `owner` manages.
pub fn controller_reference(kind: Kind, owner: &ObjectMeta) -> OwnerReference {
    OwnerReference {
        api_version: kind.api_version().into(),
        kind: kind.name().into(),
        name: owner.name.clone(),
        uid: owner.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..OwnerReference::default()
    }
}

/// The ReplicaSet's active pods, with those it is about to adopt; notes what has to be written for that.
///
/// Follows kubernetes pkg/controller PodControllerRefManager.ClaimPods and FilterActivePods, v1.36.
pub fn claim_pods(store: &Store, set: &ReplicaSet, plan: &mut ReplicaSetPlan) -> Vec<Rc<Pod>> {
    let owned = store.pods_controlled_by(&set.metadata.uid);
    let orphans = store.pods_controlled_by("").filter(|pod| pod.metadata.namespace == set.metadata.namespace);
    let mut active = Vec::new();
    for pod in owned.chain(orphans).filter(|pod| !pod.is_finished() && !pod.is_terminating()) {
        match relation(&set.metadata, &set.spec.selector, &pod.metadata) {
            Relation::Foreign => {}
            Relation::Ours => active.push(pod.clone()),
            Relation::Adopt => {
                let mut adopted = (**pod).clone();
                Rc::make_mut(&mut adopted.metadata.owner_references)
                    .push(controller_reference(Kind::ReplicaSet, &set.metadata));
                plan.claims.push(Write::Update(adopted.into()));
                plan.reason.adopted.push(pod.metadata.key());
                active.push(pod.clone());
            }
            Relation::Release => {
                let mut released = (**pod).clone();
                Rc::make_mut(&mut released.metadata.owner_references).retain(|owner| owner.uid != set.metadata.uid);
                plan.claims.push(Write::Update(released.into()));
                plan.reason.released.push(pod.metadata.key());
            }
        }
    }
    active
}
