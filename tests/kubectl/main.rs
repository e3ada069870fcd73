//! kubectl on clusters that stand still: what a command prints, and what it changes.

mod commands;
mod support;
