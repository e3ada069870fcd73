//! A NoExecute taint that is tolerated for some seconds: the pod is evicted, the controller makes it again at once, since
//! for the controller the taint is tolerated, and so on.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::controllers::daemonset::{TolerationOrigin, effective_tolerations};
use crate::objects::NO_EXECUTE;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    for (toleration, origin) in effective_tolerations(subject.spec()) {
        let TolerationOrigin::Template(index) = origin else { continue };
        if let Some(seconds) = toleration.toleration_seconds
            && matches!(toleration.effect.as_str(), "" | NO_EXECUTE)
        {
            let path = format!("{POD}.tolerations[{index}].tolerationSeconds");
            report.add(Found::warning(path.clone()).fact("seconds", seconds).remove(path));
        }
    }
}
