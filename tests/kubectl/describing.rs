//! `kubectl describe`, where the recordings do not reach.

use crate::support::*;

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  nodeName: node-1
  automountServiceAccountToken: false
  securityContext:
    seccompProfile: {type: RuntimeDefault}
  tolerations:
  - operator: Exists
  containers:
  - name: main
    image: web:1
    resources:
      requests: {cpu: 1500m, memory: 64Mi}
    env:
    - name: CPUS
      valueFrom: {resourceFieldRef: {resource: requests.cpu}}
    - name: MILLIS
      valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: 1m}}
    - name: LIMIT
      valueFrom: {resourceFieldRef: {resource: limits.memory}}
    - name: APP
      valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}
    - name: NODE
      valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
  volumes:
  - name: host
    hostPath: {path: /var/log}
  - name: scratch
    emptyDir: {}
";

#[test]
fn a_pod_with_all_kinds_of_variables() {
    let mut api = cluster(&["node-1"]);
    assert_eq!(run(&mut api, &apply(POD)).stderr, "");
    let text = run(&mut api, "kubectl describe pod web --show-events=false").stdout;
    let at = |from: &str, to: &str| {
        let start = text.find(from).unwrap_or_else(|| panic!("{from} is not in\n{text}"));
        let end = text[start..].find(to).map_or(text.len(), |length| start + length);
        text[start..end].to_owned()
    };
    assert_eq!(at("SeccompProfile:", "IPs"), "SeccompProfile:   RuntimeDefault\nIP:               \n");
    assert_eq!(
        at("    Environment:", "    Mounts"),
        "    Environment:\n      CPUS:    2 (requests.cpu)\n      MILLIS:  1500 (requests.cpu)\n      LIMIT:   node allocatable \
         (limits.memory)\n      APP:     web (v1:metadata.labels['app'])\n      NODE:     (v1:spec.nodeName)\n"
    );
    assert_eq!(
        at("Volumes:", "QoS"),
        "Volumes:\n  host:\n    Type:          HostPath (bare host directory volume)\n    Path:          /var/log\n    \
         HostPathType:  \n  scratch:\n    Type:        EmptyDir (a temporary directory that shares a pod's lifetime)\n    \
         Medium:      \n    SizeLimit:   <unset>\n"
    );
    assert_eq!(at("Tolerations:", "Events"), "Tolerations:     op=Exists\n");
}

#[test]
fn a_namespace_shows_its_quotas() {
    let mut api = cluster(&["node-1"]);
    assert_eq!(run(&mut api, "kubectl create quota few --hard=pods=2,requests.cpu=4").exit_code, 0);
    let text = run(&mut api, "kubectl describe ns default").stdout;
    assert!(
        text.ends_with(
            "\nResource Quotas\n  Name:         few\n  Resource      Used  Hard\n  --------      ---   ---\n  pods          0     2\n  \
             requests.cpu  0     4\n\nNo LimitRange resource.\n"
        ),
        "{text}"
    );
    prints(
        &mut api,
        "kubectl describe quota few",
        "Name:         few\nNamespace:    default\nResource      Used  Hard\n--------      ----  ----\npods          0     2\n\
         requests.cpu  0     4\n",
    );
}

#[test]
fn explain_lists_fields_with_their_values() {
    let mut api = cluster(&["node-1"]);
    prints(
        &mut api,
        "kubectl explain ds.spec.updateStrategy | tail -n +5 | head -n 16",
        "FIELD: updateStrategy <DaemonSetUpdateStrategy>\n\n\nDESCRIPTION:\n    How pods are replaced when the template changes.\n    \n\
         FIELDS:\n  rollingUpdate\t<RollingUpdateDaemonSet>\n    Limits of a rolling update.\n\n  type\t<string>\n  enum: \
         OnDelete, RollingUpdate\n    RollingUpdate replaces pods by itself, OnDelete only those that you delete.\n\n\n",
    );
    let text = run(&mut api, "kubectl explain ds.spec.updateStrategy.type").stdout;
    assert!(text.contains("FIELD: type <string>\nENUM:\n    OnDelete\n    RollingUpdate\n\nDESCRIPTION:\n"), "{text}");
    let text = run(&mut api, "kubectl explain ds --recursive").stdout;
    assert!(text.contains("\n      type\t<string>\n      enum: OnDelete, RollingUpdate\n"), "{text}");
    fails(&mut api, "kubectl explain ds.spec.nope", "error: field \"nope\" does not exist\n");
}

#[test]
fn numbers_that_must_be_there_are_shown_even_when_they_are_nought() {
    let mut api = cluster(&["node-1"]);
    run(&mut api, "kubectl create priorityclass none --value=0");
    prints(&mut api, "kubectl get pc none -o jsonpath='{.value}'", "0");
    run(&mut api, &apply(AGENT));
    prints(
        &mut api,
        "kubectl get ds agent -o jsonpath='{.status}'",
        "{\"currentNumberScheduled\":0,\"desiredNumberScheduled\":0,\"numberMisscheduled\":0,\"numberReady\":0}",
    );
}
