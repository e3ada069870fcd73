//! Amounts as a person would write them.

use super::edit::{ContainerList, PlacementEdit};
use crate::objects::*;

const MEBIBYTE: i64 = 1024 * 1024;

/// Whether the resource is counted in bytes.
fn is_bytes(resource: &str) -> bool {
    resource == MEMORY || resource == EPHEMERAL_STORAGE || resource.starts_with("hugepages-")
}

/// Whether a container's request and limit have to be the same: whole devices and huge pages cannot be shared.
pub fn is_whole(resource: &str) -> bool {
    !matches!(resource, CPU | MEMORY | EPHEMERAL_STORAGE)
}

/// An amount in the scheduler's numbers as a quantity, rounded down to what reads well.
pub fn at_most(resource: &str, amount: i64) -> Quantity {
    if resource == CPU {
        Quantity::from_milli(amount)
    } else if is_bytes(resource) && !is_whole(resource) && amount >= MEBIBYTE {
        Quantity::from_bytes(amount - amount % MEBIBYTE)
    } else if is_bytes(resource) {
        Quantity::from_bytes(amount)
    } else {
        Quantity::from_units(amount)
    }
}

/// The same, rounded up.
pub fn at_least(resource: &str, amount: i64) -> Quantity {
    let rest = amount % MEBIBYTE;
    if is_bytes(resource) && rest != 0 {
        return Quantity::from_bytes(amount.saturating_add(MEBIBYTE - rest));
    }
    at_most(resource, amount)
}

/// What a container asks for of a resource in the scheduler's numbers; a missing request is the limit.
fn asked(container: &Container, resource: &str) -> i64 {
    let amount = container.request(resource).or_else(|| container.limit(resource)).unwrap_or_default();
    if resource == CPU { amount.milli_value() } else { amount.value() }
}

/// Single edits that let the pod ask for `excess` less of the resource, or at least for less.
pub fn to_ask_for_less(spec: &PodSpec, resource: &str, excess: i64) -> Vec<PlacementEdit> {
    let mut edits = Vec::new();
    let of_pod = spec.resources.as_ref().and_then(|resources| resources.requests.get(resource)).copied();
    if let Some(amount) = of_pod {
        let amount = if resource == CPU { amount.milli_value() } else { amount.value() };
        // It may not be less than what the containers ask for together; where it would be, they come first.
        let floor: i64 = spec.containers.iter().map(|c| asked(c, resource)).fold(0, i64::saturating_add);
        let wanted = amount.saturating_sub(excess).max(floor);
        if wanted < amount {
            edits.push(PlacementEdit::SetPodRequest {
                resource: resource.to_owned(),
                amount: at_most(resource, wanted),
            });
        }
    }
    let lists = [(ContainerList::Containers, &spec.containers), (ContainerList::Init, &spec.init_containers)];
    for (list, containers) in lists {
        for (index, container) in containers.iter().enumerate() {
            let present = asked(container, resource);
            if present <= 0 {
                continue;
            }
            edits.push(PlacementEdit::SetRequest {
                list,
                container: index,
                resource: resource.to_owned(),
                amount: at_most(resource, present.saturating_sub(excess).max(0)),
                limit_too: is_whole(resource),
            });
        }
    }
    edits
}
