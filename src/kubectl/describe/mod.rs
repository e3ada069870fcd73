//! `kubectl describe`: everything about an object, for reading.
//!
//! Follows kubernetes kubectl pkg/describe/describe.go, v1.36. Cells are separated by tabs and aligned at the end.

mod containers;
mod events;
mod node;
mod other;
mod pod;
mod service;
mod volumes;
mod workloads;

use super::tabwriter;
use crate::apiserver::ApiServer;
use crate::objects::*;
use crate::order::Order;
use std::collections::BTreeMap;

/// Annotation values longer than this get lines of their own.
const MAX_ANNOTATION: usize = 140;

/// The text so far.
#[derive(Default)]
struct Writer {
    out: String,
}

impl Writer {
    /// Writes text at a level of indentation (two spaces each).
    fn write(&mut self, level: usize, text: impl AsRef<str>) {
        self.out.extend(std::iter::repeat_n("  ", level));
        self.out.push_str(text.as_ref());
    }

    /// Writes a line at a level of indentation.
    fn line(&mut self, level: usize, text: impl AsRef<str>) {
        self.write(level, text);
        self.out.push('\n');
    }

    /// `Title:  value`
    fn pair(&mut self, level: usize, title: &str, value: impl std::fmt::Display) {
        self.line(level, format!("{title}:\t{value}"));
    }

    /// A title with one value on each line; `<none>` without any.
    fn lines(&mut self, indent: &str, title: &str, values: &[String]) {
        self.write(0, format!("{indent}{title}:\t"));
        if values.is_empty() {
            self.line(0, "<none>");
        }
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.write(0, format!("{indent}\t"));
            }
            self.line(0, value);
        }
    }

    fn labels(&mut self, indent: &str, title: &str, labels: &BTreeMap<String, String>) {
        let values: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        self.lines(indent, title, &values);
    }

    fn annotations(&mut self, title: &str, annotations: &BTreeMap<String, String>) {
        self.write(0, format!("{title}:\t"));
        let mut first = true;
        for (key, value) in annotations.iter().filter(|(key, _)| *key != LAST_APPLIED) {
            if !first {
                self.write(0, "\t");
            }
            first = false;
            let value = value.strip_suffix('\n').unwrap_or(value);
            if value.len() + key.len() + 2 > MAX_ANNOTATION || value.contains('\n') {
                self.line(0, format!("{key}:"));
                for line in value.split('\n') {
                    self.line(0, format!("\t  {}", shorten(line, MAX_ANNOTATION - 2)));
                }
            } else {
                self.line(0, format!("{key}: {value}"));
            }
        }
        if first {
            self.line(0, "<none>");
        }
    }

    fn tolerations(&mut self, indent: &str, tolerations: &[Toleration]) {
        let mut sorted: Vec<&Toleration> = tolerations.iter().collect();
        sorted.order_by(|a, b| a.key.cmp(&b.key));
        let values: Vec<String> = sorted
            .into_iter()
            .map(|toleration| {
                let mut text = toleration.key.clone();
                if !toleration.value.is_empty() {
                    text.push_str(&format!("={}", toleration.value));
                }
                if !toleration.effect.is_empty() {
                    text.push_str(&format!(":{}", toleration.effect));
                }
                if toleration.operator == "Exists" && toleration.value.is_empty() {
                    // One that tolerates everything has nothing in front.
                    text.push_str(if text.is_empty() { "op=Exists" } else { " op=Exists" });
                }
                if let Some(seconds) = toleration.toleration_seconds {
                    text.push_str(&format!(" for {seconds}s"));
                }
                text
            })
            .collect();
        self.lines(indent, "Tolerations", &values);
    }

    /// The aligned text.
    fn finish(self) -> String {
        tabwriter::align(&self.out, tabwriter::DESCRIBE)
    }
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most).collect::<String>() + "..."
}

/// Describes an object.
pub(crate) fn describe(api: &ApiServer, object: &Object, show_events: bool) -> String {
    let mut w = Writer::default();
    let events = show_events.then(|| events::about(api, object));
    match object {
        Object::Pod(pod) => pod::describe(&mut w, pod, api.now()),
        Object::Node(node) => node::describe(&mut w, api, node),
        Object::DaemonSet(set) => workloads::daemon_set(&mut w, api, set),
        Object::Deployment(deployment) => workloads::deployment(&mut w, api, deployment),
        Object::ReplicaSet(set) => workloads::replica_set(&mut w, api, set),
        Object::PriorityClass(class) => other::priority_class(&mut w, class),
        Object::Namespace(namespace) => {
            other::namespace(&mut w, api, namespace);
            return w.finish();
        }
        Object::PodDisruptionBudget(budget) => other::disruption_budget(&mut w, budget),
        Object::Unstructured(config) if config.kind == "ConfigMap" => other::config_map(&mut w, config),
        Object::Unstructured(service) if service.kind == "Service" => service::service(&mut w, api, service),
        Object::Unstructured(account) if account.kind == "ServiceAccount" => service::service_account(&mut w, account),
        Object::Unstructured(quota) if quota.kind == "ResourceQuota" => {
            other::quota(&mut w, quota);
            return w.finish();
        }
        Object::Unstructured(secret) if secret.kind == "Secret" => {
            other::secret(&mut w, secret);
            return w.finish();
        }
        _ => other::any(&mut w, object),
    }
    if let Some(events) = events {
        events::describe(&mut w, &events, api.now());
    }
    w.finish()
}

/// A pod template, with tabs: `rollout history --revision` prints it as it is.
pub(crate) fn pod_template(template: &PodTemplateSpec) -> String {
    let mut w = Writer::default();
    containers::template(&mut w, template);
    w.out
}

/// `<none>` for nothing.
fn or_none(text: &str) -> &str {
    if text.is_empty() { "<none>" } else { text }
}

/// `DaemonSet/x`
fn controlled_by(metadata: &ObjectMeta) -> Option<String> {
    metadata.controller().map(|owner| format!("{}/{}", owner.kind, owner.name))
}
