//! Strict decoding of a JSON tree, as the API server does it with its JSON decoder.
//!
//! Follows sigs.k8s.io/json (strict) and the `UnmarshalJSON` methods of Quantity, IntOrString and Time, v1.36.
use super::{Field, Kind, Path, field_of};
use crate::objects::{Quantity, QuantityError, Time};
use crate::order::Order;
use serde_json::{Map, Number, Value};

/// What is wrong at one place of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A value of another type than the field's.
    WrongType {
        /// What was given: `string`, `number 1.5`, `bool`, `array`, `object`.
        given: String,
        /// The Go struct that has the field; empty at the top.
        owner: &'static str,
        /// Go's path of the field: names only, joined by dots.
        field: String,
        /// What the field holds.
        wanted: Kind,
    },
    /// A quantity, time or base64 text that cannot be read: the decoder's own words.
    Unreadable(String),
    /// A field that the type does not have.
    UnknownField {
        /// The type that lacks it.
        owner: &'static str,
        /// The name that was written.
        name: String,
    },
}

/// One fault of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// Where, as the API server writes it: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// What is wrong.
    pub fault: Fault,
    /// Whether the decoder stops here: such a fault is reported even when others came before it.
    stops: bool,
}

impl SchemaError {
    /// The API server's words for this fault.
    pub fn message(&self) -> String {
        match &self.fault {
            Fault::WrongType { given, owner: "", wanted, .. } => {
                format!("json: cannot unmarshal {given} into Go value of type {}", wanted.go_type())
            }
            Fault::WrongType { given, owner, field, wanted } => {
                let wanted = wanted.go_type();
                format!("json: cannot unmarshal {given} into Go struct field {owner}.{field} of type {wanted}")
            }
            Fault::Unreadable(message) => message.clone(),
            Fault::UnknownField { .. } => format!("unknown field \"{}\"", self.path),
        }
    }

    /// The words for this fault when the tree comes from a patch: the API server then converts a tree and does not
    /// decode JSON.
    ///
    /// Follows kubernetes apimachinery pkg/runtime/converter.go fromUnstructured, v1.36.
    fn conversion_message(&self) -> String {
        let Fault::WrongType { given, wanted, .. } = &self.fault else { return self.message() };
        let go_kind = match given.as_str() {
            "array" => "slice",
            "object" => "map",
            "number" => "int64",
            given if given.starts_with("number ") => "float64",
            given => given,
        };
        let base = match wanted {
            Kind::Struct(_) => return format!("cannot restore struct from: {go_kind}"),
            Kind::List(_) | Kind::Bytes => return format!("cannot restore slice from {go_kind}"),
            Kind::Map(_) => return format!("cannot restore map from {go_kind}"),
            // These types read their JSON themselves.
            Kind::IntOrString | Kind::Time | Kind::MicroTime => {
                return format!("json: cannot unmarshal {given} into Go value of type {}", wanted.go_type());
            }
            Kind::Text(_) => "string".to_owned(),
            other => other.go_type(),
        };
        match (go_kind, wanted) {
            ("int64", Kind::Text(_)) | ("float64", Kind::Int32 | Kind::Int64) => {
                format!("cannot convert {go_kind} to {}", wanted.go_type())
            }
            _ => format!("unrecognized type: {base}"),
        }
    }

    /// Whether this is an unknown field (and not a wrong value).
    pub fn is_unknown_field(&self) -> bool {
        matches!(self.fault, Fault::UnknownField { .. })
    }
}

/// The one line that the API server answers for these faults: a wrong value hides everything else, unknown fields come
/// together. `None` when there is no fault.
pub fn decoding_message(errors: &[SchemaError]) -> Option<String> {
    let wrong = |error: &&SchemaError| !error.is_unknown_field();
    if let Some(error) = errors.iter().find(|e| e.stops).or_else(|| errors.iter().find(wrong)) {
        return Some(error.message());
    }
    unknown_fields_message(errors.iter().map(SchemaError::message).collect())
}

/// The same for the result of a patch: other words for wrong values, unknown fields sorted. It goes into
/// [`invalid_patch`](crate::apiserver::validation::invalid_patch).
pub fn patch_message(errors: &[SchemaError]) -> Option<String> {
    match errors.iter().find(|error| !error.is_unknown_field()) {
        Some(error) => Some(error.conversion_message()),
        None => {
            let mut list: Vec<String> = errors.iter().map(SchemaError::message).collect();
            list.order();
            unknown_fields_message(list)
        }
    }
}

