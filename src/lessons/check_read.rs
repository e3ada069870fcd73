//! Reads checks and questions.

use super::check::{Amount, Check, Counter, Item, ObjectClaim, ObjectTest, PodState, PodTest};
use super::fault::{Fault, Wanted};
use super::fields::{Faults, Field};
use super::lesson::{Choice, Question};
use crate::apiserver::schema::{Resource, resource_by_name};
use crate::kubectl::{JsonPath, Selector};
use crate::objects::ObjectKey;

/// The members of which a check must have exactly one: it says what is checked.
pub(super) const CHECKS: &[&str] =
    &["daemonset", "pods", "object", "objects", "event", "command", "always", "once", "not", "all", "quiet"];

const DAEMON_SET: &[&str] = &[
    "daemonset",
    "namespace",
    "say",
    "desired",
    "current",
    "ready",
    "upToDate",
    "available",
    "unavailable",
    "misscheduled",
];
const PODS: &[&str] =
    &["pods", "namespace", "say", "state", "image", "reason", "path", "is", "count", "nodes", "covers", "without"];
const OBJECT: &[&str] = &["object", "namespace", "say", "exists", "path", "is", "contains", "found", "number"];
const OBJECTS: &[&str] = &["objects", "namespace", "say", "selector", "count"];
const EVENT: &[&str] = &["event", "say", "about", "says"];
const COMMAND: &[&str] = &["command", "say", "exit", "prints"];

/// Reads the items of a list of checks.
pub(super) fn read_items(list: &Field<'_>, faults: &mut Faults) -> Vec<Item> {
    let items = list.items(faults);
    items
        .iter()
        .filter_map(|field| {
            let say = field.get("say").and_then(|say| say.both(faults));
            Some(Item { check: read_check(field, faults)?, say })
        })
        .collect()
}

/// Reads one check.
pub(super) fn read_check(field: &Field<'_>, faults: &mut Faults) -> Option<Check> {
    let Some(kind) = CHECKS.iter().find(|kind| field.get(kind).is_some()) else {
        // A member that is nearly one of them is most likely what was meant.
        match field.value.as_object().and_then(|map| map.keys().next()) {
            Some(_) if field.mapping(CHECKS, faults).is_some_and(|map| !map.is_empty()) => {}
            _ => field.fault(faults, Fault::NoCheck(CHECKS)),
        }
        return None;
    };
    let what = field.get(kind)?;
    match *kind {
        "daemonset" => read_daemon_set(field, &what, faults),
        "pods" => read_pods(field, &what, faults).map(Check::Pods),
        "object" => read_object(field, &what, faults).map(Check::Object),
        "objects" => {
            field.mapping(OBJECTS, faults);
            let resource = what.read(Wanted::Kind, faults, |text| resource_by_name(&text.to_lowercase()))?;
            let selector = match field.get("selector") {
                Some(selector) => selector
                    .read(Wanted::Selector, faults, |text| Selector::parse(text).ok().map(|_| text.to_owned()))?,
                None => String::new(),
            };
            let count = field.require("count", faults)?;
            Some(Check::Objects {
                api_version: resource.api_version(),
                kind: resource.kind.to_owned(),
                namespace: namespace(field, faults),
                selector,
                count: amount(&count, faults)?,
            })
        }
        "event" => {
            field.mapping(EVENT, faults);
            let about = field.get("about").and_then(|about| {
                about.read(Wanted::KindAndName, faults, |text| {
                    let (kind, name) = text.split_once('/')?;
                    Some((resource_by_name(&kind.to_lowercase())?.kind.to_owned(), name.to_owned()))
                })
            });
            let says = field.get("says").and_then(|says| says.text(faults));
            Some(Check::Event { reason: what.text(faults)?, about, says })
        }
        "command" => {
            field.mapping(COMMAND, faults);
            let exit = field.get("exit").and_then(|exit| exit.number(faults));
            let prints = field.get("prints").and_then(|prints| prints.text(faults));
            let exit = exit.and_then(|code| i32::try_from(code).ok());
            Some(Check::Command { words: what.text(faults)?, exit, prints })
        }
        "all" => {
            field.mapping(&["all", "say"], faults);
            Some(Check::All(what.items(faults).iter().filter_map(|item| read_check(item, faults)).collect()))
        }
        "quiet" => {
            field.mapping(&["quiet", "say"], faults);
            what.boolean(faults).map(|quiet| if quiet { Check::Quiet } else { Check::Not(Box::new(Check::Quiet)) })
        }
        wrapper => {
            field.mapping(&["always", "once", "not", "say"], faults);
            let inner = Box::new(read_check(&what, faults)?);
            Some(match wrapper {
                "always" => Check::Always(inner),
                "once" => Check::Once(inner),
                _ => Check::Not(inner),
            })
        }
    }
}

fn namespace(field: &Field<'_>, faults: &mut Faults) -> String {
    field.get("namespace").and_then(|value| value.text(faults)).unwrap_or_else(|| "default".into())
}

