//! Node and pod affinity, tolerations, topology spread.
//!
//! Follows kubernetes pkg/apis/core/validation (validateAffinity, ValidateTolerations,
//! validateTopologySpreadConstraints), v1.36 with default feature gates.
use super::error::{Errors, Path, quote};
use super::metadata::{label_name, label_selector};
use super::names;
use crate::apiserver::schema::Tree;

/// The whole affinity of a pod.
pub fn affinity(affinity: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let node = affinity.at("nodeAffinity");
    if node.exists() {
        node_affinity(node, &path.child("nodeAffinity"), errors);
    }
    for name in ["podAffinity", "podAntiAffinity"] {
        pod_affinity(affinity.at(name), &path.child(name), errors);
    }
}

fn node_affinity(node: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let required = node.at("requiredDuringSchedulingIgnoredDuringExecution");
    if required.exists() {
        node_selector(required, &path.child("requiredDuringSchedulingIgnoredDuringExecution"), errors);
    }
    let preferred_path = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (at, term) in node.list("preferredDuringSchedulingIgnoredDuringExecution").enumerate() {
        let place = preferred_path.index(at);
        weight(term, &place, errors);
        // Bad label values are tolerated in preferences.
        node_selector_term(term.at("preference"), false, &place.child("preference"), errors);
    }
}

fn weight(term: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let weight = term.int("weight");
    if !(1..=100).contains(&weight) {
        errors.invalid_number(&path.child("weight"), weight, "must be in the range 1-100");
    }
}

/// A required node selector.
pub fn node_selector(selector: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let terms = path.child("nodeSelectorTerms");
    if selector.len("nodeSelectorTerms") == 0 {
        errors.required(&terms, "must have at least one node selector term");
    }
    for (at, term) in selector.list("nodeSelectorTerms").enumerate() {
        node_selector_term(term, true, &terms.index(at), errors);
    }
}

fn node_selector_term(term: Tree<'_>, check_values: bool, path: &Path<'_>, errors: &mut Errors) {
    let expressions = path.child("matchExpressions");
    for (at, requirement) in term.list("matchExpressions").enumerate() {
        node_requirement(requirement, check_values, &expressions.index(at), errors);
    }
    let fields = path.child("matchFields");
    for (at, requirement) in term.list("matchFields").enumerate() {
        node_field_requirement(requirement, &fields.index(at), errors);
    }
}

