//! What the cluster has to offer: types, names, labels, containers, fields.

use super::Completer;
use super::values::TypeRule;
use crate::apiserver::{requests, schema};
use crate::kubectl::lister;
use crate::objects::{Object, ObjectKey};
use std::collections::{BTreeMap, BTreeSet};

/// Labels are looked for in no more objects than this.
const LOOKS: usize = 2_000;

impl Completer<'_> {
    /// Types, or `TYPE/NAME` once a slash is there; behind a comma, another type.
    pub(super) fn types(&mut self, rule: TypeRule, namespace: &str) {
        if let Some((kind, _)) = self.partial.split_once('/') {
            let kind = kind.to_owned();
            return self.names(&kind, namespace, &format!("{kind}/"), |_| true);
        }
        let before = self.partial.rfind(',').and_then(|comma| self.partial.get(..=comma)).unwrap_or("").to_owned();
        for resource in schema::resources() {
            let fits = match rule {
                TypeRule::Any => true,
                TypeRule::Rollouts => matches!(resource.kind, "DaemonSet" | "Deployment" | "StatefulSet"),
                TypeRule::Scalable => requests::has_scale(resource),
                TypeRule::Templates => {
                    resource.kind == "Pod" || schema::field(resource.kind, "spec.template.spec.containers").is_some()
                }
                TypeRule::Nodes => resource.kind == "Node",
            };
            if fits {
                self.offer(&format!("{before}{}", resource.plural));
            }
        }
    }

    pub(super) fn names(&mut self, kind: &str, namespace: &str, prefix: &str, wanted: impl Fn(&str) -> bool) {
        for object in self.objects(kind, namespace) {
            let name = &object.metadata().name;
            if wanted(name) {
                self.offer(&format!("{prefix}{name}"));
            }
        }
    }

    fn objects(&self, kind: &str, namespace: &str) -> Vec<Object> {
        let kind = kind.rsplit(',').next().unwrap_or(kind);
        lister::resource_named(kind)
            .map(|resource| lister::list(self.api, resource, Some(namespace)))
            .unwrap_or_default()
    }

    /// Keys of labels (of taints for `taint`) and their values.
    fn labels(&self, kind: &str, namespace: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        if kind == "taint" {
            for taint in self.api.store().nodes().values().flat_map(|node| node.spec.taints.iter()) {
                found.entry(taint.key.to_string()).or_default().insert(taint.value.to_string());
            }
            return found;
        }
        let kind = if matches!(kind, "" | "all") { "pods" } else { kind };
        for object in self.objects(kind, namespace).iter().take(LOOKS) {
            for (key, value) in object.metadata().labels.iter() {
                found.entry(key.to_string()).or_default().insert(value.to_string());
            }
        }
        found
    }

    pub(super) fn keys(&mut self, kind: &str, namespace: &str, endings: &[&str]) {
        for (key, values) in self.labels(kind, namespace) {
            endings.iter().for_each(|ending| self.offer_value(&format!("{key}{ending}")));
            if self.partial.contains('=') {
                values.iter().for_each(|value| self.offer(&format!("{key}={value}")));
            }
        }
    }

    /// `key`, `key=value`; behind a comma, another one.
    pub(super) fn selectors(&mut self, kind: &str, namespace: &str, prefix: &str) {
        let written = self.partial.strip_prefix(prefix).unwrap_or("");
        let before = written.rfind(',').and_then(|comma| written.get(..=comma)).unwrap_or("").to_owned();
        let has_value = written.get(before.len()..).unwrap_or("").contains('=');
        for (key, values) in self.labels(kind, namespace) {
            if !has_value {
                self.offer_start(&format!("{prefix}{before}{key}"));
            } else {
                values.iter().for_each(|value| self.offer(&format!("{prefix}{before}{key}={value}")));
            }
        }
    }

    pub(super) fn label_columns(&mut self, kind: &str, namespace: &str, prefix: &str) {
        for key in self.labels(kind, namespace).into_keys() {
            self.offer(&format!("{prefix}{key}"));
        }
    }

    pub(super) fn containers(&mut self, kind: &str, name: &str, namespace: &str, ending: &str) {
        let Some(resource) = lister::resource_named(kind) else { return };
        let namespace = if resource.is_namespaced() { namespace } else { "" };
        let Ok(object) = lister::get(self.api, resource, &ObjectKey::new(namespace, name)) else { return };
        let spec = match &object {
            Object::Pod(pod) => &pod.spec,
            Object::DaemonSet(set) => &set.spec.template.spec,
            Object::Deployment(deployment) => &deployment.spec.template.spec,
            Object::ReplicaSet(set) => &set.spec.template.spec,
            _ => return,
        };
        let names: Vec<String> = spec
            .init_containers
            .iter()
            .chain(spec.containers.iter())
            .map(|container| container.name.to_string())
            .collect();
        names.iter().for_each(|name| self.offer_value(&format!("{name}{ending}")));
    }

    /// `ds.spec.template`: what may follow the last dot.
    pub(super) fn fields(&mut self) {
        let Some((path, _)) = self.partial.rsplit_once('.') else {
            return schema::resources()
                .iter()
                .filter(|resource| resource.has_schema)
                .for_each(|resource| self.offer_start(resource.plural));
        };
        let path = path.to_owned();
        let (first, rest) = path.split_once('.').unwrap_or((&path, ""));
        let Some(resource) = lister::resource_named(first) else { return };
        let type_name = match rest {
            "" => Some(resource.kind),
            rest => schema::field(resource.kind, rest).and_then(|field| field.kind.struct_name()),
        };
        for field in type_name.map(schema::fields_of).unwrap_or_default() {
            self.offer_start(&format!("{path}.{}", field.name));
        }
    }
}
