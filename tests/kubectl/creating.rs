//! Objects that kubectl writes itself: `run`, `create deployment` and the like.

use crate::support::*;

#[test]
fn a_client_dry_run_shows_what_would_be_sent() {
    let mut api = cluster(&["node-1"]);
    prints(
        &mut api,
        "kubectl run web --image=web:1 --port=80 --dry-run=client -o yaml",
        "\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: web
  name: web
spec:
  containers:
  - image: web:1
    name: web
    ports:
    - containerPort: 80
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
",
    );
    prints(
        &mut api,
        "kubectl create deployment web --image=registry.example/team/web:1 -n default --dry-run=client -o yaml -- serve -v",
        "\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: web
  name: web
  namespace: default
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web
  strategy: {}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - command:
        - serve
        - -v
        image: registry.example/team/web:1
        name: web
        resources: {}
status: {}
",
    );
    assert_eq!(api.store().all().iter().filter(|object| &*object.metadata().name == "web").count(), 0);
}

#[test]
fn created_objects_are_what_the_flags_say() {
    let mut api = cluster(&["node-1"]);
    prints(
        &mut api,
        "kubectl create configmap settings --from-literal=a=1 --from-literal=b=x=y",
        "configmap/settings created\n",
    );
    prints(&mut api, "kubectl get cm settings -o jsonpath='{.data}'", "{\"a\":\"1\",\"b\":\"x=y\"}");
    prints(
        &mut api,
        "kubectl create pdb keep --selector=app=web --min-available=50%",
        "poddisruptionbudget.policy/keep created\n",
    );
    prints(
        &mut api,
        "kubectl get pdb keep -o jsonpath='{.spec}'",
        "{\"minAvailable\":\"50%\",\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}",
    );
    prints(&mut api, "kubectl create quota few --hard=pods=2,configmaps=9", "resourcequota/few created\n");
    prints(&mut api, "kubectl get quota few -o jsonpath='{.spec.hard}'", "{\"configmaps\":\"9\",\"pods\":\"2\"}");
    prints(
        &mut api,
        "kubectl run web --image=web:1 --overrides='{\"spec\":{\"nodeName\":\"node-1\"}}'",
        "pod/web created\n",
    );
    prints(&mut api, "kubectl get pod web -o jsonpath='{.spec.nodeName}'", "node-1");
}

#[test]
fn refusals_say_what_was_to_be_created() {
    let mut api = cluster(&["node-1"]);
    prints(&mut api, "kubectl create deployment web --image=web:1", "deployment.apps/web created\n");
    fails(
        &mut api,
        "kubectl create deployment web --image=web:1",
        "error: failed to create deployment: deployments.apps \"web\" already exists\n",
    );
    fails(
        &mut api,
        "kubectl create deployment a b --image=web:1",
        "error: exactly one NAME is required, got 2\nSee 'kubectl create deployment -h' for help and examples\n",
    );
    fails(
        &mut api,
        "kubectl create namespace default",
        "Error from server (AlreadyExists): namespaces \"default\" already exists\n",
    );
    fails(&mut api, "kubectl create job x --image=y", "error: kubectl create job is not in this playground\n");
    fails(&mut api, "kubectl run web --image=Web", "error: Invalid image name \"Web\": invalid reference format\n");
    fails(
        &mut api,
        "kubectl create pdb x --selector=a=b",
        "error: one of min-available or max-unavailable must be specified\n",
    );
    fails(
        &mut api,
        "kubectl create configmap x --from-literal=a",
        "error: invalid literal source a, expected key=value\n",
    );
}

#[test]
fn a_pod_that_is_sent_back_as_it_was_shown_stays_as_it_is() {
    let mut api = cluster(&["node-1"]);
    prints(&mut api, "kubectl run web --image=web:1", "pod/web created\n");
    let shown = run(&mut api, "kubectl get pod web -o yaml").stdout;
    assert_eq!(shown.matches("name: kube-api-access-").count(), 2, "one volume, one mount");
    prints(&mut api, "kubectl get pod web -o yaml | kubectl replace -f -", "pod/web replaced\n");
    assert_eq!(run(&mut api, "kubectl get pod web -o yaml").stdout, shown);
}

#[test]
fn a_service_takes_over_labels_selector_and_ports() {
    let mut api = cluster(&["node-1"]);
    prints(&mut api, "kubectl create deployment web --image=web:1 --port=8080", "deployment.apps/web created\n");
    prints(
        &mut api,
        "kubectl expose deployment web --dry-run=client -o yaml",
        "\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
  name: web
spec:
  ports:
  - port: 8080
    protocol: TCP
    targetPort: 8080
  selector:
    app: web
status:
  loadBalancer: {}
",
    );
    prints(&mut api, "kubectl expose deployment web --port=80 --name=front", "service/front exposed\n");
    fails(
        &mut api,
        "kubectl rollout pause deploy/web 1>/dev/null && kubectl rollout restart deploy/web",
        "error: deployments.apps \"web\" can't restart paused deployment (run rollout resume first)\n",
    );
}

#[test]
fn a_document_must_say_what_it_is() {
    let mut api = cluster(&[]);
    let mut refused = |head: &str, problem: &str| {
        let wanted = format!(
            "error: error validating \"STDIN\": error validating data: {problem}; if you choose to ignore these errors, \
             turn validation off with --validate=false\n"
        );
        fails(&mut api, &apply(&format!("{head}metadata:\n  name: x\n")), &wanted);
    };
    refused("kind: DaemonSet\n", "apiVersion not set");
    refused("apiVersion: 1\n", "[apiVersion isn't string type, kind not set]");
    refused("apiVersion: apps/v1\nkind: true\n", "kind isn't string type");
    refused("apiVersion: apps/v1/x\nkind: DaemonSet\n", "unexpected GroupVersion string: apps/v1/x");
    fails(
        &mut api,
        &apply("apiVersion: \"\"\nkind: DaemonSet\nmetadata:\n  name: x\n"),
        "error: resource mapping not found for name: \"x\" namespace: \"\" from \"STDIN\": no matches for kind \
         \"DaemonSet\" in version \"\"\nensure CRDs are installed first\n",
    );
}

#[test]
fn a_list_must_say_what_it_is_too() {
    let mut api = cluster(&[]);
    fails(
        &mut api,
        &apply("apiVersion: v1\nitems: []\n"),
        "error: error validating \"STDIN\": error validating data: kind not set; if you choose to ignore these errors, \
         turn validation off with --validate=false\n",
    );
    fails(&mut api, &apply("apiVersion: v1\nkind: List\nitems: []\n"), "error: no objects passed to apply\n");
}
