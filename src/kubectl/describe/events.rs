use super::Writer;
use crate::apiserver::{ApiServer, Store};
use crate::kubectl::age::age;
use crate::objects::*;
use crate::order::Order;
use std::rc::Rc;

/// What was told about an object, oldest first.
pub(super) fn about(api: &ApiServer, object: &Object) -> Vec<Rc<Event>> {
    let metadata = object.metadata();
    let namespace = if metadata.namespace.is_empty() { "default" } else { &*metadata.namespace };
    let kind = object.kind_name();
    let mut events: Vec<Rc<Event>> = Store::in_namespace(api.store().events(), namespace)
        .filter(|event| {
            let about = &event.involved_object;
            about.kind == kind && about.name == metadata.name && about.uid == metadata.uid
        })
        .cloned()
        .collect();
    events.order_by_key(|event| (event.last_timestamp, event.first_timestamp));
    events
}

/// The table of events.
pub(super) fn describe(w: &mut Writer, events: &[Rc<Event>], now: Time) {
    if events.is_empty() {
        w.line(0, "Events:\t<none>");
        return;
    }
    w.line(0, "Events:");
    w.line(1, "Type\tReason\tAge\tFrom\tMessage");
    w.line(1, "----\t------\t----\t----\t-------");
    for event in events {
        let first = age(event.first_timestamp, now);
        let when = if event.count > 1 {
            format!("{} (x{} over {first})", age(event.last_timestamp, now), event.count)
        } else {
            first
        };
        let source = &event.source.component;
        let source = if source.is_empty() { &event.reporting_component } else { source };
        let message = event.message.trim();
        w.line(1, format!("{}\t{}\t{when}\t{source}\t{message}", event.type_, event.reason));
    }
}
