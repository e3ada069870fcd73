//! A YAML 1.1 reader that takes and refuses exactly what kubectl's reader does.
//!
//! kubectl reads YAML with go.yaml.in/yaml/v2, a port of libyaml; its idea of YAML (1.1 with libyaml's liberties), its
//! messages and its line numbers all come from that state machine, so this module follows the same machine: characters
//! to tokens (`scanner`), tokens to events (`parser`). Neither recurses; both run in linear time.

mod error;
mod input;
mod parser;
mod scalars;
mod scanner;
mod tags;
mod token;

pub(crate) use error::{ErrorKind, YamlError};
pub(crate) use parser::{Event, EventKind, Parser};
pub(crate) use token::ScalarStyle;
