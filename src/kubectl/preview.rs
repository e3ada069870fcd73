//! What an apply would do, before it is done.

use super::command::Command;
use super::context::{Context, Io};
use super::error::CliError;
use super::select::Info;
use super::verbs::apply;
use super::verbs::output::{DryRun, Reporter};
use super::{lister, sources};
use crate::apiserver::requests::FieldValidation;
use crate::apiserver::{ApiServer, schema};
use crate::manifest::{self, ManifestRead, Span};
use crate::objects::{DEPRECATED_TEMPLATE_GENERATION, LAST_APPLIED, Object};
use serde_json::Value;

/// What would become of one object of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewItem {
    /// [`manifest::Document::index`] of the document that it stands in.
    pub document: usize,
    /// Which of the document's objects it is.
    pub index: usize,
    /// Its kind, `DaemonSet`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace; empty where its kind has none.
    pub namespace: String,
    /// What would become of it.
    pub action: PreviewAction,
    /// The fields that would be different, in their order; all of them for a new object. Status and bookkeeping
    /// (resource version, uid, the text of the last apply…) are left out.
    pub diff: Vec<FieldDiff>,
    /// Whether the pod template changes, so that a rollout begins.
    pub makes_new_revision: bool,
    /// What the API server finds fault with or warns of, and where that stands.
    pub problems: Vec<PreviewProblem>,
}

/// What would become of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum PreviewAction {
    /// It would be new.
    Create,
    /// It would be changed.
    Configure,
    /// It would stay as it is.
    Unchanged,
    /// It would not be taken. [`CliError::render`] gives kubectl's text.
    Refused(CliError),
}

/// A field that would be different.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDiff {
    /// Where, `spec.template.spec.containers[name=agent].image`.
    pub path: String,
    /// What it is; `None`: not there.
    pub before: Option<Value>,
    /// What it would be; `None`: not there.
    pub after: Option<Value>,
}

/// What the API server says about a place of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewProblem {
    /// The field, or the nearest one around it that is there; `None` when the text shows none.
    pub span: Option<Span>,
    /// It keeps the object from being taken; otherwise a warning.
    pub is_error: bool,
    /// The field as the API server names it; empty when it names none.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// What `kubectl apply` of this text would do, object by object in the order of the text: nothing is changed, but later
/// objects see earlier ones. `source` is the name of the file. What keeps a document from being read stands in
/// [`ManifestRead::diagnostics`].
pub fn apply_preview(api: &ApiServer, context: &Context, source: &str, read: &ManifestRead) -> Vec<PreviewItem> {
    let Some(mut preview) = Preview::new(api, context, source) else { return Vec::new() };
    let documents = read.stream().filter_map(Result::ok).filter(|document| !document.is_empty());
    let objects = documents.flat_map(|document| document.objects().enumerate());
    objects.map(|(index, object)| preview.object(index, &object)).collect()
}

/// [`apply_preview`] one object at a time, for texts of many.
#[derive(Clone, Debug)]
pub struct Preview {
    copy: ApiServer,
    context: Context,
    source: String,
    command: Command,
}

impl Preview {
    /// Begins with the cluster as it is.
    pub fn new(api: &ApiServer, context: &Context, source: &str) -> Option<Self> {
        let words = ["apply", "-f", source].map(str::to_owned);
        let command = Command::parse(&words).ok()?;
        Some(Self { copy: api.clone(), context: context.clone(), source: source.to_owned(), command })
    }

    /// What would become of the next object, which is that one of its document.
    pub fn object(&mut self, index: usize, written: &manifest::Object<'_>) -> PreviewItem {
        let mut io = Io::new(&mut self.copy, &self.context, &self.command, None);
        item(&mut io, &self.command, &self.source, index, written)
    }
}

fn item(io: &mut Io, command: &Command, source: &str, index: usize, written: &manifest::Object) -> PreviewItem {
    let text = |pointer: &str| written.value.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    let mut item = PreviewItem {
        document: written.document.index,
        index,
        kind: text("/kind"),
        name: text("/metadata/name"),
        namespace: text("/metadata/namespace"),
        action: PreviewAction::Unchanged,
        diff: Vec::new(),
        makes_new_revision: false,
        problems: Vec::new(),
    };
    let info = match sources::info(io, command, written.value.clone().into_owned(), source) {
        Ok(info) => info,
        Err(error) => return refused(item, written, None, error),
    };
    item.namespace = info.key.namespace.to_string();
    let before = lister::get(io.api, info.resource, &info.key).ok();
    io.err.clear();
    let mut reporter = match Reporter::new(command, DryRun::No) {
        Ok(reporter) => reporter,
        Err(error) => return refused(item, written, Some(&info), error),
    };
    if let Err(error) = apply::apply_one(io, &info, DryRun::No, FieldValidation::Strict, &mut reporter) {
        return refused(item, written, Some(&info), error);
    }
    let warnings = std::mem::take(&mut io.err);
    item.problems = warnings.lines().filter_map(|line| warning(written, line)).collect();
    let Ok(after) = lister::get(io.api, info.resource, &info.key) else { return item };
    item.diff = field_diffs(before.as_ref(), &after);
    item.makes_new_revision = before.as_ref().is_some_and(|before| has_new_template(before, &after));
    item.action = match before {
        None => PreviewAction::Create,
        Some(before) if before.metadata().resource_version == after.metadata().resource_version => {
            PreviewAction::Unchanged
        }
        Some(_) => PreviewAction::Configure,
    };
    item
}

