//! Quotas, limit ranges, config maps and secrets.
//!
//! Follows kubernetes pkg/apis/core/validation (ValidateResourceQuota, ValidateLimitRange, ValidateConfigMap,
//! ValidateSecret) and pkg/apis/core/helper, v1.36.
use super::error::{Errors, Path, go_json, quote};
use super::internal::internal_json;
use super::metadata::{immutable, object_meta};
use super::names;
use super::resources::{
    allows_overcommit, container_resource_name, is_quota_resource, quantity, quantity_value, quota_resource_name,
    resource_name,
};
use crate::apiserver::schema::Tree;
use crate::objects::Quantity;
use crate::order::Order;

/// A new resource quota.
pub fn resource_quota(quota: Tree<'_>, errors: &mut Errors) {
    object_meta(quota.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    quota_spec(quota.at("spec"), errors);
    for list in ["hard", "used"] {
        quota_amounts(quota.at("status"), "status", list, errors);
    }
}

/// A resource quota that replaces another: its scopes stay.
pub fn resource_quota_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    let spec = new.at("spec");
    quota_spec(spec, errors);
    let scopes = |quota: Tree<'_>| -> std::collections::BTreeSet<String> {
        quota.at("spec").list("scopes").map(|scope| scope.text().to_owned()).collect()
    };
    if scopes(new) != scopes(old) {
        let path = Path::new("spec");
        errors.invalid_value(&path.child("scopes"), &go_json(spec.at("scopes").0), "field is immutable");
    }
}

fn quota_amounts(parent: Tree<'_>, parent_name: &str, list: &str, errors: &mut Errors) {
    let parent_path = Path::new(parent_name);
    let path = parent_path.child(list);
    for (name, amount) in parent.map(list) {
        quota_resource_name(name, &path.key(name), errors);
        quantity_value(name, quantity(amount), &path.key(name), errors);
    }
}

