//! What the panel of reasons says of a pod that should be there and is not well, or is an old one.

use crate::app::command;
use crate::app::diff::{Line, LineKind};
use crate::app::message::{Msg, Question};
use crate::app::model::Model;
use crate::app::phrase::{Phrase, fill};
use crate::app::standing::{objection, stands_still};
use crate::app::text::Words;
use crate::app::view::{CheckMark, CheckRow, Fix, Stage};
use crate::insight::standstill::{Fault, Held, Standing, Trouble};
use crate::objects::DaemonSet;
use std::rc::Rc;

/// What is said in place of the usual answer.
pub struct State {
    /// The question that fits.
    pub title: &'static str,
    /// Its answer.
    pub answer: Phrase,
    /// A check of the controller that belongs to it.
    pub row: Option<CheckRow>,
    /// What ends it.
    pub way_out: Vec<Fix>,
}

/// What there is to say of a node; `None`: its pod is well and of the newest template, or is yet to be created.
pub fn of(
    model: &Model,
    set: &Rc<DaemonSet>,
    standing: &Standing,
    node: &Rc<str>,
    fault: Option<&Fault>,
) -> Option<State> {
    let words = model.words();
    let texts = words.standing();
    match fault {
        Some(fault) if fault.trouble == Trouble::Missing => None,
        Some(fault) => {
            let mut answer = words.fault(fault, stands_still(model), objection(model, fault)).0;
            if fault.trouble.is_retried() {
                answer.extend(Phrase::plain(format!(" {}", texts.retried)).0);
            }
            let helps = fault.newest && fault.trouble.is_of_template();
            Some(State {
                title: if fault.trouble == Trouble::Unscheduled { texts.why_pending } else { texts.why_not_ready },
                answer: Phrase(answer),
                row: None,
                way_out: if helps { undo(model, set).into_iter().collect() } else { Vec::new() },
            })
        }
        None if standing.waiting.contains(node) => {
            let row = budget(words, standing);
            Some(State {
                title: texts.why_old,
                answer: words.old_pod(standing),
                row,
                way_out: ways_out(model, set, standing, node),
            })
        }
        None => None,
    }
}

/// The kubelet's row of a pod that is not available: a kubelet that is not done has not passed.
pub fn kubelet_row(words: &Words, row: &mut CheckRow, fault: &Fault) {
    let texts = words.standing();
    let (mark, found) = match &fault.trouble {
        Trouble::Image { reason, .. } | Trouble::Refused { reason, .. } => (CheckMark::Failed, reason.as_str()),
        Trouble::Crash { .. } => (CheckMark::Failed, texts.starts_again),
        Trouble::NotReady => (CheckMark::Failed, texts.running_not_ready),
        Trouble::Creating | Trouble::TooYoung => (CheckMark::Skipped, ""),
        _ => return,
    };
    row.mark = mark;
    if !found.is_empty() {
        row.found = Phrase::plain(found);
    }
}

/// The check that an old pod waits for.
fn budget(words: &Words, standing: &Standing) -> Option<CheckRow> {
    let texts = words.standing();
    let (Held::Unavailable { used, most } | Held::Surge { used, most }) = standing.held else { return None };
    let found = fill(texts.budget_found, &[("used", &used.to_string()), ("most", &most.to_string())]);
    Some(CheckRow {
        mark: CheckMark::Failed,
        what: Phrase::plain(texts.budget_what),
        found: Phrase::plain(found),
        line: None,
        field: None,
        stage: Stage::Controller,
        nested: false,
    })
}

fn ways_out(model: &Model, set: &Rc<DaemonSet>, standing: &Standing, node: &Rc<str>) -> Vec<Fix> {
    let texts = model.words().standing();
    if standing.held == Held::OnDelete {
        let store = model.session.world().store();
        let mut own = store.pods_on(node).filter(|pod| pod.metadata.is_controlled_by(&set.metadata.uid));
        let line = own.find(|pod| !pod.is_terminating()).map(|pod| command::delete_pod(&pod.metadata.key()));
        return line.map(|line| run(texts.delete_old, texts.delete_remark, line)).into_iter().collect();
    }
    let mut ways = Vec::new();
    // The node that is in the way can be asked about.
    if let Some(fault) = standing.faults.iter().find(|fault| fault.newest).or(standing.faults.first()) {
        let question = Question { set: set.metadata.key(), node: fault.node.clone() };
        ways.push(Fix {
            text: fill(texts.why_node, &[("node", &fault.node)]),
            remark: texts.why_node_remark.to_string(),
            message: Msg::Ask(question),
            lines: Vec::new(),
        });
    }
    if standing.blames_template() {
        ways.extend(undo(model, set));
    }
    ways
}

/// Going back to the revision before, if there is one.
fn undo(model: &Model, set: &Rc<DaemonSet>) -> Option<Fix> {
    let store = model.session.world().store();
    let mut own = store.controller_revisions().values().filter(|r| r.metadata.is_controlled_by(&set.metadata.uid));
    own.nth(1)?;
    let texts = model.words().standing();
    Some(run(texts.undo, texts.undo_remark, command::undo(&set.metadata.key())))
}

fn run(text: &str, remark: &str, line: String) -> Fix {
    Fix {
        text: text.to_string(),
        remark: remark.to_string(),
        message: Msg::Run(line.clone()),
        lines: vec![Line { kind: LineKind::Same, text: line }],
    }
}
