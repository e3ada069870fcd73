//! What is shown, computed from the session; made anew only where something changed.

use crate::app::cards::Cards;
use crate::app::details;
use crate::app::diff;
use crate::app::lines::Lines;
use crate::app::message::SideTab;
use crate::app::model::Model;
use crate::app::phrase::Phrase;
use crate::app::rollout::{Rollout, nodes_of};
use crate::app::view::{
    Chart, Colours, Comparison, Detail, EventRow, Fleet, ForecastCache, InsightView, NodeCard, ObjectDiff, OpenStep,
    PodTile, SetHead, StandingView, StoryEntry, StoryPart, VerdictView, insight_view,
};
use crate::objects::*;
use crate::order::Order;
use crate::simulation::{Session, Step};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Everything that is shown of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Views {
    /// Colours of the DaemonSets.
    pub colours: Colours,
    /// The DaemonSets.
    pub fleet: Fleet,
    /// All DaemonSets: key and colour.
    pub sets: Rc<Vec<(ObjectKey, u8)>>,
    /// The DaemonSet that is looked at.
    pub head: Option<Rc<SetHead>>,
    /// The nodes.
    pub cards: Rc<Vec<Rc<NodeCard>>>,
    /// Pods that are on no node and pinned to none, for which the scheduler looks or will look.
    pub unplaced: Rc<Vec<PodTile>>,
    /// Nodes that the last step touched.
    pub touched: Rc<BTreeSet<Rc<str>>>,
    /// The rollout over time.
    pub chart: Rc<Chart>,
    /// The steps in words.
    pub story: Rc<StoryPart>,
    /// The present step in words.
    pub telling: Phrase,
    /// The step that is shown with its changes and causes.
    pub open_step: Option<Rc<OpenStep>>,
    /// The events, newest first.
    pub events: Rc<Vec<EventRow>>,
    /// What the panel of details shows.
    pub detail: Option<Rc<Detail>>,
    /// What the panel of reasons shows.
    pub why: Option<Rc<VerdictView>>,
    /// What stands still, and why.
    pub standing: Option<Rc<StandingView>>,
    /// What the panel of insight shows.
    pub insight: Option<Rc<InsightView>>,
    forecasts: ForecastCache,
    /// Other lines of time: number of steps, and how many they share with the present one.
    pub branches: Rc<Vec<(usize, usize)>>,
    /// The present line beside another.
    pub compared: Option<Rc<Comparison>>,
    lines: Lines,
    made: Cards,
    rollout: Rollout,
    /// The step that was the present one at the last refresh.
    last: Option<Rc<Step>>,
    entries: Entries,
    found: Found,
}

/// Steps in words, kept as long as the language and the steps are the same.
#[derive(Clone, Debug, Default)]
struct Entries {
    language: Option<crate::app::text::Language>,
    made: Vec<(Rc<Step>, Rc<StoryEntry>)>,
    from: usize,
}

/// The steps that speak of what the person looks for.
#[derive(Clone, Debug, Default)]
struct Found {
    language: Option<crate::app::text::Language>,
    filter: Rc<str>,
    /// The last step that was looked at.
    last: Option<Rc<Step>>,
    entries: Vec<Rc<StoryEntry>>,
}

/// Most steps, counted from the last one, in which something is looked for.
const LOOKED_AT: usize = 4000;

impl Found {
    /// What is found around the present position. Only new steps are looked at.
    fn update(&mut self, model: &Model) -> StoryPart {
        let session = &model.session;
        let (position, len) = (session.position(), session.len());
        let same = self.language == Some(model.language())
            && self.filter == model.story_filter
            && self
                .last
                .as_ref()
                .is_some_and(|last| session.step_number(last.number).is_some_and(|there| Rc::ptr_eq(there, last)));
        let from = match self.last.as_ref().filter(|_| same) {
            Some(last) => last.number,
            None => {
                self.entries.clear();
                len.saturating_sub(LOOKED_AT)
            }
        };
        for number in from + 1..=len {
            let Some(step) = session.step_number(number) else { break };
            let entry = model.words().story_entry(step);
            let text = format!("{} {} {}", entry.text, entry.because, entry.command.as_deref().unwrap_or(""));
            if text.to_lowercase().contains(&*model.story_filter) {
                self.entries.push(Rc::new(entry));
            }
            self.last = Some(Rc::clone(step));
        }
        (self.language, self.filter) = (Some(model.language()), Rc::clone(&model.story_filter));
        let now = self.entries.partition_point(|entry| entry.number <= position);
        let (first, end) = (now.saturating_sub(model.story_before), (now + 40).min(self.entries.len()));
        let entries = self.entries.get(first..end).unwrap_or_default().to_vec();
        StoryPart { entries, earlier: first, later: self.entries.len() - end }
    }
}

