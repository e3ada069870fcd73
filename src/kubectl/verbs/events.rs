//! `kubectl events`
//!
//! Follows kubernetes kubectl pkg/cmd/events, v1.36.

use super::super::lister;
use crate::kubectl::age::age;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::print::{self, Format};
use crate::kubectl::select::mapping;
use crate::kubectl::tabwriter;
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Event, Object, ObjectKey};
use crate::order::Order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which events are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Filter {
    /// `Normal`, `Warning`; empty: any.
    types: Vec<String>,
    /// Kind and name of the object that they are about.
    about: Option<(String, String)>,
    /// `None`: all namespaces.
    namespace: Option<String>,
}

/// `events -w`
#[derive(Clone, Debug, PartialEq)]
pub struct EventsWatch {
    filter: Filter,
    command: Command,
    /// Resource versions of what has been shown.
    seen: BTreeMap<ObjectKey, String>,
    widths: Vec<usize>,
    with_headers: bool,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let types: Vec<String> = flags.list("types").into_iter().map(str::to_owned).collect();
    if types.iter().any(|t| !t.eq_ignore_ascii_case("Normal") && !t.eq_ignore_ascii_case("Warning")) {
        return Err(CliError::message("valid --types are Normal or Warning"));
    }
    let about = match flags.get("for").filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => match text.split('/').collect::<Vec<_>>().as_slice() {
            [_] => return Err(CliError::message("--for must be in resource/name form")),
            [kind, name] => Some((mapping(kind)?.kind.to_owned(), (*name).to_owned())),
            _ => {
                return Err(CliError::message("arguments in resource/name form may not have more than one slash"));
            }
        },
    };
    let namespace = (!flags.is_on("all-namespaces")).then(|| io.namespace().to_owned());
    let filter = Filter { types, about, namespace };
    let format = Format::parse(flags.get("output"), flags.get("template"), false)?;
    if flags.is_on("watch") {
        let with_headers = !flags.is_on("no-headers");
        let (seen, widths) = (BTreeMap::new(), Vec::new());
        let watch = EventsWatch { filter, command: command.clone(), seen, widths, with_headers };
        return Ok(Some(Task::EventsWatch(watch)));
    }
    let events = filter.events(io);
    if events.is_empty() {
        io.complain(match &filter.namespace {
            None => "No events found.".to_owned(),
            Some(namespace) => format!("No events found in {namespace} namespace."),
        });
        return Ok(None);
    }
    let text = match format {
        Some(format) => {
            let list = print::list_of(events.into_iter().map(|event| print::served(&Object::Event(event))).collect());
            format.print(&list)?
        }
        None => tabwriter::align(&rows(io, &events, &filter, !flags.is_on("no-headers")), tabwriter::GET),
    };
    io.out.push_str(&text);
    Ok(None)
}

impl Filter {
    /// The events, oldest first.
    fn events(&self, io: &Io) -> Vec<Rc<Event>> {
        let Some(resource) = lister::resource_named("events") else { return Vec::new() };
        let mut events: Vec<Rc<Event>> = lister::list(io.api, resource, self.namespace.as_deref())
            .into_iter()
            .filter_map(|object| if let Object::Event(event) = object { Some(event) } else { None })
            .filter(|event| self.types.is_empty() || self.types.iter().any(|t| t.eq_ignore_ascii_case(&event.type_)))
            .filter(|event| {
                let object = &event.involved_object;
                self.about.as_ref().is_none_or(|(kind, name)| object.kind == *kind && *object.name == **name)
            })
            .collect();
        events.order_by_key(|event| (event.last_timestamp, event.first_timestamp));
        events
    }
}

impl EventsWatch {
    /// Prints what is new.
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        let mut events = self.filter.events(io);
        events.retain(|event| {
            let version = &event.metadata.resource_version;
            self.seen.insert(event.metadata.key(), version.clone()).as_ref() != Some(version)
        });
        let flags = &self.command.flags;
        match Format::parse(flags.get("output"), flags.get("template"), false)? {
            Some(format) => {
                for event in events {
                    io.out.push_str(&format.print(&print::served(&Object::Event(event)))?);
                }
            }
            None if events.is_empty() => {}
            None => {
                let lines = rows(io, &events, &self.filter, std::mem::take(&mut self.with_headers));
                io.out.push_str(&tabwriter::align_from(&lines, tabwriter::GET, &mut self.widths));
            }
        }
        Ok(Progress::Pending(None))
    }
}

/// Lines with tabs between their cells.
fn rows(io: &Io, events: &[Rc<Event>], filter: &Filter, with_headers: bool) -> String {
    let now = io.api.now();
    let everywhere = filter.namespace.is_none();
    let mut table = String::new();
    if with_headers {
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
        let (type_, reason) = (&event.type_, &event.reason);
        table.push_str(&format!("{when}\t{type_}\t{reason}\t{}/{}\t{message}\n", object.kind, object.name));
    }
    table
}
