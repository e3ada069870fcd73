//! `kubectl run`, `expose` and `autoscale`

use super::generate::send;
use super::output::DryRun;
use crate::apiserver::patch::{json_merge, json_patch, strategic_merge};
use crate::apiserver::requests::has_scale;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::select::{self, Info, Rules};
use crate::kubectl::task::Started;
use serde_json::{Map, Value, json};

/// `kubectl run`: one pod.
pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let before_dash = flags.before_dash(command.arguments.len());
    let Some(image) = flags.get("image") else {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    };
    let Some((name, rest)) = command.arguments.split_first().filter(|_| before_dash > 0) else {
        return Err(CliError::message("NAME is required for run"));
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
        return Err(command.usage("--port must be set when exposing a service"));
    }
    let attaches = flags.switch("attach", flags.is_on("stdin"));
    let restart = match flags.get_or("restart", "") {
        "" if flags.is_on("stdin") => "OnFailure",
        "" => "Always",
        given @ ("Always" | "OnFailure" | "Never") => given,
        other => return Err(command.usage(format!("invalid restart policy: {other}"))),
    };
    if flags.is_on("rm") && !attaches {
        return Err(command.usage("--rm should only be used for attached containers"));
    }
    if attaches {
        let why = "nothing runs inside the simulated containers, so there is nothing to attach to";
        return Err(CliError::not_offered("kubectl run --attach", why));
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
        if let Some(port) = flags.get("port").filter(|port| !port.is_empty()) {
            let number = port
                .parse::<i64>()
                .map_err(|_| CliError::message(format!("strconv.Atoi: parsing {port:?}: invalid syntax")))?;
            map.insert("ports".into(), json!([{"containerPort": number}]));
        }
        let variable = |pair: &String| match pair.split_once('=') {
            Some((name, value)) => Ok(json!({"name": name, "value": value})),
            None => Err(CliError::message(format!("invalid env: {pair}"))),
        };
        let env: Vec<Value> = flags.all("env").iter().map(variable).collect::<Result<_>>()?;
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
    let rules = Rules { looks_up_files: true, ..Rules::default() };
    let infos = select::select(io, command, &command.arguments, rules)?.all()?;
    for info in &infos {
        let tree = info.object.as_ref().map(crate::objects::Object::to_value).unwrap_or_default();
        let service = overridden(command, service_for(command, info, &tree)?, "merge")?;
        send(io, command, service, "exposed", "")?;
    }
    Ok(None)
}

fn service_for(command: &Command, info: &Info, tree: &Value) -> Result<Value> {
    let flags = &command.flags;
    let map = |pointer: &str| tree.pointer(pointer).filter(|map| map.as_object().is_some_and(|map| !map.is_empty()));
    let (selector, containers) = match info.resource.kind {
        "Deployment" | "ReplicaSet" => (map("/spec/selector/matchLabels"), "/spec/template/spec/containers"),
        "Pod" => (map("/metadata/labels"), "/spec/containers"),
        "Service" => (map("/spec/selector"), ""),
        "ReplicationController" => (map("/spec/selector"), "/spec/template/spec/containers"),
        _ => return Err(CliError::message(format!("cannot expose a {}", info.resource.qualified_kind()))),
    };
    let selector = match flags.get("selector").filter(|text| !text.is_empty()) {
        Some(text) => Value::Object(pairs(&text.split(',').collect::<Vec<_>>(), "label")?),
        None => selector.cloned().ok_or_else(|| {
            let why = if info.resource.kind == "Pod" {
                "the pod has no labels and cannot be exposed"
            } else {
                "invalid service, no selector specified"
            };
            command.usage(format!("couldn't retrieve selectors via --selector flag or introspection: {why}"))
        })?,
    };
    let given: Vec<i64> = flags.list("port").into_iter().filter_map(|port| port.parse().ok()).collect();
    let listed = tree.pointer(containers).and_then(Value::as_array).into_iter().flatten();
    let listed = listed.filter_map(|container| container.get("ports")).filter_map(Value::as_array).flatten();
    let listed: Vec<i64> = listed.filter_map(|port| port.get("containerPort")).filter_map(Value::as_i64).collect();
    let numbers = if given.is_empty() { listed } else { given };
    let headless = flags.get("cluster-ip") == Some("None");
    if numbers.is_empty() && !headless {
        return Err(CliError::message("couldn't find port via --port flag or introspection"));
    }
    let target = flags.get("target-port").filter(|text| !text.is_empty());
    let several = numbers.len() > 1;
    let ports: Vec<Value> = numbers
        .iter()
        .enumerate()
        .map(|(index, number)| {
            let target = target.map_or(json!(number), |text| text.parse::<i64>().map_or(json!(text), |n| json!(n)));
            let mut port = json!({"port": number, "protocol": flags.get_or("protocol", "TCP"), "targetPort": target});
            if let (true, Some(map)) = (several, port.as_object_mut()) {
                map.insert("name".into(), format!("port-{}", index + 1).into());
            }
            port
        })
        .collect();
    let mut spec = json!({"selector": selector});
    if let Some(map) = spec.as_object_mut() {
        if !ports.is_empty() {
            map.insert("ports".into(), ports.into());
        }
        for (flag, field) in [("type", "type"), ("cluster-ip", "clusterIP"), ("session-affinity", "sessionAffinity")] {
            if let Some(value) = flags.get(flag).filter(|value| !value.is_empty()) {
                map.insert(field.into(), value.into());
            }
        }
    }
    let mut metadata = json!({"name": flags.get_or("name", &info.key.name)});
    let labels = match flags.get("labels").filter(|text| !text.is_empty()) {
        Some(text) => Some(Value::Object(pairs(&text.split(',').collect::<Vec<_>>(), "label")?)),
        None => map("/metadata/labels").cloned(),
    };
    if let (Some(labels), Some(metadata)) = (labels, metadata.as_object_mut()) {
        metadata.insert("labels".into(), labels);
    }
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": spec,
        "status": {"loadBalancer": {}},
    }))
}

/// `kubectl autoscale`: a HorizontalPodAutoscaler object, which nothing acts on here.
pub(crate) fn autoscale(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let Some(most) = flags.int("max") else {
        return Err(CliError::message("required flag(s) \"max\" not set"));
    };
    if most < 1 {
        return Err(CliError::message(format!("--max=MAXPODS is required and must be at least 1, max: {most}")));
    }
    if let Some(least) = flags.int("min").filter(|least| *least > most) {
        return Err(CliError::message(format!(
            "--max=MAXPODS must be larger or equal to --min=MINPODS, max: {most}, min: {least}"
        )));
    }
    let what = if DryRun::of(io, command)? == DryRun::Client { "created" } else { "autoscaled" };
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
        send(io, command, scaler, what, "")?;
    }
    Ok(None)
}
