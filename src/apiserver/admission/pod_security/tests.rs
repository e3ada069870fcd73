use super::*;
use serde_json::json;

fn agent() -> Value {
    json!({"metadata": {"name": "agent-x"}, "spec": {
        "hostNetwork": true, "hostPID": true,
        "volumes": [{"name": "proc", "hostPath": {"path": "/proc"}}, {"name": "sys", "hostPath": {"path": "/sys"}}],
        "containers": [{"name": "agent", "image": "i", "ports": [{"containerPort": 9100, "hostPort": 9100}],
            "securityContext": {"capabilities": {"add": ["SYS_TIME"]}}}],
    }})
}

#[test]
fn baseline_names_what_an_agent_may_not_have() {
    let labels = json!({"pod-security.kubernetes.io/enforce": "baseline"});
    assert_eq!(
        refusal(Tree(&labels), &agent()).unwrap(),
        "violates PodSecurity \"baseline:latest\": non-default capabilities (container \"agent\" must not include \
         \"SYS_TIME\" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true), \
         hostPath volumes (volumes \"proc\", \"sys\"), hostPort (container \"agent\" uses hostPort 9100)"
    );
    assert_eq!(refusal(Tree(&json!({})), &agent()), None);
    let privileged = json!({"pod-security.kubernetes.io/enforce": "privileged"});
    assert_eq!(refusal(Tree(&privileged), &agent()), None);
}

#[test]
fn restricted_also_names_what_is_missing() {
    let labels = json!({"pod-security.kubernetes.io/warn": "restricted"});
    let set = json!({"spec": {"template": {"metadata": {}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    assert_eq!(
        warning(Tree(&labels), "DaemonSet", &set).unwrap(),
        "would violate PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false (container \"c\" must \
         set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"c\" must set \
         securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"c\" must set \
         securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set \
         securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
    );
    assert_eq!(warning(Tree(&labels), "ConfigMap", &set), None);
    let context = json!({"runAsNonRoot": true, "allowPrivilegeEscalation": false,
        "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}});
    let sound = json!({"metadata": {}, "spec": {"containers": [{"name": "c", "securityContext": context}]}});
    assert_eq!(warning(Tree(&labels), "Pod", &sound), None);
}

#[test]
fn what_is_enforced_is_warned_about_unless_said_otherwise() {
    let set = json!({"spec": {"template": {"spec": {"hostPID": true}}}});
    let of = |labels: Value| warning(Tree(&labels), "DaemonSet", &set);
    let enforce = "pod-security.kubernetes.io/enforce";
    let told = of(json!({enforce: "baseline", "pod-security.kubernetes.io/enforce-version": "v1.30"})).unwrap();
    assert_eq!(told, "would violate PodSecurity \"baseline:v1.30\": host namespaces (hostPID=true)");
    assert_eq!(of(json!({enforce: "baseline", "pod-security.kubernetes.io/warn": "privileged"})), None);
}

#[test]
fn labels_that_cannot_be_read_are_named() {
    let labels = json!({"pod-security.kubernetes.io/enforce": "strict",
        "pod-security.kubernetes.io/warn-version": "v2", "pod-security.kubernetes.io/audit-version": "v1.30"});
    let found = unreadable_labels(Tree(&labels));
    let found: Vec<&str> = found.iter().map(|(label, ..)| label.as_str()).collect();
    assert_eq!(found, ["pod-security.kubernetes.io/enforce", "pod-security.kubernetes.io/warn-version"]);
}

#[test]
fn a_stricter_namespace_tells_which_of_its_pods_do_not_conform() {
    let (old, new) = (json!({}), json!({"pod-security.kubernetes.io/enforce": "baseline"}));
    let pod = |name: &str| json!({"metadata": {"name": name}, "spec": {"hostPID": true, "containers": []}});
    let pods = [pod("b"), pod("a"), pod("c"), json!({"metadata": {"name": "d"}, "spec": {}})];
    let told = |from: &Value, to: &Value| namespace_warnings("x", Tree(from), Tree(to), pods.iter());
    assert_eq!(
        told(&old, &new),
        [
            "existing pods in namespace \"x\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "a (and 2 other pods): host namespaces",
        ]
    );
    assert!(told(&new, &old).is_empty() && told(&new, &new).is_empty());
}
