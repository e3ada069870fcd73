//! The state of a link, on any bytes:
//! `cargo +nightly fuzz run permalink fuzz/seeds/permalink`
//!
//! The bytes are read as a link and, since hardly any bytes inflate to a state, packed as the text of one.
#![no_main]

use daemonset_playground::permalink::{SharedState, pack, unpack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = SharedState::parse(text) {
        assert!(!error.to_string().is_empty());
    }
    let word = pack(text);
    assert_eq!(unpack(&word).as_deref(), Ok(text));
    let Ok(state) = SharedState::parse(&format!("#s={word}")) else { return };
    let fragment = state.to_fragment();
    assert_eq!(SharedState::parse(&fragment).as_ref(), Ok(&state));
    // Replaying takes its time: only what is short.
    let scenario = &state.scenario;
    let is_short = |step: Option<usize>| step.is_some_and(|step| step < 50);
    if data.len() < 2_000 && scenario.log.len() < 4 && scenario.log.iter().all(|entry| is_short(entry.step)) {
        let state = SharedState { steps: state.steps.min(50), now_ms: state.now_ms.min(60_000), ..state };
        let session = state.session();
        assert!(session.position() <= session.len());
    }
});
