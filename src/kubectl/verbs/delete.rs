//! `kubectl delete`
//!
//! Follows kubernetes kubectl pkg/cmd/delete/delete.go, v1.36.

use super::output::DryRun;
use crate::apiserver::Propagation;
use crate::apiserver::requests::{self, DeleteOptions};
use crate::apiserver::schema::Resource;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{ObjectKey, Time};
use std::rc::Rc;

/// Objects that have been told to go.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteWait {
    /// Resource, key and uid of each.
    objects: Vec<(String, ObjectKey, Rc<str>)>,
    deadline: Option<Time>,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("setting 'all' parameter but found a non empty selector. "));
    }
    if flags.is_on("all") && flags.has("field-selector") {
        return Err(CliError::message("cannot set --all and --field-selector at the same time"));
    }
    let mut grace = flags.int("grace-period").unwrap_or(-1);
    let force = flags.is_on("force");
    if flags.is_on("now") {
        if grace != -1 {
            return Err(CliError::message("--now and --grace-period cannot be specified together"));
        }
        grace = 1;
    }
    if grace == 0 && !force {
        // Without --force nobody loses data by accident.
        grace = 1;
    }
    if force && grace < 0 {
        grace = 0;
    }
    if force && grace > 0 {
        return Err(CliError::message("--force and --grace-period greater than 0 cannot be specified together"));
    }
    let propagation = match flags.get("cascade") {
        None | Some("background" | "true") => Propagation::Background,
        Some("orphan" | "false") => Propagation::Orphan,
        Some("foreground") => Propagation::Foreground,
        Some(other) => {
            return Err(CliError::message(format!(
                "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            )));
        }
    };
    if let Some(given @ ("true" | "false")) = flags.get("cascade") {
        let new = if given == "true" { "background" } else { "orphan" };
        io.complain(format!(
            "warning: --cascade={given} is deprecated (boolean value) and can be replaced with --cascade={new}."
        ));
    }
    match flags.get("output") {
        None | Some("" | "name") => {}
        Some(other) => {
            return Err(CliError::message(format!("unexpected -o output mode: {other}. We only support '-o name'")));
        }
    }
    if force && grace == 0 {
        io.complain(
            "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. \
             The resource may continue to run on the cluster indefinitely.",
        );
    }
    let by_name = !flags.has("selector") && !flags.is_on("all") && !flags.has("field-selector");
    let selection =
        if by_name { named(io, command)? } else { select::select(io, command, &command.arguments, Rules::default())? };
    let options = DeleteOptions {
        dry_run: dry_run != DryRun::No,
        grace_period_seconds: (grace >= 0).then_some(grace),
        propagation,
    };
    let mut errors = selection.errors;
    if selection.infos.is_empty() && errors.is_empty() {
        io.line("No resources found");
        return Ok(None);
    }
    let mut objects = Vec::new();
    let verb = if force && grace == 0 { "force deleted" } else { "deleted" };
    let mut warns = flags.has("namespace") && !flags.is_on("all-namespaces");
    for info in &selection.infos {
        if warns && !info.resource.is_namespaced() {
            io.complain("Warning: deleting cluster-scoped resources, not scoped to the provided namespace");
            warns = false;
        }
        let uid = lister::get(io.api, info.resource, &info.key).map(|object| object.metadata().uid.clone());
        // A client that only tries asks nobody whether the object is there.
        let outcome = match dry_run {
            DryRun::Client => Ok(None),
            _ => requests::delete(io.api, info.resource, &info.key, options).map(Some),
        };
        match outcome {
            Ok(_) => {
                if flags.get("output") == Some("name") {
                    io.line(info.shown());
                } else {
                    io.line(sentence(info.resource, &info.key, verb, dry_run.suffix()));
                }
                if let Ok(uid) = uid {
                    objects.push((info.resource.qualified_plural(), info.key.clone(), uid));
                }
            }
            Err(status) if status.reason == "NotFound" && flags.is_on("ignore-not-found") => {}
            // What a selector found may have gone by itself.
            Err(status) if status.reason == "NotFound" && !by_name => {}
            Err(status) => errors.push(CliError::from(status).with_source("deleting", &info.source)),
        }
    }
    CliError::join(errors)?;
    if dry_run != DryRun::No || !flags.switch("wait", true) {
        return Ok(None);
    }
    let deadline = super::deadline(io, command);
    Ok(Some(Task::Delete(DeleteWait { objects, deadline })))
}

/// Objects by name are not looked up first: the deletion itself says whether they exist.
fn named(io: &Io, command: &Command) -> Result<select::Selection> {
    let mut selection =
        select::select(io, command, &command.arguments, Rules { names_only: true, ..Rules::default() })?;
    selection.is_single = false;
    Ok(selection)
}

/// `pod "x" deleted from default namespace`
pub(crate) fn sentence(resource: &Resource, key: &ObjectKey, verb: &str, suffix: &str) -> String {
    let place = if resource.is_namespaced() { format!(" from {} namespace", key.namespace) } else { String::new() };
    format!("{} \"{}\" {verb}{place}{suffix}", resource.qualified_singular(), key.name)
}

/// Whether the object is gone, or another one has taken its name.
pub(crate) fn is_gone(io: &Io, resource: &str, key: &ObjectKey, uid: &str) -> bool {
    let Some(resource) = lister::resource_named(resource) else { return true };
    lister::get(io.api, resource, key).map_or(true, |object| &*object.metadata().uid != uid)
}

impl DeleteWait {
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        while let Some((resource, key, uid)) = self.objects.first() {
            if is_gone(io, resource, key, uid) {
                self.objects.remove(0);
                continue;
            }
            if self.deadline.is_some_and(|deadline| io.api.now() >= deadline) {
                let plural = resource.split('.').next().unwrap_or(resource);
                let message = format!("timed out waiting for the condition on {plural}/{}", key.name);
                return Err(CliError::Message(message));
            }
            return Ok(Progress::Pending(self.deadline));
        }
        Ok(Progress::Done(0))
    }

    /// The objects that are still waited for.
    pub fn objects(&self) -> impl Iterator<Item = &ObjectKey> {
        self.objects.iter().map(|(_, key, _)| key)
    }
}
