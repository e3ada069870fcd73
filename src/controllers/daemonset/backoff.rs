//! Memory of failed pods: a node whose pods keep failing gets the next one ever later.

use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// First delay.
pub const MIN_BACKOFF_MS: i64 = 1_000;
/// Longest delay. After twice this time without a failure the memory is void.
pub const MAX_BACKOFF_MS: i64 = 15 * 60 * 1_000;

/// What a delay belongs to: a new generation of the DaemonSet starts afresh.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackoffKey {
    /// Uid of the DaemonSet.
    pub daemonset: Rc<str>,
    /// The generation in the stored status.
    pub observed_generation: i64,
    /// Name of the node.
    pub node: Rc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    backoff_ms: i64,
    updated_at_ms: i64,
}

/// The failed-pod memory of the controller, for all DaemonSets. Cheap to clone.
///
/// Follows kubernetes client-go util/flowcontrol Backoff without jitter, v1.36. All times in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Backoff {
    entries: RedBlackTreeMap<BackoffKey, Entry>,
}

impl Backoff {
    /// The last delay of the key; 0 when there was none.
    pub fn current_ms(&self, key: &BackoffKey) -> i64 {
        self.entries.get(key).map_or(0, |entry| entry.backoff_ms)
    }

    /// Until when the next failed pod of the key has to wait; `None`: it need not.
    pub fn held_until_ms(&self, key: &BackoffKey, now_ms: i64) -> Option<i64> {
        let entry = self.entries.get(key)?;
        let until = entry.updated_at_ms.saturating_add(entry.backoff_ms);
        (!is_void(entry, now_ms) && now_ms < until).then_some(until)
    }

    /// Notes a deletion: the delay starts at one second or doubles.
    pub fn next(&mut self, key: BackoffKey, now_ms: i64) {
        let backoff_ms = match self.entries.get(&key) {
            Some(entry) if !is_void(entry, now_ms) => entry.backoff_ms.saturating_mul(2).min(MAX_BACKOFF_MS),
            _ => MIN_BACKOFF_MS,
        };
        self.entries.insert_mut(key, Entry { backoff_ms, updated_at_ms: now_ms });
    }

    /// Drops what is void, as the controller does now and then; changes no outcome.
    pub fn forget_void(&mut self, now_ms: i64) {
        let void: Vec<BackoffKey> =
            self.entries.iter().filter(|(_, entry)| is_void(entry, now_ms)).map(|(key, _)| key.clone()).collect();
        for key in &void {
            self.entries.remove_mut(key);
        }
    }
}

fn is_void(entry: &Entry, now_ms: i64) -> bool {
    now_ms.saturating_sub(entry.updated_at_ms) > 2 * MAX_BACKOFF_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(generation: i64) -> BackoffKey {
        BackoffKey { daemonset: "uid".into(), observed_generation: generation, node: "n".into() }
    }

    #[test]
    fn delays_double_from_one_second_to_fifteen_minutes() {
        let (mut backoff, mut now) = (Backoff::default(), 0);
        let mut delays = Vec::new();
        for _ in 0..12 {
            assert_eq!(backoff.held_until_ms(&key(1), now), None);
            backoff.next(key(1), now);
            let delay = backoff.current_ms(&key(1));
            assert_eq!(backoff.held_until_ms(&key(1), now + delay - 1), Some(now + delay));
            now += delay;
            delays.push(delay / 1000);
        }
        assert_eq!(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    }

    #[test]
    fn half_an_hour_of_quiet_starts_afresh_and_so_does_a_new_generation() {
        let mut backoff = Backoff::default();
        backoff.next(key(1), 0);
        backoff.next(key(1), 1_000);
        assert_eq!(backoff.current_ms(&key(1)), 2_000);
        backoff.next(key(2), 1_000);
        assert_eq!(backoff.current_ms(&key(2)), 1_000);
        backoff.next(key(1), 1_000 + 2 * MAX_BACKOFF_MS);
        assert_eq!(backoff.current_ms(&key(1)), 4_000);
        backoff.next(key(1), 1_001 + 4 * MAX_BACKOFF_MS);
        assert_eq!(backoff.current_ms(&key(1)), 1_000);
        backoff.forget_void(2 * MAX_BACKOFF_MS + 1_001);
        assert_eq!(backoff.current_ms(&key(2)), 0);
    }
}
