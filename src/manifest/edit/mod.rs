//! Changes to a manifest that leave comments, order, quotes and spacing as the person wrote them.
//!
//! Every function gives the edits on the text for one change to one document. Before they are given out, the edited
//! document is read again: it must hold exactly the intended value. What cannot be changed in its place without
//! changing something else too (a value that an alias shares) is an error, never a wrong edit.

mod moving;
mod render;
mod slot;

use super::diagnostic::{TextEdit, apply_edits};
use super::document::{Document, Format};
use super::limits::Limits;
use super::path::PathSegment;
use super::read::read_without_fixes;
use super::source::quoted;
use super::tree::{NodeId, NodeKind, Tree};
use crate::order::Collect;
pub use moving::move_entry;
use render::{Notation, inline, key_text, list_item};
use serde_json::{Map, Value};
use slot::{Slot, Source, list_offset};

/// Why a change cannot be made in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditError {
    /// The document could not be read, or is empty.
    NoDocument,
    /// The path, or the part of it that has to exist, does not.
    NotFound,
    /// There is a value of another kind: a list where a mapping is needed, and so on.
    WrongKind,
    /// The text has a form that is not handled (`? key`), or the change would change something else too: the value is
    /// shared by an alias or a merge key.
    Unsupported,
}

type Edits = Result<Vec<TextEdit>, EditError>;

/// Puts a value in the place of another, or of nothing: missing keys on the way are added.
pub fn set(text: &str, document: &Document, path: &[PathSegment], value: &Value) -> Edits {
    let editor = Editor::new(text, document)?;
    let mut intended = editor.value.clone();
    set_in(&mut intended, path, value.clone())?;
    editor.verified(editor.set(path, value)?, &intended)
}

/// Like [`set`] for a text, number, boolean or null that is there already.
pub fn set_scalar(text: &str, document: &Document, path: &[PathSegment], value: &Value) -> Edits {
    let editor = Editor::new(text, document)?;
    if editor.find(path).is_none() {
        return Err(EditError::NotFound);
    }
    set(text, document, path, value)
}

/// Puts an unquoted scalar into quotes, so that it is the text that stands there: `on` becomes `"on"`.
pub fn quote(text: &str, document: &Document, path: &[PathSegment]) -> Edits {
    let editor = Editor::new(text, document)?;
    let found = editor.find(path).ok_or(EditError::NotFound)?;
    let (start, end) = editor.source.tree.range(found);
    let written = text.get(start..end).unwrap_or("").to_owned();
    let mut intended = editor.value.clone();
    set_in(&mut intended, path, Value::from(written.as_str()))?;
    editor.verified(vec![TextEdit { start, end, replacement: quoted(&written) }], &intended)
}

/// Adds an item at the end of a list. A list that is missing, null or `[]` is begun, with the keys that lead to it.
pub fn add_list_item(text: &str, document: &Document, list: &[PathSegment], item: &Value) -> Edits {
    let editor = Editor::new(text, document)?;
    let mut intended = editor.value.clone();
    let edits = match editor.value_at(list) {
        Some(Value::Array(items)) if !items.is_empty() => {
            let mut items = items.clone();
            items.push(item.clone());
            set_in(&mut intended, list, Value::Array(items))?;
            editor.append_item(list, item)?
        }
        Some(Value::Array(_) | Value::Null) | None => {
            let begun = Value::Array(vec![item.clone()]);
            set_in(&mut intended, list, begun.clone())?;
            editor.set(list, &begun)?
        }
        Some(_) => return Err(EditError::WrongKind),
    };
    editor.verified(edits, &intended)
}

/// Adds an entry at the end of a mapping, or replaces the value of the key. A mapping that is missing, null or `{}` is
/// begun, with the keys that lead to it.
pub fn add_mapping_entry(text: &str, document: &Document, mapping: &[PathSegment], key: &str, value: &Value) -> Edits {
    let mut path = mapping.to_vec();
    path.push(PathSegment::Key(key.to_owned()));
    set(text, document, &path, value)
}

/// Takes an entry or an item away. A collection that gets empty by it becomes `{}` or `[]`.
pub fn remove(text: &str, document: &Document, path: &[PathSegment]) -> Edits {
    let editor = Editor::new(text, document)?;
    let mut intended = editor.value.clone();
    remove_in(&mut intended, path)?;
    editor.verified(editor.remove(path)?, &intended)
}

/// Takes away the first of two entries with the same key, the one that does not count.
pub(crate) fn remove_overwritten(text: &str, document: &Document, first_key: NodeId) -> Edits {
    let editor = Editor::new(text, document)?;
    let tree = editor.tree();
    let (mapping, index) = tree.mapping_of(first_key).ok_or(EditError::NotFound)?;
    let edits = editor.remove_element(mapping, &editor.elements(mapping)?, index)?;
    editor.verified(edits, editor.value)
}

