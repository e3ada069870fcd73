//! The sentence that says why a pod stays pending, word for word.
//!
//! Follows kubernetes pkg/scheduler/framework FitError and pkg/scheduler/framework/preemption, v1.36.

use super::framework::Diagnosis;
use super::preemption::{DryRunFailure, Ineligible, PreemptionOutcome};
use crate::order::Order;
use std::collections::BTreeMap;

/// The message when the cluster has no node at all.
pub const NO_NODES: &str = "no nodes available to schedule pods";
/// The longest message that an event may carry, in bytes.
const EVENT_MESSAGE_LIMIT: usize = 1024;

/// `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). …` with what preemption came to.
pub fn failed_scheduling(diagnosis: &Diagnosis, preemption: &PreemptionOutcome) -> String {
    let mut text = fit_error(diagnosis);
    let preemption = match preemption {
        PreemptionOutcome::Nominated(_) => return text,
        PreemptionOutcome::Ineligible(Ineligible::NeverPreempts) => {
            "not eligible due to preemptionPolicy=Never.".to_owned()
        }
        PreemptionOutcome::Ineligible(Ineligible::VictimsTerminating) => {
            "not eligible due to a terminating pod on the nominated node.".to_owned()
        }
        PreemptionOutcome::NoCandidates(failures) => no_candidates(diagnosis.total_nodes, failures.values()),
    };
    // The DynamicResources plugin is asked before preemption and never has a claim to give back here.
    text.push_str(" no new claims to deallocate, preemption: ");
    text.push_str(&preemption);
    text
}

/// The part about the nodes.
fn fit_error(diagnosis: &Diagnosis) -> String {
    if let Some(reason) = &diagnosis.pre_filter {
        return format!("0/{} nodes are available: {}.", diagnosis.total_nodes, reason.message());
    }
    let mut counts = Counts::default();
    for reason in diagnosis.failures.values().flatten() {
        counts.add(reason.message(), 1);
    }
    if let Some(message) = diagnosis.absent_message() {
        counts.add(message, diagnosis.absent_nodes());
    }
    counts.sentence(diagnosis.total_nodes)
}

fn no_candidates<'a>(total: usize, failures: impl Iterator<Item = &'a DryRunFailure>) -> String {
    let mut counts = Counts::default();
    let mut tried: usize = 0;
    for failure in failures {
        tried = tried.saturating_add(1);
        match failure {
            DryRunFailure::NoVictims => counts.add("No preemption victims found for incoming pod".to_owned(), 1),
            DryRunFailure::StillRefused(reasons) => reasons.iter().for_each(|reason| counts.add(reason.message(), 1)),
        }
    }
    counts.add("Preemption is not helpful for scheduling".to_owned(), total.saturating_sub(tried));
    counts.sentence(total)
}

/// How often each reason was given.
#[derive(Default)]
struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, message: String, count: usize) {
        if count > 0 {
            let sum = self.0.entry(message).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// The counted reasons, sorted as texts: `10 …` comes before `2 …`.
    fn sentence(self, total: usize) -> String {
        let mut counted: Vec<String> =
            self.0.into_iter().map(|(message, count)| format!("{count} {message}")).collect();
        counted.order();
        match counted.as_slice() {
            [] => format!("0/{total} nodes are available:"),
            _ => format!("0/{total} nodes are available: {}.", counted.join(", ")),
        }
    }
}

/// The message as an event carries it: cut where it is too long.
pub fn event_message(message: &str) -> String {
    if message.len() <= EVENT_MESSAGE_LIMIT {
        return message.to_owned();
    }
    let suffix = " ...";
    let mut end = EVENT_MESSAGE_LIMIT - suffix.len();
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", message.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_sorted_as_texts() {
        let mut counts = Counts::default();
        counts.add("b".into(), 2);
        counts.add("a".into(), 10);
        counts.add("c".into(), 2);
        counts.add("d".into(), 0);
        assert_eq!(counts.sentence(14), "0/14 nodes are available: 10 a, 2 b, 2 c.");
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        assert_eq!(event_message("short"), "short");
        let cut = event_message(&"é".repeat(600));
        assert_eq!(cut.len(), 1024);
        assert!(cut.ends_with("é ..."));
    }
}
