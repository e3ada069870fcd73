//! `sim` commands: what no Kubernetes API can do. Plug in a node, cut its power, decide how an image behaves.

use super::duration::parse_duration;
use super::sim_help;
use crate::objects::{NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Quantity, Taint};

/// A parsed `sim` command.
#[derive(Clone, Debug, PartialEq)]
pub enum SimCommand {
    /// `sim add-node NAME… [--template T] [--count N] [--label K=V]… [--taint K=V:EFFECT]…
    /// [--resource R=AMOUNT]… [--not-ready]`
    AddNode(AddNode),
    /// `sim power-off NODE…`: the machine is off, its containers are gone.
    PowerOff(Vec<String>),
    /// `sim stop-kubelet NODE…`: no heartbeat, no pod status, no pod removal; the containers go on.
    StopKubelet(Vec<String>),
    /// `sim start-kubelet NODE…` (also `power-on`): the kubelet reports again.
    StartKubelet(Vec<String>),
    /// `sim condition NODE TYPE STATUS [--reason R] [--message M]`: what the kubelet reports of its node.
    Condition {
        /// The node.
        node: String,
        /// `Ready`, `MemoryPressure`…
        type_: String,
        /// `True`, `False` or `Unknown`.
        status: String,
        /// One word.
        reason: String,
        /// A sentence.
        message: String,
    },
    /// `sim behaviour YAML`: how pods behave from now on, in the form of the scenario file.
    Behaviour(String),
    /// `sim wait DURATION`: let virtual time pass, in milliseconds.
    Wait(u64),
    /// `sim resize-node NODE… --resource R=AMOUNT…`: the machines have other capacity from now on.
    ResizeNode {
        /// The nodes.
        nodes: Vec<String>,
        /// How much there is, all of it for pods.
        resources: Vec<(String, Quantity)>,
    },
    /// `sim machine-usage NODE RESOURCE=AMOUNT…`: what the machine uses beside its pods.
    MachineUsage {
        /// The node.
        node: String,
        /// How much, by resource.
        amounts: Vec<(String, Quantity)>,
    },
    /// `sim static-pod NODE NAME …`: a pod that the kubelet runs from a file.
    StaticPod(StaticPod),
    /// `sim help`, or `sim COMMAND -h`
    Help(Option<String>),
}

/// A pod that a kubelet runs by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticPod {
    /// The node.
    pub node: String,
    /// Name in the file; the mirror pod's ends with the node's.
    pub name: String,
    /// Namespace of the mirror pod.
    pub namespace: String,
    /// Image of its one container.
    pub image: String,
    /// What the container asks for.
    pub requests: Vec<(String, Quantity)>,
    /// The file goes.
    pub remove: bool,
}

/// New nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddNode {
    /// Names; with `count`, the stem of the names.
    pub names: Vec<String>,
    /// Template (`worker`, `control-plane`, `gpu`…).
    pub template: String,
    /// How many, numbered after the stem.
    pub count: Option<usize>,
    /// Labels on top of the template's.
    pub labels: Vec<(String, String)>,
    /// Taints on top of the template's.
    pub taints: Vec<Taint>,
    /// Capacity instead of the template's: all of it for pods.
    pub resources: Vec<(String, Quantity)>,
    /// The node joins without being ready.
    pub not_ready: bool,
}

/// Why a line is no `sim` command. The text is one line, like kubectl's own errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimError(pub String);

/// Most nodes that one command may add.
pub const MAX_NODES_AT_ONCE: usize = 5000;