/// Gives an entry another key.
pub fn replace_key(text: &str, document: &Document, path: &[PathSegment], key: &str) -> Edits {
    let editor = Editor::new(text, document)?;
    let (Some(PathSegment::Key(old)), parent) = (path.last(), parent_of(path)) else {
        return Err(EditError::WrongKind);
    };
    let mapping = editor.find(parent).ok_or(EditError::NotFound)?;
    let (key_node, _) = editor.source.tree.entry(mapping, old).ok_or(EditError::NotFound)?;
    let mut intended = editor.value.clone();
    let Some(Value::Object(entries)) = pointer_mut(&mut intended, parent) else { return Err(EditError::WrongKind) };
    if old != key && entries.contains_key(key) {
        return Err(EditError::Unsupported);
    }
    let value = entries.remove(old).ok_or(EditError::NotFound)?;
    entries.insert(key.to_owned(), value);
    let (start, end) = editor.source.tree.range(key_node);
    let replacement = key_text(key, editor.source.notation_in(editor.source.tree.resolve_alias(mapping)));
    editor.verified(vec![TextEdit { start, end, replacement }], &intended)
}

struct Editor<'t> {
    source: Source<'t>,
    document: &'t Document,
    value: &'t Value,
    root: NodeId,
}

impl<'t> Editor<'t> {
    fn new(text: &'t str, document: &'t Document) -> Result<Self, EditError> {
        let (Some((tree, root)), Some(value)) = (document.tree(), document.value()) else {
            return Err(EditError::NoDocument);
        };
        let json = document.format == Format::Json;
        let source = Source { text, tree, json, list_offset: list_offset(text, tree) };
        Ok(Editor { source, document, value, root })
    }

    /// The edits, if they lead to the intended value and keep to the document.
    fn verified(&self, edits: Vec<TextEdit>, intended: &Value) -> Edits {
        let range = self.document.span.range();
        let chunk = self.source.text.get(range.clone()).ok_or(EditError::NoDocument)?;
        let mut shifted = Vec::with_capacity(edits.len());
        for edit in &edits {
            if edit.start < range.start || edit.end > range.end {
                return Err(EditError::Unsupported);
            }
            shifted.push(TextEdit {
                start: edit.start.saturating_sub(range.start),
                end: edit.end.saturating_sub(range.start),
                replacement: edit.replacement.clone(),
            });
        }
        let again = read_without_fixes(&apply_edits(chunk, &shifted), &Limits::for_dump());
        let mut documents = again.documents.iter().filter(|document| !document.is_empty());
        let is_intended = documents.next().and_then(Document::value) == Some(intended) && documents.next().is_none();
        if is_intended { Ok(edits) } else { Err(EditError::Unsupported) }
    }

