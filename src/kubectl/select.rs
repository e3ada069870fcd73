//! Which objects a command line means.
//!
//! Follows kubernetes cli-runtime pkg/resource/builder.go, v1.36.

use super::command::Command;
use super::context::Io;
use super::error::{CliError, Result};
use super::lister;
use super::selector::{FieldSelector, Selector};
use super::sources;
use crate::apiserver::Status;
use crate::apiserver::schema::Resource;
use crate::objects::{Kind, Object, ObjectKey};
use serde_json::Value;

/// One object that a command is about.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    /// Its resource.
    pub resource: &'static Resource,
    /// Its key.
    pub key: ObjectKey,
    /// What a file says about it; `None` when it was named on the command line.
    pub manifest: Option<Value>,
    /// The object in the cluster; `None` for what comes from a file.
    pub object: Option<Object>,
    /// The file.
    pub source: String,
}

impl Info {
    /// `daemonset.apps/x`.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.resource.qualified_singular(), self.key.name)
    }
}

/// What a command line selects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// In order.
    pub infos: Vec<Info>,
    /// What could not be found or read, in order.
    pub errors: Vec<CliError>,
    /// The resources that were named.
    pub resources: Vec<&'static Resource>,
    /// Exactly one object was named, by its name.
    pub is_single: bool,
}

impl Selection {
    /// The objects, or all errors.
    pub fn all(self) -> Result<Vec<Info>> {
        CliError::join(self.errors)?;
        Ok(self.infos)
    }
}

/// How a command reads its arguments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// A type alone means all its objects (`get`, `describe`); without it, it is an error.
    pub type_means_all: bool,
    /// Objects of files are looked up in the cluster.
    pub looks_up_files: bool,
    /// Objects that are named are not looked up.
    pub names_only: bool,
}

/// What kubectl says when no object is named.
pub(crate) const MISSING: &str = "You must provide one or more resources by argument or filename.\n\
     Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   \
     '<resource>'";

/// Resources that `get all` means.
const ALL: [&str; 10] = [
    "pods",
    "replicationcontrollers",
    "services",
    "daemonsets.apps",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "horizontalpodautoscalers.autoscaling",
    "cronjobs.batch",
    "jobs.batch",
];

/// The arguments of a command, sorted.
#[derive(Debug, Default)]
struct Words<'a> {
    types: Vec<&'a str>,
    names: Vec<&'a str>,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn read(arguments: &'a [String]) -> Result<Self> {
        let slashed = arguments.iter().filter(|argument| argument.contains('/')).count();
        let mut words = Self::default();
        if slashed > 0 && slashed != arguments.len() {
            return Err(CliError::message(
                "there is no need to specify a resource type as a separate argument when passing arguments in \
                 resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource \
                 resource/<resource_name>'",
            ));
        }
        if slashed > 0 {
            for argument in arguments {
                let parts: Vec<&str> = argument.split('/').collect();
                match parts.as_slice() {
                    [kind, name] if !kind.is_empty() && !name.is_empty() && !kind.contains(',') => {
                        words.pairs.push((kind, name));
                    }
                    [_, _] => {
                        let message = "arguments in resource/name form must have a single resource and name";
                        return Err(CliError::message(message));
                    }
                    _ => {
                        let message = "arguments in resource/name form may not have more than one slash";
                        return Err(CliError::message(message));
                    }
                }
            }
            return Ok(words);
        }
        if let Some((first, rest)) = arguments.split_first() {
            words.types = if first == "all" { ALL.to_vec() } else { first.split(',').collect() };
            words.names = rest.iter().map(String::as_str).collect();
        }
        Ok(words)
    }
}

