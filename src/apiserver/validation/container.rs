//! Containers: names, images, ports, environment, probes, hooks.
//!
//! Follows kubernetes pkg/apis/core/validation (validateContainers, validateInitContainers, validateContainerCommon),
//! v1.36.
use super::downward;
use super::error::{Errors, Path};
use super::names;
use super::resources::{Level, resource_requirements};
use super::security::{container_security, visit_containers};
use super::volumes::{Volumes, no_backsteps, volume_devices, volume_mounts};
use crate::apiserver::schema::Tree;

/// What the rules for containers need to know of their pod.
pub struct ContainerContext<'a> {
    /// The pod spec.
    pub spec: Tree<'a>,
    /// Its sound volumes.
    pub volumes: &'a Volumes<'a>,
    /// Names of its resource claims.
    pub claim_names: &'a [&'a str],
}

impl ContainerContext<'_> {
    /// Whether the containers share the host's users (the default).
    fn host_users(&self) -> bool {
        self.spec.at("hostUsers").0.as_bool().unwrap_or(true)
    }
}

/// The regular containers.
pub fn containers(context: &ContainerContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    if context.spec.len("containers") == 0 {
        return errors.required(path, "");
    }
    let mut seen: Vec<&str> = Vec::new();
    for (at, container) in context.spec.list("containers").enumerate() {
        let place = path.index(at);
        common(container, context, &place, errors);
        let name = container.str("name");
        if seen.contains(&name) {
            errors.duplicate(&place.child("name"), name);
        } else {
            seen.push(name);
        }
        hooks_and_probes(container, context, &place, errors);
        restart_policy(container, false, &place, errors);
    }
    host_port_conflicts(context.spec.list("containers"), path, errors);
}

/// The init containers.
pub fn init_containers(context: &ContainerContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = context.spec.list("containers").map(|c| c.str("name")).collect();
    for (at, container) in context.spec.list("initContainers").enumerate() {
        let place = path.index(at);
        common(container, context, &place, errors);
        restart_policy(container, true, &place, errors);
        let name = container.str("name");
        if seen.contains(&name) {
            errors.duplicate(&place.child("name"), name);
        } else if !name.is_empty() {
            seen.push(name);
        }
        // Init containers run one by one, so their ports only conflict within each. (The path has index 0, as there.)
        host_port_conflicts(std::iter::once(container), path, errors);
        if container.str("restartPolicy") == "Always" {
            hooks_and_probes(container, context, &place, errors);
        } else {
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if container.has(field) {
                    let detail = "may not be set for init containers without restartPolicy=Always";
                    errors.forbidden(&place.child(field), detail);
                }
            }
        }
    }
}

/// Ephemeral containers (only checked so far as a template may meet them).
pub fn ephemeral_containers(context: &ContainerContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    let others = || context.spec.list("containers").chain(context.spec.list("initContainers"));
    let mut seen: Vec<&str> = others().map(|c| c.str("name")).collect();
    for (at, container) in context.spec.list("ephemeralContainers").enumerate() {
        let place = path.index(at);
        common(container, context, &place, errors);
        image_without_padding(container, &place, errors);
        let name = container.str("name");
        if seen.contains(&name) {
            errors.duplicate(&place.child("name"), name);
        } else {
            seen.push(name);
        }
        let target = container.str("targetContainerName");
        if !target.is_empty() && !others().any(|c| c.str("name") == target) {
            errors.not_found(&place.child("targetContainerName"), target, "");
        }
        const NOT_ALLOWED: &[&str] = &[
            "ports",
            "resources",
            "resizePolicy",
            "restartPolicy",
            "restartPolicyRules",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "lifecycle",
        ];
        let detail = "cannot be set for an Ephemeral Container";
        for field in NOT_ALLOWED {
            let is_empty = container.at(field).0.is_object() && container.len(field) == 0;
            if container.has(field) && (!is_empty || *field == "lifecycle") {
                errors.forbidden(&place.child(field), detail);
            }
        }
        let mounts = place.child("volumeMounts");
        for (at, mount) in container.list("volumeMounts").enumerate() {
            for field in ["subPath", "subPathExpr"] {
                if !mount.str(field).is_empty() {
                    errors.forbidden(&mounts.index(at).child(field), detail);
                }
            }
        }
    }
}

