//! An image without a fixed version: which one runs depends on when a node pulled it, and `rollout undo` changes nothing.

use super::report::{Found, Report};
use super::subject::{Subject, text};

const FLOATING: [&str; 8] = ["latest", "main", "master", "edge", "nightly", "dev", "stable", "snapshot"];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.containers() {
        let image = text(container.value, "/image");
        if image.is_empty() || image.contains('@') {
            continue;
        }
        let name = image.rsplit('/').next().unwrap_or(image);
        let tag = name.split_once(':').map_or("latest", |(_, tag)| tag);
        if FLOATING.contains(&tag) {
            report.add(
                Found::warning(format!("{}.image", container.path)).fact("image", image).fact("tag", tag),
            );
        }
    }
}