/// The objects that a command's arguments and flags mean.
///
/// # Errors
/// When the arguments themselves are wrong; what a single object gives is in [`Selection::errors`].
pub(crate) fn select(io: &Io, command: &Command, arguments: &[String], rules: Rules) -> Result<Selection> {
    let flags = &command.flags;
    let files = flags.all("filename");
    if !files.is_empty() {
        if arguments.iter().any(|argument| argument.contains('/')) {
            return Err(CliError::message("resource/name arguments cannot be provided when a path is specified"));
        }
        if !arguments.is_empty() {
            return Err(CliError::message(
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
            ));
        }
        return from_files(io, command, rules);
    }
    let words = Words::read(arguments)?;
    // Names win over --all, but where it is a selector of its own.
    let named = !words.names.is_empty() || !words.pairs.is_empty();
    let everything = flags.is_on("all")
        && match command.verb {
            super::Verb::Apply => false,
            super::Verb::Delete => true,
            _ => !named,
        };
    let all_namespaces = flags.is_on("all-namespaces");
    let labels = flags.get("selector").filter(|text| !text.is_empty());
    let fields = flags.get("field-selector").filter(|text| !text.is_empty());
    let by_type = rules.type_means_all && words.names.is_empty() && words.pairs.is_empty() && !words.types.is_empty();
    if labels.is_some() || fields.is_some() || everything || by_type {
        if !words.names.is_empty() {
            return Err(CliError::message("name cannot be provided when a selector is specified"));
        }
        if !words.pairs.is_empty() {
            let message = "selectors and the all flag cannot be used when passing resource/name arguments";
            return Err(CliError::message(message));
        }
        if words.types.is_empty() {
            return Err(CliError::message("at least one resource must be specified to use a selector"));
        }
        let resources = mappings(&words.types)?;
        return by_selector(io, command, resources, labels.unwrap_or(""), fields.unwrap_or(""));
    }
    let mut selection = Selection::default();
    let mut wanted: Vec<(&'static Resource, &str)> = Vec::new();
    if !words.pairs.is_empty() {
        for (kind, name) in &words.pairs {
            wanted.push((mapping(kind)?, name));
        }
    } else if !words.names.is_empty() {
        if words.types.len() > 1 {
            return Err(CliError::message("you must specify only one resource"));
        }
        let resource = mapping(words.types.first().copied().unwrap_or(""))?;
        wanted.extend(words.names.iter().map(|name| (resource, *name)));
    } else if words.types.is_empty() {
        return Err(CliError::message(MISSING));
    } else {
        mappings(&words.types)?;
        return Err(CliError::message("resource(s) were provided, but no name was specified"));
    }
    selection.is_single = wanted.len() == 1;
    for (resource, name) in wanted {
        if !selection.resources.contains(&resource) {
            selection.resources.push(resource);
        }
        if all_namespaces && resource.is_namespaced() {
            return Err(CliError::message("a resource cannot be retrieved by name across all namespaces"));
        }
        let key = io.key(resource, name);
        let mut info = Info { resource, key, manifest: None, object: None, source: String::new() };
        if rules.names_only {
            selection.infos.push(info);
            continue;
        }
        match find(io, resource, &info.key) {
            Ok(object) => {
                info.object = Some(object);
                selection.infos.push(info);
            }
            Err(_) if flags.is_on("ignore-not-found") => {}
            Err(status) => selection.errors.push(status.into()),
        }
    }
    Ok(selection)
}

/// One object; when it is not there, the namespace may be what is missing.
///
/// Follows kubernetes cli-runtime pkg/resource/visitor.go Info.Get, v1.36.
///
/// # Errors
/// `NotFound`.
pub(crate) fn find(io: &Io, resource: &Resource, key: &ObjectKey) -> std::result::Result<Object, Status> {
    lister::get(io.api, resource, key).map_err(|status| {
        let namespace = ObjectKey::cluster(key.namespace.clone());
        let is_special = key.namespace.is_empty() || &*key.namespace == "default";
        if is_special || io.api.store().namespace(&namespace).is_some() {
            status
        } else {
            Status::not_found("namespaces", &key.namespace)
        }
    })
}

/// The resource of a word.
///
/// # Errors
/// When the server has none of that name.
pub(crate) fn mapping(word: &str) -> Result<&'static Resource> {
    lister::resource_named(word).ok_or_else(|| {
        // The group of the word is not told.
        let name = word.split('.').next().unwrap_or(word);
        CliError::Message(format!("the server doesn't have a resource type {name:?}"))
    })
}

fn mappings(words: &[&str]) -> Result<Vec<&'static Resource>> {
    let mut resources: Vec<&'static Resource> = Vec::new();
    for word in words {
        let known: Vec<&str> = if *word == "all" { ALL.to_vec() } else { vec![word] };
        for word in known {
            let resource = mapping(word)?;
            if !resources.contains(&resource) {
                resources.push(resource);
            }
        }
    }
    Ok(resources)
}

