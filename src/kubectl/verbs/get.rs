//! `kubectl get`
//!
//! Follows kubernetes kubectl pkg/cmd/get/get.go, v1.36.

use crate::apiserver::schema::Resource;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::print::{self, Format, TableOptions, table_of};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::tabwriter;
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Object, ObjectKey};
use std::collections::BTreeMap;

/// `get -w`
#[derive(Clone, Debug, PartialEq)]
pub struct GetWatch {
    arguments: Vec<String>,
    command: Command,
    resource: String,
    /// Resource versions of what has been shown.
    seen: BTreeMap<ObjectKey, String>,
    widths: Vec<usize>,
    with_headers: bool,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if let Some(path) = flags.get("raw") {
        return raw(io, path);
    }
    if command.arguments.is_empty() && flags.all("filename").is_empty() {
        io.complain(
            "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported \
             resources.\n",
        );
        return Err(command.usage(
            "Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that \
             resource (e.g. kubectl explain pods).",
        ));
    }
    let format = Format::parse(flags.get("output"), flags.get("template"), true)?;
    if flags.is_on("show-labels") && format.is_some() {
        let output = flags.get_or("output", "");
        if !matches!(output, "" | "wide") {
            return Err(CliError::message("--show-labels option cannot be used with json or yaml printers"));
        }
    }
    let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    if flags.is_on("watch") || flags.is_on("watch-only") {
        return watch(io, command, selection);
    }
    let mut infos = selection.infos;
    let mut errors = selection.errors;
    if let Some(path) = flags.get("sort-by") {
        sort(&mut infos, path)?;
    }
    if let Some(format) = format {
        print_generic(io, command, &format, infos, errors, selection.is_single)?;
        return Ok(None);
    }
    if infos.is_empty() && errors.is_empty() && !flags.is_on("ignore-not-found") {
        let in_namespace = !flags.is_on("all-namespaces") && selection.resources.iter().all(|r| r.is_namespaced());
        if in_namespace {
            let namespace = io.namespace().to_owned();
            io.complain(format!("No resources found in {namespace} namespace."));
        } else {
            io.complain("No resources found");
        }
    }
    print_tables(io, command, infos, selection.resources.len() > 1);
    CliError::join(std::mem::take(&mut errors))?;
    Ok(None)
}

fn raw(io: &mut Io, path: &str) -> Started {
    match path {
        "/healthz" | "/livez" | "/readyz" => {
            io.out.push_str("ok");
            Ok(None)
        }
        _ => Err(CliError::message("get --raw is in this playground for /healthz, /livez and /readyz only")),
    }
}

fn sort(infos: &mut Vec<Info>, path: &str) -> Result<()> {
    let mut by_object: Vec<(Object, Info)> =
        infos.drain(..).filter_map(|info| info.object.clone().map(|object| (object, info))).collect();
    let mut objects: Vec<Object> = by_object.iter().map(|(object, _)| object.clone()).collect();
    print::sort_objects(&mut objects, path)?;
    for object in objects {
        if let Some(at) = by_object.iter().position(|(other, _)| *other == object) {
            infos.push(by_object.remove(at).1);
        }
    }
    Ok(())
}

/// One object as itself, several as a list.
fn print_generic(
    io: &mut Io,
    command: &Command,
    format: &Format,
    infos: Vec<Info>,
    errors: Vec<CliError>,
    is_single: bool,
) -> Result<()> {
    if is_single && !errors.is_empty() {
        return CliError::join(errors);
    }
    if infos.is_empty() && command.flags.is_on("ignore-not-found") {
        return CliError::join(errors);
    }
    let mut trees: Vec<serde_json::Value> = infos
        .iter()
        .filter_map(|info| info.object.as_ref())
        .map(
            |object| {
                if command.flags.is_on("show-managed-fields") { object.to_value() } else { print::served(object) }
            },
        )
        .collect();
    let tree = if is_single && trees.len() == 1 { trees.remove(0) } else { print::list_of(trees) };
    let text = match format {
        Format::CustomColumns(columns) => columns.print(&tree, !command.flags.is_on("no-headers")),
        other => other.print(&tree)?,
    };
    io.out.push_str(&text);
    CliError::join(errors)
}

