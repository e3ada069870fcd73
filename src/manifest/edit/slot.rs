//! Where a value stands in the text, and what it takes to put another one there.

use super::super::diagnostic::TextEdit;
use super::super::source::Line;
use super::super::tree::{NodeId, NodeKind, Tree};
use super::EditError;
use super::render::{Notation, block, inline, is_block, nested_column};
use serde_json::Value;

/// The place of one value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// Right behind the colon or the dash that the value belongs to.
    pub after: usize,
    /// The value as it stands; empty for a value that is not written.
    pub start: usize,
    pub end: usize,
    /// Column (from 0) of the key or the dash.
    pub column: usize,
    /// The value of a key, not an item of a list.
    pub is_entry: bool,
    pub notation: Notation,
}

/// The text and the tree that an edit works on.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub text: &'t str,
    pub tree: &'t Tree,
    /// The document is JSON.
    pub json: bool,
    pub list_offset: usize,
}

impl<'t> Source<'t> {
    pub fn line(&self, at: usize) -> Line<'t> {
        Line::at(self.text, at)
    }

    /// The end of the line that holds an offset, before its line break.
    pub fn line_end(&self, at: usize) -> usize {
        self.line(at).end()
    }

    /// The offset behind the line that holds an offset, with its line break.
    pub fn next_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        rest.find('\n').map_or(self.text.len(), |newline| at.saturating_add(newline).saturating_add(1))
    }

    /// The line break that the text uses there.
    pub fn line_break(&self, at: usize) -> &'static str {
        let end = self.line_end(at);
        if self.text.get(end..).is_some_and(|rest| rest.starts_with("\r\n")) { "\r\n" } else { "\n" }
    }

    pub fn column(&self, at: usize) -> usize {
        at.saturating_sub(self.line(at).start)
    }

    pub fn is_flow(&self, collection: NodeId) -> bool {
        matches!(
            self.tree.node(collection).map(|node| &node.kind),
            Some(NodeKind::Mapping { flow: true, .. } | NodeKind::Sequence { flow: true, .. })
        )
    }

    pub fn notation_in(&self, collection: NodeId) -> Notation {
        if self.json {
            Notation::Json
        } else if self.is_flow(collection) {
            Notation::Flow
        } else {
            Notation::Block { list_offset: self.list_offset }
        }
    }

    /// The slot of a mapping's value.
    pub fn entry_slot(&self, mapping: NodeId, key: NodeId, value: NodeId) -> Result<Slot, EditError> {
        let (key_start, key_end) = self.tree.range(key);
        let (start, end) = self.tree.range(value);
        let between = self.text.get(key_end..).unwrap_or("");
        let blanks = between.len().saturating_sub(between.trim_start_matches([' ', '\t']).len());
        let colon = key_end.saturating_add(blanks);
        if self.text.get(colon..).is_none_or(|rest| !rest.starts_with(':')) {
            return Err(EditError::Unsupported);
        }
        let after = colon.saturating_add(1);
        Ok(Slot {
            after,
            start: start.max(after),
            end: end.max(after),
            column: self.column(key_start),
            is_entry: true,
            notation: self.notation_in(mapping),
        })
    }

    /// The slot of a list's item.
    pub fn item_slot(&self, sequence: NodeId, item: NodeId) -> Result<Slot, EditError> {
        let (start, end) = self.tree.range(item);
        let notation = self.notation_in(sequence);
        if !matches!(notation, Notation::Block { .. }) {
            return Ok(Slot { after: start, start, end, column: self.column(start), is_entry: false, notation });
        }
        let dash = self.dash_before(start).ok_or(EditError::Unsupported)?;
        let after = dash.saturating_add(1);
        Ok(Slot {
            after,
            start: start.max(after),
            end: end.max(after),
            column: self.column(dash),
            is_entry: false,
            notation,
        })
    }

    /// The dash of the list item that starts there.
    pub fn dash_before(&self, item_start: usize) -> Option<usize> {
        let before = self.text.get(..item_start)?.trim_end();
        let dash = before.len().checked_sub(1)?;
        before.ends_with('-').then_some(dash)
    }

    /// The edits that put `value` into the slot.
    pub fn put(&self, slot: &Slot, value: &Value) -> Vec<TextEdit> {
        match slot.notation {
            Notation::Block { list_offset } if is_block(value) => self.put_block(slot, value, list_offset),
            _ => self.put_inline(slot, &inline(value, slot.notation)),
        }
    }

    fn put_inline(&self, slot: &Slot, text: &str) -> Vec<TextEdit> {
        let key_line = self.line(slot.after);
        if slot.start > key_line.end() {
            // The old value stands in the lines below.
            return vec![
                TextEdit { start: slot.after, end: slot.after, replacement: format!(" {text}") },
                TextEdit { start: key_line.end(), end: self.line_end(slot.end), replacement: String::new() },
            ];
        }
        let space = if slot.start == slot.after && matches!(slot.notation, Notation::Block { .. }) { " " } else { "" };
        vec![TextEdit { start: slot.start, end: slot.end, replacement: format!("{space}{text}") }]
    }

    fn put_block(&self, slot: &Slot, value: &Value, list_offset: usize) -> Vec<TextEdit> {
        let line_break = self.line_break(slot.after);
        let key_line_end = self.line_end(slot.after);
        let is_below = slot.start > key_line_end;
        if !slot.is_entry {
            let column = slot.column.saturating_add(2);
            let lines = block(value, column, list_offset).join(line_break);
            let end = if is_below { self.line_end(slot.end) } else { slot.end };
            return vec![TextEdit { start: slot.after, end, replacement: format!(" {}", lines.trim_start()) }];
        }
        let column = nested_column(value, slot.column, list_offset).unwrap_or(slot.column);
        let lines = block(value, column, list_offset).join(line_break);
        let replacement = format!("{line_break}{lines}");
        if is_below {
            return vec![TextEdit { start: key_line_end, end: self.line_end(slot.end), replacement }];
        }
        let insert_at = self.line_end(slot.end);
        let is_rest_blank = self.text.get(slot.end..insert_at).is_some_and(|rest| rest.trim().is_empty());
        if is_rest_blank {
            return vec![TextEdit { start: slot.after, end: insert_at, replacement }];
        }
        // A comment behind the old value stays on the key's line.
        vec![
            TextEdit { start: slot.after, end: slot.end, replacement: String::new() },
            TextEdit { start: insert_at, end: insert_at, replacement },
        ]
    }
}

/// How far the document's first block list is indented under its key; 0 if it has none.
pub(super) fn list_offset(text: &str, tree: &Tree) -> usize {
    let column = |at: usize| at.saturating_sub(Line::at(text, at).start);
    tree.entries()
        .find_map(|(key, value)| {
            let (key_start, _) = tree.range(key);
            let (start, _) = tree.range(value);
            match tree.node(value).map(|node| &node.kind) {
                Some(NodeKind::Sequence { flow: false, .. }) if text.get(start..)?.starts_with('-') => {
                    column(start).checked_sub(column(key_start))
                }
                _ => None,
            }
        })
        .filter(|offset| matches!(offset, 0 | 2 | 4))
        .unwrap_or(0)
}