/// An image name may not be padded with white space in a pod (in a template it may).
pub fn image_without_padding(container: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let image = container.str("image");
    if image.trim() != image {
        errors.invalid(&path.child("image"), image, "must not have leading or trailing whitespace");
    }
}

fn common(container: Tree<'_>, context: &ContainerContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    let name = container.str("name");
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.invalid_all(&path.child("name"), name, names::dns1123_label(name));
    }
    if container.str("image").is_empty() {
        errors.required(&path.child("image"), "");
    }
    let policy = container.str("terminationMessagePolicy");
    let policies = &["File", "FallbackToLogsOnError"];
    if !policies.contains(&policy) {
        errors.not_supported(&path.child("terminationMessagePolicy"), policy, policies);
    }
    ports(container.at("ports"), &path.child("ports"), errors);
    environment(container.at("env"), &path.child("env"), errors);
    environment_from(container.at("envFrom"), &path.child("envFrom"), errors);
    volume_mounts(container, context.volumes, &path.child("volumeMounts"), errors);
    volume_devices(container, context.volumes, &path.child("volumeDevices"), errors);
    pull_policy(container.str("imagePullPolicy"), &path.child("imagePullPolicy"), errors);
    let resources = container.at("resources");
    resource_requirements(resources, Level::Container, context.claim_names, &path.child("resources"), errors);
    resize_policy(container, context.spec, &path.child("resizePolicy"), errors);
    let security = container.at("securityContext");
    container_security(security, context.host_users(), &path.child("securityContext"), errors);
}

fn ports(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, port) in list.items().enumerate() {
        let place = path.index(at);
        let name = port.str("name");
        if !name.is_empty() {
            let messages = names::port_name(name);
            if !messages.is_empty() {
                errors.invalid_all(&place.child("name"), name, messages);
            } else if seen.contains(&name) {
                errors.duplicate(&place.child("name"), name);
            } else {
                seen.push(name);
            }
        }
        let number = port.int("containerPort");
        if number == 0 {
            errors.required(&place.child("containerPort"), "");
        } else {
            port_number(number, &place.child("containerPort"), errors);
        }
        if port.int("hostPort") != 0 {
            port_number(port.int("hostPort"), &place.child("hostPort"), errors);
        }
        let protocol = port.str("protocol");
        if !matches!(protocol, "SCTP" | "TCP" | "UDP") {
            errors.not_supported(&place.child("protocol"), protocol, &["SCTP", "TCP", "UDP"]);
        }
    }
}

fn port_number(number: i64, path: &Path<'_>, errors: &mut Errors) {
    for message in names::port_number(number) {
        errors.invalid_number(path, number, &message);
    }
}

fn host_port_conflicts<'a>(containers: impl Iterator<Item = Tree<'a>>, path: &Path<'_>, errors: &mut Errors) {
    let mut taken: Vec<String> = Vec::new();
    for (at, container) in containers.enumerate() {
        let place = path.index(at);
        let ports = place.child("ports");
        for (at, port) in container.list("ports").enumerate() {
            if port.int("hostPort") == 0 {
                continue;
            }
            let key = format!("{}/{}/{}", port.str("protocol"), port.str("hostIP"), port.int("hostPort"));
            if taken.contains(&key) {
                let port_path = ports.index(at);
                errors.duplicate(&port_path.child("hostPort"), &key);
            } else {
                taken.push(key);
            }
        }
    }
}

fn environment(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, variable) in list.items().enumerate() {
        let place = path.index(at);
        let name = variable.str("name");
        if name.is_empty() {
            errors.required(&place.child("name"), "");
        } else {
            errors.invalid_all(&place.child("name"), name, names::env_var_name(name));
        }
        if variable.has("valueFrom") {
            value_from(variable, &place.child("valueFrom"), errors);
        }
    }
}

