//! `kubectl config`: the playground has one context.

use crate::kubectl::command::Command;
use crate::kubectl::context::{Effect, Io};
use crate::kubectl::error::CliError;
use crate::kubectl::lister::{API_SERVER_IP, API_SERVER_PORT};
use crate::kubectl::print::Format;
use crate::kubectl::tabwriter;
use crate::kubectl::task::Started;
use serde_json::json;

const CONTEXT: &str = "kubernetes-admin@kubernetes";

pub(crate) fn current_context(io: &mut Io) -> Started {
    io.line(CONTEXT);
    Ok(None)
}

pub(crate) fn set_context(io: &mut Io, command: &Command) -> Started {
    let given = command.arguments.first().map(String::as_str);
    if given.is_none() && !command.flags.is_on("current") {
        return Err(CliError::message("you must specify a non-empty context name or --current"));
    }
    if given.is_some_and(|name| name != CONTEXT) {
        let message = format!("the playground has one context only, {CONTEXT:?}");
        return Err(CliError::Message(message));
    }
    if let Some(namespace) = command.flags.get("namespace") {
        io.effects.push(Effect::Namespace(namespace.into()));
    }
    io.line(format!("Context {CONTEXT:?} modified."));
    Ok(None)
}

pub(crate) fn use_context(io: &mut Io, command: &Command) -> Started {
    match command.arguments.first() {
        Some(name) if name == CONTEXT => {
            io.line(format!("Switched to context {CONTEXT:?}."));
            Ok(None)
        }
        Some(name) => Err(CliError::message(format!("no context exists with the name: {name:?}"))),
        None => Err(CliError::message("Unexpected args: []")),
    }
}

pub(crate) fn get_contexts(io: &mut Io, command: &Command) -> Started {
    let unknown: Vec<CliError> = command
        .arguments
        .iter()
        .filter(|name| *name != CONTEXT)
        .map(|name| CliError::Message(format!("context {name} not found")))
        .collect();
    let named = command.arguments.is_empty() || command.arguments.iter().any(|name| name == CONTEXT);
    if command.flags.get("output") == Some("name") {
        io.line(CONTEXT);
        return Ok(None);
    }
    let namespace = &io.context.namespace;
    let mut text = String::new();
    if !command.flags.is_on("no-headers") {
        text.push_str("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n");
    }
    if named {
        text.push_str(&format!("*\t{CONTEXT}\tkubernetes\tkubernetes-admin\t{namespace}\n"));
    }
    let text = tabwriter::align_from(&text, tabwriter::GET, &mut Vec::new());
    io.out.push_str(&text);
    CliError::join(unknown)?;
    Ok(None)
}

/// `get-clusters`, `get-users`: there is one of each.
pub(crate) fn names(io: &mut Io, name: &str) -> Started {
    io.line("NAME");
    io.line(name);
    Ok(None)
}

pub(crate) fn view(io: &mut Io, command: &Command) -> Started {
    let mut context = json!({"cluster": "kubernetes", "user": "kubernetes-admin"});
    if let (false, Some(map)) = (io.context.namespace.is_empty(), context.as_object_mut()) {
        map.insert("namespace".into(), io.context.namespace.as_str().into());
    }
    let tree = json!({
        "apiVersion": "v1",
        "clusters": [{
            "cluster": {"certificate-authority-data": "DATA+OMITTED", "server": format!("https://{API_SERVER_IP}:{API_SERVER_PORT}")},
            "name": "kubernetes",
        }],
        "contexts": [{"context": context, "name": CONTEXT}],
        "current-context": CONTEXT,
        "kind": "Config",
        "users": [{
            "name": "kubernetes-admin",
            "user": {"client-certificate-data": "DATA+OMITTED", "client-key-data": "DATA+OMITTED"},
        }],
    });
    let output = command.flags.get("output").or(Some("yaml"));
    if let Some(format) = Format::parse(output, command.flags.get("template"), false)? {
        let text = format.print(&tree)?;
        io.out.push_str(&text);
    }
    Ok(None)
}
