//! `kubectl version`, `api-resources`, `api-versions`, `cluster-info`

use crate::apiserver::schema::resources;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::lister::{self, API_SERVER_IP, API_SERVER_PORT};
use crate::kubectl::tabwriter;
use crate::kubectl::task::Started;
use crate::order::Order;

/// Version of the cluster and of kubectl.
pub(crate) const VERSION: &str = "v1.36.2";

/// The API versions that a cluster of this release serves.
const API_VERSIONS: &str = "admissionregistration.k8s.io/v1 apiextensions.k8s.io/v1 apiregistration.k8s.io/v1 apps/v1 \
     authentication.k8s.io/v1 authorization.k8s.io/v1 autoscaling/v1 autoscaling/v2 batch/v1 certificates.k8s.io/v1 \
     coordination.k8s.io/v1 discovery.k8s.io/v1 events.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1 networking.k8s.io/v1 \
     node.k8s.io/v1 policy/v1 rbac.authorization.k8s.io/v1 resource.k8s.io/v1 scheduling.k8s.io/v1 storage.k8s.io/v1 v1";

pub(crate) fn version(io: &mut Io, command: &Command) -> Started {
    if !command.arguments.is_empty() {
        return Err(CliError::message(format!("extra arguments: [{}]", command.arguments.join(" "))));
    }
    match command.flags.get("output") {
        None | Some("") => {}
        Some(format @ ("json" | "yaml")) => {
            let parts = VERSION.trim_start_matches('v').split('.').collect::<Vec<_>>();
            let version = serde_json::json!({
                "gitVersion": VERSION,
                "major": parts.first(),
                "minor": parts.get(1),
                "platform": "linux/amd64",
            });
            let mut tree = serde_json::json!({"clientVersion": version, "kustomizeVersion": "v5.8.1"});
            if !command.flags.is_on("client")
                && let Some(map) = tree.as_object_mut()
            {
                map.insert("serverVersion".into(), version);
            }
            let format = crate::kubectl::print::Format::parse(Some(format), None, false)?;
            let text = format.map(|format| format.print(&tree)).transpose()?.unwrap_or_default();
            io.out.push_str(&text);
            return Ok(None);
        }
        Some(_) => return Err(CliError::message("--output must be 'yaml' or 'json'")),
    }
    io.line(format!("Client Version: {VERSION}"));
    io.line("Kustomize Version: v5.8.1");
    if !command.flags.is_on("client") {
        io.line(format!("Server Version: {VERSION}"));
    }
    Ok(None)
}

pub(crate) fn api_versions(io: &mut Io) -> Started {
    for version in API_VERSIONS.split_whitespace() {
        io.line(version);
    }
    Ok(None)
}

pub(crate) fn api_resources(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    if !command.arguments.is_empty() {
        return Err(command.usage(format!("unexpected arguments: [{}]", command.arguments.join(" "))));
    }
    let output = flags.get_or("output", "");
    if !["", "wide", "name", "json", "yaml", "kyaml"].contains(&output) {
        return Err(CliError::message(format!("--output {output} is not available")));
    }
    if !["", "name", "kind"].contains(&flags.get_or("sort-by", "")) {
        return Err(CliError::message("--sort-by accepts only name or kind"));
    }
    let wide = flags.get("output") == Some("wide");
    let names = flags.get("output") == Some("name");
    let mut text = String::new();
    if !flags.is_on("no-headers") && !names {
        text.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND");
        text.push_str(if wide { "\tVERBS\tCATEGORIES\n" } else { "\n" });
    }
    let group = flags.get("api-group");
    let mut listed: Vec<_> = resources()
        .iter()
        .filter(|r| group.is_none_or(|group| r.group == group))
        .filter(|r| !flags.has("namespaced") || r.is_namespaced() == flags.is_on("namespaced"))
        .collect();
    if flags.get("sort-by") == Some("kind") {
        listed.order_by_key(|r| r.kind);
    }
    if flags.get("sort-by") == Some("name") {
        listed.order_by_key(|r| r.plural);
    }
    let asked = flags.list("verbs");
    listed.retain(|r| asked.iter().all(|verb| verbs_of(r.kind).split(',').any(|known| known == *verb)));
    let wanted = flags.list("categories");
    listed.retain(|r| wanted.iter().all(|category| categories_of(r.kind, r.group) == *category));
    for resource in listed {
        if names {
            io.line(resource.qualified_plural());
            continue;
        }
        text.push_str(&format!(
            "{}\t{}\t{}\t{}\t{}",
            resource.plural,
            resource.short_names.join(","),
            resource.api_version(),
            resource.is_namespaced(),
            resource.kind
        ));
        if wide {
            text.push_str(&format!("\t{}\t{}", verbs_of(resource.kind), categories_of(resource.kind, resource.group)));
        }
        text.push('\n');
    }
    if !names {
        io.out.push_str(&tabwriter::align_from(&text, tabwriter::GET, &mut Vec::new()));
    }
    Ok(None)
}

