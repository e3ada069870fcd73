//! What a whole rollout costs through the step loop, and what its history weighs.
//!
//! `cargo bench --bench rollout [NODES…]`: CPU time where the system tells it (which other work on the machine does not
//! change), else wall time.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark measures with the real clock")]

#[path = "shared/rollouts.rs"]
mod rollouts;

use daemonset_playground::simulation::Session;
use rollouts::{files, nodes, roll, running, settle};
use std::time::Instant;

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

fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if std::env::args().any(|argument| argument == "memory") {
        return memory();
    }
    for count in if wanted.is_empty() { vec![1000, 5000] } else { wanted } {
        println!("{count} nodes, maxUnavailable 10 %");
        let files = files(&["agent"]);
        let mut session = timed("  nodes join", || nodes(count));
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
        seeks(&mut session);
        timed("  the same scenario again", || {
            let mut again = Session::new(session.scenario());
            settle(&mut again);
            assert_eq!(again.len(), session.len());
        });
    }
    // In a process of its own: what was freed before counts as resident, too.
    let own = std::env::current_exe().expect("the path of this program");
    let status = std::process::Command::new(own).arg("memory").status().expect("it can run");
    assert!(status.success());
}

/// What three DaemonSets on 5,000 nodes weigh, and 10,000 steps of the rollout of one.
fn memory() {
    println!("5000 nodes, 3 DaemonSets");
    let before = resident_mb();
    let mut session = running(5000, &["agent", "logs", "mesh"]);
    println!("  resident memory, before any step             {:9.0} MB", resident_mb() - before);
    roll(&mut session, "agent", 10_000);
    println!("  after {:6} steps                           {:9.0} MB", session.len(), resident_mb() - before);
    seeks(&mut session);
}

/// Jumps all over the place, at all distances from what is kept.
fn seeks(session: &mut Session) {
    let (count, end) = (200_u32, session.len());
    let mut longest = 0.0_f64;
    let start = Instant::now();
    for i in 0..count as usize {
        let start = Instant::now();
        session.seek(i * 7919 % end);
        longest = longest.max(start.elapsed().as_secs_f64() * 1000.0);
    }
    let mean = start.elapsed().as_secs_f64() * 1000.0 / f64::from(count);
    println!("  one seek, on average (at most)               {mean:9.2} ms ({longest:.1})");
    session.seek(end);
}
