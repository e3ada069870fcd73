//! The state and its story as Markdown, to be put into a ticket, a review or a lesson.

use crate::app::model::Model;
use crate::app::text::{count, time};
use std::fmt::Write;

/// Most steps of the story that are told.
const STEPS: usize = 400;

/// The report at the present position, in the page's language.
pub fn report(model: &Model) -> String {
    let (views, words, language) = (&model.views, model.words(), model.language());
    let at = |ms: u64| time(language, i64::try_from(ms).unwrap_or(i64::MAX));
    let mut text = format!("# {}\n\n", views.head.as_ref().map_or("DaemonSet Playground", |head| &*head.key.name));
    let nodes = count(language, views.cards.len(), words.node_one, words.node_many);
    let _ = writeln!(text, "{} · {nodes} · Kubernetes v1.36\n", at(model.session.world().now_ms()));
    if let Some(head) = &views.head {
        let names: Vec<&str> = head.counters.iter().map(|counter| words.counter(counter.counter)).collect();
        let values: Vec<String> = head.counters.iter().map(|counter| counter.value.to_string()).collect();
        let _ = writeln!(text, "| {} |\n|{}|", names.join(" | "), "---:|".repeat(names.len()).trim_end_matches('|'));
        let _ = writeln!(text, "| {} |\n", values.join(" | "));
        for (container, image) in &head.containers {
            let _ = writeln!(text, "- {container}: `{image}`");
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "## {}\n\n| {} | {} | {} |\n|---|---|---|",
        words.nodes, words.node, words.labels_and_taints, words.fact_pods
    );
    for card in views.cards.iter() {
        let taints = card.taints.iter().map(|taint| format!("`{}`", taint.text()));
        let labels = card.labels.iter().filter(|label| !label.usual).map(|l| format!("`{}={}`", l.key, l.value));
        let chips: Vec<String> = taints.chain(labels).collect();
        let place = views.head.as_ref().and_then(|head| card.places.iter().find(|place| place.set == head.key));
        let pods = match place {
            None => String::new(),
            Some(place) if place.pods.is_empty() => {
                place.absence.as_ref().map(|absence| words.absence(absence).to_string()).unwrap_or_default()
            }
            Some(place) => {
                let lines: Vec<String> = place.pods.iter().map(|pod| words.pod_line(pod).to_string()).collect();
                lines.join("; ")
            }
        };
        let _ = writeln!(text, "| {} | {} | {} |", card.name, cell(&chips.join(" ")), cell(&pods));
    }
    let position = model.session.position();
    let from = position.saturating_sub(STEPS);
    let _ = writeln!(text, "\n## {}\n", words.story);
    if from > 0 {
        let _ = writeln!(text, "…\n");
    }
    for number in from + 1..=position {
        let Some(step) = model.session.step_number(number) else { continue };
        let entry = words.story_entry(step);
        let _ = write!(text, "{number}. {}: {}", at(entry.at_ms), entry.text);
        if let Some(command) = &entry.command {
            let _ = write!(text, ": `{command}`");
        }
        if !entry.because.0.is_empty() {
            let _ = write!(text, " ({})", entry.because);
        }
        text.push('\n');
    }
    text
}

/// What does not end a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::message::Msg;
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;

    #[test]
    fn a_report_has_the_counters_the_nodes_and_the_story() {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Apply);
        while model.session.step() {}
        model.refresh();
        let text = report(&model);
        assert!(text.starts_with("# node-exporter\n"));
        assert!(text.contains(
            "| desired | current | ready | up-to-date | available |\n|---:|---:|---:|---:|---:|\n| 3 | 3 | 3 | 3 | 3 |"
        ));
        assert!(text.contains("| control-plane | `node-role.kubernetes.io/control-plane:NoSchedule` | Taint control-plane is not tolerated |"));
        assert!(text.contains("1. 0.0 s: You applied a manifest: `kubectl apply -f node-exporter.yaml`"));
        assert!(text.contains("Scheduler bound"));
    }
}