    fn tree(&self) -> &'t Tree {
        self.source.tree
    }

    fn find(&self, path: &[PathSegment]) -> Option<NodeId> {
        path.iter().try_fold(self.root, |at, segment| match segment {
            PathSegment::Key(key) => self.tree().entry(at, key).map(|(_, value)| value),
            PathSegment::Index(index) => self.tree().item(at, *index),
        })
    }

    fn value_at(&self, path: &[PathSegment]) -> Option<&'t Value> {
        path.iter().try_fold(self.value, |at, segment| match segment {
            PathSegment::Key(key) => at.get(key),
            PathSegment::Index(index) => at.get(index),
        })
    }

    fn slot(&self, path: &[PathSegment]) -> Result<Slot, EditError> {
        let parent = self.tree().resolve_alias(self.find(parent_of(path)).ok_or(EditError::NotFound)?);
        match path.last() {
            Some(PathSegment::Key(key)) => {
                let (key, value) = self.tree().entry(parent, key).ok_or(EditError::NotFound)?;
                self.source.entry_slot(parent, key, value)
            }
            Some(PathSegment::Index(index)) => {
                self.source.item_slot(parent, self.tree().item(parent, *index).ok_or(EditError::NotFound)?)
            }
            None => Err(EditError::Unsupported),
        }
    }

    fn set(&self, path: &[PathSegment], value: &Value) -> Edits {
        // The longest part of the path that exists and is not null; below it everything is new.
        let depth = (0..=path.len())
            .rev()
            .find(|depth| {
                let value = path.get(..*depth).and_then(|path| self.value_at(path));
                value.is_some_and(|value| *depth == path.len() || !value.is_null())
            })
            .ok_or(EditError::NotFound)?;
        let (known, missing) = path.split_at_checked(depth).ok_or(EditError::NotFound)?;
        let Some((first, rest)) = missing.split_first() else {
            return Ok(self.source.put(&self.slot(known)?, value));
        };
        let new = nest(rest, value.clone())?;
        let mut first_path = known.to_vec();
        first_path.push(first.clone());
        if self.value_at(&first_path).is_some() {
            // It is null.
            return Ok(self.source.put(&self.slot(&first_path)?, &new));
        }
        let PathSegment::Key(key) = first else { return Err(EditError::NotFound) };
        let Some(Value::Object(entries)) = self.value_at(known) else { return Err(EditError::WrongKind) };
        if entries.is_empty() && !known.is_empty() {
            let entries = [(key.clone(), new)].into_iter().collect_object();
            return Ok(self.source.put(&self.slot(known)?, &Value::Object(entries)));
        }
        self.append_entry(known, key, &new)
    }

    fn append_entry(&self, mapping: &[PathSegment], key: &str, value: &Value) -> Edits {
        let mapping = self.tree().resolve_alias(self.find(mapping).ok_or(EditError::NotFound)?);
        let Some(NodeKind::Mapping { entries, .. }) = self.tree().node(mapping).map(|node| &node.kind) else {
            return Err(EditError::WrongKind);
        };
        let (Some((first_key, _)), Some((last_key, last_value))) = (entries.first(), entries.last()) else {
            return Err(EditError::Unsupported);
        };
        let notation = self.source.notation_in(mapping);
        match notation {
            Notation::Block { list_offset } => {
                let column = self.source.column(self.tree().range(*first_key).0);
                let entry = Value::Object([(key.to_owned(), value.clone())].into_iter().collect_object());
                let lines = render::block(&entry, column, list_offset);
                let slot = self.source.entry_slot(mapping, *last_key, *last_value)?;
                Ok(vec![self.lines_after(slot.end, &lines)])
            }
            _ => {
                let entry = format!("{}: {}", key_text(key, notation), inline(value, notation));
                Ok(vec![self.after_last(*last_key, self.tree().range(*last_value).1, &entry)])
            }
        }
    }

    fn append_item(&self, list: &[PathSegment], item: &Value) -> Edits {
        let sequence = self.tree().resolve_alias(self.find(list).ok_or(EditError::NotFound)?);
        let Some(NodeKind::Sequence { items, .. }) = self.tree().node(sequence).map(|node| &node.kind) else {
            return Err(EditError::WrongKind);
        };
        let last = *items.last().ok_or(EditError::Unsupported)?;
        let notation = self.source.notation_in(sequence);
        let slot = self.source.item_slot(sequence, last)?;
        match notation {
            Notation::Block { list_offset } => {
                let lines = list_item(item, slot.column, list_offset);
                Ok(vec![self.lines_after(slot.end, &lines)])
            }
            _ => Ok(vec![self.after_last(last, slot.end, &inline(item, notation))]),
        }
    }

    /// New lines below the line that holds an offset.
    fn lines_after(&self, at: usize, lines: &[String]) -> TextEdit {
        let line_break = self.source.line_break(at);
        let end = self.source.line_end(at);
        let replacement: String = lines.iter().flat_map(|line| [line_break, line.as_str()]).collect();
        TextEdit { start: end, end, replacement }
    }

    /// Another element in brackets, on a line of its own if the last one has one.
    fn after_last(&self, last: NodeId, end: usize, element: &str) -> TextEdit {
        let (start, _) = self.tree().range(last);
        let line = self.source.line(start);
        let front = self.source.text.get(line.start..start).unwrap_or("");
        let separator = if front.trim().is_empty() && line.start > 0 {
            format!(",{}{front}", self.source.line_break(start))
        } else {
            ", ".to_owned()
        };
        TextEdit { start: end, end, replacement: format!("{separator}{element}") }
    }

    fn remove(&self, path: &[PathSegment]) -> Edits {
        let parent_path = parent_of(path);
        let parent = self.tree().resolve_alias(self.find(parent_path).ok_or(EditError::NotFound)?);
        let index = match (self.tree().node(parent).map(|node| &node.kind), path.last()) {
            (Some(NodeKind::Mapping { entries, .. }), Some(PathSegment::Key(key))) => {
                let (key, _) = self.tree().entry(parent, key).ok_or(EditError::NotFound)?;
                entries.iter().position(|(other, _)| *other == key).ok_or(EditError::Unsupported)?
            }
            (Some(NodeKind::Sequence { .. }), Some(PathSegment::Index(index))) => *index,
            _ => return Err(EditError::WrongKind),
        };
        match self.elements(parent)?.as_slice() {
            [_] => self.empty(parent_path, parent),
            elements => self.remove_element(parent, elements, index),
        }
    }

    /// Where each element of a collection begins and ends: at its key or dash, and with its value.
    fn elements(&self, collection: NodeId) -> Result<Vec<(usize, usize)>, EditError> {
        match self.tree().node(collection).map(|node| &node.kind) {
            Some(NodeKind::Mapping { entries, .. }) => entries
                .iter()
                .map(|(key, value)| {
                    let slot = self.source.entry_slot(collection, *key, *value)?;
                    Ok((self.tree().range(*key).0, slot.end))
                })
                .collect(),
            Some(NodeKind::Sequence { items, flow }) => items
                .iter()
                .map(|item| {
                    let (start, end) = self.tree().range(*item);
                    let begin = if *flow { Some(start) } else { self.source.dash_before(start) };
                    Ok((begin.ok_or(EditError::Unsupported)?, end))
                })
                .collect(),
            _ => Err(EditError::WrongKind),
        }
    }

    fn remove_element(&self, collection: NodeId, elements: &[(usize, usize)], index: usize) -> Edits {
        let (start, end) = *elements.get(index).ok_or(EditError::NotFound)?;
        let next = elements.get(index.saturating_add(1));
        let previous = index.checked_sub(1).and_then(|before| elements.get(before));
        let removed = |start, end| Ok(vec![TextEdit { start, end, replacement: String::new() }]);
        if !matches!(self.source.notation_in(collection), Notation::Block { .. }) {
            // With the comma behind it, or the one in front of the last.
            return match (next, previous) {
                (Some((next, _)), _) => removed(start, *next),
                (None, Some((_, previous))) => removed(*previous, end),
                (None, None) => removed(start, end),
            };
        }
        let line = self.source.line(start);
        let is_first_on_line = self.source.text.get(line.start..start).is_some_and(|front| front.trim().is_empty());
        if is_first_on_line {
            removed(line.start, self.source.next_line(end))
        } else {
            // Behind a dash: the next element takes its place.
            removed(start, next.ok_or(EditError::Unsupported)?.0)
        }
    }

    /// Makes a collection empty.
    fn empty(&self, path: &[PathSegment], collection: NodeId) -> Edits {
        let empty = match self.tree().node(collection).map(|node| &node.kind) {
            Some(NodeKind::Sequence { .. }) => Value::Array(Vec::new()),
            _ => Value::Object(Map::new()),
        };
        if path.is_empty() {
            let (start, end) = self.tree().range(collection);
            return Ok(vec![TextEdit { start, end, replacement: inline(&empty, Notation::Flow) }]);
        }
        Ok(self.source.put(&self.slot(path)?, &empty))
    }
}

