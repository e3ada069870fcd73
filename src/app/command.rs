//! The command line that each click stands for. Whatever a person changes goes through one of these.

use crate::app::message::Fate;
use crate::app::view::{LabelChip, TaintChip};
use crate::kubectl::shell::quote;
use crate::kubelet::{Behaviour, BehaviourMatch, Behaviours, Outcome};
use crate::objects::{NO_EXECUTE, NO_SCHEDULE, ObjectKey, PREFER_NO_SCHEDULE};
use serde_json::json;
use std::rc::Rc;

/// ` -n NAMESPACE`, or nothing for the default namespace.
fn in_namespace(namespace: &str) -> String {
    if namespace.is_empty() || namespace == "default" { String::new() } else { format!(" -n {}", quote(namespace)) }
}

/// `kubectl apply -f FILE`
pub fn apply(file: &str) -> String {
    format!("kubectl apply -f {}", quote(file))
}

/// What a person can write into a node's row of chips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChipText {
    /// `key=value` or `key`
    Label {
        /// The key.
        key: String,
        /// The value; may be empty.
        value: String,
    },
    /// `key[=value]:Effect`
    Taint {
        /// The key.
        key: String,
        /// The value; may be empty.
        value: String,
        /// The effect, in Kubernetes' spelling.
        effect: &'static str,
    },
}

impl ChipText {
    /// Reads what was written. Effects are taken in any case, and by their beginning as long as it is clear; a text
    /// with a colon is a taint. `None`: neither.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.contains(char::is_whitespace) {
            return None;
        }
        let Some((pair, effect)) = text.rsplit_once(':') else {
            let (key, value) = text.split_once('=').unwrap_or((text, ""));
            return (!key.is_empty()).then(|| Self::Label { key: key.into(), value: value.into() });
        };
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let effect = effect.to_ascii_lowercase();
        let effects = [NO_SCHEDULE, NO_EXECUTE, PREFER_NO_SCHEDULE];
        let mut fitting = effects.into_iter().filter(|known| known.to_ascii_lowercase().starts_with(&effect));
        match (fitting.next(), fitting.next()) {
            (Some(effect), None) if !key.is_empty() => {
                Some(Self::Taint { key: key.into(), value: value.into(), effect })
            }
            _ => None,
        }
    }
}

/// Adds what was written to a node.
pub fn add_chip(node: &str, chip: &ChipText) -> String {
    let node = quote(node);
    match chip {
        ChipText::Label { key, value } => format!("kubectl label nodes {node} {}", quote(&format!("{key}={value}"))),
        ChipText::Taint { key, value, effect } => {
            format!("kubectl taint nodes {node} {}", quote(&taint_text(key, value, effect)))
        }
    }
}

fn taint_text(key: &str, value: &str, effect: &str) -> String {
    if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
}

/// Takes a label off a node.
pub fn remove_label(node: &str, label: &LabelChip) -> String {
    format!("kubectl label nodes {} {}-", quote(node), quote(&label.key))
}

/// Takes a taint off a node.
pub fn remove_taint(node: &str, taint: &TaintChip) -> String {
    format!("kubectl taint nodes {} {}:{}-", quote(node), quote(&taint.key), taint.effect)
}

/// Makes something else of a label; `None` when nothing changes.
pub fn change_label(node: &str, from: &LabelChip, to: &ChipText) -> Option<String> {
    match to {
        ChipText::Label { key, value } if *key == from.key && *value == from.value => None,
        ChipText::Label { key, value } if *key == from.key => {
            Some(format!("kubectl label nodes {} {} --overwrite", quote(node), quote(&format!("{key}={value}"))))
        }
        ChipText::Label { key, value } => Some(format!(
            "kubectl label nodes {} {}- {}",
            quote(node),
            quote(&from.key),
            quote(&format!("{key}={value}"))
        )),
        ChipText::Taint { .. } => Some(format!("{} && {}", remove_label(node, from), add_chip(node, to))),
    }
}

/// Makes something else of a taint; `None` when nothing changes.
pub fn change_taint(node: &str, from: &TaintChip, to: &ChipText) -> Option<String> {
    match to {
        ChipText::Taint { key, value, effect } if *key == from.key && *effect == from.effect => {
            let text = quote(&taint_text(key, value, effect));
            (*value != from.value).then(|| format!("kubectl taint nodes {} {text} --overwrite", quote(node)))
        }
        ChipText::Taint { key, value, effect } => Some(format!(
            "kubectl taint nodes {} {}:{}- {}",
            quote(node),
            quote(&from.key),
            from.effect,
            quote(&taint_text(key, value, effect))
        )),
        ChipText::Label { .. } => Some(format!("{} && {}", remove_taint(node, from), add_chip(node, to))),
    }
}

