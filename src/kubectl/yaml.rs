//! YAML as kubectl prints it.

use serde_json::Value;

/// A tree as YAML.
pub(crate) fn to_yaml(tree: &Value) -> String {
    serde_yaml::to_string(tree).unwrap_or_default()
}
