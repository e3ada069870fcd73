//! One change of one thing that lets a pod get a node, as a person makes it.

use crate::apiserver::Store;
use crate::insight::explain::{Caution, Edit, ManifestEdit, ManifestOperation, Rendered};
use crate::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

/// One change of a node, of another object, or of the pod's own manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum PlacementEdit {
    /// Labels and taints of a node.
    Node {
        /// The node.
        node: Rc<str>,
        /// What changes.
        edit: Edit,
    },
    /// Tolerations, node selector and node affinity of the pod.
    Spec(Edit),
    /// Lets new pods on to a cordoned node.
    Uncordon {
        /// The node.
        node: Rc<str>,
    },
    /// Gives a node more of a resource.
    ResizeNode {
        /// The node.
        node: Rc<str>,
        /// Name of the resource.
        resource: String,
        /// How much it has for pods from then on.
        amount: Quantity,
    },
    /// Plugs in a node.
    AddNode {
        /// Its name.
        name: String,
        /// What it is like.
        template: NodeTemplate,
    },
    /// Deletes another pod.
    DeletePod {
        /// The pod.
        pod: ObjectKey,
        /// It is terminating on a node that does not end it.
        force: bool,
        /// A controller makes another one in its place.
        replaced: bool,
    },
    /// Lets a container ask for less.
    SetRequest {
        /// Which of the pod's lists.
        list: ContainerList,
        /// Index of the container.
        container: usize,
        /// Name of the resource.
        resource: String,
        /// What it asks for from then on.
        amount: Quantity,
        /// Whether the limit has to follow, as for whole devices.
        limit_too: bool,
    },
    /// Lets the pod as a whole ask for less.
    SetPodRequest {
        /// Name of the resource.
        resource: String,
        /// What it asks for from then on.
        amount: Quantity,
    },
    /// Takes another port of the node.
    SetPort {
        /// Which of the pod's lists.
        list: ContainerList,
        /// Index of the container.
        container: usize,
        /// Index of its port.
        port: usize,
        /// The number from then on.
        number: i32,
        /// On the node's network the container listens there itself.
        host_network: bool,
    },
    /// Does without a port of the node.
    RemoveHostPort {
        /// Which of the pod's lists.
        list: ContainerList,
        /// Index of the container.
        container: usize,
        /// Index of its port.
        port: usize,
    },
    /// Drops a required rule about other pods.
    RemovePodAffinity {
        /// Anti-affinity, not affinity.
        anti: bool,
        /// Index of the term.
        index: usize,
    },
    /// Allows domains to differ more.
    SetMaxSkew {
        /// Index of the constraint.
        index: usize,
        /// Largest difference from then on.
        max_skew: i32,
    },
    /// Makes a constraint a preference.
    RelaxSpread {
        /// Index of the constraint.
        index: usize,
    },
    /// Makes the claim that the pod mounts.
    CreateClaim {
        /// Namespace and name.
        claim: ObjectKey,
    },
    /// Opens a gate of the pod.
    RemoveGate {
        /// The pod.
        pod: ObjectKey,
        /// Index of the gate.
        index: usize,
        /// Name of the gate.
        name: String,
    },
    /// Makes the pod more important.
    SetPriorityClass {
        /// Name of the class.
        name: String,
        /// Its value.
        value: i32,
        /// Its preemption policy.
        policy: Option<String>,
    },
    /// Hands the pod to the default scheduler.
    RemoveSchedulerName,
}

/// A list of containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerList {
    /// `containers`
    Containers,
    /// `initContainers`
    Init,
}

impl ContainerList {
    /// Name of the field.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Containers => "containers",
            Self::Init => "initContainers",
        }
    }
}

/// What a person should know before making an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodCaution {
    /// As for DaemonSets.
    Of(Caution),
    /// The pod that is deleted is made again by its controller, perhaps on the same node.
    PodComesBack,
    /// Pods of lower priority will be evicted.
    PodsArePreempted,
    /// What runs in the pod may need what it asks for.
    AsksForLess,
}

/// How an edit is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// A command line, or a change in the owner's manifest.
    Rendered(Rendered),
    /// An object that has to be applied.
    Object(Value),
}

