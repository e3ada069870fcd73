//! Objects from files and standard input (`-f`).
//!
//! Follows kubernetes cli-runtime pkg/resource/visitor.go and mapper.go, v1.36.

use super::command::Command;
use super::context::Io;
use super::error::{CliError, Result};
use super::select::Info;
use crate::apiserver::schema::{client_metadata_error, resource_of};
use crate::manifest::{self, Limits};
use crate::objects::ObjectKey;
use serde_json::Value;

/// Reads all files of `-f`, in order. An entry is an object or what kept it from being read.
///
/// # Errors
/// A file that is not there.
pub(crate) fn read(io: &Io, command: &Command) -> Result<Vec<Result<Info>>> {
    let mut items = Vec::new();
    let mut stdin_taken = false;
    for name in command.flags.all("filename") {
        for name in name.split(',').filter(|name| !name.is_empty()) {
            if name == "-" {
                if std::mem::replace(&mut stdin_taken, true) {
                    return Err(CliError::message("standard input cannot be used for multiple arguments"));
                }
                read_text(io, command, io.stdin.unwrap_or(""), "STDIN", &mut items);
            } else if name.starts_with("http://") || name.starts_with("https://") {
                let why = "no request ever leaves this page; paste the text into a tab instead";
                return Err(CliError::not_offered(&format!("reading {name}"), why));
            } else if let Some(text) = file(io, name) {
                read_text(io, command, text, name, &mut items);
            } else if matches!(name, "." | "./") {
                for (name, text) in &io.context.files {
                    read_text(io, command, text, name, &mut items);
                }
            } else {
                return Err(CliError::message(format!("the path {name:?} does not exist")));
            }
        }
    }
    Ok(items)
}

/// A file of the context; `./x` is `x`.
pub(crate) fn file<'a>(io: &Io<'a>, name: &str) -> Option<&'a str> {
    let plain = name.strip_prefix("./").unwrap_or(name);
    io.context.files.get(name).or_else(|| io.context.files.get(plain)).map(String::as_str)
}

fn read_text(io: &Io, command: &Command, text: &str, source: &str, items: &mut Vec<Result<Info>>) {
    let read = manifest::read(text, &Limits::default());
    for document in read.stream() {
        match document {
            Err(diagnostic) => {
                let text = diagnostic.kubectl_stderr(source).unwrap_or_else(|| format!("error: {}", diagnostic.fact));
                items.push(Err(CliError::Message(text.strip_prefix("error: ").unwrap_or(&text).to_owned())));
            }
            Ok(document) if document.is_empty() => {}
            Ok(document) => {
                if let Some(value) = document.value()
                    && let Err(error) = check_type(value, source, command)
                {
                    items.push(Err(error));
                    continue;
                }
                for object in document.objects() {
                    items.push(info(io, command, object.value.into_owned(), source));
                }
            }
        }
    }
}

/// apiVersion and kind must be there.
fn check_type(value: &Value, source: &str, command: &Command) -> Result<()> {
    if validates(command) {
        let problems: Vec<String> = if value.is_object() {
            ["apiVersion", "kind"].into_iter().filter_map(|field| type_problem(value, field)).collect()
        } else {
            vec!["invalid object to validate".into()]
        };
        let problem = match problems.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        if !problem.is_empty() {
            return Err(CliError::message(format!(
                "error validating {source:?}: error validating data: {problem}; if you choose to ignore these errors, \
                 turn validation off with --validate=false"
            )));
        }
    }
    if value.get("kind").and_then(Value::as_str).is_some_and(|kind| !kind.is_empty()) {
        return Ok(());
    }
    let shown = super::compact_json(value);
    Err(CliError::message(format!("unable to decode {source:?}: Object 'Kind' is missing in '{shown}'")))
}

/// What is wrong with an object's apiVersion or kind.
///
/// Follows kubernetes kubectl pkg/validation getObjectKind, v1.36.
fn type_problem(value: &Value, field: &str) -> Option<String> {
    match value.get(field) {
        Some(Value::String(text)) if field == "apiVersion" && text.matches('/').count() > 1 => {
            Some(format!("unexpected GroupVersion string: {text}"))
        }
        Some(Value::String(_)) => None,
        None | Some(Value::Null) => Some(format!("{field} not set")),
        Some(_) => Some(format!("{field} isn't string type")),
    }
}

/// Whether `--validate` asks for more than nothing.
pub(crate) fn validates(command: &Command) -> bool {
    !matches!(command.flags.get("validate"), Some("false" | "ignore"))
}

/// An object of a file, with its namespace filled in.
pub(crate) fn info(io: &Io, command: &Command, mut tree: Value, source: &str) -> Result<Info> {
    check_type(&tree, source, command)?;
    if let Some(why) = client_metadata_error(&tree) {
        return Err(CliError::message(format!("unable to decode {source:?}: {why}")));
    }
    let text = |pointer: &str| tree.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    let (api_version, kind) = (text("/apiVersion"), text("/kind"));
    let (name, given) = (text("/metadata/name"), text("/metadata/namespace"));
    let Some(resource) = resource_of(&api_version, &kind) else {
        return Err(CliError::message(format!(
            "resource mapping not found for name: {name:?} namespace: {given:?} from {source:?}: no matches for kind \
             {kind:?} in version {api_version:?}\nensure CRDs are installed first"
        )));
    };
    if !resource.is_namespaced() {
        if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("namespace");
        }
        let key = ObjectKey::cluster(name);
        return Ok(Info { resource, key, manifest: Some(tree), object: None, source: source.into() });
    }
    let namespace = if given.is_empty() { io.namespace().to_owned() } else { given };
    if command.flags.has("namespace") && namespace != io.namespace() {
        let wanted = io.namespace();
        return Err(CliError::message(format!(
            "the namespace from the provided object {namespace:?} does not match the namespace {wanted:?}. You must pass \
             '--namespace={namespace}' to perform this operation."
        )));
    }
    if let Some(map) = tree.as_object_mut() {
        let metadata = map.entry("metadata").or_insert_with(|| Value::Object(Default::default()));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert("namespace".into(), namespace.as_str().into());
        }
    }
    let key = ObjectKey::new(namespace, name);
    Ok(Info { resource, key, manifest: Some(tree), object: None, source: source.into() })
}
