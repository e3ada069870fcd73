use super::{Writer, or_none, volumes};
use crate::kubectl::age::long_time;
use crate::objects::*;
use crate::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;

/// A pod template.
pub(super) fn template(w: &mut Writer, template: &PodTemplateSpec) {
    let spec = &template.spec;
    w.line(0, "Pod Template:");
    w.labels("  ", "Labels", &template.metadata.labels);
    if !template.metadata.annotations.is_empty() {
        w.annotations("  Annotations", &template.metadata.annotations);
    }
    if !spec.service_account_name.is_empty() {
        w.pair(1, "Service Account", &spec.service_account_name);
    }
    if !spec.init_containers.is_empty() {
        containers(w, "Init Containers", &spec.init_containers, None, "  ");
    }
    containers(w, "Containers", &spec.containers, None, "  ");
    volumes::describe(w, &spec.volumes, "  ");
    topology_spread(w, &spec.topology_spread_constraints, "  ");
    if !spec.priority_class_name.is_empty() {
        w.pair(1, "Priority Class Name", &spec.priority_class_name);
    }
    w.labels("  ", "Node-Selectors", &spec.node_selector);
    w.tolerations("  ", &spec.tolerations);
}

/// Containers; with a pod also what they are doing.
pub(super) fn containers(
    w: &mut Writer,
    title: &str,
    containers: &[Container],
    pod: Option<(&Pod, &[ContainerStatus])>,
    space: &str,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    w.line(0, format!("{space}{title}:{none}"));
    let indent = if space.is_empty() { "" } else { " " };
    for container in containers {
        let status = pod.and_then(|(_, statuses)| statuses.iter().find(|status| status.name == container.name));
        w.line(1, format!("{indent}{}:", container.name));
        basics(w, container, status);
        for (title, list) in [("Command", "command"), ("Args", "args")] {
            let words = container.other.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if !words.is_empty() {
                w.line(2, format!("{title}:"));
            }
            for line in words.iter().filter_map(Value::as_str).flat_map(|word| word.split('\n')) {
                w.line(3, line);
            }
        }
        if let Some(status) = status {
            state(w, "State", &status.state);
            if status.last_state.terminated.is_some() {
                state(w, "Last State", &status.last_state);
            }
            w.pair(2, "Ready", if status.ready { "True" } else { "False" });
            w.pair(2, "Restart Count", status.restart_count);
        }
        resources(w, container.resources.as_ref(), 2);
        for (title, field) in
            [("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")]
        {
            if let Some(probe) = container.other.get(field) {
                w.pair(2, title, describe_probe(probe));
            }
        }
        environment(w, container, pod.map(|(pod, _)| pod));
        mounts(w, container);
    }
}

fn basics(w: &mut Writer, container: &Container, status: Option<&ContainerStatus>) {
    let id = |status: &ContainerStatus| status.container_id.clone();
    if let Some(status) = status {
        w.pair(2, "Container ID", id(status));
    }
    w.pair(2, "Image", &container.image);
    if let Some(status) = status {
        w.pair(2, "Image ID", &status.image_id);
    }
    let ports = |port_of: fn(&ContainerPort) -> i32| -> String {
        let shown: Vec<String> = container
            .ports
            .iter()
            .map(|port| {
                let name = if port.name.is_empty() { String::new() } else { format!(" ({})", port.name) };
                let protocol = if port.protocol.is_empty() { "TCP" } else { &port.protocol };
                format!("{}/{protocol}{name}", port_of(port))
            })
            .collect();
        shown.join(", ")
    };
    for (title, text) in [("Port", ports(|port| port.container_port)), ("Host Port", ports(|port| port.host_port))] {
        let plural = if text.contains(',') { "s" } else { "" };
        w.pair(2, &format!("{title}{plural}"), or_none(&text));
    }
    if let Some(context) = container.other.get("securityContext") {
        seccomp_profile(w, context, 2);
    }
}

/// The profile that a security context asks for, if it does.
pub(super) fn seccomp_profile(w: &mut Writer, context: &Value, level: usize) {
    let text = |pointer: &str| context.pointer(pointer).and_then(Value::as_str);
    let Some(kind) = text("/seccompProfile/type") else { return };
    w.pair(level, "SeccompProfile", kind);
    if let (Some(profile), "Localhost") = (text("/seccompProfile/localhostProfile"), kind) {
        w.pair(if level == 0 { 0 } else { level + 1 }, "LocalhostProfile", profile);
    }
}

