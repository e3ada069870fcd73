//! What surrounds a command: the cluster, the files, the current namespace, the output so far.

use super::command::Command;
use crate::apiserver::ApiServer;
use crate::apiserver::schema::Resource;
use crate::kubelet::Behaviours;
use crate::objects::ObjectKey;
use std::collections::BTreeMap;

/// What surrounds a command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// Files by name, for `-f NAME`: the editor's tabs.
    pub files: BTreeMap<String, String>,
    /// The namespace of the current context; empty: `default`.
    pub namespace: String,
    /// Standard input of the line, for `-f -`.
    pub stdin: Option<String>,
    /// How pods behave, for `top`: what they use.
    pub behaviours: Behaviours,
}

/// What a command did besides printing and writing to the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `kubectl config set-context --current --namespace=…`: the namespace of later commands.
    Namespace(String),
    /// `kubectl edit`: the object is to be opened in the editor; saving it is the command `kubectl replace -f FILE`.
    Edit {
        /// Name for the tab.
        file: String,
        /// The object as YAML.
        text: String,
    },
    /// A file that the line wrote (`> FILE`).
    File {
        /// Name.
        name: String,
        /// Content.
        text: String,
    },
}

/// One running command.
pub(crate) struct Io<'a> {
    pub api: &'a mut ApiServer,
    pub context: &'a Context,
    /// Namespace that `-n` gives, else the context's.
    namespace: String,
    pub stdin: Option<&'a str>,
    pub out: String,
    pub err: String,
    pub effects: Vec<Effect>,
}

impl<'a> Io<'a> {
    pub fn new(api: &'a mut ApiServer, context: &'a Context, command: &Command, stdin: Option<&'a str>) -> Self {
        let given = command.flags.get("namespace").filter(|namespace| !namespace.is_empty());
        let namespace = match given {
            Some(namespace) => namespace,
            None if context.namespace.is_empty() => "default",
            None => &context.namespace,
        };
        let namespace = namespace.to_owned();
        Self { api, context, namespace, stdin, out: String::new(), err: String::new(), effects: Vec::new() }
    }

    /// The namespace that the command works in.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Namespace (where the resource has one) and name.
    pub fn key(&self, resource: &Resource, name: &str) -> ObjectKey {
        ObjectKey::new(if resource.is_namespaced() { self.namespace.as_str() } else { "" }, name)
    }

    /// Prints one line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    /// Prints one line to standard error.
    pub fn complain(&mut self, text: impl AsRef<str>) {
        self.err.push_str(text.as_ref());
        self.err.push('\n');
    }

    /// Prints the API server's warnings.
    pub fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            self.complain(format!("Warning: {warning}"));
        }
    }
}
