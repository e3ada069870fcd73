//! What happens on nodes, in plain words.

use super::Words;
use super::story::{Told, join, plain, strong, subject};
use crate::app::phrase::{Part, Phrase, fill};
use crate::kubelet::{EndReason, Happening};
use crate::objects::Object;
use crate::simulation::Step;

impl Words {
    pub(super) fn tell_kubelet(&self, who: Part, step: &Step, happenings: &[Happening]) -> Told {
        let node = strong(&node_of(step));
        let facts = [("who", who), ("pod", subject(step)), ("node", node)];
        let told: Vec<Told> = happenings.iter().map(|happening| self.tell_happening(&facts, happening)).collect();
        let trouble = told.iter().any(|told| told.trouble);
        // Of several, the last is where the pod has come to; the others say how.
        let mut told = told.into_iter().rev();
        let Some(last) = told.next() else {
            return Told::plainly(Phrase::fill(self.did_nothing_seen, &facts));
        };
        let mut because = vec![last.because];
        because.extend(told.map(|earlier| earlier.because));
        Told { text: last.text, because: join(because, "; "), trouble }
    }

    fn tell_happening(&self, facts: &[(&str, Part)], happening: &Happening) -> Told {
        let text = |template: &str| Phrase::fill(template, facts);
        let with = |template: &str, more: (&'static str, Part)| {
            let mut facts = facts.to_vec();
            facts.push(more);
            Phrase::fill(template, &facts)
        };
        match happening {
            Happening::Admitted { starts_in_ms, .. } => {
                let because = match starts_in_ms {
                    Some(ms) => fill(self.kubelet_admitted_later, &[("time", &self.duration(*ms))]),
                    None => self.kubelet_admitted_never.to_string(),
                };
                Told::new(text(self.kubelet_admitted), Phrase::plain(because))
            }
            Happening::Found => Told::plainly(text(self.kubelet_found)),
            Happening::Refused(refusal) => Told::trouble(text(self.kubelet_refused), Phrase::plain(refusal.reason())),
            Happening::Started { restarts: 0, .. } => Told::plainly(text(self.kubelet_started)),
            Happening::Started { restarts, .. } => {
                let because = fill(self.kubelet_started_restarts, &[("n", &restarts.to_string())]);
                Told::new(text(self.kubelet_started), Phrase::plain(because))
            }
            Happening::Ready { .. } => Told::plainly(text(self.kubelet_ready)),
            Happening::Ended { exit_code, because: EndReason::OomKilled { used, limit }, .. } => {
                let amounts = [("used", used.to_string()), ("limit", limit.to_string())];
                let amounts = amounts.each_ref().map(|(name, text)| (*name, text.as_str()));
                let because = fill(self.kubelet_oom_because, &amounts);
                Told::trouble(with(self.kubelet_oom, ("code", plain(exit_code))), Phrase::plain(because))
            }
            Happening::Ended { exit_code, because, .. } => {
                let told = Told::plainly(with(self.kubelet_ended, ("code", plain(exit_code))));
                Told { trouble: *exit_code != 0 && *because == EndReason::Exited, ..told }
            }
            Happening::BackOff { delay_ms, restarts, .. } => {
                let because = fill(
                    self.kubelet_backoff_because,
                    &[("time", &self.duration(*delay_ms)), ("n", &restarts.to_string())],
                );
                Told::trouble(text(self.kubelet_backoff), Phrase::plain(because))
            }
            Happening::PullFailed { image, .. } => {
                Told::trouble(text(self.kubelet_pull_failed), Phrase(vec![Part::Code(image.clone())]))
            }
            Happening::PullBackOff { delay_ms, .. } => {
                Told::trouble(text(self.kubelet_pull_backoff), Phrase::plain(self.duration(*delay_ms)))
            }
            Happening::MountFailed { volume, missing, retry_ms } => {
                let words = self.placement();
                let facts = [
                    ("volume", Part::Code(volume.clone())),
                    ("message", plain(missing.of_volume())),
                    ("time", plain(self.duration(*retry_ms))),
                ];
                Told::trouble(text(words.mount_failed), Phrase::fill(words.mount_failed_because, &facts))
            }
            Happening::ConfigError { error, .. } => {
                Told::trouble(text(self.placement().config_error), Phrase::plain(error.clone()))
            }
            Happening::Throttled { wanted, limit, .. } => {
                let amounts = [("wanted", wanted.to_string()), ("limit", limit.to_string())];
                let amounts = amounts.each_ref().map(|(name, text)| (*name, text.as_str()));
                let because = fill(self.kubelet_throttled_because, &amounts);
                Told::trouble(text(self.kubelet_throttled), Phrase::plain(because))
            }
            Happening::NotThrottled { .. } => Told::plainly(text(self.kubelet_unthrottled)),
            Happening::Finished { succeeded } => {
                Told { trouble: !succeeded, ..Told::plainly(text(self.kubelet_finished)) }
            }
            Happening::Evicted(eviction) => {
                let because = fill(self.kubelet_evicted_because, &[("resource", &eviction.resource)]);
                Told::trouble(text(self.kubelet_evicted), Phrase::plain(because))
            }
            Happening::Stopping { .. } => Told::plainly(text(self.kubelet_stopping)),
            Happening::Removed { killed: false } => Told::plainly(text(self.kubelet_removed)),
            Happening::Removed { killed: true } => {
                Told::new(text(self.kubelet_removed), Phrase::plain(self.kubelet_removed_killed))
            }
            Happening::SandboxChanged => Told::plainly(text(self.kubelet_sandbox)),
            Happening::Reported { conditions } => {
                let said: Vec<String> = conditions.iter().map(|(type_, status)| format!("{type_} {status}")).collect();
                Told::new(text(self.kubelet_reported), Phrase::plain(said.join(", ")))
            }
            Happening::MirrorCreated { .. } => Told::plainly(text(self.kubelet_mirror)),
        }
    }
}

/// The node on which the step happened.
fn node_of(step: &Step) -> String {
    let named = step.changes.iter().find_map(|change| match change.object()? {
        Object::Pod(pod) if pod.is_bound() => Some(pod.spec.node_name.to_string()),
        Object::Node(node) => Some(node.metadata.name.to_string()),
        Object::Event(event) if !event.source.host.is_empty() => Some(event.source.host.clone()),
        _ => None,
    });
    named.or_else(|| step.subject.as_ref().map(|subject| subject.key.name.to_string())).unwrap_or_default()
}
