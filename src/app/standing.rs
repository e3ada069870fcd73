//! What is to be said where nothing brings a DaemonSet on any more.

use crate::app::command;
use crate::app::message::Question;
use crate::app::model::Model;
use crate::app::phrase::{Part, Phrase, fill};
use crate::app::text::{embed, time};
use crate::app::view::{Fleet, FleetSet, StandingKind, StandingView};
use crate::insight::standstill::{Fault, Standing, Trouble};
use crate::objects::ObjectKey;
use crate::scheduler::check_node;
use std::rc::Rc;

/// Most steps in which the trouble of a loop is looked for.
const LOOKED_BACK: usize = 64;

/// Whether nothing is to come but retries of what has failed before, and the person stands at the end of the line.
pub fn stands_still(model: &Model) -> bool {
    let session = &model.session;
    session.position() == session.len() && (session.world().agenda().is_quiet() || session.is_quiet())
}

/// What stands still, if anything does: the DaemonSet that is looked at comes before others.
pub fn of(model: &Model, fleet: &Fleet, chosen: Option<&ObjectKey>) -> Option<StandingView> {
    let session = &model.session;
    let at_end = session.position() == session.len();
    let looped = model.looped.filter(|(at, _)| at_end && *at == session.position());
    if looped.is_none() && !stands_still(model) {
        return None;
    }
    let world = session.world();
    let is_chosen = |set: &&Rc<FleetSet>| Some(&set.object.metadata.key()) == chosen;
    let sets = fleet.sets.iter().filter(is_chosen).chain(fleet.sets.iter().filter(|set| !is_chosen(set)));
    let unfinished = sets.filter(|set| !set.object.metadata.is_terminating()).find_map(|set| {
        let standing = Standing::of(world.store(), &set.object, world.now());
        (!standing.is_done()).then_some((set, standing))
    });
    let Some((set, standing)) = unfinished else {
        let (_, period_ms) = looped?;
        return Some(circles(model, period_ms, None, None));
    };
    let key = set.object.metadata.key();
    let fault = main_fault(&standing);
    let node = fault.map(|fault| &fault.node).or(standing.waiting.first());
    let question = node.map(|node| Question { set: key.clone(), node: node.clone() });
    let can_undo = set.previous > 0 && standing.blames_template();
    let undo = can_undo.then(|| command::undo(&key));
    if let Some((_, period_ms)) = looped.filter(|_| !fault.is_some_and(|fault| fault.trouble.is_retried())) {
        return Some(circles(model, period_ms, question, undo));
    }
    let words = model.words();
    let texts = words.standing();
    let waits = standing.waits_for_person();
    let (template, n) = match standing.up_to_date < standing.desired {
        _ if waits => (texts.on_delete, standing.up_to_date),
        true => (texts.up_to_date, standing.up_to_date),
        false => (texts.available, standing.available),
    };
    let mut sentences = Vec::new();
    if let Some(fault) = fault {
        sentences.push(words.fault(fault, true, objection(model, fault)));
        sentences.extend(words.more_faults(standing.faults.len() - 1).map(Phrase::plain));
        if fault.trouble.is_retried() {
            sentences.push(Phrase::plain(texts.retried));
        }
    }
    sentences.extend(words.waiting(&standing));
    let mut detail = Vec::new();
    if fleet.sets.len() > 1 {
        detail.push(Part::Plain(fill(texts.of_set, &[("set", &key.name)])));
    }
    for (number, sentence) in sentences.into_iter().enumerate() {
        detail.extend((number > 0).then(|| Part::Plain(" ".into())));
        detail.extend(sentence.0);
    }
    Some(StandingView {
        kind: if waits { StandingKind::YourTurn } else { StandingKind::Stuck },
        headline: fill(template, &[("n", &n.to_string()), ("all", &standing.desired.to_string())]),
        detail: Phrase(detail),
        question,
        undo,
    })
}

/// A loop of which no single pod is the cause: what went wrong last in it.
fn circles(model: &Model, period_ms: u64, question: Option<Question>, undo: Option<String>) -> StandingView {
    let words = model.words();
    let texts = words.standing();
    let session = &model.session;
    let position = session.position();
    let told = (position.saturating_sub(LOOKED_BACK) + 1..=position).rev();
    let trouble = told.filter_map(|number| session.step_number(number)).map(|step| words.story_entry(step));
    let text = trouble.clone().find(|entry| entry.trouble).or(trouble.clone().next()).map(|entry| entry.text);
    let period = time(model.language(), i64::try_from(period_ms).unwrap_or(i64::MAX));
    StandingView {
        kind: StandingKind::Circles,
        headline: texts.circles.to_string(),
        detail: embed(texts.circles_every, &[("time", Part::Plain(period))], "what", &text.unwrap_or_default()),
        question,
        undo,
    }
}

/// The fault to speak of: one that the newest template has brought, or the first.
fn main_fault(standing: &Standing) -> Option<&Fault> {
    let brought = standing.faults.iter().find(|fault| fault.newest && fault.trouble.is_of_template());
    brought.or(standing.faults.first())
}

/// What the scheduler objects to the pod of a fault on its node.
pub fn objection(model: &Model, fault: &Fault) -> Option<Phrase> {
    let pod = fault.pod.as_ref().filter(|_| fault.trouble == Trouble::Unscheduled)?;
    let checks = check_node(model.session.world().store(), pod, &fault.node)?;
    let reason = checks.iter().flat_map(|check| &check.reasons).next()?;
    Some(model.words().filter_reason(reason))
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
