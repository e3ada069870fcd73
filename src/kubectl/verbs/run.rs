//! `kubectl run`, `expose` and `autoscale`

use super::generate::send;
use crate::apiserver::patch::{json_merge, json_patch, strategic_merge};
use crate::apiserver::requests::has_scale;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::Started;
use serde_json::{Map, Value, json};

/// `kubectl run`: one pod.
pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let before_dash = flags.before_dash(command.arguments.len());
    let Some((name, rest)) = command.arguments.split_first().filter(|_| before_dash > 0) else {
        return Err(CliError::message("NAME is required for run"));
    };
    let Some(image) = flags.get("image") else {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    };
    if image.is_empty() {
        return Err(CliError::message("--image is required"));
    }
    if !is_image_reference(image) {
        return Err(CliError::message(format!("Invalid image name {image:?}: invalid reference format")));
    }
    if flags.is_on("tty") && !flags.is_on("stdin") {
        return Err(CliError::message("-i/--stdin is required for containers with -t/--tty=true"));
    }
    if flags.is_on("expose") && flags.get_or("port", "").is_empty() {
        return Err(CliError::message("--port must be set when exposing a service"));
    }
    let attaches = flags.switch("attach", flags.is_on("stdin"));
    let restart = match flags.get_or("restart", "") {
        "" if flags.is_on("stdin") => "OnFailure",
        "" => "Always",
        given @ ("Always" | "OnFailure" | "Never") => given,
        other => return Err(CliError::message(format!("invalid restart policy: {other}"))),
    };
    if flags.is_on("rm") && !attaches {
        return Err(CliError::message("--rm should only be used for attached containers"));
    }
    if attaches {
        return Err(CliError::message(
            "nothing runs inside the pods of this playground, so there is nothing to attach to",
        ));
    }
    let mut labels = pairs(&flags.list("labels"), "label")?;
    if labels.is_empty() {
        labels.insert("run".into(), name.as_str().into());
    }
    let mut metadata = json!({"name": name, "labels": labels});
    let annotations = pairs(&flags.all("annotations").iter().map(String::as_str).collect::<Vec<_>>(), "annotation")?;
    if let (false, Some(map)) = (annotations.is_empty(), metadata.as_object_mut()) {
        map.insert("annotations".into(), annotations.into());
    }
    let mut container = json!({"name": name, "image": image, "resources": {}});
    if let Some(map) = container.as_object_mut() {
        if !rest.is_empty() {
            map.insert(if flags.is_on("command") { "command" } else { "args" }.into(), json!(rest));
        }
        if let Some(port) = flags.get("port").and_then(|port| port.parse::<i64>().ok()) {
            map.insert("ports".into(), json!([{"containerPort": port}]));
        }
        let env: Vec<Value> = flags
            .all("env")
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        if !env.is_empty() {
            map.insert("env".into(), json!(env));
        }
        if let Some(policy) = flags.get("image-pull-policy").filter(|policy| !policy.is_empty()) {
            if !matches!(policy, "Always" | "IfNotPresent" | "Never") {
                return Err(CliError::message(format!("invalid image pull policy: {policy}")));
            }
            map.insert("imagePullPolicy".into(), policy.into());
        }
        if flags.is_on("privileged") {
            map.insert("securityContext".into(), json!({"privileged": true}));
        }
    }
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
        "status": {},
    });
    let pod = overridden(command, pod, "merge")?;
    if flags.is_on("expose") {
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {
                "ports": [{
                    "port": flags.int("port").unwrap_or(0),
                    "protocol": "TCP",
                    "targetPort": flags.int("port").unwrap_or(0),
                }],
                "selector": labels,
            },
            "status": {"loadBalancer": {}},
        });
        send(io, command, service, "created", "")?;
    }
    send(io, command, pod, "created", "")
}

/// `key=value` each.
fn pairs(list: &[&str], what: &str) -> Result<Map<String, Value>> {
    list.iter()
        .map(|pair| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.into())),
            _ => Err(CliError::message(format!("unexpected {what} spec: {pair}"))),
        })
        .collect()
}

/// What `--overrides` makes of an object.
fn overridden(command: &Command, mut tree: Value, usual: &str) -> Result<Value> {
    let Some(text) = command.flags.get("overrides").filter(|text| !text.is_empty()) else { return Ok(tree) };
    let patch: Value = serde_json::from_str(text).map_err(|_| CliError::message("Invalid JSON Patch"))?;
    let kind = tree.get("kind").and_then(Value::as_str).unwrap_or("").to_owned();
    let result = match command.flags.get_or("override-type", usual) {
        "json" => json_patch(&mut tree, &patch),
        "merge" => {
            json_merge(&mut tree, &patch);
            Ok(())
        }
        "strategic" => strategic_merge(&mut tree, &patch, &kind),
        other => return Err(CliError::message(format!("invalid override type: {other:?}"))),
    };
    result.map_err(|error| CliError::message(error.to_string()))?;
    Ok(tree)
}

