use super::{CPU, Container, MEMORY, PodSpec, Quantity};
use std::collections::BTreeMap;

/// Amounts by resource name, summed up.
pub type Amounts = BTreeMap<String, Quantity>;

/// Adds `more` to `sum`, resource by resource.
pub fn add_amounts(sum: &mut Amounts, more: &BTreeMap<String, Quantity>) {
    for (name, amount) in more {
        let present = sum.get(name).copied().unwrap_or_default();
        sum.insert(name.clone(), present.plus(*amount));
    }
}

fn raise_amounts(most: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let present = most.get(name).copied().unwrap_or_default();
        if *amount > present {
            most.insert(name.clone(), *amount);
        }
    }
}

impl Container {
    /// Whether the init container keeps running beside the others.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

impl PodSpec {
    /// What the pod takes of its node: the larger of what its containers and sidecars ask for together and what the
    /// most demanding moment of its start needs; cpu and memory requests of the pod as a whole go first; plus overhead.
    ///
    /// Follows kubernetes component-helpers resource PodRequests, v1.36.
    pub fn effective_requests(&self) -> Amounts {
        let requests = |container: &Container| container.resources.as_ref().map(|r| r.requests.clone());
        let mut running = Amounts::new();
        for container in self.containers.iter() {
            add_amounts(&mut running, &requests(container).unwrap_or_default());
        }
        let (mut sidecars, mut starting) = (Amounts::new(), Amounts::new());
        for container in self.init_containers.iter() {
            let own = requests(container).unwrap_or_default();
            if container.is_sidecar() {
                add_amounts(&mut running, &own);
                add_amounts(&mut sidecars, &own);
                raise_amounts(&mut starting, &sidecars);
            } else {
                let mut moment = sidecars.clone();
                add_amounts(&mut moment, &own);
                raise_amounts(&mut starting, &moment);
            }
        }
        raise_amounts(&mut running, &starting);
        if let Some(pod_level) = &self.resources {
            for (name, amount) in pod_level.requests.iter() {
                if name == CPU || name == MEMORY || name.starts_with("hugepages-") {
                    running.insert(name.clone(), *amount);
                }
            }
        }
        add_amounts(&mut running, &self.overhead);
        running
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::decode;
    use serde_json::json;

    fn spec(tree: serde_json::Value) -> PodSpec {
        decode(tree).unwrap()
    }

    #[test]
    fn init_containers_count_only_where_they_need_more_than_the_containers() {
        let spec = spec(json!({
            "initContainers": [
                {"name": "setup", "resources": {"requests": {"cpu": "900m"}}},
                {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m", "memory": "10Mi"}}},
                {"name": "late", "resources": {"requests": {"cpu": "300m"}}},
            ],
            "containers": [
                {"name": "a", "resources": {"requests": {"cpu": "200m", "memory": "50Mi"}}},
                {"name": "b", "resources": {"requests": {"cpu": "300m"}}},
            ],
            "overhead": {"cpu": "10m"},
        }));
        let requests = spec.effective_requests();
        assert_eq!(requests.get(CPU).unwrap().to_string(), "910m");
        assert_eq!(requests.get(MEMORY).unwrap().to_string(), "60Mi");
    }
}
