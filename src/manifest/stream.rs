//! The text as kubectl's stream decoder takes it apart: JSON values one after the other, or YAML between `---` lines.
//! Follows kubernetes staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go YAMLOrJSONDecoder and YAMLReader, v1.36.

use super::json::{self, JsonError, JsonValue};
use super::limits::Limits;

/// How far kubectl looks for a `{` to tell JSON from YAML.
const SNIFFED_BYTES: usize = 4096;

/// One piece of the stream.
pub(crate) enum Chunk {
    Json {
        start: usize,
        value: JsonValue,
    },
    /// A JSON value that cannot be read, after which kubectl gives up.
    JsonFailed {
        start: usize,
        error: JsonError,
        with_offset: bool,
    },
    /// `lost`: kubectl never looks at it, since the separator behind it is a bad one.
    Yaml {
        start: usize,
        end: usize,
        json_error: Option<JsonError>,
        lost: bool,
    },
    /// `---` with something behind it.
    BadSeparator {
        start: usize,
        end: usize,
        text: String,
        json_error: Option<JsonError>,
    },
}

pub(crate) struct Chunks<'t> {
    text: &'t str,
    at: usize,
    /// Bytes in front that kubectl takes off before it counts (a byte order mark).
    pub skipped: usize,
    json: bool,
    json_count: usize,
    json_error: Option<JsonError>,
    finished: bool,
}

impl<'t> Chunks<'t> {
    pub fn new(text: &'t str) -> Self {
        let skipped = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        let rest = text.get(skipped..).unwrap_or("");
        let leading = rest.len().saturating_sub(rest.trim_start().len());
        let json = leading < SNIFFED_BYTES && rest.as_bytes().get(leading) == Some(&b'{');
        Chunks { text, at: skipped, skipped, json, json_count: 0, json_error: None, finished: false }
    }

    pub fn next(&mut self, limits: &Limits) -> Option<Chunk> {
        if self.finished {
            return None;
        }
        if self.json
            && let Some(chunk) = self.next_json(limits)
        {
            return Some(chunk);
        }
        if self.finished { None } else { self.next_yaml() }
    }

    /// None when the stream goes on as YAML, or is over.
    fn next_json(&mut self, limits: &Limits) -> Option<Chunk> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let leading = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        let start = self.at.saturating_add(leading);
        if start >= self.text.len() {
            self.finished = true;
            return None;
        }
        let error = match json::parse(self.text, start, limits) {
            Ok(value) => {
                self.json_count = self.json_count.saturating_add(1);
                self.at = value.end;
                return Some(Chunk::Json { start, value });
            }
            Err(error) => error,
        };
        let is_limit = matches!(error, JsonError::Limit(_));
        if is_limit || self.json_count > 1 || !self.skip_blank_line() {
            self.finished = true;
            return Some(Chunk::JsonFailed { start, error, with_offset: self.json_count <= 1 });
        }
        self.json = false;
        self.json_error = Some(error);
        None
    }

    /// Before it tries YAML, kubectl skips white space up to and with the next line break. It looks at four bytes at a
    /// time and gives up when fewer are left: then false.
    fn skip_blank_line(&mut self) -> bool {
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            if rest.len() < 4 {
                return false;
            }
            match rest.chars().next() {
                Some('\n') => {
                    self.at = self.at.saturating_add(1);
                    return true;
                }
                Some(character) if character.is_whitespace() => self.at = self.at.saturating_add(character.len_utf8()),
                _ => return true,
            }
        }
    }

    /// Lines up to the next one that starts with `---`. Such a line belongs to the document only if nothing else does
    /// yet, so the first line of a text, and the second of two separators in a row, stay with what follows.
    fn next_yaml(&mut self) -> Option<Chunk> {
        let start = self.at;
        let mut line_start = start;
        loop {
            let rest = self.text.get(line_start..).unwrap_or("");
            if rest.is_empty() {
                self.finished = true;
                self.at = self.text.len();
                if start >= self.text.len() {
                    return None;
                }
                return Some(self.yaml(start, self.text.len()));
            }
            let line_length = rest.find('\n').map_or(rest.len(), |at| at.saturating_add(1));
            let line_end = line_start.saturating_add(line_length);
            if let Some(behind) = self.text.get(line_start..line_end).and_then(|line| line.strip_prefix("---")) {
                let behind = behind.trim();
                if !behind.is_empty() && !behind.starts_with('#') {
                    // kubectl stops here; what it read before the separator is lost with it.
                    if line_start > start {
                        self.at = line_start;
                        return Some(Chunk::Yaml { start, end: line_start, json_error: None, lost: true });
                    }
                    self.at = line_end;
                    let text = behind.to_owned();
                    let json_error = self.json_error.take();
                    return Some(Chunk::BadSeparator { start: line_start, end: line_end, text, json_error });
                }
                if line_start > start {
                    self.at = line_end;
                    return Some(self.yaml(start, line_start));
                }
            }
            line_start = line_end;
        }
    }

    fn yaml(&mut self, start: usize, end: usize) -> Chunk {
        Chunk::Yaml { start, end, json_error: self.json_error.take(), lost: false }
    }

    /// How far the text has been taken apart.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The offset that kubectl gives for a byte.
    pub fn stream_offset(&self, at: usize) -> usize {
        at.saturating_sub(self.skipped).saturating_add(1)
    }
}

/// kubectl's text for a JSON error.
pub(crate) fn json_error_text(error: &JsonError, offset: impl Fn(usize) -> usize, with_offset: bool) -> Option<String> {
    match error {
        JsonError::Syntax { problem, at } if with_offset => Some(format!("json: offset {}: {problem}", offset(*at))),
        JsonError::Syntax { problem, .. } => Some(problem.clone()),
        JsonError::UnexpectedEnd => Some("unexpected EOF".to_owned()),
        JsonError::Limit(_) => None,
    }
}
