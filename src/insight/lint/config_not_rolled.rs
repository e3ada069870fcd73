//! A ConfigMap or Secret of the same manifest whose change starts no rollout: running pods keep what they read at their
//! start. A checksum of it in the template's annotations makes it part of the template.

use super::report::{Found, Report};
use super::subject::{POD, Subject, items, text};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let annotations = &subject.set.spec.template.metadata.annotations;
    if annotations.keys().any(|key| ["checksum", "hash", "version", "reload"].iter().any(|word| key.contains(word))) {
        return;
    }
    for (index, volume) in items(subject.pod(), "/volumes") {
        let named = [("ConfigMap", "/configMap/name"), ("Secret", "/secret/secretName")];
        for (kind, pointer) in named {
            let name = text(volume, pointer);
            if !name.is_empty() && subject.text_has(kind, name) {
                report.add(
                    Found::advice(format!("{POD}.volumes[{index}]")).fact("kind", kind).fact("name", name),
                );
            }
        }
    }
}
