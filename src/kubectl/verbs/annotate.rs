//! `kubectl annotate`
//!
//! Follows kubernetes kubectl pkg/cmd/annotate/annotate.go, v1.36.

use super::label::{Changes, resources_and_pairs};
use super::output::{DryRun, Reporter};
use super::record::{CHANGE_CAUSE, change_cause};
use crate::apiserver::patch::{PatchType, create_merge_patch};
use crate::apiserver::requests::{self, FieldValidation};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    let (resources, pairs) = resources_and_pairs(&command.arguments, "annotation")?;
    let (set, removed) = parse(&pairs)?;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    if flags.is_on("all") && flags.has("field-selector") {
        return Err(CliError::message("cannot set --all and --field-selector at the same time"));
    }
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
        return Err(CliError::message("at least one annotation update is required"));
    }
    let both: Vec<&str> = removed.iter().filter(|key| set.contains_key(*key)).map(String::as_str).collect();
    if !both.is_empty() {
        return Err(CliError::message(format!(
            "can not both modify and remove the following annotation(s) in the same command: {}",
            both.join(", ")
        )));
    }
    let mut reporter = Reporter::new(command, dry_run)?;
    let selection = select::select(io, command, &resources, Rules { looks_up_files: true, ..Rules::default() })?;
    let mut errors = selection.errors;
    if flags.has("resource-version") && !selection.is_single {
        return Err(CliError::message("--resource-version may only be used with a single resource"));
    }
    let single = selection.is_single;
    for info in &selection.infos {
        if lists {
            list(io, info, single);
            continue;
        }
        errors.extend(change(io, command, info, &set, &removed, dry_run, &mut reporter).err());
    }
    CliError::join(errors)?;
    Ok(None)
}

fn change(
    io: &mut Io,
    command: &Command,
    info: &Info,
    set: &BTreeMap<String, String>,
    removed: &[String],
    dry_run: DryRun,
    reporter: &mut Reporter,
) -> Result<()> {
    let Some(old) = &info.object else { return Ok(()) };
    let annotations = &old.metadata().annotations;
    if !command.flags.is_on("overwrite") {
        let declared: Vec<String> = set
            .iter()
            // Why a revision was made may always be overwritten.
            .filter(|(key, _)| *key != CHANGE_CAUSE)
            .filter_map(|(key, value)| annotations.get(key).filter(|present| *present != value).map(|old| (key, old)))
            .map(|(key, present)| format!("'{key}' already has a value ({present})"))
            .collect();
        if !declared.is_empty() {
            return Err(CliError::message(format!(
                "--overwrite is false but found the following declared annotation(s): {}",
                declared.join("; ")
            )));
        }
    }
    let mut next = (**annotations).clone();
    next.extend(set.iter().map(|(key, value)| (key.clone(), value.clone())));
    next.extend(change_cause(command).map(|cause| (CHANGE_CAUSE.to_owned(), cause)));
    next.retain(|key, _| !removed.contains(key));
    let mut wanted = old.clone();
    wanted.metadata_mut().annotations = Rc::new(next);
    if dry_run == DryRun::Client {
        return reporter.tell(io, &wanted, "annotated");
    }
    let (before, after) = (old.to_value(), wanted.to_value());
    let object = if before == after {
        wanted
    } else {
        let patch = create_merge_patch(&before, &after);
        let options = dry_run.options(FieldValidation::Warn);
        let answer = requests::patch(io.api, info.resource, &info.key, PatchType::Merge, &patch, options)?;
        io.warn(&answer.warnings);
        answer.object
    };
    reporter.tell(io, &object, "annotated")
}

fn list(io: &mut Io, info: &Info, single: bool) {
    let Some(object) = &info.object else { return };
    let indent = if single { "" } else { " " };
    if !single {
        let resource = info.resource;
        io.line(format!("Listing annotations for {}.{}/{}:", resource.kind, resource.group, info.key.name));
    }
    for (key, value) in object.metadata().annotations.iter() {
        io.line(format!("{indent}{key}={value}"));
    }
}

fn parse(pairs: &[String]) -> Result<Changes> {
    let (mut set, mut removed) = (BTreeMap::new(), Vec::new());
    for pair in pairs {
        if let Some((key, value)) = pair.split_once('=') {
            set.insert(key.to_owned(), value.to_owned());
        } else if let Some(key) = pair.strip_suffix('-') {
            removed.push(key.to_owned());
        }
    }
    Ok((set, removed))
}
