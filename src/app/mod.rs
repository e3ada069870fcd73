//! The state of the interface: what the person sees, typed and chose. No browser and no components in here, so that
//! all of it is tested natively; [`crate::ui`] draws it.

pub mod cards;
pub mod check;
pub mod command;
pub mod complete;
pub mod details;
pub mod diff;
pub mod draft;
pub mod effect;
pub mod exchange;
pub mod export;
pub mod files;
pub mod filter;
pub mod fixes;
#[cfg(test)]
pub mod fixture;
pub mod insight;
pub mod lesson;
pub mod lines;
pub mod looked_at;
pub mod message;
mod misplaced;
pub mod model;
pub mod persist;
pub mod phrase;
pub mod remedies;
pub mod rollout;
pub mod share;
pub mod standing;
pub mod text;
pub mod update;
pub mod view;
pub mod views;
