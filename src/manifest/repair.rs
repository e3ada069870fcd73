//! Edits that make a broken chunk readable. An edit is offered only if the chunk can be read after it.

use super::compose::compose;
use super::decode::decode;
use super::diagnostic::{TextEdit, apply_edits};
use super::limits::Limits;
use super::source::Line;
use serde_json::Value;

/// Repairs are tried by reading the chunk again; above this size that would be felt while typing.
const MAX_TRIED_BYTES: usize = 1 << 20;

fn empty_values(value: &Value) -> usize {
    match value {
        Value::Null => 1,
        Value::Array(items) => items.iter().map(empty_values).sum(),
        Value::Object(entries) => entries.values().map(empty_values).sum(),
        _ => 0,
    }
}

/// The chunk to repair.
#[derive(Clone, Copy)]
pub(crate) struct Repair<'t> {
    pub text: &'t str,
    pub start: usize,
    pub end: usize,
    pub limits: &'t Limits,
    /// No repair is tried otherwise.
    pub wanted: bool,
}

impl<'t> Repair<'t> {
    /// The edits, if the chunk can be read after them.
    pub fn if_it_parses(&self, edits: Vec<TextEdit>) -> Option<Vec<TextEdit>> {
        self.value_after(&edits).map(|_| edits)
    }

    /// What the chunk says after the edits, if it can be read then.
    fn value_after(&self, edits: &[TextEdit]) -> Option<Value> {
        let chunk = self.text.get(self.start..self.end)?;
        if !self.wanted || chunk.len() > MAX_TRIED_BYTES || edits.is_empty() {
            return None;
        }
        let shifted: Vec<TextEdit> = edits
            .iter()
            .map(|edit| TextEdit {
                start: edit.start.saturating_sub(self.start),
                end: edit.end.saturating_sub(self.start),
                replacement: edit.replacement.clone(),
            })
            .collect();
        let repaired = apply_edits(chunk, &shifted);
        // It must stay one chunk of the stream.
        let separators = |text: &str| text.matches("\n---").count();
        if separators(&repaired) != separators(chunk) {
            return None;
        }
        let composed = compose(&repaired, 0, repaired.len(), self.limits).ok()?;
        let root = composed.root.filter(|_| composed.ignored_from.is_none())?;
        decode(&composed.tree, root, self.limits).ok().map(|decoded| decoded.value)
    }

