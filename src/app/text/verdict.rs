//! Verdicts in plain words: every check with what was found.

use super::Words;
use super::story::{code, plain, strong};
use crate::app::phrase::{Part, Phrase, fill};
use crate::app::view::{CheckMark, CheckRow, Place16, PodState, Stage};
use crate::controllers::daemonset::eligibility::{Check, TaintOutcome, TermCheck};
use crate::controllers::daemonset::{TolerationOrigin, Verdict};
use crate::insight::explain::{Difference, Explanation};
use crate::objects::{Pod, Time};
use std::rc::Rc;

/// The field of the node that a check looks at.
fn field_of(check: &Check) -> Option<(String, Rc<str>)> {
    match check {
        Check::NodeName { .. } => Some(("metadata.name".into(), "".into())),
        Check::NodeSelector { key, .. } => Some((label_path(key), key.as_str().into())),
        Check::NodeAffinity { .. } => None,
        Check::Taint { taint, index, .. } => Some((format!("spec.taints[{index}]"), taint.key.as_str().into())),
    }
}

fn label_path(key: &str) -> String {
    if key.contains(['.', '/']) { format!("metadata.labels[\"{key}\"]") } else { format!("metadata.labels.{key}") }
}

impl Words {
    /// The answer of a verdict in one sentence; `runs`: there is a pod.
    pub fn verdict_answer(&self, verdict: &Verdict, set: &str, runs: bool) -> Phrase {
        let eligibility = verdict.eligibility;
        let template = match (eligibility.should_run, eligibility.should_continue_running) {
            (true, _) => self.verdict_yes,
            (false, _) if !runs => self.standing().not_placed,
            (false, true) => self.verdict_stay,
            (false, false) => self.verdict_no,
        };
        Phrase::fill(template, &[("set", strong(set))])
    }

    /// All checks of a verdict. `line_of` finds a field of the manifest: its line, and its range in UTF-16 units.
    pub fn check_rows(&self, explanation: &Explanation, line_of: &dyn Fn(&str) -> Option<Place16>) -> Vec<CheckRow> {
        let verdict = &explanation.verdict;
        let mut rows = Vec::new();
        let has = |wanted: fn(&Check) -> bool| verdict.checks.iter().any(wanted);
        if !has(|check| matches!(check, Check::NodeName { .. })) {
            rows.push(self.nothing_to_check(self.check_name, self.check_name_none));
        }
        if !has(|check| matches!(check, Check::NodeSelector { .. } | Check::NodeAffinity { .. })) {
            rows.push(self.nothing_to_check(self.check_selector_none, self.check_none_set));
        }
        for check in &verdict.checks {
            let line = check.manifest_path().and_then(|path| line_of(&path));
            let mut row = self.check_row(check, line);
            if let Check::Taint { index, .. } = check {
                for near in explanation.near_misses.iter().filter(|near| near.taint == *index) {
                    row.found.0.push(plain(format!("; {}", self.near_miss(near.differs))));
                    row.line = line_of(&format!("spec.template.spec.tolerations[{}]", near.toleration));
                }
            }
            rows.push(row);
            if let Check::NodeAffinity { terms } = check {
                terms.iter().for_each(|term| self.term_rows(term, line_of, &mut rows));
            }
        }
        if !has(|check| matches!(check, Check::Taint { .. })) {
            rows.push(self.nothing_to_check(self.check_taints_none, self.check_taints_none_found));
        }
        rows
    }

    fn nothing_to_check(&self, what: &str, found: &str) -> CheckRow {
        let (what, found) = (Phrase::plain(what), Phrase::plain(found));
        CheckRow {
            mark: CheckMark::Passed,
            what,
            found,
            line: None,
            field: None,
            stage: Stage::Controller,
            nested: false,
        }
    }

