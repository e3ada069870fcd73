//! The cards of all nodes, made anew only where something changed.

use crate::apiserver::Store;
use crate::app::view::{Fleet, NodeCard};
use crate::controllers::daemonset::eligibility::Rules;
use crate::objects::*;
use crate::order::Order;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A card with what it was made from.
#[derive(Clone, Debug)]
struct Made {
    node: Rc<Node>,
    pods: Vec<Rc<Pod>>,
    /// A pod is ready and not available: time alone can change the card.
    unsettled: bool,
    card: Rc<NodeCard>,
}

impl Made {
    fn of(node: &Rc<Node>, store: &Store, fleet: &Fleet, rules: &[Rules<'_>], now: Time) -> Self {
        let card = NodeCard::of(node, store, fleet, rules, now);
        let unsettled = card.places.iter().flat_map(|place| &place.pods).any(|pod| pod.ready && !pod.available);
        let pods = store.pods_on(node.name()).cloned().collect();
        Self { node: Rc::clone(node), pods, unsettled, card: Rc::new(card) }
    }
}

/// All cards.
#[derive(Clone, Debug, Default)]
pub struct Cards {
    fleet: Fleet,
    made: BTreeMap<Rc<str>, Made>,
    list: Rc<Vec<Rc<NodeCard>>>,
}

impl Cards {
    /// The cards for a store, control planes first, in natural order of the names. `touched`: the only nodes that can
    /// have changed since the last time; `None`: any.
    pub fn update(
        &mut self,
        store: &Store,
        fleet: &Fleet,
        now: Time,
        touched: Option<&BTreeSet<Rc<str>>>,
    ) -> Rc<Vec<Rc<NodeCard>>> {
        if !self.fleet.draws_alike(fleet) {
            self.made.clear();
        }
        self.fleet = fleet.clone();
        let rules: Vec<Rules<'_>> = fleet.sets.iter().map(|set| Rules::of(&set.object)).collect();
        let same_nodes = self.made.len() == store.nodes().size()
            && store.nodes().keys().all(|key| self.made.contains_key(&key.name));
        let mut changed: BTreeMap<Rc<str>, Rc<NodeCard>> = BTreeMap::new();
        let mut look = |made: &mut BTreeMap<Rc<str>, Made>, node: &Rc<Node>| {
            let alike = |before: &Made| {
                let mut pods = before.pods.iter();
                Rc::ptr_eq(&before.node, node)
                    && !before.unsettled
                    && store.pods_on(node.name()).all(|pod| pods.next().is_some_and(|before| Rc::ptr_eq(before, pod)))
                    && pods.next().is_none()
            };
            if made.get(node.name()).is_some_and(alike) {
                return;
            }
            let mut new = Made::of(node, store, fleet, &rules, now);
            if let Some(before) = made.get(node.name()).filter(|before| *before.card == *new.card) {
                new.card = Rc::clone(&before.card);
            }
            changed.insert(node.name().clone(), Rc::clone(&new.card));
            made.insert(node.name().clone(), new);
        };
        match touched.filter(|_| same_nodes && !self.made.is_empty()) {
            Some(touched) => {
                let waiting: Vec<Rc<str>> =
                    self.made.iter().filter(|(_, made)| made.unsettled).map(|(name, _)| name.clone()).collect();
                for node in touched.iter().chain(&waiting).filter_map(|name| store.node_named(name)) {
                    look(&mut self.made, node);
                }
            }
            None => store.nodes().values().for_each(|node| look(&mut self.made, node)),
        }
        // Cards that were prepared are not in the list yet.
        if !same_nodes || self.list.len() != self.made.len() {
            self.made.retain(|name, _| store.node_named(name).is_some());
            self.sort();
        } else if !changed.is_empty() {
            let list = Rc::make_mut(&mut self.list);
            for card in list.iter_mut() {
                if let Some(new) = changed.get(&card.name) {
                    *card = Rc::clone(new);
                }
            }
        }
        Rc::clone(&self.list)
    }

    /// How many have been made.
    pub fn size(&self) -> usize {
        self.made.len()
    }

    /// Makes up to `most` of the cards that [`Self::update`] will need. Returns whether all are there.
    pub fn prepare(&mut self, store: &Store, fleet: &Fleet, now: Time, most: usize) -> bool {
        self.fleet = fleet.clone();
        let rules: Vec<Rules<'_>> = fleet.sets.iter().map(|set| Rules::of(&set.object)).collect();
        for node in store.nodes().values().skip(self.made.len()).take(most) {
            self.made.insert(node.name().clone(), Made::of(node, store, fleet, &rules, now));
        }
        self.made.len() >= store.nodes().size()
    }

    fn sort(&mut self) {
        let mut cards: Vec<Rc<NodeCard>> = self.made.values().map(|made| Rc::clone(&made.card)).collect();
        let is_worker = |card: &NodeCard| !card.roles.iter().any(|role| role == "control-plane");
        cards.order_by(|a, b| is_worker(a).cmp(&is_worker(b)).then_with(|| natural_cmp(&a.name, &b.name)));
        self.list = Rc::new(cards);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::Cluster;
    use crate::app::view::Colours;

    fn update(cards: &mut Cards, store: &Store, touched: Option<&[&str]>) -> Rc<Vec<Rc<NodeCard>>> {
        let fleet = Fleet::read(store, &mut Colours::default());
        let touched = touched.map(|names| names.iter().map(|name| Rc::from(*name)).collect());
        cards.update(store, &fleet, Time(50), touched.as_ref())
    }

    #[test]
    fn only_cards_of_changed_nodes_are_made_anew() {
        let before = Cluster::new().worker("a").worker("b").daemon_set("agent", &["h"]);
        let after = before.clone().running_pod("agent", "h", "b");
        let mut cards = Cards::default();
        let first = update(&mut cards, &before.store(), None);
        let second = update(&mut cards, &after.clone().store(), Some(&["b"]));
        assert!(Rc::ptr_eq(&first[0], &second[0]));
        assert_eq!(second[1].places[0].pods.len(), 1);
        let third = update(&mut cards, &after.store(), None);
        assert!(Rc::ptr_eq(&second, &third));
    }

    #[test]
    fn prepared_cards_are_those_that_are_made_at_once() {
        let cluster = Cluster::new().worker("n10").worker("n9").control_plane("z").daemon_set("agent", &["h"]);
        let store = cluster.running_pod("agent", "h", "n9").store();
        let fleet = Fleet::read(&store, &mut Colours::default());
        let mut bit_by_bit = Cards::default();
        assert!(!bit_by_bit.prepare(&store, &fleet, Time(50), 2));
        assert_eq!(bit_by_bit.size(), 2);
        assert!(bit_by_bit.prepare(&store, &fleet, Time(50), 2));
        assert_eq!(update(&mut bit_by_bit, &store, None), update(&mut Cards::default(), &store, None));
    }

    #[test]
    fn nodes_come_and_go_in_natural_order() {
        let few = Cluster::new().worker("n10").worker("n9");
        let more = few.clone().worker("n1").control_plane("z");
        let mut cards = Cards::default();
        let names = |cards: &[Rc<NodeCard>]| cards.iter().map(|card| card.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&update(&mut cards, &few.clone().store(), None)), ["n9", "n10"]);
        assert_eq!(names(&update(&mut cards, &more.store(), Some(&["n1"]))), ["z", "n1", "n9", "n10"]);
        assert_eq!(names(&update(&mut cards, &few.store(), None)), ["n9", "n10"]);
    }
}
