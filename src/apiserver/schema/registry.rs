//! The resources that the API server serves, and those it no longer does.
use std::sync::OnceLock;

/// Whether objects of a resource live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// One API resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// API version within the group.
    pub version: &'static str,
    /// Kind of its objects.
    pub kind: &'static str,
    /// Plural name, as in URLs.
    pub plural: &'static str,
    /// Short names, such as `ds`.
    pub short_names: Vec<&'static str>,
    /// Where its objects live.
    pub scope: Scope,
    /// Whether the table has its fields. Others are known by name only.
    pub has_schema: bool,
}

impl Resource {
    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `daemonsets.apps`, or `nodes` for the core group: the resource as kubectl and the API server's messages write it.
    pub fn qualified_plural(&self) -> String {
        qualified(self.plural, self.group)
    }

    /// `daemonset.apps`, or `node` for the core group: how kubectl names objects.
    pub fn qualified_singular(&self) -> String {
        qualified(&self.singular(), self.group)
    }

    /// `DaemonSet.apps`, or `Node` for the core group: the kind as the API server's messages write it.
    pub fn qualified_kind(&self) -> String {
        qualified(self.kind, self.group)
    }

    /// The singular name: the kind in lower case.
    pub fn singular(&self) -> String {
        self.kind.to_ascii_lowercase()
    }

