//! The one place that changes the store.

use super::admission::{self, AdmissionView, pod_security};
use super::correlator::EventCorrelator;
use super::ownership::Ownership;
use super::random::Random;
use super::schema;
use super::status::Status;
use super::store::{Change, Store};
use super::write::{Delete, EventDraft, Propagation, Write};
use crate::objects::*;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Finalizer of an object whose dependents go first.
pub const FOREGROUND_DELETION: &str = "foregroundDeletion";
/// Finalizer of an object whose dependents lose their owner first.
pub const ORPHAN_DEPENDENTS: &str = "orphan";
/// Finalizer of a namespace whose content goes first.
const NAMESPACE_FINALIZER: &str = "kubernetes";
/// How long kubelets may trust what they know of secrets, in seconds.
const NODE_TTL: &str = "node.alpha.kubernetes.io/ttl";
/// Namespaces that every cluster has.
pub const SYSTEM_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// All objects and what it takes to write them. Cloning is cheap: a clone is a snapshot.
///
/// Invariant: every write bumps the resource version and is recorded as one [`Change`], until [`Self::take_changes`].
#[derive(Clone, Debug)]
pub struct ApiServer {
    store: Store,
    now: Time,
    resource_version: u64,
    random: Random,
    correlator: EventCorrelator,
    /// Names of events by what they tell.
    event_names: RedBlackTreeMap<u64, Rc<str>>,
    changes: Vec<Change>,
    /// Who set which fields.
    pub(super) ownership: Ownership,
}

impl ApiServer {
    /// From now on requests are those of this field manager (`kubectl-edit`).
    pub fn act_as(&mut self, manager: &str) {
        self.ownership.set_requester(manager);
    }

    /// A cluster with the usual namespaces and priority classes and no nodes.
    pub fn new(seed: u64, now: Time) -> Self {
        let random = Random::new(seed);
        let mut server = Self {
            store: Store::default(),
            now,
            resource_version: 0,
            random,
            correlator: EventCorrelator::default(),
            event_names: RedBlackTreeMap::new(),
            changes: Vec::new(),
            ownership: Ownership::default(),
        };
        for name in SYSTEM_NAMESPACES {
            let mut namespace = Namespace::default();
            namespace.metadata.name = name.into();
            namespace.metadata.labels = string_map([("kubernetes.io/metadata.name", name)]);
            namespace.status.phase = "Active".into();
            server.insert(namespace.into());
        }
        for (name, value, about) in [
            (
                "system-cluster-critical",
                SYSTEM_CLUSTER_CRITICAL,
                "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
            ),
            (
                "system-node-critical",
                SYSTEM_NODE_CRITICAL,
                "Used for system critical pods that must not be moved from their current node.",
            ),
        ] {
            let mut class = PriorityClass { value, description: about.into(), ..PriorityClass::default() };
            class.metadata.name = name.into();
            class.metadata.generation = 1;
            class.preemption_policy = Some("PreemptLowerPriority".into());
            server.insert(class.into());
        }
        server.changes.clear();
        server
    }

    /// All objects.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The time that writes are stamped with.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Sets the time that writes are stamped with.
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// The version of the newest write.
    pub fn resource_version(&self) -> u64 {
        self.resource_version
    }

    /// The writes since the last call, in order.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Puts an object in as it is, status, uid and all, where one is missing: for initial states.
    pub fn restore(&mut self, mut object: Object) {
        let (now, uid) = (self.now, self.random.uid());
        let metadata = object.metadata_mut();
        if metadata.uid.is_empty() {
            metadata.uid = uid.into();
        }
        metadata.creation_timestamp.get_or_insert(now);
        self.put(object);
    }

    /// Takes out an object of a kind that the simulation does not act on.
    pub fn remove_unstructured(&mut self, object: &Object) {
        if matches!(object, Object::Unstructured(_)) {
            self.remove(object.clone());
        }
    }

    /// Does one request. Returns the object as it is now; for a deletion, as it was when it went.
    ///
    /// # Errors
    /// The [`Status`] that the API server would answer: `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`.
    pub fn commit(&mut self, write: Write) -> Result<Object, Status> {
        match write {
            Write::Create(object) => self.create(object),
            Write::Update(object) => self.update(object),
            Write::UpdateStatus(object) => self.update_status(object),
            Write::Delete(delete) => self.delete(&delete),
            Write::DeleteOther { api_version, kind, key } => {
                match self.store.unstructured(&api_version, &kind, &key).cloned() {
                    Some(object) => Ok(self.remove(Object::Unstructured(object))),
                    None => {
                        let like = Unstructured { api_version, kind, ..Unstructured::default() };
                        Err(Status::not_found(&resource_of(&like.into()), &key.name))
                    }
                }
            }
            Write::Bind { pod, node } => self.bind(&pod, node),
            Write::Event(draft) => Ok(self.tell(draft)),
        }
    }

