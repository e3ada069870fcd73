//! `kubectl rollout status`
//!
//! Follows kubernetes kubectl pkg/cmd/rollout/rollout_status.go and pkg/polymorphichelpers/rollout_status.go, v1.36.

use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::select::{self, Rules, Selection};
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Object, ObjectKey, ROLLING_UPDATE, Time};

/// `rollout status`, one workload after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutStatus {
    /// Resource and key of each.
    objects: Vec<(String, ObjectKey)>,
    /// Resource version that was looked at last.
    seen: String,
    watches: bool,
    revision: i64,
    timeout: Option<i64>,
    deadline: Option<Time>,
    /// What was not there.
    errors: Vec<CliError>,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if command.arguments.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message("required resource not specified"));
    }
    let revision = flags.int("revision").unwrap_or(0);
    if revision < 0 {
        return Err(CliError::message(format!("revision must be a positive integer: {revision}")));
    }
    let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
    let Selection { infos, errors, .. } = select::select(io, command, &command.arguments, rules)?;
    if infos.is_empty() {
        CliError::join(errors)?;
        let namespace = io.namespace().to_owned();
        io.complain(format!("No resources found in {namespace} namespace."));
        return Ok(None);
    }
    for info in &infos {
        if !matches!(info.object, Some(Object::DaemonSet(_) | Object::Deployment(_))) {
            let kind = info.resource.qualified_kind();
            return Err(CliError::message(format!("no status viewer has been implemented for {kind}")));
        }
    }
    let objects = infos.into_iter().map(|info| (info.resource.qualified_plural(), info.key)).collect();
    let timeout = flags.get("timeout").and_then(crate::kubectl::parse_duration).filter(|seconds| *seconds > 0);
    Ok(Some(Task::RolloutStatus(RolloutStatus {
        objects,
        seen: String::new(),
        watches: flags.switch("watch", true),
        revision,
        timeout,
        deadline: timeout.map(|seconds| io.api.now().plus_seconds(seconds)),
        errors,
    })))
}

impl RolloutStatus {
    /// The workload that is waited for.
    pub fn key(&self) -> Option<&ObjectKey> {
        self.objects.first().map(|(_, key)| key)
    }

    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        while let Some((resource, key)) = self.objects.first() {
            let object = lister::resource_named(resource).and_then(|r| lister::get(io.api, r, key).ok());
            let Some(object) = object else {
                return Err(CliError::message("object has been deleted"));
            };
            if object.metadata().resource_version != self.seen {
                self.seen.clone_from(&object.metadata().resource_version);
                let (line, done) = status(&object, self.revision)?;
                io.line(line);
                if done || !self.watches {
                    self.objects.remove(0);
                    self.seen.clear();
                    self.deadline = self.timeout.map(|seconds| io.api.now().plus_seconds(seconds));
                    continue;
                }
            }
            if self.deadline.is_some_and(|deadline| io.api.now() >= deadline) {
                return Err(CliError::message("timed out waiting for the condition"));
            }
            return Ok(Progress::Pending(self.deadline));
        }
        CliError::join(std::mem::take(&mut self.errors))?;
        Ok(Progress::Done(0))
    }
}

/// The line for a workload, and whether it is rolled out.
fn status(object: &Object, revision: i64) -> Result<(String, bool)> {
    match object {
        Object::DaemonSet(set) => {
            if set.spec.update_strategy.type_ != ROLLING_UPDATE {
                let message = format!("rollout status is only available for {ROLLING_UPDATE} strategy type");
                return Err(CliError::Message(message));
            }
            let (name, status) = (&set.metadata.name, &set.status);
            let waiting =
                |what: String| (format!("Waiting for daemon set \"{name}\" rollout to finish: {what}..."), false);
            if set.metadata.generation > status.observed_generation {
                return Ok(("Waiting for daemon set spec update to be observed...".into(), false));
            }
            let (desired, updated) = (status.desired_number_scheduled, status.updated_number_scheduled);
            if updated < desired {
                return Ok(waiting(format!("{updated} out of {desired} new pods have been updated")));
            }
            if status.number_available < desired {
                let available = status.number_available;
                return Ok(waiting(format!("{available} of {desired} updated pods are available")));
            }
            Ok((format!("daemon set \"{name}\" successfully rolled out"), true))
        }
        Object::Deployment(deployment) => {
            let (name, status) = (&deployment.metadata.name, &deployment.status);
            if revision > 0 {
                let running = deployment.metadata.annotation("deployment.kubernetes.io/revision").unwrap_or("0");
                if running != revision.to_string() {
                    return Err(CliError::message(format!(
                        "desired revision ({revision}) is different from the running revision ({running})"
                    )));
                }
            }
            let waiting =
                |what: String| (format!("Waiting for deployment \"{name}\" rollout to finish: {what}..."), false);
            if deployment.metadata.generation > status.observed_generation {
                return Ok(("Waiting for deployment spec update to be observed...".into(), false));
            }
            let progressing = status.conditions.iter().find(|condition| condition.type_ == "Progressing");
            if progressing.is_some_and(|condition| condition.reason == "ProgressDeadlineExceeded") {
                return Err(CliError::message(format!("deployment \"{name}\" exceeded its progress deadline")));
            }
            let wanted = deployment.spec.replicas.unwrap_or(1);
            if status.updated_replicas < wanted {
                let updated = status.updated_replicas;
                return Ok(waiting(format!("{updated} out of {wanted} new replicas have been updated")));
            }
            if status.replicas > status.updated_replicas {
                let old = status.replicas.saturating_sub(status.updated_replicas);
                return Ok(waiting(format!("{old} old replicas are pending termination")));
            }
            if status.available_replicas < status.updated_replicas {
                let (available, updated) = (status.available_replicas, status.updated_replicas);
                return Ok(waiting(format!("{available} of {updated} updated replicas are available")));
            }
            Ok((format!("deployment \"{name}\" successfully rolled out"), true))
        }
        _ => Ok((String::new(), true)),
    }
}
