//! The API server: the only way into the store.

pub mod admission;
mod app_armor;
mod correlator;
pub mod defaulting;
pub mod ownership;
pub mod patch;
mod plan;
mod pod_admission;
mod random;
pub mod requests;
pub mod schema;
mod server;
mod status;
pub mod store;
pub mod strategy;
pub mod validation;
mod view;
mod write;

pub use plan::{Now, Plan, Timer};
pub use random::{Random, safe_encode};
pub use server::{ApiServer, FOREGROUND_DELETION, ORPHAN_DEPENDENTS, SYSTEM_NAMESPACES, resource_name};
pub use status::{Status, StatusCause};
pub use store::{Change, Store, Table};
pub use write::{Delete, EventDraft, Propagation, Write};
