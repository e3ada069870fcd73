use super::{CapacityBar, Fleet, PodTile, capacity_bars};
use crate::apiserver::Store;
use crate::controllers::daemonset::eligibility::{self, Check, Rules};
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

/// What the Ready condition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeHealth {
    /// True, or the node does not say.
    Ready,
    /// False: the kubelet says that it is not ready.
    NotReady,
    /// Unknown: the kubelet is silent.
    Unknown,
}

/// A label of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelChip {
    /// The whole key.
    pub key: String,
    /// The value; may be empty.
    pub value: String,
    /// Set by Kubernetes or a cloud, not by a person: shown only when asked for.
    pub usual: bool,
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaintChip {
    /// The whole key.
    pub key: String,
    /// The value; may be empty.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
    /// Put there by the node controller because of the node's state; removing it by hand does not last.
    pub automatic: bool,
}

impl TaintChip {
    /// As kubectl writes it.
    pub fn text(&self) -> String {
        let taint = Taint { value: self.value.clone(), ..Taint::new(&self.key, &self.effect) };
        taint.to_string()
    }
}

/// What one DaemonSet has on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The DaemonSet.
    pub set: ObjectKey,
    /// Its colour.
    pub colour: u8,
    /// Its pods, oldest first; none: the place is empty.
    pub pods: Vec<PodTile>,
    /// Whether the DaemonSet should have a pod here.
    pub eligible: bool,
    /// Why the place is empty; `None` while there are pods, or before anybody has looked.
    pub absence: Option<Absence>,
}

/// Why a DaemonSet has no pod on a node: the first thing that stands against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The template names another node.
    NodeName(String),
    /// A label that the nodeSelector wants is missing or different.
    Selector {
        /// The label's key.
        key: String,
        /// What the selector wants.
        wanted: String,
        /// What the node has.
        found: Option<String>,
    },
    /// No term of the required node affinity fits.
    Affinity,
    /// A taint that no toleration covers.
    Taint(TaintChip),
    /// Nothing stands against it: the pod is yet to be created.
    Coming,
}

impl Absence {
    /// Whether something stands against a pod.
    pub fn is_excluded(&self) -> bool {
        *self != Self::Coming
    }
}

/// A node as a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCard {
    /// Its name.
    pub name: Rc<str>,
    /// Its roles, from its labels.
    pub roles: Vec<String>,
    /// What its kubelet says.
    pub health: NodeHealth,
    /// Closed for new pods by `kubectl cordon`.
    pub cordoned: bool,
    /// The labels, those a person set first.
    pub labels: Vec<LabelChip>,
    /// The taints.
    pub taints: Vec<TaintChip>,
    /// One place for each DaemonSet of the cluster, in the fleet's order.
    pub places: Vec<Place>,
    /// Pods that belong to no DaemonSet.
    pub others: Vec<PodTile>,
    /// CPU and memory.
    pub bars: Vec<CapacityBar>,
}