fn state(w: &mut Writer, title: &str, state: &ContainerState) {
    let time = |time: Option<Time>| long_time(time.unwrap_or_default());
    if let Some(running) = &state.running {
        w.pair(2, title, "Running");
        w.pair(3, "Started", time(running.started_at));
    } else if let Some(terminated) = &state.terminated {
        w.pair(2, title, "Terminated");
        for (title, text) in [("Reason", &terminated.reason), ("Message", &terminated.message)] {
            if !text.is_empty() {
                w.pair(3, title, text);
            }
        }
        w.pair(3, "Exit Code", terminated.exit_code);
        if let Some(signal) = terminated.other.get("signal").and_then(Value::as_i64).filter(|signal| *signal > 0) {
            w.pair(3, "Signal", signal);
        }
        w.pair(3, "Started", time(terminated.started_at));
        w.pair(3, "Finished", time(terminated.finished_at));
    } else {
        w.pair(2, title, "Waiting");
        if let Some(waiting) = state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
            w.pair(3, "Reason", &waiting.reason);
        }
    }
}

/// Limits and requests.
pub(super) fn resources(w: &mut Writer, resources: Option<&ResourceRequirements>, level: usize) {
    let Some(resources) = resources else { return };
    for (title, list) in [("Limits", &resources.limits), ("Requests", &resources.requests)] {
        if !list.is_empty() {
            w.line(level, format!("{title}:"));
        }
        for (name, amount) in list.iter() {
            w.pair(level + 1, name, amount);
        }
    }
}

fn describe_probe(probe: &Value) -> String {
    let number = |field: &str, default: i64| probe.get(field).and_then(Value::as_i64).unwrap_or(default);
    let attributes = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        number("initialDelaySeconds", 0),
        number("timeoutSeconds", 1),
        number("periodSeconds", 10),
        number("successThreshold", 1),
        number("failureThreshold", 3)
    );
    let shown = |value: Option<&Value>| value.map_or_else(String::new, crate::kubectl::go_print);
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    if let Some(exec) = probe.get("exec") {
        return format!("exec {} {attributes}", shown(exec.get("command")));
    }
    if let Some(http) = probe.get("httpGet") {
        let scheme = match text(http, "scheme") {
            scheme if scheme.is_empty() => "http".to_owned(),
            scheme => scheme.to_lowercase(),
        };
        let path = text(http, "path");
        let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
        let (host, port) = (text(http, "host"), shown(http.get("port")));
        return format!("http-get {scheme}://{host}:{port}{slash}{path} {attributes}");
    }
    if let Some(socket) = probe.get("tcpSocket") {
        return format!("tcp-socket {}:{} {attributes}", text(socket, "host"), shown(socket.get("port")));
    }
    if let Some(grpc) = probe.get("grpc") {
        return format!("grpc <pod>:{} {} {attributes}", shown(grpc.get("port")), text(grpc, "service"));
    }
    format!("unknown {attributes}")
}

fn environment(w: &mut Writer, container: &Container, pod: Option<&Pod>) {
    let list = |field: &str| container.other.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    let optional = |value: &Value| value.get("optional").and_then(Value::as_bool).unwrap_or(false);
    let from = list("envFrom");
    if !from.is_empty() {
        w.line(2, "Environment Variables from:");
    }
    for source in from {
        let prefix = text(source, "/prefix");
        for (field, kind) in [("configMapRef", "ConfigMap"), ("secretRef", "Secret")] {
            let Some(reference) = source.get(field) else { continue };
            let name = text(reference, "/name");
            let with = if prefix.is_empty() { String::new() } else { format!(" with prefix '{prefix}'") };
            w.line(3, format!("{name}\t{kind}{with}\tOptional: {}", optional(reference)));
        }
    }
    let variables = list("env");
    w.line(2, if variables.is_empty() { "Environment:\t<none>" } else { "Environment:" });
    for variable in variables {
        let name = text(variable, "/name");
        let Some(source) = variable.get("valueFrom").filter(|source| !source.is_null()) else {
            for (index, line) in text(variable, "/value").split('\n').enumerate() {
                w.line(3, if index == 0 { format!("{name}:\t{line}") } else { format!("\t{line}") });
            }
            continue;
        };
        let line = if let Some(field) = source.get("fieldRef") {
            let path = text(field, "/fieldPath");
            let version = match text(field, "/apiVersion") {
                version if version.is_empty() => "v1".to_owned(),
                version => version,
            };
            format!("{name}:\t{} ({version}:{path})", pod.map_or_else(String::new, |pod| field_value(pod, &path)))
        } else if let Some(resource) = source.get("resourceFieldRef") {
            let path = text(resource, "/resource");
            let value = resource_value(container, &path, &text(resource, "/divisor"));
            format!("{name}:\t{value} ({path})")
        } else if let Some(secret) = source.get("secretKeyRef") {
            let (key, from) = (text(secret, "/key"), text(secret, "/name"));
            format!("{name}:\t<set to the key '{key}' in secret '{from}'>\tOptional: {}", optional(secret))
        } else if let Some(config) = source.get("configMapKeyRef") {
            let (key, from) = (text(config, "/key"), text(config, "/name"));
            format!("{name}:\t<set to the key '{key}' of config map '{from}'>\tOptional: {}", optional(config))
        } else {
            continue;
        };
        w.line(3, line);
    }
}

