//! The benchmarks of the browser: an example program that `scripts/bench-web.mjs` builds as the page is built and runs in
//! Chromium.
#![cfg(target_arch = "wasm32")]

#[path = "../benches/shared/reconciles.rs"]
mod reconciles;
#[path = "../benches/shared/rollouts.rs"]
mod rollouts;

use daemonset_playground::simulation::Session;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Milliseconds of one reconcile: median and fastest, for a state (`GO_MS` names them) and a number of nodes.
#[wasm_bindgen]
pub fn reconcile(shape: &str, nodes: usize) -> Vec<f64> {
    let cluster = reconciles::cluster(shape, nodes);
    let mut times: Vec<f64> = (0..reconciles::RUNS)
        .map(|_| {
            let start = now();
            std::hint::black_box(reconciles::reconcile(std::hint::black_box(&cluster)));
            now() - start
        })
        .collect();
    times.sort_by(f64::total_cmp);
    vec![times[times.len() / 2], times[0]]
}

/// Names of the states.
#[wasm_bindgen]
pub fn shapes() -> Vec<String> {
    reconciles::GO_MS.iter().map(|(name, ..)| (*name).to_owned()).collect()
}

/// What the Go controller takes for a state with 1,000 and with 5,000 nodes, in milliseconds.
#[wasm_bindgen]
pub fn go(shape: &str) -> Vec<f64> {
    let found = reconciles::GO_MS.iter().find(|(name, ..)| *name == shape);
    found.map(|(_, small, large)| vec![*small, *large]).unwrap_or_default()
}

/// A session to be measured.
#[wasm_bindgen]
pub struct Bench {
    session: Session,
}

#[wasm_bindgen]
impl Bench {
    /// So many ready nodes.
    pub fn nodes(count: usize) -> Self {
        Self { session: rollouts::nodes(count) }
    }

    /// Three DaemonSets on so many nodes.
    pub fn running(count: usize) -> Self {
        Self { session: rollouts::running(count, &["agent", "logs", "mesh"]) }
    }

    /// Runs a command line, and then until nothing is due. Returns milliseconds.
    pub fn play(&mut self, line: &str) -> f64 {
        let start = now();
        self.session.run(line, &rollouts::files(&["agent"]));
        rollouts::settle(&mut self.session);
        now() - start
    }

    /// So many steps of a rollout. Returns milliseconds.
    pub fn roll(&mut self, steps: usize) -> f64 {
        let start = now();
        rollouts::roll(&mut self.session, "agent", steps);
        now() - start
    }

    /// Jumps to a position. Returns milliseconds.
    pub fn seek(&mut self, position: usize) -> f64 {
        let start = now();
        self.session.seek(position);
        now() - start
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.session.len()
    }
}
