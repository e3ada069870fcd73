//! `kubectl rollout history`, `undo`, `restart`, `pause` and `resume`
//!
//! Follows kubernetes kubectl pkg/polymorphichelpers/{history,rollback,objectrestarter,objectpauser}.go, v1.36.

use super::output::{DryRun, Reporter};
use super::record::CHANGE_CAUSE;
use crate::apiserver::patch::{PatchType, strategic_merge};
use crate::apiserver::requests::{self, FieldValidation};
use crate::apiserver::{ApiServer, Store};
use crate::kubectl::Verb;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::describe;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::print::Format;
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::tabwriter;
use crate::kubectl::task::Started;
use crate::objects::*;
use crate::order::{Collect, Order};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

const DEPLOYMENT_REVISION: &str = "deployment.kubernetes.io/revision";

/// One earlier state of a workload.
struct Revision {
    number: i64,
    cause: String,
    template: Rc<PodTemplateSpec>,
    /// The template as the history shows it.
    shown: Rc<PodTemplateSpec>,
    annotations: Rc<BTreeMap<String, String>>,
}

/// The workloads that the command names (a type alone means all), and complaints of those that are not there, which
/// come last.
fn workloads(io: &mut Io, command: &Command) -> Result<(Vec<Info>, Vec<CliError>)> {
    if command.arguments.is_empty() && command.flags.all("filename").is_empty() {
        return Err(CliError::message("required resource not specified"));
    }
    let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    if selection.infos.is_empty() && selection.errors.is_empty() {
        let namespace = io.namespace().to_owned();
        io.complain(format!("No resources found in {namespace} namespace."));
    }
    Ok((selection.infos, selection.errors))
}

/// All revisions of a workload, oldest first.
fn revisions(api: &ApiServer, object: &Object) -> Option<Vec<Revision>> {
    let metadata = object.metadata();
    let mut found: Vec<Revision> = match object {
        Object::DaemonSet(set) => Store::in_namespace(api.store().controller_revisions(), &metadata.namespace)
            .filter(|revision| revision.metadata.is_controlled_by(&metadata.uid))
            .filter_map(|revision| {
                let mut tree = set_tree(set);
                strategic_merge(&mut tree, &revision.data, "DaemonSet").ok()?;
                let template: PodTemplateSpec = decode(tree.pointer("/spec/template")?.clone()).ok()?;
                let cause = revision.metadata.annotation(CHANGE_CAUSE).unwrap_or("").to_owned();
                let annotations = Rc::clone(&revision.metadata.annotations);
                let template = Rc::new(template);
                Some(Revision { number: revision.revision, cause, shown: Rc::clone(&template), template, annotations })
            })
            .collect(),
        Object::Deployment(_) => Store::in_namespace(api.store().replica_sets(), &metadata.namespace)
            .filter(|set| set.metadata.is_controlled_by(&metadata.uid))
            .filter_map(|set| {
                let number = set.metadata.annotation(DEPLOYMENT_REVISION)?.parse().ok()?;
                let cause = set.metadata.annotation(CHANGE_CAUSE).unwrap_or("").to_owned();
                let shown = Rc::clone(&set.spec.template);
                let mut template = (*shown).clone();
                Rc::make_mut(&mut template.metadata.labels).remove("pod-template-hash");
                let annotations = Rc::clone(&set.metadata.annotations);
                Some(Revision { number, cause, template: Rc::new(template), shown, annotations })
            })
            .collect(),
        _ => return None,
    };
    found.order_by_key(|revision| revision.number);
    Some(found)
}

fn set_tree(set: &Rc<DaemonSet>) -> Value {
    Object::DaemonSet(Rc::clone(set)).to_value()
}

