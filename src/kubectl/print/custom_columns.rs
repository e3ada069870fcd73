use super::jsonpath::JsonPath;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::{gojson, tabwriter};
use serde_json::Value;

/// The columns of `-o custom-columns=NAME:.path,…`.
#[derive(Clone, Debug)]
pub(crate) struct CustomColumns {
    columns: Vec<(String, JsonPath)>,
}

impl CustomColumns {
    /// Reads `NAME:.path,…`.
    ///
    /// # Errors
    /// A column without path, a path that cannot be read.
    pub fn parse(spec: &str) -> Result<Self> {
        let mut columns = Vec::new();
        for part in spec.split(',') {
            let Some((head, path)) = part.split_once(':') else {
                return Err(CliError::message(format!(
                    "unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
                )));
            };
            columns.push((head.into(), JsonPath::parse_relaxed(path)?));
        }
        Ok(Self { columns })
    }

    /// The table of an object, or of the items of a list.
    pub fn print(&self, tree: &Value, headers: bool) -> String {
        let mut text = String::new();
        if headers {
            let heads: Vec<&str> = self.columns.iter().map(|(head, _)| head.as_str()).collect();
            text.push_str(&heads.join("\t"));
            text.push('\n');
        }
        let single = std::slice::from_ref(tree);
        let items = tree.get("items").and_then(Value::as_array).map_or(single, Vec::as_slice);
        for item in items {
            let cells: Vec<String> = self.columns.iter().map(|(_, path)| cell(path, item)).collect();
            text.push_str(&cells.join("\t"));
            text.push('\n');
        }
        tabwriter::align_from(&text, tabwriter::GET, &mut Vec::new())
    }
}

fn cell(path: &JsonPath, item: &Value) -> String {
    let found = path.find_all(item).unwrap_or_default();
    if found.is_empty() {
        return "<none>".into();
    }
    let texts: Vec<String> = found.into_iter().map(gojson::go_print).collect();
    texts.join(",").replace(['\n', '\t'], " ")
}
