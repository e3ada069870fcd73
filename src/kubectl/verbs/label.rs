//! `kubectl label`
//!
//! Follows kubernetes kubectl pkg/cmd/label/label.go, v1.36.

use super::output::{DryRun, Reporter};
use super::record::{CHANGE_CAUSE, change_cause};
use crate::apiserver::patch::{PatchType, create_merge_patch};
use crate::apiserver::requests::{self, FieldValidation};
use crate::apiserver::validation::names;
use crate::kubectl::command::Command;
use crate::kubectl::compact_json;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use crate::objects::Object;
use std::collections::BTreeMap;
use std::rc::Rc;

/// New values, and keys to take off.
pub(crate) type Changes = (BTreeMap<String, String>, Vec<String>);

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    let (resources, pairs) = resources_and_pairs(&command.arguments, "label")?;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    if flags.is_on("all") && flags.has("field-selector") {
        return Err(CliError::message("cannot set --all and --field-selector at the same time"));
    }
    let (set, removed) = parse(&pairs)?;
    if resources.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    let lists = flags.is_on("list");
    if lists && flags.has("output") {
        return Err(CliError::message("--list and --output may not be specified together"));
    }
    if set.is_empty() && removed.is_empty() && !lists {
        return Err(CliError::message("at least one label update is required"));
    }
    let mut reporter = Reporter::new(command, dry_run)?;
    let selection = select::select(io, command, &resources, Rules { looks_up_files: true, ..Rules::default() })?;
    if flags.has("resource-version") && !selection.is_single {
        return Err(CliError::message("--resource-version may only be used with a single resource"));
    }
    let mut errors = selection.errors;
    let single = selection.is_single;
    for info in &selection.infos {
        let result = if lists {
            list(io, info, single);
            Ok(())
        } else {
            change(io, command, info, (&set, &removed), dry_run, &mut reporter)
        };
        errors.extend(result.err());
    }
    CliError::join(errors)?;
    Ok(None)
}

fn change(
    io: &mut Io,
    command: &Command,
    info: &Info,
    (set, removed): (&BTreeMap<String, String>, &Vec<String>),
    dry_run: DryRun,
    reporter: &mut Reporter,
) -> Result<()> {
    let Some(old) = &info.object else { return Ok(()) };
    let overwrite = command.flags.is_on("overwrite");
    let labels = &old.metadata().labels;
    if dry_run != DryRun::Client {
        for key in removed.iter().filter(|key| !labels.contains_key(*key)) {
            io.line(format!("label {key:?} not found."));
        }
    }
    if !overwrite {
        let declared: Vec<CliError> = set
            .iter()
            .filter_map(|(key, value)| {
                labels.get(key).filter(|present| *present != value).map(|present| (key, present))
            })
            .map(|(key, present)| {
                CliError::message(format!("'{key}' already has a value ({present}), and --overwrite is false"))
            })
            .collect();
        CliError::join(declared)?;
    }
    let mut next = (**labels).clone();
    next.extend(set.iter().map(|(key, value)| (key.clone(), value.clone())));
    next.retain(|key, _| !removed.contains(key));
    let before = old.to_value();
    let mut wanted = with_labels(old, next);
    if let Some(cause) = change_cause(command) {
        Rc::make_mut(&mut wanted.metadata_mut().annotations).insert(CHANGE_CAUSE.into(), cause);
    }
    let after = wanted.to_value();
    let what = match compact_json(&after).len().cmp(&compact_json(&before).len()) {
        _ if before == after => "not labeled",
        std::cmp::Ordering::Less if !overwrite => "unlabeled",
        _ => "labeled",
    };
    if dry_run == DryRun::Client {
        return reporter.tell(io, &wanted, what);
    }
    let object = if before == after {
        old.clone()
    } else {
        let patch = create_merge_patch(&before, &after);
        let options = dry_run.options(FieldValidation::Warn);
        let answer = requests::patch(io.api, info.resource, &info.key, PatchType::Merge, &patch, options)?;
        io.warn(&answer.warnings);
        answer.object
    };
    reporter.tell(io, &object, what)
}

fn with_labels(object: &Object, labels: BTreeMap<String, String>) -> Object {
    let mut next = object.clone();
    next.metadata_mut().labels = Rc::new(labels);
    next
}

fn list(io: &mut Io, info: &Info, single: bool) {
    let Some(object) = &info.object else { return };
    let indent = if single { "" } else { " " };
    if !single {
        let resource = info.resource;
        io.line(format!("Listing labels for {}.{}/{}:", resource.kind, resource.group, info.key.name));
    }
    for (key, value) in object.metadata().labels.iter() {
        io.line(format!("{indent}{key}={value}"));
    }
}

/// Sorts the arguments: resources first, then what is to be changed.
///
/// # Errors
/// A resource behind a change.
pub(crate) fn resources_and_pairs(arguments: &[String], what: &str) -> Result<(Vec<String>, Vec<String>)> {
    let (mut resources, mut pairs): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for argument in arguments {
        let is_pair =
            (argument.contains('=') && !argument.starts_with('=')) || (argument.ends_with('-') && argument != "-");
        if is_pair {
            pairs.push(argument.clone());
        } else if pairs.is_empty() {
            resources.push(argument.clone());
        } else {
            return Err(CliError::message(format!(
                "all resources must be specified before {what} changes: {argument}"
            )));
        }
    }
    Ok((resources, pairs))
}

fn parse(pairs: &[String]) -> Result<Changes> {
    let (mut set, mut removed) = (BTreeMap::new(), Vec::new());
    for pair in pairs {
        let parts: Vec<&str> = pair.split('=').collect();
        match parts.as_slice() {
            [key, value] => {
                let faults = names::label_value(value);
                if !faults.is_empty() {
                    return Err(CliError::message(format!("invalid label value: {pair:?}: {}", faults.join(";"))));
                }
                set.insert((*key).to_owned(), (*value).to_owned());
            }
            [key] => removed.extend(key.strip_suffix('-').map(str::to_owned)),
            _ => return Err(CliError::message(format!("invalid label spec: {pair}"))),
        }
    }
    if removed.iter().any(|key| set.contains_key(key)) {
        return Err(CliError::message("can not both modify and remove a label in the same command"));
    }
    Ok((set, removed))
}
