//! What one reconcile of the DaemonSet controller costs, beside the figures of the Go controller.
//!
//! `cargo bench --bench reconcile`: median (fastest) of eleven runs, in milliseconds of wall time on one core.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark measures with the real clock")]

#[path = "shared/reconciles.rs"]
mod reconciles;

use reconciles::{Cluster, GO_MS, RUNS, cluster, reconcile};
use std::time::Instant;

fn measure(cluster: &Cluster) -> (f64, f64) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(reconcile(std::hint::black_box(cluster)));
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[RUNS / 2], times[0])
}

fn main() {
    println!("one reconcile, ms: median (fastest) of {RUNS}, and how many times the Go controller's median");
    for (shape, go_1000, go_5000) in GO_MS {
        for (size, go) in [(1000, go_1000), (5000, go_5000)] {
            let cluster = cluster(shape, size);
            let plan = reconcile(&cluster);
            let (median, fastest) = measure(&cluster);
            let (creates, deletes) = (plan.creates().count(), plan.deletes().count());
            println!(
                "{shape:28} {size:5} nodes  {median:7.3} ({fastest:.3})  Go {go:5.0}  {:5.0}x  ({creates} creates, {deletes} deletes)",
                go / median
            );
        }
    }
}
