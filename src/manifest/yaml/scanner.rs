//! Characters to tokens: indentation becomes block tokens, and keys are recognised by the colon that follows them.
//! Follows go.yaml.in/yaml/v2 scannerc.go (a port of libyaml's scanner), as vendored by kubernetes v1.36.

use super::error::{ErrorKind, Result, YamlError};
use super::input::{Input, Mark};
use super::token::{Token, TokenKind};
use std::collections::VecDeque;

/// libyaml's bound on nested flow collections and on indentation levels.
const MAX_LEVELS: usize = 10_000;

/// A simple key must be followed by its colon within this many characters, on the same line.
const MAX_SIMPLE_KEY: u32 = 1024;

/// A token that may turn out to be the start of a key.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    /// Nothing but a key can stand here: in block context, at the column of the mapping's other keys.
    required: bool,
    token_number: usize,
    mark: Mark,
}

pub(super) struct Scanner<'t> {
    pub(super) input: Input<'t>,
    tokens: VecDeque<Token<'t>>,
    /// Tokens handed out so far.
    tokens_taken: usize,
    /// The head of the queue is known not to become a key.
    head_is_ready: bool,
    stream_started: bool,
    stream_ended: bool,
    /// The column of the current block collection; -1 outside any.
    pub(super) indent: i64,
    indents: Vec<i64>,
    pub(super) flow_level: usize,
    /// One per flow level, the block context first.
    simple_keys: Vec<SimpleKey>,
    pub(super) simple_key_allowed: bool,
}

impl<'t> Scanner<'t> {
    pub fn new(input: Input<'t>) -> Self {
        Scanner {
            input,
            tokens: VecDeque::new(),
            tokens_taken: 0,
            head_is_ready: false,
            stream_started: false,
            stream_ended: false,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            simple_keys: vec![SimpleKey::default()],
            simple_key_allowed: true,
        }
    }

