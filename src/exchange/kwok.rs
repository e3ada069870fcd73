//! A session on a KWOK cluster: nodes as manifests, the kubelets' behaviours as KWOK Stages, then the same commands.
//! See <https://kwok.sigs.k8s.io/docs/user/stages-configuration/>.

use super::cluster::{kind, name, tree_of};
use super::replay::{Played, here_document, played, seconds, variable};
use super::script::{PRELUDE, command_text, start};
use crate::kubectl::shell::quote;
use crate::kubelet::{Behaviour, BehaviourMatch, Behaviours, Outcome};
use crate::manifest;
use crate::simulation::{Reason, Session, SimCommand, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Annotation of the nodes that KWOK plays.
const FAKE: &str = "kwok.x-k8s.io/node";
/// Label of nodes by which the script switches them off and on: KWOK never lets go of a node that it plays.
const POWER: &str = "playground-power";

const HEAD: &str = r#"#!/usr/bin/env bash
# What was done in the DaemonSet Playground, on a KWOK cluster: a real control plane whose nodes are played.
# It needs kwokctl and kubectl, makes a cluster named "playground", and leaves it running; afterwards:
#   kwokctl delete cluster --name playground
# The stages of nodes and pods are objects of that cluster (kubectl get stages), so that they can change on the way.
"#;

/// Makes the cluster and waits until it takes stages.
const CREATE: &str = "\
kwokctl create cluster --name playground --enable-crds Stage --wait 2m || exit
kubectl config use-context kwok-playground || exit
kubectl wait --for=condition=Established crd/stages.kwok.x-k8s.io --timeout=60s || exit
";

/// A bash script that makes a KWOK cluster with the session's nodes and behaviours and runs its commands.
pub fn kwok_script(session: &Session) -> String {
    let (commands, named) = played(session);
    let (opened, objects) = (session.opened(), session.objects_at_start());
    let mut out = [HEAD, PRELUDE].concat();
    out += "\n";
    out += CREATE;
    out += "\n# How nodes start, fall silent and come back.\n";
    out += &here_document("kubectl apply -f -", &node_stages());
    out += "\n# How pods behave.\n";
    out += &here_document("kubectl apply -f -", &stages(&opened.behaviours));
    out += "\n# 1. The nodes.\n";
    let nodes: Vec<Value> = objects.iter().filter(|tree| kind(tree) == "Node").map(node_manifest).collect();
    if !nodes.is_empty() {
        out += &here_document("kubectl apply -f -", &documents(&nodes));
        out += "kubectl wait --for=condition=Ready node --all --timeout=60s\n";
    }
    let joined = joined_nodes(session);
    let counterpart = |sim: &SimCommand, command: &Played| counterpart(sim, command, &joined);
    let texts: String = commands.iter().map(|command| command_text(command, &counterpart)).collect();
    for node in named.iter().filter(|node| texts.contains(&format!("${{{}}}", variable(node)))) {
        out += &format!("{}={}\n", variable(node), quote(node));
    }
    out += &start(&objects);
    out += "\n# 3. The session.\n";
    out + &texts
}

fn documents(trees: &[Value]) -> String {
    let texts: Vec<String> = trees.iter().map(manifest::to_yaml).collect();
    texts.join("---\n")
}

/// A node as KWOK plays it: with what it has, but no condition, which KWOK writes.
fn node_manifest(tree: &Value) -> Value {
    let mut node = super::cluster::as_manifest(tree);
    let status = tree.get("status").cloned().unwrap_or_default();
    if let Some(members) = node.as_object_mut() {
        let kept: serde_json::Map<String, Value> = ["capacity", "allocatable", "nodeInfo"]
            .iter()
            .filter_map(|m| Some(((*m).to_owned(), status.get(m)?.clone())))
            .collect();
        members.insert("status".into(), Value::Object(kept));
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
            if let Some(annotations) = annotations.as_object_mut() {
                annotations.insert(FAKE.into(), "fake".into());
            }
            let labels = metadata.entry("labels").or_insert_with(|| json!({}));
            if let Some(labels) = labels.as_object_mut() {
                labels.insert("type".into(), "kwok".into());
            }
        }
        // Taints of nodes that are not ready are the node controller's.
        if let Some(taints) =
            members.get_mut("spec").and_then(|spec| spec.get_mut("taints")).and_then(Value::as_array_mut)
        {
            let by_controller = |taint: &Value| {
                taint.get("key").and_then(Value::as_str).is_some_and(|key| key.starts_with("node.kubernetes.io/"))
            };
            taints.retain(|taint| !by_controller(taint));
        }
    }
    node
}

