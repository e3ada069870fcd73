//! Only the former name of the control-plane taint (`master`, gone since Kubernetes 1.25) is tolerated.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::tolerates_everything::CONTROL_PLANE;
use crate::objects::{NO_SCHEDULE, Taint, Toleration, encode};

const MASTER: &str = "node-role.kubernetes.io/master";

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let tolerations = &subject.spec().tolerations;
    let Some(index) = tolerations.iter().position(|toleration| toleration.key == MASTER) else { return };
    if !subject.tolerates(&Taint::new(CONTROL_PLANE, NO_SCHEDULE)) {
        report.add(
            Found::warning(format!("{POD}.tolerations[{index}]"))
                .fact("key", MASTER)
                .append(format!("{POD}.tolerations"), encode(&Toleration::exists(CONTROL_PLANE, NO_SCHEDULE))),
        );
    }
}