impl NodeCard {
    /// A node's card at a time. `rules` are those of the fleet's DaemonSets, in its order.
    pub fn of(node: &Node, store: &Store, fleet: &Fleet, rules: &[Rules<'_>], now: Time) -> Self {
        let mut pods: Vec<&Rc<Pod>> = store.pods_on(node.name()).collect();
        pods.order_by(|a, b| {
            let key = |pod: &Rc<Pod>| (pod.metadata.creation_timestamp, pod.metadata.name.clone());
            key(a).cmp(&key(b))
        });
        let tiles: Vec<(PodTile, Option<Rc<str>>)> = pods
            .iter()
            .map(|pod| (PodTile::of(pod, fleet, now), fleet.owner_of(pod).map(|set| set.object.metadata.uid.clone())))
            .collect();
        let of_set = |uid: &str| {
            let own = tiles.iter().filter(|(_, owner)| owner.as_deref() == Some(uid));
            own.map(|(tile, _)| tile.clone()).collect()
        };
        Self {
            name: node.name().clone(),
            roles: node.roles().into_iter().map(String::from).collect(),
            health: match node.condition("Ready").map(|condition| condition.status.as_str()) {
                Some("False") => NodeHealth::NotReady,
                Some("Unknown") => NodeHealth::Unknown,
                _ => NodeHealth::Ready,
            },
            cordoned: node.spec.unschedulable,
            labels: label_chips(node),
            taints: node.spec.taints.iter().map(taint_chip).collect(),
            places: fleet
                .sets
                .iter()
                .zip(rules)
                .map(|(set, rules)| {
                    let pods: Vec<PodTile> = of_set(&set.object.metadata.uid);
                    let eligible = rules.eligibility(node).should_run;
                    let absence = pods.is_empty().then(|| absence(&set.object, node, eligible));
                    Place { set: set.object.metadata.key(), colour: set.colour, pods, eligible, absence }
                })
                .collect(),
            others: tiles.iter().filter(|(_, owner)| owner.is_none()).map(|(tile, _)| tile.clone()).collect(),
            bars: capacity_bars(node, pods.iter().map(|pod| (*pod, fleet.owner_of(pod).is_some()))),
        }
    }
}

/// The first thing that stands against a pod on the node.
fn absence(set: &DaemonSet, node: &Node, eligible: bool) -> Absence {
    if eligible {
        return Absence::Coming;
    }
    let verdict = eligibility::evaluate(set, node);
    match verdict.checks.into_iter().find(|check| !check.passed()) {
        Some(Check::NodeName { wanted, .. }) => Absence::NodeName(wanted),
        Some(Check::NodeSelector { key, wanted, actual }) => Absence::Selector { key, wanted, found: actual },
        Some(Check::NodeAffinity { .. }) => Absence::Affinity,
        Some(Check::Taint { taint, .. }) => Absence::Taint(taint_chip(&taint)),
        None => Absence::Coming,
    }
}

fn label_chips(node: &Node) -> Vec<LabelChip> {
    let chip = |(key, value): (&String, &String)| LabelChip {
        key: key.clone(),
        value: value.clone(),
        usual: is_usual_label(key),
    };
    let mut chips: Vec<LabelChip> = node.metadata.labels.iter().map(chip).collect();
    chips.order_by_key(|chip| chip.usual);
    chips
}

/// Whether Kubernetes, a cloud or an installer sets this label by itself.
fn is_usual_label(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    domain == "kubernetes.io" || domain == "k8s.io" || domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io")
}

fn taint_chip(taint: &Taint) -> TaintChip {
    let automatic = [
        TAINT_NOT_READY,
        TAINT_UNREACHABLE,
        TAINT_UNSCHEDULABLE,
        TAINT_MEMORY_PRESSURE,
        TAINT_DISK_PRESSURE,
        TAINT_PID_PRESSURE,
        TAINT_NETWORK_UNAVAILABLE,
    ];
    TaintChip {
        key: taint.key.clone(),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
        automatic: automatic.contains(&taint.key.as_str()),
    }
}

/// The end of a label or taint key that tells it apart: `…/control-plane`. Keys without a domain stay whole.
pub fn short_key(key: &str) -> (bool, &str) {
    match key.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => (true, name),
        _ => (false, key),
    }
}

