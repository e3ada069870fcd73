//! What a dump leaves out and the controllers need, so that they take what is there for theirs and nothing moves.
//!
//! The usual dump has no ReplicaSets, ControllerRevisions, namespaces and service accounts. They are made up from what
//! the pods say of them: the label with the hash, the owner reference, the account's name.

use super::dump::{Dump, Ignored};
use crate::apiserver::{SYSTEM_NAMESPACES, schema};
use crate::controllers::daemonset::{controller_reference, revision_data};
use crate::controllers::deployment::max_surge;
use crate::kubelet::{Behaviour, BehaviourMatch, Behaviours, Outcome};
use crate::objects::*;
use crate::order::{Collect, Order};
use crate::simulation::{DEFAULT_START, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A cluster that can be opened, and what there is to say about it.
#[derive(Clone, Debug, Default)]
pub struct Adopted {
    /// All objects.
    pub objects: Vec<Object>,
    /// Seed, start and behaviours; no objects.
    pub scenario: Scenario,
    /// What came in and what did not.
    pub report: Report,
}

/// What came in and what did not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Objects by kind, of those that the playground acts on.
    pub acted_on: BTreeMap<String, usize>,
    /// Objects by kind that are kept and listed and do nothing.
    pub kept: BTreeMap<String, usize>,
    /// What did not come in.
    pub ignored: BTreeMap<Ignored, usize>,
    /// Nodes that are ready.
    pub ready_nodes: usize,
    /// Pods by phase.
    pub phases: BTreeMap<String, usize>,
    /// Made up, by kind: ReplicaSets, revisions, namespaces, service accounts, owners.
    pub made_up: BTreeMap<String, usize>,
    /// Pods whose owner is of a kind that nothing acts on, by that kind.
    pub without_controller: BTreeMap<String, usize>,
    /// Pods whose DaemonSet is not in the dump: shown without it.
    pub let_go: usize,
    /// DaemonSets and Deployments whose pods are not all of one template: a rollout is under way, or waits.
    pub mixed: Vec<ObjectKey>,
    /// When the dump was taken, as far as it says.
    pub taken_at: Option<Time>,
    /// Entries of `managedFields` that were left out.
    pub managed_fields: usize,
    /// Entries of nodes' image lists that were left out.
    pub images: usize,
}

/// Makes a dump into a cluster that stands still.
pub fn adopt(dump: Dump) -> Adopted {
    let mut adopting = Adopting::new(dump);
    loop {
        if let Some(adopted) = adopting.go_on() {
            return adopted;
        }
    }
}

/// A dump that is made into a cluster, one look at all objects at a time, so that a large one does not freeze the page.
#[derive(Clone, Debug)]
pub struct Adopting {
    objects: Vec<Object>,
    report: Report,
    looks: usize,
}

impl Adopting {
    /// Begins with what was read.
    pub fn new(dump: Dump) -> Self {
        let Dump { objects, ignored, taken_at, managed_fields, images } = dump;
        let report = Report { ignored, taken_at, managed_fields, images, ..Report::default() };
        Self { objects, report, looks: 0 }
    }

    /// How many objects there are.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// Looks at all objects once more. Returns what came of them, once all is done.
    pub fn go_on(&mut self) -> Option<Adopted> {
        let mut report = std::mem::take(&mut self.report);
        match self.looks {
            0 => self.drop_twins(),
            1 => self.count(&mut report),
            2 => self.replica_sets(&mut report),
            3 => self.revisions(&mut report),
            4 => self.owners(&mut report),
            5 => self.surroundings(&mut report),
            _ => {
                let behaviours = self.behaviours();
                let start = report.taken_at.or_else(|| Time::parse(DEFAULT_START)).unwrap_or_default();
                let scenario = Scenario { start, behaviours, ..Scenario::default() };
                return Some(Adopted { objects: std::mem::take(&mut self.objects), scenario, report });
            }
        }
        self.looks = self.looks.saturating_add(1);
        self.report = report;
        None
    }