/// The line for unknown fields alone.
fn unknown_fields_message(mut messages: Vec<String>) -> Option<String> {
    // The decoder keeps no more than this many.
    messages.truncate(100);
    (!messages.is_empty()).then(|| format!("strict decoding error: {}", messages.join(", ")))
}

/// Reads the tree as an object of that kind: reports every wrong value and unknown field, in the decoder's order, and
/// makes the tree what Go would have read and would write again (see [`prune`]). Kinds that the table does not know are
/// left alone.
pub fn check(kind: &str, tree: &mut Value) -> Vec<SchemaError> {
    let mut decoder = Decoder { errors: Vec::new(), strict: true };
    if let Some(found) = super::find_type(kind) {
        match &mut *tree {
            Value::Object(map) => decoder.fields(map, found.name, None),
            Value::Null => {}
            other => decoder.wrong(other, &Kind::Struct(found.name), "", &Path::new("")),
        }
        if decoder.errors.is_empty() {
            prune(kind, tree);
        }
    }
    decoder.errors
}

/// The fault that kubectl itself finds when it reads only `metadata`, in its words.
///
/// Follows kubernetes cli-runtime pkg/resource/metadata_decoder.go, v1.36.
pub fn client_metadata_error(tree: &Value) -> Option<String> {
    let mut metadata = tree.get("metadata")?.clone();
    let mut decoder = Decoder { errors: Vec::new(), strict: false };
    decoder.value(&mut metadata, &Kind::Struct("ObjectMeta"), "metadataOnlyObject", &Path::new("metadata"));
    decoding_message(&decoder.errors)
}

struct Decoder {
    errors: Vec<SchemaError>,
    strict: bool,
}

impl Decoder {
    /// Reads one value. `owner` is the struct with the field, `path` the place for people.
    fn value(&mut self, value: &mut Value, kind: &Kind, owner: &'static str, path: &Path<'_>) {
        if value.is_null() {
            // Go leaves the zero value.
            return;
        }
        match kind {
            Kind::Struct(name) => match value {
                Value::Object(map) => self.fields(map, name, Some(path)),
                other => self.wrong(other, kind, owner, path),
            },
            Kind::List(item) => match value {
                Value::Array(items) => {
                    for (at, entry) in items.iter_mut().enumerate() {
                        self.value(entry, item, owner, &path.index(at));
                        fill_zero(entry, item);
                    }
                }
                other => self.wrong(other, kind, owner, path),
            },
            Kind::Map(item) => match value {
                Value::Object(map) => {
                    for (key, entry) in map.iter_mut() {
                        self.value(entry, item, owner, &path.dotted_key(key));
                        fill_zero(entry, item);
                    }
                }
                other => self.wrong(other, kind, owner, path),
            },
            Kind::Text(_) if value.is_string() => {}
            Kind::Bool if value.is_boolean() => {}
            Kind::Float if value.is_number() => {}
            Kind::Int32 | Kind::Int64 => self.integer(value, kind, owner, path),
            Kind::IntOrString => {
                if !value.is_string() {
                    let before = self.errors.len();
                    self.integer(value, kind, owner, path);
                    self.stop_from(before);
                }
            }
            Kind::Quantity => self.quantity(value, path),
            Kind::Time | Kind::MicroTime => self.time(value, kind, owner, path),
            Kind::Bytes => match value {
                Value::String(text) => {
                    if let Some(at) = base64_fault(text) {
                        self.unreadable(format!("illegal base64 data at input byte {at}"), path, false);
                    }
                }
                other => self.wrong(other, kind, owner, path),
            },
            Kind::Any => {}
            Kind::Text(_) | Kind::Bool | Kind::Float => self.wrong(value, kind, owner, path),
        }
    }

    /// Reads the members of an object. serde_json keeps them sorted, as kubectl sends them.
    fn fields(&mut self, map: &mut Map<String, Value>, type_name: &'static str, path: Option<&Path<'_>>) {
        for (name, value) in map.iter_mut() {
            let place = path.map_or(Path::new(name), |path| path.child(name));
            match field_of(type_name, name) {
                Some(field) => self.value(value, &field.kind, type_name, &place),
                None if self.strict => {
                    let fault = Fault::UnknownField { owner: type_name, name: name.clone() };
                    self.errors.push(SchemaError { path: place.to_string(), fault, stops: false });
                }
                None => {}
            }
        }
    }

