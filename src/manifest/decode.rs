//! A [`Tree`] to the JSON value that kubectl makes of it: aliases expanded, merge keys merged, keys turned into text.
//! Follows go.yaml.in/yaml/v2 decode.go decoder and sigs.k8s.io/yaml yaml.go convertToJSONableObject.

use super::diagnostic::{Code, Fact, Remedy};
use super::failure::Failure;
use super::limits::{LimitKind, Limits};
use super::path::PathSegment;
use super::scalar::{Scalar, go_float_key, go_syntax, is_timestamp, json_number, resolve};
use super::tree::{Node, NodeId, NodeKind, Tree};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A key that stands twice in a mapping.
pub(crate) struct Duplicate {
    pub key: String,
    pub first: NodeId,
    pub again: NodeId,
    pub path: Vec<PathSegment>,
}

pub(crate) struct Decoded {
    pub value: Value,
    pub duplicates: Vec<Duplicate>,
}

/// A failure and the field it concerns.
pub(crate) type DecodeFailure = (Box<Failure>, Vec<PathSegment>);

/// At most this many duplicate keys are reported for one document.
const MAX_DUPLICATES: usize = 100;

/// Above this share of values that come from aliases go-yaml calls it excessive; the share shrinks from 400,000 values
/// on until it is the last one at 4,000,000.
const ALIAS_RATIO: (f64, f64) = (0.99, 0.10);
const ALIAS_RATIO_RANGE: (f64, f64) = (400_000.0, 4_000_000.0);

pub(crate) fn decode(tree: &Tree, root: NodeId, limits: &Limits) -> Result<Decoded, DecodeFailure> {
    let mut decoder = Decoder {
        tree,
        limits,
        path: Vec::new(),
        active_aliases: BTreeSet::new(),
        decoded: 0,
        from_aliases: 0,
        conversion_failure: None,
        duplicates: Vec::new(),
    };
    let value = match decoder.value(root) {
        Ok(value) => value,
        Err(failure) => return Err((failure, decoder.path_segments())),
    };
    match decoder.conversion_failure {
        Some(failure) => Err(failure),
        None => Ok(Decoded { value, duplicates: decoder.duplicates }),
    }
}

#[derive(Clone, Copy)]
enum Step {
    Key(NodeId),
    Index(usize),
}

struct Decoder<'t> {
    tree: &'t Tree,
    limits: &'t Limits,
    path: Vec<Step>,
    /// Aliases that are being expanded.
    active_aliases: BTreeSet<NodeId>,
    decoded: usize,
    from_aliases: usize,
    /// What fails only after the whole document has been decoded: keys and numbers that JSON lacks.
    conversion_failure: Option<DecodeFailure>,
    duplicates: Vec<Duplicate>,
}

enum Key {
    Text(String),
    /// Decoded, but JSON cannot have it as a key.
    Unsupported(Value),
    Invalid(Value),
}