    /// Whether objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// One line is one resource, in the order of `kubectl api-resources`: apiVersion, kind, plural, `n` or `c` for the
/// scope, short names.
const RESOURCES: &str = "\
v1 Binding bindings n
v1 ComponentStatus componentstatuses c cs
v1 ConfigMap configmaps n cm
v1 Endpoints endpoints n ep
v1 Event events n ev
v1 LimitRange limitranges n limits
v1 Namespace namespaces c ns
v1 Node nodes c no
v1 PersistentVolumeClaim persistentvolumeclaims n pvc
v1 PersistentVolume persistentvolumes c pv
v1 Pod pods n po
v1 PodTemplate podtemplates n
v1 ReplicationController replicationcontrollers n rc
v1 ResourceQuota resourcequotas n quota
v1 Secret secrets n
v1 ServiceAccount serviceaccounts n sa
v1 Service services n svc
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations c
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies c
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings c
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations c
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions c crd,crds
apiregistration.k8s.io/v1 APIService apiservices c
apps/v1 ControllerRevision controllerrevisions n
apps/v1 DaemonSet daemonsets n ds
apps/v1 Deployment deployments n deploy
apps/v1 ReplicaSet replicasets n rs
apps/v1 StatefulSet statefulsets n sts
authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews c
authentication.k8s.io/v1 TokenReview tokenreviews c
authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews n
authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews c
authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews c
authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews c
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers n hpa
batch/v1 CronJob cronjobs n cj
batch/v1 Job jobs n
certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests c csr
coordination.k8s.io/v1 Lease leases n
discovery.k8s.io/v1 EndpointSlice endpointslices n
events.k8s.io/v1 Event events n ev
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas c
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations c
networking.k8s.io/v1 IngressClass ingressclasses c
networking.k8s.io/v1 Ingress ingresses n ing
networking.k8s.io/v1 IPAddress ipaddresses c ip
networking.k8s.io/v1 NetworkPolicy networkpolicies n netpol
networking.k8s.io/v1 ServiceCIDR servicecidrs c
node.k8s.io/v1 RuntimeClass runtimeclasses c
policy/v1 PodDisruptionBudget poddisruptionbudgets n pdb
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings c
rbac.authorization.k8s.io/v1 ClusterRole clusterroles c
rbac.authorization.k8s.io/v1 RoleBinding rolebindings n
rbac.authorization.k8s.io/v1 Role roles n
resource.k8s.io/v1 DeviceClass deviceclasses c
resource.k8s.io/v1 ResourceClaim resourceclaims n
resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates n
resource.k8s.io/v1 ResourceSlice resourceslices c
scheduling.k8s.io/v1 PriorityClass priorityclasses c pc
storage.k8s.io/v1 CSIDriver csidrivers c
storage.k8s.io/v1 CSINode csinodes c
storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities n
storage.k8s.io/v1 StorageClass storageclasses c sc
storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses c vac
storage.k8s.io/v1 VolumeAttachment volumeattachments c
";

/// API versions that earlier releases served: apiVersion, kinds, the release that removed them, what replaced them
/// (`-`: nothing).
const REMOVED: &str = "\
extensions/v1beta1 DaemonSet,Deployment,ReplicaSet 1.16 apps/v1
extensions/v1beta1 NetworkPolicy 1.16 networking.k8s.io/v1
extensions/v1beta1 PodSecurityPolicy 1.16 -
extensions/v1beta1 Ingress 1.22 networking.k8s.io/v1
apps/v1beta1 ControllerRevision,Deployment,StatefulSet 1.16 apps/v1
apps/v1beta2 ControllerRevision,DaemonSet,Deployment,ReplicaSet,StatefulSet 1.16 apps/v1
policy/v1beta1 PodDisruptionBudget 1.25 policy/v1
policy/v1beta1 PodSecurityPolicy 1.25 -
batch/v1beta1 CronJob 1.25 batch/v1
batch/v2alpha1 CronJob 1.21 batch/v1
rbac.authorization.k8s.io/v1beta1 ClusterRole,ClusterRoleBinding,Role,RoleBinding 1.22 rbac.authorization.k8s.io/v1
rbac.authorization.k8s.io/v1alpha1 ClusterRole,ClusterRoleBinding,Role,RoleBinding 1.22 rbac.authorization.k8s.io/v1
scheduling.k8s.io/v1beta1 PriorityClass 1.22 scheduling.k8s.io/v1
scheduling.k8s.io/v1alpha1 PriorityClass 1.17 scheduling.k8s.io/v1
node.k8s.io/v1beta1 RuntimeClass 1.25 node.k8s.io/v1
coordination.k8s.io/v1beta1 Lease 1.22 coordination.k8s.io/v1
networking.k8s.io/v1beta1 Ingress,IngressClass 1.22 networking.k8s.io/v1
apiextensions.k8s.io/v1beta1 CustomResourceDefinition 1.22 apiextensions.k8s.io/v1
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration,ValidatingWebhookConfiguration 1.22 admissionregistration.k8s.io/v1
certificates.k8s.io/v1beta1 CertificateSigningRequest 1.22 certificates.k8s.io/v1
events.k8s.io/v1beta1 Event 1.25 events.k8s.io/v1
discovery.k8s.io/v1beta1 EndpointSlice 1.25 discovery.k8s.io/v1
autoscaling/v2beta1 HorizontalPodAutoscaler 1.25 autoscaling/v2
autoscaling/v2beta2 HorizontalPodAutoscaler 1.26 autoscaling/v2
storage.k8s.io/v1beta1 CSIDriver,CSINode,StorageClass,VolumeAttachment 1.22 storage.k8s.io/v1
storage.k8s.io/v1beta1 CSIStorageCapacity 1.27 storage.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema,PriorityLevelConfiguration 1.26 flowcontrol.apiserver.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema,PriorityLevelConfiguration 1.29 flowcontrol.apiserver.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema,PriorityLevelConfiguration 1.32 flowcontrol.apiserver.k8s.io/v1
";

/// All resources, in the order of `kubectl api-resources`.
pub fn resources() -> &'static [Resource] {
    static LIST: OnceLock<Vec<Resource>> = OnceLock::new();
    LIST.get_or_init(|| RESOURCES.lines().filter_map(read_resource).collect())
}

fn read_resource(line: &'static str) -> Option<Resource> {
    let mut words = line.split(' ');
    let (group, version) = split_api_version(words.next()?);
    let (kind, plural, scope) = (words.next()?, words.next()?, words.next()?);
    Some(Resource {
        group,
        version,
        kind,
        plural,
        short_names: words.next().map(|names| names.split(',').collect()).unwrap_or_default(),
        scope: if scope == "n" { Scope::Namespaced } else { Scope::Cluster },
        // events.k8s.io has an Event of its own shape.
        has_schema: group != "events.k8s.io" && super::is_known_type(kind),
    })
}

fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The resource of an apiVersion and kind.
pub fn resource_of(api_version: &str, kind: &str) -> Option<&'static Resource> {
    let (group, version) = split_api_version(api_version);
    resources().iter().find(|r| r.group == group && r.version == version && r.kind == kind)
}

