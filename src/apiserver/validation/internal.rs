//! Objects as Go prints the API server's internal types: fields in Go's order under their Go names.
use super::error::go_json;
use crate::apiserver::schema::Tree;
use serde_json::Value;

/// What stands for a field that is not there.
#[derive(Clone, Copy)]
enum Absent {
    Null,
    Empty,
    Zero,
}

/// The fields of a type: Go name, JSON name, type below (empty for a plain value), what stands for an absent one.
type Fields = &'static [(&'static str, &'static str, &'static str, Absent)];

fn fields_of(type_name: &str) -> Option<Fields> {
    use Absent::{Empty, Null, Zero};
    Some(match type_name {
        "SecurityContext" => &[
            ("Capabilities", "capabilities", "Capabilities", Null),
            ("Privileged", "privileged", "", Null),
            ("SELinuxOptions", "seLinuxOptions", "SELinuxOptions", Null),
            ("WindowsOptions", "windowsOptions", "WindowsOptions", Null),
            ("RunAsUser", "runAsUser", "", Null),
            ("RunAsGroup", "runAsGroup", "", Null),
            ("RunAsNonRoot", "runAsNonRoot", "", Null),
            ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem", "", Null),
            ("AllowPrivilegeEscalation", "allowPrivilegeEscalation", "", Null),
            ("ProcMount", "procMount", "", Null),
            ("SeccompProfile", "seccompProfile", "Profile", Null),
            ("AppArmorProfile", "appArmorProfile", "Profile", Null),
        ],
        "Capabilities" => &[("Add", "add", "", Null), ("Drop", "drop", "", Null)],
        "SELinuxOptions" => &[
            ("User", "user", "", Empty),
            ("Role", "role", "", Empty),
            ("Type", "type", "", Empty),
            ("Level", "level", "", Empty),
        ],
        "WindowsOptions" => &[
            ("GMSACredentialSpecName", "gmsaCredentialSpecName", "", Null),
            ("GMSACredentialSpec", "gmsaCredentialSpec", "", Null),
            ("RunAsUserName", "runAsUserName", "", Null),
            ("HostProcess", "hostProcess", "", Null),
        ],
        "Profile" => &[("Type", "type", "", Empty), ("LocalhostProfile", "localhostProfile", "", Null)],
        "UpdateStrategy" => &[("Type", "type", "", Empty), ("RollingUpdate", "rollingUpdate", "RollingUpdate", Null)],
        "RollingUpdate" => &[("MaxUnavailable", "maxUnavailable", "", Zero), ("MaxSurge", "maxSurge", "", Zero)],
        "Taint" => &[
            ("Key", "key", "", Empty),
            ("Value", "value", "", Empty),
            ("Effect", "effect", "", Empty),
            ("TimeAdded", "timeAdded", "", Null),
        ],
        "NodeAddress" => &[("Type", "type", "", Empty), ("Address", "address", "", Empty)],
        "PodResourceClaim" => &[
            ("Name", "name", "", Empty),
            ("ResourceClaimName", "resourceClaimName", "", Null),
            ("ResourceClaimTemplateName", "resourceClaimTemplateName", "", Null),
        ],
        "NodeSelectorTerm" => &[
            ("MatchExpressions", "matchExpressions", "NodeSelectorRequirement", Null),
            ("MatchFields", "matchFields", "NodeSelectorRequirement", Null),
        ],
        "NodeSelectorRequirement" => {
            &[("Key", "key", "", Empty), ("Operator", "operator", "", Empty), ("Values", "values", "", Null)]
        }
        "ScopeSelector" => &[("MatchExpressions", "matchExpressions", "ScopeRequirement", Null)],
        "ScopeRequirement" => &[
            ("ScopeName", "scopeName", "", Empty),
            ("Operator", "operator", "", Empty),
            ("Values", "values", "", Null),
        ],
        "PodDisruptionBudgetSpec" => &[
            ("MinAvailable", "minAvailable", "", Null),
            ("Selector", "selector", "", Null),
            ("MaxUnavailable", "maxUnavailable", "", Null),
            ("UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", "", Null),
        ],
        _ => return None,
    })
}

/// The object as Go's JSON of the internal type (see `fields_of` in this file for those that are known).
pub fn internal_json(type_name: &str, tree: Tree<'_>) -> String {
    let Some(fields) = fields_of(type_name) else { return go_json(tree.0) };
    if !tree.exists() {
        return "null".into();
    }
    if tree.0.is_array() {
        let items: Vec<String> = tree.items().map(|item| internal_json(type_name, item)).collect();
        return format!("[{}]", items.join(","));
    }
    let parts: Vec<String> = fields
        .iter()
        .map(|(go, json, below, absent)| {
            let value = tree.at(json);
            let shown = match (value.exists(), absent) {
                (true, _) if below.is_empty() => go_json(value.0),
                (true, _) => internal_json(below, value),
                (false, Absent::Null) => "null".into(),
                (false, Absent::Empty) => go_json(&Value::from("")),
                (false, Absent::Zero) => "0".into(),
            };
            format!("\"{go}\":{shown}")
        })
        .collect();
    format!("{{{}}}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn internal_objects_have_go_names_in_go_order() {
        let show = |name, tree: Value| internal_json(name, Tree(&tree));
        assert_eq!(show("UpdateStrategy", json!({"type": "Recreate"})), r#"{"Type":"Recreate","RollingUpdate":null}"#);
        assert_eq!(
            show("UpdateStrategy", json!({"type": "x", "rollingUpdate": {"maxUnavailable": "10%"}})),
            r#"{"Type":"x","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":0}}"#
        );
        assert_eq!(
            show("Taint", json!({"key": "a", "effect": "NoSchedule"})),
            r#"{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}"#
        );
    }
}
