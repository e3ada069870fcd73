//! The border between Rust and JavaScript: everything crosses it as a JSON tree.
//!
//! What goes out is what `JSON.parse` would make: no `Map`, no `BigInt`, numbers as JavaScript has them; an absent member is
//! absent (`undefined` when read), never `null`. What comes in is what `JSON.stringify` makes of it; `undefined` and `null`
//! both mean "not given"; a `Map`, which JSON would silently empty, and a `BigInt` are refused.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wasm_bindgen::prelude::*;

/// Hands a value out.
///
/// # Errors
/// An `Error` where the value has no JSON form, which no value of this library lacks.
pub fn give<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsError> {
    // Straight away, so that members keep their order; whole numbers that JavaScript has not got take the longer way.
    if let Ok(given) = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()) {
        return Ok(given);
    }
    give_tree(serde_json::to_value(value).map_err(|error| JsError::new(&error.to_string()))?)
}

fn give_tree(mut tree: Value) -> Result<JsValue, JsError> {
    round_numbers(&mut tree);
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    tree.serialize(&serializer).map_err(|error| JsError::new(&error.to_string()))
}

/// Whole numbers that JavaScript cannot tell apart become the nearest that it can, as `JSON.parse` makes them.
fn round_numbers(value: &mut Value) {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Object(members) => members.values_mut().for_each(round_numbers),
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Number(number) => {
            let is_large =
                number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs)).is_some_and(|n| n >= EXACT);
            if let Some(near) = number.as_f64().filter(|_| is_large).and_then(serde_json::Number::from_f64) {
                *number = near;
            }
        }
        _ => {}
    }
}

/// Hands out a value in which `null` means "absent", and which holds no Kubernetes objects, where `null` may be meant.
///
/// # Errors
/// As [`give`].
pub fn give_without_nulls<T: Serialize>(value: &T) -> Result<JsValue, JsError> {
    let mut tree = serde_json::to_value(value).map_err(|error| JsError::new(&error.to_string()))?;
    drop_nulls(&mut tree);
    give_tree(tree)
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Takes a value in. `None` for `undefined` and `null`; `what` says in an error what is wanted.
///
/// # Errors
/// An `Error` that says what is wanted, and what is wrong with the value.
pub fn take<T: DeserializeOwned>(value: &JsValue, what: &str) -> Result<Option<T>, JsError> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    if value.is_instance_of::<js_sys::Map>() {
        return Err(JsError::new(&format!("{what}: a plain object is wanted, not a Map")));
    }
    let text = js_sys::JSON::stringify(value).ok().and_then(|text| text.as_string());
    let text = text.ok_or_else(|| JsError::new(&format!("{what}: the value has no JSON form")))?;
    let tree: Result<Value, _> = serde_json::from_str(&text);
    tree.and_then(serde_json::from_value).map(Some).map_err(|error| {
        // The place in the JSON text means nothing to the caller.
        let reason = error.to_string();
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        JsError::new(&format!("{what}: {reason}"))
    })
}

/// A budget of steps as JavaScript gives it.
pub fn steps(budget: Option<f64>, otherwise: usize) -> usize {
    budget.map_or(otherwise, whole)
}

/// A number of JavaScript as a count: what is below 0 or not a number is 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
pub fn whole(number: f64) -> usize {
    number as usize
}

/// JavaScript's numbers are exact up to 2⁵³, which is 285,000 years of milliseconds.
#[allow(clippy::cast_precision_loss, reason = "virtual time never comes near 2⁵³ ms")]
pub fn milliseconds(ms: u64) -> f64 {
    ms as f64
}
