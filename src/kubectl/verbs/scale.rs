//! `kubectl scale`
//!
//! Follows kubernetes kubectl pkg/cmd/scale/scale.go, v1.36.

use super::output::{DryRun, Reporter};
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
        return Err(CliError::message(format!("The --replicas={replicas} flag is required, and must be >= 0")));
    }
    let mut reporter = Reporter::new(command, dry_run)?;
    let rules = Rules { looks_up_files: true, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    let mut errors = selection.errors;
    if selection.infos.is_empty() && errors.is_empty() {
        return Err(CliError::message("no objects passed to scale"));
    }
    for info in &selection.infos {
        let Some(object) = &info.object else { continue };
        let present = match requests::scale(io.api, info.resource, &info.key) {
            Ok(present) => present,
            Err(status) => {
                errors.push(status.into());
                continue;
            }
        };
        if let Some(expected) = flags.int("current-replicas").filter(|expected| *expected >= 0 && *expected != present)
        {
            errors.push(CliError::message(format!("Expected replicas to be {expected}, was {present}")));
            continue;
        }
        if dry_run == DryRun::Client {
            reporter.tell(io, object, "scaled")?;
            continue;
        }
        let options = dry_run.options(FieldValidation::Ignore);
        match requests::set_scale(io.api, info.resource, &info.key, replicas, options) {
            Ok(answer) => reporter.tell(io, &answer.object, "scaled")?,
            Err(status) => errors.push(status.into()),
        }
    }
    CliError::join(errors)?;
    Ok(None)
}
