//! One text through everything that a manifest goes through: read, decode, schema, defaults, admission, validation,
//! store, `-o yaml`, and back. Used by the fuzz target `create` and by the replay of its corpus.

pub mod generate;

use daemonset_playground::apiserver::requests::{self, FieldValidation, WriteOptions};
use daemonset_playground::apiserver::{ApiServer, Write, schema};
use daemonset_playground::app::check::Check;
use daemonset_playground::app::text::Language;
use daemonset_playground::kubectl::{CommandOutput, Context, Outcome, apply_preview, run};
use daemonset_playground::manifest::{Limits, read, to_yaml};
use daemonset_playground::objects::{Object, ObjectKey, Time};
use daemonset_playground::simulation::Session;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A cluster of one node, with a class, a quota and limits, so that admission has something to say.
pub fn cluster() -> ApiServer {
    let mut api = ApiServer::new(1, Time(1_780_000_000));
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "node-1", "labels": {"kubernetes.io/hostname": "node-1"}},
        "status": {"capacity": {"cpu": "4", "pods": "110"}, "allocatable": {"cpu": "4", "pods": "110"}},
    });
    api.commit(Write::Create(Object::from_value(node).expect("a node"))).expect("a new node");
    let rules = "\
{apiVersion: v1, kind: Namespace, metadata: {name: limited}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: limited}, spec: {hard: {pods: '2', cpu: '1'}}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: l, namespace: limited}
spec: {limits: [{type: Container, default: {cpu: 200m}, defaultRequest: {cpu: 100m}, max: {cpu: '2'}}]}
";
    let output = apply(&mut api, rules);
    assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""));
    api
}

/// `kubectl apply -f -`.
pub fn apply(api: &mut ApiServer, text: &str) -> CommandOutput {
    kubectl(api, "kubectl apply -f -", text)
}

fn kubectl(api: &mut ApiServer, line: &str, stdin: &str) -> CommandOutput {
    let context = Context { stdin: Some(stdin.to_owned()), ..Context::default() };
    match run(api, &context, line) {
        Outcome::Done(output) => output,
        Outcome::Waiting(_) => panic!("{line} waits"),
    }
}

/// What a text goes through. Panics when something that must hold does not.
pub fn check(cluster: &ApiServer, text: &str) {
    let mut api = cluster.clone();
    let before: BTreeSet<_> = objects(&api).into_iter().map(|object| identity(&object)).collect();
    apply_preview(&api, &Context::default(), "x.yaml", &read(text, &Limits::default()));
    let first = apply(&mut api, text);
    assert!((0..=1).contains(&first.exit_code));
    assert_eq!(first.exit_code == 0, !first.stderr.lines().any(|line| !line.starts_with("Warning")), "{first:?}");
    for object in objects(&api) {
        if !before.contains(&identity(&object)) {
            comes_back(&mut api, &object);
        }
    }
    let second = apply(&mut api, text);
    assert!((0..=1).contains(&second.exit_code));
    kubectl(&mut api, "kubectl replace -f -", text);
    kubectl(&mut api, "kubectl create -f -", text);
    kubectl(&mut api, "kubectl delete -f - --wait=false", text);
}

fn objects(api: &ApiServer) -> Vec<Object> {
    api.store().all().into_iter().filter(|object| !matches!(object, Object::Event(_))).collect()
}

fn identity(object: &Object) -> (String, ObjectKey) {
    (object.kind_name().to_string(), object.metadata().key())
}

/// An accepted object comes back from `-o yaml` as it is stored, and whoever writes that back changes nothing.
pub fn comes_back(api: &mut ApiServer, object: &Object) {
    let tree = object.to_value();
    let written = to_yaml(&tree);
    let again = read(&written, &Limits::for_dump());
    let value = again.documents.first().and_then(|document| document.value());
    assert_eq!(value, Some(&tree), "{written}");
    let text = |pointer: &str| tree.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    let Some(resource) = schema::resource_of(&text("/apiVersion"), &text("/kind")) else { return };
    let key = object.metadata().key();
    let options = WriteOptions { dry_run: false, validation: FieldValidation::Strict };
    let answer = requests::replace(api, resource, &key, tree.clone(), options)
        .unwrap_or_else(|status| panic!("{}\n{written}", status.message));
    assert_eq!(to_yaml(&answer.object.to_value()), written);
    assert!(!answer.changed, "{written}");
}

/// What the editor is told about a text stands in the text, and each fix makes another text that can be looked at again.
pub fn diagnosed(session: &Session, text: &str) {
    let check = |text: &str| Check::of(session, Language::En.words(), "a.yaml", &Rc::from(text));
    let units = text.encode_utf16().count();
    let found = check(text);
    for note in found.notes.iter() {
        assert!(note.from <= note.to && note.to as usize <= units, "{note:?}");
    }
    for fix in found.problems.iter().filter_map(|problem| problem.fix).take(4) {
        let fixed = found.fixed(fix, text).expect("the same text");
        assert_ne!(&*fixed, text);
        check(&fixed);
    }
}
