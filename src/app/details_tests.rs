//! What the panel says of pods that wait, and of pods that were ended.

use super::*;
use crate::app::files::Files;
use crate::app::message::Msg;
use crate::app::model::{FIRST_FILE, first_scenario};
use crate::app::persist::Settings;
use crate::app::text::Language;
use crate::app::update::update;
use crate::app::view::CheckMark;
use crate::simulation::{Progress, Session};
use std::collections::BTreeMap;

fn page(lines: &[&str], manifests: &[&str]) -> Model {
    let mut session = Session::new(first_scenario());
    let files: BTreeMap<String, String> =
        (1..).map(|n: u8| format!("f{n}.yaml")).zip(manifests.iter().map(|m| (*m).to_owned())).collect();
    for line in lines {
        let run = session.run(line, &files);
        assert!(matches!(run.exit_code, Some(0) | None), "{line}: {}", run.stderr);
        while session.run_to_quiet(5_000) == Progress::More {}
    }
    Model::with(session, Files::new(FIRST_FILE.0, FIRST_FILE.1), Settings::default(), Language::En)
}

fn pod(name: &str, extra: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  terminationGracePeriodSeconds: 600\n  containers:\n  - name: main\n    \
         image: {name}:v1\n    resources:\n      requests:\n        cpu: 2500m\n{extra}"
    )
}

fn detail(model: &mut Model, name: &str) -> Detail {
    update(model, Msg::Inspect(Inspect::Pod(ObjectKey::new("default", name))));
    model.views.detail.as_deref().cloned().unwrap()
}

fn why(model: &mut Model, name: &str) -> PodWhy {
    match detail(model, name) {
        Detail::Pod(PodDetail { why: Some(why), .. }) => *why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pending_pod_tells_node_by_node_which_filter_says_no() {
    let big = pod("big", "").replace("2500m", "64");
    let mut model = page(&["kubectl cordon worker3", "kubectl apply -f f1.yaml"], &[&big]);
    let view = why(&mut model, "big");
    assert_eq!(view.answer.to_string(), "No node takes it.");
    let rows: Vec<(String, String)> =
        view.rows.iter().map(|row| (row.what.to_string(), row.found.to_string())).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0].0, "control-plane TaintToleration");
    assert!(
        rows[0].1.starts_with("taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated"),
        "{rows:?}"
    );
    assert_eq!(rows[1].0, "worker1 NodeResourcesFit");
    assert!(rows[1].1.starts_with("cpu: 64 asked for, "), "{rows:?}");
    assert_eq!(rows[3].0, "worker3 NodeUnschedulable");
    assert!(rows[3].1.ends_with("would object, too: TaintToleration, NodeResourcesFit"), "{rows:?}");
    assert!(view.rows.iter().all(|row| row.mark == CheckMark::Failed));
    let Detail::Pod(told) = detail(&mut model, "big") else { panic!() };
    assert!(told.facts.iter().any(|(_, value)| value.starts_with("0/4 nodes are available: ")), "the message itself");
    let command = view.fixes.iter().find_map(|fix| match &fix.message {
        Msg::Run(line) => Some(line.clone()),
        _ => None,
    });
    update(&mut model, Msg::Run(command.expect("a command helps")));
    while model.session.run_to_quiet(5_000) == Progress::More {}
    let pod = model.session.world().store().pod(&ObjectKey::new("default", "big")).unwrap();
    assert!(pod.is_bound(), "the change that was offered gets it a node");
}

