use crate::apiserver::Store;
use crate::objects::*;
use crate::order::Order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many colours there are for DaemonSets; later ones begin again.
pub const COLOURS: u8 = 8;

/// How new the template is that a pod was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Age {
    /// The DaemonSet's present template.
    Newest,
    /// The template before it.
    Previous,
    /// Any older template, or one that is no longer known.
    Older,
}

/// Which colour each DaemonSet has. A DaemonSet keeps its colour for the whole session, also when it is deleted and
/// created again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colours(BTreeMap<ObjectKey, u8>);

impl Colours {
    /// The DaemonSet's colour; a new DaemonSet takes the next one.
    pub fn of(&mut self, key: &ObjectKey) -> u8 {
        let next = u8::try_from(self.0.len() % usize::from(COLOURS)).unwrap_or(0);
        *self.0.entry(key.clone()).or_insert(next)
    }
}

/// What the page needs to know of a DaemonSet to draw its pods.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetSet {
    /// The DaemonSet itself.
    pub object: Rc<DaemonSet>,
    /// Its colour, below [`COLOURS`].
    pub colour: u8,
    /// Revision numbers by the hash that pods carry.
    pub revisions: BTreeMap<String, i64>,
    /// The highest revision number; 0 before the controller has recorded one.
    pub newest: i64,
    /// The highest but one.
    pub previous: i64,
}

impl FleetSet {
    /// The revision that a pod was made from, if its record still exists.
    pub fn revision_of(&self, pod: &Pod) -> Option<i64> {
        self.revisions.get(pod.metadata.label(CONTROLLER_REVISION_HASH)?).copied()
    }

    /// How new the pod's template is.
    pub fn age_of(&self, pod: &Pod) -> Age {
        match self.revision_of(pod) {
            Some(revision) if revision == self.newest => Age::Newest,
            Some(revision) if revision == self.previous => Age::Previous,
            _ => Age::Older,
        }
    }
}

/// All DaemonSets of the cluster, by namespace and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fleet {
    /// In the order in which the page lists them.
    pub sets: Vec<Rc<FleetSet>>,
}

impl Fleet {
    /// Reads the DaemonSets and their revisions.
    pub fn read(store: &Store, colours: &mut Colours) -> Self {
        let mut revisions: BTreeMap<&str, Vec<&Rc<ControllerRevision>>> = BTreeMap::new();
        for revision in store.controller_revisions().values() {
            if let Some(owner) = revision.metadata.controller() {
                revisions.entry(&owner.uid).or_default().push(revision);
            }
        }
        let sets = store.daemon_sets().iter().map(|(key, object)| {
            let own = revisions.get(&*object.metadata.uid).map(Vec::as_slice).unwrap_or_default();
            let mut numbers: Vec<i64> = own.iter().map(|revision| revision.revision).collect();
            numbers.order_by(|a, b| b.cmp(a));
            let hash =
                |revision: &ControllerRevision| revision.metadata.label(CONTROLLER_REVISION_HASH).map(String::from);
            Rc::new(FleetSet {
                object: object.clone(),
                colour: colours.of(key),
                revisions: own.iter().filter_map(|revision| Some((hash(revision)?, revision.revision))).collect(),
                newest: numbers.first().copied().unwrap_or(0),
                previous: numbers.get(1).copied().unwrap_or(0),
            })
        });
        Self { sets: sets.collect() }
    }

    /// Whether the nodes look the same for both: the same DaemonSets with the same templates and revisions, whatever
    /// their status says.
    pub fn draws_alike(&self, other: &Self) -> bool {
        self.sets.len() == other.sets.len()
            && self.sets.iter().zip(&other.sets).all(|(a, b)| {
                a.object.metadata.uid == b.object.metadata.uid
                    && a.object.metadata.generation == b.object.metadata.generation
                    && a.object.spec.min_ready_seconds == b.object.spec.min_ready_seconds
                    && (Rc::ptr_eq(&a.object.spec.template, &b.object.spec.template)
                        || a.object.spec.template == b.object.spec.template)
                    && (a.colour, a.newest, a.previous) == (b.colour, b.newest, b.previous)
                    && a.revisions == b.revisions
            })
    }

    /// The DaemonSet that manages a pod.
    pub fn owner_of(&self, pod: &Pod) -> Option<&Rc<FleetSet>> {
        let owner = pod.metadata.controller()?;
        self.sets.iter().find(|set| set.object.metadata.uid == owner.uid)
    }

    /// The DaemonSet of this key.
    pub fn get(&self, key: &ObjectKey) -> Option<&Rc<FleetSet>> {
        self.sets
            .iter()
            .find(|set| set.object.metadata.name == key.name && set.object.metadata.namespace == key.namespace)
    }
}
