//! What a pod's containers request together, and the quality of service that follows.
//!
//! Follows kubernetes component-helpers resource/helpers.go and pkg/apis/core/helper/qos, v1.36.
use crate::apiserver::schema::Tree;
use crate::objects::Quantity;
use crate::order::Collect;
use std::collections::BTreeMap;

/// Amounts by resource.
pub type Amounts = BTreeMap<String, Quantity>;

fn amounts(container: Tree<'_>, side: &str) -> Amounts {
    let list = container.at("resources").map(side);
    list.map(|(name, amount)| (name.clone(), Quantity::parse(amount.text()).unwrap_or_default())).collect_map()
}

fn add(total: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = total.get(name).copied().unwrap_or_default().plus(*amount);
        total.insert(name.clone(), sum);
    }
}

fn raise(total: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let known = total.get(name).copied();
        if known.is_none_or(|known| known < *amount) {
            total.insert(name.clone(), *amount);
        }
    }
}

/// The sum over the containers and the sidecars, or what the start of an init container needs if that is more.
/// `side` is `requests` or `limits`.
pub fn container_amounts(spec: Tree<'_>, side: &str) -> Amounts {
    let mut total = Amounts::new();
    for container in spec.list("containers") {
        add(&mut total, &amounts(container, side));
    }
    let (mut sidecars, mut starting) = (Amounts::new(), Amounts::new());
    for container in spec.list("initContainers") {
        let own = amounts(container, side);
        if container.str("restartPolicy") == "Always" {
            add(&mut total, &own);
            add(&mut sidecars, &own);
            raise(&mut starting, &sidecars);
        } else {
            let mut at_once = sidecars.clone();
            add(&mut at_once, &own);
            raise(&mut starting, &at_once);
        }
    }
    raise(&mut total, &starting);
    total
}

/// Whether a pod may ask for the resource as a whole.
pub fn is_pod_level(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory") || resource.starts_with("hugepages-")
}

/// What a whole pod requests or is limited to: its own amounts go before those of its containers, its overhead is
/// added.
pub fn pod_amounts(spec: Tree<'_>, side: &str) -> Amounts {
    let mut total = container_amounts(spec, side);
    total.extend(amounts(spec, side).into_iter().filter(|(name, _)| is_pod_level(name)));
    for (name, amount) in spec.map("overhead") {
        let overhead = Quantity::parse(amount.text()).unwrap_or_default();
        // A limit that is not there stays unlimited.
        if side == "requests" || total.contains_key(name) {
            add(&mut total, &[(name.clone(), overhead)].into_iter().collect_map());
        }
    }
    total
}

/// `Guaranteed`, `Burstable` or `BestEffort`.
pub fn qos_class(spec: Tree<'_>) -> &'static str {
    const COMPUTE: [&str; 2] = ["cpu", "memory"];
    let positive = |amounts: &Amounts, name: &str| {
        amounts.get(name).copied().filter(|amount| !amount.is_zero() && !amount.is_negative())
    };
    // Resources of the pod as a whole decide alone.
    let whole: Vec<Tree<'_>> = if spec.at("resources").has("requests") || spec.at("resources").has("limits") {
        vec![spec]
    } else {
        spec.list("containers").chain(spec.list("initContainers")).collect()
    };
    let (mut any, mut all_limited) = (false, true);
    let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
    for one in whole {
        let (own_requests, own_limits) = (amounts(one, "requests"), amounts(one, "limits"));
        for name in COMPUTE {
            for (own, total) in [(&own_requests, &mut requests), (&own_limits, &mut limits)] {
                if let Some(amount) = positive(own, name) {
                    any = true;
                    add(total, &[(name.to_owned(), amount)].into_iter().collect_map());
                }
            }
            all_limited &= positive(&own_limits, name).is_some();
        }
    }
    if !any {
        "BestEffort"
    } else if all_limited
        && requests.iter().all(|(name, amount)| limits.get(name) == Some(amount))
        && requests.len() == limits.len()
    {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn container(cpu_request: &str, cpu_limit: &str) -> Value {
        json!({"resources": {"requests": {"cpu": cpu_request, "memory": "1Gi"}, "limits": {"cpu": cpu_limit, "memory": "1Gi"}}})
    }

    #[test]
    fn quality_of_service_follows_requests_and_limits() {
        let of = |spec: Value| qos_class(Tree(&spec));
        assert_eq!(of(json!({"containers": [{}]})), "BestEffort");
        assert_eq!(of(json!({"containers": [container("1", "1")]})), "Guaranteed");
        assert_eq!(of(json!({"containers": [container("1", "2")]})), "Burstable");
        assert_eq!(of(json!({"containers": [container("1", "1"), {}]})), "Burstable");
        assert_eq!(of(json!({"containers": [{"resources": {"requests": {"cpu": "0"}}}]})), "BestEffort");
    }

    #[test]
    fn init_containers_count_where_they_need_more() {
        let requests = |amount: &str| json!({"resources": {"requests": {"cpu": amount}}});
        let mut sidecar = requests("1");
        sidecar["restartPolicy"] = json!("Always");
        let spec = json!({"containers": [requests("1"), requests("500m")], "initContainers": [sidecar, requests("3")]});
        assert_eq!(container_amounts(Tree(&spec), "requests").get("cpu").unwrap().to_string(), "4");
        let spec = json!({"containers": [requests("2"), requests("2")], "initContainers": [requests("3")]});
        assert_eq!(container_amounts(Tree(&spec), "requests").get("cpu").unwrap().to_string(), "4");
    }
}