#[test]
fn a_preempted_pod_tells_for_whom_it_had_to_go() {
    let class = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: high\nvalue: 1000\n";
    let pinned = "  nodeSelector:\n    kubernetes.io/hostname: worker1\n";
    let low = pod("low", pinned);
    let high = pod("high", &format!("{pinned}  priorityClassName: high\n"));
    let slow = "sim behaviour '[{terminateAfterMs: 60000}]'";
    let lines = [slow, "kubectl apply -f f1.yaml", "kubectl apply -f f2.yaml", "kubectl apply -f f3.yaml"];
    let mut model = page(&lines, &[&low, class, &high]);
    let told = match detail(&mut model, "low") {
        Detail::Gone(_, Some(fate)) => fate.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(told.starts_with("The scheduler evicted it in step "), "{told}");
    assert!(told.ends_with(" to make room on worker1 for default/high (priority 1000, this pod has 0)."), "{told}");
    // While it is on its way out, the one that waits says for what.
    while model.session.world().store().pod(&ObjectKey::new("default", "low")).is_none() {
        model.session.back();
    }
    assert_eq!(why(&mut model, "low").answer.to_string(), told);
    let waits = why(&mut model, "high").answer.to_string();
    assert_eq!(waits, "Room is being made on worker1: low must go first.");
}

#[test]
fn a_pod_that_a_taint_evicted_names_the_taint_and_the_time() {
    let on_worker1 = "  nodeSelector:\n    kubernetes.io/hostname: worker1\n";
    let tolerant = format!(
        "{on_worker1}  tolerations:\n  - key: k\n    operator: Exists\n    effect: NoExecute\n    tolerationSeconds: 30\n"
    );
    let (strict, patient) = (pod("strict", on_worker1), pod("patient", &tolerant));
    let (strict, patient) = (strict.replace("2500m", "100m"), patient.replace("2500m", "100m"));
    let lines = [
        "kubectl apply -f f1.yaml",
        "kubectl apply -f f2.yaml",
        "kubectl taint node worker1 k=v:NoExecute",
        "sim wait 2m",
    ];
    let mut model = page(&lines, &[&strict, &patient]);
    let mut told = |name| match detail(&mut model, name) {
        Detail::Gone(_, Some(fate)) => fate.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(told("strict").ends_with("worker1 has the taint k=v:NoExecute, which it does not tolerate."));
    assert!(told("patient").ends_with("it tolerated the taints of worker1 for 30.0 s, and that is over."));
}

#[test]
fn a_pod_that_its_node_evicted_or_refused_or_lost_says_so() {
    let behaviour = "sim behaviour '[{match: {image: \"hungry\"}, outcome: {type: Evict, resource: memory}}]'";
    let hungry = pod("hungry", "").replace("2500m", "100m");
    let lost = pod("lost", "  nodeSelector:\n    kubernetes.io/hostname: worker2\n").replace("2500m", "100m");
    let refused = pod("refused", "  nodeName: worker1\n").replace("2500m", "64");
    let lines = [
        behaviour,
        "kubectl apply -f f1.yaml",
        "kubectl apply -f f2.yaml",
        "kubectl apply -f f3.yaml",
        "kubectl delete node worker2",
        "sim wait 3m",
    ];
    let mut model = page(&lines, &[&hungry, &lost, &refused]);
    let told = why(&mut model, "hungry").answer.to_string();
    assert!(told.contains("The kubelet evicted it in step ") && told.contains("the node was low on memory"), "{told}");
    let told = why(&mut model, "refused").answer.to_string();
    assert!(told.contains("OutOfcpu. Node didn't have enough resource: cpu, requested: 64000"), "{told}");
    let Detail::Gone(_, Some(fate)) = detail(&mut model, "lost") else { panic!() };
    assert!(fate.to_string().contains("Pod garbage collection removed it in step "), "{fate}");
    assert!(fate.to_string().ends_with("the node worker2 is gone."), "{fate}");
    update(&mut model, Msg::Run("kubectl delete pod hungry --wait=false".into()));
    let Detail::Gone(_, Some(fate)) = detail(&mut model, "hungry") else { panic!() };
    assert!(fate.to_string().contains("The kubelet evicted it"), "what ended it first counts: {fate}");
}

#[test]
fn a_daemon_sets_pod_that_waits_shows_each_filter_and_what_would_place_it() {
    let set = FIRST_FILE.1.replace("cpu: 100m", "cpu: 64");
    let mut model = page(&["kubectl apply -f f1.yaml"], &[&set]);
    let daemon_set = model.session.world().store().daemon_sets().values().next().unwrap().metadata.key();
    update(&mut model, Msg::Ask(Question { set: daemon_set, node: "worker1".into() }));
    let view = model.views.why.clone().unwrap();
    assert!(!view.passed && view.urgent, "the controller wants a pod there, and none has come");
    assert!(view.answer.to_string().contains("finds no place on worker1: cpu: 64 asked for"), "{}", view.answer);
    let marks: Vec<(String, CheckMark)> =
        view.rows.iter().filter(|row| row.nested).map(|row| (row.what.to_string(), row.mark)).collect();
    assert!(marks.contains(&("NodeResourcesFit".into(), CheckMark::Failed)), "{marks:?}");
    assert!(marks.contains(&("TaintToleration".into(), CheckMark::Passed)), "{marks:?}");
    let offered: Vec<&str> = view.fixes.iter().map(|fix| fix.text.as_str()).collect();
    assert!(offered.contains(&"Ask for less") && offered.contains(&"Give the node more"), "{offered:?}");
}

/// The first cluster with node-exporter applied and a Windows node that has just joined, and what is said of it.
fn joined_windows() -> Model {
    let session = crate::simulation::Session::new(crate::app::model::first_scenario());
    let (name, text) = crate::app::model::FIRST_FILE;
    let files = crate::app::files::Files::new(name, text);
    let mut model = Model::with(session, files, Default::default(), crate::app::text::Language::En);
    update(&mut model, Msg::Apply);
    update(&mut model, Msg::Run("sim add-node win1 --template windows".into()));
    let set = ObjectKey::new("default", "node-exporter");
    update(&mut model, Msg::Ask(Question { set, node: "win1".into() }));
    model
}

#[test]
fn a_taint_that_goes_by_itself_is_told_and_only_the_lasting_one_is_to_be_tolerated() {
    let mut model = joined_windows();
    let node = model.session.world().store().node_named("win1").cloned().unwrap();
    let keys: Vec<&str> = node.spec.taints.iter().map(|taint| taint.key.as_str()).collect();
    assert!(keys.contains(&"os") && keys.contains(&TAINT_NOT_READY), "{keys:?}");
    let view = model.views.why.clone().unwrap();
    assert!(!view.passed && view.urgent);
    assert_eq!(
        view.notes[0].to_string(),
        "The taint node.kubernetes.io/not-ready goes away by itself when the node is ready. The changes below are about what stays."
    );
    let first = &view.fixes[0];
    assert_eq!(first.text, "Tolerate the taint");
    let added: Vec<&str> = first.lines.iter().map(|line| line.text.trim()).collect();
    assert!(added.contains(&"key: os") && added.contains(&"value: windows"), "{added:?}");
    assert!(!added.iter().any(|line| line.contains("not-ready")), "{added:?}");
    assert!(view.fixes.iter().all(|fix| fix.text != "Tolerate every taint"), "nothing so far-reaching is needed");
    // It is true: applied, and once the node is ready, there is a pod.
    update(&mut model, first.message.clone());
    update(&mut model, Msg::Apply);
    while model.session.step() {}
    update(&mut model, Msg::ShowTab(crate::app::message::SideTab::Why));
    assert!(model.views.why.as_deref().unwrap().passed);
    assert!(model.session.world().store().pods_on("win1").count() > 0);
}

#[test]
fn a_worker_that_has_just_joined_needs_no_change() {
    let mut model = joined_windows();
    update(&mut model, Msg::Run("sim add-node worker9".into()));
    let set = ObjectKey::new("default", "node-exporter");
    update(&mut model, Msg::Ask(Question { set, node: "worker9".into() }));
    let view = model.views.why.clone().unwrap();
    assert!(!view.passed && !view.urgent, "{:?}", view.notes);
    assert!(view.notes[0].to_string().ends_with("Nothing has to be changed."));
    assert_eq!(view.fixes_title, "To have a pod here before that");
}

#[test]
fn several_taints_are_tolerated_by_name_and_all_of_them_last_and_under_another_name() {
    let mut model = joined_windows();
    while model.session.step() {}
    update(&mut model, Msg::Run("kubectl taint node win1 pool=ci:NoSchedule".into()));
    let fixes = model.views.why.as_deref().unwrap().fixes.clone();
    let names: Vec<&str> = fixes.iter().map(|fix| fix.text.as_str()).collect();
    assert_eq!(names.first(), Some(&"Tolerate these taints"), "{names:?}");
    assert_eq!(names.last(), Some(&"Tolerate every taint"), "{names:?}");
}

#[test]
fn a_linux_image_on_a_windows_node_is_told_and_one_click_keeps_it_off() {
    let mut model = joined_windows();
    while model.session.step() {}
    update(&mut model, Msg::Run("kubectl taint node win1 os-".into()));
    let view = model.views.why.clone().unwrap();
    assert!(view.passed);
    assert!(view.notes[0].to_string().contains("ErrImagePull"), "{:?}", view.notes);
    let fix = view.fixes[0].clone();
    assert!(fix.lines.iter().any(|line| line.text.contains("kubernetes.io/os: linux")), "{:?}", fix.lines);
    update(&mut model, fix.message);
    // As soon as it is written, the note has done its work.
    assert!(model.views.why.as_deref().unwrap().notes.is_empty());
    update(&mut model, Msg::Apply);
    assert!(!model.views.why.as_deref().unwrap().passed);
    let set = ObjectKey::new("default", "node-exporter");
    update(&mut model, Msg::Ask(Question { set, node: "worker1".into() }));
    assert!(model.views.why.as_deref().unwrap().passed);
}
