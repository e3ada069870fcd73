//! Text to documents to JSON trees with positions, exactly as kubectl v1.36 reads a manifest; and the way back.
//!
//! [`read`] takes any text and never fails: it gives the documents, each with its value and the places of all its
//! parts, and what there is to say about them. The flow is: `stream` takes the text apart as kubectl's stream decoder
//! does; `yaml` and `json` read one chunk; `compose` builds the tree as it was written; `decode` makes the JSON
//! value of it. All of it is bounded by [`Limits`]. `explain` and `repair` look at what could not be read, [`edit`]
//! changes what could, and [`to_yaml`] prints.
//!
//! Invariants: no place is outside the text; a fix leaves a text that can be read; an edit leaves exactly the intended
//! value; nothing here knows what a field means.
//!
//! Intentional deviations from kubectl: where Go's map order decides (keys that become equal only as text, such as `1`
//! and `"1"`; which of several bad keys is named), the one that is written last, or first, counts; and reading goes on
//! behind a document that cannot be read, so that an editor shows all findings ([`ManifestRead::stream`] stops where
//! kubectl does).

mod compose;
mod decode;
mod diagnostic;
mod document;
pub mod edit;
mod emit;
mod explain;
mod failure;
mod json;
mod limits;
mod path;
mod position;
mod read;
mod repair;
pub mod scalar;
mod source;
mod stream;
mod tree;
pub mod unified;
mod yaml;

pub use diagnostic::{Code, Diagnostic, Fact, Remedy, Severity, TextEdit, apply_edits};
pub use document::{Document, Format, Location, Object};
pub use emit::{compare_keys, to_yaml};
pub use limits::{LimitKind, Limits};
pub use path::{DisplayPath, PathSegment, parse_path};
pub use position::{LineIndex, Position, Span};
pub use read::{ManifestRead, read};
