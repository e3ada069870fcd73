//! A PersistentVolumeClaim in the template is one claim for all pods. A DaemonSet has no claim per pod.

use super::report::{Found, Report};
use super::subject::{POD, Subject, items, text};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (index, volume) in items(subject.pod(), "/volumes") {
        let claim = text(volume, "/persistentVolumeClaim/claimName");
        if !claim.is_empty() {
            report.add(
                Found::warning(format!("{POD}.volumes[{index}].persistentVolumeClaim")).fact("claim", claim),
            );
        }
    }
}