/// The nodes that each command brought, by the command's line.
fn joined_nodes(session: &Session) -> BTreeMap<String, Vec<Value>> {
    let created = |step: &Step| -> Vec<Value> {
        let new =
            step.changes.iter().filter(|change| change.before.is_none()).filter_map(|change| change.after.as_ref());
        new.map(tree_of).filter(|tree| kind(tree) == "Node").map(|tree| node_manifest(&tree)).collect()
    };
    let mut joined: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for step in session.steps() {
        if let Reason::Command(run) = &step.reason
            && run.line.trim_start().starts_with("sim")
        {
            joined.entry(run.line.clone()).or_default().extend(created(step));
        }
    }
    joined
}

fn counterpart(sim: &SimCommand, command: &Played, joined: &BTreeMap<String, Vec<Value>>) -> String {
    let power = |nodes: &[String], to: &str| -> String {
        nodes.iter().map(|node| format!("kubectl label node {} {POWER}={to} --overwrite\n", quote(node))).collect()
    };
    match sim {
        SimCommand::AddNode(_) => {
            // The same line given twice brings other nodes each time; those that are there already stay.
            let nodes = joined.get(&command.run.line).map(Vec::as_slice).unwrap_or_default();
            let names: Vec<&str> =
                nodes.iter().map(name).filter(|name| command.run.stdout.contains(&format!("node/{name} "))).collect();
            let new: Vec<Value> = nodes.iter().filter(|node| names.contains(&name(node))).cloned().collect();
            if new.is_empty() { String::new() } else { here_document("kubectl apply -f -", &documents(&new)) }
        }
        SimCommand::PowerOff(nodes) | SimCommand::StopKubelet(nodes) => {
            let said = "# A stage tells what the control plane would find: nothing is heard of them. Their pods are still played.";
            format!("{said}\n{}", power(nodes, "off"))
        }
        SimCommand::StartKubelet(nodes) => power(nodes, "on"),
        SimCommand::Condition { node, type_, status, reason, message } => {
            let condition = json!({"type": type_, "status": status, "reason": reason, "message": message});
            let patch = json!({"status": {"conditions": [condition]}});
            format!("kubectl patch node {} --subresource=status -p {}\n", quote(node), quote(&patch.to_string()))
        }
        SimCommand::Behaviour(text) => match serde_yaml::from_str::<Behaviours>(text) {
            Ok(behaviours) => {
                let apply = here_document("kubectl apply -f -", &stages(&behaviours));
                let (label, value) = OF_PODS;
                format!("# Pods that are there keep what they are.\nkubectl delete stages -l {label}={value}\n{apply}")
            }
            Err(_) => String::new(),
        },
        SimCommand::Wait(ms) => format!("pause {}\n", seconds(*ms)),
        SimCommand::ResizeNode { nodes, resources } => {
            let amounts: BTreeMap<&str, String> =
                resources.iter().map(|(name, amount)| (name.as_str(), amount.to_string())).collect();
            let patch = quote(&json!({"status": {"capacity": amounts, "allocatable": amounts}}).to_string());
            let patched = nodes
                .iter()
                .map(|node| format!("kubectl patch node {} --subresource=status -p {patch}\n", quote(node)));
            patched.collect()
        }
        SimCommand::MachineUsage { .. } => "# KWOK's nodes use nothing and evict nobody.\n".to_owned(),
        SimCommand::StaticPod(_) => "# KWOK's nodes have no static pods.\n".to_owned(),
        SimCommand::Help(_) => String::new(),
    }
}

/// Label of the stages of pods, by which they are replaced.
const OF_PODS: (&str, &str) = ("playground", "pods");

