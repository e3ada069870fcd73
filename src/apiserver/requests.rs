//! The requests of a client: JSON trees in, objects or a [`Status`] out.
//!
//! Every write goes the way of the real API server: strict decoding, defaults, admission, validation, and then
//! [`ApiServer::commit`], the one place that changes the store.

use super::patch::{PatchError, PatchType, json_merge, json_patch, strategic_merge};
use super::schema::{self, Resource};
use super::status::{Status, StatusCause};
use super::validation::{self, go_json, go_map};
use super::write::{Delete, Propagation, Write};
use super::{ApiServer, admission, defaulting, strategy};
use crate::objects::*;
use serde_json::{Map, Value};
use std::rc::Rc;

/// What becomes of fields that the API server does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped without a word.
    Ignore,
    /// They are dropped with a warning.
    #[default]
    Warn,
    /// They are refused.
    Strict,
}

/// How a write is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Only say what would come of it.
    pub dry_run: bool,
    /// What becomes of unknown fields.
    pub validation: FieldValidation,
}

/// The answer to a write.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The object as it is now.
    pub object: Object,
    /// What the API server warns of, without `Warning: `.
    pub warnings: Vec<String>,
    /// Whether anything is different from before.
    pub changed: bool,
}

/// How a deletion is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Only say what would come of it.
    pub dry_run: bool,
    /// Seconds that a pod may take; `None`: what its spec says.
    pub grace_period_seconds: Option<i64>,
    /// What becomes of the objects that it owns.
    pub propagation: Propagation,
}

/// The object of this name, if there is one.
///
/// # Errors
/// `NotFound`.
pub fn get(api: &ApiServer, resource: &Resource, key: &ObjectKey) -> Result<Object, Status> {
    find(api, resource, key).ok_or_else(|| Status::not_found(&resource.qualified_plural(), &key.name))
}

fn find(api: &ApiServer, resource: &Resource, key: &ObjectKey) -> Option<Object> {
    let api_version = resource.api_version();
    match Kind::from_manifest(&api_version, resource.kind) {
        Some(kind) => api.store().get(kind, key),
        None => api.store().unstructured(&api_version, resource.kind, key).cloned().map(Object::Unstructured),
    }
}

/// Creates an object.
///
/// # Errors
/// `BadRequest` for what cannot be decoded, `NotFound` for the namespace, `Forbidden`, `Invalid`, `AlreadyExists`.
pub fn create(
    api: &mut ApiServer,
    resource: &Resource,
    namespace: &str,
    mut tree: Value,
    options: WriteOptions,
) -> Result<Answer, Status> {
    if options.dry_run {
        return create(&mut api.clone(), resource, namespace, tree, WriteOptions { dry_run: false, ..options });
    }
    let mut warnings =
        decode(resource, &mut tree, options.validation).map_err(|why| validation::undecodable(resource, &why))?;
    place(resource, namespace, &mut tree)?;
    if !metadata_text(&tree, "resourceVersion").is_empty() {
        return Err(Status::bad_request("resourceVersion should not be set on objects to be created".into()));
    }
    defaulting::default(resource.kind, &mut tree);
    let suffix = if resource.kind == "Pod" { api.draw_suffix() } else { String::new() };
    admission::mutate(api.store(), resource, &mut tree, &suffix)?;
    edit_metadata(&mut tree, |metadata| {
        for field in ["uid", "creationTimestamp", "generation"] {
            metadata.remove(field);
        }
    });
    strategy::prepare_for_create(resource.kind, &mut tree);
    if resource.kind == "Pod" {
        warnings.extend(super::app_armor::fields_from_annotations(&mut tree));
    }
    let mut object = typed(resource, &tree)?;
    api.generate_name(object.metadata_mut());
    let name = object.metadata().name.to_string();
    edit_metadata(&mut tree, |metadata| {
        if !name.is_empty() {
            metadata.insert("name".into(), name.as_str().into());
        }
    });
    let errors = validation::validate_create(resource, &tree);
    if !errors.is_empty() {
        return Err(validation::invalid(resource, &name, &errors));
    }
    admission::validate(api.store(), resource, &tree)?;
    warnings.extend(validation::warnings(resource.kind, &tree, None));
    warnings.extend(admission::warning(api.store(), resource, &tree));
    if let Object::Node(node) = object {
        object = Object::from((*node).clone().registering());
    }
    let object = api.commit(Write::Create(object))?;
    let answer = Answer { object, warnings, changed: true };
    api.ownership.note(resource, None, &answer);
    Ok(answer)
}