/// Most pods without a node that are shown.
const UNPLACED: usize = 60;
/// Most events that are listed.
const EVENTS: usize = 200;

impl Views {
    /// Computes a part of what [`Self::refresh`] will need for a session that was never shown: up to `most` nodes' cards,
    /// or their order, or the chart. Returns how many cards there are, and whether all is there.
    pub fn prepare(&mut self, session: &Session, most: usize) -> (usize, bool) {
        let world = session.world();
        let store = world.store();
        if self.fleet.sets.is_empty() {
            self.fleet = Fleet::read(store, &mut self.colours);
        }
        let all = store.nodes().size();
        if !self.made.prepare(store, &self.fleet, world.now(), most) {
            return (self.made.size(), false);
        }
        if self.cards.len() < all {
            self.cards = self.made.update(store, &self.fleet, world.now(), None);
            return (all, false);
        }
        if let Some(set) = self.fleet.sets.first() {
            self.chart = self.rollout.update(session, Some(&set.object.metadata.key()), set.colour);
        }
        (all, true)
    }

    /// Computes everything from the model.
    pub fn refresh(&mut self, model: &Model) {
        let session = &model.session;
        let world = session.world();
        let store = world.store();
        let present = session.step_number(session.position());
        let touched: BTreeSet<Rc<str>> =
            present.map(|step| step.changes.iter().flat_map(nodes_of).collect()).unwrap_or_default();
        let one_further = is_next(self.last.as_ref(), present, session);
        self.fleet = Fleet::read(store, &mut self.colours);
        self.cards = self.made.update(store, &self.fleet, world.now(), one_further.then_some(&touched));
        set(&mut self.touched, touched);
        let unplaced = store.pods_without_node().filter(|pod| !pod.is_finished()).take(UNPLACED);
        let unplaced = unplaced.map(|pod| PodTile::of(pod, &self.fleet, world.now())).collect();
        set(&mut self.unplaced, unplaced);
        self.last = present.cloned();

        let sets = self.fleet.sets.iter().map(|set| (set.object.metadata.key(), set.colour)).collect();
        set(&mut self.sets, sets);
        let chosen = model.chosen.as_ref().and_then(|key| self.fleet.get(key)).or(self.fleet.sets.first()).cloned();
        let head = chosen.as_deref().map(|set| SetHead::of(set, &self.cards));
        if self.head.as_deref() != head.as_ref() {
            self.head = head.map(Rc::new);
        }
        // A DaemonSet that is not there at this position still has its past and future in the chart.
        let charted = chosen.as_ref().map(|set| set.object.metadata.key()).or_else(|| model.chosen.clone());
        let colour = charted.as_ref().map_or(0, |key| self.colours.of(key));
        self.chart = self.rollout.update(session, charted.as_ref(), colour);

        let standing = crate::app::standing::of(model, &self.fleet, charted.as_ref());
        if self.standing.as_deref() != standing.as_ref() {
            self.standing = standing.map(Rc::new);
        }
        self.refresh_story(model);
        if model.tab == SideTab::Events {
            set(&mut self.events, events(session));
        }
        let branches = session.branches().iter().map(|branch| (branch.len(), session.fork_of(branch))).collect();
        set(&mut self.branches, branches);
        self.open_step = model.open_step.and_then(|number| {
            let step = session.step_number(number)?;
            let causes = causes(model, step);
            match self.open_step.take() {
                Some(open) if open.number == number && open.causes == causes => Some(open),
                _ => Some(Rc::new(OpenStep { number, diffs: changes(step), causes })),
            }
        });
        self.compared =
            model.compare.and_then(|branch| self.lines.update(session, branch, charted.as_ref(), &self.chart));
        let detail = model.inspect.as_ref().map(|what| details::of(model, &self.fleet, &self.cards, what));
        if self.detail.as_deref() != detail.as_ref() {
            self.detail = detail.map(Rc::new);
        }
        let insight = match model.tab {
            SideTab::Insight => insight_view(model, &mut self.forecasts),
            _ => None,
        };
        if self.insight.as_deref() != insight.as_ref() {
            self.insight = insight.map(Rc::new);
        }
        let why = match model.tab {
            SideTab::Why => details::why(model, &self.cards),
            _ => None,
        };
        if self.why.as_deref() != why.as_ref() {
            self.why = why.map(Rc::new);
        }
    }

