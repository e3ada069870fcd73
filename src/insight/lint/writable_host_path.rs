//! A folder of the node that the container may write to: whoever gets into the container gets onto the node.

use super::report::{Found, Report};
use super::subject::{Subject, at, items, text};
use super::Level;
use serde_json::json;

/// Folders, and what is below them, that are seldom written to for a good reason.
const SENSITIVE: [&str; 14] = [
    "/etc", "/root", "/home", "/boot", "/usr", "/bin", "/sbin", "/lib", "/proc", "/sys", "/dev/mem", "/var/lib/docker",
    "/var/lib/kubelet/pki", "/var/log",
];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let volumes: Vec<(&str, &str)> = items(subject.pod(), "/volumes")
        .map(|(_, volume)| (text(volume, "/name"), text(volume, "/hostPath/path")))
        .filter(|(_, path)| is_sensitive(path))
        .collect();
    for container in subject.containers() {
        for (index, mount) in items(container.value, "/volumeMounts") {
            let volume = volumes.iter().find(|(name, _)| *name == text(mount, "/name"));
            let Some((_, folder)) = volume.filter(|_| at(mount, "/readOnly") != true) else { continue };
            // Log collectors like to keep their position beside the logs.
            let level = if folder.starts_with("/var/log") { Level::Advice } else { Level::Warning };
            let path = format!("{}.volumeMounts[{index}]", container.path);
            report.add(
                Found::new(subject.fine_if_critical(level), path.clone())
                    .fact("container", container.name())
                    .fact("path", folder)
                    .set(format!("{path}.readOnly"), json!(true)),
            );
        }
    }
}

fn is_sensitive(path: &str) -> bool {
    let below = |folder: &&str| path.strip_prefix(*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path == "/" || SENSITIVE.iter().any(below)
}
