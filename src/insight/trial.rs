//! A world to try things out in: a copy that runs in slices, so that a page can show progress and stop.

use crate::apiserver::Change;
use crate::objects::{DaemonSet, Kind, Object, ObjectKey};
use crate::order::Collect;
use crate::simulation::{Reason, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A trial that takes more steps than this will not end.
const MOST_STEPS: usize = 3_000_000;

/// A copy of a world, and how many steps it has made.
#[derive(Clone, Debug)]
pub struct Trial {
    world: World,
    steps: usize,
}

/// How a command on a trial went: exit code 0, or what it printed instead.
pub type Told = Result<(), String>;

impl Trial {
    /// A copy to try things out in; nothing that happens here happens in the original.
    pub fn new(world: World) -> Self {
        Self { world, steps: 0 }
    }

    /// The copy as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Steps made so far.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Runs a command line and gives what it changed.
    ///
    /// # Errors
    /// What the command printed when it failed.
    pub fn run(&mut self, line: &str, files: &BTreeMap<String, String>) -> Result<Rc<[Change]>, String> {
        self.steps += 1;
        let turned = self.world.run_command(line, files, self.steps, false);
        match &turned.reason {
            Reason::Command(run) if run.exit_code.is_some_and(|code| code != 0) => Err(run.stderr.clone()),
            _ => Ok(turned.changes),
        }
    }

    /// Applies objects, as `kubectl apply` does.
    ///
    /// # Errors
    /// What kubectl printed when it failed.
    pub fn apply(&mut self, objects: &[Value]) -> Told {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        let files = [("trial.json".to_owned(), list.to_string())].into_iter().collect_map();
        self.run("kubectl apply -f trial.json", &files).map(drop)
    }

    /// Merges a patch into a DaemonSet.
    ///
    /// # Errors
    /// What kubectl printed when it failed.
    pub fn patch(&mut self, key: &ObjectKey, patch: &Value) -> Result<Rc<[Change]>, String> {
        let line = format!("kubectl patch daemonset {} -n {} --type=merge -p '{patch}'", key.name, key.namespace);
        self.run(&line, &BTreeMap::new())
    }

    /// Makes the next step. `None`: nothing is due but retries that only repeat what has happened.
    pub fn step(&mut self) -> Option<Rc<[Change]>> {
        if self.world.agenda().is_quiet() || self.steps >= MOST_STEPS {
            return None;
        }
        self.steps += 1;
        self.world.take_turn(self.steps).map(|turned| turned.changes)
    }

    /// Makes steps until nothing is due, at most `budget`; whether it is quiet now.
    pub fn settle(&mut self, budget: usize) -> bool {
        (0..budget).any(|_| self.step().is_none())
    }
}

/// A DaemonSet as a manifest: what a person writes, without what the cluster added.
pub fn manifest_of(daemonset: &DaemonSet) -> Value {
    json!({
        "apiVersion": Kind::DaemonSet.api_version(),
        "kind": Kind::DaemonSet.name(),
        "metadata": {"name": daemonset.metadata.name, "namespace": daemonset.metadata.namespace},
        "spec": daemonset.spec,
    })
}

/// A DaemonSet as it was, if it was there, and as it would be.
pub type Applied = (Option<Rc<DaemonSet>>, Rc<DaemonSet>);

/// What applying a text makes of its DaemonSets: each with all defaults, and as it was before. Nothing is changed.
///
/// # Errors
/// What kubectl printed when the text cannot be applied.
pub fn applied(world: &World, text: &str) -> Result<Vec<Applied>, String> {
    let mut trial = Trial::new(world.clone());
    let files = [("trial.yaml".to_owned(), text.to_owned())].into_iter().collect_map();
    let changes = trial.run("kubectl apply -f trial.yaml", &files)?;
    let mut sets: Vec<Rc<DaemonSet>> = Vec::new();
    for change in changes.iter() {
        if let Some(Object::DaemonSet(set)) = &change.after {
            sets.retain(|known| known.metadata.key() != set.metadata.key());
            sets.push(Rc::clone(set));
        }
    }
    let before = |set: &DaemonSet| world.store().daemon_set(&set.metadata.key()).cloned();
    Ok(sets.into_iter().map(|set| (before(&set), set)).collect())
}
