//! What kubectl answers to lines that are not quite right, and to flags that are used less often: a table.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;

fn playground() -> ApiServer {
    let mut api = cluster(&["w1", "w2"]);
    for line in [
        apply(AGENT),
        "kubectl run web --image=web:1 --labels=app=web".into(),
        "kubectl create deployment front --image=front:1".into(),
        "kubectl create configmap settings --from-literal=mode=loud".into(),
        "kubectl taint nodes w2 maint=yes:NoSchedule".into(),
    ] {
        assert_eq!(run(&mut api, &line).exit_code, 0, "{line}");
    }
    api
}

/// Lines that go well, and what they print.
const PRINTED: &[(&str, &str)] = &[
    // Names win over --all.
    ("kubectl label node --all w1 a=b", "node/w1 labeled\n"),
    ("kubectl annotate pods --all web a=b", "pod/web annotated\n"),
    ("kubectl set image ds agent --all main=agent:v2", "daemonset.apps/agent image updated\n"),
    ("kubectl set env ds/agent --all A=1", "daemonset.apps/agent env updated\n"),
    // Not every command says that it only tried.
    ("kubectl taint nodes w1 a=b:NoSchedule --dry-run=client", "node/w1 tainted\n"),
    ("kubectl taint nodes w1 a=b:NoSchedule --dry-run=server", "node/w1 tainted\n"),
    ("kubectl patch node w1 -p '{\"metadata\":{\"labels\":{\"x\":\"y\"}}}' --dry-run=client", "node/w1 patched\n"),
    (
        "kubectl autoscale deployment front --max=3 --dry-run=client",
        "horizontalpodautoscaler.autoscaling/front created (dry run)\n",
    ),
    // A client that tries a deletion asks nobody.
    ("kubectl delete pod nope --dry-run=client", "pod \"nope\" deleted from default namespace (dry run)\n"),
    // The server's columns, or kubectl's own.
    ("kubectl get nodes --server-print=false", "NAME   AGE\nw1     9s\nw2     9s\n"),
    ("kubectl get ds --server-print=false --no-headers --show-kind", "daemonset.apps/agent   0s\n"),
    (
        "kubectl get nodes --server-print=false -L kubernetes.io/os",
        "NAME   AGE   OS\nw1     9s    linux\nw2     9s    linux\n",
    ),
    ("kubectl wait node/w1 --for=condition=Ready -o name", "node/w1\n"),
    ("kubectl wait node/w1 --for=condition=Ready -o jsonpath='{.metadata.name}'", "w1"),
    ("kubectl get ds agent -o go-template='{{.metadata.generation | printf \"%03d\"}}'", "001"),
    (
        "kubectl get ds agent -o go-template='{{.metadata.name | printf \"%-10s|%10s|\" \"a\"}}'",
        "a         |     agent|",
    ),
    ("kubectl get nodes --sort-by=.spec.taints[0].key -o name", "node/w1\nnode/w2\n"),
    ("kubectl get pods -o name | head -c 6", "pod/we"),
    ("kubectl get pods -o name | tail -c 4", "web\n"),
    ("kubectl auth can-i create daemonsets.apps", "yes\n"),
    ("kubectl auth can-i create pods -q", ""),
    ("kubectl auth can-i get /healthz", "yes\n"),
    ("kubectl describe pods we --show-events=false | tail -n 1 | wc -c", "1\n"),
];

/// Lines that fail, and what they say.
const REFUSED: &[(&str, &str)] = &[
    ("kubectl get foo.bar", "error: the server doesn't have a resource type \"foo\"\n"),
    ("kubectl get daemonset.v1beta1.apps agent", "error: the server doesn't have a resource type \"daemonset\"\n"),
    ("kubectl get pods --raw /healthz", "error: arguments may not be passed when --raw is specified\n"),
    ("kubectl get --raw /healthz -o yaml", "error: --raw and --output are mutually exclusive\n"),
    (
        "kubectl get pods web --output-watch-events",
        "error: --output-watch-events option can only be used with --watch or --watch-only\n",
    ),
    (
        "kubectl get -f x.yaml pod web",
        "error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well\n",
    ),
    (
        "kubectl label -f x.yaml pod/web a=b",
        "error: resource/name arguments cannot be provided when a path is specified\n",
    ),
    ("kubectl describe ds/nope pod/web", "Error from server (NotFound): daemonsets.apps \"nope\" not found\n"),
    (
        "kubectl get pod web -o jsonpath='{.metadata[\"name\"]}'",
        "error: error parsing jsonpath {.metadata[\"name\"]}, invalid array index \"name\"\n",
    ),
    ("kubectl patch ds agent --type=merge -p '[]' --dry-run=client", "error: invalid JSON document\n"),
    ("kubectl explain foo", "the server doesn't have a resource type \"foo\"\n"),
    ("kubectl taint foo w1 a=b:NoSchedule", "the server doesn't have a resource type \"foo\"\n"),
    (
        "kubectl taint nodes w1 a=b:NoSchedule a-",
        "error: can not both modify and remove the following taint(s) in the same command: a=\n",
    ),
    (
        "kubectl taint nodes w1 a=b:NoSchedule a:NoSchedule-",
        "error: can not both modify and remove the following taint(s) in the same command: a=NoSchedule\n",
    ),
    // Nothing is cordoned when one of them is not there.
    ("kubectl cordon w1 nope", "Error from server (NotFound): nodes \"nope\" not found\n"),
    ("kubectl cordon pod/web", "error: expected resource of type node, got \"/v1, Resource=pods\"\n"),
    ("kubectl drain pod/web", "error: expected resource of type node, got \"/v1, Resource=pods\"\n"),
    (
        "kubectl cordon w1 -l a=b",
        "error: cannot specify both a node name and a --selector option\nSee 'kubectl cordon -h' for help and examples\n",
    ),
    (
        "kubectl drain w1 --delete-local-data",
        "error: unknown flag: --delete-local-data\nSee 'kubectl drain --help' for usage.\n",
    ),
    ("kubectl delete pods --all -l app=web", "error: setting 'all' parameter but found a non empty selector. \n"),
    ("kubectl delete pods --all web", "error: name cannot be provided when a selector is specified\n"),
    ("kubectl delete pod web -o yaml", "error: unexpected -o output mode: yaml. We only support '-o name'\n"),
    ("kubectl wait pod/nope --for=create --timeout=0s", "error: condition not met for pods/nope\n"),
    ("kubectl create", "error: must specify one of -f and -k\n"),
    ("kubectl create foo", "error: Unexpected args: [foo]\nSee 'kubectl create -h' for help and examples\n"),
    ("kubectl create deployment", "error: required flag(s) \"image\" not set\n"),
    ("kubectl run", "error: required flag(s) \"image\" not set\n"),
    ("kubectl run x --image=y --env=A", "error: invalid env: A\n"),
    ("kubectl run x --image=y --port=x", "error: strconv.Atoi: parsing \"x\": invalid syntax\n"),
    (
        "kubectl run x --image=y --restart=Foo",
        "error: invalid restart policy: Foo\nSee 'kubectl run -h' for help and examples\n",
    ),
    (
        "kubectl autoscale deployment front --max=1 --min=3",
        "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 1, min: 3\n",
    ),
    (
        "kubectl api-resources foo",
        "error: unexpected arguments: [foo]\nSee 'kubectl api-resources -h' for help and examples\n",
    ),
    ("kubectl api-resources -o foo", "error: --output foo is not available\n"),
    ("kubectl api-resources --sort-by=foo", "error: --sort-by accepts only name or kind\n"),
    ("kubectl version foo", "error: extra arguments: [foo]\n"),
    ("kubectl config set-context", "error: you must specify a non-empty context name or --current\n"),
    (
        "kubectl auth can-i create",
        "error: you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.\n",
    ),
    ("kubectl exec web", "error: you must specify at least one command for the container\n"),
];