fn parent_of(path: &[PathSegment]) -> &[PathSegment] {
    path.split_last().map_or(&[], |(_, parent)| parent)
}

/// The value inside new mappings for the keys that lead to it.
fn nest(path: &[PathSegment], value: Value) -> Result<Value, EditError> {
    path.iter().rev().try_fold(value, |value, segment| match segment {
        PathSegment::Key(key) => Ok(Value::Object([(key.clone(), value)].into_iter().collect_object())),
        PathSegment::Index(_) => Err(EditError::NotFound),
    })
}

fn pointer_mut<'v>(value: &'v mut Value, path: &[PathSegment]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |at, segment| match segment {
        PathSegment::Key(key) => at.get_mut(key),
        PathSegment::Index(index) => at.get_mut(index),
    })
}

fn set_in(root: &mut Value, path: &[PathSegment], value: Value) -> Result<(), EditError> {
    let mut at = root;
    for segment in path {
        at = match segment {
            PathSegment::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                let Value::Object(entries) = at else { return Err(EditError::WrongKind) };
                entries.entry(key.clone()).or_insert(Value::Null)
            }
            PathSegment::Index(index) => {
                let Value::Array(items) = at else { return Err(EditError::NotFound) };
                items.get_mut(*index).ok_or(EditError::NotFound)?
            }
        };
    }
    *at = value;
    Ok(())
}

fn remove_in(root: &mut Value, path: &[PathSegment]) -> Result<(), EditError> {
    match (pointer_mut(root, parent_of(path)), path.last()) {
        (Some(Value::Object(entries)), Some(PathSegment::Key(key))) => {
            entries.remove(key).map(drop).ok_or(EditError::NotFound)
        }
        (Some(Value::Array(items)), Some(PathSegment::Index(index))) if *index < items.len() => {
            items.remove(*index);
            Ok(())
        }
        (None, _) | (Some(Value::Array(_)), Some(PathSegment::Index(_))) => Err(EditError::NotFound),
        _ => Err(EditError::WrongKind),
    }
}
