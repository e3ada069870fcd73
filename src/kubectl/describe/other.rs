use super::Writer;
use crate::apiserver::ApiServer;
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

pub(super) fn namespace(w: &mut Writer, api: &ApiServer, namespace: &Namespace) {
    w.pair(0, "Name", &namespace.metadata.name);
    w.labels("", "Labels", &namespace.metadata.labels);
    w.annotations("Annotations", &namespace.metadata.annotations);
    w.pair(0, "Status", &namespace.status.phase);
    let quotas: Vec<_> = api
        .store()
        .all_unstructured()
        .filter(|object| object.kind == "ResourceQuota" && object.metadata.namespace == namespace.metadata.name)
        .collect();
    if quotas.is_empty() {
        w.line(0, "\nNo resource quota.");
    } else {
        w.line(0, "\nResource Quotas");
        for quota in quotas {
            w.pair(1, "Name", &quota.metadata.name);
            w.line(1, "Resource\tUsed\tHard");
            w.line(1, "--------\t---\t---");
            amounts(w, quota, 1);
        }
    }
    w.line(0, "\nNo LimitRange resource.");
}

pub(super) fn quota(w: &mut Writer, quota: &Unstructured) {
    w.pair(0, "Name", &quota.metadata.name);
    w.pair(0, "Namespace", &quota.metadata.namespace);
    w.line(0, "Resource\tUsed\tHard");
    w.line(0, "--------\t----\t----");
    amounts(w, quota, 0);
}

/// What a quota allows and what is used of it.
fn amounts(w: &mut Writer, quota: &Unstructured, level: usize) {
    let list = |part: &str, name: &str| quota.body.get(part).and_then(|part| part.get(name)).and_then(Value::as_object);
    let hard = list("status", "hard").or_else(|| list("spec", "hard"));
    for (resource, most) in hard.into_iter().flatten() {
        let used = list("status", "used").and_then(|used| used.get(resource));
        let used = used.map_or_else(|| "0".into(), crate::kubectl::go_print);
        w.line(level, format!("{resource}\t{used}\t{}", crate::kubectl::go_print(most)));
    }
}

pub(super) fn secret(w: &mut Writer, secret: &Unstructured) {
    heads(w, &secret.metadata);
    let kind = secret.body.get("type").and_then(Value::as_str).unwrap_or("Opaque");
    w.line(0, format!("\nType:\t{kind}\n\nData\n===="));
    for (key, value) in secret.body.get("data").and_then(Value::as_object).into_iter().flatten() {
        let text = value.as_str().unwrap_or("");
        let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
        w.line(0, format!("{key}:\t{} bytes", (text.len() / 4 * 3).saturating_sub(padding)));
    }
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

pub(super) fn heads(w: &mut Writer, metadata: &ObjectMeta) {
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
    fields(w, 0, &tree, &[]);
}

/// Members of the metadata that are not told, or already.
const IN_HEAD: &[&str] = &["labels", "annotations", "name", "namespace", "managedFields"];

fn fields(w: &mut Writer, level: usize, tree: &Value, hidden: &[&str]) {
    for (key, value) in tree.as_object().into_iter().flatten() {
        if hidden.contains(&key.as_str()) {
            continue;
        }
        // Only of the metadata something stands above already.
        let hidden = if level == 0 && key == "metadata" { IN_HEAD } else { &[] };
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