/// Whose manifest has to change so that the pod does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// `Pod`, `DaemonSet`, `Deployment`, `ReplicaSet`…
    pub kind: String,
    /// Its key.
    pub key: ObjectKey,
}

impl Owner {
    /// The pod's outermost controller, or the pod itself.
    pub fn of(store: &Store, pod: &Pod) -> Self {
        let namespace = &pod.metadata.namespace;
        let Some(owner) = pod.metadata.controller() else {
            return Self { kind: "Pod".into(), key: pod.metadata.key() };
        };
        let key = ObjectKey::new(namespace.clone(), owner.name.clone());
        if owner.kind == "ReplicaSet"
            && let Some(outer) = store.replica_set(&key).and_then(|set| set.metadata.controller())
        {
            let key = ObjectKey::new(namespace.clone(), outer.name.clone());
            return Self { kind: outer.kind.to_string(), key };
        }
        Self { kind: owner.kind.to_string(), key }
    }

    /// Whether the pod is its own owner: its manifest is that of a pod, and most of it cannot change while it lives.
    pub fn is_pod(&self) -> bool {
        self.kind == "Pod"
    }

    /// Where the pod's spec is in the owner's manifest.
    pub fn spec_path(&self) -> &'static str {
        if self.is_pod() { "spec" } else { "spec.template.spec" }
    }
}

impl PlacementEdit {
    /// Whether the pod's manifest changes, and with it all pods of its owner.
    pub fn is_on_manifest(&self) -> bool {
        matches!(
            self,
            Self::Spec(_)
                | Self::SetRequest { .. }
                | Self::SetPodRequest { .. }
                | Self::SetPort { .. }
                | Self::RemoveHostPort { .. }
                | Self::RemovePodAffinity { .. }
                | Self::SetMaxSkew { .. }
                | Self::RelaxSpread { .. }
                | Self::SetPriorityClass { .. }
                | Self::RemoveSchedulerName
        )
    }

    /// What a person should know before making it.
    pub fn caution(&self) -> Option<PodCaution> {
        match self {
            Self::Node { edit, .. } | Self::Spec(edit) => edit.caution().map(PodCaution::Of),
            Self::DeletePod { replaced: true, .. } => Some(PodCaution::PodComesBack),
            Self::SetPriorityClass { .. } => Some(PodCaution::PodsArePreempted),
            Self::SetRequest { .. } | Self::SetPodRequest { .. } => Some(PodCaution::AsksForLess),
            _ => None,
        }
    }

    /// How far it reaches beyond the question: small is better among changes of the same size.
    pub(super) fn reach(&self) -> usize {
        let managed = |edit: &Edit| if edit.caution().is_some() { 10 } else { 0 };
        match self {
            Self::RemoveGate { .. } | Self::CreateClaim { .. } | Self::Uncordon { .. } => 0,
            Self::Spec(edit) => managed(edit) + usize::from(!matches!(edit, Edit::AddToleration { .. })) * 2,
            Self::Node { edit, .. } => managed(edit) + 1 + usize::from(matches!(edit, Edit::RemoveLabel { .. })),
            Self::AddNode { .. } | Self::SetPort { .. } | Self::SetMaxSkew { .. } => 2,
            Self::SetRequest { .. } | Self::RemoveSchedulerName => 3,
            Self::SetPodRequest { .. } | Self::ResizeNode { .. } | Self::RelaxSpread { .. } => 3,
            Self::RemoveHostPort { .. } | Self::RemovePodAffinity { .. } => 4,
            Self::DeletePod { replaced, .. } => 5 + usize::from(*replaced) * 5,
            Self::SetPriorityClass { .. } => 6,
        }
    }

    /// The edit as a person makes it: mostly one thing to do.
    pub fn remedies(&self, owner: &Owner) -> Vec<Remedy> {
        match self {
            // The API server wants the request and the limit of a device to be the same.
            Self::SetRequest { list, container, resource, amount, limit_too: true } => ["limits", "requests"]
                .map(|of| format!("{}[{container}].resources.{of}{}", list.name(), key(resource)))
                .map(|path| in_manifest(owner, path, ManifestOperation::Set(json!(amount.to_string()))))
                .into(),
            // So it wants the two numbers of a port on the node's network.
            Self::SetPort { list, container, port, number, host_network: true } => ["containerPort", "hostPort"]
                .map(|field| format!("{}[{container}].ports[{port}].{field}", list.name()))
                .map(|path| in_manifest(owner, path, ManifestOperation::Set(json!(number))))
                .into(),
            _ => vec![self.remedy(owner)],
        }
    }

