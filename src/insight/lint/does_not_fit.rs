//! The pod asks for more than a node has, even an empty one: there it stays Pending. A 16-cpu node has less than 16 to
//! give, since the system keeps a part.

use super::report::{Found, Report};
use super::subject::{POD, Subject};
use crate::objects::{CPU, MEMORY, Quantity, allocatable_of, spec_requests};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let requests = spec_requests(subject.spec());
    let eligible = subject.eligible();
    for (resource, asked) in requests.iter() {
        let small: Vec<_> = eligible.iter().filter(|node| allocatable_of(node, resource) < asked).collect();
        let Some(first) = small.first() else { continue };
        let shown = |amount: i64| match resource {
            CPU => Quantity::from_milli(amount),
            MEMORY => Quantity::from_bytes(amount),
            _ => Quantity::from_units(amount),
        };
        report.add(
            Found::warning(format!("{POD}.containers[0].resources"))
                .fact("resource", resource)
                .fact("asked", shown(asked))
                .fact("node", &first.metadata.name)
                .fact("has", shown(allocatable_of(first, resource)))
                .fact("nodes", small.len())
                .fact("eligible", eligible.len()),
        );
    }
}