    /// An object that is there twice (two dumps in one file) is there once; the last one holds.
    fn drop_twins(&mut self) {
        let mut seen = BTreeSet::new();
        let mut kept: Vec<Object> = Vec::with_capacity(self.objects.len());
        for object in std::mem::take(&mut self.objects).into_iter().rev() {
            if seen.insert((object.kind_name().to_owned(), object.key())) {
                kept.push(object);
            }
        }
        kept.reverse();
        self.objects = kept;
    }

    fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.objects.iter().filter_map(|object| if let Object::Pod(pod) = object { Some(pod) } else { None })
    }

    fn count(&self, report: &mut Report) {
        for object in &self.objects {
            let list = if object.kind().is_some() { &mut report.acted_on } else { &mut report.kept };
            add(list, object.kind_name());
            match object {
                Object::Node(node) => report.ready_nodes += usize::from(node.is_ready()),
                Object::Pod(pod) => add(&mut report.phases, &pod.status.phase),
                _ => {}
            }
        }
    }

    /// ReplicaSets that pods name as their owners.
    fn replica_sets(&mut self, report: &mut Report) {
        let known: BTreeSet<Rc<str>> = self.uids("ReplicaSet");
        let mut groups: BTreeMap<Rc<str>, Vec<Rc<Pod>>> = BTreeMap::new();
        for pod in self.pods() {
            let owner = pod.metadata.controller().filter(|owner| owner.kind == "ReplicaSet");
            if let Some(owner) = owner.filter(|owner| !known.contains(&owner.uid)) {
                groups.entry(owner.uid.clone()).or_default().push(Rc::clone(pod));
            }
        }
        let deployments: BTreeMap<ObjectKey, Rc<Deployment>> = self
            .objects
            .iter()
            .filter_map(
                |object| if let Object::Deployment(d) = object { Some((d.metadata.key(), Rc::clone(d))) } else { None },
            )
            .collect();
        let mut of_deployment: BTreeMap<ObjectKey, Vec<ReplicaSet>> = BTreeMap::new();
        let mut alone = Vec::new();
        for pods in groups.values() {
            let Some(set) = replica_set(pods) else { continue };
            let stem = set
                .metadata
                .label(POD_TEMPLATE_HASH)
                .and_then(|hash| set.metadata.name.strip_suffix(&format!("-{hash}")));
            let key = stem.map(|stem| ObjectKey::new(set.metadata.namespace.clone(), stem));
            match key.filter(|key| deployments.contains_key(key)) {
                Some(key) => of_deployment.entry(key).or_default().push(set),
                None => alone.push(set),
            }
        }
        for (key, mut sets) in of_deployment {
            if let Some(deployment) = deployments.get(&key) {
                belong(deployment, &mut sets);
                if sets.len() > 1 {
                    report.mixed.push(key);
                }
                alone.append(&mut sets);
            }
        }
        for set in alone {
            add(&mut report.made_up, "ReplicaSet");
            self.objects.push(Object::from(set));
        }
    }

    /// The revision of each DaemonSet's template, named as its pods name it.
    fn revisions(&mut self, report: &mut Report) {
        let mut hashes: BTreeMap<Rc<str>, BTreeMap<(String, String), usize>> = BTreeMap::new();
        for pod in self.pods() {
            if let Some(owner) = pod.metadata.controller().filter(|owner| owner.kind == "DaemonSet") {
                let label = |key: &str| pod.metadata.label(key).unwrap_or("").to_owned();
                let count = hashes.entry(owner.uid.clone()).or_default();
                let count = count.entry((label(POD_TEMPLATE_GENERATION), label(CONTROLLER_REVISION_HASH))).or_default();
                *count = count.saturating_add(1);
            }
        }
        let owned: BTreeSet<Rc<str>> = self
            .objects
            .iter()
            .filter(|object| matches!(object, Object::ControllerRevision(_)))
            .filter_map(|object| object.metadata().controller().map(|owner| owner.uid.clone()))
            .collect();
        let mut made = Vec::new();
        for object in &self.objects {
            let Object::DaemonSet(set) = object else { continue };
            let Some(hashes) = hashes.get(&set.metadata.uid) else { continue };
            if hashes.keys().map(|(_, hash)| hash).collect_set().len() > 1 {
                report.mixed.push(set.metadata.key());
            }
            if owned.contains(&set.metadata.uid) {
                continue;
            }
            let generation = set.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION).unwrap_or("");
            // Pods of the present template carry its number. A set whose pods are all up to date needs no number.
            let all_updated = hashes.len() == 1 && set.status.updated_number_scheduled > 0;
            let current = hashes.keys().find(|(of, hash)| !hash.is_empty() && (of == generation || all_updated));
            if let Some((_, hash)) = current {
                made.push(revision(set, hash, generation.parse().unwrap_or(1)));
            }
        }
        for revision in made {
            add(&mut report.made_up, "ControllerRevision");
            self.objects.push(Object::from(revision));
        }
    }

    /// Owners that are not there: of kinds that nothing acts on, they are put in by name; others are taken off.
    fn owners(&mut self, report: &mut Report) {
        let present: BTreeSet<Rc<str>> = self.objects.iter().map(|object| object.metadata().uid.clone()).collect_set();
        let mut stand_ins: BTreeMap<Rc<str>, Unstructured> = BTreeMap::new();
        for object in &mut self.objects {
            let is_pod = matches!(object, Object::Pod(_));
            let metadata = object.metadata();
            if is_pod
                && let Some(owner) = metadata.controller()
                && Kind::from_manifest(&owner.api_version, &owner.kind).is_none()
            {
                add(&mut report.without_controller, &owner.kind);
            }
            let missing = |owner: &&OwnerReference| !present.contains(&owner.uid);
            if !metadata.owner_references.iter().any(|owner| missing(&owner)) {
                continue;
            }
            let mut gone = Vec::new();
            for owner in metadata.owner_references.iter().filter(missing) {
                let Some(resource) = schema::resource_of(&owner.api_version, &owner.kind) else { continue };
                if Kind::from_manifest(&owner.api_version, &owner.kind).is_some() {
                    gone.push(owner.uid.clone());
                    continue;
                }
                let namespace = if resource.is_namespaced() { metadata.namespace.clone() } else { "".into() };
                let metadata = ObjectMeta {
                    name: owner.name.clone(),
                    namespace,
                    uid: owner.uid.clone(),
                    creation_timestamp: metadata.creation_timestamp,
                    ..ObjectMeta::default()
                };
                let stand_in = Unstructured {
                    api_version: owner.api_version.clone(),
                    kind: owner.kind.clone(),
                    metadata,
                    ..Unstructured::default()
                };
                stand_ins.entry(owner.uid.clone()).or_insert(stand_in);
            }
            if !gone.is_empty() {
                report.let_go += usize::from(is_pod);
                Rc::make_mut(&mut object.metadata_mut().owner_references).retain(|owner| !gone.contains(&owner.uid));
            }
        }
        for (_, stand_in) in stand_ins {
            add(&mut report.made_up, &stand_in.kind);
            self.objects.push(Object::from(stand_in));
        }
    }

    /// Namespaces and service accounts that are named and not there.
    fn surroundings(&mut self, report: &mut Report) {
        let mut namespaces: BTreeSet<Rc<str>> = BTreeSet::new();
        let mut accounts: BTreeSet<ObjectKey> = BTreeSet::new();
        for object in &self.objects {
            let namespace = &object.metadata().namespace;
            if !namespace.is_empty() && !namespaces.contains(namespace) {
                namespaces.insert(namespace.clone());
            }
            let spec = match object {
                Object::DaemonSet(set) => &set.spec.template.spec,
                Object::Deployment(deployment) => &deployment.spec.template.spec,
                _ => continue,
            };
            let name = spec.service_account_name.as_str();
            if !["", "default"].contains(&name) {
                accounts.insert(ObjectKey::new(namespace.clone(), name));
            }
        }
        for object in &self.objects {
            match object {
                Object::Namespace(namespace) => {
                    namespaces.remove(&namespace.metadata.name);
                }
                Object::Unstructured(other) if other.kind == "ServiceAccount" => {
                    accounts.remove(&other.metadata.key());
                }
                _ => {}
            }
        }
        for name in namespaces.into_iter().filter(|name| !SYSTEM_NAMESPACES.contains(&&**name)) {
            add(&mut report.made_up, "Namespace");
            let mut namespace = Namespace::default();
            namespace.metadata.labels = string_map([("kubernetes.io/metadata.name", &*name)]);
            namespace.metadata.name = name;
            namespace.status.phase = "Active".into();
            self.objects.push(namespace.into());
        }
        for key in accounts {
            add(&mut report.made_up, "ServiceAccount");
            let metadata = ObjectMeta { name: key.name, namespace: key.namespace, ..ObjectMeta::default() };
            let account = Unstructured {
                api_version: "v1".into(),
                kind: "ServiceAccount".into(),
                metadata,
                ..Unstructured::default()
            };
            self.objects.push(Object::from(account));
        }
    }

    /// Pods that are not well stay so: one rule for each.
    fn behaviours(&self) -> Behaviours {
        let mut rules = Vec::new();
        for pod in
            self.pods().filter(|pod| pod.is_bound() && !pod.is_ready() && !pod.is_finished() && !pod.is_terminating())
        {
            // Rules look for a part of the name, and only names that a controller gave are parts of no other.
            if pod.metadata.controller().is_none() {
                continue;
            }
            let selects = BehaviourMatch {
                pod: Some(pod.metadata.name.to_string()),
                namespace: Some(pod.metadata.namespace.to_string()),
                node: Some(pod.spec.node_name.to_string()),
                ..BehaviourMatch::default()
            };
            rules.push(Rc::new(Behaviour {
                selects,
                outcome: outcome(pod),
                may_refuse: false,
                ..Behaviour::default()
            }));
        }
        Behaviours(rules.into())
    }

    fn uids(&self, kind: &str) -> BTreeSet<Rc<str>> {
        self.objects
            .iter()
            .filter(|object| object.kind_name() == kind)
            .map(|object| object.metadata().uid.clone())
            .collect()
    }
}

