//! `--record`: the command line as the reason for a change.
//!
//! Follows kubernetes cli-runtime pkg/genericclioptions/record_flags.go, v1.36.

use crate::kubectl::command::Command;
use serde_json::{Map, Value, json};

/// It says why a revision was made.
pub(crate) const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The command line, if it is to be recorded: its words, then its flags.
pub(crate) fn change_cause(command: &Command) -> Option<String> {
    if !command.flags.is_on("record") {
        return None;
    }
    let words = std::iter::once(command.path.clone()).chain(command.arguments.iter().cloned());
    let flags = command.flags.in_order().map(|(name, value)| format!("--{name}={value}"));
    Some(words.chain(flags).collect::<Vec<_>>().join(" "))
}

/// Writes the command line into an object.
pub(crate) fn record(command: &Command, tree: &mut Value) {
    let (Some(cause), Some(map)) = (change_cause(command), tree.as_object_mut()) else { return };
    let metadata = map.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    let annotations = metadata.entry("annotations").or_insert_with(|| Value::Object(Map::new()));
    if !annotations.is_object() {
        *annotations = Value::Object(Map::new());
    }
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.insert(CHANGE_CAUSE.into(), cause.into());
    }
}

/// A merge patch that writes the command line into an object.
pub(crate) fn patch(command: &Command) -> Option<Value> {
    change_cause(command).map(|cause| json!({"metadata": {"annotations": {CHANGE_CAUSE: cause}}}))
}
