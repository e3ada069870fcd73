//! What the insight modules know, for JavaScript: as data, without prose.

use super::Playground;
use super::border::{give_without_nulls, take};
use crate::insight::compare::Compare;
use crate::insight::forecast::{Strategy, forecast};
use crate::insight::lint::{Known, lint};
use crate::insight::overhead::fleet;
use crate::objects::{DaemonSet, Kind, ObjectKey};
use serde::Deserialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Most slices of steps that a comparison makes.
const SLICES: usize = 50;
/// Steps of a slice.
const SLICE: usize = 2_000;

/// Which DaemonSet, and what about it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    daemonset: String,
    namespace: Option<String>,
    nodes: Option<usize>,
    strategies: Option<Vec<Strategy>>,
    replicas: Option<usize>,
}

impl Question {
    fn read(question: &JsValue, what: &str) -> Result<Self, JsError> {
        take(question, what)?.ok_or_else(|| JsError::new(what))
    }
}

#[wasm_bindgen]
impl Playground {
    /// What there is to say about the DaemonSets of a manifest, given what is in the cluster.
    #[wasm_bindgen(unchecked_return_type = "Finding[]")]
    pub fn lint(&self, text: &str) -> Result<JsValue, JsError> {
        let known = Known { store: Some(self.session.world().store()), behaviours: None };
        give_without_nulls(&lint(text, &known))
    }

    /// What each DaemonSet takes of the nodes; `label` groups the nodes into pools by its values.
    #[wasm_bindgen(unchecked_return_type = "Overhead[]")]
    pub fn overhead(&self, label: Option<String>) -> Result<JsValue, JsError> {
        give_without_nulls(&fleet(self.session.world().store(), label.as_deref()))
    }

    /// What is to be expected of a rollout on so many equal, healthy nodes (as many as the DaemonSet has, when not given),
    /// for each strategy.
    #[wasm_bindgen(unchecked_return_type = "Forecast[]")]
    pub fn forecast(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ForecastQuestion")] question: JsValue,
    ) -> Result<JsValue, JsError> {
        let question = Question::read(&question, "forecast takes an object with daemonset")?;
        let set = self.daemon_set(question.namespace.as_deref(), &question.daemonset)?;
        let desired = usize::try_from(set.status.desired_number_scheduled).unwrap_or_default();
        let strategies = question.strategies.unwrap_or_else(Strategy::usual);
        let behaviours = &self.session.opened().behaviours;
        give_without_nulls(&forecast(set, behaviours, question.nodes.unwrap_or(desired), &strategies))
    }

    /// The same template as a Deployment of so many replicas beside the DaemonSet: who covers every node, who follows a
    /// new one.
    #[wasm_bindgen(unchecked_return_type = "Comparison")]
    pub fn compare(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CompareQuestion")] question: JsValue,
    ) -> Result<JsValue, JsError> {
        let question = Question::read(&question, "compare takes an object with daemonset")?;
        let set = Rc::new(self.daemon_set(question.namespace.as_deref(), &question.daemonset)?.clone());
        let told = |error: String| JsError::new(error.trim());
        let mut compare = Compare::new(self.session.world(), &set, question.replicas).map_err(told)?;
        for _ in 0..SLICES {
            if let Some(result) = compare.advance(SLICE).map_err(told)? {
                return give_without_nulls(&result);
            }
        }
        Err(JsError::new("the comparison does not come to rest"))
    }
}

impl Playground {
    /// A DaemonSet of the cluster.
    ///
    /// # Errors
    /// An `Error` where there is none of that name.
    pub(super) fn daemon_set(&self, namespace: Option<&str>, name: &str) -> Result<&DaemonSet, JsError> {
        let key = ObjectKey::new(namespace.unwrap_or("default"), name);
        let set = self.session.world().store().daemon_set(&key);
        set.map(|set| &**set).ok_or_else(|| JsError::new(&format!("there is no {} {key}", Kind::DaemonSet)))
    }
}
