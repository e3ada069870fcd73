//! `kubectl run`, `expose` and `autoscale`

use super::create::send;
use crate::apiserver::requests::has_scale;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::Started;
use serde_json::{Map, Value, json};

/// `kubectl run`: one pod.
pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let Some((name, rest)) = command.arguments.split_first() else {
        return Err(command.usage("NAME is required for run"));
    };
    let Some(image) = flags.get("image").filter(|image| !image.is_empty()) else {
        return Err(CliError::message("required flag(s) \"image\" not set"));
    };
    if flags.is_on("stdin") || flags.is_on("tty") || flags.is_on("attach") || flags.is_on("rm") {
        return Err(CliError::message(
            "nothing runs inside the pods of this playground, so there is nothing to attach to",
        ));
    }
    let restart = flags.get_or("restart", "Always");
    if !matches!(restart, "Always" | "OnFailure" | "Never") {
        return Err(CliError::message(format!("invalid restart policy: {restart}")));
    }
    let mut labels = Map::new();
    for pair in flags.list("labels") {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(CliError::message(format!("unexpected label spec: {pair}")));
        };
        labels.insert(key.into(), value.into());
    }
    if labels.is_empty() {
        labels.insert("run".into(), name.as_str().into());
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
        if let Some(policy) = flags.get("image-pull-policy") {
            map.insert("imagePullPolicy".into(), policy.into());
        }
    }
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
    });
    send(io, command, pod, "created")
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
    });
    send(io, command, service, "exposed")
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
        send(io, command, scaler, "autoscaled")?;
    }
    Ok(None)
}
