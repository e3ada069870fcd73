//! `kubectl wait`
//!
//! Follows kubernetes kubectl pkg/cmd/wait/{wait,condition,json}.go, v1.36.

use super::delete::is_gone;
use crate::apiserver::schema::Resource;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::print::{self, Format, JsonPath};
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Object, ObjectKey, Time};
use serde_json::Value;
use std::collections::VecDeque;
use std::rc::Rc;

/// `wait --for=…`, one object after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    conditions: Vec<Condition>,
    /// Resource, key and (for deletions) uid of those that are still to be looked at.
    objects: VecDeque<(String, ObjectKey, Rc<str>)>,
    /// When the time is over, for all together.
    deadline: Option<Time>,
    /// It is looked only once.
    is_single_look: bool,
    /// The time is over: nothing is looked at any more.
    is_over: bool,
    errors: Vec<CliError>,
    /// `-o` and `--template`.
    output: (Option<String>, Option<String>),
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    /// The object exists.
    Create,
    /// The object is gone.
    Delete,
    /// A condition of one of these types has this status.
    Status(Vec<String>, String),
    /// A path has this value, or (`None`) any.
    Path(String, Option<String>),
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let given = flags.all("for");
    if given.is_empty() {
        return Err(CliError::message("unrecognized condition: []"));
    }
    let conditions = given.iter().map(|text| parse(text)).collect::<Result<Vec<Condition>>>()?;
    let timeout = flags.get("timeout").and_then(crate::kubectl::parse_duration).unwrap_or(30);
    let deadline = (timeout >= 0).then(|| io.api.now().plus_seconds(timeout));
    if command.arguments.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(select::MISSING));
    }
    Format::parse(flags.get("output"), flags.get("template"), false)?;
    let output = (flags.get("output").map(str::to_owned), flags.get("template").map(str::to_owned));
    let for_deletion = conditions.contains(&Condition::Delete);
    let unseen = for_deletion || conditions.contains(&Condition::Create);
    let rules = Rules { looks_up_files: !unseen, names_only: unseen, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    let mut errors = selection.errors;
    let mut objects = VecDeque::new();
    for info in selection.infos {
        let uid = lister::get(io.api, info.resource, &info.key).map(|object| object.metadata().uid.clone());
        if for_deletion && uid.is_err() {
            // What is not there need not go.
            continue;
        }
        objects.push_back((info.resource.qualified_plural(), info.key, uid.unwrap_or_default()));
    }
    if objects.is_empty() && errors.is_empty() && !for_deletion {
        errors.push(CliError::message("no matching resources found"));
    }
    let is_single_look = timeout == 0;
    Ok(Some(Task::Wait(Wait { conditions, objects, deadline, is_single_look, is_over: false, errors, output })))
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
        let (names, value) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(Condition::Status(names.split(',').map(str::to_owned).collect(), value.into()));
    }
    if let Some(path) = text.strip_prefix("jsonpath=") {
        let parts = split_at_single_equals(path);
        let (path, value) = match parts.as_slice() {
            [path] => (path, None),
            [path, value] => (path, Some(value.trim_matches(['\'', '"']))),
            _ => {
                return Err(CliError::message(
                    "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or \
                     --for=jsonpath='{.status.readyReplicas}'",
                ));
            }
        };
        if path.is_empty() {
            return Err(CliError::message("jsonpath expression cannot be empty"));
        }
        JsonPath::parse_relaxed(path)?;
        if value == Some("") {
            return Err(CliError::message(
                "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
            ));
        }
        return Ok(Condition::Path(path.clone(), value.map(str::to_owned)));
    }
    Err(CliError::message(format!("unrecognized condition: {text:?}")))
}

/// `a==b=c` is `a==b` and `c`.
fn split_at_single_equals(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let doubled = character == '=' && characters.next_if_eq(&'=').is_some();
        match (character, parts.last_mut()) {
            ('=', Some(part)) if doubled => part.push_str("=="),
            ('=', _) => parts.push(String::new()),
            (_, Some(part)) => part.push(character),
            (_, None) => {}
        }
    }
    parts
}

