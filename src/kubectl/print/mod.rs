//! What `-o` asks for.

mod columns;
mod custom_columns;
pub(crate) mod jsonpath;
mod kyaml;
mod other;
mod pod;
mod sort;
mod table;
mod workloads;

pub(crate) use columns::{plain_table, table_of};
pub(crate) use custom_columns::CustomColumns;
pub(crate) use jsonpath::JsonPath;
pub(crate) use other::some_of;
pub(crate) use sort::sort;
pub(crate) use table::{Table, TableOptions};

use super::error::{CliError, Result};
use super::{gojson, yaml};
use crate::objects::Object;
use serde_json::{Value, json};

/// An output format that is not a table.
#[derive(Clone, Debug)]
pub(crate) enum Format {
    /// `-o json`
    Json,
    /// `-o yaml`
    Yaml,
    /// YAML in flow style.
    Kyaml,
    /// `-o name`
    Name,
    /// `-o jsonpath=…`
    JsonPath(JsonPath),
    /// `-o jsonpath-as-json=…`
    JsonPathAsJson(JsonPath),
    /// `-o custom-columns=…`
    CustomColumns(CustomColumns),
    /// `-o go-template=…`
    GoTemplate(super::gotemplate::Template),
}

/// Names of the formats that `get` knows.
const GET_FORMATS: &str = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,\
     jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml";
/// Names of the formats that other commands know.
const OTHER_FORMATS: &str =
    "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml";

impl Format {
    /// Reads `-o`. `None`: a table (`get`) or a sentence (other commands).
    ///
    /// # Errors
    /// In kubectl's words: an unknown format, a template that cannot be read.
    pub fn parse(output: Option<&str>, template: Option<&str>, is_get: bool) -> Result<Option<Self>> {
        let Some(output) = output.filter(|output| !output.is_empty()) else {
            return match template {
                Some(text) => Ok(Some(Self::GoTemplate(super::gotemplate::Template::parse(text)?))),
                None => Ok(None),
            };
        };
        let (name, argument) = match output.split_once('=') {
            Some((name, argument)) => (name, Some(argument)),
            None => (output, template),
        };
        let template_of = |kind: &str| {
            argument
                .filter(|text| !text.is_empty())
                .ok_or_else(|| CliError::message(format!("{kind} format specified but no {kind} given")))
        };
        Ok(Some(match name {
            "json" => Self::Json,
            "yaml" => Self::Yaml,
            "kyaml" => Self::Kyaml,
            "name" => Self::Name,
            "wide" if is_get => return Ok(None),
            "jsonpath" => Self::JsonPath(JsonPath::parse(template_of("template")?)?),
            "jsonpath-as-json" => Self::JsonPathAsJson(JsonPath::parse(template_of("template")?)?),
            "go-template" | "template" => {
                Self::GoTemplate(super::gotemplate::Template::parse(template_of("template")?)?)
            }
            "custom-columns" if is_get => {
                let spec = argument
                    .filter(|text| !text.is_empty())
                    .ok_or_else(|| CliError::message("custom-columns format specified but no custom columns given"))?;
                Self::CustomColumns(CustomColumns::parse(spec)?)
            }
            _ => {
                let known = if is_get { GET_FORMATS } else { OTHER_FORMATS };
                return Err(CliError::message(format!(
                    "unable to match a printer suitable for the output format {name:?}, allowed formats are: {known}"
                )));
            }
        }))
    }

    /// Whether objects are printed one by one even in a list.
    pub fn is_name(&self) -> bool {
        matches!(self, Self::Name)
    }

    /// Prints one object or list.
    ///
    /// # Errors
    /// When a template cannot be applied.
    pub fn print(&self, tree: &Value) -> Result<String> {
        Ok(match self {
            Self::Json => gojson::indented(tree) + "\n",
            Self::Yaml => yaml::to_yaml(tree),
            Self::Kyaml => kyaml::to_kyaml(tree),
            Self::Name => name_of(tree),
            Self::JsonPath(path) => path.print(tree)?,
            Self::JsonPathAsJson(path) => {
                let found: Vec<Value> = path.find_all(tree)?.into_iter().cloned().collect();
                gojson::indented(&Value::Array(found)) + "\n"
            }
            Self::CustomColumns(columns) => columns.print(tree, true),
            Self::GoTemplate(template) => template.print(tree)?,
        })
    }
}

