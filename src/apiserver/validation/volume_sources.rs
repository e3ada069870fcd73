//! Rules of the single volume sources.
//!
//! Follows kubernetes pkg/apis/core/validation (validateVolumeSource and neighbours), v1.36.
use super::downward;
use super::error::{Errors, Path, go_json};
use super::metadata::{annotations, label_selector, labels};
use super::names;
use super::resources::quantity;
use super::security::one_of;
use super::volumes::{VolumeContext, descending_path, file_mode, key_to_path, no_backsteps, projected};
use crate::apiserver::schema::Tree;

const HOST_PATH_TYPES: &[&str] =
    &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

/// Rules of single sources beyond required fields.
pub fn one_source(
    field: &str,
    source: Tree<'_>,
    volume_name: &str,
    context: VolumeContext<'_>,
    volume_path: &Path<'_>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    match field {
        "emptyDir" if quantity(source.at("sizeLimit")).is_negative() => {
            errors.forbidden(&path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
        }
        "hostPath" => {
            let host_path = source.str("path");
            if host_path.is_empty() {
                errors.required(&path.child("path"), "");
                return;
            }
            no_backsteps(host_path, &path.child("path"), errors);
            let kind = source.str("type");
            if !HOST_PATH_TYPES.contains(&kind) {
                errors.not_supported(&path.child("type"), kind, HOST_PATH_TYPES);
            }
        }
        "gitRepo" => descending_path(source.str("directory"), &path.child("directory"), errors),
        "gcePersistentDisk" | "awsElasticBlockStore" => {
            let partition = source.int("partition");
            if !(0..=255).contains(&partition) {
                errors.invalid_number(&path.child("partition"), partition, &names::range_message(1, 255));
            }
        }
        "secret" | "configMap" => {
            file_mode(source, "defaultMode", path, errors);
            let items = path.child("items");
            for (at, item) in source.list("items").enumerate() {
                key_to_path(item, &items.index(at), errors);
            }
        }
        "nfs" => {
            let nfs_path = source.str("path");
            if !nfs_path.starts_with('/') {
                errors.invalid(&path.child("path"), nfs_path, "must be an absolute path");
            }
        }
        "iscsi" => {
            let iqn = source.str("iqn");
            if !iqn.is_empty() {
                iscsi_name(iqn, &path.child("iqn"), errors);
            }
            let lun = source.int("lun");
            if !(0..=255).contains(&lun) {
                errors.invalid_number(&path.child("lun"), lun, &names::range_message(0, 255));
            }
            if (source.flag("chapAuthDiscovery") || source.flag("chapAuthSession")) && !source.has("secretRef") {
                errors.required(&path.child("secretRef"), "");
            }
            if source.has("initiatorName") {
                iscsi_name(source.str("initiatorName"), &path.child("initiatorname"), errors);
                if volume_name.len().saturating_add(source.str("targetPortal").len()) > 63 {
                    let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
                                  iscsi.initiatorName is specified.";
                    errors.invalid(&volume_path.child("name"), volume_name, detail);
                }
            }
        }
        "cinder" => secret_name(source, "secretRef", path, errors),
        "storageos" => {
            for name in ["volumeName", "volumeNamespace"] {
                let text = source.str(name);
                if !text.is_empty() {
                    errors.invalid_all(&path.child(name), text, names::dns1123_label(text));
                }
            }
            secret_name(source, "secretRef", path, errors);
        }
        "quobyte" => {
            const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
            let registry = source.str("registry");
            if registry.is_empty() {
                errors.required(&path.child("registry"), PAIRS);
            } else if source.str("tenant").len() >= 65 {
                let detail = "must be a UUID and may not exceed a length of 64 characters";
                errors.required(&path.child("tenant"), detail);
            } else {
                for _ in registry.split(',').filter(|pair| !is_host_port(pair)) {
                    errors.invalid(&path.child("registry"), registry, PAIRS);
                }
            }
            if source.str("volume").is_empty() {
                errors.required(&path.child("volume"), "");
            }
        }
        "flexVolume" => {
            let options = path.child("options");
            for (key, _) in source.map("options") {
                let namespace = key.split_once('/').map_or(key.as_str(), |(namespace, _)| namespace);
                let namespace = format!(".{}", namespace.to_ascii_lowercase());
                if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
                    let detail = "kubernetes.io and k8s.io namespaces are reserved";
                    errors.invalid(&options.key(key), key, detail);
                }
            }
        }
        "azureDisk" => {
            one_of(source, "cachingMode", &["None", "ReadOnly", "ReadWrite"], path, errors);
            one_of(source, "kind", &["Dedicated", "Managed", "Shared"], path, errors);
            let (start, form) = if source.str("kind") == "Managed" {
                (
                    "/subscriptions/",
                    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
                )
            } else {
                ("https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")
            };
            let uri = source.str("diskURI");
            if !uri.starts_with(start) {
                errors.not_supported(&path.child("diskURI"), uri, &[form]);
            }
        }
        "flocker" => {
            let (name, uuid) = (source.str("datasetName"), source.str("datasetUUID"));
            if name.is_empty() && uuid.is_empty() {
                errors.required(path, "one of datasetName and datasetUUID is required");
            } else if !name.is_empty() && !uuid.is_empty() {
                let detail = "datasetName and datasetUUID can not be specified simultaneously";
                errors.invalid(path, "resource", detail);
            }
            if name.contains('/') {
                errors.invalid(&path.child("datasetName"), name, "must not contain '/'");
            }
        }
        "downwardAPI" => {
            file_mode(source, "defaultMode", path, errors);
            for item in source.list("items") {
                downward::volume_file(item, path, errors);
            }
        }
        "fc" => {
            if source.len("targetWWNs") == 0 && source.len("wwids") == 0 {
                let detail = "must specify either targetWWNs or wwids, but not both";
                errors.required(&path.child("targetWWNs"), detail);
            }
            if source.len("targetWWNs") > 0 && source.len("wwids") > 0 {
                let detail = "targetWWNs and wwids can not be specified simultaneously";
                errors.invalid_value(&path.child("targetWWNs"), &go_json(source.at("targetWWNs").0), detail);
            }
            if source.len("targetWWNs") > 0 {
                match source.opt_int("lun") {
                    None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
                    Some(lun) if !(0..=255).contains(&lun) => {
                        errors.invalid_number(&path.child("lun"), lun, &names::range_message(0, 255));
                    }
                    Some(_) => {}
                }
            }
        }
        "csi" => {
            let driver = source.str("driver");
            let driver_path = path.child("driver");
            if driver.is_empty() {
                errors.required(&driver_path, "");
            } else {
                if driver.len() > 63 {
                    errors.too_long(&driver_path, 63);
                }
                let messages = names::dns1123_subdomain(&driver.to_ascii_lowercase());
                errors.invalid_all(&driver_path, driver, messages);
            }
            secret_name(source, "nodePublishSecretRef", path, errors);
            let name = source.at("nodePublishSecretRef").str("name");
            if !name.is_empty() {
                // The API server's path leaves out the reference.
                errors.invalid_all(&path.child("name"), name, names::name_is_dns_subdomain(name, false));
            }
        }
        "projected" => projected(source, path, errors),
        "ephemeral" => {
            claim_template(source.at("volumeClaimTemplate"), &path.child("volumeClaimTemplate"), errors);
            if !context.pod_name.is_empty() && !volume_name.is_empty() {
                let claim = format!("{}-{volume_name}", context.pod_name);
                for message in names::name_is_dns_subdomain(&claim, false) {
                    let detail = format!("PVC name {claim:?}: {message}");
                    errors.invalid(&volume_path.child("name"), volume_name, &detail);
                }
            }
        }
        "image" => {
            if context.is_pod && source.str("reference").is_empty() {
                errors.required(&path.child("reference"), "");
            }
            super::container::pull_policy(source.str("pullPolicy"), &path.child("pullPolicy"), errors);
        }
        _ => {}
    }
}

