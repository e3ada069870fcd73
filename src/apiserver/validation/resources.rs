//! Resource names, amounts, requests against limits.
//!
//! Follows kubernetes pkg/apis/core/validation (validateResourceRequirements and neighbours) and
//! pkg/apis/core/helper, v1.36. The API server walks Go maps, so its order among several resources is free; ours is
//! by name.
use super::error::{Errors, Path};
use super::names;
use crate::apiserver::schema::Tree;
use crate::objects::Quantity;
use crate::order::Order;

const HUGE_PAGES: &str = "hugepages-";
const COUNTED: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
const COMPUTE: &[&str] = &["cpu", "memory", "ephemeral-storage"];
const QUOTA_ONLY: &[&str] = &[
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "requests.storage",
];

/// The amount in a tree that has passed the schema check; anything else reads as zero.
pub fn quantity(tree: Tree<'_>) -> Quantity {
    Quantity::parse(tree.text()).unwrap_or_default()
}

/// `hugepages-2Mi` and the like.
pub fn is_huge_page(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// A resource such as `nvidia.com/gpu`.
pub fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && names::qualified_name(&format!("requests.{name}")).is_empty()
}

fn is_integer(name: &str) -> bool {
    COUNTED.contains(&name) || is_extended(name)
}

/// Whether requests may be lower than limits.
pub fn allows_overcommit(name: &str) -> bool {
    is_native(name) && !is_huge_page(name)
}

fn is_standard(name: &str) -> bool {
    COMPUTE.contains(&name)
        || COUNTED.contains(&name)
        || QUOTA_ONLY.contains(&name)
        || name == "storage"
        || is_huge_page(name)
        || name.strip_prefix("requests.").is_some_and(is_huge_page)
}

/// Any resource name.
pub fn resource_name(name: &str, path: &Path<'_>, errors: &mut Errors) -> bool {
    let messages = names::qualified_name(name);
    if !messages.is_empty() {
        errors.invalid_all(path, name, messages);
        return false;
    }
    if !name.contains('/') && !is_standard(name) {
        errors.invalid(path, name, "must be a standard resource type or fully qualified");
        return false;
    }
    true
}

/// A resource of a container.
pub fn container_resource_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    resource_name(name, path, errors);
    if !name.contains('/') {
        if !COMPUTE.contains(&name) && !is_huge_page(name) {
            errors.invalid(path, name, "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        errors.invalid(path, name, "doesn't follow extended resource name standard");
    }
}

fn pod_resource_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    if resource_name(name, path, errors) && !crate::apiserver::admission::is_pod_level(name) {
        errors.not_supported(path, name, &["cpu", "hugepages-", "memory"]);
    }
}

/// A resource name in a quota.
pub fn quota_resource_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    resource_name(name, path, errors);
    if !name.contains('/') && !is_quota_resource(name) {
        errors.invalid(path, name, "must be a standard resource for quota");
    }
}

/// Whether quotas know the resource by themselves.
pub fn is_quota_resource(name: &str) -> bool {
    name != "storage" && is_standard(name)
}

/// An amount of a resource.
pub fn quantity_value(name: &str, amount: Quantity, path: &Path<'_>, errors: &mut Errors) {
    if amount.is_negative() {
        errors.invalid(path, &amount.to_string(), "must be greater than or equal to 0");
    }
    if is_integer(name) && amount.milli_value() % 1000 != 0 {
        errors.invalid(path, &amount.to_string(), "must be an integer");
    }
}

/// Whose resources are validated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A container's (also a pod's overhead).
    Container,
    /// A whole pod's.
    Pod,
}

/// Limits and requests.
pub fn resource_requirements(
    resources: Tree<'_>,
    level: Level,
    claim_names: &[&str],
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let (limits_path, requests_path) = (path.child("limits"), path.child("requests"));
    for (name, amount) in resources.map("limits") {
        one_resource(name, quantity(amount), level, &limits_path.key(name), errors);
        huge_page_value(name, quantity(amount), &limits_path.key(name), errors);
    }
    for (name, amount) in resources.map("requests") {
        let amount = quantity(amount);
        one_resource(name, amount, level, &requests_path.key(name), errors);
        let limit = resources.at("limits").at(name);
        if limit.exists() {
            let limit = quantity(limit);
            if amount != limit && !allows_overcommit(name) {
                let detail = format!("must be equal to {name} limit of {limit}");
                errors.invalid(&requests_path, &amount.to_string(), &detail);
            } else if amount > limit {
                let detail = format!("must be less than or equal to {name} limit of {limit}");
                errors.invalid(&requests_path, &amount.to_string(), &detail);
            }
        } else if !allows_overcommit(name) {
            errors.required(&limits_path, "Limit must be set for non overcommitable resources");
        }
        huge_page_value(name, amount, &requests_path.key(name), errors);
    }
    let named = |wanted: &dyn Fn(&str) -> bool| {
        resources.map("limits").chain(resources.map("requests")).any(|(name, _)| wanted(name))
    };
    if named(&is_huge_page) && !named(&|name| name == "cpu" || name == "memory") {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
    resource_claims(resources, claim_names, &path.child("claims"), errors);
}

fn one_resource(name: &str, amount: Quantity, level: Level, path: &Path<'_>, errors: &mut Errors) {
    match level {
        Level::Container => container_resource_name(name, path, errors),
        Level::Pod => pod_resource_name(name, path, errors),
    }
    quantity_value(name, amount, path, errors);
}

fn huge_page_value(name: &str, amount: Quantity, path: &Path<'_>, errors: &mut Errors) {
    let Some(size) = name.strip_prefix(HUGE_PAGES) else { return };
    let page = Quantity::parse(size).map_or(0, Quantity::value);
    if page <= 0 || amount.value() % page != 0 {
        errors.invalid(path, &amount.to_string(), &format!("{amount} is not positive integer multiple of {name}"));
    }
}

fn resource_claims(resources: Tree<'_>, claim_names: &[&str], path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for (at, claim) in resources.list("claims").enumerate() {
        let (name, request) = (claim.str("name"), claim.str("request"));
        let place = path.index(at);
        if name.is_empty() {
            errors.required(&place, "");
            continue;
        }
        if seen.iter().any(|key| key == name) {
            errors.duplicate(&place, name);
        } else {
            let key = if request.is_empty() { name.to_owned() } else { format!("{name}/{request}") };
            if !request.is_empty() {
                errors.invalid_all(&place.child("request"), request, names::dns1123_label(request));
            }
            if seen.contains(&key) {
                errors.duplicate(&place, &key);
            } else if request.is_empty() {
                for _ in seen.iter().filter(|key| key.split_once('/').is_some_and(|(first, _)| first == name)) {
                    errors.duplicate(&place, name);
                }
            }
            seen.push(key);
        }
        if !claim_names.contains(&name) {
            let mut detail = "must be one of the names in pod.spec.resourceClaims".to_owned();
            if claim_names.is_empty() {
                detail.push_str(" which is empty");
            } else {
                let mut sorted: Vec<String> = claim_names.iter().map(|name| (*name).to_owned()).collect();
                sorted.order();
                sorted.dedup();
                detail.push_str(": ");
                detail.push_str(&sorted.join(", "));
            }
            errors.not_found(&place, name, &detail);
        }
    }
}
