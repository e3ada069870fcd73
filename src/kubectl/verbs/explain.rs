//! `kubectl explain`, from the schema table. Its descriptions are in our own words, where there are any.
//!
//! Follows kubernetes kubectl pkg/explain/v2/templates/plaintext.tmpl, v1.36.

use crate::apiserver::schema::{self, Field, Resource};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::mapping;
use crate::kubectl::task::Started;

/// Nesting at which a recursive listing ends; JSONSchemaProps and the like contain themselves.
const MAX_DEPTH: usize = 20;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let [argument] = command.arguments.as_slice() else {
        if command.arguments.is_empty() {
            return Err(CliError::message(
                "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of \
                 supported resources.",
            ));
        }
        return Err(CliError::message("We accept only this format: explain RESOURCE"));
    };
    let (resource, path) = resource_and_path(argument)?;
    if !resource.has_schema {
        let message = format!("couldn't find resource for \"{}, Kind={}\"", resource.api_version(), resource.kind);
        return Err(CliError::Message(message));
    }
    let (type_name, field) = walk(resource, &path)?;
    if !resource.group.is_empty() {
        io.line(format!("GROUP:      {}", resource.group));
    }
    io.line(format!("KIND:       {}", resource.kind));
    io.line(format!("VERSION:    {}\n", resource.version));
    if let Some(field) = field {
        io.line(format!("FIELD: {} <{}>{}\n", field.name, field.kind.explain_type(), required(field)));
        io.line("");
    }
    io.line("DESCRIPTION:");
    io.line(format!("    {}", about(field.map_or(resource.kind, |field| field.name), resource.kind)));
    io.line("    ");
    let fields = schema::fields_of(type_name);
    if fields.is_empty() {
        io.line("");
        return Ok(None);
    }
    io.line("FIELDS:");
    if command.flags.is_on("recursive") {
        list(io, type_name, 1);
        io.line("");
        return Ok(None);
    }
    for field in fields {
        io.line(format!("  {}\t<{}>{}", field.name, field.kind.explain_type(), required(field)));
        io.line(format!("    {}\n", about(field.name, type_name)));
    }
    io.line("");
    Ok(None)
}

/// `ds.spec.template`: the resource may itself have dots (`daemonsets.apps`).
fn resource_and_path(argument: &str) -> Result<(&'static Resource, Vec<String>)> {
    let parts: Vec<&str> = argument.trim_end_matches('.').split('.').collect();
    for length in (1..=parts.len()).rev() {
        let (head, tail) = parts.split_at(length);
        if let Ok(resource) = mapping(&head.join(".")) {
            return Ok((resource, tail.iter().map(|part| (*part).to_owned()).collect()));
        }
    }
    mapping(parts.first().copied().unwrap_or("")).map(|resource| (resource, Vec::new()))
}

/// The type at the end of a path, and the field that holds it.
fn walk(resource: &Resource, path: &[String]) -> Result<(&'static str, Option<&'static Field>)> {
    let mut type_name = schema::resources().iter().find(|r| *r == resource).map_or("", |r| r.kind);
    let mut found = None;
    for part in path {
        let Some(field) = schema::field_of(type_name, part) else {
            return Err(CliError::message(format!("field {part:?} does not exist")));
        };
        found = Some(field);
        type_name = field.kind.struct_name().unwrap_or("");
    }
    Ok((type_name, found))
}

fn list(io: &mut Io, type_name: &str, depth: usize) {
    for field in schema::fields_of(type_name) {
        let indent = "  ".repeat(depth);
        io.line(format!("{indent}{}\t<{}>{}", field.name, field.kind.explain_type(), required(field)));
        if let Some(inner) = field.kind.struct_name().filter(|_| depth < MAX_DEPTH) {
            list(io, inner, depth + 1);
        }
    }
}

fn required(field: &Field) -> &'static str {
    if field.required { " -required-" } else { "" }
}

/// One sentence about a kind or field.
fn about(name: &str, owner: &str) -> &'static str {
    match (owner, name) {
        ("DaemonSet", "DaemonSet") => "Runs one pod on every node that is eligible.",
        ("DaemonSetSpec", "selector") => "Which pods belong to the set. It cannot be changed.",
        ("DaemonSetSpec", "template") => "What each pod looks like. A change of it is rolled out.",
        ("DaemonSetSpec", "updateStrategy") => "How pods of an earlier template are replaced.",
        ("DaemonSetSpec" | "DeploymentSpec" | "ReplicaSetSpec", "minReadySeconds") => {
            "How many seconds a pod must be ready to count as available."
        }
        ("DaemonSetSpec" | "DeploymentSpec", "revisionHistoryLimit") => {
            "How many earlier templates are kept for a rollback."
        }
        ("DaemonSetUpdateStrategy", "type") => "RollingUpdate, which replaces pods by itself, or OnDelete.",
        ("DaemonSetUpdateStrategy", "rollingUpdate") => "The budget of a rolling update.",
        ("RollingUpdateDaemonSet", "maxUnavailable") => {
            "On how many nodes (or what share of them) no pod may be available during an update."
        }
        ("RollingUpdateDaemonSet", "maxSurge") => {
            "On how many nodes (or what share of them) a new pod may start beside the old one during an update."
        }
        ("PodSpec", "tolerations") => "Taints that the pod bears.",
        ("PodSpec", "nodeSelector") => "Labels that a node must have.",
        ("PodSpec", "affinity") => "Which nodes the pod wants, and which pods beside it.",
        ("PodSpec", "containers") => "What runs in the pod.",
        ("PodSpec", "initContainers") => "What runs, one after the other, before the containers start.",
        ("PodSpec", "hostNetwork") => "Whether the pod uses the network of its node.",
        ("PodSpec", "priorityClassName") => "The class that decides which pod gives way to which.",
        ("PodSpec", "nodeName") => "The node the pod is bound to.",
        ("Container", "image") => "Reference of the image.",
        ("Container", "resources") => "What the container asks for and what it may use.",
        ("Taint" | "Toleration", "effect") => "NoSchedule, PreferNoSchedule or NoExecute.",
        ("NodeSpec", "taints") => "What keeps pods off the node unless they tolerate it.",
        ("NodeSpec", "unschedulable") => "Whether the node is cordoned.",
        (_, "apiVersion") => "Version of the API that the object is written in.",
        (_, "kind") => "What the object is.",
        (_, "metadata") => "Name, labels and life cycle of the object.",
        (_, "spec") => "What is wanted.",
        (_, "status") => "What is the case. The system writes it.",
        _ => "<empty>",
    }
}
