//! `kubectl top`, from what the behaviours of pods say that they use.
//!
//! Follows kubernetes kubectl pkg/cmd/top and pkg/metricsutil/metrics_printer.go, v1.36.

use crate::apiserver::Status;
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::selector::{FieldSelector, Selector};
use crate::kubectl::tabwriter;
use crate::kubectl::task::Started;
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

/// CPU and memory.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    cpu: Quantity,
    memory: Quantity,
}

impl Used {
    fn plus(self, other: Self) -> Self {
        Self { cpu: self.cpu.plus(other.cpu), memory: self.memory.plus(other.memory) }
    }

    fn cells(self) -> String {
        format!("{}m\t{}Mi\t", self.cpu.milli_value(), self.memory.value() / (1 << 20))
    }
}

/// A pod with what each of its containers uses.
struct Measured {
    pod: Rc<Pod>,
    containers: Vec<(String, Used)>,
}

impl Measured {
    fn total(&self) -> Used {
        self.containers.iter().fold(Used::default(), |sum, (_, used)| sum.plus(*used))
    }
}

/// All pods of which the usage is known.
///
/// # Errors
/// When no behaviour says anything about usage: then there is nothing that measures.
fn measure(io: &Io) -> Result<Vec<Measured>> {
    let behaviours = &io.context.behaviours;
    if behaviours.0.iter().all(|rule| rule.uses.is_empty()) {
        return Err(CliError::message("Metrics API not available"));
    }
    let measured = io.api.store().pods().values().filter_map(|pod| {
        let (_, behaviour) = behaviours.choose(pod, &pod.spec.node_name);
        let statuses = pod.status.init_container_statuses.iter().chain(pod.status.container_statuses.iter());
        let containers: Vec<(String, Used)> = statuses
            .filter_map(|status| {
                let since = status.state.running.as_ref()?.started_at?;
                let all = pod.spec.init_containers.iter().chain(pod.spec.containers.iter());
                let container = all.into_iter().find(|container| container.name == status.name)?;
                if behaviour.uses.is_empty() || !behaviour.selects.names(container) {
                    return None;
                }
                let age = u64::try_from(io.api.now().seconds_since(since)).unwrap_or(0).saturating_mul(1000);
                let uses = |resource: &str| behaviour.uses.at(resource, age).unwrap_or_default();
                // A container gets no more CPU than its limit, however much it wants.
                let cpu = container.limit(CPU).map_or(uses(CPU), |limit| uses(CPU).min(limit));
                Some((container.name.clone(), Used { cpu, memory: uses(MEMORY) }))
            })
            .collect();
        (!containers.is_empty()).then(|| Measured { pod: Rc::clone(pod), containers })
    });
    Ok(measured.collect())
}

fn sort_key(command: &Command) -> Result<Option<&str>> {
    match command.flags.get("sort-by").filter(|key| !key.is_empty()) {
        Some(key) if !matches!(key, "cpu" | "memory") => Err(CliError::message("--sort-by accepts only cpu or memory")),
        key => Ok(key),
    }
}

/// Sorts by what is used most, or leaves the order by name.
fn sort<T>(items: &mut [T], key: Option<&str>, used: impl Fn(&T) -> Used) {
    match key {
        Some("cpu") => items.order_by_key(|item| std::cmp::Reverse(used(item).cpu)),
        Some(_) => items.order_by_key(|item| std::cmp::Reverse(used(item).memory)),
        None => {}
    }
}