impl Decoder<'_> {
    fn path_segments(&self) -> Vec<PathSegment> {
        self.path
            .iter()
            .map(|step| match step {
                Step::Index(index) => PathSegment::Index(*index),
                Step::Key(id) => PathSegment::Key(self.tree.key_text(*id).unwrap_or_default()),
            })
            .collect()
    }

    fn failure(&self, code: Code, fact: Fact, text: Option<String>, at: NodeId, remedy: Remedy) -> Box<Failure> {
        let (start, end) = self.tree.range(at);
        let kubectl_text = text.map(|text| format!("error converting YAML to JSON: {text}"));
        Box::new(Failure { code, fact, kubectl_text, start, end, remedy, fix: None })
    }

    /// Counts a decoding as go-yaml does, to stop where it stops.
    fn count(&mut self, at: NodeId) -> Result<(), Box<Failure>> {
        self.decoded = self.decoded.saturating_add(1);
        if self.active_aliases.is_empty() {
            return Ok(());
        }
        self.from_aliases = self.from_aliases.saturating_add(1);
        let reported = self.active_aliases.first().copied().unwrap_or(at);
        if self.from_aliases > self.limits.expansion {
            let (start, end) = self.tree.range(reported);
            return Err(Failure::limit(LimitKind::Expansion, self.limits.expansion, start, end));
        }
        #[allow(clippy::cast_precision_loss)]
        let (decoded, from_aliases) = (self.decoded as f64, self.from_aliases as f64);
        if self.from_aliases > 100 && self.decoded > 1000 && from_aliases / decoded > allowed_alias_ratio(decoded) {
            return Err(self.failure(
                Code::ExcessiveAliasing,
                Fact::ExcessiveAliasing,
                Some("yaml: document contains excessive aliasing".to_owned()),
                reported,
                Remedy::UseLessText { limit: LimitKind::Expansion },
            ));
        }
        Ok(())
    }

    fn value(&mut self, id: NodeId) -> Result<Value, Box<Failure>> {
        self.count(id)?;
        let tree = self.tree;
        let depth = self.limits.depth.min(Limits::MAX_DEPTH);
        if self.path.len() > depth {
            let (start, end) = tree.range(self.active_aliases.first().copied().unwrap_or(id));
            return Err(Failure::limit(LimitKind::Depth, depth, start, end));
        }
        let Some(node) = tree.node(id) else {
            return Ok(Value::Null);
        };
        match &node.kind {
            NodeKind::Alias { target, .. } => self.through_alias(id, |decoder| decoder.value(*target)),
            NodeKind::Scalar { text, implicit } => self.scalar(id, text, *implicit),
            NodeKind::Sequence { items, .. } => {
                let mut values = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    values.push(self.value(*item)?);
                    self.path.pop();
                }
                Ok(Value::Array(values))
            }
            NodeKind::Mapping { .. } => {
                let mut map = Map::new();
                self.mapping_into(id, &mut map)?;
                Ok(Value::Object(map))
            }
        }
    }

    fn through_alias<T>(
        &mut self,
        alias: NodeId,
        decode: impl FnOnce(&mut Self) -> Result<T, Box<Failure>>,
    ) -> Result<T, Box<Failure>> {
        if !self.active_aliases.insert(alias) {
            let (start, end) = self.tree.range(alias);
            let name = self.alias_name(alias);
            return Err(Box::new(Failure {
                code: Code::RecursiveAnchor,
                kubectl_text: Some(format!(
                    "error converting YAML to JSON: yaml: anchor '{name}' value contains itself"
                )),
                fact: Fact::RecursiveAnchor { name },
                start,
                end,
                remedy: Remedy::None,
                fix: None,
            }));
        }
        let result = decode(self)?;
        self.active_aliases.remove(&alias);
        Ok(result)
    }

    fn alias_name(&self, alias: NodeId) -> String {
        match self.tree.node(alias).map(|node| &node.kind) {
            Some(NodeKind::Alias { name, .. }) => name.to_string(),
            _ => String::new(),
        }
    }

    fn mapping_into(&mut self, id: NodeId, map: &mut Map<String, Value>) -> Result<(), Box<Failure>> {
        let tree = self.tree;
        let Some(Node { kind: NodeKind::Mapping { entries, .. }, .. }) = tree.node(id) else {
            return Ok(());
        };
        // Built when a key turns up that the map already has: from another entry, or from a merged mapping.
        let mut written: Option<BTreeMap<String, NodeId>> = None;
        for (index, (key_id, value_id)) in entries.iter().enumerate() {
            if tree.is_merge_key(*key_id) {
                self.path.push(Step::Key(*key_id));
                self.merge(*value_id, map)?;
                self.path.pop();
                continue;
            }
            self.count(*key_id)?;
            let key = match self.key(*key_id)? {
                Key::Text(key) => key,
                Key::Unsupported(key) => {
                    let value = self.entry_value(*key_id, *value_id)?;
                    self.unsupported_key(*key_id, &key, &value);
                    continue;
                }
                Key::Invalid(key) => {
                    let mut text = String::new();
                    go_syntax(&key, &mut text);
                    return Err(self.failure(
                        Code::InvalidMapKey,
                        Fact::InvalidMapKey { key: text.clone() },
                        Some(format!("yaml: invalid map key: {text}")),
                        *key_id,
                        Remedy::QuoteValue,
                    ));
                }
            };
            let value = self.entry_value(*key_id, *value_id)?;
            let is_again = map.contains_key(&key);
            if is_again && self.active_aliases.is_empty() && self.duplicates.len() < MAX_DUPLICATES {
                let known = written.get_or_insert_with(|| {
                    let mut known = BTreeMap::new();
                    for (key_id, _) in entries.iter().take(index) {
                        if !tree.is_merge_key(*key_id)
                            && let Some(key) = tree.key_text(*key_id)
                        {
                            known.entry(key).or_insert(*key_id);
                        }
                    }
                    known
                });
                if let Some(first) = known.get(&key).copied() {
                    let mut path = self.path_segments();
                    path.push(PathSegment::Key(key.clone()));
                    self.duplicates.push(Duplicate { key: key.clone(), first, again: *key_id, path });
                }
            }
            if let Some(known) = &mut written {
                known.entry(key.clone()).or_insert(*key_id);
            }
            map.insert(key, value);
        }
        Ok(())
    }

    fn entry_value(&mut self, key: NodeId, value: NodeId) -> Result<Value, Box<Failure>> {
        self.path.push(Step::Key(key));
        let value = self.value(value)?;
        self.path.pop();
        Ok(value)
    }

    fn key(&mut self, id: NodeId) -> Result<Key, Box<Failure>> {
        let tree = self.tree;
        let Some(node) = tree.node(id) else {
            return Ok(Key::Text(String::new()));
        };
        let (text, implicit) = match &node.kind {
            NodeKind::Alias { target, .. } => {
                let target = *target;
                return self.through_alias(id, |decoder| {
                    decoder.count(target)?;
                    decoder.key(target)
                });
            }
            NodeKind::Scalar { text, implicit } => (text, *implicit),
            NodeKind::Sequence { .. } | NodeKind::Mapping { .. } => {
                // Counted already as the key.
                self.decoded = self.decoded.saturating_sub(1);
                return Ok(Key::Invalid(self.value(id)?));
            }
        };
        if !implicit && tree.tag(id).is_none() {
            return Ok(Key::Text(text.to_string()));
        }
        Ok(match self.resolved(id, text)? {
            Resolved::Text(text) => Key::Text(text),
            Resolved::Scalar(Scalar::Bool(value)) => Key::Text(value.to_string()),
            Resolved::Scalar(Scalar::Int(value)) => Key::Text(value.to_string()),
            Resolved::Scalar(Scalar::Float(value)) => Key::Text(go_float_key(value)),
            Resolved::Scalar(Scalar::Uint(value)) => Key::Unsupported(value.into()),
            Resolved::Scalar(Scalar::Null | Scalar::Text) => Key::Unsupported(Value::Null),
        })
    }

    fn unsupported_key(&mut self, at: NodeId, key: &Value, value: &Value) {
        if self.conversion_failure.is_some() {
            return;
        }
        let (key_type, key_text) = match key {
            Value::Number(number) => ("uint64".to_owned(), format!("0x{:x}", number.as_u64().unwrap_or(0))),
            _ => ("%!s(<nil>)".to_owned(), "<nil>".to_owned()),
        };
        let mut value_text = String::new();
        match value {
            Value::Null => value_text.push_str("<nil>"),
            value => go_syntax(value, &mut value_text),
        }
        let failure = self.failure(
            Code::InvalidMapKey,
            Fact::UnsupportedMapKey { key: if key.is_null() { "null".to_owned() } else { key.to_string() } },
            Some(format!("unsupported map key of type: {key_type}, key: {key_text}, value: {value_text}")),
            at,
            Remedy::QuoteValue,
        );
        self.conversion_failure = Some((failure, self.path_segments()));
    }

    /// Follows go.yaml.in/yaml/v2 decode.go merge: what is merged replaces what was written before it.
    fn merge(&mut self, id: NodeId, map: &mut Map<String, Value>) -> Result<(), Box<Failure>> {
        let tree = self.tree;
        let kind = |id| tree.node(id).map(|node| &node.kind);
        match kind(id) {
            Some(NodeKind::Sequence { items, .. }) => {
                // From the last to the first: earlier ones take precedence.
                for item in items.iter().rev() {
                    self.merge_one(*item, map)?;
                }
                Ok(())
            }
            _ => self.merge_one(id, map),
        }
    }

    fn merge_one(&mut self, id: NodeId, map: &mut Map<String, Value>) -> Result<(), Box<Failure>> {
        let tree = self.tree;
        let target = tree.resolve_alias(id);
        if !matches!(tree.node(target).map(|node| &node.kind), Some(NodeKind::Mapping { .. })) {
            return Err(self.failure(
                Code::InvalidMerge,
                Fact::InvalidMerge,
                Some("yaml: map merge requires map or sequence of maps as the value".to_owned()),
                id,
                Remedy::MergeMappings,
            ));
        }
        self.count(id)?;
        if target == id {
            return self.mapping_into(id, map);
        }
        self.through_alias(id, |decoder| {
            decoder.count(target)?;
            decoder.mapping_into(target, map)
        })
    }

    fn scalar(&mut self, id: NodeId, text: &str, implicit: bool) -> Result<Value, Box<Failure>> {
        if !implicit && self.tree.tag(id).is_none() {
            return Ok(Value::String(text.to_owned()));
        }
        let float = match self.resolved(id, text)? {
            Resolved::Text(text) => return Ok(Value::String(text)),
            Resolved::Scalar(Scalar::Null | Scalar::Text) => return Ok(Value::Null),
            Resolved::Scalar(Scalar::Bool(value)) => return Ok(Value::Bool(value)),
            Resolved::Scalar(Scalar::Int(value)) => return Ok(Value::Number(value.into())),
            #[allow(clippy::cast_precision_loss)]
            Resolved::Scalar(Scalar::Uint(value)) => value as f64,
            Resolved::Scalar(Scalar::Float(value)) => value,
        };
        if let Some(number) = json_number(float) {
            return Ok(Value::Number(number));
        }
        if self.conversion_failure.is_none() {
            let go_text = match float {
                float if float.is_nan() => "NaN",
                float if float > 0.0 => "+Inf",
                _ => "-Inf",
            };
            let failure = self.failure(
                Code::NotANumber,
                Fact::NotANumber { value: text.to_owned() },
                Some(format!("json: unsupported value: {go_text}")),
                id,
                Remedy::WriteNumber,
            );
            self.conversion_failure = Some((failure, self.path_segments()));
        }
        Ok(Value::Null)
    }

    /// A scalar that is implicit or tagged. Follows resolve.go resolve.
    fn resolved(&self, id: NodeId, text: &str) -> Result<Resolved, Box<Failure>> {
        let Some(tag) = self.tree.tag(id) else {
            return Ok(match resolve(text) {
                Scalar::Text => Resolved::Text(text.to_owned()),
                scalar => Resolved::Scalar(scalar),
            });
        };
        let Some(short) = tag.strip_prefix("tag:yaml.org,2002:") else {
            return Ok(Resolved::Text(text.to_owned()));
        };
        let wanted = match short {
            "binary" => return self.binary(id, text).map(Resolved::Text),
            "bool" | "int" | "float" | "null" | "timestamp" => format!("!!{short}"),
            _ => return Ok(Resolved::Text(text.to_owned())),
        };
        let scalar = resolve(text);
        let is_timestamp = scalar == Scalar::Text && is_timestamp(text);
        match scalar {
            _ if wanted == "!!timestamp" && is_timestamp => {
                return Ok(Resolved::Text(text.to_owned()));
            }
            #[allow(clippy::cast_precision_loss)]
            Scalar::Int(value) if wanted == "!!float" => {
                return Ok(Resolved::Scalar(Scalar::Float(value as f64)));
            }
            scalar if scalar.tag() == wanted => return Ok(Resolved::Scalar(scalar)),
            _ => {}
        }
        let found = scalar.tag();
        Err(self.failure(
            Code::InvalidTag,
            Fact::InvalidTag { tag: wanted.clone(), value: text.to_owned(), resolved: found.to_owned() },
            Some(format!("yaml: cannot decode {found} `{text}` as a {wanted}")),
            id,
            Remedy::RemoveTag,
        ))
    }

    fn binary(&self, id: NodeId, text: &str) -> Result<String, Box<Failure>> {
        match decode_base64(text) {
            Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            None => Err(self.failure(
                Code::InvalidTag,
                Fact::InvalidBinary,
                Some("yaml: !!binary value contains invalid base64 data".to_owned()),
                id,
                Remedy::RemoveTag,
            )),
        }
    }
}