/// `registry/name:tag@digest`.
///
/// Follows github.com/distribution/reference ReferenceRegexp.
fn is_image_reference(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let digest_fits = digest.is_none_or(|digest| {
        digest.split_once(':').is_some_and(|(algorithm, hex)| {
            algorithm.starts_with(|c: char| c.is_ascii_alphabetic())
                && hex.len() >= 32
                && hex.bytes().all(|b| b.is_ascii_hexdigit())
        })
    });
    let (path, tag) = match name.rsplit_once(':') {
        Some((path, tag)) if !tag.contains('/') => (path, Some(tag)),
        _ => (name, None),
    };
    let tag_fits = tag.is_none_or(|tag| {
        let first = tag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        first && tag.len() <= 128 && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    });
    let parts: Vec<&str> = path.split('/').collect();
    let is_component = |part: &&str| {
        let edge = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|b| edge(*b))
            && bytes.last().is_some_and(|b| edge(*b))
            && bytes.iter().all(|b| edge(*b) || b"._-".contains(b))
            && !part.contains("..")
            && !part.contains("___")
    };
    let is_domain = |part: &&str| {
        let host = part.split(':').next().unwrap_or("");
        !host.is_empty()
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b))
            && host.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
    };
    let rest_fits = parts.iter().skip(1).all(is_component);
    let first_fits = parts.first().is_some_and(|first| is_component(first) || (parts.len() > 1 && is_domain(first)));
    digest_fits && tag_fits && rest_fits && first_fits
}

/// `kubectl expose`: a Service object, which nothing acts on here.
pub(crate) fn expose(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let rules = Rules { looks_up_files: true, ..Rules::default() };
    let infos = select::select(io, command, &command.arguments, rules)?.all()?;
    let Some(info) = infos.first() else { return Ok(None) };
    let tree = info.object.as_ref().map(crate::objects::Object::to_value).unwrap_or_default();
    let pairs = |pointer: &str| tree.pointer(pointer).cloned().filter(|map| map.is_object());
    let selector = match info.resource.kind {
        "Deployment" | "ReplicaSet" => pairs("/spec/selector/matchLabels"),
        "Pod" => pairs("/metadata/labels"),
        "Service" | "ReplicationController" => pairs("/spec/selector"),
        _ => {
            return Err(CliError::message(format!("cannot expose a {}", info.resource.qualified_kind())));
        }
    };
    let Some(selector) = selector else {
        return Err(CliError::message(
            "couldn't retrieve selectors via --selector flag or introspection: the object has no labels",
        ));
    };
    let Some(port) = flags.get("port").and_then(|port| port.parse::<i64>().ok()) else {
        return Err(CliError::message("couldn't find port via --port flag or introspection"));
    };
    let target =
        flags.get("target-port").map_or(json!(port), |text| text.parse::<i64>().map_or(json!(text), |n| json!(n)));
    let name = flags.get_or("name", &info.key.name).to_owned();
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {
            "ports": [{"port": port, "protocol": flags.get_or("protocol", "TCP"), "targetPort": target}],
            "selector": selector,
            "type": flags.get_or("type", "ClusterIP"),
        },
        "status": {"loadBalancer": {}},
    });
    let service = overridden(command, service, "merge")?;
    send(io, command, service, "exposed", "")
}

/// `kubectl autoscale`: a HorizontalPodAutoscaler object, which nothing acts on here.
pub(crate) fn autoscale(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let Some(most) = flags.int("max") else {
        return Err(CliError::message("required flag(s) \"max\" not set"));
    };
    let rules = Rules { looks_up_files: true, ..Rules::default() };
    let infos = select::select(io, command, &command.arguments, rules)?.all()?;
    for info in &infos {
        let resource = info.resource;
        if !has_scale(resource) {
            return Err(CliError::message(format!(
                "cannot autoscale a {}: could not find scale subresource for {}, Resource={} in discovery information",
                resource.kind,
                resource.api_version(),
                resource.plural
            )));
        }
        let target = json!({"apiVersion": resource.api_version(), "kind": resource.kind, "name": &*info.key.name});
        let scaler = json!({
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": flags.get_or("name", &info.key.name)},
            "spec": {"maxReplicas": most, "minReplicas": flags.int("min"), "scaleTargetRef": target},
        });
        send(io, command, scaler, "autoscaled", "")?;
    }
    Ok(None)
}