    fn remedy(&self, owner: &Owner) -> Remedy {
        let command = |line: String| Remedy::Rendered(Rendered::Command(line));
        let manifest = |path: String, operation| in_manifest(owner, path, operation);
        let in_container = |list: &ContainerList, index: &usize, rest: &str| format!("{}[{index}].{rest}", list.name());
        use ManifestOperation::{Remove, Set};
        match self {
            Self::Node { node, edit } => Remedy::Rendered(edit.render(node)),
            Self::Spec(edit) => match edit.render("") {
                Rendered::Manifest(ManifestEdit { path, operation }) => {
                    manifest(path.strip_prefix("spec.template.spec.").unwrap_or(&path).to_owned(), operation)
                }
                rendered => Remedy::Rendered(rendered),
            },
            Self::Uncordon { node } => command(format!("kubectl uncordon {node}")),
            Self::ResizeNode { node, resource, amount } => {
                command(format!("sim resize-node {node} --resource {resource}={amount}"))
            }
            Self::AddNode { name, template } => command(match template {
                NodeTemplate::Worker => format!("sim add-node {name}"),
                template => format!("sim add-node {name} --template {}", template.name()),
            }),
            Self::DeletePod { pod, force, .. } => {
                let how = if *force { " --force --grace-period=0" } else { "" };
                command(format!("kubectl delete pod {}{}{how}", pod.name, in_namespace(pod)))
            }
            Self::SetRequest { list, container, resource, amount, .. } => {
                let field = format!("resources.requests{}", key(resource));
                manifest(in_container(list, container, &field), Set(json!(amount.to_string())))
            }
            Self::SetPodRequest { resource, amount } => {
                manifest(format!("resources.requests{}", key(resource)), Set(json!(amount.to_string())))
            }
            Self::SetPort { list, container, port, number, .. } => {
                manifest(in_container(list, container, &format!("ports[{port}].hostPort")), Set(json!(number)))
            }
            Self::RemoveHostPort { list, container, port } => {
                manifest(in_container(list, container, &format!("ports[{port}].hostPort")), Remove)
            }
            Self::RemovePodAffinity { anti, index } => {
                let field = if *anti { "podAntiAffinity" } else { "podAffinity" };
                manifest(format!("affinity.{field}.requiredDuringSchedulingIgnoredDuringExecution[{index}]"), Remove)
            }
            Self::SetMaxSkew { index, max_skew } => {
                manifest(format!("topologySpreadConstraints[{index}].maxSkew"), Set(json!(max_skew)))
            }
            Self::RelaxSpread { index } => {
                manifest(format!("topologySpreadConstraints[{index}].whenUnsatisfiable"), Set(json!("ScheduleAnyway")))
            }
            Self::CreateClaim { claim } => Remedy::Object(json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": &*claim.name, "namespace": &*claim.namespace},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            })),
            Self::RemoveGate { pod, index, .. } => command(format!(
                "kubectl patch pod {}{} --type=json -p '[{{\"op\":\"remove\",\"path\":\"/spec/schedulingGates/{index}\"}}]'",
                pod.name,
                in_namespace(pod),
            )),
            Self::SetPriorityClass { name, .. } => manifest("priorityClassName".into(), Set(json!(name))),
            Self::RemoveSchedulerName => manifest("schedulerName".into(), Remove),
        }
    }
}

fn in_manifest(owner: &Owner, path: String, operation: ManifestOperation) -> Remedy {
    let path = format!("{}.{path}", owner.spec_path());
    Remedy::Rendered(Rendered::Manifest(ManifestEdit { path, operation }))
}

/// ` -n NAMESPACE`, or nothing for the default namespace.
fn in_namespace(key: &ObjectKey) -> String {
    match &*key.namespace {
        "" | "default" => String::new(),
        namespace => format!(" -n {namespace}"),
    }
}

/// A key of a map as the next part of a path.
fn key(name: &str) -> String {
    crate::controllers::daemonset::eligibility::key_segment(name)
}
