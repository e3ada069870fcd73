//! A session as a page of Markdown: commands, what they printed, and what the cluster did in between.

use crate::objects::*;
use crate::simulation::{CommandRun, Reason, Session, Step, format_duration};

/// Steps between two commands that are told one by one; of more, the last are left out and counted.
const MOST_STEPS: usize = 40;

/// The words of the transcript that are in the reader's language.
pub trait Telling {
    /// A step in plain words.
    fn step(&self, step: &Step) -> String;
    /// `12 more steps`
    fn more(&self, steps: usize) -> String;
    /// Titles: of the page, of the list of nodes, of the session, of the end.
    fn titles(&self) -> [&'static str; 4];
}

/// The session as Markdown.
pub fn markdown(session: &Session, telling: &dyn Telling) -> String {
    let [title, nodes, commands, end] = telling.titles();
    let opened = session.opened();
    let title = if opened.title.is_empty() { title } else { &opened.title };
    let mut out = format!("# {}\n\n## {nodes}\n\n", title.replace('\n', " "));
    out += &node_list(session);
    out += &format!("\n## {commands}\n");
    let mut quiet: Vec<String> = Vec::new();
    for step in session.steps() {
        match &step.reason {
            Reason::Command(run) => {
                flush(&mut out, &mut quiet, telling);
                out += &format!("\n### {} · {}\n\n", format_duration(step.at_ms), heading(run));
                for (name, text) in &run.files {
                    out += &format!("`{name}`\n\n{}", fenced("yaml", text));
                }
                out += &fenced("console", &format!("$ {}\n{}{}", run.line, run.stdout, run.stderr));
            }
            Reason::CommandWent(run) if !run.stdout.is_empty() || !run.stderr.is_empty() => {
                flush(&mut out, &mut quiet, telling);
                out += &format!("\n{}", fenced("console", &format!("{}{}", run.stdout, run.stderr)));
            }
            Reason::CommandWent(_) => {}
            _ => quiet.push(format!("- {} {}\n", format_duration(step.at_ms), one_line(&telling.step(step)))),
        }
    }
    flush(&mut out, &mut quiet, telling);
    out += &format!("\n## {end}\n\n");
    out + &set_list(session)
}

fn heading(run: &CommandRun) -> String {
    let line = run.line.lines().next().unwrap_or("").replace('`', "'");
    format!("`{line}`")
}

fn flush(out: &mut String, quiet: &mut Vec<String>, telling: &dyn Telling) {
    if quiet.is_empty() {
        return;
    }
    out.push('\n');
    let left_out = quiet.len().saturating_sub(MOST_STEPS);
    out.extend(quiet.drain(..).take(MOST_STEPS));
    if left_out > 0 {
        *out += &format!("- {}\n", telling.more(left_out));
    }
}

/// A block of code whose fence is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{newline}{fence}\n")
}

/// Text that Markdown takes as it is.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\`*_<>[]#|".contains(c) {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

/// Nodes at the start, those that look the same together.
fn node_list(session: &Session) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for node in session.world_at(0).store().nodes().values() {
        let taints: Vec<String> = node
            .spec
            .taints
            .iter()
            .map(|taint| {
                let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
                format!("`{}{value}:{}`", taint.key, taint.effect)
            })
            .collect();
        let looks = taints.join(", ");
        match groups.iter_mut().find(|(known, _)| *known == looks) {
            Some((_, names)) => names.push(node.metadata.name.to_string()),
            None => groups.push((looks, vec![node.metadata.name.to_string()])),
        }
    }
    let line = |(taints, names): &(String, Vec<String>)| {
        let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > 12 { format!(", … ({})", names.len()) } else { String::new() };
        let taints = if taints.is_empty() { String::new() } else { format!(": {taints}") };
        format!("- {}{more}{taints}\n", shown.join(", "))
    };
    groups.iter().map(line).collect()
}

/// The DaemonSets at the end, as `kubectl get daemonsets -A` counts them.
fn set_list(session: &Session) -> String {
    let mut out = String::from(
        "| NAMESPACE | NAME | DESIRED | CURRENT | READY | UP-TO-DATE | AVAILABLE |\n|---|---|---|---|---|---|---|\n",
    );
    for set in session.world_at(session.len()).store().daemon_sets().values() {
        let ObjectMeta { namespace, name, .. } = &set.metadata;
        let status = &set.status;
        out += &format!(
            "| {namespace} | {name} | {} | {} | {} | {} | {} |\n",
            status.desired_number_scheduled,
            status.current_number_scheduled,
            status.number_ready,
            status.updated_number_scheduled,
            status.number_available
        );
    }
    out
}
