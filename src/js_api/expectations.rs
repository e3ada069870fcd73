//! What a scenario should come to, compared with what it came to.

use crate::lessons::{self, Check, Counter, Ending, Expectation, Item, LessonError, PodTest, Scene};
use crate::order::Order;
use crate::simulation::{Scenario, Session, World};
use serde::Serialize;
use serde_json::Value;

/// What came of a scenario, or how things stand.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// Whether all is as expected.
    pub ok: bool,
    /// What differs.
    pub failed: Vec<Failure>,
    /// Number of checks that were looked at.
    pub checks: usize,
    /// Of a scenario that was played to its end.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub run: Option<Played>,
}

/// How playing a scenario ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    /// `quiet`, `loop` or `endless`.
    ending: &'static str,
    /// How the scenario says that it ends.
    expected_ending: &'static str,
    /// Steps that were made.
    steps: usize,
}

/// A check that does not hold.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Its place in the list, counted from 0.
    index: usize,
    /// As it was written.
    check: Value,
    /// What is the case instead.
    actual: String,
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Quiet => "quiet",
        Ending::Loop => "loop",
        Ending::Endless => "endless",
    }
}

/// Plays a scenario to its end and compares.
///
/// # Errors
/// What is wrong with the scenario or its `expect`.
pub fn verify(text: &str) -> Result<CheckResult, String> {
    let scenario = Scenario::parse(text).map_err(|error| error.to_string())?;
    let expected = Expectation::of(&scenario).map_err(|errors| faults(&errors))?;
    let (session, outcome) = lessons::verify(&scenario).map_err(|errors| faults(&errors))?;
    let failed = failures(&session, &expected.checks, &scenario.expect);
    Ok(CheckResult {
        ok: outcome.ended_as_expected && failed.is_empty(),
        checks: expected.checks.len(),
        failed,
        run: Some(Played {
            ending: ending(outcome.ending),
            expected_ending: ending(expected.ending),
            steps: outcome.steps,
        }),
    })
}

/// Compares how things stand at the present position with a list of checks; without one, with the scenario's own.
///
/// # Errors
/// What is wrong with the checks.
pub fn check(session: &Session, checks: Option<Vec<Value>>) -> Result<CheckResult, String> {
    let opened = session.opened();
    let expect = checks.unwrap_or_else(|| opened.expect.clone());
    let scenario = Scenario { expect, objects: Vec::new(), ..opened.clone() };
    let expected = Expectation::of(&scenario).map_err(|errors| faults(&errors))?;
    let failed = failures(session, &expected.checks, &scenario.expect);
    Ok(CheckResult { ok: failed.is_empty(), checks: expected.checks.len(), failed, run: None })
}

fn faults(errors: &[LessonError]) -> String {
    let all: Vec<String> = errors.iter().map(|error| format!("{:?}", error.fault)).collect();
    format!("expect: {}", all.join("; "))
}

fn failures(session: &Session, checks: &[Item], written: &[Value]) -> Vec<Failure> {
    let scene = Scene::now(session, 0);
    let failing = checks.iter().enumerate().filter(|(_, item)| !item.check.holds(scene));
    failing
        .map(|(index, item)| Failure {
            index,
            check: written.get(index).cloned().unwrap_or_default(),
            actual: actual(&item.check, scene),
        })
        .collect()
}

/// What is the case, about what a check asks.
fn actual(check: &Check, scene: Scene<'_>) -> String {
    let world = scene.world();
    match check {
        Check::DaemonSet { key, counters } => match world.store().daemon_set(key) {
            None => format!("there is no DaemonSet {key}"),
            Some(set) => {
                let name = |counter: &Counter| {
                    let place = Counter::ALL.iter().position(|other| other == counter);
                    place.and_then(|place| Counter::NAMES.get(place)).copied().unwrap_or_default()
                };
                let told = counters.iter().map(|(counter, _)| format!("{} {}", name(counter), counter.of(set)));
                told.collect::<Vec<_>>().join(", ")
            }
        },
        Check::Pods(test) => pods(test, &world),
        Check::Object(test) => match lessons::shown(test, &world) {
            Some(text) if text.is_empty() => "nothing is there".into(),
            Some(text) => text,
            None => format!("there is no {} {}", test.kind, test.key),
        },
        Check::Objects { kind, .. } => format!("another number of {kind} objects"),
        Check::Event { reason, .. } => format!("no such {reason} event was recorded"),
        Check::Command { words, .. } => format!("no such command was given: {words}"),
        Check::Always(inner) => format!("not at every step; at the end: {}", actual(inner, scene)),
        Check::Once(inner) => format!("at no step; at the end: {}", actual(inner, scene)),
        Check::Not(_) => "it is so".into(),
        Check::All(parts) => {
            let failing = parts.iter().filter(|part| !part.holds(scene)).map(|part| actual(part, scene));
            failing.collect::<Vec<_>>().join("; ")
        }
        Check::Quiet => "something is still due".into(),
    }
}

fn pods(test: &PodTest, world: &World) -> String {
    let found = lessons::matching_pods(test, world);
    let mut places: Vec<&str> = found.iter().map(|pod| pod.target_node().unwrap_or("no node")).collect();
    places.order();
    let on = if places.is_empty() { String::new() } else { format!(" (on {})", places.join(", ")) };
    format!("{} such {}{on}", found.len(), if found.len() == 1 { "pod" } else { "pods" })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "objects:
- {apiVersion: v1, kind: Node, metadata: {name: w1}, status: {allocatable: {cpu: '2', memory: 4Gi, pods: '110'}, conditions: [{type: Ready, status: 'True'}]}}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent, namespace: default}
  spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: agent, image: 'agent:v1'}]}}}
";

    #[test]
    fn a_scenario_that_comes_as_expected_is_ok() {
        let text = format!(
            "{NODE}expect:\n- {{daemonset: agent, desired: 1, ready: 1}}\n- {{pods: app=agent, nodes: [w1]}}\n"
        );
        let result = verify(&text).unwrap();
        assert!(result.ok, "{result:?}");
        assert_eq!((result.checks, result.run.as_ref().unwrap().ending), (2, "quiet"));
    }

    #[test]
    fn what_differs_is_told_as_written_and_as_it_is() {
        let text =
            format!("{NODE}expect:\n- {{daemonset: agent, desired: 2, ready: 1}}\n- {{pods: app=agent, count: 3}}\n");
        let result = verify(&text).unwrap();
        assert!(!result.ok);
        let told: Vec<(usize, &str)> = result.failed.iter().map(|f| (f.index, f.actual.as_str())).collect();
        assert_eq!(told, [(0, "desired 1, ready 1"), (1, "1 such pod (on w1)")]);
        assert_eq!(result.failed[1].check["count"], 3);
    }

    #[test]
    fn checks_that_make_no_sense_are_told() {
        assert!(verify(&format!("{NODE}expect:\n- {{demonset: agent}}\n")).unwrap_err().contains("demonset"));
        assert!(verify("logs: []").unwrap_err().contains("logs"));
    }
}
