//! Pauses that grow: between restarts of a container, between attempts to pull an image.

/// First pause, in milliseconds.
pub const INITIAL_BACKOFF_MS: u64 = 10_000;
/// Longest pause. Twice this without another failure, and it starts anew.
pub const MAX_BACKOFF_MS: u64 = 300_000;

/// The present pause and when it was set.
///
/// Follows kubernetes client-go util/flowcontrol Backoff as the kubelet uses it, v1.36.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// Milliseconds.
    pub delay_ms: u64,
    /// When it was set, in virtual milliseconds.
    pub updated_ms: u64,
}

impl BackOff {
    /// The pause after another failure: doubled, or the first again after a long time without one.
    pub fn next(previous: Option<Self>, now_ms: u64) -> Self {
        let delay_ms = match previous {
            Some(p) if !p.is_void(now_ms) => p.delay_ms.saturating_mul(2).min(MAX_BACKOFF_MS),
            _ => INITIAL_BACKOFF_MS,
        };
        Self { delay_ms, updated_ms: now_ms }
    }

    /// Whether the pause no longer counts for something that happened at `event_ms`.
    pub fn is_void(self, event_ms: u64) -> bool {
        event_ms.saturating_sub(self.updated_ms) > 2 * MAX_BACKOFF_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_five_minutes_and_start_anew_after_ten_quiet_ones() {
        let mut pause = None;
        let mut seen = Vec::new();
        for _ in 0..7 {
            let next = BackOff::next(pause, 0);
            seen.push(next.delay_ms / 1000);
            pause = Some(next);
        }
        assert_eq!(seen, [10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(BackOff::next(pause, 600_000).delay_ms, 300_000);
        assert_eq!(BackOff::next(pause, 600_001).delay_ms, INITIAL_BACKOFF_MS);
    }
}
