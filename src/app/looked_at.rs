//! What is looked at, as the options of a link: a name and a text for each thing that differs from a page that was just
//! opened. Names are never given another meaning; what a later version adds is ignored by this one.
//!
//! What belongs to the reader and not to the state stays out: language, theme, prices, the part of the page that a narrow
//! screen shows, and the lesson with its progress.

use crate::app::insight::{Field, Section};
use crate::app::message::{Counter, Inspect, Question, SideTab};
use crate::app::model::Model;
use crate::objects::ObjectKey;
use std::collections::BTreeMap;

/// Options by name, as [`crate::permalink::SharedState::view`] holds them.
pub type Options = BTreeMap<String, String>;

const COUNTERS: [(&str, Counter); 5] = [
    ("desired", Counter::Desired),
    ("current", Counter::Current),
    ("ready", Counter::Ready),
    ("up-to-date", Counter::UpToDate),
    ("available", Counter::Available),
];

const SECTIONS: [(&str, Section); 5] = [
    ("cost", Section::Cost),
    ("check", Section::Check),
    ("rollout", Section::Rollout),
    ("change", Section::Change),
    ("compare", Section::Compare),
];

const FIELDS: [(&str, Field); 5] = [
    ("insight-nodes", Field::Nodes),
    ("insight-cpu", Field::Cpu),
    ("insight-memory", Field::Memory),
    ("insight-budget", Field::Budget),
    ("insight-replicas", Field::Replicas),
];

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

fn named<T: Copy>(names: &[(&str, T)], name: Option<&String>) -> Option<T> {
    names.iter().find(|(known, _)| name.is_some_and(|name| name == known)).map(|(_, value)| *value)
}

fn text_of(key: &ObjectKey) -> String {
    format!("{}/{}", key.namespace, key.name)
}

fn key_in(text: &str) -> Option<ObjectKey> {
    text.split_once('/').map(|(namespace, name)| ObjectKey::new(namespace, name))
}

/// The options of what is looked at.
pub fn options(model: &Model) -> Options {
    let mut options = Options::new();
    // An empty text is what a page shows that was just opened.
    let mut put = |name: &str, text: &str| {
        if !text.is_empty() {
            options.insert(name.to_owned(), text.to_owned());
        }
    };
    put("filter", &model.filter);
    put("group", model.group.as_deref().unwrap_or_default());
    put("nodes", if model.as_table { "table" } else { "" });
    put("terminal", if model.terminal_open { "open" } else { "" });
    put("story", &model.story_filter);
    put("open-step", &model.open_step.map(|number| number.to_string()).unwrap_or_default());
    put("counter", model.counter.map_or("", |counter| name_of(&COUNTERS, &counter)));
    let first = model.views.fleet.sets.first().map(|set| set.object.metadata.key());
    put("set", &model.chosen.as_ref().filter(|key| first.as_ref() != Some(key)).map(text_of).unwrap_or_default());
    match &model.inspect {
        Some(Inspect::Node(node)) => put("node", node),
        Some(Inspect::Pod(key)) => put("pod", &text_of(key)),
        None => {}
    }
    match model.tab {
        SideTab::Story | SideTab::Lesson => {}
        tab => put("tab", tab.name()),
    }
    if let Some(question) = &model.question {
        put("why-set", &text_of(&question.set));
        put("why-node", &question.node);
    }
    let insight = &model.insight;
    put("insight", if insight.section == Section::Cost { "" } else { name_of(&SECTIONS, &insight.section) });
    put("insight-set", &insight.subject.as_ref().map(text_of).unwrap_or_default());
    put("insight-group", insight.label.as_deref().unwrap_or_default());
    put("insight-surge", if insight.typed.surge { "yes" } else { "" });
    let mut typed = insight.typed.clone();
    for (name, field) in FIELDS {
        put(name, typed.field(field));
    }
    options
}