    fn integer(&mut self, value: &mut Value, kind: &Kind, owner: &'static str, path: &Path<'_>) {
        let Value::Number(number) = value else {
            return self.wrong(value, kind, owner, path);
        };
        let whole = whole_number(number);
        let fits = match kind {
            Kind::Int32 | Kind::IntOrString => whole.is_some_and(|n| i32::try_from(n).is_ok()),
            _ => whole.is_some(),
        };
        match whole {
            Some(whole) if fits => *value = Value::from(whole),
            _ => {
                let given = format!("number {}", go_number(number));
                self.wrong_type(given, kind, owner, path);
            }
        }
    }

    fn quantity(&mut self, value: &mut Value, path: &Path<'_>) {
        let text = match &*value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => go_number(number),
            other => other.to_string(),
        };
        match Quantity::parse(&text) {
            Ok(quantity) => *value = Value::String(quantity.to_string()),
            Err(error) => self.unreadable(quantity_message(error).into(), path, true),
        }
    }

    fn time(&mut self, value: &mut Value, kind: &Kind, owner: &'static str, path: &Path<'_>) {
        let Value::String(text) = value else {
            let before = self.errors.len();
            self.wrong(value, kind, owner, path);
            return self.stop_from(before);
        };
        match Time::parse(text) {
            // Microseconds stay as written; plain times are stored in UTC without a fraction.
            Some(time) if *kind == Kind::Time => *value = Value::String(time.to_string()),
            Some(_) => {}
            None => {
                let layout =
                    if *kind == Kind::Time { "2006-01-02T15:04:05Z07:00" } else { "2006-01-02T15:04:05.000000Z07:00" };
                let message = time_message(text, layout);
                self.unreadable(message, path, true);
            }
        }
    }

    fn wrong(&mut self, value: &Value, kind: &Kind, owner: &'static str, path: &Path<'_>) {
        let given = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.wrong_type(given.into(), kind, owner, path);
    }

    fn wrong_type(&mut self, given: String, wanted: &Kind, owner: &'static str, path: &Path<'_>) {
        let fault = Fault::WrongType { given, owner, field: path.go_path(), wanted: wanted.clone() };
        self.errors.push(SchemaError { path: path.to_string(), fault, stops: false });
    }

    fn unreadable(&mut self, message: String, path: &Path<'_>, stops: bool) {
        self.errors.push(SchemaError { path: path.to_string(), fault: Fault::Unreadable(message), stops });
    }

    fn stop_from(&mut self, at: usize) {
        for error in self.errors.iter_mut().skip(at) {
            error.stops = true;
        }
    }
}

/// The words of `resource.ParseQuantity` for a text that is no quantity.
pub fn quantity_message(error: QuantityError) -> &'static str {
    match error {
        QuantityError::Format => {
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        }
        QuantityError::Suffix => "unable to parse quantity's suffix",
    }
}

/// The number as an integer, when it is one that 64 bits hold.
fn whole_number(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        // Beyond 2^53 a float no longer tells which integer was written.
        (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i64)
    })
}

/// A number as Go writes it in JSON.
fn go_number(number: &Number) -> String {
    let text = number.to_string();
    match text.split_once('e') {
        Some((mantissa, exponent)) if !exponent.starts_with(['-', '+']) => format!("{mantissa}e+{exponent}"),
        _ => text,
    }
}

