//! What the API server accepts but warns about.
//!
//! Follows kubernetes pkg/api/pod/warnings.go, pkg/api/node/util.go and the strategies' WarningsOnCreate and
//! WarningsOnUpdate, v1.36.
use super::error::{Path, quote};
use super::names;
use super::resources::quantity;
use super::security::visit_containers;
use crate::apiserver::schema::Tree;
use crate::order::Order;
use serde_json::Value;

/// The warnings for a new object, or for one that replaces `old`. kubectl prints each after `Warning: `.
pub fn warnings(kind: &str, new: &Value, old: Option<&Value>) -> Vec<String> {
    let new = Tree(new);
    let mut list = Vec::new();
    match kind {
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" => {
            let name = new.at("metadata").str("name");
            let messages = names::dns1123_label(name);
            if kind != "DaemonSet" && old.is_none() && !messages.is_empty() {
                list.push(format!(
                    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a \
                     DNS label is recommended: [{}]",
                    messages.join(" ")
                ));
            }
            // On update only when the template has changed or, of the others, anything that counts.
            let unchanged = old.map(Tree).is_some_and(|old| match kind {
                "DaemonSet" => old.path(&["spec", "template"]).0 == new.path(&["spec", "template"]).0,
                _ => old.at("metadata").int("generation") == new.at("metadata").int("generation"),
            });
            if !unchanged {
                let spec = Path::new("spec");
                let template = new.at("spec").at("template");
                pod(template.at("metadata"), template.at("spec"), Some(&spec.child("template")), &mut list);
            }
        }
        // Nobody is to write to pods that are there already.
        "Pod" if old.is_none() => {
            let messages = names::dns1123_label(new.at("metadata").str("name"));
            if !messages.is_empty() {
                list.push(format!(
                    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS \
                     label is recommended: [{}]",
                    messages.join(" ")
                ));
            }
            pod(new.at("metadata"), new.at("spec"), None, &mut list);
        }
        "Node" => {
            if !new.at("spec").str("externalID").is_empty() {
                list.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".into());
            }
            let spec = Path::new("spec");
            let path = spec.child("podCIDRs");
            for (at, block) in new.at("spec").list("podCIDRs").enumerate() {
                canonical(block.text(), "IPv6 CIDR value", &path.index(at), &mut list);
            }
        }
        _ => {}
    }
    list
}

/// Labels of nodes that have newer names.
fn deprecated_label(key: &str) -> Option<&'static str> {
    Some(match key {
        "beta.kubernetes.io/arch" => "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        "beta.kubernetes.io/os" => "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "failure-domain.beta.kubernetes.io/region" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
        }
        "beta.kubernetes.io/instance-type" => {
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"
        }
        _ => return None,
    })
}

const OLD_ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

