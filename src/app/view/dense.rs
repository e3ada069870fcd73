use super::{Absence, Age, NodeCard, NodeHealth, PodState};
use crate::objects::{ObjectKey, natural_cmp};
use crate::order::Order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// More nodes than this are shown as a dense map.
pub const CARDS_AT_MOST: usize = 60;

/// Columns of a rack.
pub const RACK_COLUMNS: usize = 6;

/// Nodes that are drawn together, as a rack: a step draws only the racks anew in which something changed, and the browser
/// paints only those in sight. Low racks fill the width of the map, so that hundreds of nodes are seen at once; thousands
/// stand in high ones, which are fewer.
const fn rack(nodes: usize) -> usize {
    RACK_COLUMNS * if nodes <= MOST_IN_LOW_RACKS { 4 } else { 16 }
}

/// More nodes than this stand in high racks.
const MOST_IN_LOW_RACKS: usize = 600;

/// What a node's cell shows of the DaemonSet that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellPicture {
    /// Its pod: of several, the one that tells most.
    Pod {
        /// How new its template is.
        age: Age,
        /// Where it is in its life.
        state: PodState,
        /// There are more.
        more: bool,
    },
    /// The pod is yet to come.
    Coming,
    /// The node is not eligible.
    Excluded,
    /// There is no DaemonSet.
    Nothing,
}

/// A node as a small square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The node.
    pub node: Rc<str>,
    /// What it shows.
    pub picture: CellPicture,
    /// The kubelet is silent or not ready, or the node is closed for new pods.
    pub unwell: bool,
}

/// Nodes with the same value of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellGroup {
    /// The value; `None`: the nodes that lack the label, or all nodes.
    pub value: Option<String>,
    /// How many nodes.
    pub count: usize,
    /// The cells, in parts, each a rack.
    pub parts: Vec<Rc<Vec<Cell>>>,
}

/// The dense map of these nodes, grouped by a label if one is given: groups in natural order of the values, nodes
/// without the label last. Parts that are the same as `before` stay the same value.
pub fn cell_groups(
    cards: &[&Rc<NodeCard>],
    set: Option<&ObjectKey>,
    label: Option<&str>,
    before: &[CellGroup],
) -> Vec<CellGroup> {
    let value_of = |card: &NodeCard| {
        let label = label?;
        card.labels.iter().find(|chip| chip.key == label).map(|chip| chip.value.clone())
    };
    let mut by_value: BTreeMap<Option<String>, Vec<Cell>> = BTreeMap::new();
    for card in cards {
        by_value.entry(value_of(card)).or_default().push(cell(card, set));
    }
    let mut groups: Vec<(Option<String>, Vec<Cell>)> = by_value.into_iter().collect();
    groups.order_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => natural_cmp(a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    });
    let known = |value: &Option<String>| before.iter().find(|group| group.value == *value);
    groups
        .into_iter()
        .map(|(value, cells)| {
            let old = known(&value).map(|group| group.parts.as_slice()).unwrap_or_default();
            let parts = cells.chunks(rack(cards.len())).enumerate().map(|(index, part)| match old.get(index) {
                Some(same) if same.as_slice() == part => Rc::clone(same),
                _ => Rc::new(part.to_vec()),
            });
            CellGroup { count: cells.len(), parts: parts.collect(), value }
        })
        .collect()
}

fn cell(card: &NodeCard, set: Option<&ObjectKey>) -> Cell {
    let place = set.and_then(|set| card.places.iter().find(|place| place.set == *set));
    let picture = match place {
        None => CellPicture::Nothing,
        Some(place) => match place.pods.iter().max_by_key(|pod| urgency(pod.state)) {
            Some(pod) => CellPicture::Pod { age: pod.age, state: pod.state, more: place.pods.len() > 1 },
            None if place.absence.as_ref().is_some_and(Absence::is_excluded) => CellPicture::Excluded,
            None => CellPicture::Coming,
        },
    };
    Cell { node: card.name.clone(), picture, unwell: card.cordoned || card.health != NodeHealth::Ready }
}