    fn refresh_story(&mut self, model: &Model) {
        let session = &model.session;
        let (position, len) = (session.position(), session.len());
        let from = position.saturating_sub(model.story_before).min(len);
        let to = (position + 40).min(len);
        if self.entries.language != Some(model.language()) {
            self.entries = Entries { language: Some(model.language()), ..Entries::default() };
        }
        let known = |number: usize, step: &Rc<Step>| {
            let at = number.checked_sub(self.entries.from + 1)?;
            let (before, entry) = self.entries.made.get(at)?;
            Rc::ptr_eq(before, step).then(|| Rc::clone(entry))
        };
        let made: Vec<(Rc<Step>, Rc<StoryEntry>)> = (from + 1..=to)
            .filter_map(|number| {
                let step = session.step_number(number)?;
                let entry = known(number, step).unwrap_or_else(|| Rc::new(model.words().story_entry(step)));
                Some((Rc::clone(step), entry))
            })
            .collect();
        let entries: Vec<Rc<StoryEntry>> = made.iter().map(|(_, entry)| Rc::clone(entry)).collect();
        self.telling = entries.get(position.wrapping_sub(from + 1)).map(|entry| entry.text.clone()).unwrap_or_default();
        self.entries.made = made;
        self.entries.from = from;
        let part = match &*model.story_filter {
            "" => StoryPart { entries, earlier: from, later: len - to },
            _ => self.found.update(model),
        };
        set(&mut self.story, part);
    }
}

/// Replaces a value only when it is another, so that what shows it need not be drawn again.
fn set<T: PartialEq>(place: &mut Rc<T>, value: T) {
    if **place != value {
        *place = Rc::new(value);
    }
}

/// Whether the present step comes right after the one that was shown last.
fn is_next(last: Option<&Rc<Step>>, present: Option<&Rc<Step>>, session: &Session) -> bool {
    let Some(present) = present else { return false };
    match last {
        None => false,
        Some(last) if Rc::ptr_eq(last, present) => true,
        Some(last) => {
            session.step_number(present.number.saturating_sub(1)).is_some_and(|before| Rc::ptr_eq(before, last))
        }
    }
}

/// Most causes that are followed.
const CAUSES: usize = 12;

/// The steps that led to a step, the nearest first.
fn causes(model: &Model, step: &Step) -> Vec<(usize, Phrase)> {
    let mut found = Vec::new();
    let mut next = step.cause;
    while let Some(cause) = next.and_then(|number| model.session.step_number(number)).filter(|_| found.len() < CAUSES) {
        found.push((cause.number, model.words().story_entry(cause).text));
        // A cause lies before what it caused.
        next = cause.cause.filter(|number| *number < cause.number);
    }
    found
}

/// What a step did to each object; events are left out.
fn changes(step: &Step) -> Vec<ObjectDiff> {
    let diff = |change: &crate::apiserver::Change| {
        let object = change.object()?;
        if matches!(object, Object::Event(_)) {
            return None;
        }
        let (before, after) =
            (change.before.as_ref().map(Object::to_value), change.after.as_ref().map(Object::to_value));
        Some(ObjectDiff {
            name: format!("{} {}", object.kind_name(), object.metadata().name),
            created: before.is_none(),
            deleted: after.is_none(),
            lines: diff::fields(
                before.as_ref(),
                after.as_ref(),
                if before.is_some() && after.is_some() { 40 } else { 8 },
            ),
        })
    };
    step.changes.iter().filter_map(diff).take(50).collect()
}

fn events(session: &Session) -> Vec<EventRow> {
    let world = session.world();
    let mut events: Vec<&Rc<Event>> = world.store().events().values().collect();
    events.order_by(|a, b| (b.last_timestamp, &b.metadata.name).cmp(&(a.last_timestamp, &a.metadata.name)));
    events
        .into_iter()
        .take(EVENTS)
        .map(|event| EventRow {
            name: event.metadata.name.clone(),
            at_ms: event.last_timestamp.map_or(0, |time| time.seconds_since(world.start()).saturating_mul(1000)),
            warning: event.type_ == WARNING,
            reason: event.reason.clone(),
            object: format!("{} {}", event.involved_object.kind, event.involved_object.name),
            message: event.message.clone(),
            count: event.count,
        })
        .collect()
}
