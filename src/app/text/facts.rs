//! Facts in words: what several parts of the page say of the same thing.

use super::Words;
use crate::app::message::{Counter, Fate};
use crate::app::phrase::{Part, Phrase, fill};
use crate::app::view::{Absence, NodeHealth, PodState, PodTile, short_key};

impl Words {
    /// A pod's state in a word or two.
    pub fn pod_state(&self, state: PodState) -> &'static str {
        match state {
            PodState::Pending => self.state_pending,
            PodState::Starting => self.state_starting,
            PodState::Ready => self.state_ready,
            PodState::Available => self.state_available,
            PodState::Terminating => self.state_terminating,
            PodState::Failing => self.state_failing,
            PodState::Failed => self.state_failed,
            PodState::Evicted => self.state_evicted,
            PodState::Succeeded => self.state_succeeded,
        }
    }

    /// A node's health in a word or two; nothing when it is well.
    pub fn node_health(&self, health: NodeHealth) -> Option<&'static str> {
        match health {
            NodeHealth::Ready => None,
            NodeHealth::NotReady => Some(self.node_not_ready),
            NodeHealth::Unknown => Some(self.node_unknown),
        }
    }

    /// What becomes of an image.
    pub fn fate(&self, fate: Fate) -> &'static str {
        match fate {
            Fate::Runs => self.fate_runs,
            Fate::CannotPull => self.fate_pull,
            Fate::Crashes => self.fate_crash,
            Fate::NeverReady => self.fate_unready,
        }
    }

    /// A counter's name, as kubectl's column.
    pub fn counter(&self, counter: Counter) -> &'static str {
        match counter {
            Counter::Desired => self.counter_desired,
            Counter::Current => self.counter_current,
            Counter::Ready => self.counter_ready,
            Counter::UpToDate => self.counter_up_to_date,
            Counter::Available => self.counter_available,
        }
    }

    /// What a counter counts.
    pub fn counter_meaning(&self, counter: Counter) -> &'static str {
        match counter {
            Counter::Desired => self.counts_desired,
            Counter::Current => self.counts_current,
            Counter::Ready => self.counts_ready,
            Counter::UpToDate => self.counts_up_to_date,
            Counter::Available => self.counts_available,
        }
    }

    /// Why there is no pod, in one line.
    pub fn absence(&self, absence: &Absence) -> Phrase {
        match absence {
            Absence::NodeName(name) => Phrase::fill(self.absent_node_name, &[("name", Part::Strong(name.clone()))]),
            Absence::Selector { key, wanted, found: None } => {
                Phrase::fill(self.absent_selector_missing, &[("label", Part::Strong(format!("{key}={wanted}")))])
            }
            Absence::Selector { key, wanted, found: Some(found) } => Phrase::fill(
                self.absent_selector_other,
                &[("label", Part::Strong(format!("{key}={wanted}"))), ("found", Part::Strong(found.clone()))],
            ),
            Absence::Affinity => Phrase::plain(self.absent_affinity),
            Absence::Taint(taint) => {
                let (_, key) = short_key(&taint.key);
                let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
                Phrase::fill(self.absent_taint, &[("taint", Part::Strong(format!("{key}{value}")))])
            }
            Absence::Coming => Phrase::plain(self.absent_coming),
        }
    }

    /// A pod in one line, after its tile: `v1.9.1, available`.
    pub fn pod_line(&self, pod: &PodTile) -> Phrase {
        let state = self.pod_condition(pod);
        Phrase::fill("{image} {state}", &[("image", Part::Code(pod.tag().into())), ("state", Part::Plain(state))])
    }

    /// A pod's state with what a person has to know of it: what holds it up, how it ended before, how often it was
    /// started again.
    fn pod_condition(&self, pod: &PodTile) -> String {
        let words = self.standing();
        let state = match pod.state {
            _ if !pod.crashed.is_empty() => words.starts_again,
            PodState::Starting if pod.only_unready => words.running_not_ready,
            state => self.pod_state(state),
        };
        let restarts = (pod.restarts > 0).then(|| self.restarts(pod.restarts));
        let notes = [&*pod.trouble, &*pod.crashed, restarts.as_deref().unwrap_or("")];
        let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
        if notes.is_empty() { state.to_string() } else { format!("{state} ({})", notes.join(", ")) }
    }

    /// A pod's accessible name: everything that its tile shows.
    pub fn pod_name(&self, pod: &PodTile) -> String {
        let state = &*self.pod_condition(pod);
        match pod.revision {
            Some(revision) => fill(
                self.pod_of_revision,
                &[("pod", &pod.key.name), ("revision", &revision.to_string()), ("state", state)],
            ),
            None => fill(self.pod_without_revision, &[("pod", &pod.key.name), ("state", state)]),
        }
    }
}
