use super::{StringMap, api_struct};
use crate::order::Order;
use std::collections::BTreeMap;

api_struct! {
    /// Selects objects by their labels; everything given must hold.
    pub struct LabelSelector {
        /// Label equals value.
        pub match_labels: StringMap,
        /// `In`, `NotIn`, `Exists`, `DoesNotExist`.
        pub match_expressions: Vec<LabelSelectorRequirement>,
    }

    /// One condition on a label.
    pub struct LabelSelectorRequirement {
        /// Label key.
        pub key: String,
        /// `In`, `NotIn`, `Exists`, `DoesNotExist`.
        pub operator: String,
        /// What the operator compares with.
        pub values: Vec<String>,
    }
}

impl LabelSelector {
    /// A selector that names nothing selects everything.
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Whether the labels satisfy the selector.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|r| r.matches(labels.get(&r.key).map(String::as_str)))
    }
}

impl LabelSelectorRequirement {
    /// Whether a label with this value (absent: `None`) satisfies the requirement.
    pub fn matches(&self, value: Option<&str>) -> bool {
        match (self.operator.as_str(), value) {
            ("In", Some(value)) => self.values.iter().any(|v| v == value),
            ("NotIn", Some(value)) => !self.values.iter().any(|v| v == value),
            ("NotIn" | "DoesNotExist", None) | ("Exists", Some(_)) => true,
            _ => false,
        }
    }
}

/// As kubectl prints a selector: `app=web,tier in (a,b),!legacy`; an empty one is `<none>`.
impl std::fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts: Vec<(&str, String)> =
            self.match_labels.iter().map(|(key, value)| (key.as_str(), format!("{key}={value}"))).collect();
        for r in &self.match_expressions {
            let mut values = r.values.clone();
            values.order();
            let text = match r.operator.as_str() {
                "In" => format!("{} in ({})", r.key, values.join(",")),
                "NotIn" => format!("{} notin ({})", r.key, values.join(",")),
                "DoesNotExist" => format!("!{}", r.key),
                _ => r.key.clone(),
            };
            parts.push((&r.key, text));
        }
        parts.order_by(|a, b| a.0.cmp(b.0));
        if parts.is_empty() {
            return f.write_str("<none>");
        }
        let texts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        f.write_str(&texts.join(","))
    }
}
