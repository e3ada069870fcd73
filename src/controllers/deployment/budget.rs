//! How many pods may be missing and how many too many.

use crate::objects::*;

/// The number or percentage of `total`, rounded down. `None` for a text that is no percentage.
fn scaled_down(value: &IntOrString, total: i64) -> Option<i64> {
    match value {
        IntOrString::Int(n) => Some(*n),
        IntOrString::String(text) => {
            let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
            Some(percent.checked_mul(total)?.div_euclid(100))
        }
    }
}

/// Pods that may be too many and pods that may be missing: the surge rounds up, the other down, and they are not both
/// nothing.
///
/// Follows kubernetes pkg/controller/deployment/util ResolveFenceposts, v1.36.
fn fenceposts(deployment: &Deployment) -> (i32, i32) {
    let budget = deployment.spec.strategy.rolling_update.as_ref();
    let total = i64::from(replicas(deployment));
    let quarter = || IntOrString::String("25%".into());
    let surge = budget.and_then(|b| b.max_surge.clone()).unwrap_or_else(quarter);
    let unavailable = budget.and_then(|b| b.max_unavailable.clone()).unwrap_or_else(quarter);
    let narrow = |n: Option<i64>| i32::try_from(n.unwrap_or(0).max(0)).unwrap_or(i32::MAX);
    let (surge, unavailable) = (narrow(surge.scaled_up(total)), narrow(scaled_down(&unavailable, total)));
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

/// Pods wanted.
pub fn replicas(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.unwrap_or(1)
}

/// Whether the strategy is RollingUpdate.
pub fn is_rolling(deployment: &Deployment) -> bool {
    deployment.spec.strategy.type_ != "Recreate"
}

/// How many pods may be too many.
pub fn max_surge(deployment: &Deployment) -> i32 {
    if is_rolling(deployment) { fenceposts(deployment).0 } else { 0 }
}

/// How many pods may be missing.
pub fn max_unavailable(deployment: &Deployment) -> i32 {
    let replicas = replicas(deployment);
    if !is_rolling(deployment) || replicas == 0 { 0 } else { fenceposts(deployment).1.min(replicas) }
}

/// Pods that the ReplicaSets ask for.
pub fn total<'a>(sets: impl IntoIterator<Item = &'a ReplicaSet>) -> i32 {
    sets.into_iter().map(|set| set.spec.replicas.unwrap_or(1)).fold(0, i32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn budget(replicas: i32, strategy: serde_json::Value) -> (i32, i32) {
        let deployment: Deployment = decode(json!({"spec": {"replicas": replicas, "strategy": strategy}})).unwrap();
        (max_surge(&deployment), max_unavailable(&deployment))
    }

    #[test]
    fn surge_rounds_up_and_unavailable_down() {
        assert_eq!(budget(10, json!({"type": "RollingUpdate"})), (3, 2));
        assert_eq!(budget(3, json!({"type": "RollingUpdate"})), (1, 0));
        assert_eq!(budget(0, json!({"type": "RollingUpdate"})), (0, 0));
        let none = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "10%"}});
        assert_eq!(budget(3, none), (0, 1));
        let all = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "100%", "maxUnavailable": 50}});
        assert_eq!(budget(4, all), (4, 4));
        assert_eq!(budget(4, json!({"type": "Recreate"})), (0, 0));
    }
}
