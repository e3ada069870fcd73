use super::{CPU, Container, MEMORY, PodSpec, Quantity, ResourceRequirements};
use crate::order::Collect;
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

impl Container {
    /// Whether the init container keeps running beside the others.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

/// Amounts by resource name, the names borrowed from what they were read from.
pub type AmountsRef<'a> = BTreeMap<&'a str, Quantity>;

impl PodSpec {
    /// What the pod takes of its node, by resource name. See [`Self::request_sums`].
    pub fn effective_requests(&self) -> Amounts {
        self.request_sums(&[]).into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect_map()
    }

    /// What the pod takes of its node: the larger of what its containers and sidecars ask for together and what the
    /// most demanding moment of its start needs; requests of the pod as a whole take the place of that sum; overhead
    /// comes on top. `floor` is what a container counts that names neither request nor limit.
    ///
    /// A request that is missing where a limit is given equals the limit, so that specs before and after defaulting
    /// give the same.
    ///
    /// Follows kubernetes component-helpers resource PodRequests, v1.36.
    pub fn request_sums<'a>(&'a self, floor: &[(&'a str, Quantity)]) -> AmountsRef<'a> {
        let mut running = AmountsRef::new();
        for container in self.containers.iter() {
            add_container(&mut running, container, floor);
        }
        if !self.init_containers.is_empty() {
            let (mut sidecars, mut starting) = (AmountsRef::new(), AmountsRef::new());
            for container in self.init_containers.iter() {
                if container.is_sidecar() {
                    add_container(&mut running, container, floor);
                    add_container(&mut sidecars, container, floor);
                    raise(&mut starting, &sidecars);
                } else {
                    let mut moment = sidecars.clone();
                    add_container(&mut moment, container, floor);
                    raise(&mut starting, &moment);
                }
            }
            raise(&mut running, &starting);
        }
        if let Some(pod_level) = &self.resources {
            apply_pod_level(&mut running, pod_level);
        }
        for (name, amount) in self.overhead.iter() {
            add(&mut running, name, *amount);
        }
        running
    }
}

/// Adds a container's requests, its limits where it names no request, and the floor where it names neither.
fn add_container<'a>(sum: &mut AmountsRef<'a>, container: &'a Container, floor: &[(&'a str, Quantity)]) {
    let resources = container.resources.as_ref();
    if let Some(resources) = resources {
        resources.requests.iter().for_each(|(name, amount)| add(sum, name, *amount));
        let only_limited = resources.limits.iter().filter(|(name, _)| !resources.requests.contains_key(*name));
        only_limited.for_each(|(name, amount)| add(sum, name, *amount));
    }
    for (name, amount) in floor {
        if !resources.is_some_and(|r| r.requests.contains_key(*name) || r.limits.contains_key(*name)) {
            add(sum, name, *amount);
        }
    }
}

/// Requests of the pod as a whole replace those of the containers. Where only a limit is given, what the containers
/// ask for counts and, if they ask for nothing, the limit; huge pages cannot be shared, so there it is the limit.
fn apply_pod_level<'a>(sum: &mut AmountsRef<'a>, pod_level: &'a ResourceRequirements) {
    let is_huge_pages = |name: &str| name.starts_with("hugepages-");
    let supported = |name: &str| name == CPU || name == MEMORY || is_huge_pages(name);
    for (name, amount) in pod_level.requests.iter().filter(|(name, _)| supported(name)) {
        sum.insert(name, *amount);
    }
    for (name, amount) in pod_level.limits.iter().filter(|(name, _)| supported(name)) {
        if !pod_level.requests.contains_key(name) && (is_huge_pages(name) || !sum.contains_key(name.as_str())) {
            sum.insert(name, *amount);
        }
    }
}

fn add<'a>(sum: &mut AmountsRef<'a>, name: &'a str, amount: Quantity) {
    let present = sum.entry(name).or_default();
    *present = present.plus(amount);
}

fn raise<'a>(most: &mut AmountsRef<'a>, other: &AmountsRef<'a>) {
    for (name, amount) in other {
        let present = most.entry(name).or_default();
        if *amount > *present {
            *present = *amount;
        }
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