/// The value of a field of metadata; others are known on the node only.
fn field_value(pod: &Pod, path: &str) -> String {
    let all = |map: &BTreeMap<String, String>| {
        map.iter().map(|(key, value)| format!("{key}={value:?}")).collect::<Vec<_>>().join("\n")
    };
    let one = |map: &BTreeMap<String, String>, rest: &str| {
        let key = rest.strip_suffix("']").unwrap_or(rest);
        map.get(key).cloned().unwrap_or_default()
    };
    match path {
        "metadata.name" => pod.metadata.name.to_string(),
        "metadata.namespace" => pod.metadata.namespace.to_string(),
        "metadata.uid" => pod.metadata.uid.to_string(),
        "metadata.labels" => all(&pod.metadata.labels),
        "metadata.annotations" => all(&pod.metadata.annotations),
        _ => match (path.strip_prefix("metadata.labels['"), path.strip_prefix("metadata.annotations['")) {
            (Some(rest), _) => one(&pod.metadata.labels, rest),
            (_, Some(rest)) => one(&pod.metadata.annotations, rest),
            _ => String::new(),
        },
    }
}

/// An amount in units of the divisor, rounded up.
fn resource_value(container: &Container, path: &str, divisor: &str) -> String {
    let (side, resource) = path.split_once('.').unwrap_or(("", path));
    let amount = if side == "limits" { container.limit(resource) } else { container.request(resource) };
    let divisor = Quantity::parse(divisor).ok().map(Quantity::nano_value).filter(|nano| *nano > 0);
    let (amount, divisor) = (amount.unwrap_or_default().nano_value(), divisor.unwrap_or(1_000_000_000));
    let units = amount.checked_add(divisor - 1).and_then(|sum| sum.checked_div(divisor)).unwrap_or(0);
    match units {
        0 if matches!(path, "limits.cpu" | "limits.memory") => "node allocatable".into(),
        units => units.to_string(),
    }
}

fn mounts(w: &mut Writer, container: &Container) {
    let list = |field: &str| container.other.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    let mut mounts = list("volumeMounts");
    mounts.order_by_key(|mount| text(mount, "mountPath"));
    w.line(2, if mounts.is_empty() { "Mounts:\t<none>" } else { "Mounts:" });
    for mount in &mounts {
        let read_only = mount.get("readOnly").and_then(Value::as_bool).unwrap_or(false);
        let mut flags = vec![if read_only { "ro".to_owned() } else { "rw".into() }];
        let sub_path = text(mount, "subPath");
        if !sub_path.is_empty() {
            flags.push(format!("path={sub_path:?}"));
        }
        w.line(3, format!("{} from {} ({})", text(mount, "mountPath"), text(mount, "name"), flags.join(",")));
    }
    let mut devices = list("volumeDevices");
    devices.order_by_key(|device| text(device, "devicePath"));
    if !devices.is_empty() {
        w.line(2, "Devices:");
    }
    for device in &devices {
        w.line(3, format!("{} from {}", text(device, "devicePath"), text(device, "name")));
    }
}

/// Spread rules, if there are any.
pub(super) fn topology_spread(w: &mut Writer, constraints: &[TopologySpreadConstraint], space: &str) {
    if constraints.is_empty() {
        return;
    }
    let mut sorted: Vec<&TopologySpreadConstraint> = constraints.iter().collect();
    sorted.order_by(|a, b| a.topology_key.cmp(&b.topology_key));
    let lines: Vec<String> = sorted
        .into_iter()
        .map(|rule| {
            let (key, when, skew) = (&rule.topology_key, &rule.when_unsatisfiable, rule.max_skew);
            let selector = rule.label_selector.as_ref().map_or_else(String::new, |s| format!(" for selector {s}"));
            format!("{key}:{when} when max skew {skew} is exceeded{selector}")
        })
        .collect();
    w.lines(space, "Topology Spread Constraints", &lines);
}
