//! A toleration without key: whatever reason someone has to keep pods off a node, these pods come. Right for what a node
//! needs to work at all.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use super::{Level, Nature};
use crate::controllers::daemonset::automatic_tolerations;
use crate::objects::*;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let tolerations = &subject.spec().tolerations;
    for (index, toleration) in tolerations.iter().enumerate() {
        if !toleration.key.is_empty() || toleration.operator != "Exists" {
            continue;
        }
        let level = match subject.nature {
            Nature::Critical => Level::Fine,
            Nature::Agent if !toleration.effect.is_empty() => Level::Advice,
            _ => Level::Warning,
        };
        let written = match toleration.effect.as_str() {
            "" => "operator: Exists".to_owned(),
            effect => format!("operator: Exists, effect: {effect}"),
        };
        let path = format!("{POD}.tolerations[{index}]");
        let found = Found::new(level, path.clone()).fact("toleration", written);
        let mut instead = named(subject, index, toleration).into_iter();
        let found = match instead.next() {
            Some(first) => found.set(path, encode(&first)),
            None => found.remove(path),
        };
        report.add(instead.fold(found, |found, more| found.append(format!("{POD}.tolerations"), encode(&more))));
    }
}

/// Tolerations that name the taints that the cluster has and nothing else covers: the same pods on the same nodes. Where
/// there are none to be seen, that of the control plane.
fn named(subject: &Subject<'_>, index: usize, wide: &Toleration) -> Vec<Toleration> {
    let tolerations = subject.spec().tolerations.iter().enumerate();
    let others: Vec<&Toleration> =
        tolerations.filter(|(other, t)| *other != index && !t.key.is_empty()).map(|(_, t)| t).collect();
    let automatic: Vec<Toleration> = automatic_tolerations(true).collect();
    let control_plane = Taint::new(CONTROL_PLANE, NO_SCHEDULE);
    let of_nodes = subject.nodes().flat_map(|node| node.spec.taints.iter());
    let mut taints: Vec<&Taint> = of_nodes.filter(|taint| matches!(taint.effect.as_str(), NO_SCHEDULE | NO_EXECUTE)).collect();
    if taints.is_empty() {
        taints.push(&control_plane);
    }
    let mut named: Vec<Toleration> = Vec::new();
    for taint in taints.into_iter().filter(|taint| wide.tolerates(taint)) {
        let covered = others.iter().copied().chain(&automatic).chain(&named).any(|toleration| toleration.tolerates(taint));
        if !covered {
            named.push(Toleration::exists(&taint.key, &taint.effect));
        }
    }
    named
}

/// Key of the taint and of the label of control-plane nodes.
pub(super) const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";
