//! kubectl: command lines to requests, and answers to text as the real kubectl v1.36 prints it.
//!
//! [`run`] takes a line as a person types it, pipes and here-documents included. Commands that wait (`rollout status`,
//! `wait`, `drain`, `delete`, `get -w`) come back as [`Waiting`]: plain data that is polled while virtual time passes.

mod age;
mod command;
mod complete;
mod context;
mod describe;
mod error;
mod exec;
mod filters;
mod flags;
mod gojson;
mod gotemplate;
mod grep;
mod lister;
mod preview;
mod print;
mod select;
mod selector;
pub mod shell;
mod sources;
mod tabwriter;
mod task;
mod verbs;
mod yaml;

pub(crate) use age::go_duration;
pub use age::{age, human_duration, long_time, parse_duration};
pub(crate) use command::edit_distance;
pub use command::{Command, Verb, not_offered};
pub use complete::{Candidate, Completion, complete};
pub use context::{Context, Effect};
pub use error::{CliError, says_not_offered};
pub use exec::{CommandOutput, Outcome, Poll, Waiting, run};
pub use flags::Flags;
pub(crate) use gojson::{compact as compact_json, go_print};
pub use preview::{FieldDiff, Preview, PreviewAction, PreviewItem, PreviewProblem, apply_preview, field_diffs};
pub(crate) use print::{jsonpath::JsonPath, served};
pub use selector::{FieldSelector, Selector};
pub use task::Task;
