//! `kubectl set env`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_env.go, v1.36.

use super::template::{change, containers, name_matches, pod_spec_pointer, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use serde_json::{Value, json};

const LISTS: &[&str] = &["containers", "initContainers"];

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    let (resources, pairs) = split(&command.arguments)?;
    if resources.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    let lists = flags.is_on("list");
    if lists && flags.has("output") {
        return Err(CliError::message("--list and --output may not be specified together"));
    }
    if flags.has("keys") && !flags.has("from") {
        return Err(CliError::message("when specifying --keys, a configmap or secret must be provided with --from"));
    }
    let pairs: Vec<String> = flags.all("env").iter().cloned().chain(pairs).collect();
    let (mut variables, removed) = parse(io, &pairs)?;
    variables.extend(from_source(io, command)?);
    for variable in &mut variables {
        let name = format!("{}{}", flags.get_or("prefix", ""), name_of(variable));
        if let Some(map) = variable.as_object_mut() {
            map.insert("name".into(), name.into());
        }
    }
    let infos = targets(io, command, &resources)?;
    let pattern = flags.get_or("containers", "*").to_owned();
    let overwrite = flags.switch("overwrite", true);
    let sentence = ("env updated", "failed to patch env update to pod template: ");
    if lists {
        for info in &infos {
            list(io, info, &pattern, |env| update(env, &variables, &removed));
        }
        return Ok(None);
    }
    let mut bare = Vec::new();
    for info in &infos {
        let tree = info.object.as_ref().map(crate::objects::Object::to_value).or_else(|| info.manifest.clone());
        let spec = pod_spec_pointer(info.resource.kind).and_then(|pointer| tree.as_ref()?.pointer(pointer));
        if spec.is_some_and(|spec| !all_containers(spec).any(|container| name_matches(&pattern, name_of(container)))) {
            bare.push(format!("{}/{}", info.resource.kind, info.key.name));
        }
    }
    for object in bare {
        io.complain(format!("Warning: {object} does not have any containers matching {pattern:?}"));
    }
    change(io, command, &infos, sentence, |spec, _| {
        for container in containers(spec, LISTS) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or("");
            if !name_matches(&pattern, name) {
                continue;
            }
            let env = container.get("env").and_then(Value::as_array).cloned().unwrap_or_default();
            let declared = env.iter().find(|present| variables.iter().any(|new| name_of(new) == name_of(present)));
            if let Some(present) = declared.filter(|_| !overwrite) {
                return Err(format!(
                    "'{}' already has a value ({}), and --overwrite is false",
                    name_of(present),
                    present.get("value").and_then(Value::as_str).unwrap_or("")
                ));
            }
            let env = update(&env, &variables, &removed);
            if env.is_empty() {
                container.remove("env");
            } else {
                container.insert("env".into(), env.into());
            }
        }
        Ok(())
    })?;
    Ok(None)
}

fn name_of(value: &Value) -> &str {
    value.get("name").and_then(Value::as_str).unwrap_or("")
}

/// Resources first, then variables.
fn split(arguments: &[String]) -> Result<(Vec<String>, Vec<String>)> {
    let is_variable =
        |argument: &String| argument.ends_with('-') || argument.find('=').is_some_and(|equals| equals > 0);
    let count = arguments.iter().take_while(|argument| !is_variable(argument)).count();
    let (resources, variables) = arguments.split_at_checked(count).unwrap_or((arguments, &[]));
    if variables.iter().all(is_variable) {
        return Ok((resources.to_vec(), variables.to_vec()));
    }
    Err(CliError::message(format!(
        "all resources must be specified before environment changes: {}",
        arguments.join(" ")
    )))
}