/// `rollout history`
pub(crate) fn history(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let wanted = flags.int("revision").unwrap_or(0);
    if wanted < 0 {
        return Err(CliError::message(format!("revision must be a positive integer: {wanted}")));
    }
    let format = Format::parse(flags.get("output"), flags.get("template"), false)?;
    let (infos, errors) = workloads(io, command)?;
    for info in infos {
        let Some(object) = &info.object else { continue };
        let Some(revisions) = revisions(io.api, object) else {
            let kind = info.resource.qualified_kind();
            return Err(CliError::message(format!("no history viewer has been implemented for {kind:?}")));
        };
        if let Some(format) = &format {
            let last = revisions.iter().rfind(|revision| wanted == 0 || revision.number == wanted);
            let last = last.ok_or_else(|| CliError::message("unable to find the specified revision"))?;
            let mut tree = object.to_value();
            if let Some(spec) = tree.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("template".into(), encode(&*last.template));
            }
            let text = format.print(&tree)?;
            io.out.push_str(&text);
            continue;
        }
        let text = if wanted > 0 {
            let revision = revisions.iter().find(|revision| revision.number == wanted);
            let revision = revision.ok_or_else(|| CliError::message("unable to find the specified revision"))?;
            describe::pod_template(&revision.shown)
        } else if revisions.is_empty() {
            "No rollout history found.".into()
        } else {
            let mut table = String::from("REVISION\tCHANGE-CAUSE\n");
            for revision in &revisions {
                let cause = if revision.cause.is_empty() { "<none>" } else { &revision.cause };
                table.push_str(&format!("{}\t{cause}\n", revision.number));
            }
            tabwriter::align(&table, tabwriter::DESCRIBE)
        };
        let what = if wanted > 0 { format!("with revision #{wanted}") } else { String::new() };
        io.line(format!("{} {what}", info.shown()));
        io.line(text);
    }
    CliError::join(errors)?;
    Ok(None)
}

/// `rollout undo`
pub(crate) fn undo(io: &mut Io, command: &Command) -> Started {
    let dry_run = DryRun::of(io, command)?;
    let wanted = command.flags.int("to-revision").unwrap_or(0);
    let mut reporter = Reporter::new(command, dry_run)?;
    let (infos, errors) = workloads(io, command)?;
    for info in infos {
        let Some(object) = &info.object else { continue };
        let Some(revisions) = revisions(io.api, object) else {
            let kind = info.resource.qualified_kind();
            return Err(CliError::message(format!("no rollbacker has been implemented for {kind:?}")));
        };
        if object.metadata().annotations.contains_key(LAST_APPLIED) {
            io.complain(format!(
                "Warning: resource {}/{} was previously managed with 'kubectl apply'. Rolling back will not update the \
                 {LAST_APPLIED} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. \
                 Consider using 'kubectl apply' with your previous configuration file instead.",
                info.resource.plural, info.key.name
            ));
        }
        let what = roll_back(io, &info, object, &revisions, wanted, dry_run)?;
        reporter.tell(io, object, &what)?;
    }
    CliError::join(errors)?;
    Ok(None)
}

fn roll_back(
    io: &mut Io,
    info: &Info,
    object: &Object,
    revisions: &[Revision],
    wanted: i64,
    dry_run: DryRun,
) -> Result<String> {
    let unknown = || CliError::message(format!("unable to find specified revision {wanted} in history"));
    if wanted < 0 {
        return Err(unknown());
    }
    let is_deployment = matches!(object, Object::Deployment(_));
    if wanted == 0 && revisions.len() <= 1 {
        return Err(CliError::message(if is_deployment {
            format!("no rollout history found for deployment {:?}", info.key.name)
        } else {
            "no last revision to roll back to".into()
        }));
    }
    let target = if wanted == 0 {
        revisions.len().checked_sub(2).and_then(|at| revisions.get(at))
    } else {
        revisions.iter().find(|revision| revision.number == wanted)
    };
    let target = target.ok_or_else(unknown)?;
    if dry_run == DryRun::Client {
        let prefix = if is_deployment { "" } else { "will roll back to " };
        return Ok(format!("{prefix}{}", describe::pod_template(&target.template)));
    }
    let present = match object {
        Object::DaemonSet(set) => &set.spec.template,
        Object::Deployment(deployment) => {
            if deployment.spec.paused {
                return Err(CliError::message(format!(
                    "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/{}' \
                     and try again",
                    info.key.name
                )));
            }
            &deployment.spec.template
        }
        _ => return Err(unknown()),
    };
    if *present == target.template {
        return Ok(format!("skipped rollback (current template already matches revision {wanted})"));
    }
    let mut template = encode(&*target.template);
    if let Some(map) = template.as_object_mut() {
        map.insert("$patch".into(), "replace".into());
    }
    let mut patch = json!({"spec": {"template": template}});
    if is_deployment && let Some(map) = patch.as_object_mut() {
        map.insert("metadata".into(), json!({"annotations": restored_annotations(object, target)}));
    }
    let options = dry_run.options(FieldValidation::Ignore);
    requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options)
        .map_err(|status| CliError::message(format!("failed restoring revision {wanted}: {}", status.message)))?;
    Ok("rolled back".into())
}

