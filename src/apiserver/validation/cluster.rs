//! Nodes, namespaces, priority and runtime classes, disruption budgets.
//!
//! Follows kubernetes pkg/apis/{core,scheduling,policy,node}/validation, v1.36.
use super::affinity::{taint_effect, tolerations};
use super::error::{Errors, Path};
use super::internal::internal_json;
use super::metadata::{immutable, label_name, label_selector, labels, object_meta};
use super::names;
use super::resources::{quantity, quantity_value, resource_name};
use super::security::one_of;
use super::workloads::{at_most_100_percent, positive_int_or_percent};
use crate::apiserver::admission::HIGHEST_USER_PRIORITY;
use crate::apiserver::admission::pod_security;
use crate::apiserver::schema::Tree;

/// A new node.
pub fn node(node: Tree<'_>, errors: &mut Errors) {
    let meta = Path::new("metadata");
    object_meta(node.at("metadata"), false, names::name_is_dns_subdomain, &meta, errors);
    // The API server files taints under metadata.
    taints(node.at("spec").at("taints"), &meta.child("taints"), errors);
    node_resources(node, errors);
    let swap = meta.child("nodeSwapStatus");
    if let Some(capacity) = node.path(&["status", "nodeInfo", "swap"]).opt_int("capacity").filter(|bytes| *bytes <= 0) {
        errors.invalid_number(&swap.child("capacity"), capacity, "must be greater than zero");
    }
    pod_cidrs(node.at("spec"), errors);
}

fn taints(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (at, taint) in list.items().enumerate() {
        let place = path.index(at);
        let (key, value, effect) = (taint.str("key"), taint.str("value"), taint.str("effect"));
        label_name(key, &place.child("key"), errors);
        let messages = names::label_value(value);
        if !messages.is_empty() {
            errors.invalid(&place.child("value"), value, &messages.join(";"));
        }
        if effect.is_empty() {
            errors.required(&place.child("effect"), "");
        } else {
            taint_effect(effect, &place.child("effect"), errors);
        }
        if seen.contains(&(effect, key)) {
            let detail = "taints must be unique by key and effect pair";
            errors.duplicate_value(&place, &internal_json("Taint", taint), detail);
        } else {
            seen.push((effect, key));
        }
    }
}

fn node_resources(node: Tree<'_>, errors: &mut Errors) {
    let status = Path::new("status");
    for list in ["capacity", "allocatable"] {
        let list_path = status.child(list);
        for (name, amount) in node.at("status").map(list) {
            quantity_value(name, quantity(amount), &list_path.child(name), errors);
        }
    }
}

fn pod_cidrs(spec: Tree<'_>, errors: &mut Errors) {
    let parent = Path::new("spec");
    let path = parent.child("podCIDRs");
    let list: Vec<&str> = spec.list("podCIDRs").map(Tree::text).collect();
    for (at, block) in list.iter().enumerate() {
        errors.invalid_all(&path.index(at), block, names::cidr(block));
    }
    if list.len() < 2 {
        return;
    }
    let parsed: Vec<_> = list.iter().map(|block| names::parse_cidr(block)).collect();
    if let Some(bad) = list.iter().zip(&parsed).find(|(_, parsed)| parsed.is_none()).map(|(block, _)| block) {
        let detail =
            format!("invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR address: {bad}");
        errors.internal(&path, &detail);
    }
    let sound = || parsed.iter().flatten();
    let dual = parsed.iter().all(Option::is_some)
        && sound().any(|(address, _)| address.is_ipv4())
        && sound().any(|(address, _)| address.is_ipv6());
    if !dual || list.len() > 2 {
        let shown = super::error::go_json(spec.at("podCIDRs").0);
        errors.invalid_value(&path, &shown, "may specify no more than one CIDR for each IP family");
    }
}

/// A node that replaces another: all that a new one must be, and what may not change.
pub fn node_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    node(new, errors);
    let status = Path::new("status");
    let addresses = status.child("addresses");
    let list: Vec<Tree<'_>> = new.at("status").list("addresses").collect();
    for (at, address) in list.iter().enumerate() {
        if list.iter().take(at).any(|before| before.0 == address.0) {
            errors.duplicate_value(&addresses.index(at), &internal_json("NodeAddress", *address), "");
        }
    }
    let (spec, old_spec) = (new.at("spec"), old.at("spec"));
    let path = Path::new("spec");
    if old_spec.len("podCIDRs") > 0 {
        let detail = "node updates may not change podCIDR except from \"\" to valid";
        let changed = if old_spec.len("podCIDRs") == spec.len("podCIDRs") {
            old_spec.list("podCIDRs").zip(spec.list("podCIDRs")).filter(|(a, b)| a.0 != b.0).count()
        } else {
            1
        };
        for _ in 0..changed {
            errors.forbidden(&path.child("podCIDRs"), detail);
        }
    }
    let provider = old_spec.str("providerID");
    if !provider.is_empty() && provider != spec.str("providerID") {
        let detail = "node updates may not change providerID except from \"\" to valid";
        errors.forbidden(&path.child("providerID"), detail);
    }
    if spec.str("externalID") != old_spec.str("externalID") {
        errors.forbidden(&path.child("externalID"), "may not be updated");
    }
}

