//! Who set which fields of an object, as far as clients did, and server-side apply, which goes by that.
//!
//! Follows sigs.k8s.io/structured-merge-diff and k8s.io/apimachinery pkg/util/managedfields, v1.36. What is kept is told
//! by conflicts and by what the next apply takes away; `metadata.managedFields` is not made of it.

use super::requests::{self, Answer, FieldValidation, WriteOptions};
use super::schema::{Field, Kind, Resource, field_of};
use super::{ApiServer, Status, defaulting, validation};
use crate::objects::{LAST_APPLIED, Object, ObjectKey};
use crate::order::Collect;
use rpds::RedBlackTreeMap;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The steps from the object to a field: `.spec`, `.containers`, `[name="main"]`.
type FieldPath = Vec<String>;

/// One manager's fields.
#[derive(Clone, Debug)]
struct Owner {
    manager: Rc<str>,
    /// By server-side apply; else by a write of any other kind.
    applies: bool,
    fields: BTreeSet<FieldPath>,
}

/// The owners of fields, by the uid of the object.
#[derive(Clone, Debug, Default)]
pub struct Ownership {
    owners: RedBlackTreeMap<Rc<str>, Rc<Vec<Owner>>>,
    /// Who sends the present requests.
    requester: Option<Rc<str>>,
}

impl Ownership {
    /// From now on requests are this manager's.
    pub fn set_requester(&mut self, manager: &str) {
        self.requester = Some(manager.into());
    }

    fn of(&self, uid: &str) -> Vec<Owner> {
        self.owners.get(uid).map(|owners| owners.to_vec()).unwrap_or_default()
    }

    fn set(&mut self, uid: &Rc<str>, mut owners: Vec<Owner>) {
        owners.retain(|owner| !owner.fields.is_empty());
        self.owners.insert_mut(uid.clone(), owners.into());
    }

    /// Notes what a write other than server-side apply has changed.
    pub fn note(&mut self, resource: &Resource, before: Option<&Object>, answer: &Answer) {
        let Some(manager) = self.requester.clone().filter(|_| answer.changed) else { return };
        let uid = &answer.object.metadata().uid;
        let old = before.map(|before| fields_of(resource, &before.to_value())).unwrap_or_default();
        let mut new = fields_of(resource, &answer.object.to_value());
        let mut owners = self.of(uid);
        let gone =
            |path: &FieldPath, new: &BTreeMap<FieldPath, Value>| old.contains_key(path) && !new.contains_key(path);
        let lost: BTreeSet<FieldPath> = old.keys().filter(|path| gone(path, &new)).cloned().collect_set();
        new.retain(|path, value| old.get(path) != Some(value));
        for owner in &mut owners {
            owner.fields.retain(|path| !lost.contains(path) && !new.contains_key(path));
        }
        give(&mut owners, &manager, false, new.into_keys());
        self.set(uid, owners);
    }
}

fn is(owner: &Owner, manager: &str, applies: bool) -> bool {
    *owner.manager == *manager && owner.applies == applies
}

/// Makes more fields the manager's.
fn give(owners: &mut Vec<Owner>, manager: &Rc<str>, applies: bool, fields: impl Iterator<Item = FieldPath>) {
    match owners.iter_mut().find(|owner| is(owner, manager, applies)) {
        Some(owner) => owner.fields.extend(fields),
        None => owners.push(Owner { manager: manager.clone(), applies, fields: fields.collect() }),
    }
}

