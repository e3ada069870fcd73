//! What rules look at: one DaemonSet as it was written, and what is known around it.

use super::Level;
use crate::apiserver::Store;
use crate::controllers::daemonset::{Rules, effective_tolerations, max_surge, pod_for_node};
use crate::kubelet::Behaviours;
use crate::manifest;
use crate::objects::*;
use serde_json::Value;
use std::cell::OnceCell;
use std::rc::Rc;

/// What is known beyond the text. Rules that need more than there is say nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The objects of the cluster.
    pub store: Option<&'a Store>,
    /// How pods behave, and what their containers use.
    pub behaviours: Option<&'a Behaviours>,
}

/// What kind of pods a DaemonSet runs, from what they ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Other pods of the node depend on it: a system priority class, or a network, storage or device plugin by name.
    Critical,
    /// It looks at its node: the node's network, processes, files or ports.
    Agent,
    /// Nothing ties it to a node.
    Plain,
}

/// Parts of names and images of what a node needs to run pods at all.
const CRITICAL_PARTS: [&str; 15] = [
    "kube-proxy",
    "kube-router",
    "cni",
    "calico",
    "cilium",
    "flannel",
    "weave",
    "antrea",
    "ovn",
    "csi",
    "device-plugin",
    "aws-node",
    "node-local-dns",
    "nodelocaldns",
    "node-driver",
];

/// Path of the pod spec.
pub(super) const POD: &str = "spec.template.spec";

/// The DaemonSet that rules look at.
pub(super) struct Subject<'a> {
    value: &'a Value,
    /// The same, typed. Nothing is filled in.
    pub set: DaemonSet,
    /// What kind of pods it runs.
    pub nature: Nature,
    /// Other objects of the same text.
    pub others: Vec<&'a Value>,
    /// What is known of the cluster.
    pub known: &'a Known<'a>,
    eligible: OnceCell<Vec<&'a Rc<Node>>>,
}

/// A container as it was written.
pub(super) struct ContainerAt<'a> {
    /// Its path: `spec.template.spec.containers[0]`.
    pub path: String,
    /// Its value.
    pub value: &'a Value,
    /// Runs only before the others.
    pub is_init: bool,
}

impl<'a> ContainerAt<'a> {
    /// The container's name.
    pub fn name(&self) -> &'a str {
        text(self.value, "/name")
    }

    /// What it asks for of a resource; its limit if it names no request.
    pub fn request(&self, resource: &str) -> Option<Quantity> {
        quantity(at(self.value, &format!("/resources/requests/{resource}"))).or_else(|| self.limit(resource))
    }

    /// What it may use of a resource.
    pub fn limit(&self, resource: &str) -> Option<Quantity> {
        quantity(at(self.value, &format!("/resources/limits/{resource}")))
    }
}

/// The value at a JSON pointer; null when there is none.
pub(super) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// The text at a JSON pointer; empty when there is none.
pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    at(value, pointer).as_str().unwrap_or("")
}

/// The items of the list at a JSON pointer, with their index.
pub(super) fn items<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
    at(value, pointer).as_array().into_iter().flatten().enumerate()
}

/// A value as a quantity.
pub(super) fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

/// Bytes as a quantity of whole MiB, rounded up.
pub(super) fn whole_mebibytes(bytes: i64) -> Quantity {
    let mebibytes = bytes.max(0).saturating_add((1 << 20) - 1) >> 20;
    Quantity::from_bytes(mebibytes.saturating_mul(1 << 20))
}