    fn lines(&self) -> impl Iterator<Item = Line<'t>> {
        let (text, end) = (self.text, self.end);
        let first = (self.start < end).then(|| Line::at(text, self.start));
        std::iter::successors(first, move |line| line.next(text, end))
    }

    /// Two spaces for each tab in front of a line, or four, or eight: whatever leaves the fewest keys without a value.
    pub fn spaces_for_tabs(&self) -> Option<Vec<TextEdit>> {
        let tried = [2, 4, 8].into_iter().filter_map(|width| {
            let edits = self.lines().filter_map(|line| {
                let blanks = line.text.len().saturating_sub(line.text.trim_start_matches([' ', '\t']).len());
                let front = line.text.get(..blanks)?;
                front.contains('\t').then(|| TextEdit {
                    start: line.start,
                    end: line.start.saturating_add(blanks),
                    replacement: front.replace('\t', &" ".repeat(width)),
                })
            });
            let edits: Vec<TextEdit> = edits.collect();
            Some((empty_values(&self.value_after(&edits)?), edits))
        });
        tried.min_by_key(|(empty, _)| *empty).map(|(_, edits)| edits)
    }

    /// Spaces for what only looks like them in front of a line; what cannot be seen goes away.
    pub fn spaces_for_false_spaces(&self, is_space: fn(char) -> bool) -> Option<Vec<TextEdit>> {
        let edits = self.lines().filter_map(|line| {
            let blanks = line.text.len().saturating_sub(line.text.trim_start_matches(is_space).len());
            let front = line.text.get(..blanks)?;
            let spaces: String = front
                .chars()
                .filter_map(|character| match character {
                    '\u{200b}' | '\u{feff}' | '\u{2060}' => None,
                    _ => Some(' '),
                })
                .collect();
            (spaces != front).then(|| TextEdit {
                start: line.start,
                end: line.start.saturating_add(blanks),
                replacement: spaces,
            })
        });
        self.if_it_parses(edits.collect())
    }

    /// The columns (from 0) next to the line's own, to the left and to the right, at which the lines above it stand.
    pub fn levels_around(&self, line: &Line<'t>) -> Vec<usize> {
        let own = line.indent();
        let is_item = !line.columns().0.is_empty();
        let mut levels = Vec::new();
        let mut lowest = usize::MAX;
        let mut above = line.previous(self.text, self.start);
        while let Some(current) = above {
            if !current.is_blank() && !current.text.starts_with("---") {
                let (dashes, content) = current.columns();
                // Only enclosing levels count: what is deeper than a line further down has ended.
                for level in dashes.iter().copied().filter(|_| is_item).chain([content]) {
                    if level < lowest && level != own && !levels.contains(&level) {
                        levels.push(level);
                    }
                }
                lowest = lowest.min(dashes.first().copied().unwrap_or(content));
                if lowest == 0 {
                    break;
                }
            }
            above = current.previous(self.text, self.start);
        }
        let left = levels.iter().copied().filter(|level| *level < own).max();
        let right = levels.iter().copied().filter(|level| *level > own).min();
        left.into_iter().chain(right).collect()
    }

    /// The column of the keys of a list item whose dash stands in the line's own column: `- name: a` above `image: b`.
    fn content_beside_dash(&self, line: &Line<'t>) -> Option<usize> {
        let own = line.indent();
        let above =
            std::iter::successors(line.previous(self.text, self.start), |above| above.previous(self.text, self.start));
        let (dashes, content) = above.filter(|above| !above.is_blank()).find(|above| above.indent() <= own)?.columns();
        (dashes.last() == Some(&own) && line.columns().0.is_empty()).then_some(content)
    }

    /// Moves the line, and what is indented below it where that has to move too, to one of the levels: the only one at
    /// which the chunk can be read, or the one that fits what stands below the line.
    pub fn realign(&self, line: &Line<'t>, levels: &[usize]) -> Option<Vec<TextEdit>> {
        let own = line.indent();
        let below: Vec<Line<'t>> =
            std::iter::successors(line.next(self.text, self.end), |below| below.next(self.text, self.end))
                .take_while(|below| below.is_blank() || below.indent() > own)
                .filter(|below| !below.is_blank())
                .collect();
        let child = below.first().map(Line::indent);
        let child_is_item = below.first().is_some_and(|below| !below.columns().0.is_empty());
        let is_parent = |level: usize| {
            child.is_some_and(|child| child == level.saturating_add(2) || (child_is_item && child == level))
        };
        let mut readable: Vec<(usize, Vec<TextEdit>)> = Vec::new();
        for level in levels.iter().copied() {
            let moves_alone = child.is_none() || is_parent(level);
            let mut edits = vec![move_line(line, own, level)];
            if !moves_alone {
                edits.extend(below.iter().map(|below| move_line(below, own, level)));
            }
            if let Some(edits) = self.if_it_parses(edits) {
                readable.push((level, edits));
            }
        }
        if let Some(content) = self.content_beside_dash(line)
            && readable.iter().any(|(level, _)| *level == content)
        {
            readable.retain(|(level, _)| *level == content);
        }
        if readable.iter().any(|(level, _)| is_parent(*level)) {
            readable.retain(|(level, _)| is_parent(*level));
        }
        let nearest = readable.iter().map(|(level, _)| level.abs_diff(own)).min()?;
        readable.retain(|(level, _)| level.abs_diff(own) == nearest);
        match readable.len() {
            1 => readable.pop().map(|(_, edits)| edits),
            _ => None,
        }
    }
}

/// Changes a line's indentation by as much as it takes to get from one column to another.
fn move_line(line: &Line<'_>, from: usize, to: usize) -> TextEdit {
    let indent = line.indent();
    let new = indent.saturating_add(to).saturating_sub(from);
    TextEdit { start: line.start, end: line.start.saturating_add(indent), replacement: " ".repeat(new) }
}
