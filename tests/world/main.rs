//! The world around the DaemonSet controller, on virtual time: kubelets, node lifecycle, evictions, Deployments,
//! garbage collection. Each test is a timeline.
#![cfg(not(target_arch = "wasm32"))]

mod deployments;
#[allow(dead_code)]
mod harness;
mod kubelet;
mod nodes;