fn options(command: &Command, resource: &Resource, with_kind: bool) -> TableOptions {
    let flags = &command.flags;
    TableOptions {
        wide: flags.get("output") == Some("wide"),
        no_headers: flags.is_on("no-headers"),
        with_namespace: flags.is_on("all-namespaces") && resource.is_namespaced(),
        kind: with_kind.then(|| resource.qualified_singular()),
        show_labels: flags.is_on("show-labels"),
        label_columns: flags.list("label-columns").into_iter().map(str::to_owned).collect(),
    }
}

/// One table for each resource, with a blank line between them.
fn print_tables(io: &mut Io, command: &Command, infos: Vec<Info>, several: bool) {
    let mut groups: Vec<(&'static Resource, Vec<Object>)> = Vec::new();
    for info in infos {
        let Some(object) = info.object else { continue };
        match groups.last_mut() {
            Some((resource, objects)) if *resource == info.resource => objects.push(object),
            _ => groups.push((info.resource, vec![object])),
        }
    }
    let with_kind = several || groups.len() > 1 || command.flags.is_on("show-kind");
    for (index, (resource, objects)) in groups.into_iter().enumerate() {
        if index > 0 {
            io.out.push('\n');
        }
        let text = table_of(io.api, resource, objects).print(&options(command, resource, with_kind));
        io.out.push_str(&text);
    }
}

fn watch(io: &mut Io, command: &Command, selection: select::Selection) -> Started {
    let flags = &command.flags;
    if selection.resources.len() > 1 {
        return Err(CliError::message("you may only specify a single resource type"));
    }
    CliError::join(selection.errors)?;
    let Some(resource) = selection.resources.first() else { return Ok(None) };
    let mut task = GetWatch {
        arguments: command.arguments.clone(),
        command: command.clone(),
        resource: resource.qualified_plural(),
        seen: BTreeMap::new(),
        widths: Vec::new(),
        with_headers: !flags.is_on("no-headers"),
    };
    for info in &selection.infos {
        if let Some(object) = &info.object {
            task.seen.insert(info.key.clone(), object.metadata().resource_version.clone());
        }
    }
    if !flags.is_on("watch-only") {
        let objects: Vec<Object> = selection.infos.into_iter().filter_map(|info| info.object).collect();
        task.show(io, objects)?;
    }
    Ok(Some(Task::GetWatch(task)))
}

impl GetWatch {
    /// Prints one line (or object) for each object that is new, changed or gone.
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
        let command = self.command.clone();
        let mut io_there = Io::new(io.api, io.context, &command, io.stdin);
        let selection = select::select(&io_there, &command, &self.arguments, rules)?;
        let mut changed = Vec::new();
        let mut present: BTreeMap<ObjectKey, String> = BTreeMap::new();
        for info in selection.infos {
            let Some(object) = info.object else { continue };
            let version = object.metadata().resource_version.clone();
            if self.seen.get(&info.key) != Some(&version) {
                changed.push(object);
            }
            present.insert(info.key, version);
        }
        // The last state of what has gone is no longer known; kubectl prints it once more, we print nothing.
        self.seen = present;
        self.show(&mut io_there, changed)?;
        let (out, err) = (std::mem::take(&mut io_there.out), std::mem::take(&mut io_there.err));
        io.out.push_str(&out);
        io.err.push_str(&err);
        Ok(Progress::Pending(None))
    }

    fn show(&mut self, io: &mut Io, objects: Vec<Object>) -> Result<()> {
        if objects.is_empty() {
            return Ok(());
        }
        let Some(resource) = lister::resource_named(&self.resource) else { return Ok(()) };
        let flags = &self.command.flags;
        if let Some(format) = Format::parse(flags.get("output"), flags.get("template"), true)? {
            for object in &objects {
                let mut text = match &format {
                    Format::CustomColumns(columns) => columns.print(&print::served(object), self.with_headers),
                    other => other.print(&print::served(object))?,
                };
                self.with_headers = false;
                if matches!(format, Format::Yaml) {
                    text = format!("---\n{text}");
                }
                io.out.push_str(&text);
            }
            return Ok(());
        }
        let mut options = options(&self.command, resource, flags.is_on("show-kind"));
        options.no_headers = !self.with_headers;
        self.with_headers = false;
        let lines = table_of(io.api, resource, objects).lines(&options);
        let text = tabwriter::align_from(&lines, tabwriter::GET, &mut self.widths);
        io.out.push_str(&text);
        Ok(())
    }
}
