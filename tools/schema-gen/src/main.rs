//! Writes the schema table of the playground's API server from k8s-openapi's JSON schemas.
//! One line per type: its name, then `field:kind` with marks. `src/apiserver/schema/mod.rs` says what they mean.
mod go_types;

use k8s_openapi::api::{
    apps::v1 as apps, batch::v1 as batch, coordination::v1 as coordination, core::v1 as core, node::v1 as node,
    policy::v1 as policy, rbac::v1 as rbac, scheduling::v1 as scheduling,
};
use k8s_openapi::schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn main() {
    let mut generator = SchemaGenerator::default();
    let mut roots = Vec::new();
    macro_rules! roots {
        ($($t:ty),* $(,)?) => { $( roots.push(generator.subschema_for::<$t>()); )* };
    }
    roots!(
        core::Node,
        core::Pod,
        core::Namespace,
        core::Event,
        core::ServiceAccount,
        core::ResourceQuota,
        core::LimitRange,
        core::ConfigMap,
        core::Secret,
        core::Service,
        core::Binding,
        apps::DaemonSet,
        apps::Deployment,
        apps::ReplicaSet,
        apps::ControllerRevision,
        apps::StatefulSet,
        batch::Job,
        batch::CronJob,
        policy::PodDisruptionBudget,
        policy::Eviction,
        scheduling::PriorityClass,
        node::RuntimeClass,
        coordination::Lease,
        rbac::ClusterRole,
        rbac::ClusterRoleBinding,
        rbac::Role,
        rbac::RoleBinding,
    );
    let definitions: BTreeMap<String, Value> =
        generator.definitions().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut out = String::new();
    let mut seen = BTreeSet::new();
    let mut used = BTreeSet::new();
    let mut used_pointers = BTreeSet::new();
    let mut sorted: Vec<(&str, &Value)> = definitions.iter().map(|(name, schema)| (short(name), schema)).collect();
    sorted.sort_by_key(|(name, _)| *name);
    for (short, schema) in sorted {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { continue };
        assert!(seen.insert(short.to_owned()), "two types are called {short}");
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        out.push_str(short);
        for (field, property) in properties {
            let named = go_types::NAMED_STRINGS
                .iter()
                .find(|(t, f, _)| (*t == short || *t == "*") && f == field)
                .inspect(|entry| {
                    used.insert((entry.0, entry.1));
                })
                .map(|entry| entry.2);
            out.push(' ');
            out.push_str(field);
            out.push(':');
            out.push_str(&kind(property, named));
            if required.contains(&field.as_str()) {
                out.push('!');
            }
            if let Some(entry) =
                go_types::POINTERS.iter().find(|(t, fields)| *t == short && fields.contains(&field.as_str()))
            {
                used_pointers.insert((entry.0, field.clone()));
                out.push('*');
            }
            if let Some(entry) = go_types::PATCH.iter().find(|(t, f, _)| *t == short && f == field) {
                used.insert((entry.0, entry.1));
                out.push_str(entry.2);
            }
        }
        out.push('\n');
    }
    for entry in go_types::NAMED_STRINGS.iter().chain(go_types::PATCH) {
        if !used.contains(&(entry.0, entry.1)) {
            eprintln!("no such field: {}.{}", entry.0, entry.1);
        }
    }
    for (owner, fields) in go_types::POINTERS {
        for field in *fields {
            if !used_pointers.contains(&(*owner, (*field).to_owned())) {
                eprintln!("no such field: {owner}.{field}");
            }
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/apiserver/schema/table.txt");
    std::fs::write(path, out).expect("the table can be written");
}

/// `io.k8s.api.core.v1.Container` is `Container`; the roots are chosen so that no two types share a short name.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The kind code of one property.
fn kind(property: &Value, named: Option<&str>) -> String {
    // Fields with a description and a reference come as `allOf` or as `$ref` beside the description.
    let reference = property
        .get("$ref")
        .or_else(|| property.get("allOf").and_then(|all| all.get(0)).and_then(|first| first.get("$ref")))
        .and_then(Value::as_str);
    if let Some(reference) = reference {
        let name = short(reference.rsplit('/').next().unwrap_or(reference));
        return match name {
            "Quantity" => "q".into(),
            "IntOrString" => "p".into(),
            "Time" => "t".into(),
            "MicroTime" => "m".into(),
            "RawExtension" | "FieldsV1" => "a".into(),
            other => other.into(),
        };
    }
    let format = property.get("format").and_then(Value::as_str);
    match property.get("type").and_then(Value::as_str) {
        Some("string") => match (format, named) {
            (Some("byte"), _) => "y".into(),
            (Some("date-time"), _) => "t".into(),
            (_, Some(named)) => format!("s={named}"),
            _ => "s".into(),
        },
        Some("boolean") => "b".into(),
        Some("integer") => if format == Some("int32") { "i" } else { "l" }.into(),
        Some("number") => "f".into(),
        Some("array") => {
            format!("[{}", kind(property.get("items").unwrap_or(&Value::Null), named))
        }
        Some("object") => match property.get("additionalProperties") {
            Some(value) => format!("{{{}", kind(value, None)),
            None => "a".into(),
        },
        _ => "a".into(),
    }
}
