//! What goes out and what comes in: a session as a shell script for a real cluster, as a KWOK cluster, as a transcript;
//! and the dump of a real cluster as the start of a session.

mod adopt;
mod cluster;
mod dump;
mod kwok;
mod replay;
mod script;
mod transcript;

pub use adopt::{Adopted, Adopting, Report, adopt};
pub use dump::{Dump, DumpError, DumpReader, Ignored, IgnoredReason, Took, looks_like_a_dump};
pub use kwok::{kwok_script, stages};
pub use script::shell_script;
pub use transcript::{Telling, markdown};
