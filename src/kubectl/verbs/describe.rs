//! `kubectl describe`
//!
//! Follows kubernetes kubectl pkg/cmd/describe/describe.go, v1.36.

use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::describe;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::select::{self, Info, Rules, mapping};
use crate::kubectl::task::Started;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    if command.arguments.is_empty() && command.flags.all("filename").is_empty() {
        return Err(CliError::message(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of \
             supported resources.",
        ));
    }
    let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
    let mut by_beginning = false;
    let mut selection = select::select(io, command, &command.arguments, rules)?;
    if let ([error], [kind, prefix]) = (selection.errors.as_slice(), command.arguments.as_slice())
        && error.is_not_found()
    {
        // Two pairs are taken for a type and the beginning of a name, too: the first that is missing ends it.
        if kind.contains('/') {
            return CliError::join(selection.errors).map(|()| None);
        }
        // The beginning of a name will do.
        let found = by_prefix(io, command, kind, prefix)?;
        if !found.is_empty() {
            selection.errors.clear();
            selection.infos = found;
            by_beginning = true;
        }
    }
    if selection.infos.is_empty() && selection.errors.is_empty() {
        let in_namespace =
            !command.flags.is_on("all-namespaces") && selection.resources.iter().all(|r| r.is_namespaced());
        if in_namespace {
            let namespace = io.namespace().to_owned();
            io.complain(format!("No resources found in {namespace} namespace."));
        } else {
            io.complain("No resources found");
        }
        return Ok(None);
    }
    // Of several objects the events are left out unless they are asked for.
    let show_events = command.flags.switch("show-events", selection.infos.len() <= 1);
    let mut texts = Vec::new();
    for info in &selection.infos {
        if let Some(object) = &info.object {
            texts.push(describe::describe(io.api, object, show_events));
        }
    }
    if by_beginning {
        texts.iter().for_each(|text| io.line(text));
    } else {
        io.out.push_str(&texts.join("\n\n"));
    }
    CliError::join(selection.errors)?;
    Ok(None)
}

fn by_prefix(io: &Io, command: &Command, kind: &str, prefix: &str) -> Result<Vec<Info>> {
    let resource = mapping(kind)?;
    let namespace = (!command.flags.is_on("all-namespaces")).then(|| io.namespace());
    let objects = lister::list(io.api, resource, namespace);
    Ok(objects
        .into_iter()
        .filter(|object| object.metadata().name.starts_with(prefix))
        .map(|object| Info { resource, key: object.key(), manifest: None, object: Some(object), source: String::new() })
        .collect())
}
