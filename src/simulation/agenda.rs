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
            Self::PodGc => 3,
            Self::ReplicaSet(_) => 4,
            Self::DaemonSet(_) => 5,
            Self::Deployment(_) => 6,
            // A pod that may not stay on its node is deleted by its controller and marked by this one, both at once.
            Self::TaintEviction(_) => 7,
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

/// Whether a turn was asked for at once or for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    Now,
    Later,
}

/// Time, class, order of arrival.
type Position = (u64, u8, u64);

/// All turns to come. Cloning is cheap.
///
/// Invariant: each turn stands in it at most twice, once for now and once for later, as in a work queue: what is asked
/// for at once does not cancel a later look. Of several later looks the earliest stays.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    entries: RedBlackTreeMap<Position, Due>,
    positions: RedBlackTreeMap<(Turn, When), Position>,
    now_ms: u64,
    arrivals: u64,
    foreground: usize,
}

impl Agenda {
    /// Moves the clock on, which tells now from later.
    pub fn set_now(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
    }

    /// Asks for a turn. Where the same turn is asked for already at the same time or before, that stays.
    pub fn add(&mut self, due: Due) {
        let when = if due.at_ms > self.now_ms { When::Later } else { When::Now };
        let slot = (due.turn.clone(), when);
        if let Some(present) = self.positions.get(&slot).copied() {
            if present.0 <= due.at_ms {
                // Somebody hopes for more from it than a repetition.
                if present.0 == due.at_ms && !due.background {
                    self.bring_forward(&present);
                }
                return;
            }
            self.take(&present);
        }
        self.arrivals += 1;
        self.foreground += usize::from(!due.background);
        let position = (due.at_ms, due.turn.class(), self.arrivals);
        self.positions.insert_mut(slot, position);
        self.entries.insert_mut(position, due);
    }

    fn bring_forward(&mut self, position: &Position) {
        if let Some(entry) = self.entries.get_mut(position).filter(|entry| entry.background) {
            entry.background = false;
            self.foreground += 1;
        }
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
        for when in [When::Now, When::Later] {
            if let Some(position) = self.positions.get(&(turn.clone(), when)).copied() {
                self.take(&position);
            }
        }
    }

    fn take(&mut self, position: &Position) -> Option<Due> {
        let due = self.entries.get(position)?.clone();
        self.entries.remove_mut(position);
        for when in [When::Now, When::Later] {
            let slot = (due.turn.clone(), when);
            if self.positions.get(&slot) == Some(position) {
                self.positions.remove_mut(&slot);
            }
        }
        self.foreground -= usize::from(!due.background);
        Some(due)
    }

    /// When the turn is due next, if it is on the agenda.
    pub fn due_at(&self, turn: &Turn) -> Option<u64> {
        let at = |when| self.positions.get(&(turn.clone(), when)).map(|position| position.0);
        at(When::Now).or_else(|| at(When::Later))
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
    fn of_later_looks_the_earliest_stays() {
        let mut agenda = Agenda::default();
        agenda.add(due(9, Turn::PodGc));
        agenda.add(due(3, Turn::PodGc));
        agenda.add(due(7, Turn::PodGc));
        assert_eq!(agenda.due_at(&Turn::PodGc), Some(3));
        assert_eq!(drain(&mut agenda), [(3, Turn::PodGc)]);
    }

    #[test]
    fn a_look_at_once_does_not_cancel_a_later_one() {
        let mut agenda = Agenda::default();
        agenda.set_now(2);
        agenda.add(due(9, Turn::PodGc));
        agenda.add(due(2, Turn::PodGc));
        agenda.add(due(2, Turn::PodGc));
        assert_eq!(drain(&mut agenda), [(2, Turn::PodGc), (9, Turn::PodGc)]);
    }
}
