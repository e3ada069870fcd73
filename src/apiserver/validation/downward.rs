//! References to the pod's own fields and resources (the downward API).
//!
//! Follows kubernetes pkg/apis/core/validation validateObjectFieldSelector, validateContainerResourceFieldSelector and
//! pkg/apis/core/pods/helpers.go, v1.36.
use super::error::{Errors, Path};
use super::names;
use super::resources::quantity;
use super::volumes::{file_mode, local_path};
use crate::apiserver::schema::Tree;

/// Field paths that an environment variable may have, sorted.
pub const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const FILE_FIELDS: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/// Field paths that exist at all; which are allowed depends on the place.
const KNOWN_FIELDS: &[&str] = &["spec.restartPolicy", "spec.schedulerName", "status.phase"];
const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// A `fieldRef`.
pub fn field_ref(reference: Tree<'_>, allowed: &[&str], path: &Path<'_>, errors: &mut Errors) {
    let (version, field) = (reference.str("apiVersion"), reference.str("fieldPath"));
    for (name, value) in [("apiVersion", version), ("fieldPath", field)] {
        if value.is_empty() {
            return errors.required(&path.child(name), "");
        }
    }
    let field_path = path.child("fieldPath");
    let mut unconvertible = |reason: String| {
        errors.invalid(&field_path, field, &format!("error converting fieldPath: {reason}"));
    };
    if version != "v1" {
        return unconvertible(format!("unsupported pod version: {version}"));
    }
    if let Some((map, key)) = split_subscript(field) {
        return match map {
            "metadata.annotations" => {
                errors.invalid_all(path, &key.to_ascii_lowercase(), names::qualified_name(&key.to_ascii_lowercase()))
            }
            "metadata.labels" => errors.invalid_all(path, key, names::qualified_name(key)),
            _ => unconvertible(format!("field label does not support subscript: {field}")),
        };
    }
    let field = if field == "spec.host" { "spec.nodeName" } else { field };
    if [ENV_FIELDS, FILE_FIELDS, KNOWN_FIELDS].iter().all(|known| !known.contains(&field)) {
        unconvertible(format!("field label not supported: {field}"));
    } else if !allowed.contains(&field) {
        errors.not_supported(&field_path, field, allowed);
    }
}

/// `metadata.labels['app']` as map and key.
fn split_subscript(field: &str) -> Option<(&str, &str)> {
    let (map, key) = field.strip_suffix("']")?.split_once("['")?;
    (!map.is_empty()).then_some((map, key))
}

/// A `resourceFieldRef`; a file must name the container.
pub fn resource_ref(reference: Tree<'_>, in_file: bool, path: &Path<'_>, errors: &mut Errors) {
    let resource = reference.str("resource");
    let huge = resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
    if in_file && reference.str("containerName").is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&path.child("resource"), "");
    } else if !RESOURCES.contains(&resource) && !huge {
        errors.not_supported(&path.child("resource"), resource, RESOURCES);
    }
    let divisor = quantity(reference.at("divisor"));
    if divisor.is_zero() {
        return;
    }
    const SIZES: &[&str] = &["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
    let (allowed, listed, named): (&[&str], _, _) = match resource.split_once('.').map(|(_, name)| name) {
        Some("cpu") => (&["1m", "1"], "1m and 1", "cpu"),
        Some("memory") => (SIZES, "", "memory"),
        Some("ephemeral-storage") => (SIZES, "", "local ephemeral storage"),
        _ if huge => (SIZES, "", "hugepages"),
        _ => return,
    };
    if !allowed.contains(&divisor.to_string().as_str()) {
        let listed = if listed.is_empty() { allowed.join(", ") } else { listed.to_owned() };
        let detail = format!("only divisor's values {listed} are supported with the {named} resource");
        errors.invalid(&path.child("divisor"), resource, &detail);
    }
}

/// A file of a downward API volume. (The API server's paths name the volume, not the item.)
pub fn volume_file(file: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if file.str("path").is_empty() {
        errors.required(&path.child("path"), "");
    }
    local_path(file.str("path"), &path.child("path"), errors);
    match (file.has("fieldRef"), file.has("resourceFieldRef")) {
        (true, both) => {
            field_ref(file.at("fieldRef"), FILE_FIELDS, &path.child("fieldRef"), errors);
            if both {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.invalid(path, "resource", detail);
            }
        }
        (false, true) => {
            resource_ref(file.at("resourceFieldRef"), true, &path.child("resourceFieldRef"), errors);
        }
        (false, false) => errors.required(path, "one of fieldRef and resourceFieldRef is required"),
    }
    file_mode(file, "mode", path, errors);
}
