//! Tokens to events, by an explicit stack of states.
//! Follows go.yaml.in/yaml/v2 parserc.go (a port of libyaml's parser).

use super::error::{ErrorKind, Result, YamlError};
use super::input::{Input, Mark};
use super::scanner::Scanner;
use super::token::{ScalarStyle, Token, TokenKind};
use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EventKind<'t> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(&'t str),
    Scalar {
        value: Cow<'t, str>,
        style: ScalarStyle,
        /// Plain and untagged (or tagged `!`): its type follows from its text.
        implicit: bool,
    },
    SequenceStart {
        flow: bool,
    },
    SequenceEnd,
    MappingStart {
        flow: bool,
    },
    MappingEnd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event<'t> {
    pub kind: EventKind<'t>,
    pub anchor: Option<&'t str>,
    pub tag: Option<String>,
    pub start: Mark,
    pub end: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// What kinds of token the parser tells apart when it looks ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
    StreamStart,
}

pub(crate) struct Parser<'t> {
    scanner: Scanner<'t>,
    state: State,
    states: Vec<State>,
    /// Where the open collections began, for the context of errors.
    marks: Vec<Mark>,
    tag_directives: Vec<(String, String)>,
}

impl<'t> Parser<'t> {
    /// Reads `text[start..end]`, one chunk of kubectl's stream; marks give offsets in `text`.
    pub fn new(text: &'t str, start: usize, end: usize) -> Self {
        Parser {
            scanner: Scanner::new(Input::new(text, start, end)),
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            tag_directives: Vec::new(),
        }
    }

    /// The next event; after the end of the stream, its end again.
    pub fn next_event(&mut self) -> Result<Event<'t>> {
        match self.state {
            State::StreamStart => {
                let token = self.take()?;
                self.state = State::ImplicitDocumentStart;
                Ok(event(EventKind::StreamStart, token.start, token.end))
            }
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequenceFirstEntry => {
                self.open_collection()?;
                self.block_sequence_entry()
            }
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => {
                self.open_collection()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => {
                self.open_collection()?;
                self.flow_sequence_entry(true)
            }
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequenceEntryMappingKey => self.flow_sequence_entry_mapping_key(),
            State::FlowSequenceEntryMappingValue => self.flow_sequence_entry_mapping_value(),
            State::FlowSequenceEntryMappingEnd => {
                let (_, start, _) = self.peek()?;
                self.state = State::FlowSequenceEntry;
                Ok(event(EventKind::MappingEnd, start, start))
            }
            State::FlowMappingFirstKey => {
                self.open_collection()?;
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(false),
            State::FlowMappingEmptyValue => self.flow_mapping_value(true),
            State::End => {
                let mark = self.scanner.input.mark;
                Ok(event(EventKind::StreamEnd, mark, mark))
            }
        }
    }

    fn peek(&mut self) -> Result<(Next, Mark, Mark)> {
        let token = self.scanner.peek()?;
        Ok((next_of(&token.kind), token.start, token.end))
    }

    fn take(&mut self) -> Result<Token<'t>> {
        self.scanner.peek()?;
        match self.scanner.take() {
            Some(token) => Ok(token),
            None => Err(self.scanner.error("", self.scanner.input.mark, "unknown problem parsing YAML content")),
        }
    }

