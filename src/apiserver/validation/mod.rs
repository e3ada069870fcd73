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
mod pod_update;
mod policy;
mod resources;
mod security;
mod volume_sources;
mod volumes;
mod warnings;
mod workloads;

pub use answer::{go_map, invalid, invalid_patch, undecodable};
pub use error::{ErrorType, FieldError, Path, go_json, quote};
pub use metadata::selector_matches;
pub use pod::APP_ARMOR as APP_ARMOR_ANNOTATION;
pub use resources::{allows_overcommit, is_extended};
pub use security::visit_containers;
pub use warnings::{APP_ARMOR as APP_ARMOR_WARNING, warnings};

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
        "ResourceQuota" => policy::resource_quota(new, list),
        "LimitRange" => policy::limit_range(new, list),
        "ConfigMap" => policy::config_map(new, list),
        "Secret" => policy::secret(new, list),
        _ => {
            let rule = name_rule(resource);
            object_meta(new.at("metadata"), resource.is_namespaced(), rule, &Path::new("metadata"), list);
        }
    }
    errors.0
}

/// What is wrong with an object that replaces another one. What several of the API server's rules say is told once.
pub fn validate_update(resource: &Resource, new: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Errors::default();
    let (new, old, list) = (Tree(new), Tree(old), &mut errors);
    object_meta_update(new.at("metadata"), old.at("metadata"), &Path::new("metadata"), list);
    match resource.kind {
        "DaemonSet" => workloads::daemonset_update(new, old, list),
        "Pod" => pod_update::pod_update(new, old, list),
        "Node" => cluster::node_update(new, old, list),
        "Deployment" => workloads::deployment_update(new, old, list),
        "ReplicaSet" => workloads::replicaset_update(new, old, list),
        "ControllerRevision" => workloads::controller_revision_update(new, old, list),
        "PriorityClass" => cluster::priority_class_update(new, old, list),
        "PodDisruptionBudget" => cluster::budget_spec(new.at("spec"), list),
        "RuntimeClass" => cluster::runtime_class_update(new, old, list),
        "ResourceQuota" => policy::resource_quota_update(new, old, list),
        "LimitRange" => policy::limit_range(new, list),
        "ConfigMap" => {
            policy::config_update(new, old, list);
            policy::config_map(new, list);
        }
        "Secret" => {
            policy::config_update(new, old, list);
            policy::secret(new, list);
        }
        "Namespace" => {
            cluster::namespace(new, list);
            let labels = |tree: Tree<'_>| tree.at("metadata").at("labels").0.clone();
            if list.0.is_empty() && labels(new) != labels(old) {
                cluster::pod_security_labels(new, list);
            }
        }
        _ => {}
    }
    let mut told: Vec<FieldError> = Vec::new();
    for error in errors.0 {
        if !told.contains(&error) {
            told.push(error);
        }
    }
    told
}

/// The rule for names of a resource's objects.
pub fn name_rule(resource: &Resource) -> fn(&str, bool) -> Vec<String> {
    match (resource.group, resource.kind) {
        ("", "Namespace" | "Service") => names::name_is_dns_label,
        ("rbac.authorization.k8s.io", _) => names::path_segment_name,
        _ => names::name_is_dns_subdomain,
    }
}
