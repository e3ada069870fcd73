//! What the API server refuses, and what it warns about.
//!
//! Everything here works on JSON trees that have passed the schema check and have their defaults. All faults of an
//! object are found at once, in the API server's order; where it walks a Go map, ours is by name.

mod affinity;
mod answer;
mod cluster;
mod container;
mod downward;
mod error;
mod internal;
mod metadata;
pub mod names;
mod pod;
mod resources;
mod security;
mod volumes;
mod warnings;
mod workloads;

pub use answer::{go_map, invalid, invalid_patch, undecodable};
pub use error::{ErrorType, FieldError, Path, go_json, quote};
pub use metadata::selector_matches;
pub use resources::{allows_overcommit, is_extended};
pub use warnings::warnings;

use super::schema::{Resource, Tree};
use error::Errors;
use metadata::{object_meta, object_meta_update};
use serde_json::Value;

/// What is wrong with a new object.
pub fn validate_create(resource: &Resource, new: &Value) -> Vec<FieldError> {
    let mut errors = Errors::default();
    let (new, list) = (Tree(new), &mut errors);
    match resource.kind {
        "DaemonSet" => workloads::daemonset(new, list),
        "Pod" => pod::pod_create(new, list),
        "Node" => cluster::node(new, list),
        "Deployment" => workloads::deployment(new, list),
        "ReplicaSet" => workloads::replicaset(new, list),
        "StatefulSet" => workloads::statefulset(new, list),
        "ControllerRevision" => workloads::controller_revision(new, list),
        "Namespace" => {
            cluster::namespace(new, list);
            if list.0.is_empty() {
                cluster::pod_security_labels(new, list);
            }
        }
        "PriorityClass" => cluster::priority_class(new, list),
        "PodDisruptionBudget" => cluster::disruption_budget(new, list),
        "RuntimeClass" => cluster::runtime_class(new, list),
        "ResourceQuota" => cluster::resource_quota(new, list),
        "LimitRange" => cluster::limit_range(new, list),
        "ConfigMap" | "Secret" => cluster::config_data(new, list),
        _ => {
            let rule = name_rule(resource);
            object_meta(new.at("metadata"), resource.is_namespaced(), rule, &Path::new("metadata"), list);
        }
    }
    errors.0
}

/// What is wrong with an object that replaces another one.
pub fn validate_update(resource: &Resource, new: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Errors::default();
    let (new, old, list) = (Tree(new), Tree(old), &mut errors);
    match resource.kind {
        "DaemonSet" => workloads::daemonset_update(new, old, list),
        "Pod" => pod::pod_update(new, old, list),
        "Node" => cluster::node_update(new, old, list),
        "Deployment" => workloads::deployment_update(new, old, list),
        "ReplicaSet" => workloads::replicaset_update(new, old, list),
        "ControllerRevision" => workloads::controller_revision_update(new, old, list),
        "PriorityClass" => cluster::priority_class_update(new, old, list),
        "PodDisruptionBudget" => cluster::disruption_budget_update(new, old, list),
        "RuntimeClass" => cluster::runtime_class_update(new, old, list),
        _ => {
            object_meta_update(new.at("metadata"), old.at("metadata"), &Path::new("metadata"), list);
            let labels = |tree: Tree<'_>| tree.at("metadata").at("labels").0.clone();
            if resource.kind == "Namespace" && list.0.is_empty() && labels(new) != labels(old) {
                cluster::pod_security_labels(new, list);
            }
            if matches!(resource.kind, "ResourceQuota" | "LimitRange" | "ConfigMap" | "Secret") {
                // Rules of the content are the same; those of the metadata were just applied.
                let known = list.0.len();
                match resource.kind {
                    "ResourceQuota" => cluster::resource_quota(new, list),
                    "LimitRange" => cluster::limit_range(new, list),
                    _ => cluster::config_data(new, list),
                }
                let seen: Vec<FieldError> = list.0.iter().take(known).cloned().collect();
                let mut at = 0;
                list.0.retain(|error| {
                    at += 1;
                    at <= known || !seen.contains(error)
                });
            }
        }
    }
    errors.0
}

/// The rule for names of a resource's objects.
pub fn name_rule(resource: &Resource) -> fn(&str, bool) -> Vec<String> {
    match (resource.group, resource.kind) {
        ("", "Namespace") => names::name_is_dns_label,
        ("", "Service") => names::name_is_dns1035_label,
        ("rbac.authorization.k8s.io", _) => names::path_segment_name,
        _ => names::name_is_dns_subdomain,
    }
}
