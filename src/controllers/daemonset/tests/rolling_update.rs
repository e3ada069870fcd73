use super::super::*;
use super::scene::*;

#[test]
fn as_many_available_old_pods_go_as_the_budget_allows() {
    expect_sync_and_held(
        &rolling(1, 0),
        "a: old ready | b: old ready | c: old ready",
        &["delete a old OldWithinBudget"],
        &["hold b old UnavailableBudget", "hold c old UnavailableBudget"],
    );
    expect_sync(
        &rolling(2, 0),
        "node-10: old ready | node-9: old ready | node-11: old ready",
        &["delete node-9 old OldWithinBudget", "delete node-10 old OldWithinBudget"],
    );
    expect_sync(&on_delete(), "a: old ready | b: old", &[]);
}

#[test]
fn percentages_are_of_eligible_nodes_and_round_up() {
    expect_sync(
        &rolling("34%", 0),
        "a: old ready | b: old ready | c: old ready",
        &["delete a old OldWithinBudget", "delete b old OldWithinBudget"],
    );
    expect_sync(
        &rolling("50%", 0),
        "a: old ready | b: old ready | c !NoSchedule: | d !NoSchedule:",
        &["delete a old OldWithinBudget"],
    );
}

#[test]
fn both_budgets_zero_mean_one() {
    let daemonset = rolling(0, 0);
    expect_sync(&daemonset, "a: old ready | b: old ready", &["delete a old OldWithinBudget"]);
    let facts = scene(&daemonset, "a: old ready").sync(&daemonset).rolling_update_facts.unwrap();
    assert!(facts.both_were_zero);
    assert_eq!(facts.max_unavailable, 1);
}

#[test]
fn whatever_is_not_available_uses_the_budget() {
    let waits = ["hold a new WaitsForAvailable", "hold b old UnavailableBudget"];
    expect_sync_and_held(&rolling(1, 0), "a: new | b: old ready", &[], &waits);
    expect_sync(&rolling(1, 0), "a: new leaving | b: old ready", &[]);
    expect_sync(&rolling(2, 0), "a: new leaving | b: old ready", &["delete b old OldWithinBudget"]);
    expect_sync(&with_min_ready(rolling(1, 0), 30), "a: new ready=29 | b: old ready", &[]);
    expect_sync(
        &with_min_ready(rolling(1, 0), 30),
        "a: new ready=30 | b: old ready",
        &["delete b old OldWithinBudget"],
    );
}

#[test]
fn old_pods_that_are_not_available_all_go_at_once() {
    expect_sync(
        &rolling(1, 0),
        "a: old | b: old | c: old ready",
        &["delete a old OldUnavailable", "delete b old OldUnavailable"],
    );
    // An edit within minReadySeconds: every pod is an old one that is not available.
    expect_sync(
        &with_min_ready(rolling(1, 0), 300),
        "a: old ready | b: old ready",
        &["delete a old OldUnavailable", "delete b old OldUnavailable"],
    );
}

#[test]
fn old_pods_that_cannot_be_replaced_use_the_budget_all_the_same() {
    expect_sync(&rolling(1, 0), "a !NoSchedule: old ready | b: old ready", &["delete a old OldWithinBudget"]);
    expect_sync(&rolling(1, 0), "b: old ready | a gone: old ready", &["delete a old OldWithinBudget"]);
}

#[test]
fn the_template_generation_makes_a_pod_up_to_date() {
    expect_sync(&rolling(1, 0), "a: old generation ready | b: old generation ready", &[]);
}

#[test]
fn a_reconcile_in_which_manage_acts_has_no_rolling_update() {
    let daemonset = rolling(2, 0);
    let plan = scene(&daemonset, "a: | b: old ready").sync(&daemonset);
    assert_eq!(actions(&plan), ["create a NodeHasNoPod"]);
    assert_eq!(plan.rolling_update_skipped, Some(RollingUpdateSkipped::ManageActed));
    assert_eq!(plan.rolling_update_facts, None);
}

#[test]
fn surge_creates_beside_available_old_pods_within_the_budget() {
    expect_sync_and_held(
        &rolling(0, 1),
        "a: old ready | b: old ready",
        &["create a SurgeBegins"],
        &["hold b old SurgeBudget"],
    );
    expect_sync(&rolling(0, 1), "a: old ready, new | b: old ready", &[]);
    expect_sync(
        &rolling(0, "50%"),
        "a: old ready | b: old ready | c: old ready",
        &["create a SurgeBegins", "create b SurgeBegins"],
    );
}

#[test]
fn surge_replaces_unavailable_old_pods_beyond_the_budget() {
    expect_sync(
        &rolling(0, 1),
        "a: old | b: old | c: old ready",
        &["create a SurgeOverUnavailable", "create b SurgeOverUnavailable", "create c SurgeBegins"],
    );
    expect_sync(&rolling(0, 1), "a !NoSchedule: old | b: new ready", &["delete a old OldUnavailableAndNotEligible"]);
}

#[test]
fn surge_takes_old_pods_from_nodes_that_should_not_run_one_only_while_enough_are_available() {
    let daemonset = rolling(0, 1);
    expect_sync(
        &daemonset,
        "a !NoSchedule: old ready | b: new ready",
        &["delete a old OldNotEligibleAndReplacedElsewhere"],
    );
    expect_sync_and_held(
        &daemonset,
        "a !NoSchedule: old ready | b: new",
        &[],
        &["hold a old MayOnlyContinue", "hold b new WaitsForAvailable", "hold a old NotEligibleButNeeded"],
    );
}

#[test]
fn surge_stalls_at_an_old_pod_whose_node_is_gone() {
    let daemonset = rolling(0, 1);
    let plan = scene(&daemonset, "a gone: old ready | b: old ready").sync(&daemonset);
    assert_eq!(actions(&plan), [""; 0]);
    let error = plan.error.clone().unwrap();
    assert_eq!(error.to_string(), r#"couldn't get node for nodeName "a": node "a" not found"#);
    assert!(plan.status.unwrap().written);
}

#[test]
fn with_nothing_desired_a_surge_in_percent_is_none() {
    expect_sync(&rolling(0, "50%"), "a !NoSchedule: old", &["delete a old OldUnavailable"]);
}

#[test]
fn the_facts_tell_how_the_budget_was_used() {
    let daemonset = rolling(2, 0);
    let plan = scene(&daemonset, "a: old ready | b: new | c: old | d: old ready").sync(&daemonset);
    assert_eq!(actions(&plan), ["delete c old OldUnavailable"]);
    assert_eq!(
        plan.rolling_update_facts.unwrap(),
        RollingUpdateFacts {
            desired: 4,
            max_unavailable: 2,
            unavailable: 2,
            replaced_anyway: 1,
            candidates: 2,
            allowed: 0,
            ..Default::default()
        }
    );
}
