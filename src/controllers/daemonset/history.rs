//! ControllerRevisions: one for every template that the DaemonSet had.

use super::claim::claim_revisions;
use super::plan::SyncError;
use super::podspec::controller_reference;
use crate::objects::*;
use crate::order::Order;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A change of a ControllerRevision, or one that follows from it.
#[derive(Clone, Debug, PartialEq)]
pub enum RevisionChange {
    /// It matches the selector and nobody manages it: it gets the DaemonSet as its controller.
    Adopt(Rc<ControllerRevision>),
    /// It does not match the selector any more: it loses the DaemonSet as its owner.
    Release(Rc<ControllerRevision>),
    /// It lacks the label `controller-revision-hash` and gets its own name there.
    AddHashLabel(Rc<ControllerRevision>),
    /// The template is new: a revision is created, with the DaemonSet's annotations of this moment.
    Create(Rc<ControllerRevision>),
    /// The DaemonSet went back to this revision: the same object gets the highest number.
    Renumber {
        /// The revision as it is.
        revision: Rc<ControllerRevision>,
        /// Its new number.
        to: i64,
    },
    /// Another revision holds the same template: the pods get that one's hash …
    RelabelPod {
        /// The pod.
        pod: Rc<Pod>,
        /// The hash it gets.
        hash: String,
    },
    /// … and this one goes.
    DeleteDuplicate(Rc<ControllerRevision>),
    /// The name of the new revision is taken by another template: `status.collisionCount` is raised, the reconcile
    /// fails, and the next one tries another hash.
    RaiseCollisionCount(i32),
}

/// The revision of the current template.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentRevision {
    /// The object, new or as it was before this reconcile.
    pub revision: Rc<ControllerRevision>,
    /// Its number after this reconcile.
    pub number: i64,
}

/// What a reconcile does to ControllerRevisions before it looks at pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryPlan {
    /// The changes, in order.
    pub changes: Vec<RevisionChange>,
    /// The current revision; `None` when the reconcile failed before it was known.
    pub current: Option<CurrentRevision>,
    /// The others.
    pub old: Vec<Rc<ControllerRevision>>,
    /// Value of `controller-revision-hash` for pods of the current template.
    pub hash: String,
}

/// Finds the revision of the current template, or makes one; brings its number to the top.
///
/// `pods` are the claimed ones. `existing` finds any ControllerRevision of the namespace by its name, whoever owns it.
///
/// Follows kubernetes pkg/controller/daemon/update.go constructHistory, dedupCurHistories and snapshot, v1.36.
pub fn construct_history(
    daemonset: &DaemonSet,
    revisions: &[Rc<ControllerRevision>],
    pods: &[&Rc<Pod>],
    existing: &dyn Fn(&str) -> Option<Rc<ControllerRevision>>,
) -> (HistoryPlan, Result<(), SyncError>) {
    let mut plan = HistoryPlan::default();
    let claims = claim_revisions(daemonset, revisions);
    plan.changes.extend(claims.adopt.into_iter().map(RevisionChange::Adopt));
    plan.changes.extend(claims.release.into_iter().map(RevisionChange::Release));

    let data = revision_data(&daemonset.spec.template);
    let mut current = Vec::new();
    for revision in claims.claimed {
        if revision.metadata.label(CONTROLLER_REVISION_HASH).is_none() {
            plan.changes.push(RevisionChange::AddHashLabel(revision.clone()));
        }
        if *revision.data == data { current.push(revision) } else { plan.old.push(revision) }
    }
    let next = plan.old.iter().map(|revision| revision.revision).max().unwrap_or(0).max(0).saturating_add(1);
    current.order_by(|a, b| a.revision.cmp(&b.revision).then_with(|| a.metadata.name.cmp(&b.metadata.name)));
    let Some(kept) = current.pop() else {
        return match new_revision(daemonset, data, next, existing) {
            Ok((revision, is_new)) => {
                if is_new {
                    plan.changes.push(RevisionChange::Create(revision.clone()));
                }
                plan.hash = hash_of(&revision);
                plan.current = Some(CurrentRevision { number: revision.revision, revision });
                (plan, Ok(()))
            }
            Err((error, count)) => {
                plan.changes.push(RevisionChange::RaiseCollisionCount(count));
                (plan, Err(error))
            }
        };
    };
    let hash = hash_of(&kept);
    for duplicate in current {
        let stale = |pod: &&&Rc<Pod>| pod.metadata.label(CONTROLLER_REVISION_HASH) != Some(&hash);
        plan.changes.extend(
            pods.iter().filter(stale).map(|pod| RevisionChange::RelabelPod { pod: Rc::clone(pod), hash: hash.clone() }),
        );
        plan.changes.push(RevisionChange::DeleteDuplicate(duplicate));
    }
    if kept.revision < next {
        plan.changes.push(RevisionChange::Renumber { revision: kept.clone(), to: next });
    }
    plan.current = Some(CurrentRevision { number: kept.revision.max(next), revision: kept });
    plan.hash = hash;
    (plan, Ok(()))
}

/// The hash that stands for a revision: its label or, where that is missing, its name.
fn hash_of(revision: &ControllerRevision) -> String {
    revision.metadata.label(CONTROLLER_REVISION_HASH).unwrap_or(&revision.metadata.name).to_owned()
}

