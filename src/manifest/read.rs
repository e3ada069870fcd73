//! The whole reading: every chunk of the text to a document, every finding to a diagnostic.

use super::compose::{ComposeError, Composed, compose};
use super::decode::{Duplicate, decode};
use super::diagnostic::{Code, Diagnostic, Fact, Remedy, Severity, TextEdit};
use super::document::{Document, Format, Object};
use super::edit::remove_overwritten;
use super::explain::{Broken, explain, explain_template, false_indentation};
use super::failure::Failure;
use super::json::JsonError;
use super::limits::{LimitKind, Limits};
use super::path::PathSegment;
use super::position::LineIndex;
use super::source::Line;
use super::stream::{Chunk, Chunks, json_error_text};
use super::tree::{NodeId, Tree};
use crate::order::Order;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many duplicate keys of a document get a fix; each costs another reading of the document.
const MAX_DUPLICATE_FIXES: usize = 5;

/// Larger documents are not read again to try out a fix: that would be felt while typing.
const MAX_REREAD_BYTES: usize = 256 << 10;

/// What a text holds.
#[derive(Debug, Clone)]
pub struct ManifestRead {
    /// In the order of the text; empty and broken ones too.
    pub documents: Vec<Document>,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    lines: Arc<LineIndex>,
}

impl ManifestRead {
    /// The documents as kubectl's stream gives them: in order, up to and with the first that cannot be read. Documents
    /// before that one are applied, those after it are never looked at.
    pub fn stream(&self) -> impl Iterator<Item = Result<&Document, &Diagnostic>> {
        let mut failed = false;
        self.documents.iter().filter(|document| !document.lost).map_while(move |document| {
            if failed {
                return None;
            }
            match document.error.and_then(|error| self.diagnostics.get(error)) {
                Some(diagnostic) => {
                    failed = true;
                    Some(Err(diagnostic))
                }
                None => Some(Ok(document)),
            }
        })
    }

    /// The objects of all documents that can be read, list items one by one.
    pub fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        self.documents.iter().flat_map(Document::objects)
    }

    /// Turns byte offsets of the text into positions.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Whether anything keeps a document from being read.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Reads a manifest. Never fails: what cannot be read is a diagnostic, and reading goes on with the next document.
/// Linear in the size of the text.
pub fn read(text: &str, limits: &Limits) -> ManifestRead {
    read_with(text, limits, true)
}

/// Reads a manifest without looking for fixes: for trying one out.
pub(crate) fn read_without_fixes(text: &str, limits: &Limits) -> ManifestRead {
    read_with(text, limits, false)
}

fn read_with(text: &str, limits: &Limits, fixes: bool) -> ManifestRead {
    let lines = Arc::new(LineIndex::new(text));
    let mut reader = Reader { text, limits, fixes, lines, documents: Vec::new(), diagnostics: Vec::new(), objects: 0 };
    if text.len() > limits.bytes.min(u32::MAX as usize / 2) {
        let at = text.floor_char_boundary(limits.bytes);
        let document = reader.document(0, text.len(), Format::Yaml);
        reader.fail(document, *Failure::limit(LimitKind::Bytes, limits.bytes, at, text.len()), None);
    } else {
        reader.run();
    }
    reader.name_anchors_of_other_documents();
    reader.sort_diagnostics();
    ManifestRead { documents: reader.documents, diagnostics: reader.diagnostics, lines: reader.lines }
}

struct Reader<'t> {
    text: &'t str,
    limits: &'t Limits,
    fixes: bool,
    lines: Arc<LineIndex>,
    documents: Vec<Document>,
    diagnostics: Vec<Diagnostic>,
    objects: usize,
}