/// The cards of all nodes in natural order of their names, control planes first.
pub fn node_cards(store: &Store, fleet: &Fleet, now: Time) -> Vec<Rc<NodeCard>> {
    let mut nodes: Vec<&Rc<Node>> = store.nodes().values().collect();
    nodes.order_by(|a, b| {
        let worker = |node: &Node| !node.roles().contains(&"control-plane");
        worker(a).cmp(&worker(b)).then_with(|| natural_cmp(a.name(), b.name()))
    });
    let rules: Vec<Rules<'_>> = fleet.sets.iter().map(|set| Rules::of(&set.object)).collect();
    nodes.into_iter().map(|node| Rc::new(NodeCard::of(node, store, fleet, &rules, now))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::Cluster;
    use crate::app::view::{Age, Colours, PodState};

    #[test]
    fn control_planes_come_first_and_names_count() {
        let store = Cluster::new().worker("worker10").worker("worker2").control_plane("cp").store();
        let cards = node_cards(&store, &Fleet::default(), Time(0));
        let names: Vec<&str> = cards.iter().map(|card| &*card.name).collect();
        assert_eq!(names, ["cp", "worker2", "worker10"]);
    }

    #[test]
    fn each_daemon_set_has_its_place_and_pods_their_age() {
        let store = Cluster::new()
            .worker("a")
            .daemon_set("agent", &["h1", "h2", "h3"])
            .daemon_set("logs", &["x1"])
            .running_pod("agent", "h1", "a")
            .running_pod("agent", "h3", "a")
            .bare_pod("web", "a")
            .store();
        let fleet = Fleet::read(&store, &mut Colours::default());
        let cards = node_cards(&store, &fleet, Time(100));
        let card = &cards[0];
        let ages: Vec<Age> = card.places[0].pods.iter().map(|pod| pod.age).collect();
        assert_eq!(ages, [Age::Older, Age::Newest]);
        assert_eq!(card.places[0].pods[1].revision, Some(3));
        assert_eq!(card.places[0].pods[1].state, PodState::Available);
        assert!(card.places[1].pods.is_empty());
        assert_ne!(card.places[0].colour, card.places[1].colour);
        assert_eq!(&*card.others[0].key.name, "web");
    }

    #[test]
    fn an_empty_place_says_what_stands_against_a_pod() {
        let store = Cluster::new()
            .control_plane("cp")
            .worker("a")
            .worker("b")
            .labels("b", &[("disk", "hdd")])
            .worker("c")
            .labels("c", &[("disk", "ssd")])
            .daemon_set("agent", &["h1"])
            .daemon_set("fast", &["f1"])
            .node_selector("fast", "disk", "ssd")
            .store();
        let fleet = Fleet::read(&store, &mut Colours::default());
        let cards = node_cards(&store, &fleet, Time(0));
        let absence = |node: usize, set: usize| cards[node].places[set].absence.clone().unwrap();
        assert!(matches!(absence(0, 0), Absence::Taint(taint) if taint.key == "node-role.kubernetes.io/control-plane"));
        assert_eq!(absence(1, 0), Absence::Coming);
        let selector = |found: Option<&str>| Absence::Selector {
            key: "disk".into(),
            wanted: "ssd".into(),
            found: found.map(String::from),
        };
        assert_eq!(absence(1, 1), selector(None));
        assert_eq!(absence(2, 1), selector(Some("hdd")));
        assert_eq!(absence(3, 1), Absence::Coming);
    }

    #[test]
    fn labels_that_a_person_set_come_first_and_automatic_taints_are_told_apart() {
        let store = Cluster::new()
            .worker("a")
            .labels("a", &[("kubernetes.io/os", "linux"), ("pool", "general")])
            .taint("a", "node.kubernetes.io/unschedulable", "NoSchedule")
            .taint("a", "dedicated", "NoExecute")
            .store();
        let cards = node_cards(&store, &Fleet::default(), Time(0));
        let keys: Vec<(&str, bool)> = cards[0].labels.iter().map(|chip| (chip.key.as_str(), chip.usual)).collect();
        assert_eq!(keys, [("pool", false), ("kubernetes.io/hostname", true), ("kubernetes.io/os", true)]);
        let automatic: Vec<bool> = cards[0].taints.iter().map(|chip| chip.automatic).collect();
        assert_eq!(automatic, [true, false]);
        assert_eq!(cards[0].taints[1].text(), "dedicated:NoExecute");
        assert_eq!(short_key("node-role.kubernetes.io/control-plane"), (true, "control-plane"));
        assert_eq!(short_key("pool"), (false, "pool"));
    }
}