fn by_selector(
    io: &Io,
    command: &Command,
    resources: Vec<&'static Resource>,
    labels: &str,
    fields: &str,
) -> Result<Selection> {
    let mut selection = Selection { resources, ..Selection::default() };
    for resource in selection.resources.clone() {
        let refuse = |why: String| {
            let Resource { group, version, plural, .. } = resource;
            let asked = format!("{group}/{version}, Resource={plural}");
            CliError::from(Status::bad_request(format!(
                "Unable to find {asked:?} that match label selector {labels:?}, field selector {fields:?}: {why}"
            )))
        };
        let parsed = Selector::parse(labels)
            .and_then(|labels| FieldSelector::parse(fields).map(|fields| (labels, fields)))
            .and_then(|(labels, fields)| check_fields(resource, &fields).map(|()| (labels, fields)));
        let (label_selector, field_selector) = match parsed {
            Ok(parsed) => parsed,
            Err(why) => {
                selection.errors.push(refuse(why));
                continue;
            }
        };
        let namespace = (!command.flags.is_on("all-namespaces")).then(|| io.namespace());
        for object in lister::list(io.api, resource, namespace) {
            let fits = label_selector.matches(&object.metadata().labels)
                && (field_selector.terms.is_empty() || field_selector.matches(|field| field_value(&object, field)));
            if fits {
                let (key, source) = (object.key(), String::new());
                selection.infos.push(Info { resource, key, manifest: None, object: Some(object), source });
            }
        }
    }
    Ok(selection)
}

/// Whether the API server can select by these fields.
fn check_fields(resource: &Resource, selector: &FieldSelector) -> std::result::Result<(), String> {
    const POD: &str = "metadata.name metadata.namespace spec.nodeName spec.restartPolicy spec.schedulerName \
         spec.serviceAccountName spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName";
    const EVENT: &str = "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid \
         involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent \
         source type metadata.name metadata.namespace";
    let known = match resource.kind {
        "Pod" => POD,
        "Event" => EVENT,
        "Node" => "metadata.name spec.unschedulable",
        "Namespace" => "metadata.name status.phase",
        "Secret" => "metadata.name metadata.namespace type",
        _ => "metadata.name metadata.namespace",
    };
    let own_words = matches!(resource.kind, "Pod" | "Event" | "Node" | "Namespace" | "Secret");
    for (field, _, _) in &selector.terms {
        if !known.split_whitespace().any(|name| name == field) {
            return Err(if own_words {
                format!("field label not supported: {field}")
            } else {
                format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
            });
        }
    }
    Ok(())
}

/// The value that a field selector compares.
fn field_value(object: &Object, field: &str) -> String {
    let metadata = object.metadata();
    match (object, field) {
        (_, "metadata.name") => metadata.name.to_string(),
        (_, "metadata.namespace") => metadata.namespace.to_string(),
        (Object::Pod(pod), "spec.nodeName") => pod.spec.node_name.to_string(),
        (Object::Pod(pod), "spec.hostNetwork") => pod.spec.host_network.to_string(),
        (Object::Node(node), "spec.unschedulable") => node.spec.unschedulable.to_string(),
        (Object::Event(event), "source") => event.source.component.clone(),
        _ => {
            let tree = object.to_value();
            let pointer = format!("/{}", field.replace('.', "/"));
            match tree.pointer(&pointer) {
                Some(Value::String(text)) => text.clone(),
                Some(other) => super::go_print(other),
                None => String::new(),
            }
        }
    }
}

fn from_files(io: &Io, command: &Command, rules: Rules) -> Result<Selection> {
    let mut selection = Selection::default();
    let read = sources::read(io, command)?;
    for item in read {
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                selection.errors.push(error);
                continue;
            }
        };
        if !selection.resources.contains(&item.resource) {
            selection.resources.push(item.resource);
        }
        let mut info = item;
        if rules.looks_up_files {
            match find(io, info.resource, &info.key) {
                Ok(object) => info.object = Some(object),
                Err(_) if command.flags.is_on("ignore-not-found") => continue,
                Err(status) => {
                    selection.errors.push(status.into());
                    continue;
                }
            }
        }
        selection.infos.push(info);
    }
    selection.is_single = selection.infos.len() == 1;
    Ok(selection)
}

/// The typed kind of a resource, if the simulation acts on it.
pub(crate) fn kind_of(resource: &Resource) -> Option<Kind> {
    Kind::from_manifest(&resource.api_version(), resource.kind)
}
