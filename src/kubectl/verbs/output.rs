//! How commands that change something say so.

use crate::apiserver::requests::{FieldValidation, WriteOptions};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::print::{self, Format};
use crate::objects::Object;
use serde_json::Value;

/// `--dry-run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DryRun {
    #[default]
    No,
    /// Nothing is sent.
    Client,
    /// It is sent, and nothing is kept.
    Server,
}

impl DryRun {
    /// Reads the flag.
    ///
    /// # Errors
    /// A value that is none of the three.
    pub fn of(io: &mut Io, command: &Command) -> Result<Self> {
        Ok(match command.flags.get("dry-run") {
            None | Some("none") => Self::No,
            Some("client") => Self::Client,
            Some("server") => Self::Server,
            Some("unchanged") => {
                io.complain("W0000 --dry-run is deprecated and can be replaced with --dry-run=client.");
                Self::Client
            }
            Some("true" | "false") => {
                let given = command.flags.get("dry-run").unwrap_or("");
                io.complain(format!(
                    "W0000 --dry-run={given} is deprecated (boolean value) and can be replaced with --dry-run=client."
                ));
                if given == "true" { Self::Client } else { Self::No }
            }
            Some(other) => {
                return Err(CliError::message(format!(
                    "Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
                )));
            }
        })
    }

    /// What stands behind the sentence.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::No => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }

    /// How writes are sent.
    pub fn options(self, validation: FieldValidation) -> WriteOptions {
        WriteOptions { dry_run: self != Self::No, validation }
    }
}

/// `--validate`.
///
/// # Errors
/// A value that is none of those allowed.
pub(crate) fn validation(command: &Command) -> Result<FieldValidation> {
    match command.flags.get("validate") {
        None | Some("strict" | "true") => Ok(FieldValidation::Strict),
        Some("warn") => Ok(FieldValidation::Warn),
        Some("ignore" | "false") => Ok(FieldValidation::Ignore),
        Some(other) => {
            let command = &command.path;
            Err(CliError::Flag {
                message: format!(
                    "invalid - validate option {other:?}; must be one of: strict (or true), warn, ignore (or false)"
                ),
                command: command.clone(),
            })
        }
    }
}

/// Says what happened to objects: in a sentence each, or in the format that `-o` asks for.
pub(crate) struct Reporter {
    format: Option<Format>,
    dry_run: DryRun,
    trees: Vec<Value>,
}

impl Reporter {
    /// Reads `-o`.
    ///
    /// # Errors
    /// A format that is not known.
    pub fn new(command: &Command, dry_run: DryRun) -> Result<Self> {
        let format = Format::parse(command.flags.get("output"), command.flags.get("template"), false)?;
        Ok(Self { format, dry_run, trees: Vec::new() })
    }

    /// Whether objects are printed whole, so that they are kept until the end.
    pub fn prints_objects(&self) -> bool {
        self.format.as_ref().is_some_and(|format| !format.is_name())
    }

    /// `daemonset.apps/x configured`, or the object.
    ///
    /// # Errors
    /// A template that cannot be applied.
    pub fn tell(&mut self, io: &mut Io, object: &Object, what: &str) -> Result<()> {
        self.tell_tree(io, &print::served(object), what)
    }

    /// The same for a tree.
    ///
    /// # Errors
    /// A template that cannot be applied.
    pub fn tell_tree(&mut self, io: &mut Io, tree: &Value, what: &str) -> Result<()> {
        let name = Format::Name.print(tree)?;
        match &self.format {
            None => io.line(format!("{} {what}{}", name.trim_end(), self.dry_run.suffix())),
            Some(Format::Name) => io.out.push_str(&name),
            Some(format) => {
                let text = format.print(tree)?;
                io.out.push_str(&text);
            }
        }
        Ok(())
    }

    /// Keeps an object for [`Self::finish`] when objects are printed whole; else says what happened.
    ///
    /// # Errors
    /// A template that cannot be applied.
    pub fn collect(&mut self, io: &mut Io, object: &Object, what: &str) -> Result<()> {
        if self.prints_objects() {
            self.trees.push(print::served(object));
            return Ok(());
        }
        self.tell(io, object, what)
    }

    /// Prints the objects that were kept: one as itself, several as a list.
    ///
    /// # Errors
    /// A template that cannot be applied.
    pub fn finish(&mut self, io: &mut Io) -> Result<()> {
        let Some(format) = self.format.as_ref().filter(|_| !self.trees.is_empty()) else { return Ok(()) };
        let tree = match self.trees.len() {
            1 => self.trees.remove(0),
            _ => print::list_of(std::mem::take(&mut self.trees)),
        };
        let text = format.print(&tree)?;
        io.out.push_str(&text);
        Ok(())
    }
}
