//! What may change in a pod that exists: nearly nothing.
//! As in pkg/apis/core/validation/validation.go (`ValidatePodUpdate`).
use super::affinity::tolerations;
use super::container::image_without_padding;
use super::error::{Errors, Path};
use super::internal::{internal_json, internal_lines};
use super::metadata::shown;
use super::names;
use super::pod::{APP_ARMOR, metadata_and_spec, pod_annotations};
use crate::apiserver::schema::Tree;
use crate::manifest::unified::hunks;
use serde_json::{Map, Value};

const MAX_INT32: i64 = i32::MAX as i64;

const UPDATABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
    `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing \
    tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// A pod that replaces another: nearly nothing of its spec may change.
pub fn pod_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    let meta_path = Path::new("metadata");
    metadata_and_spec(new, errors);
    annotation_updates(new, old, &meta_path.child("annotations"), errors);
    let (spec, old_spec) = (new.at("spec"), old.at("spec"));
    let path = Path::new("spec");
    for list in ["containers", "initContainers"] {
        let list_path = path.child(list);
        if spec.len(list) != old_spec.len(list) {
            return errors.forbidden(&list_path, "pod updates may not add or remove containers");
        }
        for (at, container) in spec.list(list).enumerate() {
            let place = list_path.index(at);
            if container.str("image").is_empty() {
                errors.required(&place.child("image"), "");
            }
            image_without_padding(container, &place, errors);
        }
    }
    let deadline_path = path.child("activeDeadlineSeconds");
    let (deadline, old_deadline) = (spec.opt_int("activeDeadlineSeconds"), old_spec.opt_int("activeDeadlineSeconds"));
    match (deadline, old_deadline) {
        (Some(seconds), _) if !(0..=MAX_INT32).contains(&seconds) => {
            return errors.invalid_number(&deadline_path, seconds, &names::range_message(0, MAX_INT32));
        }
        (Some(seconds), Some(before)) if before < seconds => {
            return errors.invalid_number(&deadline_path, seconds, "must be less than or equal to previous value");
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            errors.invalid_value(&deadline_path, "\"null\"", detail);
        }
        _ => {}
    }
    only_added_tolerations(spec, old_spec, &path.child("tolerations"), errors);
    only_deleted_gates(spec, old_spec, &path.child("schedulingGates"), errors);
    let munged = munged_spec(spec, old_spec, &path, errors);
    if munged != *old_spec.0 {
        let changes = hunks(&as_internal(old_spec.0), &as_internal(&munged));
        errors.forbidden(&path, &format!("{UPDATABLE}\n{changes}"));
    }
}

/// Some annotations of a pod stay as they were made. All that a pod's annotations must be is checked again, as there.
fn annotation_updates(new: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (annotations, before) = (new.at("metadata").at("annotations"), old.at("metadata").at("annotations"));
    let kind_of = |key: &str| match key {
        "kubernetes.io/config.mirror" => Some("mirror pod annotation"),
        key if key.starts_with(APP_ARMOR) => Some("AppArmor annotations"),
        _ => None,
    };
    for (key, value) in before.entries() {
        if let Some(kind) = kind_of(key).filter(|_| annotations.at(key).0 != value.0) {
            errors.forbidden(&path.key(key), &format!("may not remove or update {kind}"));
        }
    }
    for (key, _) in annotations.entries().filter(|(key, _)| !before.has(key)) {
        if let Some(kind) = kind_of(key) {
            errors.forbidden(&path.key(key), &format!("may not add {kind}"));
        }
    }
    pod_annotations(new.at("metadata"), new.at("spec"), path, errors);
}

fn only_added_tolerations(spec: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let same = |a: Tree<'_>, b: Tree<'_>| {
        ["key", "operator", "value", "effect"].iter().all(|field| a.str(field) == b.str(field))
    };
    if old.list("tolerations").any(|before| !spec.list("tolerations").any(|now| same(before, now))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        return errors.forbidden(path, detail);
    }
    tolerations(spec.at("tolerations"), path, errors);
}

fn only_deleted_gates(spec: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, gate) in spec.list("schedulingGates").enumerate() {
        let name = gate.str("name");
        if !old.list("schedulingGates").any(|g| g.str("name") == name) {
            let place = path.index(at);
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            errors.forbidden(&place.child("name"), &detail);
        }
    }
}

/// The new spec with everything that may change set back to what it was.
fn munged_spec(spec: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) -> Value {
    let mut munged = spec.0.clone();
    let Some(object) = munged.as_object_mut() else { return munged };
    for list in ["containers", "initContainers"] {
        for (container, before) in crate::apiserver::schema::value::objects_of(object, list).zip(old.list(list)) {
            container.insert("image".into(), before.at("image").0.clone());
        }
    }
    let mut back = vec!["activeDeadlineSeconds", "schedulingGates", "tolerations"];
    let grace = "terminationGracePeriodSeconds";
    if old.int(grace) < 0 && spec.int(grace) == 1 {
        back.push(grace);
    }
    if old.len("schedulingGates") > 0 {
        // A gated pod may still be narrowed down to fewer nodes.
        let kept = |(key, value): (&String, Tree<'_>)| spec.at("nodeSelector").str(key) == value.text();
        if !old.map("nodeSelector").all(kept) {
            let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            errors.invalid_value(&path.child("nodeSelector"), &shown(spec.at("nodeSelector").0), detail);
        }
        back.push("nodeSelector");
        only_narrowed_affinity(spec, old, path, errors);
        put_node_affinity_back(object, old);
    }
    for field in back {
        if old.has(field) {
            object.insert(field.into(), old.at(field).0.clone());
        } else {
            object.remove(field);
        }
    }
    munged
}

/// A gated pod's required node affinity may get more requirements in each of its terms, and no other change.
fn only_narrowed_affinity(spec: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms_of =
        |spec: Tree<'_>| spec.at("affinity").at("nodeAffinity").at(REQUIRED).at("nodeSelectorTerms").0.clone();
    let (now, before) = (terms_of(spec), terms_of(old));
    let (now, before) = (Tree(&now), Tree(&before));
    if before.items().next().is_none() {
        return;
    }
    let affinity = path.child("affinity");
    let node = affinity.child("nodeAffinity");
    let required = node.child(REQUIRED);
    let place = required.child("nodeSelectorTerms");
    if before.items().count() != now.items().count() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return errors.invalid_value(&place, &internal_json("NodeSelectorTerm", now), detail);
    }
    const LISTS: [&str; 2] = ["matchExpressions", "matchFields"];
    let empty = |term: Tree<'_>| LISTS.iter().all(|list| term.len(list) == 0);
    let extends = |now: Tree<'_>, before: Tree<'_>, list: &str| {
        now.len(list) >= before.len(list)
            && now.list(list).zip(before.list(list)).all(|(now, before)| now.0 == before.0)
    };
    for (at, (term, old_term)) in now.items().zip(before.items()).enumerate() {
        let narrowed = LISTS.iter().all(|list| extends(term, old_term, list));
        if !narrowed || (empty(old_term) && !empty(term)) {
            let detail = "only additions are allowed (no mutations or deletions)";
            errors.invalid_value(&place.index(at), &internal_json("NodeSelectorTerm", term), detail);
        }
    }
}

fn put_node_affinity_back(munged: &mut Map<String, Value>, old: Tree<'_>) {
    let before = old.at("affinity").at("nodeAffinity");
    let mut affinity = munged.get("affinity").and_then(Value::as_object).cloned().unwrap_or_default();
    if before.exists() {
        affinity.insert("nodeAffinity".into(), before.0.clone());
    } else {
        affinity.remove("nodeAffinity");
    }
    if affinity.is_empty() && !old.has("affinity") {
        munged.remove("affinity");
    } else {
        munged.insert("affinity".into(), affinity.into());
    }
}

/// The spec as the API server's internal type: what a pod shares with its node is part of the security context.
fn as_internal(spec: &Value) -> String {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        let shared = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
        let shared: Vec<_> = shared.into_iter().filter_map(|name| Some((name, fields.remove(name)?))).collect();
        let context = fields.entry("securityContext").or_insert_with(|| Value::Object(Map::new()));
        if let Some(context) = context.as_object_mut() {
            context.extend(shared.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
    }
    internal_lines("PodSpec", Tree(&spec))
}
