use super::jsonpath::{JsonPath, compare};
use crate::kubectl::error::{CliError, Result};
use crate::objects::Object;
use serde_json::Value;

/// Sorts objects as `--sort-by` asks. Objects without the field come first.
///
/// # Errors
/// A path that cannot be read, or that no object has.
pub(crate) fn sort_objects(objects: &mut Vec<Object>, path: &str) -> Result<()> {
    if objects.is_empty() {
        return Ok(());
    }
    let path = JsonPath::parse_relaxed(path)?;
    let mut keyed: Vec<(Option<Value>, Object)> = Vec::new();
    for object in objects.drain(..) {
        let tree = super::served(&object);
        let value = path.find_all(&tree)?.first().map(|value| (*value).clone());
        keyed.push((value, object));
    }
    if keyed.iter().all(|(value, _)| value.is_none()) {
        *objects = keyed.into_iter().map(|(_, object)| object).collect();
        let message = format!("couldn't find any field with path {:?} in the list of objects", path.text());
        return Err(CliError::Message(message));
    }
    keyed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => compare(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    *objects = keyed.into_iter().map(|(_, object)| object).collect();
    Ok(())
}