/// Looks at what the options of a link say. Names and texts that mean nothing are left out.
pub fn look_at(model: &mut Model, options: &Options) {
    let text = |name: &str| options.get(name);
    let is = |name: &str, wanted: &str| text(name).is_some_and(|text| text == wanted);
    let key = |name: &str| text(name).and_then(|text| key_in(text));
    model.filter = text("filter").map_or("", String::as_str).into();
    model.group = text("group").map(|group| group.as_str().into());
    model.as_table = is("nodes", "table");
    model.terminal_open = is("terminal", "open");
    model.story_filter = text("story").map_or("", String::as_str).into();
    model.open_step = text("open-step").and_then(|number| number.parse().ok());
    model.counter = named(&COUNTERS, text("counter"));
    if let Some(set) = key("set") {
        model.chosen = Some(set);
    }
    let node = text("node").map(|node| Inspect::Node(node.as_str().into()));
    model.inspect = node.or_else(|| key("pod").map(Inspect::Pod));
    let tabs = SideTab::SHOWN.iter().copied().filter(|tab| *tab != SideTab::Lesson);
    model.tab = tabs.into_iter().find(|tab| is("tab", tab.name())).unwrap_or_default();
    model.question = match (key("why-set"), text("why-node")) {
        (Some(set), Some(node)) => Some(Question { set, node: node.as_str().into() }),
        _ => None,
    };
    let insight = &mut model.insight;
    insight.section = named(&SECTIONS, text("insight")).unwrap_or_default();
    insight.subject = key("insight-set");
    insight.label = text("insight-group").cloned();
    insight.typed.surge = is("insight-surge", "yes");
    for (name, field) in FIELDS {
        *insight.typed.field(field) = text(name).cloned().unwrap_or_default();
    }
    model.refresh();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::insight::InsightMsg;
    use crate::app::message::Msg;
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;

    fn running() -> Model {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Step);
        while model.session.step() {}
        model.refresh();
        model
    }

    fn after(messages: Vec<Msg>) -> Model {
        let mut model = running();
        for message in messages {
            update(&mut model, message);
        }
        model
    }

    #[test]
    fn what_was_just_opened_needs_no_option() {
        assert_eq!(options(&running()), Options::new());
        let mut model = running();
        look_at(&mut model, &Options::new());
        assert_eq!(options(&model), Options::new());
    }

    #[test]
    fn every_option_comes_back() {
        let exporter = ObjectKey::new("default", "node-exporter");
        let question = Question { set: exporter.clone(), node: "control-plane".into() };
        let pod = running().views.cards[1].places[0].pods[0].key.clone();
        for (messages, told) in [
            (vec![Msg::Filter("role=worker is:empty".into())], "filter=role=worker is:empty"),
            (vec![Msg::GroupBy(Some("kubernetes.io/os".into()))], "group=kubernetes.io/os"),
            (vec![Msg::ShowTable(true)], "nodes=table"),
            (vec![Msg::ToggleTerminal], "terminal=open"),
            (vec![Msg::FilterStory("worker1".into())], "story=worker1"),
            (vec![Msg::ToggleStep(3)], "open-step=3"),
            (vec![Msg::ShowCounter(Some(Counter::UpToDate))], "counter=up-to-date"),
            (vec![Msg::Inspect(Inspect::Node("worker2".into()))], "node=worker2"),
            (vec![Msg::Inspect(Inspect::Pod(pod.clone()))], &*format!("pod=default/{}", pod.name)),
            (vec![Msg::ShowTab(SideTab::Events)], "tab=events"),
            (vec![Msg::Ask(question)], "tab=why why-node=control-plane why-set=default/node-exporter"),
            (
                vec![
                    Msg::ShowTab(SideTab::Insight),
                    Msg::Insight(InsightMsg::Show(Section::Rollout)),
                    Msg::Insight(InsightMsg::Subject(exporter)),
                    Msg::Insight(InsightMsg::Type(Field::Nodes, "200".into())),
                    Msg::Insight(InsightMsg::Type(Field::Budget, "10%".into())),
                    Msg::Insight(InsightMsg::GroupBy(Some("zone".into()))),
                    Msg::Insight(InsightMsg::Surge(true)),
                ],
                "insight=rollout insight-budget=10% insight-group=zone insight-nodes=200 insight-set=default/node-exporter \
                 insight-surge=yes tab=insight",
            ),
        ] {
            let from = after(messages);
            let given = options(&from);
            let shown: Vec<String> = given.iter().map(|(name, text)| format!("{name}={text}")).collect();
            assert_eq!(shown.join(" "), told);
            let mut to = running();
            look_at(&mut to, &given);
            assert_eq!(options(&to), given);
            assert_eq!((to.tab, &to.inspect, &to.question), (from.tab, &from.inspect, &from.question), "{told}");
            assert_eq!(format!("{:?}", to.views.detail), format!("{:?}", from.views.detail), "{told}");
            assert_eq!(format!("{:?}", to.views.why), format!("{:?}", from.views.why), "{told}");
            assert_eq!(format!("{:?}", to.views.insight), format!("{:?}", from.views.insight), "{told}");
        }
    }

    #[test]
    fn a_second_daemonset_stays_the_one_that_is_looked_at() {
        let mut from = running();
        let set = "kubectl create -f z.yaml";
        let text = include_str!("../../www/examples/node-exporter.yaml").replace("node-exporter", "z-agent");
        from.session.run(set, &[("z.yaml".to_string(), text)].into());
        while from.session.step() {}
        from.refresh();
        assert_eq!(options(&from), Options::new());
        let second = from.views.sets[1].0.clone();
        update(&mut from, Msg::ChooseSet(second.clone()));
        let given = options(&from);
        assert_eq!(given.get("set"), Some(&text_of(&second)));
        let mut to = Model::with(from.session.clone(), from.files.clone(), Settings::default(), Language::En);
        look_at(&mut to, &given);
        assert_eq!(to.views.head.as_ref().map(|head| &head.key), Some(&second));
    }

    #[test]
    fn what_means_nothing_is_left_out() {
        let mut model = running();
        let odd = ["tab", "counter", "set", "pod", "open-step", "insight", "why-set", "nodes", "mood"];
        look_at(&mut model, &odd.map(|name| (name.to_owned(), "🦔".to_owned())).into());
        assert_eq!(options(&model), Options::new());
        look_at(&mut model, &[("set".to_owned(), "no/such".to_owned())].into());
        assert_eq!(options(&model), Options::new());
    }
}
