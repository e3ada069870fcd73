//! What goes out and comes in: dumps of clusters, scripts, transcripts.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::exchange::*;
use daemonset_playground::objects::*;
use daemonset_playground::simulation::*;
use std::collections::BTreeMap;

const WORKLOADS: &str = "\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      serviceAccountName: agent
      containers: [{name: main, image: 'agent:v1', resources: {requests: {cpu: 50m}}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: agent, namespace: default}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: 'web:v1'}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: broken, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: broken}}
  template:
    metadata: {labels: {app: broken}}
    spec: {containers: [{name: main, image: 'broken:v1'}]}
";

const DUMP: &str = "kubectl get nodes,daemonsets,deployments,pods,priorityclasses -A";

/// A cluster in which all is settled, as a real one would be when its dump is taken.
fn settled() -> Session {
    let scenario = "behaviours: [{match: {image: broken}, outcome: {type: ImagePull, backingOff: true}}]\n";
    let mut session = Session::new(Scenario::parse(scenario).unwrap());
    run(&mut session, "sim add-node worker --count 3");
    run(&mut session, "kubectl apply -f workloads.yaml");
    session.run_until(60_000, 10_000);
    session
}

fn run(session: &mut Session, line: &str) -> String {
    let files = BTreeMap::from([("workloads.yaml".to_owned(), WORKLOADS.to_owned())]);
    let run = session.run(line, &files);
    assert_eq!((run.stderr.as_str(), run.exit_code), ("", Some(0)), "{line}");
    run.stdout.clone()
}

/// Reads a dump in pieces of this many bytes.
fn read(text: &str, piece: usize) -> Result<Dump, DumpError> {
    let mut reader = DumpReader::default();
    let mut pieces = text.as_bytes().chunks(piece);
    loop {
        match reader.take()? {
            Took::Item => {}
            Took::End => return Ok(reader.finish()),
            Took::Wait => match pieces.next() {
                Some(piece) => reader.feed(piece),
                None => reader.end(),
            },
        }
    }
}

fn open(adopted: Adopted) -> Session {
    let mut opening = Opening::new(adopted.scenario, adopted.objects);
    while !opening.go_on(7) {}
    let (scenario, world) = opening.finish();
    Session::adopt(scenario, world)
}

fn pods(session: &Session) -> Vec<(String, String, String, String)> {
    let pods = session.world().store().pods().values();
    pods.map(|pod| {
        let name = pod.metadata.name.to_string();
        (name, pod.metadata.uid.to_string(), pod.spec.node_name.to_string(), pod.status.phase.clone())
    })
    .collect()
}

#[test]
fn a_settled_cluster_comes_in_and_nothing_moves() {
    let mut there = settled();
    for format in ["json", "yaml"] {
        let text = run(&mut there, &format!("{DUMP} -o {format}"));
        assert!(looks_like_a_dump(&text[..2000]), "{format}");
        let adopted = adopt(read(&text, 1000).unwrap());
        assert_eq!(adopted.report.acted_on.get("Pod"), Some(&7), "{format}");
        assert_eq!(adopted.report.made_up.get("ReplicaSet"), Some(&2));
        assert_eq!(adopted.report.made_up.get("ControllerRevision"), Some(&1));
        assert_eq!(adopted.report.made_up.get("ServiceAccount"), Some(&1));
        assert!(adopted.report.ignored.is_empty() && adopted.report.mixed.is_empty());
        let mut here = open(adopted);
        assert_eq!(pods(&here), pods(&there), "{format}");
        here.run_until(600_000, 10_000);
        assert_eq!(pods(&here), pods(&there), "{format}: after ten minutes");
        let told: Vec<String> = here.steps().map(|step| transcript_line(step)).collect();
        let quiet = told.iter().all(|line| !line.contains(": +") && !line.contains("- Pod"));
        assert!(quiet, "{format}: {told:#?}");
        let status = run(&mut here, "kubectl rollout status ds/agent && kubectl rollout status deploy/web");
        assert!(status.ends_with("deployment \"web\" successfully rolled out\n"), "{status}");
    }
}

