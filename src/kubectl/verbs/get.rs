//! `kubectl get`
//!
//! Follows kubernetes kubectl pkg/cmd/get/get.go, v1.36.

use crate::apiserver::schema::Resource;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::lister;
use crate::kubectl::print::{self, Format, Table, TableOptions, plain_table, table_of};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::tabwriter;
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::{Object, ObjectKey};
use crate::order::Collect;
use serde_json::json;
use std::collections::BTreeMap;

/// `get -w`
#[derive(Clone, Debug, PartialEq)]
pub struct GetWatch {
    arguments: Vec<String>,
    command: Command,
    resource: String,
    /// What has been shown, as it was.
    seen: BTreeMap<ObjectKey, Object>,
    widths: Vec<usize>,
    with_headers: bool,
}

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if let Some(path) = flags.get("raw") {
        if !command.arguments.is_empty() {
            return Err(CliError::message("arguments may not be passed when --raw is specified"));
        }
        if flags.has("output") {
            return Err(CliError::message("--raw and --output are mutually exclusive"));
        }
        if flags.is_on("watch") || flags.is_on("watch-only") || flags.has("selector") {
            return Err(CliError::message(
                "--raw may not be specified with other flags that filter the server request or alter the output",
            ));
        }
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
    super::check_subresource(command, &["status"])?;
    let format = Format::parse(flags.get("output"), flags.get("template"), true)?;
    if flags.is_on("show-labels") && format.is_some() {
        let output = flags.get_or("output", "");
        if !matches!(output, "" | "wide") {
            return Err(CliError::message(format!("--show-labels option cannot be used with {output} printer")));
        }
    }
    let watches = flags.is_on("watch") || flags.is_on("watch-only");
    if flags.is_on("output-watch-events") && !watches {
        return Err(CliError::message("--output-watch-events option can only be used with --watch or --watch-only"));
    }
    let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
    let selection = select::select(io, command, &command.arguments, rules)?;
    selection.resources.iter().filter_map(|resource| lister::deprecation(resource)).for_each(|text| io.complain(text));
    if watches {
        if flags.has("sort-by") {
            io.complain("warning: --watch or --watch-only requested, --sort-by will be ignored");
        }
        return watch(io, command, selection);
    }
    let mut infos = selection.infos;
    let mut errors = selection.errors;
    if let Some(path) = flags.get("sort-by") {
        print::sort(&mut infos, |info| info.object.as_ref().map(print::served), path)?;
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
        _ => Err(CliError::not_offered(&format!("get --raw {path}"), "")),
    }
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
        if index > 0 && !command.flags.is_on("no-headers") {
            io.out.push('\n');
        }
        let text = table(io, command, resource, objects).print(&options(command, resource, with_kind));
        io.out.push_str(&text);
    }
}

fn table(io: &Io, command: &Command, resource: &Resource, objects: Vec<Object>) -> Table {
    if command.flags.switch("server-print", true) {
        table_of(io.api, resource, objects)
    } else {
        plain_table(io.api, objects)
    }
}

fn watch(io: &mut Io, command: &Command, selection: select::Selection) -> Started {
    let flags = &command.flags;
    if selection.resources.len() > 1 {
        return Err(CliError::message("you may only specify a single resource type"));
    }
    CliError::join(selection.errors)?;
    let Some(resource) = selection.resources.first() else { return Ok(None) };
    if !selection.is_single && selection.infos.len() > 1 && !command.arguments.iter().skip(1).all(String::is_empty) {
        return Err(CliError::message(
            "watch is only supported on individual resources and resource collections - more than 1 resource was found",
        ));
    }
    let mut task = GetWatch {
        arguments: command.arguments.clone(),
        command: command.clone(),
        resource: resource.qualified_plural(),
        seen: BTreeMap::new(),
        widths: Vec::new(),
        with_headers: !flags.is_on("no-headers"),
    };
    let objects: Vec<(Change, Object)> =
        selection.infos.into_iter().filter_map(|info| info.object).map(|object| (Change::Added, object)).collect();
    task.seen = objects.iter().map(|(_, object)| (object.key(), object.clone())).collect_map();
    if !flags.is_on("watch-only") {
        task.show(io, objects)?;
    }
    Ok(Some(Task::GetWatch(task)))
}

/// What became of an object that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Added,
    Modified,
    Deleted,
}

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl GetWatch {
    /// Prints one line (or object) for each object that is new, changed or gone; gone ones as they were last.
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        let rules = Rules { type_means_all: true, looks_up_files: true, ..Rules::default() };
        let command = self.command.clone();
        let mut io_there = Io::new(io.api, io.context, &command, io.stdin);
        let selection = select::select(&io_there, &command, &self.arguments, rules)?;
        let mut changes = Vec::new();
        let mut present: BTreeMap<ObjectKey, Object> = BTreeMap::new();
        for object in selection.infos.into_iter().filter_map(|info| info.object) {
            match self.seen.get(&object.key()) {
                None => changes.push((Change::Added, object.clone())),
                Some(before) if before.metadata().uid != object.metadata().uid => {
                    changes.push((Change::Deleted, before.clone()));
                    changes.push((Change::Added, object.clone()));
                }
                Some(before) if before.metadata().resource_version != object.metadata().resource_version => {
                    changes.push((Change::Modified, object.clone()));
                }
                Some(_) => {}
            }
            present.insert(object.key(), object);
        }
        let gone = self.seen.iter().filter(|(key, _)| !present.contains_key(*key));
        changes.extend(gone.map(|(_, object)| (Change::Deleted, object.clone())));
        self.seen = present;
        self.show(&mut io_there, changes)?;
        let (out, err) = (std::mem::take(&mut io_there.out), std::mem::take(&mut io_there.err));
        io.out.push_str(&out);
        io.err.push_str(&err);
        Ok(Progress::Pending(None))
    }

    fn show(&mut self, io: &mut Io, changes: Vec<(Change, Object)>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let Some(resource) = lister::resource_named(&self.resource) else { return Ok(()) };
        let flags = &self.command.flags;
        let tells_events = flags.is_on("output-watch-events");
        if let Some(format) = Format::parse(flags.get("output"), flags.get("template"), true)? {
            for (change, object) in &changes {
                let mut tree = print::served(object);
                if tells_events {
                    tree = json!({"type": change.word(), "object": tree});
                }
                let mut text = match &format {
                    Format::CustomColumns(columns) => columns.print(&tree, self.with_headers),
                    other => other.print(&tree)?,
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
        options.no_headers = !std::mem::take(&mut self.with_headers);
        let (words, objects): (Vec<Change>, Vec<Object>) = changes.into_iter().unzip();
        let mut lines = table(io, &self.command, resource, objects).lines(&options);
        if tells_events {
            let head = (!options.no_headers).then_some("EVENT");
            let words = head.into_iter().chain(words.into_iter().map(Change::word));
            lines = words.zip(lines.lines()).map(|(word, line)| format!("{word}\t{line}\n")).collect();
        }
        let text = tabwriter::align_from(&lines, tabwriter::GET, &mut self.widths);
        io.out.push_str(&text);
        Ok(())
    }
}
