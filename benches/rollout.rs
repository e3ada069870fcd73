//! What a whole rollout costs through the step loop, and what its history weighs.
//!
//! `cargo bench --bench rollout`: wall time on one core.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark measures with the real clock")]

use daemonset_playground::simulation::*;
use std::collections::BTreeMap;
use std::time::Instant;

const MANIFEST: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  selector:\n    matchLabels:\n      app: agent\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 10%\n  template:\n    metadata:\n      labels:\n        app: agent\n    spec:\n      containers:\n      - name: agent\n        image: agent:v1\n        resources:\n          requests:\n            cpu: 100m\n            memory: 64Mi\n";

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!("{what:44} {:9.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    result
}

fn resident_mb() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / 1e6
}

fn settle(session: &mut Session) {
    while session.run_to_quiet(100_000) == Progress::More {}
}

fn main() {
    for nodes in [1000, 5000] {
        println!("{nodes} nodes, maxUnavailable 10 %");
        let files = BTreeMap::from([("agent.yaml".to_owned(), MANIFEST.to_owned())]);
        let mut session = Session::new(Scenario::default());
        timed("  nodes join", || {
            session.run(&format!("sim add-node worker --count {nodes}"), &files);
            settle(&mut session);
        });
        timed("  first pods, to quiet", || {
            session.run("kubectl apply -f agent.yaml", &files);
            settle(&mut session);
        });
        let before = session.len();
        timed("  rollout, to quiet", || {
            session.run("kubectl set image ds/agent agent=agent:v2", &files);
            settle(&mut session);
        });
        println!("  steps in all / of the rollout                {:>9} / {}", session.len(), session.len() - before);
        println!("  resident memory                              {:9.0} MB", resident_mb());
        let start = Instant::now();
        let seeks = 1000;
        for i in 0..seeks {
            session.seek(i * session.len() / seeks);
        }
        println!("  one seek                                     {:9.4} ms", start.elapsed().as_secs_f64());
        session.seek(session.len());
        timed("  the same scenario again", || {
            let mut again = Session::new(session.scenario());
            settle(&mut again);
            assert_eq!(again.len(), session.len());
        });
    }
}