/// Parses the words after `sim`.
///
/// # Errors
/// What is wrong with the words, and what is expected.
pub fn parse(words: &[String]) -> Result<SimCommand, SimError> {
    let fail = |text: String| Err(SimError(format!("error: {text}")));
    if words.iter().any(|word| matches!(word.as_str(), "&&" | "||" | "|" | "&") || word.ends_with(';')) {
        return fail("a sim command stands alone on its line: nothing comes behind it with &&, ; or |".into());
    }
    let Some((verb, rest)) = words.split_first() else { return Ok(SimCommand::Help(None)) };
    let asks = |word: &String| matches!(word.as_str(), "-h" | "--help");
    if asks(verb) || verb == "help" {
        let about = rest.first().cloned();
        return match about.filter(|name| sim_help::of(name).is_none()) {
            Some(other) => fail(format!("unknown command {other:?} for \"sim\"; see sim help")),
            None => Ok(SimCommand::Help(rest.first().cloned())),
        };
    }
    if rest.iter().any(asks) && sim_help::of(verb).is_some() {
        return Ok(SimCommand::Help(Some(verb.clone())));
    }
    let (names, flags) = split_flags(rest)?;
    let allow = |known: &[&str]| match flags.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) => Err(SimError(format!("error: unknown flag: --{name}"))),
        None => Ok(()),
    };
    match verb.as_str() {
        "resize-node" => {
            allow(&["resource"])?;
            let resources = amounts(flags.iter().map(|(_, value)| value), "--resource")?;
            if names.is_empty() || resources.is_empty() {
                return fail("sim resize-node needs a node and --resource NAME=AMOUNT, as in cpu=8".into());
            }
            Ok(SimCommand::ResizeNode { nodes: names, resources })
        }
        "machine-usage" => {
            allow(&[])?;
            let amounts = amounts(names.iter().skip(1), "sim machine-usage")?;
            match names.first() {
                Some(node) if !amounts.is_empty() => Ok(SimCommand::MachineUsage { node: node.clone(), amounts }),
                _ => fail("sim machine-usage needs a node and RESOURCE=AMOUNT, as in memory=15Gi".into()),
            }
        }
        "static-pod" => {
            allow(&["image", "namespace", "request", "remove"])?;
            let [node, name] = names.as_slice() else {
                return fail("sim static-pod needs NODE NAME, as in sim static-pod worker1 kube-proxy".into());
            };
            let flag = |name: &str| flags.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
            let requested = flags.iter().filter(|(name, _)| name == "request").map(|(_, value)| value);
            Ok(SimCommand::StaticPod(StaticPod {
                node: node.clone(),
                name: name.clone(),
                namespace: flag("namespace").unwrap_or_else(|| "kube-system".into()),
                image: flag("image").unwrap_or_else(|| format!("{name}:v1")),
                requests: amounts(requested, "--request")?,
                remove: flag("remove").is_some_and(|value| value == "true"),
            }))
        }
        "add-node" => {
            allow(&["template", "count", "label", "taint", "resource", "not-ready"])?;
            add_node(names, &flags).map(SimCommand::AddNode)
        }
        "stop-kubelet" | "power-off" | "start-kubelet" | "power-on" => {
            allow(&[])?;
            if names.is_empty() {
                return fail(format!("sim {verb} needs the name of a node"));
            }
            Ok(match verb.as_str() {
                "power-off" => SimCommand::PowerOff(names),
                "stop-kubelet" => SimCommand::StopKubelet(names),
                _ => SimCommand::StartKubelet(names),
            })
        }
        "condition" => {
            allow(&["reason", "message"])?;
            let [node, type_, status] = names.as_slice() else {
                return fail("sim condition needs NODE TYPE STATUS, as in sim condition worker1 Ready False".into());
            };
            if !["True", "False", "Unknown"].contains(&status.as_str()) {
                return fail(format!("the status of a condition is True, False or Unknown, not {status:?}"));
            }
            let flag = |name: &str| flags.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()).unwrap_or_default();
            Ok(SimCommand::Condition {
                node: node.clone(),
                type_: type_.clone(),
                status: status.clone(),
                reason: flag("reason"),
                message: flag("message"),
            })
        }
        "behaviour" | "behavior" => Ok(SimCommand::Behaviour(rest.join(" "))),
        "wait" => match names.as_slice() {
            [text] => match parse_duration(text) {
                Some(ms) => Ok(SimCommand::Wait(ms)),
                None => fail(format!("{text:?} is not a duration such as 10s or 1m30s")),
            },
            _ => fail("sim wait needs one duration, such as 10s".into()),
        },
        other => fail(format!("unknown command {other:?} for \"sim\"; see sim help")),
    }
}

/// The words after `sim`, if the line is a `sim` command. Quotes group words, as in a shell.
pub fn words(line: &str) -> Option<Vec<String>> {
    let rest = line.trim().strip_prefix("sim")?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in rest.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == '\n' => words.extend(word.take().into_iter().chain([";".to_owned()])),
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// The `sim` command that a line is: `None` for any other line, an error inside where its words are wrong.
pub fn command_of(line: &str) -> Option<Result<SimCommand, SimError>> {
    words(line).map(|words| parse(&words))
}

/// Positional words and `--name value` / `--name=value` pairs.
type Words = (Vec<String>, Vec<(String, String)>);

fn split_flags(words: &[String]) -> Result<Words, SimError> {
    let mut names = Vec::new();
    let mut flags = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            names.push(word.clone());
            continue;
        };
        match flag.split_once('=') {
            Some((name, value)) => flags.push((name.to_string(), value.to_string())),
            None if matches!(flag, "not-ready" | "remove") => flags.push((flag.to_string(), "true".to_string())),
            None => match words.next() {
                Some(value) => flags.push((flag.to_string(), value.clone())),
                None => return Err(SimError(format!("error: flag needs an argument: --{flag}"))),
            },
        }
    }
    Ok((names, flags))
}

