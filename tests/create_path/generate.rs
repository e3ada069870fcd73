//! Objects of any kind, mostly of the right types, made from numbers that choose.

use daemonset_playground::apiserver::schema::{self, Field, Kind};
use serde_json::{Map, Value, json};

/// Kinds that are made.
pub const KINDS: &[(&str, &str)] = &[
    ("apps/v1", "DaemonSet"),
    ("v1", "Pod"),
    ("v1", "Node"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "ControllerRevision"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("policy/v1", "PodDisruptionBudget"),
    ("node.k8s.io/v1", "RuntimeClass"),
    ("v1", "ResourceQuota"),
    ("v1", "LimitRange"),
    ("v1", "Namespace"),
    ("v1", "ConfigMap"),
];

/// Numbers that choose, one after the other; 0 when they are used up.
pub struct Choices(pub std::vec::IntoIter<u16>);

impl Choices {
    /// A number below that one.
    pub fn next(&mut self, below: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % below.max(1)
    }
}

const TEXTS: &[&str] = &[
    "a",
    "",
    "app",
    "node-1",
    "Bad_Name",
    "a b",
    "é\u{0}",
    "Always",
    "Exists",
    "In",
    "NoExecute",
    "NoSchedule",
    "10%",
    "1",
    "metadata.name",
    "../..",
    "/",
    "Localhost",
    "RollingUpdate",
    "cpu",
    "hugepages-2Mi",
    "-",
    ".",
    "TCP",
    "10.0.0.1/8",
    "latest",
];
const AMOUNTS: &[&str] = &["1", "100m", "-5", "1.5Gi", "9999999999999999999", "0.5", "1e3", "0"];

/// A value of the kind that is mostly of the right type.
fn value(kind: &Kind, depth: usize, choices: &mut Choices) -> Value {
    if choices.next(400) == 1 {
        return [json!(null), json!(true), json!(1.5), json!([]), json!({}), json!("x")][choices.next(6)].clone();
    }
    match kind {
        Kind::Time | Kind::MicroTime => json!("2026-01-02T03:04:05+02:00"),
        Kind::Bytes => json!(["YQ==", "", "YWI="][choices.next(3)]),
        Kind::Text(_) => json!(TEXTS[choices.next(TEXTS.len())]),
        Kind::Bool => json!(choices.next(2) == 1),
        Kind::Int32 | Kind::Int64 => {
            json!([0, 1, -1, 80, 70_000, i64::MAX, i64::MIN, 100][choices.next(8)])
        }
        Kind::Float => json!(0.5),
        Kind::Quantity => json!(AMOUNTS[choices.next(AMOUNTS.len())]),
        Kind::IntOrString => [json!(1), json!("10%"), json!(-1), json!("x"), json!(0)][choices.next(5)].clone(),
        Kind::Any => json!({"a": 1}),
        Kind::List(item) => {
            let count = if depth == 0 { 0 } else { choices.next(3) };
            Value::Array((0..count).map(|_| value(item, depth - 1, choices)).collect())
        }
        Kind::Map(item) => {
            let count = choices.next(3);
            let entry = |choices: &mut Choices| {
                (TEXTS[choices.next(TEXTS.len())].to_owned(), value(item, depth.saturating_sub(1), choices))
            };
            Value::Object((0..count).map(|_| entry(choices)).collect())
        }
        Kind::Struct(name) => object(name, depth.saturating_sub(1), choices),
    }
}

/// An object of a type of the table.
pub fn object(type_name: &str, depth: usize, choices: &mut Choices) -> Value {
    let fields: &[Field] = schema::fields_of(type_name);
    let mut map = Map::new();
    for field in fields {
        let deep = field.kind.struct_name().is_some();
        if (deep && depth == 0) || choices.next(5) > usize::from(field.required) + 1 {
            continue;
        }
        map.insert(field.name.to_owned(), value(&field.kind, depth, choices));
    }
    Value::Object(map)
}
