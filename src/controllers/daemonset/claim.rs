//! Which pods and ControllerRevisions are the DaemonSet's: by owner reference first, by selector second.

use crate::objects::*;
use std::rc::Rc;

/// A change of a pod's owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// The pod matches the selector and nobody manages it: it gets the DaemonSet as its controller.
    Adopt(Rc<Pod>),
    /// The pod does not match the selector any more: it loses the DaemonSet as its owner.
    Release(Rc<Pod>),
}

/// The pods that are the DaemonSet's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodClaims<'a> {
    /// Owned ones and those about to be adopted.
    pub claimed: Vec<&'a Rc<Pod>>,
    /// What has to be written for that.
    pub claims: Vec<Claim>,
}

/// The ControllerRevisions that are the DaemonSet's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RevisionClaims {
    /// Owned ones and those about to be adopted.
    pub claimed: Vec<Rc<ControllerRevision>>,
    /// To be adopted.
    pub adopt: Vec<Rc<ControllerRevision>>,
    /// To be released.
    pub release: Vec<Rc<ControllerRevision>>,
}

enum Relation {
    Foreign,
    Ours,
    Adopt,
    Release,
}

/// Follows kubernetes pkg/controller BaseControllerRefManager.ClaimObject, v1.36.
fn relation(daemonset: &DaemonSet, object: &ObjectMeta) -> Relation {
    relation_where(daemonset, object, || daemonset.spec.selector.matches(&object.labels))
}

/// The same where the caller knows whether the labels match the selector.
fn relation_where(daemonset: &DaemonSet, object: &ObjectMeta, matches: impl Fn() -> bool) -> Relation {
    let deleting = daemonset.metadata.is_terminating();
    match object.controller() {
        Some(owner) if owner.uid != daemonset.metadata.uid => Relation::Foreign,
        Some(_) if matches() => Relation::Ours,
        Some(_) if deleting => Relation::Foreign,
        Some(_) => Relation::Release,
        None if deleting || object.is_terminating() => Relation::Foreign,
        None if object.namespace == daemonset.metadata.namespace && matches() => Relation::Adopt,
        None => Relation::Foreign,
    }
}

/// Sorts pods of the DaemonSet's namespace into its own, orphans to adopt, and lost ones to release.
///
/// Follows kubernetes pkg/controller PodControllerRefManager.ClaimPods, v1.36.
pub fn claim_pods<'a>(daemonset: &DaemonSet, pods: &'a [Rc<Pod>]) -> PodClaims<'a> {
    let mut result = PodClaims { claimed: Vec::with_capacity(pods.len()), claims: Vec::new() };
    // Pods of one template share their labels.
    let mut last: Option<(&StringMap, bool)> = None;
    for pod in pods {
        let labels = &pod.metadata.labels;
        let matches = match last {
            Some((seen, matches)) if Rc::ptr_eq(seen, labels) => matches,
            _ => daemonset.spec.selector.matches(labels),
        };
        last = Some((labels, matches));
        match relation_where(daemonset, &pod.metadata, || matches) {
            Relation::Foreign => {}
            Relation::Ours => result.claimed.push(pod),
            Relation::Adopt => {
                result.claims.push(Claim::Adopt(pod.clone()));
                result.claimed.push(pod);
            }
            Relation::Release => result.claims.push(Claim::Release(pod.clone())),
        }
    }
    result
}

/// The same for ControllerRevisions.
///
/// Follows kubernetes pkg/controller ControllerRevisionControllerRefManager.ClaimControllerRevisions, v1.36.
pub fn claim_revisions(daemonset: &DaemonSet, revisions: &[Rc<ControllerRevision>]) -> RevisionClaims {
    let mut result = RevisionClaims::default();
    for revision in revisions {
        match relation(daemonset, &revision.metadata) {
            Relation::Foreign => {}
            Relation::Ours => result.claimed.push(revision.clone()),
            Relation::Adopt => {
                result.adopt.push(revision.clone());
                result.claimed.push(revision.clone());
            }
            Relation::Release => result.release.push(revision.clone()),
        }
    }
    result
}
