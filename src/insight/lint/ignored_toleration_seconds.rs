//! A toleration like one that every DaemonSet pod gets: the controller puts its own, without seconds, in the place.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::controllers::daemonset::{TolerationOrigin, effective_tolerations};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (_, origin) in effective_tolerations(subject.spec()) {
        let TolerationOrigin::AutomaticInPlaceOf(index) = origin else { continue };
        let Some(written) = subject.spec().tolerations.get(index) else { continue };
        if let Some(seconds) = written.toleration_seconds {
            let path = format!("{POD}.tolerations[{index}].tolerationSeconds");
            report.add(
                Found::advice(path.clone()).fact("seconds", seconds).fact("key", &written.key).remove(path),
            );
        }
    }
}
