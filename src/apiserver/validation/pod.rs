//! Pods and pod templates.
//!
//! Follows kubernetes pkg/apis/core/validation ValidatePodSpec, ValidatePodTemplateSpec and ValidatePodCreate,
//! v1.36 with default feature gates.
use super::affinity::{affinity, tolerations, topology_spread};
use super::container::{
    ContainerContext, containers, ephemeral_containers, file_key_volumes, image_without_padding, init_containers,
};
use super::error::{Errors, Path, quote};
use super::internal::internal_json;
use super::metadata::{annotations, label_name, labels, object_meta, shown};
use super::names;
use super::resources::{Level, is_huge_page, quantity, resource_requirements};
use super::security::{one_of, operating_system, pod_security, visit_containers, windows_host_process};
use super::volumes::{VolumeContext, descending_path, volumes};
use crate::apiserver::admission::container_amounts;
use crate::apiserver::schema::Tree;
use serde_json::json;

const MAX_INT32: i64 = i32::MAX as i64;
/// What an annotation for a container's AppArmor profile begins with.
pub const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// A pod spec; `context` tells pod from template.
fn pod_spec(spec: Tree<'_>, context: VolumeContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !spec.has("terminationGracePeriodSeconds") {
        errors.required(&path.child("terminationGracePeriodSeconds"), "");
    }
    let volumes = volumes(spec, context, &path.child("volumes"), errors);
    resource_claims(spec, &path.child("resourceClaims"), errors);
    let claim_names: Vec<&str> =
        spec.list("resourceClaims").map(|c| c.str("name")).filter(|name| !name.is_empty()).collect();
    let of_containers = ContainerContext { spec, volumes: &volumes, claim_names: &claim_names };
    containers(&of_containers, &path.child("containers"), errors);
    init_containers(&of_containers, &path.child("initContainers"), errors);
    ephemeral_containers(&of_containers, &path.child("ephemeralContainers"), errors);
    pod_resources(spec, &path.child("resources"), errors);
    host_network_ports(spec, context.is_pod, &path.child("containers"), errors);
    required_one_of(spec, "restartPolicy", &["Always", "OnFailure", "Never"], path, errors);
    required_one_of(spec, "dnsPolicy", &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], path, errors);
    labels(spec.at("nodeSelector"), &path.child("nodeSelector"), errors);
    pod_security(spec, &path.child("securityContext"), errors);
    affinity(spec.at("affinity"), &path.child("affinity"), errors);
    dns_config(spec, &path.child("dnsConfig"), errors);
    gates(spec, path, errors);
    topology_spread(spec.at("topologySpreadConstraints"), &path.child("topologySpreadConstraints"), errors);
    windows_host_process(spec, path, errors);
    host_users(spec, path, errors);
    hostname_override(spec, &path.child("hostnameOverride"), errors);
    dns_name(spec, "serviceAccountName", path, errors);
    dns_name(spec, "nodeName", path, errors);
    if let Some(seconds) = spec.opt_int("activeDeadlineSeconds").filter(|s| !(1..=MAX_INT32).contains(s)) {
        errors.invalid_number(&path.child("activeDeadlineSeconds"), seconds, &names::range_message(1, MAX_INT32));
    }
    for field in ["hostname", "subdomain"] {
        let text = spec.str(field);
        if !text.is_empty() {
            errors.invalid_all(&path.child(field), text, names::dns1123_label(text));
        }
    }
    tolerations(spec.at("tolerations"), &path.child("tolerations"), errors);
    host_aliases(spec.at("hostAliases"), &path.child("hostAliases"), errors);
    dns_name(spec, "priorityClassName", path, errors);
    if spec.has("runtimeClassName") {
        let name = spec.str("runtimeClassName");
        errors.invalid_all(&path.child("runtimeClassName"), name, names::name_is_dns_subdomain(name, false));
    }
    if spec.has("preemptionPolicy") {
        required_one_of(spec, "preemptionPolicy", &["PreemptLowerPriority", "Never"], path, errors);
    }
    if spec.has("overhead") {
        let overhead = json!({ "limits": spec.at("overhead").0 });
        resource_requirements(Tree(&overhead), Level::Container, &[], &path.child("overhead"), errors);
    }
    operating_system(spec, path, errors);
    file_key_volumes(spec, path, errors);
}

fn hostname_override(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !spec.has("hostnameOverride") {
        return;
    }
    for field in ["setHostnameAsFQDN", "hostNetwork"] {
        if spec.flag(field) {
            errors.forbidden(path, &format!("may not be specified when {field} is true"));
        }
    }
    let name = spec.str("hostnameOverride");
    if name.len() > 64 {
        errors.too_long(path, 64);
    }
    errors.invalid_all(path, name, names::dns1123_subdomain(name));
}

