//! Typed Kubernetes objects.
//!
//! Only the fields that the simulation reads or writes are typed; all others are kept in `other`, so that nothing a
//! person wrote is lost. Field names are the Kubernetes ones in Rust spelling. Large parts that many objects share
//! (the containers of a template, label maps) sit behind [`Rc`], because a snapshot is kept for every step.

mod affinity;
mod daemonset;
mod deployment;
mod event;
mod int_or_string;
mod meta;
mod node;
mod object;
mod other;
mod pod;
mod policy;
mod quantity;
mod requests;
mod resources;
mod revision;
mod selector;
mod taint;
mod templates;
mod time;
mod usage;

pub use affinity::*;
pub use daemonset::*;
pub use deployment::*;
pub use event::*;
pub use int_or_string::IntOrString;
pub use meta::*;
pub use node::*;
pub use object::*;
pub use other::Other;
pub use pod::*;
pub use policy::*;
pub use quantity::{Quantity, QuantityError, QuantityFormat};
pub use requests::*;
pub use resources::*;
pub use revision::*;
pub use selector::*;
pub use taint::*;
pub use templates::*;
pub use time::Time;
pub use usage::*;

use crate::order::Collect;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A label, annotation or selector map. Shared, because every pod of a template carries the same one.
pub type StringMap = Rc<BTreeMap<String, String>>;

/// Makes a [`StringMap`] from pairs; later pairs win.
pub fn string_map<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> StringMap {
    Rc::new(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect_map())
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Declares a struct of the Kubernetes API: camelCase in JSON, absent fields take their zero value, zero values are
/// left out when written, unknown fields are kept in `other`.
macro_rules! api_struct {
    ($($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $ty:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "crate::objects::is_default")] pub $field: $ty,)*
            /// Everything else, as it came.
            #[serde(flatten)]
            pub other: crate::objects::Other,
        }
    )*};
}
pub(crate) use api_struct;

/// Why a JSON tree is not the object it claims to be. The schema check of the API server comes first and words such
/// faults as Kubernetes does; this is the last net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

/// Reads a typed object from a JSON tree; `null` counts as absent, as in Go.
#[inline(never)]
pub fn decode<T: DeserializeOwned>(mut value: Value) -> Result<T, DecodeError> {
    prune_nulls(&mut value);
    serde_json::from_value(value).map_err(|error| DecodeError(error.to_string()))
}

/// Writes a typed object as a JSON tree. Never fails for the types of this module; `Null` would mean a defect.
pub fn encode<T: serde::Serialize>(object: &T) -> Value {
    serde_json::to_value(object).unwrap_or(Value::Null)
}

/// Drops `null` members of maps, everywhere.
pub fn prune_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !v.is_null());
            map.values_mut().for_each(prune_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(prune_nulls),
        _ => {}
    }
}

/// Compares names as a person sorts them: `node-2` before `node-10`. Equal only for equal names.
pub fn natural_cmp(a: &str, b: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        match (left, right) {
            ([], []) => return a.cmp(b),
            ([], _) => return Less,
            (_, []) => return Greater,
            ([x, ..], [y, ..]) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, y);
                (x, left) = split_number(left);
                (y, right) = split_number(right);
                match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                    Equal => {}
                    order => return order,
                }
            }
            ([x, rest_left @ ..], [y, rest_right @ ..]) => {
                if x != y {
                    return x.cmp(y);
                }
                (left, right) = (rest_left, rest_right);
            }
        }
    }
}

/// The digits at the head without leading zeros, and what follows them.
fn split_number(bytes: &[u8]) -> (&[u8], &[u8]) {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let zeros = bytes.iter().take(digits).take_while(|byte| **byte == b'0').count();
    (bytes.get(zeros..digits).unwrap_or_default(), bytes.get(digits..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_order_counts_numbers() {
        let mut names = ["node-10", "node-2", "node-1", "n", "node-02", "node-2a"];
        names.sort_by(|a, b| natural_cmp(a, b));
        assert_eq!(names, ["n", "node-1", "node-02", "node-2", "node-2a", "node-10"]);
    }

    #[test]
    fn unknown_fields_survive_a_round_trip() {
        let tree = serde_json::json!({
            "metadata": {"name": "a", "creationTimestamp": null, "managedFields": [{"manager": "x"}]},
            "spec": {"containers": [{"name": "c", "image": "i", "livenessProbe": {"periodSeconds": 3}}], "dnsPolicy": "Default"},
        });
        let pod: Pod = decode(tree).unwrap();
        assert_eq!(
            encode(&pod),
            serde_json::json!({
                "metadata": {"name": "a", "managedFields": [{"manager": "x"}]},
                "spec": {"containers": [{"name": "c", "image": "i", "livenessProbe": {"periodSeconds": 3}}], "dnsPolicy": "Default"},
            })
        );
    }
}