fn add_node(names: Vec<String>, flags: &[(String, String)]) -> Result<AddNode, SimError> {
    let fail = |text: String| Err(SimError(format!("error: {text}")));
    if names.is_empty() {
        return fail("sim add-node needs a name".into());
    }
    let mut add = AddNode { names, template: "worker".into(), ..AddNode::default() };
    for (name, value) in flags {
        match name.as_str() {
            "template" => add.template.clone_from(value),
            "count" => match value.parse::<usize>() {
                Ok(count) if (1..=MAX_NODES_AT_ONCE).contains(&count) && add.names.len() == 1 => {
                    add.count = Some(count)
                }
                Ok(_) if add.names.len() != 1 => return fail("--count numbers one name; give only one".into()),
                _ => return fail(format!("--count takes a number from 1 to {MAX_NODES_AT_ONCE}, not {value:?}")),
            },
            "label" => match value.split_once('=') {
                Some((key, value)) if !key.is_empty() => add.labels.push((key.into(), value.into())),
                _ => return fail(format!("--label takes KEY=VALUE, not {value:?}")),
            },
            "resource" => match value.split_once('=').map(|(name, amount)| (name, Quantity::parse(amount))) {
                Some((name, Ok(amount))) if !name.is_empty() && !amount.is_negative() => {
                    add.resources.push((name.into(), amount));
                }
                _ => return fail(format!("--resource takes NAME=AMOUNT, as in cpu=2, not {value:?}")),
            },
            "taint" => match parse_taint(value) {
                Some(taint) => add.taints.push(taint),
                None => return fail(format!("--taint takes KEY[=VALUE]:EFFECT, not {value:?}")),
            },
            _ => add.not_ready = value == "true",
        }
    }
    Ok(add)
}

/// Reads `NAME=AMOUNT` several times.
fn amounts<'a>(texts: impl Iterator<Item = &'a String>, what: &str) -> Result<Vec<(String, Quantity)>, SimError> {
    texts
        .map(|text| match text.split_once('=').map(|(name, amount)| (name, Quantity::parse(amount))) {
            Some((name, Ok(amount))) if !name.is_empty() && !amount.is_negative() => Ok((name.to_owned(), amount)),
            _ => Err(SimError(format!("error: {what} takes NAME=AMOUNT, as in cpu=2, not {text:?}"))),
        })
        .collect()
}

