//! `kubectl apply`
//!
//! Follows kubernetes kubectl pkg/cmd/apply apply.go and patcher.go, v1.36.

use super::output::{DryRun, Reporter, validation};
use super::record;
use crate::apiserver::ownership;
use crate::apiserver::patch::{PatchType, create_merge_patch, three_way};
use crate::apiserver::requests::{self, Answer};
use crate::apiserver::{ApiServer, Status};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules, kind_of};
use crate::kubectl::sources;
use crate::kubectl::task::Started;
use crate::kubectl::{compact_json, lister, print};
use crate::objects::{LAST_APPLIED, Object};
use crate::order::Collect;
use serde_json::{Map, Value};

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let dry_run = DryRun::of(io, command)?;
    let validation = validation(command)?;
    let flags = &command.flags;
    if flags.all("filename").is_empty() {
        return Err(CliError::message("must specify one of -f and -k"));
    }
    if let Some(unexpected) = command.arguments.first() {
        let message = format!("Unexpected args: [{unexpected}]");
        return Err(command.usage(message));
    }
    for flag in ["prune", "applyset"] {
        if flags.has(flag) {
            return Err(CliError::not_offered(&format!("apply --{flag}"), ""));
        }
    }
    let server_side = flags.is_on("server-side");
    if flags.is_on("force-conflicts") && !server_side {
        return Err(CliError::message("--force-conflicts only works with --server-side"));
    }
    if server_side && dry_run == DryRun::Client {
        return Err(CliError::message(
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        ));
    }
    super::check_subresource(command, &[])?;
    let mut reporter = Reporter::new(command, dry_run)?;
    let mut errors = Vec::new();
    let mut infos = Vec::new();
    for item in sources::read(io, command)? {
        match item {
            Ok(mut info) => {
                info.manifest.iter_mut().for_each(|manifest| record::record(command, manifest));
                infos.push(info);
            }
            Err(error) => errors.push(error),
        }
    }
    if infos.is_empty() && errors.is_empty() {
        return Err(CliError::message("no objects passed to apply"));
    }
    for info in infos {
        let result = if server_side {
            let by = (flags.get("field-manager").unwrap_or("kubectl"), flags.is_on("force-conflicts"));
            apply_server_side(io, &info, by, dry_run.options(validation), &mut reporter)
        } else {
            apply_one(io, &info, dry_run, validation, &mut reporter)
        };
        errors.extend(result.err());
    }
    reporter.finish(io)?;
    CliError::join(errors)?;
    Ok(None)
}

/// Applies one object and says what came of it.
///
/// # Errors
/// What the API server answers.
pub(crate) fn apply_one(
    io: &mut Io,
    info: &Info,
    dry_run: DryRun,
    validation: requests::FieldValidation,
    reporter: &mut Reporter,
) -> Result<()> {
    let Some(manifest) = &info.manifest else { return Ok(()) };
    check_metadata(info, manifest)?;
    let current = match get_current(io, info)? {
        Some(current) => current,
        None => {
            let annotated = annotated(manifest);
            let options = dry_run.options(validation);
            if dry_run == DryRun::Client {
                return reporter.tell_tree(io, &annotated, "created");
            }
            let namespace = &info.key.namespace;
            let answer = requests::create(io.api, info.resource, namespace, annotated, options)
                .map_err(|status| CliError::from(status).with_source("creating", &info.source))?;
            io.warn(&answer.warnings);
            return reporter.collect(io, &answer.object, "created");
        }
    };
    let before = current.to_value();
    if last_applied(&before).is_none() && dry_run != DryRun::Client {
        io.complain(format!(
            "Warning: resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl \
             apply should only be used on resources created declaratively by either kubectl create --save-config or \
             kubectl apply. The missing annotation will be patched automatically.",
            info.resource.plural, info.key.name
        ));
    }
    let plan = plan(&before, manifest, info).map_err(CliError::Message)?;
    if dry_run == DryRun::Client {
        return reporter.tell_tree(io, &print::served(&current), "configured");
    }
    if plan.is_empty() {
        return if reporter.prints_objects() {
            reporter.collect(io, &current, "unchanged")
        } else {
            reporter.tell(io, &current, "unchanged")
        };
    }
    let answer =
        send(io.api, info, &plan, dry_run.options(validation)).map_err(|status| patch_error(info, &plan, status))?;
    io.warn(&answer.warnings);
    reporter.collect(io, &answer.object, "configured")
}

