use super::{LabelSelector, Node, api_struct};

api_struct! {
    /// Where a pod wants to be.
    pub struct Affinity {
        /// Towards nodes.
        pub node_affinity: Option<NodeAffinity>,
        /// Towards other pods.
        pub pod_affinity: Option<PodAffinity>,
        /// Away from other pods.
        pub pod_anti_affinity: Option<PodAffinity>,
    }

    /// Which nodes a pod wants.
    pub struct NodeAffinity {
        /// Must hold when the pod is placed.
        pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
        /// Only scored.
        pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
    }

    /// Terms, of which one must match.
    pub struct NodeSelector {
        /// ORed.
        pub node_selector_terms: Vec<NodeSelectorTerm>,
    }

    /// Expressions and fields, which all must match; an empty term matches nothing.
    pub struct NodeSelectorTerm {
        /// Over labels.
        pub match_expressions: Vec<NodeSelectorRequirement>,
        /// Over fields; only `metadata.name` exists.
        pub match_fields: Vec<NodeSelectorRequirement>,
    }

    /// One condition on a label or field.
    pub struct NodeSelectorRequirement {
        /// Label key or field path.
        pub key: String,
        /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt`.
        pub operator: String,
        /// What the operator compares with.
        pub values: Vec<String>,
    }

    /// A term that only adds to a node's score.
    pub struct PreferredSchedulingTerm {
        /// 1 to 100.
        pub weight: i64,
        /// The term.
        pub preference: NodeSelectorTerm,
    }

    /// Affinity (or, by its place, anti-affinity) between pods.
    pub struct PodAffinity {
        /// Must hold when the pod is placed.
        pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
        /// Only scored.
        pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
    }

    /// A term that only adds to a node's score (or, by its place, takes from it).
    pub struct WeightedPodAffinityTerm {
        /// 1 to 100.
        pub weight: i64,
        /// The term.
        pub pod_affinity_term: PodAffinityTerm,
    }

    /// Pods that share a topology domain.
    pub struct PodAffinityTerm {
        /// Which pods are meant.
        pub label_selector: Option<LabelSelector>,
        /// In which namespaces; empty: the pod's own.
        pub namespaces: Vec<String>,
        /// Namespaces by label.
        pub namespace_selector: Option<LabelSelector>,
        /// Node label that names the domain.
        pub topology_key: String,
        /// Label keys whose values, taken from the pod, other pods must have too.
        pub match_label_keys: Vec<String>,
        /// Label keys whose values, taken from the pod, other pods must not have.
        pub mismatch_label_keys: Vec<String>,
    }
}

impl NodeSelectorRequirement {
    /// Whether a label or field with this value (absent: `None`) satisfies the requirement.
    ///
    /// NotIn and DoesNotExist hold for an absent label, Gt and Lt never do. Numbers are base-10 int64 on both sides.
    /// Follows kubernetes apimachinery pkg/labels Requirement.Matches, v1.36.
    pub fn matches(&self, value: Option<&str>) -> bool {
        match (self.operator.as_str(), value) {
            ("In", Some(value)) => self.values.iter().any(|v| v == value),
            ("NotIn", Some(value)) => !self.values.iter().any(|v| v == value),
            ("NotIn" | "DoesNotExist", None) | ("Exists", Some(_)) => true,
            ("Gt", Some(value)) => self.compare(value, |label, bound| label > bound),
            ("Lt", Some(value)) => self.compare(value, |label, bound| label < bound),
            _ => false,
        }
    }

    fn compare(&self, value: &str, holds: impl Fn(i64, i64) -> bool) -> bool {
        match (value.parse::<i64>(), self.values.as_slice()) {
            (Ok(label), [bound]) => bound.parse().is_ok_and(|bound| holds(label, bound)),
            _ => false,
        }
    }
}

impl NodeSelectorTerm {
    /// Whether the node satisfies the whole term. An empty term matches nothing.
    pub fn matches(&self, node: &Node) -> bool {
        !(self.match_expressions.is_empty() && self.match_fields.is_empty())
            && self.match_expressions.iter().all(|r| r.matches(node.metadata.label(&r.key)))
            && self.match_fields.iter().all(|r| r.matches(field_value(node, &r.key)))
    }
}

/// The value of a node field that `matchFields` can name; only `metadata.name` exists, others are absent.
pub fn field_value<'a>(node: &'a Node, path: &str) -> Option<&'a str> {
    (path == "metadata.name").then_some(&*node.metadata.name)
}

impl NodeSelector {
    /// Whether one of the terms matches the node.
    ///
    /// Follows kubernetes component-helpers scheduling/corev1/nodeaffinity, v1.36.
    pub fn matches(&self, node: &Node) -> bool {
        self.node_selector_terms.iter().any(|term| term.matches(node))
    }
}

impl Affinity {
    /// Terms that keep the pod off domains where certain pods are.
    pub fn required_anti_affinity(&self) -> &[PodAffinityTerm] {
        self.pod_anti_affinity.as_ref().map_or(&[], |a| &a.required_during_scheduling_ignored_during_execution)
    }

    /// Terms that hold the pod to domains where certain pods are.
    pub fn required_pod_affinity(&self) -> &[PodAffinityTerm] {
        self.pod_affinity.as_ref().map_or(&[], |a| &a.required_during_scheduling_ignored_during_execution)
    }

    /// All terms about other pods.
    pub fn pod_terms(&self) -> impl Iterator<Item = &PodAffinityTerm> {
        [&self.pod_affinity, &self.pod_anti_affinity].into_iter().flatten().flat_map(|affinity| {
            let preferred = affinity.preferred_during_scheduling_ignored_during_execution.iter();
            let required = affinity.required_during_scheduling_ignored_during_execution.iter();
            required.chain(preferred.map(|weighted| &weighted.pod_affinity_term))
        })
    }

    /// The required node selector, if there is one.
    pub fn required_node_selector(&self) -> Option<&NodeSelector> {
        self.node_affinity.as_ref()?.required_during_scheduling_ignored_during_execution.as_ref()
    }
}
