//! A small Kubernetes that runs in the browser: the DaemonSet controller, the scheduler, a kubelet and an API server
//! on virtual time, every decision explained. See `ARCHITECTURE.md`.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented
    )
)]

pub mod apiserver;
pub mod app;
pub mod controllers;
pub mod exchange;
pub mod insight;
pub mod js_api;
pub mod kubectl;
pub mod kubelet;
pub mod lessons;
pub mod manifest;
pub mod objects;
pub mod order;
pub mod permalink;
pub mod scheduler;
pub mod simulation;
#[cfg(feature = "app")]
pub mod ui;
