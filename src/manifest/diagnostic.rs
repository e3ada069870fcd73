//! What reading a manifest has to say, as data: the page and the terminal choose the words.

use super::limits::LimitKind;
use super::path::PathSegment;
use super::position::Span;
use crate::order::Order;
use serde::Serialize;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Severity {
    /// kubectl refuses the document (or we do, because of a limit).
    Error,
    /// kubectl takes it, but hardly as it was meant.
    Warning,
}

/// What kind of finding this is; stable, for looking up help texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Code {
    YamlSyntax,
    JsonSyntax,
    ControlCharacter,
    DocumentSeparator,
    UnknownAnchor,
    RecursiveAnchor,
    ExcessiveAliasing,
    InvalidMapKey,
    InvalidMerge,
    InvalidTag,
    NotANumber,
    UnrenderedTemplate,
    DuplicateKey,
    IgnoredText,
    InvisibleIndentation,
    LimitReached,
}

/// The facts of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Fact {
    /// The YAML reader gave up: its problem and what it was doing.
    YamlSyntax {
        problem: String,
        context: Option<String>,
    },
    /// A tab stands where YAML takes only spaces.
    TabIndentation,
    /// The line has no `: ` after what looks like a key.
    MissingSpaceAfterColon {
        key: String,
    },
    /// A key without its colon: what is indented below it cannot belong to it.
    MissingColon {
        key: String,
    },
    /// A plain value holds `: `, which YAML reads as a second key on the same line.
    ColonInValue {
        value: String,
    },
    /// A quoted text that starts here never ends.
    UnclosedQuote {
        quote: char,
    },
    /// The line is indented to a column at which nothing around it starts.
    MisalignedIndentation {
        column: usize,
        expected: Vec<usize>,
    },
    /// A plain value starts with a character that YAML keeps for itself.
    ReservedCharacter {
        character: char,
    },
    /// A bracket that nothing closes; the line on which it opens.
    UnclosedBracket {
        bracket: char,
        line: usize,
    },
    /// A list begins on the line of its key.
    ListOnKeyLine,
    /// A backslash in double quotes with something behind it that YAML does not know.
    UnknownEscape {
        sequence: String,
    },
    /// A space that is none, or a character that cannot be seen, in the indentation.
    InvisibleIndentation {
        character: char,
    },
    /// `{{ … }}` of a template language that nobody rendered.
    UnrenderedTemplate {
        template: String,
    },
    JsonSyntax {
        problem: String,
    },
    /// JSON text that ends in the middle.
    JsonUnexpectedEnd,
    ControlCharacter {
        character: char,
    },
    /// `---` with something other than a comment behind it.
    DocumentSeparator {
        text: String,
    },
    UnknownAnchor {
        name: String,
        defined_in_another_document: bool,
    },
    /// An alias inside the value that its anchor names.
    RecursiveAnchor {
        name: String,
    },
    /// Aliases make up nearly all of the document.
    ExcessiveAliasing,
    /// A mapping or list is used as a key.
    InvalidMapKey {
        key: String,
    },
    /// A key that JSON cannot have: null, or an integer above i64.
    UnsupportedMapKey {
        key: String,
    },
    /// `<<` has something other than a mapping or a list of mappings.
    InvalidMerge,
    /// The tag (`!!int`) does not fit the value.
    InvalidTag {
        tag: String,
        value: String,
        resolved: String,
    },
    /// `!!binary` with text that is not base64.
    InvalidBinary,
    /// `.nan` or `.inf`: JSON has no such numbers.
    NotANumber {
        value: String,
    },
    /// The same key twice in one mapping: the last one counts.
    DuplicateKey {
        key: String,
        first: Span,
    },
    /// The YAML document ends before this text (after `...` or a dedent), and kubectl reads only the first one.
    IgnoredText,
    LimitReached {
        limit: LimitKind,
        allowed: usize,
    },
}

/// What to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Remedy {
    IndentWithSpaces,
    AddSpaceAfterColon,
    AddColon,
    PutListOnNextLine,
    UseSingleQuotes,
    QuoteValue,
    CloseQuote,
    AlignWithSiblings,
    RenderTemplate,
    DefineAnchorInSameDocument,
    RemoveDuplicate,
    SeparateDocuments,
    PutDocumentOnNextLine,
    UseLessText { limit: LimitKind },
    RemoveCharacter,
    RemoveTag,
    MergeMappings,
    WriteNumber,
    CheckBrackets,
    None,
}

/// Replace the bytes `start..end` by `replacement`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextEdit {
    pub start: usize,
    pub end: usize,
    pub replacement: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub fact: Fact,
    /// kubectl's own text for it, without the `error: error parsing STDIN: ` in front
    /// (see [`Diagnostic::kubectl_stderr`]); absent for what kubectl doesn't mention.
    pub kubectl_text: Option<String>,
    /// Where it is in the person's text.
    pub span: Span,
    /// Index of the document in [`ManifestRead::documents`](super::ManifestRead::documents), if it concerns one.
    pub document: Option<usize>,
    /// The field, where there is one.
    pub path: Option<Vec<PathSegment>>,
    pub remedy: Remedy,
    /// The one right change, if there is one: edits on the text as it was read, from front to back, not overlapping.
    pub fix: Option<Vec<TextEdit>>,
}

