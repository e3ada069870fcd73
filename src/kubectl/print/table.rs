//! Tables of `kubectl get`.

use crate::kubectl::tabwriter;
use crate::objects::Object;

/// Rows of one kind of object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Heads; the flag marks those that only `-o wide` shows.
    pub columns: Vec<(&'static str, bool)>,
    /// One for each object: its cells and itself.
    pub rows: Vec<(Vec<String>, Object)>,
}

/// How a table is printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableOptions {
    pub wide: bool,
    pub no_headers: bool,
    pub with_namespace: bool,
    /// Put before each name: `daemonset.apps/`.
    pub kind: Option<String>,
    pub show_labels: bool,
    pub label_columns: Vec<String>,
}

impl Table {
    /// The lines of the table, cells separated by tabs.
    pub fn lines(&self, options: &TableOptions) -> String {
        let mut out = String::new();
        if !options.no_headers {
            let mut heads: Vec<String> = Vec::new();
            heads.extend(options.with_namespace.then(|| "NAMESPACE".to_owned()));
            heads.extend(self.columns.iter().filter(|(_, wide)| options.wide || !wide).map(|(head, _)| (*head).into()));
            heads.extend(options.label_columns.iter().map(|label| label_head(label)));
            heads.extend(options.show_labels.then(|| "LABELS".to_owned()));
            push_line(&mut out, &heads);
        }
        for (cells, object) in &self.rows {
            push_line(&mut out, &self.row(cells, object, options));
        }
        out
    }

    fn row(&self, cells: &[String], object: &Object, options: &TableOptions) -> Vec<String> {
        let metadata = object.metadata();
        let mut line: Vec<String> = Vec::new();
        line.extend(options.with_namespace.then(|| metadata.namespace.to_string()));
        for ((head, wide), cell) in self.columns.iter().zip(cells) {
            if *wide && !options.wide {
                continue;
            }
            match &options.kind {
                Some(kind) if *head == "NAME" => line.push(format!("{kind}/{cell}")),
                _ => line.push(cell.clone()),
            }
        }
        for label in &options.label_columns {
            line.push(metadata.label(label).unwrap_or("").into());
        }
        if options.show_labels {
            line.push(format_labels(&metadata.labels));
        }
        line
    }

    /// The aligned table.
    pub fn print(&self, options: &TableOptions) -> String {
        tabwriter::align_from(&self.lines(options), tabwriter::GET, &mut Vec::new())
    }
}

fn push_line(out: &mut String, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push('\t');
        }
        // A cell is one line.
        out.extend(cell.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }));
    }
    out.push('\n');
}

/// Head of a label's column: the part behind the slash in capitals.
fn label_head(label: &str) -> String {
    label.rsplit('/').next().unwrap_or(label).to_uppercase()
}

/// `a=b,c=d`, or `<none>`.
pub(crate) fn format_labels(labels: &std::collections::BTreeMap<String, String>) -> String {
    if labels.is_empty() {
        return "<none>".into();
    }
    let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}
