//! A session as a shell script that does the same on a real cluster.

use super::cluster::{as_manifest, is_a_persons, is_control_plane, kind, name, own_labels, own_taints};
use super::replay::{Played, comment, here_document, played, seconds, variable};
use crate::kubectl::shell::quote;
use crate::manifest;
use crate::objects::natural_cmp;
use crate::order::Order;
use crate::simulation::{Session, SimCommand, sim_command_of};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most nodes whose labels and taints are set one by one.
const MAX_NODES_PREPARED: usize = 50;

const HEAD: &str = r#"#!/usr/bin/env bash
# What was done in the DaemonSet Playground, as a script for a real cluster: one of kind, or any other that you may
# break. Read it before you run it. It changes the cluster that kubectl points at now, in this order:
#   1. the nodes get the labels and taints that they had in the playground,
#   2. the objects that were there at the start are applied,
#   3. the commands of the session follow, with the pauses between them.
# What no API can do (a machine that loses its power) has no kubectl command: there stands the nearest real thing, as
# a comment.
"#;

/// What both scripts begin with after their heads: the alias, an empty directory for files, `pause` and `pod`.
pub(super) const PRELUDE: &str = r#"set -u
shopt -s expand_aliases
alias k=kubectl
cd "$(mktemp -d)" || exit

# How long to pause: PAUSES=no runs through.
pause() { [ "${PAUSES:-yes}" = no ] || sleep "$1"; }

# A new namespace takes no pods before it has its service account.
account() { until kubectl get serviceaccount default -n "$1" > /dev/null 2>&1; do sleep 1; done; }

# The name of a pod: pod NAMESPACE LABELS NODE. Their names end at random, so they differ from cluster to cluster.
pod() {
  kubectl get pods -n "$1" -l "$2" ${3:+--field-selector "spec.nodeName=$3"} -o name | head -n 1 | cut -d / -f 2
}
"#;

/// A bash script that does on a real cluster what the session did.
pub fn shell_script(session: &Session) -> String {
    let (commands, named) = played(session);
    let objects = &session.objects_at_start();
    let mut out = [HEAD, PRELUDE].concat();
    out += &nodes(objects, &named);
    out += &start(objects);
    out += "\n# 3. The session.\n";
    for command in &commands {
        out += &command_text(command, &real_counterpart);
    }
    out
}

/// Which real node stands for which, and what they carry.
fn nodes(objects: &[Value], named: &BTreeSet<String>) -> String {
    let nodes: Vec<&Value> = objects.iter().filter(|tree| kind(tree) == "Node").collect();
    let prepared = nodes.len() <= MAX_NODES_PREPARED;
    let marked = |tree: &&Value| !own_labels(tree).is_empty() || !own_taints(tree).is_empty();
    let mut wanted = named.clone();
    if prepared {
        wanted.extend(nodes.iter().copied().filter(marked).map(|tree| name(tree).to_owned()));
    }
    let mut out = String::from("\n# 1. The nodes.\n");
    let is_control = |node: &str| nodes.iter().any(|tree| name(tree) == node && is_control_plane(tree));
    let is_there = |node: &str| nodes.iter().any(|tree| name(tree) == node);
    if !wanted.is_empty() {
        out += "# Your node for each of the playground's: as you say (node_x=NAME before the command), or by their order.\n";
    }
    // Lists in the way of bash 3, which macOS has.
    for (list, of, which) in [("control_planes", true, ""), ("workers", false, "!")] {
        if wanted.iter().any(|node| is_there(node) && is_control(node) == of) {
            out += &format!(
                "# shellcheck disable=SC2207\n{list}=($(kubectl get nodes -l '{which}node-role.kubernetes.io/control-plane' -o name | cut -d / -f 2))\n"
            );
        }
    }
    let (mut controls, mut workers) = (0, 0);
    let mut wanted: Vec<&String> = wanted.iter().collect();
    wanted.order_by(|a, b| natural_cmp(a, b));
    for node in wanted {
        let variable = variable(node);
        if !is_there(node) {
            out += &format!("{variable}=${{{variable}:-{node}}} # came later\n");
            continue;
        }
        let (list, index) =
            if is_control(node) { ("control_planes", &mut controls) } else { ("workers", &mut workers) };
        out += &format!("{variable}=${{{variable}:-${{{list}[{index}]:-{node}}}}}\n");
        *index += 1;
    }
    if !prepared {
        out += &format!("# Their labels and taints are left as they are: there were {} nodes.\n", nodes.len());
        return out;
    }
    for tree in nodes {
        let node = variable(name(tree));
        let labels: Vec<String> =
            own_labels(tree).iter().map(|(key, value)| quote(&format!("{key}={value}"))).collect();
        if !labels.is_empty() {
            out += &format!("kubectl label node \"${node}\" {} --overwrite\n", labels.join(" "));
        }
        let taints: Vec<String> = own_taints(tree).iter().map(|taint| quote(taint)).collect();
        if !taints.is_empty() {
            out += &format!("kubectl taint node \"${node}\" {} --overwrite\n", taints.join(" "));
        }
    }
    out
}

