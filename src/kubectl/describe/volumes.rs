use super::Writer;
use serde_json::Value;

/// What volumes hold.
pub(super) fn describe(w: &mut Writer, volumes: &[Value], space: &str) {
    if volumes.is_empty() {
        w.line(0, format!("{space}Volumes:\t<none>"));
        return;
    }
    w.line(0, format!("{space}Volumes:"));
    let indent = if space.is_empty() { "" } else { " " };
    for volume in volumes {
        let name = volume.get("name").and_then(Value::as_str).unwrap_or("");
        w.line(1, format!("{indent}{name}:"));
        describe_one(w, volume);
    }
}

fn describe_one(w: &mut Writer, volume: &Value) {
    let source = |field: &str| volume.get(field).filter(|value| !value.is_null());
    let text = |value: &Value, pointer: &str| value.pointer(pointer).map_or_else(String::new, crate::kubectl::go_print);
    let flag = |value: &Value, field: &str| value.get(field).and_then(Value::as_bool).unwrap_or(false);
    if let Some(path) = source("hostPath") {
        w.pair(2, "Type", "HostPath (bare host directory volume)");
        w.pair(2, "Path", text(path, "/path"));
        w.pair(2, "HostPathType", path.get("type").and_then(Value::as_str).unwrap_or("<none>"));
    } else if let Some(empty) = source("emptyDir") {
        w.pair(2, "Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
        w.pair(2, "Medium", text(empty, "/medium"));
        let limit = text(empty, "/sizeLimit");
        w.pair(2, "SizeLimit", if matches!(limit.as_str(), "" | "0") { "<unset>" } else { &limit });
    } else if let Some(secret) = source("secret") {
        w.pair(2, "Type", "Secret (a volume populated by a Secret)");
        w.pair(2, "SecretName", text(secret, "/secretName"));
        w.pair(2, "Optional", flag(secret, "optional"));
    } else if let Some(config) = source("configMap") {
        w.pair(2, "Type", "ConfigMap (a volume populated by a ConfigMap)");
        w.pair(2, "Name", text(config, "/name"));
        w.pair(2, "Optional", flag(config, "optional"));
    } else if let Some(claim) = source("persistentVolumeClaim") {
        let about = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)";
        w.pair(2, "Type", about);
        w.pair(2, "ClaimName", text(claim, "/claimName"));
        w.pair(2, "ReadOnly", flag(claim, "readOnly"));
    } else if let Some(downward) = source("downwardAPI") {
        w.pair(2, "Type", "DownwardAPI (a volume populated by information about the pod)");
        w.line(2, "Items:");
        for item in downward.get("items").and_then(Value::as_array).into_iter().flatten() {
            for field in ["/fieldRef/fieldPath", "/resourceFieldRef/resource"] {
                if item.pointer(field).is_some() {
                    w.line(3, format!("{} -> {}", text(item, field), text(item, "/path")));
                }
            }
        }
    } else if let Some(projected) = source("projected") {
        w.pair(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
        for part in projected.get("sources").and_then(Value::as_array).into_iter().flatten() {
            if let Some(secret) = part.get("secret") {
                w.pair(2, "SecretName", text(secret, "/name"));
                w.pair(2, "Optional", flag(secret, "optional"));
            } else if part.get("downwardAPI").is_some() {
                w.pair(2, "DownwardAPI", true);
            } else if let Some(config) = part.get("configMap") {
                w.pair(2, "ConfigMapName", text(config, "/name"));
                w.pair(2, "Optional", flag(config, "optional"));
            } else if let Some(token) = part.get("serviceAccountToken") {
                w.pair(2, "TokenExpirationSeconds", text(token, "/expirationSeconds"));
            }
        }
    } else if let Some(nfs) = source("nfs") {
        w.pair(2, "Type", "NFS (an NFS mount that lasts the lifetime of a pod)");
        w.pair(2, "Server", text(nfs, "/server"));
        w.pair(2, "Path", text(nfs, "/path"));
        w.pair(2, "ReadOnly", flag(nfs, "readOnly"));
    } else if let Some(csi) = source("csi") {
        w.pair(2, "Type", "CSI (a Container Storage Interface (CSI) volume source)");
        w.pair(2, "Driver", text(csi, "/driver"));
        w.pair(2, "FSType", text(csi, "/fsType"));
        w.pair(2, "ReadOnly", flag(csi, "readOnly"));
        let attributes = csi.get("volumeAttributes").and_then(Value::as_object).into_iter().flatten();
        let attributes: Vec<String> =
            attributes.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or(""))).collect();
        w.lines("    ", "VolumeAttributes", &attributes);
    } else if let Some(image) = source("image") {
        w.pair(2, "Type", "Image (a container image or OCI artifact)");
        w.pair(2, "Reference", text(image, "/reference"));
        w.pair(2, "PullPolicy", text(image, "/pullPolicy"));
    } else if source("ephemeral").is_some() {
        let about = "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)";
        w.pair(2, "Type", about);
    } else {
        w.line(1, "<unknown>");
    }
}