/// What can be done with objects of a kind.
fn verbs_of(kind: &str) -> &'static str {
    match kind {
        "ComponentStatus" => "get,list",
        "Binding" => "create",
        _ if kind.ends_with("Review") => "create",
        "Namespace" => "create,delete,get,list,patch,update,watch",
        _ => "create,delete,deletecollection,get,list,patch,update,watch",
    }
}

/// The group of resources (`get all`) that a kind belongs to.
fn categories_of(kind: &str, group: &str) -> &'static str {
    match (kind, group) {
        ("Pod" | "Service" | "ReplicationController", "") | ("CronJob" | "Job", "batch") => "all",
        ("DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet", "apps") | ("HorizontalPodAutoscaler", _) => "all",
        (_, "admissionregistration.k8s.io") | ("CustomResourceDefinition" | "APIService", _) => "api-extensions",
        _ => "",
    }
}

pub(crate) fn cluster_info(io: &mut Io) -> Started {
    io.line(format!("Kubernetes control plane is running at https://{API_SERVER_IP}:{API_SERVER_PORT}\n"));
    io.line("To further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(None)
}

/// `kubectl auth can-i`: there is one user, who may do everything.
///
/// Follows kubernetes kubectl pkg/cmd/auth/cani.go.
pub(crate) fn can_i(io: &mut Io, command: &Command) -> Started {
    const VERBS: &str = "get list watch create update patch delete deletecollection use bind impersonate * approve sign \
         escalate attest";
    let flags = &command.flags;
    if flags.is_on("list") {
        if !command.arguments.is_empty() {
            return Err(CliError::message("list option must be specified with no arguments"));
        }
        let text = "Resources\tNon-Resource URLs\tResource Names\tVerbs\n*.*\t[]\t[]\t[*]\n\t[*]\t[]\t[*]\n";
        let text = text
            .strip_prefix("Resources\tNon-Resource URLs\tResource Names\tVerbs\n")
            .filter(|_| flags.is_on("no-headers"))
            .unwrap_or(text);
        io.out.push_str(&tabwriter::align_from(text, tabwriter::GET, &mut Vec::new()));
        return Ok(None);
    }
    let [verb, what] = command.arguments.as_slice() else {
        let message = "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth \
             can-i -h' for help and examples.";
        return Err(CliError::message(message));
    };
    if !what.starts_with('/') {
        let word = what.split('/').next().unwrap_or(what);
        match lister::resource_named(word) {
            _ if word == "*" => {}
            None => io.complain(format!("Warning: the server doesn't have a resource type '{word}'\n")),
            Some(resource) if !resource.is_namespaced() && !flags.is_on("all-namespaces") => {
                let group = match resource.group {
                    "" => String::new(),
                    group => format!(" in group '{group}'"),
                };
                io.complain(format!("Warning: resource '{}' is not namespace scoped{group}\n", resource.plural));
            }
            Some(_) => {}
        }
        if !VERBS.split_whitespace().any(|known| known == verb) {
            io.complain(format!("Warning: verb '{verb}' is not a known verb\n"));
        }
    }
    if !flags.is_on("quiet") {
        io.line("yes");
    }
    Ok(None)
}