    fn error(&self, problem: &'static str, mark: Mark, context: Option<(&'static str, Mark)>) -> YamlError {
        YamlError { kind: ErrorKind::Parser, problem: problem.into(), mark, context }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn open_collection(&mut self) -> Result<()> {
        let token = self.take()?;
        self.marks.push(token.start);
        Ok(())
    }

    fn close_collection(&mut self, kind: EventKind<'t>) -> Result<Event<'t>> {
        let token = self.take()?;
        self.pop_state();
        self.marks.pop();
        Ok(event(kind, token.start, token.end))
    }

    fn collection_error(&mut self, context: &'static str, problem: &'static str, mark: Mark) -> YamlError {
        let opened = self.marks.pop().unwrap_or(mark);
        self.error(problem, mark, Some((context, opened)))
    }

    /// Goes to `then` after an empty value.
    fn empty_scalar(&mut self, then: State, mark: Mark) -> Result<Event<'t>> {
        self.state = then;
        Ok(empty_scalar(mark))
    }

    /// Reads a node and goes to `then` after it.
    fn node_then(&mut self, then: State, block: bool, indentless: bool) -> Result<Event<'t>> {
        self.states.push(then);
        self.node(block, indentless)
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event<'t>> {
        let (mut next, mut start, mut end) = self.peek()?;
        if !implicit {
            while next == Next::DocumentEnd {
                self.take()?;
                (next, start, end) = self.peek()?;
            }
        }
        let directive_or_start = matches!(next, Next::VersionDirective | Next::TagDirective | Next::DocumentStart);
        if next == Next::StreamEnd {
            self.take()?;
            self.state = State::End;
            return Ok(event(EventKind::StreamEnd, start, end));
        }
        if implicit && !directive_or_start {
            self.process_directives()?;
            self.states.push(State::DocumentEnd);
            self.state = State::BlockNode;
            return Ok(event(EventKind::DocumentStart, start, end));
        }
        self.process_directives()?;
        let (next, found, end) = self.peek()?;
        if next != Next::DocumentStart {
            return Err(self.error("did not find expected <document start>", found, None));
        }
        self.take()?;
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(event(EventKind::DocumentStart, start, end))
    }

    fn document_content(&mut self) -> Result<Event<'t>> {
        let (next, start, _) = self.peek()?;
        match next {
            Next::VersionDirective | Next::TagDirective | Next::DocumentStart | Next::DocumentEnd | Next::StreamEnd => {
                self.pop_state();
                Ok(empty_scalar(start))
            }
            _ => self.node(true, false),
        }
    }

    fn document_end(&mut self) -> Result<Event<'t>> {
        let (next, start, end) = self.peek()?;
        let end = if next == Next::DocumentEnd {
            self.take()?;
            end
        } else {
            start
        };
        self.tag_directives.clear();
        self.state = State::DocumentStart;
        Ok(event(EventKind::DocumentEnd, start, end))
    }

    fn process_directives(&mut self) -> Result<()> {
        let mut version_seen = false;
        loop {
            let (next, start, _) = self.peek()?;
            if !matches!(next, Next::VersionDirective | Next::TagDirective) {
                break;
            }
            match self.take()?.kind {
                TokenKind::VersionDirective { .. } if version_seen => {
                    return Err(self.error("found duplicate %YAML directive", start, None));
                }
                TokenKind::VersionDirective { major, minor } => {
                    if (major, minor) != (1, 1) {
                        return Err(self.error("found incompatible YAML document", start, None));
                    }
                    version_seen = true;
                }
                TokenKind::TagDirective { handle, prefix } => {
                    if self.tag_directives.iter().any(|(known, _)| *known == handle) {
                        return Err(self.error("found duplicate %TAG directive", start, None));
                    }
                    self.tag_directives.push((handle, prefix));
                }
                _ => {}
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tag_directives.iter().any(|(known, _)| known == handle) {
                self.tag_directives.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn node(&mut self, block: bool, indentless: bool) -> Result<Event<'t>> {
        let (next, start, end) = self.peek()?;
        if next == Next::Alias {
            let token = self.take()?;
            self.pop_state();
            let TokenKind::Alias(name) = token.kind else {
                return Ok(empty_scalar(start));
            };
            return Ok(event(EventKind::Alias(name), start, end));
        }
        let (anchor, tag, properties_end) = self.properties(start)?;
        let (next, content_start, content_end) = self.peek()?;
        let with = |kind, end| Event { kind, anchor, tag: tag.clone(), start, end };

        if indentless && next == Next::BlockEntry {
            self.state = State::IndentlessSequenceEntry;
            return Ok(with(EventKind::SequenceStart { flow: false }, content_end));
        }
        let collection = match next {
            Next::Scalar => {
                let token = self.take()?;
                self.pop_state();
                let TokenKind::Scalar { value, style } = token.kind else {
                    return Ok(empty_scalar(start));
                };
                let implicit = match tag.as_deref() {
                    None => style == ScalarStyle::Plain,
                    Some(tag) => tag == "!",
                };
                return Ok(with(EventKind::Scalar { value, style, implicit }, token.end));
            }
            Next::FlowSequenceStart => Some((State::FlowSequenceFirstEntry, EventKind::SequenceStart { flow: true })),
            Next::FlowMappingStart => Some((State::FlowMappingFirstKey, EventKind::MappingStart { flow: true })),
            Next::BlockSequenceStart if block => {
                Some((State::BlockSequenceFirstEntry, EventKind::SequenceStart { flow: false }))
            }
            Next::BlockMappingStart if block => {
                Some((State::BlockMappingFirstKey, EventKind::MappingStart { flow: false }))
            }
            _ => None,
        };
        if let Some((state, kind)) = collection {
            self.state = state;
            return Ok(with(kind, content_end));
        }
        if anchor.is_some() || tag.is_some() {
            self.pop_state();
            let implicit = tag.is_none();
            let value = Cow::Borrowed("");
            return Ok(with(EventKind::Scalar { value, style: ScalarStyle::Plain, implicit }, properties_end));
        }
        let context = if block { "while parsing a block node" } else { "while parsing a flow node" };
        Err(self.error("did not find expected node content", content_start, Some((context, start))))
    }

    /// An anchor and a tag, in either order.
    fn properties(&mut self, start: Mark) -> Result<(Option<&'t str>, Option<String>, Mark)> {
        let mut properties_end = start;
        let mut anchor = None;
        let mut tag = None;
        loop {
            let (next, tag_mark, end) = self.peek()?;
            match next {
                Next::Anchor if anchor.is_none() => {
                    if let TokenKind::Anchor(name) = self.take()?.kind {
                        anchor = Some(name);
                    }
                }
                Next::Tag if tag.is_none() => {
                    if let TokenKind::Tag { handle, suffix } = self.take()?.kind {
                        tag = Some((handle, suffix, tag_mark));
                    }
                }
                _ => break,
            }
            properties_end = end;
        }
        let Some((handle, suffix, tag_mark)) = tag else {
            return Ok((anchor, None, properties_end));
        };
        if handle.is_empty() {
            return Ok((anchor, Some(suffix), properties_end));
        }
        match self.tag_directives.iter().find(|(known, _)| *known == handle) {
            Some((_, prefix)) => Ok((anchor, Some(format!("{prefix}{suffix}")), properties_end)),
            None => Err(self.error("found undefined tag handle", tag_mark, Some(("while parsing a node", start)))),
        }
    }

    fn block_sequence_entry(&mut self) -> Result<Event<'t>> {
        let (next, start, entry_end) = self.peek()?;
        match next {
            Next::BlockEntry => {
                self.take()?;
                match self.peek()?.0 {
                    Next::BlockEntry | Next::BlockEnd => self.empty_scalar(State::BlockSequenceEntry, entry_end),
                    _ => self.node_then(State::BlockSequenceEntry, true, false),
                }
            }
            Next::BlockEnd => self.close_collection(EventKind::SequenceEnd),
            _ => Err(self.collection_error(
                "while parsing a block collection",
                "did not find expected '-' indicator",
                start,
            )),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'t>> {
        let (next, start, entry_end) = self.peek()?;
        if next != Next::BlockEntry {
            self.pop_state();
            return Ok(event(EventKind::SequenceEnd, start, start));
        }
        self.take()?;
        match self.peek()?.0 {
            Next::BlockEntry | Next::Key | Next::Value | Next::BlockEnd => {
                self.empty_scalar(State::IndentlessSequenceEntry, entry_end)
            }
            _ => self.node_then(State::IndentlessSequenceEntry, true, false),
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event<'t>> {
        let (next, start, key_end) = self.peek()?;
        match next {
            Next::Key => {
                self.take()?;
                match self.peek()?.0 {
                    Next::Key | Next::Value | Next::BlockEnd => self.empty_scalar(State::BlockMappingValue, key_end),
                    _ => self.node_then(State::BlockMappingValue, true, true),
                }
            }
            Next::BlockEnd => self.close_collection(EventKind::MappingEnd),
            _ => Err(self.collection_error("while parsing a block mapping", "did not find expected key", start)),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'t>> {
        let (next, start, value_end) = self.peek()?;
        if next != Next::Value {
            return self.empty_scalar(State::BlockMappingKey, start);
        }
        self.take()?;
        match self.peek()?.0 {
            Next::Key | Next::Value | Next::BlockEnd => self.empty_scalar(State::BlockMappingKey, value_end),
            _ => self.node_then(State::BlockMappingKey, true, true),
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'t>> {
        let (mut next, mut start, mut end) = self.peek()?;
        if next != Next::FlowSequenceEnd {
            if !first {
                if next != Next::FlowEntry {
                    return Err(self.collection_error(
                        "while parsing a flow sequence",
                        "did not find expected ',' or ']'",
                        start,
                    ));
                }
                self.take()?;
                (next, start, end) = self.peek()?;
            }
            if next == Next::Key {
                self.take()?;
                self.state = State::FlowSequenceEntryMappingKey;
                return Ok(event(EventKind::MappingStart { flow: true }, start, end));
            }
            if next != Next::FlowSequenceEnd {
                return self.node_then(State::FlowSequenceEntry, false, false);
            }
        }
        self.close_collection(EventKind::SequenceEnd)
    }

    fn flow_sequence_entry_mapping_key(&mut self) -> Result<Event<'t>> {
        let (next, _, end) = self.peek()?;
        if !matches!(next, Next::Value | Next::FlowEntry | Next::FlowSequenceEnd) {
            return self.node_then(State::FlowSequenceEntryMappingValue, false, false);
        }
        // libyaml takes the token here although it only looked at it: `[ ? : b ]` loses its colon.
        self.take()?;
        self.empty_scalar(State::FlowSequenceEntryMappingValue, end)
    }

    fn flow_sequence_entry_mapping_value(&mut self) -> Result<Event<'t>> {
        let (next, start, _) = self.peek()?;
        if next == Next::Value {
            self.take()?;
            if !matches!(self.peek()?.0, Next::FlowEntry | Next::FlowSequenceEnd) {
                return self.node_then(State::FlowSequenceEntryMappingEnd, false, false);
            }
        }
        self.empty_scalar(State::FlowSequenceEntryMappingEnd, start)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'t>> {
        let (mut next, start, _) = self.peek()?;
        if next != Next::FlowMappingEnd {
            if !first {
                if next != Next::FlowEntry {
                    return Err(self.collection_error(
                        "while parsing a flow mapping",
                        "did not find expected ',' or '}'",
                        start,
                    ));
                }
                self.take()?;
                next = self.peek()?.0;
            }
            if next == Next::Key {
                self.take()?;
                let (next, start, _) = self.peek()?;
                if !matches!(next, Next::Value | Next::FlowEntry | Next::FlowMappingEnd) {
                    return self.node_then(State::FlowMappingValue, false, false);
                }
                return self.empty_scalar(State::FlowMappingValue, start);
            }
            if next != Next::FlowMappingEnd {
                return self.node_then(State::FlowMappingEmptyValue, false, false);
            }
        }
        self.close_collection(EventKind::MappingEnd)
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Result<Event<'t>> {
        let (next, mut start, _) = self.peek()?;
        if !empty && next == Next::Value {
            self.take()?;
            let after = self.peek()?;
            if !matches!(after.0, Next::FlowEntry | Next::FlowMappingEnd) {
                return self.node_then(State::FlowMappingKey, false, false);
            }
            start = after.1;
        }
        self.empty_scalar(State::FlowMappingKey, start)
    }
}

fn event(kind: EventKind<'_>, start: Mark, end: Mark) -> Event<'_> {
    Event { kind, anchor: None, tag: None, start, end }
}

fn empty_scalar<'t>(mark: Mark) -> Event<'t> {
    let value = Cow::Borrowed("");
    event(EventKind::Scalar { value, style: ScalarStyle::Plain, implicit: true }, mark, mark)
}

fn next_of(kind: &TokenKind<'_>) -> Next {
    match kind {
        TokenKind::StreamStart => Next::StreamStart,
        TokenKind::StreamEnd => Next::StreamEnd,
        TokenKind::VersionDirective { .. } => Next::VersionDirective,
        TokenKind::TagDirective { .. } => Next::TagDirective,
        TokenKind::DocumentStart => Next::DocumentStart,
        TokenKind::DocumentEnd => Next::DocumentEnd,
        TokenKind::BlockSequenceStart => Next::BlockSequenceStart,
        TokenKind::BlockMappingStart => Next::BlockMappingStart,
        TokenKind::BlockEnd => Next::BlockEnd,
        TokenKind::FlowSequenceStart => Next::FlowSequenceStart,
        TokenKind::FlowSequenceEnd => Next::FlowSequenceEnd,
        TokenKind::FlowMappingStart => Next::FlowMappingStart,
        TokenKind::FlowMappingEnd => Next::FlowMappingEnd,
        TokenKind::BlockEntry => Next::BlockEntry,
        TokenKind::FlowEntry => Next::FlowEntry,
        TokenKind::Key => Next::Key,
        TokenKind::Value => Next::Value,
        TokenKind::Alias(_) => Next::Alias,
        TokenKind::Anchor(_) => Next::Anchor,
        TokenKind::Tag { .. } => Next::Tag,
        TokenKind::Scalar { .. } => Next::Scalar,
    }
}
