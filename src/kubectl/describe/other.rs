use super::Writer;
use crate::objects::*;
use serde_json::Value;

pub(super) fn priority_class(w: &mut Writer, class: &PriorityClass) {
    let annotations: Vec<String> =
        class.metadata.annotations.iter().map(|(key, value)| format!("{key}={value}")).collect();
    w.pair(0, "Name", &class.metadata.name);
    w.pair(0, "Value", class.value);
    w.pair(0, "GlobalDefault", class.global_default);
    w.pair(0, "PreemptionPolicy", class.preemption_policy.as_deref().unwrap_or("PreemptLowerPriority"));
    w.pair(0, "Description", &class.description);
    w.pair(0, "Annotations", super::or_none(&annotations.join(",")));
}

pub(super) fn namespace(w: &mut Writer, namespace: &Namespace) {
    w.pair(0, "Name", &namespace.metadata.name);
    w.labels("", "Labels", &namespace.metadata.labels);
    w.annotations("Annotations", &namespace.metadata.annotations);
    w.pair(0, "Status", &namespace.status.phase);
    w.line(0, "\nNo resource quota.\n\nNo LimitRange resource.");
}

pub(super) fn disruption_budget(w: &mut Writer, budget: &PodDisruptionBudget) {
    w.pair(0, "Name", &budget.metadata.name);
    w.pair(0, "Namespace", &budget.metadata.namespace);
    if let Some(least) = &budget.spec.min_available {
        w.pair(0, "Min available", least);
    } else if let Some(most) = &budget.spec.max_unavailable {
        w.pair(0, "Max unavailable", most);
    }
    match &budget.spec.selector {
        Some(selector) => w.pair(0, "Selector", selector),
        None => w.pair(0, "Selector", "<unset>"),
    }
    w.line(0, "Status:");
    w.pair(2, "Allowed disruptions", budget.status.disruptions_allowed);
    w.pair(2, "Current", budget.status.current_healthy);
    w.pair(2, "Desired", budget.status.desired_healthy);
    w.pair(2, "Total", budget.status.expected_pods);
}

pub(super) fn config_map(w: &mut Writer, config: &Unstructured) {
    heads(w, &config.metadata);
    w.line(0, "\nData\n====");
    for (key, value) in config.body.get("data").and_then(Value::as_object).into_iter().flatten() {
        w.line(0, format!("{key}:\n----\n{}\n", value.as_str().unwrap_or("")));
    }
    w.line(0, "\nBinaryData\n====");
    for (key, value) in config.body.get("binaryData").and_then(Value::as_object).into_iter().flatten() {
        w.line(0, format!("{key}: {} bytes", value.as_str().map_or(0, |text| text.len() / 4 * 3)));
    }
    w.line(0, "");
}

fn heads(w: &mut Writer, metadata: &ObjectMeta) {
    w.pair(0, "Name", &metadata.name);
    if !metadata.namespace.is_empty() {
        w.pair(0, "Namespace", &metadata.namespace);
    }
    w.labels("", "Labels", &metadata.labels);
    w.annotations("Annotations", &metadata.annotations);
}

/// Any other kind: every field under its name.
pub(super) fn any(w: &mut Writer, object: &Object) {
    heads(w, object.metadata());
    let tree = object.to_value();
    let hidden = ["labels", "annotations", "name", "namespace", "managedFields"];
    fields(w, 0, &tree, &hidden);
}

fn fields(w: &mut Writer, level: usize, tree: &Value, hidden: &[&str]) {
    for (key, value) in tree.as_object().into_iter().flatten() {
        if level == 1 && hidden.contains(&key.as_str()) {
            continue;
        }
        let title = title(key);
        match value {
            Value::Object(map) if map.is_empty() => w.line(level, format!("{title}:")),
            Value::Object(_) => {
                w.line(level, format!("{title}:"));
                fields(w, level + 1, value, hidden);
            }
            Value::Array(items) => {
                w.line(level, format!("{title}:"));
                for item in items {
                    match item {
                        Value::Object(_) => fields(w, level + 1, item, &[]),
                        other => w.line(level + 1, crate::kubectl::go_print(other)),
                    }
                }
            }
            other => w.pair(level, &title, crate::kubectl::go_print(other)),
        }
    }
}

/// `apiVersion` as `API Version`.
fn title(key: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for c in key.chars() {
        match words.last_mut() {
            Some(word) if !c.is_uppercase() => word.push(c),
            _ => words.push(c.to_uppercase().collect()),
        }
    }
    let words: Vec<String> = words
        .into_iter()
        .map(|word| match word.as_str() {
            "Api" => "API".into(),
            "Uid" => "UID".into(),
            _ => word,
        })
        .collect();
    words.join(" ")
}
