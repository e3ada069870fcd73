//! What `kubectl set …` has in common: it changes the containers of a pod template.

use super::output::{DryRun, Reporter};
use super::record;
use crate::apiserver::patch::{PatchType, create_two_way};
use crate::apiserver::requests::{self, FieldValidation};
use crate::apiserver::schema::Resource;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use serde_json::{Map, Value};

/// Where the pod spec of an object is.
pub(crate) fn pod_spec_pointer(kind: &str) -> Option<&'static str> {
    match kind {
        "Pod" => Some("/spec"),
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" | "Job" | "ReplicationController" => {
            Some("/spec/template/spec")
        }
        "CronJob" => Some("/spec/jobTemplate/spec/template/spec"),
        _ => None,
    }
}

/// The objects that the command is about.
///
/// # Errors
/// What single objects give, too: nothing is changed then.
pub(crate) fn targets(io: &mut Io, command: &Command, arguments: &[String]) -> Result<Vec<Info>> {
    let flags = &command.flags;
    if flags.is_on("local") && flags.all("filename").is_empty() {
        return Err(CliError::message(
            "you must specify resources by --filename when --local is set.\nExample resource specifications include:\n   '-f \
             rsrc.yaml'\n   '--filename=rsrc.json'",
        ));
    }
    let rules = Rules { looks_up_files: !flags.is_on("local"), ..Rules::default() };
    select::select(io, command, arguments, rules)?.all()
}

/// Changes the pod spec of each object and sends what is different.
///
/// `what` is what the sentence says (`image updated`), `failed` how a refusal begins. The change may note faults that do
/// not keep the rest from being sent.
///
/// # Errors
/// What the change or the API server says.
pub(crate) fn change(
    io: &mut Io,
    command: &Command,
    infos: &[Info],
    (what, failed): (&str, &str),
    mut edit: impl FnMut(&mut Map<String, Value>, &mut Vec<CliError>) -> Result<(), String>,
) -> Result<()> {
    let dry_run = DryRun::of(io, command)?;
    let local = command.flags.is_on("local");
    let mut reporter = Reporter::new(command, dry_run)?;
    let mut errors = Vec::new();
    for info in infos {
        let before = match (&info.object, &info.manifest) {
            (Some(object), _) => object.to_value(),
            (None, Some(manifest)) => manifest.clone(),
            (None, None) => continue,
        };
        let mut after = before.clone();
        let spec = pod_spec_pointer(info.resource.kind).and_then(|pointer| after.pointer_mut(pointer));
        let edited = match spec.and_then(Value::as_object_mut) {
            Some(spec) => edit(spec, &mut errors),
            None => {
                let Resource { version, kind, .. } = info.resource;
                Err(format!("the object is not a pod or does not have a pod template: *{version}.{kind}"))
            }
        };
        record::record(command, &mut after);
        if let Err(why) = edited {
            errors.push(CliError::message(format!("error: {}/{} {why}\n", info.resource.plural, info.key.name)));
            continue;
        }
        let patch = create_two_way(&before, &after, info.resource.kind)
            .map_err(|error| CliError::message(error.to_string()))?;
        if patch.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        if local || dry_run == DryRun::Client {
            reporter.tell_tree(io, &after, what)?;
            continue;
        }
        let options = dry_run.options(FieldValidation::Warn);
        match requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options) {
            Ok(answer) => {
                io.warn(&answer.warnings);
                reporter.tell(io, &answer.object, what)?;
            }
            Err(status) => errors.push(CliError::message(format!("{failed}{}", status.message))),
        }
    }
    CliError::join(errors)
}

/// The containers of a pod spec; init containers too.
pub(crate) fn containers<'a>(
    spec: &'a mut Map<String, Value>,
    lists: &'static [&'static str],
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    spec.iter_mut()
        .filter(move |(key, _)| lists.contains(&key.as_str()))
        .filter_map(|(_, list)| list.as_array_mut())
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// Whether a container's name is one that the pattern means; `*` stands for anything.
pub(crate) fn name_matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}