#[test]
fn a_change_is_tried_on_what_came_in() {
    let text = run(&mut settled(), &format!("{DUMP} -o json"));
    let mut here = open(adopt(read(&text, 4096).unwrap()));
    run(&mut here, "kubectl set image ds/agent main=agent:v2 && kubectl set image deploy/web main=web:v2");
    here.run_until(here.world().now_ms() + 120_000, 10_000);
    let images = run(&mut here, "kubectl get pods -o jsonpath='{.items[*].spec.containers[0].image}'");
    let count = |image: &str| images.split(' ').filter(|found| *found == image).count();
    assert_eq!((count("agent:v2"), count("web:v2"), count("broken:v1")), (3, 3, 1), "{images}");
    let history = run(&mut here, "kubectl rollout history ds/agent");
    assert_eq!(history, "daemonset.apps/agent \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n");
    here.run("kubectl rollout undo ds/agent", &BTreeMap::new());
    here.run_until(here.world().now_ms() + 120_000, 10_000);
    let images = run(&mut here, "kubectl get pods -l app=agent -o jsonpath='{.items[*].spec.containers[0].image}'");
    assert_eq!(images, "agent:v1 agent:v1 agent:v1");
}

#[test]
fn what_came_in_is_saved_and_opened_again_step_for_step() {
    let text = run(&mut settled(), &format!("{DUMP} -o json"));
    let mut here = open(adopt(read(&text, 4096).unwrap()));
    run(&mut here, "kubectl set image ds/agent main=agent:v2");
    here.run_until(60_000, 10_000);
    here.run("kubectl drain worker1 --ignore-daemonsets", &BTreeMap::new());
    here.run_to_quiet(10_000);
    let saved = here.scenario().to_yaml();
    let mut again = Session::new(Scenario::parse(&saved).unwrap());
    while again.position() < here.len() && again.step() {}
    assert_eq!(again.len(), here.len());
    for (a, b) in again.steps().zip(here.steps()) {
        let (a, b) = (format!("{a:?}"), format!("{b:?}"));
        let differs = a.bytes().zip(b.bytes()).position(|(a, b)| a != b).unwrap_or(0);
        let around = |text: &str| text.chars().skip(differs.saturating_sub(200)).take(300).collect::<String>();
        assert!(a == b, "{}\n{}", around(&a), around(&b));
    }
}

#[test]
fn nothing_is_dropped_without_a_word() {
    let live = "uid: u, creationTimestamp: \"2026-03-05T10:11:12Z\", managedFields: [{manager: kubelet, time: \"2026-03-05T11:00:00Z\"}]";
    let item = |api: &str, kind: &str, name: &str, rest: &str| {
        format!("- {{apiVersion: {api}, kind: {kind}, metadata: {{name: {name}, namespace: shop, {live}}}{rest}}}\n")
    };
    let text = [
        "apiVersion: v1\nitems:\n".to_owned(),
        item("v1", "ConfigMap", "settings", ", data: {mode: loud}"),
        item("v1", "Secret", "password", ", data: {password: aHVudGVyMg==}"),
        item("cert-manager.io/v1", "Certificate", "a", ""),
        item("cert-manager.io/v1", "Certificate", "b", ""),
        item("v1", "Pod", "odd", ", spec: {containers: 3}"),
        "kind: List\nmetadata: {resourceVersion: \"\"}\n".to_owned(),
    ]
    .concat();
    let dump = read(&text, 64).unwrap();
    assert_eq!(dump.taken_at, Time::parse("2026-03-05T11:00:00Z"));
    assert_eq!(dump.managed_fields, 2, "of the objects that came in or could have");
    let adopted = adopt(dump);
    let ignored: Vec<(String, usize)> = adopted
        .report
        .ignored
        .iter()
        .map(|(ignored, count)| {
            let reason = match &ignored.reason {
                IgnoredReason::Secret => "secret",
                IgnoredReason::UnknownKind => "unknown",
                IgnoredReason::Unreadable(_) => "unreadable",
            };
            (format!("{} {reason}", ignored.kind), *count)
        })
        .collect();
    let expected = [("Certificate.cert-manager.io unknown", 2), ("Pod unreadable", 1), ("Secret secret", 1)];
    assert_eq!(ignored, expected.map(|(what, count)| (what.to_owned(), count)));
    assert_eq!(adopted.report.kept, BTreeMap::from([("ConfigMap".to_owned(), 1)]));
    let mut here = open(adopted);
    assert_eq!(run(&mut here, "kubectl get cm settings -n shop -o jsonpath={.data.mode}"), "loud");
    assert_eq!(run(&mut here, "kubectl get ns shop -o name"), "namespace/shop\n");
}

