//! The same toleration twice: the second covers nothing that the first does not, and is easily left behind when the first
//! is taken out.

use super::report::{Found, Report};
use super::subject::{POD, Subject};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let tolerations = &subject.spec().tolerations;
    for (index, toleration) in tolerations.iter().enumerate() {
        let Some(first) = tolerations.iter().take(index).position(|earlier| earlier == toleration) else { continue };
        let path = format!("{POD}.tolerations[{index}]");
        report.add(Found::advice(path.clone()).fact("first", first.saturating_add(1)).remove(path));
    }
}
