//! kubectl on clusters that stand still: what a command prints, and what it changes.
#![cfg(not(target_arch = "wasm32"))]

mod answers;
mod commands;
mod completion;
mod creating;
mod describing;
mod offered;
mod preview;
mod properties;
mod support;
mod top;
mod waiting;