fn add(counts: &mut BTreeMap<String, usize>, what: &str) {
    match counts.get_mut(what) {
        Some(count) => *count = count.saturating_add(1),
        None => {
            counts.insert(what.to_owned(), 1);
        }
    }
}

/// What becomes of a pod that is not well, as it stands.
fn outcome(pod: &Pod) -> Outcome {
    for status in pod.status.container_statuses.iter() {
        let Some(waiting) = &status.state.waiting else { continue };
        match waiting.reason.as_str() {
            "CrashLoopBackOff" => {
                let exit_code = status.last_state.terminated.as_ref().map_or(1, |ended| ended.exit_code);
                return Outcome::CrashLoop { exit_code, restarts: status.restart_count };
            }
            "ImagePullBackOff" | "ErrImagePull" | "InvalidImageName" => {
                return Outcome::ImagePull { backing_off: waiting.reason == "ImagePullBackOff" };
            }
            _ => {}
        }
    }
    if pod.status.phase == RUNNING { Outcome::NeverReady } else { Outcome::NeverStart }
}

/// The ReplicaSet that owns these pods, as far as they tell.
fn replica_set(pods: &[Rc<Pod>]) -> Option<ReplicaSet> {
    let first = pods.first()?;
    let owner = first.metadata.controller()?;
    let count = i32::try_from(pods.iter().filter(|pod| !pod.is_terminating()).count()).unwrap_or(i32::MAX);
    let ready = i32::try_from(pods.iter().filter(|pod| pod.is_ready()).count()).unwrap_or(i32::MAX);
    let mut set = ReplicaSet::default();
    set.metadata.name = owner.name.clone();
    set.metadata.uid = owner.uid.clone();
    set.metadata.namespace = first.metadata.namespace.clone();
    set.metadata.labels = first.metadata.labels.clone();
    set.metadata.generation = 1;
    set.metadata.creation_timestamp = pods.iter().filter_map(|pod| pod.metadata.creation_timestamp).min();
    set.spec.replicas = Some(count);
    set.spec.selector.match_labels = first.metadata.labels.clone();
    let mut template = PodTemplateSpec::default();
    template.metadata.labels = first.metadata.labels.clone();
    template.spec = (*first.spec).clone();
    template.spec.node_name = "".into();
    set.spec.template = Rc::new(template);
    set.status.replicas = count;
    set.status.fully_labeled_replicas = count;
    set.status.ready_replicas = ready;
    set.status.available_replicas = ready;
    set.status.observed_generation = 1;
    Some(set)
}

