//! DaemonSets, Deployments, ReplicaSets, ControllerRevisions, StatefulSets.
//!
//! Follows kubernetes pkg/apis/apps/validation, v1.36.
use super::error::{Errors, Path, quote};
use super::internal::internal_json;
use super::metadata::{label_selector, object_meta, selector_json, selector_matches, shown};
use super::names;
use super::pod::pod_template;
use crate::apiserver::schema::Tree;

/// A new DaemonSet.
pub fn daemonset(set: Tree<'_>, errors: &mut Errors) {
    object_meta(set.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    daemonset_spec(set.at("spec"), &Path::new("spec"), errors);
}

/// A DaemonSet that replaces another.
pub fn daemonset_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    let path = Path::new("spec");
    immutable_selector(new, old, &path, errors);
    daemonset_spec(new.at("spec"), &path, errors);
}

fn immutable_selector(new: Tree<'_>, old: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (selector, before) = (new.at("spec").at("selector"), old.at("spec").at("selector"));
    if selector.0 != before.0 {
        errors.invalid_value(&path.child("selector"), &selector_json(selector), "field is immutable");
    }
}

fn daemonset_spec(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (selector, template) = (spec.at("selector"), spec.at("template"));
    let selector_path = path.child("selector");
    let template_path = path.child("template");
    label_selector(selector, &selector_path, errors);
    template_matches(selector, template, &template_path, errors);
    if selector.exists() && is_empty_selector(selector) {
        let detail = "empty selector is invalid for daemonset";
        errors.invalid_value(&selector_path, &selector_json(selector), detail);
    }
    pod_template(template, &template_path, errors);
    always_running(template, "DaemonSet", &template_path, errors);
    errors.non_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    daemonset_strategy(spec.at("updateStrategy"), &path.child("updateStrategy"), errors);
    errors.non_negative(spec.int("revisionHistoryLimit"), &path.child("revisionHistoryLimit"));
}

fn is_empty_selector(selector: Tree<'_>) -> bool {
    selector.len("matchLabels") + selector.len("matchExpressions") == 0
}

/// The template's labels must match; a malformed selector has its own errors.
fn template_matches(selector: Tree<'_>, template: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let labels = template.at("metadata").at("labels");
    if selector_matches(selector, labels) == Some(false) {
        let meta = path.child("metadata");
        let detail = "`selector` does not match template `labels`";
        errors.invalid_value(&meta.child("labels"), &shown(labels.0), detail);
    }
}

/// Templates of controllers that keep their pods running.
fn always_running(template: Tree<'_>, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let spec_path = path.child("spec");
    let policy = template.at("spec").str("restartPolicy");
    if policy != "Always" {
        errors.not_supported(&spec_path.child("restartPolicy"), policy, &["Always"]);
    }
    if template.at("spec").has("activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&spec_path.child("activeDeadlineSeconds"), &detail);
    }
}

fn daemonset_strategy(strategy: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let rolling = strategy.at("rollingUpdate");
    match strategy.str("type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let place = path.child("rollingUpdate");
            if !rolling.exists() {
                return errors.required(&place, "");
            }
            rolling_update(rolling, &place, errors);
            let (unavailable, surge) = (rolling.at("maxUnavailable"), rolling.at("maxSurge"));
            match (int_or_percent(unavailable) != 0, int_or_percent(surge) != 0) {
                (true, true) => {
                    let detail = "may not be set when maxUnavailable is non-zero";
                    errors.invalid_value(&place.child("maxSurge"), &shown_amount(surge), detail);
                }
                (false, false) => {
                    errors.required(&place.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
                }
                _ => {}
            }
        }
        _ => {
            let shown = internal_json("UpdateStrategy", strategy);
            errors.not_supported_value(path, &shown, &["RollingUpdate", "OnDelete"]);
        }
    }
}

/// Both parameters of a DaemonSet's rolling update: sound, and at most 100 %.
fn rolling_update(rolling: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for field in ["maxUnavailable", "maxSurge"] {
        positive_int_or_percent(rolling.at(field), &path.child(field), errors);
    }
    for field in ["maxUnavailable", "maxSurge"] {
        at_most_100_percent(rolling.at(field), &path.child(field), errors);
    }
}

fn shown_amount(amount: Tree<'_>) -> String {
    if amount.exists() { shown(amount.0) } else { "0".into() }
}

/// A number that is not negative, or a percentage.
pub fn positive_int_or_percent(amount: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    match amount.0.as_str() {
        Some(text) => {
            for message in names::percent(text) {
                errors.invalid_value(path, &quote(text), &message);
            }
        }
        None => errors.non_negative(amount.number(), path),
    }
}

/// A percentage is at most 100 %.
pub fn at_most_100_percent(amount: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if amount.0.as_str().and_then(names::percent_value).is_some_and(|percent| percent > 100) {
        errors.invalid_value(path, &shown_amount(amount), "must not be greater than 100%");
    }
}

/// The number, or the number of percent; a text that is no percentage counts as the integer it may be, else 0.
pub fn int_or_percent(amount: Tree<'_>) -> i64 {
    match amount.0.as_str() {
        Some(text) => names::percent_value(text).or_else(|| text.parse().ok()).unwrap_or(0),
        None => amount.number(),
    }
}