fn node_requirement(requirement: Tree<'_>, check_values: bool, path: &Path<'_>, errors: &mut Errors) {
    let values = path.child("values");
    let count = requirement.len("values");
    match requirement.str("operator") {
        "In" | "NotIn" => {
            if count == 0 {
                errors.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
        }
        "Exists" | "DoesNotExist" => {
            if count > 0 {
                errors.forbidden(&values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
            }
        }
        "Gt" | "Lt" => {
            if count != 1 {
                errors.required(&values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
            }
        }
        other => errors.invalid(&path.child("operator"), other, "not a valid selector operator"),
    }
    label_name(requirement.str("key"), &path.child("key"), errors);
    if check_values {
        for (at, value) in requirement.list("values").enumerate() {
            errors.invalid_all(&values.index(at), value.text(), names::label_value(value.text()));
        }
    }
}

fn node_field_requirement(requirement: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let values = path.child("values");
    match requirement.str("operator") {
        "In" | "NotIn" => {
            if requirement.len("values") != 1 {
                let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errors.required(&values, detail);
            }
        }
        other => errors.invalid(&path.child("operator"), other, "not a valid selector operator"),
    }
    let key = requirement.str("key");
    if key != "metadata.name" {
        errors.invalid(&path.child("key"), key, "not a valid field selector key");
        return;
    }
    for (at, value) in requirement.list("values").enumerate() {
        let messages = names::name_is_dns_subdomain(value.text(), false);
        errors.invalid_all(&values.index(at), value.text(), messages);
    }
}

fn pod_affinity(affinity: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let required = path.child("requiredDuringSchedulingIgnoredDuringExecution");
    for (at, term) in affinity.list("requiredDuringSchedulingIgnoredDuringExecution").enumerate() {
        pod_affinity_term(term, &required.index(at), errors);
    }
    let preferred = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (at, term) in affinity.list("preferredDuringSchedulingIgnoredDuringExecution").enumerate() {
        let place = preferred.index(at);
        weight(term, &place, errors);
        pod_affinity_term(term.at("podAffinityTerm"), &place.child("podAffinityTerm"), errors);
    }
}

fn pod_affinity_term(term: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    label_selector(term.at("labelSelector"), &path.child("labelSelector"), errors);
    label_selector(term.at("namespaceSelector"), &path.child("namespaceSelector"), errors);
    for namespace in term.list("namespaces") {
        let messages = names::name_is_dns_label(namespace.text(), false);
        errors.invalid_all(&path.child("namespace"), namespace.text(), messages);
    }
    match_label_keys(term, path, errors);
    let key = term.str("topologyKey");
    let key_path = path.child("topologyKey");
    if key.is_empty() {
        errors.required(&key_path, "can not be empty");
    }
    label_name(key, &key_path, errors);
}

fn match_label_keys(term: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let selector = term.at("labelSelector");
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        let place = path.child(list);
        if term.len(list) > 0 && !selector.exists() {
            errors.forbidden(&place, "must not be specified when labelSelector is not set");
            continue;
        }
        for (at, key) in term.list(list).enumerate() {
            label_name(key.text(), &place.index(at), errors);
        }
    }
    // The API server adds what matchLabelKeys stand for to the selector; a key that is there twice was there before.
    let mut selected: Vec<&str> = selector.map("matchLabels").map(|(key, _)| key.as_str()).collect();
    for expression in selector.list("matchExpressions") {
        let key = expression.str("key");
        let position = term.list("matchLabelKeys").position(|k| k.text() == key);
        if let Some(at) = position.filter(|_| selected.contains(&key)) {
            errors.invalid(&path.index(at), key, "exists in both matchLabelKeys and labelSelector");
        }
        selected.push(key);
    }
    let keys = path.child("matchLabelKeys");
    for (at, key) in term.list("matchLabelKeys").enumerate() {
        if term.list("mismatchLabelKeys").any(|k| k.text() == key.text()) {
            errors.invalid(&keys.index(at), key.text(), "exists in both matchLabelKeys and mismatchLabelKeys");
        }
    }
}

/// Tolerations.
pub fn tolerations(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, toleration) in list.items().enumerate() {
        one_toleration(toleration, &path.index(at), errors);
    }
}

fn one_toleration(toleration: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (key, operator) = (toleration.str("key"), toleration.str("operator"));
    let (value, effect) = (toleration.str("value"), toleration.str("effect"));
    let operator_path = path.child("operator");
    if !key.is_empty() {
        label_name(key, &path.child("key"), errors);
    }
    if key.is_empty() && operator != "Exists" {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.invalid(&operator_path, operator, detail);
    }
    if toleration.has("tolerationSeconds") && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.invalid(&path.child("effect"), effect, detail);
    }
    match operator {
        "" | "Equal" => {
            let messages = names::label_value(value);
            if !messages.is_empty() {
                errors.invalid(&operator_path, value, &messages.join(";"));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                errors.invalid(&operator_path, value, "value must be empty when `operator` is 'Exists'");
            }
        }
        // The gate for comparing operators is off: they are refused, though named among the supported ones.
        "Lt" | "Gt" => errors.not_supported(&operator_path, operator, &["Equal", "Exists", "Lt", "Gt"]),
        other => errors.not_supported(&operator_path, other, &["Equal", "Exists"]),
    }
    if !effect.is_empty() {
        taint_effect(effect, &path.child("effect"), errors);
    }
}

/// A taint effect that is there.
pub fn taint_effect(effect: &str, path: &Path<'_>, errors: &mut Errors) {
    const EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];
    if !EFFECTS.contains(&effect) {
        errors.not_supported(path, effect, EFFECTS);
    }
}

/// Topology spread constraints.
pub fn topology_spread(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let all: Vec<Tree<'_>> = list.items().collect();
    for (at, constraint) in all.iter().enumerate() {
        let place = path.index(at);
        let skew = constraint.int("maxSkew");
        if skew <= 0 {
            errors.invalid_number(&place.child("maxSkew"), skew, "must be greater than zero");
        }
        let key = constraint.str("topologyKey");
        if key.is_empty() {
            errors.required(&place.child("topologyKey"), "can not be empty");
        }
        let action = constraint.str("whenUnsatisfiable");
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            let valid = &["DoNotSchedule", "ScheduleAnyway"];
            errors.not_supported(&place.child("whenUnsatisfiable"), action, valid);
        }
        let again =
            all.iter().skip(at + 1).any(|c| c.str("topologyKey") == key && c.str("whenUnsatisfiable") == action);
        if again {
            let shown = quote(&format!("{{{key}, {action}}}"));
            errors.duplicate_value(&place.child("{topologyKey, whenUnsatisfiable}"), &shown, "");
        }
        if let Some(domains) = constraint.opt_int("minDomains") {
            let domains_path = place.child("minDomains");
            if domains <= 0 {
                errors.invalid_number(&domains_path, domains, "must be greater than zero");
            }
            if action != "DoNotSchedule" {
                let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.invalid_number(&domains_path, domains, &detail);
            }
        }
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            let policy = constraint.at(name);
            if policy.exists() && !matches!(policy.text(), "Honor" | "Ignore") {
                errors.not_supported(&place.child(name), policy.text(), &["Honor", "Ignore"]);
            }
        }
        match_label_keys(*constraint, &place, errors);
        label_selector(constraint.at("labelSelector"), &place.child("labelSelector"), errors);
    }
}
