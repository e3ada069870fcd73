//! The API server: the only way into the store.

pub mod store;

pub use store::{Change, Store, Table};
