//! `kubectl patch`
//!
//! Follows kubernetes kubectl pkg/cmd/patch/patch.go, v1.36.

use super::output::{DryRun, Reporter};
use super::record;
use crate::apiserver::Status;
use crate::apiserver::patch::{PatchType, json_merge, json_patch, strategic_merge};
use crate::apiserver::requests::{self, FieldValidation};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules, kind_of};
use crate::kubectl::sources;
use crate::kubectl::task::Started;
use crate::manifest::{self, Limits};
use serde_json::Value;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    if flags.has("patch") && flags.has("patch-file") {
        return Err(CliError::message("cannot specify --patch and --patch-file together"));
    }
    let file = flags.get("patch-file");
    let text = match (flags.get("patch"), file) {
        (Some(text), _) if !text.is_empty() => text.to_owned(),
        (_, Some("-")) => io.stdin.unwrap_or("").to_owned(),
        (_, Some(name)) => match sources::file(io, name) {
            Some(text) => text.to_owned(),
            None => {
                return Err(CliError::message(format!(
                    "unable to read patch file: open {name}: no such file or directory"
                )));
            }
        },
        _ => {
            return Err(CliError::message("must specify --patch or --patch-file containing the contents of the patch"));
        }
    };
    if flags.is_on("local") && !command.arguments.is_empty() {
        return Err(CliError::message("cannot specify --local and server resources"));
    }
    let given = flags.get_or("type", "strategic").to_lowercase();
    let kind = match given.as_str() {
        "strategic" => PatchType::Strategic,
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        other => {
            return Err(CliError::message(format!("--type must be one of [json merge strategic], not {other:?}")));
        }
    };
    super::check_subresource(command, &["status", "scale"])?;
    let body = read(&text)?;
    // What a client only tries, it does not say that it only tried.
    let said = if dry_run == DryRun::Client { DryRun::No } else { dry_run };
    let mut reporter = Reporter::new(command, said)?;
    let rules = Rules { looks_up_files: !flags.is_on("local"), ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    let mut errors = selection.errors;
    if selection.infos.is_empty() && errors.is_empty() {
        return Err(CliError::message("no objects passed to patch"));
    }
    for info in &selection.infos {
        errors.extend(patch(io, command, info, kind, &body, dry_run, &mut reporter).err());
    }
    CliError::join(errors)?;
    Ok(None)
}

/// The patch as JSON; YAML is taken too. What cannot be read is left to the API server to refuse.
fn read(text: &str) -> Result<std::result::Result<Value, Status>> {
    let trimmed = text.trim_start();
    if trimmed.starts_with(['{', '[']) {
        return Ok(serde_json::from_str(text).map_err(|_| {
            let read = manifest::read(text, &Limits::default());
            let why =
                read.diagnostics.iter().find_map(|diagnostic| diagnostic.kubectl_text.clone()).unwrap_or_default();
            // "json: offset 1: invalid character …": the server has no offset to tell.
            let why = why
                .strip_prefix("json: offset ")
                .and_then(|rest| rest.split_once(": "))
                .map_or(why.clone(), |(_, w)| w.into());
            Status::bad_request(why)
        }));
    }
    let read = manifest::read(text, &Limits::default());
    if let Some(diagnostic) = read.diagnostics.iter().find(|d| d.severity == manifest::Severity::Error) {
        let why = diagnostic.kubectl_text.clone().unwrap_or_default();
        let why = why.strip_prefix("error converting YAML to JSON: ").unwrap_or(&why).to_owned();
        return Err(CliError::message(format!("unable to parse {text:?}: {why}")));
    }
    Ok(Ok(read.documents.first().and_then(|document| document.value()).cloned().unwrap_or(Value::Null)))
}

fn patch(
    io: &mut Io,
    command: &Command,
    info: &Info,
    kind: PatchType,
    body: &std::result::Result<Value, Status>,
    dry_run: DryRun,
    reporter: &mut Reporter,
) -> Result<()> {
    let body = body.clone()?;
    if command.flags.is_on("local") || dry_run == DryRun::Client {
        let before = match (&info.object, &info.manifest) {
            (Some(object), _) => object.to_value(),
            (None, manifest) => manifest.clone().unwrap_or_default(),
        };
        if kind != PatchType::Json && !body.is_object() {
            return Err(CliError::message("invalid JSON document"));
        }
        let mut after = before.clone();
        let problem = match kind {
            PatchType::Strategic => strategic_merge(&mut after, &body, info.resource.kind).err(),
            PatchType::Merge => {
                json_merge(&mut after, &body);
                None
            }
            PatchType::Json => json_patch(&mut after, &body).err(),
        };
        if let Some(problem) = problem {
            return Err(CliError::message(problem.to_string()));
        }
        return reporter.tell_tree(io, &after, sentence(before != after));
    }
    if kind == PatchType::Strategic && kind_of(info.resource).is_none() {
        let name = &info.key.name;
        return Err(CliError::message(format!(
            "strategic merge patch is not supported for {} {name:?} locally, try --type merge",
            info.resource.qualified_kind()
        )));
    }
    let options = dry_run.options(FieldValidation::Warn);
    let answer = match command.flags.get("subresource") {
        Some("status") => requests::patch_status(io.api, info.resource, &info.key, kind, &body, options)?,
        Some(_) => {
            let replicas = body.pointer("/spec/replicas").and_then(Value::as_i64);
            let present = requests::scale(io.api, info.resource, &info.key)?;
            requests::set_scale(io.api, info.resource, &info.key, replicas.unwrap_or(present), options)?
        }
        None => requests::patch(io.api, info.resource, &info.key, kind, &body, options)?,
    };
    io.warn(&answer.warnings);
    let mut object = answer.object;
    if let Some(reason) = record::patch(command) {
        object = requests::patch(io.api, info.resource, &info.key, PatchType::Merge, &reason, options)?.object;
    }
    reporter.tell(io, &object, sentence(answer.changed))
}

fn sentence(changed: bool) -> &'static str {
    if changed { "patched" } else { "patched (no change)" }
}
