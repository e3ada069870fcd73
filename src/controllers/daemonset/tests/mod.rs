//! The controller's rules, one line for one reconcile.

mod events;
mod history;
mod manage;
mod rolling_update;
mod scene;
mod status;
mod triggers;