/// What was there at the start.
pub(super) fn start(objects: &[Value]) -> String {
    let trees: Vec<Value> = objects.iter().filter(|tree| is_a_persons(tree)).map(as_manifest).collect();
    if trees.is_empty() {
        return String::new();
    }
    // Namespaces and priority classes first: others need them.
    let (first, rest): (Vec<&Value>, Vec<&Value>) =
        trees.iter().partition(|tree| ["Namespace", "PriorityClass"].contains(&kind(tree)));
    let apply = |trees: &[&Value]| {
        let documents: Vec<String> = trees.iter().copied().map(manifest::to_yaml).collect();
        here_document("kubectl apply -f -", &documents.join("---\n"))
    };
    let namespaces: BTreeSet<&str> = rest
        .iter()
        .filter(|tree| kind(tree) == "Pod")
        .map(|tree| tree.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default"))
        .collect();
    let mut out = "\n# 2. What was there at the start.\n".to_owned();
    if namespaces.is_empty() {
        return out + &apply(&[first, rest].concat());
    }
    if !first.is_empty() {
        out += &apply(&first);
    }
    namespaces.iter().for_each(|namespace| out += &format!("account {}\n", quote(namespace)));
    out + &apply(&rest)
}

/// A command with what comes before it. `counterpart` says what a `sim` command is there, as lines of the script.
pub(super) fn command_text(command: &Played, counterpart: &dyn Fn(&SimCommand, &Played) -> String) -> String {
    let mut out = String::from("\n");
    if command.waited_ms > 0 || command.steps_before > 0 {
        let steps = match command.steps_before {
            0 => String::new(),
            1 => "one step of the cluster, ".to_owned(),
            more => format!("{more} steps of the cluster, "),
        };
        let time = crate::simulation::format_duration(command.waited_ms);
        out += &format!("# {steps}{time} later\n");
        if command.waited_ms > 0 {
            out += &format!("pause {}\n", seconds(command.waited_ms));
        }
    }
    for (name, text) in &command.files {
        out += &here_document(&format!("cat > {}", quote(name)), text);
    }
    if let Some(sim) = sim_command_of(&command.run.line) {
        out += &comment(&command.run.line);
        return out + &sim.map(|sim| counterpart(&sim, command)).unwrap_or_default();
    }
    if command.unreadable {
        return out + "# No shell reads this line:\n" + &comment(&command.run.line);
    }
    if is_edit(&command.run.line) {
        let said = "opens an editor; what was saved there follows as a command of its own:";
        return out + &format!("# {said}\n") + &comment(&command.line);
    }
    if let Some(code) = command.run.exit_code.filter(|code| *code != 0) {
        let said: String = command.run.stderr.lines().next().unwrap_or("").chars().take(90).collect();
        out += &format!("# In the playground this ended with exit code {code}: {said}\n");
    }
    match command.interrupted_after_ms {
        // It was interrupted, and would wait for ever here too.
        Some(after_ms) => {
            let after = seconds(after_ms).max(1);
            let line = command.line.trim_end();
            match line.strip_prefix("k ").map_or_else(|| line.to_owned(), |rest| format!("kubectl {rest}")) {
                simple if simple.starts_with("kubectl ") && !simple.contains(['|', ';', '&', '\n']) => {
                    out += &format!("timeout {after} {simple}\n");
                }
                line => out += &format!("({line}\n) & sleep {after}; kill %% 2>/dev/null\n"),
            }
        }
        None => {
            out += command.line.trim_end_matches('\n');
            out.push('\n');
        }
    }
    out
}

fn is_edit(line: &str) -> bool {
    let mut words = line.split_whitespace();
    matches!(words.next(), Some("kubectl" | "k")) && words.next() == Some("edit")
}

/// Nodes of a `sim` command, as the variables that stand for them.
fn variables(nodes: &[String]) -> Vec<String> {
    nodes.iter().map(|node| format!("\"${{{}:-{node}}}\"", variable(node))).collect()
}

/// The nearest thing in a real cluster.
fn real_counterpart(sim: &SimCommand, _: &Played) -> String {
    let each = |nodes: &[String], command: &str, said: &str| {
        let lines: String =
            variables(nodes).iter().map(|node| format!("#   {}\n", command.replace("NODE", node))).collect();
        format!("# {said} With kind:\n{lines}")
    };
    match sim {
        SimCommand::PowerOff(nodes) => each(nodes, "docker stop NODE", "A machine loses its power."),
        SimCommand::StopKubelet(nodes) => {
            each(nodes, "docker exec NODE systemctl stop kubelet", "Only the kubelet falls silent.")
        }
        SimCommand::StartKubelet(nodes) => {
            let command = "docker start NODE && docker exec NODE systemctl start kubelet";
            each(nodes, command, "The node comes back.")
        }
        SimCommand::AddNode(add) => {
            let labels: Vec<String> = add.labels.iter().map(|(key, value)| quote(&format!("{key}={value}"))).collect();
            let labels =
                if labels.is_empty() { String::new() } else { format!(", with the labels {}", labels.join(" ")) };
            let many = add.count.unwrap_or(add.names.len());
            format!(
                "# {many} more of kind {}{labels}: scale your node group up, or join a machine with kubeadm. A cluster of\n\
                 # kind keeps its nodes: make it with enough of them and taint or cordon those that come later.\n",
                add.template
            )
        }
        SimCommand::Condition { node, type_, status, reason, message } => {
            let condition = serde_json::json!({"type": type_, "status": status, "reason": reason, "message": message});
            let patch = serde_json::json!({"status": {"conditions": [condition]}});
            let variable = variables(std::slice::from_ref(node)).join("");
            format!(
                "# The kubelet writes its own again with its next report.\n\
                 kubectl patch node {variable} --subresource=status -p {}\n",
                quote(&patch.to_string())
            )
        }
        SimCommand::Behaviour(_) => {
            "# How pods behave is up to their images there. To see it: an image whose command does the same.\n"
                .to_owned()
        }
        SimCommand::Wait(ms) => format!("pause {}\n", seconds(*ms)),
        SimCommand::ResizeNode { nodes, .. } => nodes
            .iter()
            .map(|node| format!("# Give the machine {node} other CPUs, memory or devices and start it again.\n"))
            .collect(),
        SimCommand::MachineUsage { node, amounts } => {
            let amounts: Vec<String> = amounts.iter().map(|(name, amount)| format!("{amount} of {name}")).collect();
            format!("# Something on the machine {node} outside Kubernetes uses {}.\n", amounts.join(" and "))
        }
        SimCommand::StaticPod(pod) => {
            let what = if pod.remove { "leaves" } else { "comes to" };
            format!("# The manifest of {} {what} /etc/kubernetes/manifests on {}.\n", pod.name, pod.node)
        }
        SimCommand::Help(_) => String::new(),
    }
}
