use super::super::*;
use super::scene::*;
use crate::objects::*;

fn texts(events: &[PlannedEvent]) -> Vec<String> {
    events.iter().map(|event| format!("{} {}: {}", event.type_, event.reason, event.message)).collect()
}

#[test]
fn failed_and_succeeded_pods_are_told_of() {
    let daemonset = rolling(1, 0);
    let plan = scene(&daemonset, "a: new failed | b: new succeeded").sync(&daemonset);
    assert_eq!(
        texts(&plan.events),
        [
            "Warning FailedDaemonPod: Found failed daemon pod default/a-new0 on node a, will try to kill it",
            "Normal SucceededDaemonPod: Found succeeded daemon pod default/b-new1 on node b, will try to delete it",
        ]
    );
}

#[test]
fn an_empty_selector_stops_everything() {
    let mut daemonset = rolling(1, 0);
    let scene = scene(&daemonset, "a:");
    daemonset.spec.selector = LabelSelector::default();
    let plan = scene.sync(&daemonset);
    assert_eq!((plan.stopped, plan.status), (Some(SyncStopped::SelectingAll), None));
    assert_eq!(
        texts(&plan.events),
        ["Warning SelectingAll: This daemon set is selecting all pods. A non-empty selector is required."]
    );
}

#[test]
fn a_daemonset_that_is_being_deleted_does_nothing() {
    let mut daemonset = rolling(1, 0);
    daemonset.metadata.deletion_timestamp = Some(NOW);
    let plan = scene(&daemonset, "a: | b: new").sync(&daemonset);
    assert_eq!(plan.stopped, Some(SyncStopped::BeingDeleted));
    assert!(plan.writes_nothing());
}

#[test]
fn batches_double_and_a_failed_one_is_the_last() {
    let daemonset = rolling(1, 0);
    let nodes: Vec<String> = (0..20).map(|n| format!("n{n}:")).collect();
    let plan = scene(&daemonset, &format!("{} | z !NoExecute: new", nodes.join("|"))).sync(&daemonset);
    let sizes: Vec<usize> = plan.manage.batches().map(|batch| batch.len()).collect();
    assert_eq!(sizes, [1, 2, 4, 8, 5]);

    let mut attempts = 0;
    let results = carry_out(
        &plan.manage,
        |creation| {
            attempts += 1;
            if &*creation.node == "n4" { Err(CreateFailure::Refused("quota".into())) } else { Ok("agent-x".into()) }
        },
        |_| Ok(()),
    );
    assert_eq!((attempts, results.skipped, results.creates_awaited, results.deletes_awaited), (7, 13, 6, 1));
    let outcome = on_results(&plan, results, PhaseResults::default());
    assert_eq!(outcome.error, Some(SyncError::Writes { messages: vec!["quota".into()] }));
    assert!(!outcome.clean_up_history);
    let texts = texts(&outcome.events);
    assert_eq!(texts.len(), 8);
    assert_eq!(texts[0], "Normal SuccessfulCreate: Created pod: agent-x");
    assert_eq!(texts[4], "Warning FailedCreate: Error creating: quota");
    assert_eq!(texts[7], "Normal SuccessfulDelete: Deleted pod: z-new0");
}

#[test]
fn a_namespace_that_is_being_deleted_is_neither_an_event_nor_an_error() {
    let daemonset = rolling(1, 0);
    let plan = scene(&daemonset, "a: | b: | c:").sync(&daemonset);
    let results = carry_out(&plan.manage, |_| Err(CreateFailure::NamespaceTerminating), |_| Ok(()));
    assert_eq!((results.skipped, results.creates_awaited), (0, 3));
    let outcome = on_results(&plan, results, PhaseResults::default());
    assert_eq!((outcome.events.len(), outcome.error), (0, None));
}

#[test]
fn a_pod_that_is_gone_already_is_as_good_as_deleted() {
    let daemonset = rolling(1, 0);
    let plan = scene(&daemonset, "a !NoExecute: new | b !NoExecute: new").sync(&daemonset);
    let results = carry_out(
        &plan.manage,
        |_| Err(CreateFailure::NamespaceTerminating),
        |deletion| match &*deletion.node {
            "a" => Err(DeleteFailure::NotFound),
            _ => Err(DeleteFailure::Refused("no".into())),
        },
    );
    assert_eq!(texts(&results.events), ["Warning FailedDelete: Error deleting: no"]);
    assert_eq!(results.errors, ["unable to delete pods: no"]);
}

#[test]
fn an_event_is_about_the_daemonset() {
    let daemonset = rolling(1, 0);
    let event = scene(&daemonset, "a: new failed").sync(&daemonset).events[0].about(&daemonset, NOW);
    assert_eq!(event.involved_object.kind, "DaemonSet");
    assert_eq!(event.source.component, "daemonset-controller");
    assert_eq!((&*event.metadata.namespace, event.count), ("default", 1));
}