    fn create(&mut self, mut object: Object) -> Result<Object, Status> {
        let resource = resource_of(&object);
        self.check_namespace(&object, &resource)?;
        if let Object::Pod(pod) = &mut object {
            super::pod_admission::admit(&self.store, Rc::make_mut(pod))?;
        }
        self.generate_name(object.metadata_mut());
        let key = object.key();
        if self.find(&object, &key).is_some() {
            return Err(Status::already_exists(&resource, &key.name));
        }
        self.check_limits(&object)?;
        Ok(self.insert(object))
    }

    /// Limits, quotas and pod security hold for the pods that controllers make, too.
    fn check_limits(&self, object: &Object) -> Result<(), Status> {
        let limited = |namespace: &str| {
            pod_security::enforces(schema::Tree(&self.store.namespace_labels(namespace)))
                || !self.store.limit_ranges(namespace).is_empty()
                || !self.store.resource_quotas(namespace).is_empty()
        };
        match (object, schema::resource_of("v1", "Pod")) {
            (Object::Pod(pod), Some(resource)) if limited(&pod.metadata.namespace) => {
                admission::validate(&self.store, resource, &object.to_value())
            }
            _ => Ok(()),
        }
    }

    /// Five random characters.
    pub(crate) fn draw_suffix(&mut self) -> String {
        self.random.name_suffix()
    }