/// The scopes that there are, and the resources that each of them can count.
const SCOPES: &[(&str, &[&str])] = &[
    ("Terminating", OF_PODS),
    ("NotTerminating", OF_PODS),
    ("BestEffort", &["pods"]),
    ("NotBestEffort", OF_PODS),
    ("PriorityClass", OF_PODS),
    ("CrossNamespacePodAffinity", OF_PODS),
    ("VolumeAttributesClass", &["persistentvolumeclaims", "requests.storage"]),
];
const OF_PODS: &[&str] = &["pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/// Whether the scope is known, and how many of the quota's resources it cannot count.
fn scope_faults(scope: &str, spec: Tree<'_>) -> (bool, usize) {
    let Some((_, counted)) = SCOPES.iter().find(|(name, _)| *name == scope) else { return (false, 0) };
    let hard = spec.map("hard").filter(|(name, _)| is_quota_resource(name) && !counted.contains(&name.as_str()));
    (true, hard.count())
}

/// Pairs of scopes that no object can be in.
fn conflicts(scopes: &[&str]) -> usize {
    let has = |scope: &str| scopes.contains(&scope);
    usize::from(has("BestEffort") && has("NotBestEffort")) + usize::from(has("Terminating") && has("NotTerminating"))
}

fn quota_spec(spec: Tree<'_>, errors: &mut Errors) {
    quota_amounts(spec, "spec", "hard", errors);
    let path = Path::new("spec");
    let scopes_path = path.child("scopes");
    let shown = go_json(spec.at("scopes").0);
    let scopes: Vec<&str> = spec.list("scopes").map(Tree::text).collect();
    for scope in &scopes {
        let (known, misfits) = scope_faults(scope, spec);
        if !known {
            errors.invalid_value(&scopes_path, &shown, "unsupported scope");
        }
        for _ in 0..misfits {
            errors.invalid_value(&scopes_path, &shown, "unsupported scope applied to resource");
        }
    }
    for _ in 0..conflicts(&scopes) {
        errors.invalid_value(&scopes_path, &shown, "conflicting scopes");
    }
    let selector = spec.at("scopeSelector");
    let selector_path = path.child("scopeSelector");
    let place = selector_path.child("matchExpressions");
    for requirement in selector.list("matchExpressions") {
        scope_requirement(requirement, spec, &place, errors);
    }
    let scopes: Vec<&str> = selector.list("matchExpressions").map(|one| one.str("scopeName")).collect();
    for _ in 0..conflicts(&scopes) {
        errors.invalid_value(&place, &shown, "conflicting scopes");
    }
}

/// One requirement of a scope selector. (The API server's paths have no index.)
fn scope_requirement(requirement: Tree<'_>, spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (scope, operator) = (requirement.str("scopeName"), requirement.str("operator"));
    let (operator_path, values_path) = (path.child("operator"), path.child("values"));
    let (known, misfits) = scope_faults(scope, spec);
    if !known {
        errors.invalid(&path.child("scopeName"), scope, "unsupported scope");
    }
    for _ in 0..misfits {
        let shown = internal_json("ScopeSelector", spec.at("scopeSelector"));
        errors.invalid_value(path, &shown, "unsupported scope applied to resource");
    }
    if known && !matches!(scope, "PriorityClass" | "VolumeAttributesClass") && operator != "Exists" {
        let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                      ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                      ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
        errors.invalid(&operator_path, operator, detail);
    }
    let values = requirement.at("values");
    match operator {
        "In" | "NotIn" => {
            if values.items().len() == 0 {
                let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                errors.required(&values_path, detail);
            }
        }
        "Exists" | "DoesNotExist" => {
            if values.items().len() > 0 {
                let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                errors.invalid_value(&values_path, &go_json(values.0), detail);
            }
        }
        other => errors.invalid(&operator_path, other, "not a valid selector operator"),
    }
}

/// A limit range, new or changed.
pub fn limit_range(range: Tree<'_>, errors: &mut Errors) {
    object_meta(range.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    let spec = Path::new("spec");
    let path = spec.child("limits");
    let limits = || range.at("spec").list("limits");
    for (at, item) in limits().enumerate() {
        let place = path.index(at);
        let kind = item.str("type");
        let known = errors.0.len();
        errors.invalid_all(&place.child("type"), kind, names::qualified_name(kind));
        let standard = matches!(kind, "Pod" | "Container" | "PersistentVolumeClaim");
        if errors.0.len() == known && !standard && !kind.contains('/') {
            errors.invalid(&place.child("type"), kind, "must be a standard limit type or fully qualified");
        }
        if limits().take(at).any(|before| before.str("type") == kind) {
            errors.duplicate(&place.child("type"), kind);
        }
        limit_item(item, kind, &place, errors);
    }
}

fn limit_item(item: Tree<'_>, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let mut resources: Vec<&str> = Vec::new();
    for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
        let list_path = path.child(list);
        if list == "maxLimitRequestRatio" && kind == "PersistentVolumeClaim" {
            let named = |list: &str| item.at(list).has("storage");
            if !named("min") && !named("max") {
                let detail = "either minimum or maximum storage value is required, but neither was provided";
                errors.required(&path.child("limits"), detail);
            }
        }
        if kind == "Pod" && list.starts_with("default") {
            if item.len(list) > 0 {
                errors.forbidden(&list_path, "may not be specified when `type` is 'Pod'");
            }
            continue;
        }
        for (name, _) in item.map(list) {
            match kind {
                "Pod" | "Container" => container_resource_name(name, &list_path.key(name), errors),
                _ => drop(resource_name(name, &list_path.key(name), errors)),
            }
            resources.push(name);
        }
    }
    resources.order();
    resources.dedup();
    for name in resources {
        limits_agree(item, kind, name, path, errors);
    }
}

/// The limits of one resource must agree with each other.
fn limits_agree(item: Tree<'_>, kind: &str, name: &str, path: &Path<'_>, errors: &mut Errors) {
    let get = |list: &str| {
        let counts = kind != "Pod" || !list.starts_with("default");
        (counts && item.at(list).has(name)).then(|| quantity(item.at(list).at(name)))
    };
    let mut refuse = |list: &str, shown: Quantity, detail: &str| {
        let place = path.child(list);
        errors.invalid_value(&place.key(name), &quote(&shown.to_string()), detail);
    };
    let (min, max) = (get("min"), get("max"));
    let (default, request) = (get("default"), get("defaultRequest"));
    let mut compare =
        |low: Option<Quantity>, high: Option<Quantity>, list: &str, words: (&str, &str), high_shown: bool| {
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                let detail = format!("{} value {low} is greater than {} value {high}", words.0, words.1);
                refuse(list, if high_shown { high } else { low }, &detail);
            }
        };
    compare(min, max, "min", ("min", "max"), false);
    compare(min, request, "defaultRequest", ("min", "default request"), true);
    compare(request, max, "defaultRequest", ("default request", "max"), false);
    compare(request, default, "defaultRequest", ("default request", "default limit"), false);
    compare(min, default, "default", ("min", "default"), false);
    compare(default, max, "default", ("default", "max"), true);
    if let Some(ratio) = get("maxLimitRequestRatio") {
        if ratio < Quantity::from_units(1) {
            refuse("maxLimitRequestRatio", ratio, &format!("ratio {ratio} is less than 1"));
        }
        if let (Some(min), Some(max)) = (min, max) {
            let most = max.nano_value() as f64 / min.nano_value() as f64;
            if ratio.nano_value() as f64 / 1e9 > most {
                let detail = format!("ratio {ratio} is greater than max/min = {most:.6}");
                refuse("maxLimitRequestRatio", ratio, &detail);
            }
        }
    }
    if let (Some(default), Some(request)) = (default, request)
        && default != request
        && !allows_overcommit(name)
    {
        let detail = format!("default value {default} must equal to defaultRequest value {request} in {name}");
        refuse("defaultRequest", request, &detail);
    }
}

