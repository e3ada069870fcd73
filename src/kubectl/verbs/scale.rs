//! `kubectl scale`
//!
//! Follows kubernetes kubectl pkg/cmd/scale/scale.go, v1.36.

use super::output::{DryRun, Reporter};
use super::record;
use crate::apiserver::patch::PatchType;
use crate::apiserver::requests::{self, FieldValidation};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::Started;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    let Some(replicas) = flags.int("replicas") else {
        return Err(CliError::message("required flag(s) \"replicas\" not set"));
    };
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    if replicas < 0 {
        return Err(CliError::message(
            "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        ));
    }
    if flags.int("current-replicas").is_some_and(|count| count < -1) {
        return Err(CliError::message("The --current-replicas must specify an integer of -1 or greater"));
    }
    let mut reporter = Reporter::new(command, dry_run)?;
    let rules = Rules { looks_up_files: true, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    let errors = selection.errors;
    if flags.has("resource-version") && selection.infos.len() > 1 {
        return Err(CliError::message("cannot use --resource-version with multiple resources"));
    }
    if selection.infos.is_empty() && errors.is_empty() {
        return Err(CliError::message("no objects passed to scale"));
    }
    for info in &selection.infos {
        let Some(object) = &info.object else { continue };
        let present = requests::scale(io.api, info.resource, &info.key)?;
        if let Some(expected) = flags.int("current-replicas").filter(|expected| *expected >= 0 && *expected != present)
        {
            return Err(CliError::message(format!("Expected replicas to be {expected}, was {present}")));
        }
        if dry_run == DryRun::Client {
            reporter.tell(io, object, "scaled")?;
            continue;
        }
        let options = dry_run.options(FieldValidation::Ignore);
        let mut object = requests::set_scale(io.api, info.resource, &info.key, replicas, options)?.object;
        if let Some(reason) = record::patch(command) {
            object = requests::patch(io.api, info.resource, &info.key, PatchType::Merge, &reason, options)?.object;
        }
        reporter.tell(io, &object, "scaled")?;
    }
    CliError::join(errors)?;
    Ok(None)
}
