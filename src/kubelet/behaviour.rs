//! How pods behave once they are on a node: data, chosen by image, node, owner or revision.

use crate::objects::*;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Milliseconds from binding to the start of the containers, unless a rule says otherwise.
pub const DEFAULT_START_AFTER_MS: u64 = 1000;
/// Milliseconds from the start of a container to its readiness, unless a rule says otherwise.
pub const DEFAULT_READY_AFTER_MS: u64 = 2000;
/// Milliseconds from the request to terminate to the end of the pod, unless a rule says otherwise.
pub const DEFAULT_TERMINATE_AFTER_MS: u64 = 1000;
/// Milliseconds that an init container runs, unless a rule says otherwise.
pub const DEFAULT_INIT_MS: u64 = 1000;

/// One rule: which pods, and what they do. Of a list of rules the first that matches a pod holds, from the moment the
/// kubelet takes the pod in until the pod is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Behaviour {
    /// Which pods. Everything given must hold; nothing given matches every pod.
    #[serde(rename = "match", skip_serializing_if = "is_default")]
    pub selects: BehaviourMatch,
    /// Milliseconds from binding to the start of the first container.
    pub start_after_ms: u64,
    /// Milliseconds that each init container runs.
    pub init_ms: u64,
    /// Milliseconds from the start of a container to its readiness.
    pub ready_after_ms: u64,
    /// Milliseconds from the request to terminate to the end. Beyond the grace period the pod is killed at its end.
    pub terminate_after_ms: u64,
    /// Whether the kubelet may refuse the pod at the door for want of room or under pressure, as real ones do.
    #[serde(skip_serializing_if = "is_true")]
    pub may_refuse: bool,
    /// What becomes of the pod.
    pub outcome: Outcome,
    /// What a container uses over time.
    #[serde(skip_serializing_if = "is_default")]
    pub uses: Usage,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            selects: BehaviourMatch::default(),
            start_after_ms: DEFAULT_START_AFTER_MS,
            init_ms: DEFAULT_INIT_MS,
            ready_after_ms: DEFAULT_READY_AFTER_MS,
            terminate_after_ms: DEFAULT_TERMINATE_AFTER_MS,
            may_refuse: true,
            outcome: Outcome::Run,
            uses: Usage::default(),
        }
    }
}

fn is_true(value: &bool) -> bool {
    *value
}

/// Which pods a rule is for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BehaviourMatch {
    /// The image of one of the pod's containers contains this text; the outcome then is that of those containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The pod is on this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The pod is in this namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The pod belongs to the DaemonSet, ReplicaSet or Deployment of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The pod's revision hash (label `controller-revision-hash` or `pod-template-hash`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The pod's name contains this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
}

/// What becomes of a pod, or of those of its containers that the rule's image names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Outcome {
    /// Starts, gets ready, runs.
    #[default]
    Run,
    /// Starts and never gets ready.
    NeverReady,
    /// Stays in ContainerCreating.
    NeverStart,
    /// Ends by itself, again and again as far as the restart policy goes.
    Crash {
        /// Exit code of the process; 0 for a clean end.
        #[serde(default = "one")]
        exit_code: i32,
        /// Milliseconds from the start of the container to its end.
        #[serde(default)]
        after_ms: u64,
        /// How many times, after which it runs. Absent: for ever.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u32>,
    },
    /// Has been crashing for long: in CrashLoopBackOff from the first report on.
    CrashLoop {
        /// Exit code of the process.
        #[serde(default = "one")]
        exit_code: i32,
        /// Restarts that are shown.
        #[serde(default)]
        restarts: i32,
    },
    /// The image cannot be pulled.
    ImagePull {
        /// In ImagePullBackOff from the first report on, without the first attempt.
        #[serde(default)]
        backing_off: bool,
    },
    /// Every container ends well and is not started again, whatever the restart policy: the pod has succeeded.
    Succeed {
        /// Milliseconds from the start of the containers to their end.
        #[serde(default)]
        after_ms: u64,
    },
    /// The kubelet evicts the pod, as if its node ran out of something.
    Evict {
        /// Milliseconds from binding to the eviction.
        #[serde(default)]
        after_ms: u64,
        /// The resource the node is low on.
        #[serde(default = "memory")]
        resource: String,
    },
    /// The kubelet refuses the pod for lack of a resource.
    OutOf {
        /// `cpu`, `memory`, `pods`…
        resource: String,
        /// Milliseconds from binding to the refusal.
        #[serde(default)]
        after_ms: u64,
    },
}

fn one() -> i32 {
    1
}

fn memory() -> String {
    MEMORY.into()
}

/// What each container uses, over the time since it started. Empty: nothing is known, and nothing follows from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Usage {
    /// CPU it would like. Above the limit it is throttled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpu: Vec<Sample>,
    /// Memory. Above the limit the container is killed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Sample>,
    /// Local disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ephemeral_storage: Vec<Sample>,
}

/// From a moment on, this much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sample {
    /// Milliseconds since the container started.
    #[serde(default)]
    pub after_ms: u64,
    /// The amount.
    pub amount: Quantity,
}

impl Usage {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.cpu.is_empty() && self.memory.is_empty() && self.ephemeral_storage.is_empty()
    }

    /// The samples of a resource.
    pub fn samples(&self, resource: &str) -> &[Sample] {
        match resource {
            CPU => &self.cpu,
            MEMORY => &self.memory,
            EPHEMERAL_STORAGE => &self.ephemeral_storage,
            _ => &[],
        }
    }

    /// What a container that runs for `age_ms` uses of a resource; `None` when that is not known.
    pub fn at(&self, resource: &str, age_ms: u64) -> Option<Quantity> {
        self.samples(resource).iter().filter(|s| s.after_ms <= age_ms).max_by_key(|s| s.after_ms).map(|s| s.amount)
    }

    /// After how many milliseconds a container first uses more than `limit`.
    pub fn first_above(&self, resource: &str, limit: Quantity) -> Option<u64> {
        self.samples(resource).iter().filter(|s| s.amount > limit).map(|s| s.after_ms).min()
    }
}