/// A config map or secret may have this many bytes in all.
const MOST_DATA: usize = 1024 * 1024;

/// A new config map: keys and size of the data.
pub fn config_map(object: Tree<'_>, errors: &mut Errors) {
    object_meta(object.at("metadata"), true, names::name_is_dns_subdomain, &Path::new("metadata"), errors);
    let mut size = 0_usize;
    for list in ["data", "binaryData"] {
        let path = Path::new(list);
        for (key, value) in object.map(list) {
            errors.invalid_all(&path.key(key), key, names::config_map_key(key));
            if list == "data" && object.at("binaryData").has(key) {
                errors.invalid(&path.key(key), key, "duplicate of key present in binaryData");
            }
            let length = if list == "data" { value.text().len() } else { decoded_length(value.text()) };
            size = size.saturating_add(length);
        }
    }
    if size > MOST_DATA {
        errors.too_long(&Path::new(""), MOST_DATA);
    }
}

/// How many bytes base64 stands for.
fn decoded_length(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    (text.len() / 4).saturating_mul(3).saturating_sub(padding)
}

/// What secrets of these types must hold.
const SECRET_KEYS: &[(&str, &[&str])] = &[
    ("kubernetes.io/dockercfg", &[".dockercfg"]),
    ("kubernetes.io/dockerconfigjson", &[".dockerconfigjson"]),
    ("kubernetes.io/ssh-auth", &["ssh-privatekey"]),
    ("kubernetes.io/tls", &["tls.crt", "tls.key"]),
];

/// A new secret: keys and size of the data, and what its type asks for.
pub fn secret(secret: Tree<'_>, errors: &mut Errors) {
    let meta = Path::new("metadata");
    object_meta(secret.at("metadata"), true, names::name_is_dns_subdomain, &meta, errors);
    let (path, data) = (Path::new("data"), secret.at("data"));
    let mut size = 0_usize;
    for (key, value) in data.entries() {
        errors.invalid_all(&path.key(key), key, names::config_map_key(key));
        size = size.saturating_add(decoded_length(value.text()));
    }
    if size > MOST_DATA {
        errors.too_long(&path, MOST_DATA);
    }
    let kind = secret.str("type");
    let account = "kubernetes.io/service-account.name";
    if kind == "kubernetes.io/service-account-token"
        && secret.path(&["metadata", "annotations"]).str(account).is_empty()
    {
        errors.required(&meta.child("annotations").key(account), "");
    }
    let login = ["username", "password"];
    if kind == "kubernetes.io/basic-auth" && login.iter().all(|key| !data.has(key)) {
        login.iter().for_each(|key| errors.required(&path.key(key), ""));
    }
    let keys = SECRET_KEYS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, keys)| keys);
    for key in keys {
        // The key of SSH must also say something.
        if !data.has(key) || (*key == "ssh-privatekey" && data.str(key).is_empty()) {
            errors.required(&path.key(key), "");
        }
    }
}

/// A config map or secret that replaces another: marked as immutable it stays as it is.
pub fn config_update(new: Tree<'_>, old: Tree<'_>, errors: &mut Errors) {
    let is_secret = new.str("kind") == "Secret";
    if is_secret {
        immutable(new.at("type"), old.at("type"), &Path::new("type"), errors);
    }
    if !old.flag("immutable") {
        return;
    }
    for field in ["immutable", "data", "binaryData"] {
        if new.at(field).0 != old.at(field).0 {
            errors.forbidden(&Path::new(field), "field is immutable when `immutable` is set");
        }
    }
}