/// KWOK Stages of the nodes: they are there once they have no Ready condition yet, fall silent and come back by a label.
fn node_stages() -> String {
    const READY: &str = ".status.conditions.[] | select( .type == \"Ready\" ) | .status";
    let is = |operator: &str, values: &[&str]| match values {
        [] => json!({"key": READY, "operator": operator}),
        values => json!({"key": READY, "operator": operator, "values": values}),
    };
    let power = |to: &str| json!({"key": format!(".metadata.labels[\"{POWER}\"]"), "operator": "In", "values": [to]});
    let conditions = |status: &str, reason: &str, message: &str| {
        let (status, reason, message) = match status {
            "" => ("{{ .status | Quote }}", "{{ .reason | Quote }}", "{{ .message | Quote }}"),
            _ => (status, reason, message),
        };
        format!(
            "{{{{ $now := Now }}}}\nconditions:\n{{{{ range NodeConditions }}}}\n- lastHeartbeatTime: {{{{ $now | Quote }}}}\n  \
             lastTransitionTime: {{{{ $now | Quote }}}}\n  status: {status}\n  reason: {reason}\n  message: {message}\n  \
             type: {{{{ .type | Quote }}}}\n{{{{ end }}}}\n"
        )
    };
    let addresses = "addresses:\n- address: {{ NodeIP | Quote }}\n  type: InternalIP\n- address: {{ .metadata.name | Quote }}\n  type: Hostname\n";
    let silent = conditions("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
    let stage = |name: &str, selector: Vec<Value>, template: String| {
        json!({
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "Stage",
            "metadata": {"name": name},
            "spec": {
                "resourceRef": {"apiGroup": "v1", "kind": "Node"},
                "selector": {"matchExpressions": selector},
                "next": {"statusTemplate": template},
            },
        })
    };
    documents(&[
        stage("node-start", vec![is("DoesNotExist", &[])], conditions("", "", "") + addresses + "phase: Running\n"),
        stage("node-silent", vec![power("off"), is("NotIn", &["Unknown"])], silent),
        stage("node-back", vec![power("on"), is("NotIn", &["True"])], conditions("", "", "")),
    ])
}

/// KWOK Stages for how pods behave: one for each rule and one for all other pods, in the order of the rules; and one
/// that ends pods which are told to.
pub fn stages(behaviours: &Behaviours) -> String {
    let everything_else = Behaviour::default();
    let rules: Vec<&Behaviour> = behaviours.0.iter().map(|rule| &**rule).chain([&everything_else]).collect();
    let mut trees = Vec::new();
    let mut earlier: Vec<String> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let own = query(&rule.selects);
        let others = earlier.iter().map(|query| format!("({query} | not)"));
        let query = others.chain([own.clone()]).collect::<Vec<_>>().join(" and ");
        let stem = if index + 1 == rules.len() { "others".to_owned() } else { format!("rule-{}", index + 1) };
        trees.push(starting(&stem, &query, rule));
        if let Some(tree) = succeeding(&stem, &query, rule) {
            trees.push(tree);
        }
        trees.push(ending(&stem, &query, rule));
        earlier.push(own);
    }
    documents(&trees)
}

/// A jq query that says whether a rule is for a pod.
fn query(selects: &BehaviourMatch) -> String {
    let text = |text: &str| Value::String(text.into()).to_string();
    let mut parts = Vec::new();
    if let Some(image) = &selects.image {
        parts.push(format!("([.spec.containers[].image | contains({})] | any)", text(image)));
    }
    if let Some(node) = &selects.node {
        parts.push(format!("(.spec.nodeName == {})", text(node)));
    }
    if let Some(namespace) = &selects.namespace {
        parts.push(format!("(.metadata.namespace == {})", text(namespace)));
    }
    if let Some(controller) = &selects.controller {
        let (own, below) = (text(controller), text(&format!("{controller}-")));
        parts.push(format!(
            "([.metadata.ownerReferences[]? | .name == {own} or (.kind == \"ReplicaSet\" and (.name | startswith({below})))] | any)"
        ));
    }
    if let Some(revision) = &selects.revision {
        let hash = text(revision);
        let label = |key: &str| format!("(.metadata.labels[\"{key}\"] == {hash})");
        parts.push(format!("({} or {})", label("controller-revision-hash"), label("pod-template-hash")));
    }
    if let Some(part) = &selects.pod {
        parts.push(format!("(.metadata.name | contains({}))", text(part)));
    }
    if parts.is_empty() { "true".into() } else { format!("({})", parts.join(" and ")) }
}

fn stage(name: &str, query: &str, mut also: Vec<Value>, delay_ms: u64, next: Value) -> Value {
    also.insert(0, json!({"key": format!("{query} | tostring"), "operator": "In", "values": ["true"]}));
    json!({
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"labels": {OF_PODS.0: OF_PODS.1}, "name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
            "selector": {"matchExpressions": also},
            "delay": {"durationMilliseconds": delay_ms},
            "next": next,
        },
    })
}

