//! `kubectl explain`, from the schema table. Its descriptions are in our own words, where there are any.
//!
//! Follows kubernetes kubectl pkg/explain/v2/templates/plaintext.tmpl, v1.36.

use crate::apiserver::schema::{self, Field, Resource};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::mapping;
use crate::kubectl::task::Started;
use crate::order::Order;

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
    // The complaint about the resource has no "error: " in front.
    let (resource, path) = resource_and_path(argument).map_err(|error| match error.line() {
        line if line.starts_with("the server doesn't have") => CliError::Verbatim(line),
        _ => error,
    })?;
    if !resource.has_schema {
        let message = format!("couldn't find resource for \"{}, Kind={}\"", resource.api_version(), resource.kind);
        return Err(CliError::Message(message));
    }
    let Place { owner, field, type_name } = walk(resource, &path)?;
    if !resource.group.is_empty() {
        io.line(format!("GROUP:      {}", resource.group));
    }
    io.line(format!("KIND:       {}", resource.kind));
    io.line(format!("VERSION:    {}\n", resource.version));
    if let Some(field) = field {
        io.line(format!("FIELD: {} <{}>", field.name, field.kind.explain_type()));
        let values = values(owner, field.name);
        if values.is_empty() {
            io.line("");
        } else {
            io.line("ENUM:");
            values.iter().for_each(|value| io.line(format!("    {value}")));
        }
        io.line("");
    }
    io.line("DESCRIPTION:");
    io.line(format!("    {}", about(owner, field.map_or(resource.kind, |field| field.name)).unwrap_or("<empty>")));
    io.line("    ");
    let fields = schema::fields_of(type_name);
    if fields.is_empty() {
        io.line("");
        return Ok(None);
    }
    io.line("FIELDS:");
    if command.flags.is_on("recursive") {
        list(io, &mut vec![type_name]);
        io.line("");
        return Ok(None);
    }
    for field in fields {
        short(io, type_name, field, 1);
        io.line(format!("    {}\n", about(type_name, field.name).unwrap_or("<no description>")));
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

/// What a path leads to.
struct Place {
    /// The type that has the field; the kind itself when there is none.
    owner: &'static str,
    /// The last field of the path.
    field: Option<&'static Field>,
    /// The type that the field holds; empty for plain values.
    type_name: &'static str,
}

fn walk(resource: &'static Resource, path: &[String]) -> Result<Place> {
    let mut place = Place { owner: resource.kind, field: None, type_name: resource.kind };
    for part in path {
        let Some(field) = schema::field_of(place.type_name, part) else {
            return Err(CliError::message(format!("field {part:?} does not exist")));
        };
        let type_name = field.kind.struct_name().unwrap_or("");
        place = Place { owner: place.type_name, field: Some(field), type_name };
    }
    Ok(place)
}

/// All fields below the last of these types. What contains itself is listed once.
fn list(io: &mut Io, types: &mut Vec<&'static str>) {
    let Some(type_name) = types.last().copied() else { return };
    for field in schema::fields_of(type_name) {
        short(io, type_name, field, types.len());
        if let Some(inner) = field.kind.struct_name().filter(|inner| !types.contains(inner)) {
            types.push(inner);
            list(io, types);
            types.pop();
        }
    }
}

/// A field with its type and, if they are few, its values.
fn short(io: &mut Io, owner: &str, field: &Field, level: usize) {
    /// No more values than this are shown.
    const MOST: usize = 4;
    let indent = "  ".repeat(level);
    let required = if field.required { " -required-" } else { "" };
    io.line(format!("{indent}{}\t<{}>{required}", field.name, field.kind.explain_type()));
    let values = values(owner, field.name);
    if !values.is_empty() {
        let more = if values.len() > MOST { ", ...." } else { "" };
        let shown: Vec<&str> = values.into_iter().take(MOST).collect();
        io.line(format!("{indent}enum: {}{more}", shown.join(", ")));
    }
}

/// The values that a field may have, in the order of the alphabet.
fn values(owner: &str, field: &str) -> Vec<&'static str> {
    let mut values = schema::allowed_values(owner, field);
    values.order();
    values
}

/// One sentence about a kind or field.
fn about(owner: &str, name: &str) -> Option<&'static str> {
    let own = match (owner, name) {
        ("DaemonSet", "DaemonSet") => "Runs one pod on every node that is eligible.",
        ("Deployment", "Deployment") => "Keeps a number of equal pods and replaces them when their template changes.",
        ("ReplicaSet", "ReplicaSet") => "Keeps a number of equal pods.",
        ("Pod", "Pod") => "Containers that run together on one node.",
        ("Node", "Node") => "A machine of the cluster.",
        ("Namespace", "Namespace") => "A space for names.",
        ("PriorityClass", "PriorityClass") => "Which pods give way to which.",
        ("PodDisruptionBudget", "PodDisruptionBudget") => "How many pods may be evicted at a time.",
        ("NodeSpec", "taints") => "What keeps pods off the node unless they tolerate it.",
        ("NodeSpec", "unschedulable") => "Whether the node is cordoned.",
        _ => return schema::describe(owner, name).or_else(|| general(name)),
    };
    Some(own)
}

/// Fields that every object has.
fn general(name: &str) -> Option<&'static str> {
    Some(match name {
        "apiVersion" => "Version of the API that the object is written in.",
        "kind" => "What the object is.",
        "metadata" => "Name, labels and life cycle of the object.",
        "spec" => "What is wanted.",
        "status" => "What is the case. The system writes it.",
        _ => return None,
    })
}
