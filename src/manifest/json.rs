//! JSON to a [`Tree`], with the messages of Go's decoder.
//! Follows Go's encoding/json scanner.go: a byte at a time, and the message names what the byte was looked at for.

use super::failure::Failure;
use super::limits::{LimitKind, Limits};
use super::tree::{NodeId, NodeKind, Tree};

/// One JSON value and where it ends.
pub(crate) struct JsonValue {
    pub tree: Tree,
    pub root: NodeId,
    pub end: usize,
}

pub(crate) enum JsonError {
    /// `invalid character 'x' …`; the byte that is at fault.
    Syntax {
        problem: String,
        at: usize,
    },
    /// The text ends inside the value.
    UnexpectedEnd,
    Limit(Box<Failure>),
}

enum Frame {
    Array { id: NodeId },
    Object { id: NodeId, key: Option<NodeId> },
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Done,
}

/// Reads the value that starts at or after `start` (white space is skipped).
pub(crate) fn parse(text: &str, start: usize, limits: &Limits) -> Result<JsonValue, JsonError> {
    let mut parser =
        JsonParser { bytes: text.as_bytes(), text, at: start, tree: Tree::default(), stack: Vec::new(), root: 0 };
    parser.run(limits)?;
    Ok(JsonValue { tree: parser.tree, root: parser.root, end: parser.at })
}

