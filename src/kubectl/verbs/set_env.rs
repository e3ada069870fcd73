//! `kubectl set env`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_env.go, v1.36.

use super::template::{change, containers, name_matches, pod_spec_pointer, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::select::Info;
use crate::kubectl::task::Started;
use serde_json::{Value, json};

const LISTS: &[&str] = &["containers", "initContainers"];

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let (mut resources, mut pairs): (Vec<String>, Vec<String>) = (Vec::new(), flags.all("env").to_vec());
    for argument in &command.arguments {
        let is_pair = argument.contains('=') || (argument.ends_with('-') && argument.len() > 1);
        if is_pair {
            pairs.push(argument.clone());
        } else {
            resources.push(argument.clone());
        }
    }
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    if resources.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    let lists = flags.is_on("list");
    let mut variables = from_source(io, command)?;
    let mut removed = Vec::new();
    for pair in &pairs {
        match pair.split_once('=') {
            Some((name, value)) => variables.push(json!({"name": name, "value": value})),
            None => removed.extend(pair.strip_suffix('-').map(str::to_owned)),
        }
    }
    if variables.is_empty() && removed.is_empty() && !lists {
        return Err(CliError::message("at least one environment variable must be provided"));
    }
    let infos = targets(io, command, &resources)?;
    let pattern = flags.get_or("containers", "*").to_owned();
    if lists {
        for info in &infos {
            list(io, info, &pattern);
        }
        return Ok(None);
    }
    let overwrite = flags.switch("overwrite", true);
    change(io, command, &infos, ("env updated", "failed to patch env update to pod template: "), |spec| {
        let mut found = false;
        for container in containers(spec, LISTS) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or("");
            if !name_matches(&pattern, name) {
                continue;
            }
            found = true;
            let env = container.entry("env").or_insert_with(|| json!([]));
            let Some(env) = env.as_array_mut() else { continue };
            for variable in &variables {
                match env.iter_mut().find(|other| other.get("name") == variable.get("name")) {
                    Some(present) if overwrite => *present = variable.clone(),
                    Some(present) => {
                        let name = present.get("name").and_then(Value::as_str).unwrap_or("");
                        return Err(CliError::message(format!(
                            "'{name}' already has a value ({}), and --overwrite is false",
                            present.get("value").and_then(Value::as_str).unwrap_or("")
                        )));
                    }
                    None => env.push(variable.clone()),
                }
            }
            env.retain(|variable| {
                let name = variable.get("name").and_then(Value::as_str).unwrap_or("");
                !removed.iter().any(|gone| gone == name)
            });
            if env.is_empty() {
                container.remove("env");
            }
        }
        if found { Ok(()) } else { Err(CliError::message(format!("no containers match {pattern:?}"))) }
    })?;
    Ok(None)
}

/// `--from=configmap/x`: every key becomes a variable.
fn from_source(io: &Io, command: &Command) -> Result<Vec<Value>> {
    let Some(from) = command.flags.get("from") else { return Ok(Vec::new()) };
    let Some((kind, name)) = from.split_once('/') else {
        return Err(CliError::message("from must be in resource/name form"));
    };
    let resource = crate::kubectl::select::mapping(kind)?;
    let reference = match resource.kind {
        "ConfigMap" => "configMapKeyRef",
        "Secret" => "secretKeyRef",
        _ => return Err(CliError::message(format!("unsupported resource specified in --from {from}"))),
    };
    let object = lister::get(io.api, resource, &io.key(resource, name))?.to_value();
    let prefix = command.flags.get_or("prefix", "");
    let wanted = command.flags.list("keys");
    Ok(object
        .get("data")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|data| data.keys())
        .filter(|key| wanted.is_empty() || wanted.contains(&key.as_str()))
        .map(|key| {
            let variable = key.to_uppercase().replace(['-', '.'], "_");
            json!({"name": format!("{prefix}{variable}"), "valueFrom": {reference: {"key": key, "name": name}}})
        })
        .collect())
}

fn list(io: &mut Io, info: &Info, pattern: &str) {
    let Some(tree) = info.object.as_ref().map(crate::objects::Object::to_value) else { return };
    let spec = pod_spec_pointer(info.resource.kind).and_then(|pointer| tree.pointer(pointer));
    for container in LISTS.iter().filter_map(|l| spec?.get(*l)?.as_array()).flatten() {
        let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
        let name = text(container, "name");
        if !name_matches(pattern, &name) {
            continue;
        }
        io.line(format!("# {} {}, container {name}", info.resource.kind, info.key.name));
        for variable in container.get("env").and_then(Value::as_array).into_iter().flatten() {
            let name = text(variable, "name");
            let Some(source) = variable.get("valueFrom").and_then(Value::as_object) else {
                io.line(format!("{name}={}", text(variable, "value")));
                continue;
            };
            let shown = source.iter().next().map_or_else(String::new, |(kind, source)| match kind.as_str() {
                "configMapKeyRef" => format!("configmap {}, key {}", text(source, "name"), text(source, "key")),
                "secretKeyRef" => format!("secret {}, key {}", text(source, "name"), text(source, "key")),
                "fieldRef" => format!("field path {}", text(source, "fieldPath")),
                _ => format!("resource field {}", text(source, "resource")),
            });
            io.line(format!("# {name} from {shown}"));
        }
    }
}
