use super::super::triggers::*;
use super::scene::*;
use crate::objects::*;
use std::rc::Rc;

fn node(text: &str) -> Node {
    (*scene(&on_delete(), text).nodes[0]).clone()
}

fn with_misscheduled(mut daemonset: DaemonSet, count: i32) -> DaemonSet {
    daemonset.status.number_misscheduled = count;
    daemonset
}

#[test]
fn a_node_that_joins_calls_only_where_something_follows() {
    assert!(should_enqueue_node(&on_delete(), &node("a"), false));
    assert!(!should_enqueue_node(&on_delete(), &node("a !NoSchedule"), false));
    assert!(!should_enqueue_node(&on_delete(), &node("a"), true), "it came back before its pod was collected");
    assert!(should_enqueue_node(&on_delete(), &node("a !NoExecute"), true));
}

#[test]
fn a_node_that_changes_calls_only_where_something_follows() {
    let (free, no_schedule, no_execute) = (node("a"), node("a !NoSchedule"), node("a !NoExecute"));
    let called = |old: &Node, new: &Node, has_pod, misscheduled| {
        is_node_update(old, new) && should_enqueue_node(&with_misscheduled(on_delete(), misscheduled), new, has_pod)
    };
    assert!(called(&no_schedule, &free, false, 0));
    assert!(!called(&no_schedule, &free, true, 0));
    assert!(called(&no_schedule, &free, true, 1));
    assert!(!called(&free, &no_schedule, true, 0), "DESIRED goes on to count the node");
    assert!(called(&free, &no_execute, true, 0));
    assert!(!called(&free, &no_execute, false, 3));
    let mut not_ready = free.clone();
    not_ready.spec.unschedulable = true;
    assert!(!called(&free, &not_ready, false, 3), "only labels and taints are looked at");
}

#[test]
fn nobody_is_called_when_a_node_leaves() {
    assert!(!should_enqueue_node_delete());
    assert!(should_enqueue_daemonset_change());
}

#[test]
fn a_revision_that_changes_or_goes_calls_its_controller_and_an_orphan_those_who_select_it() {
    let daemonset = on_delete();
    let mut owned = ControllerRevision::default();
    owned.metadata.namespace = daemonset.metadata.namespace.clone();
    owned.metadata.labels = daemonset.spec.template.metadata.labels.clone();
    let orphan = owned.clone();
    owned.metadata.owner_references = Rc::new(vec![super::super::controller_reference(&daemonset)]);
    let mut renumbered = owned.clone();
    renumbered.revision = 7;
    let called = |old, new| should_enqueue_revision(&daemonset, old, new);
    assert!(!called(None, Some(&owned)), "it has just made this one");
    assert!(called(Some(&owned), Some(&renumbered)));
    assert!(called(Some(&owned), None));
    assert!(called(Some(&owned), Some(&orphan)));
    assert!(called(None, Some(&orphan)));
    assert!(!called(Some(&orphan), Some(&orphan)));
    assert!(!called(Some(&orphan), None));
    let mut foreign = owned.clone();
    foreign.metadata.namespace = "elsewhere".into();
    assert!(!called(Some(&foreign), None));
}

#[test]
fn a_pod_calls_its_controller_and_once_more_when_it_becomes_ready() {
    let daemonset = with_min_ready(on_delete(), 30);
    let pods = scene(&daemonset, "a: new, new ready, new leaving").pods;
    let [mut waiting, mut ready, mut leaving] = [&pods[0], &pods[1], &pods[2]].map(|pod| (**pod).clone());
    for (version, pod) in [&mut waiting, &mut ready, &mut leaving].into_iter().enumerate() {
        pod.metadata.resource_version = version.to_string();
    }
    let now = PodTrigger { now: true, after_ms: None };
    assert_eq!(pod_added(&daemonset, &waiting), now);
    assert_eq!(pod_updated(&daemonset, &waiting, &ready), PodTrigger { now: true, after_ms: Some(31_000) });
    assert_eq!(pod_updated(&on_delete(), &waiting, &ready), now);
    assert_eq!(pod_updated(&daemonset, &ready, &waiting), now);
    assert_eq!(pod_updated(&daemonset, &ready, &leaving), now);
    assert_eq!(pod_updated(&daemonset, &ready, &ready), PodTrigger::default());
    assert_eq!(pod_deleted(&daemonset, &ready), now);
}

#[test]
fn an_orphan_calls_those_who_select_it() {
    let daemonset = on_delete();
    let mut orphan = (*scene(&daemonset, "a: new").pods[0]).clone();
    orphan.metadata.owner_references = Rc::default();
    let now = PodTrigger { now: true, after_ms: None };
    assert_eq!(pod_added(&daemonset, &orphan), now);
    assert_eq!(pod_deleted(&daemonset, &orphan), PodTrigger::default());
    let mut relabelled = orphan.clone();
    relabelled.metadata.labels = string_map([("app", "other")]);
    assert_eq!(pod_added(&daemonset, &relabelled), PodTrigger::default());
    assert_eq!(pod_updated(&daemonset, &relabelled, &orphan), now);
    let owned = &*scene(&daemonset, "a: new").pods[0];
    assert_eq!(pod_updated(&daemonset, owned, &relabelled), now, "the controller it had looks too");
}

#[test]
fn failures_are_tried_again_ever_later() {
    assert_eq!(
        [0, 1, 2, 10, 17, 18, 40, u32::MAX].map(retry_delay_ms),
        [5, 10, 20, 5_120, 655_360, 1_000_000, 1_000_000, 1_000_000]
    );
}