struct JsonParser<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    tree: Tree,
    stack: Vec<Frame>,
    root: NodeId,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn fail<T>(&self, looked_at_for: &str) -> Result<T, JsonError> {
        match self.peek() {
            None => Err(JsonError::UnexpectedEnd),
            Some(byte) => Err(JsonError::Syntax {
                problem: format!("invalid character {} {looked_at_for}", quote_byte(byte)),
                at: self.at,
            }),
        }
    }

    fn run(&mut self, limits: &Limits) -> Result<(), JsonError> {
        let mut expect = Expect::Value;
        while expect != Expect::Done {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.bump();
            }
            expect = match (expect, self.peek()) {
                (Expect::ValueOrEnd, Some(b']')) | (Expect::KeyOrEnd, Some(b'}')) => self.close(),
                (Expect::Value | Expect::ValueOrEnd, _) => self.value(limits)?,
                (Expect::Key | Expect::KeyOrEnd, Some(b'"')) => {
                    let key = self.string()?;
                    if let Some(Frame::Object { key: slot, .. }) = self.stack.last_mut() {
                        *slot = Some(key);
                    }
                    Expect::Colon
                }
                (Expect::Key | Expect::KeyOrEnd, _) => self.fail("looking for beginning of object key string")?,
                (Expect::Colon, Some(b':')) => {
                    self.bump();
                    Expect::Value
                }
                (Expect::Colon, _) => self.fail("after object key")?,
                (Expect::CommaOrEnd, byte) => self.after_element(byte)?,
                (Expect::Done, _) => Expect::Done,
            };
        }
        Ok(())
    }

    fn after_element(&mut self, byte: Option<u8>) -> Result<Expect, JsonError> {
        match (self.stack.last(), byte) {
            (Some(Frame::Array { .. }), Some(b',')) => {
                self.bump();
                Ok(Expect::Value)
            }
            (Some(Frame::Object { .. }), Some(b',')) => {
                self.bump();
                Ok(Expect::Key)
            }
            (Some(Frame::Array { .. }), Some(b']')) | (Some(Frame::Object { .. }), Some(b'}')) => Ok(self.close()),
            (Some(Frame::Array { .. }), _) => self.fail("after array element"),
            (Some(Frame::Object { .. }), _) => self.fail("after object key:value pair"),
            (None, _) => Ok(Expect::Done),
        }
    }

    fn close(&mut self) -> Expect {
        self.bump();
        let id = match self.stack.pop() {
            Some(Frame::Array { id } | Frame::Object { id, .. }) => id,
            None => return Expect::Done,
        };
        if let Some(node) = self.tree.node_mut(id) {
            node.end = u32::try_from(self.at).unwrap_or(u32::MAX);
        }
        self.attach(id)
    }

    fn attach(&mut self, child: NodeId) -> Expect {
        match self.stack.last_mut() {
            None => {
                self.root = child;
                return Expect::Done;
            }
            Some(Frame::Array { id }) => {
                if let Some(node) = self.tree.node_mut(*id)
                    && let NodeKind::Sequence { items, .. } = &mut node.kind
                {
                    items.push(child);
                }
            }
            Some(Frame::Object { id, key }) => {
                if let Some(key) = key.take()
                    && let Some(node) = self.tree.node_mut(*id)
                    && let NodeKind::Mapping { entries, .. } = &mut node.kind
                {
                    entries.push((key, child));
                }
            }
        }
        Expect::CommaOrEnd
    }

    fn value(&mut self, limits: &Limits) -> Result<Expect, JsonError> {
        let start = self.at;
        match self.peek() {
            Some(opening @ (b'{' | b'[')) => {
                let depth = limits.depth.min(Limits::MAX_DEPTH);
                if self.stack.len() >= depth {
                    let end = start.saturating_add(1);
                    return Err(JsonError::Limit(Failure::limit(LimitKind::Depth, depth, start, end)));
                }
                self.bump();
                if opening == b'{' {
                    let kind = NodeKind::Mapping { entries: Vec::new(), flow: true };
                    let id = self.tree.add(start, self.at, kind, None);
                    self.stack.push(Frame::Object { id, key: None });
                    Ok(Expect::KeyOrEnd)
                } else {
                    let kind = NodeKind::Sequence { items: Vec::new(), flow: true };
                    let id = self.tree.add(start, self.at, kind, None);
                    self.stack.push(Frame::Array { id });
                    Ok(Expect::ValueOrEnd)
                }
            }
            Some(b'"') => {
                let id = self.string()?;
                Ok(self.attach(id))
            }
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.fail("looking for beginning of value"),
        }
    }

    fn scalar(&mut self, start: usize, text: Box<str>, implicit: bool) -> NodeId {
        self.tree.add(start, self.at, NodeKind::Scalar { text, implicit }, None)
    }

    fn literal(&mut self, word: &'static str) -> Result<Expect, JsonError> {
        let start = self.at;
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                return self.fail(&format!("in literal {word} (expecting {})", quote_byte(expected)));
            }
            self.bump();
        }
        let id = self.scalar(start, word.into(), true);
        Ok(self.attach(id))
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.bump();
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Expect, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.bump();
        }
        if self.peek() == Some(b'0') {
            self.bump();
        } else if !self.digits() {
            return self.fail("in numeric literal");
        }
        if self.peek() == Some(b'.') {
            self.bump();
            if !self.digits() {
                return self.fail("after decimal point in numeric literal");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.bump();
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.bump();
            }
            if !self.digits() {
                return self.fail("in exponent of numeric literal");
            }
        }
        let text = self.text.get(start..self.at).unwrap_or("0").into();
        let id = self.scalar(start, text, true);
        Ok(self.attach(id))
    }

    fn string(&mut self) -> Result<NodeId, JsonError> {
        let start = self.at;
        self.bump();
        let mut value = String::new();
        loop {
            let run = self.at;
            while self.peek().is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
                self.bump();
            }
            value.push_str(self.text.get(run..self.at).unwrap_or(""));
            match self.peek() {
                Some(b'"') => {
                    self.bump();
                    return Ok(self.scalar(start, value.into(), false));
                }
                Some(b'\\') => self.escape(&mut value)?,
                _ => return self.fail("in string literal"),
            }
        }
    }

    fn escape(&mut self, value: &mut String) -> Result<(), JsonError> {
        self.bump();
        let simple = match self.peek() {
            Some(b'u') => {
                self.bump();
                return self.unicode_escape(value);
            }
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            _ => return self.fail("in string escape code"),
        };
        value.push(simple);
        self.bump();
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut code = 0u32;
        for _ in 0..4 {
            match self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
                Some(digit) => code = code.wrapping_shl(4) | digit,
                None => return self.fail("in \\u hexadecimal character escape"),
            }
            self.bump();
        }
        Ok(code)
    }

    /// Halves of surrogate pairs that stand alone become U+FFFD, as in Go.
    fn unicode_escape(&mut self, value: &mut String) -> Result<(), JsonError> {
        let first = self.hex4()?;
        if (0xD800..0xDC00).contains(&first) && self.bytes.get(self.at..self.at.saturating_add(2)) == Some(&b"\\u"[..])
        {
            let before_second = self.at;
            self.at = self.at.saturating_add(2);
            let second = self.hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                let high = first.wrapping_sub(0xD800).wrapping_shl(10);
                let code = high.wrapping_add(second.wrapping_sub(0xDC00)).wrapping_add(0x1_0000);
                value.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
                return Ok(());
            }
            self.at = before_second;
        }
        value.push(char::from_u32(first).unwrap_or('\u{FFFD}'));
        Ok(())
    }
}

/// A byte as Go quotes it in these messages.
fn quote_byte(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let mut quoted = String::new();
            super::scalar::go_quote(&char::from(byte).to_string(), &mut quoted);
            format!("'{}'", quoted.trim_matches('"'))
        }
    }
}
