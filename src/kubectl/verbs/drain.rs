//! `kubectl drain`
//!
//! Follows kubernetes kubectl pkg/cmd/drain/drain.go and pkg/drain/{drain,filters}.go, v1.36.

use super::cordon::{cordon, nodes};
use super::output::DryRun;
use crate::apiserver::requests::{self, DeleteOptions};
use crate::kubectl::Selector;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::task::{Progress, Started, Task};
use crate::objects::*;
use crate::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Nodes to drain, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Drain {
    options: Options,
    /// Names of the nodes that are still to be drained; the first is being drained.
    nodes: Vec<Rc<str>>,
    /// Pods of the first node; empty before it has been looked at.
    pods: Vec<Leaving>,
    started: bool,
    deadline: Option<Time>,
    /// Why a node could not be drained.
    errors: Vec<(Rc<str>, Vec<String>)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Options {
    force: bool,
    ignore_daemon_sets: bool,
    delete_empty_dir: bool,
    disable_eviction: bool,
    grace: Option<i64>,
    dry_run: DryRun,
    pod_selector: String,
    timeout: Option<i64>,
    skip_after: Option<i64>,
}

/// One pod that has to go.
#[derive(Clone, Debug, PartialEq)]
struct Leaving {
    key: ObjectKey,
    uid: Rc<str>,
    /// Whether the API server has accepted the eviction.
    asked: bool,
    /// When to ask again.
    retry_at: Option<Time>,
}

/// How long a refused eviction waits before it is tried again.
const RETRY_SECONDS: i64 = 5;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let dry_run = DryRun::of(io, command)?;
    let pod_selector = flags.get_or("pod-selector", "").to_owned();
    if Selector::parse(&pod_selector).is_err() {
        return Err(CliError::message("--pod-selector=<pod_selector> must be a valid label selector"));
    }
    let infos = nodes(io, command)?;
    let mut cordon_errors = Vec::new();
    for info in &infos {
        cordon_errors.extend(cordon(io, info, true, dry_run).err());
    }
    CliError::join(cordon_errors)?;
    let timeout = flags.get("timeout").and_then(crate::kubectl::parse_duration).filter(|seconds| *seconds > 0);
    let options = Options {
        force: flags.is_on("force"),
        ignore_daemon_sets: flags.is_on("ignore-daemonsets"),
        delete_empty_dir: flags.is_on("delete-emptydir-data"),
        disable_eviction: flags.is_on("disable-eviction"),
        grace: flags.int("grace-period").filter(|grace| *grace >= 0),
        dry_run,
        pod_selector,
        timeout,
        skip_after: flags.int("skip-wait-for-delete-timeout").filter(|seconds| *seconds > 0),
    };
    let nodes = infos.into_iter().map(|info| info.key.name).collect();
    Ok(Some(Task::Drain(Drain {
        options,
        nodes,
        pods: Vec::new(),
        started: false,
        deadline: None,
        errors: Vec::new(),
    })))
}