#[test]
fn owners_of_other_kinds_are_respected() {
    let text = r#"{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db-0", "namespace": "shop", "uid": "p1",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "s1", "controller": true}]},
            "spec": {"containers": [{"name": "db", "image": "db:16"}]}, "status": {"phase": "Running"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "job-x", "namespace": "shop", "uid": "p2",
            "ownerReferences": [{"apiVersion": "batch.example.org/v1", "kind": "Train", "name": "t", "uid": "t1", "controller": true}]},
            "spec": {"containers": [{"name": "t", "image": "t:1"}]}, "status": {"phase": "Running"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent-x", "namespace": "shop", "uid": "p3",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "d1", "controller": true}]},
            "spec": {"containers": [{"name": "a", "image": "a:1"}]}, "status": {"phase": "Running"}}]}"#;
    let adopted = adopt(read(text, 10).unwrap());
    let counted =
        |pairs: &[(&str, usize)]| pairs.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect::<BTreeMap<_, _>>();
    assert_eq!(adopted.report.without_controller, counted(&[("StatefulSet", 1), ("Train", 1)]));
    assert_eq!(adopted.report.let_go, 1);
    let mut here = open(adopted);
    here.run_until(600_000, 1000);
    assert_eq!(run(&mut here, "kubectl get pods -n shop -o name"), "pod/agent-x\npod/db-0\npod/job-x\n");
}

#[test]
fn what_is_no_dump_is_told() {
    assert_eq!(read("", 10).unwrap_err(), DumpError::NoList);
    assert_eq!(read("{\"kind\": \"Pod\"}", 10).unwrap_err(), DumpError::NoList);
    assert_eq!(read("{\"items\": [{\"kind\": \"Po", 10).unwrap_err(), DumpError::EndsEarly);
    assert_eq!(read("}", 10).unwrap_err(), DumpError::NoList);
    assert!(!looks_like_a_dump("apiVersion: v1\nkind: Pod\nmetadata:\n  uid: x\n"));
    assert!(!looks_like_a_dump("apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n"));
}