fn starting(stem: &str, query: &str, rule: &Behaviour) -> Value {
    let also = vec![
        json!({"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}),
        json!({"key": ".status.startTime", "operator": "DoesNotExist"}),
    ];
    let (delay, phase, ready, state, more) = match &rule.outcome {
        Outcome::Run | Outcome::Succeed { .. } => {
            let delay = rule.start_after_ms.saturating_add(rule.ready_after_ms);
            (delay, "Running", true, RUNNING.to_owned(), "")
        }
        Outcome::NeverReady => (rule.start_after_ms, "Running", false, RUNNING.to_owned(), ""),
        Outcome::NeverStart => (0, "Pending", false, waiting("ContainerCreating"), ""),
        Outcome::ImagePull { .. } => (rule.start_after_ms, "Pending", false, waiting("ImagePullBackOff"), ""),
        Outcome::Crash { exit_code, after_ms, .. } => {
            (rule.start_after_ms.saturating_add(*after_ms), "Running", false, crashed(*exit_code, 1), "")
        }
        Outcome::CrashLoop { exit_code, restarts } => {
            (rule.start_after_ms, "Running", false, crashed(*exit_code, *restarts), "")
        }
        Outcome::Evict { after_ms, resource } => {
            let more =
                format!("reason: Evicted\nmessage: {}\n", json!(format!("The node was low on resource: {resource}.")));
            return stage(&format!("pod-start-{stem}"), query, also, *after_ms, status("Failed", false, "", &more));
        }
        Outcome::OutOf { resource, after_ms } => {
            let more = format!("reason: {}\n", json!(format!("OutOf{resource}")));
            return stage(&format!("pod-start-{stem}"), query, also, *after_ms, status("Failed", false, "", &more));
        }
    };
    stage(&format!("pod-start-{stem}"), query, also, delay, status(phase, ready, &state, more))
}

fn succeeding(stem: &str, query: &str, rule: &Behaviour) -> Option<Value> {
    let Outcome::Succeed { after_ms } = &rule.outcome else { return None };
    let also = vec![
        json!({"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}),
        json!({"key": ".status.phase", "operator": "In", "values": ["Running"]}),
    ];
    let state = "    terminated:\n      exitCode: 0\n      reason: Completed\n      finishedAt: {{ $now | Quote }}\n";
    Some(stage(&format!("pod-end-{stem}"), query, also, *after_ms, status("Succeeded", false, state, "")))
}

fn ending(stem: &str, query: &str, rule: &Behaviour) -> Value {
    let also = vec![json!({"key": ".metadata.deletionTimestamp", "operator": "Exists"})];
    let next = json!({"finalizers": {"empty": true}, "delete": true});
    stage(&format!("pod-delete-{stem}"), query, also, rule.terminate_after_ms, next)
}

const RUNNING: &str = "    running:\n      startedAt: {{ $now | Quote }}\n";

fn waiting(reason: &str) -> String {
    format!("    waiting:\n      reason: {reason}\n")
}

fn crashed(exit_code: i32, restarts: i32) -> String {
    format!(
        "    waiting:\n      reason: CrashLoopBackOff\n  lastState:\n    terminated:\n      exitCode: {exit_code}\n      \
         reason: {}\n      finishedAt: {{{{ $now | Quote }}}}\n  restartCount: {restarts}\n",
        if exit_code == 0 { "Completed" } else { "Error" }
    )
}

/// A `next` with a status of this form.
fn status(phase: &str, ready: bool, state: &str, more: &str) -> Value {
    let ready = if ready { "True" } else { "False" };
    let condition = |type_: &str, status: &str| {
        format!("- lastTransitionTime: {{{{ $now | Quote }}}}\n  status: \"{status}\"\n  type: {type_}\n")
    };
    let mut template = format!("{{{{ $now := Now }}}}\nphase: {phase}\nstartTime: {{{{ $now | Quote }}}}\n{more}");
    if !state.is_empty() {
        template += "conditions:\n";
        for (type_, status) in [
            ("PodReadyToStartContainers", "True"),
            ("Initialized", "True"),
            ("Ready", ready),
            ("ContainersReady", ready),
        ] {
            template += &condition(type_, status);
        }
        template += "containerStatuses:\n{{ range .spec.containers }}\n- name: {{ .name | Quote }}\n  image: {{ .image | Quote }}\n";
        template += &format!("  ready: {}\n", ready == "True");
        if !state.contains("restartCount") {
            template += "  restartCount: 0\n";
        }
        template += &format!("  state:\n{state}{{{{ end }}}}\n");
        template += "hostIP: {{ NodeIPWith .spec.nodeName | Quote }}\n";
        template += "podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid \"\" ) ( or .metadata.name \"\" ) ( or .metadata.namespace \"\" ) | Quote }}\n";
    }
    json!({"statusTemplate": template})
}
