//! Commands that let time pass.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::{self, Context, Outcome, Waiting};

/// Starts a line that waits.
fn start(api: &mut ApiServer, line: &str) -> Waiting {
    match kubectl::run(api, &Context::default(), line) {
        Outcome::Waiting(waiting) => waiting,
        Outcome::Done(output) => panic!("{line} is done: {output:?}"),
    }
}

/// What a waiting command prints when it looks again.
fn look(api: &mut ApiServer, waiting: &mut Waiting) -> (String, String, Option<i32>) {
    let poll = waiting.poll(api);
    (poll.new_stdout, poll.new_stderr, poll.done)
}

/// A bound pod of this name.
fn pod(api: &mut ApiServer, name: &str) {
    let line = format!("kubectl run {name} --image=x:1 --overrides='{{\"spec\":{{\"nodeName\":\"node-1\"}}}}'");
    assert_eq!(run(api, &line).exit_code, 0);
}

fn make_ready(api: &mut ApiServer, name: &str) {
    let patch = r#"{"status":{"conditions":[{"type":"Ready","status":"True"}]}}"#;
    let line = format!("kubectl patch pod {name} --subresource=status -p '{patch}'");
    assert_eq!(run(api, &line).exit_code, 0, "{line}");
}

#[test]
fn wait_looks_at_one_object_after_the_other() {
    let mut api = cluster(&["node-1"]);
    ["a", "b", "c"].iter().for_each(|name| pod(&mut api, name));
    let mut waiting = start(&mut api, "kubectl wait pod/a pod/b pod/c --for=condition=Ready --timeout=10s");
    make_ready(&mut api, "b");
    assert_eq!(look(&mut api, &mut waiting), (String::new(), String::new(), None));
    make_ready(&mut api, "a");
    assert_eq!(
        look(&mut api, &mut waiting),
        ("pod/a condition met\npod/b condition met\n".into(), String::new(), None)
    );
    api.set_now(NOW.plus_seconds(30));
    let over = "error: timed out waiting for the condition on pods/c\n";
    assert_eq!(look(&mut api, &mut waiting), (String::new(), over.into(), Some(1)));
}

#[test]
fn once_the_time_is_over_nothing_is_looked_at() {
    let mut api = cluster(&["node-1"]);
    ["a", "b"].iter().for_each(|name| pod(&mut api, name));
    let mut waiting = start(&mut api, "kubectl wait pods --all --for=condition=Ready --timeout=10s");
    make_ready(&mut api, "b");
    api.set_now(NOW.plus_seconds(30));
    let over = "timed out waiting for the condition on pods/a\ntimed out waiting for the condition on pods/b\n";
    assert_eq!(look(&mut api, &mut waiting), (String::new(), over.into(), Some(1)));
}

#[test]
fn a_timeout_of_zero_looks_once() {
    let mut api = cluster(&["node-1"]);
    pod(&mut api, "a");
    fails(&mut api, "kubectl wait pod/a --for=condition=Ready --timeout=0s", "error: condition not met for pods/a\n");
    fails(&mut api, "kubectl wait pod/a --for=delete --timeout=0s", "error: condition not met for pods/a\n");
    make_ready(&mut api, "a");
    prints(&mut api, "kubectl wait pod/a --for=condition=ready --timeout=0s", "pod/a condition met\n");
    prints(&mut api, "kubectl wait pod/a --for=jsonpath='{.metadata.name}'=a", "pod/a condition met\n");
    fails(
        &mut api,
        "kubectl wait pod/a --for=jsonpath='{.metadata.name}'=",
        "error: jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3\n",
    );
}

#[test]
fn a_deletion_waits_until_the_object_is_gone() {
    let mut api = cluster(&["node-1"]);
    pod(&mut api, "a");
    let mut waiting = start(&mut api, "kubectl delete pod a");
    assert_eq!(look(&mut api, &mut waiting).2, None);
    assert_eq!(run(&mut api, "kubectl delete pod a --force").exit_code, 0);
    assert_eq!(look(&mut api, &mut waiting).2, Some(0));
    pod(&mut api, "b");
    let output = run(&mut api, "kubectl delete pod b nope");
    assert_eq!(output.stdout, "pod \"b\" deleted from default namespace\n");
    assert_eq!(output.stderr, "Error from server (NotFound): pods \"nope\" not found\n");
    prints(&mut api, "kubectl delete pod b --dry-run=client", "pod \"b\" deleted from default namespace (dry run)\n");
    let node = run(&mut api, "kubectl delete node node-1 -n default");
    assert_eq!(node.stderr, "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n");
}

#[test]
fn a_watch_shows_what_is_new_changed_and_gone() {
    let mut api = cluster(&["node-1"]);
    pod(&mut api, "a");
    let mut waiting = start(&mut api, "kubectl get pods -w --output-watch-events");
    assert_eq!(
        look(&mut api, &mut waiting).0,
        "EVENT   NAME   READY   STATUS    RESTARTS   AGE\nADDED   a      0/1     Pending   0          0s\n"
    );
    assert_eq!(run(&mut api, "kubectl label pod a x=y").exit_code, 0);
    assert_eq!(look(&mut api, &mut waiting).0, "MODIFIED   a      0/1     Pending   0          0s\n");
    assert_eq!(run(&mut api, "kubectl delete pod a --force").exit_code, 0);
    assert_eq!(look(&mut api, &mut waiting).0, "DELETED    a      0/1     Pending   0          0s\n");
    waiting.interrupt();
}

#[test]
fn a_drain_evicts_and_waits() {
    let mut api = cluster(&["node-1", "node-2"]);
    pod(&mut api, "a");
    let refused = run(&mut api, "kubectl drain node-1");
    assert_eq!(refused.stdout, "node/node-1 cordoned\n");
    assert_eq!(
        refused.stderr,
        "error: unable to drain node \"node-1\" due to error: cannot delete Pods that declare no controller (use --force \
         to override): default/a, continuing command...\nThere are pending nodes to be drained:\n node-1\ncannot delete \
         Pods that declare no controller (use --force to override): default/a\n"
    );
    prints(
        &mut api,
        "kubectl drain node-1 --force --dry-run=client 2>/dev/null",
        "node/node-1 already cordoned (dry run)\nevicting pod default/a (dry run)\nnode/node-1 drained (dry run)\n",
    );
    let mut waiting = start(&mut api, "kubectl drain node-1 --force --timeout=60s");
    assert_eq!(
        look(&mut api, &mut waiting),
        (
            "node/node-1 already cordoned\nevicting pod default/a\n".into(),
            "Warning: deleting Pods that declare no controller: default/a\n".into(),
            None
        )
    );
    assert_eq!(run(&mut api, "kubectl delete pod a --force").exit_code, 0);
    assert_eq!(look(&mut api, &mut waiting).0, "pod/a evicted\nnode/node-1 drained\n");
}

#[test]
fn events_are_watched_from_the_first_on() {
    let mut api = cluster(&["node-1"]);
    assert_eq!(run(&mut api, "kubectl events").stderr, "No events found in default namespace.\n");
    let waiting = start(&mut api, "kubectl events -w --types=Warning");
    assert!(matches!(waiting.task(), Some(kubectl::Task::EventsWatch(_))));
    fails(&mut api, "kubectl events --types=Bad", "error: valid --types are Normal or Warning\n");
}