/// Commands of every sort, with what a shell finds hard.
fn played() -> Session {
    let scenario = "
title: Everything
objects:
- {apiVersion: v1, kind: Node, metadata: {name: cp, labels: {node-role.kubernetes.io/control-plane: ''}}, spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}}
- {apiVersion: v1, kind: Node, metadata: {name: worker-1, labels: {disk: ssd}}, spec: {taints: [{key: pool, value: gpu, effect: PreferNoSchedule}]}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}, conditions: [{type: Ready, status: 'True'}]}}
- {apiVersion: v1, kind: Namespace, metadata: {name: logging}}
behaviours:
- {match: {image: 'agent:v2'}, outcome: {type: CrashLoop, exitCode: 137, restarts: 4}}
- {match: {image: slow, namespace: logging}, startAfterMs: 5000, outcome: {type: Succeed, afterMs: 1000}}
";
    let mut session = Session::new(Scenario::parse(scenario).unwrap());
    let files = BTreeMap::from([("my file's.yaml".to_owned(), WORKLOADS.to_owned() + "# EOF\nEOF: 1\n")]);
    let files2 = BTreeMap::from([("workloads.yaml".to_owned(), WORKLOADS.to_owned())]);
    let mut go = |line: &str, files: &BTreeMap<String, String>| {
        session.run(line, files);
        session.run_until(session.world().now_ms() + 10_000, 10_000);
    };
    go("k apply -f workloads.yaml", &files2);
    go("kubectl apply -f 'my file'\\''s.yaml'", &files);
    go("kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nEOF", &files);
    go("sim add-node gpu --template gpu --count 2 --label a=b", &files);
    go("kubectl label node worker-1 zone=a --overwrite && kubectl get nodes 'worker-1' | grep -c Ready", &files);
    go("sim power-off worker-1; no", &files);
    go("sim power-off gpu1", &files);
    go("sim start-kubelet gpu1", &files);
    go("sim condition worker-1 DiskPressure True --reason Full --message \"it's full\"", &files);
    go("sim behaviour [{match: {controller: web}, outcome: {type: NeverReady}}]", &files);
    go("sim wait 30s", &files);
    go("kubectl edit ds agent", &files);
    go("kubectl get pods -w", &files);
    go("kubectl get pods -w | grep web", &files);
    go("kubectl get nothing", &files);
    go("kubectl get 'open", &files);
    let pod = session.world().store().pods().values().find(|pod| pod.metadata.name.starts_with("agent-")).cloned();
    let name = pod.map(|pod| pod.metadata.name.to_string()).expect("a pod of the agent");
    session.run(&format!("kubectl delete pod/{name} --wait=false"), &files);
    session
}

/// What `bash -n` says of a script.
fn bash_reads(script: &str) -> String {
    use std::io::Write;
    let mut bash = std::process::Command::new("bash")
        .arg("-n")
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("bash is there");
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    String::from_utf8(bash.wait_with_output().unwrap().stderr).unwrap()
}

#[test]
fn the_script_for_a_real_cluster_is_read_by_bash_and_names_nodes_and_pods_of_that_cluster() {
    let script = shell_script(&played());
    #[allow(clippy::disallowed_methods, reason = "tests may be told to write what they look at")]
    if let Ok(folder) = std::env::var("EXPORTS") {
        std::fs::write(format!("{folder}/session.sh"), &script).unwrap();
        std::fs::write(format!("{folder}/kwok.sh"), kwok_script(&played())).unwrap();
        std::fs::write(format!("{folder}/session.md"), markdown(&played(), &Plain)).unwrap();
    }
    assert_eq!(bash_reads(&script), "");
    for line in [
        "node_worker_1=${node_worker_1:-${workers[0]:-worker-1}}",
        "kubectl label node \"$node_worker_1\" disk=ssd --overwrite",
        "kubectl taint node \"$node_worker_1\" pool=gpu:PreferNoSchedule --overwrite",
        "k apply -f workloads.yaml",
        "kubectl label node \"${node_worker_1}\" zone=a --overwrite && kubectl get nodes 'worker-1' | grep -c Ready",
        "#   docker stop \"${node_gpu1:-gpu1}\"",
        "timeout 10 kubectl get pods -w",
        "pause 30",
        "# kubectl edit ds agent",
    ] {
        assert!(script.lines().any(|found| found == line), "{line}\n{script}");
    }
    assert!(script.contains("kubectl delete pod/\"$(pod default app=agent \"${node_"), "{script}");
    assert!(script.contains("  name: logging\n"));
    assert!(!script.contains("\nsim "), "{script}");
}