/// Go's words for a text that is no time, for the commonest faults.
fn time_message(text: &str, layout: &str) -> String {
    // The first element of the layout that the text does not follow.
    let elements = [("2006", 4), ("-", 1), ("01", 2), ("-", 1), ("02", 2), ("T", 1), ("15", 2), (":", 1), ("04", 2)];
    let mut rest = text;
    for (element, length) in elements {
        let (head, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let fits = if length == 1 {
            head == element
        } else {
            head.len() == length && head.bytes().all(|b| b.is_ascii_digit())
        };
        if !fits {
            return format!("parsing time \"{text}\" as \"{layout}\": cannot parse \"{rest}\" as \"{element}\"");
        }
        rest = tail;
    }
    format!("parsing time \"{text}\" as \"{layout}\": cannot parse \"{rest}\" as \":\"")
}

/// The byte at which a text stops being standard base64.
fn base64_fault(text: &str) -> Option<usize> {
    let bytes: Vec<u8> = text.bytes().filter(|b| *b != b'\n' && *b != b'\r').collect();
    let padding = bytes.iter().rev().take_while(|b| **b == b'=').count();
    let body = bytes.len() - padding;
    let bad = bytes.iter().take(body).position(|b| !(b.is_ascii_alphanumeric() || *b == b'+' || *b == b'/'));
    let needed = match body % 4 {
        0 => 0,
        2 => 2,
        3 => 1,
        _ => 3,
    };
    bad.or_else(|| (padding != needed || needed == 3).then_some(bytes.len().min(body + needed)))
}

/// An element that was `null` in a list or map is the zero value.
fn fill_zero(value: &mut Value, kind: &Kind) {
    if value.is_null() {
        *value = match kind {
            Kind::Text(_) | Kind::Bytes => Value::String(String::new()),
            Kind::Bool => Value::Bool(false),
            Kind::Int32 | Kind::Int64 | Kind::Float | Kind::IntOrString => Value::from(0),
            Kind::Quantity => Value::String("0".into()),
            Kind::Struct(_) => Value::Object(Map::new()),
            _ => Value::Null,
        };
    }
}

/// Makes a well-typed tree what Go would write for it: `null` members go, and so do zero values of fields that are
/// neither required nor pointers (`omitempty`); structs that Go holds by value are kept.
pub fn prune(kind: &str, tree: &mut Value) {
    let Value::Object(map) = tree else { return };
    map.retain(|name, value| match field_of(kind, name) {
        Some(field) => {
            prune_value(value, &field.kind);
            !value.is_null() && (field.required || !is_omitted(value, field))
        }
        None => true,
    });
}

fn prune_value(value: &mut Value, kind: &Kind) {
    match (kind, value) {
        (Kind::Struct(name), value) => prune(name, value),
        (Kind::List(item), Value::Array(items)) if item.struct_name().is_some() => {
            items.iter_mut().for_each(|entry| prune_value(entry, item));
        }
        _ => {}
    }
}

fn is_omitted(value: &Value, field: &Field) -> bool {
    match (&field.kind, value) {
        (Kind::List(_) | Kind::Map(_), Value::Array(items)) => items.is_empty(),
        (Kind::List(_) | Kind::Map(_), Value::Object(map)) => map.is_empty(),
        (Kind::Text(_), Value::String(text)) => text.is_empty() && !field.pointer,
        (Kind::Bool, Value::Bool(flag)) => !flag && !field.pointer,
        (Kind::Int32 | Kind::Int64, Value::Number(n)) => n.as_i64() == Some(0) && !field.pointer,
        _ => false,
    }
}

/// Whether the kind has the field at all; used by readers that want to skip what is not theirs.
#[cfg(test)]
fn has_field(kind: &str, name: &str) -> bool {
    super::fields_of(kind).iter().any(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(kind: &str, mut tree: Value) -> String {
        decoding_message(&check(kind, &mut tree)).unwrap_or_default()
    }

    fn stored(kind: &str, mut tree: Value) -> Value {
        assert_eq!(check(kind, &mut tree), []);
        tree
    }

    #[test]
    fn wrong_values_are_told_in_the_words_of_go() {
        for (tree, wanted) in [
            (
                json!({"spec": {"minReadySeconds": "10"}}),
                "json: cannot unmarshal string into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32",
            ),
            (
                json!({"spec": {"template": {"spec": {"containers": {"name": "a"}}}}}),
                "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
            ),
            (
                json!({"spec": {"template": {"spec": {"containers": [{"imagePullPolicy": true}]}}}}),
                "json: cannot unmarshal bool into Go struct field Container.spec.template.spec.containers.imagePullPolicy of type v1.PullPolicy",
            ),
            (
                json!({"spec": {"template": {"spec": {"nodeSelector": {"a": true}}}}}),
                "json: cannot unmarshal bool into Go struct field PodSpec.spec.template.spec.nodeSelector of type string",
            ),
            (
                json!({"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1.5}}}}),
                "json: cannot unmarshal number 1.5 into Go struct field RollingUpdateDaemonSet.spec.updateStrategy.rollingUpdate.maxUnavailable of type int32",
            ),
            (
                json!({"spec": {"minReadySeconds": 3_000_000_000_i64}}),
                "json: cannot unmarshal number 3000000000 into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32",
            ),
            (
                json!({"spec": []}),
                "json: cannot unmarshal array into Go struct field DaemonSet.spec of type v1.DaemonSetSpec",
            ),
            (
                json!({"spec": {"template": {"spec": {"containers": [{"resources": {"limits": {"cpu": "x"}}}]}}}}),
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
            (
                json!({"metadata": {"creationTimestamp": "yesterday"}}),
                "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as \"2006\"",
            ),
        ] {
            assert_eq!(message("DaemonSet", tree.clone()), wanted, "{tree}");
        }
    }

    #[test]
    fn a_wrong_value_hides_unknown_fields_and_an_unreadable_one_hides_all() {
        let tree = json!({"spec": {"foo": 1, "minReadySeconds": "x"}});
        assert!(message("DaemonSet", tree.clone()).contains("minReadySeconds"));
        let mut tree = tree;
        assert_eq!(check("DaemonSet", &mut tree).len(), 2);
        let both = json!({"spec": {
            "minReadySeconds": "x",
            "template": {"spec": {"overhead": {"cpu": "1K"}}},
        }});
        assert_eq!(message("DaemonSet", both), "unable to parse quantity's suffix");
    }

    #[test]
    fn unknown_fields_come_together_in_order() {
        let tree = json!({"Spec": {}, "spec": {"foo": 1, "template": {"bar": {"x": 1}, "spec": {
            "containers": [{"name": "a"}, {"baz": 1}], "toleration": []}}}});
        assert_eq!(
            message("DaemonSet", tree),
            "strict decoding error: unknown field \"Spec\", unknown field \"spec.foo\", unknown field \
             \"spec.template.bar\", unknown field \"spec.template.spec.containers[1].baz\", unknown field \
             \"spec.template.spec.toleration\""
        );
    }

    #[test]
    fn a_patched_tree_is_refused_in_other_words() {
        let of = |mut tree: Value| patch_message(&check("DaemonSet", &mut tree)).unwrap_or_default();
        for (spec, wanted) in [
            (json!({"minReadySeconds": "x"}), "unrecognized type: int32"),
            (json!({"minReadySeconds": 1.5}), "cannot convert float64 to int32"),
            (json!({"template": {"metadata": {"labels": {"a": 1}}}}), "cannot convert int64 to string"),
            (json!({"template": {"metadata": {"labels": {"a": true}}}}), "unrecognized type: string"),
            (json!({"template": {"spec": {"containers": {}}}}), "cannot restore slice from map"),
            (json!([]), "cannot restore struct from: slice"),
            (
                json!({"updateStrategy": {"rollingUpdate": {"maxSurge": 1.5}}}),
                "json: cannot unmarshal number 1.5 into Go value of type int32",
            ),
            (json!({"b": 1, "Z": 1}), "strict decoding error: unknown field \"spec.Z\", unknown field \"spec.b\""),
        ] {
            assert_eq!(of(json!({ "spec": spec })), wanted);
        }
    }

    #[test]
    fn metadata_is_read_by_the_client_first() {
        let of = |metadata: Value| client_metadata_error(&json!({ "metadata": metadata }));
        assert_eq!(
            of(json!({"labels": {"a": 1}})).as_deref(),
            Some("json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string")
        );
        assert_eq!(
            of(json!("x")).as_deref(),
            Some(
                "json: cannot unmarshal string into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta"
            )
        );
        assert_eq!(of(json!({"label": {"a": 1}})), None);
    }

    #[test]
    fn the_tree_becomes_what_go_would_write() {
        assert_eq!(
            stored(
                "DaemonSet",
                json!({"metadata": {"labels": {"a": null}, "annotations": {}}, "spec": {
                    "minReadySeconds": 0, "revisionHistoryLimit": 0.0, "selector": null,
                    "template": {"spec": {"hostNetwork": false, "automountServiceAccountToken": false,
                        "containers": [null, {"name": "a", "command": [], "securityContext": {},
                            "resources": {"limits": {"cpu": 0.5, "memory": "1.5Gi"}}}]}},
                }})
            ),
            json!({"metadata": {"labels": {"a": ""}}, "spec": {
                "revisionHistoryLimit": 0,
                "template": {"spec": {"automountServiceAccountToken": false,
                    "containers": [{}, {"name": "a", "securityContext": {},
                        "resources": {"limits": {"cpu": "500m", "memory": "1536Mi"}}}]}},
            }})
        );
    }

    #[test]
    fn base64_is_checked() {
        assert_eq!(base64_fault("aGVsbG8="), None);
        assert_eq!(base64_fault("aGVsbG8"), Some(7));
        assert_eq!(base64_fault("a!"), Some(1));
        assert!(has_field("Secret", "data"));
    }
}