impl Diagnostic {
    /// What `kubectl apply -f` prints on stderr for it; `source` is a file name, or `STDIN`.
    /// Follows kubernetes staging/src/k8s.io/cli-runtime/pkg/resource/visitor.go StreamVisitor, v1.36.
    pub fn kubectl_stderr(&self, source: &str) -> Option<String> {
        self.kubectl_text.as_ref().map(|text| format!("error: error parsing {source}: {text}"))
    }
}

/// Applies edits (as in [`Diagnostic::fix`]) to a text. Edits that do not fit the text are left out.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.order_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        if edit.start < at || edit.end < edit.start || text.get(edit.start..edit.end).is_none() {
            continue;
        }
        out.push_str(text.get(at..edit.start).unwrap_or(""));
        out.push_str(&edit.replacement);
        at = edit.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::YamlSyntax { problem, context: Some(context) } => write!(f, "{problem} ({context})"),
            Fact::YamlSyntax { problem, context: None } => write!(f, "{problem}"),
            Fact::TabIndentation => {
                write!(f, "a tab indents this line; YAML takes only spaces there")
            }
            Fact::MissingSpaceAfterColon { key } => {
                write!(f, "there must be a space after the colon of {key:?}")
            }
            Fact::MissingColon { key } => write!(f, "{key:?} has no colon behind it"),
            Fact::ColonInValue { value } => {
                write!(f, "the value {value:?} contains a colon and a space, so it must be quoted")
            }
            Fact::UnclosedQuote { quote } => write!(f, "the text that starts with {quote} here has no closing quote"),
            Fact::MisalignedIndentation { column, expected } => {
                write!(f, "this line is indented by {}", column.saturating_sub(1))?;
                for (index, level) in expected.iter().enumerate() {
                    let before = if index == 0 { "; the lines around it are indented by" } else { " or" };
                    write!(f, "{before} {}", level.saturating_sub(1))?;
                }
                Ok(())
            }
            Fact::ReservedCharacter { character } => {
                write!(f, "a value that starts with {character:?} must be quoted")
            }
            Fact::UnclosedBracket { bracket, line } => {
                write!(f, "the {bracket} that opens on line {line} is not closed before this")
            }
            Fact::ListOnKeyLine => write!(f, "a list must begin on the line after its key"),
            Fact::UnknownEscape { sequence } => write!(f, "{sequence} means nothing in double quotes"),
            Fact::InvisibleIndentation { character } => {
                write!(f, "this line is indented with U+{:04X}, which is not a space", u32::from(*character))
            }
            Fact::UnrenderedTemplate { template } => {
                write!(f, "{template} is a template placeholder: render the chart before you apply it")
            }
            Fact::JsonSyntax { problem } => write!(f, "{problem}"),
            Fact::JsonUnexpectedEnd => write!(f, "the JSON text ends too early"),
            Fact::ControlCharacter { character } => {
                write!(f, "the control character U+{:04X} is not allowed", u32::from(*character))
            }
            Fact::DocumentSeparator { text } => {
                write!(f, "only a comment may follow --- on its line, not {text:?}")
            }
            Fact::UnknownAnchor { name, defined_in_another_document: true } => {
                write!(f, "the anchor {name:?} belongs to another document; anchors end with their document")
            }
            Fact::UnknownAnchor { name, .. } => write!(f, "no anchor is called {name:?}"),
            Fact::RecursiveAnchor { name } => {
                write!(f, "the value of the anchor {name:?} contains itself")
            }
            Fact::ExcessiveAliasing => write!(f, "nearly the whole document comes from aliases"),
            Fact::InvalidMapKey { key } => write!(f, "{key} cannot be a key"),
            Fact::UnsupportedMapKey { key } => write!(f, "{key} cannot be a key"),
            Fact::InvalidMerge => write!(f, "<< takes a mapping or a list of mappings"),
            Fact::InvalidTag { tag, value, resolved } => {
                write!(f, "{value:?} is {resolved} and cannot be read as {tag}")
            }
            Fact::InvalidBinary => write!(f, "!!binary must be followed by base64"),
            Fact::NotANumber { value } => {
                write!(f, "{value} cannot be sent to the API server: JSON has no such number")
            }
            Fact::DuplicateKey { key, first } => {
                write!(f, "{key:?} stands here again (first on line {}); only the last one counts", first.start.line)
            }
            Fact::IgnoredText => {
                write!(f, "the document ends before this line, so kubectl ignores the rest; separate documents by ---")
            }
            Fact::LimitReached { limit, allowed } => match limit {
                LimitKind::Bytes => write!(f, "the text is larger than {allowed} bytes"),
                LimitKind::Depth => write!(f, "values are nested more than {allowed} levels deep"),
                LimitKind::Aliases => write!(f, "the document has more than {allowed} aliases"),
                LimitKind::Expansion => {
                    write!(f, "aliases add more than {allowed} values to the document")
                }
                LimitKind::Documents => write!(f, "the text has more than {allowed} documents"),
                LimitKind::Objects => write!(f, "the text has more than {allowed} objects"),
            },
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.span.start.line, self.span.start.column, self.fact)
    }
}