enum Resolved {
    Text(String),
    Scalar(Scalar),
}

fn allowed_alias_ratio(decoded: f64) -> f64 {
    let (low, high) = ALIAS_RATIO_RANGE;
    let (most, least) = ALIAS_RATIO;
    if decoded <= low {
        most
    } else if decoded >= high {
        least
    } else {
        most - (most - least) * ((decoded - low) / (high - low))
    }
}

/// Standard base64 with padding; line breaks are ignored, as Go does.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut bits = 0u32;
    let mut count = 0usize;
    let mut padding = 0usize;
    for byte in text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        let value = match byte {
            b'A'..=b'Z' => byte.wrapping_sub(b'A'),
            b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding = padding.saturating_add(1);
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = bits.wrapping_shl(6) | u32::from(value);
        count = count.saturating_add(1);
        if count.is_multiple_of(4) {
            bytes.extend_from_slice(bits.to_be_bytes().get(1..)?);
            bits = 0;
        }
    }
    match (count % 4, padding) {
        (0, 0) => {}
        (2, 2) => bytes.push(bits.wrapping_shl(12).to_be_bytes().get(1).copied()?),
        (3, 1) => bytes.extend_from_slice(bits.wrapping_shl(6).to_be_bytes().get(1..3)?),
        _ => return None,
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_base64() {
        assert_eq!(decode_base64("aGVs\nbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(decode_base64("aGVsbA==").as_deref(), Some(&b"hell"[..]));
        assert_eq!(decode_base64("").as_deref(), Some(&b""[..]));
        for bad in ["a", "aGVsbG8", "aGVs=", "a=Gs", "aGV$"] {
            assert_eq!(decode_base64(bad), None, "{bad}");
        }
    }
}
