//! YAML as kubectl prints it.

use serde_json::Value;

/// A tree as YAML.
pub(crate) fn to_yaml(tree: &Value) -> String {
    crate::manifest::to_yaml(tree)
}
