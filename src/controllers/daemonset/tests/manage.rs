use super::super::*;
use super::scene::*;

#[test]
fn every_eligible_node_gets_its_pod_and_no_budget_limits_that() {
    expect_sync(
        &rolling(1, 0),
        "a: | b: | c:",
        &["create a NodeHasNoPod", "create b NodeHasNoPod", "create c NodeHasNoPod"],
    );
    expect_sync(&on_delete(), "a: | b: new ready", &["create a NodeHasNoPod"]);
    expect_sync(&rolling(1, 0), "a !NoSchedule: | b !NoExecute: | c:", &["create c NodeHasNoPod"]);
    expect_sync(
        &rolling(1, 0),
        "node-10: | node-2: | node-1:",
        &["create node-1 NodeHasNoPod", "create node-2 NodeHasNoPod", "create node-10 NodeHasNoPod"],
    );
}

#[test]
fn a_pod_on_a_node_that_may_not_keep_it_goes_even_under_on_delete() {
    expect_sync(&on_delete(), "a !NoExecute: new ready", &["delete a new NotEligible"]);
    expect_sync(
        &rolling(1, 0),
        "a !NoExecute: new ready, old ready",
        &["delete a new NotEligible", "delete a old NotEligible"],
    );
    expect_sync(&rolling(1, 0), "a !NoExecute: new leaving", &[]);
}

#[test]
fn a_no_schedule_taint_keeps_new_pods_off_and_lets_old_ones_stay() {
    expect_sync_and_held(&on_delete(), "a !NoSchedule: new ready", &[], &["hold a new MayOnlyContinue"]);
    expect_sync(&rolling(1, 0), "a !NoSchedule: new failed", &["delete a new Failed"]);
}

#[test]
fn without_surge_whatever_is_still_there_must_be_gone_first() {
    expect_sync_and_held(&rolling(1, 0), "a: new leaving", &[], &["hold a new TerminatingPodBlocks"]);
    expect_sync_and_held(&rolling(1, 0), "a: new failed", &["delete a new Failed"], &["hold a new FinishedPodBlocks"]);
    expect_sync(&rolling(1, 0), "a: new succeeded", &["delete a new Succeeded"]);
    // A failed pod that is being deleted is not there at all.
    expect_sync(&rolling(1, 0), "a: new failed leaving", &["create a NodeHasNoPod"]);
}

#[test]
fn with_surge_nothing_has_to_be_waited_for() {
    expect_sync(&rolling(0, 1), "a: new leaving", &["create a NoLivePodAndSurgeAllowed"]);
    expect_sync(&rolling(0, 1), "a: new failed", &["create a NoLivePodAndSurgeAllowed", "delete a new Failed"]);
    expect_sync(&rolling(0, 1), "a !NoSchedule: new failed", &["delete a new Failed"]);
}

#[test]
fn without_surge_bound_then_oldest_then_first_name_is_kept_whatever_its_template() {
    expect_sync(&rolling(1, 0), "a: old age=90, new ready age=60", &["delete a new Duplicate"]);
    expect_sync(&rolling(1, 0), "a: new unbound age=90, old age=60", &["delete a new Duplicate"]);
    expect_sync(&rolling(1, 0), "a: new, old", &["delete a old Duplicate"]);
    expect_sync(&rolling(1, 0), "a: new age=90, old leaving", &[]);
    let plan = scene(&rolling(1, 0), "a: new unbound age=90, old age=60").sync(&rolling(1, 0));
    assert_eq!(plan.manage.deletes[0].reason, DeleteReason::Duplicate { kept: KeptBecause::Bound });
}

#[test]
fn with_surge_the_oldest_old_and_the_oldest_new_are_kept_until_one_of_them_decides() {
    let daemonset = rolling(0, 1);
    expect_sync_and_held(&daemonset, "a: old ready, new", &[], &["hold a old NewPodNotAvailable"]);
    expect_sync(&daemonset, "a: old, new", &["delete a old SurgeOldNotReady"]);
    expect_sync(&daemonset, "a: old ready, new ready", &["delete a old SurgeReplaced"]);
    // Ready is enough for the old one to stay; it need not be available.
    expect_sync(&with_min_ready(daemonset.clone(), 30), "a: old ready=5, new", &[]);
    expect_sync(&with_min_ready(daemonset.clone(), 30), "a: old ready, new ready=29", &[]);
    expect_sync(&with_min_ready(daemonset.clone(), 30), "a: old ready, new ready=30", &["delete a old SurgeReplaced"]);
    expect_sync(
        &daemonset,
        "a: old ready age=9, old ready age=5, new age=4, new age=3",
        &["delete a old Duplicate", "delete a new Duplicate"],
    );
}

#[test]
fn surge_tells_old_from_new_by_hash_alone() {
    // The template generation makes the pod up to date everywhere else.
    expect_sync(&rolling(0, 1), "a: old generation ready, new ready", &["delete a old SurgeReplaced"]);
    expect_sync(&rolling(0, 1), "a: old generation ready", &[]);
}

#[test]
fn unbound_pods_of_vanished_nodes_go_and_bound_ones_are_left_to_pod_gc() {
    expect_sync(&on_delete(), "a gone: new unbound, new", &["delete a new UnboundAndNodeGone"]);
}

#[test]
fn failed_pods_go_at_once_and_then_ever_later() {
    let daemonset = rolling(1, 0);
    let mut scene = scene(&daemonset, "a: new failed");
    let start = NOW.0 * 1000;
    for (at_ms, expected) in [
        (0, "deleted, next after 1000"),
        (0, "held until 1000, looked at again after 1000"),
        (999, "held until 1000, looked at again after 1000"),
        (1_000, "deleted, next after 2000"),
        (2_500, "held until 3000, looked at again after 2000"),
        (3_000, "deleted, next after 4000"),
        (1_803_001, "deleted, next after 1000"),
    ] {
        let plan = scene.sync_at(&daemonset, start + at_ms);
        let deleted = plan.manage.deletes.first().map(|deletion| match deletion.reason {
            DeleteReason::Failed { backoff_ms } => format!("deleted, next after {backoff_ms}"),
            other => format!("{other:?}"),
        });
        let held = plan.manage.held.first().map(|held| match held.reason {
            HeldReason::BackOff { until_ms, .. } => {
                let again = plan.requeue_after_ms().unwrap();
                format!("held until {}, looked at again after {again}", until_ms - start)
            }
            other => format!("{other:?}"),
        });
        assert_eq!(deleted.or(held).unwrap(), expected, "at {at_ms} ms");
        scene.backoff = plan.backoff;
    }
}

#[test]
fn one_pass_creates_and_deletes_at_most_250() {
    let nodes: Vec<String> = (0..300).map(|n| format!("n{n}:")).collect();
    let plan = scene(&rolling(1, 0), &nodes.join("|")).sync(&rolling(1, 0));
    assert_eq!((plan.manage.creates.len(), plan.manage.creates_due), (250, 300));
    assert_eq!(plan.manage.creates[249].node.as_ref(), "n249");
    assert_eq!(held(&plan).len(), 50);
    assert!(held(&plan).contains(&"hold n250 Burst".to_owned()));

    let nodes: Vec<String> = (0..300).map(|n| format!("n{n} !NoExecute: new")).collect();
    let plan = scene(&rolling(1, 0), &nodes.join("|")).sync(&rolling(1, 0));
    assert_eq!((plan.manage.deletes.len(), plan.manage.deletes_due), (250, 300));
}