#[test]
fn the_kwok_script_has_nodes_stages_and_the_counterparts_of_sim_commands() {
    let script = kwok_script(&played());
    assert_eq!(bash_reads(&script), "");
    for line in [
        "    kwok.x-k8s.io/node: fake",
        "  name: pod-start-rule-1",
        "  name: pod-end-rule-2",
        "  name: pod-delete-others",
        "kwokctl create cluster --name playground --enable-crds Stage --wait 2m || exit",
        "  name: node-silent",
        "kubectl label node gpu1 playground-power=off --overwrite",
        "kubectl label node gpu1 playground-power=on --overwrite",
        "kubectl delete stages -l playground=pods",
        "  name: gpu2",
    ] {
        assert!(script.lines().any(|found| found == line), "{line}\n{script}");
    }
}

#[test]
fn stages_choose_pods_as_the_rules_do() {
    let behaviours =
        Scenario::parse("behaviours: [{match: {image: 'a:2', node: n}, outcome: {type: NeverReady}}]\n").unwrap();
    let text = stages(&behaviours.behaviours);
    let read = daemonset_playground::manifest::read(&text, &daemonset_playground::manifest::Limits::default());
    let stages: Vec<_> = read.objects().map(|object| object.value.clone()).collect();
    let queries: Vec<_> = stages
        .iter()
        .map(|stage| stage.pointer("/spec/selector/matchExpressions/0/key").unwrap().as_str().unwrap())
        .collect();
    let own = "(([.spec.containers[].image | contains(\"a:2\")] | any) and (.spec.nodeName == \"n\"))";
    let others = format!("({own} | not) and true | tostring");
    assert_eq!(queries, [&format!("{own} | tostring"), &format!("{own} | tostring"), &others, &others]);
    assert!(stages.iter().all(|stage| stage["apiVersion"] == "kwok.x-k8s.io/v1alpha1" && stage["kind"] == "Stage"));
    let template = stages[0].pointer("/spec/next/statusTemplate").unwrap().as_str().unwrap();
    assert!(template.contains("  status: \"False\"\n  type: Ready\n"), "{template}");
}

struct Plain;

impl Telling for Plain {
    fn step(&self, step: &Step) -> String {
        transcript_line(step)
    }
    fn more(&self, steps: usize) -> String {
        format!("and {steps} more")
    }
    fn titles(&self) -> [&'static str; 4] {
        ["Transcript", "Nodes", "Commands", "At the end"]
    }
}

#[test]
fn the_transcript_has_commands_output_and_steps() {
    let text = markdown(&played(), &Plain);
    assert!(
        text.starts_with("# Everything\n\n## Nodes\n\n- `cp`: `node-role.kubernetes.io/control-plane:NoSchedule`\n"),
        "{text}"
    );
    assert!(text.contains("### 0s · `k apply -f workloads.yaml`\n"));
    assert!(text.contains("```console\n$ k apply -f workloads.yaml\ndaemonset.apps/agent created\n"));
    assert!(text.contains("- 0s 3 0s DaemonSetController DaemonSet default/agent"), "{text}");
    assert!(text.contains("| default | agent | "));
}

/// The here-documents that a script applies, without those of kinds that only KWOK knows.
fn applied(script: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        if line != "kubectl apply -f - <<'EOF'" {
            continue;
        }
        let text: String = lines.by_ref().take_while(|line| *line != "EOF").map(|line| format!("{line}\n")).collect();
        if !text.contains("kind: Stage") {
            texts.push(text);
        }
    }
    texts
}

#[test]
fn what_the_scripts_apply_is_taken_by_an_empty_cluster() {
    for (script, least) in [(shell_script(&played()), 1), (kwok_script(&played()), 3)] {
        let mut cluster = Session::new(Scenario::parse("title: Empty\n").unwrap());
        let texts = applied(&script);
        assert!(texts.len() >= least, "{texts:?}");
        for text in texts {
            let run = cluster.run(&format!("kubectl apply -f - <<'EOF'\n{text}EOF\n"), &BTreeMap::new());
            assert_eq!((run.exit_code, run.stderr.as_str()), (Some(0), ""), "{text}");
        }
    }
}
