//! With the node's network, `ClusterFirst` silently becomes the node's own resolver: Services have no names.

use super::report::{Found, Report};
use super::subject::{POD, Subject, text};
use super::Level;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let policy = text(subject.pod(), "/dnsPolicy");
    if subject.spec().host_network && matches!(policy, "" | "ClusterFirst") {
        let path = format!("{POD}.dnsPolicy");
        let at = if policy.is_empty() { format!("{POD}.hostNetwork") } else { path.clone() };
        report.add(Found::new(subject.fine_if_critical(Level::Advice), at).set(path, json!("ClusterFirstWithHostNet")));
    }
}
