use super::*;
use serde_json::{Value, json};

fn daemonset(spec: Value) -> DaemonSet {
    decode(json!({"metadata": {"name": "agent"}, "spec": {"template": {"spec": spec}}})).unwrap()
}

fn node(labels: Value, taints: Value) -> Node {
    decode(json!({"metadata": {"name": "worker-1", "labels": labels}, "spec": {"taints": taints}})).unwrap()
}

fn affinity(terms: Value) -> Value {
    json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}})
}

/// The suggestions as a person reads them: edits of one change joined by " + ".
fn suggestions(daemonset: &DaemonSet, node: &Node) -> Vec<String> {
    let line = |change: &Change| {
        let edits = change.edits.iter().map(|edit| match edit.render(&node.metadata.name) {
            Rendered::Command(line) => line,
            Rendered::Manifest(ManifestEdit { path, operation }) => match operation {
                ManifestOperation::Set(value) => format!("{path} = {value}"),
                ManifestOperation::Append(value) => format!("{path} += {value}"),
                ManifestOperation::Remove => format!("{path} removed"),
            },
        });
        edits.collect::<Vec<_>>().join(" + ")
    };
    explain(daemonset, node).changes.iter().map(line).collect()
}

const AFFINITY: &str = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

#[test]
fn a_taint_is_tolerated_or_taken_away() {
    let taints = json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]);
    assert_eq!(
        suggestions(&daemonset(json!({})), &node(json!({}), taints)),
        [
            r#"spec.template.spec.tolerations += {"effect":"NoSchedule","key":"node-role.kubernetes.io/control-plane","operator":"Exists"}"#,
            "kubectl taint node worker-1 node-role.kubernetes.io/control-plane:NoSchedule-",
        ]
    );
}

#[test]
fn a_toleration_that_nearly_covers_the_taint_is_named_and_widened() {
    let tolerations = json!([{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}]);
    let daemonset = daemonset(json!({"tolerations": tolerations}));
    let node = node(json!({}), json!([{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}]));
    assert_eq!(near_misses(&daemonset, &node), [NearMiss { taint: 0, toleration: 0, differs: Difference::Value }]);
    assert_eq!(
        suggestions(&daemonset, &node),
        [
            r#"spec.template.spec.tolerations += {"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"infra"}"#,
            r#"spec.template.spec.tolerations[0] = {"effect":"NoSchedule","key":"dedicated","operator":"Exists"}"#,
            "kubectl taint node worker-1 dedicated:NoSchedule-",
        ]
    );
}

#[test]
fn a_missing_label_is_set_or_no_longer_asked_for() {
    assert_eq!(
        suggestions(&daemonset(json!({"nodeSelector": {"monitoring": "enabled"}})), &node(json!({}), json!([]))),
        ["kubectl label node worker-1 monitoring=enabled", "spec.template.spec.nodeSelector.monitoring removed"]
    );
}

#[test]
fn labels_of_the_kubelet_come_last() {
    let daemonset = daemonset(json!({"nodeSelector": {"kubernetes.io/os": "windows"}}));
    let node = node(json!({"kubernetes.io/os": "linux"}), json!([]));
    assert_eq!(
        suggestions(&daemonset, &node),
        [
            "spec.template.spec.nodeSelector[kubernetes.io/os] removed",
            r#"spec.template.spec.nodeSelector[kubernetes.io/os] = "linux""#,
            "kubectl label node worker-1 kubernetes.io/os=windows --overwrite",
        ]
    );
    let changes = explain(&daemonset, &node).changes;
    assert_eq!(changes.last().unwrap().cautions(), [Caution::LabelIsManaged]);
}

#[test]
fn of_several_terms_one_is_enough() {
    let terms = json!([
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
        {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["8"]}]},
    ]);
    assert_eq!(
        suggestions(&daemonset(affinity(terms)), &node(json!({"zone": "b", "cores": "4"}), json!([]))),
        [
            format!(r#"{AFFINITY}.nodeSelectorTerms[0].matchExpressions[0].values = ["a","b"]"#),
            format!(r#"{AFFINITY}.nodeSelectorTerms[1].matchExpressions[0].values = ["3"]"#),
            format!(
                r#"{AFFINITY}.nodeSelectorTerms += {{"matchFields":[{{"key":"metadata.name","operator":"In","values":["worker-1"]}}]}}"#
            ),
            "kubectl label node worker-1 zone=a --overwrite".into(),
            "kubectl label node worker-1 cores=9 --overwrite".into(),
            format!("{AFFINITY} removed"),
        ]
    );
}

#[test]
fn what_fails_together_is_mended_together() {
    let daemonset = daemonset(json!({"nodeSelector": {"disk": "ssd"}, "nodeName": "worker-1"}));
    let node = node(json!({}), json!([{"key": "gpu", "effect": "NoExecute"}]));
    let changes = explain(&daemonset, &node).changes;
    assert!(changes.iter().all(|change| change.size() == 2));
    assert_eq!(
        suggestions(&daemonset, &node)[0],
        r#"kubectl label node worker-1 disk=ssd + spec.template.spec.tolerations += {"effect":"NoExecute","key":"gpu","operator":"Exists"}"#
    );
    assert!(changes.iter().any(Change::is_on_node_only));
    assert!(changes.iter().any(Change::is_on_daemonset_only));
}

#[test]
fn a_node_that_should_run_a_pod_can_be_kept_free() {
    assert_eq!(
        suggestions(&daemonset(json!({"nodeSelector": {"disk": "ssd"}})), &node(json!({"disk": "ssd"}), json!([]))),
        [
            "kubectl taint node worker-1 dedicated=other:NoSchedule".to_owned(),
            format!(
                r#"{AFFINITY}.nodeSelectorTerms += {{"matchFields":[{{"key":"metadata.name","operator":"NotIn","values":["worker-1"]}}]}}"#
            ),
            "kubectl label node worker-1 disk-".into(),
        ]
    );
}

#[test]
fn another_nodes_name_in_the_template_helps_no_label() {
    let daemonset = daemonset(json!({"nodeName": "worker-2"}));
    assert_eq!(suggestions(&daemonset, &node(json!({}), json!([]))), ["spec.template.spec.nodeName removed"]);
}
