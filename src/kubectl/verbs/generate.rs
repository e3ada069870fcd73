//! Objects that kubectl itself writes: `kubectl create namespace`, `create deployment`…
//!
//! Follows kubernetes kubectl pkg/cmd/create, v1.36.

use super::apply;
use super::output::{DryRun, Reporter, validation};
use super::record;
use crate::apiserver::requests;
use crate::apiserver::schema::resource_of;
use crate::apiserver::validation::names::config_map_key;
use crate::kubectl::Verb;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::selector::Selector;
use crate::kubectl::sources;
use crate::kubectl::task::Started;
use crate::objects::Quantity;
use serde_json::{Map, Value, json};

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if command.verb == Verb::CreateDeployment && !flags.has("image") {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    }
    let count = flags.before_dash(command.arguments.len());
    let (name, rest) = match command.arguments.split_first() {
        Some((name, rest)) if count == 1 => (name.as_str(), rest),
        _ => return Err(command.usage(format!("exactly one NAME is required, got {count}"))),
    };
    let (tree, failed) = match command.verb {
        Verb::CreateNamespace => {
            (json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}, "status": {}}), "")
        }
        Verb::CreateServiceAccount => (
            json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}),
            "failed to create serviceaccount: ",
        ),
        Verb::CreateConfigMap => (config_map(io, command, name)?, "failed to create configmap: "),
        Verb::CreatePodDisruptionBudget => (budget(command, name)?, "failed to create poddisruptionbudgets: "),
        Verb::CreatePriorityClass => (priority_class(command, name), "failed to create priorityclass: "),
        Verb::CreateQuota => (quota(command, name)?, "failed to create quota: "),
        _ => (deployment(io, command, name, rest)?, "failed to create deployment: "),
    };
    send(io, command, tree, "created", failed)
}

/// Creates an object that kubectl wrote. `failed` stands before what the API server says against it.
///
/// # Errors
/// What the API server answers.
pub(crate) fn send(io: &mut Io, command: &Command, mut tree: Value, what: &str, failed: &str) -> Started {
    let dry_run = DryRun::of(io, command)?;
    let mut reporter = Reporter::new(command, dry_run)?;
    let text = |field: &str| tree.get(field).and_then(Value::as_str).unwrap_or("");
    let Some(resource) = resource_of(text("apiVersion"), text("kind")) else { return Ok(None) };
    // Only a namespace that was asked for is written down.
    if resource.is_namespaced()
        && command.flags.has("namespace")
        && let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.insert("namespace".into(), io.namespace().into());
    }
    record::record(command, &mut tree);
    if command.flags.is_on("save-config") {
        tree = apply::annotated(&tree);
    }
    if dry_run == DryRun::Client {
        reporter.tell_tree(io, &tree, what)?;
        return Ok(None);
    }
    let namespace = if resource.is_namespaced() { io.namespace().to_owned() } else { String::new() };
    let options = dry_run.options(validation(command)?);
    let answer = requests::create(io.api, resource, &namespace, tree, options).map_err(|status| match failed {
        "" => CliError::from(status),
        failed => CliError::message(format!("{failed}{}", status.message)),
    })?;
    io.warn(&answer.warnings);
    reporter.tell(io, &answer.object, what)?;
    Ok(None)
}

fn set(tree: &mut Value, field: &str, value: Value) {
    if let Some(map) = tree.as_object_mut() {
        map.insert(field.into(), value);
    }
}

fn priority_class(command: &Command, name: &str) -> Value {
    let flags = &command.flags;
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
    if let Some(description) = flags.get("description").filter(|description| !description.is_empty()) {
        set(&mut tree, "description", description.into());
    }
    tree
}

fn budget(command: &Command, name: &str) -> Result<Value> {
    let flags = &command.flags;
    let selector = flags.get_or("selector", "");
    if selector.is_empty() {
        return Err(CliError::message("a selector must be specified"));
    }
    let (least, most) = (flags.get_or("min-available", ""), flags.get_or("max-unavailable", ""));
    let (field, flag, amount) = match (least, most) {
        ("", "") => return Err(CliError::message("one of min-available or max-unavailable must be specified")),
        (least, "") => ("minAvailable", "min-available", least),
        ("", most) => ("maxUnavailable", "max-unavailable", most),
        _ => return Err(CliError::message("min-available and max-unavailable cannot be both specified")),
    };
    let digits = amount.strip_suffix('%').unwrap_or(amount);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(CliError::message(format!("invalid format specified for {flag}")));
    }
    let amount = amount.parse::<i32>().map_or_else(|_| json!(amount), |number| json!(number));
    let selector = Selector::parse(selector)
        .map_err(|why| CliError::message(format!("couldn't parse the selector string \"{selector}\": {why}")))?;
    Ok(json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {field: amount, "selector": selector.to_label_selector()},
        "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
    }))
}

