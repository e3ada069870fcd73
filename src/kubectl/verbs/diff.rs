//! `kubectl diff`
//!
//! Follows kubernetes kubectl pkg/cmd/diff/diff.go, v1.36.

use super::apply;
use crate::apiserver::requests::{self, FieldValidation, WriteOptions};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::Info;
use crate::kubectl::task::Started;
use crate::kubectl::{lister, print, sources, yaml};
use crate::manifest::unified;
use crate::objects::{LAST_APPLIED, Object};
use serde_json::Value;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    match compare(io, command) {
        Ok(false) => Ok(None),
        Ok(true) => Err(CliError::Exit(1)),
        // One is the code of a difference.
        Err(error) => {
            let (text, code) = error.render();
            io.err.push_str(&text);
            Err(CliError::Exit(code.saturating_add(1)))
        }
    }
}

/// Prints the differences, and says whether there are any.
fn compare(io: &mut Io, command: &Command) -> Result<bool> {
    if command.flags.all("filename").is_empty() {
        return Err(CliError::message("must specify one of -f and -k"));
    }
    if !command.arguments.is_empty() {
        return Err(command.usage(format!("Unexpected args: [{}]", command.arguments.join(" "))));
    }
    let mut differs = false;
    for item in sources::read(io, command)? {
        let info = item?;
        let (live, merged) = versions(io, &info)?;
        differs |= show(io, &info, live.as_ref(), &merged);
    }
    Ok(differs)
}

/// The object as it is, and as it would be after an apply.
///
/// # Errors
/// What the API server answers.
pub(crate) fn versions(io: &mut Io, info: &Info) -> Result<(Option<Object>, Object)> {
    let options = WriteOptions { dry_run: true, validation: FieldValidation::Strict };
    let manifest = info.manifest.clone().unwrap_or_default();
    let Ok(live) = lister::get(io.api, info.resource, &info.key) else {
        let answer = requests::create(io.api, info.resource, &info.key.namespace, manifest, options)?;
        return Ok((None, answer.object));
    };
    let mut plan = apply::plan(&live.to_value(), &manifest, info).map_err(CliError::Message)?;
    // The text of the last apply is no difference that anybody wants to see.
    if let Some(annotations) = plan.patch.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    let answer = apply::send(io.api, info, &plan, options)?;
    Ok((Some(live), answer.object))
}

fn show(io: &mut Io, info: &Info, live: Option<&Object>, merged: &Object) -> bool {
    let text = |object: &Object| {
        let mut tree = print::served(object);
        // A dry run takes a resource version of its own.
        let version = live.map(|live| live.metadata().resource_version.clone());
        if let (Some(metadata), Some(version)) = (tree.get_mut("metadata").and_then(Value::as_object_mut), version) {
            metadata.insert("resourceVersion".into(), version.into());
        }
        yaml::to_yaml(&tree)
    };
    let before = live.map(text).unwrap_or_default();
    let hunks = unified::hunks(&before, &text(merged));
    if hunks.is_empty() {
        return false;
    }
    let resource = info.resource;
    let group = if resource.group.is_empty() { String::new() } else { format!("{}.", resource.group) };
    let (namespace, name) = (&info.key.namespace, &info.key.name);
    let file = format!("{group}{}.{}.{namespace}.{name}", resource.version, resource.kind);
    // Names of temporary directories; the same for the same moment.
    let number = io.api.now().0.rem_euclid(4_000_000_000);
    let (old, new) = (format!("/tmp/LIVE-{number}/{file}"), format!("/tmp/MERGED-{}/{file}", number + 1));
    let stamp = |there: bool| {
        let time = if there { io.api.now() } else { crate::objects::Time(0) };
        let text = time.to_string();
        format!("{} {}.000000000 +0000", text.get(..10).unwrap_or(""), text.get(11..19).unwrap_or(""))
    };
    let heads = format!("diff -u -N {old} {new}\n--- {old}\t{}\n+++ {new}\t{}\n", stamp(live.is_some()), stamp(true));
    io.out.push_str(&heads);
    io.out.push_str(&hunks);
    true
}