fn required_one_of(spec: Tree<'_>, field: &str, valid: &[&str], path: &Path<'_>, errors: &mut Errors) {
    if spec.str(field).is_empty() {
        errors.required(&path.child(field), "");
    } else {
        one_of(spec, field, valid, path, errors);
    }
}

fn dns_name(spec: Tree<'_>, field: &str, path: &Path<'_>, errors: &mut Errors) {
    let name = spec.str(field);
    if !name.is_empty() {
        errors.invalid_all(&path.child(field), name, names::name_is_dns_subdomain(name, false));
    }
}

fn resource_claims(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, claim) in spec.list("resourceClaims").enumerate() {
        let place = path.index(at);
        let name = claim.str("name");
        let name_path = place.child("name");
        if name.is_empty() {
            errors.required(&name_path, "");
        } else if seen.contains(&name) {
            errors.duplicate(&name_path, name);
        } else {
            errors.invalid_all(&name_path, name, names::dns1123_label(name));
            seen.push(name);
        }
        let shown = || internal_json("PodResourceClaim", claim);
        match (claim.has("resourceClaimName"), claim.has("resourceClaimTemplateName")) {
            (true, true) => {
                let detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
                errors.invalid_value(&place, &shown(), detail);
            }
            (false, false) => {
                let detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
                errors.invalid_value(&place, &shown(), detail);
            }
            _ => {}
        }
        for field in ["resourceClaimName", "resourceClaimTemplateName"] {
            if claim.has(field) {
                let name = claim.str(field);
                errors.invalid_all(&place.child(field), name, names::name_is_dns_subdomain(name, false));
            }
        }
    }
}

/// Resources of the pod as a whole: what its containers ask for together must fit.
fn pod_resources(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let resources = spec.at("resources");
    if !resources.exists() {
        return;
    }
    if spec.at("os").str("name") == "windows" {
        return errors.forbidden(path, "may not be set for a windows pod");
    }
    if resources.has("claims") {
        errors.forbidden(&path.child("claims"), "claims may not be set for Resources at pod-level");
    }
    resource_requirements(resources, Level::Pod, &[], path, errors);
    // Huge pages cannot be overcommitted, so the limits of the containers must fit together, too.
    for side in ["requests", "limits"] {
        let place = path.child(side);
        for (name, amount) in container_amounts(spec, side) {
            let of_pod = resources.at(side).at(&name);
            if of_pod.exists() && amount > quantity(of_pod) && (side == "requests" || is_huge_page(&name)) {
                let detail = format!("must be greater than or equal to aggregate container {side} of {amount}");
                errors.invalid(&place.key(&name), &quantity(of_pod).to_string(), &detail);
            }
        }
    }
    let containers_path = path.child("containers");
    for (at, container) in spec.list("containers").enumerate() {
        let place = containers_path.index(at);
        for (name, limit) in container.at("resources").map("limits") {
            let of_pod = resources.at("limits").at(name);
            if of_pod.exists() && quantity(limit) > quantity(of_pod) {
                let resource = place.key(name);
                let detail = format!("must be less than or equal to pod limits of {}", quantity(of_pod));
                errors.invalid(&resource.child("limits"), &quantity(limit).to_string(), &detail);
            }
        }
    }
}

/// With the host's network a host port is the container port (in a template it may be left out).
fn host_network_ports(spec: Tree<'_>, is_pod: bool, path: &Path<'_>, errors: &mut Errors) {
    if !spec.flag("hostNetwork") {
        return;
    }
    for (at, container) in spec.list("containers").enumerate() {
        let place = path.index(at);
        let ports = place.child("ports");
        for (at, port) in container.list("ports").enumerate() {
            let host = port.int("hostPort");
            if (is_pod || host != 0) && host != port.int("containerPort") {
                let port_path = ports.index(at);
                let detail = "must match `containerPort` when `hostNetwork` is true";
                errors.invalid_number(&port_path.child("hostPort"), host, detail);
            }
        }
    }
}

