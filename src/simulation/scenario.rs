//! The scenario file: initial objects and everything a person did, which is all that a run depends on.

use super::sim_command::{MAX_NODES_AT_ONCE, parse_taint};
use crate::kubelet::Behaviours;
use crate::objects::{NodeTemplate, Object, Quantity, Time, encode, prune_nulls};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the format that is written.
pub const SCENARIO_VERSION: u32 = 1;
/// Start of virtual time when a scenario gives none.
pub const DEFAULT_START: &str = "2026-01-05T09:00:00Z";

/// A scenario: save, share, replay, test and lesson files are all of this form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// Version of the format.
    #[serde(default = "current_version")]
    pub version: u32,
    /// What it is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it shows: a title and one sentence for each language (`en`, `fr`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub about: BTreeMap<String, About>,
    /// Chooses names and uids.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Virtual time at the start.
    #[serde(default = "default_start")]
    pub start: Time,
    /// Machines of the cluster at the start, in short: reading the file puts them in front of `objects` as nodes.
    #[serde(default, skip_serializing)]
    pub cluster: Vec<Machines>,
    /// Kubernetes objects that are there at the start, as manifests; what they leave out is filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Value>,
    /// The editor's tabs at the start: `kubectl apply -f NAME` reads them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// How pods behave; the first rule that matches a pod holds.
    #[serde(default, skip_serializing_if = "no_rules")]
    pub behaviours: Behaviours,
    /// What is on the machines beside their pods, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, Machine>,
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogEntry>,
    /// What must hold when it has been played to its end: checks in the form of lesson files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Value>,
    /// Whether it goes round in circles at its end instead of coming to rest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loops: bool,
}

/// Ready nodes of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Machines {
    /// Name; with `count`, the stem of the names: `worker1`, `worker2`…
    pub name: String,
    /// How many.
    pub count: Option<u32>,
    /// Template, as for `sim add-node`; without one, `worker`.
    pub template: Option<String>,
    /// Labels on top of the template's.
    pub labels: BTreeMap<String, String>,
    /// Taints on top of the template's: `key=value:Effect`.
    pub taints: Vec<String>,
    /// Capacity instead of the template's, all of it for pods.
    pub resources: BTreeMap<String, String>,
}

impl Machines {
    /// Adds the nodes to the objects of a scenario that starts then.
    ///
    /// # Errors
    /// What is no template, taint or amount, in the words of the `sim` commands.
    pub fn add_to(&self, objects: &mut Vec<Value>, start: Time) -> Result<(), String> {
        let template = self.template.as_deref().unwrap_or("worker");
        let template = NodeTemplate::from_name(template).ok_or_else(|| format!("there is no template {template:?}"))?;
        let names: Vec<String> = match self.count {
            None => vec![self.name.clone()],
            Some(count) => (1..=count.min(MAX_NODES_AT_ONCE as u32)).map(|n| format!("{}{n}", self.name)).collect(),
        };
        for name in names {
            let number = u32::try_from(objects.len()).unwrap_or(u32::MAX).saturating_add(1);
            let mut node = template.node(&name, number, start);
            for (key, value) in &self.labels {
                node = node.with_label(key, value);
            }
            for taint in &self.taints {
                let taint = parse_taint(taint).ok_or_else(|| format!("{taint:?} is not KEY[=VALUE]:EFFECT"))?;
                node = node.with_taint(taint);
            }
            for (resource, amount) in &self.resources {
                let amount = Quantity::parse(amount).map_err(|_| format!("{amount:?} is no amount"))?;
                node = node.with_resource(resource, amount);
            }
            let mut tree = encode(&Object::from(node).to_value());
            prune_nulls(&mut tree);
            objects.push(tree);
        }
        Ok(())
    }
}

/// What is on a machine beside the pods that the API server knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Machine {
    /// What is used beside the pods, by resource: `memory`, `ephemeral-storage`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub uses: BTreeMap<String, Quantity>,
    /// Manifests of the pods that the kubelet runs by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub static_pods: Vec<Value>,
}

/// What a scenario shows, in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// What it is called.
    pub title: String,
    /// One sentence.
    pub text: String,
}

