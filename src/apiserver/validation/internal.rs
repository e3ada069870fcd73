//! Objects as Go prints the API server's internal types: fields in Go's order under their Go names.
//!
//! Follows kubernetes pkg/apis/core/types.go and pkg/apis/apps/types.go, v1.36.
use super::error::go_json;
use crate::apiserver::schema::Tree;
use serde_json::Value;

/// A type a line: its name, and its fields. Behind a field stands what it is without a value: nothing for `null`, `"`
/// for an empty text, `0`, `!` for false; or the type of what it holds, behind `:` if it may be `null`, behind `=` if it
/// is always there. What is of no type that stands here is printed as it is.
const TYPES: &str = r#"
PodSpec Volumes:Volume InitContainers:Container Containers:Container EphemeralContainers:EphemeralContainer RestartPolicy" TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy" NodeSelector ServiceAccountName" AutomountServiceAccountToken NodeName" SecurityContext:PodSecurityContext ImagePullSecrets:Name Hostname" Subdomain" SetHostnameAsFQDN Affinity:Affinity SchedulerName" Tolerations:Toleration HostAliases:HostAlias PriorityClassName" Priority PreemptionPolicy DNSConfig:PodDNSConfig ReadinessGates:ReadinessGate RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints:TopologySpreadConstraint OS:Name SchedulingGates:Name ResourceClaims:PodResourceClaim Resources:ResourceRequirements HostnameOverride SchedulingGroup
Name Name"
PodSecurityContext HostNetwork! HostPID! HostIPC! ShareProcessNamespace HostUsers SELinuxOptions:SELinuxOptions WindowsOptions:WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls:NameValue SeccompProfile:Profile AppArmorProfile:Profile SELinuxChangePolicy
SecurityContext Capabilities:Capabilities Privileged SELinuxOptions:SELinuxOptions WindowsOptions:WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile:Profile AppArmorProfile:Profile
Capabilities Add Drop
SELinuxOptions User" Role" Type" Level"
WindowsOptions GMSACredentialSpecName GMSACredentialSpec RunAsUserName HostProcess
Profile Type" LocalhostProfile
NameValue Name" Value"
Container Name" Image" Command Args WorkingDir" Ports:ContainerPort EnvFrom:EnvFromSource Env:EnvVar Resources=ResourceRequirements ResizePolicy:ResizePolicy RestartPolicy RestartPolicyRules:RestartRule VolumeMounts:VolumeMount VolumeDevices:VolumeDevice LivenessProbe:Probe ReadinessProbe:Probe StartupProbe:Probe Lifecycle:Lifecycle TerminationMessagePath" TerminationMessagePolicy" ImagePullPolicy" SecurityContext:SecurityContext Stdin! StdinOnce! TTY!
EphemeralContainer Name" Image" Command Args WorkingDir" Ports:ContainerPort EnvFrom:EnvFromSource Env:EnvVar Resources=ResourceRequirements ResizePolicy:ResizePolicy RestartPolicy RestartPolicyRules:RestartRule VolumeMounts:VolumeMount VolumeDevices:VolumeDevice LivenessProbe:Probe ReadinessProbe:Probe StartupProbe:Probe Lifecycle:Lifecycle TerminationMessagePath" TerminationMessagePolicy" ImagePullPolicy" SecurityContext:SecurityContext Stdin! StdinOnce! TTY! TargetContainerName"
ContainerPort Name" HostPort0 ContainerPort0 Protocol" HostIP"
EnvFromSource Prefix" ConfigMapRef:OptionalName SecretRef:OptionalName
OptionalName Name" Optional
EnvVar Name" Value" ValueFrom:EnvVarSource
EnvVarSource FieldRef:FieldRef ResourceFieldRef:ResourceFieldRef ConfigMapKeyRef:KeyRef SecretKeyRef:KeyRef FileKeyRef:FileKeyRef
FieldRef APIVersion" FieldPath"
ResourceFieldRef ContainerName" Resource" Divisor"
KeyRef Name" Key" Optional
FileKeyRef VolumeName" Path" Key" Optional
ResourceRequirements Limits Requests Claims:ResourceClaim
ResourceClaim Name" Request"
ResizePolicy ResourceName" RestartPolicy"
RestartRule Action" ExitCodes:ExitCodes
ExitCodes Operator" Values
VolumeMount Name" ReadOnly! RecursiveReadOnly MountPath" SubPath" MountPropagation SubPathExpr"
VolumeDevice Name" DevicePath"
Probe Exec:Exec HTTPGet:HTTPGet TCPSocket:TCPSocket GRPC:GRPC InitialDelaySeconds0 TimeoutSeconds0 PeriodSeconds0 SuccessThreshold0 FailureThreshold0 TerminationGracePeriodSeconds
Exec Command
HTTPGet Path" Port0 Host" Scheme" HTTPHeaders:NameValue
TCPSocket Port0 Host"
GRPC Port0 Service
Lifecycle PostStart:Handler PreStop:Handler StopSignal
Handler Exec:Exec HTTPGet:HTTPGet TCPSocket:TCPSocket Sleep:Sleep
Sleep Seconds0
Volume Name" HostPath:HostPath EmptyDir:EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret:Secret NFS:NFS ISCSI Glusterfs PersistentVolumeClaim:Claim RBD Quobyte FlexVolume Cinder CephFS Flocker DownwardAPI:DownwardAPI FC AzureFile ConfigMap:ConfigMap VsphereVolume AzureDisk PhotonPersistentDisk Projected:Projected PortworxVolume ScaleIO StorageOS CSI:CSI Ephemeral Image:Image
HostPath Path" Type
EmptyDir Medium" SizeLimit
Secret SecretName" Items:Item DefaultMode Optional
NFS Server" Path" ReadOnly!
Claim ClaimName" ReadOnly!
DownwardAPI Items:DownwardAPIItem DefaultMode
DownwardAPIItem Path" FieldRef:FieldRef ResourceFieldRef:ResourceFieldRef Mode
ConfigMap Name" Items:Item DefaultMode Optional
Item Key" Path" Mode
Projected Sources:Source DefaultMode
Source Secret:SourceItems DownwardAPI:DownwardAPIItems ConfigMap:SourceItems ServiceAccountToken:Token ClusterTrustBundle PodCertificate
SourceItems Name" Items:Item Optional
DownwardAPIItems Items:DownwardAPIItem
Token Audience" ExpirationSeconds0 Path"
CSI Driver" ReadOnly FSType VolumeAttributes NodePublishSecretRef:Name
Image Reference" PullPolicy"
Affinity NodeAffinity:NodeAffinity PodAffinity:PodAffinity PodAntiAffinity:PodAffinity
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:PreferredNode
NodeSelector NodeSelectorTerms:NodeSelectorTerm
PreferredNode Weight0 Preference=NodeSelectorTerm
NodeSelectorTerm MatchExpressions:NodeSelectorRequirement MatchFields:NodeSelectorRequirement
NodeSelectorRequirement Key" Operator" Values
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:PreferredPod
PreferredPod Weight0 PodAffinityTerm=PodAffinityTerm
PodAffinityTerm LabelSelector Namespaces TopologyKey" NamespaceSelector MatchLabelKeys MismatchLabelKeys
Toleration Key" Operator" Value" Effect" TolerationSeconds
HostAlias IP" Hostnames
PodDNSConfig Nameservers Searches Options:DNSOption
DNSOption Name" Value
ReadinessGate ConditionType"
TopologySpreadConstraint MaxSkew0 TopologyKey" WhenUnsatisfiable" LabelSelector MinDomains NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys
PodResourceClaim Name" ResourceClaimName ResourceClaimTemplateName
UpdateStrategy Type" RollingUpdate:RollingUpdate
RollingUpdate MaxUnavailable0 MaxSurge0
Taint Key" Value" Effect" TimeAdded
NodeAddress Type" Address"
ScopeSelector MatchExpressions:ScopeRequirement
ScopeRequirement ScopeName" Operator" Values
PodDisruptionBudgetSpec MinAvailable Selector MaxUnavailable UnhealthyPodEvictionPolicy
"#;

