//! `kubectl create`

use super::apply;
use super::output::{DryRun, Reporter, validation};
use crate::apiserver::requests;
use crate::apiserver::schema::resource_of;
use crate::kubectl::Verb;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::Info;
use crate::kubectl::sources;
use crate::kubectl::task::Started;
use crate::objects::ObjectKey;
use serde_json::{Map, Value, json};

/// `create -f`
pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    if command.flags.all("filename").is_empty() {
        if command.arguments.is_empty() {
            return Err(command.usage("must specify one of -f and -k"));
        }
        return Err(command.usage(format!("Unexpected args: [{}]", command.arguments.join(" "))));
    }
    let dry_run = DryRun::of(io, command)?;
    let mut reporter = Reporter::new(command, dry_run)?;
    let mut errors = Vec::new();
    let mut found = false;
    for item in sources::read(io, command)? {
        match item {
            Ok(info) => {
                found = true;
                errors.extend(create(io, command, &info, dry_run, &mut reporter, "created").err());
            }
            Err(error) => errors.push(error),
        }
    }
    if !found && errors.is_empty() {
        return Err(CliError::message("no objects passed to create"));
    }
    CliError::join(errors)?;
    Ok(None)
}

fn create(
    io: &mut Io,
    command: &Command,
    info: &Info,
    dry_run: DryRun,
    reporter: &mut Reporter,
    what: &str,
) -> Result<()> {
    let Some(manifest) = &info.manifest else { return Ok(()) };
    let tree = if command.flags.is_on("save-config") { apply::annotated(manifest) } else { manifest.clone() };
    if dry_run == DryRun::Client {
        return reporter.tell_tree(io, &tree, what);
    }
    let options = dry_run.options(validation(command)?);
    let answer = requests::create(io.api, info.resource, &info.key.namespace, tree, options)
        .map_err(|status| CliError::from(status).with_source("creating", &info.source))?;
    io.warn(&answer.warnings);
    reporter.tell(io, &answer.object, what)
}

/// `create namespace`, `create deployment`…
pub(crate) fn generate(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let (name, rest) = match command.arguments.split_first() {
        Some((name, rest)) => (name.clone(), rest),
        None => return Err(command.usage("exactly one NAME is required, got 0")),
    };
    if command.verb != Verb::CreateDeployment && !rest.is_empty() {
        let message = format!("exactly one NAME is required, got {}", command.arguments.len());
        return Err(command.usage(message));
    }
    let tree = match command.verb {
        Verb::CreateNamespace => json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        Verb::CreateServiceAccount => json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}),
        Verb::CreateConfigMap => config_map(io, command, &name)?,
        Verb::CreatePriorityClass => {
            let mut tree = json!({
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": flags.int("value").unwrap_or(0),
                "preemptionPolicy": flags.get_or("preemption-policy", "PreemptLowerPriority"),
            });
            if flags.is_on("global-default") {
                set(&mut tree, "globalDefault", true.into());
            }
            if let Some(description) = flags.get("description") {
                set(&mut tree, "description", description.into());
            }
            tree
        }
        _ => deployment(command, &name, rest)?,
    };
    send(io, command, tree, "created")
}

/// Creates an object that kubectl made itself.
///
/// # Errors
/// What the API server answers.
pub(crate) fn send(io: &mut Io, command: &Command, tree: Value, what: &str) -> Started {
    let dry_run = DryRun::of(io, command)?;
    let mut reporter = Reporter::new(command, dry_run)?;
    let text = |field: &str| tree.get(field).and_then(Value::as_str).unwrap_or("");
    let Some(resource) = resource_of(text("apiVersion"), text("kind")) else { return Ok(None) };
    let name = tree.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("").to_owned();
    let namespace = if resource.is_namespaced() { io.namespace().to_owned() } else { String::new() };
    let info = Info {
        resource,
        key: ObjectKey::new(namespace.clone(), name),
        manifest: Some(with_namespace(tree, &namespace)),
        object: None,
        source: String::new(),
    };
    create(io, command, &info, dry_run, &mut reporter, what)?;
    Ok(None)
}

fn set(tree: &mut Value, field: &str, value: Value) {
    if let Some(map) = tree.as_object_mut() {
        map.insert(field.into(), value);
    }
}

fn with_namespace(mut tree: Value, namespace: &str) -> Value {
    if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut)
        && !namespace.is_empty()
    {
        metadata.insert("namespace".into(), namespace.into());
    }
    tree
}

fn deployment(command: &Command, name: &str, rest: &[String]) -> Result<Value> {
    let images = command.flags.list("image");
    if images.is_empty() {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    }
    if images.len() > 1 && !rest.is_empty() {
        return Err(CliError::message("cannot specify multiple --image options and command"));
    }
    let containers: Vec<Value> = images
        .iter()
        .map(|image| {
            let mut container = json!({"name": container_name(image), "image": image});
            if let Some(port) = command.flags.int("port") {
                set(&mut container, "ports", json!([{"containerPort": port}]));
            }
            if !rest.is_empty() {
                set(&mut container, "command", json!(rest));
            }
            container
        })
        .collect();
    Ok(json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": command.flags.int("replicas").unwrap_or(1),
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}},
        },
    }))
}

/// The last part of an image's name, without tag, as a container may be called.
fn container_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let name = last.split([':', '@']).next().unwrap_or(last);
    let name: String = name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    name.trim_matches('-').to_owned()
}

fn config_map(io: &Io, command: &Command, name: &str) -> Result<Value> {
    let mut data = Map::new();
    for literal in command.flags.all("from-literal") {
        let Some((key, value)) = literal.split_once('=') else {
            return Err(CliError::message(format!("invalid literal source {literal}, expected key=value")));
        };
        let value = value.trim_matches(['\'', '"']);
        data.insert(key.into(), value.into());
    }
    for source in command.flags.all("from-file") {
        let (key, file) = source.split_once('=').unwrap_or((source.rsplit('/').next().unwrap_or(source), source));
        let Some(text) = sources::file(io, file) else {
            return Err(CliError::message(format!("error reading {file}: no such file or directory")));
        };
        data.insert(key.into(), text.into());
    }
    Ok(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}))
}