fn value_from(variable: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let source = variable.at("valueFrom");
    let mut sources = 0;
    if source.has("fieldRef") {
        sources += 1;
        downward::field_ref(source.at("fieldRef"), downward::ENV_FIELDS, &path.child("fieldRef"), errors);
    }
    if source.has("resourceFieldRef") {
        sources += 1;
        downward::resource_ref(source.at("resourceFieldRef"), false, &path.child("resourceFieldRef"), errors);
    }
    for field in ["configMapKeyRef", "secretKeyRef"] {
        if source.has(field) {
            sources += 1;
            key_selector(source.at(field), &path.child(field), errors);
        }
    }
    if source.has("fileKeyRef") {
        sources += 1;
        file_key(source.at("fileKeyRef"), &path.child("fileKeyRef"), errors);
    }
    if sources == 0 {
        let detail =
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
        errors.invalid(path, "", detail);
    } else if !variable.str("value").is_empty() {
        errors.invalid(path, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        errors.invalid(path, "", "may not have more than one field specified at a time");
    }
}

fn key_selector(selector: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (name, key) = (selector.str("name"), selector.str("key"));
    errors.invalid_all(&path.child("name"), name, names::name_is_dns_subdomain(name, false));
    if key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_all(&path.child("key"), key, names::config_map_key(key));
    }
}

fn file_key(selector: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for field in ["key", "volumeName", "path"] {
        let (text, place) = (selector.str(field), path.child(field));
        match field {
            _ if text.is_empty() => errors.required(&place, ""),
            "key" => errors.invalid_all(&place, text, names::env_var_name(text)),
            "volumeName" => errors.invalid_all(&place, text, names::dns1123_label(text)),
            _ => no_backsteps(text, &place, errors),
        }
    }
}

/// Files with variables lie on volumes that live and die with the pod.
pub fn file_key_volumes(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    visit_containers(spec, path, |container, place| {
        let list = place.child("env");
        for (at, variable) in container.list("env").enumerate() {
            let source = variable.at("valueFrom").at("fileKeyRef");
            if !source.exists() {
                continue;
            }
            let name = source.str("volumeName");
            let variable_path = list.index(at);
            let from = variable_path.child("valueFrom");
            let reference = from.child("fileKeyRef");
            match spec.list("volumes").rfind(|volume| volume.str("name") == name) {
                None => errors.not_found(&reference.child("volumeName"), name, ""),
                Some(volume) if volume.has("emptyDir") => {}
                Some(_) => {
                    let detail = "referenced volume must be of type emptyDir";
                    errors.invalid(&reference.child("volumeName"), name, detail);
                }
            }
        }
    });
}

fn environment_from(list: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    for (at, source) in list.items().enumerate() {
        let place = path.index(at);
        let prefix = source.str("prefix");
        if !prefix.is_empty() {
            errors.invalid_all(&place.child("prefix"), prefix, names::env_var_name(prefix));
        }
        let mut sources = 0;
        for field in ["configMapRef", "secretRef"] {
            if !source.has(field) {
                continue;
            }
            sources += 1;
            let here = place.child(field);
            let name = source.at(field).str("name");
            if name.is_empty() {
                errors.required(&here.child("name"), "");
            } else {
                errors.invalid_all(&here.child("name"), name, names::name_is_dns_subdomain(name, true));
            }
        }
        // The path is that of the list, as there.
        if sources == 0 {
            errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
        } else if sources > 1 {
            errors.invalid(path, "", "may not have more than one field specified at a time");
        }
    }
}

/// An image pull policy.
pub fn pull_policy(policy: &str, path: &Path<'_>, errors: &mut Errors) {
    let valid = &["Always", "IfNotPresent", "Never"];
    if policy.is_empty() {
        errors.required(path, "");
    } else if !valid.contains(&policy) {
        errors.not_supported(path, policy, valid);
    }
}

fn resize_policy(container: Tree<'_>, spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, policy) in container.list("resizePolicy").enumerate() {
        let (resource, restart) = (policy.str("resourceName"), policy.str("restartPolicy"));
        if seen.contains(&resource) {
            errors.duplicate(&path.index(at), resource);
        }
        seen.push(resource);
        match resource {
            "cpu" | "memory" => {}
            "" => errors.required(path, ""),
            other => errors.not_supported(path, other, &["cpu", "memory"]),
        }
        match restart {
            "NotRequired" | "RestartContainer" => {}
            "" => errors.required(path, ""),
            other => errors.not_supported(path, other, &["NotRequired", "RestartContainer"]),
        }
        if spec.str("restartPolicy") == "Never" && restart != "NotRequired" {
            errors.invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'");
        }
    }
}