/// Variables to set and, with a `-` at the end, to remove; `-` alone reads more of them from standard input.
fn parse(io: &Io, pairs: &[String]) -> Result<(Vec<Value>, Vec<String>)> {
    let (mut variables, mut removed) = (Vec::new(), Vec::new());
    for pair in pairs {
        if pair == "-" {
            let lines = io.stdin.unwrap_or("").lines().map(|line| line.split('#').next().unwrap_or(""));
            variables.extend(
                lines
                    .filter_map(|line| line.split_once('='))
                    .map(|(name, value)| json!({"name": name, "value": value})),
            );
        } else if let Some((name, value)) = pair.split_once('=') {
            if let Some(why) = name_fault(name) {
                return Err(CliError::message(format!("{name:?} is not a valid key name: {why}")));
            }
            variables.push(json!({"name": name, "value": value}));
        } else if let Some(name) = pair.strip_suffix('-') {
            removed.push(name.to_owned());
        } else {
            return Err(CliError::message(format!("unknown environment variable: {pair}")));
        }
    }
    if pairs.iter().filter_map(|pair| pair.split_once('=')).any(|(name, _)| removed.iter().any(|gone| gone == name)) {
        return Err(CliError::message(
            "can not both modify and remove the same environment variable in the same command",
        ));
    }
    Ok((variables, removed))
}

/// kubectl is stricter than the API server.
fn name_fault(name: &str) -> Option<String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let faults = [
        (name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_allowed)).then_some(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must \
             not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is \
             '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        ),
        match name {
            "." => Some("must not be '.'"),
            ".." => Some("must not be '..'"),
            name => name.starts_with("..").then_some("must not start with '..'"),
        },
    ];
    let faults: Vec<&str> = faults.into_iter().flatten().collect();
    (!faults.is_empty()).then(|| faults.join(";"))
}

/// The variables of a container after the command: each once, in their place.
fn update(env: &[Value], variables: &[Value], removed: &[String]) -> Vec<Value> {
    let mut covered: Vec<&str> = removed.iter().map(String::as_str).collect();
    let mut next = Vec::new();
    for present in env {
        let name = name_of(present);
        if covered.contains(&name) {
            continue;
        }
        match variables.iter().find(|new| name_of(new) == name) {
            Some(new) => {
                covered.push(name);
                next.push(new.clone());
            }
            None => next.push(present.clone()),
        }
    }
    for new in variables {
        if !covered.contains(&name_of(new)) {
            covered.push(name_of(new));
            next.push(new.clone());
        }
    }
    next
}

/// `--from=configmap/x`: every key becomes a variable.
fn from_source(io: &mut Io, command: &Command) -> Result<Vec<Value>> {
    let Some(from) = command.flags.get("from").filter(|from| !from.is_empty()) else { return Ok(Vec::new()) };
    let infos = select::select(io, command, &[from.to_owned()], Rules::default())?.all()?;
    let wanted = command.flags.list("keys");
    let (mut variables, mut renamed) = (Vec::new(), Vec::new());
    for info in infos {
        let reference = match info.resource.kind {
            "ConfigMap" => "configMapKeyRef",
            "Secret" => "secretKeyRef",
            _ => return Err(CliError::message("unsupported resource specified in --from")),
        };
        let tree = info.object.as_ref().map(crate::objects::Object::to_value).unwrap_or_default();
        let data = tree.get("data").and_then(Value::as_object).into_iter().flat_map(|data| data.keys());
        for key in data.filter(|key| wanted.is_empty() || wanted.contains(&key.as_str())) {
            let variable: String =
                key.to_uppercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            if variable != *key {
                renamed.push(format!("Warning: key {key} transferred to {variable}"));
            }
            let source = json!({reference: {"key": key, "name": &*info.key.name}});
            variables.push(json!({"name": variable, "valueFrom": source}));
        }
    }
    renamed.into_iter().for_each(|line| io.complain(line));
    Ok(variables)
}

/// The containers of a pod spec, then its init containers.
fn all_containers(spec: &Value) -> impl Iterator<Item = &Value> {
    LISTS.iter().filter_map(|list| spec.get(*list)?.as_array()).flatten()
}

fn list(io: &mut Io, info: &Info, pattern: &str, update: impl Fn(&[Value]) -> Vec<Value>) {
    let Some(tree) = info.object.as_ref().map(crate::objects::Object::to_value) else { return };
    let Some(spec) = pod_spec_pointer(info.resource.kind).and_then(|pointer| tree.pointer(pointer)) else { return };
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    for container in all_containers(spec) {
        let name = name_of(container);
        if !name_matches(pattern, name) {
            continue;
        }
        io.line(format!("# {} {}, container {name}", info.resource.kind, info.key.name));
        let env = container.get("env").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for variable in update(env) {
            let name = name_of(&variable);
            let Some(source) = variable.get("valueFrom").and_then(Value::as_object) else {
                io.line(format!("{name}={}", text(&variable, "value")));
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
