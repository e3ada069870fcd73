//! The filter box over the cluster: which nodes are shown.

use crate::app::view::{Absence, NodeCard, NodeHealth, PodState};

/// A filter: all its words must hold.
///
/// `zone=a` and `zone!=a` look at labels, `zone` alone at the name and at label keys, `taint:gpu` at taints,
/// `is:pending` at the states of pods, `is:empty`, `is:excluded`, `is:cordoned` and `is:unwell` at the node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Vec<Word>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Text(String),
    Label { key: String, value: String, equal: bool },
    Taint(String),
    Is(String),
}

impl Filter {
    /// Reads the text of the box. Every text is a filter.
    pub fn parse(text: &str) -> Self {
        let word = |word: &str| {
            if let Some(taint) = word.strip_prefix("taint:") {
                return Word::Taint(taint.to_lowercase());
            }
            if let Some(state) = word.strip_prefix("is:") {
                return Word::Is(state.to_lowercase());
            }
            if let Some((key, value)) = word.split_once("!=") {
                return Word::Label { key: key.into(), value: value.into(), equal: false };
            }
            match word.split_once('=') {
                Some((key, value)) => {
                    Word::Label { key: key.into(), value: value.trim_start_matches('=').into(), equal: true }
                }
                None => Word::Text(word.to_lowercase()),
            }
        };
        Self(text.split([' ', ',']).filter(|w| !w.is_empty()).map(word).collect())
    }

    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a node is shown.
    pub fn fits(&self, card: &NodeCard) -> bool {
        self.0.iter().all(|word| match word {
            Word::Text(text) => {
                card.name.to_lowercase().contains(text)
                    || card.labels.iter().any(|label| label.key.to_lowercase().contains(text))
                    || card.roles.iter().any(|role| role.contains(text))
            }
            Word::Label { key, value, equal } => {
                let found = card.labels.iter().find(|label| label.key == *key).map(|label| &label.value);
                (found == Some(value)) == *equal
            }
            Word::Taint(text) => card.taints.iter().any(|taint| taint.text().to_lowercase().contains(text)),
            Word::Is(state) => is(card, state),
        })
    }
}

fn is(card: &NodeCard, state: &str) -> bool {
    match state {
        "cordoned" => card.cordoned,
        "unwell" => card.health != NodeHealth::Ready,
        "empty" => card.places.iter().any(|place| place.pods.is_empty()),
        "excluded" => card.places.iter().any(|place| place.absence.as_ref().is_some_and(Absence::is_excluded)),
        _ => card.places.iter().flat_map(|place| &place.pods).any(|pod| state_word(pod.state) == state),
    }
}

/// The word by which the filter knows a state.
pub const fn state_word(state: PodState) -> &'static str {
    match state {
        PodState::Pending => "pending",
        PodState::Starting => "starting",
        PodState::Ready => "ready",
        PodState::Available => "available",
        PodState::Terminating => "terminating",
        PodState::Failing => "failing",
        PodState::Failed => "failed",
        PodState::Evicted => "evicted",
        PodState::Succeeded => "succeeded",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::Cluster;
    use crate::app::view::{Colours, Fleet, node_cards};
    use crate::objects::Time;

    fn shown(filter: &str) -> Vec<String> {
        let store = Cluster::new()
            .control_plane("cp")
            .worker("worker1")
            .labels("worker1", &[("zone", "a")])
            .worker("worker2")
            .labels("worker2", &[("zone", "b")])
            .cordon("worker2")
            .daemon_set("agent", &["h"])
            .running_pod("agent", "h", "worker1")
            .store();
        let fleet = Fleet::read(&store, &mut Colours::default());
        let filter = Filter::parse(filter);
        let cards = node_cards(&store, &fleet, Time(10));
        cards.iter().filter(|card| filter.fits(card)).map(|card| card.name.to_string()).collect()
    }

    #[test]
    fn words_look_at_names_labels_taints_and_states() {
        assert_eq!(shown(""), ["cp", "worker1", "worker2"]);
        assert_eq!(shown("WORKER"), ["worker1", "worker2"]);
        assert_eq!(shown("zone=a"), ["worker1"]);
        assert_eq!(shown("zone!=a"), ["cp", "worker2"]);
        assert_eq!(shown("taint:control"), ["cp"]);
        assert_eq!(shown("is:available"), ["worker1"]);
        assert_eq!(shown("is:empty is:cordoned"), ["worker2"]);
        assert_eq!(shown("is:nonsense"), Vec::<String>::new());
    }
}
