//! Volumes of a pod, and what containers mount of them.
//!
//! Follows kubernetes pkg/apis/core/validation (ValidateVolumes and neighbours), v1.36.
use super::downward;
use super::error::{Errors, Path};
use super::names;
use super::volume_sources::one_source;
use crate::apiserver::schema::Tree;

/// Volume sources in the API server's order: field, the name it has in "more than 1 volume type" (some are misspelt),
/// the name its own faults are under, and the fields that may not be empty.
const SOURCES: &[(&str, &str, &str, &[&str])] = &[
    ("emptyDir", "emptyDir", "emptyDir", &[]),
    ("hostPath", "hostPath", "hostPath", &[]),
    ("gitRepo", "gitRepo", "gitRepo", &["repository"]),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk", &["pdName"]),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore", &["volumeID"]),
    ("secret", "secret", "secret", &["secretName"]),
    ("nfs", "nfs", "nfs", &["server", "path"]),
    ("iscsi", "iscsi", "iscsi", &["targetPortal", "iqn"]),
    ("glusterfs", "glusterfs", "glusterfs", &["endpoints", "path"]),
    ("flocker", "flocker", "flocker", &[]),
    ("persistentVolumeClaim", "persistentVolumeClaim", "persistentVolumeClaim", &["claimName"]),
    ("rbd", "rbd", "rbd", &["monitors", "image"]),
    ("cinder", "cinder", "cinder", &["volumeID"]),
    ("cephfs", "cephFS", "cephfs", &["monitors"]),
    ("quobyte", "quobyte", "quobyte", &[]),
    ("downwardAPI", "downwarAPI", "downwardAPI", &[]),
    ("fc", "fc", "fc", &[]),
    ("flexVolume", "flexVolume", "flexVolume", &["driver"]),
    ("configMap", "configMap", "configMap", &["name"]),
    ("azureFile", "azureFile", "azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk", &["pdID"]),
    ("portworxVolume", "portworxVolume", "portworxVolume", &["volumeID"]),
    ("azureDisk", "azureDisk", "azureDisk", &["diskName", "diskURI"]),
    ("storageos", "storageos", "storageos", &["volumeName"]),
    ("projected", "projected", "projected", &[]),
    ("scaleIO", "scaleIO", "scaleIO", &["gateway", "system", "volumeName"]),
    ("csi", "csi", "csi", &[]),
    ("ephemeral", "ephemeral", "ephemeral", &["volumeClaimTemplate"]),
    ("image", "image", "image", &[]),
];

const FILE_MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";
/// The sound volumes with their names.
pub type Volumes<'a> = Vec<(&'a str, Tree<'a>)>;

fn find<'a>(volumes: &Volumes<'a>, name: &str) -> Option<Tree<'a>> {
    volumes.iter().find(|(known, _)| *known == name).map(|(_, volume)| *volume)
}

/// What the rules need to know besides the volumes.
#[derive(Clone, Copy)]
pub struct VolumeContext<'a> {
    /// Name of the pod, empty in a template.
    pub pod_name: &'a str,
    /// Whether this is a pod and not a template.
    pub is_pod: bool,
}

/// All volumes of a pod.
pub fn volumes<'a>(spec: Tree<'a>, context: VolumeContext<'_>, path: &Path<'_>, errors: &mut Errors) -> Volumes<'a> {
    let mut sound = Volumes::new();
    let created: Vec<String> = spec
        .list("volumes")
        .filter(|v| !context.pod_name.is_empty() && v.has("ephemeral"))
        .map(|v| format!("{}-{}", context.pod_name, v.str("name")))
        .collect();
    for (at, volume) in spec.list("volumes").enumerate() {
        let place = path.index(at);
        let name_path = place.child("name");
        let name = volume.str("name");
        let mut found = Errors::default();
        volume_source(volume, context, &place, &mut found);
        if name.is_empty() {
            found.required(&name_path, "");
        } else {
            found.invalid_all(&name_path, name, names::dns1123_label(name));
        }
        if find(&sound, name).is_some() {
            found.duplicate(&name_path, name);
        }
        if found.0.is_empty() {
            sound.push((name, volume));
        }
        errors.0.append(&mut found.0);
        let claim = volume.at("persistentVolumeClaim").str("claimName");
        if volume.has("persistentVolumeClaim") && created.iter().any(|name| name == claim) {
            let detail = "must not reference a PVC that gets created for an ephemeral volume";
            let source = place.child("persistentVolumeClaim");
            errors.invalid(&source.child("claimName"), claim, detail);
        }
    }
    sound
}