    /// The next token, left in the queue. After the end of the stream, its end again.
    pub fn peek(&mut self) -> Result<&Token<'t>> {
        if !self.head_is_ready {
            self.fetch_enough()?;
            self.head_is_ready = true;
        }
        match self.tokens.front() {
            Some(token) => Ok(token),
            None => Err(self.error("while scanning for the next token", self.input.mark, "found no more tokens")),
        }
    }

    /// Takes the token that [`Scanner::peek`] showed.
    pub fn take(&mut self) -> Option<Token<'t>> {
        if matches!(self.tokens.front(), Some(Token { kind: TokenKind::StreamEnd, .. })) {
            return self.tokens.front().cloned();
        }
        self.tokens_taken = self.tokens_taken.saturating_add(1);
        self.head_is_ready = false;
        self.tokens.pop_front()
    }

    /// Reads on while the queue is empty or its head may still turn out to be a key.
    fn fetch_enough(&mut self) -> Result<()> {
        loop {
            if !self.tokens.is_empty() {
                let head = self.tokens_taken;
                let candidate = self.simple_keys.iter().position(|key| key.possible && key.token_number == head);
                match candidate {
                    Some(level) if self.simple_key_is_valid(level)? => {}
                    _ => return Ok(()),
                }
            }
            if self.stream_ended {
                return Ok(());
            }
            let fetched = self.fetch_next();
            self.input.check()?;
            fetched?;
        }
    }

    fn fetch_next(&mut self) -> Result<()> {
        if !self.stream_started {
            self.stream_started = true;
            let mark = self.input.mark;
            self.push(TokenKind::StreamStart, mark);
            return Ok(());
        }
        self.skip_to_next_token();
        self.unroll_indent(i64::from(self.input.mark.column));
        // Document indicators are four characters long.
        let _ = self.input.byte(3);

        if self.input.at_end(0) {
            return self.fetch_stream_end();
        }
        if self.input.mark.column == 0 && self.input.byte(0) == b'%' {
            return self.fetch_directive();
        }
        if self.input.at_document_indicator(b'-') {
            return self.fetch_document_indicator(TokenKind::DocumentStart);
        }
        if self.input.at_document_indicator(b'.') {
            return self.fetch_document_indicator(TokenKind::DocumentEnd);
        }
        let in_flow = self.flow_level > 0;
        let followed_by_blank = self.input.is_blank_or_end(1);
        match self.input.byte(0) {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if followed_by_blank => self.fetch_block_entry(),
            b'?' if in_flow || followed_by_blank => self.fetch_key(),
            b':' if in_flow || followed_by_blank => self.fetch_value(),
            b'*' | b'&' => self.fetch_anchor(),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(true),
            b'>' if !in_flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_flow_scalar(true),
            b'"' => self.fetch_flow_scalar(false),
            b'\t' | b' ' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => Err(self.cannot_start()),
            _ if self.input.is_break(0) => Err(self.cannot_start()),
            _ => self.fetch_plain_scalar(),
        }
    }

    fn cannot_start(&self) -> YamlError {
        self.error("while scanning for the next token", self.input.mark, "found character that cannot start any token")
    }

    /// An error at the current place.
    pub(super) fn error(&self, context: &'static str, context_mark: Mark, problem: &'static str) -> YamlError {
        YamlError {
            kind: ErrorKind::Scanner,
            problem: problem.into(),
            mark: self.input.mark,
            context: (!context.is_empty()).then_some((context, context_mark)),
        }
    }

    fn push(&mut self, kind: TokenKind<'t>, start: Mark) {
        self.tokens.push_back(Token { kind, start, end: self.input.mark });
    }

    /// Inserts an empty token before the one with this number.
    fn insert(&mut self, token_number: usize, kind: TokenKind<'t>, mark: Mark) {
        let at = token_number.saturating_sub(self.tokens_taken).min(self.tokens.len());
        self.tokens.insert(at, Token { kind, start: mark, end: mark });
    }

    fn next_token_number(&self) -> usize {
        self.tokens_taken.saturating_add(self.tokens.len())
    }

    fn simple_key_is_valid(&mut self, level: usize) -> Result<bool> {
        let mark = self.input.mark;
        let Some(key) = self.simple_keys.get_mut(level) else {
            return Ok(false);
        };
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < mark.line || key.mark.index.saturating_add(MAX_SIMPLE_KEY) < mark.index {
            if key.required {
                let key_mark = key.mark;
                return Err(self.error("while scanning a simple key", key_mark, "could not find expected ':'"));
            }
            key.possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn save_simple_key(&mut self) -> Result<()> {
        let required = self.flow_level == 0 && self.indent == i64::from(self.input.mark.column);
        if self.simple_key_allowed {
            let key =
                SimpleKey { possible: true, required, token_number: self.next_token_number(), mark: self.input.mark };
            self.remove_simple_key()?;
            if let Some(slot) = self.simple_keys.last_mut() {
                *slot = key;
            }
        }
        Ok(())
    }

    pub(super) fn remove_simple_key(&mut self) -> Result<()> {
        let Some(key) = self.simple_keys.last_mut() else {
            return Ok(());
        };
        if key.possible {
            if key.required {
                let mark = key.mark;
                return Err(self.error("while scanning a simple key", mark, "could not find expected ':'"));
            }
            key.possible = false;
        }
        Ok(())
    }

    /// Opens a block collection when the column is deeper than the current one.
    fn roll_indent(&mut self, column: u32, before_token: Option<usize>, kind: TokenKind<'t>, mark: Mark) -> Result<()> {
        if self.flow_level > 0 || self.indent >= i64::from(column) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = i64::from(column);
        if self.indents.len() > MAX_LEVELS {
            return Err(self.too_deep("while increasing indent level"));
        }
        match before_token {
            Some(number) => self.insert(number, kind, mark),
            None => self.push(kind, mark),
        }
        Ok(())
    }

    /// Closes the block collections that are deeper than the column.
    fn unroll_indent(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            let mark = self.input.mark;
            self.push(TokenKind::BlockEnd, mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn too_deep(&self, context: &'static str) -> YamlError {
        self.error(context, self.input.mark, "exceeded max depth of 10000")
    }

    fn fetch_stream_end(&mut self) -> Result<()> {
        if self.input.mark.column != 0 {
            self.input.mark.column = 0;
            self.input.mark.line = self.input.mark.line.saturating_add(1);
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.stream_ended = true;
        let mark = self.input.mark;
        self.push(TokenKind::StreamEnd, mark);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.input.mark;
        let kind = self.scan_directive()?;
        self.push(kind, start);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind<'t>) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.input.mark;
        self.input.advance_by(3);
        self.push(kind, start);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind<'t>) -> Result<()> {
        self.save_simple_key()?;
        self.simple_keys.push(SimpleKey { mark: self.input.mark, ..SimpleKey::default() });
        self.flow_level = self.flow_level.saturating_add(1);
        if self.flow_level > MAX_LEVELS {
            return Err(self.too_deep("while increasing flow level"));
        }
        self.simple_key_allowed = true;
        self.push_one(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind<'t>) -> Result<()> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level = self.flow_level.saturating_sub(1);
            self.simple_keys.pop();
        }
        self.simple_key_allowed = false;
        self.push_one(kind);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_one(TokenKind::FlowEntry);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            let mark = self.input.mark;
            if !self.simple_key_allowed {
                return Err(self.error("", mark, "block sequence entries are not allowed in this context"));
            }
            self.roll_indent(mark.column, None, TokenKind::BlockSequenceStart, mark)?;
        }
        // In flow context the parser refuses it.
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_one(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            let mark = self.input.mark;
            if !self.simple_key_allowed {
                return Err(self.error("", mark, "mapping keys are not allowed in this context"));
            }
            self.roll_indent(mark.column, None, TokenKind::BlockMappingStart, mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_one(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        let level = self.simple_keys.len().saturating_sub(1);
        if self.simple_key_is_valid(level)? {
            let key = self.simple_keys.get(level).copied().unwrap_or_default();
            self.insert(key.token_number, TokenKind::Key, key.mark);
            self.roll_indent(key.mark.column, Some(key.token_number), TokenKind::BlockMappingStart, key.mark)?;
            if let Some(key) = self.simple_keys.get_mut(level) {
                key.possible = false;
            }
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                let mark = self.input.mark;
                if !self.simple_key_allowed {
                    return Err(self.error("", mark, "mapping values are not allowed in this context"));
                }
                self.roll_indent(mark.column, None, TokenKind::BlockMappingStart, mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_one(TokenKind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.input.mark;
        let kind = self.scan_anchor()?;
        self.push(kind, start);
        Ok(())
    }

    fn fetch_tag(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.input.mark;
        let kind = self.scan_tag()?;
        self.push(kind, start);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let token = self.scan_block_scalar(literal)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_flow_scalar(&mut self, single: bool) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_flow_scalar(single)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_plain_scalar(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_plain_scalar()?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// A token of one character.
    fn push_one(&mut self, kind: TokenKind<'t>) {
        let start = self.input.mark;
        self.input.advance();
        self.push(kind, start);
    }

    /// Blanks, comments and line breaks. A tab counts as a blank only where it cannot be taken for indentation.
    fn skip_to_next_token(&mut self) {
        loop {
            let tabs_too = self.flow_level > 0 || !self.simple_key_allowed;
            self.input.advance_while(|byte| byte == b' ');
            while self.input.byte(0) == b' ' || (tabs_too && self.input.byte(0) == b'\t') {
                self.input.advance();
            }
            self.skip_comment();
            if !self.input.is_break(0) {
                return;
            }
            self.input.advance_line();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    pub(super) fn skip_comment(&mut self) {
        if self.input.byte(0) == b'#' {
            self.skip_line_content();
        }
    }

    /// To the end of the line.
    pub(super) fn skip_line_content(&mut self) {
        loop {
            self.input.advance_while(|_| true);
            if self.input.is_break_or_end(0) {
                return;
            }
            self.input.advance();
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.input.is_blank(0) {
            self.input.advance();
        }
    }
}
