//! Server-side apply: who owns a field decides what an apply may change and what it takes away.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "other tests use more of it")]
mod create_path;

use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::{CommandOutput, Context, Outcome, run};
use daemonset_playground::objects::{Object, ObjectKey};
use serde_json::{Value, json};

fn kubectl(api: &mut ApiServer, line: &str, stdin: &str) -> CommandOutput {
    let context = Context { stdin: Some(stdin.to_owned()), ..Context::default() };
    match run(api, &context, line) {
        Outcome::Done(output) => output,
        Outcome::Waiting(_) => panic!("{line} waits"),
    }
}

/// Runs a command that must succeed.
fn ok(api: &mut ApiServer, line: &str, stdin: &str) -> String {
    let output = kubectl(api, line, stdin);
    assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""), "{line}");
    output.stdout
}

const SERVER_SIDE: &str = "kubectl apply --server-side -f -";

/// `more` goes into the container, `spec` into the pod's spec, both as the inside of a flow mapping.
fn agent(image: &str, more: &str, spec: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: agent, namespace: default}}\nspec:\n  \
         selector: {{matchLabels: {{app: agent}}}}\n  template:\n    metadata: {{labels: {{app: agent}}}}\n    \
         spec: {{{spec}containers: [{{name: main, image: '{image}'{more}}}]}}\n"
    )
}

fn pod_spec(api: &ApiServer) -> Value {
    let set = api.store().daemon_sets().get(&ObjectKey::new("default", "agent")).expect("it is there").clone();
    Object::DaemonSet(set).to_value()["spec"]["template"]["spec"].clone()
}

const WAYS_OUT: &str = "\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
";

#[test]
fn what_the_manager_no_longer_applies_goes() {
    let mut api = create_path::cluster();
    let first = agent("a:1", ", env: [{name: A, value: '1'}, {name: B, value: '2'}], tty: true", "hostPID: true, ");
    assert_eq!(ok(&mut api, SERVER_SIDE, &first), "daemonset.apps/agent serverside-applied\n");
    ok(&mut api, SERVER_SIDE, &agent("a:1", ", env: [{name: B, value: '2'}]", ""));
    let spec = pod_spec(&api);
    assert_eq!(spec["containers"][0]["env"], json!([{"name": "B", "value": "2"}]));
    assert_eq!((&spec["hostPID"], &spec["containers"][0]["tty"]), (&Value::Null, &Value::Null));
    ok(&mut api, SERVER_SIDE, &agent("a:1", "", ""));
    assert_eq!(pod_spec(&api)["containers"][0]["env"], Value::Null);
}

#[test]
fn what_others_have_set_stays_until_the_apply_is_forced() {
    let mut api = create_path::cluster();
    ok(&mut api, SERVER_SIDE, &agent("a:1", "", ""));
    ok(&mut api, "kubectl set env ds/agent A=1", "");
    ok(&mut api, "kubectl set image ds/agent main=a:2", "");
    // Nobody asks for that variable, so it stays; the image is asked for.
    let output = kubectl(&mut api, SERVER_SIDE, &agent("a:3", "", ""));
    let conflict = "conflict with \"kubectl-set\" using apps/v1: .spec.template.spec.containers[name=\"main\"].image";
    assert_eq!(output.stderr, format!("error: Apply failed with 1 conflict: {conflict}\n{WAYS_OUT}"));
    assert_eq!(output.exit_code, 1);
    assert_eq!(pod_spec(&api)["containers"][0]["image"], "a:2");
    // Who agrees shares the field.
    ok(&mut api, SERVER_SIDE, &agent("a:2", "", ""));
    let output = kubectl(&mut api, SERVER_SIDE, &agent("a:3", "", ""));
    assert!(output.stderr.contains(conflict), "{}", output.stderr);
    ok(&mut api, &format!("{SERVER_SIDE} --force-conflicts"), &agent("a:3", "", ""));
    let container = pod_spec(&api)["containers"][0].clone();
    assert_eq!((&container["image"], &container["env"]), (&json!("a:3"), &json!([{"name": "A", "value": "1"}])));
    ok(&mut api, SERVER_SIDE, &agent("a:4", "", ""));
}

#[test]
fn several_conflicts_are_listed_by_manager() {
    let mut api = create_path::cluster();
    ok(&mut api, &format!("{SERVER_SIDE} --field-manager=one"), &agent("a:1", ", tty: true", "hostPID: true, "));
    ok(&mut api, "kubectl set image ds/agent main=a:2", "");
    ok(&mut api, "kubectl label ds/agent team=red", "");
    let other = agent("a:3", ", tty: false", "hostPID: true, ")
        .replace("namespace: default", "namespace: default, labels: {team: blue}");
    let output = kubectl(&mut api, &format!("{SERVER_SIDE} --field-manager=two"), &other);
    let list = "error: Apply failed with 3 conflicts: conflicts with \"kubectl-label\" using apps/v1:\n\
                - .metadata.labels.team\n\
                conflicts with \"kubectl-set\" using apps/v1:\n\
                - .spec.template.spec.containers[name=\"main\"].image\n\
                conflicts with \"one\":\n\
                - .spec.template.spec.containers[name=\"main\"].tty\n";
    assert_eq!(output.stderr, format!("{list}{WAYS_OUT}"));
}

#[test]
fn kubectl_goes_over_from_the_clients_side_without_a_conflict() {
    let mut api = create_path::cluster();
    ok(&mut api, "kubectl apply -f -", &agent("a:1", ", env: [{name: A, value: '1'}]", ""));
    ok(&mut api, SERVER_SIDE, &agent("a:2", ", env: [{name: A, value: '1'}]", ""));
    // What was applied on the client's side is its own now.
    ok(&mut api, SERVER_SIDE, &agent("a:2", "", ""));
    assert_eq!(pod_spec(&api)["containers"][0]["env"], Value::Null);
    // Another manager has no such right.
    let output = kubectl(&mut api, &format!("{SERVER_SIDE} --field-manager=other"), &agent("a:3", "", ""));
    let conflict = "conflict with \"kubectl\": .spec.template.spec.containers[name=\"main\"].image";
    assert!(
        output.stderr.starts_with(&format!("error: Apply failed with 1 conflict: {conflict}\n")),
        "{}",
        output.stderr
    );
}

#[test]
fn a_dry_run_owns_nothing_and_two_managers_may_share_a_field() {
    let mut api = create_path::cluster();
    ok(&mut api, &format!("{SERVER_SIDE} --field-manager=one"), &agent("a:1", ", tty: true", ""));
    ok(&mut api, &format!("{SERVER_SIDE} --field-manager=two --dry-run=server"), &agent("a:1", ", tty: true", ""));
    ok(&mut api, &format!("{SERVER_SIDE} --field-manager=one"), &agent("a:1", "", ""));
    assert_eq!(pod_spec(&api)["containers"][0]["tty"], Value::Null);
    for manager in ["one", "two"] {
        ok(&mut api, &format!("{SERVER_SIDE} --field-manager={manager}"), &agent("a:1", ", tty: true", ""));
    }
    ok(&mut api, &format!("{SERVER_SIDE} --field-manager=one"), &agent("a:1", "", ""));
    assert_eq!(pod_spec(&api)["containers"][0]["tty"], true);
}