/// Name and generateName are looked at by kubectl itself.
fn check_metadata(info: &Info, manifest: &Value) -> Result<()> {
    let generate = manifest.pointer("/metadata/generateName").and_then(Value::as_str).unwrap_or("");
    if info.key.name.is_empty() && !generate.is_empty() {
        return Err(CliError::message(format!("from {generate}: cannot use generate name with apply")));
    }
    if info.key.name.is_empty() {
        return Err(CliError::message(format!(
            "error when retrieving current configuration of:\n{}\nfrom server for: {:?}: resource name may not be empty",
            described(info),
            info.source
        )));
    }
    Ok(())
}

/// `Resource: "apps/v1, Resource=daemonsets", GroupVersionKind: …`
fn described(info: &Info) -> String {
    let resource = info.resource;
    let group_version =
        if resource.group.is_empty() { format!("/{}", resource.version) } else { resource.api_version() };
    format!(
        "Resource: \"{group_version}, Resource={}\", GroupVersionKind: \"{group_version}, Kind={}\"\nName: {:?}, \
         Namespace: {:?}",
        resource.plural, resource.kind, info.key.name, info.key.namespace
    )
}

fn get_current(io: &Io, info: &Info) -> Result<Option<Object>> {
    match lister::get(io.api, info.resource, &info.key) {
        Ok(object) => Ok(Some(object)),
        Err(status) if status.reason == "NotFound" => Ok(None),
        Err(status) => Err(status.into()),
    }
}

/// The configuration that was applied last, as text.
pub(crate) fn last_applied(tree: &Value) -> Option<&str> {
    tree.pointer("/metadata/annotations").and_then(|annotations| annotations.get(LAST_APPLIED)).and_then(Value::as_str)
}

/// The manifest with its own text as annotation.
pub(crate) fn annotated(manifest: &Value) -> Value {
    let mut plain = manifest.clone();
    edit_annotations(&mut plain, |annotations| drop(annotations.remove(LAST_APPLIED)));
    let text = compact_json(&plain) + "\n";
    let mut tree = plain;
    edit_annotations(&mut tree, |annotations| drop(annotations.insert(LAST_APPLIED.into(), text.into())));
    tree
}

fn edit_annotations(tree: &mut Value, edit: impl FnOnce(&mut Map<String, Value>)) {
    let Some(map) = tree.as_object_mut() else { return };
    let metadata = map.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    let annotations = metadata.entry("annotations").or_insert(Value::Null);
    if !annotations.is_object() {
        *annotations = Value::Object(Map::new());
    }
    if let Value::Object(annotations) = annotations {
        edit(annotations);
    }
}

/// The patch that an apply sends.
pub(crate) struct Plan {
    pub kind: PatchType,
    pub patch: Value,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.patch.as_object().is_some_and(Map::is_empty)
    }
}

/// What is to be sent so that the live object becomes what the manifest says.
pub(crate) fn plan(live: &Value, manifest: &Value, info: &Info) -> std::result::Result<Plan, String> {
    let modified = annotated(manifest);
    let original = last_applied(live).and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
    if kind_of(info.resource).is_some() {
        let patch = three_way(&original, &modified, live, info.resource.kind).map_err(|error| error.to_string())?;
        return Ok(Plan { kind: PatchType::Strategic, patch });
    }
    // JSON merge: additions and changes against the live object, deletions against the last one applied.
    let mut patch = additions(live, &modified);
    let deletions = deletions(&original, &modified);
    json_merge_keeping_nulls(&mut patch, &deletions);
    Ok(Plan { kind: PatchType::Merge, patch })
}

fn additions(live: &Value, modified: &Value) -> Value {
    let patch = create_merge_patch(live, modified);
    without_nulls(patch)
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, without_nulls(value)))
                .filter(|(_, value)| value.as_object().is_none_or(|map| !map.is_empty()))
                .collect_object(),
        ),
        other => other,
    }
}

