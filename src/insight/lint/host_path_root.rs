//! The node's whole file system in the container: keys and secrets of all pods of the node included.

use super::report::{Found, Report};
use super::subject::{POD, Subject, items, text};
use super::Level;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (index, volume) in items(subject.pod(), "/volumes") {
        if text(volume, "/hostPath/path") == "/" {
            report.add(
                Found::new(subject.fine_if_critical(Level::Advice), format!("{POD}.volumes[{index}].hostPath.path"))
                    .fact("volume", text(volume, "/name")),
            );
        }
    }
}
