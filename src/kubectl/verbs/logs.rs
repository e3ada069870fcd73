//! `kubectl logs` and `exec`: honest about what a simulated kubelet has not got.

use crate::kubectl::Verb;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::lister;
use crate::kubectl::select::mapping;
use crate::kubectl::task::Started;

/// `logs` and `exec`
pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let words: Vec<&String> = command.arguments.iter().take_while(|word| !word.starts_with('-')).collect();
    let selects = command.verb == Verb::Logs && command.flags.has("selector");
    let Some(first) = words.first() else {
        if selects {
            return Err(nothing_inside(command));
        }
        let message = if command.verb == Verb::Logs {
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the \
             logs command"
        } else {
            "pod, type/name or --filename must be specified"
        };
        return Err(if command.verb == Verb::Logs { command.usage(message) } else { CliError::message(message) });
    };
    let (kind, name) = first.split_once('/').unwrap_or(("pods", first));
    let resource = mapping(kind)?;
    lister::get(io.api, resource, &io.key(resource, name))?;
    if command.verb == Verb::Exec && command.arguments.len() < 2 {
        return Err(CliError::message("you must specify at least one command for the container"));
    }
    Err(nothing_inside(command))
}

fn nothing_inside(command: &Command) -> CliError {
    let why = match command.verb {
        Verb::Logs => "nothing runs inside the simulated containers, so there are no logs",
        _ => "nothing runs inside the simulated containers, so nothing can be executed there",
    };
    CliError::not_offered(&command.path, why)
}
