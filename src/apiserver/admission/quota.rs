//! ResourceQuotas: how much a namespace may hold.
//!
//! Follows kubernetes plugin/pkg/admission/resourcequota and pkg/quota/v1/evaluator/core/pods.go, v1.36.
use super::requests::{Amounts, pod_amounts, qos_class};
use crate::apiserver::schema::{Resource, Tree};
use crate::objects::Quantity;
use crate::order::Order;
use serde_json::Value;
use std::collections::BTreeMap;

/// A quota and what is used of it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaState {
    /// Its name.
    pub name: String,
    /// Its `spec`.
    pub spec: Value,
    /// What the objects it counts use, by resource (see [`pod_usage`]); absent resources count as unused.
    pub used: BTreeMap<String, Quantity>,
}

/// What a pod counts against quotas: itself, and its requests and limits under their quota names.
pub fn pod_usage(pod: &Value) -> Amounts {
    let tree = Tree(pod);
    let one = Quantity::from_units(1);
    let mut usage = Amounts::from([("count/pods".to_owned(), one)]);
    if matches!(tree.at("status").str("phase"), "Succeeded" | "Failed") {
        return usage;
    }
    usage.insert("pods".into(), one);
    let spec = tree.at("spec");
    for (name, amount) in pod_amounts(spec, "requests") {
        if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-") {
            usage.insert(name.clone(), amount);
        }
        usage.insert(format!("requests.{name}"), amount);
    }
    for (name, amount) in pod_amounts(spec, "limits") {
        if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") {
            usage.insert(format!("limits.{name}"), amount);
        }
    }
    usage
}

/// Whether a quota (its `spec`) counts a pod: all its scopes must hold.
pub fn quota_applies(spec: &Value, pod: &Value) -> bool {
    let quota = Tree(spec);
    let scopes = quota.list("scopes").all(|scope| in_scope(scope.text(), "Exists", &[], pod));
    scopes
        && quota.at("scopeSelector").list("matchExpressions").all(|expression| {
            let values: Vec<&str> = expression.list("values").map(Tree::text).collect();
            in_scope(expression.str("scopeName"), expression.str("operator"), &values, pod)
        })
}

fn in_scope(scope: &str, operator: &str, values: &[&str], pod: &Value) -> bool {
    let spec = Tree(pod).at("spec");
    let terminating = spec.has("activeDeadlineSeconds");
    let best_effort = qos_class(spec) == "BestEffort";
    match scope {
        "Terminating" => terminating,
        "NotTerminating" => !terminating,
        "BestEffort" => best_effort,
        "NotBestEffort" => !best_effort,
        "PriorityClass" => {
            let class = spec.str("priorityClassName");
            match operator {
                "In" => values.contains(&class),
                "NotIn" => !values.contains(&class),
                "DoesNotExist" => class.is_empty(),
                _ => !class.is_empty(),
            }
        }
        "CrossNamespacePodAffinity" => ["podAffinity", "podAntiAffinity"].iter().any(|kind| {
            let affinity = spec.at("affinity").at(kind);
            let required = affinity.list("requiredDuringSchedulingIgnoredDuringExecution");
            let preferred =
                affinity.list("preferredDuringSchedulingIgnoredDuringExecution").map(|term| term.at("podAffinityTerm"));
            let crosses = |term: Tree<'_>| term.len("namespaces") > 0 || term.has("namespaceSelector");
            required.chain(preferred).any(crosses)
        }),
        _ => false,
    }
}

/// Why a quota refuses a new object.
pub fn exceeded(quotas: Vec<QuotaState>, resource: &Resource, new: &Value) -> Option<String> {
    let is_pod = resource.kind == "Pod";
    let usage = if is_pod {
        pod_usage(new)
    } else {
        let one = Quantity::from_units(1);
        let counted = format!("count/{}", resource.qualified_plural());
        Amounts::from([(counted, one), (resource.plural.to_owned(), one)])
    };
    let matching: Vec<&QuotaState> = quotas.iter().filter(|quota| !is_pod || quota_applies(&quota.spec, new)).collect();
    for quota in &matching {
        if is_pod && let Some(missing) = unspecified(quota, new) {
            return Some(format!("failed quota: {}: must specify {missing}", quota.name));
        }
    }
    for quota in matching {
        let hard = |name: &str| {
            let amount = Tree(&quota.spec).at("hard").at(name);
            amount.exists().then(|| Quantity::parse(amount.text()).unwrap_or_default())
        };
        let used = |name: &str| quota.used.get(name).copied().unwrap_or_default();
        let over: Vec<(&String, Quantity, Quantity, Quantity)> = usage
            .iter()
            .filter_map(|(name, amount)| Some((name, *amount, used(name), hard(name)?)))
            .filter(|(_, amount, used, hard)| used.plus(*amount) > *hard)
            .collect();
        if !over.is_empty() {
            let print = |pick: fn(&(&String, Quantity, Quantity, Quantity)) -> Quantity| {
                over.iter().map(|row| format!("{}={}", row.0, pick(row))).collect::<Vec<_>>().join(",")
            };
            return Some(format!(
                "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                quota.name,
                print(|row| row.1),
                print(|row| row.2),
                print(|row| row.3)
            ));
        }
    }
    None
}

/// Where a quota limits a compute resource, every container must name an amount: what is missing.
fn unspecified(quota: &QuotaState, pod: &Value) -> Option<String> {
    const COMPUTE: &[&str] = &["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];
    let spec = Tree(pod).at("spec");
    let mut list: Vec<String> = Vec::new();
    for name in COMPUTE.iter().filter(|name| Tree(&quota.spec).at("hard").has(name)) {
        let (side, resource) = name.split_once('.').unwrap_or(("requests", name));
        if spec.at("resources").at(side).has(resource) {
            continue;
        }
        let lacking = |container: &Tree<'_>| !container.at("resources").at(side).has(resource);
        let all = spec.list("containers").chain(spec.list("initContainers"));
        let mut containers: Vec<String> = all.filter(lacking).map(|c| c.str("name").to_owned()).collect();
        containers.order();
        containers.dedup();
        if !containers.is_empty() {
            list.push(format!("{name} for: {}", containers.join(",")));
        }
    }
    (!list.is_empty()).then(|| list.join("; "))
}
