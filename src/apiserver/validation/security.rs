//! Security contexts of pods and containers.
//!
//! Follows kubernetes pkg/apis/core/validation ValidateSecurityContext, validatePodSpecSecurityContext and neighbours,
//! v1.36.
use super::error::{Errors, Path};
use super::internal::internal_json;
use super::names;
use super::volumes::descending_path;
use crate::apiserver::schema::Tree;

/// A container's security context.
pub fn container_security(context: Tree<'_>, host_users: bool, path: &Path<'_>, errors: &mut Errors) {
    if !context.exists() {
        return;
    }
    ids(context, &["runAsUser", "runAsGroup"], path, errors);
    if context.has("procMount") {
        let (mount, mount_path) = (context.str("procMount"), path.child("procMount"));
        if !matches!(mount, "Default" | "Unmasked") {
            errors.not_supported(&mount_path, mount, &["Default", "Unmasked"]);
        }
        if host_users && mount == "Unmasked" {
            errors.invalid(&mount_path, mount, "`hostUsers` must be false to use `Unmasked`");
        }
    }
    seccomp(context.at("seccompProfile"), &path.child("seccompProfile"), errors);
    if context.at("allowPrivilegeEscalation").0.as_bool() == Some(false) {
        let shown = || internal_json("SecurityContext", context);
        if context.flag("privileged") {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errors.invalid_value(path, &shown(), detail);
        }
        for _ in context.at("capabilities").list("add").filter(|c| c.text() == "CAP_SYS_ADMIN") {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            errors.invalid_value(path, &shown(), detail);
        }
    }
    windows(context.at("windowsOptions"), &path.child("windowsOptions"), errors);
    app_armor(context.at("appArmorProfile"), &path.child("appArmorProfile"), errors);
}

/// A pod's security context.
pub fn pod_security(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let context = spec.at("securityContext");
    ids(context, &["fsGroup", "runAsUser", "runAsGroup"], path, errors);
    let groups = path.child("supplementalGroups");
    for (at, group) in context.list("supplementalGroups").enumerate() {
        for message in names::id(group.number()) {
            errors.invalid_number(&groups.index(at), group.number(), &message);
        }
    }
    if spec.flag("shareProcessNamespace") && spec.flag("hostPID") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid_value(&path.child("shareProcessNamespace"), &true.to_string(), detail);
    }
    sysctls(spec, &path.child("sysctls"), errors);
    one_of(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], path, errors);
    seccomp(context.at("seccompProfile"), &path.child("seccompProfile"), errors);
    windows(context.at("windowsOptions"), &path.child("windowsOptions"), errors);
    app_armor(context.at("appArmorProfile"), &path.child("appArmorProfile"), errors);
    one_of(context, "supplementalGroupsPolicy", &["Merge", "Strict"], path, errors);
    one_of(context, "seLinuxChangePolicy", &["MountOption", "Recursive"], path, errors);
}

fn ids(context: Tree<'_>, fields: &[&str], path: &Path<'_>, errors: &mut Errors) {
    for field in fields {
        if let Some(id) = context.opt_int(field) {
            for message in names::id(id) {
                errors.invalid_number(&path.child(field), id, &message);
            }
        }
    }
}

/// A text that, when it is there, must be one of a few.
pub fn one_of(parent: Tree<'_>, field: &str, valid: &[&str], path: &Path<'_>, errors: &mut Errors) {
    if parent.has(field) && !valid.contains(&parent.str(field)) {
        errors.not_supported(&path.child(field), parent.str(field), valid);
    }
}

