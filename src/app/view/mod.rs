//! What the page shows, as plain values computed from the store and the steps. No words of any language in here, only
//! facts; [`crate::app::text`] words them.

mod capacity;
mod chart;
mod counters;
mod dense;
mod details;
mod fleet;
mod insight;
mod lesson;
mod manifest;
mod node;
mod pod;
mod standing;
mod story;
mod terminal;

pub use capacity::*;
pub use chart::*;
pub use counters::*;
pub use dense::*;
pub use details::*;
pub use fleet::*;
pub use insight::*;
pub use lesson::*;
pub use manifest::*;
pub use node::*;
pub use pod::*;
pub use standing::*;
pub use story::*;
pub use terminal::*;