/// Of several pods on a node, the one in the most telling state is drawn.
fn urgency(state: PodState) -> u8 {
    match state {
        PodState::Failing | PodState::Failed | PodState::Evicted => 5,
        PodState::Starting => 4,
        PodState::Pending => 3,
        PodState::Terminating => 2,
        PodState::Ready => 1,
        PodState::Available | PodState::Succeeded => 0,
    }
}

/// The labels by which grouping says something: those whose values differ and are shared, fewest values first.
pub fn group_labels(cards: &[Rc<NodeCard>]) -> Vec<String> {
    let mut values: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for chip in cards.iter().flat_map(|card| &card.labels) {
        *values.entry(&chip.key).or_default().entry(&chip.value).or_default() += 1;
    }
    let telling = |values: &BTreeMap<&str, usize>| {
        let nodes: usize = values.values().sum();
        (values.len() > 1 || nodes < cards.len()) && values.len() * 2 <= nodes.max(2)
    };
    let mut labels: Vec<(usize, &str)> =
        values.iter().filter(|(_, values)| telling(values)).map(|(key, values)| (values.len(), *key)).collect();
    labels.order();
    labels.into_iter().map(|(_, key)| key.to_string()).take(24).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::Cluster;
    use crate::app::view::{Colours, Fleet, node_cards};
    use crate::objects::Time;

    fn cluster() -> Cluster {
        let mut cluster = Cluster::new().control_plane("cp").daemon_set("agent", &["h1"]);
        for number in 1..=130 {
            let name = format!("n{number}");
            cluster = cluster.worker(&name).labels(&name, &[("zone", if number % 2 == 0 { "b10" } else { "b9" })]);
        }
        cluster
    }

    fn cards(cluster: Cluster) -> Vec<Rc<NodeCard>> {
        let store = cluster.store();
        node_cards(&store, &Fleet::read(&store, &mut Colours::default()), Time(10))
    }

    #[test]
    fn nodes_are_grouped_by_a_label_in_natural_order() {
        let cards = cards(cluster());
        let set = ObjectKey::new("default", "agent");
        let groups = cell_groups(&cards.iter().collect::<Vec<_>>(), Some(&set), Some("zone"), &[]);
        let shape: Vec<(Option<&str>, usize, usize)> =
            groups.iter().map(|group| (group.value.as_deref(), group.count, group.parts.len())).collect();
        assert_eq!(shape, [(Some("b9"), 65, 3), (Some("b10"), 65, 3), (None, 1, 1)]);
        assert_eq!(groups[2].parts[0][0].picture, CellPicture::Excluded);
        assert_eq!(groups[0].parts[0][0].picture, CellPicture::Coming);
    }

    #[test]
    fn parts_without_a_change_stay_the_same() {
        let set = ObjectKey::new("default", "agent");
        let first = cards(cluster());
        let second = cards(cluster().running_pod("agent", "h1", "n2"));
        let before = cell_groups(&first.iter().collect::<Vec<_>>(), Some(&set), None, &[]);
        let after = cell_groups(&second.iter().collect::<Vec<_>>(), Some(&set), None, &before);
        let same: Vec<bool> = before[0].parts.iter().zip(&after[0].parts).map(|(a, b)| Rc::ptr_eq(a, b)).collect();
        assert_eq!(same, [false, true, true, true, true, true]);
    }

    #[test]
    fn thousands_of_nodes_stand_in_high_racks() {
        let mut many = Cluster::new();
        for number in 1..=700 {
            many = many.worker(&format!("n{number}"));
        }
        let cards = cards(many);
        let groups = cell_groups(&cards.iter().collect::<Vec<_>>(), None, None, &[]);
        assert_eq!(groups[0].parts[0].len(), 96);
        assert_eq!(cell_groups(&cards.iter().take(600).collect::<Vec<_>>(), None, None, &[])[0].parts[0].len(), 24);
    }

    #[test]
    fn only_labels_that_tell_nodes_apart_are_offered() {
        assert_eq!(group_labels(&cards(cluster())), ["node-role.kubernetes.io/control-plane", "zone"]);
    }
}
