//! AppArmor profiles that are still written as annotations become fields of their containers.
//!
//! Follows kubernetes pkg/registry/core/pod/strategy.go applyAppArmorVersionSkew, v1.36.
use super::schema::value::{object_at, objects_of};
use super::schema::{Path, Tree};
use super::validation::{APP_ARMOR_ANNOTATION, APP_ARMOR_WARNING};
use serde_json::{Map, Value, json};

/// Sets the fields that the annotations of a new pod stand for. Returns what is to be said of the annotations.
pub fn fields_from_annotations(pod: &mut Value) -> Vec<String> {
    let mut warnings = Vec::new();
    let annotations = Tree(pod).path(&["metadata", "annotations"]).0.clone();
    if !Tree(&annotations).entries().any(|(key, _)| key.starts_with(APP_ARMOR_ANNOTATION)) {
        return warnings;
    }
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return warnings };
    let written = Value::Object(spec.clone());
    if Tree(&written).at("os").str("name") == "windows" {
        return warnings;
    }
    let of_pod = Tree(&written).at("securityContext").at("appArmorProfile").0;
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in objects_of(spec, list) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or("");
            let key = format!("{APP_ARMOR_ANNOTATION}{name}");
            let Some(annotation) = annotations.get(&key).and_then(Value::as_str) else { continue };
            let context = container.get("securityContext").unwrap_or(&Value::Null);
            if Tree(context).has("appArmorProfile") {
                continue;
            }
            match profile(annotation) {
                Some(profile) if profile == *of_pod => continue,
                Some(profile) => set_profile(container, profile),
                None => {}
            }
            let metadata = Path::new("metadata");
            let place = metadata.child("annotations");
            warnings.push(format!("{}: {APP_ARMOR_WARNING}", place.key(&key)));
        }
    }
    warnings
}

fn set_profile(container: &mut Map<String, Value>, profile: Value) {
    if let Some(context) = object_at(container, "securityContext") {
        context.insert("appArmorProfile".into(), profile);
    }
}

/// The field that an annotation stands for, when it is sound.
fn profile(annotation: &str) -> Option<Value> {
    match annotation {
        "unconfined" => Some(json!({"type": "Unconfined"})),
        "runtime/default" => Some(json!({"type": "RuntimeDefault"})),
        _ => {
            let file = annotation.strip_prefix("localhost/")?;
            let sound = !file.is_empty() && file.trim() == file && file.len() <= 4095;
            sound.then(|| json!({"type": "Localhost", "localhostProfile": file}))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "container.apparmor.security.beta.kubernetes.io/c";

    fn told(annotation: &str, spec: Value) -> (usize, Value) {
        let mut pod = json!({"metadata": {"annotations": {KEY: annotation}}, "spec": spec});
        let warnings = fields_from_annotations(&mut pod);
        (warnings.len(), pod["spec"]["containers"][0]["securityContext"]["appArmorProfile"].clone())
    }

    #[test]
    fn annotations_become_fields() {
        let plain = || json!({"containers": [{"name": "c"}]});
        assert_eq!(told("unconfined", plain()), (1, json!({"type": "Unconfined"})));
        assert_eq!(told("runtime/default", plain()), (1, json!({"type": "RuntimeDefault"})));
        assert_eq!(told("localhost/a", plain()), (1, json!({"type": "Localhost", "localhostProfile": "a"})));
        assert_eq!(told("localhost/", plain()), (1, Value::Null), "what is unsound stays an annotation");
    }

    #[test]
    fn fields_that_are_there_go_first() {
        let own = json!({"type": "RuntimeDefault"});
        let mut in_container = json!({"containers": [{"name": "c", "securityContext": null}]});
        in_container["containers"][0]["securityContext"] = json!({"appArmorProfile": own});
        assert_eq!(told("unconfined", in_container), (0, own.clone()));
        let mut in_pod = json!({"securityContext": null, "containers": [{"name": "c"}]});
        in_pod["securityContext"] = json!({"appArmorProfile": own});
        assert_eq!(told("runtime/default", in_pod.clone()), (0, Value::Null), "the pod's says the same");
        assert_eq!(told("unconfined", in_pod.clone()), (1, json!({"type": "Unconfined"})));
        in_pod["os"] = json!({"name": "windows"});
        assert_eq!(told("unconfined", in_pod), (0, Value::Null));
    }
}