/// `top pod`
pub(crate) fn pods(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let key = sort_key(command)?;
    let name = command.arguments.first();
    if name.is_some() && (flags.has("selector") || flags.has("field-selector")) {
        return Err(CliError::message("only one of NAME or selector can be provided"));
    }
    let labels = Selector::parse(flags.get_or("selector", "")).map_err(CliError::Message)?;
    let fields = FieldSelector::parse(flags.get_or("field-selector", "")).map_err(CliError::Message)?;
    let everywhere = flags.is_on("all-namespaces");
    let mut measured = measure(io)?;
    measured.retain(|item| {
        let metadata = &item.pod.metadata;
        let value_of = |path: &str| match path {
            "metadata.name" => metadata.name.to_string(),
            "metadata.namespace" => metadata.namespace.to_string(),
            "spec.nodeName" => item.pod.spec.node_name.to_string(),
            "status.phase" => item.pod.status.phase.to_string(),
            _ => String::new(),
        };
        (everywhere || &*metadata.namespace == io.namespace())
            && name.is_none_or(|name| *metadata.name == **name)
            && labels.matches(&metadata.labels)
            && fields.matches(value_of)
    });
    if measured.is_empty() {
        if let Some(name) = name {
            return Err(Status::not_found("podmetrics.metrics.k8s.io", &format!("{}/{name}", io.namespace())).into());
        }
        let text = if everywhere {
            "No resources found".to_owned()
        } else {
            format!("No resources found in {} namespace.", io.namespace())
        };
        io.complain(text);
        return Ok(None);
    }
    sort(&mut measured, key, Measured::total);
    let by_container = flags.is_on("containers");
    let mut table = String::new();
    let place = |item: &Measured| if everywhere { format!("{}\t", item.pod.metadata.namespace) } else { String::new() };
    if !flags.is_on("no-headers") {
        let namespace = if everywhere { "NAMESPACE\t" } else { "" };
        let pod = if by_container { "POD\t" } else { "" };
        table.push_str(&format!("{namespace}{pod}NAME\tCPU(cores)\tMEMORY(bytes)\t\n"));
    }
    for item in &mut measured {
        let start = format!("{}{}\t", place(item), item.pod.metadata.name);
        if by_container {
            sort(&mut item.containers, key, |(_, used)| *used);
            for (name, used) in &item.containers {
                table.push_str(&format!("{start}{name}\t{}\n", used.cells()));
            }
        } else {
            table.push_str(&format!("{start}{}\n", item.total().cells()));
        }
    }
    if flags.is_on("sum") {
        let total = measured.iter().fold(Used::default(), |sum, item| sum.plus(item.total()));
        let tabs = "\t".repeat(1 + usize::from(everywhere) + usize::from(by_container));
        table.push_str(&format!("{tabs}________\t________\t\n{tabs}{}\n", total.cells()));
    }
    io.out.push_str(&tabwriter::align(&table, tabwriter::GET));
    Ok(None)
}

/// `top node`
pub(crate) fn nodes(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let key = sort_key(command)?;
    let name = command.arguments.first();
    if name.is_some() && flags.has("selector") {
        return Err(CliError::message("only one of NAME or --selector can be provided"));
    }
    let labels = Selector::parse(flags.get_or("selector", "")).map_err(CliError::Message)?;
    let measured = measure(io)?;
    let wanted = |node: &&Rc<Node>| {
        name.is_none_or(|name| *node.metadata.name == **name) && labels.matches(&node.metadata.labels)
    };
    let mut known: Vec<(Rc<Node>, Used)> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for node in io.api.store().nodes().values().filter(wanted) {
        let of_node = measured.iter().filter(|item| item.pod.spec.node_name == node.metadata.name);
        let used = of_node.fold(Used::default(), |sum, item| sum.plus(item.total()));
        if node.condition("Ready").is_some_and(|condition| condition.status == "True") {
            known.push((Rc::clone(node), used));
        } else {
            unknown.push(node.metadata.name.to_string());
        }
    }
    if let (Some(name), true, true) = (name, known.is_empty(), unknown.is_empty()) {
        return Err(Status::not_found("nodemetrics.metrics.k8s.io", name).into());
    }
    if known.is_empty() {
        return Err(CliError::message("metrics not available yet"));
    }
    sort(&mut known, key, |(_, used)| *used);
    let mut table = String::new();
    if !flags.is_on("no-headers") {
        table.push_str("NAME\tCPU(cores)\tCPU(%)\tMEMORY(bytes)\tMEMORY(%)\t\n");
    }
    for (node, used) in &known {
        let list = if flags.is_on("show-capacity") { &node.status.capacity } else { &node.status.allocatable };
        let share = |used: Quantity, resource: &str| {
            let most = list.get(resource).map_or(0, |most| most.milli_value());
            used.milli_value().saturating_mul(100).checked_div(most).unwrap_or(0)
        };
        table.push_str(&format!(
            "{}\t{}m\t{}%\t{}Mi\t{}%\t\n",
            node.metadata.name,
            used.cpu.milli_value(),
            share(used.cpu, CPU),
            used.memory.value() / (1 << 20),
            share(used.memory, MEMORY)
        ));
    }
    for name in unknown {
        table.push_str(&format!("{name}\t<unknown>\t<unknown>\t<unknown>\t<unknown>\t\n"));
    }
    io.out.push_str(&tabwriter::align(&table, tabwriter::GET));
    Ok(None)
}
