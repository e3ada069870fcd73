//! Scanning of scalars: plain, quoted, literal and folded.
//! Follows go.yaml.in/yaml/v2 scannerc.go yaml_parser_scan_{plain,flow,block}_scalar.

use super::error::Result;
use super::input::Mark;
use super::scanner::Scanner;
use super::token::{ScalarStyle, Token, TokenKind};
use std::borrow::Cow;

/// The text of a scalar: a slice of the input as long as it can be one.
struct Content<'t> {
    text: Cow<'t, str>,
    /// Where the slice began and ends, while it is one.
    slice: Option<(usize, usize)>,
}

impl<'t> Content<'t> {
    fn new() -> Self {
        Content { text: Cow::Borrowed(""), slice: None }
    }

    /// Adds `input[start..end]`; stays a slice when it goes on where the slice ended.
    fn add(&mut self, scanner: &Scanner<'t>, start: usize, end: usize) {
        if start >= end {
            return;
        }
        let from = match self.slice {
            Some((from, to)) if to == start => from,
            None if self.text.is_empty() => start,
            _ => {
                self.slice = None;
                self.text.to_mut().push_str(scanner.input.slice(start, end));
                return;
            }
        };
        self.slice = Some((from, end));
        self.text = Cow::Borrowed(scanner.input.slice(from, end));
    }

    fn push_str(&mut self, text: &str) {
        if !text.is_empty() {
            self.slice = None;
            self.text.to_mut().push_str(text);
        }
    }

    fn push(&mut self, character: char) {
        self.slice = None;
        self.text.to_mut().push(character);
    }
}

/// The line breaks between two lines of a scalar: the first one folds, the rest stay.
#[derive(Default)]
struct Breaks {
    first: &'static str,
    rest: String,
}

impl Breaks {
    fn add(&mut self, line_break: &'static str, is_first: bool) {
        if is_first {
            self.first = line_break;
        } else {
            self.rest.push_str(line_break);
        }
    }

    /// Folds: a single `\n` becomes a space, of several the first goes away; LS and PS stay.
    fn fold_into(&mut self, content: &mut Content<'_>) {
        if self.first == "\n" {
            content.push_str(if self.rest.is_empty() { " " } else { &self.rest });
        } else {
            content.push_str(self.first);
            content.push_str(&self.rest);
        }
        *self = Breaks::default();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Clip,
    Strip,
    Keep,
}

impl<'t> Scanner<'t> {
    pub(super) fn scan_plain_scalar(&mut self) -> Result<Token<'t>> {
        let start = self.input.mark;
        let mut end = start;
        let indent = self.indent.saturating_add(1);
        let mut content = Content::new();
        let mut breaks = Breaks::default();
        let mut after_break = false;
        loop {
            if self.input.at_document_indicator(b'-') || self.input.at_document_indicator(b'.') {
                break;
            }
            if self.input.byte(0) == b'#' {
                break;
            }
            let run_start = self.input.mark.offset;
            let in_flow = self.flow_level > 0;
            loop {
                self.input.advance_while(|byte| match byte {
                    b' ' | b':' => false,
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' => !in_flow,
                    _ => true,
                });
                if self.input.is_blank_or_end(0) || self.ends_plain_scalar() {
                    break;
                }
                self.input.advance();
            }
            let run_end = self.input.mark.offset;
            if run_end > run_start {
                if after_break {
                    breaks.fold_into(&mut content);
                    after_break = false;
                } else if end.offset < run_start {
                    content.add(self, end.offset, run_start);
                }
                content.add(self, run_start, run_end);
                end = self.input.mark;
            }
            if !(self.input.is_blank(0) || self.input.is_break(0)) {
                break;
            }
            while self.input.is_blank(0) || self.input.is_break(0) {
                if self.input.is_blank(0) {
                    if after_break && i64::from(self.input.mark.column) < indent && self.input.byte(0) == b'\t' {
                        return Err(self.error(
                            "while scanning a plain scalar",
                            start,
                            "found a tab character that violates indentation",
                        ));
                    }
                    self.input.advance();
                } else {
                    let line_break = self.input.advance_line();
                    breaks.add(line_break, !after_break);
                    after_break = true;
                }
            }
            if self.flow_level == 0 && i64::from(self.input.mark.column) < indent {
                break;
            }
        }
        if after_break {
            self.simple_key_allowed = true;
        }
        Ok(Token { kind: TokenKind::Scalar { value: content.text, style: ScalarStyle::Plain }, start, end })
    }

