//! What can be taken away from the page: a picture of the cluster and its chart, and a report.

mod picture;
mod report;

pub use picture::picture;
pub use report::report;

/// What is saved as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The cluster and the chart as SVG.
    Svg,
    /// The same as PNG.
    Png,
    /// The state and its story as Markdown.
    Report,
    /// The scenario as YAML.
    Scenario,
}
