use daemonset_playground::apiserver::{ApiServer, Write};
use daemonset_playground::kubectl::{self, CommandOutput, Context, Outcome};
use daemonset_playground::objects::*;
use serde_json::json;

pub const NOW: Time = Time(1_780_000_000);

/// A cluster with ready nodes of these names, nine seconds old.
pub fn cluster(nodes: &[&str]) -> ApiServer {
    let mut api = ApiServer::new(1, NOW);
    for (index, name) in nodes.iter().enumerate() {
        let node = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
            "status": {
                "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"},
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"},
                "addresses": [{"type": "InternalIP", "address": format!("192.168.1.{}", index + 11)}],
                "conditions": [{
                    "type": "Ready", "status": "True", "reason": "KubeletReady",
                    "message": "kubelet is posting ready status",
                    "lastHeartbeatTime": NOW.to_string(), "lastTransitionTime": NOW.to_string(),
                }],
                "nodeInfo": {"kubeletVersion": "v1.36.2"},
            },
        });
        api.commit(Write::Create(Object::from_value(node).unwrap())).unwrap();
    }
    api.set_now(NOW.plus_seconds(9));
    api
}

/// Runs a line that does not wait.
pub fn run(api: &mut ApiServer, line: &str) -> CommandOutput {
    run_with(api, &Context::default(), line)
}

pub fn run_with(api: &mut ApiServer, context: &Context, line: &str) -> CommandOutput {
    match kubectl::run(api, context, line) {
        Outcome::Done(output) => output,
        Outcome::Waiting(waiting) => panic!("{line} waits for {:?}", waiting.task()),
    }
}

/// Expects what a line prints on standard output, and that it ends well.
#[track_caller]
pub fn prints(api: &mut ApiServer, line: &str, wanted: &str) {
    let output = run(api, line);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.exit_code), (wanted, "", 0), "{line}");
}

/// Expects what a line says on standard error, and that it fails.
#[track_caller]
pub fn fails(api: &mut ApiServer, line: &str, wanted: &str) {
    let output = run(api, line);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.exit_code), ("", wanted, 1), "{line}");
}

pub const AGENT: &str = "\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  labels:
    app: agent
spec:
  selector:
    matchLabels:
      app: agent
  template:
    metadata:
      labels:
        app: agent
    spec:
      containers:
      - name: main
        image: agent:v1
";

/// A line that applies a manifest through a here-document.
pub fn apply(manifest: &str) -> String {
    format!("kubectl apply -f - <<'EOF'\n{manifest}EOF\n")
}
