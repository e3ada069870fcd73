//! The command line, on any bytes:
//! `cargo +nightly fuzz run kubectl fuzz/seeds/kubectl -- -dict=fuzz/kubectl.dict`
#![no_main]

use daemonset_playground::apiserver::{ApiServer, Write};
use daemonset_playground::kubectl::{self, Context, Outcome};
use daemonset_playground::manifest::{Limits, read};
use daemonset_playground::objects::{Object, Time};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

const AGENT: &str = "\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: 'agent:v1'}]}
";

thread_local! {
    static PLAYGROUND: (ApiServer, Context) = playground();
}

fn playground() -> (ApiServer, Context) {
    let mut api = ApiServer::new(1, Time(1_780_000_000));
    for name in ["node-1", "node-2"] {
        let node = json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"capacity": {"cpu": "4", "pods": "110"}, "allocatable": {"cpu": "4", "pods": "110"}},
        });
        api.commit(Write::Create(Object::from_value(node).expect("a node"))).expect("a new node");
    }
    let mut context = Context::default();
    context.files.insert("agent.yaml".into(), AGENT.into());
    for line in [
        "kubectl apply -f agent.yaml",
        "kubectl run web --image=web:1 --labels=app=web --overrides='{\"spec\":{\"nodeName\":\"node-1\"}}'",
        "kubectl create deployment front --image=front:1",
        "kubectl taint node node-2 a=b:NoSchedule",
    ] {
        assert!(matches!(kubectl::run(&mut api, &context, line), Outcome::Done(output) if output.exit_code == 0));
    }
    (api, context)
}

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    PLAYGROUND.with(|(api, context)| {
        let cursor = line.floor_char_boundary(data.len() / 2);
        for cursor in [cursor, line.len()] {
            let completion = kubectl::complete(api, context, &line, cursor);
            assert!(completion.start <= line.len());
        }
        kubectl::apply_preview(api, context, "x.yaml", &read(&line, &Limits::default()));
        let mut api = api.clone();
        let mut waiting = match kubectl::run(&mut api, context, &line) {
            Outcome::Done(output) => return assert!((0..256).contains(&output.exit_code)),
            Outcome::Waiting(waiting) => waiting,
        };
        let start = api.now();
        for minute in 0..20 {
            api.set_now(start.plus_seconds(60 * minute));
            if waiting.poll(&mut api).done.is_some() {
                return;
            }
        }
        waiting.interrupt();
    });
});