/// Replaces an object.
///
/// # Errors
/// As [`create`], and `NotFound` for the object, `Conflict` for a resource version that is not the present one.
pub fn replace(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    mut tree: Value,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let warnings =
        decode(resource, &mut tree, options.validation).map_err(|why| validation::undecodable(resource, &why))?;
    place(resource, &key.namespace, &mut tree)?;
    let old = get(api, resource, key)?;
    noted_update(api, resource, &old, tree, warnings, options)
}

/// Patches an object.
///
/// # Errors
/// As [`replace`], and `BadRequest` or `Invalid` for the patch itself.
pub fn patch(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    kind: PatchType,
    body: &Value,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let old = get(api, resource, key)?;
    let mut tree = old.to_value();
    merge(resource, kind, &mut tree, body)?;
    let shown = match kind {
        PatchType::Strategic => go_map(body),
        _ => go_json(&tree),
    };
    let check = |tree: &mut Value| match kind {
        PatchType::Strategic => decode_as(resource, tree, options.validation, schema::patch_message),
        _ => decode(resource, tree, options.validation),
    };
    let warnings = check(&mut tree).map_err(|why| validation::invalid_patch(&shown, &why))?;
    noted_update(api, resource, &old, tree, warnings, options)
}

/// Makes of the tree what the patch says.
fn merge(resource: &Resource, kind: PatchType, tree: &mut Value, body: &Value) -> Result<(), Status> {
    match kind {
        PatchType::Strategic => strategic_merge(tree, body, resource.kind).map_err(refused_patch),
        PatchType::Merge if !body.is_object() => Err(Status::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            if body.is_array() { "array" } else { "string" }
        ))),
        PatchType::Merge => {
            json_merge(tree, body);
            Ok(())
        }
        PatchType::Json => json_patch(tree, body).map_err(refused_patch),
    }
}

/// Patches the status of an object and nothing else.
///
/// # Errors
/// As [`replace_status`], and `BadRequest` or `Invalid` for the patch itself.
pub fn patch_status(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    kind: PatchType,
    body: &Value,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let mut tree = get(api, resource, key)?.to_value();
    merge(resource, kind, &mut tree, body)?;
    replace_status(api, resource, key, tree.get("status").unwrap_or(&Value::Null), options)
}

/// Writes the status of an object and nothing else.
///
/// # Errors
/// `NotFound` for the object or, where the kind has no status, for the path; `BadRequest`.
pub fn replace_status(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    status: &Value,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let old = get(api, resource, key)?;
    if !has_status(resource) {
        return Err(Status::no_such_path());
    }
    let mut tree = old.to_value();
    if let Some(map) = tree.as_object_mut() {
        map.insert("status".into(), status.clone());
    }
    let warnings =
        decode(resource, &mut tree, options.validation).map_err(|why| validation::undecodable(resource, &why))?;
    let object = typed(resource, &tree)?;
    if object == old {
        return Ok(Answer { object, warnings, changed: false });
    }
    let object = commit(api, Write::UpdateStatus(object), options.dry_run)?;
    Ok(Answer { object, warnings, changed: true })
}

/// Whether objects of this resource have a `scale` subresource.
pub fn has_scale(resource: &Resource) -> bool {
    matches!(
        (resource.group, resource.kind),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet") | ("", "ReplicationController")
    )
}