/// `daemonset.apps/x`, one line for each item of a list.
fn name_of(tree: &Value) -> String {
    if let Some(items) = tree.get("items").and_then(Value::as_array) {
        return items.iter().map(name_of).collect();
    }
    let text = |pointer: &str| tree.pointer(pointer).and_then(Value::as_str).unwrap_or("");
    let kind = text("/kind").to_lowercase();
    let name = text("/metadata/name");
    match text("/apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{name}\n"),
        None => format!("{kind}/{name}\n"),
    }
}

/// An object as the API server serves it: with the empty members that Go always writes, without managed fields.
///
/// Follows kubernetes api core/v1 types.go (which fields lack `omitempty`), v1.36.
pub(crate) fn served(object: &Object) -> Value {
    let mut tree = object.to_value();
    if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    match object {
        Object::Node(_) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("spec").or_insert_with(|| json!({}));
                let status = map.entry("status").or_insert_with(|| json!({}));
                if let Some(status) = status.as_object_mut() {
                    status.entry("daemonEndpoints").or_insert_with(|| json!({"kubeletEndpoint": {"Port": 0}}));
                    let info = status.entry("nodeInfo").or_insert_with(|| json!({}));
                    if let Some(info) = info.as_object_mut() {
                        for field in NODE_INFO {
                            info.entry(field).or_insert_with(|| json!(""));
                        }
                    }
                }
            }
        }
        Object::Pod(_) => {
            pod::add_service_account_volume(object, &mut tree);
            for condition in tree.pointer_mut("/status/conditions").and_then(Value::as_array_mut).into_iter().flatten()
            {
                if let Some(condition) = condition.as_object_mut() {
                    condition.entry("lastProbeTime").or_insert(Value::Null);
                }
            }
            for list in ["/status/containerStatuses", "/status/initContainerStatuses"] {
                for status in tree.pointer_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Some(status) = status.as_object_mut() {
                        status.entry("lastState").or_insert_with(|| json!({}));
                        status.entry("state").or_insert_with(|| json!({}));
                    }
                }
            }
        }
        Object::DaemonSet(_) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("spec").or_insert_with(|| json!({}));
                // These numbers are there even when they are nought.
                let status = map.entry("status").or_insert_with(|| json!({}));
                if let Some(status) = status.as_object_mut() {
                    for field in
                        ["currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"]
                    {
                        status.entry(field).or_insert_with(|| json!(0));
                    }
                }
            }
        }
        Object::ReplicaSet(_) => {
            let status = tree.as_object_mut().map(|map| map.entry("status").or_insert_with(|| json!({})));
            if let Some(status) = status.and_then(Value::as_object_mut) {
                status.entry("replicas").or_insert_with(|| json!(0));
            }
        }
        Object::PriorityClass(_) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("value").or_insert_with(|| json!(0));
            }
        }
        Object::Event(event) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("eventTime").or_insert(Value::Null);
                map.entry("reportingComponent").or_insert_with(|| json!(event.source.component));
                map.entry("reportingInstance").or_insert_with(|| json!(event.source.host));
            }
        }
        Object::Deployment(_) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("status").or_insert_with(|| json!({}));
            }
        }
        Object::Namespace(_) => {
            if let Some(map) = tree.as_object_mut() {
                map.entry("spec").or_insert_with(|| json!({"finalizers": ["kubernetes"]}));
            }
            // The store keeps the namespace's own finalizer with the others.
            if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("finalizers");
            }
        }
        _ => {}
    }
    tree
}

const NODE_INFO: [&str; 10] = [
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
];

/// A list as `get -o yaml` prints several objects.
pub(crate) fn list_of(items: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}
