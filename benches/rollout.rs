//! What a whole rollout costs through the step loop, and what its history weighs.
//!
//! `cargo bench --bench rollout [NODES…]`: CPU time where the system tells it (which other work on the machine does not
//! change), else wall time.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark measures with the real clock")]

use daemonset_playground::simulation::*;
use std::collections::BTreeMap;
use std::time::Instant;

const MANIFEST: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  selector:\n    matchLabels:\n      app: agent\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 10%\n  template:\n    metadata:\n      labels:\n        app: agent\n    spec:\n      containers:\n      - name: agent\n        image: agent:v1\n        resources:\n          requests:\n            cpu: 100m\n            memory: 64Mi\n";

/// CPU time of this process in milliseconds, in steps of 10; `None` where there is no `/proc`.
fn cpu_ms() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) * 10.0)
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_ms());
    let result = run();
    let wall = start.elapsed().as_secs_f64() * 1000.0;
    match cpu.zip(cpu_ms()) {
        Some((before, after)) => println!("{what:44} {:9.0} ms CPU ({wall:.0} wall)", after - before),
        None => println!("{what:44} {wall:9.0} ms"),
    }
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
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for nodes in if wanted.is_empty() { vec![1000, 5000] } else { wanted } {
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
        let seeks = 200;
        let mut longest = 0.0_f64;
        let start = Instant::now();
        for i in 0..seeks {
            let start = Instant::now();
            // All over the place, at all distances from what is kept.
            session.seek(i * 7919 % session.len());
            longest = longest.max(start.elapsed().as_secs_f64() * 1000.0);
        }
        let mean = start.elapsed().as_secs_f64() * 1000.0 / f64::from(u32::try_from(seeks).unwrap_or(1));
        println!("  one seek, on average (at most)               {mean:9.2} ms ({longest:.1})");
        session.seek(session.len());
        timed("  the same scenario again", || {
            let mut again = Session::new(session.scenario());
            settle(&mut again);
            assert_eq!(again.len(), session.len());
        });
    }
}