/// The item of an object that is not taken: one problem for each fault that names a field, else one at its kind.
fn refused(mut item: PreviewItem, written: &manifest::Object, info: Option<&Info>, error: CliError) -> PreviewItem {
    let at = |field: &str| written.locate_text(field).map(|location| location.span());
    let problem = |field: &str, message: String| PreviewProblem {
        span: at(if field.is_empty() { "kind" } else { field }),
        is_error: true,
        field: field.to_owned(),
        message,
    };
    if let CliError::Status(status) = &error {
        item.problems = status.causes.iter().map(|cause| problem(&cause.field, cause.message.clone())).collect();
        if let (true, Some(info)) = (item.problems.is_empty(), info) {
            let faults = schema::check(info.resource.kind, &mut info.manifest.clone().unwrap_or_default());
            item.problems = faults.iter().map(|fault| problem(&fault.path, fault.message())).collect();
        }
    }
    // Neither kubectl's own decoder nor a failed patch names the field.
    if item.problems.is_empty() && error.render().0.contains("cannot unmarshal") {
        let api_version = written.value.get("apiVersion").and_then(Value::as_str).unwrap_or("");
        if let Some(resource) = schema::resource_of(api_version, &item.kind) {
            let faults = schema::check(resource.kind, &mut written.value.clone().into_owned());
            item.problems = faults.iter().map(|fault| problem(&fault.path, fault.message())).collect();
        }
    }
    if item.problems.is_empty() {
        let (text, _) = error.render();
        item.problems.push(problem("", text.trim_end().strip_prefix("error: ").unwrap_or(text.trim_end()).to_owned()));
    }
    item.action = PreviewAction::Refused(error);
    item
}

/// A warning, at the field that it begins with.
fn warning(written: &manifest::Object, line: &str) -> Option<PreviewProblem> {
    let message = line.strip_prefix("Warning: ")?;
    let field = message.split([':', ' ']).next().filter(|field| field.contains('.') || *field == "spec").unwrap_or("");
    let span = written.locate_text(if field.is_empty() { "kind" } else { field }).map(|location| location.span());
    Some(PreviewProblem { span, is_error: false, field: field.to_owned(), message: message.to_owned() })
}

fn has_new_template(before: &Object, after: &Object) -> bool {
    match (before, after) {
        (Object::DaemonSet(before), Object::DaemonSet(after)) => before.spec.template != after.spec.template,
        (Object::Deployment(before), Object::Deployment(after)) => before.spec.template != after.spec.template,
        _ => false,
    }
}

/// The fields in which two states of an object differ, status and bookkeeping left out.
pub fn field_diffs(before: Option<&Object>, after: &Object) -> Vec<FieldDiff> {
    let mut found = Vec::new();
    let before = before.map(shown);
    compare(&mut String::new(), before.as_ref(), Some(&shown(after)), &mut found);
    found
}

/// What a person would call the content of an object.
fn shown(object: &Object) -> Value {
    let mut tree = object.to_value();
    if let Some(map) = tree.as_object_mut() {
        map.remove("status");
    }
    if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink"] {
            metadata.remove(field);
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
            annotations.remove(DEPRECATED_TEMPLATE_GENERATION);
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    tree
}

fn compare(path: &mut String, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<FieldDiff>) {
    if before == after {
        return;
    }
    let end = path.len();
    match (before, after) {
        (Some(Value::Object(_)) | None, Some(Value::Object(_))) | (Some(Value::Object(_)), None)
            if !is_empty(before) || !is_empty(after) =>
        {
            let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
            let (old, new) = (fields(before), fields(after));
            for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
                push_key(path, key);
                compare(path, old.get(key), new.get(key), found);
                path.truncate(end);
            }
        }
        (Some(Value::Array(_)) | None, Some(Value::Array(_))) | (Some(Value::Array(_)), None)
            if !is_empty(before) || !is_empty(after) =>
        {
            let items = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
            for (label, old, new) in pairs(&items(before), &items(after)) {
                path.push_str(&format!("[{label}]"));
                compare(path, old, new, found);
                path.truncate(end);
            }
        }
        _ => found.push(FieldDiff { path: path.clone(), before: before.cloned(), after: after.cloned() }),
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    }
}

fn push_key(path: &mut String, key: &str) {
    if key.contains(['.', '/']) {
        path.push_str(&format!("[{key:?}]"));
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}

/// The items of two lists that belong together: by name where all have one, else by place.
fn pairs<'v>(old: &'v [Value], new: &'v [Value]) -> Vec<(String, Option<&'v Value>, Option<&'v Value>)> {
    fn name(item: &Value) -> Option<&str> {
        item.get("name").and_then(Value::as_str)
    }
    if old.iter().chain(new).all(|item| name(item).is_some()) {
        let find = |items: &'v [Value], wanted: Option<&str>| items.iter().find(|item| name(item) == wanted);
        let gone = old.iter().filter(|item| find(new, name(item)).is_none());
        return new
            .iter()
            .chain(gone)
            .map(|item| {
                let wanted = name(item);
                (format!("name={}", wanted.unwrap_or_default()), find(old, wanted), find(new, wanted))
            })
            .collect();
    }
    (0..old.len().max(new.len())).map(|index| (index.to_string(), old.get(index), new.get(index))).collect()
}