fn fields_of(type_name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let line = TYPES.lines().find(|line| line.split(' ').next() == Some(type_name) && !type_name.is_empty())?;
    Some(line.split(' ').skip(1))
}

/// The object as Go's JSON of the internal type, in one line.
pub fn internal_json(type_name: &str, tree: Tree<'_>) -> String {
    let mut out = String::new();
    print(type_name, tree, None, &mut out);
    out
}

/// The object as Go's JSON of the internal type, a value a line, indented by one space for each level.
pub fn internal_lines(type_name: &str, tree: Tree<'_>) -> String {
    let mut out = String::new();
    print(type_name, tree, Some(0), &mut out);
    out
}

/// `depth` is how deep a line is indented, if there are lines.
fn print(type_name: &str, tree: Tree<'_>, depth: Option<usize>, out: &mut String) {
    let below = depth.map(|depth| depth.saturating_add(1));
    let line = |out: &mut String, depth: Option<usize>| {
        if let Some(depth) = depth {
            out.push('\n');
            out.push_str(&" ".repeat(depth));
        }
    };
    let mut first = true;
    let mut begin = |out: &mut String, open: char| {
        out.push(if std::mem::take(&mut first) { open } else { ',' });
        line(out, below);
    };
    let colon = if depth.is_some() { "\": " } else { "\":" };
    match (tree.0, fields_of(type_name)) {
        (Value::Array(items), _) if !items.is_empty() => {
            for item in tree.items() {
                begin(out, '[');
                print(type_name, item, below, out);
            }
            line(out, depth);
            out.push(']');
        }
        (Value::Object(entries), Some(fields)) => {
            for field in fields {
                let at = field.find(['"', '0', '!', ':', '=']).unwrap_or(field.len());
                let (name, kind) = field.split_at_checked(at).unwrap_or((field, ""));
                begin(out, '{');
                out.push('"');
                out.push_str(name);
                out.push_str(colon);
                let value = entries.iter().find(|(key, value)| key.eq_ignore_ascii_case(name) && !value.is_null());
                match (value, kind) {
                    (Some((_, value)), _) => print(kind.trim_start_matches([':', '=']), Tree(value), below, out),
                    (None, "\"") => out.push_str("\"\""),
                    (None, "0") => out.push('0'),
                    (None, "!") => out.push_str("false"),
                    (None, kind) => match kind.strip_prefix('=') {
                        Some(kind) => print(kind, Tree(&Value::Object(serde_json::Map::new())), below, out),
                        None => out.push_str("null"),
                    },
                }
            }
            line(out, depth);
            out.push('}');
        }
        (Value::Object(entries), None) if !entries.is_empty() => {
            for (key, value) in entries {
                begin(out, '{');
                let key = go_json(&Value::from(key.as_str()));
                out.push_str(key.strip_suffix('"').unwrap_or_default());
                out.push_str(colon);
                print("", Tree(value), below, out);
            }
            line(out, depth);
            out.push('}');
        }
        (value, _) => out.push_str(&go_json(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn internal_objects_have_go_names_in_go_order() {
        let show = |name, tree: Value| internal_json(name, Tree(&tree));
        assert_eq!(show("UpdateStrategy", json!({"type": "Recreate"})), r#"{"Type":"Recreate","RollingUpdate":null}"#);
        assert_eq!(
            show("UpdateStrategy", json!({"type": "x", "rollingUpdate": {"maxUnavailable": "10%"}})),
            r#"{"Type":"x","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":0}}"#
        );
        assert_eq!(
            show("Taint", json!({"key": "a", "effect": "NoSchedule"})),
            r#"{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}"#
        );
    }

    #[test]
    fn lines_are_indented_by_one_space() {
        let tree = json!({"name": "a", "emptyDir": {}});
        let lines = internal_lines("Volume", Tree(&tree));
        assert!(
            lines.starts_with("{\n \"Name\": \"a\",\n \"HostPath\": null,\n \"EmptyDir\": {\n  \"Medium\": \"\",\n")
        );
        assert!(lines.ends_with(" \"Image\": null\n}"), "{lines}");
        let tree = json!({"command": ["<a>"], "httpHeaders": []});
        assert_eq!(internal_lines("Exec", Tree(&tree)), "{\n \"Command\": [\n  \"\\u003ca\\u003e\"\n ]\n}");
        assert_eq!(internal_lines("", Tree(&tree)).lines().last(), Some("}"));
    }

    /// What a field holds is a type of the table.
    #[test]
    fn the_table_is_whole() {
        let names: Vec<&str> = TYPES.lines().filter_map(|line| line.split(' ').next()).collect();
        for line in TYPES.lines() {
            for field in line.split(' ').skip(1) {
                if let Some((_, below)) = field.split_once([':', '=']) {
                    assert!(names.contains(&below), "{field} in {line}");
                }
            }
        }
    }
}
