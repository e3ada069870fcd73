use super::super::*;
use super::scene::*;
use crate::objects::*;

/// Desired, current, ready, up to date, available, misscheduled.
#[track_caller]
fn expect_counters(daemonset: &DaemonSet, cluster: &str, expected: [i32; 6]) {
    let status = scene(daemonset, cluster).sync(daemonset).status.unwrap().status;
    let actual = [
        status.desired_number_scheduled,
        status.current_number_scheduled,
        status.number_ready,
        status.updated_number_scheduled,
        status.number_available,
        status.number_misscheduled,
    ];
    assert_eq!(actual, expected, "{cluster}");
    assert_eq!(status.number_unavailable, expected[0] - expected[4], "{cluster}");
}

#[test]
fn the_counters() {
    let daemonset = on_delete();
    expect_counters(&daemonset, "a: new ready | b: old ready | c: new | d:", [4, 3, 2, 2, 2, 0]);
    expect_counters(&daemonset, "a !NoSchedule: new ready, new | b !NoSchedule:", [0, 0, 0, 0, 0, 1]);
    expect_counters(&daemonset, "a: new leaving | b: new failed", [2, 2, 0, 2, 0, 0]);
    expect_counters(&daemonset, "a: new unbound | b: new failed leaving", [2, 1, 0, 1, 0, 0]);
    expect_counters(&daemonset, "a: old generation ready", [1, 1, 1, 1, 1, 0]);
    expect_counters(&daemonset, "a gone: new ready", [0, 0, 0, 0, 0, 0]);
    expect_counters(&with_min_ready(daemonset, 30), "a: new ready=29 | b: new ready=30", [2, 2, 2, 2, 1, 0]);
}

#[test]
fn during_a_surge_the_old_pod_is_judged() {
    expect_counters(&rolling(0, 1), "a: old ready age=9, new age=5", [1, 1, 1, 0, 1, 0]);
    expect_counters(&rolling(0, 1), "a: old unbound age=9, new ready age=5", [1, 1, 1, 1, 1, 0]);
    let daemonset = rolling(0, 1);
    let scene = scene(&daemonset, "a: old ready age=9, new age=5 | b: | c !NoSchedule: new");
    let hash = controller_revision_hash(&daemonset.spec.template, None);
    let counted = counted_nodes(&View::new(&daemonset, NOW, &hash, &scene.nodes, &scene.pods));
    assert_eq!(counted.len(), 3);
    assert_eq!((counted[0].ready, counted[0].updated, counted[0].unseen.len()), (true, false, 1));
    assert_eq!((counted[1].desired, counted[1].pod.is_none()), (true, true));
    assert_eq!((counted[2].desired, counted[2].pod.is_some()), (false, true));
}

#[test]
fn nothing_is_written_when_all_agrees() {
    let mut daemonset = on_delete();
    let scene = scene(&daemonset, "a: new ready");
    let plan = scene.sync(&daemonset);
    assert!(plan.status.as_ref().unwrap().written);
    daemonset.status = plan.status.unwrap().status;
    let plan = scene.sync(&daemonset);
    assert!(!plan.status.as_ref().unwrap().written);
    assert!(plan.writes_nothing());
    daemonset.metadata.generation += 1;
    let plan = scene.sync(&daemonset).status.unwrap();
    assert_eq!((plan.written, plan.status.observed_generation), (true, 3));
}

#[test]
fn ready_and_not_yet_available_pods_are_looked_at_again_after_min_ready_seconds() {
    let daemonset = with_min_ready(on_delete(), 30);
    assert_eq!(scene(&daemonset, "a: new ready=29").sync(&daemonset).requeue_after_ms(), Some(30_000));
    assert_eq!(scene(&daemonset, "a: new ready=30").sync(&daemonset).requeue_after_ms(), None);
    assert_eq!(scene(&on_delete(), "a: new ready=0").sync(&on_delete()).requeue_after_ms(), None);
}

#[test]
fn while_earlier_writes_are_awaited_only_the_status_is_looked_at() {
    let mut daemonset = rolling(1, 0);
    daemonset.metadata.generation = 3;
    let scene = scene(&daemonset, "a: | b: old ready");
    let plan = sync(&SyncInput { earlier_writes_awaited: true, ..scene.input(&daemonset, NOW.0 * 1000) });
    assert_eq!(plan.stopped, Some(SyncStopped::EarlierWritesAwaited));
    assert_eq!(actions(&plan), [""; 0]);
    let status = plan.status.unwrap();
    assert_eq!((status.status.desired_number_scheduled, status.status.observed_generation), (2, 2));
}
