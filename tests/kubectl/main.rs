//! kubectl on clusters that stand still: what a command prints, and what it changes.
#![cfg(not(target_arch = "wasm32"))]

mod commands;
mod completion;
mod creating;
mod describing;
mod preview;
mod properties;
mod support;
mod top;
mod waiting;