/// A reference to a secret that, when it is there, must name one.
fn secret_name(source: Tree<'_>, field: &str, path: &Path<'_>, errors: &mut Errors) {
    if source.has(field) && source.at(field).str("name").is_empty() {
        let place = path.child(field);
        errors.required(&place.child("name"), "");
    }
}

/// `host:port` as Go splits it: one colon, or brackets around an address with more.
fn is_host_port(text: &str) -> bool {
    let host = text.rsplit_once(':').map(|(host, _)| host);
    host.is_some_and(|host| match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|address| !address.contains(['[', ']'])),
        None => !host.contains([':', '[', ']']),
    })
}

/// The name of an iSCSI initiator or target.
fn iscsi_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    let after = |kind: &str| name.strip_prefix(kind);
    let code = |rest: &str, digits: usize| {
        // Any character may stand where the dot is expected, as there.
        let mut chars = rest.chars();
        chars.next().is_some() && chars.as_str().len() == digits && chars.all(|c| c.is_ascii_alphanumeric())
    };
    let sound = match (after("iqn"), after("eui"), after("naa")) {
        (Some(_), _, _) => is_iqn(name),
        (_, Some(rest), _) => code(rest, 16),
        (_, _, Some(rest)) => code(rest, 32),
        _ => return errors.invalid(path, name, "must be valid format starting with iqn, eui, or naa"),
    };
    if !sound {
        errors.invalid(path, name, "must be valid format");
    }
}

