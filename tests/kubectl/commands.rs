use crate::support::*;

#[test]
fn apply_creates_configures_and_leaves_alone() {
    let mut api = cluster(&["n1"]);
    prints(&mut api, &apply(AGENT), "daemonset.apps/agent created\n");
    prints(&mut api, &apply(AGENT), "daemonset.apps/agent unchanged\n");
    prints(
        &mut api,
        &apply(&AGENT.replace("v1\n", "v2\n").replace("apps/v2", "apps/v1")),
        "daemonset.apps/agent configured\n",
    );
    prints(&mut api, "kubectl get ds agent -o jsonpath={.metadata.generation}", "2");
    prints(
        &mut api,
        "kubectl get ds -o wide",
        "NAME    DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE   CONTAINERS   IMAGES     SELECTOR\n\
         agent   0         0         0       0            0           <none>          0s    main         agent:v2   app=agent\n",
    );
}

#[test]
fn a_field_that_is_no_longer_in_the_manifest_goes() {
    let mut api = cluster(&[]);
    let with = AGENT.replace("      containers:", "      nodeSelector:\n        disk: ssd\n      containers:");
    prints(&mut api, &apply(&with), "daemonset.apps/agent created\n");
    prints(&mut api, "kubectl get ds agent -o jsonpath='{.spec.template.spec.nodeSelector}'", "{\"disk\":\"ssd\"}");
    prints(&mut api, &apply(AGENT), "daemonset.apps/agent configured\n");
    prints(&mut api, "kubectl get ds agent -o jsonpath='{.spec.template.spec.nodeSelector}'", "");
}

#[test]
fn refusals_are_the_api_servers() {
    let mut api = cluster(&["n1"]);
    let without = AGENT.replace("  selector:\n    matchLabels:\n      app: agent\n", "");
    fails(
        &mut api,
        &apply(&without),
        "The DaemonSet \"agent\" is invalid: spec.template.metadata.labels: Invalid value: {\"app\":\"agent\"}: `selector` \
         does not match template `labels`\n",
    );
    fails(
        &mut api,
        &apply(&AGENT.replace("spec:\n  selector", "spec:\n  replicas: 3\n  selector")),
        "Error from server (BadRequest): error when creating \"STDIN\": DaemonSet in version \"v1\" cannot be handled as a \
         DaemonSet: strict decoding error: unknown field \"spec.replicas\"\n",
    );
    fails(&mut api, "kubectl get ds nope", "Error from server (NotFound): daemonsets.apps \"nope\" not found\n");
    fails(&mut api, "kubectl get pod x -n ghost", "Error from server (NotFound): namespaces \"ghost\" not found\n");
    fails(&mut api, "kubectl delete pod x -n ghost", "Error from server (NotFound): pods \"x\" not found\n");
}

#[test]
fn nodes_are_labelled_tainted_and_cordoned() {
    let mut api = cluster(&["n1", "n2"]);
    prints(&mut api, "kubectl label node n1 a=1 b- ", "label \"b\" not found.\nnode/n1 labeled\n");
    prints(&mut api, "kubectl taint nodes --all x=y:NoSchedule", "node/n1 tainted\nnode/n2 tainted\n");
    prints(&mut api, "kubectl taint nodes n1 x-", "node/n1 untainted\n");
    prints(
        &mut api,
        "kubectl cordon n2 && kubectl get no",
        "node/n2 cordoned\n\
        NAME   STATUS                     ROLES    AGE   VERSION\n\
        n1     Ready                      <none>   9s    v1.36.2\n\
        n2     Ready,SchedulingDisabled   <none>   9s    v1.36.2\n",
    );
    prints(&mut api, "kubectl get nodes | grep -c Ready", "2\n");
    prints(
        &mut api,
        "k get nodes -o name | xargs kubectl uncordon",
        "node/n1 already uncordoned\nnode/n2 uncordoned\n",
    );
}

#[test]
fn a_line_may_hold_several_commands() {
    let mut api = cluster(&[]);
    let output =
        run(&mut api, "kubectl create ns m; kubectl config set-context --current --namespace=m && kubectl get pods");
    assert_eq!(output.stdout, "namespace/m created\nContext \"kubernetes-admin@kubernetes\" modified.\n");
    assert_eq!(output.stderr, "No resources found in m namespace.\n");
    assert_eq!(output.effects, [daemonset_playground::kubectl::Effect::Namespace("m".into())]);
}

#[test]
fn the_command_is_recorded_as_the_reason_where_that_is_asked_for() {
    let mut api = cluster(&["node-1"]);
    run(&mut api, &apply(AGENT));
    let output = run(&mut api, "kubectl -n default set image ds/agent main=agent:v2 --record");
    assert_eq!(output.stdout, "daemonset.apps/agent image updated\n");
    assert_eq!(output.stderr, "Flag --record has been deprecated, --record will be removed in the future\n");
    prints(
        &mut api,
        "kubectl get ds agent -o jsonpath='{.metadata.annotations.kubernetes\\.io/change-cause}'",
        "kubectl set image ds/agent main=agent:v2 --namespace=default --record=true",
    );
}