fn dns_config(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let config = spec.at("dnsConfig");
    let (servers, searches) = (path.child("nameservers"), path.child("searches"));
    if spec.str("dnsPolicy") == "None" {
        if !config.exists() {
            return errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
        }
        if config.len("nameservers") == 0 {
            return errors.required(&servers, "must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
    }
    if config.len("nameservers") > 3 {
        errors.invalid_value(&servers, &shown(config.at("nameservers").0), "must not have more than 3 nameservers");
    }
    for (at, server) in config.list("nameservers").enumerate() {
        errors.invalid_all(&servers.index(at), server.text(), names::ip(server.text()));
    }
    if config.len("searches") > 32 {
        errors.invalid_value(&searches, &shown(config.at("searches").0), "must not have more than 32 search paths");
    }
    let joined: Vec<&str> = config.list("searches").map(Tree::text).collect();
    if joined.join(" ").len() > 2048 {
        let detail = "must not have more than 2048 characters (including spaces) in the search list";
        errors.invalid_value(&searches, &shown(config.at("searches").0), detail);
    }
    for (at, search) in joined.iter().enumerate().filter(|(_, search)| **search != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        errors.invalid_all(&searches.index(at), search, names::dns1123_subdomain_with_underscore(search));
    }
    let options = path.child("options");
    for (at, option) in config.list("options").enumerate() {
        if option.str("name").is_empty() {
            errors.required(&options.index(at), "must not be empty");
        }
    }
}

fn gates(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let readiness = path.child("readinessGates");
    for (at, gate) in spec.list("readinessGates").enumerate() {
        label_name(gate.str("conditionType"), &readiness.index(at).child("conditionType"), errors);
    }
    let scheduling = path.child("schedulingGates");
    let mut seen: Vec<&str> = Vec::new();
    for (at, gate) in spec.list("schedulingGates").enumerate() {
        let name = gate.str("name");
        label_name(name, &scheduling.index(at), errors);
        if seen.contains(&name) {
            errors.duplicate(&scheduling.index(at), name);
        }
        seen.push(name);
    }
}

fn host_users(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if spec.at("hostUsers").0.as_bool() != Some(false) {
        return;
    }
    const DETAIL: &str = "when `hostUsers` is false";
    for (field, shown) in [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if spec.flag(field) {
            errors.forbidden(&path.child(shown), DETAIL);
        }
    }
    visit_containers(spec, path, |container, place| {
        if container.len("volumeDevices") > 0 {
            errors.forbidden(&place.child("volumeDevices"), DETAIL);
        }
    });
}

fn host_aliases(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, alias) in list.items().enumerate() {
        let place = path.index(at);
        errors.invalid_all(&place.child("ip"), alias.str("ip"), names::ip(alias.str("ip")));
        let hostnames = place.child("hostnames");
        for (at, name) in alias.list("hostnames").enumerate() {
            errors.invalid_all(&hostnames.index(at), name.text(), names::dns1123_subdomain(name.text()));
        }
    }
}

/// Annotations that mean something for a pod.
pub fn pod_annotations(meta: Tree<'_>, spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let of = |key: &str| meta.at("annotations").at(key);
    let mirror = "kubernetes.io/config.mirror";
    if of(mirror).exists() && spec.str("nodeName").is_empty() {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errors.invalid(&path.key(mirror), of(mirror).text(), detail);
    }
    let cost = "controller.kubernetes.io/pod-deletion-cost";
    let sound = |text: &str| text.parse::<i32>().is_ok() && !text.starts_with(['+', '0']) || text == "0";
    if of(cost).exists() && !sound(of(cost).text()) {
        errors.invalid(&path.key(cost), of(cost).text(), "must be a 32bit integer");
    }
    if of(SECCOMP_POD).exists() {
        seccomp_annotation(of(SECCOMP_POD).text(), &path.child(SECCOMP_POD), errors);
    }
    for (key, value) in meta.map("annotations").filter(|(key, _)| key.starts_with(SECCOMP_CONTAINER)) {
        seccomp_annotation(value.text(), &path.child(key), errors);
    }
    for (key, value) in meta.map("annotations") {
        let Some(container) = key.strip_prefix(APP_ARMOR) else { continue };
        let mut found = false;
        visit_containers(spec, path, |c, _| found |= c.str("name") == container);
        if !found {
            errors.invalid(&path.key(key), container, "container not found");
        }
        let profile = value.text();
        if !matches!(profile, "" | "runtime/default" | "unconfined") && !profile.starts_with("localhost/") {
            errors.invalid(&path.key(key), profile, &format!("invalid AppArmor profile name: {}", quote(profile)));
        }
    }
}

fn seccomp_annotation(profile: &str, path: &Path<'_>, errors: &mut Errors) {
    if matches!(profile, "runtime/default" | "docker/default" | "unconfined") {
        return;
    }
    match profile.strip_prefix("localhost/") {
        Some(file) => descending_path(file, path, errors),
        None => errors.invalid(path, profile, "must be a valid seccomp profile"),
    }
}

/// Old annotations and new fields for security profiles must agree.
fn profiles_match(meta: Tree<'_>, spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let annotation = |key: &str| meta.at("annotations").at(key);
    let check = |kind: &str, annotation: Tree<'_>, profile: Tree<'_>, place: &Path<'_>, errors: &mut Errors| {
        if !annotation.exists() || !profile.exists() {
            return;
        }
        let text = annotation.text();
        let fits = match profile.str("type") {
            "Unconfined" => text == "unconfined",
            "RuntimeDefault" => text == "runtime/default" || (kind == "seccomp" && text == "docker/default"),
            "Localhost" => text.starts_with("localhost/"),
            _ => true,
        };
        if !fits {
            errors.forbidden(&place.child("type"), &format!("{kind} type in annotation and field must match"));
        } else if profile.str("type") == "Localhost"
            && text.strip_prefix("localhost/") != Some(profile.str("localhostProfile"))
        {
            let detail = format!("{kind} profile in annotation and field must match");
            errors.forbidden(&place.child("localhostProfile"), &detail);
        }
    };
    let context_path = path.child("securityContext");
    let pod = spec.at("securityContext");
    check("seccomp", annotation(SECCOMP_POD), pod.at("seccompProfile"), &context_path.child("seccompProfile"), errors);
    visit_containers(spec, path, |container, place| {
        let context = place.child("securityContext");
        let profile = container.at("securityContext").at("seccompProfile");
        let key = format!("{SECCOMP_CONTAINER}{}", container.str("name"));
        check("seccomp", annotation(&key), profile, &context.child("seccompProfile"), errors);
    });
    if spec.at("os").str("name") == "windows" {
        return;
    }
    visit_containers(spec, path, |container, place| {
        let context = place.child("securityContext");
        let own = container.at("securityContext").at("appArmorProfile");
        let profile = if own.exists() { own } else { pod.at("appArmorProfile") };
        let key = format!("{APP_ARMOR}{}", container.str("name"));
        check("apparmor", annotation(&key), profile, &context.child("appArmorProfile"), errors);
    });
}

