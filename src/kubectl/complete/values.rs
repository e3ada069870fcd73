//! What the arguments of each command are, and the values of flags.

use super::Completer;

/// Which types a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeRule {
    /// Any.
    Any,
    /// Those with rollouts.
    Rollouts,
    /// Those with a scale.
    Scalable,
    /// Those with a pod template.
    Templates,
    /// Nodes.
    Nodes,
}

/// What stands at a place of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot<'w> {
    None,
    /// A command of kubectl.
    Commands,
    /// One of these.
    Words(&'static str),
    /// A type, or `TYPE/NAME`.
    Types(TypeRule),
    /// A name of this type.
    Names(&'w str),
    /// A key of a label, annotation or taint of this type, with these endings.
    Keys(&'w str, &'static [&'static str]),
    /// A container of an object, with this ending.
    Containers(&'w str, &'w str, &'static str),
    /// A field of a type.
    Fields,
}

/// What the next argument of a command is.
pub(super) fn slot_of<'w>(command: &str, arguments: &[&'w str]) -> Slot<'w> {
    let first = arguments.first().copied();
    let pairs = first.is_some_and(|first| first.contains('/'));
    let (kind, name) = match first {
        Some(first) => first.split_once('/').unwrap_or((first, arguments.get(1).copied().unwrap_or(""))),
        None => ("", ""),
    };
    // Arguments before the ones that are neither type nor name.
    let named = if pairs { 1 } else { 2 };
    let by_type = |rule| match first {
        Some(_) if !pairs => Slot::Names(kind),
        _ => Slot::Types(rule),
    };
    match command {
        "get" | "describe" | "delete" | "edit" | "patch" | "wait" | "expose" | "apply view-last-applied" => {
            by_type(TypeRule::Any)
        }
        "scale" | "autoscale" => by_type(TypeRule::Scalable),
        "set env" | "set resources" => by_type(TypeRule::Templates),
        "label" if arguments.len() >= named => Slot::Keys(kind, &["=", "-"]),
        "annotate" if arguments.len() >= named => Slot::Keys(kind, &["=", "-"]),
        "label" | "annotate" => by_type(TypeRule::Any),
        "taint" if arguments.len() >= named => Slot::Keys("taint", &["=", "-"]),
        "taint" => by_type(TypeRule::Nodes),
        "set image" if arguments.len() >= named => Slot::Containers(kind, name, "="),
        "set image" => by_type(TypeRule::Templates),
        "cordon" | "uncordon" | "drain" | "top node" => Slot::Names("nodes"),
        "logs" | "exec" | "top pod" if first.is_none() => Slot::Names("pods"),
        "explain" if first.is_none() => Slot::Fields,
        "auth can-i" => match arguments.len() {
            0 => Slot::Words("get list watch create update patch delete"),
            1 => Slot::Types(TypeRule::Any),
            _ => Slot::None,
        },
        "help" => Slot::Commands,
        _ if command.starts_with("rollout ") => by_type(TypeRule::Rollouts),
        _ => Slot::None,
    }
}

/// Values of flags: command (`*`: any), flag, words.
const VALUES: &[(&str, &str, &str)] = &[
    ("get", "output", "custom-columns= go-template= json jsonpath= name wide yaml"),
    ("version", "output", "json yaml"),
    ("top pod", "sort-by", "cpu memory"),
    ("top node", "sort-by", "cpu memory"),
    ("*", "output", "go-template= json jsonpath= name yaml"),
    ("*", "sort-by", ".metadata.creationTimestamp .metadata.name .lastTimestamp .spec.nodeName .status.startTime"),
    ("*", "dry-run", "client none server"),
    ("*", "cascade", "background foreground orphan"),
    ("*", "validate", "ignore strict warn"),
    ("patch", "type", "json merge strategic"),
    ("*", "types", "Normal Warning"),
    ("run", "restart", "Always Never OnFailure"),
    ("run", "image-pull-policy", "Always IfNotPresent Never"),
    ("create priorityclass", "preemption-policy", "Never PreemptLowerPriority"),
    ("wait", "for", "condition=Available condition=Ready condition=PodScheduled create delete jsonpath="),
    (
        "*",
        "field-selector",
        "metadata.name= metadata.namespace= spec.nodeName= status.phase= involvedObject.name= reason=",
    ),
];

impl Completer<'_> {
    /// The value of a flag, which stands behind `prefix`.
    pub(super) fn flag_value(&mut self, command: &str, flag: &str, prefix: &str, arguments: &[&str], namespace: &str) {
        let flag = match flag {
            "o" => "output",
            "n" => "namespace",
            "l" => "selector",
            "f" => "filename",
            other => other,
        };
        let kind = arguments.first().map_or("", |first| first.split('/').next().unwrap_or(first));
        match flag {
            "namespace" => self.names("namespaces", "", prefix, |_| true),
            "filename" => {
                for file in ["-"].into_iter().chain(self.context.files.keys().map(String::as_str)) {
                    self.offer(&format!("{prefix}{file}"));
                }
            }
            "pod-selector" => self.selectors("pods", namespace, prefix),
            // Commands on nodes alone have no argument that says so.
            "selector" if matches!(command, "cordon" | "uncordon" | "drain" | "taint" | "top node") => {
                self.selectors("nodes", namespace, prefix);
            }
            "selector" => self.selectors(kind, namespace, prefix),
            "label-columns" => self.label_columns(kind, namespace, prefix),
            "container" | "containers" => {
                let name = arguments.get(1).or(arguments.first()).copied().unwrap_or("");
                let kind = if matches!(command, "logs" | "exec") { "pods" } else { kind };
                self.containers(kind, name.rsplit('/').next().unwrap_or(name), namespace, "");
            }
            "for" if command == "events" => self.types(TypeRule::Any, namespace),
            _ => {
                let found = VALUES.iter().find(|(of, name, _)| *name == flag && (*of == "*" || *of == command));
                for word in found.map_or("", |(_, _, words)| words).split_whitespace() {
                    self.offer_value(&format!("{prefix}{word}"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_depend_on_those_before() {
        assert_eq!(slot_of("get", &[]), Slot::Types(TypeRule::Any));
        assert_eq!(slot_of("get", &["ds"]), Slot::Names("ds"));
        assert_eq!(slot_of("get", &["ds/a"]), Slot::Types(TypeRule::Any));
        assert_eq!(slot_of("label", &["node", "n1"]), Slot::Keys("node", &["=", "-"]));
        assert_eq!(slot_of("label", &["node/n1"]), Slot::Keys("node", &["=", "-"]));
        assert_eq!(slot_of("set image", &["ds/a"]), Slot::Containers("ds", "a", "="));
        assert_eq!(slot_of("rollout undo", &["ds"]), Slot::Names("ds"));
        assert_eq!(slot_of("logs", &["a"]), Slot::None);
    }
}