impl BehaviourMatch {
    /// Whether the rule is for this pod on this node.
    pub fn matches(&self, pod: &Pod, node: &str) -> bool {
        let holds = |wanted: &Option<String>, test: &dyn Fn(&str) -> bool| wanted.as_deref().is_none_or(test);
        holds(&self.image, &|text| images(pod).any(|image| image.contains(text)))
            && holds(&self.node, &|name| name == node)
            && holds(&self.namespace, &|name| name == &*pod.metadata.namespace)
            && holds(&self.controller, &|name| belongs_to(pod, name))
            && holds(&self.revision, &|hash| revision(pod) == Some(hash))
            && holds(&self.pod, &|text| pod.metadata.name.contains(text))
    }

    /// Whether the rule's outcome is that of this container.
    pub fn names(&self, container: &Container) -> bool {
        self.image.as_deref().is_none_or(|text| container.image.contains(text))
    }
}

fn images(pod: &Pod) -> impl Iterator<Item = &str> {
    pod.spec.init_containers.iter().chain(pod.spec.containers.iter()).map(|container| container.image.as_str())
}

fn revision(pod: &Pod) -> Option<&str> {
    pod.metadata.label(CONTROLLER_REVISION_HASH).or_else(|| pod.metadata.label(POD_TEMPLATE_HASH))
}

/// The pod's controller has this name, or is the ReplicaSet of the Deployment of this name.
fn belongs_to(pod: &Pod, name: &str) -> bool {
    let Some(owner) = pod.metadata.controller() else { return false };
    let hash = pod.metadata.label(POD_TEMPLATE_HASH);
    &*owner.name == name
        || hash.is_some_and(|hash| owner.name.strip_suffix(hash).and_then(|rest| rest.strip_suffix('-')) == Some(name))
}

/// A list of rules; the first that matches holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Behaviours(pub Rc<Vec<Rc<Behaviour>>>);

impl Behaviours {
    /// Rules in their order.
    pub fn new(rules: impl IntoIterator<Item = Behaviour>) -> Self {
        Self(Rc::new(rules.into_iter().map(Rc::new).collect()))
    }

    /// The rule for this pod on this node with its place in the list; the default behaviour when none matches.
    pub fn choose(&self, pod: &Pod, node: &str) -> (Option<usize>, Rc<Behaviour>) {
        let found = self.0.iter().enumerate().find(|(_, rule)| rule.selects.matches(pod, node));
        found.map_or_else(|| (None, Rc::default()), |(index, rule)| (Some(index), Rc::clone(rule)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(image: &str, owner: &str, labels: &[(&str, &str)]) -> Pod {
        decode(json!({
            "metadata": {
                "name": "agent-x", "namespace": "default",
                "labels": labels.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
                "ownerReferences": [{"kind": "DaemonSet", "name": owner, "uid": "u", "controller": true}],
            },
            "spec": {"containers": [{"name": "main", "image": image}, {"name": "side", "image": "proxy:1"}]},
        }))
        .unwrap()
    }

    fn rules(text: serde_json::Value) -> Behaviours {
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn the_first_rule_that_matches_holds() {
        let rules = rules(json!([
            {"match": {"image": "agent:v2", "node": "n2"}, "outcome": {"type": "NeverReady"}},
            {"match": {"image": "agent:v2"}, "readyAfterMs": 500},
        ]));
        assert_eq!(rules.choose(&pod("agent:v2", "agent", &[]), "n2").0, Some(0));
        let (index, rule) = rules.choose(&pod("agent:v2", "agent", &[]), "n1");
        assert_eq!((index, rule.ready_after_ms, rule.start_after_ms), (Some(1), 500, DEFAULT_START_AFTER_MS));
        assert_eq!(rules.choose(&pod("agent:v1", "agent", &[]), "n2").0, None);
    }

    #[test]
    fn a_deployment_is_the_controller_of_its_replica_sets_pods() {
        let rule = BehaviourMatch { controller: Some("web".into()), ..BehaviourMatch::default() };
        assert!(rule.matches(&pod("nginx", "web-5d4f", &[(POD_TEMPLATE_HASH, "5d4f")]), "n1"));
        assert!(rule.matches(&pod("nginx", "web", &[]), "n1"));
        assert!(!rule.matches(&pod("nginx", "web-5d4f", &[]), "n1"));
    }

    #[test]
    fn usage_is_a_staircase() {
        let rules = rules(json!([{"uses": {"memory": [{"amount": "50Mi"}, {"afterMs": 3000, "amount": "200Mi"}]}}]));
        let uses = &rules.choose(&pod("a", "b", &[]), "n").1.uses;
        assert_eq!(uses.at(MEMORY, 2999).unwrap().to_string(), "50Mi");
        assert_eq!(uses.at(MEMORY, 3000).unwrap().to_string(), "200Mi");
        assert_eq!(uses.at(CPU, 3000), None);
        assert_eq!(uses.first_above(MEMORY, Quantity::parse("100Mi").unwrap()), Some(3000));
        assert_eq!(uses.first_above(MEMORY, Quantity::parse("200Mi").unwrap()), None);
    }

    #[test]
    fn a_rule_with_an_unknown_field_is_refused() {
        assert!(serde_json::from_value::<Behaviours>(json!([{"redyAfterMs": 5}])).is_err());
    }
}