/// The annotations that a deployment gets back with an earlier replica set, as a patch: all of that one's, apart from
/// those that say something about the deployment as it is.
fn restored_annotations(object: &Object, target: &Revision) -> serde_json::Map<String, Value> {
    const KEPT: [&str; 6] = [
        LAST_APPLIED,
        DEPLOYMENT_REVISION,
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    ];
    let is_free = |key: &&String| !KEPT.contains(&key.as_str());
    let gone = object.metadata().annotations.keys().filter(is_free).map(|key| (key.clone(), Value::Null));
    let back = target.annotations.iter().filter(|(key, _)| is_free(key));
    gone.chain(back.map(|(key, value)| (key.clone(), value.as_str().into()))).collect_object()
}

/// `rollout restart`
pub(crate) fn restart(io: &mut Io, command: &Command) -> Started {
    let mut reporter = Reporter::new(command, DryRun::No)?;
    let now = io.api.now().to_string();
    let (infos, mut errors) = workloads(io, command)?;
    for info in &infos {
        let Some(object) = &info.object else { continue };
        let result = restart_one(io, info, object, &now).and_then(|object| reporter.tell(io, &object, "restarted"));
        errors.extend(result.err());
    }
    CliError::join(errors)?;
    Ok(None)
}

/// `error: pods "x" …`, also among several.
fn refused(info: &Info, why: &str) -> CliError {
    CliError::message(format!("error: {} {:?} {why}", info.resource.qualified_plural(), info.key.name))
}

fn restart_one(io: &mut Io, info: &Info, object: &Object, now: &str) -> Result<Object> {
    const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";
    let template = match object {
        Object::DaemonSet(set) => &set.spec.template,
        Object::Deployment(deployment) if deployment.spec.paused => {
            return Err(refused(info, "can't restart paused deployment (run rollout resume first)"));
        }
        Object::Deployment(deployment) => &deployment.spec.template,
        _ => return Err(refused(info, "restarting is not supported")),
    };
    if template.metadata.annotation(RESTARTED_AT) == Some(now) {
        return Err(CliError::message(format!(
            "failed to create patch for {}: if restart has already been triggered within the past second, please wait before \
             attempting to trigger another",
            info.key.name
        )));
    }
    let patch = json!({"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now}}}}});
    let options = DryRun::No.options(FieldValidation::Ignore);
    let answer = requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options)
        .map_err(|status| CliError::message(format!("failed to patch: {}", status.message)))?;
    Ok(answer.object)
}

/// `rollout pause` and `rollout resume`
pub(crate) fn pause(io: &mut Io, command: &Command) -> Started {
    let pauses = command.verb == Verb::RolloutPause;
    let mut reporter = Reporter::new(command, DryRun::No)?;
    let (infos, mut errors) = workloads(io, command)?;
    for info in &infos {
        let refuse = |why: &str| refused(info, why);
        let result = match &info.object {
            Some(Object::Deployment(deployment)) if deployment.spec.paused == pauses => {
                Err(refuse(if pauses { "is already paused" } else { "is not paused" }))
            }
            Some(Object::Deployment(_)) => {
                let patch = json!({"spec": {"paused": pauses.then_some(true)}});
                let options = DryRun::No.options(FieldValidation::Ignore);
                requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options)
                    .map_err(CliError::from)
                    .and_then(|answer| reporter.tell(io, &answer.object, if pauses { "paused" } else { "resumed" }))
            }
            _ => Err(refuse(if pauses { "pausing is not supported" } else { "resuming is not supported" })),
        };
        errors.extend(result.err());
    }
    CliError::join(errors)?;
    Ok(None)
}
