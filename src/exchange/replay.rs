//! The commands of a session as lines that another shell can run: nodes and pods have other names there.

use crate::apiserver::Store;
use crate::kubectl::shell;
use crate::simulation::{CommandRun, Reason, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A command of the session and what surrounds it.
pub(super) struct Played {
    /// The command.
    pub run: Rc<CommandRun>,
    /// Steps that others made since the command before.
    pub steps_before: usize,
    /// Virtual time that passed since the command before.
    pub waited_ms: u64,
    /// Virtual time that it waited before the next command interrupted it; `None`: it came to its end.
    pub interrupted_after_ms: Option<u64>,
    /// The line with the names of nodes and pods replaced.
    pub line: String,
    /// Whether a shell would not even read the line.
    pub unreadable: bool,
    /// The files that the line names, where they differ from what was written before.
    pub files: BTreeMap<String, String>,
}

/// All commands of the present line of time, and the nodes that they name.
pub(super) fn played(session: &Session) -> (Vec<Played>, BTreeSet<String>) {
    let mut all: Vec<Played> = Vec::new();
    let mut nodes = BTreeSet::new();
    let mut written: BTreeMap<String, String> = BTreeMap::new();
    let (mut last_ms, mut last_number) = (0, 0);
    for step in session.steps() {
        match &step.reason {
            Reason::CommandWent(went) if went.exit_code.is_some() => {
                if let Some(before) = all.last_mut() {
                    before.interrupted_after_ms = None;
                }
            }
            Reason::Command(run) => {
                if let Some(waiting) = all.last_mut().and_then(|before| before.interrupted_after_ms.as_mut()) {
                    *waiting = step.at_ms.saturating_sub(last_ms);
                }
                let world = session.world_at(step.number.saturating_sub(1));
                let store = world.store();
                let mut files = BTreeMap::new();
                for (name, text) in &run.files {
                    if written.get(name) != Some(text) {
                        written.insert(name.clone(), text.clone());
                        files.insert(name.clone(), text.clone());
                    }
                }
                all.push(Played {
                    line: portable(&run.line, store, &mut nodes),
                    unreadable: shell::parse(&run.line).is_err(),
                    steps_before: step.number.saturating_sub(last_number + 1),
                    waited_ms: step.at_ms.saturating_sub(last_ms),
                    interrupted_after_ms: run.exit_code.is_none().then_some(0),
                    run: Rc::clone(run),
                    files,
                });
                (last_ms, last_number) = (step.at_ms, step.number);
            }
            _ => {}
        }
    }
    if let Some(waiting) = all.last_mut().and_then(|before| before.interrupted_after_ms.as_mut()) {
        *waiting = session.world_at(session.len()).now_ms().saturating_sub(last_ms);
    }
    (all, nodes)
}

/// The name of the shell's variable for a node.
pub(super) fn variable(node: &str) -> String {
    format!("node_{}", node.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

/// Names of nodes become variables, names of pods look-ups: the ends of pods' names are random. Only words outside
/// quotes and here-documents are looked at.
fn portable(line: &str, store: &Store, nodes: &mut BTreeSet<String>) -> String {
    let (head, rest) = line.split_once('\n').map_or((line, ""), |(head, _)| line.split_at(head.len()));
    let mut out = String::new();
    let mut word = String::new();
    let mut quote = None;
    for c in head.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => {
                out += &std::mem::take(&mut word);
                quote = Some(c);
            }
            None if c.is_ascii_alphanumeric() || "-._".contains(c) => {
                word.push(c);
                continue;
            }
            None => {
                let before = out.chars().last();
                out += &replaced(&std::mem::take(&mut word), before, store, nodes);
            }
        }
        out.push(c);
    }
    let before = out.chars().last();
    out + &replaced(&word, before, store, nodes) + rest
}

fn replaced(word: &str, before: Option<char>, store: &Store, nodes: &mut BTreeSet<String>) -> String {
    if !before.is_none_or(|c| c.is_whitespace() || "/=,".contains(c)) {
        return word.to_owned();
    }
    if store.node_named(word).is_some() {
        nodes.insert(word.to_owned());
        return format!("\"${{{}}}\"", variable(word));
    }
    // A pod that nobody controls has the same name everywhere.
    let pod = store.pods().values().find(|pod| &*pod.metadata.name == word && pod.metadata.controller().is_some());
    let Some(pod) = pod else { return word.to_owned() };
    let random = ["controller-revision-hash", "pod-template-generation", "pod-template-hash"];
    let labels = pod.metadata.labels.iter().filter(|(key, _)| !random.contains(&key.as_str()));
    let selector: Vec<String> = labels.map(|(key, value)| format!("{key}={value}")).collect();
    let node = &*pod.spec.node_name;
    let node = if node.is_empty() {
        "''".to_owned()
    } else {
        nodes.insert(node.to_owned());
        format!("\"${{{}}}\"", variable(node))
    };
    format!("\"$(pod {} {} {node})\"", pod.metadata.namespace, shell::quote(&selector.join(",")))
}

/// A here-document that writes a file.
pub(super) fn here_document(command: &str, text: &str) -> String {
    let mut end = "EOF".to_owned();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{command} <<'{end}'\n{text}{newline}{end}\n")
}

/// Lines as comments.
pub(super) fn comment(text: &str) -> String {
    text.lines().map(|line| format!("# {line}\n")).collect()
}

/// A duration for `sleep` and `timeout`, rounded up.
pub(super) fn seconds(ms: u64) -> u64 {
    ms.div_ceil(1000)
}