/// The resource that a word on kubectl's command line names: plural, singular, short name or kind as kubectl takes
/// them (lower case, or the kind as written), alone or with group (`daemonsets.apps`, `ds.v1.apps`).
pub fn resource_by_name(word: &str) -> Option<&'static Resource> {
    let (name, rest) = word.split_once('.').unwrap_or((word, ""));
    resources().iter().find(|r| {
        let named = name == r.plural || name == r.singular() || name == r.kind || r.short_names.contains(&name);
        let grouped = rest.is_empty()
            || rest == r.group
            || rest.split_once('.').is_some_and(|(version, group)| version == r.version && group == r.group);
        named && grouped
    })
}

/// An API version that is no longer served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedVersion {
    /// The Kubernetes release that removed it.
    pub release: &'static str,
    /// The apiVersion to use instead, if there is one.
    pub replacement: Option<&'static str>,
}

/// Since when an apiVersion of a kind is gone, and what replaced it. `None` when it never existed or is still served.
pub fn removed_version(api_version: &str, kind: &str) -> Option<RemovedVersion> {
    REMOVED.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (version, kinds, release, replacement) = (words.next()?, words.next()?, words.next()?, words.next()?);
        (version == api_version && kinds.split(',').any(|k| k == kind))
            .then_some(RemovedVersion { release, replacement: (replacement != "-").then_some(replacement) })
    })
}

/// What is wrong with an apiVersion and kind that no resource has, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// The version was removed.
    Removed(RemovedVersion),
    /// The kind exists under another apiVersion (this one).
    OtherVersion(String),
    /// The kind is misspelt; this is meant.
    Misspelt(&'static Resource),
    /// Nothing like it is known. It may come from a CustomResourceDefinition.
    Unknown,
}

/// Explains an apiVersion and kind that [`resource_of`] does not find.
pub fn unmatched_kind(api_version: &str, kind: &str) -> Unmatched {
    if let Some(removed) = removed_version(api_version, kind) {
        return Unmatched::Removed(removed);
    }
    if let Some(resource) = resources().iter().find(|r| r.kind == kind) {
        return Unmatched::OtherVersion(resource.api_version());
    }
    let meant = super::suggest(kind, resources().iter().map(|r| r.kind));
    match meant.and_then(|kind| resources().iter().find(|r| r.kind == kind)) {
        Some(resource) => Unmatched::Misspelt(resource),
        None => Unmatched::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_by_kind_and_by_kubectl_name() {
        let daemonsets = resource_of("apps/v1", "DaemonSet").unwrap();
        assert_eq!(daemonsets.qualified_plural(), "daemonsets.apps");
        assert_eq!(daemonsets.qualified_kind(), "DaemonSet.apps");
        assert!(daemonsets.is_namespaced() && daemonsets.has_schema);
        for word in ["ds", "daemonset", "daemonsets", "DaemonSet", "daemonsets.apps", "ds.v1.apps"] {
            assert_eq!(resource_by_name(word), Some(daemonsets), "{word}");
        }
        for word in ["DS", "daemonsets.batch", "dses", ""] {
            assert_eq!(resource_by_name(word), None, "{word}");
        }
        assert!(!resource_of("v1", "Node").unwrap().is_namespaced());
        assert_eq!(resource_of("v1", "DaemonSet"), None);
        assert!(!resource_of("networking.k8s.io/v1", "Ingress").unwrap().has_schema);
    }

    #[test]
    fn what_is_not_served_is_explained() {
        assert_eq!(
            unmatched_kind("extensions/v1beta1", "DaemonSet"),
            Unmatched::Removed(RemovedVersion { release: "1.16", replacement: Some("apps/v1") })
        );
        assert_eq!(unmatched_kind("v1", "DaemonSet"), Unmatched::OtherVersion("apps/v1".into()));
        assert_eq!(unmatched_kind("apps/v2", "DaemonSet"), Unmatched::OtherVersion("apps/v1".into()));
        let Unmatched::Misspelt(meant) = unmatched_kind("apps/v1", "Daemonset") else { panic!() };
        assert_eq!(meant.kind, "DaemonSet");
        assert_eq!(unmatched_kind("example.com/v1", "Widget"), Unmatched::Unknown);
    }
}
