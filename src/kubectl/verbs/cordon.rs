//! `kubectl cordon` and `kubectl uncordon`
//!
//! Follows kubernetes kubectl pkg/cmd/drain/drain.go, v1.36.

use super::output::DryRun;
use crate::apiserver::patch::PatchType;
use crate::apiserver::requests::{self, FieldValidation};
use crate::apiserver::schema::Resource;
use crate::kubectl::Verb;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use crate::objects::Object;
use serde_json::json;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let dry_run = DryRun::of(io, command)?;
    let infos = nodes(io, command)?;
    let mut errors = Vec::new();
    for info in &infos {
        errors.extend(cordon(io, info, command.verb == Verb::Cordon, dry_run).err());
    }
    CliError::join(errors)?;
    Ok(None)
}

/// The nodes that the command names or selects.
///
/// # Errors
/// When it names none, or names and selects, or one of them is not there or no node.
pub(crate) fn nodes(io: &Io, command: &Command) -> Result<Vec<Info>> {
    let verb = command.path.rsplit(' ').next().unwrap_or("");
    let selects = command.flags.get("selector").is_some_and(|selector| !selector.is_empty());
    if command.arguments.is_empty() && !selects {
        return Err(command.usage(format!("USAGE: {verb} NODE [flags]")));
    }
    if !command.arguments.is_empty() && selects {
        return Err(command.usage("error: cannot specify both a node name and a --selector option"));
    }
    let all_pairs = command.arguments.iter().all(|argument| argument.contains('/'));
    let mut arguments = command.arguments.clone();
    if !all_pairs || selects {
        arguments.insert(0, "nodes".into());
    }
    let infos = select::select(io, command, &arguments, Rules::default())?.all()?;
    match infos.iter().find(|info| info.resource.kind != "Node") {
        None => Ok(infos),
        Some(other) => {
            let Resource { group, version, plural, .. } = other.resource;
            let what = format!("{group}/{version}, Resource={plural}");
            Err(CliError::message(format!("expected resource of type node, got {what:?}")))
        }
    }
}

/// Cordons or uncordons a node and says so.
///
/// # Errors
/// What the API server answers.
pub(crate) fn cordon(io: &mut Io, info: &Info, wanted: bool, dry_run: DryRun) -> Result<()> {
    let Some(Object::Node(node)) = &info.object else { return Ok(()) };
    let what = if wanted { "cordoned" } else { "uncordoned" };
    let name = &info.key.name;
    if node.spec.unschedulable == wanted {
        io.line(format!("node/{name} already {what}{}", dry_run.suffix()));
        return Ok(());
    }
    if dry_run != DryRun::Client {
        let patch = json!({"spec": {"unschedulable": wanted.then_some(true)}});
        let options = dry_run.options(FieldValidation::Warn);
        requests::patch(io.api, info.resource, &info.key, PatchType::Strategic, &patch, options)?;
    }
    io.line(format!("node/{name} {what}{}", dry_run.suffix()));
    Ok(())
}
