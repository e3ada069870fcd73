//! What is due when: the work queues and timers of all actors in one order.

use crate::objects::ObjectKey;
use rpds::RedBlackTreeMap;

/// One turn of one actor.
///
/// The order of the variants is the order of turns that are due at the same time: what happens on the nodes comes
/// first, then the scheduler, then the controllers, so that a controller sees a whole wave at once, as the work queues
/// of a real control plane make it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// The kubelet looks at one of its pods.
    Kubelet(ObjectKey),
    /// The scheduler takes the first pod of its queue.
    Scheduler,
    /// The node controller looks at a node.
    NodeLifecycle(ObjectKey),
    /// The taint eviction controller looks at a pod.
    TaintEviction(ObjectKey),
    /// Pod garbage collection makes its round.
    PodGc,
    /// The DaemonSet controller reconciles a DaemonSet.
    DaemonSet(ObjectKey),
    /// The ReplicaSet controller reconciles a ReplicaSet.
    ReplicaSet(ObjectKey),
    /// The Deployment controller reconciles a Deployment.
    Deployment(ObjectKey),
    /// The garbage collector looks at what an owner left behind.
    GarbageCollector(ObjectKey),
    /// The namespace controller empties a namespace.
    Namespace(ObjectKey),
    /// A command that waits looks whether it is done.
    Command,
}

impl Turn {
    /// Rank among turns that are due at the same time.
    fn class(&self) -> u8 {
        match self {
            Self::Kubelet(_) => 0,
            Self::Scheduler => 1,
            Self::NodeLifecycle(_) => 2,
            Self::TaintEviction(_) => 3,
            Self::PodGc => 4,
            Self::ReplicaSet(_) => 5,
            Self::DaemonSet(_) => 6,
            Self::Deployment(_) => 7,
            Self::GarbageCollector(_) => 8,
            Self::Namespace(_) => 9,
            Self::Command => 10,
        }
    }
}

/// A turn with what made it due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Virtual time, in milliseconds since the start.
    pub at_ms: u64,
    /// The turn.
    pub turn: Turn,
    /// Number of the step that asked for it.
    pub cause: Option<usize>,
    /// A retry that only repeats what has happened before: a run in which nothing else is due counts as quiet.
    pub background: bool,
}

impl Due {
    /// A turn at a time, asked for by a step.
    pub fn new(at_ms: u64, turn: Turn, cause: Option<usize>) -> Self {
        Self { at_ms, turn, cause, background: false }
    }
}

/// Time, class, order of arrival.
type Position = (u64, u8, u64);

/// All turns to come. Cloning is cheap.
///
/// Invariant: each turn stands in it at most once, at the earliest time that anybody asked for.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    entries: RedBlackTreeMap<Position, Due>,
    positions: RedBlackTreeMap<Turn, Position>,
    arrivals: u64,
    foreground: usize,
}

impl Agenda {
    /// Asks for a turn. A turn that is already due earlier or at the same time stays as it is.
    pub fn add(&mut self, due: Due) {
        if let Some(present) = self.positions.get(&due.turn).copied() {
            if present.0 <= due.at_ms {
                return;
            }
            self.take(&present);
        }
        self.arrivals += 1;
        self.foreground += usize::from(!due.background);
        let position = (due.at_ms, due.turn.class(), self.arrivals);
        self.positions.insert_mut(due.turn.clone(), position);
        self.entries.insert_mut(position, due);
    }

    /// The next turn.
    pub fn next(&self) -> Option<&Due> {
        self.entries.first().map(|(_, due)| due)
    }

    /// Takes the next turn.
    pub fn pop(&mut self) -> Option<Due> {
        let position = *self.entries.first()?.0;
        self.take(&position)
    }

    /// Takes a turn off, whenever it is due.
    pub fn remove(&mut self, turn: &Turn) {
        if let Some(position) = self.positions.get(turn).copied() {
            self.take(&position);
        }
    }

    fn take(&mut self, position: &Position) -> Option<Due> {
        let due = self.entries.get(position)?.clone();
        self.entries.remove_mut(position);
        self.positions.remove_mut(&due.turn);
        self.foreground -= usize::from(!due.background);
        Some(due)
    }

    /// When the turn is due, if it is on the agenda.
    pub fn due_at(&self, turn: &Turn) -> Option<u64> {
        self.positions.get(turn).map(|position| position.0)
    }

    /// All turns to come, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Due> {
        self.entries.values()
    }

    /// Whether nothing is to come but retries that repeat what has happened before.
    pub fn is_quiet(&self) -> bool {
        self.foreground == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(at_ms: u64, turn: Turn) -> Due {
        Due::new(at_ms, turn, None)
    }

    fn drain(agenda: &mut Agenda) -> Vec<(u64, Turn)> {
        std::iter::from_fn(|| agenda.pop()).map(|due| (due.at_ms, due.turn)).collect()
    }

    #[test]
    fn turns_come_by_time_then_by_actor_then_as_asked() {
        let key = |name: &str| ObjectKey::cluster(name);
        let mut agenda = Agenda::default();
        agenda.add(due(5, Turn::DaemonSet(key("b"))));
        agenda.add(due(5, Turn::DaemonSet(key("a"))));
        agenda.add(due(5, Turn::Kubelet(key("p"))));
        agenda.add(due(1, Turn::PodGc));
        agenda.add(due(5, Turn::Scheduler));
        assert_eq!(
            drain(&mut agenda),
            [
                (1, Turn::PodGc),
                (5, Turn::Kubelet(key("p"))),
                (5, Turn::Scheduler),
                (5, Turn::DaemonSet(key("b"))),
                (5, Turn::DaemonSet(key("a"))),
            ]
        );
    }

    #[test]
    fn the_earliest_request_counts() {
        let mut agenda = Agenda::default();
        agenda.add(due(9, Turn::PodGc));
        agenda.add(due(3, Turn::PodGc));
        agenda.add(due(7, Turn::PodGc));
        assert_eq!(agenda.due_at(&Turn::PodGc), Some(3));
        assert_eq!(drain(&mut agenda), [(3, Turn::PodGc)]);
    }
}