/// A new Deployment.
pub fn deployment(deployment: Tree<'_>, errors: &mut Errors) {
    object_meta(deployment.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    deployment_spec(deployment.at("spec"), &Path::new("spec"), errors);
}

/// A Deployment that replaces another.
pub fn deployment_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    let path = Path::new("spec");
    deployment_spec(new.at("spec"), &path, errors);
    immutable_selector(new, old, &path, errors);
}

fn deployment_spec(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    errors.non_negative(spec.int("replicas"), &path.child("replicas"));
    replicated_template(spec, "deployment", path, errors);
    let strategy_path = path.child("strategy");
    deployment_strategy(spec.at("strategy"), &strategy_path, errors);
    let ready = spec.int("minReadySeconds");
    errors.non_negative(ready, &path.child("minReadySeconds"));
    errors.non_negative(spec.int("revisionHistoryLimit"), &path.child("revisionHistoryLimit"));
    if let Some(deadline) = spec.opt_int("progressDeadlineSeconds") {
        let place = path.child("progressDeadlineSeconds");
        errors.non_negative(deadline, &place);
        if deadline <= ready {
            errors.invalid_number(&place, deadline, "must be greater than minReadySeconds");
        }
    }
}

/// Selector and template of a controller that counts replicas.
fn replicated_template(spec: Tree<'_>, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let (selector, template) = (spec.at("selector"), spec.at("template"));
    let selector_path = path.child("selector");
    if !selector.exists() {
        errors.required(&selector_path, "");
    } else {
        label_selector(selector, &selector_path, errors);
        if is_empty_selector(selector) {
            let detail = format!("empty selector is invalid for {kind}");
            errors.invalid_value(&selector_path, &selector_json(selector), &detail);
        }
    }
    let template_path = path.child("template");
    if selector_matches(selector, template.at("metadata").at("labels")).is_none() {
        return errors.invalid_value(&selector_path, &selector_json(selector), "invalid label selector");
    }
    template_matches(selector, template, &template_path, errors);
    pod_template(template, &template_path, errors);
    let kind = if kind == "statefulset" { "StatefulSet" } else { "ReplicaSet" };
    always_running(template, kind, &template_path, errors);
}

fn deployment_strategy(strategy: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let rolling = strategy.at("rollingUpdate");
    let place = path.child("rollingUpdate");
    match strategy.str("type") {
        "Recreate" => {
            if rolling.exists() {
                errors.forbidden(&place, "may not be specified when strategy `type` is 'Recreate'");
            }
        }
        "RollingUpdate" => {
            if !rolling.exists() {
                return errors.required(&place, "this should be defaulted and never be nil");
            }
            let (unavailable, surge) = (rolling.at("maxUnavailable"), rolling.at("maxSurge"));
            positive_int_or_percent(unavailable, &place.child("maxUnavailable"), errors);
            positive_int_or_percent(surge, &place.child("maxSurge"), errors);
            if int_or_percent(unavailable) == 0 && int_or_percent(surge) == 0 {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.invalid_value(&place.child("maxUnavailable"), &shown_amount(unavailable), detail);
            }
            at_most_100_percent(unavailable, &place.child("maxUnavailable"), errors);
        }
        _ => {
            let shown = internal_json("UpdateStrategy", strategy);
            errors.not_supported_value(path, &shown, &["Recreate", "RollingUpdate"]);
        }
    }
}

/// A new ReplicaSet.
pub fn replicaset(set: Tree<'_>, errors: &mut Errors) {
    object_meta(set.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    replicaset_spec(set.at("spec"), &Path::new("spec"), errors);
}

/// A ReplicaSet that replaces another.
pub fn replicaset_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    replicaset(new, errors);
    let path = Path::new("spec");
    immutable_selector(new, old, &path, errors);
}

fn replicaset_spec(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    errors.non_negative(spec.int("replicas"), &path.child("replicas"));
    errors.non_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    // The API server says "deployment" here, too.
    replicated_template(spec, "deployment", path, errors);
}

/// A new StatefulSet (known, but not run by the playground).
pub fn statefulset(set: Tree<'_>, errors: &mut Errors) {
    object_meta(set.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    let (spec, path) = (set.at("spec"), Path::new("spec"));
    errors.non_negative(spec.int("replicas"), &path.child("replicas"));
    errors.non_negative(spec.int("minReadySeconds"), &path.child("minReadySeconds"));
    replicated_template(spec, "statefulset", &path, errors);
}

/// A new ControllerRevision.
pub fn controller_revision(revision: Tree<'_>, errors: &mut Errors) {
    object_meta(revision.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    if !revision.has("data") {
        errors.required(&Path::new("data"), "data is mandatory");
    }
    errors.non_negative(revision.int("revision"), &Path::new("revision"));
}

/// A ControllerRevision that replaces another: its data never changes.
pub fn controller_revision_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    controller_revision(new, errors);
    super::metadata::immutable(new.at("data"), old.at("data"), &Path::new("data"), errors);
}