fn sysctls(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    const PATTERN: &str = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
    let edge = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let segment = |text: &str| {
        let bytes = text.as_bytes();
        bytes.first().is_some_and(|b| edge(*b))
            && bytes.last().is_some_and(|b| edge(*b))
            && bytes.iter().all(|b| edge(*b) || matches!(b, b'-' | b'_'))
    };
    let mut seen: Vec<&str> = Vec::new();
    for (at, sysctl) in spec.at("securityContext").list("sysctls").enumerate() {
        let name = sysctl.str("name");
        let place = path.index(at);
        let name_path = place.child("name");
        if name.is_empty() {
            errors.required(&name_path, "");
        } else if name.len() > 253 || !name.split(['.', '/']).all(segment) {
            errors.invalid(&name_path, name, &format!("must have at most 253 characters and match regex {PATTERN}"));
        } else if seen.contains(&name) {
            errors.duplicate(&name_path, name);
        }
        let dotted = name.replace('/', ".");
        let ipc =
            ["kernel.shm", "kernel.msg", "fs.mqueue."].iter().any(|p| dotted.starts_with(p)) || dotted == "kernel.sem";
        if spec.flag("hostNetwork") && dotted.starts_with("net.") {
            errors.invalid(&name_path, name, "may not be specified when 'hostNetwork' is true");
        } else if spec.flag("hostIPC") && ipc {
            errors.invalid(&name_path, name, "may not be specified when 'hostIPC' is true");
        }
        seen.push(name);
    }
}

const PROFILE_TYPES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];

fn seccomp(profile: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !profile.exists() {
        return;
    }
    let kind = profile.str("type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "type is required when seccompProfile is set");
    } else if !PROFILE_TYPES.contains(&kind) {
        errors.not_supported(&path.child("type"), kind, PROFILE_TYPES);
    }
    let file = profile.at("localhostProfile");
    let file_path = path.child("localhostProfile");
    match (kind == "Localhost", file.exists()) {
        (true, false) => errors.required(&file_path, "must be set when seccomp type is Localhost"),
        (true, true) => descending_path(file.text(), &file_path, errors),
        (false, true) => {
            let shown = internal_json("Profile", profile);
            errors.invalid_value(&file_path, &shown, "can only be set when seccomp type is Localhost");
        }
        (false, false) => {}
    }
}

fn app_armor(profile: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !profile.exists() {
        return;
    }
    let file = profile.at("localhostProfile");
    let file_path = path.child("localhostProfile");
    match profile.str("type") {
        "Localhost" => {
            let text = file.text();
            if !file.exists() {
                errors.required(&file_path, "must be set when AppArmor type is Localhost");
            } else if text.trim() != text {
                errors.invalid(&file_path, text, "must not be padded with whitespace");
            } else if text.is_empty() {
                errors.required(&file_path, "must be set when AppArmor type is Localhost");
            }
            if text.len() > 4095 {
                errors.too_long(&file_path, 4095);
            }
        }
        "RuntimeDefault" | "Unconfined" => {
            if file.exists() {
                errors.invalid(&file_path, file.text(), "can only be set when AppArmor type is Localhost");
            }
        }
        "" => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        other => errors.not_supported(&path.child("type"), other, PROFILE_TYPES),
    }
}