fn restart_policy(container: Tree<'_>, is_init: bool, path: &Path<'_>, errors: &mut Errors) {
    let policy = container.at("restartPolicy");
    let policy_path = path.child("restartPolicy");
    if policy.exists() {
        let valid = &["Always", "Never", "OnFailure"];
        if !valid.contains(&policy.text()) {
            errors.not_supported(&policy_path, policy.text(), valid);
        }
    } else if container.len("restartPolicyRules") > 0 {
        errors.required(&policy_path, "must specify restartPolicy when restart rules are used");
        if is_init {
            return;
        }
    }
    let rules = path.child("restartPolicyRules");
    if container.len("restartPolicyRules") > 20 {
        errors.too_long(&rules, 20);
    }
    for (at, rule) in container.list("restartPolicyRules").enumerate() {
        let place = rules.index(at);
        let action = rule.str("action");
        if !matches!(action, "Restart" | "RestartAllContainers") {
            // The other one is not named there, either.
            errors.not_supported(&place.child("action"), action, &["Restart"]);
        }
        let codes_path = place.child("exitCodes");
        let codes = rule.at("exitCodes");
        if !codes.exists() {
            errors.required(&codes_path, "must be specified");
            continue;
        }
        if !matches!(codes.str("operator"), "In" | "NotIn") {
            errors.not_supported(&codes_path.child("operator"), codes.str("operator"), &["In", "NotIn"]);
        }
        if codes.len("values") > 255 {
            errors.too_long(&codes_path.child("values"), 255);
        }
    }
}

fn hooks_and_probes(container: Tree<'_>, context: &ContainerContext<'_>, path: &Path<'_>, errors: &mut Errors) {
    let grace = context.spec.opt_int("terminationGracePeriodSeconds");
    let hooks = path.child("lifecycle");
    for name in ["postStart", "preStop"] {
        let hook = container.at("lifecycle").at(name);
        if hook.exists() {
            handler(hook, grace, &["exec", "httpGet", "tcpSocket", "sleep"], &hooks.child(name), errors);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = container.at(name);
        if !probe.exists() {
            continue;
        }
        let place = path.child(name);
        handler(probe, grace, &["exec", "httpGet", "tcpSocket", "grpc"], &place, errors);
        for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        {
            errors.non_negative(probe.int(field), &place.child(field));
        }
        let grace_path = place.child("terminationGracePeriodSeconds");
        let grace = probe.opt_int("terminationGracePeriodSeconds");
        if let Some(seconds) = grace.filter(|seconds| *seconds <= 0) {
            errors.invalid_number(&grace_path, seconds, "must be greater than 0");
        }
        if name == "readinessProbe" {
            if let Some(seconds) = grace {
                errors.invalid_number(&grace_path, seconds, "must not be set for readinessProbes");
            }
        } else if probe.int("successThreshold") != 1 {
            errors.invalid_number(&place.child("successThreshold"), probe.int("successThreshold"), "must be 1");
        }
    }
}

fn handler(action: Tree<'_>, grace: Option<i64>, kinds: &[&str], path: &Path<'_>, errors: &mut Errors) {
    let mut first = true;
    for kind in kinds {
        let one = action.at(kind);
        if !one.exists() {
            continue;
        }
        let place = path.child(kind);
        if !first {
            errors.forbidden(&place, "may not specify more than 1 handler type");
            continue;
        }
        first = false;
        match *kind {
            "exec" => {
                if one.len("command") == 0 {
                    errors.required(&place.child("command"), "");
                }
            }
            "httpGet" => http_get(one, &place, errors),
            "sleep" => {
                let seconds = one.int("seconds");
                if let Some(grace) = grace.filter(|grace| seconds < 0 || seconds > *grace) {
                    let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                    errors.invalid_number(&place, seconds, &detail);
                }
            }
            _ => port_or_name(one.at("port"), &place.child("port"), errors),
        }
    }
    if first {
        errors.required(path, "must specify a handler type");
    }
}

fn http_get(action: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if action.str("path").is_empty() {
        errors.required(&path.child("path"), "");
    }
    port_or_name(action.at("port"), &path.child("port"), errors);
    let scheme = action.str("scheme");
    if !matches!(scheme, "HTTP" | "HTTPS") {
        errors.not_supported(&path.child("scheme"), scheme, &["HTTP", "HTTPS"]);
    }
    for header in action.list("httpHeaders") {
        let name = header.str("name");
        errors.invalid_all(&path.child("httpHeaders"), name, names::http_header_name(name));
    }
}

fn port_or_name(port: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    match port.0.as_str() {
        Some(name) => errors.invalid_all(path, name, names::port_name(name)),
        None => port_number(port.number(), path, errors),
    }
}