/// One command of the log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogEntry {
    /// How many steps had been made when it was given. Exact; written by the playground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Virtual time at which it was given, `10s`. For people, who do not count steps: without `step`, the run goes on
    /// until this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The command line.
    pub run: String,
    /// It was given beside a command that waited, as in a second terminal; otherwise it takes the place of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// Files that changed since the last command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// Why a text is no scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// What is wrong, in the words of the reader.
    pub message: String,
    /// Line in the text, from 1, if known.
    pub line: Option<usize>,
    /// Column in the line, from 1, if known.
    pub column: Option<usize>,
}

impl std::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ScenarioError {}

fn current_version() -> u32 {
    SCENARIO_VERSION
}

fn no_rules(behaviours: &Behaviours) -> bool {
    behaviours.0.is_empty()
}

fn default_seed() -> u64 {
    1
}

fn default_start() -> Time {
    Time::parse(DEFAULT_START).unwrap_or_default()
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            version: SCENARIO_VERSION,
            title: String::new(),
            about: BTreeMap::new(),
            seed: default_seed(),
            start: default_start(),
            cluster: Vec::new(),
            objects: Vec::new(),
            files: BTreeMap::new(),
            behaviours: Behaviours::default(),
            machines: BTreeMap::new(),
            log: Vec::new(),
            expect: Vec::new(),
            loops: false,
        }
    }
}

impl Scenario {
    /// Reads a scenario file (YAML or JSON).
    ///
    /// # Errors
    /// Where the text is no YAML, has unknown members, or is of a later version.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let mut scenario: Self = serde_yaml::from_str(text).map_err(|error| {
            let place = error.location();
            ScenarioError {
                message: error.to_string(),
                line: place.as_ref().map(serde_yaml::Location::line),
                column: place.as_ref().map(serde_yaml::Location::column),
            }
        })?;
        scenario.check_version()?;
        let mut objects = Vec::new();
        for machines in std::mem::take(&mut scenario.cluster) {
            let failed = |message| ScenarioError { message, line: None, column: None };
            machines.add_to(&mut objects, scenario.start).map_err(failed)?;
        }
        objects.append(&mut scenario.objects);
        scenario.objects = objects;
        Ok(scenario)
    }

    /// Whether this playground knows the version of the format.
    ///
    /// # Errors
    /// Where it is a later one.
    pub fn check_version(&self) -> Result<(), ScenarioError> {
        if self.version <= SCENARIO_VERSION {
            return Ok(());
        }
        let message = format!(
            "the scenario is of version {}, this playground reads up to version {SCENARIO_VERSION}",
            self.version
        );
        Err(ScenarioError { message, line: None, column: None })
    }

    /// Writes the scenario as YAML.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_reads_back_as_it_was_written() {
        let scenario = Scenario {
            title: "One node: \"quoted\"".into(),
            objects: vec![serde_json::json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker1"}})],
            files: [("a.yaml".to_string(), "kind: DaemonSet\n# a comment\n".to_string())].into(),
            log: vec![LogEntry {
                step: Some(3),
                at: Some("2s".into()),
                run: "kubectl get ds".into(),
                ..LogEntry::default()
            }],
            ..Scenario::default()
        };
        assert_eq!(Scenario::parse(&scenario.to_yaml()), Ok(scenario));
    }

    #[test]
    fn machines_become_nodes_of_the_scenario() {
        let text = "cluster:\n- {name: control-plane, template: control-plane}\n\
                    - {name: w, count: 2, labels: {disk: ssd}, taints: ['a=b:NoSchedule'], resources: {cpu: '2'}}\n";
        let scenario = Scenario::parse(text).unwrap();
        assert_eq!(scenario.objects.len(), 3);
        assert_eq!(scenario.objects[2]["metadata"]["name"], "w2");
        assert_eq!(scenario.objects[2]["metadata"]["labels"]["disk"], "ssd");
        assert_eq!(scenario.objects[2]["status"]["allocatable"]["cpu"], "2");
        assert_eq!(Scenario::parse(&scenario.to_yaml()), Ok(scenario));
        assert!(Scenario::parse("cluster: [{name: a, template: boat}]").unwrap_err().message.contains("boat"));
    }

    #[test]
    fn a_short_file_is_enough_and_a_wrong_one_is_told_where() {
        assert_eq!(Scenario::parse("log:\n- run: kubectl get nodes\n").unwrap().log.len(), 1);
        let error = Scenario::parse("title: x\nlogs: []\n").unwrap_err();
        assert!(error.message.contains("logs") && error.line == Some(2), "{error:?}");
        assert!(Scenario::parse("version: 99\n").unwrap_err().message.contains("99"));
    }
}
