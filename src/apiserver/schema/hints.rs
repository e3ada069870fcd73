//! For people who write manifests: what a field is for, and which values it may have.

/// One line is one field: type, field, text. Sorted.
const DESCRIPTIONS: &str = include_str!("descriptions.txt");

/// Fields with a fixed set of values: type, field, values.
const VALUES: &str = "\
AppArmorProfile type Localhost RuntimeDefault Unconfined
Container imagePullPolicy Always IfNotPresent Never
Container restartPolicy Always OnFailure Never
Container terminationMessagePolicy File FallbackToLogsOnError
ContainerPort protocol TCP UDP SCTP
DaemonSetUpdateStrategy type RollingUpdate OnDelete
DeploymentStrategy type RollingUpdate Recreate
HTTPGetAction scheme HTTP HTTPS
HostPathVolumeSource type BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
LabelSelectorRequirement operator In NotIn Exists DoesNotExist
NodeSelectorRequirement operator In NotIn Exists DoesNotExist Gt Lt
PodOS name linux windows
PodSecurityContext fsGroupChangePolicy Always OnRootMismatch
PodSpec dnsPolicy ClusterFirst ClusterFirstWithHostNet Default None
PodSpec preemptionPolicy PreemptLowerPriority Never
PodSpec restartPolicy Always OnFailure Never
PriorityClass preemptionPolicy PreemptLowerPriority Never
SeccompProfile type Localhost RuntimeDefault Unconfined
Taint effect NoSchedule PreferNoSchedule NoExecute
Toleration effect NoSchedule PreferNoSchedule NoExecute
Toleration operator Exists Equal
TopologySpreadConstraint nodeAffinityPolicy Honor Ignore
TopologySpreadConstraint nodeTaintsPolicy Honor Ignore
TopologySpreadConstraint whenUnsatisfiable DoNotSchedule ScheduleAnyway
VolumeMount mountPropagation None HostToContainer Bidirectional
";

fn look_up(table: &'static str, type_name: &str, field: &str) -> Option<&'static str> {
    // Ephemeral containers have the fields of others.
    let type_name = if type_name == "EphemeralContainer" { "Container" } else { type_name };
    table
        .lines()
        .find_map(|line| line.strip_prefix(type_name)?.strip_prefix(' ')?.strip_prefix(field)?.strip_prefix(' '))
}

/// What a field is for, in one plain sentence; `None` for fields that few people meet.
pub fn describe(type_name: &str, field: &str) -> Option<&'static str> {
    look_up(DESCRIPTIONS, type_name, field)
}

/// The values that a field may have, the usual one first; empty when any will do.
pub fn allowed_values(type_name: &str, field: &str) -> Vec<&'static str> {
    look_up(VALUES, type_name, field).map(|list| list.split(' ').collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::field_of;
    use super::*;

    #[test]
    fn every_hint_is_about_a_field() {
        for line in DESCRIPTIONS.lines().chain(VALUES.lines()) {
            let mut words = line.splitn(3, ' ');
            let (name, field) = (words.next().unwrap(), words.next().unwrap());
            assert!(field_of(name, field).is_some(), "{name}.{field}");
        }
        assert_eq!(describe("Taint", "key"), Some("Name of the taint."));
        assert_eq!(describe("EphemeralContainer", "tty"), describe("Container", "tty"));
        assert_eq!(describe("PodSpec", "nope"), None);
        assert_eq!(allowed_values("Toleration", "operator"), ["Exists", "Equal"]);
        assert!(allowed_values("Container", "image").is_empty());
    }
}
