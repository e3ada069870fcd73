//! What a person may want to know beyond what happens: read-only on everything else.

pub mod ask;
pub mod compare;
pub mod edited;
pub mod explain;
pub mod fate;
pub mod forecast;
pub mod lint;
pub mod overhead;
pub mod placement;
pub mod standstill;
pub mod trial;
