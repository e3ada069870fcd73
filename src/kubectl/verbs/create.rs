//! `kubectl create -f`
//!
//! Follows kubernetes kubectl pkg/cmd/create/create.go, v1.36.

use super::apply;
use super::output::{DryRun, Reporter, validation};
use super::record;
use crate::apiserver::requests;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::Info;
use crate::kubectl::sources;
use crate::kubectl::task::Started;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    if command.flags.all("filename").is_empty() {
        return Err(match command.arguments.is_empty() {
            true => CliError::message("must specify one of -f and -k"),
            false => command.usage(format!("Unexpected args: [{}]", command.arguments.join(" "))),
        });
    }
    let dry_run = DryRun::of(io, command)?;
    let mut reporter = Reporter::new(command, dry_run)?;
    let mut errors = Vec::new();
    let mut found = false;
    for item in sources::read(io, command)? {
        match item {
            Ok(info) => {
                found = true;
                errors.extend(create(io, command, &info, dry_run, &mut reporter, "created").err());
            }
            Err(error) => errors.push(error),
        }
    }
    if !found && errors.is_empty() {
        return Err(CliError::message("no objects passed to create"));
    }
    CliError::join(errors)?;
    Ok(None)
}

fn create(
    io: &mut Io,
    command: &Command,
    info: &Info,
    dry_run: DryRun,
    reporter: &mut Reporter,
    what: &str,
) -> Result<()> {
    let Some(manifest) = &info.manifest else { return Ok(()) };
    let mut tree = if command.flags.is_on("save-config") { apply::annotated(manifest) } else { manifest.clone() };
    record::record(command, &mut tree);
    if dry_run == DryRun::Client {
        return reporter.tell_tree(io, &tree, what);
    }
    let options = dry_run.options(validation(command)?);
    let answer = requests::create(io.api, info.resource, &info.key.namespace, tree, options)
        .map_err(|status| CliError::from(status).with_source("creating", &info.source))?;
    io.warn(&answer.warnings);
    reporter.tell(io, &answer.object, what)
}