/// Number of pods that an object with a `scale` subresource wants.
///
/// # Errors
/// `NotFound` for the object or, where the kind has no scale, for the path.
pub fn scale(api: &ApiServer, resource: &Resource, key: &ObjectKey) -> Result<i64, Status> {
    if !has_scale(resource) {
        return Err(Status::no_such_path());
    }
    let object = get(api, resource, key)?;
    Ok(object.to_value().pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1))
}

/// Sets the number of pods.
///
/// # Errors
/// As [`scale`], and `Invalid` for a negative number.
pub fn set_scale(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    replicas: i64,
    options: WriteOptions,
) -> Result<Answer, Status> {
    scale(api, resource, key)?;
    if replicas < 0 {
        let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        let cause = StatusCause { reason: "FieldValueInvalid".into(), message, field: "spec.replicas".into() };
        return Err(Status::invalid("Scale", "Scale.autoscaling", &key.name, vec![cause]));
    }
    let body = serde_json::json!({"spec": {"replicas": replicas}});
    patch(api, resource, key, PatchType::Merge, &body, options)
}

/// Asks for deletion. Returns the object as it is now or, when it went at once, as it was.
///
/// # Errors
/// `NotFound`; `Forbidden` for a namespace that every cluster needs.
pub fn delete(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    options: DeleteOptions,
) -> Result<Object, Status> {
    let object = get(api, resource, key)?;
    admission::admit_delete(resource, &key.name)?;
    let write = match object.kind() {
        Some(kind) => Write::Delete(Delete {
            kind,
            key: key.clone(),
            uid: None,
            grace_period_seconds: options.grace_period_seconds,
            propagation: options.propagation,
        }),
        None => {
            Write::DeleteOther { api_version: resource.api_version(), kind: resource.kind.into(), key: key.clone() }
        }
    };
    commit(api, write, options.dry_run)
}

/// Asks for a pod's eviction, which its disruption budget may refuse.
///
/// Follows kubernetes pkg/registry/core/pod/storage/eviction.go, v1.36.
///
/// # Errors
/// `NotFound`, or `TooManyRequests` when the budget leaves no room.
pub fn evict(api: &mut ApiServer, key: &ObjectKey, options: DeleteOptions) -> Result<Object, Status> {
    let Some(pod) = api.store().pod(key).cloned() else {
        return Err(Status::not_found("pods", &key.name));
    };
    let harmless = pod.is_finished() || pod.status.phase == PENDING || pod.is_terminating();
    let budgets: Vec<Rc<PodDisruptionBudget>> =
        super::Store::in_namespace(api.store().pod_disruption_budgets(), &key.namespace)
            .filter(|budget| {
                let selector = budget.spec.selector.as_ref();
                selector.is_some_and(|s| !s.is_empty() && s.matches(&pod.metadata.labels))
            })
            .cloned()
            .collect();
    if budgets.len() > 1 && !harmless {
        let message =
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
        return Err(Status { code: 500, message: message.into(), ..Status::default() });
    }
    if let Some(budget) = budgets.first().filter(|_| !harmless) {
        if budget.status.disruptions_allowed <= 0 {
            let message = "Cannot evict pod as it would violate the pod's disruption budget.";
            return Err(Status::too_many_requests(message.into()));
        }
        let mut next = (**budget).clone();
        next.status.disruptions_allowed -= 1;
        commit(api, Write::UpdateStatus(next.into()), options.dry_run)?;
    }
    let mut marked = (*pod).clone();
    let generation = pod.metadata.generation;
    let changed = marked.status.set_condition(PodCondition {
        type_: "DisruptionTarget".into(),
        status: "True".into(),
        reason: "EvictionByEvictionAPI".into(),
        message: "Eviction API: evicting".into(),
        last_transition_time: Some(api.now()),
        observed_generation: generation,
        ..PodCondition::default()
    });
    if changed {
        commit(api, Write::UpdateStatus(marked.into()), options.dry_run)?;
    }
    let write = Write::Delete(Delete {
        kind: Kind::Pod,
        key: key.clone(),
        uid: None,
        grace_period_seconds: options.grace_period_seconds,
        propagation: options.propagation,
    });
    commit(api, write, options.dry_run)
}

