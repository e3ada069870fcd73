//! The scenario file: initial objects and everything a person did, which is all that a run depends on.

use crate::kubelet::Behaviours;
use crate::objects::Time;
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
    /// Kubernetes objects that are there at the start, as manifests; what they leave out is filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Value>,
    /// The editor's tabs at the start: `kubectl apply -f NAME` reads them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// How pods behave; the first rule that matches a pod holds.
    #[serde(default, skip_serializing_if = "no_rules")]
    pub behaviours: Behaviours,
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
            objects: Vec::new(),
            files: BTreeMap::new(),
            behaviours: Behaviours::default(),
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
        let scenario: Self = serde_yaml::from_str(text).map_err(|error| {
            let place = error.location();
            ScenarioError {
                message: error.to_string(),
                line: place.as_ref().map(serde_yaml::Location::line),
                column: place.as_ref().map(serde_yaml::Location::column),
            }
        })?;
        scenario.check_version()?;
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
    fn a_short_file_is_enough_and_a_wrong_one_is_told_where() {
        assert_eq!(Scenario::parse("log:\n- run: kubectl get nodes\n").unwrap().log.len(), 1);
        let error = Scenario::parse("title: x\nlogs: []\n").unwrap_err();
        assert!(error.message.contains("logs") && error.line == Some(2), "{error:?}");
        assert!(Scenario::parse("version: 99\n").unwrap_err().message.contains("99"));
    }
}