/// A new namespace.
pub fn namespace(namespace: Tree<'_>, errors: &mut Errors) {
    object_meta(namespace.at("metadata"), false, names::name_is_dns_label, &Path::new("metadata"), errors);
    let spec = Path::new("spec");
    let path = spec.child("finalizers");
    for finalizer in namespace.at("spec").list("finalizers") {
        let name = finalizer.text();
        label_name(name, &path, errors);
        if !name.contains('/') && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion") {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.invalid(&path, name, detail);
        }
    }
}

/// The labels of a namespace that the PodSecurity plugin reads. It looks at them when everything else is sound.
pub fn pod_security_labels(namespace: Tree<'_>, errors: &mut Errors) {
    let meta = Path::new("metadata");
    let path = meta.child("labels");
    for (label, value, detail) in pod_security::unreadable_labels(namespace.at("metadata").at("labels")) {
        errors.invalid(&path.key(&label), &value, detail);
    }
}

/// A new priority class.
pub fn priority_class(class: Tree<'_>, errors: &mut Errors) {
    let meta = Path::new("metadata");
    object_meta(class.at("metadata"), false, names::name_is_dns_subdomain, &meta, errors);
    let (name, value) = (class.at("metadata").str("name"), class.int("value"));
    if name.starts_with("system-") {
        if let Some(reason) = not_the_system_class(name, value, class.flag("globalDefault")) {
            let detail =
                format!("priority class names with 'system-' prefix are reserved for system use only. error: {reason}");
            errors.forbidden(&meta.child("name"), &detail);
        }
    } else if value > HIGHEST_USER_PRIORITY {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}");
        errors.forbidden(&Path::new("value"), &detail);
    }
    one_of_top(class, "preemptionPolicy", &["PreemptLowerPriority", "Never"], errors);
}

fn not_the_system_class(name: &str, value: i64, global_default: bool) -> Option<String> {
    let Some((_, wanted)) = crate::apiserver::admission::SYSTEM_PRIORITY_CLASSES.iter().find(|(n, _)| *n == name)
    else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if value != *wanted {
        Some(format!("value of {name} PriorityClass must be {wanted}"))
    } else if global_default {
        Some(format!("globalDefault of {name} PriorityClass must be false"))
    } else {
        None
    }
}

/// Like [`one_of`] for a field of the object itself.
fn one_of_top(tree: Tree<'_>, field: &str, valid: &[&str], errors: &mut Errors) {
    if tree.has(field) && !valid.contains(&tree.str(field)) {
        errors.not_supported(&Path::new(field), tree.str(field), valid);
    }
}

/// A priority class that replaces another.
pub fn priority_class_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    if new.int("value") != old.int("value") {
        errors.forbidden(&Path::new("value"), "may not be changed in an update.");
    }
    let field = "preemptionPolicy";
    immutable(new.at(field), old.at(field), &Path::new(field), errors);
}

/// A new disruption budget.
pub fn disruption_budget(budget: Tree<'_>, errors: &mut Errors) {
    object_meta(budget.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    budget_spec(budget.at("spec"), errors);
}

/// What a disruption budget, new or changed, asks for.
pub fn budget_spec(spec: Tree<'_>, errors: &mut Errors) {
    let path = Path::new("spec");
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        let shown = internal_json("PodDisruptionBudgetSpec", spec);
        errors.invalid_value(&path, &shown, "minAvailable and maxUnavailable cannot be both set");
    }
    for field in ["minAvailable", "maxUnavailable"] {
        if spec.has(field) {
            positive_int_or_percent(spec.at(field), &path.child(field), errors);
            at_most_100_percent(spec.at(field), &path.child(field), errors);
        }
    }
    label_selector(spec.at("selector"), &path.child("selector"), errors);
    one_of(spec, "unhealthyPodEvictionPolicy", &["AlwaysAllow", "IfHealthyBudget"], &path, errors);
}

/// A new runtime class.
pub fn runtime_class(class: Tree<'_>, errors: &mut Errors) {
    object_meta(class.at("metadata"), false, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    let handler = class.str("handler");
    errors.invalid_all(&Path::new("handler"), handler, names::dns1123_label(handler));
    let overhead = Path::new("overhead");
    let fixed = overhead.child("podFixed");
    for (name, amount) in class.at("overhead").map("podFixed") {
        resource_name(name, &fixed.key(name), errors);
        quantity_value(name, quantity(amount), &fixed.key(name), errors);
    }
    let scheduling = Path::new("scheduling");
    labels(class.at("scheduling").at("nodeSelector"), &scheduling.child("nodeSelector"), errors);
    tolerations(class.at("scheduling").at("tolerations"), &scheduling.child("tolerations"), errors);
}

/// A runtime class that replaces another.
pub fn runtime_class_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    immutable(new.at("handler"), old.at("handler"), &Path::new("handler"), errors);
}
