use super::{Age, FleetSet, NodeCard, PodState, PodTile};
use crate::app::message::Counter;
use crate::objects::*;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How a DaemonSet replaces its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// By itself, within a budget; both values as written.
    RollingUpdate {
        /// maxUnavailable
        unavailable: String,
        /// maxSurge
        surge: String,
    },
    /// Only when somebody deletes the old pods.
    OnDelete,
}

/// A counter: what the status says, and what it counts at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterView {
    /// Which one.
    pub counter: Counter,
    /// What `status` says: the controller wrote it when it last looked.
    pub value: i64,
    /// The nodes that it would count now.
    pub nodes: Vec<Rc<str>>,
    /// The nodes that are eligible and that it would not count now.
    pub missing: Vec<Rc<str>>,
    /// The pods that it would count now.
    pub pods: Rc<BTreeSet<ObjectKey>>,
}

/// A DaemonSet above the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetHead {
    /// Namespace and name.
    pub key: ObjectKey,
    /// Its colour.
    pub colour: u8,
    /// How it replaces pods.
    pub strategy: Strategy,
    /// minReadySeconds
    pub min_ready_seconds: i32,
    /// Its containers' names and images.
    pub containers: Vec<(String, String)>,
    /// The revision that is being rolled out.
    pub revision: i64,
    /// Whether there is a revision to go back to.
    pub can_undo: bool,
    /// Whether a template is being rolled out, or its pods fail.
    pub rolling: bool,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Nodes that have a pod and should not.
    pub misscheduled: i64,
    /// The counters in kubectl's order.
    pub counters: Vec<CounterView>,
}

impl SetHead {
    /// Reads a DaemonSet and its pods.
    pub fn of(set: &FleetSet, cards: &[Rc<NodeCard>]) -> Self {
        let key = set.object.metadata.key();
        let budget = set.object.spec.update_strategy.rolling_update.as_ref();
        let text =
            |value: Option<&IntOrString>, default: &str| value.map_or_else(|| default.into(), ToString::to_string);
        let unavailable = text(budget.and_then(|r| r.max_unavailable.as_ref()), "1");
        let surge = text(budget.and_then(|r| r.max_surge.as_ref()), "0");
        let own = cards.iter().flat_map(|card| &card.places).filter(|place| place.set == key && place.eligible);
        let comes = |pod: &PodTile| pod.age != Age::Newest || pod.state == PodState::Failing || !pod.crashed.is_empty();
        Self {
            rolling: own.flat_map(|place| &place.pods).any(comes),
            colour: set.colour,
            strategy: match set.object.spec.update_strategy.type_.as_str() {
                ON_DELETE => Strategy::OnDelete,
                _ => Strategy::RollingUpdate { unavailable, surge },
            },
            min_ready_seconds: set.object.spec.min_ready_seconds,
            containers: set
                .object
                .spec
                .template
                .spec
                .containers
                .iter()
                .map(|container| (container.name.clone(), container.image.clone()))
                .collect(),
            revision: set.newest,
            can_undo: set.previous > 0,
            terminating: set.object.metadata.is_terminating(),
            misscheduled: set.object.status.number_misscheduled.into(),
            counters: counters(&set.object.status, &key, cards),
            key,
        }
    }
}

/// The pod of a node that the status judges: the oldest, a bound one before an unbound one.
///
/// Follows kubernetes pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus, v1.36.
fn judged(pods: &[PodTile]) -> Option<&PodTile> {
    pods.iter().find(|pod| pod.state != PodState::Pending).or_else(|| pods.first())
}

fn counters(status: &DaemonSetStatus, set: &ObjectKey, cards: &[Rc<NodeCard>]) -> Vec<CounterView> {
    let eligible: Vec<(&Rc<str>, Option<&PodTile>)> = cards
        .iter()
        .filter_map(|card| {
            let place = card.places.iter().find(|place| place.set == *set && place.eligible)?;
            Some((&card.name, judged(&place.pods)))
        })
        .collect();
    let is_ready = |pod: &PodTile| pod.ready;
    let view = |counter: Counter| {
        let counts = |pod: Option<&PodTile>| match counter {
            Counter::Desired => true,
            Counter::Current => pod.is_some(),
            Counter::Ready => pod.is_some_and(is_ready),
            Counter::UpToDate => pod.is_some_and(|pod| pod.age == Age::Newest),
            Counter::Available => pod.is_some_and(|pod| pod.available),
        };
        let (counted, missing): (Vec<_>, Vec<_>) = eligible.iter().partition(|(_, pod)| counts(*pod));
        CounterView {
            counter,
            value: i64::from(match counter {
                Counter::Desired => status.desired_number_scheduled,
                Counter::Current => status.current_number_scheduled,
                Counter::Ready => status.number_ready,
                Counter::UpToDate => status.updated_number_scheduled,
                Counter::Available => status.number_available,
            }),
            pods: Rc::new(counted.iter().filter_map(|(_, pod)| pod.map(|pod| pod.key.clone())).collect()),
            nodes: counted.into_iter().map(|(node, _)| node.clone()).collect(),
            missing: missing.into_iter().map(|(node, _)| node.clone()).collect(),
        }
    };
    Counter::ALL.into_iter().map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::Cluster;
    use crate::app::view::{Colours, Fleet, node_cards};
    use serde_json::json;

    #[test]
    fn counters_name_the_nodes_they_count() {
        let store = Cluster::new()
            .worker("a")
            .worker("b")
            .worker("c")
            .control_plane("cp")
            .daemon_set("agent", &["h1", "h2"])
            .running_pod("agent", "h2", "a")
            .running_pod("agent", "h1", "b")
            .pod("agent", "h2", "b", true, json!({"phase": "Pending"}))
            .store();
        let fleet = Fleet::read(&store, &mut Colours::default());
        let cards = node_cards(&store, &fleet, Time(100));
        let head = SetHead::of(&fleet.sets[0], &cards);
        let counted: Vec<Vec<&str>> =
            head.counters.iter().map(|counter| counter.nodes.iter().map(|node| &**node).collect()).collect();
        let expected: [&[&str]; 5] = [&["a", "b", "c"], &["a", "b"], &["a", "b"], &["a"], &["a", "b"]];
        assert_eq!(counted, expected);
        assert_eq!(head.counters[3].missing.iter().map(|node| &**node).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(head.strategy, Strategy::RollingUpdate { unavailable: "1".into(), surge: "0".into() });
        assert!(head.can_undo);
    }
}