    /// Makes a name of `generateName` where there is none.
    pub(super) fn generate_name(&mut self, metadata: &mut ObjectMeta) {
        if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
            metadata.name = format!("{}{}", metadata.generate_name, self.random.name_suffix()).into();
        }
    }

    /// Stamps and stores a new object.
    fn insert(&mut self, mut object: Object) -> Object {
        let (now, uid) = (self.now, self.random.uid());
        let first_generation = i64::from(counts_generations(&object));
        let metadata = object.metadata_mut();
        metadata.uid = uid.into();
        metadata.creation_timestamp = Some(now);
        metadata.deletion_timestamp = None;
        metadata.generation = first_generation;
        match &mut object {
            Object::DaemonSet(daemon_set) => {
                let daemon_set = Rc::make_mut(daemon_set);
                daemon_set.status = DaemonSetStatus::default();
                set_template_generation(&mut daemon_set.metadata, 1);
            }
            Object::Deployment(o) => Rc::make_mut(o).status = DeploymentStatus::default(),
            Object::ReplicaSet(o) => Rc::make_mut(o).status = ReplicaSetStatus::default(),
            Object::Pod(pod) => {
                let pod = Rc::make_mut(pod);
                let qos_class = crate::objects::qos_class(&pod.spec).into();
                pod.status = PodStatus { phase: PENDING.into(), qos_class, ..PodStatus::default() };
            }
            Object::Namespace(namespace) => Rc::make_mut(namespace).status.phase = "Active".into(),
            Object::Node(node) => {
                // The TTL controller's work, done at once: small clusters look at secrets without delay.
                let annotations = Rc::make_mut(&mut Rc::make_mut(node).metadata.annotations);
                annotations.entry(NODE_TTL.into()).or_insert_with(|| "0".into());
            }
            _ => {}
        }
        self.put(object)
    }

    fn update(&mut self, mut object: Object) -> Result<Object, Status> {
        let resource = resource_of(&object);
        let key = object.key();
        let Some(before) = self.find(&object, &key) else {
            return Err(Status::not_found(&resource, &key.name));
        };
        let grown = i64::from(spec_differs(&before, &object));
        let generation = before.metadata().generation + if counts_generations(&object) { grown } else { 0 };
        let (uid, created) = (before.metadata().uid.clone(), before.metadata().creation_timestamp);
        let metadata = object.metadata_mut();
        if !metadata.uid.is_empty() && metadata.uid != uid {
            return Err(Status::conflict(&resource, &key.name, "the uid in the request is not that of the object"));
        }
        (metadata.uid, metadata.creation_timestamp, metadata.generation) = (uid, created, generation);
        keep_status(&before, &mut object);
        if let (Object::DaemonSet(old), Object::DaemonSet(new)) = (&before, &mut object) {
            let changed = old.spec.template != new.spec.template;
            let template_generation = template_generation(&old.metadata).saturating_add(i64::from(changed));
            set_template_generation(&mut Rc::make_mut(new).metadata, template_generation);
        }
        Ok(self.store_or_finish(object))
    }

    fn update_status(&mut self, object: Object) -> Result<Object, Status> {
        let key = object.key();
        let Some(stored) = self.find(&object, &key) else {
            return Err(Status::not_found(&resource_of(&object), &key.name));
        };
        if only_status_differs(&stored, &object) {
            return Ok(self.put(object));
        }
        let mut next = stored;
        keep_status(&object, &mut next);
        Ok(self.put(next))
    }

    /// Follows kubernetes apiserver pkg/registry/rest BeforeDelete and pkg/registry/core/pod CheckGracefulDelete, v1.36.
    fn delete(&mut self, delete: &Delete) -> Result<Object, Status> {
        let resource = resource_name(delete.kind);
        let Some(mut object) = self.store.get(delete.kind, &delete.key) else {
            return Err(Status::not_found(resource, &delete.key.name));
        };
        if delete.uid.as_ref().is_some_and(|uid| *uid != object.metadata().uid) {
            return Err(Status::conflict(resource, &delete.key.name, "the object has another uid by now"));
        }
        let finalizer = match delete.propagation {
            Propagation::Background => None,
            Propagation::Foreground => Some(FOREGROUND_DELETION),
            Propagation::Orphan => Some(ORPHAN_DEPENDENTS),
        };
        let now = self.now;
        let grace = match &object {
            Object::Pod(pod) if pod.is_bound() && !pod.is_finished() => delete
                .grace_period_seconds
                .or(pod.metadata.deletion_grace_period_seconds)
                .or(pod.spec.termination_grace_period_seconds)
                .unwrap_or(30),
            _ => 0,
        };
        let is_namespace = matches!(object, Object::Namespace(_));
        let metadata = object.metadata_mut();
        if let Some(finalizer) = finalizer
            && !metadata.is_terminating()
        {
            metadata.finalizers.push(finalizer.into());
        }
        if is_namespace && !metadata.is_terminating() {
            // The namespace controller takes it off when the namespace is empty.
            metadata.finalizers.push(NAMESPACE_FINALIZER.into());
        }
        if grace <= 0 && metadata.finalizers.is_empty() {
            return Ok(self.remove(object));
        }
        let due = now.plus_seconds(grace);
        if metadata.deletion_timestamp.is_some_and(|present| present <= due) {
            return Ok(object);
        }
        metadata.deletion_timestamp = Some(due);
        metadata.deletion_grace_period_seconds = Some(grace);
        if metadata.generation > 0 {
            metadata.generation += 1;
        }
        if let Object::Namespace(namespace) = &mut object {
            Rc::make_mut(namespace).status.phase = "Terminating".into();
        }
        Ok(self.put(object))
    }

    fn bind(&mut self, key: &ObjectKey, node: Rc<str>) -> Result<Object, Status> {
        let Some(pod) = self.store.pod(key) else {
            return Err(Status::not_found("pods", &key.name));
        };
        if pod.is_terminating() {
            return Err(Status::conflict("pods/binding", &key.name, "the pod is being deleted"));
        }
        if pod.is_bound() {
            let why = format!("pod {} is already assigned to node {:?}", key.name, &*pod.spec.node_name);
            return Err(Status::conflict("pods/binding", &key.name, &why));
        }
        let mut pod = Rc::clone(pod);
        let bound = Rc::make_mut(&mut pod);
        Rc::make_mut(&mut bound.spec).node_name = node;
        bound.status.nominated_node_name.clear();
        bound.status.set_condition(PodCondition {
            type_: "PodScheduled".into(),
            status: "True".into(),
            last_transition_time: Some(self.now),
            observed_generation: bound.metadata.generation,
            ..PodCondition::default()
        });
        Ok(self.put(pod.into()))
    }

    /// Equal tellings about the same object are one event with a count; see [`EventCorrelator`].
    fn tell(&mut self, draft: EventDraft) -> Object {
        let now = self.now;
        let namespace: Rc<str> =
            if draft.key.namespace.is_empty() { "default".into() } else { draft.key.namespace.clone() };
        let correlated = self.correlator.correlate(&draft, now);
        let told = correlated.is_some();
        let (fingerprint, message) = correlated.map_or((0, draft.message), |c| (c.fingerprint, c.message));
        let known = self.event_names.get(&fingerprint).map(|name| ObjectKey::new(namespace.clone(), Rc::clone(name)));
        let key = known.filter(|key| self.store.event(key).is_some()).unwrap_or_else(|| {
            // The moment in nanoseconds, as client-go names events, so that those of one object are listed in their
            // order; our seconds have no parts, the counter of writes stands in.
            let nanoseconds = u64::try_from(now.0).unwrap_or(0).saturating_mul(1_000_000_000);
            let moment = nanoseconds.saturating_add(self.resource_version % 1_000_000_000);
            ObjectKey::new(namespace, format!("{}.{moment:x}", draft.key.name))
        });
        if told {
            self.event_names.insert_mut(fingerprint, Rc::clone(&key.name));
        }
        let mut event = match self.store.event(&key) {
            Some(event) => Rc::clone(event),
            None => {
                let mut event = Event {
                    involved_object: ObjectReference {
                        kind: draft.kind.name().into(),
                        namespace: draft.key.namespace,
                        name: draft.key.name,
                        uid: draft.uid,
                        api_version: draft.kind.api_version().into(),
                        field_path: draft.field_path.to_string(),
                        ..ObjectReference::default()
                    },
                    reason: draft.reason.into(),
                    type_: draft.type_.into(),
                    source: EventSource {
                        component: draft.component.into(),
                        host: draft.host.to_string(),
                        ..EventSource::default()
                    },
                    first_timestamp: Some(now),
                    ..Event::default()
                };
                event.metadata.name = key.name.clone();
                event.metadata.namespace = key.namespace.clone();
                event.metadata.uid = self.random.uid().into();
                event.metadata.creation_timestamp = Some(now);
                Rc::new(event)
            }
        };
        let newest = Rc::make_mut(&mut event);
        newest.count = newest.count.saturating_add(1);
        newest.last_timestamp = Some(now);
        newest.message = message;
        if told { self.put(event.into()) } else { event.into() }
    }

    /// Stores an updated object, or lets it go when it was only waiting for its last finalizer.
    fn store_or_finish(&mut self, object: Object) -> Object {
        let metadata = object.metadata();
        let waits = !metadata.finalizers.is_empty() || metadata.deletion_grace_period_seconds.unwrap_or(0) > 0;
        if metadata.is_terminating() && !waits { self.remove(object) } else { self.put(object) }
    }

    fn put(&mut self, mut object: Object) -> Object {
        self.resource_version += 1;
        object.metadata_mut().resource_version = self.resource_version.to_string();
        let before = self.store.put(object.clone());
        self.changes.push(Change { before, after: Some(object.clone()) });
        object
    }

    fn remove(&mut self, object: Object) -> Object {
        self.resource_version += 1;
        let key = object.key();
        let before = match &object {
            Object::Unstructured(o) => self.store.remove_unstructured(&o.api_version, &o.kind, &key),
            _ => object.kind().and_then(|kind| self.store.remove(kind, &key)),
        };
        self.changes.push(Change { before, after: None });
        object
    }

    /// The stored object of the same kind with this key.
    fn find(&self, like: &Object, key: &ObjectKey) -> Option<Object> {
        match like {
            Object::Unstructured(o) => {
                self.store.unstructured(&o.api_version, &o.kind, key).cloned().map(Object::Unstructured)
            }
            _ => like.kind().and_then(|kind| self.store.get(kind, key)),
        }
    }

    pub(super) fn check_namespace(&self, object: &Object, resource: &str) -> Result<(), Status> {
        let metadata = object.metadata();
        if metadata.namespace.is_empty() {
            return Ok(());
        }
        match self.store.namespace(&ObjectKey::cluster(metadata.namespace.clone())) {
            None => Err(Status::not_found("namespaces", &metadata.namespace)),
            Some(namespace) if namespace.metadata.is_terminating() => {
                let name = if metadata.name.is_empty() { &*metadata.generate_name } else { &*metadata.name };
                let why = format!(
                    "unable to create new content in namespace {} because it is being terminated",
                    metadata.namespace
                );
                Err(Status::forbidden(resource, name, &why))
            }
            Some(_) => Ok(()),
        }
    }
}

