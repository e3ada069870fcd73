//! A service account that is not there: the DaemonSet is accepted, each of its pods is refused.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::objects::ObjectKey;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let name = subject.spec().service_account_name.as_str();
    let Some(store) = subject.known.store.filter(|_| !name.is_empty() && name != "default") else { return };
    let key = ObjectKey::new(subject.key().namespace, name);
    if store.unstructured("v1", "ServiceAccount", &key).is_none() && !subject.text_has("ServiceAccount", name) {
        report.add(
            Found::warning(format!("{POD}.serviceAccountName")).fact("name", name).fact("namespace", &key.namespace),
        );
    }
}