const OLD_VOLUMES: &[(&str, &str, &str)] = &[
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Warnings for a pod, or for a template when there is a path to it.
fn pod(meta: Tree<'_>, spec: Tree<'_>, template: Option<&Path<'_>>, list: &mut Vec<String>) {
    let spec_path = template.map_or(Path::new("spec"), |path| path.child("spec"));
    let meta_path = template.map_or(Path::new("metadata"), |path| path.child("metadata"));
    placement(spec, &spec_path, list);
    let annotations = meta_path.child("annotations");
    for (key, message) in OLD_ANNOTATIONS {
        if meta.at("annotations").has(key) {
            list.push(format!("{}: {message}", annotations.key(key)));
        }
    }
    volumes(spec, &spec_path, list);
    duplicates(spec, "hostAliases", "ip", &spec_path, list);
    duplicates(spec, "imagePullSecrets", "name", &spec_path, list);
    let secrets = spec_path.child("imagePullSecrets");
    for (at, secret) in spec.list("imagePullSecrets").enumerate() {
        if secret.str("name").is_empty() {
            list.push(format!("{}: invalid empty name \"\"", secrets.index(at).child("name")));
        }
    }
    fractions(spec.at("overhead"), &spec_path.child("overhead"), list);
    profile_annotations(meta, spec, None, &annotations, list);
    visit_containers(spec, &spec_path, |container, path| {
        profile_annotations(meta, spec, Some((container, template.is_some())), &annotations, list);
        let resources = path.child("resources");
        // Memory first, then local storage; of each the limit first.
        for resource in ["memory", "ephemeral-storage"] {
            for side in ["limits", "requests"] {
                let amount = container.at("resources").at(side).at(resource);
                fraction(amount, &resources.child(side).key(resource), list);
            }
        }
        environment(container, &path.child("env"), list);
    });
    ports(spec, &spec_path, list);
    if spec.int("terminationGracePeriodSeconds") < 0 {
        let path = spec_path.child("terminationGracePeriodSeconds");
        list.push(format!("{path}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    null_selectors(spec, &spec_path, list);
    let config = spec_path.child("dnsConfig");
    let servers = config.child("nameservers");
    for (at, server) in spec.at("dnsConfig").list("nameservers").enumerate() {
        canonical(server.text(), "IPv6 address", &servers.index(at), list);
    }
    let aliases = spec_path.child("hostAliases");
    for (at, alias) in spec.list("hostAliases").enumerate() {
        canonical(alias.str("ip"), "IPv6 address", &aliases.index(at).child("ip"), list);
    }
}

/// An address that may be written shorter.
fn canonical(text: &str, what: &str, path: &Path<'_>, list: &mut Vec<String>) {
    if let Some(better) = names::canonical_ipv6(text) {
        let (text, better) = (quote(text), quote(&better));
        list.push(format!("{path}: {what} {text} should be in RFC 5952 canonical format ({better})"));
    }
}

fn placement(spec: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    let selector = path.child("nodeSelector");
    for (key, _) in spec.map("nodeSelector") {
        if let Some(message) = deprecated_label(key) {
            list.push(format!("{}: {message}", selector.key(key)));
        }
    }
    let affinity_path = path.child("affinity");
    let node_path = affinity_path.child("nodeAffinity");
    let node = spec.path(&["affinity", "nodeAffinity"]);
    let required = node_path.child("requiredDuringSchedulingIgnoredDuringExecution");
    let terms = required.child("nodeSelectorTerms");
    let required_terms = node.at("requiredDuringSchedulingIgnoredDuringExecution").at("nodeSelectorTerms");
    for (at, term) in required_terms.items().enumerate() {
        node_term(term, false, &terms.index(at), list);
    }
    let preferred = node_path.child("preferredDuringSchedulingIgnoredDuringExecution");
    for (at, term) in node.list("preferredDuringSchedulingIgnoredDuringExecution").enumerate() {
        node_term(term.at("preference"), true, &preferred.index(at).child("preference"), list);
    }
    let spread = path.child("topologySpreadConstraints");
    for (at, constraint) in spec.list("topologySpreadConstraints").enumerate() {
        let place = spread.index(at);
        let key = constraint.str("topologyKey");
        if let Some(message) = deprecated_label(key) {
            list.push(format!("{}: {key} is {message}", place.child("topologyKey")));
        }
        if !constraint.has("labelSelector") {
            list.push(format!("{}: a null labelSelector results in matching no pod", place.child("labelSelector")));
        }
    }
}

fn node_term(term: Tree<'_>, check_values: bool, path: &Path<'_>, list: &mut Vec<String>) {
    let expressions = path.child("matchExpressions");
    for (at, expression) in term.list("matchExpressions").enumerate() {
        let place = expressions.index(at);
        let key = expression.str("key");
        if let Some(message) = deprecated_label(key) {
            list.push(format!("{}: {key} is {message}", place.child("key")));
        }
        if check_values {
            let values = place.child("values");
            for (at, value) in expression.list("values").enumerate() {
                for message in names::label_value(value.text()) {
                    list.push(format!("{}: {} is invalid, {message}", values.index(at), value.text()));
                }
            }
        }
    }
}

fn volumes(spec: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    let volumes = path.child("volumes");
    for (at, volume) in spec.list("volumes").enumerate() {
        let place = volumes.index(at);
        for (field, shown, message) in OLD_VOLUMES {
            if volume.has(field) {
                list.push(format!("{}: {message}", place.child(shown)));
            }
        }
    }
    for volume in spec.list("volumes") {
        overlaps(volume, list);
    }
}

/// Files of a volume that would lie at or below the path of another one.
///
/// Follows kubernetes pkg/api/pod/warnings.go warningsForOverlappingVirtualPaths, v1.36.
fn overlaps(volume: Tree<'_>, list: &mut Vec<String>) {
    let name = quote(volume.str("name"));
    let paths = |source: Tree<'_>| -> Vec<String> { source.list("items").map(|i| i.str("path").to_owned()).collect() };
    let (config, secret) = (volume.at("configMap"), volume.at("secret"));
    collisions(&paths(config), &format!("volume {name} (ConfigMap {})", quote(config.str("name"))), list);
    collisions(&paths(secret), &format!("volume {name} (Secret {})", quote(secret.str("secretName"))), list);
    collisions(&paths(volume.at("downwardAPI")), &format!("volume {name} (DownwardAPI)"), list);
    let mut all: Vec<String> = Vec::new();
    for source in volume.at("projected").list("sources") {
        if source.entries().next().is_none() {
            list.push(format!("volume {name} (Projected) has no sources provided"));
            continue;
        }
        let (config, secret) = (source.at("configMap"), source.at("secret"));
        let (token, bundle) = (source.at("serviceAccountToken"), source.at("clusterTrustBundle"));
        let (own, what) = if config.has("items") {
            (paths(config), format!("ConfigMap {}", quote(config.str("name"))))
        } else if secret.has("items") {
            (paths(secret), format!("Secret {}", quote(secret.str("name"))))
        } else if source.at("downwardAPI").has("items") {
            (paths(source.at("downwardAPI")), "DownwardAPI".into())
        } else if token.exists() {
            (vec![token.str("path").to_owned()], "ServiceAccountToken".into())
        } else if bundle.exists() {
            let named = if bundle.has("name") { bundle.str("name") } else { bundle.str("signerName") };
            (vec![bundle.str("path").to_owned()], format!("ClusterTrustBundle {}", quote(named)))
        } else {
            continue;
        };
        let whose = format!("volume {name} (Projected {what})");
        collisions(&own, &whose, list);
        let mut unique = own;
        unique.order();
        unique.dedup();
        let mut with_others = [unique.as_slice(), all.as_slice()].concat();
        with_others.order();
        collisions(&with_others, &whose, list);
        all.append(&mut unique);
    }
}

fn collisions(paths: &[String], whose: &str, list: &mut Vec<String>) {
    let below =
        |path: &str, other: &str| path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let paths: Vec<&str> = paths.iter().map(|path| path.trim_end_matches('/')).collect();
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let earlier = paths.iter().take(at).filter(|other| !other.is_empty());
        if let Some(other) = earlier.into_iter().find(|other| below(path, other) || below(other, path)) {
            list.push(format!("{whose}: overlapping paths: {} with {}", quote(path), quote(other)));
        }
    }
}

/// What is said of the annotation for an AppArmor profile.
pub const APP_ARMOR: &str = "deprecated since v1.30; use the \"appArmorProfile\" field instead";

/// Annotations for security profiles where the field that took their place is not set.
fn profile_annotations(
    meta: Tree<'_>,
    spec: Tree<'_>,
    container: Option<(Tree<'_>, bool)>,
    path: &Path<'_>,
    list: &mut Vec<String>,
) {
    const SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
    let mut tell = |key: &str, set: bool, message: &str| {
        if !set && meta.at("annotations").has(key) {
            list.push(format!("{}: {message}", path.key(key)));
        }
    };
    let pod = spec.at("securityContext");
    let Some((container, in_template)) = container else {
        return tell("seccomp.security.alpha.kubernetes.io/pod", pod.has("seccompProfile"), SECCOMP);
    };
    let (name, context) = (container.str("name"), container.at("securityContext"));
    let seccomp = format!("container.seccomp.security.alpha.kubernetes.io/{name}");
    tell(&seccomp, context.has("seccompProfile"), SECCOMP);
    // Of a pod it has been told when the annotation became a field.
    let app_armor = format!("{}{name}", super::pod::APP_ARMOR);
    tell(&app_armor, !in_template || pod.has("appArmorProfile") || context.has("appArmorProfile"), APP_ARMOR);
}

fn duplicates(spec: Tree<'_>, field: &str, key: &str, path: &Path<'_>, list: &mut Vec<String>) {
    let place = path.child(field);
    for (at, item) in spec.list(field).enumerate() {
        let value = item.str(key);
        if spec.list(field).take(at).any(|before| before.str(key) == value) {
            list.push(format!("{}: duplicate {key} {}", place.index(at).child(key), quote(value)));
        }
    }
}

fn fractions(amounts: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    for resource in ["memory", "ephemeral-storage"] {
        fraction(amounts.at(resource), &path.key(resource), list);
    }
}

fn fraction(amount: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    let amount = quantity(amount);
    if amount.milli_value() % 1000 != 0 {
        list.push(format!("{path}: fractional byte value \"{amount}\" is invalid, must be an integer"));
    }
}

fn environment(container: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    for (at, variable) in container.list("env").enumerate() {
        let name = variable.str("name");
        if !container.list("env").take(at).any(|before| before.str("name") == name) {
            continue;
        }
        // Building on the earlier value is fine.
        let reference = format!("$({name})");
        let value = variable.str("value");
        if variable.has("valueFrom") || value == reference || !value.contains(&reference) {
            list.push(format!(
                "{}: hides previous definition of {}, which may be dropped when using apply",
                path.index(at),
                quote(name)
            ));
        }
    }
}

fn ports(spec: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    let mut seen: Vec<(i64, &str, &str, i64, String)> = Vec::new();
    visit_containers(spec, path, |container, place| {
        let ports_path = place.child("ports");
        for (at, port) in container.list("ports").enumerate() {
            let here = ports_path.index(at);
            let (number, protocol) = (port.int("containerPort"), port.str("protocol"));
            let (ip, host) = (port.str("hostIP"), port.int("hostPort"));
            if !ip.is_empty() && host == 0 {
                let name = port.str("name");
                list.push(format!(
                    "{here}: hostIP set without hostPort: {{Name:{name} HostPort:0 ContainerPort:{number} \
                     Protocol:{protocol} HostIP:{ip}}}"
                ));
            }
            for (_, _, other_ip, other_host, other) in
                seen.iter().filter(|(n, p, _, _, _)| *n == number && *p == protocol)
            {
                if ip == *other_ip && host == *other_host {
                    list.push(format!("{here}: duplicate port definition with {other}"));
                } else if host == 0 || *other_host == 0 {
                    list.push(format!("{here}: overlapping port definition with {other}"));
                } else if host == *other_host && ip.is_empty() != other_ip.is_empty() {
                    list.push(format!("{here}: dangerously ambiguous port definition with {other}"));
                }
            }
            seen.push((number, protocol, ip, host, here.to_string()));
        }
    });
}

fn null_selectors(spec: Tree<'_>, path: &Path<'_>, list: &mut Vec<String>) {
    let affinity = path.child("affinity");
    for kind in ["podAffinity", "podAntiAffinity"] {
        let place = affinity.child(kind);
        let terms = spec.at("affinity").at(kind);
        let required = place.child("requiredDuringSchedulingIgnoredDuringExecution");
        for (at, term) in terms.list("requiredDuringSchedulingIgnoredDuringExecution").enumerate() {
            if !term.has("labelSelector") {
                let here = required.index(at);
                list.push(format!("{}: a null labelSelector results in matching no pod", here.child("labelSelector")));
            }
        }
        let preferred = place.child("preferredDuringSchedulingIgnoredDuringExecution");
        for (at, term) in terms.list("preferredDuringSchedulingIgnoredDuringExecution").enumerate() {
            if !term.at("podAffinityTerm").has("labelSelector") {
                let here = preferred.index(at);
                let term_path = here.child("podAffinityTerm");
                list.push(format!(
                    "{}: a null labelSelector results in matching no pod",
                    term_path.child("labelSelector")
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of_template(annotations: Value, spec: Value) -> Vec<String> {
        let template = json!({"metadata": {"annotations": annotations}, "spec": spec});
        warnings("DaemonSet", &json!({"metadata": {"name": "a"}, "spec": {"template": template}}), None)
    }

    #[test]
    fn annotations_for_profiles_are_deprecated_where_no_field_takes_their_place() {
        let annotations = json!({
            "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
            "container.seccomp.security.alpha.kubernetes.io/c": "runtime/default",
            "container.apparmor.security.beta.kubernetes.io/c": "unconfined",
        });
        let path = "spec.template.metadata.annotations";
        assert_eq!(
            of_template(annotations.clone(), json!({"containers": [{"name": "c"}]})),
            [
                format!(
                    "{path}[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the \"seccompProfile\" field instead"
                ),
                format!(
                    "{path}[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the \"seccompProfile\" field instead"
                ),
                format!(
                    "{path}[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the \"appArmorProfile\" field instead"
                ),
            ]
        );
        let set = json!({"seccompProfile": {"type": "RuntimeDefault"}, "appArmorProfile": {"type": "Unconfined"}});
        let spec = json!({"securityContext": set, "containers": [{"name": "c", "securityContext": set}]});
        assert!(of_template(annotations, spec).is_empty());
    }

    #[test]
    fn files_of_a_volume_must_not_lie_in_each_others_way() {
        let item = |path: &str| json!({"key": "k", "path": path});
        let told = |volume: Value| of_template(json!({}), json!({"volumes": [volume]}));
        let config = |items: Value| json!({"name": "v", "configMap": {"name": "c", "items": items}});
        assert_eq!(
            told(config(json!([item("a"), item("a/b"), item("ab")]))),
            ["volume \"v\" (ConfigMap \"c\"): overlapping paths: \"a/b\" with \"a\""]
        );
        let projected = json!({"name": "v", "projected": {"sources": [
            {"serviceAccountToken": {"path": "token"}},
            {"configMap": {"name": "c", "items": [item("token")]}},
        ]}});
        assert_eq!(
            told(projected),
            ["volume \"v\" (Projected ConfigMap \"c\"): overlapping paths: \"token\" with \"token\""]
        );
    }
}
