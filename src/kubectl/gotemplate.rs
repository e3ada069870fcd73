//! Go templates (`-o go-template`).

use super::error::{CliError, Result};
use serde_json::Value;

/// A parsed template.
#[derive(Clone, Debug)]
pub(crate) struct Template(());

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Always, for now.
    pub fn parse(_text: &str) -> Result<Self> {
        Err(CliError::message("go-template is not in this playground"))
    }

    /// The text that the template makes of a value.
    ///
    /// # Errors
    /// None.
    pub fn print(&self, _tree: &Value) -> Result<String> {
        Ok(String::new())
    }
}