/// `iqn.2001-04.com.example:storage.disk1`.
fn is_iqn(name: &str) -> bool {
    let digits = |text: Option<&str>| text.is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let domain =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'));
    let unit = |text: &str| !text.is_empty() && !text.chars().any(|c| c.is_ascii_whitespace() || ",;*&$|".contains(c));
    name.strip_prefix("iqn.").is_some_and(|rest| {
        let date = digits(rest.get(..4)) && rest.get(4..5) == Some("-") && digits(rest.get(5..7));
        let named = rest.get(7..).and_then(|rest| rest.strip_prefix('.')).and_then(|rest| rest.split_once(':'));
        date && named.is_some_and(|(authority, unit_name)| domain(authority) && unit(unit_name))
    })
}

fn claim_template(template: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !template.exists() {
        return;
    }
    let meta_path = path.child("metadata");
    let meta = template.at("metadata");
    annotations(meta.at("annotations"), &meta_path.child("annotations"), errors);
    labels(meta.at("labels"), &meta_path.child("labels"), errors);
    for field in ["name", "generateName", "namespace", "ownerReferences", "finalizers"] {
        if meta.has(field) {
            errors.forbidden(&meta_path.child(field), "cannot be set");
        }
    }
    claim_spec(template.at("spec"), &path.child("spec"), errors);
}

/// What a PersistentVolumeClaim asks for.
fn claim_spec(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    const MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let modes_path = path.child("accessModes");
    if spec.len("accessModes") == 0 {
        errors.required(&modes_path, "at least 1 access mode is required");
    }
    label_selector(spec.at("selector"), &path.child("selector"), errors);
    let (mut alone, mut with_others) = (false, false);
    for mode in spec.list("accessModes").map(Tree::text) {
        if !MODES.contains(&mode) {
            errors.not_supported(&modes_path, mode, MODES);
        } else if mode == "ReadWriteOncePod" {
            alone = true;
        } else {
            with_others = true;
        }
    }
    if alone && with_others {
        errors.forbidden(&modes_path, "may not use ReadWriteOncePod with other access modes");
    }
    let resources = path.child("resources");
    let storage_path = resources.key("storage");
    let storage = spec.path(&["resources", "requests", "storage"]);
    if !storage.exists() {
        errors.required(&storage_path, "");
    } else if quantity(storage).is_negative() || quantity(storage).is_zero() {
        errors.invalid(&storage_path, &quantity(storage).to_string(), "must be greater than zero");
    }
    let class = |field: &str, errors: &mut Errors| {
        let name = spec.str(field);
        if !name.is_empty() {
            errors.invalid_all(&path.child(field), name, names::name_is_dns_subdomain(name, false));
        }
    };
    class("storageClassName", errors);
    one_of(spec, "volumeMode", &["Block", "Filesystem"], path, errors);
    class("volumeAttributesClassName", errors);
}