fn deletions(original: &Value, modified: &Value) -> Value {
    let (Value::Object(original), Value::Object(modified)) = (original, modified) else {
        return Value::Object(Map::new());
    };
    let mut gone = Map::new();
    for (key, value) in original {
        match modified.get(key) {
            None => drop(gone.insert(key.clone(), Value::Null)),
            Some(now) => {
                let below = deletions(value, now);
                if below.as_object().is_some_and(|map| !map.is_empty()) {
                    gone.insert(key.clone(), below);
                }
            }
        }
    }
    Value::Object(gone)
}

fn json_merge_keeping_nulls(patch: &mut Value, other: &Value) {
    let (Value::Object(patch), Value::Object(other)) = (patch, other) else { return };
    for (key, value) in other {
        match patch.get_mut(key) {
            Some(present @ Value::Object(_)) if value.is_object() => json_merge_keeping_nulls(present, value),
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
}

/// Sends the patch.
pub(crate) fn send(
    api: &mut ApiServer,
    info: &Info,
    plan: &Plan,
    options: requests::WriteOptions,
) -> std::result::Result<Answer, Status> {
    requests::patch(api, info.resource, &info.key, plan.kind, &plan.patch, options)
}

fn patch_error(info: &Info, plan: &Plan, status: Status) -> CliError {
    let verb = format!("applying patch:\n{}\nto:\n{}\nfor:", compact_json(&plan.patch), described(info));
    let mut status = status;
    status.message = format!("error when patching {:?}: {}", info.source, status.message);
    CliError::from(status).with_source(&verb, &info.source)
}

/// What `kubectl apply --server-side` says below a conflict.
const WAYS_OUT: &str = "\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

fn apply_server_side(
    io: &mut Io,
    info: &Info,
    by: (&str, bool),
    options: requests::WriteOptions,
    reporter: &mut Reporter,
) -> Result<()> {
    let Some(manifest) = &info.manifest else { return Ok(()) };
    check_metadata(info, manifest)?;
    let current = get_current(io, info)?;
    let has_text =
        by.0 == "kubectl" && current.as_ref().is_some_and(|object| last_applied(&object.to_value()).is_some());
    let applied = if has_text { annotated_plainly(manifest) } else { manifest.clone() };
    let answer = ownership::apply(io.api, info.resource, &info.key, applied, by, options).map_err(|status| {
        if status.code == 409 && status.message.starts_with("Apply failed") {
            return CliError::message(format!("{}\n{WAYS_OUT}", status.message));
        }
        CliError::from(status).with_source(if current.is_some() { "patching" } else { "creating" }, &info.source)
    })?;
    io.warn(&answer.warnings);
    reporter.collect(io, &answer.object, "serverside-applied")
}

/// Like [`annotated`], but the text has no empty list of annotations.
fn annotated_plainly(manifest: &Value) -> Value {
    let text = compact_json(manifest) + "\n";
    let mut tree = manifest.clone();
    edit_annotations(&mut tree, |annotations| drop(annotations.insert(LAST_APPLIED.into(), text.into())));
    tree
}

/// `kubectl apply view-last-applied`
pub(crate) fn view_last_applied(io: &mut Io, command: &Command) -> Started {
    let rules = Rules { type_means_all: command.flags.is_on("all"), looks_up_files: true, ..Rules::default() };
    let infos = select::select(io, command, &command.arguments, rules)?.all()?;
    for info in infos {
        let tree = info.object.as_ref().map(Object::to_value).unwrap_or_default();
        let Some(text) = last_applied(&tree) else {
            return Err(CliError::message(format!(
                "no last-applied-configuration annotation found on resource: {}",
                info.key.name
            )));
        };
        let applied: Value = serde_json::from_str(text).unwrap_or_default();
        match command.flags.get("output") {
            Some("json") => {
                let text = crate::kubectl::print::Format::Json.print(&applied)?;
                io.out.push_str(&text);
            }
            None | Some("yaml") => io.out.push_str(&crate::kubectl::yaml::to_yaml(&applied)),
            Some(other) => {
                return Err(command
                    .usage(format!("Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json")));
            }
        }
    }
    Ok(None)
}
