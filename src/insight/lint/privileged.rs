//! A privileged container is root on its node, on every node.

use super::report::{Found, Report};
use super::subject::{Subject, at};
use super::{Level, Nature};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for container in subject.containers() {
        if at(container.value, "/securityContext/privileged") != true {
            continue;
        }
        let level = if subject.is_critical() { Level::Fine } else { Level::Warning };
        let path = format!("{}.securityContext.privileged", container.path);
        let found = Found::new(level, path.clone()).fact("container", container.name());
        // It makes an agent of every DaemonSet; what else it looks at tells whether anything needs it.
        let alone = subject.nature == Nature::Agent && !subject.spec().host_network && looks_at_nothing(subject);
        report.add(if alone { found.remove(path) } else { found });
    }
}

fn looks_at_nothing(subject: &Subject<'_>) -> bool {
    let has_host_path = super::subject::items(subject.pod(), "/volumes").any(|(_, volume)| volume.get("hostPath").is_some());
    !has_host_path && subject.pod().get("hostPID").is_none()
}
