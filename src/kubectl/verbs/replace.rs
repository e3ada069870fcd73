//! `kubectl replace`

use super::delete::is_gone;
use super::output::{DryRun, Reporter, validation};
use super::record;
use crate::apiserver::requests::{self, DeleteOptions, WriteOptions};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::sources;
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{ObjectKey, Time};
use serde_json::Value;
use std::rc::Rc;

/// `replace --force` that waits until the old objects are gone.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceWait {
    /// Resource, key, uid of the object that has to go, what to create instead.
    items: Vec<(String, ObjectKey, Rc<str>, Value)>,
    options: WriteOptions,
    deadline: Option<Time>,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if flags.all("filename").is_empty() {
        return Err(CliError::message("must specify one of -f and -k"));
    }
    if flags.int("grace-period").is_some_and(|grace| grace >= 0) && !flags.is_on("force") {
        return Err(CliError::message("--grace-period must have --force specified"));
    }
    let dry_run = DryRun::of(io, command)?;
    let options = dry_run.options(validation(command)?);
    let mut reporter = Reporter::new(command, dry_run)?;
    let mut errors = Vec::new();
    let mut infos = Vec::new();
    for item in sources::read(io, command)? {
        match item {
            Ok(info) => infos.push(info),
            Err(error) => errors.push(error),
        }
    }
    if infos.is_empty() && errors.is_empty() {
        return Err(CliError::message("no objects passed to replace"));
    }
    if flags.is_on("force") {
        CliError::join(errors)?;
        let mut items = Vec::new();
        for info in infos {
            let grace_period_seconds = flags.int("grace-period").filter(|grace| *grace >= 0);
            let present = lister::get(io.api, info.resource, &info.key).ok();
            let options = DeleteOptions { grace_period_seconds, ..DeleteOptions::default() };
            match requests::delete(io.api, info.resource, &info.key, options) {
                Ok(_) => io.line(super::delete::sentence(info.resource, &info.key, "deleted", "")),
                Err(status) if status.reason == "NotFound" => {}
                Err(status) => return Err(CliError::from(status).with_source("deleting", &info.source)),
            }
            let uid = present.map(|object| object.metadata().uid.clone()).unwrap_or_default();
            let manifest = info.manifest.unwrap_or_default();
            items.push((info.resource.qualified_plural(), info.key, uid, manifest));
        }
        let deadline = super::deadline(io, command);
        return Ok(Some(Task::Replace(ReplaceWait { items, options, deadline })));
    }
    for info in infos {
        let result = (|| -> Result<()> {
            let mut manifest = info.manifest.clone().unwrap_or_default();
            record::record(command, &mut manifest);
            if dry_run == DryRun::Client {
                return reporter.tell_tree(io, &manifest, "replaced");
            }
            let answer = requests::replace(io.api, info.resource, &info.key, manifest, options)
                .map_err(|status| CliError::from(status).with_source("replacing", &info.source))?;
            io.warn(&answer.warnings);
            reporter.tell(io, &answer.object, "replaced")
        })();
        errors.extend(result.err());
    }
    CliError::join(errors)?;
    Ok(None)
}

impl ReplaceWait {
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        let waits = self.items.iter().any(|(resource, key, uid, _)| !is_gone(io, resource, key, uid));
        if waits && self.deadline.is_none_or(|deadline| io.api.now() < deadline) {
            return Ok(Progress::Pending(self.deadline));
        }
        if waits {
            return Err(CliError::message("timed out waiting for the condition"));
        }
        for (resource, key, _, manifest) in &self.items {
            let Some(resource) = lister::resource_named(resource) else { continue };
            let answer = requests::create(io.api, resource, &key.namespace, manifest.clone(), self.options)?;
            io.warn(&answer.warnings);
            io.line(format!("{}/{} replaced", resource.qualified_singular(), key.name));
        }
        Ok(Progress::Done(0))
    }
}
