//! The API server: the only way into the store.

pub mod random;
pub mod status;
pub mod store;
pub mod write;

pub use random::Random;
pub use status::{Status, StatusCause};
pub use store::{Change, Store, Table};
pub use write::{Delete, EventDraft, Propagation, Write};