/// The revision to create, and whether it is new: one of the same name and template may be there, not owned (any
/// more), and then serves as it is.
fn new_revision(
    daemonset: &DaemonSet,
    data: Value,
    number: i64,
    existing: &dyn Fn(&str) -> Option<Rc<ControllerRevision>>,
) -> Result<(Rc<ControllerRevision>, bool), (SyncError, i32)> {
    let collisions = daemonset.status.collision_count;
    let hash = controller_revision_hash(&daemonset.spec.template, collisions);
    let name = format!("{}-{hash}", daemonset.metadata.name);
    if let Some(found) = existing(&name) {
        if *found.data == data {
            return Ok((found, false));
        }
        let count = collisions.unwrap_or(0).saturating_add(1);
        return Err((SyncError::RevisionExists { name, collision_count: count }, count));
    }
    let mut labels = daemonset.spec.template.metadata.labels.clone();
    Rc::make_mut(&mut labels).insert(CONTROLLER_REVISION_HASH.into(), hash);
    let revision = ControllerRevision {
        metadata: ObjectMeta {
            name: name.into(),
            namespace: daemonset.metadata.namespace.clone(),
            labels,
            annotations: daemonset.metadata.annotations.clone(),
            owner_references: Rc::new(vec![controller_reference(daemonset)]),
            ..Default::default()
        },
        data: Rc::new(data),
        revision: number,
        ..Default::default()
    };
    Ok((Rc::new(revision), true))
}

/// Old revisions beyond the history limit, lowest numbers first; never one whose hash a pod carries, even a terminating
/// or finished pod. The current revision does not count against the limit.
///
/// Follows kubernetes pkg/controller/daemon/update.go cleanupHistory, v1.36.
pub fn clean_up_history(
    daemonset: &DaemonSet,
    old: &[Rc<ControllerRevision>],
    pods: &[&Rc<Pod>],
) -> Vec<Rc<ControllerRevision>> {
    let keep = usize::try_from(daemonset.spec.revision_history_limit.unwrap_or(10)).unwrap_or(0);
    let excess = old.len().saturating_sub(keep);
    if excess == 0 {
        return Vec::new();
    }
    let live: BTreeSet<&str> = pods
        .iter()
        .filter(|pod| pod.target_node().is_some())
        .filter_map(|pod| pod.metadata.label(CONTROLLER_REVISION_HASH))
        .collect();
    let mut dead: Vec<&Rc<ControllerRevision>> =
        old.iter().filter(|revision| !live.contains(hash_of(revision).as_str())).collect();
    dead.order_by(|a, b| a.revision.cmp(&b.revision).then_with(|| a.metadata.name.cmp(&b.metadata.name)));
    dead.into_iter().take(excess).cloned().collect()
}

/// What a revision of this template stores: a patch that puts the template back.
///
/// Follows kubernetes pkg/controller/daemon/update.go getPatch, v1.36.
pub fn revision_data(template: &PodTemplateSpec) -> Value {
    let mut tree = encode(template);
    if let Value::Object(map) = &mut tree {
        map.insert("$patch".into(), "replace".into());
        // Go writes both members even when nothing is in them.
        map.entry("metadata").or_insert_with(|| json!({}));
        map.entry("spec").or_insert_with(|| json!({}));
    }
    json!({"spec": {"template": tree}})
}

/// The template that a revision stores; `None` when its data are not those of a DaemonSet.
pub fn restore_template(revision: &ControllerRevision) -> Option<PodTemplateSpec> {
    let mut tree = revision.data.get("spec")?.get("template")?.clone();
    tree.as_object_mut()?.remove("$patch");
    decode(tree).ok()
}

/// The value of `controller-revision-hash` for a template. Equal templates have equal hashes; `collisions` comes from
/// the DaemonSet's status.
///
/// The hash is another function than Kubernetes', which hashes a printout of Go structs; form and alphabet are the
/// same. Follows kubernetes pkg/controller ComputeHash and apimachinery pkg/util/rand SafeEncodeString, v1.36.
pub fn controller_revision_hash(template: &PodTemplateSpec, collisions: Option<i32>) -> String {
    let mut hasher = Fnv1a(0x811c_9dc5);
    hash_canonically(&encode(template), &mut hasher);
    if let Some(count) = collisions {
        hasher.write(&count.to_le_bytes());
    }
    hasher.0.to_string().bytes().map(safe_character).collect()
}

/// Letters and digits that form no words.
const SAFE_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

fn safe_character(byte: u8) -> char {
    SAFE_ALPHABET.iter().cycle().nth(usize::from(byte)).copied().map_or('b', char::from)
}

/// The 32-bit FNV-1a hash.
struct Fnv1a(u32);

impl Fnv1a {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
}

/// Feeds a tree with sorted keys, so that the order in which somebody wrote them does not matter.
fn hash_canonically(value: &Value, hasher: &mut Fnv1a) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.order_by(|a, b| a.0.cmp(b.0));
            hasher.write(b"{");
            for (key, value) in entries {
                hasher.write(json!(key).to_string().as_bytes());
                hasher.write(b":");
                hash_canonically(value, hasher);
                hasher.write(b",");
            }
            hasher.write(b"}");
        }
        Value::Array(items) => {
            hasher.write(b"[");
            for item in items {
                hash_canonically(item, hasher);
                hasher.write(b",");
            }
            hasher.write(b"]");
        }
        scalar => hasher.write(scalar.to_string().as_bytes()),
    }
}