impl<'a> Subject<'a> {
    /// The object as a subject; `None` if it is no DaemonSet of apps/v1 or cannot be read as one.
    pub fn new(object: &'a manifest::Object<'a>, others: Vec<&'a Value>, known: &'a Known<'a>) -> Option<Self> {
        let value: &Value = &object.value;
        if text(value, "/kind") != "DaemonSet" || text(value, "/apiVersion") != "apps/v1" {
            return None;
        }
        let mut set: DaemonSet = decode(value.clone()).ok()?;
        if set.metadata.namespace.is_empty() {
            set.metadata.namespace = "default".into();
        }
        if set.spec.update_strategy.type_.is_empty() {
            set.spec.update_strategy.type_ = ROLLING_UPDATE.into();
        }
        let nature = nature(&set, value);
        Some(Self { value, set, nature, others, known, eligible: OnceCell::new() })
    }

    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        self.set.metadata.key()
    }

    /// The value at a JSON pointer from the DaemonSet.
    pub fn at(&self, pointer: &str) -> &'a Value {
        at(self.value, pointer)
    }

    /// The pod spec as it was written.
    pub fn pod(&self) -> &'a Value {
        self.at("/spec/template/spec")
    }

    /// The pod spec, typed.
    pub fn spec(&self) -> &PodSpec {
        &self.set.spec.template.spec
    }

    /// Whether other pods of the node depend on it.
    pub fn is_critical(&self) -> bool {
        self.nature == Nature::Critical
    }

    /// Whether the name or an image has one of these parts.
    pub fn is_called(&self, parts: &[&str]) -> bool {
        is_called(&self.set, parts)
    }

    /// The level of what is right for critical agents and not for others.
    pub fn fine_if_critical(&self, otherwise: Level) -> Level {
        if self.is_critical() { Level::Fine } else { otherwise }
    }

    /// All containers, init containers first.
    pub fn containers(&self) -> Vec<ContainerAt<'a>> {
        let of = |list: &'static str, init: bool| {
            items(self.pod(), &format!("/{list}")).map(move |(index, value)| ContainerAt {
                path: format!("{POD}.{list}[{index}]"),
                value,
                is_init: init && text(value, "/restartPolicy") != "Always",
            })
        };
        of("initContainers", true).chain(of("containers", false)).collect()
    }

    /// The containers that run as long as the pod does.
    pub fn running(&self) -> impl Iterator<Item = ContainerAt<'a>> {
        self.containers().into_iter().filter(|container| !container.is_init)
    }

    /// The nodes of the cluster; none if nothing is known of it.
    pub fn nodes(&self) -> impl Iterator<Item = &'a Rc<Node>> {
        self.known.store.into_iter().flat_map(|store| store.nodes().values())
    }

    /// The nodes that should run a pod.
    pub fn eligible(&self) -> &[&'a Rc<Node>] {
        self.eligible.get_or_init(|| {
            let rules = Rules::of(&self.set);
            self.nodes().filter(|node| rules.eligibility(node).should_run).collect()
        })
    }

    /// How many nodes may have two pods during a rollout, so that it is above 0 or not.
    pub fn surges(&self) -> bool {
        max_surge(&self.set, 100).is_some_and(|surge| surge > 0)
    }

    /// Whether the pods would bear the taint.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        effective_tolerations(self.spec()).iter().any(|(toleration, _)| toleration.tolerates(taint))
    }

    /// The same DaemonSet as it is in the cluster.
    pub fn live(&self) -> Option<&'a Rc<DaemonSet>> {
        self.known.store?.daemon_set(&self.key())
    }

    /// Other DaemonSets, of the text and of the cluster.
    pub fn other_sets(&self) -> Vec<DaemonSet> {
        let written = self.others.iter().filter(|other| text(other, "/kind") == "DaemonSet");
        let mut sets: Vec<DaemonSet> = written
            .filter_map(|other| {
                let mut set: DaemonSet = decode((*other).clone()).ok()?;
                if set.metadata.namespace.is_empty() {
                    set.metadata.namespace = "default".into();
                }
                Some(set)
            })
            .collect();
        let present = self.known.store.into_iter().flat_map(|store| store.daemon_sets().values());
        sets.extend(present.map(|set| (**set).clone()));
        let mut seen = vec![self.key()];
        sets.retain(|set| {
            let key = set.metadata.key();
            let new = !seen.contains(&key);
            seen.push(key);
            new
        });
        sets
    }

    /// Whether the text has an object of this kind and name in the DaemonSet's namespace.
    pub fn text_has(&self, kind: &str, name: &str) -> bool {
        self.others.iter().any(|other| {
            text(other, "/kind") == kind
                && text(other, "/metadata/name") == name
                && matches!(text(other, "/metadata/namespace"), namespace
                    if namespace == &*self.key().namespace || namespace.is_empty())
        })
    }

    /// The most that a container of the pods is known to use of a resource, over all nodes.
    pub fn peak(&self, container: &str, resource: &str) -> Option<Quantity> {
        let behaviours = self.known.behaviours.filter(|rules| rules.0.iter().any(|rule| !rule.uses.is_empty()))?;
        let mut pod = pod_for_node(&self.set, &self.set.spec.template, "");
        pod.metadata.name = self.set.metadata.name.clone();
        let named = pod.spec.containers.iter().chain(pod.spec.init_containers.iter()).find(|c| c.name == container)?;
        let eligible = self.eligible();
        let names = eligible.iter().map(|node| &*node.metadata.name);
        let mut rules: Vec<Rc<crate::kubelet::Behaviour>> = Vec::new();
        for name in names.chain(eligible.is_empty().then_some("")) {
            let (_, rule) = behaviours.choose(&pod, name);
            if !rules.iter().any(|known| Rc::ptr_eq(known, &rule)) {
                rules.push(rule);
            }
        }
        let samples =
            rules.iter().filter(|rule| rule.selects.names(named)).flat_map(|rule| rule.uses.samples(resource));
        samples.map(|sample| sample.amount).max()
    }
}

fn nature(set: &DaemonSet, value: &Value) -> Nature {
    let spec = &set.spec.template.spec;
    let all = || spec.init_containers.iter().chain(spec.containers.iter());
    if spec.priority_class_name.starts_with("system-") || is_called(set, &CRITICAL_PARTS) {
        return Nature::Critical;
    }
    let pod = at(value, "/spec/template/spec");
    let host_path =
        items(pod, "/volumes").any(|(_, volume)| volume.get("hostPath").is_some_and(|path| !path.is_null()));
    let privileged = all().any(|container| {
        container.other.get("securityContext").is_some_and(|context| at(context, "/privileged") == true)
    });
    let ports = all().any(|container| container.ports.iter().any(|port| port.host_port > 0));
    if spec.host_network || at(pod, "/hostPID") == true || host_path || privileged || ports {
        Nature::Agent
    } else {
        Nature::Plain
    }
}

fn is_called(set: &DaemonSet, parts: &[&str]) -> bool {
    let spec = &set.spec.template.spec;
    let images = spec.init_containers.iter().chain(spec.containers.iter()).map(|container| container.image.as_str());
    std::iter::once(&*set.metadata.name).chain(images).any(|text| parts.iter().any(|part| has_word(text, part)))
}

/// Whether a name has this part between separators: `csi` in `ebs-csi-node`, not in `csiro`.
fn has_word(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(start, _)| {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(start.saturating_add(part.len())..).and_then(|after| after.chars().next());
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric())
    })
}