/// Plural name of a kind with its group, as the API server's messages name it.
pub const fn resource_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Namespace => "namespaces",
        Kind::Node => "nodes",
        Kind::Pod => "pods",
        Kind::DaemonSet => "daemonsets.apps",
        Kind::Deployment => "deployments.apps",
        Kind::ReplicaSet => "replicasets.apps",
        Kind::ControllerRevision => "controllerrevisions.apps",
        Kind::PriorityClass => "priorityclasses.scheduling.k8s.io",
        Kind::PodDisruptionBudget => "poddisruptionbudgets.policy",
        Kind::RuntimeClass => "runtimeclasses.node.k8s.io",
        Kind::Event => "events",
    }
}

fn resource_of(object: &Object) -> String {
    match object {
        Object::Unstructured(o) => {
            let plural = format!("{}s", o.kind.to_lowercase());
            match o.api_version.split_once('/') {
                Some((group, _)) => format!("{plural}.{group}"),
                None => plural,
            }
        }
        _ => object.kind().map_or("", resource_name).into(),
    }
}

/// Kinds whose `metadata.generation` counts changes of the desired state.
fn counts_generations(object: &Object) -> bool {
    matches!(
        object,
        Object::DaemonSet(_)
            | Object::Deployment(_)
            | Object::ReplicaSet(_)
            | Object::PodDisruptionBudget(_)
            | Object::PriorityClass(_)
            | Object::Pod(_)
    )
}

