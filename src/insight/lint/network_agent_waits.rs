//! A network agent that does not tolerate a node that is not ready yet: a fresh node gets ready when its network is there,
//! and its network agent comes when it is ready. The controller adds that toleration for NoExecute only.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::objects::{NO_SCHEDULE, TAINT_NOT_READY, Taint, Toleration, encode};

/// Parts of the names and images of what sets up the network of a node.
const NETWORK: [&str; 9] =
    ["cni", "calico", "cilium", "flannel", "weave", "antrea", "ovn", "kube-router", "aws-node"];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let taint = Taint::new(TAINT_NOT_READY, NO_SCHEDULE);
    let spec = subject.spec();
    if spec.host_network && subject.is_called(&NETWORK) && !subject.tolerates(&taint) {
        report.add(
            Found::warning(format!("{POD}.tolerations"))
                .fact("taint", &taint)
                .append(format!("{POD}.tolerations"), encode(&Toleration::exists(TAINT_NOT_READY, NO_SCHEDULE))),
        );
    }
}
