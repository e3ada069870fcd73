//! What is worth a second look in the manifest of a DaemonSet that the API server would take.
//!
//! One file for each rule. A rule looks at a [`Subject`] and notes what it sees in a [`Report`]: at which field, how
//! serious it is, the facts, and the change where there is one right change. [`Level::Fine`] is for what would be wrong
//! elsewhere and is right here, such as a network plugin that tolerates every taint: rules must not cry wolf. No words in
//! here; the interface has them.
//!
//! To add a rule: copy the file of a neighbour, name it in the list below, add its words (the compiler asks for them) and
//! a specification in `tests/lint`.

mod report;
mod subject;

pub use missing_os_selector::{chooses_os, likely_os};
pub use report::{Finding, Level};
pub use subject::{Known, Nature};

use crate::manifest::{self, Limits};
use crate::order::Order;
use report::Report;
use serde::Serialize;
use subject::Subject;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $module:ident $id:literal;)*) => {
        $(mod $module;)*

        /// A rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// All rules, by subject: resources, placement, selector, rollout, access to the node.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The rule's name, stable: `missing-requests`.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            fn check(self, subject: &Subject<'_>, report: &mut Report) {
                match self {
                    $(Self::$name => $module::check(subject, report),)*
                }
            }
        }
    };
}

rules! {
    /// A container asks for no cpu or no memory.
    MissingRequests missing_requests "missing-requests";
    /// A container may take all memory of its node.
    MissingMemoryLimit missing_memory_limit "missing-memory-limit";
    /// The memory limit is below what the container uses: OOMKilled, exit code 137.
    MemoryLimitBelowUsage memory_limit_below_usage "memory-limit-below-usage";
    /// A memory limit that hardly any process can live with.
    LowMemoryLimit low_memory_limit "low-memory-limit";
    /// The memory limit is a multiple of the request.
    MemoryOvercommit memory_overcommit "memory-overcommit";
    /// The cpu limit is below what the container would use.
    CpuThrottled cpu_throttled "cpu-throttled";
    /// A very small cpu limit.
    TightCpuLimit tight_cpu_limit "tight-cpu-limit";
    /// A request is far above the use, on every node.
    OversizedRequests oversized_requests "oversized-requests";
    /// The pod asks for more than some eligible node has.
    DoesNotFit does_not_fit "does-not-fit";

    /// A toleration without key.
    ToleratesEverything tolerates_everything "tolerates-everything";
    /// An agent of the node that skips control-plane nodes.
    SkipsControlPlane skips_control_plane "skips-control-plane";
    /// A network agent that waits for the network it should set up.
    NetworkAgentWaits network_agent_waits "network-agent-waits";
    /// Nodes that are no machines.
    VirtualNodes virtual_nodes "virtual-nodes";
    /// A toleration without operator covers only taints without value.
    TolerationWithoutOperator toleration_without_operator "toleration-without-operator";
    /// Only the former name of the control-plane taint is tolerated.
    OldControlPlaneKey old_control_plane_key "old-control-plane-key";
    /// A toleration that stands there already.
    DuplicateToleration duplicate_toleration "duplicate-toleration";
    /// `tolerationSeconds` that the controller drops.
    IgnoredTolerationSeconds ignored_toleration_seconds "ignored-toleration-seconds";
    /// `tolerationSeconds` that make a pod be evicted and made again without end.
    EvictionLoop eviction_loop "eviction-loop";
    /// No selection by operating system.
    MissingOsSelector missing_os_selector "missing-os-selector";
    /// A node label under a name that is deprecated.
    DeprecatedNodeLabel deprecated_node_label "deprecated-node-label";
    /// Terms that exclude are ORed, so they exclude nothing.
    OredExclusions ored_exclusions "ored-exclusions";
    /// A term without requirements matches no node.
    EmptyAffinityTerm empty_affinity_term "empty-affinity-term";
    /// `Gt` or `Lt` with something that is no whole number.
    NeverMatchingNumber never_matching_number "never-matching-number";
    /// `nodeName` in the template.
    TemplateNodeName template_node_name "template-node-name";
    /// No node of the cluster is eligible.
    NoEligibleNode no_eligible_node "no-eligible-node";

    /// A label that changes with every release is part of the selector.
    SelectorHasVersion selector_has_version "selector-has-version";
    /// Another DaemonSet's selector matches the same pods.
    SelectorOverlap selector_overlap "selector-overlap";
    /// The selector is not that of the DaemonSet in the cluster.
    SelectorChanged selector_changed "selector-changed";

    /// `OnDelete` with a budget that is never read.
    OnDeleteWithBudget on_delete_with_budget "on-delete-with-budget";
    /// `OnDelete`: nothing is rolled out by itself.
    OnDelete on_delete "on-delete";
    /// Half of the nodes or more may be without the agent.
    AggressiveMaxUnavailable aggressive_max_unavailable "aggressive-max-unavailable";
    /// One node at a time in a large cluster.
    SlowRollout slow_rollout "slow-rollout";
    /// `maxSurge` and a host port.
    SurgeWithHostPort surge_with_host_port "surge-with-host-port";
    /// `maxSurge` and a pod anti-affinity against the own pods.
    SurgeWithAntiAffinity surge_with_anti_affinity "surge-with-anti-affinity";
    /// Nothing tells a good new pod from a bad one.
    NoReadiness no_readiness "no-readiness";
    /// The old pod may take minutes to go, on every node.
    LongGracePeriod long_grace_period "long-grace-period";
    /// The old pod is killed without warning.
    ZeroGracePeriod zero_grace_period "zero-grace-period";
    /// A liveness probe that kills a busy container.
    TightLiveness tight_liveness "tight-liveness";
    /// No revision to go back to.
    NoUndoHistory no_undo_history "no-undo-history";
    /// A PodDisruptionBudget over DaemonSet pods.
    PointlessPdb pointless_pdb "pointless-pdb";
    /// A ConfigMap or Secret whose change reaches no running pod.
    ConfigNotRolled config_not_rolled "config-not-rolled";

    /// An image without a fixed version.
    FloatingImageTag floating_image_tag "floating-image-tag";
    /// No priority class on an agent of the node.
    NoPriorityClass no_priority_class "no-priority-class";
    /// A priority class that is not there.
    UnknownPriorityClass unknown_priority_class "unknown-priority-class";
    /// A service account that is not there.
    MissingServiceAccount missing_service_account "missing-service-account";
    /// A privileged container.
    Privileged privileged "privileged";
    /// The node's whole file system.
    HostPathRoot host_path_root "host-path-root";
    /// A folder of the node that the container may write to.
    WritableHostPath writable_host_path "writable-host-path";
    /// The socket of the container runtime.
    ContainerSocket container_socket "container-socket";
    /// The node's processes or shared memory.
    HostNamespaces host_namespaces "host-namespaces";
    /// The node's network without the cluster's DNS.
    HostNetworkDns host_network_dns "host-network-dns";
    /// Another DaemonSet takes the same port of the node.
    HostPortConflict host_port_conflict "host-port-conflict";
    /// An application that has nothing to do with its node.
    ApplicationInDaemonSet application_in_daemon_set "application-in-daemon-set";
    /// All pods share one volume claim.
    SharedClaim shared_claim "shared-claim";
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// Looks at every DaemonSet of a text, which may hold several documents. What the text says about other objects, and
/// what is known of the cluster, counts too. Findings are in the order of the text, the more serious first.
///
/// Never fails: what cannot be read has no findings here, only diagnostics of [`manifest::read`].
pub fn lint(text: &str, known: &Known<'_>) -> Vec<Finding> {
    let read = manifest::read(text, &Limits::default());
    let objects: Vec<manifest::Object<'_>> = read.objects().collect();
    let mut findings: Vec<Finding> =
        (0..objects.len()).flat_map(|index| lint_object(text, &objects, index, known)).collect();
    in_order(&mut findings);
    findings
}

/// [`lint`] of one of the objects of a text, for long texts; [`in_order`] then sorts what was found.
pub fn lint_object(text: &str, objects: &[manifest::Object<'_>], index: usize, known: &Known<'_>) -> Vec<Finding> {
    let others = objects.iter().enumerate().filter(|(other, _)| *other != index);
    let others = others.map(|(_, other)| &*other.value).collect();
    let Some(object) = objects.get(index) else { return Vec::new() };
    let Some(subject) = Subject::new(object, others, known) else { return Vec::new() };
    let mut report = Report::default();
    for rule in Rule::ALL {
        report.rule = Some(*rule);
        rule.check(&subject, &mut report);
    }
    report.found.into_iter().map(|(rule, found)| found.place(rule, text, object, &subject)).collect()
}

/// Sorts findings in the order of the text, the more serious first.
pub fn in_order(findings: &mut [Finding]) {
    findings.order_by_key(|finding| (finding.span.start.offset, finding.level, finding.rule));
}