fn noted_update(
    api: &mut ApiServer,
    resource: &Resource,
    old: &Object,
    tree: Value,
    warnings: Vec<String>,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let answer = update(api, resource, old, tree, warnings, options)?;
    if !options.dry_run {
        api.ownership.note(resource, Some(old), &answer);
    }
    Ok(answer)
}

pub(super) fn update(
    api: &mut ApiServer,
    resource: &Resource,
    old: &Object,
    mut tree: Value,
    warnings: Vec<String>,
    options: WriteOptions,
) -> Result<Answer, Status> {
    let name = old.metadata().name.clone();
    if &*name != metadata_text(&tree, "name") {
        let given = metadata_text(&tree, "name");
        return Err(Status::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        )));
    }
    let version = metadata_text(&tree, "resourceVersion");
    if !version.is_empty() && version != old.metadata().resource_version {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again".to_owned();
        return Err(Status::conflict(&resource.qualified_plural(), &name, &why));
    }
    let mut before = old.to_value();
    if resource.kind == "Pod" {
        strategy::drop_shown_token(&before, &mut tree);
    }
    // Controllers write without defaults; what a person changes is compared with them.
    defaulting::default(resource.kind, &mut before);
    keep_system_fields(&before, &mut tree);
    defaulting::default(resource.kind, &mut tree);
    admission::admit_update(api.store(), resource, &mut tree, &before)?;
    strategy::prepare_for_update(resource.kind, &mut tree, &before);
    if resource.kind == "Node"
        && let Some(map) = tree.as_object_mut()
    {
        // Only the status subresource writes it.
        match before.get("status") {
            Some(status) => map.insert("status".into(), status.clone()),
            None => map.remove("status"),
        };
    }
    let errors = validation::validate_update(resource, &tree, &before);
    if !errors.is_empty() {
        return Err(validation::invalid(resource, &name, &errors));
    }
    let object = typed(resource, &tree)?;
    let mut warnings = warnings;
    warnings.extend(validation::warnings(resource.kind, &tree, Some(&before)));
    match &object {
        Object::Pod(_) => {}
        Object::Namespace(_) => warnings.extend(pods_that_violate(api, &before, &tree)),
        _ => warnings.extend(admission::warning(api.store(), resource, &tree)),
    }
    if object == *old || typed(resource, &before).is_ok_and(|before| before == object) {
        return Ok(Answer { object: old.clone(), warnings, changed: false });
    }
    let object = commit(api, Write::Update(object), options.dry_run)?;
    Ok(Answer { object, warnings, changed: true })
}

/// What is to be said of the pods of a namespace whose labels now ask for more.
fn pods_that_violate(api: &ApiServer, before: &Value, after: &Value) -> Vec<String> {
    let labels = |namespace: &Value| namespace.pointer("/metadata/labels").cloned().unwrap_or(Value::Null);
    let (old, new) = (labels(before), labels(after));
    if old == new {
        return Vec::new();
    }
    let name = metadata_text(after, "name");
    let pods: Vec<Value> = super::Store::in_namespace(api.store().pods(), name)
        .map(|pod| Object::Pod(Rc::clone(pod)).to_value())
        .collect();
    admission::pod_security::namespace_warnings(name, schema::Tree(&old), schema::Tree(&new), pods.iter())
}

fn commit(api: &mut ApiServer, write: Write, dry_run: bool) -> Result<Object, Status> {
    if dry_run { api.clone().commit(write) } else { api.commit(write) }
}

/// Strict decoding: the warnings, or the message of the refusal.
pub(super) fn decode(
    resource: &Resource,
    tree: &mut Value,
    validation: FieldValidation,
) -> Result<Vec<String>, String> {
    decode_as(resource, tree, validation, schema::decoding_message)
}

