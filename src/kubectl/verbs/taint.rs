//! `kubectl taint`
//!
//! Follows kubernetes kubectl pkg/cmd/taint/{taint,utils}.go, v1.36.

use super::output::{DryRun, Reporter};
use crate::apiserver::patch::PatchType;
use crate::apiserver::requests::{self, FieldValidation};
use crate::apiserver::validation::names;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use crate::objects::{NO_EXECUTE, NO_SCHEDULE, Object, PREFER_NO_SCHEDULE, Taint, encode};
use serde_json::json;
use std::rc::Rc;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    let (mut resources, mut specs): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for argument in &command.arguments {
        if argument.contains(['=', ':']) || argument.ends_with('-') {
            specs.push(argument.clone());
        } else if specs.is_empty() {
            resources.push(argument.clone());
        } else {
            return Err(CliError::message(format!("all resources must be specified before taint changes: {argument}")));
        }
    }
    let Some(kind) = resources.first() else {
        return Err(CliError::message("one or more resources must be specified as <resource> <name>"));
    };
    if specs.is_empty() {
        return Err(CliError::message("at least one taint update is required"));
    }
    let (added, removed) = parse(&specs).map_err(|why| command.usage(why))?;
    let kind = kind.to_lowercase();
    // The one complaint that has no "error: " in front.
    let resource = select::mapping(&kind).map_err(|error| CliError::Verbatim(error.line()))?;
    if resource.kind != "Node" {
        return Err(CliError::message(format!("invalid resource type {kind}, only node types are supported")));
    }
    let conflicts: Vec<String> = removed
        .iter()
        .filter(|gone| {
            added.iter().any(|new| new.key == gone.key && (gone.effect.is_empty() || gone.effect == new.effect))
        })
        .map(|gone| format!("{}={}", gone.key, gone.effect))
        .collect();
    if !conflicts.is_empty() {
        return Err(CliError::message(format!(
            "can not both modify and remove the following taint(s) in the same command: {}",
            conflicts.join(", ")
        )));
    }
    match (flags.is_on("all"), flags.has("selector")) {
        (true, true) => {
            return Err(CliError::message("setting 'all' parameter with a non empty selector is prohibited"));
        }
        (false, false) if resources.len() < 2 => {
            return Err(CliError::message(
                "at least one resource name must be specified since 'all' parameter is not set",
            ));
        }
        _ => {}
    }
    // Unlike the others, it does not say that it was only tried.
    let mut reporter = Reporter::new(command, DryRun::No)?;
    if let Some(first) = resources.first_mut() {
        *first = "nodes".into();
    }
    if flags.has("selector") || flags.is_on("all") {
        resources.truncate(1);
    }
    let selection = select::select(io, command, &resources, Rules::default())?;
    let mut errors = selection.errors;
    for info in &selection.infos {
        errors.extend(change(io, command, info, &added, &removed, dry_run, &mut reporter).err());
    }
    CliError::join(errors)?;
    Ok(None)
}

fn change(
    io: &mut Io,
    command: &Command,
    info: &Info,
    added: &[Taint],
    removed: &[Taint],
    dry_run: DryRun,
    reporter: &mut Reporter,
) -> Result<()> {
    let Some(Object::Node(node)) = &info.object else { return Ok(()) };
    let overwrite = command.flags.is_on("overwrite");
    let old = &node.spec.taints;
    if !overwrite {
        let there: Vec<&str> = added
            .iter()
            .filter(|new| old.iter().any(|taint| taint.matches(new)))
            .map(|taint| taint.key.as_str())
            .collect();
        if !there.is_empty() {
            return Err(CliError::message(format!(
                "node {} already has {} taint(s) with same effect(s) and --overwrite is false",
                info.key.name,
                there.join(",")
            )));
        }
    }
    let mut taints = added.to_vec();
    for taint in old.iter() {
        if !taints.iter().any(|new| new.matches(taint)) {
            taints.push(taint.clone());
        }
    }
    let grew = taints.len() != old.len();
    let (mut errors, mut shrank) = (Vec::new(), false);
    for gone in removed {
        let before = taints.len();
        taints.retain(|taint| taint.key != gone.key || (!gone.effect.is_empty() && taint.effect != gone.effect));
        shrank = taints.len() != before;
        if !shrank {
            errors.push(CliError::message(format!("taint \"{gone}\" not found")));
        }
    }
    CliError::join(errors)?;
    let what = match (grew, shrank) {
        (true, true) => "modified",
        _ if overwrite => "modified",
        (false, true) => "untainted",
        _ => "tainted",
    };
    if dry_run == DryRun::Client {
        let mut next = (**node).clone();
        next.spec.taints = Rc::new(taints);
        return reporter.tell(io, &next.into(), what);
    }
    let list = if taints.is_empty() { serde_json::Value::Null } else { encode(&taints) };
    let patch = json!({"spec": {"taints": list}});
    let options = dry_run.options(FieldValidation::Strict);
    let answer = requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options)?;
    io.warn(&answer.warnings);
    reporter.tell(io, &answer.object, what)
}

/// Taints to add and, with a `-` at the end, to remove.
fn parse(specs: &[String]) -> std::result::Result<(Vec<Taint>, Vec<Taint>), String> {
    let (mut added, mut removed): (Vec<Taint>, Vec<Taint>) = (Vec::new(), Vec::new());
    for spec in specs {
        if let Some(gone) = spec.strip_suffix('-') {
            let taint = parse_one(gone)?;
            removed.push(Taint { value: String::new(), ..taint });
            continue;
        }
        let taint = parse_one(spec)?;
        if taint.effect.is_empty() {
            return Err(format!("invalid taint spec: {spec}"));
        }
        if added.iter().any(|other| other.matches(&taint)) {
            return Err(format!(
                "duplicated taints with the same key and effect: {{{} {} {} <nil>}}",
                taint.key, taint.value, taint.effect
            ));
        }
        added.push(taint);
    }
    Ok((added, removed))
}

fn parse_one(spec: &str) -> std::result::Result<Taint, String> {
    let mut taint = Taint::default();
    let check = |faults: Vec<String>| match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("invalid taint spec: {spec}, {}", faults.join("; "))),
    };
    let parts: Vec<&str> = spec.split(':').collect();
    match parts.as_slice() {
        [key] => taint.key = (*key).into(),
        [pair, effect] => {
            if !matches!(*effect, NO_SCHEDULE | PREFER_NO_SCHEDULE | NO_EXECUTE) {
                return Err(format!("invalid taint effect: {effect}, unsupported taint effect"));
            }
            taint.effect = (*effect).into();
            let pair: Vec<&str> = pair.split('=').collect();
            match pair.as_slice() {
                [key] => taint.key = (*key).into(),
                [key, value] => {
                    check(names::label_value(value))?;
                    (taint.key, taint.value) = ((*key).into(), (*value).into());
                }
                _ => return Err(format!("invalid taint spec: {spec}")),
            }
        }
        _ => return Err(format!("invalid taint spec: {spec}")),
    }
    check(names::qualified_name(&taint.key))?;
    Ok(taint)
}
