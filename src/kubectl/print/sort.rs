use super::jsonpath::{JsonPath, compare};
use crate::kubectl::error::{CliError, Result};
use crate::order::Order;
use serde_json::Value;

/// Up to so many items Go's sort puts each in its place, one after the other, and equal ones keep their order.
const INSERTED: usize = 12;

/// Sorts objects as `--sort-by` asks. Objects without the field come first.
///
/// # Errors
/// A path that cannot be read, or that no object has.
pub(crate) fn sort<T>(items: &mut Vec<T>, tree_of: impl Fn(&T) -> Option<Value>, path: &str) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let path = JsonPath::parse_relaxed(path)?;
    let mut keyed: Vec<(Option<Value>, T)> = Vec::new();
    for item in items.drain(..) {
        let tree = tree_of(&item).unwrap_or_default();
        let value = path.find_all(&tree)?.first().map(|value| (*value).clone());
        keyed.push((value, item));
    }
    let is_found = keyed.iter().any(|(value, _)| value.is_some());
    if keyed.len() <= INSERTED {
        // An object without the field comes before any other, even before one without it.
        let is_less = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
            (None, _) => true,
            (Some(a), Some(b)) => compare(a, b).is_lt(),
            (Some(_), None) => false,
        };
        for at in 1..keyed.len() {
            for place in (1..=at).rev() {
                match keyed.get(place - 1..=place) {
                    Some([(before, _), (this, _)]) if is_less(this, before) => keyed.swap(place - 1, place),
                    _ => break,
                }
            }
        }
    } else {
        keyed.order_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
    }
    items.extend(keyed.into_iter().map(|(_, item)| item));
    if is_found {
        return Ok(());
    }
    Err(CliError::message(format!("couldn't find any field with path {:?} in the list of objects", path.text())))
}