    fn ends_plain_scalar(&self) -> bool {
        match self.input.byte(0) {
            b':' => self.input.is_blank_or_end(1),
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => self.flow_level > 0,
            _ => false,
        }
    }

    pub(super) fn scan_flow_scalar(&mut self, single: bool) -> Result<Token<'t>> {
        let start = self.input.mark;
        let quote = if single { b'\'' } else { b'"' };
        self.input.advance();
        let mut content = Content::new();
        loop {
            if self.input.at_document_indicator(b'-') || self.input.at_document_indicator(b'.') {
                return Err(self.error("while scanning a quoted scalar", start, "found unexpected document indicator"));
            }
            if self.input.at_end(0) {
                return Err(self.error("while scanning a quoted scalar", start, "found unexpected end of stream"));
            }
            let mut after_break = self.scan_quoted_run(single, start, &mut content)?;
            if self.input.byte(0) == quote {
                break;
            }
            let blanks_start = self.input.mark.offset;
            let escaped_break = after_break;
            let mut breaks = Breaks::default();
            while self.input.is_blank(0) || self.input.is_break(0) {
                if self.input.is_blank(0) {
                    self.input.advance();
                } else {
                    let line_break = self.input.advance_line();
                    // After an escaped line break nothing is left to fold but further breaks.
                    breaks.add(line_break, !after_break && !escaped_break);
                    after_break = true;
                }
            }
            if after_break {
                breaks.fold_into(&mut content);
            } else {
                content.add(self, blanks_start, self.input.mark.offset);
            }
        }
        self.input.advance();
        let style = if single { ScalarStyle::SingleQuoted } else { ScalarStyle::DoubleQuoted };
        Ok(Token { kind: TokenKind::Scalar { value: content.text, style }, start, end: self.input.mark })
    }

    /// The characters up to the next blank, line break, closing quote or escaped line break. True for the latter.
    fn scan_quoted_run(&mut self, single: bool, start: Mark, content: &mut Content<'t>) -> Result<bool> {
        loop {
            let run_start = self.input.mark.offset;
            let ends_run = |byte| matches!(byte, b'\'' | b'"' | b'\\');
            loop {
                self.input.advance_while(|byte| byte != b' ' && !ends_run(byte));
                if self.input.is_blank_or_end(0) || ends_run(self.input.byte(0)) {
                    break;
                }
                self.input.advance();
            }
            content.add(self, run_start, self.input.mark.offset);
            match self.input.byte(0) {
                b'\'' if single && self.input.byte(1) == b'\'' => {
                    content.push('\'');
                    self.input.advance_by(2);
                }
                b'\'' if single => return Ok(false),
                b'"' if !single => return Ok(false),
                b'\\' if !single && self.input.is_break(1) => {
                    self.input.advance();
                    self.input.advance_line();
                    return Ok(true);
                }
                b'\\' if !single => self.scan_escape(start, content)?,
                b'\'' | b'"' | b'\\' => {
                    let at = self.input.mark.offset;
                    self.input.advance();
                    content.add(self, at, self.input.mark.offset);
                }
                _ => return Ok(false),
            }
        }
    }

    fn scan_escape(&mut self, start: Mark, content: &mut Content<'t>) -> Result<()> {
        let digits = match self.input.byte(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        if digits == 0 {
            let character = match self.input.byte(1) {
                b'0' => '\0',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b't' | b'\t' => '\t',
                b'n' => '\n',
                b'v' => '\u{b}',
                b'f' => '\u{c}',
                b'r' => '\r',
                b'e' => '\u{1b}',
                b' ' => ' ',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                b'N' => '\u{85}',
                b'_' => '\u{a0}',
                b'L' => '\u{2028}',
                b'P' => '\u{2029}',
                _ => {
                    return Err(self.error("while parsing a quoted scalar", start, "found unknown escape character"));
                }
            };
            content.push(character);
            self.input.advance_by(2);
            return Ok(());
        }
        self.input.advance_by(2);
        let mut value = 0u32;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.input.byte(ahead)).to_digit(16) else {
                // The missing "a" is go-yaml's.
                return Err(self.error(
                    "while parsing a quoted scalar",
                    start,
                    "did not find expected hexdecimal number",
                ));
            };
            value = value.wrapping_shl(4) | digit;
        }
        match char::from_u32(value) {
            Some(character) => content.push(character),
            None => {
                return Err(self.error(
                    "while parsing a quoted scalar",
                    start,
                    "found invalid Unicode character escape code",
                ));
            }
        }
        self.input.advance_by(digits);
        Ok(())
    }

    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<Token<'t>> {
        let start = self.input.mark;
        self.input.advance();
        let (chomp, increment) = self.scan_block_header(start)?;
        let mut end = self.input.mark;
        let mut indent = match increment {
            0 => 0,
            increment => self.indent.max(0).saturating_add(increment),
        };
        let mut content = Content::new();
        let mut leading_break = "";
        let mut trailing_breaks = String::new();
        let mut leading_blank = false;
        self.scan_block_breaks(&mut indent, &mut trailing_breaks, start, &mut end)?;
        while i64::from(self.input.mark.column) == indent && !self.input.at_end(0) {
            let blank = self.input.is_blank(0);
            if !literal && !leading_blank && !blank && leading_break == "\n" {
                if trailing_breaks.is_empty() {
                    content.push_str(" ");
                }
            } else {
                content.push_str(leading_break);
            }
            content.push_str(&trailing_breaks);
            trailing_breaks.clear();
            leading_blank = blank;
            let line_start = self.input.mark.offset;
            self.skip_line_content();
            content.add(self, line_start, self.input.mark.offset);
            leading_break = self.input.advance_line();
            self.scan_block_breaks(&mut indent, &mut trailing_breaks, start, &mut end)?;
        }
        if chomp != Chomp::Strip {
            content.push_str(leading_break);
        }
        if chomp == Chomp::Keep {
            content.push_str(&trailing_breaks);
        }
        let style = if literal { ScalarStyle::Literal } else { ScalarStyle::Folded };
        Ok(Token { kind: TokenKind::Scalar { value: content.text, style }, start, end })
    }

    /// The indicators behind `|` or `>`: chomping and indentation, in either order, then the end of the line.
    fn scan_block_header(&mut self, start: Mark) -> Result<(Chomp, i64)> {
        let mut chomp = Chomp::Clip;
        let mut increment = 0;
        let context = "while scanning a block scalar";
        let chomping = |byte| match byte {
            b'+' => Some(Chomp::Keep),
            b'-' => Some(Chomp::Strip),
            _ => None,
        };
        if let Some(found) = chomping(self.input.byte(0)) {
            chomp = found;
            self.input.advance();
        }
        if self.input.byte(0) == b'0' {
            return Err(self.error(context, start, "found an indentation indicator equal to 0"));
        }
        if self.input.byte(0).is_ascii_digit() {
            increment = i64::from(self.input.byte(0).saturating_sub(b'0'));
            self.input.advance();
            if chomp == Chomp::Clip
                && let Some(found) = chomping(self.input.byte(0))
            {
                chomp = found;
                self.input.advance();
            }
        }
        self.skip_blanks();
        self.skip_comment();
        if !self.input.is_break_or_end(0) {
            return Err(self.error(context, start, "did not find expected comment or line break"));
        }
        self.input.advance_line();
        Ok((chomp, increment))
    }

    /// Indentation and empty lines before a line of a block scalar; finds out the indentation if it is not known (0).
    fn scan_block_breaks(&mut self, indent: &mut i64, breaks: &mut String, start: Mark, end: &mut Mark) -> Result<()> {
        *end = self.input.mark;
        let mut deepest = 0;
        loop {
            let column = |scanner: &Self| i64::from(scanner.input.mark.column);
            while (*indent == 0 || column(self) < *indent) && self.input.byte(0) == b' ' {
                self.input.advance();
            }
            deepest = deepest.max(column(self));
            if (*indent == 0 || column(self) < *indent) && self.input.byte(0) == b'\t' {
                return Err(self.error(
                    "while scanning a block scalar",
                    start,
                    "found a tab character where an indentation space is expected",
                ));
            }
            if !self.input.is_break(0) {
                break;
            }
            breaks.push_str(self.input.advance_line());
            *end = self.input.mark;
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent.saturating_add(1)).max(1);
        }
        Ok(())
    }
}