    fn check_row(&self, check: &Check, line: Option<Place16>) -> CheckRow {
        let mark = if check.passed() { CheckMark::Passed } else { CheckMark::Failed };
        let (what, found) = match check {
            Check::NodeName { wanted, .. } => {
                let template = if check.passed() { self.check_name_same } else { self.check_name_other };
                (Phrase::plain(self.check_name), Phrase::fill(template, &[("wanted", strong(wanted))]))
            }
            Check::NodeSelector { key, wanted, actual } => {
                let what = Phrase::fill(self.check_selector, &[("label", code(&format!("{key}={wanted}")))]);
                (what, self.label_found(actual.as_deref()))
            }
            Check::NodeAffinity { terms } => {
                let fitting = terms.iter().filter(|term| term.passed).count();
                let facts = [("n", plain(fitting)), ("all", plain(terms.len()))];
                (Phrase::plain(self.check_affinity), Phrase::fill(self.check_affinity_found, &facts))
            }
            Check::Taint { taint, outcome, .. } => {
                let found = match outcome {
                    TaintOutcome::Tolerated(TolerationOrigin::Template(_)) => self.check_taint_own,
                    TaintOutcome::Tolerated(_) => self.check_taint_automatic,
                    TaintOutcome::OnlyPreference => self.check_taint_ignored,
                    TaintOutcome::KeepsNewPodsOff => self.check_taint_blocks,
                    TaintOutcome::KeepsAllPodsOff => self.check_taint_evicts,
                };
                let what = Phrase::fill(self.check_taint, &[("taint", code(&taint.to_string()))]);
                (what, Phrase::plain(found))
            }
        };
        CheckRow { mark, what, found, line, field: field_of(check), stage: Stage::Controller, nested: false }
    }

    fn near_miss(&self, differs: Difference) -> &'static str {
        match differs {
            Difference::Effect => self.near_effect,
            Difference::Value => self.near_value,
            Difference::ValueAndEffect => self.near_both,
            Difference::OperatorIsOff => self.near_operator,
        }
    }

    /// What comes after the controller: the scheduler and the kubelet, as far as the DaemonSet's pods on the node have
    /// come.
    pub fn later_rows(&self, eligible: bool, pods: &[&Rc<Pod>]) -> Vec<CheckRow> {
        let row = |mark, what: &str, found: &str| {
            let (what, found) = (Phrase::plain(what), Phrase::plain(found));
            let stage = if what.0 == Phrase::plain(self.check_kubelet).0 { Stage::Kubelet } else { Stage::Scheduler };
            CheckRow { mark, what, found, line: None, field: None, stage, nested: false }
        };
        let Some(pod) = pods.iter().find(|pod| !pod.is_finished()).or(pods.first()) else {
            let found = if eligible { self.absent_coming } else { self.check_later };
            return vec![
                row(CheckMark::Skipped, self.check_scheduler, found),
                row(CheckMark::Skipped, self.check_kubelet, self.check_later),
            ];
        };
        let refused = pod.status.condition("PodScheduled").filter(|condition| condition.status == "False");
        let scheduler = match refused {
            _ if pod.is_bound() => row(CheckMark::Passed, self.check_scheduler, self.check_scheduler_passed),
            Some(condition) => row(CheckMark::Failed, self.check_scheduler, &condition.message),
            None => row(CheckMark::Skipped, self.check_scheduler, self.check_scheduler_waits),
        };
        let state = PodState::of(pod, 0, Time::default());
        let mark = match state {
            PodState::Pending => CheckMark::Skipped,
            PodState::Failing | PodState::Failed | PodState::Evicted => CheckMark::Failed,
            _ => CheckMark::Passed,
        };
        vec![scheduler, row(mark, self.check_kubelet, self.pod_state(state))]
    }

    fn label_found(&self, actual: Option<&str>) -> Phrase {
        match actual {
            Some(found) => Phrase::fill(self.check_selector_found, &[("found", code(found))]),
            None => Phrase::plain(self.check_selector_missing),
        }
    }

    fn term_rows(&self, term: &TermCheck, line_of: &dyn Fn(&str) -> Option<Place16>, rows: &mut Vec<CheckRow>) {
        let mark = |passed| if passed { CheckMark::Passed } else { CheckMark::Failed };
        for check in &term.requirements {
            let requirement = &check.requirement;
            let text = format!("{} {} {}", requirement.key, requirement.operator, requirement.values.join(", "));
            let number = Part::Plain(fill(self.check_term, &[("n", &(term.index + 1).to_string())]));
            rows.push(CheckRow {
                mark: mark(check.passed),
                what: Phrase(vec![number, plain(": "), code(text.trim_end())]),
                found: self.label_found(check.actual.as_deref()),
                line: line_of(&check.manifest_path(term.index)),
                field: Some((label_path(&requirement.key), requirement.key.as_str().into())),
                stage: Stage::Controller,
                nested: true,
            });
        }
    }
}
