//! Completion: verbs, types, names, flags and their values, label keys.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::{self, Context};

/// The candidates at the end of a line; a candidate that a space follows ends in one.
fn at_end(api: &ApiServer, line: &str) -> Vec<String> {
    let context = Context { files: [("agent.yaml".into(), AGENT.into())].into(), ..Context::default() };
    let completion = kubectl::complete(api, &context, line, line.len());
    let shown = |text: String, is_whole: bool| if is_whole { text + " " } else { text };
    completion.candidates.into_iter().map(|candidate| shown(candidate.text, candidate.is_whole)).collect()
}

#[track_caller]
fn offers(api: &ApiServer, line: &str, wanted: &[&str]) {
    assert_eq!(at_end(api, line), wanted, "{line}");
}

fn with_agent() -> ApiServer {
    let mut api = cluster(&["node-1", "node-2"]);
    run(&mut api, &apply(AGENT));
    run(&mut api, "kubectl create namespace monitoring");
    run(&mut api, "kubectl taint node node-1 dedicated=db:NoSchedule");
    api
}

#[test]
fn commands_and_subcommands() {
    let api = with_agent();
    offers(&api, "kub", &["kubectl "]);
    offers(&api, "kubectl de", &["delete ", "describe "]);
    offers(&api, "kubectl -n monitoring roll", &["rollout "]);
    offers(&api, "k rollout re", &["restart ", "resume "]);
    offers(&api, "kubectl get ds && kubectl cor", &["cordon "]);
    offers(&api, "kubectl get ds | he", &["head "]);
    offers(&api, "kubectl port", &[]);
}

#[test]
fn types_and_names() {
    let api = with_agent();
    offers(&api, "kubectl get daemon", &["daemonsets "]);
    offers(&api, "kubectl get pods,daemon", &["pods,daemonsets "]);
    offers(&api, "kubectl get ds ", &["agent "]);
    offers(&api, "kubectl get ds/", &["ds/agent "]);
    offers(&api, "kubectl get ds -n monitoring ", &[]);
    offers(&api, "kubectl rollout status d", &["daemonsets ", "deployments "]);
    offers(&api, "kubectl cordon node-1 ", &["node-2 "]);
    offers(&api, "kubectl explain ds.spec.updateS", &["ds.spec.updateStrategy"]);
    offers(&api, "kubectl set image ds/agent ", &["main="]);
}

#[test]
fn flags_and_their_values() {
    let api = with_agent();
    offers(&api, "kubectl get pods --show-l", &["--show-labels "]);
    offers(&api, "kubectl get pods --field", &["--field-selector="]);
    offers(&api, "kubectl get pods -o j", &["json ", "jsonpath="]);
    offers(&api, "kubectl get pods --output=w", &["--output=wide "]);
    offers(&api, "kubectl get pods -n m", &["monitoring "]);
    offers(&api, "kubectl apply -f ", &["- ", "agent.yaml "]);
    offers(&api, "kubectl delete ds agent --cascade=o", &["--cascade=orphan "]);
    offers(
        &api,
        "kubectl wait --for=cond",
        &["--for=condition=Available ", "--for=condition=PodScheduled ", "--for=condition=Ready "],
    );
}

#[test]
fn keys_of_labels_and_taints() {
    let api = with_agent();
    offers(&api, "kubectl label node node-1 kubernetes.io/h", &["kubernetes.io/hostname- ", "kubernetes.io/hostname="]);
    offers(&api, "kubectl get nodes -l kubernetes.io/o", &["kubernetes.io/os"]);
    offers(&api, "kubectl get nodes -l kubernetes.io/os=", &["kubernetes.io/os=linux "]);
    offers(&api, "kubectl drain -l kubernetes.io/h", &["kubernetes.io/hostname"]);
    offers(&api, "kubectl taint nodes node-1 ded", &["dedicated- ", "dedicated="]);
}

#[test]
fn a_candidate_replaces_the_word_before_the_cursor() {
    let api = with_agent();
    let line = "kubectl get daem -o wide";
    let completion = kubectl::complete(&api, &Context::default(), line, 16);
    assert_eq!((completion.start, completion.common()), (12, "daemonsets"));
}
