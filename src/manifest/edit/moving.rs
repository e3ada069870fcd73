//! An entry that moves to another mapping.

use super::super::diagnostic::TextEdit;
use super::super::document::Document;
use super::super::path::PathSegment;
use super::super::source::Line;
use super::super::tree::NodeKind;
use super::render::Notation;
use super::{EditError, Editor, Edits, parent_of, remove_in, set_in};
use serde_json::Value;

/// Moves an entry to the end of another mapping. Whole lines keep their comments, and take along those right above them.
pub fn move_entry(text: &str, document: &Document, from: &[PathSegment], to: &[PathSegment]) -> Edits {
    let editor = Editor::new(text, document)?;
    let key @ PathSegment::Key(_) = from.last().ok_or(EditError::Unsupported)? else {
        return Err(EditError::WrongKind);
    };
    let target: Vec<PathSegment> = to.iter().chain([key]).cloned().collect();
    if editor.value_at(&target).is_some() {
        return Err(EditError::Unsupported);
    }
    if !editor.value_at(to).is_some_and(Value::is_object) {
        return Err(EditError::NotFound);
    }
    let value = editor.value_at(from).ok_or(EditError::NotFound)?;
    let mut intended = editor.value.clone();
    remove_in(&mut intended, from)?;
    set_in(&mut intended, &target, value.clone())?;
    if let Some(edits) = editor.moved_lines(from, to) {
        return editor.verified(edits, &intended);
    }
    let (start, end) = editor.tree().range(editor.find(from).ok_or(EditError::NotFound)?);
    if text.get(start..editor.source.line_end(end)).is_none_or(|written| written.contains('#')) {
        return Err(EditError::Unsupported);
    }
    let mut edits = editor.set(&target, value)?;
    edits.extend(editor.remove(from)?);
    editor.verified(edits, &intended)
}

impl Editor<'_> {
    /// The edits where both mappings are written as lines.
    fn moved_lines(&self, from: &[PathSegment], to: &[PathSegment]) -> Option<Vec<TextEdit>> {
        let (source, tree) = (self.source, self.tree());
        let mapping = |path: &[PathSegment], least: usize| {
            let mapping = tree.resolve_alias(self.find(path)?);
            match &tree.node(mapping)?.kind {
                NodeKind::Mapping { entries, .. }
                    if entries.len() >= least && matches!(source.notation_in(mapping), Notation::Block { .. }) =>
                {
                    Some((mapping, entries))
                }
                _ => None,
            }
        };
        let (old, _) = mapping(parent_of(from), 2)?;
        let (new, entries) = mapping(to, 1)?;
        let PathSegment::Key(key) = from.last()? else { return None };
        let (key, value) = tree.entry(old, key)?;
        let slot = source.entry_slot(old, key, value).ok()?;
        let (first, last) = (entries.first()?, entries.last()?);
        let column = source.column(tree.range(first.0).0);
        let key_line = source.line(tree.range(key).0);
        if key_line.indent() != slot.column {
            return None;
        }
        let is_its_comment = |line: &Line<'_>| line.text.trim_start().starts_with('#') && line.indent() == slot.column;
        let above = std::iter::successors(Some(key_line), |line| line.previous(source.text, 0).filter(is_its_comment));
        let start = above.last()?.start;
        let end = source.next_line(slot.end);
        let line_break = source.line_break(start);
        let moved: Vec<String> = source
            .text
            .get(start..end)?
            .lines()
            .map(|line| match line.get(..slot.column) {
                Some(front) if front.trim().is_empty() => {
                    format!("{}{}", " ".repeat(column), line.get(slot.column..).unwrap_or_default())
                }
                _ => line.trim_start().to_owned(),
            })
            .collect();
        let mut lines = moved.join(line_break);
        let at = source.next_line(source.entry_slot(new, last.0, last.1).ok()?.end);
        if source.text.get(..at)?.ends_with('\n') {
            lines.push_str(line_break);
        } else {
            lines.insert_str(0, line_break);
        }
        if (start..=end).contains(&at) {
            return Some(vec![TextEdit { start, end, replacement: lines }]);
        }
        let removed = TextEdit { start, end, replacement: String::new() };
        Some(vec![removed, TextEdit { start: at, end: at, replacement: lines }])
    }
}
