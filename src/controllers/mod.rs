//! Controllers: each looks at a snapshot and returns a plan (what, and why); none writes.

pub mod daemonset;
pub mod node_lifecycle;
pub mod pod_gc;
pub mod taint_eviction;
