//! Carries `sim` commands out.

use super::actors::{self, plans};
use super::agenda::{Due, Turn};
use super::sim_command::{self, AddNode, SimCommand, StaticPod};
use super::sim_help;
use super::world::{WaitingFor, World};
use crate::apiserver::{Delete, Status, Write};
use crate::kubectl::CommandOutput;
use crate::kubelet::{self, Behaviours, Down};
use crate::objects::*;
use std::rc::Rc;

impl World {
    /// Runs the words after `sim`. Returns what it prints and what it still waits for.
    pub(super) fn run_sim(&mut self, words: &[String]) -> (CommandOutput, Option<WaitingFor>) {
        let command = match sim_command::parse(words) {
            Ok(command) => command,
            Err(error) => return (failure(&error.0), None),
        };
        match command {
            SimCommand::Help(about) => {
                let text = about.and_then(|name| sim_help::of(&name)).unwrap_or_else(sim_help::overview);
                (success(text), None)
            }
            SimCommand::ResizeNode { nodes, resources } => {
                let resize = |world: &mut Self, name: &str| {
                    let Some(mut node) = world.store().node_named(name).map(|node| (**node).clone()) else { return };
                    for (resource, amount) in &resources {
                        node = node.with_resource(resource, *amount);
                    }
                    let _ = world.api.commit(Write::UpdateStatus(node.into()));
                };
                (self.for_nodes(&nodes, "resized", resize), None)
            }
            SimCommand::MachineUsage { node, amounts } => {
                let set = |world: &mut Self, name: &str| {
                    for (resource, amount) in &amounts {
                        world.actors.kubelets = world.actors.kubelets.with_machine_usage(name, resource, *amount);
                    }
                    world.look_at_node(name);
                };
                (self.for_nodes(&[node], "uses more or less", set), None)
            }
            SimCommand::StaticPod(pod) => (self.change_static_pod(&pod), None),
            SimCommand::Wait(ms) => (CommandOutput::default(), Some(WaitingFor::Time(self.now_ms.saturating_add(ms)))),
            SimCommand::AddNode(add) => (self.add_nodes(&add), None),
            SimCommand::PowerOff(nodes) => (self.silence(&nodes, "powered off", Down::PoweredOff), None),
            SimCommand::StopKubelet(nodes) => (self.silence(&nodes, "kubelet stopped", Down::Silent), None),
            SimCommand::StartKubelet(nodes) => (self.for_nodes(&nodes, "is back", Self::start_kubelet), None),
            SimCommand::Condition { node, type_, status, reason, message } => {
                let said = NodeCondition { type_, status, reason, message, ..NodeCondition::default() };
                let report = |world: &mut Self, node: &str| {
                    let plan =
                        kubelet::report(world.store(), &world.actors.kubelets, node, said.clone(), world.moment());
                    plans::commit(world, plan.writes);
                    world.actors.kubelets = plan.state;
                };
                (self.for_nodes(&[node], "reports", report), None)
            }
            SimCommand::Behaviour(text) => match serde_yaml::from_str::<Behaviours>(&text) {
                Ok(behaviours) => {
                    let count = behaviours.0.len();
                    self.actors.kubelets = self.actors.kubelets.with_behaviours(behaviours);
                    (success(format!("{count} behaviour rules hold from now on\n")), None)
                }
                Err(error) => (failure(&format!("error: {error}")), None),
            },
        }
    }

    /// The kubelet of a node looks at its machine.
    pub(super) fn look_at_node(&mut self, node: &str) {
        self.agenda.add(Due::new(self.now_ms, Turn::Kubelet(ObjectKey::cluster(node)), None));
    }

    fn change_static_pod(&mut self, wanted: &StaticPod) -> CommandOutput {
        let node = wanted.node.as_str();
        if self.store().node_named(node).is_none() {
            let mut output = CommandOutput::default();
            add_failure(&mut output, &Status::not_found("nodes", node));
            return output;
        }
        let mut pods = self.actors.kubelets.node(node).map(|node| (*node.static_pods).clone()).unwrap_or_default();
        let known = pods.len();
        let same = |pod: &Rc<Pod>| *pod.metadata.name == *wanted.name && *pod.metadata.namespace == *wanted.namespace;
        pods.retain(|pod| !same(pod));
        let done = match (wanted.remove, pods.len() < known) {
            (true, false) => {
                return failure(&format!(
                    "error: {node} has no static pod {:?} in {:?}",
                    wanted.name, wanted.namespace
                ));
            }
            (true, true) => "removed",
            (false, true) => "replaced",
            (false, false) => "added",
        };
        if !wanted.remove {
            pods.push(Rc::new(static_pod(wanted)));
        }
        if done != "added" {
            // The kubelet ends what it ran and takes its mirror off.
            let key = ObjectKey::new(wanted.namespace.as_str(), format!("{}-{node}", wanted.name).as_str());
            if let Some(mirror) = self.store().pod(&key).filter(|pod| pod.is_mirror()).cloned() {
                let _ = self.api.commit(Write::Delete(Delete::pod_now(&mirror)));
            }
        }
        self.actors.kubelets = self.actors.kubelets.with_static_pods(node, pods);
        self.look_at_node(node);
        success(format!("static pod {}/{} {done} on node/{node}\n", wanted.namespace, wanted.name))
    }