impl Wait {
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        while let Some((resource, key, uid)) = self.objects.front().cloned() {
            let Some(known) = lister::resource_named(&resource) else { return Ok(Progress::Done(1)) };
            let met = if self.is_over { Ok(false) } else { self.is_met(io, known, &key, &uid) };
            match met {
                Ok(true) => self.tell(io, known, &key)?,
                Ok(false) if self.is_single_look => {
                    let message = format!("condition not met for {}/{}", known.plural, key.name);
                    self.errors.push(CliError::Message(message));
                }
                Ok(false) if self.deadline.is_some_and(|deadline| io.api.now() >= deadline) => {
                    self.is_over = true;
                    let mut message = "timed out waiting for the condition".to_owned();
                    if !self.conditions.contains(&Condition::Create) {
                        message += &format!(" on {}/{}", known.plural, key.name);
                    }
                    self.errors.push(CliError::Message(message));
                }
                Ok(false) => return Ok(Progress::Pending(self.deadline)),
                Err(error) => self.errors.push(error),
            }
            self.objects.pop_front();
        }
        CliError::join(std::mem::take(&mut self.errors))?;
        Ok(Progress::Done(0))
    }

    /// `pod/x condition met`, or the object as `-o` asks for.
    fn tell(&self, io: &mut Io, resource: &Resource, key: &ObjectKey) -> Result<()> {
        let name = format!("{}/{}", resource.qualified_singular(), key.name);
        let format = Format::parse(self.output.0.as_deref(), self.output.1.as_deref(), false)?;
        match (&format, lister::get(io.api, resource, key)) {
            (Some(format), _) if format.is_name() => io.line(name),
            (Some(format), Ok(object)) => {
                let text = format.print(&print::served(&object))?;
                io.out.push_str(&text);
            }
            _ => io.line(format!("{name} condition met")),
        }
        Ok(())
    }

    fn is_met(&self, io: &Io, resource: &Resource, key: &ObjectKey, uid: &str) -> Result<bool> {
        let object = lister::get(io.api, resource, key).ok();
        for condition in &self.conditions {
            let met = match (condition, &object) {
                (Condition::Delete, _) => is_gone(io, &resource.qualified_plural(), key, uid),
                (Condition::Create, object) => object.is_some(),
                (Condition::Status(types, status), Some(object)) => has_condition(object, types, status),
                (Condition::Path(path, value), Some(object)) => has_value(object, path, value.as_deref())?,
                (_, None) => false,
            };
            if !met {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn has_condition(object: &Object, types: &[String], status: &str) -> bool {
    let tree = object.to_value();
    let conditions = tree.pointer("/status/conditions").and_then(Value::as_array);
    let text = |condition: &Value, field: &str| condition.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    let generation = object.metadata().generation;
    let named = conditions.into_iter().flatten().find(|condition| {
        let type_ = text(condition, "type");
        types.iter().any(|wanted| type_.eq_ignore_ascii_case(wanted))
    });
    named.is_some_and(|condition| {
        let observed = condition.get("observedGeneration").and_then(Value::as_i64);
        let observed = observed.or_else(|| tree.pointer("/status/observedGeneration").and_then(Value::as_i64));
        text(condition, "status").eq_ignore_ascii_case(status) && observed.is_none_or(|observed| observed >= generation)
    })
}

fn has_value(object: &Object, path: &str, wanted: Option<&str>) -> Result<bool> {
    let tree = print::served(object);
    let path = JsonPath::parse_relaxed(path)?;
    let found = path.find_all(&tree)?;
    match (found.as_slice(), wanted) {
        ([], _) => Ok(false),
        ([_], None) => Ok(true),
        ([Value::Object(_) | Value::Array(_)], Some(_)) => {
            Err(CliError::message("jsonpath leads to a nested object or list which is not supported"))
        }
        ([value], Some(wanted)) => Ok(crate::kubectl::go_print(value).trim() == wanted.trim()),
        _ => Err(CliError::message("given jsonpath expression matches more than one value")),
    }
}