/// Gives ReplicaSets their Deployment; the one whose pods run what the Deployment says gets its very template.
fn belong(deployment: &Deployment, sets: &mut [ReplicaSet]) {
    let images = |spec: &PodSpec| -> Vec<(String, String)> {
        spec.containers.iter().map(|container| (container.name.to_string(), container.image.clone())).collect()
    };
    let wanted = images(&deployment.spec.template.spec);
    let desired = deployment.spec.replicas.unwrap_or(1);
    sets.order_by_key(|set| (images(&set.spec.template.spec) == wanted, set.metadata.creation_timestamp));
    let count = sets.len();
    for (index, set) in sets.iter_mut().enumerate() {
        let owner = OwnerReference {
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            name: deployment.metadata.name.clone(),
            uid: deployment.metadata.uid.clone(),
            controller: Some(true),
            block_owner_deletion: Some(true),
            ..OwnerReference::default()
        };
        set.metadata.owner_references = Rc::new(vec![owner]);
        let hash = set.metadata.label(POD_TEMPLATE_HASH).unwrap_or("").to_owned();
        set.spec.selector = deployment.spec.selector.clone();
        Rc::make_mut(&mut set.spec.selector.match_labels).insert(POD_TEMPLATE_HASH.into(), hash.clone());
        set.spec.min_ready_seconds = deployment.spec.min_ready_seconds;
        let mut annotations = (*deployment.metadata.annotations).clone();
        annotations.remove(LAST_APPLIED);
        let surge = desired.saturating_add(max_surge(deployment));
        annotations.insert("deployment.kubernetes.io/desired-replicas".into(), desired.to_string());
        annotations.insert("deployment.kubernetes.io/max-replicas".into(), surge.to_string());
        if index + 1 == count && images(&set.spec.template.spec) == wanted {
            let mut template = (*deployment.spec.template).clone();
            Rc::make_mut(&mut template.metadata.labels).insert(POD_TEMPLATE_HASH.into(), hash);
            set.metadata.labels = template.metadata.labels.clone();
            set.spec.template = Rc::new(template);
            if count == 1 {
                set.spec.replicas = Some(desired);
            }
        } else {
            annotations.remove("deployment.kubernetes.io/revision");
        }
        set.metadata.annotations = Rc::new(annotations);
    }
}

fn revision(set: &DaemonSet, hash: &str, number: i64) -> ControllerRevision {
    let mut revision = ControllerRevision::default();
    revision.metadata.name = format!("{}-{hash}", set.metadata.name).into();
    revision.metadata.namespace = set.metadata.namespace.clone();
    let mut labels = (*set.spec.template.metadata.labels).clone();
    labels.insert(CONTROLLER_REVISION_HASH.into(), hash.into());
    revision.metadata.labels = Rc::new(labels);
    revision.metadata.annotations = set.metadata.annotations.clone();
    revision.metadata.owner_references = Rc::new(vec![controller_reference(set)]);
    revision.metadata.creation_timestamp = set.metadata.creation_timestamp;
    revision.data = Rc::new(revision_data(&set.spec.template));
    revision.revision = number;
    revision
}
