//! LimitRanges: defaults for containers, bounds for containers and pods.
//!
//! Follows kubernetes plugin/pkg/admission/limitranger, v1.36.
use super::requests::{Amounts, container_amounts};
use crate::apiserver::schema::Tree;
use crate::apiserver::schema::value::{object_at, objects_of};
use crate::objects::Quantity;
use crate::order::Collect;
use serde_json::{Value, json};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Fills the defaults of a limit range (its `spec`) into the containers of a pod.
pub fn apply_limit_range(range: &Value, pod: &mut Value) {
    let range = Tree(range);
    let mut notes: Vec<String> = Vec::new();
    let Some(object) = pod.as_object_mut() else { return };
    for item in range.list("limits").filter(|item| item.str("type") == "Container") {
        let Some(spec) = object_at(object, "spec") else { return };
        for (list, word) in [("containers", "container"), ("initContainers", "init container")] {
            for container in objects_of(spec, list) {
                let name = container.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
                let Some(resources) = object_at(container, "resources") else { continue };
                for (side, source) in [("requests", "defaultRequest"), ("limits", "default")] {
                    let mut set: Vec<&str> = Vec::new();
                    for (resource, amount) in item.map(source) {
                        if let Some(amounts) = object_at(resources, side)
                            && !amounts.contains_key(resource)
                        {
                            amounts.insert(resource.clone(), amount.0.clone());
                            set.push(resource);
                        }
                    }
                    if !set.is_empty() {
                        let side = side.trim_end_matches('s');
                        notes.push(format!("{} {side} for {word} {name}", set.join(", ")));
                    }
                }
            }
        }
    }
    if !notes.is_empty()
        && let Some(meta) = object_at(object, "metadata")
        && let Some(annotations) = object_at(meta, "annotations")
    {
        annotations.insert(ANNOTATION.into(), json!(format!("LimitRanger plugin set: {}", notes.join("; "))));
    }
}

/// What a limit range (its `spec`) refuses about a pod.
pub fn limit_range_faults(range: &Value, pod: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let spec = Tree(pod).at("spec");
    for item in Tree(range).list("limits") {
        match item.str("type") {
            "Container" => {
                for container in spec.list("containers").chain(spec.list("initContainers")) {
                    let side = |name: &str| {
                        let list = container.at("resources").map(name);
                        list.map(|(name, amount)| (name.clone(), parse(amount))).collect_map()
                    };
                    bounds(item, "Container", &side("requests"), &side("limits"), &mut faults);
                }
            }
            "Pod" => {
                let (requests, limits) = (container_amounts(spec, "requests"), container_amounts(spec, "limits"));
                bounds(item, "Pod", &requests, &limits, &mut faults);
            }
            _ => {}
        }
    }
    faults
}

fn parse(amount: Tree<'_>) -> Quantity {
    Quantity::parse(amount.text()).unwrap_or_default()
}

fn bounds(item: Tree<'_>, kind: &str, requests: &Amounts, limits: &Amounts, faults: &mut Vec<String>) {
    for (name, bound) in item.map("min") {
        let bound = parse(bound);
        let text = format!("minimum {name} usage per {kind} is {bound}");
        match requests.get(name) {
            None => faults.push(format!("{text}.  No request is specified")),
            Some(request) if *request < bound => faults.push(format!("{text}, but request is {request}")),
            Some(_) => {
                if let Some(limit) = limits.get(name).filter(|limit| **limit < bound) {
                    faults.push(format!("{text}, but limit is {limit}"));
                }
            }
        }
    }
    for (name, bound) in item.map("max") {
        let bound = parse(bound);
        let text = format!("maximum {name} usage per {kind} is {bound}");
        match limits.get(name) {
            None => faults.push(format!("{text}.  No limit is specified")),
            Some(limit) if *limit > bound => faults.push(format!("{text}, but limit is {limit}")),
            Some(_) => {
                if let Some(request) = requests.get(name).filter(|request| **request > bound) {
                    faults.push(format!("{text}, but request is {request}"));
                }
            }
        }
    }
    for (name, bound) in item.map("maxLimitRequestRatio") {
        let bound = parse(bound);
        let text = format!("{name} max limit to request ratio per {kind} is {bound}");
        let nonzero = |amounts: &Amounts| amounts.get(name).copied().filter(|amount| !amount.is_zero());
        match (nonzero(requests), nonzero(limits)) {
            (None, _) => faults.push(format!("{text}, but no request is specified or request is 0")),
            (_, None) => faults.push(format!("{text}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                // In millionths, as many digits as are printed.
                let ratio = limit.nano_value().saturating_mul(1_000_000).checked_div(request.nano_value()).unwrap_or(0);
                if ratio > bound.nano_value() / 1000 {
                    let (whole, rest) = (ratio / 1_000_000, ratio % 1_000_000);
                    faults.push(format!("{text}, but provided ratio is {whole}.{rest:06}"));
                }
            }
        }
    }
}
