//! The socket of the container runtime: whoever talks to it can start anything on the node.

use super::report::{Found, Report};
use super::subject::{POD, Subject, items, text};
use super::Level;

const SOCKETS: [&str; 4] = ["docker.sock", "containerd.sock", "crio.sock", "cri-dockerd.sock"];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (index, volume) in items(subject.pod(), "/volumes") {
        let path = text(volume, "/hostPath/path");
        if SOCKETS.iter().any(|socket| path.ends_with(socket)) {
            report.add(
                Found::new(subject.fine_if_critical(Level::Warning), format!("{POD}.volumes[{index}].hostPath.path"))
                    .fact("path", path),
            );
        }
    }
}
