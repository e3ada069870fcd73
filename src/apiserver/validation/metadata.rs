//! Metadata, labels, annotations and label selectors.
//!
//! Follows kubernetes apimachinery pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation, v1.36.
use super::error::{Errors, Path, go_json};
use super::names;
use crate::apiserver::schema::Tree;
use crate::order::Order;
use serde_json::Value;

/// Answers what is wrong with a name; `prefix` when a suffix will be added.
pub type NameRule = fn(&str, bool) -> Vec<String>;

/// Annotations may have this many bytes in all, keys and values.
const TOTAL_ANNOTATION_SIZE: usize = 256 * 1024;

/// Metadata of a new object.
pub fn object_meta(meta: Tree<'_>, namespaced: bool, name_rule: NameRule, path: &Path<'_>, errors: &mut Errors) {
    let generate_name = meta.str("generateName");
    if !generate_name.is_empty() {
        errors.invalid_all(&path.child("generateName"), generate_name, name_rule(generate_name, true));
    }
    let name = meta.str("name");
    if name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        errors.invalid_all(&path.child("name"), name, name_rule(name, false));
    }
    let namespace = meta.str("namespace");
    let namespace_path = path.child("namespace");
    match (namespaced, namespace.is_empty()) {
        (true, true) => errors.required(&namespace_path, ""),
        (true, false) => errors.invalid_all(&namespace_path, namespace, names::name_is_dns_label(namespace, false)),
        (false, true) => {}
        (false, false) => errors.forbidden(&namespace_path, "not allowed on this type"),
    }
    errors.non_negative(meta.int("generation"), &path.child("generation"));
    labels(meta.at("labels"), &path.child("labels"), errors);
    annotations(meta.at("annotations"), &path.child("annotations"), errors);
    owner_references(meta.at("ownerReferences"), &path.child("ownerReferences"), errors);
    finalizers(meta.at("finalizers"), &path.child("finalizers"), errors);
    kube_finalizers(meta, path, errors);
}

/// Metadata of an object that replaces another.
pub fn object_meta_update(new: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if old.has("deletionTimestamp") {
        no_new_finalizers(new, old, path, errors);
    }
    if new.str("resourceVersion").is_empty() {
        errors.invalid(&path.child("resourceVersion"), "", "must be specified for an update");
    }
    if new.int("generation") < old.int("generation") {
        errors.invalid_number(&path.child("generation"), new.int("generation"), "must not be decremented");
    }
    for field in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        immutable(new.at(field), old.at(field), &path.child(field), errors);
    }
    labels(new.at("labels"), &path.child("labels"), errors);
    annotations(new.at("annotations"), &path.child("annotations"), errors);
    owner_references(new.at("ownerReferences"), &path.child("ownerReferences"), errors);
    kube_finalizers(new, path, errors);
}

fn no_new_finalizers(new: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let had = |name: &str| old.list("finalizers").any(|f| f.text() == name);
    let extra = new.list("finalizers").map(Tree::text).filter(|name| !had(name));
    let mut shown: Vec<String> = extra.map(super::error::quote).collect();
    if !shown.is_empty() {
        shown.order();
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            shown.join(", ")
        );
        errors.forbidden(&path.child("finalizers"), &detail);
    }
}

/// A field that may not change.
pub fn immutable(new: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if new.0 != old.0 {
        errors.invalid_value(path, &shown(new.0), "field is immutable");
    }
}

/// A value as Go prints it in errors: texts quoted as `%q` does, everything else as JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => super::error::quote(text),
        other => go_json(other),
    }
}

/// A label map.
pub fn labels(labels: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (key, value) in labels.entries() {
        label_name(key, path, errors);
        errors.invalid_all(path, value.text(), names::label_value(value.text()));
    }
}

/// A label key.
pub fn label_name(key: &str, path: &Path<'_>, errors: &mut Errors) {
    errors.invalid_all(path, key, names::qualified_name(key));
}

/// An annotation map: keys, and size in all.
pub fn annotations(annotations: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut size = 0_usize;
    for (key, value) in annotations.entries() {
        errors.invalid_all(path, key, names::qualified_name(&key.to_ascii_lowercase()));
        size = size.saturating_add(key.len()).saturating_add(value.text().len());
    }
    if size > TOTAL_ANNOTATION_SIZE {
        errors.too_long(path, TOTAL_ANNOTATION_SIZE);
    }
}

