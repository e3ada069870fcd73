//! Controllers: each looks at a snapshot and returns a plan (what, and why); none writes.

pub mod daemonset;
pub mod deployment;
pub mod garbage_collector;
pub mod node_lifecycle;
pub mod pod_gc;
pub mod replicaset;
pub mod taint_eviction;
