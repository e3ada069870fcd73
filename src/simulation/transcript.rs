//! A run as text, one line for each step: what tests compare and what shows at a glance what happened.

use super::duration::format_duration;
use super::step::{Reason, Step};
use crate::apiserver::Change;
use crate::objects::*;

/// One line for a step: number, time, actor, cause, and what changed.
///
/// `3 1s Kubelet Pod default/agent-x5k2p (of 2): ~ Pod default/agent-x5k2p Running`
pub fn transcript_line(step: &Step) -> String {
    let mut line = format!("{} {} {:?}", step.number, format_duration(step.at_ms), step.actor);
    if let Some(subject) = &step.subject {
        line += &format!(" {} {}", subject.kind, subject.key);
    }
    if let Some(cause) = step.cause {
        line += &format!(" (of {cause})");
    }
    if let Reason::Command(run) | Reason::CommandWent(run) = &step.reason {
        line += &format!(" $ {}", run.line.lines().next().unwrap_or(""));
        if let Some(code) = run.exit_code.filter(|code| *code != 0) {
            line += &format!(" [exit {code}]");
        }
    }
    let changes: Vec<String> = step.changes.iter().filter_map(change_text).collect();
    if !changes.is_empty() {
        line += &format!(": {}", changes.join(", "));
    }
    line
}

fn change_text(change: &Change) -> Option<String> {
    let object = change.object()?;
    let sign = match (&change.before, &change.after) {
        (None, _) => '+',
        (_, None) => '-',
        _ => '~',
    };
    if let Object::Event(event) = object {
        return Some(format!("! {} {}", event.reason, event.message));
    }
    let mut text = format!("{sign} {} {}", object.kind_name(), object.key());
    match object {
        Object::Pod(pod) => {
            if let Some(node) = pod.target_node() {
                text += &format!(" {} {node}", if pod.is_bound() { "on" } else { "for" });
            }
            text += &format!(" {}", pod.status.phase);
            if pod.is_ready() {
                text += " Ready";
            }
            if pod.is_terminating() {
                text += " Terminating";
            }
        }
        Object::DaemonSet(set) => {
            let DaemonSetStatus {
                desired_number_scheduled: desired,
                current_number_scheduled: current,
                number_ready: ready,
                updated_number_scheduled: updated,
                number_available: available,
                ..
            } = &set.status;
            text += &format!(" {desired}/{current}/{ready}/{updated}/{available}");
        }
        Object::Node(node) => {
            let taints: Vec<String> = node.spec.taints.iter().map(ToString::to_string).collect();
            text += &format!(" [{}]", taints.join(" "));
        }
        _ => {}
    }
    Some(text)
}