fn quota(command: &Command, name: &str) -> Result<Value> {
    let mut hard = Map::new();
    for pair in command.flags.get_or("hard", "").split(',').filter(|pair| !pair.is_empty()) {
        let [resource, amount] = pair.split('=').collect::<Vec<_>>()[..] else {
            return Err(CliError::message(format!("Invalid argument syntax {pair}, expected <resource>=<value>")));
        };
        let amount = Quantity::parse(amount).map_err(|_| {
            CliError::message(
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            )
        })?;
        hard.insert(resource.to_owned(), amount.to_string().into());
    }
    let mut spec = Map::new();
    if !hard.is_empty() {
        spec.insert("hard".into(), hard.into());
    }
    let scopes = command.flags.list("scopes");
    if !scopes.is_empty() {
        spec.insert("scopes".into(), json!(scopes));
    }
    let metadata = json!({"name": name});
    Ok(json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": spec, "status": {}}))
}

fn deployment(io: &mut Io, command: &Command, name: &str, rest: &[String]) -> Result<Value> {
    let images = command.flags.list("image");
    if images.is_empty() {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    }
    if images.len() > 1 && !rest.is_empty() {
        return Err(CliError::message("cannot specify multiple --image options and command"));
    }
    let mut containers: Vec<Value> = Vec::new();
    for image in images {
        let mut container = json!({"name": container_name(io, image), "image": image, "resources": {}});
        if !rest.is_empty() {
            set(&mut container, "command", json!(rest));
        }
        containers.push(container);
    }
    if let (Some(port), Some(first)) = (command.flags.int("port").filter(|port| *port >= 0), containers.first_mut()) {
        set(first, "ports", json!([{"containerPort": port}]));
    }
    Ok(json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": command.flags.int("replicas").unwrap_or(1),
            "selector": {"matchLabels": {"app": name}},
            "strategy": {},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}},
        },
        "status": {},
    }))
}

/// The last part of an image's name, without tag, as a container may be called.
fn container_name(io: &mut Io, image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let name = last.split([':', '@']).next().unwrap_or(last);
    if name.contains(['_', '.']) {
        format!("{}-{}", name.replace(['_', '.'], "-"), io.api.draw_suffix())
    } else {
        name.to_owned()
    }
}

fn config_map(io: &Io, command: &Command, name: &str) -> Result<Value> {
    let flags = &command.flags;
    if flags.has("from-env-file") && (flags.has("from-file") || flags.has("from-literal")) {
        return Err(CliError::message("from-env-file cannot be combined with from-file or from-literal"));
    }
    let read = |file: &str| {
        sources::file(io, file)
            .ok_or_else(|| CliError::message(format!("error reading {file}: no such file or directory")))
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for source in flags.list("from-file") {
        let (key, file) = source.split_once('=').unwrap_or((source.rsplit('/').next().unwrap_or(source), source));
        pairs.push((key.to_owned(), read(file)?.to_owned()));
    }
    for literal in flags.all("from-literal") {
        match literal.split_once('=').filter(|(key, _)| !key.is_empty()) {
            Some((key, value)) => pairs.push((key.to_owned(), value.trim_matches(['\'', '"']).to_owned())),
            None => {
                return Err(CliError::message(format!("invalid literal source {literal}, expected key=value")));
            }
        }
    }
    for file in flags.list("from-env-file") {
        let lines = read(file)?.lines().map(str::trim_start);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            pairs.push((key.to_owned(), value.to_owned()));
        }
    }
    let mut data = Map::new();
    for (key, value) in pairs {
        let faults = config_map_key(&key);
        if !faults.is_empty() {
            let why = faults.join(",");
            return Err(CliError::message(format!("{key:?} is not a valid key name for a ConfigMap: {why}")));
        }
        if data.contains_key(&key) {
            return Err(CliError::message(format!(
                "cannot add key {key:?}, another key by that name already exists in Data for ConfigMap {name:?}"
            )));
        }
        data.insert(key, value.into());
    }
    let mut tree = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if !data.is_empty() {
        set(&mut tree, "data", data.into());
    }
    Ok(tree)
}
