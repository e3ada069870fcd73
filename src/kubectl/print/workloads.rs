//! Cells that several kinds share.

use crate::kubectl::print::table::format_labels;
use crate::objects::*;

/// Names and images of a template's containers.
pub(crate) fn containers_and_images(spec: &PodSpec) -> (String, String) {
    let join = |part: fn(&Container) -> &str| spec.containers.iter().map(part).collect::<Vec<_>>().join(",");
    (join(|container| &container.name), join(|container| &container.image))
}

/// A node selector, or `<none>`.
pub(crate) fn node_selector(spec: &PodSpec) -> String {
    format_labels(&spec.node_selector)
}

/// A value, or `<none>`.
pub(crate) fn or_none(text: &str) -> String {
    if text.is_empty() { "<none>".into() } else { text.into() }
}
