//! The lines of a text, for looking at what stands around a place.

/// One line, without its line break.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Byte offset of its first character.
    pub start: usize,
    pub text: &'t str,
}

impl<'t> Line<'t> {
    /// The line that holds a byte offset.
    pub fn at(text: &'t str, offset: usize) -> Self {
        let offset = text.floor_char_boundary(offset);
        let start = text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at.saturating_add(1));
        let rest = text.get(start..).unwrap_or("");
        let line = rest.split('\n').next().unwrap_or("");
        Line { start, text: line.strip_suffix('\r').unwrap_or(line) }
    }

    /// The line before, unless this one starts at or before `first`.
    pub fn previous(&self, text: &'t str, first: usize) -> Option<Self> {
        (self.start > first).then(|| Self::at(text, self.start.saturating_sub(1)))
    }

    /// The line after, if it starts before `end`.
    pub fn next(&self, text: &'t str, end: usize) -> Option<Self> {
        let rest = text.get(self.start..end)?;
        let next = self.start.saturating_add(rest.find('\n')?.saturating_add(1));
        (next < end).then(|| Self::at(text, next))
    }

    pub fn end(&self) -> usize {
        self.start.saturating_add(self.text.len())
    }

    /// Spaces in front.
    pub fn indent(&self) -> usize {
        self.text.bytes().take_while(|byte| *byte == b' ').count()
    }

    /// Empty, or only a comment.
    pub fn is_blank(&self) -> bool {
        let content = self.text.trim_start();
        content.is_empty() || content.starts_with('#')
    }

    /// The columns (from 0) at which the dashes of list items stand, and the one at which the content begins.
    pub fn columns(&self) -> (Vec<usize>, usize) {
        let mut dashes = Vec::new();
        let mut column = self.indent();
        while let Some(rest) = self.text.get(column..).and_then(|rest| rest.strip_prefix('-')) {
            let blanks = rest.bytes().take_while(|byte| *byte == b' ').count();
            if blanks == 0 && !rest.is_empty() {
                break;
            }
            dashes.push(column);
            column = column.saturating_add(1).saturating_add(blanks);
        }
        (dashes, column)
    }

    /// What stands behind indentation and dashes.
    pub fn content(&self) -> &'t str {
        self.text.get(self.columns().1..).unwrap_or("")
    }

    /// Byte offset at which the content begins.
    pub fn content_start(&self) -> usize {
        self.start.saturating_add(self.columns().1)
    }

    /// The key and the byte offset of the value, when the content is `key: value`.
    pub fn key_and_value(&self) -> Option<(&'t str, usize)> {
        let content = self.content();
        let colon = content.find(": ")?;
        let key = content.get(..colon)?;
        let after = content.get(colon.saturating_add(1)..)?;
        let blanks = after.len().saturating_sub(after.trim_start().len());
        let value = colon.saturating_add(1).saturating_add(blanks);
        Some((key, self.content_start().saturating_add(value)))
    }
}

/// Where a plain value that starts at `start` ends on its line: before a comment and trailing blanks.
pub(crate) fn end_of_plain_value(line: &Line<'_>, start: usize) -> usize {
    let value = line.text.get(start.saturating_sub(line.start)..).unwrap_or("");
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    start.saturating_add(value.trim_end().len())
}

/// A text in quotes, so that it means just itself: double quotes where nothing in it needs an escape.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.contains(['\n', '\r']) && !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04X}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
