//! Whatever a person writes, the create path answers: it never panics, and what it accepts stays as it is.
#![cfg(not(target_arch = "wasm32"))]
use daemonset_playground::apiserver::schema::{self, Kind};
use daemonset_playground::apiserver::{defaulting, strategy, validation};
use daemonset_playground::objects::Object;
use proptest::prelude::*;
use serde_json::{Value, json};

#[path = "create_path/generate.rs"]
mod generate;
use generate::{Choices, KINDS, object};

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_object_is_answered(which in 0..KINDS.len(), choices in proptest::collection::vec(any::<u16>(), 0..1500)) {
        let (api_version, kind) = KINDS[which];
        let mut choices = Choices(choices.into_iter());
        let mut tree = object(kind, 9, &mut choices);
        let old = object(kind, 9, &mut choices);
        let resource = schema::resource_of(api_version, kind).unwrap();
        // Also what the schema refuses must not upset the rest.
        for mut raw in [tree.clone(), old.clone()] {
            defaulting::default(kind, &mut raw);
            strategy::prepare_for_create(kind, &mut raw);
            validation::validate_create(resource, &raw);
            validation::validate_update(resource, &raw, &old);
            validation::warnings(kind, &raw, Some(&old));
        }
        let errors = schema::check(kind, &mut tree);
        prop_assert_eq!(schema::decoding_message(&errors).is_some(), !errors.is_empty());
        if errors.is_empty() {
            defaulting::default(kind, &mut tree);
            strategy::prepare_for_create(kind, &mut tree);
            let faults = validation::validate_create(resource, &tree);
            let answer = validation::invalid(resource, "a", &faults);
            prop_assert_eq!(answer.causes.len(), faults.len());
            let mut again = tree.clone();
            prop_assert!(schema::check(kind, &mut again).is_empty());
            defaulting::default(kind, &mut again);
            prop_assert_eq!(again, tree);
        }
    }

    /// The typed objects of the simulation keep everything that the API server would have stored.
    #[test]
    fn nothing_is_lost_in_typed_objects(which in 0..KINDS.len(), choices in proptest::collection::vec(any::<u16>(), 0..1500)) {
        let (api_version, kind) = KINDS[which];
        let mut tree = object(kind, 9, &mut Choices(choices.into_iter()));
        tree["apiVersion"] = json!(api_version);
        tree["kind"] = json!(kind);
        if schema::check(kind, &mut tree).is_empty() {
            defaulting::default(kind, &mut tree);
            strategy::prepare_for_create(kind, &mut tree);
            match Object::from_value(tree.clone()) {
                Ok(object) => prop_assert_eq!(stored(kind, object.to_value()), stored(kind, tree)),
                Err(error) => prop_assert!(false, "{}: {}", error, tree),
            }
        }
    }
}

/// Structs that Go holds by pointer: empty ones are kept.
const POINTERS: &[&str] = &[
    "emptyDir",
    "securityContext",
    "affinity",
    "nodeAffinity",
    "podAffinity",
    "labelSelector",
    "lifecycle",
    "livenessProbe",
    "dnsConfig",
    "capabilities",
    "rollingUpdate",
    "configMap",
    "secret",
    "projected",
    "valueFrom",
];

/// A tree without zero values, except where Go has a pointer: there they mean something.
fn stored(kind: &str, tree: Value) -> Value {
    let Value::Object(map) = tree else { return tree };
    let members = map.into_iter().filter_map(|(name, value)| {
        let Some(field) = schema::field_of(kind, &name) else { return Some((name, value)) };
        let value = stored_value(&field.kind, value);
        let zero = match &value {
            Value::Null => true,
            Value::Bool(flag) => !flag && !field.pointer,
            Value::Number(number) => number.as_f64() == Some(0.0) && !field.pointer && field.kind != Kind::IntOrString,
            Value::String(text) => text.is_empty() && !field.pointer,
            Value::Array(items) => items.is_empty(),
            // (An empty selector of a workload is refused; that of a budget selects everything.)
            Value::Object(map) => {
                map.is_empty()
                    && !POINTERS.contains(&field.name)
                    && (kind, name.as_str()) != ("PodDisruptionBudgetSpec", "selector")
            }
        };
        (!zero).then_some((name, value))
    });
    Value::Object(members.collect())
}

fn stored_value(kind: &Kind, value: Value) -> Value {
    match (kind, value) {
        (Kind::Struct(name), value) => stored(name, value),
        (Kind::List(item), Value::Array(items)) => {
            Value::Array(items.into_iter().map(|value| stored_value(item, value)).collect())
        }
        (_, value) => value,
    }
}