fn volume_source(volume: Tree<'_>, context: VolumeContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut first = true;
    for (field, forbidden_name, own_name, required) in SOURCES {
        let source = volume.at(field);
        if !source.exists() {
            continue;
        }
        // An emptyDir is the first of the order, so nothing can have come before it.
        if !first {
            errors.forbidden(&path.child(forbidden_name), "may not specify more than 1 volume type");
        } else {
            first = false;
            let place = path.child(own_name);
            for name in *required {
                let value = source.at(name).0;
                let empty = value.is_null()
                    || value.as_str().is_some_and(str::is_empty)
                    || value.as_array().is_some_and(Vec::is_empty);
                if empty {
                    errors.required(&place.child(name), "");
                }
            }
            one_source(field, source, volume.str("name"), context, path, &place, errors);
        }
    }
    if first {
        errors.required(path, "must specify a volume type");
    }
}

/// What is projected into one volume from several sources. (Of those, certificates and bundles are behind gates that
/// are off: such sources are dropped before.)
pub fn projected(source: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    file_mode(source, "defaultMode", path, errors);
    let mut paths: Vec<&str> = Vec::new();
    let sources = path.child("sources");
    for (at, one) in source.list("sources").enumerate() {
        let place = sources.index(at);
        for kind in ["secret", "configMap"] {
            let projection = one.at(kind);
            if !projection.exists() {
                continue;
            }
            let here = place.child(kind);
            let name = projection.str("name");
            if name.is_empty() {
                errors.required(&here.child("name"), "");
            }
            let items = here.child("items");
            for (at, item) in projection.list("items").enumerate() {
                key_to_path(item, &items.index(at), errors);
                unique_path(item.str("path"), name, &mut paths, path, errors);
            }
        }
        for item in one.at("downwardAPI").list("items") {
            downward::volume_file(item, &place.child("downwardAPI"), errors);
            unique_path(item.str("path"), item.str("path"), &mut paths, path, errors);
        }
        let token = one.at("serviceAccountToken");
        if token.exists() {
            token_projection(token, &place.child("serviceAccountToken"), path, errors);
        }
        if one.entries().count() > 1 {
            errors.forbidden(&place, "may not specify more than 1 volume type per source");
        }
    }
}

fn unique_path<'a>(path: &'a str, shown: &str, paths: &mut Vec<&'a str>, place: &Path<'_>, errors: &mut Errors) {
    if path.is_empty() {
        return;
    }
    if paths.contains(&path) {
        errors.invalid(place, shown, "conflicting duplicate paths");
    } else {
        paths.push(path);
    }
}

fn token_projection(token: Tree<'_>, path: &Path<'_>, volume_path: &Path<'_>, errors: &mut Errors) {
    let seconds = token.int("expirationSeconds");
    let seconds_path = path.child("expirationSeconds");
    if seconds < 600 {
        errors.invalid_number(&seconds_path, seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid_number(&seconds_path, seconds, "may not specify a duration larger than 2^32 seconds");
    }
    let token_path = token.str("path");
    if token_path.is_empty() {
        errors.required(&volume_path.child("path"), "");
    } else {
        local_path(token_path, &volume_path.child("path"), errors);
    }
}

/// A key of a config map or secret and the file it becomes.
pub fn key_to_path(item: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for name in ["key", "path"] {
        if item.str(name).is_empty() {
            errors.required(&path.child(name), "");
        }
    }
    local_path(item.str("path"), &path.child("path"), errors);
    file_mode(item, "mode", path, errors);
}

/// A file mode field of its parent.
pub fn file_mode(parent: Tree<'_>, name: &str, path: &Path<'_>, errors: &mut Errors) {
    if let Some(mode) = parent.opt_int(name).filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid_number(&path.child(name), mode, FILE_MODE);
    }
}

/// A path may not climb.
pub fn no_backsteps(text: &str, path: &Path<'_>, errors: &mut Errors) {
    if text.split('/').any(|part| part == "..") {
        errors.invalid(path, text, "must not contain '..'");
    }
}

/// A relative path that does not climb.
pub fn descending_path(text: &str, path: &Path<'_>, errors: &mut Errors) {
    if text.starts_with('/') {
        errors.invalid(path, text, "must be a relative path");
    }
    no_backsteps(text, path, errors);
}

/// A relative path that neither climbs nor starts with two dots.
pub fn local_path(text: &str, path: &Path<'_>, errors: &mut Errors) {
    descending_path(text, path, errors);
    if text.starts_with("..") && !text.starts_with("../") {
        errors.invalid(path, text, "must not start with '..'");
    }
}