    fn add_nodes(&mut self, add: &AddNode) -> CommandOutput {
        let names = match add.count {
            None => add.names.clone(),
            Some(count) => self.free_names(add.names.first().map_or("node", String::as_str), count),
        };
        let Some(template) = NodeTemplate::from_name(&add.template) else {
            let known: Vec<&str> = NodeTemplate::ALL.into_iter().map(NodeTemplate::name).collect();
            let known = known.join(", ");
            return failure(&format!("error: there is no template {:?}; there are: {known}", add.template));
        };
        let mut output = CommandOutput::default();
        for name in names {
            let number = u32::try_from(self.store().nodes().size() + 1).unwrap_or(u32::MAX);
            let mut node = template.node(&name, number, self.now());
            Rc::make_mut(&mut node.metadata.labels).extend(add.labels.iter().cloned());
            Rc::make_mut(&mut node.spec.taints).extend(add.taints.iter().cloned());
            for (resource, amount) in &add.resources {
                node = node.with_resource(resource, *amount);
            }
            if add.not_ready {
                node = node.with_condition(NodeCondition {
                    type_: "Ready".into(),
                    status: "False".into(),
                    reason: "KubeletNotReady".into(),
                    message: "container runtime network not ready".into(),
                    ..NodeCondition::default()
                });
            }
            match self.api.commit(Write::Create(node.registering().into())) {
                Ok(_) => output.stdout += &format!("node/{name} joined\n"),
                Err(status) => add_failure(&mut output, &status),
            }
        }
        output
    }

    /// `count` names after a stem that no node has: `worker4`, `worker5`…
    fn free_names(&self, stem: &str, count: usize) -> Vec<String> {
        let free = (1..).map(|number: usize| format!("{stem}{number}"));
        free.filter(|name| self.store().node_named(name).is_none()).take(count).collect()
    }

    fn silence(&mut self, nodes: &[String], done: &str, how: Down) -> CommandOutput {
        self.for_nodes(nodes, done, |world, node| {
            world.actors.kubelets = world.actors.kubelets.stop(node, how, world.moment());
            actors::on_silence(world);
        })
    }

    fn start_kubelet(&mut self, node: &str) {
        let (state, timers) = self.actors.kubelets.start(self.store(), node, self.moment());
        self.actors.kubelets = state;
        plans::add_timers(self, timers, None, Turn::Kubelet);
    }

    fn for_nodes(&mut self, names: &[String], done: &str, mut act: impl FnMut(&mut Self, &str)) -> CommandOutput {
        let mut output = CommandOutput::default();
        for name in names {
            if self.store().node_named(name).is_some() {
                act(self, name);
                output.stdout += &format!("node/{name} {done}\n");
            } else {
                add_failure(&mut output, &Status::not_found("nodes", name));
            }
        }
        output
    }
}

fn static_pod(wanted: &StaticPod) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = wanted.name.as_str().into();
    pod.metadata.namespace = wanted.namespace.as_str().into();
    let requests = Rc::new(wanted.requests.iter().cloned().collect());
    let container = Container {
        name: wanted.name.clone(),
        image: wanted.image.clone(),
        resources: Some(ResourceRequirements { requests, ..ResourceRequirements::default() }),
        ..Container::default()
    };
    let spec = PodSpec {
        containers: Rc::new(vec![container]),
        restart_policy: "Always".into(),
        host_network: true,
        priority_class_name: "system-node-critical".into(),
        ..PodSpec::default()
    };
    pod.spec = Rc::new(spec);
    pod
}

fn success(stdout: String) -> CommandOutput {
    CommandOutput { stdout, ..CommandOutput::default() }
}

fn failure(text: &str) -> CommandOutput {
    CommandOutput { stderr: format!("{text}\n"), exit_code: 1, ..CommandOutput::default() }
}

fn add_failure(output: &mut CommandOutput, status: &Status) {
    output.stderr += &format!("Error from server ({}): {}\n", status.reason, status.message);
    output.exit_code = 1;
}
