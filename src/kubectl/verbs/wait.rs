//! `kubectl wait`
//!
//! Follows kubernetes kubectl pkg/cmd/wait/{wait,condition,json}.go, v1.36.

use super::delete::is_gone;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::print::{self, JsonPath};
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Object, ObjectKey, Time};
use serde_json::Value;
use std::rc::Rc;

/// `wait --for=…`, one object after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    condition: Condition,
    /// Resource, key and (for deletions) uid.
    objects: Vec<(String, ObjectKey, Rc<str>)>,
    /// What was asked for, to be looked up once it exists (`--for=create`).
    deadline: Option<Time>,
    errors: Vec<CliError>,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    /// The object exists.
    Create,
    /// The object is gone.
    Delete,
    /// A condition of this type has this status.
    Status(String, String),
    /// A path has this value, or (`None`) any.
    Path(String, Option<String>),
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let given = flags.all("for");
    let condition = match given {
        [] => return Err(CliError::message("unrecognized condition: []")),
        [one] => parse(one)?,
        [.., last] => parse(last)?,
    };
    let timeout = flags.get("timeout").and_then(crate::kubectl::parse_duration).unwrap_or(30);
    let deadline = match timeout {
        0 => Some(io.api.now()),
        seconds if seconds < 0 => None,
        seconds => Some(io.api.now().plus_seconds(seconds)),
    };
    if command.arguments.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(select::MISSING));
    }
    let rules = Rules {
        looks_up_files: !matches!(condition, Condition::Create | Condition::Delete),
        names_only: matches!(condition, Condition::Create | Condition::Delete),
        ..Rules::default()
    };
    let selection = select::select(io, command, &command.arguments, rules)?;
    let mut errors = selection.errors;
    let mut objects = Vec::new();
    for info in selection.infos {
        let uid = lister::get(io.api, info.resource, &info.key).map(|object| object.metadata().uid.clone());
        if condition == Condition::Delete {
            // What is not there need not go.
            let Ok(uid) = uid else { continue };
            objects.push((info.resource.qualified_plural(), info.key, uid));
        } else {
            objects.push((info.resource.qualified_plural(), info.key, uid.unwrap_or_default()));
        }
    }
    if objects.is_empty() && errors.is_empty() && condition != Condition::Delete {
        errors.push(CliError::message("no matching resources found"));
    }
    Ok(Some(Task::Wait(Wait { condition, objects, deadline, errors })))
}

fn parse(text: &str) -> Result<Condition> {
    let lower = text.to_lowercase();
    if lower == "create" {
        return Ok(Condition::Create);
    }
    if lower == "delete" {
        return Ok(Condition::Delete);
    }
    if let Some(condition) = text.strip_prefix("condition=") {
        let (name, value) = match condition.split_once('=') {
            Some((name, value)) => (name, value.trim_matches('"')),
            None => (condition, "true"),
        };
        return Ok(Condition::Status(name.into(), value.into()));
    }
    if let Some(path) = text.strip_prefix("jsonpath=") {
        let path = path.trim_matches('\'');
        let (path, value) = match path.split_once('}') {
            Some((path, rest)) => (format!("{path}}}"), rest.strip_prefix('=').map(str::to_owned)),
            None => match path.split_once('=') {
                Some((path, value)) => (path.to_owned(), Some(value.to_owned())),
                None => (path.to_owned(), None),
            },
        };
        if value.as_deref() == Some("") {
            return Err(CliError::message(
                "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
            ));
        }
        JsonPath::parse_relaxed(&path)?;
        return Ok(Condition::Path(path, value.map(|value| value.trim_matches('"').to_owned())));
    }
    Err(CliError::message(format!("unrecognized condition: {text:?}")))
}

impl Wait {
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        let mut waits = Vec::new();
        for (resource, key, uid) in std::mem::take(&mut self.objects) {
            let Some(known) = lister::resource_named(&resource) else { continue };
            let object = lister::get(io.api, known, &key).ok();
            let met = match (&self.condition, &object) {
                (Condition::Delete, _) => is_gone(io, &resource, &key, &uid),
                (Condition::Create, object) => object.is_some(),
                (Condition::Status(type_, status), Some(object)) => has_condition(object, type_, status),
                (Condition::Path(path, value), Some(object)) => has_value(object, path, value.as_deref())?,
                (_, None) => false,
            };
            if met {
                io.line(format!("{}/{} condition met", known.qualified_singular(), key.name));
            } else {
                waits.push((resource, key, uid));
            }
        }
        self.objects = waits;
        if !self.objects.is_empty() && self.deadline.is_none_or(|deadline| io.api.now() < deadline) {
            return Ok(Progress::Pending(self.deadline));
        }
        for (resource, key, _) in std::mem::take(&mut self.objects) {
            let plural = resource.split('.').next().unwrap_or(&resource);
            let message = format!("timed out waiting for the condition on {plural}/{}", key.name);
            self.errors.push(CliError::Message(message));
        }
        CliError::join(std::mem::take(&mut self.errors))?;
        Ok(Progress::Done(0))
    }
}

fn has_condition(object: &Object, type_: &str, status: &str) -> bool {
    let tree = object.to_value();
    let conditions = tree.pointer("/status/conditions").and_then(Value::as_array);
    let text = |condition: &Value, field: &str| condition.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    let generation = object.metadata().generation;
    conditions.into_iter().flatten().any(|condition| {
        let observed = condition.get("observedGeneration").and_then(Value::as_i64);
        let observed = observed.or_else(|| tree.pointer("/status/observedGeneration").and_then(Value::as_i64));
        text(condition, "type").eq_ignore_ascii_case(type_)
            && text(condition, "status").eq_ignore_ascii_case(status)
            && observed.is_none_or(|observed| observed >= generation)
    })
}

fn has_value(object: &Object, path: &str, wanted: Option<&str>) -> Result<bool> {
    let tree = print::served(object);
    let path = JsonPath::parse_relaxed(path)?;
    let found = path.find_all(&tree)?;
    match (found.as_slice(), wanted) {
        ([], _) => Ok(false),
        (_, None) => Ok(true),
        ([Value::Object(_) | Value::Array(_)], Some(_)) => {
            Err(CliError::message("jsonpath leads to a nested object or list which is not supported"))
        }
        ([value], Some(wanted)) => Ok(crate::kubectl::go_print(value) == wanted),
        (_, Some(_)) => Err(CliError::message("given jsonpath expression matches more than one value")),
    }
}