/// What a container mounts.
pub fn volume_mounts(container: Tree<'_>, volumes: &Volumes<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut mounted: Vec<&str> = Vec::new();
    for (at, mount) in container.list("volumeMounts").enumerate() {
        let place = path.index(at);
        let (name, mount_path) = (mount.str("name"), mount.str("mountPath"));
        let (name_path, mount_path_path) = (place.child("name"), place.child("mountPath"));
        if name.is_empty() {
            errors.required(&name_path, "");
        }
        if find(volumes, name).is_none() {
            errors.not_found(&name_path, name, "");
        }
        if mount_path.is_empty() {
            errors.required(&mount_path_path, "");
        }
        if mounted.contains(&mount_path) {
            errors.invalid(&mount_path_path, mount_path, "must be unique");
        }
        mounted.push(mount_path);
        if container.list("volumeDevices").any(|device| device.str("name") == name) {
            errors.invalid(&name_path, name, "must not already exist in volumeDevices");
        }
        if container.list("volumeDevices").any(|device| device.str("devicePath") == mount_path) {
            errors.invalid(&mount_path_path, mount_path, "must not already exist as a path in volumeDevices");
        }
        let (sub_path, sub_path_expr) = (mount.str("subPath"), mount.str("subPathExpr"));
        if !sub_path.is_empty() {
            descending_path(sub_path, &path.child("subPath"), errors);
        }
        if !sub_path_expr.is_empty() {
            if !sub_path.is_empty() {
                let detail = "subPathExpr and subPath are mutually exclusive";
                errors.invalid(&place.child("subPathExpr"), sub_path_expr, detail);
            }
            descending_path(sub_path_expr, &path.child("subPathExpr"), errors);
        }
        propagation(mount, container, path, errors);
    }
}

fn propagation(mount: Tree<'_>, container: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mode = mount.at("mountPropagation");
    let mode_path = path.child("mountPropagation");
    if mode.exists() {
        const MODES: &[&str] = &["Bidirectional", "HostToContainer", "None"];
        if !MODES.contains(&mode.text()) {
            errors.not_supported(&mode_path, mode.text(), MODES);
        }
        if mode.text() == "Bidirectional" && !container.at("securityContext").flag("privileged") {
            let detail = "Bidirectional mount propagation is available only to privileged containers";
            errors.forbidden(&mode_path, detail);
        }
    }
    let read_only_path = path.child("recursiveReadOnly");
    let read_only = mount.at("recursiveReadOnly");
    match read_only.text() {
        _ if !read_only.exists() => {}
        "Disabled" => {}
        "Enabled" | "IfPossible" => {
            if !mount.flag("readOnly") {
                errors.forbidden(&read_only_path, "may only be specified when readOnly is true");
            }
            if mode.exists() && mode.text() != "None" {
                let detail = "may only be specified when mountPropagation is None or not specified";
                errors.forbidden(&read_only_path, detail);
            }
        }
        other => errors.not_supported(&read_only_path, other, &["Disabled", "Enabled", "IfPossible"]),
    }
}

/// The block devices that a container uses.
pub fn volume_devices(container: Tree<'_>, volumes: &Volumes<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut names_seen: Vec<&str> = Vec::new();
    let mut paths_seen: Vec<&str> = Vec::new();
    for (at, device) in container.list("volumeDevices").enumerate() {
        let place = path.index(at);
        let (name, device_path) = (device.str("name"), device.str("devicePath"));
        let (name_path, path_path) = (place.child("name"), place.child("devicePath"));
        if name.is_empty() {
            errors.required(&name_path, "");
        }
        if names_seen.contains(&name) {
            errors.invalid(&name_path, name, "must be unique");
        }
        match find(volumes, name) {
            Some(volume) if !volume.has("persistentVolumeClaim") && !volume.has("ephemeral") => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid(&name_path, name, detail);
            }
            Some(_) => {}
            None => errors.not_found(&name_path, name, ""),
        }
        if device_path.is_empty() {
            errors.required(&path_path, "");
        }
        if paths_seen.contains(&device_path) {
            errors.invalid(&path_path, device_path, "must be unique");
        }
        if device_path.split('/').any(|part| part == "..") {
            errors.invalid(&path_path, device_path, "can not contain backsteps ('..')");
        } else {
            paths_seen.push(device_path);
        }
        if container.list("volumeMounts").any(|mount| mount.str("name") == name) {
            errors.invalid(&name_path, name, "must not already exist in volumeMounts");
        }
        if container.list("volumeMounts").any(|mount| mount.str("mountPath") == device_path) {
            errors.invalid(&path_path, device_path, "must not already exist as a path in volumeMounts");
        }
        if !name.is_empty() {
            names_seen.push(name);
        }
    }
}
