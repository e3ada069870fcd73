//! The tree of one document as it was written: every node with its place, aliases and merge keys not yet followed.

use super::scalar::{Scalar, go_float_key, resolve};
use std::collections::BTreeMap;

/// Index of a node in its [`Tree`].
pub(crate) type NodeId = u32;

#[derive(Debug)]
pub(crate) enum NodeKind {
    Scalar {
        text: Box<str>,
        /// Unquoted and untagged, so that the type follows from the text.
        implicit: bool,
    },
    Sequence {
        items: Vec<NodeId>,
        flow: bool,
    },
    Mapping {
        entries: Vec<(NodeId, NodeId)>,
        flow: bool,
    },
    Alias {
        target: NodeId,
        name: Box<str>,
    },
}

#[derive(Debug)]
pub(crate) struct Node {
    /// Byte offsets in the whole text.
    pub start: u32,
    pub end: u32,
    pub kind: NodeKind,
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Tags are rare, so they stay out of the nodes.
    tags: BTreeMap<NodeId, String>,
    pub alias_count: usize,
}

/// Long chains of aliases cannot occur (an alias names an earlier anchor, never an alias), so this bounds nothing real.
const MAX_ALIAS_STEPS: usize = 8;

impl Tree {
    pub fn add(&mut self, start: usize, end: usize, kind: NodeKind, tag: Option<String>) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        self.nodes.push(Node { start: narrow(start), end: narrow(end), kind });
        if let Some(tag) = tag {
            self.tags.insert(id, tag);
        }
        id
    }

    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)
    }

    pub fn tag(&self, id: NodeId) -> Option<&str> {
        if self.tags.is_empty() { None } else { self.tags.get(&id).map(String::as_str) }
    }

    /// Byte range of a node.
    pub fn range(&self, id: NodeId) -> (usize, usize) {
        self.node(id).map_or((0, 0), |node| (node.start as usize, node.end as usize))
    }

    /// The node itself, or what its alias names.
    pub fn resolve_alias(&self, mut id: NodeId) -> NodeId {
        for _ in 0..MAX_ALIAS_STEPS {
            match self.node(id) {
                Some(Node { kind: NodeKind::Alias { target, .. }, .. }) => id = *target,
                _ => break,
            }
        }
        id
    }

    /// `<<`, unquoted.
    pub fn is_merge_key(&self, id: NodeId) -> bool {
        match self.node(id) {
            Some(Node { kind: NodeKind::Scalar { text, implicit }, .. }) => {
                &**text == "<<" && (*implicit || self.tag(id) == Some("tag:yaml.org,2002:merge"))
            }
            _ => false,
        }
    }

    /// The key of a mapping entry as it stands in the JSON object; None for what cannot be one.
    /// Follows sigs.k8s.io/yaml yaml.go convertToJSONableObject: numbers and booleans become text.
    pub fn key_text(&self, id: NodeId) -> Option<String> {
        let id = self.resolve_alias(id);
        let Some(Node { kind: NodeKind::Scalar { text, implicit }, .. }) = self.node(id) else {
            return None;
        };
        let typed = match self.tag(id).map(|tag| tag.strip_prefix("tag:yaml.org,2002:").unwrap_or("")) {
            None => *implicit,
            Some(tag) => matches!(tag, "bool" | "int" | "float" | "null"),
        };
        if !typed {
            return Some(text.to_string());
        }
        match resolve(text) {
            Scalar::Null | Scalar::Uint(_) => None,
            Scalar::Bool(value) => Some(value.to_string()),
            Scalar::Int(value) => Some(value.to_string()),
            Scalar::Float(value) => Some(go_float_key(value)),
            Scalar::Text => Some(text.to_string()),
        }
    }

    /// The entry that counts for a key: the last one written or merged, with the node of the key where it was written.
    pub fn entry(&self, mapping: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        let mut left = 100_000;
        self.entry_bounded(mapping, key, 0, &mut left)
    }

    fn entry_bounded(&self, mapping: NodeId, key: &str, depth: usize, left: &mut usize) -> Option<(NodeId, NodeId)> {
        if depth > MAX_ALIAS_STEPS || *left == 0 {
            return None;
        }
        *left = left.saturating_sub(1);
        let Some(Node { kind: NodeKind::Mapping { entries, .. }, .. }) = self.node(self.resolve_alias(mapping)) else {
            return None;
        };
        for (key_id, value_id) in entries.iter().rev() {
            if self.is_merge_key(*key_id) {
                let value = self.resolve_alias(*value_id);
                let found = match self.node(value).map(|node| &node.kind) {
                    Some(NodeKind::Mapping { .. }) => self.entry_bounded(value, key, depth.saturating_add(1), left),
                    Some(NodeKind::Sequence { items, .. }) => {
                        items.iter().find_map(|item| self.entry_bounded(*item, key, depth.saturating_add(1), left))
                    }
                    _ => None,
                };
                if found.is_some() {
                    return found;
                }
            } else if self.key_equals(*key_id, key) {
                return Some((*key_id, *value_id));
            }
        }
        None
    }

    fn key_equals(&self, id: NodeId, key: &str) -> bool {
        match self.node(id) {
            // Most keys are plain words that mean themselves; those that could mean something else are short.
            Some(Node { kind: NodeKind::Scalar { text, .. }, .. }) if **text == *key => {
                self.key_text(id).as_deref() == Some(key)
            }
            Some(Node { kind: NodeKind::Scalar { implicit: false, .. }, .. }) if self.tags.is_empty() => false,
            _ => self.key_text(id).as_deref() == Some(key),
        }
    }

    /// The entries of all mappings, outer ones first.
    pub fn entries(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let entries = self.nodes.iter().flat_map(|node| match &node.kind {
            NodeKind::Mapping { entries, .. } => entries.as_slice(),
            _ => &[],
        });
        entries.copied()
    }

    /// The mapping that a key belongs to, and the position of its entry.
    pub fn mapping_of(&self, key: NodeId) -> Option<(NodeId, usize)> {
        self.nodes.iter().zip(0..).find_map(|(node, id)| match &node.kind {
            NodeKind::Mapping { entries, .. } => {
                let index = entries.iter().position(|(other, _)| *other == key)?;
                Some((id, index))
            }
            _ => None,
        })
    }

    /// The keys of all mappings that are scalars, as they are written.
    pub fn keys(&self) -> impl Iterator<Item = (NodeId, &str)> {
        self.entries().filter_map(|(key, _)| match self.node(key) {
            Some(Node { kind: NodeKind::Scalar { text, .. }, .. }) => Some((key, &**text)),
            _ => None,
        })
    }

    /// The item of a list.
    pub fn item(&self, sequence: NodeId, index: usize) -> Option<NodeId> {
        match self.node(self.resolve_alias(sequence)).map(|node| &node.kind) {
            Some(NodeKind::Sequence { items, .. }) => items.get(index).copied(),
            _ => None,
        }
    }
}
