//! Events to a [`Tree`]. Anchors are looked up here, as go-yaml does, in the order in which they are written.

use super::diagnostic::{Code, Fact, Remedy};
use super::failure::Failure;
use super::limits::{LimitKind, Limits};
use super::tree::{NodeId, NodeKind, Tree};
use super::yaml::{Event, EventKind, Parser, ScalarStyle, YamlError};
use std::collections::BTreeMap;

/// Why composing stopped.
pub(crate) enum ComposeError {
    /// YAML itself is at fault.
    Yaml(YamlError),
    Other(Box<Failure>),
}

pub(crate) struct Composed {
    pub tree: Tree,
    /// None for a chunk without any content.
    pub root: Option<NodeId>,
    /// Where text begins that kubectl ignores because the YAML document has ended.
    pub ignored_from: Option<usize>,
}

enum Frame {
    Sequence(NodeId),
    Mapping { id: NodeId, key: Option<NodeId> },
}

/// Reads the first YAML document of `text[start..end]`; kubectl never looks at a second one in the same chunk.
/// Follows go.yaml.in/yaml/v2 decode.go parser.
pub(crate) fn compose(text: &str, start: usize, end: usize, limits: &Limits) -> Result<Composed, ComposeError> {
    let mut parser = Parser::new(text, start, end);
    let mut composer =
        Composer { text, limits, tree: Tree::default(), stack: Vec::new(), anchors: BTreeMap::new(), root: None };
    loop {
        let event = match parser.next_event() {
            Ok(event) => event,
            Err(error) => return Err(ComposeError::Yaml(error)),
        };
        match event.kind {
            EventKind::StreamStart | EventKind::DocumentStart => {}
            EventKind::StreamEnd => {
                return Ok(Composed { tree: composer.tree, root: None, ignored_from: None });
            }
            EventKind::DocumentEnd => break,
            _ => composer.take(event).map_err(ComposeError::Other)?,
        }
    }
    let ignored_from = match parser.next_event() {
        Ok(Event { kind: EventKind::StreamEnd, .. }) => None,
        Ok(event) => Some(event.start.offset),
        Err(error) => Some(error.mark.offset),
    };
    Ok(Composed { tree: composer.tree, root: composer.root, ignored_from })
}

struct Composer<'t, 'l> {
    text: &'t str,
    limits: &'l Limits,
    tree: Tree,
    stack: Vec<Frame>,
    anchors: BTreeMap<&'t str, NodeId>,
    root: Option<NodeId>,
}

impl<'t> Composer<'t, '_> {
    fn take(&mut self, event: Event<'t>) -> Result<(), Box<Failure>> {
        let (start, end) = (event.start.offset, event.end.offset);
        match event.kind {
            EventKind::Scalar { value, style, implicit } => {
                let end = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => self.trimmed_end(start, end),
                    _ => end,
                };
                let kind = NodeKind::Scalar { text: value.into(), implicit };
                let id = self.tree.add(start, end, kind, event.tag);
                self.anchor(event.anchor, id);
                self.attach(id, end);
            }
            EventKind::Alias(name) => {
                let Some(target) = self.anchors.get(name).copied() else {
                    return Err(Box::new(Failure {
                        code: Code::UnknownAnchor,
                        fact: Fact::UnknownAnchor { name: name.to_owned(), defined_in_another_document: false },
                        kubectl_text: Some(format!(
                            "error converting YAML to JSON: yaml: unknown anchor '{name}' referenced"
                        )),
                        start,
                        end,
                        remedy: Remedy::DefineAnchorInSameDocument,
                        fix: None,
                    }));
                };
                self.tree.alias_count = self.tree.alias_count.saturating_add(1);
                if self.tree.alias_count > self.limits.aliases {
                    return Err(Failure::limit(LimitKind::Aliases, self.limits.aliases, start, end));
                }
                let id = self.tree.add(start, end, NodeKind::Alias { target, name: name.into() }, None);
                self.attach(id, end);
            }
            EventKind::SequenceStart { flow } => {
                let id = self.open(NodeKind::Sequence { items: Vec::new(), flow }, start, end, event.anchor)?;
                self.stack.push(Frame::Sequence(id));
            }
            EventKind::MappingStart { flow } => {
                let id = self.open(NodeKind::Mapping { entries: Vec::new(), flow }, start, end, event.anchor)?;
                self.stack.push(Frame::Mapping { id, key: None });
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => self.close(start, end),
            EventKind::StreamStart | EventKind::StreamEnd | EventKind::DocumentStart | EventKind::DocumentEnd => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: NodeKind,
        start: usize,
        end: usize,
        anchor: Option<&'t str>,
    ) -> Result<NodeId, Box<Failure>> {
        let depth = self.limits.depth.min(Limits::MAX_DEPTH);
        if self.stack.len() >= depth {
            return Err(Failure::limit(LimitKind::Depth, depth, start, end));
        }
        let id = self.tree.add(start, end, kind, None);
        self.anchor(anchor, id);
        Ok(id)
    }

    fn close(&mut self, start: usize, end: usize) {
        let id = match self.stack.pop() {
            Some(Frame::Sequence(id) | Frame::Mapping { id, .. }) => id,
            None => return,
        };
        // A block collection ends with its last child, a flow collection with its bracket.
        let node_end = match self.tree.node_mut(id) {
            Some(node) => {
                let is_flow =
                    matches!(node.kind, NodeKind::Sequence { flow: true, .. } | NodeKind::Mapping { flow: true, .. });
                if is_flow {
                    node.end = u32::try_from(end.max(start)).unwrap_or(u32::MAX);
                }
                node.end as usize
            }
            None => end,
        };
        self.attach(id, node_end);
    }

    fn anchor(&mut self, name: Option<&'t str>, id: NodeId) {
        if let Some(name) = name {
            self.anchors.insert(name, id);
        }
    }

    /// Puts a finished node into the collection that is open.
    fn attach(&mut self, child: NodeId, child_end: usize) {
        let child_end = u32::try_from(child_end).unwrap_or(u32::MAX);
        let parent = match self.stack.last_mut() {
            None => {
                self.root = Some(child);
                return;
            }
            Some(Frame::Sequence(id)) => {
                if let Some(node) = self.tree.node_mut(*id)
                    && let NodeKind::Sequence { items, .. } = &mut node.kind
                {
                    items.push(child);
                }
                *id
            }
            Some(Frame::Mapping { id, key }) => {
                match key.take() {
                    None => *key = Some(child),
                    Some(key) => {
                        if let Some(node) = self.tree.node_mut(*id)
                            && let NodeKind::Mapping { entries, .. } = &mut node.kind
                        {
                            entries.push((key, child));
                        }
                    }
                }
                *id
            }
        };
        if let Some(node) = self.tree.node_mut(parent) {
            node.end = node.end.max(child_end);
        }
    }

    /// The end of a block scalar without the line breaks behind it, unless it keeps them (`|+`): then without the last.
    fn trimmed_end(&self, start: usize, end: usize) -> usize {
        let text = self.text.get(start..end.min(self.text.len())).unwrap_or("");
        let keeps =
            text.lines().next().and_then(|header| header.split('#').next()).is_some_and(|line| line.contains('+'));
        let trimmed = if keeps { text.strip_suffix('\n').unwrap_or(text) } else { text.trim_end() };
        start.saturating_add(trimmed.len())
    }
}