impl Drain {
    /// The nodes that are still to be drained.
    pub fn nodes(&self) -> &[Rc<str>] {
        &self.nodes
    }

    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        while let Some(node) = self.nodes.first().cloned() {
            if !self.started {
                self.started = true;
                self.deadline = self.options.timeout.map(|seconds| io.api.now().plus_seconds(seconds));
                match self.find_pods(io, &node) {
                    Err(why) => {
                        self.fail(io, &node, why);
                        continue;
                    }
                    Ok(pods) => self.pods = pods,
                }
            }
            if self.options.dry_run == DryRun::No {
                if let Err(why) = self.evict(io) {
                    self.tell_pending(io, &node, &why);
                    self.fail(io, &node, vec![why]);
                    continue;
                }
                if !self.pods.is_empty() {
                    let now = io.api.now();
                    let retries = self.pods.iter().filter(|pod| !pod.asked).filter_map(|pod| pod.retry_at);
                    let due = retries.chain(self.deadline).filter(|at| *at > now).min();
                    return Ok(Progress::Pending(due));
                }
            } else {
                for pod in std::mem::take(&mut self.pods) {
                    let suffix = self.options.dry_run.suffix();
                    io.line(format!("evicting pod {}/{}{suffix}", pod.key.namespace, pod.key.name));
                }
            }
            io.line(format!("node/{node} drained{}", self.options.dry_run.suffix()));
            self.next_node();
        }
        if self.errors.is_empty() {
            return Ok(Progress::Done(0));
        }
        let mut text = String::from("There are pending nodes to be drained:\n");
        for (node, _) in &self.errors {
            text.push_str(&format!(" {node}\n"));
        }
        for why in self.errors.iter().flat_map(|(_, why)| why) {
            text.push_str(&format!("{why}\n"));
        }
        io.err.push_str(&text);
        Ok(Progress::Done(1))
    }

    fn next_node(&mut self) {
        self.nodes.remove(0);
        self.pods.clear();
        self.started = false;
    }

    fn fail(&mut self, io: &mut Io, node: &Rc<str>, why: Vec<String>) {
        let all = match why.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        io.complain(format!("error: unable to drain node {node:?} due to error: {all}, continuing command..."));
        self.errors.push((Rc::clone(node), why));
        self.next_node();
    }

    fn tell_pending(&self, io: &mut Io, node: &str, why: &str) {
        if self.pods.is_empty() {
            return;
        }
        io.complain(format!("There are pending pods in node {node:?} when an error occurred: {why}"));
        for pod in &self.pods {
            io.complain(format!("pod/{}", pod.key.name));
        }
    }

    /// The pods that have to leave a node, or why it cannot be drained. Warns of those that stay.
    fn find_pods(&self, io: &mut Io, node: &str) -> std::result::Result<Vec<Leaving>, Vec<String>> {
        const UNMANAGED: &str = "deleting Pods that declare no controller";
        const DAEMON_SET: &str = "ignoring DaemonSet-managed Pods";
        let options = &self.options;
        let selector = Selector::parse(&options.pod_selector).unwrap_or_default();
        // What is found, in the order in which it is first found.
        let mut errors: Vec<(&str, Vec<String>)> = Vec::new();
        let mut warnings: Vec<(&str, Vec<String>)> = Vec::new();
        let note = |list: &mut Vec<(&'static str, Vec<String>)>, what: &'static str, name: &str| match list
            .iter_mut()
            .find(|(known, _)| *known == what)
        {
            Some((_, names)) => names.push(name.into()),
            None => list.push((what, vec![name.into()])),
        };
        let mut orphans: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut leaving = Vec::new();
        let pods: Vec<Rc<Pod>> = io.api.store().pods_on(node).filter(|pod| pod.is_bound()).cloned().collect();
        for pod in pods.into_iter().filter(|pod| selector.matches(&pod.metadata.labels)) {
            let name = format!("{}/{}", pod.metadata.namespace, pod.metadata.name);
            let controller = pod.metadata.controller();
            let by_daemon_set = controller.is_some_and(|owner| owner.kind == "DaemonSet");
            if pod.is_mirror() || (by_daemon_set && pod.is_finished()) {
                if pod.is_mirror() {
                    continue;
                }
            } else if by_daemon_set {
                let owner_exists = controller.is_some_and(|owner| {
                    let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
                    io.api.store().daemon_set(&key).is_some()
                });
                match (owner_exists, options.ignore_daemon_sets, options.force) {
                    (true, true, _) => {
                        note(&mut warnings, DAEMON_SET, &name);
                        continue;
                    }
                    (true, false, _) => {
                        let what = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
                        note(&mut errors, what, &name);
                        continue;
                    }
                    (false, _, true) => {}
                    (false, _, false) => {
                        let owner = controller.map_or("", |owner| &*owner.name);
                        orphans
                            .entry(format!("cannot delete daemonsets.apps {owner:?} not found"))
                            .or_default()
                            .push(name);
                        continue;
                    }
                }
            }
            // That local data goes is not warned of: the check of the controller, which comes last, has the word.
            if !pod.is_finished() && has_empty_dir(&pod) && !options.delete_empty_dir {
                let what = "cannot delete Pods with local storage (use --delete-emptydir-data to override)";
                note(&mut errors, what, &name);
                continue;
            }
            if !pod.is_finished() && controller.is_none() {
                if options.force {
                    note(&mut warnings, UNMANAGED, &name);
                } else {
                    note(&mut errors, "cannot delete Pods that declare no controller (use --force to override)", &name);
                    continue;
                }
            }
            leaving.push(Leaving {
                key: pod.metadata.key(),
                uid: pod.metadata.uid.clone(),
                asked: false,
                retry_at: None,
            });
        }
        let shown = |list: &[(&str, Vec<String>)]| -> Vec<String> {
            list.iter().map(|(what, names)| format!("{what}: {}", names.join(", "))).collect()
        };
        if !errors.is_empty() || !orphans.is_empty() {
            let mut list = shown(&errors);
            list.extend(orphans.iter().map(|(what, names)| format!("{what}: {}", names.join(", "))));
            list.order();
            return Err(list);
        }
        if !warnings.is_empty() {
            io.complain(format!("Warning: {}", shown(&warnings).join("; ")));
        }
        Ok(leaving)
    }

    /// Asks for what has not been granted yet and drops what is gone.
    fn evict(&mut self, io: &mut Io) -> std::result::Result<(), String> {
        let now = io.api.now();
        let timed_out = self.deadline.is_some_and(|deadline| now >= deadline);
        let limit = crate::kubectl::go_duration(self.options.timeout.unwrap_or(0));
        let mut remaining = Vec::new();
        let mut problem = None;
        for mut pod in std::mem::take(&mut self.pods) {
            let (name, namespace) = (&pod.key.name, &pod.key.namespace);
            let present = io.api.store().pod(&pod.key).filter(|present| present.metadata.uid == pod.uid).cloned();
            let Some(present) = present else {
                let what = if self.options.disable_eviction { "deleted" } else { "evicted" };
                io.line(format!("pod/{name} {what}"));
                continue;
            };
            if let (Some(most), Some(since)) = (self.options.skip_after, present.metadata.deletion_timestamp)
                && now.seconds_since(since) > most
            {
                io.line(format!("pod {name:?} has DeletionTimestamp older than {most} seconds, skipping"));
                continue;
            }
            if !pod.asked && pod.retry_at.is_none_or(|at| now >= at) {
                if timed_out && problem.is_none() {
                    // Only the next attempt notices that the time is over.
                    io.line(format!("evicting pod {namespace}/{name}"));
                    problem = Some(format!(
                        "error when evicting pods/{name:?} -n {namespace:?}: global timeout reached: {limit}"
                    ));
                } else if !timed_out {
                    self.ask(io, &mut pod);
                }
            } else if pod.asked && timed_out && problem.is_none() {
                problem = Some(format!(
                    "error when waiting for pod {name:?} in namespace {namespace:?} to terminate: global timeout reached: \
                     {limit}"
                ));
            }
            remaining.push(pod);
        }
        self.pods = remaining;
        problem.map_or(Ok(()), Err)
    }

    fn ask(&self, io: &mut Io, pod: &mut Leaving) {
        let options = DeleteOptions { grace_period_seconds: self.options.grace, ..DeleteOptions::default() };
        if self.options.disable_eviction {
            if let Some(resource) = crate::kubectl::lister::resource_named("pods") {
                // It may have gone by itself.
                let _ = requests::delete(io.api, resource, &pod.key, options);
            }
            pod.asked = true;
            return;
        }
        io.line(format!("evicting pod {}/{}", pod.key.namespace, pod.key.name));
        match requests::evict(io.api, &pod.key, options) {
            Ok(_) => pod.asked = true,
            Err(status) if status.code == 404 => pod.asked = true,
            Err(status) => {
                io.complain(format!(
                    "error when evicting pods/{:?} -n {:?} (will retry after {RETRY_SECONDS}s): {}",
                    pod.key.name, pod.key.namespace, status.message
                ));
                pod.retry_at = Some(io.api.now().plus_seconds(RETRY_SECONDS));
            }
        }
    }
}

fn has_empty_dir(pod: &Pod) -> bool {
    pod.spec.volumes.iter().any(|volume| volume.get("emptyDir").is_some_and(|v| !matches!(v, Value::Null)))
}
