//! The characters of one document chunk, with a mark that moves over them.

use super::super::position::utf8_width;
use super::error::{ErrorKind, Result, YamlError};
use std::cell::Cell;

/// A place in the chunk. Lines and columns count from 0, as libyaml does, and NEL, LS and PS also end lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    /// Byte offset in the whole text.
    pub offset: usize,
    /// Characters read so far.
    pub index: u32,
    pub line: u32,
    pub column: u32,
}

/// libyaml decodes its input in blocks of this many bytes and refuses a control character when it reaches its block.
const BLOCK: usize = 512;

pub(super) struct Input<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// End of the chunk in `text`.
    end: usize,
    /// kubectl's line reader ends every line, so a last line without a line break gets one.
    virtual_newline: bool,
    pub mark: Mark,
    /// The first character that YAML does not allow, and the block start at which that is noticed.
    illegal: Option<(usize, usize)>,
    touched_illegal: Cell<bool>,
}

impl<'t> Input<'t> {
    /// Reads `text[start..end]`; offsets are those of `text`.
    pub fn new(text: &'t str, start: usize, end: usize) -> Self {
        let mut input = Input {
            text,
            bytes: text.as_bytes(),
            end,
            virtual_newline: end > start && text.as_bytes().get(end.saturating_sub(1)) != Some(&b'\n'),
            mark: Mark { offset: start, ..Mark::default() },
            illegal: None,
            touched_illegal: Cell::new(false),
        };
        if input.starts_with("\u{FEFF}") {
            input.mark.offset = start.saturating_add(3);
        }
        let chunk = text.get(input.mark.offset..end).unwrap_or("");
        if let Some(relative) = find_illegal(chunk) {
            let block = relative.checked_div(BLOCK).unwrap_or(0).saturating_mul(BLOCK);
            input.illegal = Some((input.mark.offset.saturating_add(relative), input.mark.offset.saturating_add(block)));
        }
        input
    }

    /// The byte `ahead` bytes from here; 0 at the end.
    pub fn byte(&self, ahead: usize) -> u8 {
        let at = self.mark.offset.saturating_add(ahead);
        if at < self.end {
            if let Some((_, block)) = self.illegal
                && at >= block
            {
                self.touched_illegal.set(true);
                return 0;
            }
            self.bytes.get(at).copied().unwrap_or(0)
        } else if at == self.end && self.virtual_newline {
            b'\n'
        } else {
            0
        }
    }

    /// Fails when a control character has been met.
    pub fn check(&self) -> Result<()> {
        match self.illegal {
            Some((at, _)) if self.touched_illegal.get() => Err(YamlError {
                kind: ErrorKind::Reader,
                problem: "control characters are not allowed".into(),
                mark: Mark { offset: at, ..self.mark },
                context: None,
            }),
            _ => Ok(()),
        }
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.text.get(self.mark.offset..self.end).is_some_and(|rest| rest.starts_with(prefix))
    }

    pub fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end.min(self.end)).unwrap_or("")
    }

    pub fn at_end(&self, ahead: usize) -> bool {
        self.byte(ahead) == 0
    }

    pub fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// The length of the line break here, 0 if there is none.
    pub fn break_width(&self, ahead: usize) -> usize {
        let next = |more: usize| self.byte(ahead.saturating_add(more));
        match self.byte(ahead) {
            b'\n' => 1,
            b'\r' if next(1) == b'\n' => 2,
            // kubectl's line reader takes one carriage return off before YAML sees the line.
            b'\r' if next(1) == b'\r' && next(2) == b'\n' => 3,
            b'\r' => 1,
            0xC2 if next(1) == 0x85 => 2,
            0xE2 if next(1) == 0x80 && matches!(next(2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    pub fn is_break(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    pub fn is_break_or_end(&self, ahead: usize) -> bool {
        self.at_end(ahead) || self.is_break(ahead)
    }

    pub fn is_blank_or_end(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_break_or_end(ahead)
    }

    /// Moves over one character that is not a line break.
    pub fn advance(&mut self) {
        let width = if self.mark.offset < self.end { utf8_width(self.byte(0)) } else { 1 };
        self.mark.offset = self.mark.offset.saturating_add(width);
        self.mark.index = self.mark.index.saturating_add(1);
        self.mark.column = self.mark.column.saturating_add(1);
    }

    /// Moves over printable ASCII characters for as long as they satisfy the condition: the fast way through a text.
    pub fn advance_while(&mut self, mut takes: impl FnMut(u8) -> bool) {
        let end = self.illegal.map_or(self.end, |(_, block)| block.min(self.end));
        let rest = self.bytes.get(self.mark.offset..end).unwrap_or(&[]);
        let count = rest.iter().take_while(|byte| (b' '..=b'~').contains(*byte) && takes(**byte)).count();
        let narrow = u32::try_from(count).unwrap_or(u32::MAX);
        self.mark.offset = self.mark.offset.saturating_add(count);
        self.mark.index = self.mark.index.saturating_add(narrow);
        self.mark.column = self.mark.column.saturating_add(narrow);
    }

    pub fn advance_by(&mut self, characters: usize) {
        for _ in 0..characters {
            self.advance();
        }
    }

    /// Moves over a line break, if one is here, and gives what it means in a scalar: LS and PS stay, others are `\n`.
    pub fn advance_line(&mut self) -> &'static str {
        let (width, meaning) = match self.break_width(0) {
            0 => return "",
            3 if self.byte(0) == 0xE2 => (3, if self.byte(2) == 0xA8 { "\u{2028}" } else { "\u{2029}" }),
            width => (width, "\n"),
        };
        let characters = if width == 2 && self.byte(0) == b'\r' { 2 } else { 1 };
        self.mark.offset = self.mark.offset.saturating_add(width);
        self.mark.index = self.mark.index.saturating_add(characters);
        self.mark.column = 0;
        self.mark.line = self.mark.line.saturating_add(1);
        meaning
    }

    /// `---` or `...` at the start of a line, followed by a blank or the end.
    pub fn at_document_indicator(&self, indicator: u8) -> bool {
        self.mark.column == 0
            && self.byte(0) == indicator
            && self.byte(1) == indicator
            && self.byte(2) == indicator
            && self.is_blank_or_end(3)
    }
}

/// The first character that YAML's reader does not allow.
fn find_illegal(chunk: &str) -> Option<usize> {
    let bytes = chunk.as_bytes();
    // Looked at bytewise first: manifests are nearly always plain ASCII.
    bytes.iter().enumerate().find_map(|(at, byte)| {
        let illegal = match byte {
            b'\t' | b'\n' | b'\r' | 0x20..=0x7E => false,
            0xC2 => matches!(bytes.get(at.saturating_add(1)), Some(next) if *next < 0xA0 && *next != 0x85),
            0xEF => {
                bytes.get(at.saturating_add(1)) == Some(&0xBF)
                    && matches!(bytes.get(at.saturating_add(2)), Some(next) if *next > 0xBD)
            }
            0x80..=0xFF => false,
            _ => true,
        };
        illegal.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_character_that_yaml_does_not_allow() {
        assert_eq!(find_illegal("a: é\t\u{85}\u{a0}\u{fffd}\u{feff}😀\r\n"), None);
        assert_eq!(find_illegal("a\u{7f}"), Some(1));
        assert_eq!(find_illegal("é\u{80}"), Some(2));
        assert_eq!(find_illegal("\u{fffe}"), Some(0));
        assert_eq!(find_illegal("\u{0}"), Some(0));
    }
}