fn owner_references(references: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut controller: Option<&str> = None;
    for reference in references.items() {
        let api_version = reference.str("apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if version.is_empty() {
            errors.invalid(&path.child("apiVersion"), api_version, "version must not be empty");
        }
        for field in ["kind", "name", "uid"] {
            if reference.str(field).is_empty() {
                errors.invalid(&path.child(field), "", "must not be empty");
            }
        }
        if group.is_empty() && reference.str("kind") == "Event" {
            let detail = format!("{api_version}, Kind=Event is disallowed from being an owner");
            errors.invalid_value(path, &owner_reference_json(reference), &format!("/{detail}"));
        }
        if reference.flag("controller") {
            if let Some(first) = controller {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {}",
                    reference.str("name")
                );
                let list: Vec<String> = references.items().map(owner_reference_json).collect();
                errors.invalid_value(path, &format!("[{}]", list.join(",")), &detail);
            } else {
                controller = Some(reference.str("name"));
            }
        }
    }
}

/// An owner reference with its fields in Go's order.
fn owner_reference_json(reference: Tree<'_>) -> String {
    let mut parts = Vec::new();
    for field in ["apiVersion", "kind", "name", "uid"] {
        parts.push(format!("\"{field}\":{}", go_json(&Value::from(reference.str(field)))));
    }
    for field in ["controller", "blockOwnerDeletion"] {
        if reference.has(field) {
            parts.push(format!("\"{field}\":{}", reference.flag(field)));
        }
    }
    format!("{{{}}}", parts.join(","))
}

fn finalizers(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let has = |wanted: &str| list.items().any(|f| f.text() == wanted);
    for finalizer in list.items() {
        errors.invalid_all(path, finalizer.text(), names::qualified_name(finalizer.text()));
    }
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.invalid_value(path, &go_json(list.0), detail);
    }
}

/// Finalizers without a prefix must be well-known ones.
fn kube_finalizers(meta: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, finalizer) in meta.list("finalizers").enumerate() {
        let name = finalizer.text();
        if !name.contains('/') && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion") {
            let list = path.child("finalizers");
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.invalid(&list.index(at), name, detail);
        }
    }
}

/// A label selector.
pub fn label_selector(selector: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    labels(selector.at("matchLabels"), &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (at, expression) in selector.list("matchExpressions").enumerate() {
        selector_requirement(expression, &expressions.index(at), errors);
    }
}

fn selector_requirement(requirement: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let values = path.child("values");
    match requirement.str("operator") {
        "In" | "NotIn" => {
            if requirement.len("values") == 0 {
                errors.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
        }
        "Exists" | "DoesNotExist" => {
            if requirement.len("values") > 0 {
                errors.forbidden(&values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
            }
        }
        other => errors.invalid(&path.child("operator"), other, "not a valid selector operator"),
    }
    label_name(requirement.str("key"), &path.child("key"), errors);
    for (at, value) in requirement.list("values").enumerate() {
        errors.invalid_all(&values.index(at), value.text(), names::label_value(value.text()));
    }
}

/// Whether labels match a selector; `None` when the selector is malformed. A missing selector matches nothing, an
/// empty one everything.
pub fn selector_matches(selector: Tree<'_>, labels: Tree<'_>) -> Option<bool> {
    if !selector.exists() {
        return Some(false);
    }
    let mut errors = Errors::default();
    label_selector(selector, &Path::new(""), &mut errors);
    if !errors.0.is_empty() {
        return None;
    }
    let value_of = |key: &str| labels.at(key).0.as_str();
    let by_label = selector.map("matchLabels").all(|(key, value)| value_of(key) == Some(value.text()));
    let by_expression = selector.list("matchExpressions").all(|expression| {
        let value = value_of(expression.str("key"));
        let listed = || expression.list("values").any(|v| Some(v.text()) == value);
        match expression.str("operator") {
            "In" => value.is_some() && listed(),
            "NotIn" => value.is_none() || !listed(),
            "Exists" => value.is_some(),
            _ => value.is_none(),
        }
    });
    Some(by_label && by_expression)
}

/// A label selector as Go prints it: `matchLabels` before `matchExpressions`.
pub fn selector_json(selector: Tree<'_>) -> String {
    if !selector.exists() {
        return "null".into();
    }
    let mut parts = Vec::new();
    if selector.len("matchLabels") > 0 {
        parts.push(format!("\"matchLabels\":{}", go_json(selector.at("matchLabels").0)));
    }
    if selector.len("matchExpressions") > 0 {
        // The keys of a requirement are in alphabetic order in Go, too.
        parts.push(format!("\"matchExpressions\":{}", go_json(selector.at("matchExpressions").0)));
    }
    format!("{{{}}}", parts.join(","))
}
