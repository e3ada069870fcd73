//! What an actor answers when it is its turn: what it wants written, why, and when it wants another turn.

use super::write::Write;
use crate::objects::{ObjectKey, Time};

/// The moment at which an actor acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Virtual milliseconds since the scenario's start.
    pub ms: u64,
    /// The same as the API writes it, in whole seconds.
    pub time: Time,
}

impl Now {
    /// The moment `ms` milliseconds after the scenario's start, which was at `epoch`.
    pub fn at(epoch: Time, ms: u64) -> Self {
        let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
        Self { ms, time: epoch.plus_seconds(seconds) }
    }

    /// The moment in milliseconds, `ms` later.
    pub fn plus_ms(self, ms: u64) -> u64 {
        self.ms.saturating_add(ms)
    }
}

/// A turn that an actor asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    /// When, in virtual milliseconds.
    pub at_ms: u64,
    /// For which of its work items.
    pub key: ObjectKey,
    /// A retry that only repeats what has happened before (a crash loop's next start, another pull of a missing
    /// image): a run in which nothing else is due may count as quiet.
    pub background: bool,
}

impl Timer {
    /// A turn for `key` at `at_ms`.
    pub fn new(at_ms: u64, key: ObjectKey) -> Self {
        Self { at_ms, key, background: false }
    }
}

/// What an actor wants. It has written nothing: whoever asked carries out `writes` in order, keeps `state`, and puts
/// `timers` on the agenda.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan<R, S> {
    /// Requests to the API server, in order.
    pub writes: Vec<Write>,
    /// What was decided and why.
    pub reason: R,
    /// When the actor wants to look again.
    pub timers: Vec<Timer>,
    /// The actor's memory after this turn.
    pub state: S,
}

impl<R: Default + PartialEq, S> Plan<R, S> {
    /// A plan that wants nothing.
    pub fn idle(state: S) -> Self {
        Self { writes: Vec::new(), reason: R::default(), timers: Vec::new(), state }
    }

    /// Whether the turn is no step: nothing was written and nothing decided. The state may have changed all the same.
    pub fn is_idle(&self) -> bool {
        self.writes.is_empty() && self.reason == R::default()
    }
}