/// The template of a workload.
pub fn pod_template(template: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (meta, spec) = (template.at("metadata"), template.at("spec"));
    labels(meta.at("labels"), &path.child("labels"), errors);
    let annotations_path = path.child("annotations");
    annotations(meta.at("annotations"), &annotations_path, errors);
    pod_annotations(meta, spec, &annotations_path, errors);
    let spec_path = path.child("spec");
    pod_spec(spec, VolumeContext { pod_name: "", is_pod: false }, &spec_path, errors);
    profiles_match(meta, spec, &spec_path, errors);
    if spec.len("ephemeralContainers") > 0 {
        let detail = "ephemeral containers not allowed in pod template";
        errors.forbidden(&spec_path.child("ephemeralContainers"), detail);
    }
}

/// What holds for a pod at all times.
pub fn metadata_and_spec(pod: Tree<'_>, errors: &mut Errors) {
    let (meta, spec) = (pod.at("metadata"), pod.at("spec"));
    let (meta_path, path) = (Path::new("metadata"), Path::new("spec"));
    object_meta(meta, true, names::name_is_dns_subdomain, &meta_path, errors);
    pod_annotations(meta, spec, &meta_path.child("annotations"), errors);
    pod_spec(spec, VolumeContext { pod_name: meta.str("name"), is_pod: true }, &path, errors);
    if spec.str("serviceAccountName").is_empty() {
        let volumes = path.child("volumes");
        for (at, volume) in spec.list("volumes").enumerate() {
            let place = volumes.index(at);
            let projected = place.child("projected");
            let sources = projected.child("sources");
            for (at, source) in volume.at("projected").list("sources").enumerate() {
                if source.has("serviceAccountToken") {
                    let source_path = sources.index(at);
                    let detail = "must not be specified when serviceAccountName is not set";
                    errors.forbidden(&source_path.child("serviceAccountToken"), detail);
                }
            }
        }
    }
    for list in ["containers", "initContainers"] {
        let list_path = path.child(list);
        for (at, container) in spec.list(list).enumerate() {
            image_without_padding(container, &list_path.index(at), errors);
        }
    }
}

/// A new pod.
pub fn pod_create(pod: Tree<'_>, errors: &mut Errors) {
    metadata_and_spec(pod, errors);
    let (meta, spec) = (pod.at("metadata"), pod.at("spec"));
    let path = Path::new("spec");
    if spec.len("ephemeralContainers") > 0 {
        errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !spec.str("nodeName").is_empty() && spec.len("schedulingGates") > 0 {
        errors.forbidden(&path.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
    profiles_match(meta, spec, &path, errors);
}
