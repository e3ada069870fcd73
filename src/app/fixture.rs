//! Small clusters for tests.

use crate::apiserver::Store;
use crate::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

/// A cluster under construction.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    store: Store,
    pods: i64,
}

impl Cluster {
    /// No objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// What has been built.
    pub fn store(self) -> Store {
        self.store
    }

    fn put(mut self, kind: Kind, mut tree: Value) -> Self {
        tree["apiVersion"] = json!(kind.api_version());
        tree["kind"] = json!(kind.name());
        self.store.put(Object::from_value(tree).unwrap());
        self
    }

    /// A ready node with 2 CPUs and 4 GiB.
    pub fn worker(self, name: &str) -> Self {
        self.put(
            Kind::Node,
            json!({
                "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
                "status": {
                    "allocatable": {"cpu": "2", "memory": "4Gi", "pods": "110"},
                    "conditions": [{"type": "Ready", "status": "True"}],
                },
            }),
        )
    }

    /// A worker with the control plane's label and taint.
    pub fn control_plane(self, name: &str) -> Self {
        let role = "node-role.kubernetes.io/control-plane";
        self.worker(name).labels(name, &[(role, "")]).taint(name, role, NO_SCHEDULE)
    }

    fn edit_node(mut self, name: &str, edit: impl FnOnce(&mut Node)) -> Self {
        let mut node = Node::clone(self.store.node_named(name).unwrap());
        edit(&mut node);
        self.store.put(node.into());
        self
    }

    /// Adds labels to a node.
    pub fn labels(self, node: &str, labels: &[(&str, &str)]) -> Self {
        self.edit_node(node, |node| {
            let map = Rc::make_mut(&mut node.metadata.labels);
            map.extend(labels.iter().map(|(key, value)| ((*key).into(), (*value).into())));
        })
    }

    /// Adds a taint to a node.
    pub fn taint(self, node: &str, key: &str, effect: &str) -> Self {
        self.edit_node(node, |node| Rc::make_mut(&mut node.spec.taints).push(Taint::new(key, effect)))
    }

    /// Marks a node unschedulable.
    pub fn cordon(self, node: &str) -> Self {
        self.edit_node(node, |node| node.spec.unschedulable = true)
    }

    /// A DaemonSet in `default` with one revision for each hash, oldest first. Its uid is its name.
    pub fn daemon_set(mut self, name: &str, hashes: &[&str]) -> Self {
        for (number, hash) in hashes.iter().enumerate() {
            self = self.put(
                Kind::ControllerRevision,
                json!({
                    "metadata": {
                        "namespace": "default", "name": format!("{name}-{hash}"),
                        "labels": {CONTROLLER_REVISION_HASH: hash},
                        "ownerReferences": [{"kind": "DaemonSet", "name": name, "uid": name, "controller": true}],
                    },
                    "revision": number + 1,
                }),
            );
        }
        self.put(
            Kind::DaemonSet,
            json!({
                "metadata": {"namespace": "default", "name": name, "uid": name},
                "spec": {"selector": {"matchLabels": {"app": name}}, "updateStrategy": {"type": "RollingUpdate"}},
            }),
        )
    }

    /// Restricts a DaemonSet to nodes with a label.
    pub fn node_selector(mut self, set: &str, key: &str, value: &str) -> Self {
        let mut object = DaemonSet::clone(self.store.daemon_set(&ObjectKey::new("default", set)).unwrap());
        let template = Rc::make_mut(&mut object.spec.template);
        Rc::make_mut(&mut template.spec.node_selector).insert(key.into(), value.into());
        self.store.put(object.into());
        self
    }

    /// A DaemonSet's pod as it is at some point of its life; `status` and `metadata` are merged in.
    pub fn pod(mut self, set: &str, hash: &str, node: &str, bound: bool, status: Value) -> Self {
        self.pods += 1;
        let name = format!("{set}-{}", self.pods);
        let terms = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
        let spec = json!({
            "nodeName": if bound { node } else { "" },
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}},
            "containers": [{"name": set, "image": format!("example/{set}:{hash}"),
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}],
        });
        let metadata = json!({
            "namespace": "default", "name": name, "creationTimestamp": Time(self.pods).to_string(),
            "labels": {"app": set, CONTROLLER_REVISION_HASH: hash},
            "ownerReferences": [{"kind": "DaemonSet", "name": set, "uid": set, "controller": true}],
        });
        self.put(Kind::Pod, json!({"metadata": metadata, "spec": spec, "status": status}))
    }

    /// A pod that has been ready since second 0.
    pub fn running_pod(self, set: &str, hash: &str, node: &str) -> Self {
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": Time(0).to_string()});
        self.pod(set, hash, node, true, json!({"phase": "Running", "conditions": [ready]}))
    }

    /// A pod that no controller manages.
    pub fn bare_pod(self, name: &str, node: &str) -> Self {
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": Time(0).to_string()});
        self.put(
            Kind::Pod,
            json!({
                "metadata": {"namespace": "default", "name": name},
                "spec": {"nodeName": node, "containers": [{"name": "c", "image": "example/web:1",
                    "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
                "status": {"phase": "Running", "conditions": [ready]},
            }),
        )
    }
}
