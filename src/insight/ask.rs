//! The questions of insight as plain functions of a world, for the JavaScript API and other faces: data in, data out that
//! serialises in camelCase.

use super::compare::{ChangeEffect, Compare, Comparison, effect};
use super::forecast::{Forecast, Strategy, forecast};
use super::lint::{self, Finding, Known};
use super::overhead::{Overhead, fleet};
use super::trial::applied;
use crate::controllers::daemonset::Rules;
use crate::objects::{DaemonSet, Kind, ObjectKey};
use crate::simulation::World;
use std::rc::Rc;

/// Steps between two looks at whether a trial is over.
const SLICE: usize = 10_000;

/// What is worth a second look in a text, given the cluster as it is.
pub fn lint_text(world: &World, text: &str) -> Vec<Finding> {
    lint::lint(text, &Known { store: Some(world.store()), behaviours: Some(world.behaviours()) })
}

/// What each DaemonSet of the cluster takes, the heaviest first; `label` groups the nodes into pools.
pub fn overheads(world: &World, label: Option<&str>) -> Vec<Overhead> {
    fleet(world.store(), label)
}

/// How rollouts of a DaemonSet would go on `nodes` equal nodes (as many as are eligible when not given): with its own
/// budget first, then with `strategies`, or the usual ones when there are none.
///
/// # Errors
/// Where there is no such DaemonSet.
pub fn forecasts(
    world: &World,
    key: &ObjectKey,
    nodes: Option<usize>,
    strategies: &[Strategy],
) -> Result<Vec<Forecast>, String> {
    let set = find(world, key)?;
    let rules = Rules::of(set);
    let eligible = || world.store().nodes().values().filter(|node| rules.eligibility(node).should_run).count();
    let usual = if strategies.is_empty() { Strategy::usual() } else { strategies.to_vec() };
    let mut all: Vec<Strategy> = Vec::new();
    for strategy in Strategy::of(set).into_iter().chain(usual) {
        if !all.contains(&strategy) {
            all.push(strategy);
        }
    }
    Ok(forecast(set, world.behaviours(), nodes.unwrap_or_else(eligible), &all))
}

/// The same template as a DaemonSet and as a Deployment, both run to the end on copies of the cluster. `replicas` is as many
/// as there are eligible nodes when not given.
///
/// # Errors
/// Where there is no such DaemonSet, or kubectl refused one of both.
pub fn comparison(world: &World, key: &ObjectKey, replicas: Option<usize>) -> Result<Comparison, String> {
    let mut compare = Compare::new(world, find(world, key)?, replicas)?;
    loop {
        if let Some(result) = compare.advance(SLICE)? {
            return Ok(result);
        }
    }
}

/// What applying a text would do to each of its DaemonSets that would change.
///
/// # Errors
/// What kubectl printed when the text cannot be applied.
pub fn effects(world: &World, text: &str) -> Result<Vec<ChangeEffect>, String> {
    let sets = applied(world, text)?;
    Ok(sets.iter().map(|(before, after)| effect(world, before.as_deref(), after)).collect())
}

fn find<'w>(world: &'w World, key: &ObjectKey) -> Result<&'w Rc<DaemonSet>, String> {
    world.store().daemon_set(key).ok_or_else(|| format!("there is no {} {key}", Kind::DaemonSet))
}