/// The same with other words for a value of the wrong type.
fn decode_as(
    resource: &Resource,
    tree: &mut Value,
    validation: FieldValidation,
    words: fn(&[schema::SchemaError]) -> Option<String>,
) -> Result<Vec<String>, String> {
    if !resource.has_schema {
        return Ok(Vec::new());
    }
    let errors = schema::check(resource.kind, tree);
    if errors.iter().any(|error| !error.is_unknown_field()) {
        return Err(words(&errors).unwrap_or_default());
    }
    if let Some(message) = strategy::conversion_error(resource.kind, tree) {
        return Err(message);
    }
    if errors.is_empty() {
        return Ok(Vec::new());
    }
    if validation == FieldValidation::Strict {
        return Err(words(&errors).unwrap_or_default());
    }
    drop_unknown(tree, &schema::Kind::Struct(resource.kind));
    schema::prune(resource.kind, tree);
    Ok(match validation {
        FieldValidation::Warn => errors.iter().map(schema::SchemaError::message).collect(),
        _ => Vec::new(),
    })
}

/// Takes off the fields that the type does not have.
fn drop_unknown(value: &mut Value, kind: &schema::Kind) {
    match (kind, value) {
        (schema::Kind::Struct(name), Value::Object(map)) => {
            map.retain(|field, value| match schema::field_of(name, field) {
                Some(field) => {
                    drop_unknown(value, &field.kind);
                    true
                }
                None => false,
            });
        }
        (schema::Kind::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| drop_unknown(value, item)),
        (schema::Kind::Map(item), Value::Object(map)) => map.values_mut().for_each(|value| drop_unknown(value, item)),
        _ => {}
    }
}

fn refused_patch(error: PatchError) -> Status {
    match error {
        PatchError::Malformed(why) => Status::bad_request(why),
        PatchError::DoesNotFit => {
            Status::invalid_request("the server rejected our request due to an error in our request".into(), Vec::new())
        }
    }
}

/// Puts the object where the request says.
fn place(resource: &Resource, namespace: &str, tree: &mut Value) -> Result<(), Status> {
    let given = metadata_text(tree, "namespace").to_owned();
    if !resource.is_namespaced() {
        edit_metadata(tree, |metadata| drop(metadata.remove("namespace")));
        return Ok(());
    }
    if !given.is_empty() && given != namespace {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(message.into()));
    }
    edit_metadata(tree, |metadata| drop(metadata.insert("namespace".into(), namespace.into())));
    Ok(())
}

/// What an update cannot change: identity, age, deletion.
fn keep_system_fields(before: &Value, tree: &mut Value) {
    const SYSTEM: [&str; 6] = [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
    ];
    edit_metadata(tree, |metadata| {
        for field in SYSTEM {
            match before.pointer(&format!("/metadata/{field}")) {
                Some(value) => metadata.insert(field.into(), value.clone()),
                None => metadata.remove(field),
            };
        }
    });
}

/// Kinds whose status is written apart from the rest.
fn has_status(resource: &Resource) -> bool {
    let api_version = resource.api_version();
    matches!(
        Kind::from_manifest(&api_version, resource.kind),
        Some(
            Kind::DaemonSet
                | Kind::Deployment
                | Kind::ReplicaSet
                | Kind::Pod
                | Kind::Node
                | Kind::Namespace
                | Kind::PodDisruptionBudget
        )
    )
}

fn typed(resource: &Resource, tree: &Value) -> Result<Object, Status> {
    let mut tree = tree.clone();
    if let Some(map) = tree.as_object_mut() {
        map.insert("apiVersion".into(), resource.api_version().into());
        map.insert("kind".into(), resource.kind.into());
    }
    Object::from_value(tree).map_err(|error| validation::undecodable(resource, &error.0))
}

fn metadata_text<'a>(tree: &'a Value, field: &str) -> &'a str {
    tree.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_str).unwrap_or("")
}

/// Changes the metadata of a tree; makes it if it is missing.
fn edit_metadata(tree: &mut Value, edit: impl FnOnce(&mut Map<String, Value>)) {
    if !tree.is_object() {
        *tree = Value::Object(Map::new());
    }
    let Value::Object(map) = tree else { return };
    let metadata = map.entry("metadata").or_insert(Value::Null);
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    if let Value::Object(metadata) = metadata {
        edit(metadata);
    }
}