/// Closes a node for new pods, or opens it again.
pub fn cordon(node: &str, on: bool) -> String {
    format!("kubectl {} {}", if on { "cordon" } else { "uncordon" }, quote(node))
}

/// Moves the pods off a node; DaemonSet pods stay.
pub fn drain(node: &str) -> String {
    format!("kubectl drain {} --ignore-daemonsets", quote(node))
}

/// Takes a node out of the cluster.
pub fn delete_node(node: &str) -> String {
    format!("kubectl delete node {}", quote(node))
}

/// Cuts a node's power, or gives it back.
pub fn power(node: &str, on: bool) -> String {
    format!("sim {} {}", if on { "power-on" } else { "power-off" }, quote(node))
}

/// Adds nodes of a template.
pub fn add_nodes(stem: &str, template: &str, count: usize) -> String {
    let count = if count == 1 { String::new() } else { format!(" --count {count}") };
    format!("sim add-node {} --template {}{count}", quote(stem), quote(template))
}

/// Adds nodes of a template under names that are free: one gets the next number, many are numbered by `sim`.
pub fn add_nodes_named(present: &[&str], template: &str, count: usize) -> String {
    let numbers = present.iter().filter_map(|name| name.strip_prefix(template)?.parse::<usize>().ok());
    let next = numbers.max().unwrap_or(0).saturating_add(1);
    let stem = if count == 1 { format!("{template}{next}") } else { template.to_string() };
    add_nodes(&stem, template, count)
}