fn spec_differs(before: &Object, after: &Object) -> bool {
    match (before, after) {
        (Object::DaemonSet(a), Object::DaemonSet(b)) => a.spec != b.spec,
        // A deployment's annotations count, apart from the one that its controller writes.
        (Object::Deployment(a), Object::Deployment(b)) => {
            let own = |metadata: &ObjectMeta| -> Vec<(String, String)> {
                let all = metadata.annotations.iter().filter(|(key, _)| *key != "deployment.kubernetes.io/revision");
                all.map(|(key, value)| (key.clone(), value.clone())).collect()
            };
            a.spec != b.spec || own(&a.metadata) != own(&b.metadata)
        }
        (Object::ReplicaSet(a), Object::ReplicaSet(b)) => a.spec != b.spec,
        (Object::PodDisruptionBudget(a), Object::PodDisruptionBudget(b)) => a.spec != b.spec,
        (Object::Pod(a), Object::Pod(b)) => a.spec != b.spec,
        _ => false,
    }
}

/// Gives `to` the status of `from`.
fn keep_status(from: &Object, to: &mut Object) {
    match (from, to) {
        (Object::DaemonSet(a), Object::DaemonSet(b)) => Rc::make_mut(b).status = a.status.clone(),
        (Object::Deployment(a), Object::Deployment(b)) => Rc::make_mut(b).status = a.status.clone(),
        (Object::ReplicaSet(a), Object::ReplicaSet(b)) => Rc::make_mut(b).status = a.status.clone(),
        (Object::PodDisruptionBudget(a), Object::PodDisruptionBudget(b)) => {
            Rc::make_mut(b).status = a.status.clone();
        }
        (Object::Pod(a), Object::Pod(b)) => Rc::make_mut(b).status = a.status.clone(),
        (Object::Node(a), Object::Node(b)) => Rc::make_mut(b).status = a.status.clone(),
        (Object::Namespace(a), Object::Namespace(b)) => Rc::make_mut(b).status = a.status.clone(),
        _ => {}
    }
}

/// Whether a pod's new version is the stored one with another status, as kubelets write it thousands of times: then
/// nothing has to be put together.
fn only_status_differs(stored: &Object, new: &Object) -> bool {
    match (stored, new) {
        (Object::Pod(stored), Object::Pod(new)) => {
            Rc::ptr_eq(&stored.spec, &new.spec) && stored.metadata == new.metadata && stored.other == new.other
        }
        _ => false,
    }
}

fn template_generation(metadata: &ObjectMeta) -> i64 {
    metadata.annotation(DEPRECATED_TEMPLATE_GENERATION).and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn set_template_generation(metadata: &mut ObjectMeta, generation: i64) {
    Rc::make_mut(&mut metadata.annotations).insert(DEPRECATED_TEMPLATE_GENERATION.into(), generation.to_string());
}

#[cfg(test)]
mod tests;
