//! Places in the person's text: byte offset, line and column, and the UTF-16 offset an editor counts in.

use serde::Serialize;

/// One place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Position {
    /// Byte offset from the start of the text.
    pub offset: usize,
    /// Offset in UTF-16 code units from the start of the text: what browsers and CodeMirror count in.
    pub utf16: usize,
    /// Line, from 1. Lines end with `\n`, `\r\n` or a lone `\r`.
    pub line: usize,
    /// Column, from 1, in characters (Unicode scalar values).
    pub column: usize,
}

/// A stretch of the text; `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Span {
    pub start: Position,
    pub end: Position,
}

impl Span {
    /// The bytes covered, for slicing the text.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start.offset..self.end.offset
    }
}

/// A character of more than one byte: how many bytes and UTF-16 units it and all wide ones before it have in excess of
/// one per character.
#[derive(Debug, Clone, Copy)]
struct Wide {
    offset: u32,
    extra_bytes: u32,
    extra_units: u32,
}

/// Turns byte offsets into [`Position`]s without keeping the text.
#[derive(Debug, Default)]
pub struct LineIndex {
    line_starts: Vec<u32>,
    wide: Vec<Wide>,
    length: u32,
}

impl LineIndex {
    /// Indexes `text`; one pass. Texts over 4 GiB are not supported ([`Limits`](super::Limits) stops long before).
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        let mut wide = Vec::new();
        let (mut extra_bytes, mut extra_units) = (0u32, 0u32);
        let mut at = 0usize;
        while let Some(&byte) = bytes.get(at) {
            let offset = u32::try_from(at).unwrap_or(u32::MAX);
            match byte {
                b'\n' => line_starts.push(offset.saturating_add(1)),
                b'\r' if bytes.get(at.saturating_add(1)) != Some(&b'\n') => {
                    line_starts.push(offset.saturating_add(1));
                }
                _ => {}
            }
            let width = utf8_width(byte);
            if width > 1 {
                extra_bytes = extra_bytes.saturating_add(u32::try_from(width).unwrap_or(4).saturating_sub(1));
                extra_units = extra_units.saturating_add(u32::from(width == 4));
                wide.push(Wide { offset, extra_bytes, extra_units });
            }
            at = at.saturating_add(width);
        }
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        LineIndex { line_starts, wide, length }
    }

    /// The position of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX).min(self.length);
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let line_start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let (extra, units) = self.extra_before(offset);
        let (line_extra, _) = self.extra_before(line_start);
        let column = offset.saturating_sub(line_start).saturating_sub(extra.saturating_sub(line_extra));
        Position {
            offset: offset as usize,
            utf16: offset.saturating_sub(extra).saturating_add(units) as usize,
            line,
            column: (column as usize).saturating_add(1),
        }
    }

    /// The span between two byte offsets.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// The byte offset at which a line (from 1) starts; the text's length for lines past the last.
    pub fn line_start(&self, line: usize) -> usize {
        self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.length) as usize
    }

    /// The byte offset for an offset in UTF-16 code units, as an editor gives it.
    pub fn offset_of_utf16(&self, utf16: usize) -> usize {
        let target = u32::try_from(utf16).unwrap_or(u32::MAX);
        // The wide characters that end at or before the target; each is `extra_bytes - extra_units` longer in bytes.
        let before = self.wide.partition_point(|wide| {
            let starts_at = self.position(wide.offset as usize).utf16;
            starts_at < utf16
        });
        let excess = match before.checked_sub(1).and_then(|last| self.wide.get(last)) {
            Some(wide) => wide.extra_bytes.saturating_sub(wide.extra_units),
            None => 0,
        };
        target.saturating_add(excess).min(self.length) as usize
    }

    fn extra_before(&self, offset: u32) -> (u32, u32) {
        let before = self.wide.partition_point(|wide| wide.offset < offset);
        match before.checked_sub(1).and_then(|last| self.wide.get(last)) {
            Some(wide) => (wide.extra_bytes, wide.extra_units),
            None => (0, 0),
        }
    }
}

/// The length of the UTF-8 sequence that a byte starts (1 for anything that starts none).
pub(crate) fn utf8_width(lead: u8) -> usize {
    match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_columns_and_utf16_units() {
        let text = "a: é\r\n😀b: 1\rc\n";
        let index = LineIndex::new(text);
        let at = |needle: &str| index.position(text.find(needle).unwrap());
        assert_eq!(at("é"), Position { offset: 3, utf16: 3, line: 1, column: 4 });
        assert_eq!(at("😀"), Position { offset: 7, utf16: 6, line: 2, column: 1 });
        assert_eq!(at("b: 1"), Position { offset: 11, utf16: 8, line: 2, column: 2 });
        assert_eq!(at("c"), Position { offset: 16, utf16: 13, line: 3, column: 1 });
        assert_eq!(index.position(1000), Position { offset: 18, utf16: 15, line: 4, column: 1 });
        for (offset, _) in text.char_indices() {
            assert_eq!(index.offset_of_utf16(index.position(offset).utf16), offset);
        }
        assert_eq!(index.line_start(2), 7);
    }
}
