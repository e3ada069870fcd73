//! What becomes of events before they reach the API server: equal ones are counted, similar ones combined, too many
//! dropped.

use super::write::EventDraft;
use crate::objects::Time;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Different messages of one reason about one object from which on they are combined.
const MAX_SIMILAR: usize = 10;
/// Seconds of quiet after which similar events are told one by one again.
const SIMILAR_SECONDS: i64 = 600;
/// Events about one object that a component may tell at once.
const SPAM_BURST: i64 = 25;
/// Seconds in which it may tell one more.
const SPAM_SECONDS: i64 = 300;
/// Message of an event that stands for several similar ones.
const COMBINED: &str = "(combined from similar events): ";
/// The scheduler tells its events another way, without this.
const EXEMPT: &str = "default-scheduler";

/// Messages of one reason about one object.
#[derive(Clone, Debug, PartialEq)]
struct Similar {
    class: u64,
    /// Sorted.
    messages: Vec<u64>,
    last: Time,
}

/// What one component has told about one object.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    similar: Vec<Similar>,
    /// What it may still tell, in seconds saved up.
    allowance: i64,
    last: Time,
}

/// What the components' event recorders remember. Cloning is cheap.
///
/// Follows kubernetes client-go tools/record EventCorrelator with its default options, v1.36.
#[derive(Clone, Debug, Default)]
pub struct EventCorrelator {
    /// By component and object.
    told: RedBlackTreeMap<u64, Rc<Told>>,
}

/// How an event is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correlated {
    /// Stands for all events that are counted as one.
    pub fingerprint: u64,
    /// The message, marked if it stands for others.
    pub message: String,
}

impl EventCorrelator {
    /// How to tell an event; `None`: not at all.
    pub fn correlate(&mut self, draft: &EventDraft, now: Time) -> Option<Correlated> {
        let about = [&*draft.uid, draft.kind.name(), &*draft.key.namespace, &*draft.key.name];
        let source = [draft.component, &*draft.host];
        let class = fingerprint(about.into_iter().chain(source).chain([draft.type_, draft.reason]));
        let exact = fingerprint([&*draft.message, &*draft.field_path, &format!("{class:016x}")]);
        if draft.component == EXEMPT {
            return Some(Correlated { fingerprint: exact, message: draft.message.clone() });
        }
        let object = fingerprint(about.into_iter().chain(source));
        let most = SPAM_BURST * SPAM_SECONDS;
        let mut told = self
            .told
            .get(&object)
            .cloned()
            .unwrap_or_else(|| Rc::new(Told { similar: Vec::new(), allowance: most, last: now }));
        let record = Rc::make_mut(&mut told);
        let combined = record.is_one_of_many(class, fingerprint([&*draft.message]), now);
        let allowed = record.allows(now);
        self.told.insert_mut(object, told);
        allowed.then(|| match combined {
            true => Correlated { fingerprint: class, message: format!("{COMBINED}{}", draft.message) },
            false => Correlated { fingerprint: exact, message: draft.message.clone() },
        })
    }
}

impl Told {
    fn is_one_of_many(&mut self, class: u64, message: u64, now: Time) -> bool {
        let at = self.similar.iter().position(|similar| similar.class == class);
        let at = at.unwrap_or_else(|| {
            self.similar.push(Similar { class, messages: Vec::new(), last: now });
            self.similar.len().saturating_sub(1)
        });
        let Some(similar) = self.similar.get_mut(at) else { return false };
        if now.seconds_since(similar.last) > SIMILAR_SECONDS {
            similar.messages.clear();
        }
        similar.last = now;
        if let Err(place) = similar.messages.binary_search(&message) {
            similar.messages.insert(place, message);
        }
        let many = similar.messages.len() >= MAX_SIMILAR;
        if many {
            // The number stays at the limit, so the next one is one of many, too.
            similar.messages.remove(0);
        }
        many
    }

    fn allows(&mut self, now: Time) -> bool {
        let most = SPAM_BURST * SPAM_SECONDS;
        let seconds = self.allowance.saturating_add(now.seconds_since(self.last).max(0)).min(most);
        let allowed = seconds >= SPAM_SECONDS;
        self.allowance = if allowed { seconds - SPAM_SECONDS } else { seconds };
        self.last = now;
        allowed
    }
}

/// FNV-1a over the parts, which a zero byte separates.
fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::*;

    fn draft(component: &'static str, message: &str) -> EventDraft {
        let metadata = ObjectMeta { name: "agent".into(), uid: "u".into(), ..ObjectMeta::default() };
        EventDraft::about(Kind::DaemonSet, &metadata, NORMAL, "SuccessfulCreate", message.into(), component)
    }

    #[test]
    fn from_the_tenth_message_on_similar_events_are_combined() {
        let mut correlator = EventCorrelator::default();
        let mut told = Vec::new();
        for number in 1..=12 {
            let event = draft("daemonset-controller", &format!("Created pod: agent-{number}"));
            told.push(correlator.correlate(&event, Time(0)).unwrap());
        }
        assert_eq!(told[8].message, "Created pod: agent-9");
        assert_eq!(told[9].message, "(combined from similar events): Created pod: agent-10");
        assert_eq!(told[11].message, "(combined from similar events): Created pod: agent-12");
        assert_eq!(told[9].fingerprint, told[11].fingerprint);
        assert_ne!(told[7].fingerprint, told[8].fingerprint);

        let later = correlator.correlate(&draft("daemonset-controller", "Created pod: agent-13"), Time(601)).unwrap();
        assert_eq!(later.message, "Created pod: agent-13");
    }

    #[test]
    fn equal_events_are_one() {
        let mut correlator = EventCorrelator::default();
        let mut tell = || correlator.correlate(&draft("kubelet", "Back-off"), Time(0)).unwrap().fingerprint;
        assert_eq!(tell(), tell());
    }

    #[test]
    fn after_twenty_five_events_about_an_object_one_more_is_told_every_five_minutes() {
        let mut correlator = EventCorrelator::default();
        let mut told = |component, at| correlator.correlate(&draft(component, "again"), Time(at)).is_some();
        assert_eq!((0..30).filter(|_| told("kubelet", 0)).count(), 25);
        assert!(!told("kubelet", 299) && told("kubelet", 300) && !told("kubelet", 301));
        assert!(told("node-controller", 301), "another component has its own allowance");
        assert_eq!((0..30).filter(|_| told("default-scheduler", 0)).count(), 30);
    }
}
