//! Another selector than that of the DaemonSet in the cluster: the API server refuses it, since the selector is immutable.

use super::report::{Found, Report};
use super::subject::Subject;
use crate::objects::encode;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(live) = subject.live() else { return };
    let (old, new) = (&live.spec.selector, &subject.set.spec.selector);
    if old == new {
        return;
    }
    let found = Found::warning("spec.selector").fact("old", old).fact("new", new);
    let fits = old.matches(&subject.set.spec.template.metadata.labels);
    report.add(if fits { found.set("spec.selector", encode(old)) } else { found });
}