impl Reader<'_> {
    fn run(&mut self) {
        let mut chunks = Chunks::new(self.text);
        let mut at = chunks.position();
        while let Some(chunk) = chunks.next(self.limits) {
            if self.documents.len() >= self.limits.documents {
                let document = self.document(at, self.text.len(), Format::Yaml);
                self.fail(document, *Failure::limit(LimitKind::Documents, self.limits.documents, at, at), None);
                return;
            }
            match chunk {
                Chunk::Json { start, value } => {
                    let document = self.document(start, value.end, Format::Json);
                    self.finish(document, value.tree, Some(value.root));
                }
                Chunk::JsonFailed { start, error, with_offset } => {
                    let text = json_error_text(&error, |at| chunks.stream_offset(at), with_offset);
                    let document = self.document(start, self.text.len(), Format::Json);
                    self.fail_json(document, error, text);
                }
                Chunk::BadSeparator { start, end, text, json_error } => {
                    let document = self.document(start, end, Format::Yaml);
                    if let Some(error) = json_error {
                        let text = json_error_text(&error, |at| chunks.stream_offset(at), true);
                        self.fail_json(document, error, text);
                    } else {
                        self.fail_separator(document, start, end, text);
                    }
                }
                Chunk::Yaml { start, end, json_error, lost } => {
                    let mut document = self.document(start, end, Format::Yaml);
                    document.lost = lost;
                    match (compose(self.text, start, end, self.limits), json_error) {
                        (Ok(composed), None) => self.finish_yaml(document, composed),
                        (Err(error), None) => self.fail_yaml(document, start, end, error),
                        (composed, Some(error)) => {
                            let text = json_error_text(&error, |at| chunks.stream_offset(at), true);
                            self.finish_yaml_or_json(document, composed, error, text);
                        }
                    }
                }
            }
            if self.objects > self.limits.objects {
                return;
            }
            at = chunks.position();
        }
    }

    fn document(&self, start: usize, end: usize, format: Format) -> Document {
        Document::new(self.documents.len(), self.lines.span(start, end), format, Arc::clone(&self.lines))
    }

    fn report(&mut self, failure: Failure, document: Option<usize>, path: Option<Vec<PathSegment>>) -> usize {
        self.diagnostics.push(failure.into_diagnostic(&self.lines, document, path));
        self.diagnostics.len().saturating_sub(1)
    }

    fn fail(&mut self, mut document: Document, failure: Failure, path: Option<Vec<PathSegment>>) {
        document.error = Some(self.report(failure, Some(document.index), path));
        self.documents.push(document);
    }

    fn fail_json(&mut self, document: Document, error: JsonError, kubectl_text: Option<String>) {
        let end_of_text = self.text.trim_end().len();
        let (fact, start) = match error {
            JsonError::Limit(failure) => return self.fail(document, *failure, None),
            JsonError::Syntax { problem, at } => (Fact::JsonSyntax { problem }, at),
            JsonError::UnexpectedEnd => (Fact::JsonUnexpectedEnd, end_of_text),
        };
        let end = self.end_of_character(start);
        let remedy = Remedy::CheckBrackets;
        let mut failure = Failure { code: Code::JsonSyntax, fact, kubectl_text, start, end, remedy, fix: None };
        explain_template(self.text, &mut failure);
        self.fail(document, failure, None);
    }

    fn fail_separator(&mut self, document: Document, start: usize, end: usize, text: String) {
        let kubectl_text = Some(format!("invalid Yaml document separator: {text}"));
        let line = self.text.get(start..end).unwrap_or("").trim_end();
        let fix = self.separated(start, line);
        let fact = Fact::DocumentSeparator { text };
        let end = start.saturating_add(line.len());
        let remedy = Remedy::PutDocumentOnNextLine;
        self.fail(
            document,
            Failure { code: Code::DocumentSeparator, fact, kubectl_text, start, end, remedy, fix },
            None,
        );
    }

    /// What follows the `---`, put on a line of its own, if that can be read.
    fn separated(&self, start: usize, line: &str) -> Option<Vec<TextEdit>> {
        let behind = line.strip_prefix("---").filter(|_| self.fixes)?;
        let blanks = behind.len().saturating_sub(behind.trim_start().len());
        let content = start.saturating_add(3).saturating_add(blanks);
        let rest = self.text.get(content..)?;
        let document = rest.get(..rest.find("\n---").unwrap_or(rest.len()))?;
        if document.len() > MAX_REREAD_BYTES || read_without_fixes(document, self.limits).has_errors() {
            return None;
        }
        Some(vec![TextEdit { start: start.saturating_add(3), end: content, replacement: "\n".to_owned() }])
    }

    fn fail_yaml(&mut self, document: Document, start: usize, end: usize, error: ComposeError) {
        let broken = Broken { text: self.text, start, end, limits: self.limits, fixes: self.fixes };
        let failure = match error {
            ComposeError::Other(failure) => *failure,
            ComposeError::Yaml(error) => explain(broken, &error),
        };
        self.fail(document, failure, None);
    }

    fn finish_yaml(&mut self, document: Document, composed: Composed) {
        if let Some(start) = composed.ignored_from {
            self.warn_ignored(&document, start);
        }
        self.finish(document, composed.tree, composed.root);
    }

    /// A chunk that is not JSON although the text began as JSON: kubectl keeps the JSON error in case YAML fails too.
    fn finish_yaml_or_json(
        &mut self,
        document: Document,
        composed: Result<Composed, ComposeError>,
        error: JsonError,
        kubectl_text: Option<String>,
    ) {
        let readable = composed
            .ok()
            .filter(|composed| composed.root.is_none_or(|root| decode(&composed.tree, root, self.limits).is_ok()));
        match readable {
            Some(composed) => self.finish_yaml(document, composed),
            None => self.fail_json(document, error, kubectl_text),
        }
    }

    /// Decodes a tree and adds the document.
    fn finish(&mut self, mut document: Document, tree: Tree, root: Option<NodeId>) {
        let Some(root) = root else {
            self.documents.push(document);
            return;
        };
        match decode(&tree, root, self.limits) {
            Err((mut failure, path)) => {
                if failure.code == Code::InvalidMapKey {
                    explain_template(self.text, &mut failure);
                }
                self.fail(document, *failure, Some(path));
            }
            Ok(decoded) => {
                self.objects = self.objects.saturating_add(count_objects(&decoded.value));
                if self.objects > self.limits.objects {
                    let (start, end) = tree.range(root);
                    let failure = Failure::limit(LimitKind::Objects, self.limits.objects, start, end);
                    return self.fail(document, *failure, None);
                }
                document.set_content(decoded.value, tree, root);
                for (count, duplicate) in decoded.duplicates.iter().enumerate() {
                    self.warn_duplicate(&document, duplicate, count < MAX_DUPLICATE_FIXES);
                }
                self.warn_false_indentation(&document);
                self.documents.push(document);
            }
        }
    }

    fn warn_duplicate(&mut self, document: &Document, duplicate: &Duplicate, with_fix: bool) {
        let Some((tree, _)) = document.tree() else { return };
        let (start, end) = tree.range(duplicate.again);
        let (first_start, first_end) = tree.range(duplicate.first);
        let is_small = document.span.range().len() <= MAX_REREAD_BYTES;
        let fix = (self.fixes && with_fix && is_small)
            .then(|| remove_overwritten(self.text, document, duplicate.first).ok())
            .flatten();
        self.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code: Code::DuplicateKey,
            fact: Fact::DuplicateKey { key: duplicate.key.clone(), first: self.lines.span(first_start, first_end) },
            kubectl_text: None,
            span: self.lines.span(start, end),
            document: Some(document.index),
            path: Some(duplicate.path.clone()),
            remedy: Remedy::RemoveDuplicate,
            fix,
        });
    }

    /// Once for each document: its fix goes through all lines.
    fn warn_false_indentation(&mut self, document: &Document) {
        let Some((tree, _)) = document.tree() else { return };
        let (start, end) = (document.span.start.offset, document.span.end.offset);
        let broken = Broken { text: self.text, start, end, limits: self.limits, fixes: self.fixes };
        let found =
            tree.keys().filter(|(_, key)| !key.starts_with(|first: char| first.is_ascii())).find_map(|(id, key)| {
                let (start, end) = tree.range(id);
                false_indentation(broken, key, start).map(|(fact, fix)| (fact, fix, start, end))
            });
        if let Some((fact, fix, start, end)) = found {
            self.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: Code::InvisibleIndentation,
                fact,
                kubectl_text: None,
                span: self.lines.span(start, end),
                document: Some(document.index),
                path: None,
                remedy: Remedy::IndentWithSpaces,
                fix,
            });
        }
    }

    fn warn_ignored(&mut self, document: &Document, start: usize) {
        let line = Line::at(self.text, start);
        // `...` ends a document for YAML, but kubectl starts the next one only at `---`.
        let above = line.previous(self.text, 0).filter(|above| self.fixes && above.text.trim_end() == "...");
        let ignored = self.text.get(line.start..document.span.end.offset).unwrap_or("");
        let can_be_read =
            |ignored: &str| ignored.len() <= MAX_REREAD_BYTES && !read_without_fixes(ignored, self.limits).has_errors();
        let fix = above.filter(|_| can_be_read(ignored)).map(|above| {
            let end = above.start.saturating_add(3);
            vec![TextEdit { start: above.start, end, replacement: "---".to_owned() }]
        });
        self.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code: Code::IgnoredText,
            fact: Fact::IgnoredText,
            kubectl_text: None,
            span: self.lines.span(start, line.start.saturating_add(line.text.trim_end().len())),
            document: Some(document.index),
            path: None,
            remedy: Remedy::SeparateDocuments,
            fix,
        });
    }

    /// By place; the documents' errors keep naming theirs.
    fn sort_diagnostics(&mut self) {
        let mut order: Vec<usize> = (0..self.diagnostics.len()).collect();
        order.order_by_key(|index| self.diagnostics.get(*index).map(|diagnostic| diagnostic.span.start.offset));
        for document in &mut self.documents {
            document.error = document.error.and_then(|error| order.iter().position(|index| *index == error));
        }
        let mut unsorted: Vec<Option<Diagnostic>> =
            std::mem::take(&mut self.diagnostics).into_iter().map(Some).collect();
        self.diagnostics =
            order.into_iter().filter_map(|index| unsorted.get_mut(index).and_then(Option::take)).collect();
    }

    /// Says of an unknown anchor whether another document has it.
    fn name_anchors_of_other_documents(&mut self) {
        let mut anchors = None;
        for diagnostic in &mut self.diagnostics {
            if let Fact::UnknownAnchor { name, defined_in_another_document } = &mut diagnostic.fact {
                let anchors = anchors.get_or_insert_with(|| anchor_names(self.text));
                *defined_in_another_document = anchors.contains(name.as_str());
            }
        }
    }

    fn end_of_character(&self, start: usize) -> usize {
        let character = self.text.get(start..).and_then(|rest| rest.chars().next());
        start.saturating_add(character.map_or(0, char::len_utf8))
    }
}

/// Everything in a text that looks like the name of an anchor.
fn anchor_names(text: &str) -> BTreeSet<&str> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    text.split('&')
        .skip(1)
        .filter_map(|after| {
            let (name, rest) = after.split_at(after.find(|character| !is_name(character)).unwrap_or(after.len()));
            (!name.is_empty() && rest.chars().next().is_none_or(char::is_whitespace)).then_some(name)
        })
        .collect()
}

fn count_objects(value: &Value) -> usize {
    match value.get("items") {
        Some(Value::Array(items)) => items.len(),
        _ => usize::from(!value.is_null()),
    }
}