fn amount(field: &Field<'_>, faults: &mut Faults) -> Option<Amount> {
    field.read(Wanted::Amount, faults, Amount::parse)
}

fn read_daemon_set(field: &Field<'_>, name: &Field<'_>, faults: &mut Faults) -> Option<Check> {
    field.mapping(DAEMON_SET, faults);
    let mut counters = Vec::new();
    for (counter, member) in Counter::ALL.into_iter().zip(Counter::NAMES) {
        if let Some(value) = field.get(member) {
            counters.extend(amount(&value, faults).map(|amount| (counter, amount)));
        }
    }
    let key = ObjectKey::new(namespace(field, faults).as_str(), name.text(faults)?.as_str());
    if counters.is_empty() {
        field.fault(faults, Fault::NoCheck(&Counter::NAMES));
    }
    Some(Check::DaemonSet { key, counters })
}

fn read_pods(field: &Field<'_>, selector: &Field<'_>, faults: &mut Faults) -> Option<PodTest> {
    field.mapping(PODS, faults);
    let selector =
        selector.read(Wanted::Selector, faults, |text| Selector::parse(text).ok().map(|_| text.to_owned()))?;
    let list = |name: &str, faults: &mut Faults| field.get(name).map(|nodes| nodes.texts(faults));
    let state = field.get("state").and_then(|state| state.one_of(&PodState::NAMES, faults));
    let path = field.get("path").and_then(|path| {
        let path = read_path(&path, faults)?;
        Some((path, field.require("is", faults)?.printed(faults)?))
    });
    let test = PodTest {
        namespace: namespace(field, faults),
        state: state.and_then(|index| PodState::ALL.get(index).copied()).unwrap_or_default(),
        image: field.get("image").and_then(|image| image.text(faults)),
        reasons: list("reason", faults).unwrap_or_default(),
        path,
        count: field.get("count").and_then(|count| amount(&count, faults)),
        nodes: list("nodes", faults),
        covers: list("covers", faults).unwrap_or_default(),
        without: list("without", faults).unwrap_or_default(),
        selector,
    };
    if test.count.is_none() && test.nodes.is_none() && test.covers.is_empty() && test.without.is_empty() {
        field.fault(faults, Fault::NoCheck(&["count", "nodes", "covers", "without"]));
    }
    Some(test)
}

fn read_path(field: &Field<'_>, faults: &mut Faults) -> Option<String> {
    field.read(Wanted::JsonPath, faults, |text| JsonPath::parse(text).ok().map(|_| text.to_owned()))
}

fn read_object(field: &Field<'_>, which: &Field<'_>, faults: &mut Faults) -> Option<ObjectTest> {
    field.mapping(OBJECT, faults);
    let (resource, name) = which.read(Wanted::KindAndName, faults, |text| {
        let (kind, name) = text.split_once('/')?;
        let resource: &Resource = resource_by_name(&kind.to_lowercase())?;
        (!name.is_empty()).then(|| (resource, name.to_owned()))
    })?;
    let key = if resource.is_namespaced() {
        ObjectKey::new(namespace(field, faults).as_str(), name.as_str())
    } else {
        ObjectKey::cluster(name.as_str())
    };
    let path = field.get("path").and_then(|path| read_path(&path, faults));
    let holds = match path {
        None => field.get("exists").and_then(|exists| exists.boolean(faults)).map(ObjectClaim::Exists),
        Some(path) => {
            if let Some(value) = field.get("is") {
                value.printed(faults).map(|wanted| ObjectClaim::Is(path, wanted))
            } else if let Some(value) = field.get("contains") {
                value.text(faults).map(|part| ObjectClaim::Contains(path, part))
            } else if let Some(value) = field.get("number") {
                amount(&value, faults).map(|amount| ObjectClaim::Number(path, amount))
            } else {
                field.get("found").and_then(|found| found.boolean(faults)).map(|found| ObjectClaim::Found(path, found))
            }
        }
    };
    if holds.is_none() {
        field.fault(faults, Fault::NoCheck(&["exists", "path", "is", "contains", "number", "found"]));
    }
    Some(ObjectTest { api_version: resource.api_version(), kind: resource.kind.to_owned(), key, holds: holds? })
}

/// Reads a question.
pub(super) fn read_question(field: &Field<'_>, faults: &mut Faults) -> Option<Question> {
    field.mapping(&["id", "ask", "choices", "because"], faults);
    let id = field.require("id", faults)?.text(faults)?;
    let ask = field.require("ask", faults)?.both(faults)?;
    let because = field.get("because").and_then(|because| because.both(faults)).unwrap_or_default();
    let listed = field.require("choices", faults)?;
    let choices = listed.items(faults);
    let choices = choices.iter().filter_map(|choice| {
        choice.mapping(&["say", "if"], faults);
        let say = choice.require("say", faults)?.both(faults)?;
        Some(Choice { say, holds: read_check(&choice.require("if", faults)?, faults)? })
    });
    Some(Question { id, ask, choices: choices.collect(), because })
}