#[test]
fn less_common_lines_print_what_kubectl_prints() {
    for (line, wanted) in PRINTED {
        prints(&mut playground(), line, wanted);
    }
}

#[test]
fn wrong_lines_get_kubectls_own_words() {
    for (line, wanted) in REFUSED {
        fails(&mut playground(), line, wanted);
    }
}

#[test]
fn what_is_there_is_done_before_what_is_not_there_is_told() {
    let missing = "Error from server (NotFound): daemonsets.apps \"nope\" not found\n";
    for (line, wanted) in [
        ("kubectl rollout restart ds nope agent", "daemonset.apps/agent restarted\n"),
        ("kubectl rollout history ds agent nope", "daemonset.apps/agent \nNo rollout history found.\n"),
    ] {
        let said = run(&mut playground(), line);
        assert_eq!((said.stdout.as_str(), said.stderr.as_str(), said.exit_code), (wanted, missing, 1), "{line}");
    }
}

#[test]
fn warnings_stand_beside_the_answer() {
    for (line, printed, warned) in [
        ("kubectl auth can-i create foo", "yes\n", "Warning: the server doesn't have a resource type 'foo'\n\n"),
        ("kubectl auth can-i get nodes", "yes\n", "Warning: resource 'nodes' is not namespace scoped\n\n"),
        ("kubectl auth can-i fly pods", "yes\n", "Warning: verb 'fly' is not a known verb\n\n"),
        (
            "kubectl set env ds/agent --from=configmap/settings",
            "daemonset.apps/agent env updated\n",
            "Warning: key mode transferred to MODE\n",
        ),
        (
            "kubectl delete pod web --cascade=false --wait=false",
            "pod \"web\" deleted from default namespace\n",
            "warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.\n",
        ),
    ] {
        let said = run(&mut playground(), line);
        assert_eq!((said.stdout.as_str(), said.stderr.as_str(), said.exit_code), (printed, warned, 0), "{line}");
    }
}

#[test]
fn a_group_without_a_subcommand_shows_its_help_and_fails() {
    for (line, on_stderr) in [("kubectl set", true), ("kubectl config", true), ("kubectl rollout", false)] {
        let said = run(&mut playground(), line);
        let (shown, silent) = if on_stderr { (said.stderr, said.stdout) } else { (said.stdout, said.stderr) };
        assert!(shown.contains("Available Commands:") && silent.is_empty() && said.exit_code == 1, "{line}: {shown}");
    }
}

#[test]
fn resources_on_their_way_out_are_listed_with_the_servers_warning() {
    let mut api = playground();
    run(&mut api, "kubectl expose deployment front --port=80");
    let said = run(&mut api, "kubectl get endpoints");
    assert_eq!(said.stderr, "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n");
    assert_eq!(
        said.stdout,
        "NAME         ENDPOINTS           AGE\nfront        <none>              0s\nkubernetes   192.168.1.10:6443   9s\n"
    );
    let said = run(&mut api, "kubectl get cs");
    assert_eq!(said.stderr, "Warning: v1 ComponentStatus is deprecated in v1.19+\n");
    assert_eq!(
        said.stdout,
        "NAME                 STATUS    MESSAGE   ERROR\ncontroller-manager   Healthy   ok        \n\
         etcd-0               Healthy   ok        \nscheduler            Healthy   ok        \n"
    );
    assert_eq!(run(&mut api, "kubectl get endpoints kubernetes -o name").stdout, "endpoints/kubernetes\n");
}