/// Reads `key=value:effect` or `key:effect`.
pub(crate) fn parse_taint(text: &str) -> Option<Taint> {
    let (pair, effect) = text.rsplit_once(':')?;
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let known = [NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE].contains(&effect);
    (known && !key.is_empty()).then(|| Taint { value: value.into(), ..Taint::new(key, effect) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<SimCommand, String> {
        parse(&words(&format!("sim {line}")).unwrap()).map_err(|SimError(text)| text)
    }

    #[test]
    fn nodes_come_with_template_count_labels_and_taints() {
        let taint = Taint { value: "yes".into(), ..Taint::new("gpu", NO_SCHEDULE) };
        assert_eq!(
            parsed(
                "add-node worker --count 3 --template=gpu --label zone=a --taint gpu=yes:NoSchedule --resource cpu=2 --not-ready"
            ),
            Ok(SimCommand::AddNode(AddNode {
                names: vec!["worker".into()],
                template: "gpu".into(),
                count: Some(3),
                labels: vec![("zone".into(), "a".into())],
                taints: vec![taint],
                resources: vec![("cpu".into(), Quantity::from_units(2))],
                not_ready: true,
            }))
        );
    }

    #[test]
    fn wrong_words_are_told() {
        for (line, text) in [
            ("add-node", "error: sim add-node needs a name"),
            (
                "add-node a && kubectl get nodes",
                "error: a sim command stands alone on its line: nothing comes behind it with &&, ; or |",
            ),
            (
                "add-node a\nkubectl get nodes",
                "error: a sim command stands alone on its line: nothing comes behind it with &&, ; or |",
            ),
            ("add-node a --count x", "error: --count takes a number from 1 to 5000, not \"x\""),
            ("add-node a b --count 2", "error: --count numbers one name; give only one"),
            ("add-node a --taint k:Never", "error: --taint takes KEY[=VALUE]:EFFECT, not \"k:Never\""),
            ("add-node a --colour red", "error: unknown flag: --colour"),
            ("add-node a --resource cpu=x", "error: --resource takes NAME=AMOUNT, as in cpu=2, not \"cpu=x\""),
            ("add-node a --label", "error: flag needs an argument: --label"),
            ("condition w Ready Maybe", "error: the status of a condition is True, False or Unknown, not \"Maybe\""),
            ("wait soon", "error: \"soon\" is not a duration such as 10s or 1m30s"),
            ("fly", "error: unknown command \"fly\" for \"sim\"; see sim help"),
        ] {
            assert_eq!(parsed(line), Err(text.to_string()), "{line}");
        }
        for (line, text) in [
            ("resize-node w1", "error: sim resize-node needs a node and --resource NAME=AMOUNT, as in cpu=8"),
            ("machine-usage w1", "error: sim machine-usage needs a node and RESOURCE=AMOUNT, as in memory=15Gi"),
            ("machine-usage w1 memory", "error: sim machine-usage takes NAME=AMOUNT, as in cpu=2, not \"memory\""),
            ("static-pod w1", "error: sim static-pod needs NODE NAME, as in sim static-pod worker1 kube-proxy"),
            ("help fly", "error: unknown command \"fly\" for \"sim\"; see sim help"),
        ] {
            assert_eq!(parsed(line), Err(text.to_string()), "{line}");
        }
        assert_eq!(parsed("power-off w1 w2"), Ok(SimCommand::PowerOff(vec!["w1".into(), "w2".into()])));
        assert_eq!(parsed("wait 1m30s"), Ok(SimCommand::Wait(90_000)));
    }

    #[test]
    fn every_command_has_its_help() {
        assert_eq!(parsed(""), Ok(SimCommand::Help(None)));
        assert_eq!(parsed("-h"), Ok(SimCommand::Help(None)));
        for name in sim_help::names() {
            assert!(sim_help::overview().contains(&format!("\n  {name} ")), "{name} is not listed");
            assert_eq!(parsed(&format!("{name} -h")), Ok(SimCommand::Help(Some(name.into()))));
            assert_eq!(parsed(&format!("help {name}")), Ok(SimCommand::Help(Some(name.into()))));
            let help = sim_help::of(name).unwrap();
            assert!(help.contains(&format!("Usage:\n  sim {name} ")), "{help}");
            // What its help shows can be typed.
            for example in help.lines().filter_map(|line| line.trim().strip_prefix("sim ")).skip(1) {
                assert!(parsed(example).is_ok(), "{example}: {:?}", parsed(example));
            }
            // Without its words, no command is another one.
            assert!(!matches!(parsed(name), Err(text) if text.contains("unknown command")), "{name}");
        }
    }

    #[test]
    fn static_pods_and_machines_are_described_by_flags() {
        let pod = StaticPod {
            node: "w1".into(),
            name: "proxy".into(),
            namespace: "kube-system".into(),
            image: "proxy:v1".into(),
            requests: vec![("cpu".into(), Quantity::from_milli(100))],
            remove: false,
        };
        assert_eq!(parsed("static-pod w1 proxy --request cpu=100m"), Ok(SimCommand::StaticPod(pod.clone())));
        let gone = StaticPod { requests: Vec::new(), remove: true, ..pod };
        assert_eq!(parsed("static-pod w1 proxy --remove"), Ok(SimCommand::StaticPod(gone)));
        let resources = vec![("cpu".into(), Quantity::from_units(8))];
        assert_eq!(
            parsed("resize-node w1 w2 --resource cpu=8"),
            Ok(SimCommand::ResizeNode { nodes: vec!["w1".into(), "w2".into()], resources })
        );
    }

    #[test]
    fn quotes_group_words_and_other_lines_are_not_for_sim() {
        assert_eq!(
            words("sim condition w1 Ready False --message 'out of disk'").unwrap().last().unwrap(),
            "out of disk"
        );
        assert_eq!(words("sim"), Some(vec![]));
        assert_eq!(words("simulate"), None);
        assert_eq!(words("kubectl get ds"), None);
    }
}
