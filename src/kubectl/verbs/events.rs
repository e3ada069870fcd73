//! `kubectl events`
//!
//! Follows kubernetes kubectl pkg/cmd/events, v1.36.

use super::super::lister;
use crate::kubectl::age::age;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::print::{self, Format};
use crate::kubectl::select::mapping;
use crate::kubectl::tabwriter;
use crate::kubectl::task::Started;
use crate::objects::{Event, Object};
use std::rc::Rc;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let types: Vec<String> = flags.list("types").into_iter().map(str::to_owned).collect();
    if let Some(unknown) =
        types.iter().find(|t| !t.eq_ignore_ascii_case("Normal") && !t.eq_ignore_ascii_case("Warning"))
    {
        return Err(CliError::message(format!("valid --types are Normal or Warning, not {unknown:?}")));
    }
    let about = match flags.get("for") {
        None => None,
        Some(text) => {
            let Some((kind, name)) = text.split_once('/').filter(|(kind, name)| !kind.is_empty() && !name.is_empty())
            else {
                let message = "--for must be in resource/name form";
                return Err(CliError::message(message));
            };
            Some((mapping(kind)?.kind, name.to_owned()))
        }
    };
    let format = Format::parse(flags.get("output"), flags.get("template"), false)?;
    let everywhere = flags.is_on("all-namespaces");
    let namespace = io.namespace().to_owned();
    let events = lister::resource_named("events")
        .map_or_else(Vec::new, |resource| lister::list(io.api, resource, (!everywhere).then_some(namespace.as_str())));
    let mut events: Vec<Rc<Event>> = events
        .into_iter()
        .filter_map(|object| if let Object::Event(event) = object { Some(event) } else { None })
        .filter(|event| types.is_empty() || types.iter().any(|t| t.eq_ignore_ascii_case(&event.type_)))
        .filter(|event| {
            let object = &event.involved_object;
            about.as_ref().is_none_or(|(kind, name)| object.kind == *kind && *object.name == **name)
        })
        .collect();
    events.sort_by_key(|event| (event.last_timestamp, event.first_timestamp));
    if events.is_empty() {
        if everywhere {
            io.complain("No events found.");
        } else {
            io.complain(format!("No events found in {namespace} namespace."));
        }
        return Ok(None);
    }
    if let Some(format) = format {
        let list = print::list_of(events.into_iter().map(|event| print::served(&Object::Event(event))).collect());
        let text = format.print(&list)?;
        io.out.push_str(&text);
        return Ok(None);
    }
    let now = io.api.now();
    let mut table = String::new();
    if !flags.is_on("no-headers") {
        table.push_str(if everywhere { "NAMESPACE\t" } else { "" });
        table.push_str("LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n");
    }
    for event in events {
        if everywhere {
            table.push_str(&format!("{}\t", event.metadata.namespace));
        }
        let first = age(event.first_timestamp, now);
        let when = if event.count > 1 {
            format!("{} (x{} over {first})", age(event.last_timestamp, now), event.count)
        } else {
            first
        };
        let object = &event.involved_object;
        let message = event.message.trim().replace(['\n', '\t'], " ");
        table.push_str(&format!(
            "{when}\t{}\t{}\t{}/{}\t{message}\n",
            event.type_, event.reason, object.kind, object.name
        ));
    }
    let text = tabwriter::align_from(&table, tabwriter::GET, &mut Vec::new());
    io.out.push_str(&text);
    Ok(None)
}
