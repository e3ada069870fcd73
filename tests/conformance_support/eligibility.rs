//! `eligibility.jsonl`: one node, one DaemonSet: may a pod run there.

use super::cases::part;
use super::expect_eq;
use daemonset_playground::controllers::daemonset::{Eligibility, Rules, evaluate};
use daemonset_playground::objects::*;
use serde_json::Value;

pub fn check(case: &Value) -> Result<(), String> {
    let (daemonset, node): (DaemonSet, Node) = (part(case, "daemonset"), part(case, "node"));
    let expected = &case["expect"];
    let expected = Eligibility {
        should_run: expected["shouldRun"].as_bool().expect("shouldRun"),
        should_continue_running: expected["shouldContinueRunning"].as_bool().expect("shouldContinueRunning"),
    };
    expect_eq("the rules", Rules::of(&daemonset).eligibility(&node), expected)?;
    expect_eq("the verdict", evaluate(&daemonset, &node).eligibility, expected)
}