fn windows(options: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if options.has("gmsaCredentialSpecName") {
        let name = options.str("gmsaCredentialSpecName");
        errors.invalid_all(&path.child("gmsaCredentialSpecName"), name, names::dns1123_subdomain(name));
    }
    if options.has("gmsaCredentialSpec") {
        let spec = options.str("gmsaCredentialSpec");
        let spec_path = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid(&spec_path, spec, "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > 64 * 1024 {
            errors.invalid(&spec_path, spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if options.has("runAsUserName") {
        let name = options.str("runAsUserName");
        let name_path = path.child("runAsUserName");
        for detail in windows_user(name) {
            errors.invalid(&name_path, name, detail);
        }
    }
}

/// What is wrong with a Windows user: `USER` or `DOMAIN\USER`.
fn windows_user(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if name.chars().any(|c| c.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    if name.matches('\\').count() > 1 {
        return vec!["runAsUserName cannot contain more than one backslash"];
    }
    let (domain, user) = name.split_once('\\').map_or((None, name), |(domain, user)| (Some(domain), user));
    let mut found = Vec::new();
    if let Some(domain) = domain {
        if domain.len() >= 256 {
            found.push("runAsUserName's Domain length must be under 256 characters");
        }
        let net_bios = (1..=15).contains(&domain.chars().count())
            && !domain.starts_with('.')
            && !domain.contains(['/', ':', '*', '?', '"', '<', '>', '|']);
        let label = |part: &str| part.len() <= 63 && names::dns1123_label(&part.to_ascii_lowercase()).is_empty();
        if !net_bios && !domain.split('.').all(label) {
            found.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        found.push("runAsUserName's User cannot be empty");
    } else if user.len() > 104 {
        found.push("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|c| c == '.' || c == ' ') {
        found.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        found.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
    found
}

/// Fields of the pod that a Windows pod may not have: below which struct, name.
const NOT_ON_WINDOWS: &[(&str, &str)] = &[
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxOptions"),
    ("", "hostUsers"),
    ("", "hostPID"),
    ("", "hostIPC"),
    ("securityContext", "seccompProfile"),
    ("securityContext", "fsGroup"),
    ("securityContext", "fsGroupChangePolicy"),
    ("securityContext", "sysctls"),
    ("", "shareProcessNamespace"),
    ("securityContext", "runAsUser"),
    ("securityContext", "runAsGroup"),
    ("securityContext", "supplementalGroups"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("securityContext", "seLinuxChangePolicy"),
];
const NOT_IN_WINDOWS_CONTAINERS: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

/// Containers of all kinds with their paths: init containers first.
pub fn visit_containers<'a>(spec: Tree<'a>, path: &Path<'_>, mut visit: impl FnMut(Tree<'a>, &Path<'_>)) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let list_path = path.child(list);
        for (at, container) in spec.list(list).enumerate() {
            visit(container, &list_path.index(at));
        }
    }
}

/// What the declared operating system forbids.
pub fn operating_system(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    if !spec.has("os") {
        return;
    }
    let context_path = path.child("securityContext");
    match spec.at("os").str("name") {
        "" => {
            let os = path.child("os");
            errors.required(&os.child("name"), "");
        }
        "linux" => {
            let detail = "windows options cannot be set for a linux pod";
            if spec.at("securityContext").has("windowsOptions") {
                errors.forbidden(&context_path.child("windowsOptions"), detail);
            }
            visit_containers(spec, path, |container, place| {
                if container.at("securityContext").has("windowsOptions") {
                    let context = place.child("securityContext");
                    errors.forbidden(&context.child("windowsOptions"), detail);
                }
            });
        }
        "windows" => {
            let detail = "cannot be set for a windows pod";
            for (below, field) in NOT_ON_WINDOWS {
                let (parent, parent_path) =
                    if below.is_empty() { (spec, path) } else { (spec.at(below), &context_path) };
                // What has no pointer there is set when it is not its zero value.
                let set = match *field {
                    "hostPID" | "hostIPC" => parent.flag(field),
                    "sysctls" => parent.len(field) > 0,
                    _ => parent.has(field),
                };
                if set {
                    errors.forbidden(&parent_path.child(field), detail);
                }
            }
            visit_containers(spec, path, |container, place| {
                let context_path = place.child("securityContext");
                for field in NOT_IN_WINDOWS_CONTAINERS {
                    if container.at("securityContext").has(field) {
                        errors.forbidden(&context_path.child(field), detail);
                    }
                }
            });
        }
        other => errors.not_supported(&path.child("os"), other, &["linux", "windows"]),
    }
}

/// HostProcess containers: all or none, and only with the host's network.
pub fn windows_host_process(spec: Tree<'_>, path: &Path<'_>, errors: &mut Errors) {
    let of = |context: Tree<'_>| context.path(&["windowsOptions", "hostProcess"]).0.as_bool();
    let of_pod = of(spec.at("securityContext"));
    let (mut all, mut with) = (0, 0);
    visit_containers(spec, path, |container, place| {
        all += 1;
        let of_container = of(container.at("securityContext"));
        if let (Some(pod), Some(container)) = (of_pod, of_container)
            && pod != container
        {
            let context = place.child("securityContext");
            let options = context.child("windowsOptions");
            let detail = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errors.invalid_value(&options.child("hostProcess"), &container.to_string(), &detail);
        }
        if of_container.or(of_pod) == Some(true) {
            with += 1;
        }
    });
    if with == 0 {
        return;
    }
    if with != all {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid(path, "", detail);
    }
    if !spec.flag("hostNetwork") {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid_value(&path.child("hostNetwork"), &false.to_string(), detail);
    }
}
