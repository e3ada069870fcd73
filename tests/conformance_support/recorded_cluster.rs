//! The clusters of the recordings made with a simulated kubelet: nodes and images as their README describes them.

use daemonset_playground::kubelet::{Behaviour, BehaviourMatch, Behaviours, Outcome};
use daemonset_playground::objects::Time;
use daemonset_playground::simulation::Scenario;
use serde_json::{Value, json};
use std::rc::Rc;

/// The scenario of a case's `nodes` and `images`, at rest.
pub fn scenario(inputs: &Value) -> Scenario {
    let start = Time::parse("2026-11-30T01:05:20Z").expect("a time");
    let nodes = inputs["nodes"].as_array().into_iter().flatten().enumerate();
    let mut scenario = Scenario::parse("{}").expect("an empty scenario");
    scenario.start = start;
    scenario.objects = nodes.map(|(index, node)| self::node(node, index + 1, start)).collect();
    scenario.behaviours = behaviours(&inputs["images"]);
    scenario
}

/// A ready node of the short form, number `number`.
pub fn node(short: &Value, number: usize, now: Time) -> Value {
    let name = short["name"].as_str().expect("a name");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut labels = json!({
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
    });
    for (key, value) in short["labels"].as_object().into_iter().flatten() {
        labels[key] = value.clone();
    }
    let mut capacity = json!({"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    for (short_name, long_name) in [("cpu", "cpu"), ("mem", "memory"), ("pods", "pods")] {
        if let Some(amount) = short.get(short_name) {
            capacity[long_name] = text(amount).into();
        }
    }
    for (resource, amount) in short["ext"].as_object().into_iter().flatten() {
        capacity[resource] = text(amount).into();
    }
    let condition = |type_: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": type_, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": now.to_string(), "lastTransitionTime": now.to_string(),
        })
    };
    let mut spec = json!({});
    if let Some(taints) = short.get("taints") {
        spec["taints"] = taints.clone();
    }
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
            "creationTimestamp": now.to_string(),
        },
        "spec": spec,
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": format!("192.168.1.{}", number + 10)},
                {"type": "Hostname", "address": name},
            ],
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": format!("{number:08}-1111-1111-1111-{number:012}"),
                "containerRuntimeVersion": "containerd://2.2.1",
                "kernelVersion": "6.12.48",
                "kubeProxyVersion": "",
                "kubeletVersion": "v1.36.2",
                "machineID": format!("{:032x}", number * 1_234_567),
                "operatingSystem": "linux",
                "osImage": "Debian GNU/Linux 13 (trixie)",
                "systemUUID": format!("{number:08}-0000-0000-0000-{number:012}"),
            },
        },
    })
}

/// How pods behave whose image contains a key; all others are ready 0.6 s after they are bound.
fn behaviours(images: &Value) -> Behaviours {
    let plain = |ready: f64| Behaviour {
        start_after_ms: (ready * 1000.0) as u64,
        init_ms: 0,
        ready_after_ms: 0,
        terminate_after_ms: 300,
        ..Behaviour::default()
    };
    let mut rules: Vec<Behaviour> = images
        .as_object()
        .into_iter()
        .flatten()
        .map(|(image, rule)| Behaviour {
            selects: BehaviourMatch { image: Some(image.clone()), ..BehaviourMatch::default() },
            outcome: outcome(rule["mode"].as_str().unwrap_or("run")),
            ..plain(rule["ready_after_s"].as_f64().unwrap_or(0.6))
        })
        .collect();
    rules.push(plain(0.6));
    Behaviours(Rc::new(rules.into_iter().map(Rc::new).collect()))
}

fn outcome(mode: &str) -> Outcome {
    match mode {
        "crash" => Outcome::CrashLoop { exit_code: 1, restarts: 3 },
        "imagepull" => Outcome::ImagePull { backing_off: true },
        "never" => Outcome::NeverStart,
        "notready" => Outcome::NeverReady,
        "evict" => Outcome::Evict { after_ms: 0, resource: "memory".into() },
        "succeed" => Outcome::Succeed { after_ms: 0 },
        "outofcpu" => Outcome::OutOf { resource: "cpu".into(), after_ms: 0 },
        _ => Outcome::Run,
    }
}