/// How a value is looked at: as a whole, or by its parts.
enum Shape {
    Whole,
    Struct(&'static str),
    Map(Kind),
    /// A list whose items are told apart by these keys.
    Keyed(&'static str, Vec<&'static str>),
    /// A list of texts in no order.
    Set,
}

/// Types and maps of which one manager owns all or nothing.
const WHOLE_TYPES: &str = "LabelSelector NodeSelector NodeSelectorTerm ObjectFieldSelector ResourceFieldSelector \
    ConfigMapKeySelector SecretKeySelector FileKeySelector LocalObjectReference ObjectReference SecretReference";

fn shape(parent: &str, field: &Field) -> Shape {
    let spread = field.name == "topologySpreadConstraints";
    match (&field.kind, field.patch.merge_key) {
        (Kind::Struct(name), _) if WHOLE_TYPES.split(' ').any(|whole| whole == *name) => Shape::Whole,
        (Kind::Struct(name), _) => Shape::Struct(name),
        (Kind::Map(_), _) if parent == "PodSpec" && field.name == "nodeSelector" => Shape::Whole,
        (Kind::Map(item), _) => Shape::Map((**item).clone()),
        (Kind::List(_), Some("")) => Shape::Set,
        (Kind::List(item), Some(key)) => match item.struct_name() {
            Some(name) if key == "containerPort" => Shape::Keyed(name, vec![key, "protocol"]),
            Some(name) if spread => Shape::Keyed(name, vec![key, "whenUnsatisfiable"]),
            Some(name) => Shape::Keyed(name, vec![key]),
            None => Shape::Whole,
        },
        _ => Shape::Whole,
    }
}

/// The shape of what an entry holds.
fn below(shape: &Shape, key: &str) -> Shape {
    match shape {
        Shape::Struct(name) => field_of(name, key).map_or(Shape::Whole, |field| self::shape(name, field)),
        Shape::Map(Kind::Struct(name)) => Shape::Struct(name),
        Shape::Keyed(name, _) => Shape::Struct(name),
        _ => Shape::Whole,
    }
}

/// `[name="main"]`
fn item_step(item: &Value, keys: &[&str]) -> String {
    let parts: Vec<String> = keys
        .iter()
        .map(|key| match item.get(key) {
            None if *key == "protocol" => format!("{key}=\"TCP\""),
            value => format!("{key}={}", value.unwrap_or(&Value::Null)),
        })
        .collect();
    format!("[{}]", parts.join(","))
}

/// All that the object says, but who it is and what the server adds. An item of a list is there itself, too.
fn fields_of(resource: &Resource, tree: &Value) -> BTreeMap<FieldPath, Value> {
    let mut fields = BTreeMap::new();
    collect(&Shape::Struct(resource.kind), tree, &mut Vec::new(), &mut fields);
    fields
}

const SERVERS_OWN: &str = "name namespace uid resourceVersion generation creationTimestamp deletionTimestamp \
    deletionGracePeriodSeconds generateName managedFields selfLink";

fn collect(shape: &Shape, value: &Value, path: &mut FieldPath, fields: &mut BTreeMap<FieldPath, Value>) {
    match (shape, value) {
        (Shape::Struct(_) | Shape::Map(_), Value::Object(entries)) if !entries.is_empty() || path.is_empty() => {
            let in_metadata = path.len() == 1 && path.first().is_some_and(|step| step == ".metadata");
            for (key, value) in entries {
                let is_head = path.is_empty() && matches!(key.as_str(), "apiVersion" | "kind" | "status");
                if is_head || (in_metadata && SERVERS_OWN.split(' ').any(|own| own == key)) {
                    continue;
                }
                path.push(format!(".{key}"));
                collect(&below(shape, key), value, path, fields);
                path.pop();
            }
        }
        (Shape::Keyed(_, keys), Value::Array(items)) => {
            for item in items {
                path.push(item_step(item, keys));
                fields.insert(path.clone(), Value::Null);
                collect(&below(shape, ""), item, path, fields);
                path.pop();
            }
        }
        (Shape::Set, Value::Array(items)) => {
            for item in items {
                path.push(format!("[={item}]"));
                fields.insert(path.clone(), Value::Null);
                path.pop();
            }
        }
        (_, value) => {
            fields.insert(path.clone(), value.clone());
        }
    }
}

/// Puts what is applied over what is there.
fn merge(shape: &Shape, live: &mut Value, applied: &Value) {
    match (shape, live, applied) {
        (Shape::Struct(_) | Shape::Map(_), Value::Object(live), Value::Object(applied)) => {
            for (key, value) in applied {
                match live.get_mut(key) {
                    Some(present) => merge(&below(shape, key), present, value),
                    None => drop(live.insert(key.clone(), value.clone())),
                }
            }
        }
        (Shape::Keyed(_, keys), Value::Array(live), Value::Array(applied)) => {
            for item in applied {
                let step = item_step(item, keys);
                match live.iter_mut().find(|present| item_step(present, keys) == step) {
                    Some(present) => merge(&below(shape, ""), present, item),
                    None => live.push(item.clone()),
                }
            }
        }
        (Shape::Set, Value::Array(live), Value::Array(applied)) => {
            for item in applied {
                if !live.contains(item) {
                    live.push(item.clone());
                }
            }
        }
        (_, live, applied) => *live = applied.clone(),
    }
}

/// Takes a field away, and what is empty without it.
fn remove(shape: &Shape, value: &mut Value, path: &[String]) {
    let Some((step, rest)) = path.split_first() else { return };
    let is_empty = |value: &Value| match value {
        Value::Object(entries) => entries.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match (value, step.strip_prefix('.')) {
        (Value::Object(entries), Some(key)) => {
            if let Some(value) = entries.get_mut(key).filter(|_| !rest.is_empty()) {
                remove(&below(shape, key), value, rest);
            }
            if rest.is_empty() || entries.get(key).is_some_and(is_empty) {
                entries.remove(key);
            }
        }
        (Value::Array(items), None) => {
            let same = |item: &Value| match shape {
                Shape::Keyed(_, keys) => item_step(item, keys) == *step,
                _ => format!("[={item}]") == *step,
            };
            // An item keeps what it is told apart by.
            let is_key = |rest: &[String]| match (shape, rest) {
                (Shape::Keyed(_, keys), [key]) => keys.iter().any(|own| key.strip_prefix('.') == Some(own)),
                _ => false,
            };
            if rest.is_empty() {
                items.retain(|item| !same(item));
            } else if let (false, Some(item)) = (is_key(rest), items.iter_mut().find(|item| same(item))) {
                remove(&below(shape, ""), item, rest);
            }
        }
        _ => {}
    }
}

/// Server-side apply: what the manifest says becomes this manager's, and what the manager no longer says goes, unless
/// somebody else says it too.
///
/// # Errors
/// `Conflict` where the manifest changes what others have set, unless it is `forced`; and as [`requests::replace`].
pub fn apply(
    api: &mut ApiServer,
    resource: &Resource,
    key: &ObjectKey,
    manifest: Value,
    (manager, forced): (&str, bool),
    options: WriteOptions,
) -> Result<Answer, Status> {
    if options.dry_run {
        let options = WriteOptions { dry_run: false, ..options };
        return apply(&mut api.clone(), resource, key, manifest, (manager, forced), options);
    }
    let manager: Rc<str> = manager.into();
    let decoded = requests::decode(resource, &mut manifest.clone(), options.validation);
    let warnings = decoded.map_err(|why| validation::undecodable(resource, &why))?;
    let mut fields: BTreeSet<FieldPath> = fields_of(resource, &manifest).into_keys().collect_set();
    // The server keeps that text itself.
    fields.remove(&annotation_path());
    let Ok(old) = requests::get(api, resource, key) else {
        let answer = requests::create(api, resource, &key.namespace, manifest, options)?;
        let owners = vec![Owner { manager, applies: true, fields }];
        api.ownership.set(&answer.object.metadata().uid, owners);
        return Ok(answer);
    };
    let root = Shape::Struct(resource.kind);
    let uid = old.metadata().uid.clone();
    let mut live = old.to_value();
    defaulting::default(resource.kind, &mut live);
    let mut merged = live.clone();
    merge(&root, &mut merged, &manifest);
    let decoded = requests::decode(resource, &mut merged, FieldValidation::Ignore);
    decoded.map_err(|why| validation::undecodable(resource, &why))?;
    let mut after = merged.clone();
    defaulting::default(resource.kind, &mut after);
    let (before, after) = (fields_of(resource, &live), fields_of(resource, &after));
    let mut owners = api.ownership.of(&uid);
    let by_client = if &*manager == "kubectl" { last_applied(resource, &live) } else { BTreeMap::new() };
    let mut conflicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for owner in owners.iter_mut().filter(|owner| !is(owner, &manager, true)) {
        let using = if owner.applies { String::new() } else { format!(" using {}", resource.api_version()) };
        owner.fields.retain(|path| {
            let same = !fields.contains(path) || before.get(path) == after.get(path);
            if !same && (!before.contains_key(path) || by_client.get(path) != before.get(path)) {
                conflicts.entry(format!("{:?}{using}", owner.manager)).or_default().push(path.concat());
            }
            same
        });
    }
    if !forced && !conflicts.is_empty() {
        return Err(Status::apply_conflict(&conflicts));
    }
    let others = |path: &FieldPath| {
        let mut others = owners.iter().filter(|owner| !is(owner, &manager, true));
        others.any(|owner| owner.fields.iter().any(|field| field.starts_with(path)))
    };
    let own = owners.iter().find(|owner| is(owner, &manager, true)).map(|owner| &owner.fields);
    for path in own.into_iter().flatten().filter(|path| !fields.contains(*path) && !others(path)) {
        remove(&root, &mut merged, path);
    }
    let answer = requests::update(api, resource, &old, merged, warnings, options)?;
    owners.retain(|owner| !is(owner, &manager, true));
    give(&mut owners, &manager, true, fields.into_iter());
    take_over(&mut owners, &manager);
    api.ownership.set(&uid, owners);
    Ok(answer)
}

fn annotation_path() -> FieldPath {
    vec![".metadata".to_owned(), ".annotations".to_owned(), format!(".{LAST_APPLIED}")]
}

/// What was applied on the client's side, where the object still says it.
fn last_applied(resource: &Resource, live: &Value) -> BTreeMap<FieldPath, Value> {
    let text = live.pointer("/metadata/annotations").and_then(|annotations| annotations.get(LAST_APPLIED)?.as_str());
    let applied = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Object(Map::new()));
    fields_of(resource, &applied)
}

/// kubectl hands over to server-side apply what was its own by apply on the client's side.
fn take_over(owners: &mut Vec<Owner>, manager: &Rc<str>) {
    let annotation = annotation_path();
    let (given, kept): (Vec<Owner>, Vec<Owner>) =
        owners.drain(..).partition(|owner| !owner.applies && owner.fields.contains(&annotation));
    *owners = kept;
    give(owners, manager, true, given.into_iter().flat_map(|owner| owner.fields).filter(|path| *path != annotation));
}