/// Deletes a pod.
pub fn delete_pod(key: &ObjectKey) -> String {
    format!("kubectl delete pod {}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Shows a pod as `kubectl describe` does.
pub fn describe_pod(key: &ObjectKey) -> String {
    format!("kubectl describe pod {}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Shows a node as `kubectl describe` does.
pub fn describe_node(node: &str) -> String {
    format!("kubectl describe node {}", quote(node))
}

/// Deletes a DaemonSet and, after it, its pods.
pub fn delete_daemon_set(key: &ObjectKey) -> String {
    format!("kubectl delete daemonset {}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Gives a container another image.
pub fn set_image(key: &ObjectKey, container: &str, image: &str) -> String {
    let assignment = quote(&format!("{container}={image}"));
    format!("kubectl set image daemonset/{} {assignment}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Gives a DaemonSet another strategy: maxUnavailable and maxSurge of a rolling update, or OnDelete.
pub fn set_strategy(key: &ObjectKey, rolling: Option<(&str, &str)>, min_ready_seconds: i32) -> String {
    let number = |text: &str| match text.trim().parse::<u32>() {
        Ok(number) => json!(number),
        Err(_) => json!(text.trim()),
    };
    let strategy = match rolling {
        Some((unavailable, surge)) => {
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": number(unavailable), "maxSurge": number(surge)}})
        }
        None => json!({"type": "OnDelete", "rollingUpdate": null}),
    };
    let patch = json!({"spec": {"minReadySeconds": min_ready_seconds, "updateStrategy": strategy}});
    let (name, namespace) = (quote(&key.name), in_namespace(&key.namespace));
    format!("kubectl patch daemonset {name}{namespace} -p {}", quote(&patch.to_string()))
}

/// Says what becomes of an image where it runs, before the rules that hold; `None`: nothing need be said.
pub fn fate(rules: &Behaviours, image: &str, fate: Fate) -> Option<String> {
    let is_of_image = |rule: &&Rc<Behaviour>| rule.selects.image.as_deref() == Some(image);
    let outcome = match fate {
        Fate::Runs if rules.0.iter().any(|rule| is_of_image(&rule)) => None,
        Fate::Runs => return None,
        Fate::CannotPull => Some(Outcome::ImagePull { backing_off: false }),
        Fate::Crashes => Some(Outcome::Crash { exit_code: 1, after_ms: 1000, times: None }),
        Fate::NeverReady => Some(Outcome::NeverReady),
    };
    let new = outcome.map(|outcome| Behaviour {
        selects: BehaviourMatch { image: Some(image.into()), ..BehaviourMatch::default() },
        outcome,
        ..Behaviour::default()
    });
    let others = rules.0.iter().filter(|rule| !is_of_image(rule)).map(|rule| (**rule).clone());
    let all = Behaviours::new(new.into_iter().chain(others));
    Some(format!("sim behaviour {}", quote(&serde_json::to_string(&all).ok()?)))
}

/// Makes all pods anew from the same template.
pub fn restart(key: &ObjectKey) -> String {
    format!("kubectl rollout restart daemonset/{}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Goes back to the revision before.
pub fn undo(key: &ObjectKey) -> String {
    format!("kubectl rollout undo daemonset/{}{}", quote(&key.name), in_namespace(&key.namespace))
}

/// Lists the revisions.
pub fn history(key: &ObjectKey) -> String {
    format!("kubectl rollout history daemonset/{}{}", quote(&key.name), in_namespace(&key.namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_is_a_patch() {
        let key = ObjectKey::new("default", "agent");
        assert_eq!(
            set_strategy(&key, Some(("0", "10%")), 5),
            r#"kubectl patch daemonset agent -p '{"spec":{"minReadySeconds":5,"updateStrategy":{"rollingUpdate":{"maxSurge":"10%","maxUnavailable":0},"type":"RollingUpdate"}}}'"#
        );
        assert!(set_strategy(&key, None, 0).contains(r#""rollingUpdate":null,"type":"OnDelete""#));
    }

    #[test]
    fn the_fate_of_an_image_comes_before_the_rules_that_hold_and_can_be_lifted() {
        let none = Behaviours::default();
        assert_eq!(fate(&none, "a:v2", Fate::Runs), None);
        let line = fate(&none, "a:v2", Fate::CannotPull).unwrap();
        let text = line.strip_prefix("sim behaviour '").unwrap().strip_suffix('\'').unwrap();
        let rules: Behaviours = serde_yaml::from_str(text).unwrap();
        assert_eq!(rules.0[0].selects.image.as_deref(), Some("a:v2"));
        assert_eq!(fate(&rules, "a:v2", Fate::Runs).unwrap(), "sim behaviour '[]'");
    }

    fn label(key: &str, value: &str) -> LabelChip {
        LabelChip { key: key.into(), value: value.into(), usual: false }
    }

    fn taint(key: &str, value: &str, effect: &str) -> TaintChip {
        TaintChip { key: key.into(), value: value.into(), effect: effect.into(), automatic: false }
    }

    fn chip(text: &str) -> ChipText {
        ChipText::parse(text).unwrap()
    }

    #[test]
    fn a_colon_makes_a_taint() {
        assert_eq!(chip("pool=gpu"), ChipText::Label { key: "pool".into(), value: "gpu".into() });
        assert_eq!(chip(" monitoring "), ChipText::Label { key: "monitoring".into(), value: String::new() });
        assert_eq!(chip("a=b:NoSchedule"), ChipText::Taint { key: "a".into(), value: "b".into(), effect: NO_SCHEDULE });
        assert_eq!(chip("a:noex"), ChipText::Taint { key: "a".into(), value: String::new(), effect: NO_EXECUTE });
        for wrong in ["", "=x", ":NoSchedule", "a:No", "a:Never", "two words"] {
            assert_eq!(ChipText::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn chips_become_label_and_taint_commands() {
        assert_eq!(add_chip("worker1", &chip("monitoring=enabled")), "kubectl label nodes worker1 monitoring=enabled");
        assert_eq!(add_chip("w", &chip("a=b:NoExecute")), "kubectl taint nodes w a=b:NoExecute");
        assert_eq!(remove_label("w", &label("pool", "x")), "kubectl label nodes w pool-");
        assert_eq!(remove_taint("w", &taint("a", "b", NO_SCHEDULE)), "kubectl taint nodes w a:NoSchedule-");
    }

    #[test]
    fn a_changed_chip_overwrites_or_replaces() {
        let from = label("pool", "x");
        assert_eq!(change_label("w", &from, &chip("pool=x")), None);
        assert_eq!(change_label("w", &from, &chip("pool=y")).unwrap(), "kubectl label nodes w pool=y --overwrite");
        assert_eq!(change_label("w", &from, &chip("tier=y")).unwrap(), "kubectl label nodes w pool- tier=y");
        let from = taint("a", "", NO_SCHEDULE);
        assert_eq!(change_taint("w", &from, &chip("a:NoSchedule")), None);
        assert_eq!(
            change_taint("w", &from, &chip("a=1:NoSchedule")).unwrap(),
            "kubectl taint nodes w a=1:NoSchedule --overwrite"
        );
        assert_eq!(
            change_taint("w", &from, &chip("a:NoExecute")).unwrap(),
            "kubectl taint nodes w a:NoSchedule- a:NoExecute"
        );
    }

    #[test]
    fn only_other_namespaces_are_named_and_odd_words_are_quoted() {
        assert_eq!(delete_pod(&ObjectKey::new("default", "a-1")), "kubectl delete pod a-1");
        assert_eq!(
            set_image(&ObjectKey::new("logging", "fluent-bit"), "fluent-bit", "fluent/fluent-bit:3.2"),
            "kubectl set image daemonset/fluent-bit fluent-bit=fluent/fluent-bit:3.2 -n logging"
        );
        assert_eq!(apply("my file's.yaml"), r"kubectl apply -f 'my file'\''s.yaml'");
        assert_eq!(
            add_nodes_named(&["worker1", "worker12", "cp"], "worker", 1),
            "sim add-node worker13 --template worker"
        );
        assert_eq!(add_nodes("gpu", "gpu", 3), "sim add-node gpu --template gpu --count 3");
    }
}
