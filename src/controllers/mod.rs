//! Controllers: each looks at a snapshot and returns a plan (what, and why); none writes.

pub mod daemonset;
